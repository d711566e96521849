# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Who presents certificates of the clients CA: users, the programs that read their Secrets, and the User Operator, which issues the next
one of ``ca.crt`` at any time (docs/operator.md, "Users").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from .._pki.certificates import Certificate
from .._trust.model.presenters import Presenter, ReissuePause, Renewal
from .._trust.model.snapshot import CaSecrets
from .names import PAUSE_RECONCILIATION
from .readers import Reader
from .user_secrets import UserCertificate
from .users import TLS, User, Users

#: The authentication for which somebody else issues certificates, and the User Operator keeps the user's rights only.
_TLS_EXTERNAL = "tls-external"
_WAIVER = "give a waiver for it that says until when it may go on"
_ELSEWHERE = f"See that its certificate is of the CA in use, then {_WAIVER}."


@dataclass(frozen=True)
class _Authorities:
    """now: the time. known: the CAs of the cluster and of its ledger. used: fingerprints of those that were in use."""

    ca: CaSecrets
    known: tuple[Certificate, ...]
    used: frozenset[str]
    now: datetime


def presenters_of(
    users: Users, ca: CaSecrets, known: Iterable[Certificate], used: Iterable[str], now: datetime
) -> tuple[Presenter, ...]:
    """known: the CAs of the cluster and of its ledger. used: fingerprints of those that are or were in use."""
    about = _Authorities(ca, tuple(dict.fromkeys(known)), frozenset(used), now)
    return (
        *_of_the_operator(about),
        *(found for user in users.users for found in _of_user(user, users.namespace, about)),
        *_superusers(users),
    )


def _of_the_operator(about: _Authorities) -> Iterator[Presenter]:
    for current in about.ca.current[:1]:
        yield Presenter("the User Operator", frozenset({current.fingerprint}), "ca.crt", Renewal.AT_ONCE)


def _of_user(user: User, namespace: str, about: _Authorities) -> Iterator[Presenter]:
    name = f"KafkaUser {namespace}/{user.name}"
    if user.authentication == _TLS_EXTERNAL:
        why = f"somebody else issues the certificates of users with the authentication {_TLS_EXTERNAL}"
        yield Presenter(name, None, why, remedy=_ELSEWHERE)
    certificate = user.certificate
    if user.authentication != TLS or certificate is None:
        return
    found = _certificate(name, f"Secret {namespace}/{user.secret}", certificate, about)
    yield replace(found, hindered=_why_hindered(user), pause=user.pause)
    yield from (_reader(one, user.name, certificate, about) for one in user.readers)


def _why_hindered(user: User) -> str:
    if user.pause is ReissuePause.FOREIGN:
        return f"it is paused ({PAUSE_RECONCILIATION})"
    return "" if user.ready else "the User Operator says that it is not ready"


def _certificate(name: str, secret: str, certificate: UserCertificate, about: _Authorities) -> Presenter:
    remedy = f"See in the status of {name} what keeps the User Operator from issuing it anew; or {_WAIVER}."
    behind = not certificate.is_current
    if not certificate.sha256 or (certificate.not_after is not None and certificate.not_after <= about.now):
        # A user without a certificate, or with one that every broker refuses, presents none.
        why = certificate.problem or f"the certificate in {secret} has expired"
        return Presenter(name, frozenset(), why, Renewal.ISSUED, behind, remedy)
    if certificate.authority is None or not certificate.has_key:
        return Presenter(name, None, f"{secret}: {certificate.problem}", Renewal.ISSUED, behind, remedy)
    issuers = _issuers(certificate, certificate.authority, about)
    return Presenter(name, issuers, secret, Renewal.ISSUED, behind, remedy)


def _issuers(certificate: UserCertificate, authority: Certificate, about: _Authorities) -> frozenset[str]:
    """Where a CA was renewed with its key, each of its certificates validates the leaf; the ``ca.crt`` beside it says which it is."""
    same = [one for one in about.known if one.is_twin_of(authority)]
    named = [one for one in same if one == certificate.beside]
    return frozenset(one.fingerprint for one in named or same or (authority,))


def _reader(reader: Reader, user: str, certificate: UserCertificate, about: _Authorities) -> Presenter:
    remedy = f"Restart it, so that it reads the certificate of user {user} again; or {_WAIVER}."
    renewal = Renewal.RESTARTED if reader.followed else Renewal.BY_HAND
    if reader.followed:
        remedy = f"The operator restarts it by itself: see in its status what keeps it from that; or {_WAIVER}."
    fresh = reader.is_up_to_date(certificate.changed_at, certificate.sha256)
    if fresh is None:
        why = f"it cannot be told whether it has read the certificate of user {user} since that was issued"
        return Presenter(reader.name, None, why, renewal, remedy=remedy)
    if not fresh:
        # What it has read may be of any CA that users had certificates of.
        why = f"it has not read the certificate of user {user} since that was issued"
        return Presenter(reader.name, about.used, why, renewal, remedy=remedy)
    own = frozenset() if certificate.authority is None else _issuers(certificate, certificate.authority, about)
    return Presenter(reader.name, own, f"the certificate of user {user}", renewal, remedy=remedy)


def _superusers(users: Users) -> Iterator[Presenter]:
    """Superusers by a name that is no user's: somebody has signed their certificates by hand."""
    known = {f"CN={user.name}" for user in users.users}
    authorization: Mapping[str, Any] = ((users.kafka.get("spec") or {}).get("kafka") or {}).get("authorization") or {}
    for name in authorization.get("superUsers") or ():
        if str(name).startswith("CN=") and name not in known:
            yield Presenter(
                f"superuser {name}", None, "no KafkaUser has this name, so somebody else issues its certificate",
                remedy=_ELSEWHERE,
            )  # fmt: skip
