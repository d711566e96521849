# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that belong to another state or goal than the one that is asked for, and values of another type than an option has."""

from __future__ import annotations

from typing import Any

import pytest

from . import stages
from .running import call

SHA_1 = "ab" * 20


def only(option: str, wanted: str, other: str, actual: str) -> str:
    return f"{option}: it counts with {wanted} only, and {other} is {actual}. Give {wanted} with it, or leave {option} out."


@pytest.mark.parametrize(
    ("module", "options", "message"),
    [
        # A user who means this CA alone would have the CA in use replaced, whichever it is.
        (
            "strimzi_ca", {"state": "replaced", "fingerprint": SHA_1},
            only("fingerprint", "state=absent", "state", "replaced"),
        ),
        # A user who means a renewal only where the CA ends soon would have it renewed at once.
        (
            "strimzi_ca", {"state": "renewed", "renew_before_days": 60},
            only("renew_before_days", "state=present", "state", "renewed"),
        ),
        ("strimzi_ca", {"state": "renewed", "adopts": SHA_1}, only("adopts", "state=adopted", "state", "renewed")),
        ("strimzi_ca", {"state": "renewed", "raise_path_length": True}, only("raise_path_length", "state=adopted", "state", "renewed")),
        ("strimzi_ca_info", {"raise_path_length": True}, only("raise_path_length", "goal=upgrade", "goal", "reconcile")),
        ("strimzi_ca_info", {"adopts": SHA_1}, only("adopts", "goal=upgrade", "goal", "reconcile")),
        ("strimzi_trusted_certs", {"layout": "split"}, only("layout", "state=converted", "state", "trusted")),
        (
            "strimzi_trusted_certs", {"state": "converted", "layout": "split", "certificate": "a certificate"},
            only("certificate", "state=trusted or state=retired", "state", "converted"),
        ),
        # A user who means one node would have the leaves of all renewed.
        (
            "strimzi_ee_cert", {"state": "tidied", "secret": "tools-tls", "common_name": "tools"},
            only("secret", "state=issued", "state", "tidied"),
        ),
        (
            "strimzi_csr", {"directory": "/tmp/requests"},
            only("directory", "state=exported or state=imported", "state", "listed"),
        ),
        (
            "strimzi_csr", {"certificates": ["a certificate"]},
            only("certificates", "state=imported", "state", "listed"),
        ),
    ],
)  # fmt: skip
def test_an_option_of_another_state_is_refused(module: str, options: dict[str, Any], message: str) -> None:
    memory = stages.managed()
    before = len(memory.api.requests)
    for check in (True, False):
        ended = call(module, memory, check=check, **options)
        assert (ended.failed, ended.result["changed"], ended.result["msg"]) == (True, False, message)
    assert len(memory.api.requests) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"secret": "tools-tls", "common_name": "tools", "secrets": ["demo-kafka-0"]},
            "parameters are mutually exclusive: secret|secrets",
        ),
        (
            {"secret": "tools-tls", "common_name": "tools", "components": ["kafka"]},
            "parameters are mutually exclusive: secret|components",
        ),
        (
            {"subject_alternative_names": ["tools.kafka.svc"]},
            "missing parameter(s) required by 'subject_alternative_names': secret",
        ),
    ],
)
def test_a_certificate_of_ones_own_and_those_of_the_cluster_are_not_asked_for_at_once(
    options: dict[str, Any], message: str
) -> None:
    ended = call("strimzi_ee_cert", stages.managed(), **options)
    assert (ended.failed, ended.result["msg"], ended.writes) == (True, message, [])


@pytest.mark.parametrize("given", ["", "no fingerprint", "abcd", "ab" * 21])
def test_what_is_no_fingerprint_is_not_absent(given: str) -> None:
    ended = call("strimzi_ca", stages.managed(), state="absent", fingerprint=given)
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"] == (
        f"fingerprint: {given!r} is neither a SHA-1 nor a SHA-256 fingerprint. Give the 40 or 64 hexadecimal digits, with or without "
        "colons, as strimzi_ca_info returns them in cas."
    )


@pytest.mark.parametrize("given", ["ab" * 20, "AB:" * 31 + "AB"])
def test_an_unknown_ca_is_absent(given: str) -> None:
    assert not stages.done(stages.managed(), "strimzi_ca", state="absent", fingerprint=given).result["changed"]


# Values of another type than an option has: Ansible refuses them, and the message says which option it is.

DICTIONARY = (
    "dictionary requested, could not parse JSON or key=value. Give a dictionary, with its options by their names."
)


@pytest.mark.parametrize("given", ["broker", "https://broker:9091/", "broker:", "", "broker :9091"])
def test_a_broker_without_a_port(given: str) -> None:
    ended = call("strimzi_roll", stages.managed(), strategy="direct", kafka_bootstrap=["broker:9091", given])
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"] == (
        f"kafka_bootstrap: {given!r} is not a host and a port. Give each as host:port, such as demo-kafka-bootstrap.kafka.svc:9091."
    )


@pytest.mark.parametrize("given", ["broker.example:9091", "10.0.0.1:9091", "[fd00::1]:9091"])
def test_a_broker_with_a_port(given: str) -> None:
    stages.done(stages.managed(), "strimzi_ca_info", kafka_bootstrap=[given])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"issuer": "corporate"}, f"issuer: {DICTIONARY}"),
        ({"ca_source": "corporate-ca"}, f"ca_source: {DICTIONARY}"),
        ({"proxy_headers": "me"}, f"proxy_headers: {DICTIONARY}"),
        ({"issue_timeout": "a week"}, "argument 'issue_timeout' is of type "),
        ({"client_bundle": "perhaps"}, "argument 'client_bundle' is of type "),
        ({"waivers": ["KafkaConnect kafka/connect"]}, f"waivers: {DICTIONARY}"),
        ({"trusting_secrets": {"name": "app"}}, "argument 'trusting_secrets' is of type "),
        ({"issuer": {"typ": "vault"}}, "Unsupported parameters for (basic.py) module: issuer.typ. "),
        (
            {"key_type": "rsa-1024"},
            "value of key_type must be one of: rsa-2048, rsa-3072, rsa-4096, rsa-8192, ecdsa-p256, ecdsa-p384, got: rsa-1024",
        ),
    ],
)
def test_a_value_of_another_type(options: dict[str, Any], message: str) -> None:
    ended = call("strimzi_ca_info", stages.managed(), **options)
    assert ended.failed
    assert ended.result["msg"].startswith(message)
