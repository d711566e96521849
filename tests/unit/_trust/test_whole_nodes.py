# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory, the rules and the forecast about nodes of which a reload reaches every channel, or the Raft client as
well: each asks ``model/channels.py``.

There is no Kafka 9. Of the other pods of these clusters, a reload reaches nothing.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import (
    forget_former,
    forget_removed,
    note_reloads,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model import channels
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.channels import REACHES, Channel, Reach
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Look
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Pod, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Reload, Roll, RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import (
    reload_leaves,
    replace_leaves,
    restart_holders,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import restarts_to_give_up
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import restart_to_trust
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.retire import forget_removed_authorities

from ...tools.support.golden import GoldenFiles
from . import linked, patient, unlinked
from .authorities import NEW, OLD, name_of, names_of, stored_chain
from .builders import answering, changed, cluster
from .ledgers import a_journal, entry, ledger
from .nodes import PODS, pods, uids_of
from .rules.asking import situation
from .stand_in import MadeHere

ALL, RAFT, NONE = "9.0.0", "8.0.0", "4.4.0"


@pytest.fixture(autouse=True)
def _later_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    later = (Reach((8, 0), frozenset(Channel) - {Channel.AGENT}, True), Reach((9, 0), frozenset(Channel), True))
    monkeypatch.setattr(channels, "REACHES", (REACHES[0], *later))


def running(snapshot: Snapshot, *versions: str) -> Snapshot:
    """The cluster with these versions of Kafka on its nodes; the last of them on all others."""
    nodes = iter(versions)
    return changed(snapshot, pods=tuple(_with_version(pod, next(nodes, versions[-1])) for pod in snapshot.nodes.pods))


def _with_version(pod: Pod, version: str) -> Pod:
    return replace(pod, kafka_version=version) if pod.component is Component.KAFKA else pod


MIXED = [(ALL, ALL, NONE), (NONE, ALL, ALL), (RAFT,), (ALL, RAFT)]


@pytest.mark.parametrize("versions", [(ALL,), (NONE,), *MIXED], ids=" ".join)
@pytest.mark.parametrize("retire", Retire)
def test_restarts_to_give_up(retire: Retire, versions: tuple[str, ...]) -> None:
    """The node of which a reload leaves the most decides for all."""
    books = replace(linked.TRUSTED.ledger_or_empty, journal=a_journal(retire=retire))
    at = situation(running(replace(linked.TRUSTED, ledger=books), *versions))
    assert restarts_to_give_up(at) is (retire is Retire.NOW and set(versions) != {ALL})


def test_a_cluster_without_nodes_gives_nothing_up_by_a_reload() -> None:
    assert restarts_to_give_up(situation(changed(linked.TRUSTED, pods=())))


@pytest.mark.parametrize(("version", "lingering"), [(NONE, True), (RAFT, True), (ALL, False)])
def test_what_is_remembered_after_listeners_have_read_again(version: str, lingering: bool) -> None:
    rest = uids_of() if lingering else frozenset()
    former, gone = FormerLeaf(stored_chain(NEW)[0], uids_of()), RemovedEntry(NEW.certificate, uids_of())
    seen = running(
        cluster(ledger=ledger(entry(OLD, generations={0}), former_leaves=(former,), removed_cas=(gone,))), version
    )
    seen = answering(seen, accepting=[name_of(OLD)], refusing=[name_of(NEW)])
    left = forget_former(seen, forget_removed(seen, seen.ledger_or_empty))
    assert [one.lingering_pods for one in left.former_leaves] == [rest] * lingering
    assert [one.lingering_pods for one in left.removed_cas] == [rest] * lingering
    assert all(not one.awaited_pods for one in (*left.former_leaves, *left.removed_cas))


@pytest.mark.parametrize(("version", "lingering"), [(NONE, True), (ALL, False)])
def test_the_forecast_of_a_reload(version: str, lingering: bool) -> None:
    former, gone = FormerLeaf(stored_chain(NEW)[0], uids_of()), RemovedEntry(OLD.certificate, uids_of())
    before = running(cluster(ledger=ledger(former_leaves=(former,), removed_cas=(gone,))), version)
    after = Reload(uids=uids_of(), authority=None).effect(before, MadeHere()).ledger_or_empty
    rest = uids_of() if lingering else frozenset()
    assert [one.lingering_pods for one in after.removed_cas] == [rest]
    assert [one.lingering_pods for one in after.former_leaves] == [rest] * lingering


@pytest.mark.parametrize(("versions", "read"), [((NONE,), 0), ((RAFT,), 0), ((ALL,), 3), ((ALL, NONE), 1)], ids=str)
def test_nodes_that_have_read_a_ca_again_trust_it_as_if_they_had_restarted(
    versions: tuple[str, ...], read: int
) -> None:
    books = ledger(entry(OLD, generations={0}), entry(NEW, awaited_pods=uids_of()))
    seen = answering(running(cluster(ledger=books), *versions), accepting=names_of(OLD, NEW))
    known = note_reloads(seen, books).find(name_of(NEW))
    assert known is not None
    assert known.awaited_pods == uids_of() - uids_of(*PODS[:read] or ["none"])


@pytest.mark.parametrize("version", [NONE, RAFT, ALL])
def test_why_nodes_forget_a_ca_by_a_reload(version: str, golden: GoldenFiles) -> None:
    (step,) = forget_removed_authorities(situation(running(linked.REMOVED, version)))
    assert isinstance(step, Reload)
    golden.compare_said("steps", step.because, version)


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (
            NONE,
            "Listeners read their new certificates again, without a restart; Raft clients and agents present the old",
        ),
        (RAFT, "Listeners read their new certificates again, without a restart; agents present the old"),
        (ALL, "Nodes read their new certificates again, without a restart."),
    ],
)
def test_why_nodes_read_their_leaves_again(version: str, told: str) -> None:
    (step,) = reload_leaves(situation(running(patient.RESUMED, version)))
    assert isinstance(step, Reload)
    assert step.because.startswith(told)


@pytest.mark.parametrize(("version", "restarts"), [(NONE, True), (RAFT, True), (ALL, False)])
def test_leaves_of_the_next_ca_take_a_restart_where_a_reload_leaves_channels(version: str, restarts: bool) -> None:
    """Else the former leaves are noted and the listeners read again, as where nodes wait for their restart."""
    kinds = [type(step).__name__ for step in replace_leaves(situation(running(linked.TRUSTED, version)))]
    assert kinds == (["IssueLeaves"] if restarts else ["Pause"])


@pytest.mark.parametrize(("version", "step"), [(NONE, Roll), (RAFT, Roll), (ALL, Reload)])
def test_a_ca_without_a_link_is_made_known_by_a_reload_where_it_reaches_all_channels(
    version: str, step: type[Roll | Reload]
) -> None:
    (first,) = restart_to_trust(situation(running(unlinked.READ_BACK, version)))
    assert isinstance(first, step)
    assert first.phase is Phase.TRUST


@pytest.mark.parametrize(("version", "look"), [(NONE, Look.NONE), (ALL, Look.FRESH)])
def test_a_restart_for_trust_asks_nodes_first_that_a_reload_reaches_as_a_whole(version: str, look: Look) -> None:
    roll = Roll(reason=RollReason.TRUST, uids=uids_of(), authority=NEW.certificate, phase=Phase.TRUST)
    assert roll.look(running(cluster(), version)) is look
    assert roll.look(changed(running(cluster(), version), pods=pods(names=["other"]))) is Look.NONE


@pytest.mark.parametrize(("version", "restarted"), [(NONE, True), (ALL, False)])
def test_nodes_that_hold_a_leaf_of_a_ca_that_is_to_leave_restart_for_it(version: str, restarted: bool) -> None:
    former = FormerLeaf(stored_chain(OLD)[0], uids_of())
    books = ledger(entry(NEW, generations={0}), former_leaves=(former,), journal=a_journal())
    seen = running(cluster(ledger=books), version)
    assert bool(restart_holders(situation(seen, Intent(Goal.REPLACE_KEY)))) is restarted
