# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The CAs of the ledger: every CA of the CA certificate Secret, and every prepared CA.

Another writer may put a CA into the place of the CA in use, past every gate. This is a swap, and it is adopted on
request only. Three CAs are no swap: the CA that a flow of this collection switches to; a CA that is trusted or has been
in use by the ledger; and a renewal of such a CA with its key, because every party accepts it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..._pki.certificates import Certificate, Chain
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import TRUSTED_STATES, Ledger, LedgerEntry, TrustState
from ..model.names import is_named
from ..model.snapshot import Pod, Snapshot
from .journal import in_flight


def as_seen(snapshot: Snapshot) -> Ledger:
    """The ledger. If the cluster was never adopted, it is the ledger at the beginning of its adoption, so its CAs can
    be shown.
    """
    if snapshot.ledger is not None:
        return snapshot.ledger
    return learn_generation(snapshot, enrol_authorities(snapshot, Ledger()))


def enrol_authorities(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Add missing CAs as UNTRUSTED.

    A cluster without a ledger is adopted: the CA it works with enters as TRUSTED_UNUSED (docs/design.md, "States").
    """
    adopting = snapshot.ledger is None
    prepared = {authority.fingerprint for authority in snapshot.ca.prepared}
    current = snapshot.ca.current
    if adopting and current and current[0].fingerprint not in prepared:
        adopted = LedgerEntry(current, TrustState.TRUSTED_UNUSED, awaited_pods=frozenset())
        ledger = ledger.with_entry(adopted)
    chains = [
        *([current] if current else []),
        *snapshot.ca.other_entries.values(),
        *(authority.chain for authority in snapshot.ca.prepared),
    ]
    for chain in chains:
        if ledger.find(chain[0].fingerprint) is None and chain[0].fingerprint not in ledger.leaving_cas:
            ledger = ledger.with_entry(LedgerEntry(chain, TrustState.UNTRUSTED))
    # If a removed CA is enrolled again, it is no longer on its way out.
    gone = tuple(entry for entry in ledger.removed_cas if ledger.find(entry.fingerprint) is None)
    return replace(ledger, removed_cas=gone)


def learn_generation(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Record that the generation of the certificate Secret means the CA in ``ca.crt``, unless it means another CA
    already.
    """
    if not snapshot.ca.current:
        return ledger
    generation = snapshot.ca.certificate_generation
    entry = ledger.find(snapshot.ca.current[0].fingerprint)
    if entry is None or any(generation in other.generations for other in ledger.entries):
        return ledger
    return ledger.with_entry(replace(entry, generations=entry.generations | {generation}))


@dataclass(frozen=True)
class Swap:
    """A CA in ``ca.crt`` in the place of the CA in use by the ledger."""

    #: The CA in ``ca.crt`` with the CAs above it.
    chain: Chain
    #: The CA in use by the ledger.
    replaced: LedgerEntry

    @property
    def certificate(self) -> Certificate:
        return self.chain[0]


def find_swap(snapshot: Snapshot) -> Swap | None:
    """The swap before its adoption; None if there is none."""
    ledger, current = snapshot.ledger, snapshot.ca.current
    replaced = last_current(ledger) if ledger else None
    if ledger is None or replaced is None or not current:
        return None
    begun = in_flight(ledger)
    if begun is not None and begun.successor == current[0].fingerprint:
        return None
    return None if any(_is_known(current[0], entry) for entry in ledger.entries) else Swap(current, replaced)


def is_in_doubt(snapshot: Snapshot) -> bool:
    """Whether the certificate Secret does not name the CA of the running cluster: its certificate or generation is
    lost, or there is a swap.
    """
    ca = snapshot.ca
    return not ca.current or bool(ca.defects.unnumbered_generations) or find_swap(snapshot) is not None


def last_current(ledger: Ledger) -> LedgerEntry | None:
    """The CA that the ledger saw as ``ca.crt`` last; None if it never saw any."""
    seen = (entry for entry in ledger.entries if entry.generations)
    return max(seen, key=lambda entry: max(entry.generations), default=None)


def _is_known(current: Certificate, entry: LedgerEntry) -> bool:
    """Whether this entry is trusted or has been in use, and is of this CA, or of a CA that this CA renews with the same
    key.
    """
    own, was_used = entry.certificate, entry.state in TRUSTED_STATES or bool(entry.generations)
    return was_used and own.stands_in_for(current) and current.stands_in_for(own)


def find_adoption(snapshot: Snapshot, intent: Intent) -> Swap | None:
    """The swap if the caller wants its adoption, by the fingerprint of the CA in ``ca.crt``."""
    if intent.goal is not Goal.UPGRADE or intent.parameters.adopts is None:
        return None
    swap = find_swap(snapshot)
    return swap if swap is not None and is_named(swap.certificate, intent.parameters.adopts) else None


def pods_yet_to_restart(snapshot: Snapshot) -> tuple[Pod, ...]:
    """The pods without a start since the swap, by their annotations: they may not know the CA in ``ca.crt``.

    The operator brings a CA into the bundle before it raises the generation of any pod (docs/operator.md, "CA
    reconcile").
    """
    return tuple(pod for pod in snapshot.nodes.pods if pod.generation != snapshot.ca.certificate_generation)


def adopt_swapped(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Ledger:
    """Enter an adopted CA if every process has started with it. Otherwise the CA leaves ``ca.crt`` for now, and is
    enrolled as the next CA.
    """
    swap = find_adoption(snapshot, intent)
    if swap is None or pods_yet_to_restart(snapshot):
        return ledger
    return ledger.with_entry(LedgerEntry(swap.chain, TrustState.UNTRUSTED, awaited_pods=frozenset()))
