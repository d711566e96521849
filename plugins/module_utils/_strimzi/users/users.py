# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The KafkaUsers of a cluster, their certificates, and the programs that present them (docs/operator.md, "Users").
Lists are read in pages, and only facts of each Secret are kept, so that memory does not grow with private keys.

The steps that are left until a user has certificates of another issuer in the place of the User Operator's, or
the other way round. The User Operator deletes the Secret of a user that it finds with another authentication.
So a pause keeps the User Operator from the user, the Secret loses its labels and its owner, and only then does
the authentication change.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum
from functools import partial
from typing import Any

from ..._errors import Forbidden, StepError
from ..._kube.client import KubeClient, Remembered
from ..._kube.resources import SECRETS
from ..._pki.building import common_name_problem
from ..._trust.model.clients import NO_NAMED_PLACES, NamedPlaces, NamedSecret, ReissuePause, UserName, UserNamespace
from ..._trust.model.decision import Violation
from ..._trust.model.snapshot import UnlabelledSecret
from ..._trust.preconditions.absence import (
    absence_of_cluster,
    absence_of_operator,
    age_of_operator,
    deletion_of,
    is_too_old,
)
from .. import names
from ..cluster.ca_secrets import named_secrets
from ..cluster.kafka import (
    PAUSED,
    condition,
    days_of,
    is_observed,
    is_paused_by,
    note_absent_operator,
    read_operator_status,
    user_pause,
    why_operator_is_silent,
)
from ..cluster.observe import in_deletion, neighbours
from ..cluster.pods import find_pods
from ..cluster.taken_names import describe_owner
from ..names import KAFKA_USERS, KAFKAS, CaKind, ClusterNames
from ..secret_data import is_true, missing_labels
from .readers import Key, NamedCertificate, Reader, find_readers, read_named
from .secrets import ClientsCa, StoredUser, UserCertificate, read_clients_ca, stored_user

Object = Mapping[str, Any]

_OPAQUE = "Opaque"
#: Seconds in which the User Operator hears that a Secret is not its own any more, from an API server that answers at
#: once. Nothing shows that: a paused user gets no new status. It hears by a watch, or by a new list and watch where the
#: watch has just ended.
HEARING, ANSWERS_OF_HEARING = 10.0, 3


class Authentication(str, Enum):
    """The authentication of a user, which says which party issues its certificates."""

    TLS = "tls"
    TLS_EXTERNAL = "tls-external"


class UserStep(Enum):
    """A step that is left for a user, as a person would say it."""

    AWAIT_LOOK = "the User Operator has looked at it since an earlier pause"
    PAUSE = "pause reconciliation"
    AWAIT_PAUSE = "the User Operator confirms the pause"
    LET_GO = "take the labels and the owner off, so that the User Operator leaves it alone"
    AWAIT_HEARING = "the User Operator hears that it is not its own any more"
    CHANGE = "change the authentication"
    RESUME = "resume reconciliation"
    AWAIT = "the User Operator has seen the change"


@dataclass(frozen=True)
class SeenUser:
    """A KafkaUser with the Secret of its certificate."""

    #: The KafkaUser.
    resource: Object
    #: The Secret in which the User Operator keeps its certificate, where it exists.
    secret: Object | None
    #: Whether it holds a certificate of the CA in use, with its key.
    has_certificate: bool = False
    #: Whether the key of that CA is kept elsewhere.
    kept_elsewhere: bool = False
    #: The Secret that the User Operator keeps for it, by its owner, where neither the status nor the caller names it; empty where there is none.
    owned_secret: str = ""
    #: Of a kept Secret, how many seconds are left of the time in which the User Operator hears of the write that took it away.
    hears_in: float = HEARING

    @property
    def label(self) -> str:
        metadata = self.resource["metadata"]
        return f"{KAFKA_USERS.kind} {metadata['namespace']}/{metadata['name']}"

    @property
    def authentication(self) -> str:
        return str(((self.resource.get("spec") or {}).get("authentication") or {}).get("type") or "")

    @property
    def is_paused(self) -> bool:
        return is_true(self.resource, names.PAUSE_RECONCILIATION)

    @property
    def is_paused_here(self) -> bool:
        return is_paused_by(self.resource, names.PAUSED_FOR_AUTHENTICATION)

    @property
    def secret_in_status(self) -> str:
        """The name of the Secret in the KafkaUser's status; empty where the status names none."""
        return str((self.resource.get("status") or {}).get("secret") or "")

    @property
    def is_seen(self) -> bool:
        """Whether the User Operator has acted on what the resource says now."""
        ready = condition(self.resource, "Ready") and not condition(self.resource, PAUSED)
        return ready and is_observed(self.resource)

    @property
    def is_kept(self) -> bool:
        """Whether this collection has detached the Secret from the User Operator."""
        return names.KEPT_OF in self._labels

    @property
    def is_operated(self) -> bool:
        """Whether the User Operator takes the Secret for its own."""
        return self._labels.get(names.KIND_LABEL) == KAFKA_USERS.kind and names.CLUSTER_LABEL in self._labels

    @property
    def _labels(self) -> Mapping[str, str]:
        return ((self.secret or {"metadata": {}})["metadata"].get("labels")) or {}


def steps_left(seen: SeenUser, wanted: Authentication) -> tuple[UserStep, ...]:
    """In their order; none where it is done."""
    if seen.authentication == wanted.value:
        if seen.is_paused_here:
            return UserStep.RESUME, UserStep.AWAIT
        done = seen.is_seen and (wanted is Authentication.TLS_EXTERNAL or seen.has_certificate)
        return () if done else (UserStep.AWAIT,)
    if wanted is Authentication.TLS:
        return UserStep.CHANGE, UserStep.AWAIT
    if not seen.is_operated:
        hears = (UserStep.AWAIT_HEARING,) if seen.is_kept and seen.hears_in > 0 else ()
        return *hears, UserStep.CHANGE, UserStep.AWAIT
    told = condition(seen.resource, PAUSED)
    # A pause that has ended confirms nothing as long as the User Operator still says so.
    look = (UserStep.AWAIT_LOOK,) if told and not seen.is_paused else ()
    pause = () if seen.is_paused_here else (UserStep.PAUSE,)
    waits = () if seen.is_paused_here and told else (UserStep.AWAIT_PAUSE,)
    return *look, *pause, *waits, UserStep.LET_GO, UserStep.AWAIT_HEARING, UserStep.CHANGE, UserStep.AWAIT


def refuse(seen: SeenUser, wanted: Authentication, cluster: str) -> None:
    """Before anything is written. Raises StepError."""
    labels = seen.resource["metadata"].get("labels") or {}
    if labels.get(names.CLUSTER_LABEL) != cluster:
        raise StepError(
            seen.label, f"is no user of {cluster}", f"Its label {names.CLUSTER_LABEL} names the cluster it is of."
        )
    if seen.authentication not in list(Authentication):
        raise StepError(
            seen.label,
            f"has the authentication {seen.authentication or 'none'}",
            "Here a user changes from tls to tls-external and back; change any other in its resource.",
        )
    if seen.is_paused and not seen.is_paused_here:
        raise StepError(
            seen.label,
            f"is paused ({names.PAUSE_RECONCILIATION})",
            "Have the person or program that has paused it resume it; a flow on the clients CA resumes its users by itself.",
        )
    if wanted is Authentication.TLS and seen.authentication != wanted.value:
        if seen.kept_elsewhere:
            raise StepError(
                f"{seen.label}:",
                "the User Operator could issue it no certificate: the key of the clients CA is kept elsewhere",
                "Leave it with tls-external; or first replace the clients CA by a CA whose key is here (replace_key, without a CA to supply).",
            )
        _refuse_to_overwrite(seen)


def refuse_another_secret(seen: SeenUser, secret: str) -> None:
    """Refuse where the User Operator would delete the user's Secret, because the call named another
    Secret. Raises StepError.
    """
    known = seen.secret_in_status or seen.owned_secret
    if known in ("", secret):
        return
    namespace = seen.resource["metadata"]["namespace"]
    raise StepError(
        seen.label,
        f"has its certificate in Secret {namespace}/{known}, and not in Secret {namespace}/{secret}",
        "Give its namespace in user_namespaces, with the secret_prefix that its User Operator has in STRIMZI_SECRET_PREFIX.",
    )


def _refuse_to_overwrite(seen: SeenUser) -> None:
    if seen.secret is None:
        return
    metadata, kind = seen.secret["metadata"], seen.secret.get("type")
    name = f"Secret {metadata['namespace']}/{metadata['name']}"
    if kind != _OPAQUE:
        raise StepError(
            name,
            f"is of the type {kind}, and the User Operator could never write it: the type of a Secret cannot change",
            "Have its writer use another name, and delete this Secret when no application reads it.",
        )
    if not seen.is_kept and not seen.is_operated:
        raise StepError(
            name,
            f"belongs to another owner ({describe_owner(seen.secret)}), and the User Operator would overwrite it",
            "Have its writer use another name, and delete this Secret when no application reads it.",
        )


#: The authentication for which the User Operator issues certificates, and that for which another issuer does.
TLS, TLS_EXTERNAL = Authentication.TLS.value, Authentication.TLS_EXTERNAL.value


@dataclass(frozen=True)
class User:
    """A KafkaUser and its certificate."""

    #: Namespace of the KafkaUser.
    namespace: str
    #: Name of the KafkaUser.
    name: str
    #: Type of authentication in the KafkaUser; empty where it has none.
    authentication: str
    #: The Secret that the User Operator writes for the user.
    secret: str
    #: Whether the User Operator says that the user is ready. It says so of an earlier state until it has looked at the user again.
    ready: bool
    #: The pause that keeps the User Operator from the user; ``NONE`` where none does.
    pause: ReissuePause
    #: The certificate of the user; None where the user gets none.
    certificate: UserCertificate | None = None
    #: The resources and pods that read the Secret of the user.
    readers: tuple[Reader, ...] = ()
    #: How long before its end the User Operator renews the certificate; None: as long as the clients CA says.
    renewal_window: timedelta | None = None
    #: How long a certificate of the user is valid; None: as long as the clients CA says.
    life: timedelta | None = None
    #: Whether a User Operator watches the namespace of the user.
    watched: bool = True

    @property
    def unnameable(self) -> str:
        """Why no certificate can have its name, without a full stop; empty where a certificate can, or it gets none.
        The User Operator refuses it as well.
        """
        problem = common_name_problem(self.name) if self.authentication == TLS else ""
        return f"its name is that of no certificate: {problem}" if problem else ""

    @property
    def unlabelled(self) -> UnlabelledSecret | None:
        """The labels that its Secret has lost; None where it has all. No flow waits for them: the User Operator looks after its Secrets itself."""
        if self.certificate is None or not self.certificate.unlabelled:
            return None
        why = "without which the User Operator issues another certificate in its place"
        return UnlabelledSecret(self.certificate.unlabelled, why, holds=False)

    @property
    def full_name(self) -> UserName:
        return UserName(self.namespace, self.name)

    @property
    def label(self) -> str:
        return self.full_name.label

    @property
    def key(self) -> Key:
        return self.namespace, self.name

    @property
    def secret_key(self) -> Key:
        return self.namespace, self.secret


@dataclass(frozen=True)
class UnreadNamespace:
    """A namespace that counts as a place of users, and that this identity may not read in full."""

    #: The name of the namespace.
    name: str
    #: The refusal of the API server, without a full stop.
    problem: str
    #: The way in which that is permitted, as a sentence.
    remedy: str

    @classmethod
    def of(cls, name: str, error: Forbidden) -> UnreadNamespace:
        return cls(name, str(error).rstrip("."), error.remedy)


@dataclass(frozen=True)
class Users:
    """The users of a cluster."""

    #: The Kafka resource.
    kafka: Mapping[str, Any]
    #: The namespace that the cluster's User Operator watches.
    namespace: str
    #: Whether the Kafka resource has a User Operator, or a User Operator watches another namespace for it.
    has_operator: bool
    #: The clients CA as brokers and the User Operator see it.
    clients_ca: ClientsCa
    #: The KafkaUsers that belong to the cluster.
    users: tuple[User, ...] = field(default=())
    #: Certificates in Secrets that a person has named, and of users that moved or are gone.
    named_certificates: tuple[NamedCertificate, ...] = field(default=())
    #: Namespaces that count and may not be read in full.
    unread: tuple[UnreadNamespace, ...] = field(default=())
    #: Why it is unknown whether further namespaces have users of the cluster, as a sentence; empty where that is known, or the look did not ask.
    unsearched: str = ""
    #: The namespaces, beside that of the cluster, that are to count at the next look whatever User Operators watch then.
    namespaces: tuple[UserNamespace, ...] = field(default=())

    @property
    def other_namespaces(self) -> tuple[str, ...]:
        """Other namespaces in which a User Operator issues certificates, in order."""
        found = {user.namespace for user in self.users if user.authentication == TLS and user.watched}
        return tuple(sorted(found - {self.namespace}))

    def longest_life(self, usual: timedelta) -> timedelta:
        """How long a certificate is valid at most that the User Operator issues to a user with programs; the usual validity is for users without a setting.
        Users without a program do not count.
        """
        return max(
            (user.life or usual for user in self.users if user.authentication == TLS and user.readers), default=usual
        )


@dataclass(frozen=True)
class KnownUsers:
    """The users as a call keeps them between its looks."""

    #: The Secrets of users, as this call has read them.
    remembered: Remembered[StoredUser] = field(default_factory=Remembered)
    #: Whether something hangs on what is in the PKCS#12 files that lie beside certificates: to open all that another hand has written takes minutes for ten
    #: thousand.
    opens_keystores: bool = True

    def each(self, client: KubeClient, namespace: str, selector: str) -> Mapping[str, StoredUser]:
        """The Secrets in a namespace, by name. Raises KubeError."""
        read = partial(stored_user, opening=self.opens_keystores)
        if self.opens_keystores:
            return self.remembered.each(
                client, SECRETS, namespace, read, selector, lambda secret: not secret.is_unopened
            )
        found = self.remembered.each(client, SECRETS, namespace, read, selector)
        # A file that an earlier look has opened counts as unopened: equal clusters give equal snapshots.
        return {name: user.unopened for name, user in found.items()}


def read_users(
    client: KubeClient,
    scope: ClusterNames,
    now: datetime,
    asked: NamedPlaces = NO_NAMED_PLACES,
    remembered: tuple[UserNamespace, ...] = (),
) -> Users:
    """Secrets are read before pods, so a pod that is missing here started with the Secrets that were read, or later Secrets. Raises KubeError,
    StepError.
    """
    kafka = existing_kafka(client, scope)
    certificates = client.get_or_none(SECRETS, scope.namespace, scope.of(CaKind.CLIENTS).ca_certificate_secret)
    return users_of(
        client, scope, kafka, read_clients_ca(certificates), now, asked, KnownUsers(), FormerPlaces(remembered)
    )


def existing_kafka(client: KubeClient, scope: ClusterNames) -> Mapping[str, Any]:
    """Raises KubeError, StepError."""
    kafka = client.get_or_none(KAFKAS, scope.namespace, scope.cluster)
    if kafka is not None:
        return kafka
    absent = absence_of_cluster(f"Kafka {scope.namespace}/{scope.cluster}", neighbours(client, scope, anywhere=True))
    raise StepError(absent.subject, absent.message, absent.remedy)


def read_operated_kafka(
    client: KubeClient, scope: ClusterNames, now: datetime, sleep: Callable[[float], None]
) -> tuple[Mapping[str, Any], tuple[Violation, ...]]:
    """The Kafka resource, and why it does not stay, or no operator works on it that is new enough. Raises KubeError, StepError."""
    kafka = existing_kafka(client, scope)
    seen = note_absent_operator(read_operator_status(kafka), kafka, find_pods(client, scope, kafka, {}).node_traces)
    absent = seen.absence or why_operator_is_silent(client, scope.namespace, now, sleep)
    name, found = (
        f"Kafka {scope.namespace}/{scope.cluster}",
        [deletion_of(*one) for one in in_deletion("Kafka", [kafka])],
    )
    if absent:
        found.append(absence_of_operator(name, scope.namespace, absent))
    if is_too_old(seen.version):
        found.append(age_of_operator(name, seen.version))
    return kafka, tuple(found)


@dataclass(frozen=True)
class FormerPlaces:
    """Where users of a cluster may be left that no User Operator looks for."""

    #: The namespaces that the ledger remembers.
    remembered: tuple[UserNamespace, ...] = ()
    #: Whether to look for KafkaUsers of the cluster in all namespaces.
    everywhere: bool = True


def users_of(
    client: KubeClient,
    scope: ClusterNames,
    kafka: Mapping[str, Any],
    clients_ca: ClientsCa,
    now: datetime,
    asked: NamedPlaces,
    known: KnownUsers,
    former: FormerPlaces,
) -> Users:
    """The users of a cluster whose Kafka resource and clients CA have been read already.

    A namespace that no User Operator watches any more counts as long as users or their certificates are left there: brokers accept these whatever watches
    them.
    """
    operator = ((kafka.get("spec") or {}).get("entityOperator") or {}).get("userOperator")
    spaces = user_namespaces(kafka, scope, asked)
    reading = _Reading(client, scope, clients_ca, now, known)
    seen = [reading.read(space) for space in spaces]
    if operator is None and asked.user_namespaces and spaces[0] not in asked.user_namespaces:
        # The User Operators that the caller names look elsewhere.
        seen = [found.unwatched if found.space == spaces[0] else found for found in seen]
    watched = {space.name for space in spaces}
    if scope.namespace not in watched:
        # Users that were made before watchedNamespace was changed, or in the wrong namespace.
        seen.append(reading.read(UserNamespace(scope.namespace, spaces[0].secret_prefix)).unwatched)
    left = [space for space in former.remembered if space.name not in {*watched, scope.namespace}]
    looks, unsearched = [reading.read_former(space) for space in left], ""
    if former.everywhere:
        places = {scope.namespace, *watched, *(space.name for space in left)}
        further, unsearched = _search(reading, places, spaces[0].secret_prefix)
        looks += further
    seen += [look for look in looks if isinstance(look, _FoundUsers)]
    named = read_named(client, asked.presenting_secrets, clients_ca, now)
    given_by_caller = {given.secret for given in named}
    # A Secret that is the User Operator's again counts as that of its user.
    beside = (*(kept for found in seen for kept in found.kept), *(orphan for found in seen for orphan in found.orphans))
    found = Users(
        kafka, spaces[0].name, operator is not None or bool(asked.user_namespaces), clients_ca,
        tuple(user for found in seen for user in found.users),
        (*named, *(given for given in beside if given.secret not in given_by_caller)),
        unread=tuple(look for look in looks if isinstance(look, UnreadNamespace)), unsearched=unsearched,
    )  # fmt: skip
    found = _with_readers(client, [one.space.name for one in seen], {*watched, scope.namespace}, found)
    unreadable = (space for space in left if space.name in {one.name for one in found.unread})
    counting = (*spaces, *(one.space for one in seen if one.has_holders), *unreadable)
    return replace(found, namespaces=_beside(scope.namespace, counting))


def _beside(home: str, places: Iterable[UserNamespace]) -> tuple[UserNamespace, ...]:
    """Each of these namespaces once, in the order of their names, without that of the cluster."""
    found = {space.name: space for space in reversed(tuple(places)) if space.name != home}
    return tuple(found[name] for name in sorted(found))


def _search(
    reading: _Reading, places: Container[str], secret_prefix: str
) -> tuple[list[_FoundUsers | UnreadNamespace], str]:
    """The users of further namespaces, as far as a certificate there is of the CA; and why further namespaces are unknown, as a sentence.

    The label of a KafkaUser has the name of its cluster alone. A namespace with a cluster of the same name is passed over with its users, whose Secrets are no
    concern of this cluster.
    """

    def read(user: dict[str, Any]) -> str:
        return str(user["metadata"]["namespace"])

    selector = names.selector_of({names.CLUSTER_LABEL: reading.scope.cluster})
    try:
        homes = reading.client.each(KAFKA_USERS, None, read, label_selector=selector, metadata_only=True)
    except Forbidden as error:
        return [], _UNSEARCHED.format(error=str(error).rstrip("."))
    found: list[_FoundUsers | UnreadNamespace] = []
    for home in sorted(home for home in set(homes) if home not in places):
        if _has_namesake(reading, home):
            continue
        look = reading.read_former(UserNamespace(home, secret_prefix))
        if isinstance(look, UnreadNamespace):
            found.append(look)
        elif (own := look.with_certificates_of_the_ca).has_holders:
            found.append(own)
    return found, ""


def _has_namesake(reading: _Reading, namespace: str) -> bool:
    """Whether this namespace has a cluster of the same name, as far as this identity may know."""
    try:
        return reading.client.get_or_none(KAFKAS, namespace, reading.scope.cluster) is not None
    except Forbidden:
        return False


_UNSEARCHED = (
    "The call cannot see whether users of this cluster are left in a namespace that no User Operator watches any more, whose programs would be refused once "
    'their CA has left: {error}. Bind the ClusterRole "trustops-strimzi-users-anywhere" of docs/rbac.yml; or name their Secrets in presenting_secrets '
    "(strimzi_presenting_secrets)."
)


@dataclass(frozen=True)
class _FoundUsers:
    """The users of a cluster in one namespace, and their certificates."""

    #: The namespace, and the prefix of the Secrets of users there.
    space: UserNamespace
    #: The KafkaUsers of the cluster, in the order of their names.
    users: tuple[User, ...]
    #: Certificates that this collection has kept for a user whose certificates another issuer issues.
    kept: tuple[NamedCertificate, ...]
    #: Certificates in Secrets of users that are no user's: the KafkaUser is gone, has another authentication, or gets its certificate into another Secret.
    orphans: tuple[NamedCertificate, ...]

    @property
    def unwatched(self) -> _FoundUsers:
        """The same where no User Operator watches the namespace."""
        return replace(self, users=tuple(replace(user, watched=False) for user in self.users))

    @property
    def with_certificates_of_the_ca(self) -> _FoundUsers:
        """The same without the users and Secrets that hold no certificate of the CA."""
        users = (user for user in self.users if user.certificate is not None and user.certificate.authority is not None)
        kept, orphans = (
            tuple(given for given in some if given.certificate.authority is not None)
            for some in (self.kept, self.orphans)
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
    #: The clients CA by which certificates are judged.
    clients_ca: ClientsCa
    #: The time of the look.
    now: datetime
    #: The Secrets as the call keeps them between its looks.
    known: KnownUsers

    def read(self, space: UserNamespace) -> _FoundUsers:
        """Raises KubeError."""
        users, stored = _in_namespace(self.client, self.scope, space, self.clients_ca, self.now, self.known)
        operated = {user.secret for user in users if user.authentication == TLS}
        selector = names.selector_of({names.KEPT_OF: self.scope.cluster})
        kept = self.known.each(self.client, space.name, selector)
        orphans = {
            name: secret
            for name, secret in stored.items()
            if secret.has_certificate and name not in operated and name not in kept
        }
        left = {name: secret for name, secret in kept.items() if name not in operated}
        return _FoundUsers(space, tuple(users), tuple(self._judged(left, space)), tuple(self._judged(orphans, space)))

    def read_former(self, space: UserNamespace) -> _FoundUsers | UnreadNamespace:
        """The same of a namespace that no User Operator watches, where this identity may read it. Raises KubeError."""
        try:
            return self.read(space).unwatched
        except Forbidden as error:
            return UnreadNamespace.of(space.name, error)

    def _judged(self, stored: Mapping[str, StoredUser], space: UserNamespace) -> Iterator[NamedCertificate]:
        """The certificates in these Secrets, by name, in the order of their names: of users whose certificates another issuer issues now, or that are gone.
        Programs may still read them.
        """
        for name, secret in sorted(stored.items()):
            certificate = replace(
                secret.certificate.judged(self.clients_ca, self.now),
                ca_beside=self.clients_ca.current, keystore=secret.keystore, keystore_doubt=secret.keystore_doubt,
            )  # fmt: skip
            yield NamedCertificate(NamedSecret(space.name, name, names.USER_CERTIFICATE), certificate, is_kept=True)


def user_namespaces(kafka: Mapping[str, Any], scope: ClusterNames, asked: NamedPlaces) -> list[UserNamespace]:
    """The namespaces with users of the cluster, that of its own User Operator first. A User Operator that was installed by itself is known by what the caller
    says of its namespace.
    """
    operator = ((kafka.get("spec") or {}).get("entityOperator") or {}).get("userOperator")
    home = str((operator or {}).get("watchedNamespace") or scope.namespace)
    given = next((space for space in asked.user_namespaces if space.name == home), UserNamespace(home))
    own = given if operator is None else UserNamespace(home, str(operator.get("secretPrefix") or ""))
    return [own, *(other for other in dict.fromkeys(asked.user_namespaces) if other.name != home)]


def _in_namespace(
    client: KubeClient,
    scope: ClusterNames,
    space: UserNamespace,
    ca: ClientsCa,
    now: datetime,
    known: KnownUsers,
) -> tuple[list[User], Mapping[str, StoredUser]]:
    """The users of a namespace, in the order of their names; and the Secrets with the labels of users there, by name."""
    users = _listed(client, scope, space)
    wanted = {user.secret for user in users if user.authentication == TLS}
    certificates = {name: UserCertificate(problem=f"Secret {space.name}/{name} does not exist") for name in wanted}
    labels, beside = scope.user_labels, scope.of(CaKind.CLIENTS).beside_labels

    def read(secret: dict[str, Any]) -> tuple[str, UserCertificate]:
        judged = stored_user(secret, known.opens_keystores).judged(ca, now)
        # With the labels of users it would be the Secret of two users: cert-manager keeps the certificate of another user there.
        lost = missing_labels(secret, labels) if missing_labels(secret, beside) else ()
        return str(secret["metadata"]["name"]), replace(judged, unlabelled=lost)

    stored = known.each(client, space.name, scope.user_selector)
    certificates |= {name: stored[name].judged(ca, now) for name in wanted & stored.keys()}
    # Programs present what lies in a Secret, whatever its labels.
    certificates |= dict(named_secrets(client, space.name, wanted - stored.keys(), read))
    in_order = sorted(users, key=lambda user: user.name)
    certified = [
        replace(user, certificate=certificates[user.secret]) if user.authentication == TLS else user
        for user in in_order
    ]
    return certified, stored


def _listed(client: KubeClient, scope: ClusterNames, space: UserNamespace) -> list[User]:
    def read(user: dict[str, Any]) -> User:
        name = str(user["metadata"]["name"])
        authentication = (user.get("spec") or {}).get("authentication") or {}
        said = (user.get("status") or {}).get("conditions")
        ready = not said or condition(user, "Ready") or condition(user, PAUSED)
        return User(
            space.name, name, str(authentication.get("type") or ""), f"{space.secret_prefix}{name}", ready,
            user_pause(user), renewal_window=days_of(authentication.get("renewalDays")),
            life=days_of(authentication.get("validityDays")),
        )  # fmt: skip

    selector = names.selector_of({names.CLUSTER_LABEL: scope.cluster})
    return list(client.each(KAFKA_USERS, space.name, read, label_selector=selector))


def _with_readers(client: KubeClient, namespaces: Iterable[str], needed: Container[str], found: Users) -> Users:
    """The users with the readers of their Secrets in these namespaces. Where readers may not be listed, that ends the look in a namespace that it needs, and
    is unknown elsewhere. Raises KubeError.
    """
    own = {user.key: user.secret_key for user in found.users if user.certificate is not None}
    secrets = {*own.values(), *(given.secret.key for given in found.named_certificates)}
    named = [given.secret.namespace for given in found.named_certificates if not given.is_kept]
    readers: dict[Key, list[Reader]] = {}
    unread = list(found.unread)
    for namespace in dict.fromkeys([*namespaces, *named]):
        try:
            for secret, reader in find_readers(client, [namespace], secrets, own):
                readers.setdefault(secret, []).append(reader)
        except Forbidden as error:
            if namespace in needed or namespace in named:
                raise
            unread.append(UnreadNamespace.of(namespace, error))
    return replace(
        found,
        users=tuple(replace(user, readers=tuple(readers.get(user.secret_key, ()))) for user in found.users),
        named_certificates=tuple(
            replace(given, readers=tuple(readers.get(given.secret.key, ()))) for given in found.named_certificates
        ),
        unread=tuple(unread),
    )
