# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The deeds of a call: the work that it begins, as far as preconditions differ by it. The forecast (``foreseeing`` in
``_trust/plan.py``) answers whether nodes restart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import TypeAlias

from ..._pki.certificates import Chain
from ..ledger.enrolment import find_adoption
from ..ledger.journal import is_starting
from ..ledger.target import resolve, wish_of
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.snapshot import Snapshot
from ..rules.due import due_leaves

Question: TypeAlias = Callable[[Snapshot, Intent], bool]


class Deed(Enum):
    """A deed of a call, in the state of the cluster at its decision."""

    #: The call begins: no flow is under way.
    STARTS = "starts"
    #: The call goes on with a flow in flight.
    GOES_ON = "goes on"
    #: The call begins a change of Secrets. An adoption only makes the ledger, and a hand-back without a ledger leaves
    #: all Secrets as they are.
    CHANGES = "changes"
    #: The call begins to bring further certificates into the Secrets of the CA.
    ADDS = "adds"
    #: The call begins a flow with new leaves.
    ISSUES = "issues"
    #: The call has the leaves of missing Secrets issued.
    FILLS = "fills"
    #: The call begins work that can restart Kafka nodes.
    RESTARTS = "restarts"


def issues(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether the intent asks for new leaves: of another CA in the place of the CA in use, or of the same CA."""
    ledger = snapshot.ledger_or_empty
    if intent.goal is Goal.RENEW_LEAVES:
        return bool(due_leaves(snapshot, intent, ledger))
    return intent.goal is not Goal.CREATE and resolve(snapshot, intent, ledger).needs_new_ca


def _fills(snapshot: Snapshot, intent: Intent) -> bool:
    wanted = intent.issuing.missing_leaves
    return wanted is not None and any(wanted.has(name, which) for name, which in snapshot.leaves.missing.items())


def _adds(snapshot: Snapshot, intent: Intent) -> bool:
    makes_first = intent.goal is Goal.CREATE and resolve(snapshot, intent, snapshot.ledger_or_empty).needs_new_ca
    adopts = find_adoption(snapshot, intent) is not None
    return makes_first or adopts or issues(snapshot, intent) or _brings_in(snapshot, intent)


def _brings_in(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether the caller or the source wants trust in a CA that is not in the ledger."""
    wish = wish_of(snapshot, intent, snapshot.ledger_or_empty)
    return _has_unknown((*intent.trust.additional_cas, *(wish.additional_cas if wish else ())), snapshot)


def _has_unknown(chains: Iterable[Chain], snapshot: Snapshot) -> bool:
    ledger = snapshot.ledger_or_empty
    fingerprints = ledger.leaving_cas | {entry.fingerprint for entry in ledger.entries}
    return any(chain[0].fingerprint not in fingerprints for chain in chains)


def _changes(snapshot: Snapshot, intent: Intent) -> bool:
    hands_back = intent.goal is Goal.DOWNGRADE and snapshot.ledger is not None
    removes = snapshot.ledger_or_empty.find(intent.trust.leaving_ca) is not None
    return hands_back or removes or _adds(snapshot, intent)


def _can_restart(snapshot: Snapshot, intent: Intent) -> bool:
    """If the operator has the CA back, it restarts pods that are behind. Nodes come to trust each CA that another
    program has put beside the CA in use.
    """
    if intent.goal is Goal.DOWNGRADE:
        return not (snapshot.reconciliation.generated or intent.parameters.keeps_authority)
    return _changes(snapshot, intent) or _has_unknown(snapshot.ca.other_entries.values(), snapshot)


def _if_starting(begins: Question) -> Question:
    return lambda snapshot, intent: is_starting(snapshot) and begins(snapshot, intent)


#: Whether a call does each of these.
DOES: Mapping[Deed, Question] = {
    Deed.STARTS: lambda snapshot, intent: is_starting(snapshot),
    Deed.GOES_ON: lambda snapshot, intent: not is_starting(snapshot),
    Deed.CHANGES: _if_starting(_changes),
    Deed.ADDS: _if_starting(_adds),
    Deed.ISSUES: _if_starting(issues),
    Deed.FILLS: _fills,
    Deed.RESTARTS: _if_starting(_can_restart),
}
