# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The ledger: the single record of the CAs that each party trusts (docs/design.md, "Ledger"). Plain values;
``_strimzi/ledger/layouts.py`` lays them out in Secrets.

A CA certificate has a state, and takes edges between states (docs/design.md, "States"). The upkeep renews a CA in its
time, which the operator gives up when a CA is adopted (docs/design.md, "Upkeep"). A CA source is the object that says
which CAs a cluster is to trust, and which of them is to issue its leaves (External Certificate Manager, ``caCert``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum

from ..._pki.certificates import MOST_IN_A_CHAIN, Certificate, Chain
from .clients import NO_NAMED_PLACES, NamedPlaces, UserNamespace
from .goals import Goal, Phase, Retire, Retirement


class TrustState(str, Enum):
    """State of one CA certificate in the ledger; the values are what the Secret holds."""

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


#: Where usage leads from each trusted state. UNTRUSTED is left by the trust gate only, and the removal of a
#: PHASE_OUT CA is decided by the removal gate only; a usage that is not listed keeps the state.
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

#: The states from which a CA goes to PHASE_OUT on request only: without these edges a CA that was never used could not leave
#: (docs/design.md, "States").
UNUSED = frozenset({TrustState.UNTRUSTED, TrustState.TRUSTED_UNUSED})

TRUSTED_STATES = frozenset(TrustState) - {TrustState.UNTRUSTED}


def after_usage(state: TrustState, usage: Usage) -> TrustState:
    """The state that follows from usage alone; the same state when nothing follows (docs/design.md, "States")."""
    return _BY_USAGE[state].get(usage, state)


class WhenDue(str, Enum):
    """The policy for a CA in its time for renewal. The last two have the values of ``certificateExpirationPolicy`` in the Kafka resource."""

    NONE = "none"
    RENEW = "renew-certificate"
    REPLACE_KEY = "replace-key"


@dataclass(frozen=True)
class UpkeepOptions:
    """The caller's wish."""

    #: None: what the Kafka resource says (certificateExpirationPolicy).
    policy: WhenDue | None = None
    #: How long before its end the CA's time for renewal begins, in whole days. None: a week before the time that the Kafka resource gives (renewalDays).
    window: timedelta | None = None


@dataclass(frozen=True)
class Upkeep:
    """The policy of the last call that had one, as the ledger records it."""

    #: Never NONE: the ledger of a CA that is not kept up records nothing.
    policy: WhenDue
    #: How long before its end the CA's time for renewal begins, in whole days; half of the CA's life where that is less.
    window: timedelta
    #: Since when the ledger has recorded this.
    since: datetime


class Layout(str, Enum):
    """The Secrets that a ledger is kept in (docs/design.md, "Layouts"). Each is a published draft's."""

    #: A single Secret with certificates and states.
    SINGLE = "single"
    #: Two Secrets: the certificates apart from the states.
    SPLIT = "split"
    #: A single Secret, with the states in the names of its entries.
    KEYED = "keyed"


@dataclass(frozen=True)
class LedgerEntry:
    """A CA of the ledger: ``chain[0]`` is the CA certificate, the rest leads to its root (usually nothing)."""

    #: The CA certificate, and the CAs that lead from it to its root; usually the CA certificate alone.
    chain: tuple[Certificate, ...]
    #: The trust state of the CA.
    state: TrustState
    #: The values of ``strimzi.io/cluster-ca-cert-generation`` that mean this CA.
    generations: frozenset[int] = frozenset()
    #: UIDs of the pods that existed when a call read the CA back from the trust bundle. Every process trusts the CA as soon as none of them exists.
    #: None: no call has read it back.
    awaited_pods: frozenset[str] | None = None
    #: When a call read the CA back from the trust bundle: from then on clients that read the CA certificate Secret may have it.
    published_at: datetime | None = None
    #: Hashes of the leaves of this CA in the annotations of running pods.
    leaf_hashes: frozenset[str] = frozenset()
    #: When the last certificate of the same name and key that allows no CA below it left the places that clients read; None where there was no such
    #: certificate. A client that has not read since may hold it, and refuses a link certificate by this CA.
    cleared_at: datetime | None = None
    #: UIDs of the pods that existed when a call read that the CA had left the certificate Secret and the trust bundle: no pod that started later knows
    #: it. None: it is still there, or no call has read yet that it has left.
    knowing_pods: frozenset[str] | None = None

    @property
    def certificate(self) -> Certificate:
        return self.chain[0]

    @property
    def fingerprint(self) -> str:
        return self.certificate.fingerprint


@dataclass(frozen=True)
class HeldByProcesses:
    """A certificate that is stored no more, and the pods that still know it."""

    #: The CA or the leaf that has left.
    certificate: Certificate
    #: UIDs of pods that started before, and whose listeners may know it.
    awaited_pods: frozenset[str]
    #: UIDs of pods whose listeners were seen not to, although they started before: their Raft clients and agents know it until they restart (docs/operator.md,
    #: "Where the reload ends").
    lingering_pods: frozenset[str] = frozenset()

    @property
    def fingerprint(self) -> str:
        return self.certificate.fingerprint

    @property
    def holders(self) -> frozenset[str]:
        """UIDs of all pods whose certificate a channel may know."""
        return self.awaited_pods | self.lingering_pods


@dataclass(frozen=True)
class RemovedEntry(HeldByProcesses):
    """A CA that left the trust: these pods trust it."""

    #: Whether a call has read that the CA is back in the certificate Secret or the trust bundle, and no call since that it has left again. A pod that
    #: starts meanwhile may read it, so ``awaited_pods`` are taken again then.
    is_back: bool = False


class HeldLeaf(HeldByProcesses):
    """A leaf that its Secret does not hold any more: this pod presents it."""

    def read_only_by_listeners(self, others: Iterable[HeldLeaf]) -> frozenset[str]:
        """UIDs of the pods in which nothing but listeners ever presented it: the first leaf that the listeners of a process give up is the leaf that it
        was started with, and the rest of the process keeps to that.
        """
        started = (leaf.lingering_pods for leaf in others if leaf.certificate != self.certificate)
        return frozenset(uid for uids in started for uid in uids)


@dataclass(frozen=True)
class Outgoing:
    """The certificates of the CA that a flow replaces, as far as programs have read them that may never read again."""

    #: The readers of these certificates, as presenters name them.
    readers: frozenset[str]
    #: When the last of these certificates ends.
    ends_at: datetime
    #: Whether that covers the certificates that were on their way when the next CA came into use.
    is_complete: bool = False


@dataclass(frozen=True)
class Stop:
    """A stop of a flow, such as for an approval."""

    #: The last phase that the flow enters, until a call that leads it says otherwise (``_trust/ledger/journal.py``).
    after: Phase
    #: Since when.
    asked_at: datetime


@dataclass(frozen=True)
class FlowOptions:
    """The options of a call that its flow keeps for the calls after it."""

    #: The places that a person has named for the flow. A run that names none looks there too. Empty once the flow has finished.
    named_places: NamedPlaces = NO_NAMED_PLACES
    #: The phase after which the flow stops; None: it goes on to its end, or has finished.
    stop: Stop | None = None
    #: Whether this renewal is the first part of a replacement of the key.
    precedes_replacement: bool = False


NO_FLOW_OPTIONS = FlowOptions()


@dataclass(frozen=True)
class Beginning:
    """The beginning of a flow, as the call that prepared the next CA recorded it. A later write opens the journal, and
    perhaps another call.
    """

    #: When nodes give up the replaced CA.
    retire: Retirement
    #: Whether the flow began because the replaced CA had come into its time for renewal.
    is_upkeep: bool


@dataclass(frozen=True)
class Journal:
    """The flow in flight, or the last flow that finished. It makes a rerun a continuation or a no-op."""

    #: The goal of the flow.
    goal: Goal
    #: Fingerprint of the CA that the flow replaces; None when there was none.
    replaces: str | None
    #: Fingerprint of the CA that the flow puts in its place.
    successor: str | None
    #: When the flow began, in UTC.
    started_at: datetime
    #: When the flow finished, in UTC; None while it is in flight.
    finished_at: datetime | None = None
    #: SHA-256 of that CA, by which people name it.
    replaces_sha256: str | None = None
    #: When nodes give up the replaced CA. A run without this option keeps to it.
    retire: Retirement = Retire.NOW
    #: Whether this flow undoes another flow. The CA that the other flow replaces is its successor.
    is_abort: bool = False
    #: With an abort, UIDs of pods that may have started with a leaf of the given-up CA although no Secret shows that. None: no call has found out
    #: yet.
    unsure_pods: frozenset[str] | None = None
    #: The options of the calls that lead the flow.
    options: FlowOptions = NO_FLOW_OPTIONS
    #: The certificates with which programs may go on after the switch; None where none is known, or the flow has finished.
    outgoing_certificates: Outgoing | None = None
    #: Fingerprints, SHA-1 and SHA-256, of the earlier certificates of the replaced CA. A caller who names one of them means that CA.
    earlier_fingerprints: frozenset[str] = frozenset()
    #: Whether the flow began because the replaced CA had come into its time for renewal.
    is_upkeep: bool = False
    #: Since when clients read the successor as ``ca.crt`` while nodes lead to it by a link certificate in their memory alone. None: nodes do not, or
    #: not yet.
    read_since: datetime | None = None

    @property
    def replaced_fingerprints(self) -> frozenset[str]:
        """Fingerprints, SHA-1 and SHA-256, of all certificates of the replaced CA."""
        return self.earlier_fingerprints | frozenset(filter(None, (self.replaces, self.replaces_sha256)))


#: How many replaced CAs a ledger remembers. With a renewal each month that is more than eight years, in less than 5 kB.
MOST_REPLACED = 100


@dataclass(frozen=True)
class Ledger:
    """All CAs that are trusted or about to be, those just removed, leaves that only processes hold, and the journal."""

    #: The CAs that are trusted or about to be.
    entries: tuple[LedgerEntry, ...] = ()
    #: The CAs that have left, with the pods that may still trust them.
    removed_cas: tuple[RemovedEntry, ...] = ()
    #: The flow in flight, or the last flow that finished; None where there was none.
    journal: Journal | None = None
    #: Sentences about content that this collection did not write (unknown state, certificate under a wrong key, ...); a ledger with problems holds
    #: every flow.
    problems: tuple[str, ...] = ()
    #: The leaves that only running processes hold.
    held_leaves: tuple[HeldLeaf, ...] = ()
    #: The arrangement of Secrets that holds the ledger.
    layout: Layout = Layout.SINGLE
    #: Whether its Secrets hold more than this ledger, because a call died between two of its writes.
    has_leftovers: bool = False
    #: The treatment of the CA in use in its time for renewal; None where no call has recorded any.
    upkeep: Upkeep | None = None
    #: Fingerprints of the CAs that flows before that of the journal have replaced, the earliest first, and no more than the last ``MOST_REPLACED``.
    replaced_cas: tuple[str, ...] = ()
    #: The namespaces, beside that of the cluster, in which users of this CA were seen or looked for, in the order of their names. Each stays until a look finds
    #: neither a user nor a certificate there, and no User Operator watches it.
    user_namespaces: tuple[UserNamespace, ...] = ()

    def find(self, fingerprint: str | None) -> LedgerEntry | None:
        return next((entry for entry in self.entries if entry.fingerprint == fingerprint), None)

    @property
    def undone_ca(self) -> str | None:
        """Fingerprint of the CA that a flow in flight is to get rid of before it was ever finished; None where there is none."""
        journal = self.journal
        return journal.replaces if journal is not None and journal.is_abort and journal.finished_at is None else None

    @property
    def leaving_cas(self) -> frozenset[str]:
        """Fingerprints of the CAs that have left, and that listeners may still trust."""
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
        """The ledger without this CA. Processes that trust it go on accepting leaves of a renewal of it, so for that CA
        they are not awaited any more.
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
    """The CA source: an object outside the collection that says which CAs to trust."""

    #: The object and its entry, as messages name them.
    name: str
    #: The CAs in it, in any order: intermediates and the roots above them, several roots, a renewal beside the CA that it renews.
    certificates: tuple[Certificate, ...] = ()
    #: Why it cannot be used, as a sentence; empty where it can.
    problem: str = ""
    #: The remedy, as a sentence; empty where there is no problem.
    remedy: str = ""
    #: When it was written last; None where that is not known.
    changed_at: datetime | None = None

    def issuing(self, at: datetime) -> tuple[Chain, ...]:
        """The CAs that can be meant to issue leaves, each with what lies above it here: CAs that are valid now and have certified
        no other CA here. Of several certificates with one name and key it is the root, else the certificate that ends last. CAs that have certified
        each other alone, as one takes the place of the other, can both be meant.
        """
        valid = [
            certificate for certificate in self.certificates if certificate.not_before <= at < certificate.not_after
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
        """The CA, and the CAs of this source that certify it, up to its root as far as that is here. Another certificate of a CA than is named below
        it, such as a renewal of the root, is passed over: the operator would refuse the chain.
        """
        chain: Chain = (certificate,)
        while not chain[-1].is_root and len(chain) < MOST_IN_A_CHAIN:
            signers = [issuer for issuer in self.certificates if issuer not in chain and chain[-1].signed_by(issuer)]
            found = [issuer for issuer in signers if chain[-1].names_as_issuer(issuer)]
            if not found:
                break
            chain = (*chain, max(found, key=_sort_key))
        return chain


def _above_others(valid: Sequence[Certificate]) -> set[Certificate]:
    """The CAs that have certified another of these CAs. A pair that has certified each other counts only where one of the two is above a third CA."""
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
