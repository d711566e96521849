# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The leaves that have to be issued again, and why: one policy for requests to an issuer and for writes into Secrets.

The operator issues ending leaves again by itself. If the key of the CA is kept elsewhere, the operator cannot, and
would stand still (docs/operator.md, "Re-issue" (c) and (d)). So every flow renews them: before the end of a leaf, and
as soon as other names are wanted.

An issuer may renew leaves by itself. A flow compares the names at the issuer with the wanted names, and takes up a
renewed leaf like a due leaf (External Certificate Manager, "Tracking changes to Cluster CA end-entity certificates").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import TypeAlias

from ..._leaves.trigger import (
    WHY_ASKED,
    WHY_RENEWED,
    Due,
    IssueReason,
    Question,
    Specification,
    due,
    ends_with,
    is_ending,
    why_ending,
    why_misnamed,
)
from ..._pki.certificates import Certificate, Chain
from ..evidence.parties import is_taken_up
from ..evidence.stored import authority_of
from ..ledger.journal import in_flight, stops_before_use
from ..model.components import Component
from ..model.decision import Steps
from ..model.goals import Goal, Phase
from ..model.intent import Intent
from ..model.ledger import Ledger, LedgerEntry
from ..model.names import first_told, named
from ..model.snapshot import Snapshot, StoredLeaf
from ..model.steps.leaves import CorrectOrders
from .situation import Situation

#: How long before the operator's window a flow requests a leaf: issuers may be people.
_AHEAD = timedelta(days=15)


def leaves_before_operator_window(snapshot: Snapshot) -> tuple[StoredLeaf, ...]:
    """Leaves of the CA in use that come near the operator's window or are in it; none if the operator has the key."""
    return tuple(leaf for leaf in snapshot.every_leaf if _nears_window_of_helpless_operator(leaf, snapshot))


def _nears_window_of_helpless_operator(leaf: StoredLeaf, snapshot: Snapshot) -> bool:
    if not (snapshot.ca.in_use_elsewhere and leaf.chain and leaf.chain[0].signed_by(snapshot.ca.current[0])):
        return False
    return nears_operator_window(leaf.chain[0], snapshot.window_of(leaf), snapshot.now)


def needed_by_operator(snapshot: Snapshot) -> frozenset[str]:
    """The Secrets of leaves without which no reconcile of the operator succeeds: leaves that it cannot read, and, if it
    can issue none, leaves that it would issue.
    """
    unreadable = (leaf.secret for leaf in snapshot.every_leaf if leaf.chain is None)
    needed = {*snapshot.every_missing_leaf, *snapshot.leaves.misnamed, *unreadable}
    if not snapshot.ca.in_use_elsewhere:
        return frozenset(needed)
    return frozenset(
        needed.union(
            leaf.secret
            for leaf in snapshot.leaves.stored
            if leaf.chain and _operator_renews(leaf, leaf.chain[0], snapshot)
        )
    )


def _operator_renews(leaf: StoredLeaf, own: Certificate, snapshot: Snapshot) -> bool:
    behind, current = (leaf.chain or ())[1:], snapshot.ca.current
    is_of_another = leaf.component is Component.KAFKA and behind[-len(current) :] != current
    is_of_other_generation = leaf.generation != snapshot.ca.certificate_generation
    return is_in_operator_window(own, leaf, snapshot) or is_of_other_generation or is_of_another


def is_in_operator_window(own: Certificate, leaf: StoredLeaf, snapshot: Snapshot) -> bool:
    """Whether this leaf, with the certificate ``own``, is so near its end that the operator would renew it."""
    return own.not_after - snapshot.now < snapshot.window_of(leaf)


def is_kept_by_user_operator(secret: str, snapshot: Snapshot) -> bool:
    """Whether the User Operator keeps the certificate in this Secret of a user. In the place of a certificate that has
    ended, or that is in its window, it would issue another; without the key of the CA it fails at that, and may store
    an empty certificate.
    """
    leaf = snapshot.user_leaves.get(secret)
    return leaf is None or not leaf.chain or not is_in_operator_window(leaf.chain[0], leaf, snapshot)


def misnamed_leaves(snapshot: Snapshot) -> tuple[StoredLeaf, ...]:
    """Leaves with other names than the operator wants."""
    return tuple(leaf for leaf in snapshot.leaves.stored if leaf.secret in snapshot.leaves.misnamed)


def find_first_ending(leaves: Iterable[StoredLeaf | None]) -> tuple[StoredLeaf, Certificate] | None:
    """The leaf with the earliest end, and its certificate; None if there is no leaf."""
    ends = ((leaf, leaf.chain[0]) for leaf in leaves if leaf is not None and leaf.chain)
    return min(ends, key=lambda end: (end[1].not_after, end[0].secret), default=None)


def nears_operator_window(leaf: Certificate, window: timedelta, now: datetime) -> bool:
    """Whether a leaf is near the operator's window, or in it."""
    return now > nears_window_from(leaf, window)


def nears_window_from(leaf: Certificate, window: timedelta) -> datetime:
    """When a leaf comes near the operator's window: the time before its end in which the operator renews it. If a leaf
    lives no longer than the window, it is in the window from its first day: it is renewed at half of its life, so not
    every run renews it.
    """
    life = leaf.not_after - leaf.not_before
    outside = life - window
    ahead = window + min(_AHEAD, outside / 2) if outside > timedelta(0) else life / 2
    return leaf.not_after - ahead


#: The flows about the leaves of the CA in use; the others replace them anyway, or are about something else.
_GOALS = frozenset({Goal.RENEW_LEAVES, Goal.RECONCILE})


def describe_written_back(snapshot: Snapshot) -> Iterator[str]:
    """The corrected differences at an issuer that renews by itself, if another writer has written them back, as
    sentences for a warning.
    """
    sentences = (snapshot.leaves.standing[name].written_back for name in sorted(snapshot.leaves.standing))
    return first_told(filter(None, sentences), "Certificate", "strimzi_ca_info lists all under renewals")


def correct_orders(at: Situation) -> Steps:
    """Correct what an issuer that renews by itself would renew, if it differs from the wanted leaf; not while the CA is
    being replaced, because the flow requests every leaf then anyway.
    """
    if at.intent.goal not in _GOALS or at.successor is not None or at.current is None:
        return ()
    if not at.snapshot.ca.is_kept_elsewhere(at.current):
        return ()
    wrong = tuple(sorted(name for name, order in at.snapshot.leaves.standing.items() if order.differs))
    return (
        (CorrectOrders(secrets=wrong, external_issuer=at.intent.issuing.external_issuer, phase=Phase.PREPARE),)
        if wrong
        else ()
    )


def ending_leaves(snapshot: Snapshot, intent: Intent) -> tuple[StoredLeaf, ...]:
    """Leaves of the CA in use that are in their time for renewal, or whose CA is; also leaves that end with their CA.
    Only leaves of nodes count; all leaves count if the key of the CA is kept elsewhere, because then the operator
    renews none. Empty if the caller does not renew leaves.
    """
    return tuple(leaf for leaf in snapshot.every_leaf if _is_renewed_here(leaf, snapshot, intent))


def leaves_that_end_with_ca(snapshot: Snapshot, intent: Intent) -> tuple[StoredLeaf, ...]:
    """The leaves in their time for renewal that another leaf of the CA in use would not outlive."""
    return tuple(leaf for leaf in ending_leaves(snapshot, intent) if _ends_with(leaf, snapshot.ca.current))


def _is_renewed_here(leaf: StoredLeaf, snapshot: Snapshot, intent: Intent) -> bool:
    ca = snapshot.ca
    if intent.goal is not Goal.RENEW_LEAVES or not ca.current or leaf.generation != ca.certificate_generation:
        return False
    is_of_this_collection = leaf.component is Component.KAFKA or ca.in_use_elsewhere
    return is_of_this_collection and _is_in_its_time(leaf, ca.current[0], snapshot, intent)


def ending_under_next(snapshot: Snapshot, intent: Intent, issuer: Chain) -> tuple[str, ...]:
    """Secrets of nodes with leaves of the next CA in their time for renewal, while its flow is stopped before the
    operator is switched to it: the operator would put leaves of the old CA in their place, with a restart. Any call
    renews leaves near the operator's time.
    """
    return tuple(
        sorted(
            leaf.secret
            for leaf in snapshot.leaves.stored
            if leaf.component is Component.KAFKA
            and _is_in_its_time(leaf, issuer[0], snapshot, intent)
            and not _ends_with(leaf, issuer)
        )
    )


def _is_in_its_time(leaf: StoredLeaf, issuer: Certificate, snapshot: Snapshot, intent: Intent) -> bool:
    """Whether this CA has signed the leaf, and the leaf is near the operator's window; or, if the caller renews leaves,
    the leaf or the CA is in its time for renewal. Processes trust the signing CA, so the ends of CAs above it do not
    count. Here leaves are read again; in its window the operator would issue them with a restart.
    """
    if not leaf.chain or not leaf.chain[0].signed_by(issuer):
        return False
    own, before = leaf.chain[0], intent.parameters.renew_before
    is_asked_for = intent.goal is Goal.RENEW_LEAVES and is_ending(own, (issuer,), snapshot.now, before)
    return is_asked_for or nears_operator_window(own, snapshot.window_of(leaf), snapshot.now)


def _ends_with(leaf: StoredLeaf, issuer: Chain) -> bool:
    """Whether another leaf of this CA would last no longer."""
    return leaf.chain is not None and ends_with(leaf.chain[0], issuer)


def ended_leaves(snapshot: Snapshot) -> tuple[StoredLeaf, ...]:
    """The ended leaves among the stored leaves."""
    return tuple(leaf for leaf in snapshot.leaves.stored if leaf.chain and leaf.chain[0].has_ended(snapshot.now))


def due_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> tuple[StoredLeaf, ...]:
    """Leaves that are to be issued again under the CA in use, and leaves that their issuer has renewed by itself; none
    while a flow is about to replace this CA.
    """
    due = due_reasons(snapshot, intent, ledger)
    return tuple(leaf for leaf in snapshot.leaves.stored if leaf.secret in due)


def due_reasons(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> dict[str, Due]:
    """Why each leaf is due under the CA in use, by its Secret; also a missing leaf, if the operator cannot issue it."""
    return _why_due(snapshot, intent, _reasons_under_current(snapshot, ledger))


def due_reasons_under(snapshot: Snapshot, intent: Intent, ledger: Ledger, authority: Chain) -> dict[str, Due]:
    """Why leaves have to be issued by this CA, which is in use or is to be, by their Secret; also missing leaves. Their
    dates matter only if no CA takes the place of another.
    """
    reasons = (*_reasons_of_defects(authority), *_reasons_under_current(snapshot, ledger))
    return _why_due(snapshot, intent, reasons)


#: A reason to issue a leaf. It says why this leaf is due, or a missing leaf; None if it does not apply.
_Reason: TypeAlias = Callable[[StoredLeaf | None, Snapshot, Intent], Due | None]


def _why_due(snapshot: Snapshot, intent: Intent, reasons: Iterable[_Reason]) -> dict[str, Due]:
    """The first of these reasons that applies to each leaf, by its Secret."""
    leaves: dict[str, StoredLeaf | None] = dict.fromkeys(snapshot.every_missing_leaf)
    leaves.update((leaf.secret, leaf) for leaf in snapshot.every_leaf)
    first = {
        secret: next(filter(None, (reason(leaf, snapshot, intent) for reason in reasons)), None)
        for secret, leaf in leaves.items()
    }
    return {secret: why for secret, why in first.items() if why}


def _reasons_under_current(snapshot: Snapshot, ledger: Ledger) -> tuple[_Reason, ...]:
    """The reasons that count under the CA in use, in their order; none while a flow is about to replace this CA."""
    if ledger.undone_ca is not None:
        return _reasons_of_abort(snapshot, ledger)
    entry = ledger.find(snapshot.ca.current[0].fingerprint) if snapshot.ca.current else None
    if entry is None or not _keeps_current(entry, snapshot, ledger):
        return ()
    # Outside of a flow, good certificates are left alone until every party has taken the CA in use up.
    is_settled = in_flight(ledger) is not None or not snapshot.nodes.pods or is_taken_up(entry, snapshot, ledger)
    return (*_reasons_without_the_operator(snapshot), *(_OF_GOOD_LEAVES if is_settled else ()))


def _keeps_current(entry: LedgerEntry, snapshot: Snapshot, ledger: Ledger) -> bool:
    """Whether leaves of the CA in use have a future: no flow is about to replace it. The flow to this CA may wait for
    months, until nodes have restarted for another reason. The flow from this CA may wait for an approval. The first
    leaves end meanwhile.
    """
    begun = in_flight(ledger)
    if begun is not None and stops_before_use(begun) and begun.replaces == entry.fingerprint:
        # If its key is kept elsewhere, the flow requests leaves of the next CA already.
        return not snapshot.ca.in_use_elsewhere
    if snapshot.ca.prepared:
        return False
    return begun is None or begun.successor == entry.fingerprint


def _reasons_of_abort(snapshot: Snapshot, ledger: Ledger) -> tuple[_Reason, ...]:
    """Leaves of the CA that an abort is to get rid of are due, if that CA was not in use for everything yet; and leaves
    that the operator cannot issue.
    """
    unwanted, current = ledger.find(ledger.undone_ca), snapshot.ca.in_use
    if unwanted is None or not current or current[0] == unwanted.certificate:
        return ()
    return (partial(_why_given_up, unwanted, ledger), *_reasons_without_the_operator(snapshot))


def _reasons_without_the_operator(snapshot: Snapshot) -> tuple[_Reason, ...]:
    """The reasons for which a leaf of the CA in use is issued in the place of the operator. If the operator has the
    key, it issues all but misnamed leaves by itself.
    """
    return _reasons_of_defects(snapshot.ca.current) if snapshot.ca.in_use_elsewhere else (_why_misnamed,)


def _reasons_of_defects(authority: Chain) -> tuple[_Reason, ...]:
    """The reasons why this CA would issue another leaf."""
    return (partial(_why_defective, authority), _why_misnamed)


def _why_given_up(unwanted: LedgerEntry, ledger: Ledger, leaf: StoredLeaf | None, *_rest: object) -> Due | None:
    if leaf is None or authority_of(leaf, leaf.generation, ledger)[0] != unwanted.fingerprint:
        return None
    return Due(IssueReason.AUTHORITY, f"it is of {named(unwanted.certificate)}, which is given up")


def _why_defective(authority: Chain, leaf: StoredLeaf | None, snapshot: Snapshot, _intent: Intent) -> Due | None:
    return due(Question(leaf.existing if leaf is not None else None, Specification(authority), snapshot.now))


def _why_misnamed(leaf: StoredLeaf | None, snapshot: Snapshot, _intent: Intent) -> Due | None:
    difference = snapshot.leaves.misnamed.get(leaf.secret) if leaf is not None else None
    return why_misnamed(difference) if difference is not None else None


def _why_asked(leaf: StoredLeaf | None, _snapshot: Snapshot, intent: Intent) -> Due | None:
    """The caller wants another leaf in the place of a good leaf."""
    is_unwanted = leaf and leaf.chain and leaf.chain[0].sha256 in intent.issuing.unwanted_leaves
    return WHY_ASKED if is_unwanted else None


def _why_renewed(leaf: StoredLeaf | None, snapshot: Snapshot, intent: Intent) -> Due | None:
    """The issuer has a later, checked leaf of the CA in use."""
    standing = snapshot.leaves.standing.get(leaf.secret) if leaf is not None and intent.goal in _GOALS else None
    if leaf is None or standing is None or not leaf.chain or leaf.generation != snapshot.ca.certificate_generation:
        return None
    is_later = standing.authority == snapshot.ca.current[0].fingerprint and standing.replaces(leaf.chain[0])
    return WHY_RENEWED if is_later else None


def _why_ending(leaf: StoredLeaf | None, snapshot: Snapshot, intent: Intent) -> Due | None:
    """The leaf is in its time for renewal, and another leaf would last longer."""
    if leaf is None or not leaf.chain or _ends_with(leaf, snapshot.ca.current):
        return None
    is_due = _is_renewed_here(leaf, snapshot, intent) or _nears_window_of_helpless_operator(leaf, snapshot)
    return why_ending(leaf.chain[0], ()) if is_due else None


#: The reasons to replace a good leaf of the CA in use, in their order.
_OF_GOOD_LEAVES: tuple[_Reason, ...] = (_why_asked, _why_renewed, _why_ending)
