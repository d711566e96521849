# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The journal says which flow is in flight: a rerun continues that flow (I10), or finds nothing to do (I9).

It keeps the end of the certificates of the replaced CA in programs that never read again. The certificate of a program
is known before the switch only: afterwards every program has been issued another.

It says whether the flow can be undone: every party still trusts the old CA, and its key is within reach. It names the
pods that may have started with a leaf of the CA that an abort gives up.

It names the phase after which the flow stops, for instance for an approval, until a call leads it on (docs/calls.md, "A
stop"). A killed call is no stop: the next call goes on with its flow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum

from ..._pki.certificates import Certificate
from ..evidence.parties import is_taken_up, possible_holders_of_undone
from ..evidence.stored import authority_of, has_listeners_alone, restarted_by_operator
from ..gates.gates import link_of
from ..model.clients import NO_NAMED_PLACES
from ..model.goals import ROTATIONS, Goal, Phase, Retire, Retirement
from ..model.intent import Intent
from ..model.ledger import (
    MOST_REPLACED,
    Beginning,
    FlowOptions,
    Journal,
    Ledger,
    LedgerEntry,
    Outgoing,
    Stop,
    TrustState,
)
from ..model.names import flow_named
from ..model.snapshot import Snapshot

#: More than the longest time that an issuer takes for a certificate that it began before the switch.
_BELATED = timedelta(days=1)
#: The most characters of names in the journal, which is an annotation.
_ROOM = 100_000


def note_outgoing(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Journal:
    """Note, up to the switch, the certificates that programs present. At the first look after it, note also the
    certificates that may have been issued meanwhile. A renewal with the same key needs no note: brokers go on accepting
    the earlier leaves.
    """
    current, outgoing = [certificate.fingerprint for certificate in snapshot.ca.in_use], journal.outgoing_certificates
    if snapshot.users is None or journal.goal is not Goal.REPLACE_KEY:
        return journal
    if current == [journal.replaces]:
        successor = ledger.find(journal.successor)
        is_near = successor is not None and successor.state is not TrustState.UNTRUSTED
        return replace(journal, outgoing_certificates=_find_outgoing(snapshot) if is_near else None)
    if outgoing is None or outgoing.is_complete or current != [journal.successor]:
        return journal
    ends_at = max(outgoing.ends_at, snapshot.now + snapshot.users.longest_life + _BELATED)
    return replace(journal, outgoing_certificates=replace(outgoing, ends_at=ends_at, is_complete=True))


def _find_outgoing(snapshot: Snapshot) -> Outgoing | None:
    """The certificates that programs present; None if no program is known to have read its certificate."""
    programs = [presenter for presenter in snapshot.presenters if presenter.certificate_source]
    ends = {program.certificate_source: program.ends_at for program in programs if program.ends_at is not None}
    # A program may also present a copy: then there are two entries for it.
    unknown = {program.certificate_source for program in programs if program.ends_at is None}
    readers = tuple(_cut_to_size(sorted(ends.keys() - unknown)))
    return Outgoing(frozenset(readers), max(ends[reader] for reader in readers)) if readers else None


def _cut_to_size(readers: list[str]) -> Iterator[str]:
    """The readers, up to the room of the journal. For the others, the flow keeps the CA until they read again."""
    room = _ROOM
    for reader in readers:
        room -= len(reader)
        if room < 0:
            return
        yield reader


class Obstacle(Enum):
    """Why a flow cannot be undone."""

    #: The flow makes the first CA.
    FIRST = "first"
    #: The replaced CA has left the trust bundle, so the next restart of a process drops it.
    LEFT = "left"
    #: Neither the Secrets nor an issuer have the key of the replaced CA.
    KEY = "key"
    #: Another CA is in use, and the replaced CA has ended. OpenSSL and Go clients accept the nodes now, and would then
    #: refuse them. An issuer with the key of the replaced CA signs nothing more under it.
    ENDED = "ended"


def obstacle_to_undoing(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Obstacle | None:
    """The first obstacle; None if there is none."""
    if journal.replaces is None:
        return Obstacle.FIRST
    old = ledger.find(journal.replaces)
    if old is None or old.fingerprint not in snapshot.ca.projected:
        return Obstacle.LEFT
    if not _is_key_at_hand(snapshot, old):
        return Obstacle.KEY
    return Obstacle.ENDED if _has_ended_unused(snapshot, old.certificate) else None


def _has_ended_unused(snapshot: Snapshot, old: Certificate) -> bool:
    """Whether another CA is in use, and this CA has ended although a verifier checks its dates or an issuer has its
    key. Then no flow leads back to it.
    """
    is_unused = snapshot.ca.in_use != (old,)
    is_needed_valid = bool(snapshot.date_checkers) or snapshot.ca.is_kept_elsewhere(old)
    return is_unused and is_needed_valid and old.has_ended(snapshot.now)


def given_up_ca(snapshot: Snapshot, ledger: Ledger) -> str | None:
    """Fingerprint of the CA that the flow in flight does not lead to, although it may be prepared; None if there is
    none. It is the CA that an abort undoes. It is also the CA at the beginning of the flow, if this CA has ended and
    another CA is in use.
    """
    begun = in_flight(ledger)
    if begun is None:
        return None
    old = ledger.find(begun.successor if begun.is_abort else begun.replaces)
    if old is not None and _has_ended_unused(snapshot, old.certificate):
        return old.fingerprint
    return ledger.undone_ca


def _is_key_at_hand(snapshot: Snapshot, old: LedgerEntry) -> bool:
    ca, key = snapshot.ca, old.certificate.public_key_sha256
    return ca.key == key or key in ca.keys_elsewhere or old.fingerprint in ca.kept_keys


def was_never_issued(snapshot: Snapshot, unwanted: LedgerEntry | None) -> bool:
    """Whether no leaf of the given-up CA was handed out beside leaves of the CA in use. The CA in use validates leaves
    of a renewal as well. Before the switch, leaves are handed out only behind a link certificate.
    """
    if unwanted is None or unwanted.state is TrustState.UNTRUSTED:
        return True
    waiting = (authority for authority in snapshot.ca.prepared if authority.fingerprint == unwanted.fingerprint)
    if unwanted.state is TrustState.TRUSTED_UNUSED and any(
        link_of(authority, snapshot) is None for authority in waiting
    ):
        return True
    return any(
        certificate == unwanted.certificate or certificate.is_twin_of(unwanted.certificate)
        for certificate in snapshot.ca.in_use
    )


def note_possible_holders(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Journal:
    """The journal with the pods that may have started with a leaf of the given-up CA. They are noted once: when no such
    leaf is stored, and the operator has confirmed its pause. Before that it might put one back.
    """
    pause = snapshot.reconciliation.pause
    if not journal.is_abort or journal.unsure_pods is not None or not pause.is_ours_and_confirmed:
        return journal
    if snapshot.nodes.in_place_obstacles is None or is_stored(snapshot, ledger, journal.replaces):
        return journal
    return replace(journal, unsure_pods=frozenset(pod.uid for pod in possible_holders_of_undone(snapshot, ledger)))


def is_stored(snapshot: Snapshot, ledger: Ledger, fingerprint: str | None) -> bool:
    """Whether a Secret contains a leaf of this CA, or a leaf of an unknown CA."""
    issuers = {authority_of(leaf, leaf.generation, ledger)[0] for leaf in snapshot.leaves.stored}
    return not issuers.isdisjoint({fingerprint, None})


#: The state of the module strimzi_ca for each goal: a call with it begins and leads a flow with this goal.
_LED_BY = {Goal.CREATE: "present", Goal.RENEW: "renewed", Goal.REPLACE_KEY: "replaced"}


def may_lead_flow(intent: Intent, journal: Journal) -> bool:
    """Whether this call decides how far the flow in flight goes: it has the flow's own goal, undoes it, or says so."""
    if intent.extent.continue_stopped or intent.goal is Goal.ABORT:
        return True
    return intent.goal is asked_goal(journal) and not journal.is_abort


def asked_goal(journal: Journal) -> Goal:
    """The goal of the call that began the flow: a renewal may be the first part of a replacement."""
    return Goal.REPLACE_KEY if journal.options.precedes_replacement else journal.goal


def stop_of(before: Stop | None, intent: Intent, is_led: bool, now: datetime) -> Stop | None:
    """The stop of the flow from now on. A call that does not lead the flow can only bring the stop forward."""
    after = (
        intent.extent.stop_after
        if is_led
        else _earlier_phase(before.after if before else None, intent.extent.stop_after)
    )
    if after is None or (before is not None and before.after is after):
        return None if after is None else before
    return Stop(after, now)


def _earlier_phase(first: Phase | None, other: Phase | None) -> Phase | None:
    return min(filter(None, (first, other)), key=lambda phase: phase.position, default=None)


def stops_before_use(journal: Journal) -> bool:
    """Whether the flow is to stop before another CA takes the place of the replaced CA. An abort handles leaves of
    both.
    """
    stop = journal.options.stop
    return stop is not None and not journal.is_abort and stop.after in (Phase.PREPARE, Phase.TRUST)


def limit_to_stop(intent: Intent, stop: Stop) -> Intent:
    """The intent with only the phases that the flow may enter."""
    until = _earlier_phase(intent.extent.last_phase, stop.after)
    return replace(intent, extent=replace(intent.extent, last_phase=until))


def describe_stop(journal: Journal, stop: Stop, authority: str) -> tuple[str, str]:
    """Sentences: the stop of the flow and its time, and the call that leads the flow on. ``authority`` says in words
    which CA of the cluster the flow is about.
    """
    led_by, undone = (
        ("aborted", "")
        if journal.is_abort
        else (_LED_BY.get(asked_goal(journal), "present"), " To undo it, run abort (state=aborted).")
    )
    return (
        f"has a flow on its {authority} ({flow_named(journal)}, begun on {journal.started_at:%Y-%m-%d}) that stops "
        f"after the phase {stop.after.value}, as asked for on {stop.asked_at:%Y-%m-%d at %H:%M} UTC.",
        f"To go on, run the playbook that began it (strimzi_ca with state={led_by}) with a later until_phase or none, "
        f"or any other with continue_stopped=true.{undone}",
    )


def in_flight(ledger: Ledger | None) -> Journal | None:
    """The unfinished flow; None if there is none."""
    journal = ledger.journal if ledger else None
    return journal if journal is not None and journal.finished_at is None else None


def is_starting(snapshot: Snapshot) -> bool:
    """Whether no flow is under way yet: only then must the cluster be in good health."""
    return not in_flight(snapshot.ledger) and not snapshot.ca.prepared and not snapshot.reconciliation.pause.is_ours


def write_journal(snapshot: Snapshot, intent: Intent, before: Ledger, ledger: Ledger) -> Ledger:
    """Open the journal when a prepared CA is enrolled, and close it when the flow reaches its goal."""
    if _is_abandoned(snapshot, ledger):
        return replace(ledger, journal=None)
    begun = in_flight(ledger)
    if begun is None:
        return _open_journal(snapshot, intent, before, ledger)
    journal = replace(begun, options=replace(begun.options, named_places=snapshot.outside_clients.named_places))
    if journal.is_abort and given_up_ca(snapshot, ledger) == journal.successor:
        return replace(ledger, journal=_lead_on(journal, snapshot, ledger))
    is_to_abort = intent.goal is Goal.ABORT and not journal.is_abort
    if is_to_abort and obstacle_to_undoing(snapshot, journal, ledger) is None:
        return replace(ledger, journal=_reverse(journal, snapshot, intent, ledger))
    if journal.goal in ROTATIONS and _rotation_complete(snapshot, journal, ledger):
        done = replace(
            journal,
            finished_at=snapshot.now,
            options=replace(journal.options, named_places=NO_NAMED_PLACES, stop=None),
            outgoing_certificates=None,
            read_since=None,
        )
        return replace(ledger, journal=done)
    noted = note_outgoing(snapshot, note_possible_holders(snapshot, journal, ledger), ledger)
    noted = note_readers(snapshot, noted, ledger)
    return replace(ledger, journal=_update_wishes(noted, snapshot, intent))


def note_readers(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Journal:
    """The journal with the time since when clients read the next CA as ``ca.crt``, if nodes lead to it from memory
    alone. It is the time of the first look after the switch, and never before clients could read. If nodes present both
    link certificates from their Secrets, no client has to read in time.
    """
    current, replaced = [certificate.fingerprint for certificate in snapshot.ca.in_use], ledger.find(journal.replaces)
    links = snapshot.ca.links.get(journal.successor or "")
    if journal.read_since is not None or current != [journal.successor] or replaced is None or links is None:
        return journal
    if links.sent_at(snapshot.now) or not links.new_with_old.signed_by(replaced.certificate):
        return journal
    return replace(journal, read_since=snapshot.now)


def _reverse(journal: Journal, snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Journal:
    """The flow that leads back: from the next CA to the replaced CA."""
    unwanted = ledger.find(journal.successor)
    stop = stop_of(None, intent, True, snapshot.now)
    return replace(
        _turn(journal, snapshot, ledger),
        is_abort=True,
        options=replace(journal.options, stop=stop, precedes_replacement=False),
        unsure_pods=frozenset() if was_never_issued(snapshot, unwanted) else None,
    )


def _lead_on(journal: Journal, snapshot: Snapshot, ledger: Ledger) -> Journal:
    """The flow that stays with the CA in use: the CA that an abort was to lead back to has ended meanwhile."""
    return replace(_turn(journal, snapshot, ledger), is_abort=False, unsure_pods=None)


def _turn(journal: Journal, snapshot: Snapshot, ledger: Ledger) -> Journal:
    """The journal with its two CAs in each other's place, begun now."""
    replaced = ledger.find(journal.successor)
    return replace(
        journal,
        replaces=journal.successor,
        replaces_sha256=replaced.certificate.sha256 if replaced else None,
        successor=journal.replaces,
        started_at=snapshot.now,
        is_upkeep=False,
        outgoing_certificates=None,
        read_since=None,
    )


def _update_wishes(journal: Journal, snapshot: Snapshot, intent: Intent) -> Journal:
    """The journal with the wishes of this run about the stop, and about the time at which nodes give up the old CA. If
    a run has no wish, the wish of the run before stays.
    """
    stop = journal.options.stop
    to_replace = journal.options.precedes_replacement or _is_to_replace(journal, stop, intent)
    journal = replace(journal, options=replace(journal.options, precedes_replacement=to_replace))
    stop = stop_of(stop, intent, may_lead_flow(intent, journal), snapshot.now)
    journal = replace(journal, options=replace(journal.options, stop=stop))
    return journal if intent.pace.retire is None else replace(journal, retire=intent.pace.retire)


def _is_abandoned(snapshot: Snapshot, ledger: Ledger) -> bool:
    """Whether the prepared CA was taken away: then nothing is left to continue with, and the next run starts
    again.
    """
    journal = in_flight(ledger)
    if journal is None or journal.goal not in ROTATIONS:
        return False
    if journal.is_abort:
        return ledger.find(journal.successor) is None
    left = {
        *(a.fingerprint for a in snapshot.ca.prepared),
        *(certificate.fingerprint for certificate in snapshot.ca.in_use),
    }
    return journal.successor not in left


def earlier_certificates(ledger: Ledger, current: Certificate) -> frozenset[str]:
    """Fingerprints, SHA-1 and SHA-256, of the earlier certificates of the CA in use, before flows renewed it. The
    journal limits how far they go back.
    """
    last = ledger.journal
    if last is None or last.goal is not Goal.RENEW or last.is_abort or last.successor != current.fingerprint:
        return frozenset()
    return last.replaced_fingerprints


def retirement_of(snapshot: Snapshot, intent: Intent) -> Retirement:
    """The time at which the replaced CA leaves, in a flow that this call begins. No person waits for upkeep: it
    restarts no node that can go on. No person sees its obstacles either: it restarts nodes that cannot go on.
    """
    return intent.pace.retire or (Retire.WHEN_NEEDED if _is_upkeep(snapshot, intent) else Retire.NOW)


def beginning_of(snapshot: Snapshot, intent: Intent) -> Beginning:
    """The beginning of a flow, if this call begins one."""
    return Beginning(retirement_of(snapshot, intent), _is_upkeep(snapshot, intent))


def _is_upkeep(snapshot: Snapshot, intent: Intent) -> bool:
    return intent.goal is Goal.RECONCILE and intent.parameters.upkeep is not None and snapshot.source is None


def _open_journal(snapshot: Snapshot, intent: Intent, before: Ledger, ledger: Ledger) -> Ledger:
    current = snapshot.ca.current[0] if snapshot.ca.current else None
    # A supplied CA may have been trusted before. If a prepared CA is in use already, it opens a flow only with a new
    # ledger.
    enrolled = [
        authority for authority in snapshot.ca.prepared
        if ledger.find(authority.fingerprint) is not None
        and (authority.chain[0] != current or before.find(authority.fingerprint) is None)
    ]  # fmt: skip
    if not enrolled:
        return ledger
    successor = enrolled[0]
    if current == successor.chain[0]:
        # The ledger was lost half-way through a switch, so the replaced CA is not known any more.
        current = None
    # If a call was killed before this point, it has left its options, and the beginning of its flow, beside the CA.
    options, beginning = snapshot.ca.flow_options, snapshot.ca.beginning or beginning_of(snapshot, intent)
    journal = Journal(
        goal=_goal_of(successor.chain[0].public_key_sha256, current.public_key_sha256 if current else None),
        replaces=current.fingerprint if current else None,
        replaces_sha256=current.sha256 if current else None,
        successor=successor.fingerprint,
        started_at=snapshot.now,
        retire=intent.pace.retire or beginning.retire,
        is_upkeep=beginning.is_upkeep,
        options=FlowOptions(snapshot.outside_clients.named_places),
        earlier_fingerprints=earlier_certificates(ledger, current) if current else frozenset(),
    )
    to_replace = options.precedes_replacement or _is_to_replace(journal, options.stop, intent)
    to_replace = journal.goal is Goal.RENEW and to_replace
    journal = replace(journal, options=replace(journal.options, precedes_replacement=to_replace))
    stop = stop_of(options.stop, intent, may_lead_flow(intent, journal), snapshot.now)
    return replace(
        ledger,
        journal=replace(journal, options=replace(journal.options, stop=stop)),
        replaced_cas=_remember_replaced(ledger, successor.fingerprint),
    )


def _remember_replaced(ledger: Ledger, successor: str) -> tuple[str, ...]:
    """The replaced CAs in the ledger when the next flow takes the place of the last flow in the journal. A CA that
    comes back into use is none of them.
    """
    last = ledger.journal.replaces if ledger.journal is not None and not ledger.journal.is_abort else None
    replaced = (*(fingerprint for fingerprint in ledger.replaced_cas if fingerprint != last), last)
    return tuple(fingerprint for fingerprint in replaced if fingerprint not in (None, successor))[-MOST_REPLACED:]


def _is_to_replace(journal: Journal, stop: Stop | None, intent: Intent) -> bool:
    """Whether this call makes a renewal the first part of its replacement. If a renewal stops for an approval, this
    call may not lead it on.
    """
    may = stop is None or intent.extent.continue_stopped
    return intent.goal is Goal.REPLACE_KEY and journal.goal is Goal.RENEW and not journal.is_abort and may


def prepared_goal(snapshot: Snapshot) -> Goal | None:
    """The goal of a call that was killed after it had prepared a CA and before it recorded a flow; None if no CA is
    prepared.
    """
    if not snapshot.ca.prepared:
        return None
    current = snapshot.ca.current[0].public_key_sha256 if snapshot.ca.current else None
    goal = _goal_of(snapshot.ca.prepared[0].chain[0].public_key_sha256, current)
    return Goal.REPLACE_KEY if goal is Goal.RENEW and snapshot.ca.flow_options.precedes_replacement else goal


def _goal_of(successor_key: str, current_key: str | None) -> Goal:
    if current_key is None:
        return Goal.CREATE
    return Goal.RENEW if successor_key == current_key else Goal.REPLACE_KEY


def _rotation_complete(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> bool:
    successor = ledger.find(journal.successor)
    # A successor is prepared or in use; else the rotation was abandoned.
    if successor is None or snapshot.ca.prepared:
        return False
    if ledger.find(journal.replaces) is not None:
        return False
    # Pods that the ledger awaits for a removed CA may still trust it.
    if snapshot.reconciliation.pause.is_ours or any(removed.awaited_pods for removed in ledger.removed_cas):
        return False
    if not snapshot.nodes.pods:
        return journal.goal is Goal.CREATE
    # Here the certificates and the trust of processes do not show that the operator has yet to restart them.
    if has_listeners_alone(snapshot) and restarted_by_operator(snapshot):
        return False
    return is_taken_up(successor, snapshot, ledger)
