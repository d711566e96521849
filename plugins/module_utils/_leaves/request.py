# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The next certificate of an end entity from another issuer: its key, its request, the issuer's answer, and whether the
answer may be used (CA abstraction, "Process for certificate issuance"). Each wanted leaf has one live request. An
unwanted leaf has none (Improved and extensible Certificate controller, "requestmanager" and "issuing").

The next key lies in a place of its own until it is used, and serves every request until then. A key is worn out only if
a certificate in use has it (Improved and extensible Certificate controller, "keymanager").

If a request fails, it is tried again after an hour, then after twice as long each time, up to 32 hours, as cert-manager
does (Improved and extensible Certificate controller, "trigger").

An issuer may renew leaves by itself (External Certificate Manager, "Tracking changes to Cluster CA end-entity
certificates").
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from math import ceil

from .._pki.certificates import Certificate, Chain
from .._pki.keys import KeySpec


class RotationPolicy(str, Enum):
    """Whether a certificate gets a key of its own."""

    #: Every certificate gets a key of its own.
    ALWAYS = "always"
    #: A certificate keeps the key of its predecessor.
    NEVER = "never"


@dataclass(frozen=True)
class KnownKey:
    """The public facts about a private key."""

    #: SHA-256 of its public half (SubjectPublicKeyInfo), in lower-case hex.
    public: str
    #: Its algorithm and its size.
    spec: KeySpec


@dataclass(frozen=True)
class Keys:
    """The keys of one end entity."""

    #: The next key; None if there is none, or if it cannot be read.
    following: KnownKey | None
    #: SHA-256 of the public half of the key of the certificate in use; None if there is none, or if it cannot be read.
    present: str | None
    #: Why the key of the certificate in use cannot be used, as a part of a sentence; empty if it can, or if there is
    #: none.
    problem: str = ""
    #: The public halves of the keys of certificates in use.
    used: Set[str] = frozenset()


class Take(Enum):
    """The key of the next request for a certificate."""

    #: The stored next key.
    FOLLOWING = "following"
    #: The key of the certificate in use.
    PRESENT = "present"
    #: A new key.
    NEW = "new"
    #: No key can be used.
    NONE = "none"


@dataclass(frozen=True)
class Choice:
    """The choice of a key for the next request."""

    #: The chosen key.
    take: Take
    #: Why no key can be used, as a part of a sentence; empty unless ``take`` is NONE.
    reason: str = ""


def choose(keys: Keys, wanted: KeySpec, policy: RotationPolicy) -> Choice:
    """The key for the next request. A new key has the wanted size and kind. Under NEVER the key keeps the size and the
    kind from the user.
    """
    if policy is RotationPolicy.NEVER:
        if keys.problem:
            return Choice(Take.NONE, keys.problem)
        if keys.present is not None:
            return Choice(Take.PRESENT)
        # There is no key to keep. If a request for the next key is open, that key must not change.
        return Choice(Take.NEW if keys.following is None else Take.FOLLOWING)
    following = keys.following
    if following is None or following.spec != wanted or following.public in keys.used:
        return Choice(Take.NEW)
    return Choice(Take.FOLLOWING)


def explain_other_key(keys: Keys, wanted: KeySpec, policy: RotationPolicy) -> str:
    """Why a request without an answer is made again with another key, as a part of a sentence; empty if its key stays.
    The request has the key ``keys.following``. A request made now would have the key from ``choose``.
    """
    choice, requested = choose(keys, wanted, policy), keys.following
    if requested is None or choice.take is Take.FOLLOWING:
        return ""
    if choice.take is Take.NONE:
        return f"the key of the stored certificate is to stay, and {choice.reason}"
    if choice.take is Take.PRESENT:
        return (
            ""
            if requested.public == keys.present
            else "the key of the stored certificate is to stay, and its key is another"
        )
    if requested.spec != wanted:
        return f"its key is of the kind {requested.spec.name}, and the call wants {wanted.name}"
    return "a certificate in use has its key, and the call wants a new key"


class LeafState(str, Enum):
    """How far the next certificate of an end entity has come."""

    #: There is no request yet, or the last request failed.
    REQUIRED = "REQUIRED"
    #: The issuer has the request.
    REQUESTED = "REQUESTED"
    #: The certificate is issued and checked, and waits until every party trusts its CA.
    TRUST_PENDING = "TRUST_PENDING"
    #: The certificate is in its Secret, and no other is wanted.
    IN_USE = "IN_USE"
    #: Nothing of the cluster needs a certificate any more.
    NOT_NEEDED = "NOT_NEEDED"

    @property
    def meaning(self) -> str:
        """The state in words, as the rest of a sentence about the certificate: it is …"""
        return _MEANINGS[self]


_MEANINGS = {
    LeafState.REQUIRED: "still to be requested",
    LeafState.REQUESTED: "requested from its issuer",
    LeafState.TRUST_PENDING: "issued, and waits until every party trusts its CA",
    LeafState.IN_USE: "in use",
    LeafState.NOT_NEEDED: "needed no more",
}


@dataclass(frozen=True)
class Failure:
    """The failed requests for one leaf, in a row."""

    #: How many requests in a row have failed.
    count: int
    #: When the last request failed.
    at: datetime
    #: A sentence with cause and remedy.
    reason: str

    @classmethod
    def after(cls, before: Failure | None, at: datetime, reason: str) -> Failure:
        """The failure with the row's count raised by one, after the failure ``before``, which is None for the first."""
        return cls(before.count + 1 if before else 1, at, reason)


@dataclass(frozen=True)
class LeafRequest:
    """The record about the next certificate of one end entity, and what its issuer says of it now."""

    #: Secret of the leaf. It names the end entity.
    secret: str
    #: Reference of the issuer.
    issuer: str
    #: Fingerprint of the CA that is to sign.
    authority: str
    #: When the issuer got the request, in UTC.
    asked_at: datetime
    #: The difference between this request and the leaf that the cluster needs now, as a part of a sentence; empty if
    #: there is none.
    outdated: str = ""
    #: The words of the issuer while it waits, as a sentence.
    waiting: str = ""
    #: The failures of this and earlier requests for the leaf; None if none has failed.
    failure: Failure | None = None
    #: Whether the issuer may still answer.
    is_open: bool = True
    #: The certificate from the issuer, if it passed every check.
    answer: Chain | None = None
    #: Whether the Secret of the request records the answer or the failure. If it does, the collection no longer needs
    #: the issuer for this request.
    is_recorded: bool = True
    #: When the first request of the row went out, in UTC. An accepted certificate ends a row. None if this request is
    #: the first.
    since: datetime | None = None

    @property
    def first_asked_at(self) -> datetime:
        """When the first request of the row went out, in UTC."""
        return self.since or self.asked_at

    def is_overdue(self, now: datetime) -> bool:
        """Whether runs fail because no certificate has been accepted for the leaf: else a schedule would never show
        an error. An accepted certificate ends that. So does a request for something else or to another issuer.
        """
        failures = self.failure.count if self.failure is not None else 0
        return self.answer is None and (failures >= MOST_FAILURES or now - self.first_asked_at >= LONGEST_WAIT)

    @property
    def certificate(self) -> Certificate | None:
        return self.answer[0] if self.answer else None


#: How many requests for a leaf may fail in a row before runs fail. The fifth fails in the fifth night of a nightly
#: schedule, and after 15 hours of an hourly schedule. If a fault passes earlier, no run fails.
MOST_FAILURES = 5
#: How long after the first request of a row runs fail, whatever came back: a person may have to sign, and be away for a
#: week. Flows request leaves 15 days before the operator would stand still, so some days are left then.
LONGEST_WAIT = timedelta(days=10)

_FIRST = timedelta(hours=1)
_LONGEST = timedelta(hours=32)
#: The share of the time by which tries are spread: the leaves of a cluster do not all come at the same second.
_SPREAD = 0.1


def next_try(failure: Failure, secret: str) -> datetime:
    """When the leaf in this Secret is requested again. The same failure gives the same time at every look."""
    doubled = _FIRST * float(2 ** min(failure.count - 1, 16))
    return failure.at + min(doubled, _LONGEST) * (1 + _SPREAD * _hash_to_share(f"{secret} {failure.count}"))


def _hash_to_share(text: str) -> float:
    """Between 0 and 1, evenly spread over texts."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32


class Next(Enum):
    """The next step of a run about the certificate of an end entity."""

    #: Make a request, in the place of the present request.
    ASK = "ask"
    #: Record the certificate or the refusal that came back.
    COLLECT = "collect"
    #: Wait for the issuer, for the CA to come into use, or for the next try.
    WAIT = "wait"
    #: Use the recorded certificate.
    USE = "use"


@dataclass(frozen=True)
class Wanted:
    """The issuer and the CA for the next request for a leaf."""

    #: The reference of the issuer for the request.
    issuer: str
    #: Fingerprint of the CA that is to sign.
    authority: str
    #: When a caller asked to repeat failed requests at once; None if no caller did. If a request fails later, it waits
    #: as usual.
    retry_requested_at: datetime | None = None
    #: Fingerprints of CAs that may take the place of ``authority``: their leaves are kept until a CA has.
    later_cas: frozenset[str] = frozenset()

    def is_due(self, request: LeafRequest, now: datetime) -> bool:
        """Whether a closed request is made again."""
        failure = request.failure
        if failure is None or next_try(failure, request.secret) <= now:
            return True
        # If a failure lies ahead, an earlier run noted it, and its clock is ahead of this run's.
        return self.retry_requested_at is not None and not self.retry_requested_at <= failure.at <= now

    def keeps(self, request: LeafRequest) -> bool:
        """Whether the answer is from a CA that has to be trusted and in use first."""
        return request.answer is not None and not request.outdated and request.authority in self.later_cas


def next_action(request: LeafRequest | None, wanted: Wanted, now: datetime) -> Next:
    """The next step. A request for something else is given up at once, and its failures say nothing about the new
    request. A recorded answer is used, whichever CA issued it: its checks do not involve the issuer.
    """
    if request is None or request.outdated:
        return Next.ASK
    if request.authority != wanted.authority and not wanted.keeps(request):
        return Next.ASK
    if request.answer is not None and request.is_recorded:
        return Next.USE if request.authority == wanted.authority else Next.WAIT
    if request.issuer != wanted.issuer:
        return Next.ASK
    if not request.is_recorded:
        return Next.COLLECT
    if request.is_open:
        return Next.WAIT
    return Next.ASK if wanted.is_due(request, now) else Next.WAIT


def request_name(secret: str, key: str, names: str, wanted: Wanted, failure: Failure | None) -> str:
    """The name of the request of one revision. If a run continues a killed run, it gives the same name. Any other
    request has another name, also the same request to another issuer.

    The name begins with the Secret of the leaf. The key and the names count by their SHA-256, and the failure is the
    last in the row.
    """
    revision = "\n".join((key, names, wanted.issuer, wanted.authority, str(failure.count if failure else 0)))
    return f"{secret}-{hashlib.sha256(revision.encode()).hexdigest()[:10]}"


def state_of(request: LeafRequest | None, *, needed: bool, served: bool) -> LeafState:
    """The state of the end entity's certificate. It is ``needed`` if anything of the cluster needs it. It is ``served``
    if it is in its Secret and no other is wanted.
    """
    if not needed:
        return LeafState.NOT_NEEDED
    if served:
        return LeafState.IN_USE
    if request is None or request.outdated:
        return LeafState.REQUIRED
    if request.answer is not None:
        return LeafState.TRUST_PENDING
    return LeafState.REQUESTED if request.is_open else LeafState.REQUIRED


#: How far the clock of an issuer may be ahead. Such a certificate is good in a moment, and not wrong.
CLOCKS_DIFFER = timedelta(minutes=5)


class Judgement(Enum):
    """Whether the issuer's certificate may be used."""

    #: It is the requested certificate, and may be copied.
    VALIDATED = "validated"
    #: It is good in a moment, when its validity begins.
    NOT_YET = "not yet"
    #: It must not be used.
    REFUSED = "refused"


def judge(answer: Chain, refusals: Sequence[str], now: datetime) -> Judgement:
    """Whether the certificate may be used. The refusals are every reason against its use now. Its date alone may cure
    itself.
    """
    if timedelta(0) < answer[0].not_before - now <= CLOCKS_DIFFER:
        return Judgement.NOT_YET
    return Judgement.REFUSED if refusals else Judgement.VALIDATED


def record_answer(request: LeafRequest, answer: Chain, refusals: Sequence[str], now: datetime) -> LeafRequest:
    """The request after this answer; nothing of it is recorded yet. A good certificate ends the row of failures. A
    certificate that ended before a run collected it is no failure of its issuer: another is requested at once.
    """
    if request.asked_at < answer[0].not_after <= now:
        return replace(
            request, outdated=f"its certificate ended on {answer[0].not_after:%Y-%m-%d}, before a run took it"
        )
    judgement = judge(answer, refusals, now)
    if judgement is Judgement.NOT_YET:
        ahead = ceil((answer[0].not_before - now).total_seconds())
        return replace(request, waiting=f"{request.secret}: its certificate is valid in {ahead} s; clocks differ.")
    if judgement is Judgement.REFUSED:
        why = (
            f"The certificate that came back is refused: {'; '.join(refusals)}. Correct what the issuer makes of the "
            "request."
        )
        return record_failure(request, why, now)
    return replace(request, answer=answer, failure=None, is_open=False, is_recorded=False)


def record_failure(request: LeafRequest, why: str, now: datetime) -> LeafRequest:
    """The request after one more failure in the row, with cause and remedy as a sentence."""
    return replace(request, failure=Failure.after(request.failure, now, why), is_open=False, is_recorded=False)


@dataclass(frozen=True)
class Standing:
    """The state of one leaf at an issuer that renews it."""

    #: The Secret of the leaf.
    secret: str
    #: The certificate at the issuer now, with its chain; empty if there is none.
    latest: Chain = ()
    #: Fingerprint of the CA of this cluster that has signed it, if it has passed every check; empty if it may not be
    #: used yet.
    authority: str = ""
    #: The sentences of the report about it, with cause and remedy.
    sentences: str = ""
    #: Why the issuer would renew something else than the wanted leaf, as a part of a sentence; empty if it would not.
    differs: str = ""
    #: Corrected differences that another program has written back, as sentences with writer and remedy; empty if there
    #: are none.
    written_back: str = ""

    def replaces(self, stored: Certificate) -> bool:
        """Whether the issuer has renewed the stored leaf. If its certificate is older, a leaf from elsewhere has
        replaced it.
        """
        return bool(self.authority) and self.latest[0] != stored and self.latest[0].not_before > stored.not_before
