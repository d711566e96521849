# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checker sees what goes wrong where a gate is open and a rule takes the cluster for further than it is: otherwise
its silence means nothing. With closed gates the same mistakes harm no process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeAlias

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import Engine
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import (
    issue_operator_leaf,
    replace_leaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import Rule, end_pause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.retire import withdraw
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import project, switch

from ..flows.cases import Case
from ..tools.support.breaches import InvariantBroken
from ..tools.support.engines import leaving_open, without
from .stories import AT_LAST, Story

Belief: TypeAlias = Callable[[Situation], Situation]

LINKED = Story(Case(Goal.REPLACE_KEY), reload=True)
RENEWED_FIRST = Story(Case(Goal.REPLACE_KEY, "renewed first", path_length=0), reload=True)
STRICT = Story(Case(Goal.REPLACE_KEY, "at once", path_length=0), reload=True)
UNLINKED = Story(Case(Goal.REPLACE_KEY, "unlinked"), reload=True)
PATIENT = Story(Case(Goal.REPLACE_KEY, "when_restarted"), AT_LAST, reload=True)
PATIENT_UNLINKED = Story(Case(Goal.REPLACE_KEY, "when_restarted, unlinked"), AT_LAST, reload=True)
STORIES = [LINKED, RENEWED_FIRST, STRICT, UNLINKED, PATIENT, PATIENT_UNLINKED]


@dataclass(frozen=True)
class Mistake:
    """These rules are asked about the cluster as the belief has it."""

    belief: Belief
    rules: tuple[Rule, ...]
    #: Rules that are not asked at all.
    missing: tuple[Rule, ...] = ()

    def engine(self, *opened: str) -> Engine:
        """Makes this mistake, with these gates left open."""
        rules = (self._mistaken(rule) if rule in self.rules else rule for rule in without(*self.missing).rules)
        return replace(leaving_open(*opened), rules=tuple(rules))

    def _mistaken(self, rule: Rule) -> Rule:
        return lambda at: rule(self.belief(at))


def in_state(next_ca: TrustState, current_ca: TrustState | None = None) -> Belief:
    """The ledger says so of the next CA and of the one in use."""

    def believed(at: Situation) -> Situation:
        successor, current = at.successor, at.ledger.find(at.current.fingerprint) if at.current else None
        if successor is None or current is None:
            return at
        ledger = at.ledger.with_entry(replace(successor.entry, state=next_ca))
        return replace(at, ledger=ledger.with_entry(replace(current, state=current_ca or current.state)))

    return believed


def published(at: Situation) -> Situation:
    """Processes that start from now on read the next CA."""
    successor, snapshot = at.successor, at.snapshot
    if successor is None:
        return at
    name = successor.entry.fingerprint
    snapshot = snapshot.with_ca(other_entries={**snapshot.ca.other_entries, f"{name}.crt": successor.entry.chain})
    at = replace(at, snapshot=replace(snapshot, bundle=(snapshot.bundle or frozenset()) | {name}))
    return in_state(TrustState.TRUSTED_UNUSED)(at)


def paused(at: Situation) -> Situation:
    """The operator does not look."""
    state = replace(
        at.snapshot.reconciliation, pause=replace(at.snapshot.reconciliation.pause, is_ours=True, is_confirmed=True)
    )
    return replace(at, snapshot=replace(at.snapshot, reconciliation=state))


IN_USE_BY_ALL = TrustState.TRUSTED_IN_USE_ALL
TRUSTED_EARLY = Mistake(in_state(TrustState.TRUSTED_UNUSED), (switch, replace_leaves, end_pause))
PUBLISHED_EARLY = Mistake(published, (switch, replace_leaves, end_pause), missing=(project,))
OPERATOR_FIRST = Mistake(in_state(IN_USE_BY_ALL), (issue_operator_leaf,))
SWITCHED_EARLY = Mistake(in_state(IN_USE_BY_ALL, TrustState.PHASE_OUT), (switch, end_pause))
OPERATOR_FORGOTTEN = Mistake(lambda at: at, (), missing=(issue_operator_leaf,))
BEFORE_USE = ("trust", "alone")

#: A mistake, the gates that have to be open for it to do harm, a flow in which it does, and the harm: the invariant, the begin of the name of the party
#: that refuses, and of what it refuses.
TABLE = [
    pytest.param(TRUSTED_EARLY, BEFORE_USE, UNLINKED, ("I3", "demo-kafka-1", "demo-kafka-0"), id="a leaf before nodes trust it"),
    pytest.param(TRUSTED_EARLY, BEFORE_USE, STRICT, ("I3", "demo-kafka-exporter", ""), id="a link that a Go program refuses"),
    pytest.param(PUBLISHED_EARLY, BEFORE_USE, UNLINKED, ("I3", "demo-kafka-1", "demo-kafka-0"), id="a leaf before its CA is published"),
    pytest.param(
        PUBLISHED_EARLY, BEFORE_USE, PATIENT, ("I1", "", "cluster-operator"), id="the same, behind a link"
    ),
    pytest.param(
        OPERATOR_FIRST, BEFORE_USE, LINKED, ("I1", "", "cluster-operator"), id="the operator, alone and too early"
    ),
    pytest.param(
        SWITCHED_EARLY, ("removal",), UNLINKED, ("I1", "cluster-operator", "demo-kafka-0"),
        id="a switch before leaves are exchanged",
    ),
    pytest.param(
        OPERATOR_FORGOTTEN, ("removal",), LINKED, ("I3", "", "demo-cluster-operator-certs"),
        id="a switch before the operator's leaf",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("mistake", "opened", "story", "harm"), TABLE)
def test_a_mistake_behind_an_open_gate_is_seen(
    mistake: Mistake, opened: tuple[str, ...], story: Story, harm: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    telling = story.begin(monkeypatch)
    telling.cluster.engine = mistake.engine(*opened)
    with pytest.raises(InvariantBroken) as broken:
        telling.complete()
    breach = broken.value.breach
    assert all(name.startswith(begin) for name, begin in zip((breach.rule, *breach.parties), harm, strict=True))


def test_a_switch_before_agents_restart_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every listener has read its new leaf; agents go on with the old one."""
    telling = PATIENT.begin(monkeypatch)
    telling.flow.run()
    telling.cluster.engine = SWITCHED_EARLY.engine(*BEFORE_USE, "removal")
    with pytest.raises(InvariantBroken) as broken:
        telling.flow.run()
    verifier, agent = broken.value.breach.parties
    assert (verifier, agent.rpartition(" ")[0]) == ("cluster-operator", "the agent of")


@pytest.mark.parametrize(
    "mistake", [TRUSTED_EARLY, PUBLISHED_EARLY, OPERATOR_FIRST, SWITCHED_EARLY, OPERATOR_FORGOTTEN],
    ids=["trusted", "published", "operator first", "switched", "operator forgotten"],
)  # fmt: skip
@pytest.mark.parametrize("story", STORIES, ids=str)
def test_closed_gates_keep_every_process_from_harm(
    mistake: Mistake, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether or not the flow comes to its end like that: then the right rules bring it there."""
    telling = story.begin(monkeypatch)
    right, telling.cluster.engine = telling.cluster.engine, mistake.engine()
    telling.flow.run()
    telling.cluster.engine = right
    telling.complete()


def test_clients_that_nodes_lead_on_need_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """These clients have a copy from before the next CA was published."""
    telling = LINKED.begin(monkeypatch)
    telling.flow.intent["client_grace"] = timedelta(0)
    telling.complete()


@pytest.mark.parametrize(
    ("story", "client"),
    [(RENEWED_FIRST, "a Go program"), (UNLINKED, "a JVM"), (PATIENT_UNLINKED, "a JVM")],
    ids=str,
)
def test_clients_that_get_no_time_are_seen_to_refuse(
    story: Story, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These clients have a copy from before the next CA was published. A JVM accepts a link certificate that a Go program refuses."""
    telling = story.begin(monkeypatch)
    telling.flow.intent["client_grace"] = timedelta(0)
    with pytest.raises(InvariantBroken) as broken:
        telling.complete()
    assert (broken.value.breach.rule, broken.value.breach.parties) == ("I1", (client,))


@pytest.mark.parametrize("story", [RENEWED_FIRST, STRICT, UNLINKED, PATIENT], ids=str)
def test_without_the_pause_nodes_restart_more_often(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator looks at steps that belong together, one by one."""
    telling = replace(story, eager=True).begin(monkeypatch)
    telling.cluster.engine = Mistake(paused, (switch, withdraw, replace_leaves)).engine()
    # Clients that are late have no part in it: the operator issues leaves that do not lead back.
    telling.cluster.checker.copies_last = 0.0
    telling.complete()
    assert telling.cluster.paid.restarts > telling.cost.restarts
