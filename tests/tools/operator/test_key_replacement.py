# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator's own key replacement: trust, use, removal, and what it leaves behind (docs/operator.md, "CA reconcile",
"Sequences", "Gaps").
"""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Clock
from .operated_cluster import CERTIFICATE, CLUSTER, DEPLOYMENTS, KEY, OperatedCluster, issued_by

SECRET = "demo-cluster-ca-cert"
NODES = [f"demo-kafka-{i}" for i in range(3)]
TRUST, USE, REMOVAL = (["ClusterCaCertKeyReplaced"] * 6, ["PodHasOldRevision"] * 3, ["CaCertRemoved"] * 3)


@pytest.fixture
def replaced(generated: OperatedCluster, clock: Clock) -> OperatedCluster:
    """After reconcile N; the old and the new CA are a day apart."""
    clock.pass_days(1)
    generated.annotate("secrets", "demo-cluster-ca", force_replace="true")
    generated.log()
    return generated


def anchors(cluster: OperatedCluster, secret: str = SECRET) -> set[str]:
    return {key for key in cluster.entries(secret) if key.endswith(".crt")}


def test_three_rolls_of_the_nodes(replaced: OperatedCluster) -> None:
    """docs/operator.md, "Sequences", "The operator's own replacement": trust and use in reconcile N, removal in N+1; by
    pod UIDs.
    """
    replaced.step()
    assert replaced.rolls() == [2, 2, 2]
    replaced.step()
    assert replaced.rolls() == [3, 3, 3]
    replaced.step(3)
    assert replaced.rolls() == [3, 3, 3]
    assert replaced.is_ready()


def test_reasons_in_their_order(replaced: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", step 5, "Restart reasons": the trust roll reaches EO, KE and CC after the
    nodes.
    """
    replaced.step()
    first = replaced.log()
    assert [reason for _pod, reason in first] == TRUST + USE
    assert [pod.rsplit("-", 2)[0] for pod, _reason in first[3:6]] == [
        "demo-entity-operator",
        "demo-kafka-exporter",
        "demo-cruise-control",
    ]
    replaced.step()
    assert [reason for _pod, reason in replaced.log()] == REMOVAL


def test_no_process_uses_the_new_ca_before_every_process_trusts_it(replaced: OperatedCluster) -> None:
    """docs/operator.md, "Sequences": new leaves are written after the trust roll; looked at after every write of the
    reconcile.
    """
    old = replaced.entries(SECRET)["ca.crt"]
    seen = []

    def look(change: Any) -> None:
        if change.plural == "secrets" and change.name in ("demo-kafka-0", "demo-cruise-control-certs"):
            new = replaced.entries(SECRET)["ca.crt"]
            processes = replaced.processes() + replaced.processes("cruise-control")
            seen.append(all(new.strip() in p.trusted and old.strip() in p.trusted for p in processes))

    replaced.api.listeners.append(look)
    replaced.step()
    assert seen == [True, True]


def test_the_operator_keeps_its_certificate_until_all_trust_the_new_ca(replaced: OperatedCluster) -> None:
    """docs/operator.md, "Sequences": the operator's own certificate is re-issued in N+1, and not in the N that replaced
    the key.

    The reconcile that replaces finds pods of the old key generation, so it is skipped by needFullTrust (4.1, step 4).
    """
    before = replaced.entries("demo-cluster-operator-certs")
    replaced.step()
    assert replaced.entries("demo-cluster-operator-certs") == before
    replaced.step()
    after = replaced.entries("demo-cluster-operator-certs")
    assert issued_by(after["cluster-operator.crt"], replaced.entries(SECRET)["ca.crt"])
    assert replaced.marks("secrets", "demo-cluster-operator-certs")[CERTIFICATE] == "1"


def test_the_operator_gets_a_certificate_when_it_has_none(replaced: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", step 4: skipped only when the Secret exists."""
    replaced.delete("secrets", "demo-cluster-operator-certs")
    replaced.step()
    assert replaced.marks("secrets", "demo-cluster-operator-certs")[CERTIFICATE] == "1"


def test_old_certificates_go_when_the_new_one_is_used_everywhere(replaced: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", step 6."""
    replaced.step()
    assert anchors(replaced) == {"ca.crt", "ca-2027-06-01T12-00-00Z.crt"}
    replaced.step()
    assert anchors(replaced) == {"ca.crt"}


@pytest.mark.parametrize("component", ["kafka", "cruise-control", "entity-operator", "kafka-exporter"])
def test_one_pod_of_the_old_generation_holds_the_removal(component: str, replaced: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", step 3: all pods, those of the components too."""
    replaced.step()
    pod = replaced.pods(component)[0]["metadata"]["name"]
    replaced.annotate("pods", pod, cluster_ca_cert_generation="0")
    replaced.memory.operator.reconcile(CLUSTER)
    assert len(anchors(replaced)) == 2


def test_a_terminating_pod_is_not_asked(replaced: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", step 3: pods with a deletionTimestamp are skipped."""
    replaced.step()
    old = replaced.pods("cruise-control")[0]
    del old["metadata"]["uid"]
    old["metadata"]["name"] = "demo-cruise-control-leaving"
    old["metadata"]["annotations"][CERTIFICATE] = "0"
    replaced.api.graceful_pods = True
    path = "/api/v1/namespaces/kafka/pods"
    replaced.api.request("POST", path, body=old)
    replaced.api.request("DELETE", f"{path}/demo-cruise-control-leaving")
    replaced.api.graceful_pods = False
    replaced.memory.operator.reconcile(CLUSTER)
    assert anchors(replaced) == {"ca.crt"}


def test_a_missing_annotation_counts_as_current(replaced: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", steps 3 and 5: for trust and for use. A pod that lost it is not rolled to
    trust.
    """
    replaced.annotate("pods", "demo-kafka-2", cluster_ca_key_generation=None)
    replaced.step()
    trust = [pod for pod, reason in replaced.log() if reason == TRUST[0] and pod in NODES]
    assert trust == ["demo-kafka-0", "demo-kafka-1"]
    replaced.annotate("pods", replaced.pods("kafka-exporter")[0]["metadata"]["name"], cluster_ca_cert_generation=None)
    replaced.memory.operator.reconcile(CLUSTER)
    assert anchors(replaced) == {"ca.crt"}


def test_a_replacement_in_this_reconcile_is_enough_for_the_trust_phase(replaced: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", step 5: replaced *or* needFullTrust; Deployments are restarted whatever their
    pods say.
    """
    for component in ("kafka", "entity-operator", "kafka-exporter", "cruise-control"):
        for pod in replaced.pods(component):
            replaced.annotate("pods", pod["metadata"]["name"], cluster_ca_key_generation=None)
    replaced.step()
    trust = [pod.rsplit("-", 2)[0] for pod, reason in replaced.log() if reason == TRUST[0]]
    assert trust == ["demo-entity-operator", "demo-kafka-exporter", "demo-cruise-control"]


@pytest.mark.parametrize("component", ["kafka", "cruise-control"])
def test_a_missing_annotation_starts_no_trust_phase(component: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", step 3: nothing restarts, Deployments neither."""
    before = generated.uids()
    generated.annotate("pods", generated.pods(component)[0]["metadata"]["name"], cluster_ca_key_generation=None)
    generated.step(2)
    assert generated.uids() == before


def test_an_interrupted_trust_roll_goes_on_where_it_ended(replaced: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", step 5: pods already at the right generation are not restarted; state is pod
    annotations only.
    """
    replaced.memory.kubelet.broken.add("demo-kafka-1")
    replaced.memory.operator.roller.active_controller = 2
    replaced.step()
    assert replaced.condition()["type"] == "NotReady"
    assert replaced.rolls() == [1, 1, 0]
    replaced.log()
    replaced.memory.kubelet.broken.clear()
    replaced.step()
    trust = [pod for pod, reason in replaced.log() if reason == TRUST[0] and pod in NODES]
    assert trust == ["demo-kafka-2"]
    assert replaced.is_ready()
    replaced.step(2)
    assert replaced.rolls() == [3, 3, 3]


def test_the_trust_roll_leaves_the_revision_alone(replaced: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", step 5: the key generation changes in the StrimziPodSet, the revision is not
    recomputed.
    """
    before = {p["metadata"]["name"]: p["metadata"]["annotations"]["strimzi.io/revision"] for p in replaced.pods()}
    seen = {}

    def look(change: Any) -> None:
        pod = change.new if change.plural == "pods" and change.verb == "create" else None
        if pod and pod["metadata"]["name"] in NODES:
            seen.setdefault(pod["metadata"]["name"], pod["metadata"]["annotations"])

    replaced.api.listeners.append(look)
    replaced.step()
    assert {name: marks["strimzi.io/revision"] for name, marks in seen.items()} == before
    assert {(marks[KEY], marks[CERTIFICATE]) for marks in seen.values()} == {("1", "0")}


def test_removed_cas_stay_trusted_by_processes(replaced: OperatedCluster) -> None:
    """docs/operator.md, "Gaps": the bundle is written before the removal, so roll 3 loads the old CA once more."""
    old = replaced.entries(SECRET)["ca.crt"].strip()
    replaced.step(4)
    new = replaced.entries(SECRET)["ca.crt"].strip()
    assert old not in replaced.entries("demo-trustbundle")["cluster-ca.crt"]
    assert all(old in p.trusted and new in p.trusted for p in replaced.processes())
    replaced.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")
    replaced.step()
    assert all(old not in p.trusted and new in p.trusted for p in replaced.processes())


def test_the_bundle_shrinks_only_in_the_reconcile_after_the_removal(replaced: OperatedCluster) -> None:
    """docs/operator.md, "The operator's own replacement"."""
    replaced.step()
    old = replaced.entries(SECRET)["ca-2027-06-01T12-00-00Z.crt"].strip()
    sizes = []
    for _time in range(2):
        replaced.step()
        sizes.append((len(anchors(replaced)), old in replaced.entries("demo-trustbundle")["cluster-ca.crt"]))
    assert sizes == [(1, True), (1, False)]


def test_components_are_not_restarted_on_removal(replaced: OperatedCluster) -> None:
    """docs/operator.md, "Gaps": EO, CC and KE keep the old CA until their next restart."""
    old = replaced.entries(SECRET)["ca.crt"].strip()
    replaced.step()
    before = {name: uid for name, uid in replaced.uids().items() if name in DEPLOYMENTS}
    replaced.step(3)
    assert {name: uid for name, uid in replaced.uids().items() if name in DEPLOYMENTS} == before
    for component in ("entity-operator", "cruise-control", "kafka-exporter"):
        assert all(old in p.trusted for p in replaced.processes(component))


def test_a_second_replacement_in_the_middle_starts_when_the_first_reconcile_ends(replaced: OperatedCluster) -> None:
    """docs/operator.md, "Switching": v0, v1, v2; nothing is removed before the last is used."""
    asked = []

    def ask_again(change: Any) -> None:
        if change.plural == "secrets" and change.name == "demo-kafka-0" and not asked:
            asked.append(change)
            replaced.annotate("secrets", "demo-cluster-ca", force_replace="true")

    replaced.api.listeners.append(ask_again)
    replaced.step()
    assert replaced.marks("secrets", "demo-cluster-ca")["strimzi.io/ca-key-generation"] == "1"
    replaced.step()
    assert replaced.marks("secrets", "demo-cluster-ca")["strimzi.io/ca-key-generation"] == "2"
    assert "CaCertRemoved" not in {reason for _pod, reason in replaced.log()}
    replaced.step()
    assert anchors(replaced) == {"ca.crt"}
    assert replaced.rolls() == [5, 5, 5]
