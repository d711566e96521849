# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The CA that a flow is about: that of the flow in flight, the CA that the caller names, or the CA in use."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from ..._pki.certificates import Certificate
from ..gates.arrival import can_make_room
from ..model.goals import ROTATIONS, Goal
from ..model.intent import Intent
from ..model.ledger import Journal, Ledger
from ..model.names import flow_named, is_named, named
from ..model.snapshot import PreparedAuthority, Snapshot
from ..model.upkeep import WhenDue
from .journal import earlier_certificates, in_flight
from .upkeep import due_rotation, upkeep_of
from .wish import Wish, is_renewal, wish_of


@dataclass(frozen=True)
class Target:
    """wanted: a new CA is to be made. unknown: the CA named by the caller is not one of this cluster.

    replaces: the CA that this flow is about. Naming it in the next call keeps a flow from starting over when it ends.
    """

    wanted: bool
    unknown: bool = False
    replaces: str | None = None


def resolve(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Target:
    """Whether this intent asks for a new CA now.

    It does not in four cases. A flow is in flight: it is continued. The last flow of the journal is the answer: it
    replaced the CA that the caller names or, where none is named, it had this goal and is fresh. The CA that the caller
    supplies is in use already. The caller names a source of CAs, and which one it means cannot be told or is not confirmed.
    """
    current, begun = snapshot.ca.current[0] if snapshot.ca.current else None, in_flight(ledger)
    if intent.goal is Goal.RECONCILE:
        return (
            _as_the_source_says(snapshot, intent, ledger)
            if snapshot.source
            else _as_time_says(snapshot, intent, ledger)
        )
    if intent.goal is Goal.UPGRADE:
        adopted = snapshot.ledger is not None and not (
            begun or snapshot.ca.prepared or snapshot.reconciliation.generated
        )
        return Target(intent.make_room and adopted and intent.adopts is None and can_make_room(snapshot))
    if intent.goal not in ROTATIONS:
        return Target(False)
    if begun or snapshot.ca.prepared:
        return Target(False, replaces=begun.replaces if begun else current.fingerprint if current else None)
    supplied = supplied_for(snapshot, intent, ledger)
    if snapshot.source is not None and supplied is None:
        return Target(False)
    if intent.goal is Goal.CREATE:
        return Target(current is None)
    if current is None:
        return Target(False)
    if supplied is not None and supplied.fingerprint == current.fingerprint:
        # The supplied CA is in use. A flow that prepared it again would never end.
        return Target(False, replaces=_predecessor(current, ledger.journal) or intent.replaces)
    if intent.replaces is not None:
        return _named(intent, current, ledger)
    # A fresh flow is the answer only where no CA is supplied: it has put another CA in place than the supplied one.
    if supplied is None and _is_fresh(snapshot, intent, ledger.journal):
        return Target(False, replaces=ledger.journal.replaces if ledger.journal else None)
    return Target(True, replaces=current.fingerprint)


def why_answered(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> str:
    """Why a rotation that is asked for is not begun, as a part of a sentence; empty where it is, or where none is asked for."""
    current, journal = snapshot.ca.current[0] if snapshot.ca.current else None, ledger.journal
    begun = in_flight(ledger) or snapshot.ca.prepared or snapshot.source is not None
    if (
        intent.goal not in (Goal.RENEW, Goal.REPLACE_KEY)
        or current is None
        or begun
        or resolve(snapshot, intent, ledger).wanted
    ):
        return ""
    if intent.supplied is not None and intent.supplied.fingerprint == current.fingerprint:
        return f"the CA that is given, {named(current)}, is in use already"
    if intent.replaces is not None:
        return f"the CA that is named (replaces, strimzi_replaces) is in use no longer; {named(current)} is"
    if journal is None or journal.finished_at is None:
        return ""
    ago, hours = snapshot.now - journal.finished_at, intent.fresh_for / timedelta(hours=1)
    return (
        f"a {flow_named(journal)} ended {_period(ago)} ago, and for {hours:g} hours (fresh_for_hours, strimzi_fresh_for_hours) that is the answer. To begin "
        f"another one, name the CA in use: replaces (strimzi_replaces) {current.sha256}"
    )


def _period(time: timedelta) -> str:
    minutes = max(0, int(time / timedelta(minutes=1)))
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"


def _as_the_source_says(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Target:
    wish, current = wish_of(snapshot, intent, ledger), snapshot.ca.current
    if wish is None or not wish.authority or not current:
        return Target(False)
    return Target(wish.authority[0] != current[0], replaces=current[0].fingerprint)


def _as_time_says(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Target:
    is_busy = in_flight(ledger) is not None or bool(snapshot.ca.prepared)
    if is_busy or due_rotation(snapshot, intent, ledger) is None:
        return Target(False)
    return Target(True, replaces=snapshot.ca.current[0].fingerprint)


def supplied_for(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> PreparedAuthority | None:
    """The CA that is brought instead of a generated one: by the caller, or by the source that the caller names, where this flow is to
    begin with it. A source holds no key.
    """
    wish = wish_of(snapshot, intent, ledger)
    if intent.supplied is not None or wish is None or not wish.authority:
        return intent.supplied
    return PreparedAuthority(wish.authority, wish.authority[0].public_key_sha256, elsewhere=True)


def rotation_of(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Goal:
    """The flow that this intent begins: what the caller says, or what the CA of the source or the end of the CA in use comes to."""
    supplied = supplied_for(snapshot, intent, ledger)
    if intent.goal is not Goal.RECONCILE:
        return intent.goal
    if supplied is None:
        return due_rotation(snapshot, intent, ledger) or intent.goal
    return Goal.RENEW if is_renewal(supplied.chain[0], snapshot) else Goal.REPLACE_KEY


def leads_to_replacement(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> bool:
    """Whether the flow in flight renews the CA in use so that clients can be led on from it, and this intent replaces its key when that is
    done.
    """
    begun, source = in_flight(ledger), snapshot.source
    if begun is None or begun.goal is not Goal.RENEW or begun.is_abort:
        return False
    if intent.goal is not Goal.RECONCILE:
        return intent.goal is Goal.REPLACE_KEY
    if source is None and intent.upkeep is not None:
        return begun.is_upkeep and begun.to_replace and upkeep_of(snapshot, intent.upkeep)[0] is WhenDue.REPLACE_KEY
    if source is None or source.problem or not snapshot.ca.current:
        return False
    wanted = Wish(source, snapshot, intent, ledger).authority
    return bool(wanted) and wanted[0].public_key_sha256 != snapshot.ca.current[0].public_key_sha256


def _predecessor(current: Certificate, journal: Journal | None) -> str | None:
    return journal.replaces if journal is not None and journal.successor == current.fingerprint else None


def _named(intent: Intent, current: Certificate, ledger: Ledger) -> Target:
    given = intent.replaces or ""
    if is_named(current, given):
        return Target(True, replaces=current.fingerprint)
    wanted = given.replace(":", "").lower()
    if intent.goal is Goal.REPLACE_KEY and wanted in earlier_certificates(ledger, current):
        # Its key is still in use: a renewal is no replacement of the key.
        return Target(True, replaces=given)
    journal = ledger.journal
    known = {journal.replaces, journal.replaces_sha256, *journal.renewed} if journal else set()
    for certificate in [*(e.certificate for e in ledger.entries), *(r.certificate for r in ledger.removed)]:
        known |= {certificate.fingerprint, certificate.sha256}
    return Target(False, unknown=wanted not in known, replaces=given)


def _is_fresh(snapshot: Snapshot, intent: Intent, journal: Journal | None) -> bool:
    if journal is None or journal.finished_at is None or journal.goal is not intent.goal or journal.is_abort:
        return False
    return snapshot.now - journal.finished_at < intent.fresh_for
