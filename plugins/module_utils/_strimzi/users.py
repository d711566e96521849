# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The KafkaUsers of a cluster, their certificates, and who presents them (docs/operator.md, "Users").

Lists are read in pages, and of each Secret only facts are kept, so that memory does not grow with private keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from .._errors import StepError
from .._kube.client import KubeClient
from .._kube.remembered import Remembered
from .._kube.resources import SECRETS
from .._pki.authorities import common_name_problem
from .._trust.model.named import NOTHING_NAMED, Named, NamedSecret, UserNamespace
from .._trust.model.presenters import ReissuePause
from .._trust.model.snapshot import UnlabelledSecret
from .._trust.preconditions.cluster import absence_of_cluster, absence_of_operator, deletion_of
from . import names
from .finding_secrets import named_secrets
from .kafka import PAUSED, condition, days_of, note_absent_operator, read_reconciliation, user_pause
from .named_certificates import NamedCertificate, read_named
from .names import CaKind, ClusterNames
from .observe import in_deletion, neighbours
from .readers import Key, Reader, find_readers
from .resources import KAFKA_USERS, KAFKAS
from .secret_data import missing_labels
from .user_authentication import Authentication
from .user_secrets import ClientsCa, StoredUser, UserCertificate, read_clients_ca, stored_user

#: The authentication for which the User Operator issues certificates, and that for which another issuer does.
TLS, TLS_EXTERNAL = Authentication.TLS.value, Authentication.TLS_EXTERNAL.value


@dataclass(frozen=True)
class User:
    """A KafkaUser and its certificate."""

    namespace: str
    name: str
    #: Type of authentication in the KafkaUser; empty where it has none.
    authentication: str
    #: The Secret that the User Operator writes for the user.
    secret: str
    #: Whether the User Operator says that the user is ready. It says so of an earlier state until it has looked at the user again.
    ready: bool
    pause: ReissuePause
    #: The certificate of the user; None where the user gets none.
    certificate: UserCertificate | None = None
    readers: tuple[Reader, ...] = ()
    #: How long before its end the User Operator renews the certificate; None: as long as the clients CA says.
    renewal_window: timedelta | None = None
    #: How long a certificate of the user is valid; None: as long as the clients CA says.
    life: timedelta | None = None
    #: Whether a User Operator watches the namespace of the user.
    watched: bool = True

    @property
    def unnameable(self) -> str:
        """Why no certificate can have its name, without a full stop; empty where one can, or it gets none. The User Operator refuses it as well."""
        problem = common_name_problem(self.name) if self.authentication == TLS else ""
        return f"its name is that of no certificate: {problem}" if problem else ""

    @property
    def unlabelled(self) -> UnlabelledSecret | None:
        """The labels that its Secret has lost; None where it has all. No flow waits for them: the User Operator looks after its Secrets itself."""
        if self.certificate is None or not self.certificate.unlabelled:
            return None
        why = "without which the User Operator issues another certificate in its place"
        return UnlabelledSecret(self.certificate.unlabelled, why, holds=False, namespace=self.namespace)

    @property
    def label(self) -> str:
        return f"KafkaUser {self.namespace}/{self.name}"

    @property
    def key(self) -> Key:
        return self.namespace, self.name

    @property
    def secret_key(self) -> Key:
        return self.namespace, self.secret


@dataclass(frozen=True)
class Users:
    """The users of a cluster."""

    #: The Kafka resource.
    kafka: Mapping[str, Any]
    #: The namespace that the cluster's User Operator watches.
    namespace: str
    #: Whether the Kafka resource has a User Operator, or one watches another namespace for it.
    operated: bool
    clients_ca: ClientsCa
    users: tuple[User, ...] = field(default=())
    #: Certificates in Secrets that a person has named, and of users that moved or are gone.
    named: tuple[NamedCertificate, ...] = field(default=())

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """Other namespaces in which a User Operator issues certificates, in order."""
        found = {user.namespace for user in self.users if user.authentication == TLS and user.watched}
        return tuple(sorted(found - {self.namespace}))

    def longest_life(self, usual: timedelta) -> timedelta:
        """How long a certificate is valid at most that the User Operator issues to a user with programs. usual: of users that say nothing themselves.

        A user without a program says nothing of how long those of others present what they have read.
        """
        return max(
            (one.life or usual for one in self.users if one.authentication == TLS and one.readers), default=usual
        )


@dataclass(frozen=True)
class KnownUsers:
    """remembered: the Secrets of users, as this call has read them. opening: whether something hangs on what is in the PKCS#12 files that lie beside
    certificates: to open all that another hand has written takes minutes for ten thousand.
    """

    remembered: Remembered[StoredUser] = field(default_factory=Remembered)
    opening: bool = True

    def each(self, client: KubeClient, namespace: str, selector: str) -> Mapping[str, StoredUser]:
        """The Secrets in a namespace, by name. Raises KubeError."""
        read = partial(stored_user, opening=self.opening)
        if self.opening:
            return self.remembered.each(client, SECRETS, namespace, read, selector, lambda one: not one.is_unopened)
        found = self.remembered.each(client, SECRETS, namespace, read, selector)
        # A file that an earlier look has opened counts as unopened: equal clusters give equal snapshots.
        return {name: one.unopened for name, one in found.items()}


def read_users(client: KubeClient, scope: ClusterNames, now: datetime, asked: Named = NOTHING_NAMED) -> Users:
    """Secrets are read before pods, so a pod that is missing here started with what was read, or newer. Raises KubeError,
    StepError.
    """
    kafka = existing_kafka(client, scope)
    certificates = client.get_or_none(SECRETS, scope.namespace, scope.of(CaKind.CLIENTS).ca_certificate_secret)
    return users_of(client, scope, kafka, read_clients_ca(certificates), now, asked, KnownUsers())


def existing_kafka(client: KubeClient, scope: ClusterNames) -> Mapping[str, Any]:
    """Raises KubeError, StepError."""
    kafka = client.get_or_none(KAFKAS, scope.namespace, scope.cluster)
    if kafka is not None:
        return kafka
    absent = absence_of_cluster(f"Kafka {scope.namespace}/{scope.cluster}", neighbours(client, scope, anywhere=True))
    raise StepError(absent.subject, absent.message, absent.remedy)


def operated_kafka(client: KubeClient, scope: ClusterNames) -> Mapping[str, Any]:
    """The Kafka resource, which stays, and which an operator works on. Raises KubeError, StepError."""
    kafka = existing_kafka(client, scope)
    name, absent = (
        f"Kafka {scope.namespace}/{scope.cluster}",
        note_absent_operator(read_reconciliation(kafka, scope), kafka).absent,
    )
    found = [deletion_of(*one) for one in in_deletion("Kafka", [kafka])]
    for violation in (*found, *([absence_of_operator(name, scope.namespace, absent)] if absent else ())):
        raise StepError(violation.subject, violation.message, violation.remedy)
    return kafka


def users_of(
    client: KubeClient,
    scope: ClusterNames,
    kafka: Mapping[str, Any],
    clients_ca: ClientsCa,
    now: datetime,
    asked: Named,
    known: KnownUsers,
) -> Users:
    """The users of a cluster whose Kafka resource and clients CA have been read already."""
    operator = ((kafka.get("spec") or {}).get("entityOperator") or {}).get("userOperator")
    spaces = user_namespaces(kafka, scope, asked)
    users = [user for space in spaces for user in _in_namespace(client, scope, space, clients_ca, now, known)]
    left: list[NamedSecret] = []
    if scope.namespace not in {space.name for space in spaces}:
        # Users that were made before watchedNamespace was changed, or in the wrong namespace.
        here = UserNamespace(scope.namespace, spaces[0].secret_prefix)
        users += [replace(one, watched=False) for one in _in_namespace(client, scope, here, clients_ca, now, known)]
        left = list(_without_user(client, scope, {one.secret for one in users if not one.watched}))
    named = read_named(client, asked.presenting, clients_ca, now)
    seen = {one.secret for one in named}
    beside = (*_kept(client, scope, users), *left)
    kept = read_named(client, [one for one in beside if one not in seen], clients_ca, now)
    named += tuple(replace(one, is_kept=True) for one in kept)
    operated = operator is not None or bool(asked.user_namespaces)
    found = Users(kafka, spaces[0].name, operated, clients_ca, tuple(users), named)
    return _with_readers(client, dict.fromkeys((*(space.name for space in spaces), scope.namespace)), found)


def user_namespaces(kafka: Mapping[str, Any], scope: ClusterNames, asked: Named) -> list[UserNamespace]:
    """The namespaces with users of the cluster, that of its own User Operator first."""
    operator = ((kafka.get("spec") or {}).get("entityOperator") or {}).get("userOperator") or {}
    own = UserNamespace(
        str(operator.get("watchedNamespace") or scope.namespace), str(operator.get("secretPrefix") or "")
    )
    return [own, *(other for other in dict.fromkeys(asked.user_namespaces) if other.name != own.name)]


def _in_namespace(
    client: KubeClient,
    scope: ClusterNames,
    space: UserNamespace,
    ca: ClientsCa,
    now: datetime,
    known: KnownUsers,
) -> Iterator[User]:
    """The users of a namespace, in the order of their names."""
    users = _listed(client, scope, space)
    wanted = {user.secret for user in users if user.authentication == TLS}
    certificates = {name: UserCertificate(problem=f"Secret {space.name}/{name} does not exist") for name in wanted}
    labels = scope.user_labels

    def read(secret: dict[str, Any]) -> tuple[str, UserCertificate]:
        judged = stored_user(secret, known.opening).judged(ca, now)
        return str(secret["metadata"]["name"]), replace(judged, unlabelled=missing_labels(secret, labels))

    stored = known.each(client, space.name, scope.user_selector)
    certificates |= {name: stored[name].judged(ca, now) for name in wanted & stored.keys()}
    # Programs present what lies in a Secret, whatever its labels.
    certificates |= dict(named_secrets(client, space.name, wanted - stored.keys(), read))
    for user in sorted(users, key=lambda one: one.name):
        yield replace(user, certificate=certificates[user.secret]) if user.authentication == TLS else user


def _kept(client: KubeClient, scope: ClusterNames, users: Iterable[User]) -> Iterator[NamedSecret]:
    """Secrets of users whose certificates another issuer issues now: what was issued to them before may still be read."""
    for namespace in sorted({user.namespace for user in users if user.authentication == TLS_EXTERNAL}):
        kept = names.selector_of({names.KEPT_OF: scope.cluster})
        found = client.each(SECRETS, namespace, _name, label_selector=kept, metadata_only=True)
        yield from (NamedSecret(namespace, name, names.USER_CERTIFICATE) for name in found)


def _without_user(client: KubeClient, scope: ClusterNames, known: Collection[str]) -> Iterator[NamedSecret]:
    """Secrets of users in the namespace of the cluster whose KafkaUser is gone, where no User Operator has seen that. known: those that have one."""
    found = client.each(SECRETS, scope.namespace, _name, label_selector=scope.user_selector, metadata_only=True)
    yield from (NamedSecret(scope.namespace, one, names.USER_CERTIFICATE) for one in found if one not in known)


def _name(one: Mapping[str, Any]) -> str:
    return str(one["metadata"]["name"])


def _listed(client: KubeClient, scope: ClusterNames, space: UserNamespace) -> list[User]:
    def read(one: dict[str, Any]) -> User:
        name = str(one["metadata"]["name"])
        authentication = (one.get("spec") or {}).get("authentication") or {}
        said = (one.get("status") or {}).get("conditions")
        ready = not said or condition(one, "Ready") or condition(one, PAUSED)
        return User(
            space.name, name, str(authentication.get("type") or ""), f"{space.secret_prefix}{name}", ready,
            user_pause(one), renewal_window=days_of(authentication.get("renewalDays")),
            life=days_of(authentication.get("validityDays")),
        )  # fmt: skip

    selector = names.selector_of({names.CLUSTER_LABEL: scope.cluster})
    return list(client.each(KAFKA_USERS, space.name, read, label_selector=selector))


def _with_readers(client: KubeClient, namespaces: Iterable[str], found: Users) -> Users:
    own = {user.key: user.secret_key for user in found.users if user.certificate is not None}
    secrets = {*own.values(), *(one.secret.key for one in found.named)}
    homes = dict.fromkeys([*namespaces, *(one.secret.namespace for one in found.named)])
    readers: dict[Key, list[Reader]] = {}
    for secret, reader in find_readers(client, homes, secrets, own):
        readers.setdefault(secret, []).append(reader)
    return replace(
        found,
        users=tuple(replace(user, readers=tuple(readers.get(user.secret_key, ()))) for user in found.users),
        named=tuple(replace(one, readers=tuple(readers.get(one.secret.key, ()))) for one in found.named),
    )
