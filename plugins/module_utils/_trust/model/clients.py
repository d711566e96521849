# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Clients outside the cluster that hold a copy of its CAs, and the waivers that a user gives for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from ..._pki.certificates import Certificate
from ..._pki.verifiers import Verifier

#: A waiver is for one rotation, not for good.
LONGEST_WAIVER = timedelta(days=30)


class Follows(Enum):
    """The entries of the CA certificate Secret that the operator copies to a client, and keeps up to date there.

    ISSUING: ``ca.crt`` alone. TRUSTED: every entry. NOTHING: its copy does not come from there.
    """

    NOTHING = "nothing"
    ISSUING = "issuing"
    TRUSTED = "trusted"


@dataclass(frozen=True)
class OutsideClient:
    """A client outside the cluster, and the CAs that it trusts."""

    #: Kind, namespace and name of the client.
    name: str
    #: The certificates in the stored copy of the client; None where the copy is unreadable.
    trusts: tuple[Certificate, ...] | None
    #: The reason why its processes may trust other CAs than the copy holds, without a full stop; empty where they read the copy.
    doubt: str = ""
    #: The library whose path validation rules the client applies.
    kind: Verifier = Verifier.JVM
    follows: Follows = Follows.NOTHING
    #: The way in which the client comes to trust a CA, as a sentence.
    remedy: str = ""
    #: Whether the user says that the client trusts this cluster.
    declared: bool = False


@dataclass(frozen=True)
class Waiver:
    """client: the exact name of an outside client. until: when it ends, aware. reason: for the audit."""

    client: str
    until: datetime
    reason: str

    def holds_at(self, now: datetime) -> bool:
        return now < self.until <= now + LONGEST_WAIVER


@dataclass(frozen=True)
class OutsideClients:
    """The clients outside the cluster, and what a user and this collection do about them."""

    #: The clients that hold a copy of the CA.
    clients: tuple[OutsideClient, ...] = ()
    #: The clients, of any kind, whose evidence flows do without for a time because the user says so.
    waivers: tuple[Waiver, ...] = ()
    #: Fingerprints of the certificates in the bundle that is published for clients; None where there is no such bundle.
    published: frozenset[str] | None = None


NO_CLIENTS = OutsideClients()
