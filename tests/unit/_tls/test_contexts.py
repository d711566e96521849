# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of all TLS connections come from one file, and are the same with each release of Python."""

from __future__ import annotations

import ast
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._tls import contexts
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.contexts import (
    to_api_server,
    to_identity_provider,
    to_issuer,
    to_kafka_node,
    to_look_at,
    to_proxy,
)

THE_PLACE = Path(contexts.__file__).resolve()
PLUGINS = THE_PLACE.parents[2]
#: Functions that make settings for TLS.
MAKERS = {"SSLContext", "create_default_context", "create_urllib3_context", "_create_unverified_context"}
#: Classes that make settings of their own where they get none, and the argument by which they get them.
TAKERS = {"PoolManager": "ssl_context", "ProxyManager": "ssl_context", "KafkaAdminClient": "ssl_context"}
VERIFYING: dict[str, Callable[[], ssl.SSLContext]] = {
    "API server": lambda: to_api_server(None, verify=True),
    "identity provider": lambda: to_identity_provider(None, None),
    "Vault": lambda: to_issuer(None),
    "proxy": to_proxy,
    "Kafka node": to_kafka_node,
}
SEEING: dict[str, Callable[[], ssl.SSLContext]] = {
    "API server without verification": lambda: to_api_server(None, verify=False),
    "a look": lambda: to_look_at(ssl.TLSVersion.TLSv1_2),
}


def calls_in(file: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call):
            function = node.func
            yield (function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")), node


def test_no_other_file_makes_settings() -> None:
    found = {
        file
        for file in PLUGINS.rglob("*.py")
        for name, call in calls_in(file)
        if name in MAKERS or (name in TAKERS and not {TAKERS[name], None} & {word.arg for word in call.keywords})
    }
    assert found == {THE_PLACE}


@pytest.mark.parametrize("name", [*VERIFYING, *SEEING])
def test_flags_are_those_of_every_python(name: str) -> None:
    context = {**VERIFYING, **SEEING}[name]()
    assert context.verify_flags == ssl.VERIFY_X509_TRUSTED_FIRST | ssl.VERIFY_X509_PARTIAL_CHAIN
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    assert not context.hostname_checks_common_name


@pytest.mark.parametrize("name", VERIFYING)
def test_path_and_name_are_verified(name: str) -> None:
    context = VERIFYING[name]()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


@pytest.mark.parametrize("name", SEEING)
def test_only_a_look_and_a_choice_of_a_person_verify_nothing(name: str) -> None:
    context = SEEING[name]()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_NONE, False)
