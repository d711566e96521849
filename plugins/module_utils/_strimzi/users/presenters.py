# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The presenters of certificates of the clients CA: users, programs that read their Secrets or Secrets
that a user names, and the User Operator, which may issue the next certificate of ``ca.crt`` at any
time (docs/operator.md, "Users").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ..._pki.certificates import Certificate
from ..._trust.model.clients import Presenter, ReissuePause, Renewal
from ..._trust.model.snapshot import CaSecrets
from ..names import PAUSE_RECONCILIATION
from .readers import NamedCertificate, Reader
from .secrets import REMEDY, UserCertificate
from .users import TLS, TLS_EXTERNAL, User, Users

_WAIVER = "give a waiver for it that says until when it may go on"


@dataclass(frozen=True)
class _Authorities:
    """now: the time. known: the CAs of the cluster and of its ledger. used: fingerprints of CAs that may have issued a
    certificate that was read at any time. home: the namespace where the cluster's own User Operator issues; the lives
    that another User Operator issues are unknown.
    """

    ca: CaSecrets
    known: tuple[Certificate, ...]
    used: frozenset[str]
    now: datetime
    home: str

    @property
    def outdated(self) -> frozenset[str]:
        """Fingerprints of the CAs that may have to validate a certificate that was issued at any time. The CA in use
        validates certificates of a CA that was renewed with its key.
        """
        found = self.used
        for current in self.ca.in_use:
            renewed = frozenset(one.fingerprint for one in self.known if current.stands_in_for(one))
            found = (found - renewed) | {current.fingerprint}
        return found


def presenters_of(
    users: Users,
    ca: CaSecrets,
    known: Iterable[Certificate],
    used: Iterable[str],
    now: datetime,
    beside: Iterable[str] = (),
) -> tuple[Presenter, ...]:
    """known: the CAs of the cluster and of its ledger. used: fingerprints of CAs that are or were in use. beside: of
    CAs that brokers accept beside them; another issuer than the User Operator may have issued certificates of each.
    """
    about = _Authorities(ca, tuple(dict.fromkeys(known)), frozenset(used), now, users.namespace)
    by_anybody = replace(about, used=about.used.union(beside))
    strangers = dict(_issued_elsewhere(users))
    return (
        *_of_the_operator(about),
        *(found for user in users.users for found in _of_user(user, about)),
        *(found for user in users.users for found in _of_paused(user)),
        *(_of_stranger(name, strangers[name], users.named, about) for name in strangers),
        *(found for one in users.named for found in _of_named(one, strangers.values(), by_anybody)),
    )


def _of_the_operator(about: _Authorities) -> Iterator[Presenter]:
    for current in about.ca.in_use:
        yield Presenter("the User Operator", frozenset({current.fingerprint}), "ca.crt", Renewal.AT_ONCE)


def _of_user(user: User, about: _Authorities) -> Iterator[Presenter]:
    certificate = user.certificate
    if user.authentication != TLS or certificate is None:
        return
    why, remedy = _why_hindered(user, about)
    renewal = Renewal.ISSUED if user.watched else Renewal.BY_HAND
    found = Presenter(user.label, frozenset(), "", renewal, not certificate.is_current, remedy, why, user.pause)
    if not certificate.sha256:
        # A user without a certificate presents none.
        yield replace(found, why=certificate.problem)
    else:
        where = f"Secret {user.namespace}/{user.secret}"
        authorities, why = _held(certificate, where, about)
        found = replace(found, authorities=authorities, why=why)
        if certificate.stale and authorities is not None and not about.outdated <= authorities:
            # The certificate in the keystore may be of any CA that users had certificates of.
            may_be, why = authorities | about.outdated, f"{where}: {certificate.stale}"
            found = replace(found, authorities=may_be, why=why, remedy=f"{REMEDY}; or {_WAIVER}.")
        yield found
    what = f"the certificate of user {user.name}"
    left_out = user.pause is ReissuePause.FOREIGN and not certificate.is_current
    pause = ReissuePause.FOREIGN if left_out else ReissuePause.NONE
    for one in user.readers:
        # No other writer writes what it reads.
        reads = f"{one.name} {user.name}" if user.namespace == about.home else ""
        yield replace(_reader(one, what, certificate, about), pause=pause, reads=reads)


def _of_paused(user: User) -> Iterator[Presenter]:
    """A user that got another authentication while this collection kept it paused for a switch: it presents nothing of its own any more, and the
    pause is still to be ended.
    """
    if user.authentication != TLS and user.pause.is_ours:
        yield Presenter(user.label, frozenset(), "it gets no certificate any more", pause=user.pause)


def _why_hindered(user: User, about: _Authorities) -> tuple[str, str]:
    """Why it would not be issued anew, and what to do about that."""
    if user.unnameable:
        return user.unnameable, f"Give the user a shorter name; or {_WAIVER}."
    if not user.watched:
        move = f"Make it anew in {about.home}, where the cluster's User Operator looks, have its programs read that Secret, and delete this user with its own"
        other = (
            f"where another User Operator serves it, give {user.namespace} in user_namespaces (strimzi_user_namespaces)"
        )
        return f"no User Operator is known to look for users in {user.namespace}", f"{move}; {other}; or {_WAIVER}."
    if user.pause is ReissuePause.FOREIGN:
        lift = f"Take {PAUSE_RECONCILIATION} off {user.label}, which is up to the person or program that has set it"
        return f"it is paused ({PAUSE_RECONCILIATION})", f"{lift}: the User Operator issues it anew then; or {_WAIVER}."
    remedy = f"See in the status of {user.label} what keeps the User Operator from issuing it anew; or {_WAIVER}."
    if user.certificate is not None and user.certificate.is_spoilt:
        where = f"Secret {user.namespace}/{user.secret}"
        # The User Operator looks at the end of a certificate and at the ca.crt beside it, and at nothing else.
        anew = f"delete {where}: the User Operator issues the certificate anew"
        if about.ca.in_use_elsewhere:
            anew = "run the reconcile playbook, which has the certificate issued anew"
        remedy = f"Find the program or person that put it into {where}, then {anew}; or {_WAIVER}."
    return "" if user.ready else "the User Operator says that it is not ready", remedy


def _held(certificate: UserCertificate, where: str, about: _Authorities) -> tuple[frozenset[str] | None, str]:
    """The CAs that may have issued the certificate, and where it is, or why that is unknown. None for an expired
    certificate: every broker refuses it.
    """
    if certificate.not_after is not None and certificate.not_after <= about.now:
        return frozenset(), certificate.problem or f"the certificate in {where} has expired"
    if certificate.authority is None or not certificate.has_key:
        return None, f"{where}: {certificate.problem}"
    return _issuers(certificate, certificate.authority, about), where


def _end(certificate: UserCertificate) -> datetime | None:
    """When the last certificate ends that a reader of this Secret presents; None where the keystore in it may
    hold another certificate.
    """
    return None if certificate.stale else certificate.not_after


def _issuers(certificate: UserCertificate, authority: Certificate, about: _Authorities) -> frozenset[str]:
    """Where a CA was renewed with its key, each of its certificates validates the leaf; the CA certificate beside the leaf says which it is."""
    same = [one for one in about.known if one.is_twin_of(authority)]
    named = [one for one in same if one == certificate.beside]
    return frozenset(one.fingerprint for one in named or same or (authority,))


def _reader(reader: Reader, what: str, certificate: UserCertificate, about: _Authorities) -> Presenter:
    """what: the certificate that it presents."""
    remedy = f"Restart it, so that it reads {what} again; or {_WAIVER}."
    renewal = Renewal.FOLLOWED if reader.followed else Renewal.BY_HAND
    if reader.followed:
        done = (
            "The operator restarts it by itself"
            if reader.pods is not None
            else f"The Access Operator copies {what} for it"
        )
        remedy = f"{done}: see in its status what keeps it from that; or {_WAIVER}."
    fresh = reader.is_up_to_date(certificate.changed_at, certificate.sha256)
    if fresh is None:
        why = f"the run cannot tell whether it has read {what} since that was issued"
        return Presenter(reader.name, None, why, renewal, remedy=remedy)
    if not fresh:
        # The certificate that it has read may be of any CA that may have issued one.
        why = f"it has not read {what} since that was issued"
        return Presenter(reader.name, about.outdated, why, renewal, remedy=remedy)
    own = frozenset() if certificate.authority is None else _issuers(certificate, certificate.authority, about)
    return Presenter(reader.name, own, what, renewal, remedy=remedy, ends_at=_end(certificate))


def _issued_elsewhere(users: Users) -> Iterator[tuple[str, str]]:
    """The users and superusers that may log in with certificates that the User Operator does not issue, and the subject of these."""
    for user in users.users:
        if user.authentication == TLS_EXTERNAL:
            yield user.label, f"CN={user.name}"
    known = {f"CN={user.name}" for user in users.users if user.authentication in (TLS, TLS_EXTERNAL)}
    authorization: Mapping[str, Any] = ((users.kafka.get("spec") or {}).get("kafka") or {}).get("authorization") or {}
    for name in authorization.get("superUsers") or ():
        if _is_of_a_certificate(str(name)) and name not in known:
            yield f"superuser {name}", str(name)


def _is_of_a_certificate(name: str) -> bool:
    """Whether this is a distinguished name, whichever attribute comes first. A user that logs in otherwise has a plain name, such as ``ANONYMOUS``."""
    return "=" in name


def _of_stranger(name: str, subject: str, named: Iterable[NamedCertificate], about: _Authorities) -> Presenter:
    """A party whose certificate another issuer issues. The certificate is known where the user of this collection
    names its Secrets; a kept certificate of a KafkaUser that moved may differ from the certificate that the
    KafkaUser still presents.
    """
    own = [one for one in named if one.certificate.subject == subject]
    if all(one.is_kept for one in own):
        remedy = f"Name the Secret with its certificate in presenting_secrets; or see that it is of the CA in use, and {_WAIVER}."
        return Presenter(name, None, f"another issuer issues its certificate, {subject}", remedy=remedy)
    found = [_held(one.certificate, one.secret.label, about) for one in own]
    unknown = next((why for authorities, why in found if authorities is None), None)
    where = ", ".join(one.secret.label for one in own)
    remedy = f"Put a certificate of the CA in use into {where}, and restart its readers; delete it where no application reads it; or {_WAIVER}."
    if unknown is not None:
        return Presenter(name, None, unknown, remedy=remedy)
    together = frozenset(one for authorities, _why in found for one in authorities or ())
    return Presenter(name, together, "; ".join(why for _authorities, why in found), remedy=remedy)


def _of_named(one: NamedCertificate, strangers: Iterable[str], about: _Authorities) -> Iterator[Presenter]:
    """The Secret itself, unless its certificate counts as that of a user or superuser; and its readers."""
    where, certificate = one.secret.label, one.certificate
    remedy = one.remedy or f"Put the certificate as it was issued anew into it, and restart who reads it; or {_WAIVER}."
    if not certificate.sha256:
        yield Presenter(where, None, f"{where}: {certificate.problem}", remedy=remedy)
    elif certificate.subject not in strangers:
        authorities, why = _held(certificate, where, about)
        yield Presenter(where, authorities, why, remedy=remedy)
    yield from (_reader_of_named(reader, where, certificate, about) for reader in one.readers)


def _reader_of_named(reader: Reader, where: str, certificate: UserCertificate, about: _Authorities) -> Presenter:
    found = _reader(reader, f"the certificate in {where}", certificate, about)
    own, _why = _held(certificate, where, about)
    current = frozenset(one.fingerprint for one in about.ca.in_use)
    # The operator restarts it when the Secret has changed; until then a person has to change that.
    follows = reader.followed and own == current and found.authorities != own
    return found if follows else replace(found, renewal=Renewal.BY_HAND)
