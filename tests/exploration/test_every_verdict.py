# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state that a flow can reach when the operator refuses what is stored in any of its reconciles, and is content in another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import steps_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import await_verdict

from .authorities import NEW, OLD, RENEWED
from .cluster_ca import ClusterCa, People
from .events import Event
from .explore import Explored, explore
from .findings import Record
from .looking import LookingRunner
from .people import REFUSES_WHAT_IS_STORED, passes_a_verdict
from .starts import LINKED, RECONCILE, RENEW, start
from .state import KAFKA, ModelCluster, Status

_NAMES = {LINKED: "linked", RENEW: "renew", RECONCILE: "reconcile"}


def _name(value: object) -> str:
    return _NAMES.get(value, str(value)) if isinstance(value, Intent) else str(value)


def judged(intent: Intent, people: People = passes_a_verdict, failure: str = "") -> Explored:
    """failure: of the operator's last reconcile, when the flow begins."""
    begin = start(intent, 1, 1)._replace(status=Status(failure=failure))
    return explore(begin, ClusterCa(LookingRunner(intent), 1, people))


def statuses_at_ends(found: Explored) -> set[tuple[bool, str]]:
    ends = (model.status for model, number in found.states.items() if number in found.ends)
    return {(status.resuming, status.failure) for status in ends if status is not None}


@pytest.mark.parametrize(
    ("intent", "ends_with"),
    [pytest.param(LINKED, NEW, marks=pytest.mark.long), (RENEW, RENEWED), (RECONCILE, OLD)],
    ids=_name,
)
def test_no_call_is_done_before_the_operator_is_content(
    intent: Intent, ends_with: int, record_property: Record
) -> None:
    found = judged(intent)
    record_property("explored", (f"verdicts on {_name(intent)}", len(found.states), found.transitions))
    assert found.is_reached(REFUSES_WHAT_IS_STORED)
    assert statuses_at_ends(found) == {(False, "")}
    assert not found.dead_ends()
    assert {model.ca.current for model, number in found.states.items() if number in found.ends} == {ends_with}


def test_a_failure_from_before_the_flow_holds_none_of_its_steps() -> None:
    """It is about something else, and stays."""
    found = judged(LINKED, failure="earlier", people=_says_the_same)
    assert not found.dead_ends()
    assert statuses_at_ends(found) == {(False, "earlier")}


def _says_the_same(model: ModelCluster) -> Iterator[Event]:
    """The operator ends a reconcile, with the failure that it had before."""
    status = model.status
    if status is not None and status.resuming and model.view is None and not model.pause.asked:
        yield "the operator fails again", model._replace(status=status._replace(resuming=False)).changed(KAFKA)


def test_without_a_word_about_what_the_operator_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "await_verdict", lambda *about, **more: steps_of(await_verdict(*about, **more)))
    assert (False, "refused") in statuses_at_ends(judged(RENEW))


def test_without_waiting_for_the_reconcile_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "await_verdict", lambda *_arguments, **_more: ())
    assert any(resuming for resuming, _failure in statuses_at_ends(judged(RENEW)))
