# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator at work after a generation of a user-managed CA was raised (docs/operator.md, "Sequences",
"Phases by hand", "Tried by hand").
"""

from __future__ import annotations

from typing import Any

import pytest

from .authorities import UserCa
from .by_hand import OPERATOR, issue, nodes
from .conftest import Clock
from .operated_cluster import CERTIFICATE, KEY, OperatedCluster, encode, issued_by

SECRET = "demo-cluster-ca-cert"
LEAVES = {
    **{f"demo-kafka-{i}": f"demo-kafka-{i}.crt" for i in range(3)},
    "demo-cluster-operator-certs": "cluster-operator.crt",
    "demo-cruise-control-certs": "cruise-control.crt",
    "demo-entity-topic-operator-certs": "entity-operator.crt",
    "demo-entity-user-operator-certs": "entity-operator.crt",
    "demo-kafka-exporter-certs": "kafka-exporter.crt",
}


def leaves(cluster: OperatedCluster) -> dict[str, bytes]:
    return {secret: cluster.entries(secret)[entry] for secret, entry in LEAVES.items()}


def retain(cluster: OperatedCluster) -> dict[str, bytes]:
    """The old CA under an entry of its own."""
    return {"ca-2036-05-29T12-00-00Z.crt": cluster.entries(SECRET)["ca.crt"]}


def replace(cluster: OperatedCluster, generations: tuple[int, int]) -> UserCa:
    """A new CA with a new key, the old one kept, all in one step."""
    second = cluster.ca("second")
    cluster.bring("cluster", second, certificates=retain(cluster), generations=generations)
    cluster.log()
    return second


def test_certificate_generation_alone_is_one_roll_with_new_leaves(managed: OperatedCluster) -> None:
    """docs/operator.md, "Sequences", "Tried by hand", 3: the key generation stays."""
    uids = managed.uids()
    second = replace(managed, (1, 0))
    managed.step(3)
    assert managed.rolls() == [1, 1, 1]
    assert set(uids.values()).isdisjoint(managed.uids().values())
    assert all(issued_by(leaf, second.pem) for leaf in leaves(managed).values())
    for pod in managed.pods():
        assert (pod["metadata"]["annotations"][CERTIFICATE], pod["metadata"]["annotations"][KEY]) == ("1", "0")
    assert managed.is_ready()


def test_the_operators_certificate_comes_before_the_first_restart(managed: OperatedCluster) -> None:
    """docs/operator.md, "Tried by hand", 3: re-issued at the start, before any pod rolls."""
    replace(managed, (1, 0))
    order: list[str] = []

    def note(change: Any) -> None:
        if (change.plural, change.name) == ("secrets", "demo-cluster-operator-certs"):
            order.append("certificate")
        if (change.plural, change.verb) == ("pods", "delete"):
            order.append("restart")

    managed.api.listeners.append(note)
    managed.step()
    assert order[:2] == ["certificate", "restart"]
    assert order.count("certificate") == 1


def test_both_generations_trust_first(managed: OperatedCluster) -> None:
    """docs/operator.md, "Sequences": the key replacement sequence; removal and last roll are manual."""
    old = managed.entries(SECRET)["ca.crt"].strip()
    before = leaves(managed)
    second = replace(managed, (1, 1))
    states = []

    def look(change: Any) -> None:
        if change.plural == "secrets" and change.name == "demo-kafka-0":
            states.append([(second.pem.strip() in p.trusted, old in p.trusted) for p in managed.processes()])

    managed.api.listeners.append(look)
    managed.step()
    assert states == [[(True, True)] * 3], "one issue of the leaf, and by then all trust both"
    assert managed.rolls() == [2, 2, 2]
    assert leaves(managed)["demo-cluster-operator-certs"] == before["demo-cluster-operator-certs"]
    managed.step(3)
    assert issued_by(leaves(managed)["demo-cluster-operator-certs"], second.pem)
    assert managed.rolls() == [2, 2, 2]
    assert set(managed.entries(SECRET)) == {"ca.crt", "ca-2036-05-29T12-00-00Z.crt"}, "the operator removes nothing"


def test_key_generation_alone_rolls_twice(managed: OperatedCluster) -> None:
    """docs/operator.md, "Phases by hand": once by CaReconciler, once because the annotation changes the revision."""
    before = leaves(managed)
    managed.annotate("secrets", "demo-cluster-ca", ca_key_generation="1")
    managed.log()
    managed.step()
    nodes = [reason for pod, reason in managed.log() if pod.startswith("demo-kafka-") and "exporter" not in pod]
    assert nodes == ["ClusterCaCertKeyReplaced"] * 3 + ["PodHasOldRevision"] * 3
    assert leaves(managed) == before
    managed.step(2)
    assert managed.rolls() == [2, 2, 2]


@pytest.mark.parametrize("secret", [SECRET, "demo-cluster-ca"])
def test_a_generation_that_goes_down_rolls_too(secret: str, cluster: OperatedCluster) -> None:
    """docs/operator.md, "CA Secrets": the comparison is inequality."""
    cluster.bring("cluster", cluster.ca("first"), generations=(3, 3))
    cluster.start(generated=False)
    annotation = "ca_cert_generation" if secret == SECRET else "ca_key_generation"
    cluster.annotate("secrets", secret, **{annotation: "2"})
    cluster.step(2)
    assert cluster.rolls() == [1, 1, 1] if secret == SECRET else [2, 2, 2]
    assert cluster.is_ready()


def test_without_a_trust_phase_peers_meet_leaves_that_they_do_not_trust(managed: OperatedCluster) -> None:
    """docs/operator.md, "Sequences": forgetting the key generation is an outage, and the double lets it happen."""
    second = replace(managed, (1, 0))
    bad = []

    def look(change: Any) -> None:
        if change.plural == "pods" and change.verb == "create":
            presented = [entry for p in managed.processes() for _secret, entry in p.presented]
            if any(issued_by(entry, second.pem) for entry in presented):
                bad.append(any(second.pem.strip() not in p.trusted for p in managed.processes()))

    managed.api.listeners.append(look)
    managed.step()
    assert any(bad)


def test_driving_three_safe_rolls(managed: OperatedCluster) -> None:
    """docs/operator.md, "Phases by hand", "Tried by hand", 1 to 4: trust by hand, use, phase-out by hand."""
    old, second = managed.entries(SECRET)["ca.crt"], managed.ca("second")
    managed.change("secrets", SECRET, {"data": encode({"second.crt": second.pem})})
    managed.step()
    managed.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")
    managed.step()
    assert managed.rolls() == [1, 1, 1]
    assert all(old.strip() in p.trusted and second.pem.strip() in p.trusted for p in managed.processes())
    managed.pause()
    managed.step()
    managed.bring("cluster", second, certificates={"old.crt": old}, generations=(1, 0))
    managed.pause(False)
    managed.step()
    assert managed.rolls() == [2, 2, 2]
    managed.bring("cluster", second, generations=(1, 0))
    managed.step(2)
    assert managed.rolls() == [2, 2, 2]
    assert all(old.strip() in p.trusted for p in managed.processes())
    managed.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")
    managed.step()
    assert managed.rolls() == [3, 3, 3]
    assert all(old.strip() not in p.trusted for p in managed.processes())


@pytest.mark.parametrize("separate", [False, True])
def test_leaves_from_elsewhere_are_one_roll_and_the_key_is_not_needed(separate: bool, cluster: OperatedCluster) -> None:
    """docs/operator.md, "Tried by hand", 5: Secrets kept byte for byte, the placeholder is never used."""
    cluster.bring("cluster", cluster.ca("first"))
    cluster.start(generated=False, separate=separate, components=False)
    second = cluster.ca("second")
    cluster.pause()
    cluster.step()
    cluster.bring("cluster", second, certificates=retain(cluster), generations=(1, 0))
    cluster.change("secrets", "demo-cluster-ca", {"data": encode({"ca.key": b"a placeholder"})})
    for secret in (*nodes(cluster), OPERATOR):
        issue(cluster, secret, second, b"" if secret == OPERATOR else second.pem, 1)
    written = cluster.versions("secrets")
    cluster.pause(False)
    cluster.step(3)
    assert cluster.is_ready()
    assert set(cluster.rolls()) == {1}
    changed = {name for name, version in cluster.versions("secrets").items() if written[name] != version}
    assert changed == {"demo-trustbundle"}


def test_a_renewal_with_the_same_key_is_one_roll(managed: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "Sequences", "Procedures": no trust phase is needed, old leaves verify under the new
    certificate.
    """
    first = managed.ca("same")
    managed.bring("cluster", first, generations=(1, 0))
    managed.step(2)
    rolls = managed.rolls()
    clock.pass_days(10)
    managed.bring("cluster", managed.ca("same", key=first.private_key), generations=(2, 0))
    managed.step(2)
    assert [after - before for before, after in zip(rolls, managed.rolls(), strict=True)] == [1, 1, 1]
    assert {managed.marks("secrets", secret)[CERTIFICATE] for secret in LEAVES} == {"2"}
