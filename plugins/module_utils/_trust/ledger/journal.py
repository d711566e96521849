# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The journal says which flow is in flight. By it a rerun continues that flow (I10), or finds nothing to do (I9)."""

from __future__ import annotations

from dataclasses import replace

from ..._pki.certificates import Certificate
from ..evidence.parties import is_taken_up
from ..model.goals import ROTATIONS, Goal, Retire
from ..model.intent import Intent
from ..model.ledger import Journal, Ledger, Stop
from ..model.named import NOTHING_NAMED
from ..model.snapshot import Snapshot
from .outgoing import note_outgoing
from .stop import may_lead_flow, stop_of
from .undoing import note_possible_holders, obstacle_to_undoing, was_never_issued


def in_flight(ledger: Ledger | None) -> Journal | None:
    """The flow that was begun and has not finished."""
    journal = ledger.journal if ledger else None
    return journal if journal is not None and journal.finished_at is None else None


def write_journal(snapshot: Snapshot, intent: Intent, before: Ledger, ledger: Ledger) -> Ledger:
    """Open the journal when a prepared CA is enrolled, close it when its goal is reached."""
    if _is_abandoned(snapshot, ledger):
        return replace(ledger, journal=None)
    begun = in_flight(ledger)
    if begun is None:
        return _open(snapshot, intent, before, ledger)
    journal = replace(begun, named=snapshot.named)
    asked = intent.goal is Goal.ABORT and not journal.is_abort
    if asked and obstacle_to_undoing(snapshot, journal, ledger) is None:
        return replace(ledger, journal=_turned(journal, snapshot, intent, ledger))
    if journal.goal in ROTATIONS and _rotation_complete(snapshot, journal, ledger):
        done = replace(
            journal, finished_at=snapshot.now, named=NOTHING_NAMED, outgoing=None, stop=None, read_since=None
        )
        return replace(ledger, journal=done)
    noted = note_outgoing(snapshot, note_possible_holders(snapshot, journal, ledger), ledger)
    noted = note_readers(snapshot, noted, ledger)
    return replace(ledger, journal=_as_asked_now(noted, snapshot, intent))


def note_readers(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Journal:
    """The journal with the time since when clients read the next CA as ``ca.crt``, where nodes lead to it from memory alone: that of the first look
    after the switch, which is never before clients could read. Where nodes present both link certificates from their Secrets, no client has to read in
    time.
    """
    current, replaced = [one.fingerprint for one in snapshot.ca.in_use], ledger.find(journal.replaces)
    links = snapshot.ca.links.get(journal.successor or "")
    if journal.read_since is not None or current != [journal.successor] or replaced is None or links is None:
        return journal
    if links.sent_at(snapshot.now) or not links.new_with_old.signed_by(replaced.certificate):
        return journal
    return replace(journal, read_since=snapshot.now)


def _turned(journal: Journal, snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Journal:
    """The flow that leads back: to the CA that was to be replaced, from the one that was to take its place."""
    unwanted = ledger.find(journal.successor)
    return replace(
        journal,
        replaces=journal.successor,
        replaces_sha256=unwanted.certificate.sha256 if unwanted else None,
        successor=journal.replaces,
        started_at=snapshot.now,
        is_abort=True,
        to_replace=False,
        is_upkeep=False,
        unsure=frozenset() if was_never_issued(snapshot, unwanted) else None,
        outgoing=None,
        stop=stop_of(None, intent, True, snapshot.now),
        read_since=None,
    )


def _as_asked_now(journal: Journal, snapshot: Snapshot, intent: Intent) -> Journal:
    """The journal with the answers of this run to where the flow stops, and when nodes give up the old CA; a run that gives none keeps those of
    the run before.
    """
    journal = replace(journal, to_replace=journal.to_replace or _is_to_replace(journal, journal.stop, intent))
    journal = replace(journal, stop=stop_of(journal.stop, intent, may_lead_flow(intent, journal), snapshot.now))
    if intent.retire is None:
        return journal
    return replace(journal, retire=intent.retire, retire_by=intent.retire_by)


def _is_abandoned(snapshot: Snapshot, ledger: Ledger) -> bool:
    """Whether the prepared CA was taken away: then nothing is left to continue with, and the next run starts
    anew.
    """
    journal = in_flight(ledger)
    if journal is None or journal.goal not in ROTATIONS:
        return False
    if journal.is_abort:
        return ledger.find(journal.successor) is None
    left = {*(a.fingerprint for a in snapshot.ca.prepared), *(one.fingerprint for one in snapshot.ca.in_use)}
    return journal.successor not in left


def earlier_certificates(ledger: Ledger, current: Certificate) -> frozenset[str]:
    """Fingerprints, SHA-1 and SHA-256, of the certificates that the CA in use had before flows renewed it, as far as the journal goes back."""
    last = ledger.journal
    if last is None or last.goal is not Goal.RENEW or last.is_abort or last.successor != current.fingerprint:
        return frozenset()
    return last.renewed | frozenset(filter(None, (last.replaces, last.replaces_sha256)))


def _open(snapshot: Snapshot, intent: Intent, before: Ledger, ledger: Ledger) -> Ledger:
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
    # No person waits for a flow of this kind, so it restarts no node that can go on.
    is_upkeep = intent.goal is Goal.RECONCILE and intent.upkeep is not None and snapshot.source is None
    journal = Journal(
        goal=_goal_of(successor.chain[0].public_key_sha256, current.public_key_sha256 if current else None),
        replaces=current.fingerprint if current else None,
        replaces_sha256=current.sha256 if current else None,
        successor=successor.fingerprint,
        started_at=snapshot.now,
        retire=intent.retire or (Retire.WHEN_RESTARTED if is_upkeep else Retire.NOW),
        retire_by=intent.retire_by,
        is_upkeep=is_upkeep,
        named=snapshot.named,
        renewed=earlier_certificates(ledger, current) if current else frozenset(),
    )
    # A call that was killed before it came here has left its stop, and what it was for, beside the prepared CA.
    to_replace = snapshot.ca.to_replace or _is_to_replace(journal, snapshot.ca.stop, intent)
    journal = replace(journal, to_replace=journal.goal is Goal.RENEW and to_replace)
    stop = stop_of(snapshot.ca.stop, intent, may_lead_flow(intent, journal), snapshot.now)
    return replace(ledger, journal=replace(journal, stop=stop))


def _is_to_replace(journal: Journal, stop: Stop | None, intent: Intent) -> bool:
    """Whether this call makes a renewal the first part of its replacement. A renewal that stops for an approval is not its to lead on."""
    may = stop is None or intent.continue_stopped
    return intent.goal is Goal.REPLACE_KEY and journal.goal is Goal.RENEW and not journal.is_abort and may


def _goal_of(successor_key: str, current_key: str | None) -> Goal:
    if current_key is None:
        return Goal.CREATE
    return Goal.RENEW if successor_key == current_key else Goal.REPLACE_KEY


def _rotation_complete(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> bool:
    successor = ledger.find(journal.successor)
    # A successor that is prepared no more is in use; a rotation in which it is neither was abandoned.
    if successor is None or snapshot.ca.prepared:
        return False
    if journal.replaces is not None and ledger.find(journal.replaces) is not None:
        return False
    if snapshot.reconciliation.paused_by_us or _is_removing(ledger):
        return False
    if not snapshot.nodes.pods:
        return journal.goal is Goal.CREATE
    return is_taken_up(successor, snapshot, ledger)


def _is_removing(ledger: Ledger) -> bool:
    """Whether a listener may still trust a CA that left."""
    return any(removed.awaiting for removed in ledger.removed)
