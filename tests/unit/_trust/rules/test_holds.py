# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reasons that hold a flow when nothing can be done and the goal is not reached (unknown evidence fails closed, I5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Decision, Wait
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Strategy
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import CaSource, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    PreparedAuthority,
    Snapshot,
    StoredLeaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    AwaitVerdict,
    Reload,
    Roll,
    RollReason,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.holds import (
    await_pods,
    await_usable_leaves,
    check_leaves_of_restarted,
    check_operator_restarts,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import await_restarts
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import await_confirmation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from ....tools.support.certificates import DAY, NOW, Entity, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import changed_intent
from .. import linked, patient, unlinked
from ..authorities import EARLY, EXPIRED, INTERMEDIATE, NEW, OLD, ROOT, THIRD, chain_of, name_of, names_of
from ..builders import answering, changed, cluster, others, prepared, secrets, with_pods_noted
from ..ledgers import PHASE_OUT, UNTRUSTED, UNUSED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uids_of
from ..requested import a_request, answered, at_hand, elsewhere, with_requests
from .asking import FLOWS, RECONCILE, REPLACE_KEY, holds, situation

#: A certificate that can sign nothing, put among the CAs.
NO_CA = make("partner", key(20), ca=False)
ASK = "Find the program or person that removed or changed this; restarting the pod through the operator renews its annotations."
VERIFIERS = [*(f"pod {name}" for name in PODS), "the Cluster Operator"]


def held(snapshot: Snapshot, intent: Intent = RECONCILE) -> list[tuple[Condition, str]]:
    """The violations of a whole decision, which has no steps; the flow is done only where there are none."""
    decision = decide(snapshot, intent)
    assert (decision.steps, decision.done) == ((), not decision.violations)
    assert decision.violations == holds(situation(snapshot, intent))
    return [(one.condition, one.subject) for one in decision.violations]


@pytest.mark.parametrize("stage", ["linked FINISHED", "unlinked FINISHED", "patient WAITING", "renewal FINISHED"])
def test_a_finished_flow_has_no_hold(stage: str) -> None:
    assert held(FLOWS[stage][0]) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"pods": (a_pod(generation=None), *pods(names=PODS[1:]))},
        {"pods": (a_pod(generation=8, presents_stored=None), *pods(names=PODS[1:]))},
        {"leaves": leaves(names=PODS[1:])},
    ],
    ids=["no annotation", "unknown generation", "no Secret"],
)
def test_a_pod_that_cannot_be_told_holds_and_is_named(fields: dict[str, Any], golden: GoldenFiles) -> None:
    snapshot = cluster(**fields)
    held(snapshot)
    (violation,) = decide(snapshot, RECONCILE).violations
    assert violation.subject == f"Pod kafka/{PODS[0]}"
    golden.compare_said("stops_in_rules", violation, golden.row)


STRANGE = a_leaf(issuer=NEW, generation=0)
DELETE = "Find the program or person that put it there, then delete this Secret: the Cluster Operator issues the certificate again."


@pytest.mark.parametrize(
    "leaf",
    [
        pytest.param(STRANGE, id="of a stranger"),
        pytest.param(a_leaf(issuer=INTERMEDIATE), id="of a CA below another"),
        pytest.param(replace(STRANGE, chain=None), id="unreadable"),
        pytest.param(replace(STRANGE, chain=None, problem="it has 12 certificates"), id="too long"),
        pytest.param(replace(a_leaf(), key_beside="ab"), id="another key"),
        pytest.param(replace(a_leaf(), problem="the private key beside it cannot be used"), id="no key"),
    ],
)
def test_an_unusable_stored_leaf_holds_the_flow_whatever_leaf_its_pod_was_started_with(
    leaf: StoredLeaf, golden: GoldenFiles
) -> None:
    """The next restart would bring the pod back with the unusable leaf. The remedy is about the Secret, also where the presented leaf is unknown."""
    for started_with_it in (True, False, None):
        started = (a_pod(presents_stored=started_with_it), *pods(names=PODS[1:]))
        snapshot = cluster(pods=started, leaves=(leaf, *leaves(names=PODS[1:])))
        (violation,) = holds(situation(snapshot, RECONCILE))
        assert violation.subject == f"Secret kafka/{PODS[0]}"
        golden.compare_said("stops_in_rules", violation, golden.row)
        assert not decide(snapshot, RECONCILE).done


def test_a_leaf_that_is_missing_holds_although_its_pod_goes_on() -> None:
    started = (a_pod(presents_stored=None), *pods(names=PODS[1:]))
    snapshot = cluster(pods=started, leaves=leaves(names=PODS[1:]), missing={PODS[0]: Component.KAFKA})
    assert held(snapshot) == [(Condition.LEAVES_ARE_OURS, f"Secret kafka/{PODS[0]}")]


LACKING = cluster(leaves=(STRANGE, *leaves(names=PODS[1:2])), missing={PODS[2]: Component.KAFKA})
UNREAD = replace(LACKING, ledger=ledger(entry(OLD, generations={0}, awaited_pods=uids_of(PODS[1]))))
BEGUN = replace(
    LACKING,
    ca=secrets(other_entries=others(NEW), prepared=(prepared(NEW),)),
    ledger=ledger(entry(OLD, generations={0}, awaited_pods=uids_of(PODS[1])), entry(NEW, UNUSED), journal=a_journal()),
)
IN_PLACE = f". Another certificate is put in its place when every node and client trusts {named(OLD.certificate)}."
WAY_BACK = f"undo the flow (abort) where the issuer still signs by {named(OLD.certificate)}"
UNDO = f" Or {WAY_BACK}: the abort requests another certificate, and the run after its arrival puts it in its place."
AT_SWITCH = (
    f". A certificate of {named(NEW.certificate)} is put in its place when the operator is switched to that CA.{UNDO}"
)
UNTRUSTING = replace(
    BEGUN,
    ledger=ledger(entry(OLD, generations={0}), entry(NEW, UNTRUSTED, awaited_pods=uids_of(*PODS)), journal=a_journal()),
)
OPERATOR, DIRECTLY = "demo-cluster-operator-certs", changed_intent(RECONCILE, strategy=Strategy.DIRECT)
STANDSTILL = ". The Cluster Operator restarts no pod before that is there, and no issuer signs it in this flow. "
OTHER_RESTARTS = (
    "Have the run restart the nodes (strategy=direct), or restart the other pods yourself, one after the other. "
)
LAST = f"{PODS[2]} restarts last, with a certificate of {named(NEW.certificate)} that a run stores for it"
TOGETHER = f"Restart these together; they are away until the next run has stored certificates of {named(NEW.certificate)} for them: {PODS[0]}, {PODS[2]}"
BY_OPERATOR = (
    "The Cluster Operator issues it with its next reconcile; where it does not, have this leaf issued (state=issued)."
)
FIND_WRITER, FIND_DELETER = (f"Find the program or person that {did}" for did in ("put it there", "deleted it"))


@pytest.mark.parametrize(
    ("snapshot", "held_by", "remedies"),
    [
        pytest.param(LACKING, (), (DELETE, BY_OPERATOR), id="the operator issues them"),
        pytest.param(UNREAD, (), (DELETE, BY_OPERATOR), id="whatever processes trust"),
        pytest.param(elsewhere(LACKING, OLD), (), (), id="they are on their way"),
        pytest.param(
            at_hand(elsewhere(LACKING, OLD), OLD), (), (f"{FIND_WRITER}{IN_PLACE}", f"{FIND_DELETER}{IN_PLACE}"), id="they have come",
        ),
        pytest.param(
            at_hand(elsewhere(UNREAD, OLD), OLD), (f"pod {PODS[1]}",), (f"{FIND_WRITER}{IN_PLACE}", f"{FIND_DELETER}{IN_PLACE}"),
            id="they have come, and a process would refuse them",
        ),
        pytest.param(BEGUN, (), (BY_OPERATOR,), id="in a flow: one is of the next CA"),
        pytest.param(elsewhere(BEGUN, OLD), (), (f"{FIND_DELETER}{AT_SWITCH}",), id="in a flow to a CA whose key is here"),
        pytest.param(
            elsewhere(changed(BEGUN, leaves=(a_leaf(PODS[0], INTERMEDIATE), a_leaf(PODS[1]))), OLD, NEW), (), (f"{FIND_WRITER}{AT_SWITCH}",),
            id="in a flow, a leaf of the next CA takes its place at the switch",
        ),
    ],
)  # fmt: skip
def test_leaves_that_no_process_could_use_are_named_with_what_replaces_them(
    snapshot: Snapshot, held_by: tuple[str, ...], remedies: tuple[str, ...]
) -> None:
    waits = await_usable_leaves(situation(snapshot, RECONCILE))
    assert isinstance(waits, Wait)
    assert tuple(one.subject for one in waits.violations if one.condition is Condition.TRUST) == held_by
    assert tuple(one.remedy for one in waits.violations if one.condition is Condition.LEAVES_ARE_OURS) == remedies


@pytest.mark.parametrize(
    ("snapshot", "intent", "remedy"),
    [
        pytest.param(UNTRUSTING, RECONCILE, f". {LAST} when every other process and client trusts that CA.{UNDO}", id="asked of the operator"),
        pytest.param(
            UNTRUSTING, DIRECTLY, f". {LAST} when every other process and client trusts that CA.{UNDO}", id="made directly"
        ),
        pytest.param(
            changed(UNTRUSTING, missing={OPERATOR: Component.CLUSTER_OPERATOR}), DIRECTLY,
            f"{STANDSTILL}Restart the pods yourself, one after the other.{UNDO}", id="nothing can ask Kafka",
        ),
        pytest.param(
            changed(UNTRUSTING, leaves=(a_leaf(PODS[1]),), missing=dict.fromkeys((PODS[0], PODS[2]), Component.KAFKA)), RECONCILE,
            f". {TOGETHER} when every other process and client trusts that CA.{UNDO}", id="two nodes",
        ),
        pytest.param(
            replace(UNTRUSTING, source=CaSource("the source", (NEW.certificate,))), RECONCILE, f". {LAST} when every other process and client trusts that CA.",
            id="the source shows that no issuer signs by the CA in use",
        ),
        pytest.param(
            replace(UNTRUSTING, source=CaSource("the source", (NEW.certificate, OLD.certificate))), RECONCILE,
            f". {LAST} when every other process and client trusts that CA.{UNDO}", id="the source still has it",
        ),
    ],
)  # fmt: skip
def test_a_leaf_that_no_issuer_signs_is_named_with_the_restarts_that_lead_out(
    snapshot: Snapshot, intent: Intent, remedy: str
) -> None:
    waits = await_usable_leaves(situation(elsewhere(snapshot, OLD), intent))
    assert isinstance(waits, Wait)
    assert {one.remedy for one in waits.violations if one.condition is Condition.LEAVES_ARE_OURS} == {
        f"{FIND_DELETER}{remedy}"
    }


def asked_of_operator(
    snapshot: Snapshot, reason: RollReason, intent: Intent = RECONCILE
) -> list[tuple[Condition, str]]:
    step = Roll(reason=reason, uids=uids_of(PODS[1]), authority=None, phase=Phase.TRUST)
    found = check_operator_restarts(situation(snapshot, intent), (step,))
    return [(one.condition, one.subject) for one in found]


def test_no_restart_is_asked_of_an_operator_that_lacks_its_own_leaf() -> None:
    """It comes as far as no restart; for the leaf of any other process it stands still after the restarts that pods ask for."""
    still = elsewhere(changed(UNTRUSTING, missing={OPERATOR: Component.CLUSTER_OPERATOR}), OLD)
    assert asked_of_operator(still, RollReason.TRUST) == [(Condition.LEAVES_ARE_OURS, f"Secret kafka/{OPERATOR}")]
    assert asked_of_operator(still, RollReason.USE) == []
    assert asked_of_operator(elsewhere(UNTRUSTING, OLD), RollReason.TRUST) == []
    own = a_leaf(OPERATOR, component=Component.CLUSTER_OPERATOR)
    stored = elsewhere(cluster(leaves=(*leaves(), own)), OLD)
    assert asked_of_operator(stored, RollReason.RETIRE) == []
    near = changed(stored, renewal_window=OLD.certificate.not_after - NOW + DAY)
    assert asked_of_operator(near, RollReason.RETIRE) == [(Condition.LEAVES_CAN_BE_RENEWED, "Kafka kafka/demo")]
    assert asked_of_operator(near, RollReason.RETIRE, DIRECTLY) == []


TOPICS = "demo-entity-topic-operator-certs"
LEAFLESS = "demo-nodes-1a"
#: A node lacks its leaf, and so does the Entity Operator. A pod has the Secrets that are there.
SPOILT = cluster(
    pods=(*pods(), a_pod(LEAFLESS, leaves=()), a_pod("topics", component=Component.ENTITY_OPERATOR, leaves=())),
    leaves=(STRANGE, a_leaf(PODS[1], THIRD, 7), a_leaf(PODS[2])), missing={LEAFLESS: Component.KAFKA, TOPICS: Component.ENTITY_OPERATOR},
)  # fmt: skip


@pytest.mark.parametrize(
    ("snapshot", "restarted", "named_secrets"),
    [
        pytest.param(SPOILT, PODS[0], (PODS[0],), id="it is of a stranger"),
        pytest.param(SPOILT, PODS[1], (), id="of an earlier generation: the operator issues it again first"),
        pytest.param(
            SPOILT.with_ca(certificate_generation=8), PODS[0], (), id="the same, and the CA in use has a later one"
        ),
        pytest.param(elsewhere(SPOILT, OLD), PODS[1], (PODS[1],), id="the same, and the operator cannot"),
        pytest.param(SPOILT, PODS[2], (), id="it is good, and that of another node is missing"),
        pytest.param(SPOILT, LEAFLESS, (LEAFLESS,), id="it is missing"),
        pytest.param(SPOILT, "topics", (TOPICS,), id="that of a component is missing"),
        pytest.param(cluster(), PODS[0], (), id="nothing is wrong"),
    ],
)
@pytest.mark.parametrize("reads_again", [False, True])
def test_no_pod_restarts_or_reads_again_with_a_leaf_that_it_could_not_use(
    snapshot: Snapshot, restarted: str, named_secrets: tuple[str, ...], reads_again: bool
) -> None:
    """Leaves of pods that go on as they are do not matter."""
    uids = uids_of(restarted)
    again = Reload(uids=uids, authority=None, phase=Phase.USE)
    step = again if reads_again else Roll(reason=RollReason.TRUST, uids=uids, authority=None, phase=Phase.TRUST)
    found = check_leaves_of_restarted(situation(snapshot, RECONCILE), (step,))
    assert tuple(one.subject for one in found) == tuple(f"Secret kafka/{name}" for name in named_secrets)
    wait = AwaitVerdict(phase=Phase.USE)
    assert tuple(check_leaves_of_restarted(situation(snapshot, RECONCILE), (wait,))) == ()


def test_a_node_that_refuses_a_ca_that_it_was_started_with_holds(golden: GoldenFiles) -> None:
    snapshot = answering(cluster(), refusing=names_of(OLD))
    assert held(snapshot) == [(Condition.EVIDENCE, f"Pod kafka/{name}") for name in PODS]
    violation = decide(snapshot, RECONCILE).violations[0]
    golden.compare_said("stops_in_rules", violation)


def test_a_removed_ca_that_a_node_accepts_holds(golden: GoldenFiles) -> None:
    """It started after the removal, while the operator had the CA in the bundle once more: no reload was asked for it."""
    accepting = answering(linked.FINISHED, accepting=names_of(NEW, OLD))
    assert held(accepting) == [(Condition.REMOVAL, "Kafka kafka/demo")]
    (violation,) = decide(accepting, RECONCILE).violations
    golden.compare_said("stops_in_rules", violation)


def test_a_removed_ca_that_was_put_back_and_is_needed_holds() -> None:
    back = with_pods_noted(linked.REMOVED.with_ca(other_entries=others(OLD)))
    needed = answering(changed(back, leaves=(*back.leaves.stored, a_leaf("late"))), accepting=names_of(NEW, OLD))
    stranger = (Condition.LEAVES_ARE_OURS, "Secret kafka/late")
    found = [(one.condition, one.subject) for one in holds(situation(needed))]
    assert found == [stranger, (Condition.REMOVAL, "Secret late")]
    until_use = holds(situation(needed, changed_intent(RECONCILE, last_phase=Phase.USE)))
    assert [(one.condition, one.subject) for one in until_use] == [stranger]


def with_another(other: Entity, state: TrustState = UNTRUSTED, *waiting: PreparedAuthority) -> Snapshot:
    books = ledger(
        entry(OLD, generations={0}), entry(other, state), journal=a_journal(new=other) if waiting else None
    )  # fmt: skip
    return cluster(ca=secrets(other_entries=others(other), prepared=waiting), ledger=books)


@pytest.mark.parametrize(
    ("known", "waits"),
    [
        (chain_of(NO_CA), chain_of(NO_CA)),
        (chain_of(NO_CA), chain_of(NO_CA, ROOT)),
        (chain_of(NO_CA, ROOT), chain_of(NO_CA)),
    ],
    ids=["alone", "prepared with another", "known with another"],
)
def test_a_prepared_ca_that_can_never_become_trusted_holds(known: Chain, waits: Chain) -> None:
    """Every process trusts it, and still no process can validate its leaves."""
    snapshot = with_another(NO_CA, UNTRUSTED, replace(prepared(NO_CA), chain=waits))
    books = replace(snapshot.ledger_or_empty, entries=(entry(OLD, generations={0}), entry(known, UNTRUSTED)))
    assert held(replace(snapshot, ledger=books)) == [(Condition.TRUST, name) for name in VERIFIERS]


def test_pods_that_accept_the_next_ca_by_its_link_hold_no_flow_and_no_other_ca() -> None:
    """Another CA has to be trusted as it is."""
    missed = entry(THIRD, UNTRUSTED, awaited_pods=None)
    assert holds(situation(linked.ENROLLED)) == ()
    found = holds(situation(replace(linked.ENROLLED, ledger=linked.ENROLLED.ledger_or_empty.with_entry(missed))))
    assert found
    assert all(THIRD.certificate.subject in one.message for one in found)


def test_a_held_flow_names_leaves_that_end_meanwhile() -> None:
    """It holds no flow by itself, and the operator renews what it has the key for."""
    missed = replace(
        linked.ENROLLED, ledger=linked.ENROLLED.ledger_or_empty.with_entry(entry(THIRD, UNTRUSTED, awaited_pods=None))
    )
    near = changed(elsewhere(missed, OLD), renewal_window=OLD.certificate.not_after - NOW)
    *_others, ending = holds(situation(near))
    end = min(leaf.chain[0].not_after for leaf in near.leaves.stored if leaf.chain)
    assert (ending.condition, ending.subject) == (Condition.LEAVES_CAN_BE_RENEWED, "Kafka kafka/demo")
    assert f"{end:%Y-%m-%d}, the first of {len(near.leaves.stored)}, " in ending.message
    assert WAY_BACK in ending.remedy
    soon = a_leaf(chain=(issue_leaf(OLD, end=NOW + 20 * DAY), OLD.certificate))
    alone = changed(elsewhere(missed, OLD), leaves=(soon, *missed.leaves.stored[1:]))
    assert "2026-06-21, the first of 1, " in holds(situation(alone))[-1].message
    assert holds(situation(replace(near, ledger=linked.ENROLLED.ledger))) == ()
    for other in (
        changed(near, renewal_window=missed.leaves.renewal_window),
        changed(missed, renewal_window=near.leaves.renewal_window),
    ):
        assert Condition.LEAVES_CAN_BE_RENEWED not in [one.condition for one in holds(situation(other))]


@pytest.mark.parametrize("other", [EXPIRED, EARLY, NO_CA])
def test_an_unused_ca_holds_no_flow_once_every_process_trusts_it(other: Entity) -> None:
    assert held(with_another(other)) == []
    used = with_another(other)
    missed = entry(other, UNTRUSTED, awaited_pods=None)
    assert holds(situation(replace(used, ledger=used.ledger_or_empty.with_entry(missed))))


@pytest.mark.parametrize(
    ("snapshot", "intent", "subject"),
    [
        pytest.param(
            changed(linked.HALTED, leaves=(*linked.HALTED.leaves.stored, a_leaf("stray", INTERMEDIATE))), REPLACE_KEY,
            "Secret stray", id="a stored leaf of an unknown party",
        ),
        pytest.param(
            changed(
                with_another(NEW, UNUSED), leaves=(*leaves(), a_leaf("late", NEW)),
            ),
            changed_intent(RECONCILE, leaving_ca=name_of(NEW)), "Secret late", id="a CA that is to leave although it was never used",
        ),
    ],
)  # fmt: skip
def test_a_ca_that_is_still_needed_holds(snapshot: Snapshot, intent: Intent, subject: str) -> None:
    found = holds(situation(snapshot, intent))
    assert (Condition.REMOVAL, subject) in [(one.condition, one.subject) for one in found]


def test_without_pods_closed_gates_hold_nothing() -> None:
    """The states are kept then; there is no process that the gates could protect."""
    assert held(changed(with_another(NEW), pods=(), leaves=())) == []
    books = ledger(entry(OLD, PHASE_OUT, {0}), entry(NEW, generations={1}), journal=a_journal())
    begun = changed(unlinked.PHASED_OUT, pods=(), ledger=books)
    assert held(begun) == [(Condition.EVIDENCE, begun.names.kafka)]
    assert await_pods(situation(begun)) == Wait(violations=decide(begun, RECONCILE).violations)


STRANGER = OutsideClient("Secret kafka/app", chain_of(OLD), verifier=Verifier.JVM, remedy="Give it the CA.")


@pytest.mark.parametrize(
    ("stage", "holding"),
    [
        pytest.param("unlinked TRUSTED", True, id="it has to trust the next CA"),
        pytest.param("linked ALONE", True, id="the link served it, and does not any more"),
        pytest.param("patient WAITING", False, id="it is not switched yet"),
        pytest.param("unlinked READ_BACK", False, id="processes restart to trust the next CA first"),
    ],
)
def test_a_client_outside_holds_the_switch(stage: str, holding: bool) -> None:
    snapshot, intent = FLOWS[stage]
    found = holds(situation(changed(snapshot, outside_clients=(STRANGER,)), intent))
    told = [str(one) for one in found if one.subject == STRANGER.name and one.condition is Condition.TRUST]
    name, digest = NEW.certificate.subject, NEW.certificate.sha256[:12]
    expected = f"Secret kafka/app: cannot validate certificates of the CA {name} ({digest}). Give it the CA."
    assert told == ([expected] if holding else [])


def test_known_work_comes_before_a_hold() -> None:
    """A single pod is unknown; the pods that are known to be behind are rolled all the same."""
    behind = unlinked.TIDIED.nodes.pods
    decision = decide(changed(unlinked.TIDIED, pods=(replace(behind[0], generation=None), *behind[1:])), RECONCILE)
    assert (decision.violations, bool(decision.steps)) == ((), True)


def test_a_leaf_that_is_missing_does_not_hold_while_it_is_asked_for() -> None:
    """An outside issuer keeps the key: the run names what it waits for, and everything else goes on."""
    snapshot = cluster(
        pods=(a_pod(presents_stored=None), *pods(names=PODS[1:])), leaves=leaves(names=PODS[1:]),
        missing={PODS[0]: Component.KAFKA},
    )  # fmt: skip
    kept = elsewhere(snapshot, OLD)
    assert holds(situation(with_requests(kept, a_request(PODS[0], OLD)), RECONCILE)) == ()
    unknown = changed(kept, pods=pods())
    assert holds(situation(with_requests(unknown, a_request(PODS[0], OLD)), RECONCILE)) == ()
    told = holds(situation(with_requests(kept, answered(PODS[0], OLD)), RECONCILE))
    assert [one.condition for one in told] == [Condition.LEAVES_ARE_OURS]


def test_a_client_outside_does_not_hold_a_switch_that_waits_for_leaves() -> None:
    """Behind the link certificate the next CA is not used yet."""
    stranger = replace(STRANGER, trusts=chain_of(OLD))
    linked_ = changed(linked.TRUSTED, outside_clients=(stranger,))
    assert holds(situation(linked_))
    assert holds(situation(elsewhere(linked_))) == ()


@pytest.mark.parametrize(("until", "later"), [(Phase.USE, True), (Phase.RETIRE, False), (None, False)])
def test_a_hold_of_the_phase_retire_does_not_hold_earlier_phases(until: Phase | None, later: bool) -> None:
    snapshot = changed(with_another(NEW, PHASE_OUT), leaves=(*leaves(), a_leaf("stray", NEW)))
    decision = decide(snapshot, changed_intent(RECONCILE, last_phase=until))
    needed = [one for one in holds(situation(snapshot, RECONCILE)) if one.condition is Condition.REMOVAL]
    assert needed
    assert decision.done is later
    assert [one for one in decision.violations if one in needed] == ([] if later else needed)
    assert len(decision.pending) == (len(needed) if later else 0)
    assert all(left.endswith(str(one)) for left, one in zip(decision.pending, needed, strict=False))


# The message while a flow waits for nothing but the next restart of its processes.

OLD_NAME = named(OLD.certificate)
STAYS = f"{OLD_NAME} stays trusted until these have restarted for any reason"
BY = f", on {patient.RETIRE_BY:%Y-%m-%d} at the latest"
WAITING = patient.WAITING


def known(**changes: Any) -> Snapshot:
    books = WAITING.ledger_or_empty
    return replace(WAITING, ledger=replace(books, **changes))


@pytest.mark.parametrize(
    ("snapshot", "told"),
    [
        pytest.param(WAITING, f"{STAYS}{BY}: {', '.join(PODS)}", id="all nodes, and until when"),
        pytest.param(patient.HALF_WAITING, f"{STAYS}{BY}: {', '.join(PODS[1:])}", id="those that are left"),
        pytest.param(patient.ALL_RESTARTED, "", id="no node"),
        pytest.param(known(former_leaves=()), "", id="no node presents a former leaf"),
        pytest.param(known(journal=a_journal()), "", id="the CA leaves at once"),
        pytest.param(known(entries=WAITING.ledger_or_empty.entries[1:]), "", id="the CA has left"),
        pytest.param(cluster(), "", id="no flow"),
    ],
)
def test_nodes_that_hold_old_leaves_are_named(snapshot: Snapshot, told: str) -> None:
    assert [one for one in decide(snapshot, REPLACE_KEY).waiting if STAYS in one] == ([told] if told else [])
    turn = await_restarts(situation(snapshot))
    assert isinstance(turn, Wait)
    assert turn.left_for_later == ((told,) if told else ())


# A CA that waits to be confirmed is told with all that a person compares, and stands in the way of nothing.

NAME = "Secret kafka/roots, entry ca.crt"
HELD = replace(cluster(), source=CaSource(NAME, (OLD.certificate, NEW.certificate, THIRD.certificate)))
CONFIRMING = changed_intent(RECONCILE, confirmed_roots=frozenset({THIRD.certificate.sha256}))


def awaited(at: Situation) -> tuple[str, ...]:
    turn = await_confirmation(at)
    assert isinstance(turn, Wait)
    return turn.awaited


def test_a_new_ca_is_described_for_its_confirmation(golden: GoldenFiles) -> None:
    (told,) = awaited(situation(HELD, CONFIRMING))
    own = NEW.certificate
    assert [
        told.count(fact) for fact in (own.sha256, f"{own.not_before:%Y-%m-%d %H:%M}", f"{own.not_after:%Y-%m-%d %H:%M}")
    ] == [2, 1, 1]
    golden.compare_said("stops_in_rules", told)


def test_a_ca_that_waits_for_confirmation_is_reported_and_the_flow_is_not_done() -> None:
    waiting = replace(cluster(), source=CaSource(NAME, (NEW.certificate,)))
    found = decide(waiting, RECONCILE)
    assert found == Decision(waiting=awaited(situation(waiting, RECONCILE)))


def test_confirmed_cas_do_not_wait_for_the_others() -> None:
    (step, _bundle) = decide(HELD, CONFIRMING).steps
    assert [chain[0] for chain in step.chains] == [THIRD.certificate]  # type: ignore[attr-defined]


def test_nothing_is_told_where_no_source_is_named() -> None:
    assert await_confirmation(situation(cluster(), RECONCILE)) == ()
