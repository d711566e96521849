# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chapter "Retire": a CA that nothing relies on leaves the trust, running processes forget it, and keys without use leave the key Secret."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Steps, steps_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Beginning,
    Layout,
    Ledger,
    LedgerEntry,
    RemovedEntry,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    LinkCertificates,
    PreparedAuthority,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import PutBack, TidyKeys
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import ForgetRequests
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Reload, Roll, RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    AwaitBundle,
    DeleteLedger,
    RemoveMarks,
    Withdraw,
    WriteLedger,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.retire import (
    forget_removed_authorities,
    hand_over,
    put_back,
    tidy_keys,
    withdraw,
)

from ....tools.support.certificates import NOW, Entity
from ....tools.support.intents import an_intent, changed_intent
from .. import linked, unlinked
from ..authorities import IMPOSTOR, NEW, OLD, RENEWED, THIRD, chain_of, link_of, name_of, names_of
from ..builders import PAUSED, answering, changed, cluster, others, prepared, secrets, with_pods_noted
from ..ledger.test_enrolment import ADOPT, swapped
from ..ledgers import PHASE_OUT, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, pods, uid_of, uids_of
from ..stand_in import MadeHere
from .asking import RECONCILE, REPLACE_KEY, pause_for, situation, turns

OLD_NAME, GONE = named(OLD.certificate), name_of(OLD)
NODES = uids_of(start=1)
TOPICS = frozenset({uid_of("topics", 1)})
READS_AGAIN = (
    f"{OLD_NAME} is taken from the listeners by having them read their trust again; Raft clients and agents know it until "
    "the next restart of their node."
)
BLOCKED = InPlaceObstacles(reload="no Kafka library.")


#: The topic operator has not restarted yet.
ALL_KNOW_IT = changed(linked.TIDIED, pods=linked.USED.nodes.pods)


#: Another key under the name of the removed CA is trusted, and both keys are elsewhere.
NAMESAKES = ALL_KNOW_IT.with_ca(
    other_entries=others(IMPOSTOR), keys_elsewhere=frozenset({OLD.certificate.public_key_sha256})
)
NOT_TOLD = (
    f"listeners tell the names of the CAs that they trust, {named(IMPOSTOR.certificate)} has the name of {OLD_NAME}, and the key of the latter is "
    "not here for a probe."
)


def reload(uids: frozenset[str]) -> Steps:
    return (Reload(uids=uids, authority=OLD.certificate, because=READS_AGAIN),)


def roll(uids: frozenset[str], why: str = "") -> Steps:
    avoidable = f"Nodes are restarted to forget {OLD_NAME}: {why}" if why else ""
    about = OLD.certificate
    return (
        Roll(reason=RollReason.RETIRE, uids=uids, authority=about, phase=Phase.RETIRE, avoidable_restart=avoidable),
    )  # fmt: skip


def test_a_phased_out_ca_is_withdrawn_and_then_forgotten_by_running_nodes() -> None:
    """Where a link certificate served, the CA has left with the switch."""
    out = Withdraw(certificate=OLD.certificate)
    assert turns(withdraw) == {"unlinked PHASED_OUT": pause_for(out)}
    assert turns(forget_removed_authorities) == {
        "linked REMOVED": reload(NODES),
        "unlinked CLEAN": reload(uids_of(start=2)),
        "unlinked HALF_RETIRED": reload(uids_of(*PODS[1:], start=2)),
    }
    assert steps_of(withdraw(situation(unlinked.RETIRING))) == (out,)


RETIRING = unlinked.RETIRING


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(unlinked.USED, id="by the books it is in use"),
        pytest.param(changed(RETIRING, pods=()), id="without processes its state is kept"),
        pytest.param(changed(RETIRING, leaves=(*RETIRING.leaves.stored, a_leaf("late"))), id="a stored leaf is of it"),
        pytest.param(
            changed(RETIRING, pods=(a_pod(generation=None), *RETIRING.nodes.pods[1:])), id="who knows what a pod presents"
        ),
        pytest.param(
            changed(RETIRING, outside_clients=(OutsideClient("Secret kafka/app", chain_of(OLD)),)), id="a client outside needs it"
        ),
        pytest.param(unlinked.WITHDRAWN, id="it is out already"),
        pytest.param(linked.HALTED, id="the operator's own CA leaves by a switch"),
        pytest.param(
            changed(
                linked.HALTED, ledger=ledger(entry(OLD), entry(NEW, PHASE_OUT)), pods=linked.SETTLED.nodes.pods,
                leaves=linked.SETTLED.leaves.stored,
            ),
            id="the next one is to be used again",
        ),
    ],
)  # fmt: skip
def test_a_ca_that_is_needed_does_not_leave(snapshot: Snapshot) -> None:
    assert steps_of(withdraw(situation(snapshot))) == ()


IN_USE_BY_BOOKS = entry(THIRD)
HELD_BACK = entry(THIRD, PHASE_OUT)
GONE_ALREADY = entry(RENEWED, PHASE_OUT)


@pytest.mark.parametrize(
    ("first", "fields"),
    [
        pytest.param(IN_USE_BY_BOOKS, {}, id="one that is used"),
        pytest.param(GONE_ALREADY, {}, id="one that is out already"),
        pytest.param(
            HELD_BACK, {"leaves": (*RETIRING.leaves.stored, a_leaf("late", THIRD))}, id="one that a stored leaf is of"
        ),
    ],
)
def test_a_ca_that_stays_keeps_no_other_ca(first: LedgerEntry, fields: dict[str, Any]) -> None:
    """Their order in the ledger does not matter."""
    books = RETIRING.ledger_or_empty
    ca = replace(RETIRING.ca, other_entries={**RETIRING.ca.other_entries, **others(THIRD)})
    snapshot = changed(RETIRING, ca=ca, ledger=replace(books, entries=(first, *books.entries)), **fields)
    assert steps_of(withdraw(situation(snapshot))) == (Withdraw(certificate=OLD.certificate),)


def test_a_prepared_ca_stays_although_it_was_leaving_and_another_ca_leaves() -> None:
    """A flow that is to bring the CA into use has begun, and by the ledger the CA was leaving."""
    books = RETIRING.ledger_or_empty
    ca = replace(RETIRING.ca, other_entries={**RETIRING.ca.other_entries, **others(THIRD)}, prepared=(prepared(THIRD),))
    snapshot = replace(RETIRING, ca=ca, ledger=replace(books, entries=(HELD_BACK, *books.entries)))
    assert steps_of(withdraw(situation(snapshot))) == (Withdraw(certificate=OLD.certificate),)


PUT_BACK = with_pods_noted(linked.REMOVED.with_ca(other_entries=others(OLD)))


def test_a_removed_ca_that_was_put_back_is_withdrawn_again() -> None:
    """Processes that read their trust again would find it there."""
    out = Withdraw(certificate=OLD.certificate)
    assert steps_of(withdraw(situation(PUT_BACK))) == pause_for(out)
    paused = replace(PUT_BACK, reconciliation=RETIRING.reconciliation)
    assert steps_of(withdraw(situation(paused))) == (out,)


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(linked.REMOVED, id="it was not put back"),
        pytest.param(changed(PUT_BACK, leaves=(*PUT_BACK.leaves.stored, a_leaf("late"))), id="with a leaf of it"),
        pytest.param(
            changed(linked.REMOVED.with_ca(current=chain_of(OLD)), pods=(), leaves=()),
            id="in the place of the one in use",
        ),
        pytest.param(linked.FINISHED.with_ca(other_entries=others(OLD)), id="when no listener knew it any more"),
    ],
)
def test_a_ca_that_was_put_back_stays_where_it_may_be_needed(snapshot: Snapshot) -> None:
    assert steps_of(withdraw(situation(snapshot))) == ()


@pytest.mark.parametrize("spread", [Spread.AUTO, Spread.RESTART])
def test_no_node_is_made_to_forget_a_removed_ca_that_was_put_back(spread: Spread) -> None:
    """A process that reads its trust again, or starts, would know the CA."""
    stays = changed(PUT_BACK, leaves=(*PUT_BACK.leaves.stored, a_leaf("late")))
    assert forget_removed_authorities(situation(stays, changed_intent(REPLACE_KEY, spread=spread))) == ()


@pytest.mark.parametrize("spread", [Spread.AUTO, Spread.RESTART])
def test_no_process_is_made_to_forget_a_removed_ca_that_the_bundle_still_holds(spread: Spread) -> None:
    """It has left the certificate Secret again, and the operator has not looked since: whatever starts reads it once more."""
    late = with_pods_noted(changed(linked.REMOVED, bundle=names_of(NEW, OLD)))
    intent = changed_intent(REPLACE_KEY, spread=spread)
    awaited = AwaitBundle(present=names_of(NEW), absent=(OLD.certificate,), phase=Phase.RETIRE)
    assert decide(late, intent).steps == (awaited,)
    (forgets,) = decide(linked.REMOVED, intent).steps
    assert isinstance(forgets, Reload if spread is Spread.AUTO else Roll)


def refusing(*uids: str) -> Snapshot:
    """These nodes refuse the removed CA; the others accept it."""
    asked = answering(ALL_KNOW_IT, accepting=names_of(NEW, OLD))
    answers = (
        replace(one, accepts=names_of(NEW), refuses=names_of(OLD)) if one.uid in uids else one
        for one in asked.nodes.listeners or ()
    )
    return changed(asked, listeners=tuple(answers))


@pytest.mark.parametrize(
    ("snapshot", "spread", "expected"),
    [
        pytest.param(ALL_KNOW_IT, Spread.AUTO, reload(NODES), id="nodes read again"),
        pytest.param(refusing(uid_of(PODS[0], 1)), Spread.AUTO, reload(uids_of(*PODS[1:], start=1)), id="who accepts it"),
        pytest.param(refusing(*NODES), Spread.AUTO, roll(TOPICS), id="then the others restart, without the nodes"),
        pytest.param(
            changed(ALL_KNOW_IT, in_place_obstacles=BLOCKED), Spread.AUTO, roll(NODES | TOPICS, BLOCKED.reload), id="they cannot"
        ),
        pytest.param(
            changed(ALL_KNOW_IT, in_place_obstacles=None), Spread.AUTO,
            roll(NODES | TOPICS, "it is unknown whether nodes can read their certificates again without a restart."),
            id="the run has not looked",
        ),
        pytest.param(
            ALL_KNOW_IT, Spread.RESTART, roll(NODES | TOPICS, "spread=restart asks for it."), id="they shall not"
        ),
        pytest.param(NAMESAKES, Spread.AUTO, roll(NODES | TOPICS, NOT_TOLD), id="no listener could show that it has"),
        pytest.param(
            NAMESAKES.with_ca(kept_keys=names_of(OLD), keys_elsewhere=frozenset()), Spread.AUTO, reload(NODES), id="a probe shows it"
        ),
        pytest.param(changed(ALL_KNOW_IT, in_place_obstacles=InPlaceObstacles(stamps="x")), Spread.AUTO, reload(NODES), id="nothing is stamped"),
        pytest.param(linked.FINISHED, Spread.AUTO, (), id="what does not read again is remembered only"),
        pytest.param(unlinked.RETIRED, Spread.AUTO, (), id="all have restarted"),
    ],
)  # fmt: skip
def test_how_each_pod_forgets_a_removed_ca(snapshot: Snapshot, spread: Spread, expected: Steps) -> None:
    assert forget_removed_authorities(situation(snapshot, changed_intent(REPLACE_KEY, spread=spread))) == expected


def test_removed_cas_are_forgotten_in_turn() -> None:
    first, second = (
        RemovedEntry(THIRD.certificate, uids_of(PODS[0], start=2)),
        unlinked.CLEAN.ledger_or_empty.removed_cas[0],
    )
    snapshot = replace(unlinked.CLEAN, ledger=replace(unlinked.CLEAN.ledger_or_empty, removed_cas=(first, second)))
    (step,) = forget_removed_authorities(situation(snapshot))
    assert isinstance(step, Reload)
    assert (step.authority, step.uids) == (THIRD.certificate, first.awaited_pods)


def test_a_removed_ca_that_was_put_back_keeps_no_other_ca_known() -> None:
    """Their order in the ledger does not matter."""
    put_back_, other = PUT_BACK.ledger_or_empty.removed_cas[0], RemovedEntry(THIRD.certificate, NODES)
    for removed in ((put_back_, other), (other, put_back_)):
        seen = replace(PUT_BACK, ledger=replace(PUT_BACK.ledger_or_empty, removed_cas=removed))
        (step,) = forget_removed_authorities(situation(seen))
        assert isinstance(step, Reload)
        assert (step.authority, step.uids) == (THIRD.certificate, NODES)


# A CA that was swapped in by hand and that is adopted: the one in use takes its place again, until the gates are open.

BACK = PutBack(chain=chain_of(OLD), generation=0, key_generation=0, beginning=Beginning(Retire.NOW, is_upkeep=False))
SWAPPED = swapped()
HALTED = replace(SWAPPED, reconciliation=PAUSED)


def test_the_old_ca_is_put_back_during_a_pause() -> None:
    """The operator would issue leaves of the swapped-in CA otherwise."""
    assert put_back(situation(SWAPPED, ADOPT)) == pause_for(BACK)
    assert put_back(situation(HALTED, ADOPT)) == (BACK,)


def test_putting_the_old_ca_back_sets_the_key_generation_that_pods_were_started_with() -> None:
    """The person who swapped the CA may have raised it: the operator would restart everything for trust, in its own way."""
    raised = replace(HALTED, ca=replace(HALTED.ca, key_generation=5))
    started = tuple(replace(pod, key_generation=4) for pod in pods())
    assert put_back(situation(changed(raised, pods=started), ADOPT)) == (replace(BACK, key_generation=4),)


def test_the_old_ca_is_put_back_only_for_an_adoption_that_has_not_reached_every_process() -> None:
    assert put_back(situation(SWAPPED, RECONCILE)) == ()
    assert put_back(situation(swapped(pods=pods(1)), ADOPT)) == ()


def test_putting_back_comes_before_the_ledger() -> None:
    """The books would take the CA that lies there for the one in use."""
    assert decide(SWAPPED, ADOPT).steps == pause_for(BACK)
    assert decide(HALTED, ADOPT).steps == (BACK,)


def test_a_replacement_by_the_adopted_ca_begins_after_the_old_ca_was_put_back() -> None:
    (step,) = decide(BACK.effect(HALTED, MadeHere()), ADOPT).steps
    assert isinstance(step, WriteLedger)
    assert step.ledger.journal is not None
    assert (step.ledger.journal.replaces, step.ledger.journal.successor) == (name_of(OLD), name_of(NEW))


def test_a_call_that_was_killed_in_the_pause_leaves_a_hold_and_the_pause() -> None:
    """The operator, let on, would issue leaves of the other CA."""
    found = decide(HALTED, RECONCILE)
    assert (found.steps, [one.condition for one in found.violations]) == ((), [Condition.AUTHORITY_IS_KNOWN])


# Keys that are not needed any more leave the key Secret.

NO_KEYS = frozenset[str]()


def tidied(
    prepared: frozenset[str], kept: frozenset[str], phase: Phase = Phase.RETIRE, links: frozenset[str] = NO_KEYS
) -> Steps:
    return (TidyKeys(prepared=prepared, kept_keys=kept, links=links, phase=phase),)


def test_the_turn_of_tidying() -> None:
    """The old key is kept as long as its CA is trusted, the link certificates as long as the new one is in use."""
    assert turns(tidy_keys) == {
        "linked RESUMED": tidied(names_of(NEW), names_of(OLD, NEW)),
        "unlinked RESUMED": tidied(names_of(NEW), names_of(NEW), Phase.USE, names_of(NEW)),
        "unlinked REMOVED": tidied(NO_KEYS, names_of(OLD)),
        "renewal READ": tidied(names_of(RENEWED), names_of(RENEWED), links=names_of(RENEWED)),
    }
    assert tidy_keys(situation(unlinked.RESUMED)) == tidied(names_of(NEW), names_of(NEW), Phase.USE, names_of(NEW))


@pytest.mark.parametrize(
    ("kept", "waiting", "expected"),
    [
        pytest.param(names_of(THIRD), (), tidied(NO_KEYS, names_of(THIRD), Phase.USE), id="of a CA that left"),
        pytest.param(names_of(OLD), (), tidied(NO_KEYS, names_of(OLD), Phase.USE), id="of the CA in use: it is ca.key"),
        pytest.param(names_of(NEW), (prepared(NEW),), (), id="of a CA that waits"),
        pytest.param(NO_KEYS, (prepared(NEW),), (), id="a CA that waits"),
        pytest.param(NO_KEYS, (), (), id="nothing is kept"),
    ],
)
def test_a_kept_key_is_stale_unless_its_ca_waits_for_its_use(
    kept: frozenset[str], waiting: tuple[PreparedAuthority, ...], expected: Steps
) -> None:
    assert tidy_keys(situation(cluster(ca=secrets(prepared=waiting, kept_keys=kept)), RECONCILE)) == expected


@pytest.mark.parametrize(
    ("removed", "beside", "stale"),
    [
        pytest.param(
            RemovedEntry(IMPOSTOR.certificate, uids_of(PODS[0])), OLD, False, id="nodes have yet to refuse it"
        ),
        pytest.param(
            RemovedEntry(IMPOSTOR.certificate, frozenset(), uids_of(PODS[0])), OLD, True, id="their listeners do"
        ),
        pytest.param(RemovedEntry(IMPOSTOR.certificate, frozenset({"gone"})), OLD, True, id="they are gone"),
        pytest.param(RemovedEntry(THIRD.certificate, uids_of(PODS[0])), OLD, True, id="its name is its own"),
    ],
)
def test_a_key_stays_for_probes_where_a_name_tells_nothing(removed: RemovedEntry, beside: Entity, stale: bool) -> None:
    """Another CA that is trusted has the name of the one that has left."""
    kept = frozenset({removed.fingerprint})
    books = replace(ledger(entry(beside, generations={0})), removed_cas=(removed,))
    seen = cluster(ca=secrets(beside, kept_keys=kept), ledger=books)
    assert tidy_keys(situation(seen, RECONCILE)) == (tidied(NO_KEYS, kept, Phase.USE) if stale else ())
    assert tidy_keys(situation(seen.with_ca(kept_keys=NO_KEYS), RECONCILE)) == ()


def test_the_key_of_a_ca_in_use_that_the_books_lack_is_stale() -> None:
    unknown = cluster(ca=secrets(kept_keys=names_of(OLD)), ledger=Ledger())
    assert tidy_keys(situation(unknown, RECONCILE)) == tidied(NO_KEYS, names_of(OLD), Phase.USE)


def test_before_the_first_ca_nothing_is_stale() -> None:
    assert tidy_keys(situation(cluster(ca=secrets(None, prepared=(prepared(NEW),))))) == ()


BOTH, ONE = (LinkCertificates(link_of(OLD, THIRD), link) for link in (link_of(THIRD, OLD), None))
OF_ANOTHER = LinkCertificates(link_of(NEW, THIRD), link_of(THIRD, NEW))


@pytest.mark.parametrize(
    ("links", "unused"),
    [
        pytest.param({name_of(OLD): BOTH}, NO_KEYS, id="both of the CA in use"),
        pytest.param({name_of(RENEWED): BOTH}, NO_KEYS, id="both of the CA in use, made for an earlier certificate"),
        pytest.param({name_of(THIRD): OF_ANOTHER}, names_of(THIRD), id="of a CA that left"),
        pytest.param({name_of(NEW): OF_ANOTHER}, NO_KEYS, id="of a CA that is trusted still"),
        pytest.param({name_of(RENEWED): ONE}, names_of(RENEWED), id="one alone, which nodes cannot present"),
    ],
)
def test_which_link_certificates_are_stale(links: dict[str, LinkCertificates], unused: frozenset[str]) -> None:
    """By no clock: a node that trusts the CA that was replaced may come back to a right clock."""
    books = ledger(entry(OLD, generations={0}), entry(NEW, PHASE_OUT))
    expected = tidied(NO_KEYS, NO_KEYS, Phase.USE, unused) if unused else ()
    for now in (NOW, OLD.certificate.not_after):
        seen = cluster(ca=secrets(kept_links=links), ledger=books, now=now)
        assert tidy_keys(situation(seen, RECONCILE)) == expected


KEEPING = an_intent(Goal.DOWNGRADE, keeps_authority=True)
FORGET = ForgetRequests(secrets=("a", "b"), phase=Phase.RETIRE)


@pytest.mark.parametrize(
    ("fields", "kinds"),
    [
        pytest.param({"ledger": None}, [], id="no ledger is left"),
        pytest.param({}, [RemoveMarks, DeleteLedger], id="no request"),
        pytest.param({"requests": {"b": None, "a": None}}, [ForgetRequests, RemoveMarks, DeleteLedger], id="requests"),
        pytest.param(
            {"requests": {"b": None}, "ledger": replace(ledger(entry(OLD)), layout=Layout.SPLIT)},
            [WriteLedger],
            id="a ledger of several Secrets",
        ),
    ],
)
def test_a_ca_that_the_caller_keeps_stays_and_the_ledger_goes_last(fields: dict[str, Any], kinds: list[type]) -> None:
    steps = hand_over(situation(cluster(**fields), KEEPING))
    assert [type(step) for step in steps] == kinds
    assert FORGET in steps or len(fields.get("requests", ())) != 2
