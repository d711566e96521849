# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""New trust and new leaves without a restart, and how the operator is told (operator-facts "The reload", 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from .authorities import UserCa
from .bed import CERTIFICATE, Bed, encode
from .by_hand import OPERATOR, chain_again, issue, nodes, stamp

SECRET = "demo-cluster-ca-cert"


@dataclass(frozen=True)
class Reloaded:
    """A new CA has taken over while the resource was paused, nobody was restarted, and no pod was stamped yet."""

    bed: Bed
    old: UserCa
    new: UserCa


@pytest.fixture(params=[False, True], ids=["dual role", "separate controllers"])
def reloaded(request: pytest.FixtureRequest, bed: Bed) -> Reloaded:
    old, new = bed.ca("old"), bed.ca("new")
    bed.bring("cluster", old)
    bed.start(generated=False, separate=request.param, components=False)
    bed.pause()
    bed.step()
    bed.bring("cluster", new, certificates={"old.crt": old.pem}, generations=(1, 0))
    for name in nodes(bed):
        issue(bed, name, new, new.pem, 1)
    issue(bed, OPERATOR, new, b"", 1)
    return Reloaded(bed, old, new)


def resume(bed: Bed) -> list[tuple[str, str]]:
    """What the operator restarted, and why."""
    bed.log()
    bed.pause(False)
    bed.step(4)
    assert bed.is_ready()
    return bed.log()


def test_when_all_is_told_nothing_is_issued_and_nothing_rolled(reloaded: Reloaded) -> None:
    """Neither at once nor in the reconciles that follow; StrimziPodSets and pods stay as they are, too."""
    bed = reloaded.bed
    stamp(bed, 1)
    written = {plural: bed.versions(plural) for plural in ("secrets", "strimzipodsets", "pods")}
    assert resume(bed) == []
    changed = {
        name
        for plural, before in written.items()
        for name, version in bed.versions(plural).items()
        if before[name] != version
    }
    assert changed == {"demo-trustbundle"}


def test_the_bundle_follows_when_it_is_resumed(reloaded: Reloaded) -> None:
    """ "Done from end to end": bundle now holds B alone, nothing rolled."""
    bed = reloaded.bed
    bed.change("secrets", SECRET, {"data": {"old.crt": None}})
    stamp(bed, 1)
    assert resume(bed) == []
    assert bed.entries("demo-trustbundle")["cluster-ca.crt"] == reloaded.new.pem


def test_the_same_leaf_behind_another_chain(reloaded: Reloaded) -> None:
    """ "Done from end to end": node Secrets = same leaf ‖ B. The leaf's hash is of the leaf alone."""
    bed, renewed = reloaded.bed, reloaded.bed.ca("new", key=reloaded.new.private_key)
    bed.bring("cluster", renewed, generations=(2, 0))
    for name in nodes(bed):
        chain_again(bed, name, renewed.pem, 2)
    chain_again(bed, OPERATOR, b"", 2)
    leaves = {name: bed.entries(name) for name in (*nodes(bed), OPERATOR)}
    stamp(bed, 2)
    assert resume(bed) == []
    assert {name: bed.entries(name) for name in leaves} == leaves


def test_with_the_revision_left_alone_every_node_is_rolled_once(reloaded: Reloaded) -> None:
    """strimzi.md 5.4: POD_HAS_OLD_REVISION."""
    stamp(reloaded.bed, 1, with_revision=False)
    names = nodes(reloaded.bed)
    assert sorted(resume(reloaded.bed)) == [(name, "PodHasOldRevision") for name in names]


def test_without_a_word_every_node_is_rolled_once(reloaded: Reloaded) -> None:
    assert sorted(resume(reloaded.bed)) == [(name, "PodHasOldRevision") for name in nodes(reloaded.bed)]


def test_a_live_pod_that_was_not_stamped_is_rolled_alone(reloaded: Reloaded) -> None:
    """Both places: the StrimziPodSet alone does not help."""
    name = nodes(reloaded.bed)[-1]
    stamp(reloaded.bed, 1, not_live=frozenset({name}))
    assert resume(reloaded.bed) == [(name, "PodHasOldRevision")]


@pytest.mark.parametrize(("recreated", "rolled"), [(False, False), (True, True)])
def test_an_entry_that_was_not_stamped_matters_when_its_pod_is_recreated(
    recreated: bool, rolled: bool, reloaded: Reloaded
) -> None:
    """Both places: while nothing is reconciled a pod comes back as its entry has it ("Pause"), without the stamps."""
    bed, name = reloaded.bed, nodes(reloaded.bed)[-1]
    stamp(bed, 1, not_in_set=frozenset({name}))
    if recreated:
        bed.delete("pods", name)
        bed.step()
        assert bed.marks("pods", name)[CERTIFICATE] == "0"
    assert resume(bed) == ([(name, "PodHasOldRevision")] if rolled else [])
    entries = {p["metadata"]["name"]: p for s in bed.api.all("strimzipodsets", "kafka") for p in s["spec"]["pods"]}
    assert entries[name]["metadata"]["annotations"][CERTIFICATE] == "1"


def _generation_of_a_leaf(bed: Bed, name: str) -> None:
    bed.annotate("secrets", name, cluster_ca_cert_generation="0")


def _chain_of_a_leaf(bed: Bed, name: str) -> None:
    chain_again(bed, name, bed.entries(SECRET)["ca.crt"] + b"\n", 1)


def _leaf_after_the_stamp(bed: Bed, name: str) -> None:
    other = bed.ca("other")
    issue(bed, name, other, bed.entries(SECRET)["ca.crt"], 1)


@pytest.mark.parametrize("spoil", [_generation_of_a_leaf, _chain_of_a_leaf, _leaf_after_the_stamp])
def test_a_leaf_that_does_not_fit_rolls_its_node(spoil: Callable[[Bed, str], None], reloaded: Reloaded) -> None:
    """strimzi.md 2.3, 2.4: its generation, its chain, its hash; re-issued or not, the hash is another one."""
    bed, name = reloaded.bed, nodes(reloaded.bed)[0]
    stamp(bed, 1)
    spoil(bed, name)
    assert resume(bed) == [(name, "PodHasOldRevision")]


def test_components_restart_and_nodes_do_not(bed: Bed) -> None:
    """ "Other limits": Entity Operator, Cruise Control and exporter restart; their leaves are the operator's to issue."""
    bed.bring("cluster", bed.ca("old"))
    bed.start(generated=False)
    before, new = bed.uids(), bed.ca("new")
    bed.pause()
    bed.step()
    bed.bring("cluster", new, generations=(1, 0))
    for name in nodes(bed):
        issue(bed, name, new, new.pem, 1)
    issue(bed, OPERATOR, new, b"", 1)
    stamp(bed, 1)
    assert resume(bed) == []
    changed = {name for name, uid in bed.uids().items() if before[name] != uid}
    assert changed == {"demo-cruise-control", "demo-entity-operator", "demo-kafka-exporter"}


def test_without_a_key_that_fits_nothing_can_be_issued_and_nothing_has_to_be(reloaded: Reloaded) -> None:
    """operator-facts "User-managed cluster CA" 5: with all Secrets written by us the key is never used."""
    bed = reloaded.bed
    bed.change("secrets", "demo-cluster-ca", {"data": encode({"ca.key": b"a placeholder"})})
    stamp(bed, 1)
    assert resume(bed) == []
