# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""New trust and new leaves without a restart, and how the operator is told (docs/operator.md, "Reload", 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from .authorities import UserCa
from .by_hand import OPERATOR, chain_again, issue, nodes, stamp
from .operated_cluster import CERTIFICATE, OperatedCluster, encode

SECRET = "demo-cluster-ca-cert"


@dataclass(frozen=True)
class Reloaded:
    """A new CA has taken over while the resource was paused, no pod was restarted or stamped yet."""

    cluster: OperatedCluster
    old: UserCa
    new: UserCa


@pytest.fixture(params=[False, True], ids=["dual role", "separate controllers"])
def reloaded(request: pytest.FixtureRequest, cluster: OperatedCluster) -> Reloaded:
    old, new = cluster.ca("old"), cluster.ca("new")
    cluster.bring("cluster", old)
    cluster.start(generated=False, separate=request.param, components=False)
    cluster.pause()
    cluster.step()
    cluster.bring("cluster", new, certificates={"old.crt": old.pem}, generations=(1, 0))
    for name in nodes(cluster):
        issue(cluster, name, new, new.pem, 1)
    issue(cluster, OPERATOR, new, b"", 1)
    return Reloaded(cluster, old, new)


def resume(cluster: OperatedCluster) -> list[tuple[str, str]]:
    """The pods that the operator restarted, and why."""
    cluster.log()
    cluster.pause(False)
    cluster.step(4)
    assert cluster.is_ready()
    return cluster.log()


def test_when_all_is_told_nothing_is_issued_and_nothing_rolled(reloaded: Reloaded) -> None:
    """Neither at once nor in the reconciles that follow; StrimziPodSets and pods stay as they are, too."""
    cluster = reloaded.cluster
    stamp(cluster, 1)
    written = {plural: cluster.versions(plural) for plural in ("secrets", "strimzipodsets", "pods")}
    assert resume(cluster) == []
    changed = {
        name
        for plural, before in written.items()
        for name, version in cluster.versions(plural).items()
        if before[name] != version
    }
    assert changed == {"demo-trustbundle"}


def test_the_bundle_follows_when_it_is_resumed(reloaded: Reloaded) -> None:
    """ "Done from end to end": bundle now contains B alone, nothing rolled."""
    cluster = reloaded.cluster
    cluster.change("secrets", SECRET, {"data": {"old.crt": None}})
    stamp(cluster, 1)
    assert resume(cluster) == []
    assert cluster.entries("demo-trustbundle")["cluster-ca.crt"] == reloaded.new.pem


def test_the_same_leaf_behind_another_chain(reloaded: Reloaded) -> None:
    """ "Done from end to end": node Secrets = same leaf ‖ B. The leaf's hash is of the leaf alone."""
    cluster, renewed = reloaded.cluster, reloaded.cluster.ca("new", key=reloaded.new.private_key)
    cluster.bring("cluster", renewed, generations=(2, 0))
    for name in nodes(cluster):
        chain_again(cluster, name, renewed.pem, 2)
    chain_again(cluster, OPERATOR, b"", 2)
    leaves = {name: cluster.entries(name) for name in (*nodes(cluster), OPERATOR)}
    stamp(cluster, 2)
    assert resume(cluster) == []
    assert {name: cluster.entries(name) for name in leaves} == leaves


def test_with_the_revision_left_alone_every_node_is_rolled_once(reloaded: Reloaded) -> None:
    """docs/operator.md, "Pod sets": POD_HAS_OLD_REVISION."""
    stamp(reloaded.cluster, 1, with_revision=False)
    names = nodes(reloaded.cluster)
    assert sorted(resume(reloaded.cluster)) == [(name, "PodHasOldRevision") for name in names]


def test_without_a_word_every_node_is_rolled_once(reloaded: Reloaded) -> None:
    assert sorted(resume(reloaded.cluster)) == [(name, "PodHasOldRevision") for name in nodes(reloaded.cluster)]


def test_a_live_pod_that_was_not_stamped_is_rolled_alone(reloaded: Reloaded) -> None:
    """Both places: the StrimziPodSet alone does not help."""
    name = nodes(reloaded.cluster)[-1]
    stamp(reloaded.cluster, 1, not_live=frozenset({name}))
    assert resume(reloaded.cluster) == [(name, "PodHasOldRevision")]


@pytest.mark.parametrize(("recreated", "rolled"), [(False, False), (True, True)])
def test_an_entry_that_was_not_stamped_matters_when_its_pod_is_recreated(
    recreated: bool, rolled: bool, reloaded: Reloaded
) -> None:
    """Both places: while nothing is reconciled a pod comes back as its entry has it ("Pause"), without the stamps."""
    cluster, name = reloaded.cluster, nodes(reloaded.cluster)[-1]
    stamp(cluster, 1, not_in_set=frozenset({name}))
    if recreated:
        cluster.delete("pods", name)
        cluster.step()
        assert cluster.marks("pods", name)[CERTIFICATE] == "0"
    assert resume(cluster) == ([(name, "PodHasOldRevision")] if rolled else [])
    entries = {p["metadata"]["name"]: p for s in cluster.api.all("strimzipodsets", "kafka") for p in s["spec"]["pods"]}
    assert entries[name]["metadata"]["annotations"][CERTIFICATE] == "1"


def _generation_of_a_leaf(cluster: OperatedCluster, name: str) -> None:
    cluster.annotate("secrets", name, cluster_ca_cert_generation="0")


def _chain_of_a_leaf(cluster: OperatedCluster, name: str) -> None:
    chain_again(cluster, name, cluster.entries(SECRET)["ca.crt"] + b"\n", 1)


def _leaf_after_the_stamp(cluster: OperatedCluster, name: str) -> None:
    other = cluster.ca("other")
    issue(cluster, name, other, cluster.entries(SECRET)["ca.crt"], 1)


@pytest.mark.parametrize("spoil", [_generation_of_a_leaf, _chain_of_a_leaf, _leaf_after_the_stamp])
def test_a_leaf_that_does_not_fit_rolls_its_node(
    spoil: Callable[[OperatedCluster, str], None], reloaded: Reloaded
) -> None:
    """docs/operator.md, "Re-issue", "Pod annotations": its generation, its chain, its hash; re-issued or not, the hash
    is another one.
    """
    cluster, name = reloaded.cluster, nodes(reloaded.cluster)[0]
    stamp(cluster, 1)
    spoil(cluster, name)
    assert resume(cluster) == [(name, "PodHasOldRevision")]


def test_components_restart_and_nodes_do_not(cluster: OperatedCluster) -> None:
    """ "Other limits": Entity Operator, Cruise Control and exporter restart; their leaves are the operator's to issue."""
    cluster.bring("cluster", cluster.ca("old"))
    cluster.start(generated=False)
    before, new = cluster.uids(), cluster.ca("new")
    cluster.pause()
    cluster.step()
    cluster.bring("cluster", new, generations=(1, 0))
    for name in nodes(cluster):
        issue(cluster, name, new, new.pem, 1)
    issue(cluster, OPERATOR, new, b"", 1)
    stamp(cluster, 1)
    assert resume(cluster) == []
    changed = {name for name, uid in cluster.uids().items() if before[name] != uid}
    assert changed == {"demo-cruise-control", "demo-entity-operator", "demo-kafka-exporter"}


def test_without_a_key_that_fits_nothing_can_be_issued_and_nothing_has_to_be(reloaded: Reloaded) -> None:
    """docs/operator.md, "Tried by hand", 5: with all Secrets written by us the key is never used."""
    cluster = reloaded.cluster
    cluster.change("secrets", "demo-cluster-ca", {"data": encode({"ca.key": b"a placeholder"})})
    stamp(cluster, 1)
    assert resume(cluster) == []
