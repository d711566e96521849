# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The state of the leaves that an issuer was asked for: by what is recorded, and by what the issuer says now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from .._leaves.issue import record_answer, record_failure
from .._leaves.life import LeafRequest
from .._pki.certificates import Certificate, Chain
from .._strimzi.leaf_requests import NextKeys, RequestRecord, StoredRequest, read_requests
from .._strimzi.leaves import LeafSecret
from .._strimzi.observe import Observation
from .._strimzi.work import Work
from .._trust.ledger.wish import later_authorities
from .._trust.model.names import named
from .._trust.model.snapshot import Snapshot
from .acceptance import Acceptances, known_certificates
from .configured import issuer_of
from .entities import every_leaf, subject_for
from .issuer import Answer, IssuedCertificate, Issuer, Refused, Token, Waiting
from .subjects import LeafSubject


def with_requests(observation: Observation, work: Work) -> Observation:
    """The observation with what is known of requests for leaves. Raises KubeError, IssuerUnavailable."""
    stored = read_requests(observation.scope, observation.secrets)
    if not stored:
        return observation
    answers = _ask(issuer_of(work, stored.values()), stored.values())
    requests = judge_requests(observation, stored, answers, work.clock.now())
    brought = {name: one.key for name, one in answers.items() if isinstance(one, IssuedCertificate) and one.key}
    snapshot = observation.snapshot
    leaves = replace(snapshot.leaves, requests=requests)
    return replace(observation, snapshot=replace(snapshot, leaves=leaves), brought=brought)


def judge_requests(
    observation: Observation, stored: Mapping[str, StoredRequest], answers: Mapping[str, Answer], now: datetime
) -> dict[str, LeafRequest]:
    """Every stored request, as these answers leave it, by the Secret of the leaf. Each answer is judged beside the others."""
    leaves = {leaf.secret: leaf for leaf in every_leaf(observation)}
    reading = _Reading(observation, now, leaves, tuple(_issued(stored.values(), answers.values())))
    return {name: reading.request(one, answers.get(name)) for name, one in stored.items()}


def _issued(stored: Iterable[StoredRequest], answers: Iterable[Answer]) -> Iterator[Certificate]:
    """Leaves that are in no Secret of a leaf yet, recorded ones first: two that come back together can have one serial number too."""
    yield from (one.pending[0] for one in stored if one.pending)
    yield from (answer.leaf for answer in answers if isinstance(answer, IssuedCertificate))


def _ask(issuer: Issuer, stored: Iterable[StoredRequest]) -> Mapping[str, Answer]:
    """The answers to requests that are open, by the Secret of the leaf; of this issuer only."""
    open_ = {
        one.secret: recorded_token(one.record)
        for one in stored
        if one.record is not None and one.record.is_open and one.record.issuer == issuer.reference
    }
    return dict(zip(open_, issuer.poll(tuple(open_.values())), strict=True))


def recorded_token(record: RequestRecord) -> Token:
    return Token(record.token.encode("utf-8"))


def names_digest(subject: LeafSubject) -> str:
    return hashlib.sha256("\n".join(sorted(subject.names)).encode("utf-8")).hexdigest()


def authorities(snapshot: Snapshot) -> tuple[Chain, ...]:
    """The CAs of which a leaf can be wanted: those that are prepared, and the one in use; and those of the source that may take its
    place.

    The next CA first: where it is a renewal, the one in use has the same key, and is not asked any more.
    """
    known = (*(one.chain for one in snapshot.ca.prepared), snapshot.ca.current, *later_authorities(snapshot))
    return tuple(chain for chain in known if chain)


def signer_of(leaf: Certificate, known: Iterable[Chain]) -> Chain:
    """The CA among these that has signed this leaf; empty where none has."""
    return next((chain for chain in known if leaf.signed_by(chain[0])), ())


@dataclass(frozen=True)
class _Reading:
    observation: Observation
    now: datetime
    leaves: Mapping[str, LeafSecret]
    issued: tuple[Certificate, ...]

    def request(self, stored: StoredRequest, answer: Answer | None) -> LeafRequest:
        if stored.pending is not None:
            return self._issued(stored, stored.pending)
        record = stored.record
        if record is None or stored.problem:
            why = stored.problem or "no request asks for it"
            return LeafRequest(stored.secret, "", "", self.now, outdated=why)
        known = LeafRequest(
            stored.secret, record.issuer, record.authority, record.asked_at, self._outdated(stored, record), "",
            record.failure, record.is_open,
        )  # fmt: skip
        return known if answer is None or known.outdated else self._answered(known, stored, answer)

    def _issued(self, stored: StoredRequest, chain: Chain) -> LeafRequest:
        """A certificate that is kept until it is used: it was checked, and Secrets can be edited. One that is in use and due again by now, because it
        was kept for long, is not used once more: another one is asked for.
        """
        authority, record = signer_of(chain[0], self._authorities), stored.record
        known = LeafRequest(
            stored.secret,
            record.issuer if record else "",
            authority[0].fingerprint if authority else "",
            chain[0].not_before,
            is_open=False,
            answer=chain,
            waiting=self._of_another(stored, authority),
        )
        if self._in_use.get(stored.secret) == chain[0]:
            return replace(known, outdated="it is in use already")
        problems = "; ".join(self._refusals(stored, IssuedCertificate(chain[0], chain[1:]), authority))
        return replace(known, outdated=problems) if problems else known

    def _answered(self, known: LeafRequest, stored: StoredRequest, answer: Answer) -> LeafRequest:
        if isinstance(answer, Waiting):
            return replace(known, waiting=answer.why)
        if isinstance(answer, Refused):
            return record_failure(known, f"{answer.why} {answer.remedy}", self.now)
        signer = self._signer_of(answer, known)
        refusals = tuple(self._refusals(stored, answer, signer))
        after = record_answer(known, (answer.leaf, *answer.chain), refusals, self.now)
        if after.answer is None:
            return after
        return replace(after, authority=signer[0].fingerprint, waiting=self._of_another(stored, signer))

    def _signer_of(self, answer: IssuedCertificate, known: LeafRequest) -> Chain:
        """The CA that was to sign, unless another one has signed that may take its place: the issuer has changed."""
        asked = self._authority(known.authority)
        if asked and answer.leaf.signed_by(asked[0]):
            return asked
        return signer_of(answer.leaf, self._later) or asked

    def _of_another(self, stored: StoredRequest, authority: Chain) -> str:
        if authority not in self._later:
            return ""
        return (
            f"{stored.secret}: its certificate has come from another CA of the source, {named(authority[0])}; it is used when that CA is "
            "trusted by every node and component and in use, which reconcile brings about."
        )

    def _outdated(self, stored: StoredRequest, record: RequestRecord) -> str:
        leaf = self.leaves.get(stored.secret)
        if leaf is None:
            return "nothing of this cluster needs it"
        if names_digest(subject_for(leaf, self.observation)) != record.names:
            return "other names are needed by now"
        if not record.key:
            # The issuer makes the key.
            return ""
        key = self._keys.of(stored.component, stored.secret)
        return "" if key is not None and key.public_key_sha256 == record.key else "the key that was made for it is gone"

    def _refusals(self, stored: StoredRequest, issued: IssuedCertificate, authority: Chain) -> Iterable[str]:
        leaf, key = self.leaves.get(stored.secret), issued.key or self._keys.of(stored.component, stored.secret)
        if leaf is None:
            return ("nothing of this cluster needs it",)
        if key is None:
            return ("the key that was made for it is gone",)
        if not authority:
            return ("it is of no CA of this cluster",)
        return self._acceptances.of(authority).refusals(issued, subject_for(leaf, self.observation), key)

    @cached_property
    def _in_use(self) -> Mapping[str, Certificate]:
        """The certificate in the Secret of each leaf that has one, with its key."""
        found = {
            leaf.secret: (leaf.chain[0], leaf.beside) for leaf in self.observation.snapshot.every_leaf if leaf.chain
        }
        return {name: leaf for name, (leaf, key) in found.items() if leaf.public_key_sha256 == key}

    @cached_property
    def _acceptances(self) -> Acceptances:
        return Acceptances((*known_certificates(self.observation.snapshot), *self.issued), self.now)

    @cached_property
    def _keys(self) -> NextKeys:
        return NextKeys(self.observation.scope, self.observation.secrets)

    def _authority(self, fingerprint: str) -> Chain:
        return next((chain for chain in self._authorities if chain[0].fingerprint == fingerprint), ())

    @cached_property
    def _later(self) -> tuple[Chain, ...]:
        return later_authorities(self.observation.snapshot)

    @cached_property
    def _authorities(self) -> tuple[Chain, ...]:
        return authorities(self.observation.snapshot)
