# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The presented certificates and the trusted CAs of each party, by annotations, stored leaves and stored copies
(docs/design.md, "Evidence").

Sources for a pod, weak to strong: the generation in its annotations; the leaf of its start, if this is still stored or
the ledger remembers it. Missing or contradictory evidence is UNKNOWN, never "current".

Clients outside the cluster (Connect, MirrorMaker 2, Bridge, and Secrets named by the user) verify the listeners'
certificates, so the gates count them. The evidence is the stored copy of the CAs. If the trusted CAs of a client are
unknown, the gate is closed; only a waiver for this client opens it.

A listener shows its accepted CAs by their names alone. A probe, which takes the key of the CA, tells two CAs of one
name apart (docs/design.md, "CAs of one name").

If the processes of a cluster do not verify each other, some of them present no certificate (``ClusterSecurity``): such
a pod counts for the CA of the leaf in its Secret.

``custom`` listeners: their trusted CAs are unknown. They never block a flow; the result lists the tasks of their owner.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..._leaves.trigger import unusable
from ..._pki.certificates import Certificate, Chain
from ..model.clients import CLOCK, Follows, OutsideClient, Waiver, is_of_a_ca
from ..model.components import Component
from ..model.ledger import TRUSTED_STATES, Ledger, LedgerEntry, Usage
from ..model.names import named
from ..model.snapshot import Pod, Snapshot, StoredLeaf


@dataclass(frozen=True)
class Presentation:
    """The certificates of one party, and the CAs that issued them."""

    #: The party as messages name it: a pod, a listener, or a presenter outside the cluster.
    party: str
    #: Fingerprints of the ledger's CAs that issued its leaves, or may have; None if this is unknown.
    authorities: frozenset[str] | None
    #: The presented chains if they are known in full, else empty (only the CA is known).
    chains: tuple[Chain, ...]
    #: The source, or why it is unknown.
    evidence: str


def chains_to(chain: Sequence[Certificate], authority: Certificate) -> bool:
    """Whether this CA issued the leaf ``chain[0]``, directly or through the certificates sent with it.

    Only CAs lead further: a party with a leaf's key could sign another certificate with it. The search visits each
    certificate once, because a sent chain may lead in circles.
    """
    waiting, sent = [chain[0]], {certificate for certificate in chain if certificate.is_ca}
    while waiting:
        child = waiting.pop()
        if child.signed_by(authority):
            return True
        issuers = {certificate for certificate in sent if child.signed_by(certificate)}
        sent -= issuers
        waiting += issuers
    return False


def issuers_of(chain: Sequence[Certificate], ledger: Ledger) -> frozenset[str]:
    """Fingerprints of the ledger's CAs that issued the leaf: CAs that signed it, else CAs that its chain leads to.

    A leaf behind a link certificate counts for the CA that signed it, although its chain leads to the replaced CA as
    well. Of several CAs with the same name and key, a CA counts only if the leaf names its identifier, and its serial
    number if the leaf has one.
    """
    signers = [e for e in ledger.entries if chain[0].signed_by(e.certificate)]
    named = [e for e in signers if chain[0].names_as_issuer(e.certificate)]
    return frozenset(e.fingerprint for e in named or signers) or frozenset(
        e.fingerprint for e in ledger.entries if chains_to(chain, e.certificate)
    )


def why_not_ours(leaf: StoredLeaf, ledger: Ledger) -> str:
    """Why no process of this cluster could use the stored leaf, as a part of a sentence: the leaf is unusable, or the
    ledger does not have its CA. Empty if a process could use it.
    """
    if leaf.chain and not issuers_of(leaf.chain, ledger):
        return f"it is of {leaf.chain[0].issuer}"
    return unusable(leaf.existing)


def secrets_without_leaf_of_use(snapshot: Snapshot, ledger: Ledger) -> frozenset[str]:
    """The Secrets of leaves that are missing or useless to any process."""
    unusable_ones = (leaf.secret for leaf in snapshot.leaves.stored if why_not_ours(leaf, ledger))
    return frozenset((*unusable_ones, *snapshot.leaves.missing))


def operator_leaves(snapshot: Snapshot) -> frozenset[str]:
    """The Secrets of the operator's own leaf, which it presents alone."""
    missing, own = snapshot.leaves.missing, Component.CLUSTER_OPERATOR
    stored = (leaf.secret for leaf in snapshot.leaves.stored if leaf.component is own)
    return frozenset((*stored, *(name for name, which in missing.items() if which is own)))


def pods_starting_with(snapshot: Snapshot, secrets: Collection[str]) -> tuple[Pod, ...]:
    """The pods that start with the leaf in any of these Secrets."""
    return tuple(
        pod
        for pod in snapshot.nodes.pods
        if not set(secrets).isdisjoint(pod.leaves) or not set(secrets).isdisjoint(missing_leaves_of(pod, snapshot))
    )


def missing_leaves_of(pod: Pod, snapshot: Snapshot) -> Iterator[str]:
    """The missing Secrets in which a pod needs a leaf. A node has its leaf in a Secret of its own name."""
    for name, component in snapshot.leaves.missing.items():
        if component is pod.component and (component is not Component.KAFKA or name == pod.name):
            yield name


def entry_of_generation(ledger: Ledger, generation: int | None) -> LedgerEntry | None:
    return next((entry for entry in ledger.entries if generation in entry.generations), None)


def authority_of(leaf: StoredLeaf, generation: int | None, ledger: Ledger) -> tuple[str | None, str]:
    """The CA of a stored leaf as (fingerprint, "") or (None, reason).

    The signature tells the CA. If a CA was renewed with the same key, both certificates verify the signature, and the
    generation tells which of them it is.
    """
    if leaf.chain is None:
        problem = f": {leaf.problem}" if leaf.problem else ""
        return None, f"the stored certificate cannot be read{problem}"
    candidates = issuers_of(leaf.chain, ledger)
    if not candidates:
        return None, "the stored certificate chains to no CA of the ledger"
    issuer, *others = candidates
    if not others:
        return issuer, ""
    named = entry_of_generation(ledger, generation)
    if named is not None and named.fingerprint in candidates:
        return named.fingerprint, ""
    return None, f"no CA of generation {generation} could have issued the stored certificate"


def present_pod(pod: Pod, leaves: Mapping[str, StoredLeaf], snapshot: Snapshot, ledger: Ledger) -> Presentation:
    """The presentation of a pod, from its annotations and the stored leaves."""
    if pod.presents_nothing:
        return _present_stored(pod, leaves, ledger)
    if pod.generation is None:
        return Presentation(pod.name, None, (), "it has no CA certificate generation annotation")
    if pod.presents_stored:
        return _present_stored(pod, leaves, ledger)
    remembered = frozenset(entry.fingerprint for entry in ledger.entries if pod.leaf_hash in entry.leaf_hashes)
    if remembered:
        return Presentation(pod.name, remembered, (), "remembered leaf")
    named = entry_of_generation(ledger, pod.generation)
    if named is None:
        return Presentation(pod.name, None, (), f"it has generation {pod.generation} of no known CA")
    early = () if pod.uid in snapshot.nodes.assumed_as_started else _in_use_early(snapshot, ledger)
    return Presentation(pod.name, frozenset({named.fingerprint, *early}), (), "generation")


def _in_use_early(snapshot: Snapshot, ledger: Ledger) -> Iterable[str]:
    """CAs whose leaves may be in use under the generation of the replaced CA, behind a link certificate. An abandoned
    CA is no longer prepared.
    """
    for fingerprint in (*(prepared.fingerprint for prepared in snapshot.ca.prepared), ledger.undone_ca):
        entry = ledger.find(fingerprint)
        if entry is not None and entry.state in TRUSTED_STATES and entry.certificate not in snapshot.ca.in_use:
            yield entry.fingerprint


def _present_stored(pod: Pod, leaves: Mapping[str, StoredLeaf], ledger: Ledger) -> Presentation:
    if not pod.leaves or any(name not in leaves for name in pod.leaves):
        return Presentation(pod.name, None, (), "a Secret with a certificate of it is missing")
    own = [leaves[name] for name in pod.leaves]
    authorities: set[str] = set()
    for leaf in own:
        authority, why = authority_of(leaf, leaf.generation if pod.presents_nothing else pod.generation, ledger)
        if authority is None:
            return Presentation(pod.name, None, (), why)
        authorities.add(authority)
    chains = tuple(leaf.chain for leaf in own if leaf.chain is not None)
    return Presentation(pod.name, frozenset(authorities), chains, "stored leaf")


def pods_with_certificates(snapshot: Snapshot) -> tuple[Pod, ...]:
    """The pods with certificates of this CA, whether they present them or not."""
    return tuple(pod for pod in snapshot.nodes.pods if not pod.verifies_only)


def presenting_pods(snapshot: Snapshot) -> tuple[Pod, ...]:
    """The pods that present certificates of this CA."""
    return tuple(pod for pod in pods_with_certificates(snapshot) if not pod.presents_nothing)


def verifying(snapshot: Snapshot) -> tuple[Pod, ...]:
    """The pods that verify by this CA: all, or none if no listener does."""
    return snapshot.nodes.pods if snapshot.has_verifiers else ()


def restarted_by_operator(snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the pods that the operator is going to restart."""
    ca = snapshot.ca
    return frozenset(
        pod.uid
        for pod in snapshot.nodes.pods
        if pod.presents_stored is False
        or pod.generation not in (None, ca.certificate_generation)
        or pod.key_generation not in (None, ca.key_generation)
    )


def is_reissued_by_operator(leaf: StoredLeaf, snapshot: Snapshot) -> bool:
    """Whether the operator issues another leaf in the place of this ended leaf in its next reconciles. Outside a
    maintenance window it does so if the generation of the leaf is not that of the CA. A CA that it generates and that
    has ended gets another generation at any time. The operator issues none if the key of the CA is kept elsewhere
    (docs/operator.md, "Maintenance windows", "Re-issue").
    """
    ca, state = snapshot.ca, snapshot.reconciliation
    if ca.in_use_elsewhere:
        return False
    is_open = state.windows is None or state.windows.is_open
    renews_ca = state.generated and any(certificate.has_ended(snapshot.now) for certificate in ca.in_use)
    return is_open or renews_ca or leaf.generation != ca.certificate_generation


def restarted_with_next_leaf(snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the pods, other than nodes, that the operator is going to restart once it has issued another leaf in the
    place of an ended leaf.
    """
    ended = {
        leaf.secret
        for leaf in snapshot.leaves.stored
        if leaf.chain and leaf.chain[0].has_ended(snapshot.now) and is_reissued_by_operator(leaf, snapshot)
    }
    others = (pod for pod in snapshot.nodes.pods if pod.component is not Component.KAFKA)
    return frozenset(pod.uid for pod in others if not ended.isdisjoint(pod.leaves))


def has_listeners_alone(snapshot: Snapshot) -> bool:
    """Whether nodes present certificates of the cluster CA on listeners for clients alone. Then a reload reaches all of
    them.
    """
    return snapshot.users is None and not snapshot.security.has_tls


def present_as_stored(snapshot: Snapshot, ledger: Ledger) -> tuple[Presentation, ...]:
    """The presentation of each pod with certificates of this CA by stored evidence, in the order of the pods."""
    leaves = snapshot.leaves.by_secret
    return tuple(
        add_former_leaves(present_pod(pod, leaves, snapshot, ledger), pod, ledger)
        for pod in pods_with_certificates(snapshot)
    )


def add_former_leaves(seen: Presentation, pod: Pod, ledger: Ledger) -> Presentation:
    """The presentation with the leaves in the memory of the running process alone: a channel out of a reload's reach
    presents them until the process restarts.

    If two CAs have the same key, a former leaf counts for the CA in the rest of the presentation.
    """
    for former in ledger.former_by_pod.get(pod.uid, ()):
        if seen.authorities is None:
            break
        issuers = issuers_of((former.certificate,), ledger)
        if not issuers:
            why = "it was started with a certificate that chains to no CA of the ledger"
            return Presentation(seen.party, None, (), why)
        added = (issuers & seen.authorities) or issuers
        chains = (*seen.chains, (former.certificate,)) if seen.chains else ()
        seen = Presentation(seen.party, seen.authorities | added, chains, seen.evidence)
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
        entry.certificate
        for entry in ledger.entries
        if entry.awaited_pods is not None and uid not in entry.awaited_pods
    )


_ASK_FOR_NONE = "listeners between nodes ask for no certificate (status.clusterSecurity of the Kafka resource)"


def why_trust_is_unknown(authority: Certificate, snapshot: Snapshot) -> str:
    """Why no listener can tell whether it trusts this CA, as a sentence; empty if it can."""
    if not snapshot.shows_trust:
        return f"{_ASK_FOR_NONE}, so they do not show which CAs nodes trust."
    other = find_namesake(authority, snapshot)
    if other is None or _is_probed(authority, snapshot):
        return ""
    return (
        f"listeners tell the names of the CAs that they trust, {named(other)} has the name of {named(authority)}, and "
        "the key of the latter is not here for a probe."
    )


def find_namesake(authority: Certificate, snapshot: Snapshot) -> Certificate | None:
    """A CA with the same name and another key."""
    same = (
        certificate for certificate in _known_authorities(snapshot) if certificate.subject_der == authority.subject_der
    )
    return next(
        (certificate for certificate in same if certificate.public_key_sha256 != authority.public_key_sha256), None
    )


def _is_probed(authority: Certificate, snapshot: Snapshot) -> bool:
    ca = snapshot.ca
    is_here = ca.key == authority.public_key_sha256 or authority.fingerprint in ca.kept_keys
    return is_here and not ca.is_kept_elsewhere(authority)


def _known_authorities(snapshot: Snapshot) -> Iterator[Certificate]:
    """The possible CAs in the answers of listeners."""
    yield from snapshot.ca.anchors
    yield from (authority.chain[0] for authority in snapshot.ca.prepared)
    yield from (entry.certificate for entry in snapshot.ledger_or_empty.entries)
    yield from (removed.certificate for removed in snapshot.ledger_or_empty.removed_cas)


def waiver_of(client: str, snapshot: Snapshot) -> Waiver | None:
    """The present waiver of this client."""
    return next(
        (
            waiver
            for waiver in snapshot.outside_clients.waivers
            if waiver.client == client and waiver.is_valid_at(snapshot.now)
        ),
        None,
    )


def unmatched_waivers(snapshot: Snapshot) -> tuple[Waiver, ...]:
    """Waivers for unseen clients: the name is wrong, or the client is gone. A look for clients needs nodes in the
    cluster, and a waiver may name a CA before the cluster has it.
    """
    if not snapshot.nodes.pods:
        return ()
    seen = {
        *(client.name for client in snapshot.outside_clients.clients),
        *(presenter.name for presenter in snapshot.presenters),
        *(rebalance.label for rebalance in snapshot.reconciliation.rebalances),
    }
    if snapshot.clock.ahead is None:
        seen.add(CLOCK)
    return tuple(
        waiver
        for waiver in snapshot.outside_clients.waivers
        if waiver.client not in seen and not is_of_a_ca(waiver.client)
    )


def clients_asked_by_gates(snapshot: Snapshot, ledger: Ledger) -> tuple[OutsideClient, ...]:
    """The clients that the gates ask about: clients without a waiver that trust a CA of the cluster, or may.

    If a client is known to trust none of the cluster's CAs, it verifies another certificate, such as a listener's own
    certificate.
    """
    if not snapshot.nodes.pods:
        return ()
    authorities = tuple(_cas_of_cluster(snapshot, ledger))
    return tuple(
        client
        for client in snapshot.outside_clients.clients
        if waiver_of(client.name, snapshot) is None
        and (
            client.declared
            or client.trusts is None
            or any(_is_anchored(authority, client.trusts) for authority in authorities)
        )
    )


def without_outside_clients(snapshot: Snapshot) -> Snapshot:
    """The snapshot without outside clients, for questions about the cluster's own processes: states, and the effect of
    a restart.
    """
    return snapshot.with_clients(())


def with_copies_updated(snapshot: Snapshot) -> Snapshot:
    """The snapshot after the operator has brought every copy up to date and restarted the clients of the copies."""
    return snapshot.with_clients(
        tuple(_follow_published(client, snapshot) for client in snapshot.outside_clients.clients)
    )


def _cas_of_cluster(snapshot: Snapshot, ledger: Ledger) -> Iterator[Chain]:
    """The CAs of this ledger and of the snapshot's ledger, and the link certificates from nodes: they have the names
    and keys of the CA in use and of the CA before it. A caller passes a ledger without a CA to see the state without
    it.
    """
    yield from (entry.chain for entry in ledger.entries)
    yield from (entry.chain for entry in snapshot.ledger_or_empty.entries)
    if snapshot.ca.links_in_use is not None:
        yield snapshot.ca.links_in_use.sent_at(snapshot.now)


def _is_anchored(chain: Chain, trusts: Chain) -> bool:
    """Whether the client trusts any CA of this chain, or a twin of it. Path validation ends at a twin as well."""
    return any(certificate.is_twin_of(anchor) for certificate in chain for anchor in trusts)


def trust_without(leaving: Certificate, client: OutsideClient) -> Chain | None:
    """The certificates that a client trusts when this CA has left. The operator takes the CA out of its copies of all
    CAs. A copy made by hand keeps it, and a copy of ``ca.crt`` alone keeps it as long as it is the CA in use.
    """
    if client.trusts is None or client.follows is not Follows.TRUSTED:
        return client.trusts
    return tuple(certificate for certificate in client.trusts if certificate.fingerprint != leaving.fingerprint)


def _follow_published(client: OutsideClient, snapshot: Snapshot) -> OutsideClient:
    if client.follows is Follows.NOTHING:
        return client if client.trusts is None else replace(client, doubt="")
    current = snapshot.ca.in_use
    others = (
        tuple(chain[0] for chain in snapshot.ca.other_entries.values()) if client.follows is Follows.TRUSTED else ()
    )
    # An earlier certificate of a renewed CA goes with the others, and is in the ledger no more.
    ours = tuple(_all_known_authorities(snapshot))
    foreign = tuple(certificate for certificate in client.trusts or () if not any(map(certificate.is_twin_of, ours)))
    return replace(client, trusts=tuple(dict.fromkeys((*foreign, *current, *others))), doubt="")


def _all_known_authorities(snapshot: Snapshot) -> Iterable[Certificate]:
    yield from snapshot.ca.current
    yield from (chain[0] for chain in snapshot.ca.other_entries.values())
    yield from (entry.certificate for entry in snapshot.ledger_or_empty.entries)
    yield from (removed.certificate for removed in snapshot.ledger_or_empty.removed_cas)


def describe_unmanaged_listeners(snapshot: Snapshot) -> tuple[str, ...]:
    """A sentence for each listener that this collection does not manage: why it matters, and the task of its owner."""
    return tuple(
        f"{snapshot.names.kafka}: this collection neither asks nor reloads {listener}, because its owner says which "
        f"CAs it trusts: if it verifies clients by the {snapshot.names.ca}, have it trust a next CA with another key, "
        "by a reload or a restart of its nodes, before the phase use (until_phase=trust ends before that), or it "
        "refuses clients with new certificates; and have it give up the old CA afterwards."
        for listener in (snapshot.users.unmanaged_listeners if snapshot.users is not None else ())
    )
