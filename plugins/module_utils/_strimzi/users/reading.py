# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Reading the users of a cluster, namespace by namespace (docs/operator.md, "Users").

Lists are read in pages, and only facts of each Secret are kept. So memory does not grow with private keys.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any

from ..._errors import Forbidden
from ..._kube.client import KubeClient, Remembered
from ..._kube.resources import SECRETS
from ..._trust.model.clients import NO_NAMED_PLACES, NamedPlaces, NamedSecret, UserNamespace
from ..._trust.preconditions.absence import absence_of_cluster
from .. import names
from ..cluster.ca_secrets import named_secrets
from ..cluster.kafka import PAUSED, condition, days_of, user_pause
from ..cluster.observe import neighbours
from ..names import KAFKA_USERS, KAFKAS, USER_CERTIFICATE, CaKind, ClusterNames
from ..secret_data import missing_labels
from ..user_certificate import ClientsCa, SecretKind, UserCertificate
from .readers import Key, Reader, find_readers, read_named
from .secrets import read_clients_ca, read_user_secret
from .users import TLS, UnreadNamespace, User, Users


@dataclass(frozen=True)
class KnownUsers:
    """The certificates of users as a call keeps them between its looks."""

    #: The Secrets of users, as this call has read them.
    remembered: Remembered[UserCertificate] = field(default_factory=Remembered)
    #: Whether a decision depends on the content of the PKCS#12 files beside certificates. To open all files of another
    #: program takes minutes for ten thousand.
    opens_keystores: bool = True

    def each(
        self, client: KubeClient, namespace: str, selector: str, kind: SecretKind = SecretKind.OF_USER
    ) -> Mapping[str, UserCertificate]:
        """The certificates in the Secrets of a namespace with these labels, by the name of the Secret, and not judged.
        Raises KubeError.
        """
        read = partial(read_user_secret, kind=kind, opening=self.opens_keystores)
        if self.opens_keystores:
            return self.remembered.each(client, SECRETS, namespace, read, selector, _is_opened)
        stored = self.remembered.each(client, SECRETS, namespace, read, selector)
        # A file opened by an earlier look counts as unopened: equal clusters give equal snapshots.
        return {
            name: replace(certificate, opening_problem=None) if certificate.needs_opening else certificate
            for name, certificate in stored.items()
        }


def _is_opened(certificate: UserCertificate) -> bool:
    return not certificate.needs_opening or certificate.opening_problem is not None


def read_users(
    client: KubeClient,
    scope: ClusterNames,
    now: datetime,
    named_places: NamedPlaces = NO_NAMED_PLACES,
    remembered: tuple[UserNamespace, ...] = (),
) -> Users:
    """The users of a cluster. Secrets are read before pods, so a pod that is missing here started with the read
    Secrets, or later Secrets. Raises KubeError, StepError.
    """
    kafka = existing_kafka(client, scope)
    certificates = client.get_or_none(SECRETS, scope.namespace, scope.of(CaKind.CLIENTS).ca_certificate_secret)
    return users_of(
        client, scope, kafka, read_clients_ca(certificates), now, named_places, KnownUsers(), FormerPlaces(remembered)
    )


def existing_kafka(client: KubeClient, scope: ClusterNames) -> Mapping[str, Any]:
    """Raises KubeError, StepError."""
    kafka = client.get_or_none(KAFKAS, scope.namespace, scope.cluster)
    if kafka is not None:
        return kafka
    name = f"Kafka {scope.namespace}/{scope.cluster}"
    raise absence_of_cluster(name, neighbours(client, scope, anywhere=True)).as_error()


@dataclass(frozen=True)
class FormerPlaces:
    """The namespaces in which users of a cluster may be left without a User Operator."""

    #: The namespaces in the ledger.
    remembered: tuple[UserNamespace, ...] = ()
    #: Whether to look for KafkaUsers of the cluster in all namespaces.
    everywhere: bool = True


def users_of(
    client: KubeClient,
    scope: ClusterNames,
    kafka: Mapping[str, Any],
    clients_ca: ClientsCa,
    now: datetime,
    named_places: NamedPlaces,
    known: KnownUsers,
    former: FormerPlaces,
) -> Users:
    """The users of a cluster, after the reading of its Kafka resource and clients CA.

    A namespace without a watching User Operator counts as long as users or their certificates are left there: brokers
    accept these certificates all the same.
    """
    operator = ((kafka.get("spec") or {}).get("entityOperator") or {}).get("userOperator")
    spaces = user_namespaces(kafka, scope, named_places)
    own = frozenset((scope.namespace, *(space.name for space in spaces)))
    left = [space for space in former.remembered if space.name not in own]
    reading = _Reading(client, scope, clients_ca, now, known)
    # If the Kafka resource has no User Operator, the User Operators that the caller names may look elsewhere.
    named_spaces = named_places.user_namespaces
    is_watched = operator is not None or not named_spaces or spaces[0] in named_spaces
    looks = _look_at_own(reading, spaces, is_watched)
    former_looks, unsearched = _look_at_former(reading, own, left, former.everywhere, spaces[0].secret_prefix)
    looks += [look for look in former_looks if isinstance(look, _NamespaceUsers)]
    unread = [look for look in former_looks if isinstance(look, UnreadNamespace)]
    users = tuple(user for look in looks for user in look.users)
    named = tuple(
        certificate.judged_by(clients_ca, now) for certificate in read_named(client, named_places.presenting_secrets)
    )
    certificates = (*named, *_not_among(named, looks))
    readers, without_readers = _read_readers(client, [look.space.name for look in looks], own, users, certificates)
    unread += without_readers
    unread_names = {space.name for space in unread}
    counting = (
        *spaces,
        *(look.space for look in looks if look.has_holders),
        *(space for space in left if space.name in unread_names),
    )
    return Users(
        kafka, spaces[0].name, operator is not None or bool(named_spaces), clients_ca, users, certificates, readers,
        tuple(unread), unsearched, _beside(scope.namespace, counting),
    )  # fmt: skip


def _look_at_own(reading: _Reading, spaces: Sequence[UserNamespace], is_watched: bool) -> list[_NamespaceUsers]:
    """The users of the namespaces with a watching User Operator, and of the cluster's own namespace; ``is_watched``
    tells whether a User Operator watches the first of these. Raises KubeError.
    """
    first, *others = (reading.read(space) for space in spaces)
    looks = [first if is_watched else first.unwatched, *others]
    if reading.scope.namespace not in {space.name for space in spaces}:
        # Users from before a change of watchedNamespace, or in the wrong namespace.
        looks.append(reading.read(UserNamespace(reading.scope.namespace, spaces[0].secret_prefix)).unwatched)
    return looks


def _look_at_former(
    reading: _Reading, own: frozenset[str], left: Sequence[UserNamespace], everywhere: bool, secret_prefix: str
) -> tuple[list[_NamespaceUsers | UnreadNamespace], str]:
    """The users of namespaces that no User Operator watches any more, and why further namespaces are unknown, as a
    sentence. Raises KubeError.
    """
    looks = [reading.read_former(space) for space in left]
    if not everywhere:
        return looks, ""
    further, unsearched = _search(reading, own.union(space.name for space in left), secret_prefix)
    return [*looks, *further], unsearched


def _not_among(named: Iterable[UserCertificate], looks: Sequence[_NamespaceUsers]) -> Iterator[UserCertificate]:
    """The certificates left in these namespaces, without the certificates named by the caller."""
    named_secrets = {certificate.secret for certificate in named}
    kept = (certificate for look in looks for certificate in look.kept)
    orphans = (certificate for look in looks for certificate in look.orphans)
    yield from (certificate for certificate in chain(kept, orphans) if certificate.secret not in named_secrets)


def _beside(home: str, places: Iterable[UserNamespace]) -> tuple[UserNamespace, ...]:
    """Each of these namespaces once, in the order of their names, without the cluster's."""
    spaces = {space.name: space for space in reversed(tuple(places)) if space.name != home}
    return tuple(spaces[name] for name in sorted(spaces))


def _search(
    reading: _Reading, places: Container[str], secret_prefix: str
) -> tuple[list[_NamespaceUsers | UnreadNamespace], str]:
    """The users of further namespaces with a certificate of the CA; and why further namespaces are unknown, as a
    sentence.

    The label of a KafkaUser has the name of its cluster alone. If a namespace has a cluster of the same name, it is
    passed over with its users: their Secrets are no concern of this cluster.
    """

    def read(user: dict[str, Any]) -> str:
        return str(user["metadata"]["namespace"])

    selector = names.selector_of({names.CLUSTER_LABEL: reading.scope.cluster})
    try:
        homes = reading.client.each(KAFKA_USERS, None, read, label_selector=selector, metadata_only=True)
    except Forbidden as error:
        return [], _UNSEARCHED.format(error=error.clause)
    looks: list[_NamespaceUsers | UnreadNamespace] = []
    for home in sorted(home for home in set(homes) if home not in places):
        if _has_namesake(reading, home):
            continue
        look = reading.read_former(UserNamespace(home, secret_prefix))
        if isinstance(look, UnreadNamespace):
            looks.append(look)
        elif (own := look.with_certificates_of_the_ca).has_holders:
            looks.append(own)
    return looks, ""


def _has_namesake(reading: _Reading, namespace: str) -> bool:
    """Whether this namespace has a cluster of the same name, as far as this identity may know."""
    try:
        return reading.client.get_or_none(KAFKAS, namespace, reading.scope.cluster) is not None
    except Forbidden:
        return False


_UNSEARCHED = (
    "The call cannot see whether users of this cluster are left in a namespace that no User Operator watches any more, "
    "whose programs would be refused once their CA has left: {error}. Bind the ClusterRole "
    '"trustops-strimzi-users-anywhere" of docs/rbac.yml; or name their Secrets in presenting_secrets '
    "(strimzi_presenting_secrets)."
)


@dataclass(frozen=True)
class _NamespaceUsers:
    """The users of a cluster in one namespace, and the certificates left there."""

    #: The namespace, and the prefix of the Secrets of users there.
    space: UserNamespace
    #: The KafkaUsers of the cluster, in the order of their names.
    users: tuple[User, ...]
    #: Certificates kept by this collection for a user of another issuer.
    kept: tuple[UserCertificate, ...]
    #: Certificates in Secrets of users without a user: the KafkaUser is gone, has another authentication, or gets its
    #: certificate into another Secret.
    orphans: tuple[UserCertificate, ...]

    @property
    def unwatched(self) -> _NamespaceUsers:
        """The same if no User Operator watches the namespace."""
        return replace(self, users=tuple(replace(user, watched=False) for user in self.users))

    @property
    def with_certificates_of_the_ca(self) -> _NamespaceUsers:
        """The same without users and Secrets if they contain no certificate of the CA."""
        users = (user for user in self.users if user.certificate is not None and user.certificate.authority is not None)
        kept, orphans = (
            tuple(certificate for certificate in certificates if certificate.authority is not None)
            for certificates in (self.kept, self.orphans)
        )
        return replace(self, users=tuple(users), kept=kept, orphans=orphans)

    @property
    def has_holders(self) -> bool:
        """Whether a user there has a certificate or is to get one, or a certificate is left."""
        return bool(self.kept or self.orphans) or any(user.authentication == TLS for user in self.users)


@dataclass(frozen=True)
class _Reading:
    """A look at the users of a cluster, namespace by namespace."""

    #: The client of the API server.
    client: KubeClient
    #: The names of the cluster.
    scope: ClusterNames
    #: The clients CA for judging certificates.
    clients_ca: ClientsCa
    #: The time of the look.
    now: datetime
    #: The Secrets, kept by the call between its looks.
    known: KnownUsers

    def read(self, space: UserNamespace) -> _NamespaceUsers:
        """The users and certificates of a namespace. Raises KubeError."""
        users = self._list(space)
        issued = {user.secret for user in users if user.authentication == TLS}
        stored = self.known.each(self.client, space.name, self.scope.user_selector)
        certificates = self._certificates_of(space, issued, stored)
        selector = names.selector_of({names.KEPT_OF: self.scope.cluster})
        kept = self.known.each(self.client, space.name, selector, SecretKind.LEFT)
        orphans = {
            name: replace(certificate, kind=SecretKind.LEFT)
            for name, certificate in stored.items()
            if not certificate.is_empty and name not in issued and name not in kept
        }
        return _NamespaceUsers(
            space,
            tuple(
                replace(user, certificate=certificates[user.secret]) if user.authentication == TLS else user
                for user in sorted(users, key=lambda user: user.name)
            ),
            self._judge({name: certificate for name, certificate in kept.items() if name not in issued}),
            self._judge(orphans),
        )

    def read_former(self, space: UserNamespace) -> _NamespaceUsers | UnreadNamespace:
        """The same of a namespace without a watching User Operator, if this identity may read it. Raises KubeError."""
        try:
            return self.read(space).unwatched
        except Forbidden as error:
            return UnreadNamespace.of(space.name, error)

    def _list(self, space: UserNamespace) -> Sequence[User]:
        """The users of a namespace, without their certificates."""

        def read(user: dict[str, Any]) -> User:
            name = str(user["metadata"]["name"])
            authentication = (user.get("spec") or {}).get("authentication") or {}
            conditions = (user.get("status") or {}).get("conditions")
            ready = not conditions or condition(user, "Ready") or condition(user, PAUSED)
            return User(
                space.name, name, str(authentication.get("type") or ""), f"{space.secret_prefix}{name}", ready,
                user_pause(user), renewal_window=days_of(authentication.get("renewalDays")),
                life=days_of(authentication.get("validityDays")),
            )  # fmt: skip

        selector = names.selector_of({names.CLUSTER_LABEL: self.scope.cluster})
        return self.client.each(KAFKA_USERS, space.name, read, label_selector=selector)

    def _certificates_of(
        self, space: UserNamespace, wanted: Set[str], stored: Mapping[str, UserCertificate]
    ) -> Mapping[str, UserCertificate]:
        """The certificate in each wanted Secret, by the name of the Secret. The Secrets with the labels of users are
        ``stored``. Another Secret counts too, because programs present its content.
        """
        labels, beside = self.scope.user_labels, self.scope.of(CaKind.CLIENTS).beside_labels

        def read(secret: dict[str, Any]) -> tuple[str, UserCertificate]:
            certificate = read_user_secret(secret, opening=self.known.opens_keystores)
            # If the Secret has the labels ``beside``, cert-manager keeps the certificate of another user in it. With
            # the labels of users it would be the Secret of two users.
            lost_labels = missing_labels(secret, labels) if missing_labels(secret, beside) else ()
            return certificate.secret.name, replace(certificate, lost_labels=lost_labels, version=None)

        others = dict(named_secrets(self.client, space.name, wanted - stored.keys(), read))
        return {
            name: certificate.judged_by(self.clients_ca, self.now)
            if (certificate := stored.get(name) or others.get(name)) is not None
            else _absent(space, name)
            for name in wanted
        }

    def _judge(self, certificates: Mapping[str, UserCertificate]) -> tuple[UserCertificate, ...]:
        """These certificates, in the order of the names of their Secrets."""
        return tuple(certificates[name].judged_by(self.clients_ca, self.now) for name in sorted(certificates))


def _absent(space: UserNamespace, name: str) -> UserCertificate:
    """The record of a user whose Secret does not exist."""
    secret = NamedSecret(space.name, name, USER_CERTIFICATE)
    return UserCertificate(secret, SecretKind.OF_USER, absence=f"Secret {space.name}/{name} does not exist")


def user_namespaces(kafka: Mapping[str, Any], scope: ClusterNames, named_places: NamedPlaces) -> list[UserNamespace]:
    """The namespaces with users of the cluster; the namespace of its own User Operator comes first. A User Operator
    installed by itself is known by the caller's statement about its namespace.
    """
    operator = ((kafka.get("spec") or {}).get("entityOperator") or {}).get("userOperator")
    home = str((operator or {}).get("watchedNamespace") or scope.namespace)
    named_space = next((space for space in named_places.user_namespaces if space.name == home), UserNamespace(home))
    own = named_space if operator is None else UserNamespace(home, str(operator.get("secretPrefix") or ""))
    return [own, *(other for other in dict.fromkeys(named_places.user_namespaces) if other.name != home)]


def _read_readers(
    client: KubeClient,
    namespaces: Iterable[str],
    needed: Container[str],
    users: Iterable[User],
    certificates: Iterable[UserCertificate],
) -> tuple[Mapping[Key, tuple[Reader, ...]], list[UnreadNamespace]]:
    """The readers of the Secrets of these users and certificates, by Secret; and the namespaces whose readers are
    unknown.

    The readers lie in these namespaces, or beside a Secret that an option names. If this identity may not list them in
    a needed namespace or beside such a Secret, the look ends. Raises KubeError.
    """
    own = {user.key: user.secret_key for user in users if user.certificate is not None}
    secrets = {*own.values(), *(certificate.secret.key for certificate in certificates)}
    named = [certificate.secret.namespace for certificate in certificates if certificate.kind is SecretKind.NAMED]
    readers: dict[Key, list[Reader]] = {}
    unread: list[UnreadNamespace] = []
    for namespace in dict.fromkeys([*namespaces, *named]):
        try:
            for secret, reader in find_readers(client, [namespace], secrets, own):
                readers.setdefault(secret, []).append(reader)
        except Forbidden as error:
            if namespace in needed or namespace in named:
                raise
            unread.append(UnreadNamespace.of(namespace, error))
    return {secret: tuple(read_by) for secret, read_by in readers.items()}, unread
