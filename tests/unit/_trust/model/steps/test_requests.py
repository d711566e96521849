# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps about leaves that somebody else issues: in words, and what comes of them in a forecast."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import Next, Wanted, next_action
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AskForLeaves,
    AwaitIssuer,
    CollectLeaves,
    ForgetRequests,
)

from .....support.certificates import NOW
from ...builders import NEW, OLD, PODS, chain_of, changed, cluster, name_of, stored_chain
from ...requested import ISSUER, a_request, answered, refused, with_requests
from ...stand_in import MadeHere

NAME = named(NEW.certificate)
PREPARE = Phase.PREPARE
ASK = AskForLeaves(secrets=PODS, issuer=chain_of(NEW), asked=ISSUER, phase=PREPARE)
COLLECT = CollectLeaves(secrets=PODS[:1], asked=ISSUER, phase=PREPARE)
AWAIT = AwaitIssuer(secrets=PODS[:2], issuer=chain_of(NEW), asked=ISSUER, until=NOW, phase=PREPARE)
FORGET = ForgetRequests(secrets=PODS[:1], phase=Phase.USE)
WANTED = Wanted(ISSUER, name_of(NEW))


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (ASK, f"ask the external issuer for 3 certificates of {NAME}"),
        (COLLECT, "record 1 answer of the external issuer"),
        (AWAIT, "wait until the external issuer has issued 2 certificates"),
        (FORGET, "remove 1 request for certificates that are not needed any more"),
    ],
)
def test_in_words(step: Step, expected: str) -> None:
    assert step.sentence() == expected


def after(snapshot: Snapshot, step: Step) -> dict[str, Next]:
    """The next thing to do about each leaf."""
    requests = step.effect(snapshot, MadeHere()).leaves.requests
    return {name: next_action(one, WANTED, NOW) for name, one in requests.items()}


STRANGER = a_request("stranger", OLD)


@pytest.mark.parametrize(
    ("before", "step", "expected"),
    [
        pytest.param((STRANGER, refused(PODS[0])), ASK, dict.fromkeys(PODS, Next.USE), id="in a forecast, issuers answer at once"),
        pytest.param((answered(PODS[0], recorded=False),), COLLECT, {PODS[0]: Next.USE}, id="an answer is recorded"),
        pytest.param((refused(PODS[0], recorded=False),), COLLECT, {PODS[0]: Next.WAIT}, id="a refusal is recorded"),
        pytest.param(
            (answered(PODS[0], recorded=False), answered(PODS[1], recorded=False)), COLLECT,
            {PODS[0]: Next.USE, PODS[1]: Next.COLLECT}, id="no other one is",
        ),
        pytest.param(
            (*map(a_request, PODS[:2]), a_request(PODS[2])), AWAIT,
            {PODS[0]: Next.USE, PODS[1]: Next.USE, PODS[2]: Next.WAIT}, id="what is waited for comes",
        ),
        pytest.param((a_request(PODS[0]), a_request(PODS[1])), FORGET, {PODS[1]: Next.WAIT}, id="removed"),
    ],
)  # fmt: skip
def test_what_comes_of_it(before: tuple[object, ...], step: Step, expected: dict[str, Next]) -> None:
    snapshot = with_requests(cluster(), *before)  # type: ignore[arg-type]
    assert {name: one for name, one in after(snapshot, step).items() if name != "stranger"} == expected


def test_nothing_else_comes_of_any() -> None:
    before = with_requests(cluster(), *map(a_request, PODS))
    for step in (ASK, COLLECT, AWAIT, FORGET):
        assert changed(step.effect(before, MadeHere()), requests=before.leaves.requests) == before


def test_what_is_issued_is_of_the_ca_that_was_asked_for() -> None:
    for step in (ASK, AWAIT):
        made = step.effect(with_requests(cluster(), a_request(PODS[0])), MadeHere()).leaves.requests[PODS[0]]
        assert made.answer == (stored_chain(NEW)[0], NEW.certificate)


def test_an_answer_that_is_there_is_kept_while_others_are_waited_for() -> None:
    there = answered(PODS[0])
    after_ = AWAIT.effect(with_requests(cluster(), there, a_request(PODS[1])), MadeHere()).leaves.requests
    assert after_[PODS[0]] == there
