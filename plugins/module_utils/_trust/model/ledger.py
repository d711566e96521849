# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The ledger: the single record of the trusted CAs of each party (docs/storage.md, "Ledger"). Plain values;
``_strimzi/ledger/layouts.py`` lays them out in Secrets.

A CA certificate has a state, and takes edges between states (docs/design.md, "States"). The upkeep renews a CA in its
time; the operator gives up this task when a CA is adopted (docs/flows.md, "Upkeep"). A CA source is an object with the
CAs for a cluster to trust. It says which of them is to issue the leaves (External Certificate Manager, ``caCert``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from functools import cached_property

from ..._pki.certificates import MOST_IN_A_CHAIN, Certificate, Chain
from .clients import NO_NAMED_PLACES, NamedPlaces, UserNamespace
from .goals import Goal, Phase, Retire, Retirement


class TrustState(str, Enum):
    """State of one CA certificate in the ledger; the values are the Secret's."""

    UNTRUSTED = "UNTRUSTED"
    TRUSTED_UNUSED = "TRUSTED_UNUSED"
    TRUSTED_IN_USE_ANY = "TRUSTED_IN_USE_ANY"
    TRUSTED_IN_USE_ALL = "TRUSTED_IN_USE_ALL"
    PHASE_OUT = "PHASE_OUT"

    @property
    def meaning(self) -> str:
        """The state in words, as the rest of a sentence about the CA: it is …"""
        return _MEANINGS[self]


_MEANINGS = {
    TrustState.UNTRUSTED: "known and not yet trusted by all",
    TrustState.TRUSTED_UNUSED: "trusted by all and not in use",
    TrustState.TRUSTED_IN_USE_ANY: "trusted by all and used by some",
    TrustState.TRUSTED_IN_USE_ALL: "trusted and used by all",
    TrustState.PHASE_OUT: "not in use any more and about to be removed",
}


class Usage(str, Enum):
    """How many pods present a certificate of a CA."""

    NO_PODS = "NO_PODS"
    NONE = "NONE"
    SOME = "SOME"
    ALL = "ALL"
    UNKNOWN = "UNKNOWN"


#: The next state by usage, for each state; a usage without an edge keeps the state. No usage leads out of UNTRUSTED,
#: and none removes a PHASE_OUT CA: the trust gate and the removal gate decide on these.
_BY_USAGE: dict[TrustState, dict[Usage, TrustState]] = {
    TrustState.UNTRUSTED: {},
    TrustState.TRUSTED_UNUSED: {
        Usage.SOME: TrustState.TRUSTED_IN_USE_ANY,
        Usage.ALL: TrustState.TRUSTED_IN_USE_ALL,
    },
    TrustState.TRUSTED_IN_USE_ANY: {
        Usage.ALL: TrustState.TRUSTED_IN_USE_ALL,
        Usage.NONE: TrustState.PHASE_OUT,
    },
    TrustState.TRUSTED_IN_USE_ALL: {
        Usage.SOME: TrustState.TRUSTED_IN_USE_ANY,
        Usage.NONE: TrustState.PHASE_OUT,
    },
    TrustState.PHASE_OUT: {
        Usage.SOME: TrustState.TRUSTED_IN_USE_ANY,
        Usage.ALL: TrustState.TRUSTED_IN_USE_ALL,
    },
}

#: The states from which a CA goes to PHASE_OUT on request only: without these edges an unused CA could not leave
#: (docs/design.md, "States").
UNUSED = frozenset({TrustState.UNTRUSTED, TrustState.TRUSTED_UNUSED})

TRUSTED_STATES = frozenset(TrustState) - {TrustState.UNTRUSTED}


def after_usage(state: TrustState, usage: Usage) -> TrustState:
    """The state by usage alone; the same state if nothing follows (docs/design.md, "States")."""
    return _BY_USAGE[state].get(usage, state)


class WhenDue(str, Enum):
    """The policy for a CA in its time for renewal. The last two have the values of
    ``certificateExpirationPolicy`` in the Kafka resource.
    """

    NONE = "none"
    RENEW = "renew-certificate"
    REPLACE_KEY = "replace-key"


@dataclass(frozen=True)
class UpkeepOptions:
    """The caller's wish for the upkeep."""

    #: None: the policy of the Kafka resource (certificateExpirationPolicy).
    policy: WhenDue | None = None
    #: How long before its end the CA's time for renewal begins, in whole days. None: a week before the Kafka resource's
    #: time (renewalDays).
    window: timedelta | None = None


@dataclass(frozen=True)
class Upkeep:
    """The policy of the last call with one, as the ledger records it."""

    #: Never NONE: the ledger of a CA without upkeep records nothing.
    policy: WhenDue
    #: How long before its end the CA's time for renewal begins, in whole days; half of the CA's life if this is less.
    window: timedelta
    #: Since when the ledger has recorded this.
    since: datetime


class Layout(str, Enum):
    """The Secrets of a ledger (docs/storage.md, "Layouts"). Each layout is from a published draft."""

    #: A single Secret with certificates and states.
    SINGLE = "single"
    #: Two Secrets: the certificates apart from the states.
    SPLIT = "split"
    #: A single Secret, with the states in the names of its entries.
    KEYED = "keyed"


@dataclass(frozen=True)
class LedgerEntry:
    """A CA of the ledger: ``chain[0]`` is the CA certificate, the rest leads to its root (usually nothing)."""

    #: The CA certificate, and the CAs from it to its root; usually the CA certificate alone.
    chain: tuple[Certificate, ...]
    #: The trust state of the CA.
    state: TrustState
    #: The values of ``strimzi.io/cluster-ca-cert-generation`` for this CA.
    generations: frozenset[int] = frozenset()
    #: UIDs of the pods that existed when a call read the CA back from the trust bundle. Every process trusts the CA as
    #: soon as none of them exists. None: no call has read it back.
    awaited_pods: frozenset[str] | None = None
    #: When a call read the CA back from the trust bundle: from then on clients of the CA certificate Secret may have
    #: it.
    published_at: datetime | None = None
    #: Hashes of the leaves of this CA in the annotations of running pods.
    leaf_hashes: frozenset[str] = frozenset()
    #: When the last certificate of the same name and key, without room for a CA below it, left the places of clients;
    #: None if there was no such certificate. If a client has not read since, it may know this certificate, and then
    #: refuses a link certificate by this CA.
    cleared_at: datetime | None = None
    #: UIDs of the pods that existed when a call read the absence of the CA from the certificate Secret and the trust
    #: bundle: no later pod knows it. None: it is still there, or no call has read its absence yet.
    knowing_pods: frozenset[str] | None = None

    @property
    def certificate(self) -> Certificate:
        return self.chain[0]

    @property
    def fingerprint(self) -> str:
        return self.certificate.fingerprint


@dataclass(frozen=True)
class RememberedCertificate:
    """A certificate that is stored no more, and the pods that still know it."""

    #: The CA or the leaf that has left.
    certificate: Certificate
    #: UIDs of pods that started before, and whose listeners may know it.
    awaited_pods: frozenset[str]
    #: UIDs of pods that started before as well, but whose listeners were seen not to know it. Their Raft clients and
    #: agents know it until they restart (docs/operator.md, "Where the reload ends").
    lingering_pods: frozenset[str] = frozenset()

    @property
    def fingerprint(self) -> str:
        return self.certificate.fingerprint

    @property
    def holders(self) -> frozenset[str]:
        """UIDs of all pods in which a channel may know the certificate."""
        return self.awaited_pods | self.lingering_pods


@dataclass(frozen=True)
class RemovedEntry(RememberedCertificate):
    """A CA that left the trust: these pods trust it."""

    #: Whether a call has read that the CA is back in the certificate Secret or the trust bundle, and no call since has
    #: read its absence. A pod that starts meanwhile may read it, so ``awaited_pods`` are taken again in each pass, up
    #: to the pass that reads its absence.
    is_back: bool = False


class FormerLeaf(RememberedCertificate):
    """A leaf that is gone from its Secret: this pod presents it."""


@dataclass(frozen=True)
class Outgoing:
    """The certificates of the replaced CA of a flow, as far as programs have read them and may never read again."""

    #: The readers of these certificates, as presenters name them.
    readers: frozenset[str]
    #: When the last of these certificates ends.
    ends_at: datetime
    #: Whether this covers the certificates under way when the next CA came into use.
    is_complete: bool = False


@dataclass(frozen=True)
class Stop:
    """A stop of a flow, such as for an approval."""

    #: The last phase of the flow, until a call that leads it says otherwise (``_trust/ledger/journal.py``).
    after: Phase
    #: Since when.
    asked_at: datetime


@dataclass(frozen=True)
class FlowOptions:
    """The options of a call for the later calls of its flow."""

    #: The places that a person has named for the flow. A run without places looks there too. Empty once the flow has
    #: finished.
    named_places: NamedPlaces = NO_NAMED_PLACES
    #: The phase after which the flow stops; None: it goes on to its end, or has finished.
    stop: Stop | None = None
    #: Whether this renewal is the first part of a replacement of the key.
    precedes_replacement: bool = False


NO_FLOW_OPTIONS = FlowOptions()


@dataclass(frozen=True)
class Beginning:
    """The beginning of a flow, as recorded by the call that prepared the next CA. A later write, perhaps of another
    call, opens the journal.
    """

    #: When nodes give up the replaced CA.
    retire: Retirement
    #: Whether the flow began because the replaced CA had come into its time for renewal.
    is_upkeep: bool


@dataclass(frozen=True)
class Journal:
    """The flow in flight, or the last finished flow. It makes a rerun a continuation or a no-op."""

    #: The goal of the flow.
    goal: Goal
    #: Fingerprint of the CA that the flow replaces; None if there was none.
    replaces: str | None
    #: Fingerprint of the CA in its place after the flow.
    successor: str | None
    #: When the flow began, in UTC.
    started_at: datetime
    #: When the flow finished, in UTC; None while it is in flight.
    finished_at: datetime | None = None
    #: SHA-256 of the replaced CA, by which people name it.
    replaces_sha256: str | None = None
    #: When nodes give up the replaced CA. A run without this option keeps to it.
    retire: Retirement = Retire.NOW
    #: Whether this flow undoes another flow. Its successor is the CA that the other flow replaces.
    is_abort: bool = False
    #: With an abort, UIDs of pods that may have started with a leaf of the abandoned CA although no Secret shows it.
    #: None: no call has found out yet.
    unsure_pods: frozenset[str] | None = None
    #: The options of the calls of the flow.
    options: FlowOptions = NO_FLOW_OPTIONS
    #: The certificates in programs after the switch; None if none is known, or the flow has finished.
    outgoing_certificates: Outgoing | None = None
    #: Fingerprints, SHA-1 and SHA-256, of the earlier certificates of the replaced CA. A caller who names one of them
    #: means this CA.
    earlier_fingerprints: frozenset[str] = frozenset()
    #: Whether the flow began because the replaced CA had come into its time for renewal.
    is_upkeep: bool = False
    #: Since when clients read the successor as ``ca.crt`` while nodes lead to it by a link certificate in their memory
    #: alone. None: nodes do not, or not yet.
    read_since: datetime | None = None

    @property
    def replaced_fingerprints(self) -> frozenset[str]:
        """Fingerprints, SHA-1 and SHA-256, of all certificates of the replaced CA."""
        return self.earlier_fingerprints | frozenset(filter(None, (self.replaces, self.replaces_sha256)))


#: How many replaced CAs a ledger remembers. With a renewal each month these are more than eight years, in less than 5
#: kB.
MOST_REPLACED = 100


@dataclass(frozen=True)
class Ledger:
    """All CAs that are trusted or about to be, the removed CAs, leaves in processes alone, and the journal."""

    #: The CAs that are trusted or about to be.
    entries: tuple[LedgerEntry, ...] = ()
    #: The removed CAs, with the pods that may still trust them.
    removed_cas: tuple[RemovedEntry, ...] = ()
    #: The flow in flight, or the last finished flow; None if there was none.
    journal: Journal | None = None
    #: Sentences about content from another writer (unknown state, certificate under a wrong key, ...); a ledger with
    #: problems holds every flow.
    problems: tuple[str, ...] = ()
    #: The leaves in running processes alone.
    former_leaves: tuple[FormerLeaf, ...] = ()
    #: The arrangement of its Secrets.
    layout: Layout = Layout.SINGLE
    #: Whether its Secrets contain more than this ledger, because a call died between two of its writes.
    has_leftovers: bool = False
    #: The treatment of the CA in use in its time for renewal; None if no call has recorded any.
    upkeep: Upkeep | None = None
    #: Fingerprints of the CAs replaced by flows before the journal's, the earliest first, and no more than the last
    #: ``MOST_REPLACED``.
    replaced_cas: tuple[str, ...] = ()
    #: The further namespaces in which users of this CA were seen or looked for, without the cluster's own, in the order
    #: of their names. Each stays until a look finds neither a user nor a certificate there, and no User Operator
    #: watches it.
    user_namespaces: tuple[UserNamespace, ...] = ()

    @cached_property
    def former_by_pod(self) -> Mapping[str, tuple[FormerLeaf, ...]]:
        """The former leaves by the UID of each of their holders: there may be as many as nodes."""
        by_pod: dict[str, tuple[FormerLeaf, ...]] = {}
        for leaf in self.former_leaves:
            for uid in leaf.holders:
                by_pod[uid] = (*by_pod.get(uid, ()), leaf)
        return by_pod

    def find_pods_with_listeners_alone(self, leaf: FormerLeaf) -> frozenset[str]:
        """UIDs of the holders of a former leaf in which nothing but listeners ever presented it. The first leaf that
        the listeners of a process give up is the leaf of its start, and the rest of the process keeps to this leaf.
        """
        return frozenset(
            uid
            for uid in leaf.holders
            if any(
                other.certificate != leaf.certificate and uid in other.lingering_pods
                for other in self.former_by_pod[uid]
            )
        )

    def find(self, fingerprint: str | None) -> LedgerEntry | None:
        return next((entry for entry in self.entries if entry.fingerprint == fingerprint), None)

    @property
    def undone_ca(self) -> str | None:
        """Fingerprint of the unfinished CA that a flow in flight is to get rid of; None if there is none."""
        journal = self.journal
        return journal.replaces if journal is not None and journal.is_abort and journal.finished_at is None else None

    @property
    def leaving_cas(self) -> frozenset[str]:
        """Fingerprints of the removed CAs that listeners may still trust."""
        return frozenset(entry.fingerprint for entry in self.removed_cas if entry.awaited_pods)

    def with_entry(self, entry: LedgerEntry) -> Ledger:
        """The ledger with this entry added, or put in the place of the entry with its fingerprint."""
        if self.find(entry.fingerprint) is None:
            return replace(self, entries=(*self.entries, entry))
        return replace(
            self,
            entries=tuple(entry if old.fingerprint == entry.fingerprint else old for old in self.entries),
        )

    def without_entry(self, fingerprint: str) -> Ledger:
        """The ledger without this CA. Processes that trust it go on accepting leaves of a renewal of it, so they are
        not awaited any more for the renewal.
        """
        gone = self.find(fingerprint)
        left = (entry for entry in self.entries if entry.fingerprint != fingerprint)
        return replace(self, entries=tuple(_trusted_like(gone, entry) if gone else entry for entry in left))


def _trusted_like(gone: LedgerEntry, entry: LedgerEntry) -> LedgerEntry:
    if gone.awaited_pods is None or entry.awaited_pods is None or not gone.certificate.stands_in_for(entry.certificate):
        return entry
    return replace(entry, awaited_pods=entry.awaited_pods & gone.awaited_pods)


@dataclass(frozen=True)
class CaSource:
    """The CA source: an object outside the collection with the CAs to trust."""

    #: The object and its entry, as messages name them.
    name: str
    #: The CAs in it, in any order: intermediates and the roots above them, several roots, a renewed CA beside its
    #: renewal.
    certificates: tuple[Certificate, ...] = ()
    #: Why it cannot be used, as a sentence; empty if it can.
    problem: str = ""
    #: The remedy, as a sentence; empty if there is no problem.
    remedy: str = ""
    #: The time of its last write; None if it is unknown.
    changed_at: datetime | None = None

    def issuing(self, moment: datetime) -> tuple[Chain, ...]:
        """The CAs that can be meant to issue leaves, each with the CAs above it here: CAs that are valid now and have
        certified no other CA here. Of several certificates with one name and key it is the root, else the certificate
        with the last end. If CAs have certified each other alone, as one takes the place of the other, both can be
        meant.
        """
        valid = [
            certificate for certificate in self.certificates if certificate.not_before <= moment < certificate.not_after
        ]
        above = _above_others(valid)
        latest: dict[tuple[bytes, str], Certificate] = {}
        for authority in sorted((certificate for certificate in valid if certificate not in above), key=_sort_key):
            latest[authority.subject_der, authority.public_key_sha256] = authority
        return tuple(
            self.chain_of(certificate)
            for certificate in sorted(latest.values(), key=lambda authority: authority.sha256)
        )

    def chain_of(self, certificate: Certificate) -> Chain:
        """The CA, and the CAs of this source that certify it, up to its root as far as it is here. A certificate of a
        CA is passed over if the certificate below it names another, such as after a renewal of the root: the operator
        would refuse the chain.
        """
        chain: Chain = (certificate,)
        while not chain[-1].is_root and len(chain) < MOST_IN_A_CHAIN:
            signers = [issuer for issuer in self.certificates if issuer not in chain and chain[-1].signed_by(issuer)]
            issuers = [issuer for issuer in signers if chain[-1].names_as_issuer(issuer)]
            if not issuers:
                break
            chain = (*chain, max(issuers, key=_sort_key))
        return chain


def _above_others(valid: Sequence[Certificate]) -> set[Certificate]:
    """The CAs that have certified another of these CAs. If two have certified each other, the pair counts only if one
    of the two is above a third CA.
    """
    certified = [
        (certificate, other)
        for certificate in valid
        for other in valid
        if other.signed_by(certificate) and not other.is_twin_of(certificate)
    ]
    in_turn = {(certificate.public_key_sha256, other.public_key_sha256) for certificate, other in certified}
    above = {
        certificate
        for certificate, other in certified
        if (other.public_key_sha256, certificate.public_key_sha256) not in in_turn
    }
    while more := {certificate for certificate, other in certified if other in above} - above:
        above |= more
    return above


def _sort_key(certificate: Certificate) -> tuple[bool, datetime, str]:
    """The digest puts equal certificates in the same order in every run."""
    return certificate.is_root, certificate.not_after, certificate.sha256
