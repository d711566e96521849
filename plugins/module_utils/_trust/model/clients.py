# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Parties outside the cluster.

Clients with a copy of the CAs, and the user's waivers for them; places named by the user, in which flows look for more
of them; and presenters: owners of certificates of the CA, and programs that read such certificates.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from ..._pki.certificates import Certificate
from ..._pki.verifiers import Verifier

#: A waiver lasts for one rotation.
LONGEST_WAIVER = timedelta(days=30)


class Follows(Enum):
    """The entries of the CA certificate Secret in the operator's copy for a client. The operator keeps the copy up to
    date.
    """

    #: No entry: the copy of the client comes from elsewhere.
    NOTHING = "nothing"
    #: The entry ``ca.crt`` alone.
    ISSUING = "issuing"
    #: Every entry.
    TRUSTED = "trusted"


@dataclass(frozen=True)
class OutsideClient:
    """A client outside the cluster, and its trusted CAs."""

    #: Kind, namespace and name of the client.
    name: str
    #: The certificates in the stored copy of the client; None if the copy is unreadable.
    trusts: tuple[Certificate, ...] | None
    #: The reason why its processes may trust other CAs than the copy contains, without a full stop; empty if they read
    #: the copy.
    doubt: str = ""
    #: The library whose path validation rules the client applies.
    verifier: Verifier = Verifier.JVM
    #: The entries of the CA certificate Secret that the operator copies to the client.
    follows: Follows = Follows.NOTHING
    #: The way in which the client comes to trust a CA, as a sentence.
    remedy: str = ""
    #: Whether the user says that the client trusts this cluster.
    declared: bool = False


#: The name in a waiver for the clock of the machine that runs this collection, if no answer of the API server tells the
#: time.
CLOCK = "the clock"
_OF_A_CA = re.compile("CA [0-9a-f]{64}")


def waived_as(certificate: Certificate) -> str:
    """The name in a waiver for a CA that breaks the key policy."""
    return f"CA {certificate.sha256}"


def is_of_a_ca(client: str) -> bool:
    """Whether this name in a waiver is a CA's."""
    return _OF_A_CA.fullmatch(client) is not None


@dataclass(frozen=True)
class Waiver:
    """A client outside that a run does not wait for; or a rebalance, the clock, or a CA, with a person to vouch for
    it.
    """

    #: The exact name of an outside client, of a KafkaRebalance, of a CA (``waived_as``), or ``CLOCK``.
    client: str
    #: When the waiver ends, with a time zone.
    until: datetime
    #: The reason, for results and the report.
    reason: str

    def is_valid_at(self, now: datetime) -> bool:
        return now < self.until <= now + LONGEST_WAIVER


@dataclass(frozen=True)
class NamedSecret:
    """A Secret named by a person."""

    #: The namespace of the Secret.
    namespace: str
    #: The name of the Secret.
    name: str
    #: Its only entry that counts; None for all of them.
    entry: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.namespace, self.name

    @property
    def text(self) -> str:
        """The name as a person gives it."""
        entry = f":{self.entry}" if self.entry else ""
        return f"{self.namespace}/{self.name}{entry}"

    @property
    def label(self) -> str:
        entry = f" entry {self.entry}" if self.entry else ""
        return f"Secret {self.namespace}/{self.name}{entry}"


@dataclass(frozen=True)
class UserNamespace:
    """A namespace with users of the cluster, or with programs that log in as them."""

    #: The name of the namespace.
    name: str
    #: The beginning of the names of their Secrets there, as the User Operator of the namespace is configured; empty if
    #: it adds none.
    secret_prefix: str = ""


@dataclass(frozen=True)
class NamedPlaces:
    """The places named by a user."""

    #: Secrets from which clients read the cluster CA.
    trusting_secrets: tuple[NamedSecret, ...] = ()
    #: Secrets with certificates of the clients CA by which they log in.
    presenting_secrets: tuple[NamedSecret, ...] = ()
    #: Namespaces beside the User Operator's own.
    user_namespaces: tuple[UserNamespace, ...] = ()


NO_NAMED_PLACES = NamedPlaces()


@dataclass(frozen=True)
class OutsideClients:
    """The clients outside the cluster, and the user's and this collection's measures for them."""

    #: The clients with a copy of the CA.
    clients: tuple[OutsideClient, ...] = ()
    #: The clients, of any kind, whose evidence flows do without for a time because the user says so.
    waivers: tuple[Waiver, ...] = ()
    #: Fingerprints of the certificates in the published bundle for clients; None if there is no such bundle.
    published: frozenset[str] | None = None
    #: The places outside the cluster that the user named for this call or for the flow under way.
    named_places: NamedPlaces = NO_NAMED_PLACES


NO_CLIENTS = OutsideClients()


class Renewal(Enum):
    """How a party comes to present certificates of another CA."""

    #: It issues them itself, with the key of the CA in use.
    AT_ONCE = "at once"
    #: They are issued again after the switch.
    ISSUED = "issued"
    #: An operator restarts it when its certificate has changed, or copies the certificate for it.
    FOLLOWED = "followed"
    #: A person has to restart it.
    BY_HAND = "by hand"


class ReissuePause(Enum):
    """The party that keeps the issuer from a presenter."""

    #: Nothing keeps the issuer from it.
    NONE = "none"
    #: This collection does, and the issuer has not confirmed it yet.
    ASKED = "asked"
    #: This collection does, and the issuer has confirmed it.
    OURS = "ours"
    #: Another writer does.
    FOREIGN = "foreign"
    #: The pause is over, and the issuer still reports it: it has not looked since, or is at work on it.
    ENDED = "ended"

    @property
    def lasts(self) -> bool:
        return self not in (ReissuePause.NONE, ReissuePause.ENDED)

    @property
    def is_ours(self) -> bool:
        return self in (ReissuePause.ASKED, ReissuePause.OURS)


@dataclass(frozen=True, order=True)
class UserName:
    """A KafkaUser."""

    #: The namespace of the KafkaUser.
    namespace: str
    #: The name of the KafkaUser.
    name: str

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"KafkaUser {self.namespace}/{self.name}"


@dataclass(frozen=True)
class Presenter:
    """A party outside the cluster that presents certificates of a CA."""

    #: Kind, namespace and name of the party.
    name: str
    #: SHA-1 fingerprints of the CAs that may have signed its certificate; None if they are unknown.
    authorities: frozenset[str] | None
    #: The source of this knowledge, or the reason for its lack, without a full stop.
    evidence: str
    #: How the party comes to present certificates of another CA.
    renewal: Renewal = Renewal.BY_HAND
    #: Whether another CA has come into use since the issue of its certificate.
    is_outdated: bool = False
    #: The way in which the party comes to present a certificate of the CA in use.
    remedy: str = ""
    #: The reason why its issuer would not issue the next certificate, without a full stop; empty if it would.
    hindrance: str = ""
    #: The pause that keeps the issuer from it for now.
    pause: ReissuePause = ReissuePause.NONE
    #: The Secret for its leaf, if this collection has to issue it; empty if it never has to.
    secret: str = ""
    #: Its KafkaUser, in whose namespace the Secret lies; None for any other party.
    user: UserName | None = None
    #: For a program that has read one issuer's certificates alone, this issuer and the owner of the certificate; empty
    #: for any other party.
    certificate_source: str = ""
    #: The end of the certificate in such a program; None if it may have read several.
    ends_at: datetime | None = None

    @property
    def is_followed(self) -> bool:
        """Whether an operator is about to bring it to its next certificate. If another writer has paused its user, none
        is issued.
        """
        return self.renewal is Renewal.FOLLOWED and self.pause is not ReissuePause.FOREIGN

    def is_behind(self, replaced: str | None) -> bool:
        """Whether an operator still has to replace its certificate, because this CA has issued it or may have. The CA
        that the flow replaces is named by its fingerprint; None if it replaces none.
        """
        return self.is_followed and (self.authorities is None or replaced in self.authorities)
