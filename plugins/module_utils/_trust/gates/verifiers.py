# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The verifying parties and their accepted chains, as the gates ask: the processes of a cluster, each with its trusted
CAs, and clients outside the cluster.

Whether clients have had the time to read a published CA (docs/flows.md, "Client grace"). Clients that load the CA
certificate Secret are unknown and give no answers. If a client knows only the replaced CA, it accepts a link
certificate, unless its library is strict about path lengths and its certificate of this CA allows no CA below. Then it
needs a renewed certificate, or the new CA itself, in time.

The gate before a certificate is issued outside the cluster: its subject must not be the name of a process of the
cluster. Brokers know their own processes by the subject alone and let them do everything. So an issuer that adds an
organization to the subject could make a client one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from ..._pki.certificates import Certificate, Chain
from ..._pki.paths import PathResult, date_problem, validate_issued_by
from ..._pki.verifiers import Verifier, named_verifiers
from ..evidence.parties import possibly_trusted_by, refused_everywhere, serves_no_client, surely_trusted_by
from ..evidence.stored import clients_asked_by_gates, presenting_pods, trust_without, verifying
from ..model.clients import Follows, OutsideClient
from ..model.decision import Condition, Violation
from ..model.ledger import Ledger, LedgerEntry
from ..model.names import named
from ..model.snapshot import Pod, Snapshot


def is_valid(form: Chain, anchors: Chain, moment: datetime, kind: Verifier) -> bool:
    """Whether a leaf of the CA ``form[0]``, sent with the rest of ``form``, validates under these anchors."""
    return validate(form, anchors, moment, kind).valid


@lru_cache(maxsize=4096)
def validate(form: Chain, anchors: Chain, moment: datetime, kind: Verifier) -> PathResult:
    """The result of the validation, with the reason if it fails. Hundreds of pods trust the same few CAs, so results
    are kept.
    """
    return validate_issued_by(form[0], form[1:], anchors, at=moment, verifier=kind)


def has_only_ended(anchors: Chain, moment: datetime, kind: Verifier) -> bool:
    """Whether this verifier refuses every certificate already, because its trusted CAs have ended. No gate waits for
    it: the flow brings it another CA.
    """
    return kind.checks_anchor_dates and bool(anchors) and all(anchor.has_ended(moment) for anchor in anchors)


@dataclass(frozen=True)
class VerifyingParty:
    """A process and its trust."""

    #: The process, as messages name it.
    name: str
    #: The library whose path validation rules it applies.
    verifier: Verifier
    #: The CAs that it is known to trust.
    anchors: Chain
    #: The same CAs, and CAs that it should trust without an answer that shows it.
    possible_anchors: Chain
    #: The CAs that count for nothing although the process trusts them: they are outside their dates, and have never
    #: been in use.
    void_cas: frozenset[Certificate]
    #: The way in which the process comes to trust a CA, as a sentence.
    remedy: str
    #: Its pod; None for the Cluster Operator.
    pod: Pod | None = None

    def accepts(self, form: Chain, snapshot: Snapshot) -> bool:
        """Whether it accepts leaves in this form now."""
        return is_valid(form, self._without_void(self.anchors), snapshot.now, self.verifier)

    def why_refused(self, form: Chain, snapshot: Snapshot) -> str:
        """Why it would not accept leaves in this form now, without a full stop; empty if it would, or may."""
        return validate(form, self._without_void(self.possible_anchors), snapshot.now, self.verifier).reason

    def has_only_ended(self, snapshot: Snapshot) -> bool:
        """Whether it refuses every certificate already, because the CAs that it may trust have ended."""
        return has_only_ended(self.possible_anchors, snapshot.now, self.verifier)

    def _without_void(self, anchors: Chain) -> Chain:
        return tuple(anchor for anchor in anchors if anchor not in self.void_cas)


def verifying_parties(snapshot: Snapshot, ledger: Ledger) -> tuple[VerifyingParty, ...]:
    """The verifying pods of the cluster, and the Cluster Operator if any pod presents a certificate to it. A pod
    refused by every party is left out: it meets no party before its restart.
    """
    void, refused = _find_void_cas(snapshot, ledger), refused_everywhere(snapshot)
    pods = tuple(_verifying_pod(pod, snapshot, ledger, void) for pod in verifying(snapshot) if pod.uid not in refused)
    verifies = snapshot.security.has_tls and presenting_pods(snapshot)
    return (*pods, _cluster_operator(snapshot, ledger, void)) if verifies else pods


def _verifying_pod(pod: Pod, snapshot: Snapshot, ledger: Ledger, void: frozenset[Certificate]) -> VerifyingParty:
    return VerifyingParty(
        name=f"pod {pod.name}",
        verifier=pod.component.facts.verifier,
        anchors=surely_trusted_by(pod, snapshot, ledger),
        possible_anchors=possibly_trusted_by(pod, snapshot, ledger),
        void_cas=void,
        remedy="It has to restart with the trust bundle that contains this CA; run the flow again to continue.",
        pod=pod,
    )


def _cluster_operator(snapshot: Snapshot, ledger: Ledger, void: frozenset[Certificate]) -> VerifyingParty:
    """The Cluster Operator reads the certificate Secret again in every reconcile (docs/operator.md, "What each process
    trusts").
    """
    projected = tuple(e.certificate for e in ledger.entries if e.fingerprint in snapshot.ca.projected)
    return VerifyingParty(
        "the Cluster Operator",
        Verifier.JVM,
        projected,
        projected,
        void,
        f"It trusts the CAs in {snapshot.names.certificate_secret}; run the flow again.",
    )


def _find_void_cas(snapshot: Snapshot, ledger: Ledger) -> frozenset[Certificate]:
    """The CAs outside their dates that have never been in use. A JVM would accept their leaves; no flow begins to use
    such a CA.
    """
    never = (entry.certificate for entry in ledger.entries if not entry.generations)
    return frozenset(
        certificate
        for certificate in never
        if certificate not in snapshot.ca.in_use and date_problem(certificate, snapshot.now)
    )


def check_clients_accept(snapshot: Snapshot, ledger: Ledger, form: Chain) -> tuple[Violation, ...]:
    """Violations of the clients that cannot validate leaves in this form, or may be unable to. Behind leaves of the
    CA in use, and of a renewal of it, nodes send its link certificates.
    """
    violations, form = [], snapshot.ca.behind_nodes(form, snapshot.now)
    for client in _clients_with_something_to_lose(snapshot, ledger):
        if client.trusts is None or not is_valid(form, client.trusts, snapshot.now, client.verifier):
            message = client.doubt if client.trusts is None else cannot_validate(form, ledger)
            violations.append(_violation(Condition.TRUST, client, message))
        elif client.doubt:
            violations.append(_violation(Condition.TRUST, client, client.doubt))
    return tuple(violations)


def check_clients_can_spare(
    snapshot: Snapshot, ledger: Ledger, leaving: Certificate, presented: Iterable[Chain]
) -> tuple[Violation, ...]:
    """Violations of the clients that could not validate leaves in these forms without the leaving CA, or may be unable
    to. A client loses nothing if it refuses every certificate already.

    If the CA was taken out already, missing knowledge does not put it back: the operator replaces the copies at that
    moment.
    """
    withdrawn = leaving.fingerprint not in snapshot.ca.projected
    given = list(presented)
    violations = []
    for client in _clients_with_something_to_lose(snapshot, ledger):
        left = trust_without(leaving, client)
        sent = snapshot.ca.led_to if client.follows is Follows.ISSUING else snapshot.ca.behind_nodes
        forms = [sent(form, snapshot.now) for form in given]
        if left is not None and not all(is_valid(form, left, snapshot.now, client.verifier) for form in forms):
            message = f"could no longer validate certificates of nodes without the CA {named(leaving)}"
            violations.append(_violation(Condition.REMOVAL, client, message))
        elif client.doubt and not withdrawn:
            violations.append(_violation(Condition.REMOVAL, client, client.doubt))
    return tuple(violations)


def _clients_with_something_to_lose(snapshot: Snapshot, ledger: Ledger) -> tuple[OutsideClient, ...]:
    """The clients that the gates ask about, without the clients that refuse every certificate already."""
    if serves_no_client(snapshot):
        return ()
    return tuple(
        client
        for client in clients_asked_by_gates(snapshot, ledger)
        if client.trusts is None or not has_only_ended(client.trusts, snapshot.now, client.verifier)
    )


def cannot_validate(form: Chain, ledger: Ledger) -> str:
    """The message about a party that refuses this form. People do not know link certificates, so the message names the
    CA behind the form.
    """
    authority = form[0]
    if ledger.find(authority.fingerprint) is None:
        twins = (entry.certificate for entry in ledger.entries if entry.certificate.is_twin_of(authority))
        authority = next(twins, authority)
    return f"cannot validate certificates of the CA {named(authority)}"


def _violation(condition: Condition, client: OutsideClient, message: str) -> Violation:
    return Violation(condition, client.name, f"{message}.", client.remedy)


#: The longest time of the kubelet to bring a changed Secret into a mounted volume, with its default settings. No call
#: can measure it; the caller gives another time as client_grace.
MOUNTED_SECRET = timedelta(seconds=120)
#: The verifiers that apply the path length of a trusted CA.
STRICT = frozenset(kind for kind in Verifier if kind.applies_anchor_path_length)


def usable_from(entry: LedgerEntry, form: Chain, snapshot: Snapshot, grace: timedelta | None) -> datetime | None:
    """From when leaves of this CA may be presented in this form; None while it has not been published.

    The grace is the caller's. If it is None, it is the time of a mounted Secret if a client could refuse the form.
    """
    if entry.published_at is None:
        return None
    if grace is None:
        grace = MOUNTED_SECRET if why_refused_by_unknown_clients(form, snapshot) else timedelta()
    return entry.published_at + grace


def can_raise_path_length(snapshot: Snapshot) -> bool:
    """Whether the CA in use allows no CA below it, and a renewal made here could: its key is here, and its leaves carry
    chains.
    """
    ca = snapshot.ca
    if not ca.current or not snapshot.sends_chains:
        return False
    current = ca.current[0]
    is_here = ca.key == current.public_key_sha256 and not ca.is_kept_elsewhere(current)
    return current.path_length == 0 and current.is_root and is_here


def renewed_arrives_at(current: LedgerEntry, grace: timedelta | None) -> datetime | None:
    """From when clients have had the time to read the CA in use as it was renewed. Then they can be led on from it.
    None if it has always allowed a CA below it.
    """
    return None if current.cleared_at is None else current.cleared_at + (MOUNTED_SECRET if grace is None else grace)


def link_followed_since(entry: LedgerEntry, snapshot: Snapshot) -> datetime | None:
    """Since when clients of every kind that have read this CA can be led on from it by a link certificate; None if they
    cannot.
    """
    if any(
        certificate.path_length == 0 for certificate in _certificates_as_clients_read_them(entry.certificate, snapshot)
    ):
        return None
    return entry.cleared_at or entry.published_at


def describe_clients_left_behind(snapshot: Snapshot) -> str:
    """A sentence about clients that know only the CA before the CA in use, if nodes lead them on until the next CA is
    used; else empty.
    """
    links = snapshot.ca.links_in_use
    sent = links.sent_at(snapshot.now) if links is not None else ()
    if not sent:
        return ""
    return (
        f"Clients that know only {sent[1].subject}, the CA before the CA in use, have been led on until now: they "
        "refuse each node from its restart on, until they read again."
    )


def describe_possible_refusals(form: Chain, snapshot: Snapshot, ledger: Ledger) -> str:
    """Sentences about the unknown clients that may refuse leaves in this form, which the CA in use leads to: since
    when, and until when; empty if none may.
    """
    return " ".join(filter(None, (_who_may_refuse(form, snapshot, ledger), describe_clients_left_behind(snapshot))))


def _who_may_refuse(form: Chain, snapshot: Snapshot, ledger: Ledger) -> str:
    current = ledger.find(snapshot.ca.current[0].fingerprint) if snapshot.ca.current else None
    if current is None:
        return ""
    anchors = (current.certificate,)
    strict = frozenset(
        kind
        for kind in Verifier
        if not has_only_ended(anchors, snapshot.now, kind) and not is_valid(form, anchors, snapshot.now, kind)
    )
    if strict:
        return (
            f"Clients of {named_verifiers(strict)} that know only {named(current.certificate)} refuse each node from "
            "its restart on, until they have read the next CA; clients that load ca.crt alone can do so from the "
            "switch on."
        )
    if current.cleared_at is None:
        return ""
    return (
        f"Clients of {named_verifiers(STRICT)} that have not read {named(current.certificate)} since "
        f"{current.cleared_at:%Y-%m-%d %H:%M} UTC, such as clients that read their CAs only when they start, may trust "
        "its earlier certificate, which allows no CA below it: they refuse each node from its restart on, until they "
        "read again. Clients of a JVM do not."
    )


def why_refused_by_unknown_clients(form: Chain, snapshot: Snapshot) -> str:
    """Why a client that knows only the CA in use could refuse this form, without a full stop; empty if none would. The
    client may have read any of the certificates of this CA.
    """
    anchors = _certificates_as_clients_read_them(snapshot.ca.current[0], snapshot) if snapshot.ca.current else ()
    reasons = (
        validate(form, (certificate,), snapshot.now, kind).reason
        for certificate in anchors
        for kind in Verifier
        if not has_only_ended((certificate,), snapshot.now, kind)
    )
    return next(filter(None, reasons), "")


def _certificates_as_clients_read_them(authority: Certificate, snapshot: Snapshot) -> Chain:
    """The certificates of this CA that clients may read: OpenSSL takes the first of two with the same name."""
    return (
        authority,
        *(anchor for anchor in snapshot.ca.anchors if anchor != authority and anchor.is_twin_of(authority)),
    )


def describe_unnameable_users(snapshot: Snapshot) -> tuple[str, ...]:
    """Users that no issuer can name in a certificate, as sentences. No flow waits for such a user: it presents
    nothing.
    """
    return tuple(
        f"{name} gets no certificate: {why}. Give the user another name."
        for name, why in (snapshot.users.unnameable_users if snapshot.users is not None else {}).items()
    )


def namesakes(snapshot: Snapshot) -> Iterator[Violation]:
    for name in snapshot.users.namesakes if snapshot.users is not None else ():
        yield Violation(
            Condition.PRESENTERS_CAN_BE_ISSUED_TO, name,
            "has the name of one of Strimzi's own processes, and gets no certificate of an issuer elsewhere: an "
            "issuer that adds their organization would let it do everything in Kafka.",
            "Give the user another name.",
        )  # fmt: skip
