# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans that are made from some of the answers of nodes: no answer that is taken away adds a restart, or something that holds the plan (I5).

Answers are those of internal listeners, which present a certificate and verify by the CA, and of listeners for users, which present it alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import InPlaceObstacles, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import Forecast, forecast

from ...tools.support.certificates import DAY, NOW, YEAR
from ...tools.support.certificates import leaf as issue_leaf
from ...tools.support.intents import an_intent
from . import linked
from .authorities import OLD
from .builders import PAUSED, answering, changed, cluster
from .ledgers import entry, ledger
from .mixtures import SETTINGS
from .nodes import PODS, a_pod
from .rules.test_answers import FLOWS, STAGES, asked
from .stand_in import MadeHere

INTERNAL, OF_USERS = 9091, 9093
RETIRES = (Retire.NOW, Retire.WHEN_RESTARTED)
ASKED_FOR = (None, Goal.ABORT, Goal.DOWNGRADE, Goal.RECONCILE)
IN_PLACE = (InPlaceObstacles(), InPlaceObstacles(reload="a permission is missing."))


def answered_in_full(snapshot: Snapshot) -> Snapshot:
    """On listeners for users too, which show nothing about trust."""
    seen = asked(snapshot)
    if seen.users is not None:
        return seen
    known = seen.nodes.listeners or ()
    of_users = (
        replace(one, port=OF_USERS, accepts=frozenset(), refuses=frozenset(), verifies=False)
        for one in known if one.port == INTERNAL
    )  # fmt: skip
    return changed(seen, listeners=(*known, *of_users))


def restarts(planned: Forecast) -> Counter[str]:
    return Counter(name for step in planned.whole for name in (*step.nodes, *step.others))


def planned(snapshot: Snapshot, intent: Intent) -> Forecast:
    return forecast(snapshot, intent, MadeHere())


@cache
def in_full(
    flow: str, stage: str, retire: Retire, in_place: InPlaceObstacles, other: Goal | None = None
) -> tuple[Snapshot, Intent, Forecast]:
    """other: what the caller asks for in the place of the flow itself."""
    stages, goal = FLOWS[flow]
    seen = changed(answered_in_full(stages[stage]), in_place_obstacles=in_place)
    intent = an_intent(other or goal, retire=retire)
    return seen, intent, planned(seen, intent)


@st.composite
def partly(draw: st.DrawFn, listeners: tuple[ObservedListener, ...]) -> tuple[ObservedListener, ...]:
    """Any of the listeners, each with any of its answers: its certificate, and each CA that it trusts or does not."""
    left = []
    for one in listeners:
        kind = draw(st.sampled_from(["whole", "whole", "absent", "hangs", "partly", "partly"]))
        if kind == "hangs":
            left.append(ObservedListener(one.pod, one.uid, one.port, failure="timed out", verifies=one.verifies))
        elif kind == "whole":
            left.append(one)
        elif kind == "partly":
            lost = (
                draw(st.frozensets(st.sampled_from(sorted(one.accepts | one.refuses)))) if one.verifies else frozenset()
            )
            hides = draw(st.booleans())
            left.append(
                replace(
                    one, accepts=one.accepts - lost, refuses=one.refuses - lost,
                    doubts=dict.fromkeys(lost, "timed out") if draw(st.booleans()) else {},
                    presents=None if hides else one.presents, failure="timed out" if hides else "",
                )
            )  # fmt: skip
    return tuple(left)


@SETTINGS
@given(
    st.sampled_from(STAGES), st.sampled_from(RETIRES), st.sampled_from(IN_PLACE), st.sampled_from(ASKED_FOR), st.data()
)
def test_no_answer_that_is_taken_away_adds_a_restart_to_a_plan(
    where: tuple[str, str], retire: Retire, in_place: InPlaceObstacles, other: Goal | None, data: st.DataObject
) -> None:
    seen, intent, usual = in_full(*where, retire, in_place, other)
    if usual.violations:
        event("answers in full hold the plan")
        return
    less = changed(seen, listeners=data.draw(partly(seen.nodes.listeners or ())))
    found = planned(less, intent)
    assert not restarts(found) - restarts(usual)
    assert found.violations == ()
    heard, silent = set(found.hearing.heard), {node.pod for node in found.hearing.unheard}
    assert heard.isdisjoint(silent)
    assert heard | silent == set(usual.hearing.heard)
    if less == seen:
        assert silent == set()


@pytest.mark.parametrize("retire", RETIRES)
@pytest.mark.parametrize(
    "kept",
    [
        pytest.param(lambda one: None if one.verifies else one, id="its listeners for users have answered"),
        pytest.param(
            lambda one: replace(one, accepts=frozenset(), refuses=frozenset()),
            id="they have shown their certificates and nothing about their trust",
        ),
        pytest.param(
            lambda one: replace(one, presents=None, accepts=frozenset(), refuses=frozenset(), failure="timed out")
            if one.port == 9090 else one,
            id="one of them has not answered",
        ),
    ],
)  # fmt: skip
def test_half_an_answer_of_one_node_restarts_none(kept: object, retire: Retire) -> None:
    """Where answers in full restart no node, or each once."""
    assert callable(kept)
    seen, intent, usual = in_full("linked", "SETTLED", retire, IN_PLACE[0])
    node, own = PODS[1], [(one, kept(one)) for one in seen.nodes.listeners or () if one.pod == PODS[1]]
    assert own
    others = tuple(one for one in seen.nodes.listeners or () if one.pod != node)
    found = planned(changed(seen, listeners=(*others, *(less for _one, less in own if less is not None))), intent)
    assert restarts(found) == restarts(usual)
    assert found.hearing.heard == (PODS[0], PODS[2])
    assert [one.pod for one in found.hearing.unheard] == [node]


def test_a_plan_that_goes_by_what_is_stored_names_no_node() -> None:
    """No run asked any."""
    found = planned(linked.SETTLED, an_intent(FLOWS["linked"][1]))
    assert (found.hearing.heard, found.hearing.unheard) == ((), ())


def test_an_abort_notes_no_leaf_of_the_ca_that_is_given_up_where_every_node_has_shown_another() -> None:
    """The nodes are annotated with their stored leaves when these are of the CA that stays, and not before."""
    _seen, _intent, usual = in_full("linked", "ISSUED", Retire.WHEN_RESTARTED, IN_PLACE[0], Goal.ABORT)
    assert usual.end is not None
    ledger = usual.end.ledger_or_empty
    assert {held.certificate.issuer for held in ledger.former_leaves} == {OLD.certificate.subject}
    assert [entry.certificate for entry in ledger.entries] == [OLD.certificate]


def test_a_node_that_shows_an_ended_leaf_is_planned_to_restart_however_much_of_its_answer_is_missing() -> None:
    """A call remembers such an answer while it renews the CA, which the node was not asked about."""
    past = (issue_leaf(OLD, begin=NOW - YEAR, end=NOW - DAY), OLD.certificate)
    nodes = tuple(a_pod(name, presents_stored=False) for name in PODS)
    seen = answering(cluster(pods=nodes, ledger=ledger(entry(OLD, generations=(0,)))))
    shown = tuple(replace(one, presents=past) for one in seen.nodes.listeners or ())
    found = planned(
        changed(seen, listeners=shown, in_place_obstacles=InPlaceObstacles(), reconciliation=PAUSED),
        an_intent(Goal.RECOVER),
    )
    assert [one.pod for one in found.hearing.unheard] == list(PODS)
    assert [(step.reason, step.nodes) for step in found.steps if step.nodes] == [(RollReason.ENDED, PODS)]
