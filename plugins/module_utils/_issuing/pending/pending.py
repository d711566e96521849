# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The state of the requested leaves: by the record, and by the issuer's present answer.

If an issuer renews leaves by itself, they are compared with the wanted leaves, and judged like every returned
certificate (External Certificate Manager, "Tracking changes to Cluster CA end-entity certificates").
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from ..._leaves.request import (
    Keys,
    LeafRequest,
    RotationPolicy,
    Standing,
    explain_other_key,
    record_answer,
    record_failure,
)
from ..._pki.certificates import Certificate, Chain
from ..._pki.keys import KeySpec, PrivateKey
from ..._pki.usability import KeyPolicy
from ..._strimzi.apply.work import Work, Write, write_all
from ..._strimzi.cluster.leaves import LeafSecret
from ..._strimzi.cluster.observe import Observation
from ..._strimzi.cluster.subjects import LeafSubject, every_leaf, subject_for, subject_like, subjects_for
from ..._trust.ledger.target import later_authorities
from ..._trust.model.names import named
from ..._trust.model.snapshot import Snapshot
from ..._trust.model.steps.leaves import CorrectOrders
from ..acceptance import Acceptances, known_certificates
from ..issuer import Answer, IssuedCertificate, Issuer, Kept, LeafOrder, Refused, RenewingIssuer, Token, Waiting
from ..kinds import issuer_of
from .requests import NextKeys, RequestRecord, StoredRequest, describe_key, keys_in_use, read_requests


def with_requests(observation: Observation, work: Work) -> Observation:
    """The observation together with the requests for leaves. Raises KubeError, IssuerUnavailable."""
    stored = read_requests(observation.scope, observation.secrets)
    if not stored:
        return observation
    answers = _ask(issuer_of(work, stored.values()), stored.values())
    wishes = work.wishes
    keys = WantedKeys(wishes.issuing.leaf_key, wishes.issuing.rotation) if work.chooses_keys else None
    requests = judge_requests(observation, stored, answers, work.clock.now(), wishes.new_ca.policy, keys)
    brought = {
        name: answer.key for name, answer in answers.items() if isinstance(answer, IssuedCertificate) and answer.key
    }
    snapshot = observation.snapshot
    leaves = replace(snapshot.leaves, requests=requests)
    return replace(observation, snapshot=replace(snapshot, leaves=leaves), issued_keys=brought)


def judge_requests(
    observation: Observation,
    stored: Mapping[str, StoredRequest],
    answers: Mapping[str, Answer],
    now: datetime,
    policy: KeyPolicy | None = None,
    keys: WantedKeys | None = None,
) -> dict[str, LeafRequest]:
    """Every stored request, as these answers leave it, by the Secret of the leaf. Each answer is judged beside the
    others, and by the caller's policy. Without ``keys`` the caller says nothing about the keys of requests.
    """
    leaves = {leaf.secret: leaf for leaf in every_leaf(observation)}
    reading = _Reading(observation, now, leaves, tuple(_issued(stored.values(), answers.values())), policy, keys)
    return {name: reading.request(request, answers.get(name)) for name, request in stored.items()}


def _issued(stored: Iterable[StoredRequest], answers: Iterable[Answer]) -> Iterator[Certificate]:
    """Leaves without a Secret of their own yet, recorded leaves first: two leaves that come back together can share a
    serial number too.
    """
    yield from (request.pending[0] for request in stored if request.pending)
    yield from (answer.leaf for answer in answers if isinstance(answer, IssuedCertificate))


def _ask(issuer: Issuer, stored: Iterable[StoredRequest]) -> Mapping[str, Answer]:
    """The answers to open requests, by the Secret of the leaf; of this issuer only."""
    open_ = {
        request.secret: recorded_token(request.record)
        for request in stored
        if request.record is not None and request.record.is_open and request.record.issuer == issuer.reference
    }
    return dict(zip(open_, issuer.poll(tuple(open_.values())), strict=True))


def recorded_token(record: RequestRecord) -> Token:
    return Token(record.token.encode("utf-8"))


def names_digest(subject: LeafSubject) -> str:
    return hashlib.sha256("\n".join(sorted(subject.names)).encode("utf-8")).hexdigest()


def authorities(snapshot: Snapshot) -> tuple[Chain, ...]:
    """The CAs that a flow can want a leaf of: prepared CAs, the CA in use, and CAs of the source that may take its
    place. The next CA comes first. If it is a renewal, the CA in use has the same key, and gets no more requests.
    """
    chains = (
        *(authority.chain for authority in snapshot.ca.prepared),
        snapshot.ca.current,
        *later_authorities(snapshot),
    )
    return tuple(chain for chain in chains if chain)


def signer_of(leaf: Certificate, chains: Iterable[Chain]) -> Chain:
    """The CA among these with the signature on this leaf; empty if none has signed it."""
    return next((chain for chain in chains if leaf.signed_by(chain[0])), ())


@dataclass(frozen=True)
class WantedKeys:
    """The keys for a call's requests."""

    #: Algorithm and size of new keys.
    spec: KeySpec
    #: The rule for a new key of a new leaf.
    rotation: RotationPolicy


@dataclass(frozen=True)
class _Reading:
    #: The cluster of the requests.
    observation: Observation
    #: The time of the judgement.
    now: datetime
    #: The leaves of the cluster, by their Secrets.
    leaves: Mapping[str, LeafSecret]
    #: Leaves that came back and are in no Secret of a leaf yet, recorded leaves first.
    issued: tuple[Certificate, ...]
    #: Rules of the caller for leaves; None if there are none.
    policy: KeyPolicy | None
    #: The keys for the call's requests; None if it makes no requests.
    keys: WantedKeys | None

    def request(self, stored: StoredRequest, answer: Answer | None) -> LeafRequest:
        if stored.pending is not None:
            return self._issued(stored, stored.pending)
        record = stored.record
        if record is None or stored.problem:
            why = stored.problem or "no request asks for it"
            return LeafRequest(stored.secret, "", "", self.now, outdated=why)
        request = LeafRequest(
            stored.secret, record.issuer, record.authority, record.asked_at, self._outdated(stored, record), "",
            record.failure, record.is_open, since=record.since,
        )  # fmt: skip
        return request if answer is None or request.outdated else self._answered(request, stored, answer)

    def _issued(self, stored: StoredRequest, chain: Chain) -> LeafRequest:
        """The request of a kept certificate, checked again because Secrets can be edited. A certificate that is in use
        already is no answer any more: if the leaf is due again, a new request is made.
        """
        authority, record = signer_of(chain[0], self._authorities), stored.record
        request = LeafRequest(
            stored.secret,
            record.issuer if record else "",
            authority[0].fingerprint if authority else "",
            chain[0].not_before,
            is_open=False,
            answer=chain,
            waiting=self._explain_later_authority(stored, authority),
        )
        if self._in_use.get(stored.secret) == chain[0]:
            return replace(request, outdated="it is in use already")
        problems = "; ".join(self._refusals(stored, IssuedCertificate(chain[0], chain[1:]), authority))
        return replace(request, outdated=problems) if problems else request

    def _answered(self, request: LeafRequest, stored: StoredRequest, answer: Answer) -> LeafRequest:
        if isinstance(answer, Waiting):
            return replace(request, waiting=answer.reason)
        if isinstance(answer, Refused):
            return record_failure(request, f"{answer.reason} {answer.remedy}", self.now)
        signer = self._signer_of(answer, request)
        refusals = tuple(self._refusals(stored, answer, signer))
        after = record_answer(request, (answer.leaf, *answer.chain), refusals, self.now)
        if after.answer is None:
            return after
        return replace(after, authority=signer[0].fingerprint, waiting=self._explain_later_authority(stored, signer))

    def _signer_of(self, answer: IssuedCertificate, request: LeafRequest) -> Chain:
        """The CA that was to sign. If the issuer has changed, another CA that has signed and may take its place."""
        wanted = self._authority(request.authority)
        if wanted and answer.leaf.signed_by(wanted[0]):
            return wanted
        return signer_of(answer.leaf, self._later_authorities) or wanted

    def _explain_later_authority(self, stored: StoredRequest, authority: Chain) -> str:
        if authority not in self._later_authorities:
            return ""
        return (
            f"{stored.secret}: its certificate has come from another CA of the source, {named(authority[0])}; it is "
            "used when that CA is trusted by every node and component and in use, which reconcile brings about."
        )

    def _outdated(self, stored: StoredRequest, record: RequestRecord) -> str:
        leaf = self.leaves.get(stored.secret)
        if leaf is None:
            return "nothing of this cluster needs it"
        if record.names not in map(names_digest, subjects_for(leaf, self.observation)):
            return "other names are needed by now"
        if not record.key:
            # The issuer makes the key.
            return ""
        key = self._keys.of(stored.component, stored.secret)
        if key is None or key.public_key_sha256 != record.key:
            return "the key that was made for it is gone"
        return (
            explain_other_key(self._keys_of(stored.secret, key), self.keys.spec, self.keys.rotation)
            if self.keys
            else ""
        )

    def _keys_of(self, secret: str, requested: PrivateKey) -> Keys:
        stored = self.observation.snapshot.every_leaf_by_secret.get(secret)
        if stored is None or stored.chain is None:
            return Keys(describe_key(requested), None, used=self._used_keys)
        return Keys(describe_key(requested), stored.key_beside or None, stored.problem, self._used_keys)

    @cached_property
    def _used_keys(self) -> frozenset[str]:
        return keys_in_use(self.observation)

    def _refusals(self, stored: StoredRequest, issued: IssuedCertificate, authority: Chain) -> Iterable[str]:
        leaf, key = self.leaves.get(stored.secret), issued.key or self._keys.of(stored.component, stored.secret)
        if leaf is None:
            return ("nothing of this cluster needs it",)
        if key is None:
            return ("the key that was made for it is gone",)
        if not authority:
            return ("it is of no CA of this cluster",)
        subject = subject_like(issued.leaf.subject_alternative_names, leaf, self.observation)
        return self._acceptances.of(authority).refusals(issued, subject, key)

    @cached_property
    def _in_use(self) -> Mapping[str, Certificate]:
        """The certificate in the Secret of each leaf, if it has a certificate with its key."""
        snapshot = self.observation.snapshot
        return {
            name: certificate
            for name, certificate in snapshot.every_certificate.items()
            if certificate.public_key_sha256 == snapshot.every_leaf_by_secret[name].key_beside
        }

    @cached_property
    def _acceptances(self) -> Acceptances:
        return Acceptances((*known_certificates(self.observation.snapshot), *self.issued), self.now, self.policy)

    @cached_property
    def _keys(self) -> NextKeys:
        return NextKeys(self.observation.scope, self.observation.secrets)

    def _authority(self, fingerprint: str) -> Chain:
        return next((chain for chain in self._authorities if chain[0].fingerprint == fingerprint), ())

    @cached_property
    def _later_authorities(self) -> tuple[Chain, ...]:
        return later_authorities(self.observation.snapshot)

    @cached_property
    def _authorities(self) -> tuple[Chain, ...]:
        return authorities(self.observation.snapshot)


def with_standing(observation: Observation, work: Work) -> Observation:
    """The observation with the issuer's own state, if it renews by itself and another issuer has the key of a CA here.
    Raises KubeError.
    """
    issuer = issuer_of(work)
    if not isinstance(issuer, RenewingIssuer) or not observation.snapshot.ca.keys_elsewhere:
        return observation
    judge = _Judge(observation, work.wishes.new_ca.policy)
    standing = {
        leaf.secret: judge.standing(leaf, kept)
        for leaf, kept in _reviewed(every_leaf(observation), issuer, observation, work)
    }
    snapshot = observation.snapshot
    requests = {
        name: _as_ordered(request, issuer, standing.get(name)) for name, request in snapshot.leaves.requests.items()
    }
    leaves = replace(snapshot.leaves, standing=standing, requests=requests)
    return replace(observation, snapshot=replace(snapshot, leaves=leaves))


def _as_ordered(request: LeafRequest, issuer: Issuer, standing: Standing | None) -> LeafRequest:
    """The request, outdated if it waits and this issuer works on another order for the leaf than the order of this
    call: the next request corrects it.
    """
    if standing is None or request.outdated or not request.is_open or request.issuer != issuer.reference:
        return request
    return replace(request, outdated=standing.differs)


def _reviewed(
    leaves: Iterable[LeafSecret], issuer: RenewingIssuer, observation: Observation, work: Work
) -> list[tuple[LeafSecret, Kept]]:
    """The state of each leaf, compared with the order for each of its possible subjects, until the issuer works on one
    of them.
    """
    subjects = {leaf: subjects_for(leaf, observation) for leaf in leaves}
    kept = _review({leaf: first for leaf, (first, *_others) in subjects.items()}, issuer, observation, work)
    for leaf, (_first, *others) in subjects.items():
        reviews = (_review({leaf: other}, issuer, observation, work)[leaf] for other in others if kept[leaf].differs)
        kept[leaf] = next((one for one in reviews if not one.differs), kept[leaf])
    return list(kept.items())


def _review(
    subjects: Mapping[LeafSecret, LeafSubject], issuer: RenewingIssuer, observation: Observation, work: Work
) -> dict[LeafSecret, Kept]:
    orders = {leaf: _plain(leaf, subject, observation, work) for leaf, subject in subjects.items()}
    kept = issuer.review(tuple(orders.values()))
    return {leaf: kept[order.name] for leaf, order in orders.items()}


def _plain(leaf: LeafSecret, subject: LeafSubject, observation: Observation, work: Work) -> LeafOrder:
    return LeafOrder(leaf.secret, subject, b"", work.validity(observation))


def standing_order(leaf: LeafSecret, authority: Chain, observation: Observation, work: Work) -> LeafOrder:
    """The order for a leaf of this CA. If the issuer already has a good certificate that differs from the stored leaf,
    it is the answer.
    """
    stored = observation.snapshot.every_certificate.get(leaf.secret)
    standing = observation.snapshot.leaves.standing.get(leaf.secret)
    unfit = {stored.sha256} if stored is not None else set()
    if standing is not None and standing.latest and standing.authority != authority[0].fingerprint:
        unfit.add(standing.latest[0].sha256)
    return replace(_plain(leaf, subject_for(leaf, observation), observation, work), unfit=frozenset(unfit))


def correct_orders(step: CorrectOrders, observation: Observation, work: Work) -> None:
    """Write the issuer's orders. Each write is decided on the present state, and made only if this has not changed
    since. Raises KubeError.
    """
    issuer = issuer_of(work)
    if isinstance(issuer, RenewingIssuer):
        wanted = [leaf for leaf in every_leaf(observation) if leaf.secret in step.secrets]
        corrections = (kept.correction for _leaf, kept in _reviewed(wanted, issuer, observation, work))
        writes: tuple[Write, ...] = tuple(write for write in corrections if write is not None)
        write_all(writes, work, step.phase.value)


@dataclass(frozen=True)
class _Judge:
    #: The cluster with leaves that the issuer renews.
    observation: Observation
    #: Rules of the caller for leaves; None if there are none.
    policy: KeyPolicy | None

    def standing(self, leaf: LeafSecret, kept: Kept) -> Standing:
        standing = Standing(leaf.secret, sentences=kept.trouble, differs=kept.differs, written_back=kept.written_back)
        answer = kept.answer
        if isinstance(answer, Refused):
            return replace(standing, sentences=f"{answer.reason} {answer.remedy}")
        if not isinstance(answer, IssuedCertificate):
            return standing if kept.differs else replace(standing, sentences=standing.sentences or answer.reason)
        standing = replace(standing, latest=(answer.leaf, *answer.chain))
        why = self._why_not(leaf, answer)
        return (
            replace(standing, sentences=why)
            if why
            else replace(standing, authority=self._signer(answer.leaf)[0].fingerprint)
        )

    def _why_not(self, leaf: LeafSecret, answer: IssuedCertificate) -> str:
        """Why this certificate is not to be used, as a sentence; empty if it may be."""
        name = f"The certificate that the issuer has for {leaf.secret} (SHA-256 {answer.leaf.sha256[:16]})"
        authority, now = self._signer(answer.leaf), self.observation.snapshot.now
        if not authority:
            return (
                f"{name} waits: it is of {answer.leaf.issuer}, a CA that this cluster does not use. The stored "
                "certificate stays in use. Replace the CA by that CA (rotate_cluster_ca), or correct the issuer."
            )
        if answer.key is None:
            return f"{name} is not used: its key is not there. Correct the issuer."
        if timedelta(0) < answer.leaf.not_before - now:
            return f"{name} waits: it is valid from {answer.leaf.not_before:%Y-%m-%d %H:%M:%S} UTC on; clocks differ."
        subject = subject_like(answer.leaf.subject_alternative_names, leaf, self.observation)
        problems = "; ".join(self._acceptances.of(authority).refusals(answer, subject, answer.key))
        return f"{name} is not used: {problems}. Correct the issuer." if problems else ""

    def _signer(self, leaf: Certificate) -> Chain:
        return signer_of(leaf, self._authorities)

    @cached_property
    def _authorities(self) -> tuple[Chain, ...]:
        return authorities(self.observation.snapshot)

    @cached_property
    def _acceptances(self) -> Acceptances:
        snapshot = self.observation.snapshot
        return Acceptances(known_certificates(snapshot), snapshot.now, self.policy)
