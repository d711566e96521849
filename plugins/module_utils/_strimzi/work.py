# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What the apply layer works with: client, cluster, clock, settings."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Protocol

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeySpec, PrivateKey
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.outside_clients import NOTHING_SAID, Outside
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain


class Clock(Protocol):
    """Time as the apply layer sees it; the decisions get ``now`` from it through the snapshot."""

    def now(self) -> datetime:
        """The time of day, aware, UTC."""

    def monotonic(self) -> float:
        """Seconds that only go forward."""

    def sleep(self, seconds: float) -> None:
        """Let that much time pass."""


class Strategy(str, Enum):
    """Who restarts Kafka nodes: the operator's KafkaRoller when asked, or we ourselves under its rules."""

    OPERATOR = "operator"
    DIRECT = "direct"


@dataclass(frozen=True, repr=False)
class SuppliedAuthority:
    """A CA brought by the caller."""

    chain: Chain
    key: PrivateKey


@dataclass(frozen=True, repr=False)
class Settings:
    """How to carry steps out. Times are limits for waiting, not delays.

    validity: of new CAs and leaves. operator_timeout: for one reaction of the operator. pod_timeout: for one pod to
    come back. holder: who we are, in the Lease and on a pause. kafka_bootstrap: host:port of brokers, for the direct
    strategy; empty for the cluster's own Service. outside: what the user says about clients outside the cluster.
    """

    ca_key: KeySpec
    leaf_key: KeySpec
    validity: timedelta = timedelta(days=365)
    path_length: int | None = 1
    supplied: SuppliedAuthority | None = None
    operator_timeout: timedelta = timedelta(seconds=300)
    pod_timeout: timedelta = timedelta(seconds=600)
    holder: str = "trustops.strimzi"
    strategy: Strategy = Strategy.OPERATOR
    kafka_bootstrap: tuple[str, ...] = ()
    outside: Outside = NOTHING_SAID


class PortOpener(Protocol):
    """Opens ports of pods of the cluster's namespace."""

    def __call__(self, pod: str, port: int, *, timeout: float) -> AbstractContextManager[Any]:
        """A byte stream. timeout: seconds. Raises KubeError, OSError."""


class LookLive(Protocol):
    """Asks the running nodes."""

    def __call__(self, observation: Observation) -> tuple[ObservedListener, ...] | None:
        """What their listeners answered; None where nobody can be asked."""


def _silent(line: str) -> None:
    """Nobody listens."""


@dataclass(repr=False)
class Work:
    """Everything a step needs. report: called with one line per event. alive: called regularly while waiting.

    look_live: asks the running nodes before a gate; None where nobody is to be asked.
    open_ports: opens ports of pods, made when it is needed; None where no node is to be told anything.
    unreloadable: why nodes cannot be told to re-read anything from here, as a sentence.
    changed: whether anything was written; to be known also when a step fails half-way.
    """

    client: KubeClient
    scope: ClusterNames
    clock: Clock
    settings: Settings
    dry_run: bool = False
    report: Callable[[str], None] = field(default=_silent)
    alive: Callable[[], None] = field(default=lambda: None)
    look_live: LookLive | None = None
    open_ports: Callable[[], PortOpener] | None = None
    unreloadable: Callable[[], str] = field(default=lambda: "")
    changed: bool = False
