# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real nodes without TLS among each other, and nodes that do not verify each other as clients: adopted, and their key
replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import pytest

from ..api.running import Runner
from ..tools.operator import clusters
from ..tools.operator.security import ONE_WAY, PLAIN, Security
from .tier import PATIENCE, Tier, kafka_tier

NODES = [f"demo-kafka-{number}" for number in range(3)]
#: How often each node restarts in a replacement.
RESTARTS = {PLAIN: 0, ONE_WAY: 2}


class Replaced(NamedTuple):
    tier: Tier
    runner: Runner
    security: Security
    #: The restarts of all nodes in the replacement, by the plan and by the events of the operator.
    planned: int
    restarts: int


@pytest.fixture(scope="module", params=[PLAIN, pytest.param(ONE_WAY, marks=pytest.mark.long)], ids=str)
def replaced(request: pytest.FixtureRequest) -> Iterator[Replaced]:
    security: Security = request.param
    layout = partial(clusters.dual_role, security=security)
    with kafka_tier("kafka-security", layout, release="1.3.0") as tier:
        runner = Runner(tier.cluster, patience=PATIENCE)
        runner.flow("upgrade").check()
        planned = runner.module("strimzi_ca_info", goal="replace_key")["planned_restarts"]
        before = count_restarts(tier)
        runner.flow("rotate-cluster-ca").check()
        yield Replaced(tier, runner, security, planned, count_restarts(tier) - before)


def count_restarts(tier: Tier) -> int:
    """The operator has made an event for each."""
    found = tier.cluster.kube.request("GET", f"/api/v1/namespaces/{tier.cluster.namespace}/events").body["items"]
    return sum(event.get("action") == "StrimziInitiatedPodRestart" for event in found)


def test_the_nodes_restart_as_often_as_their_security_takes(replaced: Replaced) -> None:
    expected = RESTARTS[replaced.security] * len(NODES)
    assert (replaced.planned, replaced.restarts) == (expected, expected)


@pytest.mark.parametrize("port", [9093, 9094])
@pytest.mark.parametrize("node", NODES)
def test_clients_meet_certificates_of_the_next_ca(replaced: Replaced, node: str, port: int) -> None:
    """The first certificate alone: nodes that have only read again lead on from memory, until they read the longer
    chain.
    """
    tier = replaced.tier
    shown = tier.shake_hands(node, port)
    assert shown.chain[0] == tier.node_chain(node)[0]
    assert shown.chain[0].issuer.public_bytes() == tier.subject("cluster")


def test_status_says_what_holds(replaced: Replaced) -> None:
    found = replaced.runner.module("strimzi_ca_info", goal="replace_key")
    (ca,) = found["cas"]
    trusting = len(NODES) if replaced.security.has_tls else 0
    assert (ca["state"], ca["trusted_by_count"]) == ("TRUSTED_IN_USE_ALL", trusting)
    assert "status.clusterSecurity" in found["cluster"]["security"]
    assert found["cluster"]["security"] in found["choices"]
    asked = {one["port"] for one in replaced.runner.module("strimzi_ca_info", evidence="handshake")["listeners"]}
    assert asked == ({9090, 9091, 9093, 9094} if replaced.security.has_tls else {9093, 9094})


@pytest.mark.parametrize("node", NODES)
def test_no_look_leaves_a_stack_trace(replaced: Replaced, node: str) -> None:
    log = replaced.tier.pods.logs(node)
    assert "InvalidReceiveException" not in log
    assert "InvalidRequestException" not in log
