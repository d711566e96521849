# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on leaves that are to be issued or renewed."""

from __future__ import annotations

from collections.abc import Iterator

from ..._leaves.trigger import ends_with
from ..evidence.stored import issuers_of
from ..ledger.enrolment import enrol_authorities
from ..ledger.journal import in_flight
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation
from ..rules.due import ending_leaves
from ..rules.holds import unusable_leaves
from .cluster import is_starting, starts_something


def leaves_are_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A Secret that the caller names has to be one of this cluster's leaves, whether it exists or is missing."""
    known = sorted({*(leaf.secret for leaf in snapshot.every_leaf), *snapshot.every_missing})
    for name in sorted(intent.issuing.secrets - set(known) if intent.issuing else ()):
        yield Violation(
            Condition.LEAVES_ARE_KNOWN, snapshot.names.secret(name), "is none with a certificate of this cluster.",
            f"Those are: {', '.join(known) or 'none'}.",
        )  # fmt: skip


def leaves_are_ours(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A node does not come back from its restart with a leaf that it cannot use, and others refuse one of a CA that they do not know; others have
    restarted by then. So a flow that restarts nodes begins only with usable leaves. A flow that only renews leaves replaces unusable ones.
    """
    if intent.goal is Goal.RENEW_LEAVES or not is_starting(snapshot) or not starts_something(snapshot, intent):
        return
    # With the CAs that have yet to be recorded.
    known = enrol_authorities(snapshot, snapshot.ledger or Ledger())
    # A missing leaf that only an issuer can make is asked for by the flow itself, which waits for it.
    missing = () if snapshot.ca.in_use_elsewhere else snapshot.leaves.missing
    told = {*_worth_a_word(snapshot, known), *missing}
    elsewhere = ". Run the reconcile playbook, which has another one issued; then run the flow again."
    by_issuer = elsewhere if snapshot.ca.in_use_elsewhere else ""
    yield from unusable_leaves(snapshot, known, told, by_issuer)


def _worth_a_word(snapshot: Snapshot, known: Ledger) -> frozenset[str]:
    """The Secrets of leaves that can be the cause of something. Where none is of a CA that is known, the CA is what another hand has put there, and the
    preconditions on CAs tell what is wrong with that.
    """
    readable = [leaf for leaf in snapshot.leaves.stored if leaf.chain]
    is_swapped = bool(readable) and not any(issuers_of(leaf.chain or (), known) for leaf in readable)
    return frozenset(leaf.secret for leaf in snapshot.leaves.stored if not (is_swapped and leaf.chain))


def leaves_can_be_renewed(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A leaf is of no use after its CA, so it cannot be renewed under one that ends as soon."""
    if in_flight(snapshot.ledger):
        return
    for leaf in ending_leaves(snapshot, intent):
        if leaf.chain and ends_with(leaf.chain[0], snapshot.ca.current):
            end = min(one.not_after for one in (leaf.chain[0], *snapshot.ca.current))
            yield Violation(
                Condition.LEAVES_CAN_BE_RENEWED, snapshot.names.secret(leaf.secret),
                f"holds a certificate that ends on {end:%Y-%m-%d}, as its CA does.",
                "Renew the CA with the renew playbook; that renews the certificates as well.",
            )  # fmt: skip
