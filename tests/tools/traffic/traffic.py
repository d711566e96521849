# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All that connects while flows about one CA run, and how these are run: what is particular to a CA."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ...api.running import Finished, Runner
from ...kafka.tier import PATIENCE, Tier
from ..cluster.bed_cluster import BedCluster
from ..cluster.kube import wait_for
from ..support.outside_authority import OutsideOptions
from .flows import Flow
from .ledger import Ledger, Window
from .load import Load
from .scenario import REPLICATION, Scenario
from .slots import Fleet

#: Kafka's tool for topics.
ADMINISTRATOR = "org.apache.kafka.tools.TopicCommand"


@dataclass(frozen=True)
class Controlled:
    """The consequences of a mistake that was made on purpose."""

    name: str
    #: How many handshakes failed.
    failures: int
    #: Some of these failures.
    examples: list[str]
    #: The parties that should have failed, and did not.
    unnoticed: list[str]
    #: How many handshakes failed in the seconds after the mistake was undone.
    afterwards: int
    #: How many handshakes succeeded in these seconds.
    done_afterwards: int


@dataclass
class Traffic(ABC):
    tier: Tier
    scenario: Scenario
    #: The place outside the cluster that the flows take their CAs from.
    outside: OutsideOptions
    load: Load
    ledger: Ledger
    clients: Fleet

    @abstractmethod
    def run(self, flow: Flow) -> None: ...

    @abstractmethod
    def complaints(self, flow: Flow) -> Iterator[str]:
        """Everything that is not as it has to be after this flow, beside failures and losses."""

    def figures(self, _window: Window) -> dict[str, int]:
        """The figures beside those of records and handshakes."""
        return {}

    def finish(self) -> None:
        """No more records, and all that were sent are read; a record that is not seen in a minute counts as lost."""
        self.clients.stop_producers()
        try:
            wait_for(lambda: self.ledger.missing() == 0, "all records being read")
        except TimeoutError as late:
            print(late, flush=True)

    @abstractmethod
    def control(self, names: Collection[str]) -> list[Controlled]:
        """Makes the named mistakes with this CA, as far as it has them, in an order in which one cluster can go through all of them."""


def play(cluster: BedCluster, playbook: str, **variables: object) -> Finished:
    """Twice as long as a playbook may take elsewhere: clients connect all the time, and get time to read."""
    return Runner(cluster, patience=2 * PATIENCE).flow(playbook, **variables)


def make_topic(tier: Tier, scenario: Scenario, topic: str) -> None:
    """A topic that outlives the restart of a broker."""
    asked, reached, *_others = scenario.layout.brokers
    create_topic(tier, asked, topic, bootstrap=reached, replicas=3)


def create_topic(tier: Tier, node: str, topic: str, *, bootstrap: str = "", replicas: int, partitions: int = 3) -> None:
    """bootstrap: the node that the tool in the pod of ``node`` asks; default: the same node."""
    arguments = ("--create", "--topic", topic, "--partitions", str(partitions), "--replication-factor", str(replicas))
    administer(tier, node, ADMINISTRATOR, *arguments, bootstrap=bootstrap)


def administer(tier: Tier, node: str, tool: str, *arguments: str, bootstrap: str = "") -> str:
    """Run one of Kafka's own tools in the pod of a node, and return its output. bootstrap: the node that it asks;
    default: the same node. Raises AssertionError if it fails.
    """
    server = f"{tier.host(bootstrap or node)}:{REPLICATION}"
    done = tier.pods.administer(node, tool, "--bootstrap-server", server, *arguments)
    if done.code:
        raise AssertionError(done.output)
    return done.output
