# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""When a CA that the operator no longer renews is renewed or replaced, and what the ledger records of that (docs/design.md, "Upkeep")."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from ..._leaves.trigger import is_ending, window
from ..._pki.certificates import Certificate
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import Journal, Ledger
from ..model.names import named
from ..model.snapshot import Snapshot
from ..model.upkeep import Upkeep, UpkeepAsked, WhenDue

#: A CA is renewed so long before the operator renews leaves that end with it, so that a weekly call comes before the operator, which restarts pods.
AHEAD = timedelta(days=7)


def note_upkeep(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Ledger:
    """The ledger with what this call does with a CA in its time for renewal; a call that does not keep CAs up leaves the record as it is."""
    if intent.upkeep is None or snapshot.ledger is None:
        return ledger
    policy, before_end = upkeep_of(snapshot, intent.upkeep)
    if policy is WhenDue.NONE:
        return replace(ledger, upkeep=None)
    known = ledger.upkeep
    if known is not None and (known.policy, known.window) == (policy, before_end):
        return ledger
    return replace(ledger, upkeep=Upkeep(policy, before_end, snapshot.now))


def upkeep_of(snapshot: Snapshot, asked: UpkeepAsked) -> tuple[WhenDue, timedelta]:
    """The policy, and how long before a CA's end it takes effect: as the caller asks, else as the operator has it for a CA of its own."""
    specified = WhenDue.REPLACE_KEY if snapshot.reconciliation.replaces_key else WhenDue.RENEW
    before_end = usual_window(snapshot) if asked.window is None else asked.window
    return asked.policy or specified, before_end


def usual_window(snapshot: Snapshot) -> timedelta:
    """How long before its end a CA is renewed unless the caller gives another time."""
    return snapshot.leaves.renewal_window + AHEAD


def due_rotation(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Goal | None:
    """The flow that the CA in use needs now; None where it needs none, or this collection cannot make its successor.

    The renewal before a replacement, which clients need, gives the CA a later end: the replacement follows all the same.
    """
    if intent.goal is not Goal.RECONCILE or intent.upkeep is None or not snapshot.ca.current:
        return None
    policy, before_end = upkeep_of(snapshot, intent.upkeep)
    if policy is WhenDue.NONE or why_not_made_here(snapshot):
        return None
    current = snapshot.ca.current[0]
    if not is_ending(current, (), snapshot.now, before_end) and not (
        policy is WhenDue.REPLACE_KEY and _is_half_replaced(ledger.journal, current)
    ):
        return None
    return Goal.REPLACE_KEY if policy is WhenDue.REPLACE_KEY else Goal.RENEW


def _is_half_replaced(journal: Journal | None, current: Certificate) -> bool:
    """Whether the last flow has renewed the CA in use as the first part of a replacement that an earlier call of this kind began."""
    if journal is None or journal.finished_at is None or journal.is_abort:
        return False
    return journal.is_upkeep and journal.to_replace and journal.successor == current.fingerprint


def why_not_made_here(snapshot: Snapshot) -> str:
    """Why this collection cannot make the successor of the CA in use by itself, as a sentence; empty where it can."""
    current = snapshot.ca.current
    if not current:
        return ""
    if snapshot.source is not None:
        return f"{named(current[0])} comes from {snapshot.source.name}, so its successor has to be put there."
    if snapshot.ca.in_use_elsewhere:
        return f"The key of {named(current[0])} is kept elsewhere, so its issuer has to make its successor."
    if not current[0].is_root:
        return f"Another CA has issued {named(current[0])}, so that CA has to issue its successor."
    return ""


def due_from(authority: Certificate, before_end: timedelta) -> datetime:
    """When the CA's time for renewal begins."""
    return authority.not_after - window(authority, before_end)


def why_due(authority: Certificate, snapshot: Snapshot, asked: UpkeepAsked) -> str:
    """The reason for a flow that no person has asked for, as a sentence."""
    begins = due_from(authority, upkeep_of(snapshot, asked)[1])
    return (
        f"{named(authority)} ends on {authority.not_after:%Y-%m-%d}; its time for renewal began on {begins:%Y-%m-%d}."
    )
