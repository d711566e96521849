# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No CA of users is used before every broker accepts it, and none leaves that anybody may present, whatever users present and brokers say."""

from __future__ import annotations

from hypothesis import event, given, settings
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    Presenter,
    ReissuePause,
    Renewal,
    Waiver,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.nodes import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import Switch
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Withdraw

from ...support.certificates import NOW
from ...support.intents import changed_intent
from .builders import DAY, NEW, OLD, PAUSED, RUNS, changed, name_of, names_of
from .of_users import STAGES, presenting

REPLACE_KEY = Intent(Goal.REPLACE_KEY)
IN_BATCHES = changed_intent(REPLACE_KEY, user_batch=1)
EITHER = st.sampled_from((names_of(OLD), names_of(NEW), names_of(OLD, NEW), frozenset(), None))


@st.composite
def answers(draw: st.DrawFn, snapshot: Snapshot) -> tuple[ObservedListener, ...]:
    """The answers of two listeners of each broker; a listener may say nothing about a CA."""
    found = []
    for pod in snapshot.nodes.pods:
        for port in (9093, 9094):
            said = {name_of(one): draw(st.sampled_from(("accepts", "refuses", "nothing"))) for one in (OLD, NEW)}
            accepts = frozenset(name for name, answer in said.items() if answer == "accepts")
            refuses = frozenset(name for name, answer in said.items() if answer == "refuses")
            found.append(ObservedListener(pod.name, pod.uid, port, None, accepts, refuses, source="handshake"))
    return tuple(found)


@st.composite
def clusters(draw: st.DrawFn) -> Snapshot:
    stage = draw(st.sampled_from(sorted(STAGES)))
    snapshot = STAGES[stage]
    current = OLD if snapshot.ca.current[0] == OLD.certificate else NEW
    users = [
        Presenter(
            f"KafkaUser a/{number}",
            draw(EITHER),
            "x",
            draw(st.sampled_from(list(Renewal)[1:])),
            draw(st.booleans()),
            pause=draw(st.sampled_from(ReissuePause)),
        )
        for number in range(draw(st.integers(0, 3)))
    ]
    waived = tuple(Waiver(one.name, NOW + DAY, "x") for one in users if draw(st.booleans()))
    verified, pods = draw(st.booleans()), draw(st.sampled_from((snapshot.nodes.pods, snapshot.nodes.pods[1:], ())))
    snapshot = changed(snapshot, pods=pods, has_verifiers=verified)
    listeners = draw(st.one_of(st.none(), answers(snapshot) if verified else st.just(())))
    state = draw(st.sampled_from((RUNS, PAUSED)))
    event(f"{stage}, {'asked' if listeners else 'not asked'}, {len(pods)} brokers {'verify' if verified else 'do not'}")
    return changed(
        snapshot,
        presenters=presenting(*users, current=current),
        waivers=waived,
        listeners=listeners,
        reconciliation=state,
    )


@settings(max_examples=400)
@given(clusters())
def test_no_switch_before_every_listener_accepts(snapshot: Snapshot) -> None:
    for step in decide(snapshot, REPLACE_KEY).steps if snapshot.users.has_verifiers else ():
        if isinstance(step, Switch) and snapshot.nodes.listeners is not None:
            assert all(name_of(NEW) in one.accepts for one in snapshot.nodes.listeners)
        if isinstance(step, Switch) and snapshot.nodes.listeners is None:
            entry = snapshot.ledger.find(name_of(NEW)) if snapshot.ledger else None
            assert entry is not None
            assert not (entry.awaiting or frozenset()) & snapshot.uids


@settings(max_examples=400)
@given(clusters())
def test_no_ca_leaves_that_somebody_may_present(snapshot: Snapshot) -> None:
    waived = {one.client for one in snapshot.outside.waivers}
    for step in decide(snapshot, REPLACE_KEY).steps:
        if isinstance(step, Withdraw):
            assert step.certificate == OLD.certificate
            relying = [
                one.name
                for one in snapshot.users.presenters
                if one.name not in waived and (one.authorities is None or name_of(OLD) in one.authorities)
            ]
            assert relying == []


@settings(max_examples=400)
@given(clusters())
def test_in_batches_no_switch_while_somebody_would_be_served(snapshot: Snapshot) -> None:
    served = (ReissuePause.NONE, ReissuePause.ASKED)
    if any(isinstance(step, Switch) for step in decide(snapshot, IN_BATCHES).steps):
        assert all(one.pause not in served for one in snapshot.users.presenters if one.renewal is Renewal.ISSUED)


@settings(max_examples=400)
@given(clusters())
def test_no_run_says_that_it_is_done_before_its_flow_is(snapshot: Snapshot) -> None:
    assert not decide(snapshot, REPLACE_KEY).done


@settings(max_examples=400)
@given(clusters(), st.sampled_from((REPLACE_KEY, IN_BATCHES)))
def test_no_run_ends_with_somebody_paused_whom_no_switch_concerns(snapshot: Snapshot, intent: Intent) -> None:
    decision = decide(snapshot, intent)
    if not decision.steps:
        assert all(one.behind or not one.pause.is_ours for one in snapshot.users.presenters)
