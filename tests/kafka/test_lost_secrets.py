# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets of an adopted CA are deleted under running Kafka nodes: ``recover`` puts them back from a backup, and no process notices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from ..api.running import Runner
from ..tools.operator import clusters
from .aged_leaves import starts
from .tier import PATIENCE, Tier, kafka_tier

NODES = [f"demo-kafka-{number}" for number in range(3)]
CERTIFICATE, KEY, LEDGER = "demo-cluster-ca-cert", "demo-cluster-ca", "demo-cluster-ca-trusted-certs"

pytestmark = pytest.mark.long


class Adopted(NamedTuple):
    tier: Tier
    runner: Runner


@pytest.fixture(scope="module")
def adopted() -> Iterator[Adopted]:
    with kafka_tier("kafka-lost", clusters.dual_role) as tier:
        runner = Runner(tier.cluster, patience=PATIENCE)
        runner.flow("upgrade").check()
        yield Adopted(tier, runner)


def state_of(tier: Tier, name: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The content of a Secret, and the annotations by which the operator goes."""
    annotations = tier.cluster.get("secrets", name)["metadata"].get("annotations") or {}
    generations = {key: value for key, value in annotations.items() if key.startswith("strimzi.io/")}
    return {
        key: value for key, value in tier.secret(name).items() if not key.endswith((".p12", ".password"))
    }, generations


def test_recover_puts_them_back_and_nothing_restarts(adopted: Adopted) -> None:
    tier, runner = adopted
    lost = (CERTIFICATE, KEY, LEDGER)
    before, pods, started = {name: state_of(tier, name) for name in lost}, tier.cluster.node_uids("demo"), starts(tier)
    presented = {node: tier.shake_hands(node, 9091).chain for node in NODES}
    for name in lost:
        tier.delete("secrets", name)
    held = runner.module("strimzi_ca_info", goal="renew")["violations"]
    assert held, "a flow would begin without the Secrets of its CA"
    runner.flow("recover").check()
    tier.cluster.wait_until_ready("demo", 120)
    assert {name: state_of(tier, name) for name in lost} == before
    assert (tier.cluster.node_uids("demo"), starts(tier)) == (pods, started)
    assert {node: tier.shake_hands(node, 9091).chain for node in NODES} == presented
    assert runner.module("strimzi_ca", state="recovered")["changed"] is False
