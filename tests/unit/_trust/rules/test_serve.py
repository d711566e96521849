# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users get certificates that an issuer elsewhere has signed, after the switch, and the User Operator is let on to them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import ReissuePause, UserName
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Steps,
    Violation,
    Wait,
    steps_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot, UnlabelledSecret
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AwaitKept,
    IssueLeaves,
    PauseReissue,
    RechainLeaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.holds import await_free_names
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import pause_reissue, resume_reissue
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.requests import (
    leaves_to_ask_for,
    reissue,
    resume_served_users,
    write_user_leaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import switch

from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import an_intent, changed_intent
from ..authorities import NEW, OLD, RENEWED, chain_of
from ..builders import changed, secrets
from ..ledgers import entry, ledger
from ..of_users import ORDERS, PAYMENTS, STAGES, presenter, presenting
from ..requested import ISSUER, at_hand
from ..served import AUDIT, USERS, served, user, user_leaf
from .asking import holds, situation

REPLACE_KEY = an_intent(Goal.REPLACE_KEY, external_issuer=ISSUER)
ALL_USERS = tuple(USERS)


def issued(*names: str) -> Steps:
    return (IssueLeaves(secrets=names, issuer=chain_of(NEW), generation=1, phase=Phase.USE),) if names else ()


def at_hand_for(snapshot: Snapshot, *names: str) -> Snapshot:
    return at_hand(snapshot, names=names)


@pytest.mark.parametrize(
    ("snapshot", "names"),
    [
        pytest.param(served("switched"), (), id="nothing has come"),
        pytest.param(served("switched", missing=("audit",)), (), id="nothing has come, and a user has no Secret"),
        pytest.param(at_hand_for(served("switched"), *ALL_USERS), ("audit",), id="one first"),
        pytest.param(at_hand_for(served("switched"), "payments"), ("payments",), id="the one that is at hand"),
        pytest.param(
            at_hand_for(served("switched", "audit"), *ALL_USERS), ("orders", "payments"), id="then all others"
        ),
        pytest.param(
            at_hand_for(served("switched", "audit", missing=("orders",)), "orders"), ("orders",), id="one that has no Secret"
        ),
        pytest.param(at_hand_for(served("switched", *ALL_USERS), *ALL_USERS), (), id="every user has one"),
        pytest.param(at_hand_for(served("trusted"), *ALL_USERS), (), id="before the switch"),
        pytest.param(
            at_hand_for(changed(served("switched"), user_leaves={}), *ALL_USERS), (), id="no user is served"
        ),
    ],
)  # fmt: skip
def test_a_pass_writes_the_user_certificates_that_have_come(snapshot: Snapshot, names: tuple[str, ...]) -> None:
    assert write_user_leaves(situation(snapshot, REPLACE_KEY)) == issued(*names)


def test_a_user_whose_secret_cannot_be_created_delays_no_other_user() -> None:
    seen = at_hand_for(served("switched", missing=("audit",)), *ALL_USERS)
    assert write_user_leaves(
        situation(seen, changed_intent(REPLACE_KEY, taken_names=frozenset({"audit", "stranger"})))
    ) == issued("orders")


def test_the_labels_that_a_secret_has_lost_are_put_back_in_the_namespace_of_its_user(golden: GoldenFiles) -> None:
    lost = UnlabelledSecret(("a=b",), "by which it is known", holds=False)
    party = presenter("a user of team", user=UserName("team", "audit"), secret="audit")
    seen = changed(
        served("switched"), presenters=presenting(party, current=NEW), unlabelled_of_users={("team", "audit"): lost}
    )
    waits = await_free_names(situation(seen, changed_intent(REPLACE_KEY, taken_names=frozenset({"audit"}))))
    assert isinstance(waits, Wait)
    (held,) = waits.violations
    golden.compare_said("stops_in_rules", held)


@pytest.mark.parametrize(
    ("batch", "names"), [(1, ("orders",)), (2, ("orders", "payments")), (None, ("orders", "payments"))]
)
def test_users_are_served_in_batches_of_the_given_size(batch: int | None, names: tuple[str, ...]) -> None:
    seen = at_hand_for(served("switched", "audit"), *ALL_USERS)
    assert write_user_leaves(situation(seen, changed_intent(REPLACE_KEY, user_batch=batch))) == issued(*names)


@pytest.mark.parametrize("closed", ["trust", "alone"])
def test_nothing_is_written_that_a_verifier_may_refuse(closed: str) -> None:
    """I3: what cert-manager has renewed by another CA is one of these."""
    why = (Violation(Condition.TRUST, "pod demo-kafka-0", "refuses it.", "Wait."),)
    gates = replace(GATES, **{closed: lambda *_asked: why})
    assert write_user_leaves(situation(at_hand_for(served("switched"), *ALL_USERS), REPLACE_KEY, gates)) == ()


def test_after_a_renewal_what_the_key_has_signed_is_kept() -> None:
    """The CA beside it is exchanged, and no issuer is asked for another certificate."""
    ca = secrets(RENEWED, certificate_generation=1, keys_elsewhere=frozenset({RENEWED.certificate.public_key_sha256}))
    books = ledger(entry(OLD, generations={0}), entry(RENEWED, generations={1}))
    leaves = {name: user_leaf(name) for name in USERS}
    at = situation(changed(STAGES["switched"], ca=ca, ledger=books, user_leaves=leaves), REPLACE_KEY)
    assert write_user_leaves(at) == (RechainLeaves(secrets=("audit",), generation=1, phase=Phase.USE),)
    asked = leaves_to_ask_for(at)
    assert asked is not None
    assert asked.secrets == ()


@pytest.mark.parametrize("pause", [ReissuePause.OURS, ReissuePause.ASKED])
def test_a_user_with_a_certificate_is_resumed_before_others_get_theirs(pause: ReissuePause) -> None:
    first = user("audit", NEW, is_outdated=False, pause=pause)
    waiting = user("orders", pause=pause), user("payments", NEW, is_outdated=False, pause=ReissuePause.FOREIGN)
    at = situation(changed(served("switched", "audit"), presenters=(first, *waiting)), REPLACE_KEY)
    assert resume_served_users(at) == (AwaitKept(names=(AUDIT,), authority=NEW.certificate),)
    assert resume_served_users(replace(at, snapshot=at.snapshot.with_ca(keys_elsewhere=frozenset()))) == ()


def test_a_user_stays_paused_whose_certificate_the_user_operator_would_renew() -> None:
    """It has no key for that."""
    paused = user("audit", NEW, is_outdated=False, pause=ReissuePause.OURS)
    seen = changed(served("switched", "audit"), presenters=(paused,))
    own = seen.user_leaves["audit"]
    assert own is not None
    assert own.chain is not None
    left = own.chain[0].not_after - seen.now
    for window, is_kept in ((left, True), (left + timedelta(seconds=1), False)):
        leaves = {**seen.user_leaves, "audit": replace(own, renewal_window=window)}
        at = situation(changed(seen, user_leaves=leaves), REPLACE_KEY)
        assert (bool(resume_served_users(at)), bool(resume_reissue(at))) == (is_kept, is_kept)
    here = situation(changed(seen, user_leaves=leaves).with_ca(keys_elsewhere=frozenset()), REPLACE_KEY)
    assert resume_reissue(here), "with the key, the User Operator issues another certificate"


def test_no_user_is_resumed_that_was_not_paused() -> None:
    assert resume_served_users(situation(served("switched", "audit"), REPLACE_KEY)) == ()


def test_the_user_operator_is_not_asked_for_certificates_that_it_cannot_issue() -> None:
    assert reissue(situation(served("switched"), REPLACE_KEY)) == ()
    assert reissue(situation(STAGES["switched"], REPLACE_KEY)) != ()


def test_certificates_of_the_next_ca_are_asked_for_before_the_switch() -> None:
    asked = leaves_to_ask_for(situation(served("published", missing=("payments",)), REPLACE_KEY))
    assert asked is not None
    assert (asked.secrets, asked.issuer) == (ALL_USERS, chain_of(NEW))
    assert asked.reasons["payments"].explanation == "there is none"


def test_the_switch_waits_until_the_certificates_of_all_users_are_at_hand(golden: GoldenFiles) -> None:
    all_at_hand = at_hand_for(served("trusted"), *ALL_USERS)
    assert steps_of(switch(situation(at_hand_for(served("trusted"), "audit", "orders"), REPLACE_KEY))) == ()
    (step,) = switch(situation(all_at_hand, REPLACE_KEY))
    assert isinstance(step, PauseReissue)
    assert step.names == (AUDIT, ORDERS, PAYMENTS)
    golden.compare_said("steps", step.because)


@pytest.mark.parametrize("pause", [ReissuePause.NONE, ReissuePause.ASKED, ReissuePause.ENDED])
def test_every_user_is_paused_for_a_ca_whose_key_is_kept_elsewhere(pause: ReissuePause) -> None:
    """Whether the caller wants batches or not; one that the User Operator has not looked at since its pause as well."""
    at = situation(served("trusted", presenters=(user("orders", pause=pause),)), REPLACE_KEY)
    (step,) = pause_reissue(at)
    assert isinstance(step, PauseReissue)
    assert step.names == (ORDERS,)


def test_a_user_named_as_a_process_holds_the_flow(golden: GoldenFiles) -> None:
    """It was made after the CA came into use: no issuer issues it a certificate, and the administrator has to know."""
    name = "KafkaUser kafka/demo-kafka"
    held = holds(situation(served("issued", *ALL_USERS, namesakes=(name,)), REPLACE_KEY))
    (namesake,) = (one for one in held if one.subject == name)
    golden.compare_said("stops_in_rules", namesake)
    assert not any(name in str(one) for one in holds(situation(changed(STAGES["issued"], namesakes=(name,)))))
