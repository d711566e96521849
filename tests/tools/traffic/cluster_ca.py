# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows about the cluster CA: nodes, components and clients that verify nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...kafka.tier import Tier
from ..support.outside_authority import OutsideOptions
from .clients import Demand, find_brokers
from .control import FOREIGN, run_control
from .fleet import TrustingFleet, trusting_fleet
from .flows import Flow
from .ledger import Ledger
from .listeners import PUBLIC
from .load import handshake_load
from .looking import LookingByClusterCa
from .scenario import Scenario
from .traffic import Controlled, Traffic, make_topic, play
from .trust import CaCrtHistory, issuing

_TOPIC = "traffic"


@dataclass
class ClusterTraffic(Traffic):
    clients: TrustingFleet
    #: The contents of ``ca.crt`` that its readers have read.
    ca_crt: CaCrtHistory

    def run(self, flow: Flow) -> None:
        """Clients load ``ca.crt`` alone wherever the flow leads them on from it; elsewhere, those that have nothing but the link certificate learn
        of the new CA, from the published bundle, when the old one is to leave.
        """
        led = not flow.rekeys or flow.leads_on(self.scenario.variant)
        self.ca_crt.begin_flow()
        self.clients.begin_flow(flow.keepers(self.scenario), by_ca_crt=led)
        if flow.restarts:
            self._restart_nodes()
        aim: dict[str, object] = {**flow.variables, **({"strimzi_replaces": issuing(self.tier)} if flow.aimed else {})}
        if flow.rekeys:
            aim.update(self.outside.issuer if flow.returns else self.outside.moving)
        if flow.links(self.scenario.variant) and not led:
            self._play(flow, strimzi_until_phase="use", **aim)
            self.clients.wait_no_longer()
        self._play(flow, **aim)

    def complaints(self, flow: Flow) -> Iterator[str]:
        """The refusals that nodes have logged of each other since their last start: their Raft clients do not trust what Secrets say."""
        nodes = {self.tier.pods.address(node): node for node in self.scenario.layout.nodes}
        for node in self.scenario.layout.nodes:
            refused = sorted(self.tier.refused_peers(node) & nodes.keys())
            yield from (f"{node} has refused {nodes[peer]}" for peer in refused)

    def control(self, names: Collection[str]) -> list[Controlled]:
        """Makes the mistake without clients, which would wait for the node that no client reaches. Those that read once read again before it: what
        the flows cost them is known.
        """
        if FOREIGN not in names:
            return []
        self.finish()
        self.clients.stop()
        self.ca_crt.begin_flow()
        return [run_control(self.tier, self.scenario.layout.brokers[-1], self.load)]

    def _play(self, flow: Flow, **aim: object) -> None:
        play(self.tier.cluster, flow.playbook, **self.scenario.variables, **aim).check()

    def _restart_nodes(self) -> None:
        """The operator restarts the nodes, one after the other."""
        before = self.tier.cluster.node_uids(self.tier.name)
        for node in self.scenario.layout.nodes:
            self.tier.ask_for_roll(node)
        self.tier.await_restarts(before)


@contextmanager
def cluster_traffic(
    tier: Tier, scenario: Scenario, outside: OutsideOptions, demand: Demand, folder: Path
) -> Iterator[ClusterTraffic]:
    make_topic(tier, scenario, _TOPIC)
    ledger, brokers = Ledger(), find_brokers(tier, scenario.layout.brokers, folder, PUBLIC, _TOPIC)
    looking = LookingByClusterCa(tier, scenario.layout)
    with (
        handshake_load(looking, demand.rate) as load,
        trusting_fleet(tier, brokers, demand, folder, ledger) as clients,
    ):
        yield ClusterTraffic(tier, scenario, outside, load, ledger, clients, looking.ca_crt)
