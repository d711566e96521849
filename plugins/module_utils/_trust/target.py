# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Which CA a flow is about: the one in flight, the one named by the caller, or the one in use."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import ROTATIONS, in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Journal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot


@dataclass(frozen=True)
class Target:
    """wanted: a new CA is to be made. unknown: the CA named by the caller is not one of this cluster."""

    wanted: bool
    unknown: bool = False


_NOTHING = Target(wanted=False)


def resolve(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Target:
    """Whether this intent asks for a new CA now.

    Never while a flow is in flight (it is continued instead), nor when the journal's last flow is the answer: it
    replaced the CA that the caller names, or, when none is named, it had this goal and is fresh.
    """
    if intent.goal not in ROTATIONS or in_flight(ledger) or snapshot.ca.prepared:
        return _NOTHING
    current = snapshot.ca.current[0] if snapshot.ca.current else None
    if intent.goal is Goal.CREATE:
        return Target(wanted=current is None)
    if current is None:
        return _NOTHING
    if intent.replaces is not None:
        return _named(intent.replaces, current.fingerprint, current.sha256, ledger)
    return Target(wanted=not _is_fresh(snapshot, intent, ledger.journal))


def _named(replaces: str, fingerprint: str, sha256: str, ledger: Ledger) -> Target:
    wanted = replaces.replace(":", "").lower()
    if wanted in (fingerprint, sha256):
        return Target(wanted=True)
    known = {ledger.journal.replaces} if ledger.journal else set()
    for entry in ledger.entries:
        known |= {entry.fingerprint, entry.certificate.sha256}
    for removed in ledger.removed:
        known |= {removed.fingerprint, removed.certificate.sha256}
    return Target(wanted=False, unknown=wanted not in known)


def _is_fresh(snapshot: Snapshot, intent: Intent, journal: Journal | None) -> bool:
    if journal is None or journal.finished_at is None or journal.goal is not intent.goal:
        return False
    return snapshot.now - journal.finished_at < intent.fresh_for
