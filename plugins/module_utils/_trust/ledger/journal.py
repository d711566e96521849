# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The journal says which flow is in flight: a rerun continues that flow (I10), or finds nothing to do (I9).

It keeps until when programs that never read again may present a certificate of the replaced CA. What a program has read
is known before the switch only: afterwards every program has been issued another certificate.

It says whether the flow can be undone (every party still trusts the old CA, and its key is at hand), and which pods may
have started with a leaf of the CA that an abort gives up.

It says where the flow stops, for instance for an approval, until a call leads it on (docs/calls.md, "A stop"). A
killed call is no stop: the next call goes on with its flow.
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

#: How long an issuer may take with a certificate that it began before the switch, and more.
_BELATED = timedelta(days=1)
#: Characters of the names that the journal has room for, as an annotation.
_ROOM = 100_000


def note_outgoing(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Journal:
    """Up to the switch, what programs present; at the first look after it, what may have been issued meanwhile as well.
    A renewal with the same key needs none of this: brokers go on accepting the earlier leaves.
    """
    current, known = [certificate.fingerprint for certificate in snapshot.ca.in_use], journal.outgoing_certificates
    if snapshot.users is None or journal.goal is not Goal.REPLACE_KEY:
        return journal
    if current == [journal.replaces]:
        successor = ledger.find(journal.successor)
        is_near = successor is not None and successor.state is not TrustState.UNTRUSTED
        return replace(journal, outgoing_certificates=_find_outgoing(snapshot) if is_near else None)
    if known is None or known.is_complete or current != [journal.successor]:
        return journal
    ends_at = max(known.ends_at, snapshot.now + snapshot.users.longest_life + _BELATED)
    return replace(journal, outgoing_certificates=replace(known, ends_at=ends_at, is_complete=True))


def _find_outgoing(snapshot: Snapshot) -> Outgoing | None:
    """None where no program is known to have read what it presents."""
    programs = [presenter for presenter in snapshot.presenters if presenter.certificate_source]
    ends = {program.certificate_source: program.ends_at for program in programs if program.ends_at is not None}
    # A program that presents a copy too says so twice.
    unknown = {program.certificate_source for program in programs if program.ends_at is None}
    readers = tuple(_cut_to_size(sorted(ends.keys() - unknown)))
    return Outgoing(frozenset(readers), max(ends[reader] for reader in readers)) if readers else None


def _cut_to_size(readers: list[str]) -> Iterator[str]:
    """The readers that there is room for; the others hold the CA until they read again."""
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
    #: Another CA is in use, and the replaced CA has ended: OpenSSL and Go clients, which accept the nodes now, would
    #: refuse them, and an issuer that keeps its key signs nothing more under it.
    ENDED = "ended"


def obstacle_to_undoing(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Obstacle | None:
    """None where nothing is in the way."""
    if journal.replaces is None:
        return Obstacle.FIRST
    old = ledger.find(journal.replaces)
    if old is None or old.fingerprint not in snapshot.ca.projected:
        return Obstacle.LEFT
    if not _is_key_at_hand(snapshot, old):
        return Obstacle.KEY
    return Obstacle.ENDED if _has_ended_unused(snapshot, old.certificate) else None


def _has_ended_unused(snapshot: Snapshot, old: Certificate) -> bool:
    """Whether another CA is in use, and this CA has ended, so that no flow leads back to it."""
    is_unused = snapshot.ca.in_use != (old,)
    is_needed_valid = bool(snapshot.date_checkers) or snapshot.ca.is_kept_elsewhere(old)
    return is_unused and is_needed_valid and old.has_ended(snapshot.now)


def given_up_ca(snapshot: Snapshot, ledger: Ledger) -> str | None:
    """Fingerprint of the CA that the flow in flight does not lead to, although it may be prepared: the CA that an abort
    undoes; or the CA that the flow began with, if it has ended and another CA is in use. None if there is none.
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
    """Whether no leaf of the CA that is given up was handed out beside leaves of the CA in use, which validates leaves
    of a renewal as well. Before the switch leaves are handed out behind a link certificate alone.
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
    """The journal with the pods that may have started with a leaf of the CA that is given up: noted once, when no such
    leaf is stored and the operator, which might put one back, has confirmed its pause.
    """
    pause = snapshot.reconciliation.pause
    if not journal.is_abort or journal.unsure_pods is not None or not pause.is_ours_and_confirmed:
        return journal
    if snapshot.nodes.in_place_obstacles is None or is_stored(snapshot, ledger, journal.replaces):
        return journal
    return replace(journal, unsure_pods=frozenset(pod.uid for pod in possible_holders_of_undone(snapshot, ledger)))


def is_stored(snapshot: Snapshot, ledger: Ledger, fingerprint: str | None) -> bool:
    """Whether a Secret holds a leaf of this CA, or a leaf of an unknown CA."""
    issuers = {authority_of(leaf, leaf.generation, ledger)[0] for leaf in snapshot.leaves.stored}
    return not issuers.isdisjoint({fingerprint, None})


#: The state of the module strimzi_ca that begins a flow with this goal, and leads it.
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
    """Where the flow is to stop from now on. A call that does not lead it can bring the stop forward alone."""
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
    """Whether the flow is to stop before the CA that it replaces gives way to another CA. An abort handles
    leaves of both.
    """
    stop = journal.options.stop
    return stop is not None and not journal.is_abort and stop.after in (Phase.PREPARE, Phase.TRUST)


def limit_to_stop(intent: Intent, stop: Stop) -> Intent:
    """The intent with the phases alone that the flow may enter."""
    until = _earlier_phase(intent.extent.last_phase, stop.after)
    return replace(intent, extent=replace(intent.extent, last_phase=until))


def describe_stop(journal: Journal, stop: Stop, authority: str) -> tuple[str, str]:
    """Where the flow stops and since when, and what goes on with it. Words say which CA of the cluster the flow is
    about.
    """
    led_by, undone = (
        ("aborted", "")
        if journal.is_abort
        else (_LED_BY.get(asked_goal(journal), "present"), " To undo it, run abort (state=aborted).")
    )
    return (
        f"has a flow on its {authority} ({flow_named(journal)}, begun on {journal.started_at:%Y-%m-%d}) that stops after the phase {stop.after.value}, as "
        f"asked for on {stop.asked_at:%Y-%m-%d at %H:%M} UTC.",
        f"To go on, run the playbook that began it (strimzi_ca with state={led_by}) with a later until_phase or none, or any other with "
        f"continue_stopped=true.{undone}",
    )


def in_flight(ledger: Ledger | None) -> Journal | None:
    """The flow that was begun and has not finished."""
    journal = ledger.journal if ledger else None
    return journal if journal is not None and journal.finished_at is None else None


def is_starting(snapshot: Snapshot) -> bool:
    """Whether no flow is under way yet: only then must the cluster be in good health."""
    return not in_flight(snapshot.ledger) and not snapshot.ca.prepared and not snapshot.reconciliation.pause.is_ours


def write_journal(snapshot: Snapshot, intent: Intent, before: Ledger, ledger: Ledger) -> Ledger:
    """Open the journal when a prepared CA is enrolled, close it when its goal is reached."""
    if _is_abandoned(snapshot, ledger):
        return replace(ledger, journal=None)
    begun = in_flight(ledger)
    if begun is None:
        return _open_journal(snapshot, intent, before, ledger)
    journal = replace(begun, options=replace(begun.options, named_places=snapshot.outside_clients.named_places))
    if journal.is_abort and given_up_ca(snapshot, ledger) == journal.successor:
        return replace(ledger, journal=_lead_on(journal, snapshot, ledger))
    asked = intent.goal is Goal.ABORT and not journal.is_abort
    if asked and obstacle_to_undoing(snapshot, journal, ledger) is None:
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
    return replace(ledger, journal=_update_answers(noted, snapshot, intent))


def note_readers(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Journal:
    """The journal with the time since when clients read the next CA as ``ca.crt``, where nodes lead to it from memory
    alone: that of the first look after the switch, which is never before clients could read. Where nodes present both
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
    """The flow that leads back: to the CA that was to be replaced, from the CA that was to take its place."""
    unwanted = ledger.find(journal.successor)
    stop = stop_of(None, intent, True, snapshot.now)
    return replace(
        _turn(journal, snapshot, ledger),
        is_abort=True,
        options=replace(journal.options, stop=stop, precedes_replacement=False),
        unsure_pods=frozenset() if was_never_issued(snapshot, unwanted) else None,
    )


def _lead_on(journal: Journal, snapshot: Snapshot, ledger: Ledger) -> Journal:
    """The flow that stays with the CA in use, because the CA that an abort was to lead back to has ended meanwhile."""
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


def _update_answers(journal: Journal, snapshot: Snapshot, intent: Intent) -> Journal:
    """The journal with the answers of this run to where the flow stops, and when nodes give up the old CA; a run that
    gives none keeps the answers of the run before.
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
    """Fingerprints, SHA-1 and SHA-256, of the certificates that the CA in use had before flows renewed it, as far as
    the journal goes back.
    """
    last = ledger.journal
    if last is None or last.goal is not Goal.RENEW or last.is_abort or last.successor != current.fingerprint:
        return frozenset()
    return last.replaced_fingerprints


def retirement_of(snapshot: Snapshot, intent: Intent) -> Retirement:
    """When the replaced CA leaves in a flow that this call begins. No person waits for upkeep, so it restarts no node
    that can go on; nor does any person see what holds it, so it restarts nodes that cannot.
    """
    return intent.pace.retire or (Retire.WHEN_NEEDED if _is_upkeep(snapshot, intent) else Retire.NOW)


def beginning_of(snapshot: Snapshot, intent: Intent) -> Beginning:
    """The beginning of a flow that this call begins."""
    return Beginning(retirement_of(snapshot, intent), _is_upkeep(snapshot, intent))


def _is_upkeep(snapshot: Snapshot, intent: Intent) -> bool:
    return intent.goal is Goal.RECONCILE and intent.parameters.upkeep is not None and snapshot.source is None


def _open_journal(snapshot: Snapshot, intent: Intent, before: Ledger, ledger: Ledger) -> Ledger:
    current = snapshot.ca.current[0] if snapshot.ca.current else None
    # A supplied CA may have been trusted before. A prepared CA that is in use already opens a flow only where the
    # ledger is new.
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
    # A call that was killed before it came here has left its options, and the beginning of its flow, beside the CA.
    asked, beginning = snapshot.ca.flow_options, snapshot.ca.beginning or beginning_of(snapshot, intent)
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
    to_replace = asked.precedes_replacement or _is_to_replace(journal, asked.stop, intent)
    to_replace = journal.goal is Goal.RENEW and to_replace
    journal = replace(journal, options=replace(journal.options, precedes_replacement=to_replace))
    stop = stop_of(asked.stop, intent, may_lead_flow(intent, journal), snapshot.now)
    return replace(
        ledger,
        journal=replace(journal, options=replace(journal.options, stop=stop)),
        replaced_cas=_remember_replaced(ledger, successor.fingerprint),
    )


def _remember_replaced(ledger: Ledger, successor: str) -> tuple[str, ...]:
    """The replaced CAs that the ledger remembers when the next flow takes the place of the last flow in the journal. A
    CA that comes back into use is none of them.
    """
    last = ledger.journal.replaces if ledger.journal is not None and not ledger.journal.is_abort else None
    known = (*(fingerprint for fingerprint in ledger.replaced_cas if fingerprint != last), last)
    return tuple(fingerprint for fingerprint in known if fingerprint not in (None, successor))[-MOST_REPLACED:]


def _is_to_replace(journal: Journal, stop: Stop | None, intent: Intent) -> bool:
    """Whether this call makes a renewal the first part of its replacement. A renewal that stops for an approval is not
    its to lead on.
    """
    may = stop is None or intent.extent.continue_stopped
    return intent.goal is Goal.REPLACE_KEY and journal.goal is Goal.RENEW and not journal.is_abort and may


def prepared_goal(snapshot: Snapshot) -> Goal | None:
    """The goal of a call that was killed when it had prepared a CA and recorded no flow yet; None where no CA is
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
    # A successor that is prepared no more is in use; a rotation in which it is neither was abandoned.
    if successor is None or snapshot.ca.prepared:
        return False
    if ledger.find(journal.replaces) is not None:
        return False
    # Pods that the ledger awaits for a removed CA may still trust it.
    if snapshot.reconciliation.pause.is_ours or any(removed.awaited_pods for removed in ledger.removed_cas):
        return False
    if not snapshot.nodes.pods:
        return journal.goal is Goal.CREATE
    # Nothing that processes present or trust shows then that the operator has yet to restart them.
    if has_listeners_alone(snapshot) and restarted_by_operator(snapshot):
        return False
    return is_taken_up(successor, snapshot, ledger)
