# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The parties that present certificates of the clients CA, and the possible CAs of each certificate.

These are users, programs that read their Secrets, Secrets named by a person, and the User Operator, which may issue the
next certificate of ``ca.crt`` at any time.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ..._pki.certificates import Certificate
from ..._trust.model.clients import Presenter, ReissuePause, Renewal
from ..._trust.model.snapshot import CaSecrets
from ..names import KAFKA_USERS, PAUSE_RECONCILIATION
from ..user_certificate import SecretKind, UserCertificate
from .readers import Reader
from .users import TLS, TLS_EXTERNAL, UnreadNamespace, User, Users

_WAIVER = "give a waiver for it that says until when it may go on"


@dataclass(frozen=True)
class _Authorities:
    """The CAs for judging certificates of users."""

    #: The Secrets of the clients CA.
    ca: CaSecrets
    #: The CAs of the cluster and of its ledger.
    known: tuple[Certificate, ...]
    #: Fingerprints of CAs that may have issued a certificate read at any time.
    used: frozenset[str]
    #: The time of the look.
    now: datetime
    #: The namespace in which the cluster's own User Operator issues; how long another User Operator's certificates live
    #: is unknown.
    home: str

    @property
    def outdated(self) -> frozenset[str]:
        """Fingerprints of the CAs that may have to validate a certificate issued at any time. The CA in use validates
        certificates of a CA that was renewed with its key.
        """
        outdated = self.used
        for current in self.ca.in_use:
            renewed = frozenset(
                certificate.fingerprint for certificate in self.known if current.stands_in_for(certificate)
            )
            outdated = (outdated - renewed) | {current.fingerprint}
        return outdated


def presenters_of(
    users: Users,
    ca: CaSecrets,
    known: Iterable[Certificate],
    used: Iterable[str],
    now: datetime,
    beside: Iterable[str] = (),
) -> tuple[Presenter, ...]:
    """The parties that present certificates of the clients CA. The CAs of the cluster and of its ledger are ``known``.
    Fingerprints tell which CAs are or were ``used``, and which CAs brokers accept ``beside`` them; another issuer than
    the User Operator may have issued certificates of each.
    """
    about = _Authorities(ca, tuple(dict.fromkeys(known)), frozenset(used), now, users.namespace)
    of_any_issuer = replace(about, used=about.used.union(beside))
    elsewhere, by_subject = dict(_issued_elsewhere(users)), dict[str, list[UserCertificate]]()
    for certificate in users.named_certificates:
        by_subject.setdefault(certificate.subject, []).append(certificate)
    subjects = frozenset(elsewhere.values())
    return (
        *_of_the_operator(about),
        *(presenter for user in users.users for presenter in _of_user(user, users.readers_of(user.secret_key), about)),
        *(presenter for user in users.users for presenter in _of_paused(user)),
        *(
            _of_issuer_elsewhere(name, subject, by_subject.get(subject, ()), about)
            for name, subject in elsewhere.items()
        ),
        *(_of_unread(space) for space in users.unread),
        *(
            presenter
            for certificate in users.named_certificates
            for presenter in _of_named(certificate, users.readers_of(certificate.secret.key), subjects, of_any_issuer)
        ),
    )


def _of_the_operator(about: _Authorities) -> Iterator[Presenter]:
    for current in about.ca.in_use:
        yield Presenter("the User Operator", frozenset({current.fingerprint}), "ca.crt", Renewal.AT_ONCE)


def _of_user(user: User, readers: Iterable[Reader], about: _Authorities) -> Iterator[Presenter]:
    certificate = user.certificate
    if user.authentication != TLS or certificate is None:
        return
    why, remedy = _why_hindered(user, about)
    renewal = Renewal.ISSUED if user.watched else Renewal.BY_HAND
    presenter = Presenter(
        user.label, frozenset(), "", renewal, not certificate.is_current, remedy, why, user.pause, user=user.full_name
    )  # fmt: skip
    if not certificate.chain:
        # A user without a certificate presents none.
        yield replace(presenter, evidence=certificate.problem)
    else:
        authorities, evidence = _possible_issuers(certificate, about, "its Secret")
        if _is_keystore_in_doubt(certificate, about):
            presenter = replace(presenter, remedy=f"{certificate.keystore_remedy}; or {_WAIVER}.")
        yield replace(presenter, authorities=authorities, evidence=evidence)
    what = f"the certificate of user {user.name}"
    left_out = user.pause is ReissuePause.FOREIGN and not certificate.is_current
    pause = ReissuePause.FOREIGN if left_out else ReissuePause.NONE
    for reader in readers:
        # Only in this namespace is it known that the program has read one issuer's certificates alone.
        source = f"{reader.name} {user.name}" if user.namespace == about.home else ""
        yield replace(_of_reader(reader, what, certificate, about), pause=pause, certificate_source=source)


def _of_paused(user: User) -> Iterator[Presenter]:
    """A user that got another authentication while this collection kept it paused for a switch: it presents nothing of
    its own any more, but its pause is still to be ended.
    """
    if user.authentication != TLS and user.pause.is_ours:
        yield Presenter(
            user.label, frozenset(), "it gets no certificate any more", pause=user.pause, user=user.full_name
        )


def _of_unread(space: UnreadNamespace) -> Presenter:
    """The users of an unreadable namespace, all as one."""
    why = f"the run cannot tell which users of this cluster are left there: {space.problem}"
    return Presenter(
        f"{KAFKA_USERS.kind} {space.name}/*", None, why,
        remedy=f"{space.remedy} Where it has none that log in any more, {_WAIVER}.",
    )  # fmt: skip


def _why_hindered(user: User, about: _Authorities) -> tuple[str, str]:
    """Why the User Operator would not issue the certificate of this user again, and the remedy."""
    if user.unnameable:
        return user.unnameable, f"Give the user a shorter name; or {_WAIVER}."
    if not user.watched:
        move = (
            f"Make it again in {about.home}, where the cluster's User Operator looks, have its programs read that "
            "Secret, and delete this user with its own"
        )
        if user.namespace == about.home:
            move = "Add spec.entityOperator.userOperator to the Kafka resource"
        other = (
            f"where another User Operator serves it, give {user.namespace} in user_namespaces (strimzi_user_namespaces)"
        )
        return f"no User Operator is known to look for users in {user.namespace}", f"{move}; {other}; or {_WAIVER}."
    if user.pause is ReissuePause.FOREIGN:
        lift = f"Take {PAUSE_RECONCILIATION} off {user.label}, which is up to the person or program that has set it"
        return (
            f"it is paused ({PAUSE_RECONCILIATION})",
            f"{lift}: the User Operator issues it again then; or {_WAIVER}.",
        )
    remedy = f"See in the status of {user.label} what keeps the User Operator from issuing it again; or {_WAIVER}."
    if user.certificate is not None and user.certificate.is_spoilt:
        secret = user.certificate.label
        # The User Operator looks at the end of a certificate and at the ca.crt beside it, and at nothing else.
        how = f"delete {secret}: the User Operator issues the certificate again"
        if about.ca.in_use_elsewhere:
            how = "run the reconcile playbook, which has the certificate issued again"
        remedy = f"Find the program or person that put it into {secret}, then {how}; or {_WAIVER}."
    return "" if user.ready else "the User Operator says that it is not ready", remedy


def _possible_issuers(
    certificate: UserCertificate, about: _Authorities, place: str
) -> tuple[frozenset[str] | None, str]:
    """The CAs that may have issued the certificates in the Secret, and its place, or why they are unknown. The
    certificate in a PKCS#12 file may be of any CA that users had certificates of. ``place`` is how a sentence calls the
    Secret: by its label, unless the subject of the sentence says already which Secret that is.
    """
    authorities, evidence = _issuers_of_entry(certificate, about, place)
    if authorities is None or not _is_keystore_in_doubt(certificate, about):
        return authorities, evidence
    return authorities | about.outdated, f"{place}: {certificate.keystore_doubt}"


def _is_keystore_in_doubt(certificate: UserCertificate, about: _Authorities) -> bool:
    """Whether the PKCS#12 file may contain a certificate of another CA than the certificate beside it."""
    if not certificate.keystore_doubt:
        return False
    authorities, _evidence = _issuers_of_entry(certificate, about, certificate.label)
    return authorities is not None and not about.outdated <= authorities


def _issuers_of_entry(
    certificate: UserCertificate, about: _Authorities, place: str
) -> tuple[frozenset[str] | None, str]:
    """The CAs that may have issued the certificate itself, and its place, or why its CA is unknown (None). No CA for an
    expired certificate: every broker refuses it.
    """
    if certificate.not_after is not None and certificate.not_after <= about.now:
        return frozenset(), certificate.problem or f"the certificate in {place} has expired"
    if certificate.authority is None or not certificate.has_key:
        return None, f"{place}: {certificate.problem}"
    return _issuers(certificate, certificate.authority, about), place


def _last_end(certificate: UserCertificate) -> datetime | None:
    """The last end of a certificate presented by a reader of this Secret; None if the PKCS#12 file in it may contain
    another certificate.
    """
    return None if certificate.keystore_doubt else certificate.not_after


def _issuers(certificate: UserCertificate, authority: Certificate, about: _Authorities) -> frozenset[str]:
    """The CAs that may have issued the leaf. If a CA was renewed with its key, each of its certificates validates the
    leaf. The CA certificate beside the leaf says which of them has issued it.
    """
    same = [certificate for certificate in about.known if certificate.is_twin_of(authority)]
    beside = [issuer for issuer in same if issuer == certificate.ca_beside]
    return frozenset(certificate.fingerprint for certificate in beside or same or (authority,))


def _of_reader(reader: Reader, what: str, certificate: UserCertificate, about: _Authorities) -> Presenter:
    """A resource or pod that reads a Secret, as the presenter of its certificate. Messages name the certificate by
    ``what``.
    """
    remedy = f"Restart it, so that it reads {what} again; or {_WAIVER}."
    renewal = Renewal.FOLLOWED if reader.followed else Renewal.BY_HAND
    if reader.followed:
        done = (
            "The operator restarts it by itself"
            if reader.pods is not None
            else f"The Access Operator copies {what} for it"
        )
        remedy = f"{done}: see in its status what keeps it from that; or {_WAIVER}."
    is_up_to_date = reader.is_up_to_date(certificate)
    if is_up_to_date is None:
        why = f"the run cannot tell whether it has read {what} since that was issued"
        return Presenter(reader.name, None, why, renewal, remedy=remedy)
    if not is_up_to_date:
        # The certificate in its memory may be of any CA that may have issued one.
        why = f"it has not read {what} since that was issued"
        return Presenter(reader.name, about.outdated, why, renewal, remedy=remedy)
    own = frozenset() if certificate.authority is None else _issuers(certificate, certificate.authority, about)
    end = _last_end(certificate)
    if end is not None and end <= about.now:
        return Presenter(reader.name, frozenset(), f"{what}, which has expired", renewal, remedy=remedy, ends_at=end)
    return Presenter(reader.name, own, what, renewal, remedy=remedy, ends_at=end)


def _issued_elsewhere(users: Users) -> Iterator[tuple[str, str]]:
    """The users and superusers with certificates possibly from another issuer than the User Operator, each with the
    subject of its certificates.
    """
    for user in users.users:
        if user.authentication == TLS_EXTERNAL:
            yield user.label, f"CN={user.name}"
    subjects = {f"CN={user.name}" for user in users.users if user.authentication in (TLS, TLS_EXTERNAL)}
    authorization: Mapping[str, Any] = ((users.kafka.get("spec") or {}).get("kafka") or {}).get("authorization") or {}
    for name in authorization.get("superUsers") or ():
        if _is_of_a_certificate(str(name)) and name not in subjects:
            yield f"superuser {name}", str(name)


def _is_of_a_certificate(name: str) -> bool:
    """Whether this is a distinguished name, whichever attribute comes first. A user with another login has a plain
    name, such as ``ANONYMOUS``.
    """
    return "=" in name


def _of_issuer_elsewhere(name: str, subject: str, own: Sequence[UserCertificate], about: _Authorities) -> Presenter:
    """A party with certificates from another issuer.

    Its own certificates have its subject: they are known if the user of this collection names their Secrets. A
    certificate left of a moved KafkaUser may differ from the certificate that the KafkaUser still presents.
    """
    if all(certificate.kind is SecretKind.LEFT for certificate in own):
        remedy = (
            "Name the Secret with its certificate in presenting_secrets; or see that it is of the CA in use, and "
            f"{_WAIVER}."
        )
        return Presenter(name, None, f"another issuer issues its certificate, {subject}", remedy=remedy)
    issuers = [_possible_issuers(certificate, about, certificate.label) for certificate in own]
    unknown = next((why for authorities, why in issuers if authorities is None), None)
    secrets = ", ".join(certificate.label for certificate in own)
    remedy = (
        f"Put a certificate of the CA in use into {secrets}, and restart its readers; delete it where no application "
        f"reads it; or {_WAIVER}."
    )
    if unknown is not None:
        return Presenter(name, None, unknown, remedy=remedy)
    together = frozenset(authority for authorities, _evidence in issuers for authority in authorities or ())
    # If all of them have expired, it may log in with a certificate from elsewhere.
    return Presenter(name, together or None, "; ".join(evidence for _authorities, evidence in issuers), remedy=remedy)


def _of_named(
    certificate: UserCertificate, readers: Iterable[Reader], elsewhere: Container[str], about: _Authorities
) -> Iterator[Presenter]:
    """The Secret itself, unless its certificate counts as a user's or superuser's; and its readers."""
    label = certificate.label
    again = "put the certificate that its issuer has issued again into it, and restart its readers"
    is_left = certificate.kind is SecretKind.LEFT
    first = f"Delete it where no program reads it any more; else {again}" if is_left else f"P{again[1:]}"
    remedy = certificate.remedy or f"{first}; or {_WAIVER}."
    if not certificate.chain:
        yield Presenter(label, None, certificate.problem, remedy=remedy)
    elif certificate.subject not in elsewhere:
        authorities, evidence = _possible_issuers(certificate, about, "its content")
        yield Presenter(label, authorities, evidence, remedy=remedy)
    yield from (_of_reader_of_named(reader, certificate, about) for reader in readers)


def _of_reader_of_named(reader: Reader, certificate: UserCertificate, about: _Authorities) -> Presenter:
    presenter = _of_reader(reader, f"the certificate in {certificate.label}", certificate, about)
    own, _evidence = _possible_issuers(certificate, about, certificate.label)
    current = frozenset(certificate.fingerprint for certificate in about.ca.in_use)
    # The operator restarts it when the Secret has changed; until then a person has to change the Secret.
    follows = reader.followed and own == current and presenter.authorities != own
    return presenter if follows else replace(presenter, renewal=Renewal.BY_HAND)
