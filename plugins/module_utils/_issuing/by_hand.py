# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Requests that a person carries to the keeper of the CA's key (CA abstraction, "Rejected alternatives", ``type: external``)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .._errors import RequestError
from .._leaves.life import Failure
from .._pki.certificates import Certificate, Chain
from .._pki.requests import Request, parse_request
from .._strimzi.leaf_requests import RequestRecord, StoredRequest, read_requests
from .._strimzi.leaves import LeafSecret
from .._strimzi.observe import Observation
from .entities import every_leaf, subject_for
from .external import External
from .pending import authorities
from .subjects import LeafSubject


@dataclass(frozen=True)
class RequestByHand:
    """A request that waits for a person."""

    stored: StoredRequest
    asked_at: datetime
    csr: bytes
    #: Subject, names and key of the signing request; empty where it cannot be read.
    subject: str
    names: tuple[str, ...]
    public_key_sha256: str
    #: The CA that has to sign the request.
    authority: Certificate | None
    #: The usable certificate that a person has brought, with its chain.
    answer: Chain | None
    #: The reason why no CA may sign the request, as a sentence; empty where a CA may.
    problem: str
    #: The reason why this collection refuses the certificate that a person has brought, as a sentence; empty where there is none, or a good one.
    refused: str
    #: The condition for the use of a good answer, as a sentence; empty where there is none.
    waiting: str
    #: The failures of the earlier requests for this leaf.
    failed: Failure | None

    @property
    def secret(self) -> str:
        return self.stored.secret

    @property
    def is_answered(self) -> bool:
        """Whether something was put back that is not refused; it may be good in a moment only, where clocks differ."""
        return self.stored.issued is not None and not self.problem and not self.refused

    @property
    def is_wanted(self) -> bool:
        """Whether it has to be signed."""
        return not self.problem and not self.is_answered


@dataclass(frozen=True)
class RequestElsewhere:
    """A request that another issuer has; no person carries it. issuer: its reference."""

    secret: str
    issuer: str
    asked_at: datetime


def requests_by_hand(observation: Observation) -> tuple[RequestByHand, ...]:
    """The open requests that a person carries. observation: with what is known of requests (``pending.with_requests``)."""
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
    return [(one, one.record) for one in stored if one.record is not None and one.record.is_open]


def _by_hand(
    stored: StoredRequest, record: RequestRecord, leaf: LeafSecret | None, observation: Observation
) -> RequestByHand:
    wanted = None if leaf is None else subject_for(leaf, observation)
    request = observation.snapshot.leaves.requests[stored.secret]
    csr = record.token.encode("utf-8")
    try:
        asked: Request | None = parse_request(csr)
    except RequestError:
        asked = None
    signers = (chain[0] for chain in authorities(observation.snapshot))
    authority = next((one for one in signers if one.fingerprint == record.authority), None)
    return RequestByHand(
        stored=stored,
        asked_at=record.asked_at,
        csr=csr,
        subject=asked.subject.rfc4514_string() if asked else "",
        names=tuple(sorted(asked.subject_alternative_names)) if asked else (),
        public_key_sha256=record.key,
        authority=authority,
        answer=request.answer,
        problem=_problem(request.outdated, stored, record, asked, authority, wanted, observation),
        refused=request.failure.why if request.failure is not None and not request.is_recorded else "",
        waiting=request.waiting if request.answer else "",
        failed=record.failure,
    )


def _problem(
    outdated: str, stored: StoredRequest, record: RequestRecord, asked: Request | None, authority: Certificate | None,
    wanted: LeafSubject | None, observation: Observation,
) -> str:  # fmt: skip
    if outdated:
        return f"{outdated[0].upper()}{outdated[1:]}. The next run makes another request, or none."
    if authority is None:
        return "The CA that was to sign it is none of this cluster any more. The next run makes another request."
    changed = _changed(record, asked, wanted)
    where = f"{observation.scope.namespace}/{observation.scope.issuing_secret(stored.component.value)}"
    remedy = f"Remove {stored.secret}.requested from Secret {where}: the next run makes it anew."
    return f"The request has been changed: {changed}. {remedy}" if changed else ""


def _changed(record: RequestRecord, asked: Request | None, wanted: LeafSubject | None) -> str:
    """A person who may write to the Secret with requests has no key, but could have a CA certify a key or names of their own."""
    if asked is None:
        return "it cannot be read, or is not signed by its own key"
    if asked.public_key_sha256 != record.key:
        return "it is for another public key than the one that was made for it"
    if wanted is None or asked.subject_alternative_names != wanted.names:
        return "its alternative names are not those that are needed"
    if asked.subject != wanted.distinguished_name.as_name():
        return f"its subject is {asked.subject.rfc4514_string()}"
    return ""
