# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The leaves that have to be issued anew, and why: one policy for what an issuer is asked for and for what is put into Secrets."""

from __future__ import annotations

from datetime import timedelta

from ..._leaves.trigger import (
    WHY_ASKED,
    WHY_RENEWED,
    Due,
    Question,
    Reason,
    Specification,
    due,
    ends_with,
    is_ending,
    is_signed_by,
    why_ending,
    why_misnamed,
)
from ..._pki.certificates import Certificate, Chain
from ..evidence.parties import is_taken_up
from ..evidence.stored import authority_of
from ..ledger.journal import in_flight
from ..ledger.stop import stops_before_use
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import Ledger, LedgerEntry
from ..model.names import named
from ..model.snapshot import Component, Snapshot, StoredLeaf
from .operator_reissue import leaves_before_operator_window, misnamed_leaves, nears_operator_window
from .standing import renewed_leaves


def ending_leaves(snapshot: Snapshot, intent: Intent) -> tuple[StoredLeaf, ...]:
    """Leaves of the CA in use that are in their time for renewal, they or what they rest on, also those that end with their CA: those
    of nodes, and all where the CA's key is kept elsewhere, because then the operator can renew none.
    """
    if intent.goal is not Goal.RENEW_LEAVES or not snapshot.ca.current:
        return ()
    return tuple(leaf for leaf in snapshot.every_leaf if _is_ending(leaf, snapshot, intent))


def _is_ending(leaf: StoredLeaf, snapshot: Snapshot, intent: Intent) -> bool:
    current_generation = snapshot.ca.certificate_generation
    renewed_here = leaf.component is Component.KAFKA or snapshot.ca.is_kept_elsewhere(snapshot.ca.current[0])
    if not renewed_here or leaf.chain is None or leaf.generation != current_generation:
        return False
    own = leaf.chain[0]
    above = snapshot.ca.current
    # Here they are read again; in its window the operator would issue them with a restart.
    ending = is_ending(own, above, snapshot.now, intent.renew_before) or nears_operator_window(
        own, snapshot.window_of(leaf), snapshot.now
    )
    return own.signed_by(above[0]) and ending


def ending_under_next(snapshot: Snapshot, intent: Intent, issuer: Chain) -> tuple[str, ...]:
    """Secrets of nodes with leaves of the next CA that are in their time for renewal, while its flow is stopped before the operator is switched to
    it: the operator would put leaves of the old CA in their place, with a restart. Any call renews those that are near its time.
    """
    return tuple(
        sorted(
            leaf.secret
            for leaf in snapshot.leaves.stored
            if leaf.component is Component.KAFKA
            and leaf.chain
            and is_signed_by(leaf.chain, issuer[0])
            and not ends_with(leaf.chain[0], issuer)
            and _is_due(leaf.chain[0], issuer, snapshot.window_of(leaf), snapshot, intent)
        )
    )


def _is_due(leaf: Certificate, issuer: Chain, window: timedelta, snapshot: Snapshot, intent: Intent) -> bool:
    asked = intent.goal is Goal.RENEW_LEAVES and is_ending(leaf, issuer, snapshot.now, intent.renew_before)
    return asked or nears_operator_window(leaf, window, snapshot.now)


def unwanted_leaves(snapshot: Snapshot, intent: Intent) -> tuple[StoredLeaf, ...]:
    """The stored leaves that the caller wants others for, although they are good."""
    return tuple(leaf for leaf in snapshot.every_leaf if leaf.chain and leaf.chain[0].sha256 in intent.unwanted)


def due_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> tuple[StoredLeaf, ...]:
    """Leaves that are to be issued anew under the CA in use, and those that their issuer has renewed by itself; none while a flow is about
    to replace this CA.
    """
    due = due_reasons(snapshot, intent, ledger)
    return tuple(leaf for leaf in snapshot.leaves.stored if leaf.secret in due)


def due_reasons(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> dict[str, Due]:
    """Why each leaf is due under the CA in use, by its Secret; also one that is missing, where the operator cannot issue it."""
    if ledger.undone is not None:
        return _of_what_is_undone(snapshot, ledger)
    if not snapshot.ca.current or not _has_come_to_stay(snapshot.ca.current[0], snapshot, ledger):
        return {}
    return {**_of_time(snapshot, intent, ledger), **_without_the_operator(snapshot)}


def due_reasons_under(snapshot: Snapshot, intent: Intent, ledger: Ledger, authority: Chain) -> dict[str, Due]:
    """Why leaves have to be issued by this CA, which is in use or is to be, by their Secret; also those that are missing. Their dates matter only
    where no CA takes the place of another.
    """
    return {**due_reasons(snapshot, intent, ledger), **_unfit(snapshot, authority)}


def _unfit(snapshot: Snapshot, authority: Chain) -> dict[str, Due]:
    """Why leaves are not such as this CA would issue, by their Secret."""
    wanted, now = Specification(authority), snapshot.now
    questions = {name: Question(None, wanted, now) for name in snapshot.every_missing}
    for leaf in snapshot.every_leaf:
        questions[leaf.secret] = Question(leaf.held, wanted, now)
    found = {name: why for name, asked in questions.items() if (why := due(asked))}
    return {**_misnamed(snapshot), **found}


def _without_the_operator(snapshot: Snapshot) -> dict[str, Due]:
    """The same of the CA in use, where the operator cannot issue them: another hand keeps the key."""
    if not snapshot.ca.in_use_elsewhere:
        return _misnamed(snapshot)
    return _unfit(snapshot, snapshot.ca.current)


def _misnamed(snapshot: Snapshot) -> dict[str, Due]:
    return {leaf.secret: why_misnamed(snapshot.leaves.misnamed[leaf.secret]) for leaf in misnamed_leaves(snapshot)}


def _of_time(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> dict[str, Due]:
    """Leaves that are still good, where the CA in use is taken up."""
    entry = ledger.find(snapshot.ca.current[0].fingerprint)
    if entry is None or not _is_quiet(entry, snapshot, ledger):
        return {}
    ending = (*ending_leaves(snapshot, intent), *leaves_before_operator_window(snapshot))
    return {
        **{
            leaf.secret: why_ending(leaf.chain[0], snapshot.ca.current)
            for leaf in ending
            # Another leaf would last longer.
            if leaf.chain and not ends_with(leaf.chain[0], snapshot.ca.current)
        },
        **{leaf.secret: WHY_RENEWED for leaf in renewed_leaves(snapshot, intent)},
        **{leaf.secret: WHY_ASKED for leaf in unwanted_leaves(snapshot, intent)},
    }


def _has_come_to_stay(current: Certificate, snapshot: Snapshot, ledger: Ledger) -> bool:
    """Whether leaves of the CA in use have a future: no flow is about to replace it. The flow that has brought it may wait for months, until
    nodes have restarted for another reason, or one that is to replace it for an approval, and the first leaves end meanwhile.
    """
    entry, begun = ledger.find(current.fingerprint), in_flight(ledger)
    if entry is None:
        return False
    if begun is not None and stops_before_use(begun) and begun.replaces == entry.fingerprint:
        # Where its key is kept elsewhere, the issuer is asked for leaves of the next CA already.
        return not snapshot.ca.in_use_elsewhere
    if snapshot.ca.prepared:
        return False
    return begun is None or begun.successor == entry.fingerprint


def _is_quiet(entry: LedgerEntry, snapshot: Snapshot, ledger: Ledger) -> bool:
    """Whether every party has taken the CA in use up, or a flow sees to it: certificates that are still good are left alone in between."""
    return in_flight(ledger) is not None or not snapshot.nodes.pods or is_taken_up(entry, snapshot, ledger)


def _of_what_is_undone(snapshot: Snapshot, ledger: Ledger) -> dict[str, Due]:
    """Leaves of the CA that an abort is to get rid of, where it was not in use for everything yet; and those that the operator cannot issue."""
    unwanted, current = ledger.find(ledger.undone), snapshot.ca.in_use
    if unwanted is None or not current or current[0] == unwanted.certificate:
        return {}
    why = Due(Reason.AUTHORITY, f"it is of {named(unwanted.certificate)}, which is given up")
    given_up = {
        leaf.secret: why for leaf in snapshot.every_leaf
        if authority_of(leaf, leaf.generation, ledger)[0] == unwanted.fingerprint
    }  # fmt: skip
    return {**_without_the_operator(snapshot), **given_up}
