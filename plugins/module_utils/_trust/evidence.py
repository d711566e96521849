# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""From annotations and stored leaves to "who presents what, who trusts what" (DESIGN section 5).

Sources, weak to strong: the generation a pod is annotated with; the leaf it was started with, when that is still
the stored one. Missing or contradictory evidence is UNKNOWN, never "current".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger, LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain, Pod, Snapshot, StoredLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import Usage


@dataclass(frozen=True)
class Presentation:
    """What one party presents.

    authorities: fingerprints of the ledger's CAs that its leaves chain to; None when unknown, ``why`` says why.
    chains: the presented chains where they are known in full, else empty (only the CA is known).
    """

    party: str
    authorities: frozenset[str] | None
    chains: tuple[Chain, ...]
    why: str


def chains_to(chain: Sequence[Certificate], authority: Certificate) -> bool:
    """Whether the leaf ``chain[0]`` was issued by this CA, directly or through the certificates sent with it."""
    leaf, sent = chain[0], chain[1:]
    if leaf.signed_by(authority):
        return True
    return any(
        leaf.signed_by(issuer) and chains_to((issuer, *(one for one in sent if one != issuer)), authority)
        for issuer in sent
        if issuer != leaf
    )


def entry_of_generation(ledger: Ledger, generation: int | None) -> LedgerEntry | None:
    return next((entry for entry in ledger.entries if generation in entry.generations), None)


def authority_of(leaf: StoredLeaf, generation: int | None, ledger: Ledger) -> tuple[str | None, str]:
    """The CA of a stored leaf as (fingerprint, "") or (None, reason).

    A CA renewed with the same key signs nothing that its predecessor did not: which of the two is meant is told by
    the generation; where keys differ, signature and generation must agree.
    """
    if leaf.chain is None:
        return None, f"the certificate {leaf.key} in Secret {leaf.secret} cannot be read"
    candidates = {entry.fingerprint for entry in ledger.entries if chains_to(leaf.chain, entry.certificate)}
    named = entry_of_generation(ledger, generation)
    if not candidates:
        return None, f"the certificate {leaf.key} in Secret {leaf.secret} chains to no CA of the ledger"
    if named is not None:
        if named.fingerprint in candidates:
            return named.fingerprint, ""
        return None, (
            f"the certificate {leaf.key} in Secret {leaf.secret} does not chain to the CA of generation {generation}"
        )
    if len(candidates) == 1:
        return candidates.pop(), ""
    return None, f"generation {generation} of Secret {leaf.secret} is of no known CA"


def present_pod(pod: Pod, leaves: dict[str, StoredLeaf], ledger: Ledger) -> Presentation:
    """What a pod presents, from its annotations and the stored leaves."""
    if pod.generation is None:
        return Presentation(pod.name, None, (), f"pod {pod.name} has no CA certificate generation annotation")
    if pod.presents_stored:
        return _present_stored(pod, [leaves[name] for name in pod.leaves if name in leaves], ledger)
    named = entry_of_generation(ledger, pod.generation)
    if named is None:
        return Presentation(pod.name, None, (), f"pod {pod.name} has generation {pod.generation} of no known CA")
    return Presentation(pod.name, frozenset({named.fingerprint}), (), "generation")


def _present_stored(pod: Pod, leaves: Sequence[StoredLeaf], ledger: Ledger) -> Presentation:
    if not leaves or len(leaves) < len(pod.leaves):
        return Presentation(pod.name, None, (), f"a Secret with a certificate of pod {pod.name} is missing")
    found: set[str] = set()
    for leaf in leaves:
        authority, why = authority_of(leaf, pod.generation, ledger)
        if authority is None:
            return Presentation(pod.name, None, (), why)
        found.add(authority)
    chains = tuple(leaf.chain for leaf in leaves if leaf.chain is not None)
    return Presentation(pod.name, frozenset(found), chains, "stored leaf")


def present_all(snapshot: Snapshot, ledger: Ledger) -> tuple[Presentation, ...]:
    leaves = {leaf.secret: leaf for leaf in snapshot.leaves}
    return tuple(_with_held(present_pod(pod, leaves, ledger), pod, ledger) for pod in snapshot.pods)


def _with_held(seen: Presentation, pod: Pod, ledger: Ledger) -> Presentation:
    """A leaf that only the process holds is presented too; CAs with one key are told apart by what else is known."""
    for held in ledger.held:
        if pod.uid not in held.holders or seen.authorities is None:
            continue
        issuers = frozenset(e.fingerprint for e in ledger.entries if held.certificate.signed_by(e.certificate))
        if not issuers:
            why = f"pod {pod.name} was started with a certificate that chains to no CA of the ledger"
            return Presentation(pod.name, None, (), why)
        added = (issuers & seen.authorities) or issuers
        chains = (*seen.chains, (held.certificate,)) if seen.chains else ()
        seen = Presentation(seen.party, seen.authorities | added, chains, seen.why)
    return seen


def usage_of(fingerprint: str, presentations: Iterable[Presentation]) -> Usage:
    """Usage of a CA over all pods; one unknown pod makes it UNKNOWN (I5)."""
    seen = tuple(presentations)
    if not seen:
        return Usage.NO_PODS
    if any(presentation.authorities is None for presentation in seen):
        return Usage.UNKNOWN
    using = [p for p in seen if p.authorities is not None and fingerprint in p.authorities]
    exclusively = [p for p in using if p.authorities == frozenset({fingerprint})]
    if not using:
        return Usage.NONE
    return Usage.ALL if len(exclusively) == len(seen) else Usage.SOME


def trusted_by(uid: str, ledger: Ledger) -> tuple[Certificate, ...]:
    """The CAs that a pod is known to trust: read back from the bundle before the pod started."""
    return tuple(
        entry.certificate for entry in ledger.entries if entry.awaiting is not None and uid not in entry.awaiting
    )
