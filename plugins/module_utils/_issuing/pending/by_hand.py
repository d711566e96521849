# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Requests for a person to carry to the keeper of the CA's key (CA abstraction, "Rejected alternatives", ``type:
external``), and the returned certificates. Each certificate goes to its request, checked as a run checks it; all of
them are accepted or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ..._errors import CertificateError, RequestError, StepError
from ..._leaves.request import Failure
from ..._pki.certificates import Certificate, Chain, certificate_from_der, encode_certificates, parse_chain
from ..._pki.requests import Request, parse_request
from ..._pki.usability import KeyPolicy
from ..._strimzi.apply.work import Work, Write, write_all
from ..._strimzi.cluster.leaves import LeafSecret
from ..._strimzi.cluster.observe import Observation
from ..._strimzi.cluster.subjects import LeafSubject, every_leaf, subject_like
from ..._trust.model.components import Component
from ..external.issuer import External
from ..issuer import Answer, IssuedCertificate
from .pending import authorities, judge_requests
from .requests import RequestRecord, StoredRequest, read_requests, write_issued


@dataclass(frozen=True)
class RequestByHand:
    """A request that waits for a person."""

    #: The request as its Secret contains it.
    stored: StoredRequest
    #: When the request was made, in UTC.
    asked_at: datetime
    #: The signing request, PEM.
    csr: bytes
    #: The subject of the signing request; empty if the request cannot be read.
    subject: str
    #: The DNS names and IP addresses of the signing request, sorted as text.
    names: tuple[str, ...]
    #: SHA-256 of the requested public key, in lower-case hex.
    public_key_sha256: str
    #: The CA that has to sign the request.
    authority: Certificate | None
    #: The usable certificate from a person, with its chain.
    answer: Chain | None
    #: The reason why no CA may sign the request, as a sentence; empty if a CA may.
    problem: str
    #: The reason why this collection refuses the person's certificate, as a sentence; empty if there is no certificate,
    #: or if it is good.
    refused: str
    #: The condition for the use of a good answer, as a sentence; empty if there is none.
    waiting: str
    #: The failures of the earlier requests for this leaf.
    failed: Failure | None

    @property
    def secret(self) -> str:
        return self.stored.secret

    @property
    def is_answered(self) -> bool:
        """Whether an answer was put back and is not refused. If clocks differ, it may be good only in a moment."""
        return self.stored.issued is not None and not self.problem and not self.refused

    @property
    def is_wanted(self) -> bool:
        """Whether it has to be signed."""
        return not self.problem and not self.is_answered


@dataclass(frozen=True)
class RequestElsewhere:
    """A request at another issuer; no person carries it."""

    #: The Secret of the leaf.
    secret: str
    #: Reference of the issuer.
    issuer: str
    #: When the issuer got the request, in UTC.
    asked_at: datetime


def requests_by_hand(observation: Observation) -> tuple[RequestByHand, ...]:
    """The open requests for a person to carry, of an observation together with the requests
    (``pending.with_requests``).
    """
    leaves = {leaf.secret: leaf for leaf in every_leaf(observation)}
    return tuple(
        _by_hand(stored, record, leaves.get(stored.secret), observation)
        for stored, record in _open(observation)
        if record.issuer == External.reference
    )


def requests_elsewhere(observation: Observation) -> tuple[RequestElsewhere, ...]:
    return tuple(
        RequestElsewhere(stored.secret, record.issuer, record.asked_at)
        for stored, record in _open(observation)
        if record.issuer != External.reference
    )


def _open(observation: Observation) -> list[tuple[StoredRequest, RequestRecord]]:
    stored = read_requests(observation.scope, observation.secrets).values()
    return [(request, request.record) for request in stored if request.record is not None and request.record.is_open]


def _by_hand(
    stored: StoredRequest, record: RequestRecord, leaf: LeafSecret | None, observation: Observation
) -> RequestByHand:
    request = observation.snapshot.leaves.requests[stored.secret]
    csr = record.token.encode("utf-8")
    try:
        parsed: Request | None = parse_request(csr)
    except RequestError:
        parsed = None
    names = parsed.subject_alternative_names if parsed else frozenset()
    wanted = None if leaf is None else subject_like(names, leaf, observation)
    signers = (chain[0] for chain in authorities(observation.snapshot))
    authority = next((signer for signer in signers if signer.fingerprint == record.authority), None)
    return RequestByHand(
        stored=stored,
        asked_at=record.asked_at,
        csr=csr,
        subject=parsed.subject.rfc4514_string() if parsed else "",
        names=tuple(sorted(names)),
        public_key_sha256=record.key,
        authority=authority,
        answer=request.answer,
        problem=_problem(request.outdated, stored, record, parsed, authority, wanted, observation),
        refused=request.failure.reason if request.failure is not None and not request.is_recorded else "",
        waiting=request.waiting if request.answer else "",
        failed=record.failure,
    )


def _problem(
    outdated: str, stored: StoredRequest, record: RequestRecord, parsed: Request | None, authority: Certificate | None,
    wanted: LeafSubject | None, observation: Observation,
) -> str:  # fmt: skip
    if outdated:
        return f"{outdated[0].upper()}{outdated[1:]}. The next run makes another request, or none."
    if authority is None:
        return "The CA that was to sign it is none of this cluster any more. The next run makes another request."
    changed = _changed(record, parsed, wanted)
    where = f"{observation.scope.namespace}/{observation.scope.issuing_secret(stored.component.value)}"
    remedy = f"Remove {stored.secret}.requested from Secret {where}: the next run makes it again."
    return f"The request has been changed: {changed}. {remedy}" if changed else ""


def _changed(record: RequestRecord, parsed: Request | None, wanted: LeafSubject | None) -> str:
    """Why the request is not the recorded request: a writer of the Secret with requests has no key, but could otherwise
    have a CA certify another key or other names.
    """
    if parsed is None:
        return "it cannot be read, or is not signed by its own key"
    if parsed.public_key_sha256 != record.key:
        return "it is for another public key than the key that was made for it"
    if wanted is None or parsed.subject_alternative_names != wanted.names:
        return "its alternative names are not the names that it should have"
    if parsed.subject != wanted.distinguished_name.as_name():
        return f"its subject is {parsed.subject.rfc4514_string()}"
    return ""


@dataclass(frozen=True, repr=False)
class BroughtCertificate:
    """A certificate from a person for a request."""

    #: The place of the certificate, as messages name it.
    where: str
    #: The content. It should be a certificate and CAs above it in PEM form, or a certificate in DER form.
    content: bytes


@dataclass(frozen=True)
class ImportedCertificate:
    """A certificate that a person brought and a run has stored."""

    #: The Secret of the leaf.
    secret: str
    #: The leaf itself, without its chain.
    certificate: Certificate
    #: Whether it was not there before.
    is_new: bool


def store_brought_certificates(
    brought: Sequence[BroughtCertificate], observation: Observation, work: Work
) -> tuple[ImportedCertificate, ...]:
    """Put each certificate beside its request; the next run finds it there. Raises StepError, KubeError.

    It takes no Lease. A Lease is for work of several writes that another run must not interleave. Here each write is
    one patch of entries that only people write. It carries the version of the Secret on which it was decided. If a run
    has changed a request meanwhile, the write fails. The run that takes the certificate checks it again.
    """
    sorting = _Sorting(observation, work.wishes.new_ca.policy)
    for certificate in brought:
        sorting.take(certificate)
    sorting.check()
    if sorting.refused:
        raise _refusal(sorting.refused, len(brought))
    write_all(tuple(sorting.writes()), work, "")
    return tuple(sorting.results())


def _refusal(refused: Sequence[str], count: int) -> StepError:
    reasons = (
        f"{refused[0]}" if len(refused) == 1 else " ".join(f"{number}. {why}" for number, why in enumerate(refused, 1))
    )
    return StepError(
        "Nothing was put back:",
        f"{len(refused)} of {count} {'is' if len(refused) == 1 else 'are'} refused. {reasons}",
        "Import all of them again when that is corrected.",
    )


@dataclass
class _Sorting:
    """Assigns certificates from a person to their requests."""

    #: The cluster, together with the requests for its leaves.
    observation: Observation
    #: Rules of the caller.
    policy: KeyPolicy | None
    #: The certificate for a request, by the Secret of the leaf.
    assigned: dict[str, tuple[BroughtCertificate, Chain]] = field(default_factory=dict)
    #: Leaves taken before.
    used: dict[str, Certificate] = field(default_factory=dict)
    #: Why certificates were refused, as sentences.
    refused: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._stored = read_requests(self.observation.scope, self.observation.secrets)
        self._open = {request.secret: request for request in requests_by_hand(self.observation)}
        self._taken = dict(_taken(self._stored.values(), self.observation))

    def take(self, brought: BroughtCertificate) -> None:
        if b"PRIVATE KEY" in brought.content:
            self._refuse(brought, "a private key is in it. Give certificates alone.")
            return
        try:
            chain = _parse(brought.content)
        except CertificateError as error:
            self._refuse(brought, f"{error}. Give the certificate alone, or in PEM form with its chain after it.")
            return
        behind = (certificate for certificate in chain[1:] if certificate != chain[0])
        if others := [secret for certificate in behind if (secret := self._secret_of(certificate))]:
            self._refuse(brought, self._why_not_apart(self._secret_of(chain[0]), others[0]))
            return
        if chain[0] in self._taken:
            self.used[self._taken[chain[0]]] = chain[0]
            return
        request = next((request for request in self._open.values() if _is_for(request, chain[0])), None)
        if request is None:
            self._refuse(brought, self._why_no_request(chain))
        elif request.problem:
            self._refuse(brought, f"it is for {request.secret}. {request.problem}")
        else:
            self._keep(brought, chain, request.secret)

    def _why_not_apart(self, first: str, other: str) -> str:
        """Why a file has certificates for two Secrets in it. ``first`` is the Secret of the first certificate, empty if
        it is for none. ``other`` is the Secret of a certificate behind it.
        """
        if first:
            return (
                f"it is for {first}, and the certificate for {other} stands behind it. Give each by itself, with its "
                "chain after it."
            )
        return f"the certificate for {other} is not the first in it. Put it there, and its chain after it."

    def _secret_of(self, certificate: Certificate) -> str:
        """The Secret of the certificate; empty if it is for none, as a CA's."""
        secrets = (request.secret for request in self._open.values() if _is_for(request, certificate))
        return self._taken.get(certificate) or next(secrets, "")

    def _keep(self, brought: BroughtCertificate, chain: Chain, secret: str) -> None:
        other, before = self.assigned.get(secret, (brought, chain))
        if before[0] != chain[0]:
            self._refuse(
                brought, f"it is for {secret}, and so is another certificate, {other.where}. Give one of them."
            )
        self.assigned[secret] = (brought, chain)

    def _why_no_request(self, chain: Chain) -> str:
        key = chain[0].public_key_sha256
        stored = next(
            (request for request in self._stored.values() if request.record and request.record.key == key), None
        )
        if stored is not None and stored.record is not None:
            if stored.record.issuer != External.reference:
                return (
                    f"it is for {stored.secret}, which was requested from {stored.record.issuer}. "
                    f"Only requests to {External.reference} are answered by hand."
                )
            failed = f" {stored.record.failure.reason}" if stored.record.failure else ""
            return (
                f"its request for {stored.secret} is not open any more.{failed} "
                "Run the flow with retry_failed, which opens it again, and import the corrected certificate."
            )
        return (
            f"no open request has its public key (SHA-256 {key}). Take it away, or export the requests again and have "
            "these signed: each certificate is for a key of its own."
        )

    def check(self) -> None:
        """Check the certificates as a run does, each beside the others and beside the earlier certificates."""
        brought: dict[str, Answer] = {name: _issued(chain) for name, (_from, chain) in self.assigned.items()}
        waiting = {
            name: _issued(request.answer)
            for name, request in self._open.items()
            if request.answer and name not in brought
        }
        for name, request in judge_requests(
            self.observation, self._stored, {**waiting, **brought}, self.observation.snapshot.now, self.policy
        ).items():
            if name in brought and request.failure is not None and not request.is_recorded:
                self._refuse(self.assigned[name][0], f"it is for {name}. {request.failure.reason}")

    def _refuse(self, brought: BroughtCertificate, why: str) -> None:
        self.refused.append(f"{brought.where}: {why}")

    def writes(self) -> Iterator[Write]:
        changed: dict[Component, dict[str, Chain]] = {}
        for name, (_from, chain) in self.assigned.items():
            if self._is_new(name, chain):
                changed.setdefault(self._stored[name].component, {})[name] = chain
        for component, answers in sorted(changed.items()):
            yield write_issued(self.observation.scope, self.observation.secrets, component, answers)

    def results(self) -> Iterator[ImportedCertificate]:
        for name, (_from, chain) in sorted(self.assigned.items()):
            yield ImportedCertificate(name, chain[0], self._is_new(name, chain))
        for name, certificate in sorted(self.used.items()):
            yield ImportedCertificate(name, certificate, False)

    def _is_new(self, name: str, chain: Chain) -> bool:
        return self._stored[name].issued != encode_certificates(chain)


#: The first byte of each certificate in DER form: a sequence.
_DER = b"\x30"


def _parse(content: bytes) -> Chain:
    """The certificates in the content. Raises CertificateError. A CA on Windows writes a certificate alone, in DER
    form, unless asked for another form.
    """
    is_der = content.startswith(_DER) and b"-----BEGIN" not in content
    return (certificate_from_der(content),) if is_der else parse_chain(content)


def _issued(chain: Chain) -> IssuedCertificate:
    return IssuedCertificate(chain[0], chain[1:])


def _is_for(request: RequestByHand, certificate: Certificate) -> bool:
    return request.public_key_sha256 == certificate.public_key_sha256


def _taken(stored: Iterable[StoredRequest], observation: Observation) -> Iterator[tuple[Certificate, str]]:
    """The leaves that a run has taken already, with their Secrets: a second import of the same certificates has nothing
    to do.
    """
    yield from ((request.pending[0], request.secret) for request in stored if request.pending)
    yield from ((certificate, secret) for secret, certificate in observation.snapshot.every_certificate.items())
