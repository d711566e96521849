# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Results about the users of a cluster, their certificates, and who presents them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._pki.certificates import Certificate
from .._strimzi.cluster.kafka import UserListener, user_listeners
from .._strimzi.users.readers import NamedCertificate, Reader
from .._strimzi.users.secrets import REMEDY, ClientsCa, UserCertificate
from .._strimzi.users.users import User, Users
from .._trust.model.names import counted
from .._trust.model.nodes import ObservedListener
from .node_results import time_text
from .results import label

#: Why the collection does not ask a listener with the authentication ``custom``.
_CUSTOM = (
    "whom it trusts is said in the Kafka resource (authentication custom); this collection neither asks nor changes it"
)


def describe_users(found: Users) -> dict[str, Any]:
    return {
        "namespace": found.namespace,
        "user_operator": found.operated,
        "clients_cas": [_authority(one, found.clients_ca) for one in found.clients_ca.anchors],
        "users": [_user(one) for one in found.users],
        "named_certificates": [_named(one) for one in found.named],
        "users_by_ca": _by_authority(found.users),
        "problems": [*_unwatched(found),
                     *_problems((user.label, user.certificate) for user in found.users), *_unlabelled(found.users),
                     *_problems((one.secret.label, one.certificate) for one in found.named)],
    }  # fmt: skip


def _unwatched(found: Users) -> list[str]:
    return [
        f"{user.label}: no User Operator is known to look for users in {user.namespace}, the cluster's own looks in {found.namespace}: its "
        "certificate is not issued anew."
        for user in found.users
        if not user.watched
    ]


def _problems(found: Iterable[tuple[str, UserCertificate | None]]) -> list[str]:
    return [f"{name}: {problem}." for name, one in found if one is not None and (problem := _problem(one))]


def _unlabelled(users: Iterable[User]) -> Iterator[str]:
    for user in users:
        if (found := user.unlabelled) is not None:
            yield (
                f"Secret {user.namespace}/{user.secret} lacks {' and '.join(found.lost)}, {found.why}. To put back what it had: "
                f"{found.command(user.secret, user.namespace)}"
            )


def _problem(certificate: UserCertificate) -> str:
    """With what helps against a PKCS#12 file that no operator would look into."""
    return certificate.problem or (f"{certificate.stale}. {REMEDY}" if certificate.stale else "")


def describe_user_listeners(found: Users, seen: Sequence[ObservedListener]) -> list[dict[str, Any]]:
    """Each listener of each broker that was asked; one of which no broker was asked once, without a broker."""
    users = Counter(
        user.certificate.authority
        for user in found.users
        if user.certificate is not None and user.certificate.authority
    )
    return [described for one in user_listeners(found.kafka) for described in _listener(one, found, seen, users)]


def _listener(
    listener: UserListener, found: Users, seen: Sequence[ObservedListener], users: Mapping[Certificate, int]
) -> list[dict[str, Any]]:
    """For each broker that was asked, else once."""
    told = {"name": listener.name, "port": listener.port, "type": listener.kind, "managed": listener.managed}
    answers = [one for one in seen if listener.managed and one.port == listener.port]
    if answers:
        return [{**told, **_answer(listener, one, found.clients_ca, users)} for one in answers]
    return [
        {**told, "pod": "", "trusts": [], "refuses": [], "why": [] if listener.managed else [_CUSTOM], "problems": []}
    ]


def _answer(
    listener: UserListener, one: ObservedListener, clients_ca: ClientsCa, users: Mapping[Certificate, int]
) -> dict[str, Any]:
    refused = [authority for authority in clients_ca.anchors if authority.fingerprint in one.refuses]
    return {
        "pod": one.pod,
        "trusts": [label(authority) for authority in clients_ca.anchors if authority.fingerprint in one.accepts],
        "refuses": [label(authority) for authority in refused],
        "why": sorted({reason for reason in (one.why, *one.doubts.values()) if reason}),
        "problems": [
            f"Listener {listener.name} ({listener.port}) of Pod {one.pod} refuses certificates of {label(authority)}, and "
            f"{counted(users[authority], 'user')} have one: it has to read its trust again, or to restart."
            for authority in refused if users.get(authority)
        ],
    }  # fmt: skip


def _authority(one: Certificate, clients_ca: ClientsCa) -> dict[str, Any]:
    return {
        "subject": one.subject,
        "sha256": one.sha256,
        "not_after": time_text(one.not_after),
        "current": one == clients_ca.current,
    }


def _user(user: User) -> dict[str, Any]:
    return {
        "name": user.name,
        "namespace": user.namespace,
        "authentication": user.authentication,
        "secret": user.secret,
        "ready": user.ready,
        "paused": user.pause.lasts,
        "certificate": _certificate(user.certificate) if user.certificate is not None else None,
        "presenters": [_reader(one, user.certificate) for one in user.readers],
    }


def _named(one: NamedCertificate) -> dict[str, Any]:
    return {
        "secret": one.secret.label,
        "certificate": _certificate(one.certificate),
        "presenters": [_reader(reader, one.certificate) for reader in one.readers],
    }


def _certificate(certificate: UserCertificate) -> dict[str, Any]:
    return {
        "subject": certificate.subject,
        "issuer": certificate.issuer,
        "sha256": certificate.sha256,
        "not_after": time_text(certificate.not_after),
        "ca": label(certificate.authority) if certificate.authority is not None else "",
        "keystore": certificate.keystore,
        "changed_at": time_text(certificate.changed_at),
        "problem": _problem(certificate),
    }


def _reader(reader: Reader, certificate: UserCertificate | None) -> dict[str, Any]:
    told = certificate or UserCertificate()
    return {"name": reader.name, "up_to_date": reader.is_up_to_date(told.changed_at, told.sha256)}


def _by_authority(users: Iterable[User]) -> list[dict[str, Any]]:
    """How many users have a valid certificate of each CA, and when the first and the last of these end."""
    found: dict[Certificate, list[UserCertificate]] = {}
    for user in users:
        if user.certificate is not None and user.certificate.authority is not None:
            found.setdefault(user.certificate.authority, []).append(user.certificate)
    return [
        {"ca": label(authority), "users": len(own), "first_end": time_text(ends[0]), "last_end": time_text(ends[-1])}
        for authority, own in sorted(found.items(), key=lambda item: item[0].sha256)
        if (ends := sorted(one.not_after for one in own if one.not_after is not None))
    ]
