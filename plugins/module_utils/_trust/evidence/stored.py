# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""From annotations and stored leaves to "who presents what, who trusts what" (docs/design.md, "Evidence").

Sources, weak to strong: the generation a pod is annotated with; the leaf it was started with, when that is still the
stored one or is remembered. Missing or contradictory evidence is UNKNOWN, never "current".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..._leaves.trigger import unusable
from ..._pki.certificates import Certificate, Chain
from ..model.ledger import Ledger, LedgerEntry
from ..model.snapshot import Pod, Snapshot, StoredLeaf
from ..model.states import TRUSTED_STATES, Usage


@dataclass(frozen=True)
class Presentation:
    """The certificates of one party, and the CAs that they are of.

    authorities: fingerprints of the ledger's CAs that issued its leaves, or may have; None when that is unknown. why:
    the source, or why it is unknown.
    chains: the presented chains where they are known in full, else empty (only the CA is known).
    """

    party: str
    authorities: frozenset[str] | None
    chains: tuple[Chain, ...]
    why: str


def chains_to(chain: Sequence[Certificate], authority: Certificate) -> bool:
    """Whether this CA issued the leaf ``chain[0]``, directly or through the certificates sent with it.

    Only CAs lead further: the holder of the key of a leaf could sign another one with it. Each certificate is looked at
    once: what is sent may be made to lead in circles.
    """
    waiting, sent = [chain[0]], {one for one in chain if one.is_ca}
    while waiting:
        child = waiting.pop()
        if child.signed_by(authority):
            return True
        issuers = {one for one in sent if child.signed_by(one)}
        sent -= issuers
        waiting += issuers
    return False


def issuers_of(chain: Sequence[Certificate], ledger: Ledger) -> frozenset[str]:
    """Fingerprints of the ledger's CAs that issued the leaf: those that signed it, else those that its chain leads to.

    A leaf behind a link certificate counts for the CA that signed it, although its chain leads to the replaced CA as
    well. Of several with the same name and key, those count whose identifier the leaf names: verifiers need one of them.
    """
    signers = [e for e in ledger.entries if chain[0].signed_by(e.certificate)]
    named = [e for e in signers if chain[0].names_key_of(e.certificate)]
    return frozenset(e.fingerprint for e in named or signers) or frozenset(
        e.fingerprint for e in ledger.entries if chains_to(chain, e.certificate)
    )


def why_not_ours(leaf: StoredLeaf, ledger: Ledger) -> str:
    """Why no process of this cluster could use what is stored, as a part of a sentence: none could start with it, or its CA is none of the ledger.
    Empty where one could.
    """
    if leaf.chain and not issuers_of(leaf.chain, ledger):
        return f"it is of {leaf.chain[0].issuer}"
    return unusable(leaf.held)


def entry_of_generation(ledger: Ledger, generation: int | None) -> LedgerEntry | None:
    return next((entry for entry in ledger.entries if generation in entry.generations), None)


def authority_of(leaf: StoredLeaf, generation: int | None, ledger: Ledger) -> tuple[str | None, str]:
    """The CA of a stored leaf as (fingerprint, "") or (None, reason).

    The signature says which CA it is. Where a CA was renewed with the same key, both certificates verify the signature,
    and the generation says which of them it is.
    """
    if leaf.chain is None:
        problem = f": {leaf.problem}" if leaf.problem else ""
        return None, f"the certificate {leaf.key} in Secret {leaf.secret} cannot be read{problem}"
    candidates = issuers_of(leaf.chain, ledger)
    if not candidates:
        return None, f"the certificate {leaf.key} in Secret {leaf.secret} chains to no CA of the ledger"
    issuer, *others = candidates
    if not others:
        return issuer, ""
    named = entry_of_generation(ledger, generation)
    if named is not None and named.fingerprint in candidates:
        return named.fingerprint, ""
    return None, f"generation {generation} of Secret {leaf.secret} is of no CA that could have issued {leaf.key}"


def present_pod(pod: Pod, leaves: Mapping[str, StoredLeaf], snapshot: Snapshot, ledger: Ledger) -> Presentation:
    """The presentation of a pod, from its annotations and the stored leaves."""
    if pod.generation is None:
        return Presentation(pod.name, None, (), f"pod {pod.name} has no CA certificate generation annotation")
    if pod.presents_stored:
        return _present_stored(pod, leaves, ledger)
    remembered = frozenset(entry.fingerprint for entry in ledger.entries if pod.leaf_hash in entry.leaves)
    if remembered:
        return Presentation(pod.name, remembered, (), "remembered leaf")
    named = entry_of_generation(ledger, pod.generation)
    if named is None:
        return Presentation(pod.name, None, (), f"pod {pod.name} has generation {pod.generation} of no known CA")
    return Presentation(pod.name, frozenset({named.fingerprint, *_in_use_early(snapshot, ledger)}), (), "generation")


def _in_use_early(snapshot: Snapshot, ledger: Ledger) -> Iterable[str]:
    """CAs whose leaves may be in use under the generation of the CA that they replace, behind a link certificate. One that an abort has
    given up is not prepared any more.
    """
    for fingerprint in (*(prepared.fingerprint for prepared in snapshot.ca.prepared), ledger.undone):
        entry = ledger.find(fingerprint)
        if entry is not None and entry.state in TRUSTED_STATES and entry.certificate not in snapshot.ca.in_use:
            yield entry.fingerprint


def _present_stored(pod: Pod, leaves: Mapping[str, StoredLeaf], ledger: Ledger) -> Presentation:
    if not pod.leaves or any(name not in leaves for name in pod.leaves):
        return Presentation(pod.name, None, (), f"a Secret with a certificate of pod {pod.name} is missing")
    own = [leaves[name] for name in pod.leaves]
    found: set[str] = set()
    for leaf in own:
        authority, why = authority_of(leaf, pod.generation, ledger)
        if authority is None:
            return Presentation(pod.name, None, (), why)
        found.add(authority)
    chains = tuple(leaf.chain for leaf in own if leaf.chain is not None)
    return Presentation(pod.name, frozenset(found), chains, "stored leaf")


def presenting_pods(snapshot: Snapshot) -> tuple[Pod, ...]:
    """The pods that present certificates of this CA."""
    return tuple(pod for pod in snapshot.nodes.pods if not pod.verifies_only)


def verifying(snapshot: Snapshot) -> tuple[Pod, ...]:
    """The pods that verify by this CA: all, or none where no listener does."""
    return snapshot.nodes.pods if snapshot.users.has_verifiers else ()


def verifying_only(snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the other pods: they know what their listeners know."""
    return frozenset(pod.uid for pod in snapshot.nodes.pods if pod.verifies_only)


def present_as_stored(snapshot: Snapshot, ledger: Ledger) -> tuple[Presentation, ...]:
    """The presentation of each of these pods by stored evidence, in their order."""
    leaves = {leaf.secret: leaf for leaf in snapshot.leaves.stored}
    return tuple(
        add_held_leaves(present_pod(pod, leaves, snapshot, ledger), pod, ledger) for pod in presenting_pods(snapshot)
    )


def add_held_leaves(seen: Presentation, pod: Pod, ledger: Ledger) -> Presentation:
    """The presentation with the leaves that only the running process has: its Raft client and its agent present them
    until it restarts.

    Where two CAs have the same key, a held leaf counts for the one that the rest of the presentation names.
    """
    for held in ledger.held:
        if pod.uid not in held.holders or seen.authorities is None:
            continue
        issuers = issuers_of((held.certificate,), ledger)
        if not issuers:
            why = f"pod {pod.name} was started with a certificate that chains to no CA of the ledger"
            return Presentation(seen.party, None, (), why)
        added = (issuers & seen.authorities) or issuers
        chains = (*seen.chains, (held.certificate,)) if seen.chains else ()
        seen = Presentation(seen.party, seen.authorities | added, chains, seen.why)
    return seen


def usage_of(fingerprint: str, presentations: Iterable[Presentation]) -> Usage:
    """Usage of a CA over all pods; one unknown pod makes it UNKNOWN (I5)."""
    seen = [presentation.authorities for presentation in presentations]
    if not seen:
        return Usage.NO_PODS
    if None in seen:
        return Usage.UNKNOWN
    if all(authorities == frozenset({fingerprint}) for authorities in seen):
        return Usage.ALL
    return Usage.SOME if any(fingerprint in authorities for authorities in seen if authorities) else Usage.NONE


def trusted_since_start(uid: str, ledger: Ledger) -> tuple[Certificate, ...]:
    """The CAs that every channel of a pod trusts: read back from the bundle before the pod started."""
    return tuple(
        entry.certificate for entry in ledger.entries if entry.awaiting is not None and uid not in entry.awaiting
    )
