# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that no object can have: they are told as what they are, and nobody is asked for such an object."""

from __future__ import annotations

from typing import Any

import pytest

from . import stages
from .running import NAMES, REQUIRED, call

OBJECT = "cannot be the name of any object in Kubernetes. Give the name as kubectl shows it: lower case letters, digits, hyphens and dots, at most 253."
NAMESPACE = "cannot be the name of any namespace in Kubernetes. Give the name as kubectl shows it: lower case letters, digits, hyphens, at most 63."


def refused(module: str, message: str, **options: Any) -> None:
    memory = stages.managed()
    before = len(memory.api.requests)
    for check in (True, False):
        ended = call(module, memory, check=check, **{**REQUIRED.get(module, {}), **options})
        assert (ended.failed, ended.result["changed"], ended.result["msg"]) == (True, False, message)
    assert len(memory.api.requests) == before


@pytest.mark.parametrize("module", NAMES)
@pytest.mark.parametrize("name", ["", " ", "demo ", "Demo", "demo/status", "../demo", "demo,other", "-demo", "a" * 254])
def test_of_a_cluster(module: str, name: str) -> None:
    refused(module, f"cluster: {name!r} {OBJECT}", cluster=name)


@pytest.mark.parametrize("module", NAMES)
@pytest.mark.parametrize("name", ["", "Kafka", "kafka.one", "kafka/pods", "a" * 64])
def test_of_a_namespace(module: str, name: str) -> None:
    refused(module, f"namespace: {name!r} {NAMESPACE}", namespace=name)


@pytest.mark.parametrize(
    ("module", "options", "message"),
    [
        ("strimzi_user", {"user": ""}, f"user: '' {OBJECT}"),
        ("strimzi_user", {"user_namespace": "Team"}, f"user_namespace: 'Team' {NAMESPACE}"),
        ("strimzi_node_pool", {"pool": ""}, f"pool: '' {OBJECT}"),
        # Without a name of one's own the certificates of the whole cluster would be issued.
        ("strimzi_ee_cert", {"secret": "", "common_name": "tools"}, f"secret: '' {OBJECT}"),
        ("strimzi_ee_cert", {"secret": "Tools_TLS", "common_name": "tools"}, f"secret: 'Tools_TLS' {OBJECT}"),
        ("strimzi_ca", {"ca_source": {"name": ""}}, f"ca_source: '' {OBJECT}"),
        ("strimzi_ca", {"ca_source": {"name": "roots", "namespace": "PKI"}}, f"ca_source: 'PKI' {NAMESPACE}"),
        ("strimzi_ca", {"user_namespaces": [{"namespace": ""}]}, f"user_namespaces: '' {NAMESPACE}"),
    ],
)
def test_of_other_objects(module: str, options: dict[str, Any], message: str) -> None:
    refused(module, message, **options)


def test_what_may_be_left_out_may_be_empty() -> None:
    stages.done(stages.managed(), "strimzi_ca_info", user_namespaces=[])
    ended = call("strimzi_user", stages.managed(), user="orders", user_namespace="", authentication="tls")
    assert ended.result["msg"] == "KafkaUser kafka/orders does not exist. Correct user or user_namespace."
