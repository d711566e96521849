# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The users whose certificates this collection issues: those of a clients CA whose key is kept elsewhere, with which the User Operator
can sign nothing (docs/operator.md, "Users").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from .._kube.client import KubeClient
from .._kube.resources import SECRETS
from .._trust.model.ledger import Ledger
from .._trust.model.presenters import Presenter
from .._trust.model.snapshot import CaSecrets, Component
from .ca_secrets import CURRENT
from .leaves import LeafSecret, ServedUser, holders_of_subjects, read_chain
from .names import USER_KEYSTORE, ClusterNames
from .secret_data import entries
from .users import TLS, User, Users

Object = Mapping[str, Any]


def are_served(ca: CaSecrets) -> bool:
    """Whether the key of the CA in use or of the next one is kept elsewhere."""
    return ca.in_use_elsewhere or any(one.elsewhere for one in ca.prepared)


def served_users(
    client: KubeClient,
    scope: ClusterNames,
    users: Users,
    ca: CaSecrets,
    ledger: Ledger | None,
    renewal_window: timedelta,
) -> dict[str, ServedUser]:
    """The users by their Secrets, which are read in full, so that a write rests on what was read; nothing private is kept. renewal_window: of users
    that say nothing themselves.
    """
    found = {
        user.secret: ServedUser(
            LeafSecret(user.secret, "user", Component.USER, user.name, users.namespace),
            user.renewal_window or renewal_window,
        )
        for user in _servable(users, scope)
    }

    def read(secret: dict[str, Any]) -> tuple[str, ServedUser] | None:
        name = str(secret["metadata"]["name"])
        return (name, _read(found[name], secret, users.clients_ca.stored, ca, ledger)) if name in found else None

    if found:
        found |= dict(client.each(SECRETS, users.namespace, read, label_selector=scope.user_selector))
    return found


def _servable(users: Users, scope: ClusterNames) -> Iterable[User]:
    """The users that the cluster's own User Operator serves, because it is unknown where another one finds its CA; without namesakes of
    the cluster's own processes, who could pass for these with a certificate, and without those whose name no certificate can have.
    """
    own = (one for one in _issued_to(users) if one.namespace == users.namespace and not one.unnameable)
    return (one for one in own if not _is_namesake(one, scope))


def _issued_to(users: Users) -> Iterable[User]:
    return (user for user in users.users if user.authentication == TLS)


def _read(user: ServedUser, secret: Object, in_use: bytes, ca: CaSecrets, ledger: Ledger | None) -> ServedUser:
    data = entries(secret)
    leaf = read_chain(user.where, secret, _generation(data.get(CURRENT, b""), in_use, ca, ledger))
    leaf = replace(leaf, renewal_window=user.renewal_window)
    return replace(
        user, stored=leaf, version=str(secret["metadata"]["resourceVersion"]), keystore=USER_KEYSTORE in data
    )


def _generation(beside: bytes, in_use: bytes, ca: CaSecrets, ledger: Ledger | None) -> int | None:
    """The generation of the CA that lies beside the certificate; None where that has other bytes than ``ca.crt``, because the User Operator compares
    bytes, or is none of the ledger.
    """
    if beside == in_use:
        return ca.certificate_generation
    known = (entry for entry in (ledger.entries if ledger else ()) if entry.generations)
    own = next((entry for entry in known if entry.certificate.pem.strip() in beside), None)
    former = (own.generations if own is not None else frozenset()) - {ca.certificate_generation}
    return max(former, default=None)


def namesakes(users: Users, scope: ClusterNames) -> tuple[str, ...]:
    """Users, as presenters are named, that a certificate would make processes of the cluster, were its issuer to add their organization."""
    return tuple(user.label for user in _issued_to(users) if _is_namesake(user, scope))


def _is_namesake(user: User, scope: ClusterNames) -> bool:
    return user.name in holders_of_subjects(scope.cluster)


def with_secrets(presenters: Iterable[Presenter], scope: ClusterNames, users: Users) -> tuple[Presenter, ...]:
    """The presenters, each with the Secret that its certificate would be written to here, if any would."""
    secrets = {user.label: user.secret for user in _servable(users, scope)}
    return tuple(replace(one, secret=secrets.get(one.name, "")) for one in presenters)
