# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Results about the users of a cluster, their certificates, and who presents them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._pki.certificates import Certificate
from .._strimzi.presenters import Presenter
from .._strimzi.user_secrets import ClientsCa, UserCertificate
from .._strimzi.users import User, Users
from .results import label
from .times import time_text


def describe_users(found: Users) -> dict[str, Any]:
    return {
        "namespace": found.namespace,
        "user_operator": found.operated,
        "clients_cas": [_authority(one, found.clients_ca) for one in found.clients_ca.anchors],
        "users": [_user(one) for one in found.users],
        "users_by_ca": _by_authority(found.users),
        "problems": [
            f"KafkaUser {found.namespace}/{user.name}: {user.certificate.problem}."
            for user in found.users
            if user.certificate is not None and user.certificate.problem
        ],
    }


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
        "authentication": user.authentication,
        "secret": user.secret,
        "ready": user.ready,
        "paused": user.paused,
        "certificate": _certificate(user.certificate) if user.certificate is not None else None,
        "presenters": [_presenter(one, user.certificate) for one in user.presenters],
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
        "problem": certificate.problem,
    }


def _presenter(presenter: Presenter, certificate: UserCertificate | None) -> dict[str, Any]:
    changed_at = certificate.changed_at if certificate is not None else None
    return {"name": presenter.name, "up_to_date": presenter.is_up_to_date(changed_at)}


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
