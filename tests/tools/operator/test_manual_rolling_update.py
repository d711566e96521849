# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``strimzi.io/manual-rolling-update`` (docs/operator.md, "Manual rolling update")."""

from __future__ import annotations

from typing import Any

import pytest

from .operated_cluster import CLUSTER, OperatedCluster, encode

MARK = "strimzi.io/manual-rolling-update"


def test_on_the_pod_set_all_its_pods_restart_once(generated: OperatedCluster) -> None:
    """docs/operator.md, "Manual rolling update": cleared because the StrimziPodSet is replaced."""
    generated.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")
    generated.step(3)
    assert generated.rolls() == [1, 1, 1]
    assert {reason for _pod, reason in generated.log()} == {"ManualRollingUpdate"}
    assert MARK not in generated.marks("strimzipodsets", "demo-kafka")


def test_on_one_pod_it_alone_restarts(generated: OperatedCluster) -> None:
    """docs/operator.md, "Manual rolling update": cleared because the pod is recreated."""
    generated.annotate("pods", "demo-kafka-2", manual_rolling_update="true")
    generated.step(3)
    assert generated.rolls() == [0, 0, 1]
    assert MARK not in generated.marks("pods", "demo-kafka-2")


def test_on_one_pool_the_other_pools_stay(cluster: OperatedCluster) -> None:
    """docs/operator.md, "Manual rolling update": its pods; with node pools the StrimziPodSet is the pool's."""
    cluster.start(generated=True, separate=True)
    cluster.annotate("strimzipodsets", "demo-controller", manual_rolling_update="true")
    cluster.step(2)
    assert cluster.rolls() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("plural", "name"),
    [
        ("kafkas", CLUSTER),
        ("secrets", "demo-kafka-0"),
        ("secrets", "demo-cluster-ca-cert"),
        *[
            ("deployments", f"demo-{component}")
            for component in ("entity-operator", "cruise-control", "kafka-exporter")
        ],
    ],
)
def test_elsewhere_it_means_nothing(plural: str, name: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Manual rolling update": not on Deployments, the Kafka resource or Secrets."""
    before = generated.uids()
    generated.annotate(plural, name, manual_rolling_update="true")
    generated.step(2)
    assert generated.uids() == before


def test_a_value_that_is_not_true_means_nothing(generated: OperatedCluster) -> None:
    """docs/operator.md, "Manual rolling update"."""
    generated.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="false")
    generated.annotate("pods", "demo-kafka-0", manual_rolling_update="yes")
    generated.step(2)
    assert generated.rolls() == [0, 0, 0]


def test_components_are_not_touched(generated: OperatedCluster) -> None:
    """docs/operator.md, "Manual rolling update", "Procedures": it omits EO, CC and KE."""
    before = {name: uid for name, uid in generated.uids().items() if not name.startswith("demo-kafka-0")}
    generated.annotate("pods", "demo-kafka-0", manual_rolling_update="true")
    generated.step()
    assert {name: generated.uids()[name] for name in before} == before


def test_the_roll_comes_after_the_bundle(managed: OperatedCluster) -> None:
    """docs/operator.md, "Manual rolling update": it runs after CaReconciler, so a CA added at the same time is loaded."""
    second = managed.ca("second").pem
    managed.change("secrets", "demo-cluster-ca-cert", {"data": encode({"second.crt": second})})
    managed.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")
    managed.step()
    assert all(second.strip() in p.trusted for p in managed.processes())


def test_it_waits_for_the_end_of_a_pause(generated: OperatedCluster) -> None:
    """docs/operator.md, "Manual rolling update": not processed while paused."""
    generated.pause()
    generated.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")
    generated.step(3)
    assert generated.rolls() == [0, 0, 0]
    generated.pause(False)
    generated.step()
    assert generated.rolls() == [1, 1, 1]


def test_a_failure_is_only_logged(generated: OperatedCluster) -> None:
    """docs/operator.md, "Manual rolling update": the reconcile goes on with what comes after it, and the mark is gone."""
    generated.memory.kubelet.broken.add("demo-kafka-0")
    generated.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")
    generated.delete("secrets", "demo-kafka-exporter-certs")
    seen: list[str] = []

    def note(change: Any) -> None:
        seen.append(f"{change.verb} {change.plural}")

    generated.api.listeners.append(note)
    generated.memory.operator.reconcile(CLUSTER)
    assert "update strimzipodsets" in seen
    assert generated.rolls() == [1, 0, 0]
    assert MARK not in generated.marks("strimzipodsets", "demo-kafka")


def test_with_a_change_of_the_model_there_are_two_rolls(managed: OperatedCluster) -> None:
    """docs/operator.md, "Restart reasons": the manual roll comes before new leaves, and recreates pods as they were."""
    managed.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")
    managed.delete("secrets", "demo-kafka-1")
    managed.log()
    managed.step()
    assert [reason for _pod, reason in managed.log()] == ["ManualRollingUpdate"] * 3 + ["PodHasOldRevision"]
    assert managed.rolls() == [1, 2, 1]
