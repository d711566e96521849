# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The object that the options name, and the CAs that they confirm."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.options import confirmed_of, source_of
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OptionsError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_source import CaSourceReference

DIGEST = "ab" * 32


def test_none_is_named() -> None:
    assert source_of({"namespace": "kafka", "ca_source": None}) is None
    assert confirmed_of({"confirm_roots": None}) == frozenset()


@pytest.mark.parametrize(("given", "namespace"), [(None, "kafka"), ("certs", "certs")])
def test_which_object_it_is(given: str | None, namespace: str) -> None:
    options = {"kind": "ConfigMap", "name": "roots", "namespace": given, "key": "bundle.pem"}
    found = source_of({"namespace": "kafka", "ca_source": options})
    assert found == CaSourceReference("ConfigMap", namespace, "roots", "bundle.pem")


@pytest.mark.parametrize("text", [DIGEST, DIGEST.upper(), ":".join(["AB"] * 32), f" {DIGEST}\n"])
def test_fingerprints_as_people_have_them(text: str) -> None:
    assert confirmed_of({"confirm_roots": [text]}) == frozenset({DIGEST})


@pytest.mark.parametrize("text", ["", "ab" * 20, DIGEST[:-1], f"{DIGEST}0", "yes", f"SHA256={DIGEST}"])
def test_what_is_no_sha_256_confirms_nothing(text: Any) -> None:
    with pytest.raises(OptionsError, match="not a SHA-256 fingerprint"):
        confirmed_of({"confirm_roots": [DIGEST, text]})
