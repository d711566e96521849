# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users get certificates of the CA in use after the switch, and programs read them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import ReissuePause, Renewal, Waiver
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import steps_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AwaitPickUp,
    AwaitReissue,
    ResumeReissue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import resume_reissue
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.requests import await_pick_up, reissue

from ....tools.support.certificates import DAY, NOW
from ....tools.support.intents import changed_intent
from ..authorities import NEW, OLD, THIRD, names_of
from ..builders import changed
from ..of_users import ORDERS, PAYMENTS, STAGES, presenter, presenting
from .asking import REPLACE_KEY, situation

CONNECT = "KafkaConnect kafka/connect"


def test_after_the_switch_every_user_is_issued_again() -> None:
    (step,) = reissue(situation(STAGES["switched"]))
    assert isinstance(step, AwaitReissue)
    assert (step.names, step.authority) == ((ORDERS, PAYMENTS), NEW.certificate)


@pytest.mark.parametrize("stage", ["published", "trusted", "issued"])
def test_users_are_reissued_after_the_switch_only(stage: str) -> None:
    behind = tuple(replace(one, is_outdated=stage != "issued") for one in STAGES[stage].presenters)
    assert reissue(situation(changed(STAGES[stage], presenters=behind))) == ()


def test_a_waived_user_is_not_waited_for() -> None:
    waivers = (Waiver(ORDERS, NOW + DAY, "gone"),)
    (step,) = reissue(situation(changed(STAGES["switched"], waivers=waivers)))
    assert isinstance(step, AwaitReissue)
    assert step.names == (PAYMENTS,)


@pytest.mark.parametrize(
    ("fields", "waits"), [({}, True), ({"hindrance": "it is not ready"}, False)], ids=["none yet", "none"]
)
def test_a_user_without_a_certificate_is_waited_for(fields: dict[str, str], waits: bool) -> None:
    """It may be on its way since before the switch."""
    new = presenter(ORDERS, authorities=frozenset(), is_outdated=True, **fields)
    seen = presenting(new, presenter(PAYMENTS, is_outdated=True), current=NEW)
    (step,) = reissue(situation(changed(STAGES["switched"], presenters=seen)))
    assert isinstance(step, AwaitReissue)
    assert step.names == ((ORDERS, PAYMENTS) if waits else (PAYMENTS,))


def test_a_user_that_another_program_has_paused_delays_no_run() -> None:
    paused = presenter(ORDERS, is_outdated=True, pause=ReissuePause.FOREIGN)
    seen = presenting(paused, presenter(PAYMENTS, is_outdated=True), current=NEW)
    (step,) = reissue(situation(changed(STAGES["switched"], presenters=seen)))
    assert isinstance(step, AwaitReissue)
    assert step.names == (PAYMENTS,)


def test_programs_that_read_the_certificate_of_a_paused_user_delay_no_run() -> None:
    late = presenter(CONNECT, OLD, renewal=Renewal.FOLLOWED, pause=ReissuePause.FOREIGN)
    seen = changed(STAGES["issued"], presenters=presenting(late, current=NEW))
    assert steps_of(await_pick_up(situation(seen))) == ()


def test_programs_that_the_operator_restarts_are_waited_for() -> None:
    late = presenter(CONNECT, None, authorities=names_of(OLD, NEW), renewal=Renewal.FOLLOWED)
    other = presenter("Pod kafka/app", OLD)
    seen = changed(STAGES["issued"], presenters=presenting(late, other, current=NEW))
    (step,) = await_pick_up(situation(seen))
    assert isinstance(step, AwaitPickUp)
    assert (step.names, step.authority, step.replaced) == ((CONNECT,), NEW.certificate, OLD.certificate.fingerprint)


def test_programs_that_present_nothing_of_the_replaced_ca_are_not_waited_for() -> None:
    """Another CA, trusted beside, has no successor that the operator could bring them to."""
    beside = presenter(CONNECT, None, authorities=names_of(NEW, THIRD), renewal=Renewal.FOLLOWED)
    seen = changed(STAGES["issued"], presenters=presenting(beside, current=NEW))
    assert steps_of(await_pick_up(situation(seen))) == ()


def test_the_flow_does_not_wait_for_programs_that_have_read_their_certificate() -> None:
    seen = presenting(presenter(CONNECT, NEW, renewal=Renewal.FOLLOWED), current=NEW)
    assert steps_of(await_pick_up(situation(changed(STAGES["issued"], presenters=seen)))) == ()
    seen = presenting(presenter(CONNECT, OLD, renewal=Renewal.FOLLOWED))
    assert steps_of(await_pick_up(situation(changed(STAGES["trusted"], presenters=seen)))) == ()


def test_a_user_that_gets_no_certificate_any_more_is_not_waited_for() -> None:
    """Its pause ends without that."""
    moved = presenter(ORDERS, None, authorities=frozenset(), renewal=Renewal.BY_HAND, pause=ReissuePause.OURS)
    seen = changed(STAGES["switched"], presenters=presenting(moved, current=NEW))
    assert reissue(situation(seen)) == ()


def test_the_pause_of_a_user_ends_with_its_turn() -> None:
    """Also of a user that has its certificate already. The pause of a user with a waiver ends without a wait."""
    waivers = (Waiver(ORDERS, NOW + DAY, "gone"),)
    first = presenter(ORDERS, is_outdated=True, pause=ReissuePause.OURS)
    second = presenter(PAYMENTS, NEW, pause=ReissuePause.ASKED)
    seen = changed(STAGES["switched"], waivers=waivers, presenters=presenting(first, second, current=NEW))
    (step,) = reissue(situation(seen, changed_intent(REPLACE_KEY, user_batch=7)))
    assert isinstance(step, AwaitReissue)
    assert (step.names, step.batch) == ((PAYMENTS,), 7)
    (step,) = resume_reissue(situation(seen))
    assert isinstance(step, ResumeReissue)
    assert step.names == (ORDERS, PAYMENTS)


def test_a_user_with_a_waiver_stays_paused_while_only_this_collection_can_serve_it() -> None:
    """The User Operator could sign nothing, and would store an empty certificate where it makes no PKCS#12 files."""
    waivers = (Waiver(ORDERS, NOW + DAY, "gone"),)
    paused = presenter(ORDERS, is_outdated=True, pause=ReissuePause.OURS)
    ca = replace(
        STAGES["switched"].ca,
        key=NEW.certificate.public_key_sha256,
        keys_elsewhere=frozenset({NEW.certificate.public_key_sha256}),
    )
    seen = changed(STAGES["switched"], waivers=waivers, ca=ca, presenters=presenting(paused, current=NEW))
    assert resume_reissue(situation(seen)) == ()
