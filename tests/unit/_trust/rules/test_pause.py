# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that the operator must not see half-way are done while it is paused by us; and nobody issues certificates of the next CA for users
before it is their turn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import ReissuePause, Renewal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Reconciliation, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import Switch
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Pause, Resume
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.presenters import (
    PauseReissue,
    ResumeReissue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Withdraw, WriteBundle
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import (
    finds_work,
    pause_first,
    pause_reissue,
    restarted_by_operator,
    resume_operators,
    resume_reissue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import switch

from ....support.intents import changed_intent
from ..builders import (
    NEW,
    OLD,
    PAUSED,
    PODS,
    a_journal,
    a_pod,
    books_of,
    changed,
    cluster,
    leaves,
    name_of,
    pods,
    secrets,
    uids_of,
)
from ..of_users import ORDERS, PAYMENTS, STAGES, presenter, presenting
from .asking import REPLACE_KEY, situation

WORK = WriteBundle(phase=Phase.RETIRE, avoidable="Nodes are restarted: no.")
BATCHES = changed_intent(REPLACE_KEY, user_batch=2)
CONNECT = "KafkaConnect kafka/connect"
MORE = Withdraw(certificate=OLD.certificate, phase=Phase.USE)


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(Reconciliation(), id="the operator works"),
        pytest.param(Reconciliation(paused=True, paused_by_us=True), id="it has not confirmed our pause"),
        pytest.param(Reconciliation(paused=True, pause_effective=True), id="somebody else has paused it"),
    ],
)
def test_the_pause_comes_first_and_says_what_for(state: Reconciliation) -> None:
    at = situation(cluster(reconciliation=state))
    paused = Pause(phase=Phase.RETIRE, purpose=WORK.sentence(), avoidable=WORK.avoidable)
    assert pause_first(at, WORK, MORE) == (paused,)
    assert pause_first(at, replace(WORK, avoidable=""), WORK) == (paused,)
    assert pause_first(at) == ()


def test_paused_they_are_done() -> None:
    assert pause_first(situation(cluster(reconciliation=PAUSED)), WORK, MORE) == (WORK, MORE)


def users(stage: str, pause: ReissuePause = ReissuePause.NONE, **fields: object) -> Snapshot:
    """A user, and a program that reads its Secret."""
    found = presenter(ORDERS, pause=pause, **fields), presenter(CONNECT, renewal=Renewal.FOLLOWED)
    return changed(STAGES[stage], presenters=presenting(*found))


@pytest.mark.parametrize("pause", [ReissuePause.NONE, ReissuePause.ASKED, ReissuePause.ENDED])
def test_users_are_paused_before_the_switch(pause: ReissuePause) -> None:
    """A pause that the User Operator has not confirmed is none yet."""
    assert switch(situation(users("trusted", pause), BATCHES)) == (PauseReissue(names=(ORDERS,)),)


@pytest.mark.parametrize("pause", [ReissuePause.OURS, ReissuePause.FOREIGN])
def test_whoever_is_paused_is_not_paused_again(pause: ReissuePause) -> None:
    (step,) = switch(situation(replace(users("trusted", pause), reconciliation=PAUSED), BATCHES))
    assert isinstance(step, Switch)


def test_without_batches_nobody_is_paused() -> None:
    assert pause_reissue(situation(users("trusted"))) == ()


def test_before_a_switch_back_everybody_is_paused() -> None:
    """A certificate of the CA that is given up may be on its way, for a user who has kept one of the old CA all along."""
    stage = users("trusted")
    journal = a_journal(old=OLD, new=NEW, is_abort=True)
    seen = replace(stage, ledger=replace(books_of(stage), journal=journal))
    (step,) = pause_reissue(situation(seen))
    assert isinstance(step, PauseReissue)
    assert (step.names, "may be about to store a certificate of" in step.because) == ((ORDERS,), True)
    given_up = replace(seen, ledger=replace(books_of(stage), journal=replace(journal, replaces=name_of(NEW))))
    assert pause_reissue(situation(given_up)) == (), "it was never in use"


def test_where_nobody_may_be_served_during_the_switch_everybody_is_paused() -> None:
    seen = changed(users("trusted"), pause_reissue="It would store nonsense.")
    assert pause_reissue(situation(seen)) == (PauseReissue(names=(ORDERS,), because="It would store nonsense."),)


@pytest.mark.parametrize(
    ("pause", "behind", "ends"),
    [
        (ReissuePause.OURS, False, True),
        (ReissuePause.ASKED, False, True),
        (ReissuePause.OURS, True, False),
        (ReissuePause.FOREIGN, False, False),
        (ReissuePause.NONE, False, False),
    ],
)
def test_nobody_stays_paused_where_no_switch_follows(pause: ReissuePause, behind: bool, ends: bool) -> None:
    """A user that is to get a certificate of another CA does: a flow that serves users one after the other lets it on."""
    seen = users("trusted", pause, behind=behind)
    wanted = (ResumeReissue(names=(ORDERS,)),) if ends else ()
    assert (resume_reissue(situation(seen)), resume_operators(seen)) == (wanted, wanted)
    paused = replace(seen, reconciliation=PAUSED)
    assert resume_operators(paused) == (Resume(phase=Phase.USE), *wanted)


def test_nobody_is_let_on_between_the_two_writes_of_the_switch_who_may_not_be_served_then() -> None:
    seen = users("trusted", ReissuePause.OURS).with_ca(key=NEW.certificate.public_key_sha256)
    assert resume_operators(seen) == (ResumeReissue(names=(ORDERS,)),)
    assert resume_operators(changed(seen, pause_reissue="It would store nonsense.")) == ()


def test_whoever_has_no_certificate_yet_does_not_stay_paused() -> None:
    seen = users("trusted", ReissuePause.OURS, behind=True, authorities=frozenset())
    assert resume_operators(seen) == (ResumeReissue(names=(ORDERS,)),)


def test_several_are_let_on_with_one_step() -> None:
    ours = ReissuePause.OURS
    seen = changed(
        STAGES["trusted"], presenters=presenting(presenter(ORDERS, pause=ours), presenter(PAYMENTS, pause=ours))
    )
    assert resume_operators(seen) == (ResumeReissue(names=(ORDERS, PAYMENTS)),)


@pytest.mark.parametrize(
    ("changes", "restarted"),
    [
        pytest.param({}, False, id="as it was started"),
        pytest.param({"presents_stored": False}, True, id="its leaf has changed"),
        pytest.param({"presents_stored": None}, False, id="who knows"),
        pytest.param({"generation": 7}, True, id="another generation"),
        pytest.param({"generation": None}, False, id="no generation"),
        pytest.param({"key_generation": 7}, True, id="another key generation"),
        pytest.param({"key_generation": 0}, False, id="the same key generation"),
    ],
)
def test_who_is_restarted_by_the_operator(changes: dict[str, Any], restarted: bool) -> None:
    seen = cluster(pods=(a_pod(**changes), *pods(names=PODS[1:])))
    assert restarted_by_operator(seen) == (uids_of(PODS[0]) if restarted else frozenset())


@pytest.mark.parametrize(
    ("changes", "works"),
    [
        pytest.param({}, False, id="nothing is half-way"),
        pytest.param({"bundle": None}, False, id="there is no bundle"),
        pytest.param({"bundle": frozenset({name_of(OLD), name_of(NEW)})}, True, id="the bundle does not follow the Secret"),
        pytest.param({"ca": secrets(OLD, key=NEW.certificate.public_key_sha256)}, True, id="key and certificate do not match"),
        pytest.param({"leaves": leaves(generation=7)}, True, id="leaves are of another generation"),
        pytest.param({"pods": (a_pod(presents_stored=False), *pods(names=PODS[1:]))}, True, id="a leaf has changed"),
        pytest.param({"pods": (a_pod(key_generation=7), *pods(names=PODS[1:]))}, True, id="a pod is not stamped"),
    ],
)  # fmt: skip
def test_the_operator_stays_paused_where_it_would_find_something_half_way(changes: dict[str, Any], works: bool) -> None:
    seen = cluster(reconciliation=PAUSED, **changes)
    assert finds_work(seen) is works
    assert resume_operators(seen) == (() if works else (Resume(phase=Phase.USE),))
    assert not finds_work(replace(seen, reconciliation=replace(PAUSED, generated=True))), "it sees to its own CA anyway"
