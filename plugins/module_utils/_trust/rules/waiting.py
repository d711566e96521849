# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The sentences about what running processes still hold, where a flow only waits for their next restart."""

from __future__ import annotations

from ..model.goals import Goal
from ..model.names import named
from .retirement import is_patient, latest_restart
from .situation import Situation


def describe_held_authorities(at: Situation) -> tuple[str, ...]:
    """Sentences that say which CA is held, by which pods and until when."""
    journal = at.begun
    if journal is None or not is_patient(at):
        return ()
    replaced, latest = at.ledger.find(journal.replaces), latest_restart(at, journal)
    uids = frozenset(uid for held in at.ledger.held for uid in held.holders)
    pods = ", ".join(sorted(pod.name for pod in at.snapshot.nodes.pods if pod.uid in uids))
    if replaced is None or not pods:
        return ()
    until = f", on {latest:%Y-%m-%d} at the latest" if latest is not None else ""
    return (f"{named(replaced.certificate)} stays trusted until these have restarted for any reason{until}: {pods}",)


def describe_rest_of_replacement(at: Situation) -> tuple[str, ...]:
    """A sentence where the last renewal was the first part of a replacement, and the call that would go on with that was killed."""
    journal = at.ledger.journal
    renewed = at.ledger.find(journal.successor) if journal is not None and journal.to_replace else None
    if journal is None or renewed is None or at.leads_to_replacement or at.intent.goal is Goal.ABORT:
        return ()
    return (
        f"{named(renewed.certificate)} was renewed so that its key can be replaced, as asked for on {journal.started_at:%Y-%m-%d at %H:%M} UTC. The "
        "replacement is still to come: strimzi_ca with state=replaced, or the playbook replace_key, goes on with it.",
    )
