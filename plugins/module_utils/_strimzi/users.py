# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The KafkaUsers of a cluster, their certificates, and who presents them (docs/operator.md, "Users").

Lists are read in pages, and of each Secret only facts are kept, so that memory does not grow with private keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from .._kube.client import KubeClient
from .._kube.resources import SECRETS
from .._trust.model.presenters import ReissuePause
from . import names
from .errors import StepError
from .kafka import PAUSED, condition, user_pause
from .names import CaKind, ClusterNames
from .observe import neighbours
from .readers import Reader, find_readers
from .resources import KAFKA_USERS, KAFKAS
from .user_secrets import ClientsCa, UserCertificate, read_clients_ca, read_user_secret

#: The authentication for which the User Operator issues certificates.
TLS = "tls"


@dataclass(frozen=True)
class User:
    """authentication: as in its resource; empty where it has none. secret: the one that the User Operator writes. ready: as the User
    Operator has said; it says nothing of a user that it is only about to look at, or to look at again. certificate: None where it gets none.
    """

    name: str
    authentication: str
    secret: str
    ready: bool
    pause: ReissuePause
    certificate: UserCertificate | None = None
    readers: tuple[Reader, ...] = ()


@dataclass(frozen=True)
class Users:
    """kafka: the Kafka resource. namespace: where the User Operator looks. operated: whether there is one."""

    kafka: Mapping[str, Any]
    namespace: str
    operated: bool
    clients_ca: ClientsCa
    users: tuple[User, ...] = field(default=())


def read_users(client: KubeClient, scope: ClusterNames, now: datetime) -> Users:
    """Secrets are read before pods, so a pod that is missing here started with what was read, or newer. Raises KubeError,
    StepError.
    """
    kafka = client.get_or_none(KAFKAS, scope.namespace, scope.cluster)
    if kafka is None:
        known = ", ".join(neighbours(client, scope)) or "none"
        raise StepError(
            f"Kafka {scope.namespace}/{scope.cluster} does not exist.", f"The Kafka clusters there are: {known}."
        )
    certificates = client.get_or_none(SECRETS, scope.namespace, scope.of(CaKind.CLIENTS).ca_certificate_secret)
    return users_of(client, scope, kafka, read_clients_ca(certificates), now)


def users_of(
    client: KubeClient, scope: ClusterNames, kafka: Mapping[str, Any], clients_ca: ClientsCa, now: datetime
) -> Users:
    """The same of a cluster that has been read already."""
    operator = ((kafka.get("spec") or {}).get("entityOperator") or {}).get("userOperator")
    settings: Mapping[str, Any] = operator or {}
    namespace = str(settings.get("watchedNamespace") or scope.namespace)
    users = _listed(client, scope, namespace, str(settings.get("secretPrefix") or ""))
    users = _with_certificates(client, scope, namespace, users, clients_ca, now)
    return Users(kafka, namespace, operator is not None, clients_ca, _with_readers(client, namespace, users))


def _listed(client: KubeClient, scope: ClusterNames, namespace: str, prefix: str) -> dict[str, User]:
    """By their names, in order."""
    found = {}
    selector = names.selector_of({names.CLUSTER_LABEL: scope.cluster})
    for page in client.pages(KAFKA_USERS, namespace, label_selector=selector):
        for one in page.items:
            name = str(one["metadata"]["name"])
            kind = ((one.get("spec") or {}).get("authentication") or {}).get("type")
            said = (one.get("status") or {}).get("conditions")
            ready = not said or condition(one, "Ready") or condition(one, PAUSED)
            found[name] = User(name, str(kind or ""), f"{prefix}{name}", ready, user_pause(one))
    return dict(sorted(found.items()))


def _with_certificates(
    client: KubeClient, scope: ClusterNames, namespace: str, users: Mapping[str, User], ca: ClientsCa, now: datetime
) -> dict[str, User]:
    wanted = {user.secret: user for user in users.values() if user.authentication == TLS}
    certificates = {name: UserCertificate(problem=f"Secret {namespace}/{name} does not exist") for name in wanted}
    for page in client.pages(SECRETS, namespace, label_selector=scope.user_selector):
        read = {one["metadata"]["name"]: one for one in page.items if one["metadata"]["name"] in wanted}
        certificates |= {name: read_user_secret(one, ca, now) for name, one in read.items()}
    return {
        user.name: replace(user, certificate=certificates[user.secret]) if user.secret in certificates else user
        for user in users.values()
    }


def _with_readers(client: KubeClient, namespace: str, users: Mapping[str, User]) -> tuple[User, ...]:
    read = {user.name: user.secret for user in users.values() if user.certificate is not None}
    found: dict[str, list[Reader]] = {}
    for secret, reader in find_readers(client, namespace, read):
        found.setdefault(secret, []).append(reader)
    return tuple(replace(user, readers=tuple(found.get(user.secret, ()))) for user in users.values())
