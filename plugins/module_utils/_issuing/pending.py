# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What has become of the leaves that an issuer was asked for: what is recorded, and what the issuer says now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from .._leaves.life import Failure, LeafRequest
from .._pki.certificates import Certificate, Chain
from .._strimzi.leaf_requests import NextKeys, RequestRecord, StoredRequest, read_requests
from .._strimzi.leaves import LeafSecret
from .._strimzi.observe import Observation
from .._strimzi.work import Work
from .._trust.model.snapshot import Snapshot
from .acceptance import Acceptance, known_certificates
from .configured import issuer_of
from .entities import every_leaf, subject_for
from .issuer import Answer, IssuedCertificate, Issuer, Refused, Token, Waiting
from .subjects import LeafSubject

#: How far the clock of an issuer may be ahead: such a certificate is good in a moment, and not wrong.
CLOCKS_DIFFER = timedelta(minutes=5)


def with_requests(observation: Observation, work: Work) -> Observation:
    """The observation with what is known of requests for leaves. Raises KubeError, IssuerUnavailable."""
    stored = read_requests(observation.scope, observation.secrets)
    if not stored:
        return observation
    requests = judged(observation, stored, _ask(issuer_of(work, stored.values()), stored.values()), work.clock.now())
    return replace(observation, snapshot=replace(observation.snapshot, requests=requests))


def judged(
    observation: Observation, stored: Mapping[str, StoredRequest], answers: Mapping[str, Answer], now: datetime
) -> dict[str, LeafRequest]:
    """Every stored request, and what becomes of it by these answers; all by the Secret of the leaf. One answer is judged beside the
    others.
    """
    leaves = {leaf.secret: leaf for leaf in every_leaf(observation)}
    reading = _Reading(observation, now, leaves, tuple(_issued(stored.values(), answers.values())))
    return {name: reading.request(one, answers.get(name)) for name, one in stored.items()}


def _issued(stored: Iterable[StoredRequest], answers: Iterable[Answer]) -> Iterator[Certificate]:
    """Leaves that are in no Secret of a leaf yet: two that come back together can have one serial number too."""
    yield from (one.issued[0] for one in stored if one.issued)
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
    """The CAs of which a leaf can be wanted: those that are prepared, and the one in use.

    The next CA first: where it is a renewal, the one in use has the same key, and is not asked any more.
    """
    return tuple(chain for chain in (*(one.chain for one in snapshot.ca.prepared), snapshot.ca.current) if chain)


@dataclass(frozen=True)
class _Reading:
    observation: Observation
    now: datetime
    leaves: Mapping[str, LeafSecret]
    issued: tuple[Certificate, ...]

    def request(self, stored: StoredRequest, answer: Answer | None) -> LeafRequest:
        if stored.issued is not None:
            return self._issued(stored, stored.issued)
        record = stored.record
        if record is None:
            why = stored.problem or "nobody has asked for it"
            return LeafRequest(stored.secret, "", "", self.now, outdated=why)
        known = LeafRequest(
            stored.secret, record.issuer, record.authority, record.asked_at, self._outdated(stored, record), "",
            record.failure, record.is_open,
        )  # fmt: skip
        return known if answer is None or known.outdated else self._answered(known, stored, answer)

    def _issued(self, stored: StoredRequest, chain: Chain) -> LeafRequest:
        """A certificate that is kept until it is used: it was checked, and Secrets can be edited."""
        authority = self._signer(chain)
        known = LeafRequest(
            stored.secret,
            "",
            authority[0].fingerprint if authority else "",
            chain[0].not_before,
            is_open=False,
            answer=chain,
        )
        problems = "; ".join(self._refusals(stored, IssuedCertificate(chain[0], chain[1:]), authority))
        return replace(known, outdated=problems) if problems else known

    def _answered(self, known: LeafRequest, stored: StoredRequest, answer: Answer) -> LeafRequest:
        if isinstance(answer, Waiting):
            return replace(known, waiting=answer.why)
        if isinstance(answer, Refused):
            return self._failed(known, f"{answer.why} {answer.remedy}")
        ahead = answer.leaf.not_before - self.now
        if timedelta(0) < ahead <= CLOCKS_DIFFER:
            return replace(
                known, waiting=f"{stored.secret}: its certificate is valid in {ahead.seconds} s; clocks differ."
            )
        problems = "; ".join(self._refusals(stored, answer, self._authority(known.authority)))
        if problems:
            told = (
                f"The certificate that came back is refused: {problems}. Correct what the issuer makes of the request."
            )
            return self._failed(known, told)
        return replace(known, answer=(answer.leaf, *answer.chain), is_open=False, is_recorded=False)

    def _failed(self, known: LeafRequest, why: str) -> LeafRequest:
        return replace(known, failure=Failure.after(known.failure, self.now, why), is_open=False, is_recorded=False)

    def _outdated(self, stored: StoredRequest, record: RequestRecord) -> str:
        leaf = self.leaves.get(stored.secret)
        if leaf is None:
            return "nothing of this cluster needs it"
        if names_digest(subject_for(leaf, self.observation)) != record.names:
            return "other names are needed by now"
        key = self._keys.of(stored.component, stored.secret)
        return "" if key is not None and key.public_key_sha256 == record.key else "the key that was made for it is gone"

    def _refusals(self, stored: StoredRequest, issued: IssuedCertificate, authority: Chain) -> Iterable[str]:
        leaf, key = self.leaves.get(stored.secret), self._keys.of(stored.component, stored.secret)
        if leaf is None:
            return ("nothing of this cluster needs it",)
        if key is None:
            return ("the key that was made for it is gone",)
        if not authority:
            return ("it is of no CA of this cluster",)
        return self._acceptance(authority).refusals(issued, subject_for(leaf, self.observation), key)

    def _acceptance(self, authority: Chain) -> Acceptance:
        """One for each CA: it looks through everything that is known once, for all leaves."""
        return self._acceptances.setdefault(authority, Acceptance(authority, self._known, self.now))

    @cached_property
    def _acceptances(self) -> dict[Chain, Acceptance]:
        return {}

    @cached_property
    def _keys(self) -> NextKeys:
        return NextKeys(self.observation.scope, self.observation.secrets)

    @cached_property
    def _known(self) -> tuple[Certificate, ...]:
        return (*known_certificates(self.observation.snapshot), *self.issued)

    def _authority(self, fingerprint: str) -> Chain:
        return next((chain for chain in self._authorities if chain[0].fingerprint == fingerprint), ())

    def _signer(self, chain: Chain) -> Chain:
        return next((one for one in self._authorities if chain[0].signed_by(one[0])), ())

    @property
    def _authorities(self) -> tuple[Chain, ...]:
        return authorities(self.observation.snapshot)
