# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of another type than an option has: Ansible refuses them, and the message says which option it is."""

from __future__ import annotations

from typing import Any

import pytest

from . import stages
from .running import call

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
