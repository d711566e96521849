# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chapter "Leaves": leaves take the place of others, all at once or not at all, and processes take them up by a restart or by reading again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Steps,
    Violation,
    steps_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Selection, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FlowOptions,
    FormerLeaf,
    Ledger,
    Stop,
    Upkeep,
    WhenDue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    Pause,
    Reload,
    Roll,
    RollReason,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import WriteLedger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import (
    Want,
    await_renewed_authority,
    await_restarts,
    issue_missing,
    issue_operator_leaf,
    put_leaves,
    reload_leaves,
    replace_leaves,
    restart_holders,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import Rule

from ....tools.support.certificates import DAY, NOW, Entity, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import an_intent, changed_intent
from .. import linked, patient, unlinked
from ..authorities import NEW, OLD, ROOT, THIRD, chain_of, names_of
from ..builders import PAUSED, RUNS, changed, cluster, others, prepared, secrets
from ..ledgers import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uid_of, uids_of
from ..requested import ISSUER, a_request, answered, at_hand, elsewhere, with_requests
from ..served import served
from .asking import RECONCILE, REPLACE_KEY, pause_for, situation, turns
from .test_due import ENDING, LASTING, leaf_with, settled

NEW_NAME = named(NEW.certificate)
LINKED = f"{NEW_NAME} is introduced by a link certificate that {OLD.certificate.subject} has signed: no pod has to restart to trust it first."
BLOCKED = InPlaceObstacles(reload="a permission is missing.")
READ_AGAIN = (
    "Listeners read their new certificates again, without a restart; Raft clients and agents present the old certificates until the "
    "next restart of their node, which a run asks for 7 days before these end."
)
LEAVES, DOWNGRADE = Intent(Goal.RENEW_LEAVES), Intent(Goal.DOWNGRADE)


def behind_link(why: str = "") -> IssueLeaves:
    avoidable = f"Nodes are restarted to take up {NEW_NAME}: {why}" if why else ""
    return IssueLeaves(
        secrets=linked.CHAINED, issuer=chain_of(NEW), generation=0, link=linked.LINK, phase=Phase.USE, because=LINKED,
        avoidable_restart=avoidable,
    )  # fmt: skip


OWN_LEAF = (IssueLeaves(secrets=(linked.OWN,), issuer=chain_of(NEW), generation=0, phase=Phase.USE),)


def awaited(uids: frozenset[str], about: Entity = NEW, phase: Phase = Phase.USE) -> Steps:
    return (Roll(reason=RollReason.USE, uids=uids, authority=about.certificate, phase=phase),)


def reload(uids: frozenset[str]) -> Steps:
    return (Reload(uids=uids, authority=None, phase=Phase.USE, because=READ_AGAIN),)


def test_the_rules_of_leaves_take_their_turns_at_these_stages(golden: GoldenFiles) -> None:
    """A patient flow notes the former leaves first, in a pause. The operator's own leaf is the last before the switch."""
    ((noting,),) = (turns(replace_leaves)["patient AGREED"],)
    assert isinstance(noting, Pause)
    golden.compare_said("steps", noting.purpose)
    assert turns(replace_leaves) == {"linked TRUSTED": (behind_link(),), "patient AGREED": (noting,)}
    assert turns(issue_operator_leaf) == {"linked PHASED_OUT": OWN_LEAF, "patient PHASED_OUT": OWN_LEAF}
    half, rest = linked.uids() - {uid_of(PODS[0])}, frozenset({uid_of("topics", 1)})
    assert turns(await_restarts) == {
        "linked ISSUED": awaited(linked.uids()),
        "linked SHARED": awaited(half),
        "linked TIDIED": awaited(rest, phase=Phase.RETIRE),
        "unlinked TIDIED": awaited(uids_of(start=1)),
        "unlinked SHARED": awaited(uids_of(*PODS[1:], start=1)),
        "patient IN_USE": awaited(frozenset({uid_of("topics")})),
    }
    assert turns(reload_leaves) == {"patient RESUMED": reload(uids_of()), "renewal RESUMED": reload(uids_of())}
    assert turns(issue_missing) == turns(restart_holders) == {}


# Leaves that are due.


def renewed(why: str = "") -> IssueLeaves:
    avoidable = f"Nodes are restarted with their renewed certificates: {why}" if why else ""
    return IssueLeaves(
        secrets=(PODS[0],), issuer=chain_of(LASTING), generation=0, phase=Phase.USE, avoidable_restart=avoidable
    )


def noted(snapshot: Snapshot) -> WriteLedger:
    """The first node was started with what is stored."""
    (leaf,) = snapshot.leaves.stored
    assert leaf.chain
    noted_ledger = replace(snapshot.ledger_or_empty, former_leaves=(FormerLeaf(leaf.chain[0], uids_of(PODS[0])),))
    return WriteLedger(ledger=noted_ledger, before=snapshot.ledger_or_empty, phase=Phase.USE)


DUE = settled(ENDING)
NOTED = replace(DUE, ledger=noted(DUE).ledger)


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(DUE, pause_for(noted(DUE)), id="paused, because nodes are to read them again"),
        pytest.param(replace(DUE, reconciliation=PAUSED), (noted(DUE),), id="what processes present is written down first"),
        pytest.param(replace(NOTED, reconciliation=PAUSED), (renewed(),), id="then they are issued"),
        pytest.param(replace(NOTED, reconciliation=RUNS), pause_for(renewed()), id="paused still"),
        pytest.param(
            changed(DUE, reconciliation=PAUSED, pods=(a_pod(presents_stored=False),)), (renewed(),),
            id="a process that was started with something else does not present it",
        ),
        pytest.param(changed(DUE, in_place_obstacles=BLOCKED), (renewed(BLOCKED.reload),), id="a restart needs no pause"),
        pytest.param(settled(leaf_with(46 * DAY)), (), id="none is due"),
    ],
)  # fmt: skip
def test_leaves_are_renewed(snapshot: Snapshot, expected: Steps) -> None:
    assert replace_leaves(situation(snapshot, LEAVES)) == expected


# Leaves of the next CA, behind its link certificate.


def without_link(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, ca=replace(snapshot.ca, prepared=(prepared(NEW),)))


AGREED = linked.TRUSTED
OPENSSL = OutsideClient(
    "Secret kafka/app", (make("cluster-ca v0", key(0), path_length=0).certificate,), verifier=Verifier.OPENSSL
)


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(changed(AGREED, in_place_obstacles=BLOCKED), (behind_link(),), id="nodes restart to take it up in any case"),
        pytest.param(
            AGREED.with_ca(current=chain_of(OLD, ROOT)), (behind_link(),), id="the same, and the CA in use has a root"
        ),
        pytest.param(patient.NOTED, (behind_link(),), id="patiently: what processes present is written down"),
        pytest.param(changed(patient.AGREED, in_place_obstacles=BLOCKED), (behind_link(BLOCKED.reload),), id="restarts are told"),
        pytest.param(
            changed(AGREED, leaves=(*linked.ISSUED.leaves.stored[:3], *AGREED.leaves.stored[3:])),
            (replace(behind_link(), secrets=(linked.TOPICS,)),), id="only those of other CAs",
        ),
        pytest.param(
            changed(linked.ISSUED, misnamed={PODS[1]: "it lacks a.example"}), (replace(behind_link(), secrets=(PODS[1],)),),
            id="and those with other names than listeners have",
        ),
        pytest.param(
            changed(patient.AGREED, misnamed={PODS[1]: "it lacks a.example"}), (behind_link(),),
            id="patiently, without a pause: the operator stands still until it has seen them",
        ),
        pytest.param(
            changed(AGREED, leaves=(replace(AGREED.leaves.stored[0], chain=None), *linked.ISSUED.leaves.stored[1:])), (),
            id="who knows whose leaf it is",
        ),
        pytest.param(
            changed(AGREED, leaves=(replace(AGREED.leaves.stored[0], chain=None), *AGREED.leaves.stored[1:])), (),
            id="the same, and the others are of the CA in use",
        ),
        pytest.param(without_link(AGREED), (), id="no link certificate"),
        pytest.param(replace(AGREED, bundle=names_of(OLD)), (), id="it may not be used yet"),
        pytest.param(changed(AGREED, outside_clients=(OPENSSL,)), (), id="a client outside would refuse it"),
        pytest.param(linked.ISSUED, (), id="all but the operator's own are of it"),
        pytest.param(linked.SETTLED, (), id="no next CA"),
    ],
)  # fmt: skip
def test_first_use(snapshot: Snapshot, expected: Steps) -> None:
    assert replace_leaves(situation(snapshot)) == expected


PHASED_OUT = linked.PHASED_OUT
#: A leaf of the next CA, behind its link certificate, that comes near the operator's window.
SOON = (issue_leaf(NEW, end=NOW + 20 * DAY), linked.LINK, OLD.certificate)


def stopping(after: Phase | None, **fields: Any) -> Snapshot:
    """The flow is to stop there; the certificate of the first node ends soon."""
    (first, *others_), books = PHASED_OUT.leaves.stored, PHASED_OUT.ledger_or_empty
    assert books.journal is not None
    journal = replace(books.journal, options=FlowOptions(stop=Stop(after, NOW) if after else None))
    made = {"in_place_obstacles": BLOCKED, "leaves": (replace(first, chain=SOON), *others_), **fields}
    return changed(PHASED_OUT, ledger=replace(books, journal=journal), **made)


@pytest.mark.parametrize(
    ("snapshot", "renewed_by_next"),
    [
        pytest.param(stopping(Phase.USE), True, id="it stays behind its link"),
        pytest.param(stopping(None), False, id="the flow goes on"),
        pytest.param(stopping(Phase.RETIRE), False, id="the flow goes on to the switch"),
        pytest.param(stopping(Phase.TRUST), False, id="the flow stops before"),
        pytest.param(stopping(Phase.USE, leaves=PHASED_OUT.leaves.stored), False, id="none is due"),
        pytest.param(without_link(stopping(Phase.USE)), False, id="no link certificate"),
        pytest.param(stopping(Phase.USE).with_ca(prepared=()), False, id="no next CA waits"),
        pytest.param(at_hand(elsewhere(stopping(Phase.USE))), False, id="an outside issuer keeps its key"),
        pytest.param(stopping(Phase.USE, outside_clients=(OPENSSL,)), False, id="a client outside would refuse it"),
    ],
)
def test_leaves_of_the_next_ca_are_renewed_where_the_flow_stops_with_them(
    snapshot: Snapshot, renewed_by_next: bool
) -> None:
    """The operator would put leaves of the CA before in their place."""
    why = f"Nodes are restarted with their renewed certificates: {BLOCKED.reload}"
    step = replace(behind_link(), secrets=PODS[:1], because="", avoidable_restart=why)
    assert replace_leaves(situation(snapshot)) == ((step,) if renewed_by_next else ())


def test_nodes_read_renewed_leaves_of_the_next_ca_again_where_they_can(golden: GoldenFiles) -> None:
    (step,) = replace_leaves(situation(stopping(Phase.USE, in_place_obstacles=InPlaceObstacles())))
    assert isinstance(step, Pause)
    golden.compare_said("steps", step.purpose)


#: The next CA is an intermediate one, certified by the CA in use, and a node knows only this: it accepts leaves with
#: their chain, as nodes send it, and no leaf alone.
BELOW = make("cluster-ca v1", key(1), OLD, path_length=0)
KNOWN_BY_ITS_ROOT = replace(
    PHASED_OUT,
    ca=replace(
        PHASED_OUT.ca, other_entries=others(BELOW), prepared=(replace(prepared(BELOW), chain=chain_of(BELOW, OLD)),)
    ),
    ledger=ledger(
        entry(OLD, PHASE_OUT, {0}), entry(chain_of(BELOW, OLD), ALL, awaited_pods={uid_of(PODS[0], 1)}), journal=a_journal()
    ),
)  # fmt: skip


def test_clients_outside_never_meet_the_operators_own_leaf() -> None:
    stranger = OutsideClient("Secret kafka/app", chain_of(OLD))
    assert issue_operator_leaf(situation(changed(PHASED_OUT, outside_clients=(stranger,)))) == OWN_LEAF


@pytest.mark.parametrize("gate", ["trust", "alone"])
def test_each_gate_alone_holds_the_operators_own_leaf(gate: str) -> None:
    """It is closed to the CA itself, and not to its link certificate."""

    def closed(_snapshot: Snapshot, _ledger: Ledger, chain: Chain) -> tuple[Violation, ...]:
        return (Violation(Condition.TRUST, "", "", ""),) if chain == chain_of(NEW) else ()

    gates: dict[str, Any] = {gate: closed}
    assert issue_operator_leaf(situation(PHASED_OUT, gates=replace(GATES, **gates))) == ()


def test_only_the_operators_own_leaf_is_issued_alone() -> None:
    every = (
        *PHASED_OUT.leaves.stored,
        *(a_leaf(one.value, component=one) for one in set(Component) - {Component.CLUSTER_OPERATOR}),
    )
    assert issue_operator_leaf(situation(changed(PHASED_OUT, leaves=every))) == OWN_LEAF


def test_an_intermediate_ca_that_every_verifier_knows_issues_the_operators_leaf() -> None:
    known = KNOWN_BY_ITS_ROOT.ledger_or_empty.with_entry(entry(chain_of(BELOW, OLD), ALL))
    (step,) = issue_operator_leaf(situation(replace(KNOWN_BY_ITS_ROOT, ledger=known)))
    assert step == replace(OWN_LEAF[0], issuer=chain_of(BELOW, OLD))


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(linked.SHARED, id="not used by all"),
        *(
            pytest.param(
                replace(PHASED_OUT, ledger=PHASED_OUT.ledger_or_empty.with_entry(entry(NEW, state))), id=f"by the books it is {state.value}"
            )
            for state in (UNTRUSTED, UNUSED, ANY, PHASE_OUT)
        ),
        pytest.param(without_link(PHASED_OUT), id="without a link it comes after the switch"),
        pytest.param(linked.ALONE, id="it is there"),
        pytest.param(changed(PHASED_OUT, leaves=PHASED_OUT.leaves.stored[:-1]), id="there is none"),
        pytest.param(
            replace(
                PHASED_OUT, ledger=PHASED_OUT.ledger_or_empty.with_entry(entry(NEW, ALL, awaited_pods={uid_of(PODS[0], 1)}))
            ), id="a process would not accept it at all",
        ),
        pytest.param(KNOWN_BY_ITS_ROOT, id="a process would not accept it alone"),
        pytest.param(linked.SETTLED, id="no next CA"),
    ],
)  # fmt: skip
def test_the_operators_own_leaf_is_not_issued(snapshot: Snapshot) -> None:
    assert issue_operator_leaf(situation(snapshot)) == ()


# Leaves that are missing.

MISSING = cluster(missing={PODS[1]: Component.KAFKA, linked.TOPICS: Component.ENTITY_OPERATOR})


@pytest.mark.parametrize(
    ("issuing", "secrets_issued"),
    [
        pytest.param(Selection(), (linked.TOPICS, PODS[1]), id="all"),
        pytest.param(Selection(components=frozenset({Component.KAFKA})), (PODS[1],), id="of nodes"),
        pytest.param(Selection(secrets=frozenset({linked.TOPICS})), (linked.TOPICS,), id="one"),
        pytest.param(Selection(secrets=frozenset({"demo-other"})), (), id="another, which is there"),
        pytest.param(None, (), id="not asked for: the operator issues what is missing"),
    ],
)
def test_missing_leaves_are_of_the_ca_in_use(issuing: Selection | None, secrets_issued: tuple[str, ...]) -> None:
    intent = changed_intent(RECONCILE, missing_leaves=issuing)
    found = issue_missing(situation(MISSING, intent))
    made = IssueLeaves(secrets=secrets_issued, issuer=chain_of(OLD), generation=0, phase=Phase.USE)
    assert found == ((made,) if secrets_issued else ())
    assert issue_missing(situation(replace(MISSING, ca=secrets(None)), intent)) == ()


# Restarts by the operator.


CHANGED = cluster(pods=(a_pod(presents_stored=False), *pods(names=PODS[1:])))


@pytest.mark.parametrize(
    ("snapshot", "intent", "expected"),
    [
        pytest.param(CHANGED, RECONCILE, (), id="it restarts pods for reasons of its own"),
        *(
            pytest.param(CHANGED, Intent(goal), (), id=f"so it does whatever is asked for: {goal.value}")
            for goal in Goal if goal is not Goal.RENEW_LEAVES
        ),
        pytest.param(CHANGED, LEAVES, awaited(uids_of(PODS[0]), OLD), id="leaves were renewed"),
        pytest.param(
            replace(CHANGED, ledger=ledger(entry(OLD, generations={0}), journal=a_journal())), RECONCILE,
            awaited(uids_of(PODS[0]), OLD), id="a flow is in flight",
        ),
        pytest.param(
            cluster(ca=secrets(other_entries=others(NEW)), ledger=ledger(entry(OLD), entry(NEW, ALL, {1})), pods=pods(1)),
            RECONCILE, (), id="ca.crt was restored, and what is presented is unknown",
        ),
        pytest.param(
            cluster(
                ca=secrets(certificate_generation=2), ledger=ledger(entry(OLD, PHASE_OUT, {2}), entry(NEW, ALL, {1})),
                pods=pods(1), leaves=leaves(NEW, 1),
            ),
            RECONCILE, awaited(uids_of(), OLD), id="ca.crt was restored",
        ),
        pytest.param(
            changed(unlinked.PHASED_OUT, leaves=(*leaves(NEW, 1), a_leaf(linked.OWN))), REPLACE_KEY,
            awaited(frozenset(), phase=Phase.RETIRE), id="the operator's own leaf comes at its next reconcile",
        ),
        pytest.param(
            changed(unlinked.PHASED_OUT, leaves=(*leaves(NEW, 1), a_leaf(linked.OWN, NEW, 2))), REPLACE_KEY,
            awaited(frozenset(), phase=Phase.RETIRE), id="a leaf is of a generation that is yet to come",
        ),
        pytest.param(replace(CHANGED, ca=secrets(None)), LEAVES, (), id="no CA in use"),
        pytest.param(cluster(), LEAVES, (), id="no pod is behind"),
    ],
)  # fmt: skip
def test_restarts_that_are_waited_for(snapshot: Snapshot, intent: Intent, expected: Steps) -> None:
    assert steps_of(await_restarts(situation(snapshot, intent))) == expected


# Leaves that processes present.


def remembering(*former: FormerLeaf, **fields: Any) -> Snapshot:
    """The leaves were renewed, and the operator knows it."""
    return settled(*leaves(LASTING), ledger=ledger(entry(LASTING, generations={0}), former_leaves=former), **fields)


def former(left: timedelta = 30 * DAY, **fields: Any) -> FormerLeaf:
    made = FormerLeaf(issue_leaf(LASTING, "former", end=NOW + left), uids_of(PODS[0]))
    return replace(made, **fields)


def rolled(why: str) -> Steps:
    avoidable = f"Nodes are restarted with their renewed certificates: {why}"
    about = LASTING.certificate
    return (
        Roll(reason=RollReason.LEAF, uids=uids_of(PODS[0]), authority=about, phase=Phase.USE, avoidable_restart=avoidable),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("snapshot", "spread", "expected"),
    [
        pytest.param(remembering(former()), Spread.AUTO, reload(uids_of(PODS[0])), id="it reads again"),
        pytest.param(remembering(former()), Spread.RESTART, rolled("spread=restart asks for it."), id="it shall not"),
        pytest.param(remembering(former(), in_place_obstacles=BLOCKED), Spread.AUTO, rolled(BLOCKED.reload), id="it cannot any more"),
        pytest.param(
            remembering(former(), pods=(a_pod(presents_stored=False),)), Spread.AUTO, (), id="it restarts anyway"
        ),
        pytest.param(
            remembering(former(awaited_pods=frozenset(), lingering_pods=uids_of(PODS[0]))), Spread.AUTO, (), id="it has read it"
        ),
        pytest.param(remembering(former(awaited_pods=frozenset({"gone"}))), Spread.AUTO, (), id="it is gone"),
    ],
)  # fmt: skip
def test_listeners_read_again(snapshot: Snapshot, spread: Spread, expected: Steps) -> None:
    assert reload_leaves(situation(snapshot, changed_intent(LEAVES, spread=spread))) == expected


LINGERING = uids_of(PODS[0]) | {uid_of("gone")}


def lingering(left: timedelta = 30 * DAY, **fields: Any) -> Snapshot:
    return remembering(former(left, awaited_pods=frozenset(), lingering_pods=LINGERING), **fields)


def replacing(snapshot: Snapshot, **journal: Any) -> Snapshot:
    """Another CA is to take the place of the one whose former leaf is remembered."""
    books = snapshot.ledger_or_empty.with_entry(entry(NEW, ANY))
    return replace(
        snapshot,
        ca=replace(snapshot.ca, prepared=(prepared(NEW),)),
        ledger=replace(books, journal=a_journal(**journal)),
    )


@pytest.mark.parametrize(
    ("snapshot", "intent", "about"),
    [
        pytest.param(lingering(8 * DAY), RECONCILE, None, id="in good time"),
        pytest.param(lingering(6 * DAY), RECONCILE, LASTING, id="before it ends"),
        pytest.param(lingering(), DOWNGRADE, LASTING, id="after the downgrade no ledger would remember it"),
        *(
            pytest.param(lingering(), Intent(goal), None, id=f"it is remembered: {goal.value}")
            for goal in Goal if goal is not Goal.DOWNGRADE
        ),
        pytest.param(replacing(lingering(), goal=Goal.RENEW), RECONCILE, None, id="its key stays"),
        pytest.param(
            lingering(6 * DAY, pods=(a_pod(), a_pod(PODS[1], presents_stored=False))), RECONCILE, LASTING,
            id="the operator restarts another",
        ),
        pytest.param(replacing(lingering()), RECONCILE, NEW, id="its CA is to leave now"),
        pytest.param(replacing(lingering(), retire=Retire.WHEN_RESTARTED), RECONCILE, None, id="its CA can wait"),
        pytest.param(replacing(lingering(), old=NEW, new=LASTING, is_abort=True), RECONCILE, None, id="its CA stays"),
        pytest.param(
            replace(lingering(), ledger=replace(lingering().ledger_or_empty, journal=a_journal())), RECONCILE, LASTING,
            id="the operator has been switched already",
        ),
        pytest.param(
            lingering(6 * DAY, pods=(a_pod(presents_stored=False),)), RECONCILE, None, id="the operator restarts it"
        ),
        pytest.param(
            lingering(6 * DAY, pods=(a_pod(component=Component.ENTITY_OPERATOR),)), RECONCILE, None, id="no node"
        ),
        pytest.param(cluster(), DOWNGRADE, None, id="no node presents one"),
    ],
)  # fmt: skip
def test_nodes_that_hold_a_former_leaf_restart(snapshot: Snapshot, intent: Intent, about: Entity | None) -> None:
    found = restart_holders(situation(snapshot, intent))
    if about is None:
        assert found == ()
    else:
        made = Roll(
            reason=RollReason.LEAF, uids=uids_of(PODS[0]), authority=about.certificate, phase=Phase.USE
        )  # fmt: skip
        assert found == (made,)


# An outside issuer keeps the key.


def test_renewed_leaves_are_issued_when_all_of_them_are_at_hand() -> None:
    ending = tuple(leaf_with(44 * DAY, secret=name) for name in PODS)
    kept = elsewhere(settled(*ending), LASTING)
    assert replace_leaves(situation(kept, LEAVES)) == ()
    asked = with_requests(kept, answered(PODS[0], LASTING), answered(PODS[1], LASTING), a_request(PODS[2], LASTING))
    assert replace_leaves(situation(asked, LEAVES)) == ()
    assert replace_leaves(situation(at_hand(kept, LASTING), LEAVES)) != ()


@pytest.mark.parametrize(
    ("rule", "snapshot", "secrets_issued"),
    [
        pytest.param(replace_leaves, linked.TRUSTED, linked.CHAINED, id="behind the link"),
        pytest.param(issue_operator_leaf, linked.PHASED_OUT, (linked.OWN,), id="by the operator"),
    ],
)
def test_leaves_of_the_next_ca_are_issued_when_they_are_at_hand(
    rule: Rule, snapshot: Snapshot, secrets_issued: tuple[str, ...]
) -> None:
    kept = elsewhere(snapshot)
    assert rule(situation(kept)) == ()
    assert rule(situation(with_requests(kept, *map(answered, secrets_issued[1:])))) == ()
    assert rule(situation(at_hand(kept, names=secrets_issued))) == rule(situation(snapshot)) != ()


@pytest.mark.parametrize("issuing", [None, Selection(), Selection(secrets=frozenset({PODS[1]}))])
def test_missing_leaves_that_the_operator_cannot_issue_are_issued(issuing: Selection | None) -> None:
    """Where the intent asks for certain leaves, only those."""
    kept = elsewhere(MISSING, OLD)
    intent = changed_intent(RECONCILE, missing_leaves=issuing)
    names = tuple(sorted(name for name in MISSING.leaves.missing if issuing in (None, Selection()) or name == PODS[1]))
    assert issue_missing(situation(kept, intent)) == ()
    made = IssueLeaves(secrets=names, issuer=chain_of(OLD), generation=0, phase=Phase.USE)
    assert issue_missing(situation(at_hand(kept, OLD, names), intent)) == (made,)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"missing": {PODS[0]: Component.KAFKA}}, id="a leaf is missing"),
        pytest.param({"leaves": (a_leaf(PODS[0], generation=7), *leaves(names=PODS[1:]))}, id="a leaf is behind"),
        pytest.param({"misnamed": {PODS[0]: "it lacks x"}}, id="a leaf has other names"),
        pytest.param(
            {"leaves": (a_leaf(chain=(issue_leaf(OLD, end=NOW + 20 * DAY), OLD.certificate)), *leaves(names=PODS[1:]))},
            id="a leaf is in the operator's window",
        ),
    ],
)
def test_an_operator_that_stands_still_is_not_waited_for(changes: dict[str, Any]) -> None:
    """It would have to issue a leaf first, and an outside issuer keeps the key; where it has the key, it goes on by itself."""
    intent = changed_intent(LEAVES, external_issuer=ISSUER)
    behind = changed(CHANGED, **changes)
    roll = awaited(uids_of(PODS[0]), OLD)
    assert steps_of(await_restarts(situation(behind, intent))) == roll
    kept = elsewhere(behind, OLD)
    assert steps_of(await_restarts(situation(kept, intent))) == ()
    assert steps_of(await_restarts(situation(with_requests(kept, a_request(PODS[0], OLD)), intent))) == ()
    assert steps_of(await_restarts(situation(at_hand(kept, OLD), intent))) == roll
    assert steps_of(await_restarts(situation(elsewhere(CHANGED, OLD), intent))) == roll


def test_an_operator_that_cannot_read_a_leaf_is_not_waited_for_wherever_the_key_is() -> None:
    unread = changed(CHANGED, leaves=(a_leaf(PODS[0], chain=None), *leaves(names=PODS[1:])))
    for snapshot in (unread, elsewhere(unread, OLD)):
        assert steps_of(await_restarts(situation(snapshot, LEAVES))) == ()


def test_a_leaf_that_no_process_could_use_is_replaced_first_and_by_a_restart() -> None:
    """It is not known what the process was started with; a leaf of another CA stays where some process does not know the CA in use."""
    spoilt = (a_leaf(PODS[0], key_beside="ab"), a_leaf(PODS[1], issuer=THIRD), *leaves(names=PODS[2:]))
    renamed = {PODS[2]: "it lacks a.example"}
    kept = at_hand(elsewhere(cluster(leaves=spoilt, misnamed=renamed, in_place_obstacles=InPlaceObstacles()), OLD), OLD)
    made = IssueLeaves(secrets=PODS[:2], issuer=chain_of(OLD), generation=0, phase=Phase.USE)
    assert replace_leaves(situation(kept, RECONCILE)) == (made,)
    closed = replace(GATES, trust=lambda *_about: (Violation(Condition.TRUST, "", "", ""),))
    assert replace_leaves(situation(kept, RECONCILE, closed)) == (replace(made, secrets=PODS[:1]),)


def test_of_a_chain_the_ca_that_issues_counts_where_processes_may_not_know_it() -> None:
    below = make("Corporate Issuing CA", key(7), LASTING, end=LASTING.certificate.not_after)
    chain, due = chain_of(below, LASTING), leaf_with(44 * DAY, issuer=below)
    seen = changed(
        settled(due, ca=secrets(chain), ledger=ledger(entry(chain, generations={0}))), in_place_obstacles=BLOCKED
    )
    closed = replace(GATES, trust=lambda *_about: (Violation(Condition.TRUST, "", "", ""),))
    (step,) = replace_leaves(situation(seen, LEAVES, closed))
    assert isinstance(step, IssueLeaves)
    assert (step.secrets, step.issuer) == ((PODS[0],), chain)


def test_the_operator_goes_on_although_users_lack_certificates() -> None:
    """This collection issues those, and no reconcile of the nodes needs them."""
    first, *others_ = served("switched").nodes.pods
    for lacking in ((), ("audit",)):
        behind = changed(served("switched", missing=lacking), pods=(replace(first, presents_stored=False), *others_))
        (step,) = steps_of(await_restarts(situation(behind)))
        assert step.uids == {first.uid}  # type: ignore[attr-defined]


@pytest.mark.parametrize("upkeep", [None, Upkeep(WhenDue.RENEW, 37 * DAY, NOW - 90 * DAY)])
def test_leaves_that_would_not_outlive_their_ca_are_left_to_the_schedule_that_renews_it(upkeep: Upkeep | None) -> None:
    ending = issue_leaf(OLD, begin=NOW - 400 * DAY, end=OLD.certificate.not_after)
    snapshot = cluster(leaves=(a_leaf(chain=(ending, OLD.certificate)),), ledger=ledger(upkeep=upkeep))
    turn = await_renewed_authority(situation(snapshot, an_intent(Goal.RENEW_LEAVES, renew_before=800 * DAY)))
    told = "" if isinstance(turn, tuple) else " ".join(turn.left_for_later)
    assert ("the reconcile playbook" in told, PODS[0] in told) == (bool(upkeep), bool(upkeep))


# Leaves are issued all at once or not at all, and only where they can be signed here or are at hand.

HERE = unlinked.READ_BACK
ELSEWHERE = elsewhere(HERE)


@pytest.mark.parametrize(
    ("snapshot", "secrets", "issued"),
    [
        pytest.param(HERE, PODS, True, id="signed here"),
        pytest.param(HERE, (), False, id="none"),
        pytest.param(ELSEWHERE, PODS, False, id="no request was made"),
        pytest.param(with_requests(ELSEWHERE, a_request()), PODS, False, id="asked for"),
        pytest.param(with_requests(ELSEWHERE, answered()), PODS, False, id="one of them at hand"),
        pytest.param(with_requests(ELSEWHERE, answered()), PODS[:1], True, id="the one that is at hand"),
        pytest.param(at_hand(ELSEWHERE), PODS, True, id="all at hand"),
    ],
)
def test_leaves_are_issued_all_or_none(snapshot: Snapshot, secrets: tuple[str, ...], issued: bool) -> None:
    steps = put_leaves(situation(snapshot), Want(secrets, chain_of(NEW)))
    assert [(type(step), step.secrets) for step in steps if isinstance(step, IssueLeaves)] == (
        [(IssueLeaves, secrets)] if issued else []
    )
