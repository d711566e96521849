# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decisions about the clients CA: what comes next, what holds it, whom the gates ask, and laws whatever users present and brokers say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.parties import is_taken_up, present_all
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import usage_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import removal_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.verifiers import verifying_parties
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import forget_removed, note_reloads
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    Presenter,
    ReissuePause,
    Renewal,
    Waiver,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Look, steps_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    RemovedEntry,
    TrustState,
    Usage,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import InPlaceObstacles, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import Switch
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Reload, Roll, RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Withdraw, WriteLedger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import prepare, restart_to_trust

from ...tools.support.certificates import DAY, NOW
from ...tools.support.golden import GoldenFiles
from ...tools.support.intents import changed_intent
from .authorities import NEW, OLD, name_of, names_of
from .builders import PAUSED, RUNS, answering, changed
from .ledgers import ALL, ANY, UNUSED, a_journal, entry, ledger
from .nodes import PODS, uid_of, uids_of
from .of_users import ORDERS, PAYMENTS, STAGES, USER_OPERATOR, presenter, presenting, users
from .rules.asking import situation

REPLACE_KEY = Intent(Goal.REPLACE_KEY)
NEW_NAME, OLD_NAME = named(NEW.certificate), named(OLD.certificate)


def test_users_present_and_brokers_do_not() -> None:
    assert [one.party for one in present_all(users(), users().ledger_or_empty)] == [USER_OPERATOR, ORDERS, PAYMENTS]


@pytest.mark.parametrize(
    ("state", "other", "expected"),
    [
        pytest.param(ALL, None, True, id="used by all"),
        pytest.param(UNUSED, None, False, id="not in use"),
        pytest.param(ANY, presenter("partner", NEW, renewal=Renewal.BY_HAND), True, id="another issuer issues"),
        pytest.param(ANY, presenter("partner", None, renewal=Renewal.BY_HAND), False, id="not known"),
        pytest.param(ANY, presenter("partner", NEW), False, id="to be issued to"),
        pytest.param(
            ANY,
            presenter("partner", authorities=names_of(OLD, NEW)),
            False,
            id="may not have read its last certificate",
        ),
        pytest.param(ANY, presenter("Connect", NEW, renewal=Renewal.FOLLOWED), False, id="to be restarted"),
    ],
)
def test_whether_a_ca_is_taken_up(state: TrustState, other: Presenter | None, expected: bool) -> None:
    own, others = entry(OLD, state, {0}), (other,) if other else ()
    seen = users(ledger=ledger(own, entry(NEW, ANY)), presenters=presenting(presenter(), *others))
    assert is_taken_up(own, seen, seen.ledger_or_empty) is expected


def test_a_user_that_presents_nothing_is_not_counted() -> None:
    seen = users(presenters=presenting(presenter(authorities=frozenset()), presenter(PAYMENTS)))
    assert [one.party for one in present_all(seen, seen.ledger_or_empty)] == [USER_OPERATOR, PAYMENTS]


def test_without_brokers_nothing_is_said() -> None:
    assert present_all(users(pods=()), users().ledger_or_empty) == ()


def test_a_ca_that_issues_is_in_use_without_a_user() -> None:
    seen = users(presenters=presenting())
    assert usage_of(name_of(OLD), present_all(seen, seen.ledger_or_empty)) is Usage.ALL


def test_the_cluster_operator_verifies_no_client() -> None:
    assert [party.name for party in verifying_parties(users(), users().ledger_or_empty)] == [
        f"pod {name}" for name in PODS
    ]


def test_the_clients_ca_gets_no_link_certificate() -> None:
    (step,) = prepare(situation(users()))
    assert "a link certificate" not in step.sentence()


class TestTrust:
    def test_listeners_read_the_next_clients_ca_without_a_restart(self, golden: GoldenFiles) -> None:
        (step,) = restart_to_trust(situation(STAGES["published"]))
        assert isinstance(step, Reload)
        assert (step.uids, step.authority, step.trusting) == (uids_of(), NEW.certificate, True)
        golden.compare_said("steps", f"{step.sentence()}\n{step.because}")

    @pytest.mark.parametrize(
        ("fields", "spread"),
        [
            ({"in_place_obstacles": None}, Spread.AUTO),
            ({"in_place_obstacles": InPlaceObstacles(reload="no way.")}, Spread.AUTO),
            ({}, Spread.RESTART),
        ],
        ids=["unknown", "an obstacle", "asked for"],
    )
    def test_nodes_that_cannot_reload_restart_to_trust_the_next_clients_ca(
        self, fields: dict[str, InPlaceObstacles | None], spread: Spread, golden: GoldenFiles
    ) -> None:
        seen = changed(STAGES["published"], **fields)
        (step,) = restart_to_trust(situation(seen, changed_intent(REPLACE_KEY, spread=spread)))
        assert isinstance(step, Roll)
        assert (step.reason, step.uids) == (RollReason.TRUST, uids_of())
        golden.compare_said("steps", step.avoidable_restart, golden.row)
        assert step.look(seen) is Look.FRESH

    def test_a_restart_to_trust_leaves_no_awaited_pod(self) -> None:
        (step,) = restart_to_trust(situation(STAGES["published"]))
        after = step.effect(STAGES["published"], None)  # type: ignore[arg-type]
        known = after.ledger_or_empty.find(name_of(NEW))
        assert known is not None
        assert known.awaited_pods == frozenset()

    def test_the_ledger_notes_nodes_whose_listeners_accept_the_next_clients_ca(self) -> None:
        asked = answering(STAGES["published"], accepting=[name_of(OLD), name_of(NEW)])
        known = note_reloads(asked, asked.ledger_or_empty).find(name_of(NEW))
        assert known is not None
        assert known.awaited_pods == frozenset()

    def test_brokers_that_refuse_the_next_ca_are_not_noted_as_reloaded(self) -> None:
        asked = answering(STAGES["published"], accepting=[name_of(OLD)], refusing=[name_of(NEW)])
        assert note_reloads(asked, asked.ledger_or_empty) == asked.ledger_or_empty
        assert note_reloads(STAGES["published"], asked.ledger_or_empty) == asked.ledger_or_empty

    def test_a_node_in_which_more_than_listeners_verifies_stays_awaited(self) -> None:
        asked = answering(STAGES["published"], accepting=[name_of(OLD), name_of(NEW)])
        first, *others = asked.nodes.pods
        asked = changed(asked, pods=(replace(first, verifies_only=False), *others))
        known = note_reloads(asked, asked.ledger_or_empty).find(name_of(NEW))
        assert known is not None
        assert known.awaited_pods == frozenset({first.uid})


class TestRemoval:
    def test_the_old_ca_stays_for_every_presenter(self) -> None:
        found = removal_gate(STAGES["switched"], STAGES["switched"].ledger_or_empty, name_of(OLD))
        assert [(one.condition, one.subject) for one in found] == [
            (Condition.REMOVAL, ORDERS), (Condition.REMOVAL, PAYMENTS),
        ]  # fmt: skip

    def test_a_ca_stays_for_users_with_an_unknown_issuer(self) -> None:
        unknown = presenter(issuer=None, evidence="no issuer is recorded")
        seen = changed(STAGES["issued"], presenters=presenting(unknown, current=NEW))
        found = removal_gate(seen, seen.ledger_or_empty, name_of(OLD))
        assert [(one.subject, one.message) for one in found] == [(ORDERS, f"{unknown.evidence}.")]

    def test_the_old_ca_does_not_stay_for_waived_users(self) -> None:
        seen = changed(STAGES["switched"], waivers=tuple(Waiver(one, NOW + DAY, "x") for one in (ORDERS, PAYMENTS)))
        assert removal_gate(seen, seen.ledger_or_empty, name_of(OLD)) == ()

    def test_open(self) -> None:
        assert removal_gate(STAGES["issued"], STAGES["issued"].ledger_or_empty, name_of(OLD)) == ()

    def test_a_removed_clients_ca_is_forgotten_once_its_listeners_refuse_it(self) -> None:
        """Only listeners verify by this CA in the process."""
        books = ledger(entry(NEW, ALL, {1}), removed_cas=(RemovedEntry(OLD.certificate, uids_of()),))
        ca, read = replace(STAGES["issued"].ca, other_entries={}), frozenset({name_of(NEW)})
        withdrawn = changed(STAGES["issued"], ledger=books, ca=ca, bundle=read)
        asked = answering(withdrawn, accepting=[name_of(NEW)], refusing=[name_of(OLD)])
        assert forget_removed(asked, books).removed_cas == ()
        first, *others = asked.nodes.pods
        asked = changed(asked, pods=(replace(first, verifies_only=False), *others))
        (left,) = forget_removed(asked, books).removed_cas
        assert left.lingering_pods == frozenset({uid_of(PODS[0])})


class TestWithoutAListenerThatVerifies:
    """No broker has to trust a CA or to forget one; users get their certificates as ever."""

    def test_without_verifiers_the_presenters_stay(self) -> None:
        seen = users(has_verifiers=False)
        assert verifying_parties(seen, seen.ledger_or_empty) == ()
        assert present_all(seen, seen.ledger_or_empty) == present_all(users(), users().ledger_or_empty)

    def test_without_verifiers_no_pod_restarts_to_trust_the_next_ca(self) -> None:
        seen = changed(STAGES["published"], has_verifiers=False)
        assert steps_of(restart_to_trust(situation(seen))) == ()
        (step,) = decide(seen, REPLACE_KEY).steps
        assert isinstance(step, WriteLedger)
        known = step.ledger.find(name_of(NEW))
        assert known is not None
        assert (known.state, known.awaited_pods) == (UNUSED, uids_of()), "a listener may come back before they restart"

    @pytest.mark.parametrize("listeners", [None, ()], ids=["not asked", "no listener to ask"])
    def test_without_verifiers_no_pod_has_to_forget_the_old_ca(self, listeners: tuple[()] | None) -> None:
        books = ledger(
            entry(NEW, ALL, {1}), removed_cas=(RemovedEntry(OLD.certificate, uids_of()),), journal=a_journal()
        )
        ca = replace(STAGES["issued"].ca, other_entries={}, kept_keys=frozenset())
        read = frozenset({name_of(NEW)})
        seen = changed(STAGES["issued"], ledger=books, ca=ca, bundle=read, has_verifiers=False, listeners=listeners)
        (step,) = decide(seen, REPLACE_KEY).steps
        assert isinstance(step, WriteLedger)
        assert (step.ledger.removed_cas, in_flight(step.ledger)) == ((), None)

    def test_the_old_ca_stays_for_users_that_present_it(self) -> None:
        seen = changed(STAGES["switched"], has_verifiers=False)
        assert len(removal_gate(seen, seen.ledger_or_empty, name_of(OLD))) == 2


class TestHolds:
    def test_a_program_that_has_not_read_its_certificate_holds_the_removal(self, golden: GoldenFiles) -> None:
        late = presenter("Pod kafka/app", authorities=names_of(OLD, NEW), evidence="it has not read it")
        users_ = (presenter(issuer=NEW), late)
        seen = changed(STAGES["switched"], presenters=presenting(*users_, current=NEW))
        decision = decide(
            replace(
                seen, ledger=ledger(entry(OLD, ANY, {0}), entry(NEW, ANY, {1}), journal=seen.ledger_or_empty.journal)
            ),
            REPLACE_KEY,
        )
        (held,) = decision.violations
        assert (held.condition, held.subject) == (Condition.REMOVAL, late.name)
        golden.compare_said("stops_in_rules", held)

    def test_a_user_with_an_unknown_issuer_holds_the_flow(self) -> None:
        seen = changed(
            STAGES["issued"],
            presenters=presenting(presenter(issuer=None, evidence="no issuer is recorded"), current=NEW),
        )
        decision = decide(seen, REPLACE_KEY)
        assert (Condition.EVIDENCE, ORDERS) in [(one.condition, one.subject) for one in decision.violations]


# No CA of users is used before every broker accepts it, and none leaves that a user may present, whatever users present and brokers say.

IN_BATCHES = changed_intent(REPLACE_KEY, user_batch=1)
EITHER = st.sampled_from((names_of(OLD), names_of(NEW), names_of(OLD, NEW), frozenset(), None))


#: Stages, users, answers and waivers have many combinations.
MANY = settings(max_examples=4 * settings.default.max_examples)


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


@MANY
@given(clusters())
def test_laws_of_users(snapshot: Snapshot) -> None:
    at_once, in_batches = (decide(snapshot, intent) for intent in (REPLACE_KEY, IN_BATCHES))
    assert not at_once.done, "no run says that it is done before its flow is"
    for step in at_once.steps:
        if isinstance(step, Switch) and snapshot.has_verifiers:
            assert _every_listener_accepts(snapshot)
        if isinstance(step, Withdraw):
            assert step.certificate == OLD.certificate
            assert _users_that_may_present_it(snapshot) == []
    if any(isinstance(step, Switch) for step in in_batches.steps):
        served = (ReissuePause.NONE, ReissuePause.ASKED)
        assert all(one.pause not in served for one in snapshot.presenters if one.renewal is Renewal.ISSUED)
    for decision in (at_once, in_batches):
        # No run ends with a paused user that no switch concerns.
        assert decision.steps or all(one.is_outdated or not one.pause.is_ours for one in snapshot.presenters)


def _every_listener_accepts(snapshot: Snapshot) -> bool:
    if snapshot.nodes.listeners is not None:
        return all(name_of(NEW) in one.accepts for one in snapshot.nodes.listeners)
    found = snapshot.ledger_or_empty.find(name_of(NEW))
    return found is not None and not (found.awaited_pods or frozenset()) & snapshot.uids


def _users_that_may_present_it(snapshot: Snapshot) -> list[str]:
    waived = {one.client for one in snapshot.outside_clients.waivers}
    return [
        one.name
        for one in snapshot.presenters
        if one.name not in waived and (one.authorities is None or name_of(OLD) in one.authorities)
    ]
