# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The tools of whatever carries out steps: client, cluster, clock, settings."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Protocol

from .._kube.client import KubeClient
from .._kube.remembered import Remembered
from .._leaves.key import RotationPolicy
from .._pki.certificates import Chain
from .._pki.keys import KeySpec, PrivateKey
from .._trust.model.listeners import ObservedListener
from .actions import Action
from .ca_source import CaSourceReference
from .issuer_settings import ExternalIssuer, IssuerSettings
from .names import CaKind, ClusterNames
from .observe import Observation, observe
from .observe_clients import observe_clients_ca
from .outside_clients import NOTHING_SAID, Outside
from .user_secrets import StoredUser
from .wanted_nodes import NO_GROWTH, Growth
from .written import Written


class Clock(Protocol):
    """Time as the apply layer sees it; the decisions get ``now`` from it through the snapshot."""

    def now(self) -> datetime:
        """The time of day, aware, UTC."""

    def monotonic(self) -> float:
        """Seconds that only go forward."""

    def sleep(self, seconds: float) -> None:
        """Let that much time pass."""


class Strategy(str, Enum):
    """The program that restarts Kafka nodes: the operator's KafkaRoller when asked, or this collection under the same
    rules.
    """

    OPERATOR = "operator"
    DIRECT = "direct"


@dataclass(frozen=True, repr=False)
class SuppliedAuthority:
    """A CA brought by the caller. key: None where it is kept elsewhere."""

    chain: Chain
    key: PrivateKey | None


@dataclass(frozen=True, repr=False)
class Settings:
    """How to carry steps out. Times are limits for waiting, not delays."""

    ca_key: KeySpec
    leaf_key: KeySpec
    #: Life of new CAs and leaves; None: as long as the Kafka resource has the operator issue them for.
    validity: timedelta | None = None
    #: Path length of new CAs; None: any number of CAs below them.
    path_length: int | None = 1
    #: A CA that the caller brings, with its key.
    supplied: SuppliedAuthority | None = None
    #: Limit for one reaction of the operator.
    operator_timeout: timedelta = timedelta(seconds=300)
    #: Limit for one pod to come back.
    pod_timeout: timedelta = timedelta(seconds=600)
    #: The name of this call, in the Lease and on a pause.
    holder: str = "trustops.strimzi"
    strategy: Strategy = Strategy.OPERATOR
    #: Host:port of brokers, for the direct strategy; empty for the cluster's own Service.
    kafka_bootstrap: tuple[str, ...] = ()
    #: The statements of the user about clients outside the cluster.
    outside: Outside = NOTHING_SAID
    #: The issuer of leaves of a CA whose key is kept elsewhere.
    issuer: IssuerSettings = field(default_factory=ExternalIssuer)
    #: The rule by which a new leaf gets a new key.
    rotation: RotationPolicy = RotationPolicy.ALWAYS
    #: The object that holds the CAs to trust; None where the user names none.
    source: CaSourceReference | None = None
    #: The nodes that the caller is about to add.
    growth: Growth = NO_GROWTH
    #: DNS domain of the Kubernetes cluster; empty: read it from a leaf.
    dns_domain: str = ""


class PortOpener(Protocol):
    """Opens ports of pods of the cluster's namespace."""

    def __call__(self, pod: str, port: int, *, timeout: float) -> AbstractContextManager[Any]:
        """A byte stream. timeout: seconds. Raises KubeError, OSError."""


class LookLive(Protocol):
    """Asks the running nodes."""

    def __call__(self, observation: Observation) -> tuple[ObservedListener, ...] | None:
        """The answers of their listeners; None where no node can be asked."""


def _silent(line: str) -> None:
    """Show no line."""


@dataclass(repr=False)
class Work:
    """Everything that carrying out a step needs."""

    client: KubeClient
    scope: ClusterNames
    clock: Clock
    settings: Settings
    dry_run: bool = False
    #: Shows people one line for each event.
    report: Callable[[str], None] = field(default=_silent)
    #: Shows people what the call is about to do or wait for.
    begin: Callable[[str], None] = field(default=_silent)
    #: Renews the Lease; waits call it regularly.
    alive: Callable[[], None] = field(default=lambda: None)
    #: Releases the Lease; a wait in which other runs may work calls it first.
    let_go: Callable[[], None] = field(default=lambda: None)
    #: Asks the running nodes before a gate; None where the call goes by stored evidence.
    look_live: LookLive | None = None
    #: Makes the way to ports of pods; None where the call sends nodes no request.
    open_ports: Callable[[], PortOpener] | None = None
    #: The reason why nodes cannot reload, as a sentence; empty where they can.
    unreloadable: Callable[[], str] = field(default=lambda: "")
    #: Takes each action as soon as it is done.
    announce: Callable[[Action], None] = field(default=lambda action: None)
    #: The actions of the call so far, in order; in a dry run those that it would take. The list is right also after a step that fails half-way.
    actions: list[Action] = field(default_factory=list)
    #: Sentences about a pause that this call leaves behind; empty where it leaves none.
    pause_left: str = ""
    #: Sentences about a CA that this call has made user-managed without a ledger; empty where there is none.
    unadopted: str = ""
    #: The fields that this call has written.
    written: Written = field(default_factory=Written)
    #: The Secrets of users as this call has read them.
    user_secrets: Remembered[StoredUser] = field(default_factory=Remembered)
    #: Sentences that the call shows people, whether it fails or not.
    warnings: list[str] = field(default_factory=list)

    def observe(self) -> Observation:
        """The cluster as it is stored now. Raises KubeError."""
        settings = self.settings
        if self.scope.ca is CaKind.CLIENTS:
            return observe_clients_ca(
                self.client, self.scope, self.clock.now(), settings.outside, settings.source, self.user_secrets
            )
        return observe(
            self.client, self.scope, self.clock.now(), settings.outside, settings.source, settings.growth, settings.dns_domain
        )  # fmt: skip

    def validity(self, observation: Observation) -> timedelta:
        """How long a CA or a leaf is valid that is made or asked for now."""
        return self.settings.validity or observation.snapshot.leaves.validity

    def record(self, action: Action) -> None:
        """Note what was done as soon as it is, so that it is told also where what comes next fails."""
        self.actions.append(action)
        if not self.dry_run:
            self.announce(action)

    def tell(self, line: str) -> None:
        """Show one line to people who watch."""
        self.report(f"[{self.scope.namespace}/{self.scope.cluster}] {line}")
