# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Status of the Kafka resource (docs/operator.md, "Node names", "Kafka resource")."""

from __future__ import annotations

import pytest

from .conftest import Clock
from .operated_cluster import CLUSTER, OperatedCluster, encode


def status(cluster: OperatedCluster) -> dict[str, object]:
    found = cluster.existing("kafkas", CLUSTER)["status"]
    assert isinstance(found, dict)
    return found


def test_ready(generated: OperatedCluster) -> None:
    """docs/operator.md, "Kafka resource"."""
    condition = generated.condition()
    assert condition == {"type": "Ready", "status": "True", "lastTransitionTime": "2026-06-01T12:00:00Z"}
    assert status(generated)["observedGeneration"] == generated.existing("kafkas", CLUSTER)["metadata"]["generation"]
    assert {"clusterId", "kafkaVersion", "operatorLastSuccessfulVersion", "listeners"} <= set(status(generated))


def test_only_tls_listeners_have_certificates_and_only_the_current_one(
    generated: OperatedCluster, clock: Clock
) -> None:
    """docs/operator.md, "Node names": the text of the current ca.crt, not the old ones."""
    clock.pass_days(1)
    generated.annotate("secrets", "demo-cluster-ca", force_replace="true")
    generated.step()
    entries = generated.entries("demo-cluster-ca-cert")
    assert len([key for key in entries if key.endswith(".crt")]) == 2
    current = [entries["ca.crt"].decode()]
    assert {entry["name"]: entry.get("certificates") for entry in status(generated)["listeners"]} == {  # type: ignore[attr-defined]
        "plain": None,
        "tls": current,
        "external": current,
    }


def test_not_ready_says_why_and_which_generation_was_seen(managed: OperatedCluster) -> None:
    """docs/operator.md, "Kafka resource": reason is the class of the exception."""
    managed.change("kafkas", CLUSTER, {"spec": {"clusterCa": {"validityDays": 10}}})
    managed.delete("secrets", "demo-cluster-ca")
    managed.step()
    condition = managed.condition()
    assert set(condition) == {"type", "status", "reason", "message", "lastTransitionTime"}
    assert (condition["type"], condition["reason"]) == ("NotReady", "InvalidResourceException")
    generation = managed.existing("kafkas", CLUSTER)["metadata"]["generation"]
    assert status(managed)["observedGeneration"] == generation


def test_status_cannot_prove_that_a_reconcile_happened(generated: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "Kafka resource": annotations and Secrets change no generation, times are not refreshed when
    nothing else changes.
    """
    before = generated.existing("kafkas", CLUSTER)
    clock.pass_days(1)
    generated.change("secrets", "demo-clients-ca-cert", {"data": encode({"extra.crt": generated.ca("x").pem})})
    generated.step()
    assert generated.existing("kafkas", CLUSTER) == before
    generated.annotate("kafkas", CLUSTER, mine="1")
    generated.step()
    after = generated.existing("kafkas", CLUSTER)
    assert (after["status"], after["metadata"]["generation"]) == (before["status"], before["metadata"]["generation"])


def test_times_change_with_the_condition(generated: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "Kafka resource"."""
    times = []
    for on in (True, True, False, False):
        clock.pass_days(1)
        generated.pause(on)
        generated.step()
        times.append(generated.condition()["lastTransitionTime"][:10])
    assert times == ["2026-06-02", "2026-06-02", "2026-06-04", "2026-06-04"]


@pytest.mark.parametrize("kind", ["cluster", "clients"])
def test_a_failure_heals_by_itself(kind: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Kafka resource": the next reconcile that succeeds says Ready, and nothing of the failure is
    left.
    """
    switch = {"spec": {f"{kind}Ca": {"generateCertificateAuthority": False}}}
    secret = generated.existing("secrets", f"demo-{kind}-ca")
    generated.change("kafkas", CLUSTER, switch)
    generated.delete("secrets", f"demo-{kind}-ca")
    generated.step()
    assert generated.condition()["type"] == "NotReady"
    generated.memory.apply({"kind": "Secret", **{key: secret[key] for key in ("metadata", "data")}})
    generated.step()
    assert set(generated.condition()) == {"type", "status", "lastTransitionTime"}
    assert generated.is_ready()
    assert generated.rolls() == [0, 0, 0]


def test_a_cluster_that_is_not_there_is_no_error(cluster: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile": a reconcile is of one Kafka resource."""
    cluster.step(2)
    assert cluster.api.writes == []
