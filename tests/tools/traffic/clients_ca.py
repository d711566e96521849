# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows about the clients CA: users and programs that log in with a certificate, and their operators."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ...api.running import Finished
from ...kafka.beside import UserOperators, user_operators
from ...kafka.tier import Tier
from ..cluster.kube import wait_for
from ..operator.api import ready
from ..operator.connect import logging_in
from ..support.outside_authority import OutsideOptions
from ..support.users import kafka_user
from .clients import Demand, find_brokers
from .clients_control import PROMOTED, RETIRED, promote_too_early, retire_too_early
from .flows import CLIENTS, Flow
from .ledger import Ledger, Window
from .listeners import USERS
from .load import handshake_load
from .logging_in import APPLICATION, CONNECT, KEPT, LOGGING_IN, PORTS, WORKER
from .looking import LookingByClientsCa
from .refusals import Refusals
from .scenario import Scenario
from .traffic import Controlled, Traffic, make_topic, play
from .trust import issuing
from .users_fleet import UsersFleet, users_fleet

_TOPIC = "logins"


@dataclass
class ClientsTraffic(Traffic):
    clients: UsersFleet
    operators: UserOperators
    #: The Secret of a user whose certificate has to be refused when a flow has ended.
    replaced: Mapping[str, bytes] = field(default_factory=dict)
    #: Whether the flow waited for what reads its Secret only once.
    waited: bool = False
    #: The further counts of each flow, beside records and handshakes.
    counted: dict[str, dict[str, int]] = field(default_factory=dict)

    def run(self, flow: Flow) -> None:
        refusals, restarts = Refusals(self.tier, self.scenario.layout.brokers), self.operators.connects.restarts
        if flow.undoes:
            self._play("replace_key", strimzi_until_phase="use", strimzi_replaces=issuing(self.tier, CLIENTS)).check()
        self.replaced = self.tier.secret(KEPT)
        aim = {"strimzi_replaces": issuing(self.tier, CLIENTS)} if flow.aimed else {}
        self._finish(self._play(flow.playbook, **flow.variables, **aim))
        self.counted[flow.name] = {
            "refused_by_brokers": refusals.count(),
            "restarts_of_connect": self.operators.connects.restarts - restarts,
        }

    def _finish(self, done: Finished) -> None:
        """Where the flow has ended because it waits for a program, the owner restarts that, and the flow goes on."""
        self.waited = self._waits(done)
        if self.waited:
            self.clients.restart_kept()
            done = self._play("reconcile")
        done.check()

    def _waits(self, done: Finished) -> bool:
        return done.code != 0 and f"Pod {self.tier.cluster.namespace}/{APPLICATION}" in done.output

    def complaints(self, flow: Flow) -> Iterator[str]:
        if not flow.rekeys:
            return
        if not self.waited:
            yield f"{flow.name} has not waited for {APPLICATION}"
        for node in self.scenario.layout.brokers:
            for port in PORTS:
                shown = self.tier.shake_hands(node, port, self.replaced["user.crt"], self.replaced["user.key"])
                if not shown.refusal:
                    yield f"{node}:{port} lets in who has a certificate of the CA that was replaced"

    def figures(self, window: Window) -> dict[str, int]:
        return self.counted[window.name]

    def control(self, names: Collection[str]) -> list[Controlled]:
        chosen = [mistake for name, mistake in self._mistakes.items() if name in names]
        if chosen:
            self._play("upgrade").check()
        return [mistake() for mistake in chosen]

    @property
    def _mistakes(self) -> dict[str, Callable[[], Controlled]]:
        return {
            PROMOTED: lambda: promote_too_early(self.tier, self.load, self.ledger, self.clients.libraries),
            RETIRED: lambda: retire_too_early(self.tier, self.load, self._rotate, self.clients.restart_kept),
        }

    def _rotate(self, **variables: object) -> None:
        self._play("replace_key", strimzi_replaces=issuing(self.tier, CLIENTS), **variables).check()

    def _play(self, playbook: str, **variables: object) -> Finished:
        own = {
            "strimzi_ca": CLIENTS, "strimzi_evidence": "handshake",
            "strimzi_spread": "auto" if self.scenario.variant.reloads else "restart",
        }  # fmt: skip
        return play(self.tier.cluster, playbook, **own, **variables)


@contextmanager
def clients_traffic(
    tier: Tier, scenario: Scenario, outside: OutsideOptions, demand: Demand, folder: Path
) -> Iterator[ClientsTraffic]:
    namespace = tier.cluster.namespace
    make_topic(tier, scenario, _TOPIC)
    tier.cluster.kube.apply(kafka_user(user, namespace) for user in LOGGING_IN)
    tier.cluster.kube.apply([logging_in(CONNECT, namespace, CONNECT, f"{tier.name}-kafka-bootstrap:{PORTS[0]}")])
    ledger, brokers = Ledger(), find_brokers(tier, scenario.layout.brokers, folder, USERS, _TOPIC)
    with user_operators(tier) as operators:
        wait_for(lambda: set(operators.users.issued) == set(LOGGING_IN), "certificates of the users", 60)
        wait_for(lambda: ready(tier.cluster.find("pods", WORKER)), f"{WORKER} being ready", 60)
        with (
            users_fleet(tier, brokers, demand, folder, ledger) as clients,
            handshake_load(LookingByClientsCa(tier, scenario.layout), demand.rate) as load,
        ):
            yield ClientsTraffic(tier, scenario, outside, load, ledger, clients, operators)
