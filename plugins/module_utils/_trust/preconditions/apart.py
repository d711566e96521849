# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The precondition that the CAs of a cluster stay apart: every party that trusts the one would accept certificates of the other."""

from __future__ import annotations

from collections.abc import Iterator

from ..._pki.certificates import Certificate, Chain
from ..ledger.swap import find_adoption
from ..ledger.target import supplied_for
from ..ledger.wish import wish_of
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.names import named
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation
from .supplied import SUPPLIED, TRUSTING


def authorities_are_apart(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Only of a CA that comes anew: a cluster whose CAs have one key already goes on, also to another one."""
    known = {one.public_key_sha256 for one in _known(snapshot)}
    for subject, chain, remedy in _brought(snapshot, intent):
        common = "" if chain[0].public_key_sha256 in known else _common(chain, snapshot)
        if common:
            yield Violation(
                Condition.AUTHORITIES_ARE_APART, subject,
                f"{named(chain[0])} {common}. As {snapshot.names.ca}, in {snapshot.names.certificate_secret}, it would let holders of a certificate "
                "of the one in where only certificates of the other are to be accepted.",
                remedy,
            )  # fmt: skip


def _common(chain: Chain, snapshot: Snapshot) -> str:
    """The part of this chain that the other CA of the cluster trusts, or rests on, as a part of a sentence. A CA above both is no anchor of either."""
    other = snapshot.other
    if other is None:
        return ""
    own, above = chain[0].public_key_sha256, {one.public_key_sha256 for one in chain[1:]}
    trusted = {one.public_key_sha256 for one in other.ca.anchors}
    if own in trusted:
        return f"has the key of {other.where}"
    chains = (other.ca.current, *other.ca.others.values())
    if own in {one.public_key_sha256 for known in chains for one in known[1:]}:
        return f"has the key of a CA above {other.where}"
    return f"is certified by {other.where}" if above & trusted else ""


def _brought(snapshot: Snapshot, intent: Intent) -> Iterator[tuple[str, Chain, str]]:
    """The CAs that this flow would bring into the trust of the cluster, each with its name in messages and what helps."""
    ledger = snapshot.ledger or Ledger()
    supplied, wish, swap = (
        supplied_for(snapshot, intent, ledger),
        wish_of(snapshot, intent, ledger),
        find_adoption(snapshot, intent),
    )
    if supplied is not None:
        yield SUPPLIED, supplied.chain, "Supply a CA with a key of its own."
    for chain in (*intent.trusting, *(wish.beside if wish else ())):
        yield TRUSTING, chain, "Give a CA with a key of its own."
    if swap is not None:
        back = f"Put {named(swap.replaced.certificate)} and its key back, or put a CA with a key of its own there."
        yield f"{snapshot.names.certificate_secret}, ca.crt", snapshot.ca.current, back


def _known(snapshot: Snapshot) -> Iterator[Certificate]:
    """The CAs of this cluster that it has come to trust, or is on its way to. Without a ledger its Secrets say which."""
    yield from (one.chain[0] for one in snapshot.ca.prepared)
    if snapshot.ledger is not None:
        yield from (entry.certificate for entry in snapshot.ledger.entries)
    else:
        yield from snapshot.ca.anchors
