# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The KafkaUsers of a cluster, their certificates, and the programs that present them (docs/operator.md, "Users")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Any

from ..._errors import Forbidden
from ..._pki.building import common_name_problem
from ..._trust.model.clients import ReissuePause, UserName, UserNamespace
from ..._trust.model.snapshot import UnlabelledSecret
from ..user_certificate import ClientsCa, UserCertificate
from .readers import Key, Reader


class Authentication(str, Enum):
    """The authentication of a user. It says which party issues its certificates."""

    TLS = "tls"
    TLS_EXTERNAL = "tls-external"


#: The authentication with certificates from the User Operator, and the authentication with certificates from another
#: issuer.
TLS, TLS_EXTERNAL = Authentication.TLS.value, Authentication.TLS_EXTERNAL.value


@dataclass(frozen=True)
class User:
    """A KafkaUser and its certificate."""

    #: Namespace of the KafkaUser.
    namespace: str
    #: Name of the KafkaUser.
    name: str
    #: Type of authentication in the KafkaUser; empty if it has none.
    authentication: str
    #: The Secret from the User Operator for the user.
    secret: str
    #: Whether the User Operator reports the user ready. The report is about an earlier state until it has looked at the
    #: user again.
    ready: bool
    #: The pause of the User Operator for the user.
    pause: ReissuePause
    #: The certificate of the user, also if it is absent; None if the user gets none.
    certificate: UserCertificate | None = None
    #: How long before its end the User Operator renews the certificate; None for as long as the clients CA says.
    renewal_window: timedelta | None = None
    #: How long a certificate of the user is valid; None for as long as the clients CA says.
    life: timedelta | None = None
    #: Whether a User Operator watches the namespace of the user.
    watched: bool = True

    @property
    def unnameable(self) -> str:
        """Why no certificate can have its name, without a full stop; empty if a certificate can, or if it gets none.
        The User Operator refuses it as well.
        """
        problem = common_name_problem(self.name) if self.authentication == TLS else ""
        return f"no certificate can have its name: {problem}" if problem else ""

    @property
    def unlabelled(self) -> UnlabelledSecret | None:
        """The labels that its Secret has lost; None if it has all. No flow waits for them: the User Operator looks
        after its Secrets itself.
        """
        if self.certificate is None or not self.certificate.lost_labels:
            return None
        why = "without which the User Operator issues another certificate in its place"
        return UnlabelledSecret(self.certificate.lost_labels, why, holds=False)

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
    """A namespace that counts as a place of users, and is not fully readable for this identity."""

    #: The name of the namespace.
    name: str
    #: The refusal of the API server, without a full stop.
    problem: str
    #: The way to the permission, as a sentence.
    remedy: str

    @classmethod
    def of(cls, name: str, error: Forbidden) -> UnreadNamespace:
        return cls(name, error.clause, error.remedy)


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
    users: tuple[User, ...] = ()
    #: Certificates in Secrets named by a person, and of users that moved or are gone.
    named_certificates: tuple[UserCertificate, ...] = ()
    #: The resources and pods that read the Secrets of these users and certificates, by the namespace and name of the
    #: Secret.
    readers: Mapping[Key, tuple[Reader, ...]] = field(default_factory=dict)
    #: Namespaces that count but are not fully readable.
    unread: tuple[UnreadNamespace, ...] = ()
    #: Why it is unknown whether further namespaces have users of the cluster, as a sentence; empty if it is known, or
    #: if the look did not ask.
    unsearched: str = ""
    #: The namespaces, beside the cluster's, for the next look, whatever User Operators watch then.
    namespaces: tuple[UserNamespace, ...] = ()

    @property
    def other_namespaces(self) -> tuple[str, ...]:
        """Other namespaces in which a User Operator issues certificates, in order."""
        issuing = {user.namespace for user in self.users if user.authentication == TLS and user.watched}
        return tuple(sorted(issuing - {self.namespace}))

    def readers_of(self, secret: Key) -> tuple[Reader, ...]:
        """The resources and pods that read this Secret."""
        return self.readers.get(secret, ())

    def longest_life(self, usual: timedelta) -> timedelta:
        """The longest validity of a certificate from the User Operator for a user with programs. The usual validity is
        for users without a setting. Users without a program do not count.
        """
        presented = (user for user in self.users if user.authentication == TLS and self.readers_of(user.secret_key))
        return max((user.life or usual for user in presented), default=usual)
