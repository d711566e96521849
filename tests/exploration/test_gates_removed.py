# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each safety rule, taken out alone, leads to a broken invariant: none of them is there for nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence import stored
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import Presentation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import verifiers
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import update
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaSecrets, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules import retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import restore_links
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import settle_key
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import restart_to_trust
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import await_bundle

from ..tools.support.engines import leaving_open, without
from . import events, runs
from .authorities import OLD
from .cluster_ca import ClusterCa
from .events import Event, forget
from .explore import explore
from .findings import counter_example
from .invariants import client_accepts, forgotten
from .looking import LookingRunner
from .people import (
    adds_another_ca,
    puts_a_removed_ca_back,
    removes_an_annotation,
    restores_an_old_leaf,
    takes_a_label_away,
)
from .runs import Runner
from .starts import LINKED, PATIENT, UNLINKED, start
from .state import Books, ModelCluster, Pause, Run, Secrets, Slot, Write
from .uids import map_uids

# Gates.


def test_the_gates_before_use() -> None:
    assert counter_example(Runner(UNLINKED, leaving_open("trust", "alone"))).rule == "I1"


def test_the_gate_for_a_link_and_the_restart_that_opens_it() -> None:
    """An exporter is a Go program: it refuses what a CA of path length 0 has certified, until it has restarted."""
    engine = replace(leaving_open("trust"), rules=without(restart_to_trust).rules)
    assert counter_example(Runner(LINKED, engine), 1, components=(Component.KAFKA_EXPORTER,)).rule == "I1"


def test_the_removal_gate() -> None:
    broken = counter_example(Runner(UNLINKED, leaving_open("removal")), 1, restores_an_old_leaf)
    assert broken.rule in {"I1", "I2"}


def test_the_path_length_in_the_gate_of_a_link(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exporter taken for a JVM is not waited for, and refuses what nodes present."""
    look_at_pod = verifiers._verifying_pod
    monkeypatch.setattr(
        verifiers, "_verifying_pod", lambda *arguments: replace(look_at_pod(*arguments), verifier=Verifier.JVM)
    )
    assert counter_example(Runner(LINKED), 1, components=(Component.KAFKA_EXPORTER,)).rule == "I1"


# Evidence.


def test_the_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CA counts as projected although the operator has not put it into the bundle yet."""
    monkeypatch.setattr(
        update, "is_projected", lambda snapshot, fingerprint: fingerprint in snapshot.ca.projected
    )  # fmt: skip
    assert counter_example(Runner(UNLINKED, without(await_bundle))).rule == "I1"


def test_unknown_is_not_current(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing annotation counts as the present generation, as it does for the operator (docs/operator.md,
    "CA reconcile").
    """
    present_pod = stored.present_pod

    def optimistic(pod: Any, leaves: Any, snapshot: Any, ledger: Any) -> Presentation:
        seen = present_pod(pod, leaves, snapshot, ledger)
        if seen.authorities is not None:
            return seen
        return Presentation(pod.name, frozenset({ledger.entries[-1].fingerprint}), (), "assumed")

    monkeypatch.setattr(stored, "present_pod", optimistic)
    assert counter_example(Runner(UNLINKED), people=removes_an_annotation).rule.startswith("I")


class ByLabelsAlone(Runner):
    """Does not see a pod that has lost a label."""

    def decision(self, seen: Secrets, listed: tuple[Slot, ...]) -> tuple[tuple[Write, ...], Decision]:
        return super().decision(seen, tuple(one._replace(up=one.up and one.labelled, labelled=True) for one in listed))


def test_no_pod_is_overlooked_for_want_of_a_label() -> None:
    assert counter_example(ByLabelsAlone(UNLINKED), people=takes_a_label_away).rule == "I1"


def test_a_former_leaf_that_is_put_back_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "_doubtful_leaves", lambda *arguments: frozenset())
    assert counter_example(Runner(LINKED), 1, restores_an_old_leaf).rule == "I2"


def test_listeners_are_asked_before_a_ca_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (update, retire):
        monkeypatch.setattr(module, "pods_trusting_removed", lambda *arguments: frozenset())
    assert counter_example(LookingRunner(LINKED), 1) == forgotten("pod 0", OLD)


def test_pods_are_recorded_when_a_ca_that_came_back_has_left_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pods that were recorded when the CA was seen to be back lack a pod that has started since, and has read it."""
    note_return = update._note_return

    def early(removed: RemovedEntry, snapshot: Snapshot) -> RemovedEntry:
        found = note_return(removed, snapshot)
        return found if found.is_back else replace(removed, is_back=False)

    monkeypatch.setattr(update, "_note_return", early)
    broken = counter_example(Runner(UNLINKED), 1, puts_a_removed_ca_back)
    assert broken == forgotten("pod 0", OLD)


def test_raft_clients_still_trust_a_ca_that_listeners_have_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    after_removal = update._after_removal

    def forgetful(*arguments: Any) -> RemovedEntry | None:
        found = after_removal(*arguments)
        return replace(found, lingering_pods=frozenset()) if found else None

    monkeypatch.setattr(update, "_after_removal", forgetful)
    assert counter_example(LookingRunner(LINKED), 1) == forgotten("pod 0", OLD)


def test_raft_clients_do_not_present_a_leaf_that_listeners_have_reloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    after_renewal = update._after_renewal
    monkeypatch.setattr(
        update, "_after_renewal", lambda *arguments: replace(after_renewal(*arguments), lingering_pods=frozenset())
    )  # fmt: skip
    assert counter_example(LookingRunner(PATIENT), 1).rule == "I2"


# The order of things.


class PodsFirst(Runner):
    """Lists the pods before it reads the Secrets: the order that the pod-UID rule forbids."""

    def _decides(self, model: ModelCluster, number: int, run: Run, seen: Secrets) -> Event:
        event, after = super()._decides(model, number, run._replace(changed=frozenset()), model.secrets)
        gone = frozenset(int(name.removeprefix("pod ")) for name in run.changed if name.startswith("pod "))
        run = after.runs[number]
        return event, after.with_run(number, run._replace(writes=tuple(_without(write, gone) for write in run.writes)))


def _without(write: Write, gone: frozenset[int]) -> Write:
    """The write without the UIDs that no pod has any more."""
    if not isinstance(write.value, Books):
        return write
    alone = ModelCluster((), None, None, write.value, None, False, None, ())  # type: ignore[arg-type]
    return write._replace(value=map_uids(alone, lambda uids: uids - gone).books)


def test_the_order_of_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    original = events.forget
    monkeypatch.setattr(
        events, "forget", lambda model, number: original(model, number).changed(f"pod {number}")
    )  # fmt: skip
    assert counter_example(PodsFirst(UNLINKED)).rule == "I1"


class Unconditional(Runner):
    def refuses(self, write: Write, run: Run) -> bool:
        return False


def test_conditional_writes() -> None:
    assert counter_example(Unconditional(UNLINKED), people=adds_another_ca, runs=2).rule.startswith("I")


def test_a_switch_is_ended_before_anything_else() -> None:
    """Without this rule a run that is interrupted in the middle of a switch can never be continued (I8)."""
    runner = Runner(UNLINKED, without(settle_key))
    assert explore(start(UNLINKED, 1, 1), ClusterCa(runner, 1, adds_another_ca)).dead_ends()


def test_a_pause_counts_when_the_operator_has_confirmed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before that, the operator goes on with its reconcile: it may put back a leaf of a CA that is gone."""
    hasty = {"pause": lambda model, write: model._replace(pause=Pause(True, True))}
    monkeypatch.setattr(runs, "_APPLY", {**runs._APPLY, **hasty})
    assert counter_example(LookingRunner(LINKED), 1).rule.startswith("I")


def test_the_link_behind_the_first_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    issue = runs._WRITES[IssueLeaves]
    monkeypatch.setitem(runs._WRITES, IssueLeaves, lambda step, seen: issue(replace(step, link=None), seen))
    assert counter_example(Runner(LINKED)).rule == "I12"


def test_the_links_behind_leaves_after_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients outside that have never read again refuse nodes otherwise, and nothing in the cluster does."""
    monkeypatch.setattr(CaSecrets, "behind_nodes", lambda ca, issuer, now: issuer)
    broken = counter_example(LookingRunner(LINKED), 1)
    assert (broken.rule, broken.parties[0]) == ("I12", f"CA {OLD}")


def test_the_links_behind_leaves_that_the_operator_has_issued() -> None:
    """Without this rule they are never led back."""
    found = explore(start(LINKED, 1, 1), ClusterCa(Runner(LINKED, without(restore_links)), 1))
    stored = {model.slots[0].stored for model, number in found.states.items() if number in found.ends}
    assert any(not client_accepts(OLD, leaf) for leaf in stored)


@pytest.mark.parametrize(("reason", "breaks"), [(RollReason.TRUST, "I1"), (RollReason.USE, "I2")])
def test_a_reload_in_the_place_of_a_restart(reason: RollReason, breaks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both were seen to fail (docs/operator.md, "Where the reload ends"). Listeners read a new CA, and one presents a
    leaf of it before Raft clients know it; or they present the leaf, and the old CA is removed while Raft clients present
    its leaves."""

    def instead(step: Roll, seen: Secrets) -> tuple[Write, ...]:
        return tuple(Write("a node", "as restarted", None, int(uid)) for uid in step.uids if step.reason is reason)

    def as_restarted(model: ModelCluster, write: Write) -> ModelCluster:
        number = write.slot
        assert number is not None
        read = runs.apply(Write("a node", "reload", None, number), model)
        slot = read.slots[number]
        return forget(read.with_slot(number, slot._replace(annotated=slot.stored, template=slot.stored)), number)

    monkeypatch.setitem(runs._WRITES, Roll, instead)
    monkeypatch.setitem(runs._APPLY, "as restarted", as_restarted)
    assert counter_example(LookingRunner(UNLINKED)).rule == breaks
