# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that write leaves into their Secrets, and steps about leaves that an issuer elsewhere or the User Operator issues."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import (
    Next,
    Standing,
    Wanted,
    next_action,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import ReissuePause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    DnsDomain,
    DomainSource,
    LinkCertificates,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AskForLeaves,
    AwaitIssuer,
    AwaitKept,
    AwaitPickUp,
    AwaitReissue,
    CollectLeaves,
    CorrectOrders,
    ForgetRequests,
    IssueLeaves,
    PauseReissue,
    RechainLeaves,
    ResumeReissue,
)

from .....tools.support.certificates import NOW
from .....tools.support.golden import GoldenFiles
from ... import linked, unlinked
from ...authorities import INTERMEDIATE, NEW, OLD, ROOT, THIRD, chain_of, link_of, name_of, names_of, stored_chain
from ...builders import changed, cluster, secrets
from ...nodes import PODS, a_leaf, a_pod
from ...of_users import ORDERS, PAYMENTS, STAGES
from ...requested import ISSUER, a_request, answered, refused, with_requests
from ...served import AUDIT, served
from ...stand_in import MadeHere

LINKED = IssueLeaves(secrets=linked.CHAINED, issuer=chain_of(NEW), generation=0, link=linked.LINK, phase=Phase.USE)


def test_steps_about_leaves_in_words(golden: GoldenFiles) -> None:
    steps: list[Step] = [
        LINKED,
        replace(LINKED, secrets=PODS[:1], link=None),
        replace(LINKED, issuer=chain_of(INTERMEDIATE, ROOT), link=None),
        RechainLeaves(secrets=PODS, generation=1, phase=Phase.RETIRE),
    ]
    golden.compare_said("steps", "\n".join(step.sentence() for step in steps))


@pytest.mark.parametrize(
    ("before", "step", "after"),
    [
        pytest.param(linked.TRUSTED, LINKED, linked.ISSUED, id="behind the link, and the CA in use behind that"),
        pytest.param(
            unlinked.LEARNED, IssueLeaves(secrets=PODS, issuer=chain_of(NEW), generation=1, phase=Phase.USE),
            unlinked.ISSUED, id="of the CA in use",
        ),
        pytest.param(
            linked.STRUCK,
            RechainLeaves(secrets=(*linked.CHAINED, linked.OWN), generation=1, phase=Phase.RETIRE),
            linked.RECHAINED, id="kept: nodes with another chain, and their processes present what is stored",
        ),
    ],
)  # fmt: skip
def test_a_step_has_this_effect(before: Snapshot, step: Step, after: Snapshot) -> None:
    assert step.effect(before, MadeHere()) == after


def test_a_missing_leaf_is_there_afterwards() -> None:
    before = cluster(missing={"gone": Component.KAFKA, "left": Component.KAFKA}, leaves=())
    step = IssueLeaves(secrets=("gone",), issuer=chain_of(OLD), generation=3, phase=Phase.USE)
    after = step.effect(before, MadeHere())
    assert after.leaves.stored == (a_leaf("gone", OLD, 3),)
    assert after.leaves.missing == {"left": Component.KAFKA}
    assert after.nodes.pods == before.nodes.pods


def test_what_was_wrong_with_a_leaf_is_right_afterwards_and_with_no_other() -> None:
    both = PODS[:2]
    spoilt = (a_leaf(name, generation=None, problem="is no PEM text", key_beside="ab") for name in both)
    before = cluster(
        leaves=tuple(spoilt),
        pods=tuple(a_pod(name) for name in both),
        misnamed=dict.fromkeys(both, "it lacks a name"),
        standing={name: Standing(name, chain_of(OLD), name_of(OLD), differs="other names") for name in both},
    )
    step = IssueLeaves(secrets=PODS[:1], issuer=chain_of(OLD), generation=0, phase=Phase.USE)
    issued, other = step.effect(before, MadeHere()), before.leaves
    assert issued.leaves.stored == (a_leaf(), other.stored[1])
    assert issued.nodes.pods == (a_pod(presents_stored=False), before.nodes.pods[1])
    assert issued.leaves.misnamed == {both[1]: other.misnamed[both[1]]}
    assert issued.leaves.standing == {
        both[0]: Standing(both[0], differs="other names"),
        both[1]: other.standing[both[1]],
    }


def test_only_nodes_present_the_link_certificates_of_the_ca_in_use() -> None:
    forth, back = link_of(OLD, THIRD), link_of(THIRD, OLD)
    ca = secrets(kept_links={name_of(OLD): LinkCertificates(forth, back)})
    exporter = a_leaf("exporter", component=Component.KAFKA_EXPORTER)
    step = IssueLeaves(secrets=(PODS[0], "exporter"), issuer=chain_of(OLD), generation=0, phase=Phase.USE)
    issued = step.effect(cluster(ca=ca, leaves=(a_leaf(), exporter)), MadeHere()).leaves.stored
    leaf = stored_chain(OLD)[0]
    assert [one.chain for one in issued] == [(leaf, forth, back, OLD.certificate), (leaf, OLD.certificate)]


def test_a_corrected_order_differs_no_more_and_no_other_is_corrected(golden: GoldenFiles) -> None:
    standing = {name: Standing(name, chain_of(OLD), name_of(OLD), differs="other names") for name in PODS}
    step = CorrectOrders(secrets=PODS[:2], external_issuer=ISSUER, phase=Phase.USE)
    golden.compare_said("steps", step.sentence())
    after = step.effect(cluster(standing=standing), MadeHere())
    expected = {name: replace(one, differs="" if name in PODS[:2] else one.differs) for name, one in standing.items()}
    assert after == cluster(standing=expected)


@pytest.mark.parametrize("component", Component)
def test_only_nodes_get_the_chain_of_the_ca_in_use(component: Component) -> None:
    before = cluster(ca=secrets(NEW), leaves=(a_leaf(component=component),))
    (after,) = RechainLeaves(secrets=PODS, generation=1, phase=Phase.USE).effect(before, MadeHere()).leaves.stored
    behind = chain_of(NEW if component is Component.KAFKA else OLD)
    assert after == a_leaf(component=component, generation=1, chain=(stored_chain(OLD)[0], *behind))


def test_an_unreadable_leaf_has_no_chain_to_change() -> None:
    before = cluster(leaves=(a_leaf(chain=None),))
    after = RechainLeaves(secrets=PODS, generation=1, phase=Phase.USE).effect(before, MadeHere())
    assert after.leaves.stored == (a_leaf(chain=None, generation=1),)


def test_issuing_gives_the_named_users_a_certificate_of_the_ca_in_use() -> None:
    """The other users keep the certificates that they had."""
    before = served("switched", missing=("payments",))
    issuer = chain_of(NEW, ROOT)
    step = IssueLeaves(secrets=("orders", "payments"), issuer=issuer, generation=1, phase=Phase.USE)
    after = step.effect(before, MadeHere())
    found = {name: (leaf.chain[1:], leaf.generation) for name, leaf in after.user_leaves.items() if leaf and leaf.chain}
    assert found["orders"] == found["payments"] == (issuer, 1)
    assert after.user_leaves["audit"] == before.user_leaves["audit"]
    assert {one.name: one.is_outdated for one in after.presenters if one.secret} == {AUDIT: True, ORDERS: False}
    assert next(one.authorities for one in after.presenters if one.name == ORDERS) == names_of(NEW)


def test_a_user_keeps_its_certificate_beside_the_renewed_ca() -> None:
    before = served("switched")
    after = RechainLeaves(secrets=("orders",), generation=1, phase=Phase.USE).effect(before, MadeHere())
    kept, untouched = after.user_leaves["orders"], before.user_leaves["orders"]
    assert kept is not None
    assert untouched is not None
    assert (kept.chain, kept.generation) == (untouched.chain, 1)
    assert {one.name: one.is_outdated for one in after.presenters if one.secret} == {
        AUDIT: True,
        ORDERS: False,
        PAYMENTS: True,
    }


# Steps about leaves that an issuer elsewhere signs: in words, and what comes of them in a forecast.

PREPARE = Phase.PREPARE
ASK = AskForLeaves(secrets=PODS, issuer=chain_of(NEW, ROOT), external_issuer=ISSUER, phase=PREPARE)
COLLECT = CollectLeaves(secrets=PODS[:1], external_issuer=ISSUER, phase=PREPARE)
AWAIT = AwaitIssuer(secrets=PODS[:2], issuer=chain_of(NEW, ROOT), external_issuer=ISSUER, deadline=NOW, phase=PREPARE)
FORGET = ForgetRequests(secrets=PODS[:1], phase=Phase.USE)
WANTED = Wanted(ISSUER, name_of(NEW))


def test_requests_in_words(golden: GoldenFiles) -> None:
    steps: list[Step] = [
        ASK,
        replace(ASK, domain=DnsDomain()),
        replace(ASK, domain=DnsDomain("corp.internal", DomainSource.OPERATOR)),
        COLLECT,
        AWAIT,
        FORGET,
    ]
    golden.compare_said("steps", "\n".join(step.sentence() for step in steps))


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
def test_steps_about_requests_have_this_effect(
    before: tuple[object, ...], step: Step, expected: dict[str, Next]
) -> None:
    snapshot = with_requests(cluster(), *before)  # type: ignore[arg-type]
    assert {name: one for name, one in after(snapshot, step).items() if name != "stranger"} == expected


def test_steps_about_requests_change_requests_only() -> None:
    before = with_requests(cluster(), *map(a_request, PODS))
    for step in (ASK, COLLECT, AWAIT, FORGET):
        assert changed(step.effect(before, MadeHere()), requests=before.leaves.requests) == before


def test_an_issuer_answers_with_the_requested_ca() -> None:
    for step in (ASK, AWAIT):
        made = step.effect(with_requests(cluster(), a_request(PODS[0])), MadeHere()).leaves.requests[PODS[0]]
        assert made.answer == (stored_chain(NEW)[0], *chain_of(NEW, ROOT))
        assert (made.authority, made.is_open) == (name_of(NEW), False)


def test_an_answer_that_is_there_is_kept_while_others_are_waited_for() -> None:
    there = answered(PODS[0])
    after_ = AWAIT.effect(with_requests(cluster(), there, a_request(PODS[1])), MadeHere()).leaves.requests
    assert after_[PODS[0]] == there


# Steps about certificates of users: their sentences, and what a forecast makes of them.


def test_sentences_about_users(golden: GoldenFiles) -> None:
    reissue = AwaitReissue(names=(ORDERS, PAYMENTS), authority=NEW.certificate)
    of_users = [
        reissue,
        replace(reissue, batch=3),
        PauseReissue(names=(ORDERS,)),
        ResumeReissue(names=(ORDERS, PAYMENTS)),
        AwaitKept(names=(ORDERS,), authority=NEW.certificate),
        AwaitPickUp(names=("KafkaConnect kafka/a",), authority=NEW.certificate),
    ]
    golden.compare_said("steps", "\n".join(step.sentence() for step in of_users))


@pytest.mark.parametrize("step", [AwaitReissue, AwaitPickUp])
def test_a_forecast_takes_the_waits_for_users_and_programs_for_done(step: type[AwaitReissue | AwaitPickUp]) -> None:
    after = step(names=(ORDERS,), authority=NEW.certificate).effect(STAGES["switched"], MadeHere())
    found = {one.name: (one.authorities == names_of(NEW), one.is_outdated) for one in after.presenters}
    assert (found[ORDERS], found[PAYMENTS]) == ((True, False), (False, True))


def test_a_pause_concerns_the_named_users_and_ends_with_their_turn() -> None:
    def pauses(step: PauseReissue | ResumeReissue | AwaitReissue | AwaitKept) -> dict[str, ReissuePause]:
        found = step.effect(paused, MadeHere()).presenters
        return {one.name: one.pause for one in found if one.name in (ORDERS, PAYMENTS)}

    ours, none = ReissuePause.OURS, ReissuePause.NONE
    paused = STAGES["trusted"]
    assert pauses(PauseReissue(names=(ORDERS,))) == {ORDERS: ours, PAYMENTS: none}
    paused = PauseReissue(names=(ORDERS, PAYMENTS)).effect(STAGES["switched"], MadeHere())
    assert pauses(ResumeReissue(names=(ORDERS,))) == {ORDERS: none, PAYMENTS: ours}
    assert pauses(AwaitReissue(names=(ORDERS,), authority=NEW.certificate)) == {ORDERS: none, PAYMENTS: ours}
    assert pauses(AwaitKept(names=(ORDERS,), authority=NEW.certificate)) == {ORDERS: none, PAYMENTS: ours}
