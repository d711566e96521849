"""The flows as the fault tests run them: how a cluster gets to where the flow starts, and what its end looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Settings
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from ..fakes.flows import SETTINGS, START, FlowResult, run_flow, with_settings, work_on
from ..fakes.world import World
from ..operator import certs, clusters
from .checker import Checker, entries

#: Rolls of every Kafka node that each flow may take (spec/1 and DESIGN); only a new key can be bridged.
ROLLS = {
    (Goal.CREATE, Bridge.AUTO): 0,
    (Goal.RENEW, Bridge.AUTO): 1,
    (Goal.REPLACE_KEY, Bridge.NEVER): 3,
    (Goal.REPLACE_KEY, Bridge.AUTO): 2,
    (Goal.UPGRADE, Bridge.AUTO): 1,
    (Goal.DOWNGRADE, Bridge.AUTO): 1,
    (Goal.RENEW_LEAVES, Bridge.AUTO): 1,
}

CA_SECRETS = ("demo-cluster-ca-cert", "demo-cluster-ca")


@dataclass(frozen=True)
class Case:
    """path_length: of the CA in use at the start; with 0 a Kafka Exporter has to restart before a bridge is used."""

    goal: Goal
    way: Way
    bridge: Bridge = Bridge.AUTO
    path_length: int = 1

    def __str__(self) -> str:
        plain = "-plain" if self.bridge is Bridge.NEVER else ""
        short = "-pathlen0" if self.path_length == 0 else ""
        return f"{self.goal.value}{plain}{short}-{self.way.value}"

    @property
    def intent(self) -> Intent:
        return Intent(self.goal, self.way, bridge=self.bridge, renew_before=timedelta(days=400))

    @property
    def rolls(self) -> int:
        return ROLLS[self.goal, self.bridge]


CASES = [
    *(Case(goal, way, bridge) for goal, bridge in ROLLS for way in Way),
    *(Case(Goal.REPLACE_KEY, way, path_length=0) for way in Way),
]


def fast_operator(world: World) -> None:
    """The double's keys: what is tested is who trusts whom, not how long primes take. It has the time of everybody."""
    certs.new_ca_key = certs.new_leaf_key = lambda: ec.generate_private_key(ec.SECP256R1())
    certs.now = lambda: START.replace(microsecond=0) + timedelta(seconds=world.seconds)


def start(case: Case) -> tuple[World, Checker]:
    """A world at the point where the flow begins, watched from here on."""
    world = World()
    fast_operator(world)
    generated = case.goal is Goal.UPGRADE
    if case.goal is not Goal.CREATE:
        if not generated:
            validity = timedelta(days=3650) if case.goal is Goal.RENEW_LEAVES else SETTINGS.validity
            finish(world, Intent(Goal.CREATE), settings=with_settings(validity=validity, path_length=case.path_length))
        world.apply(*clusters.dual_role("demo", "kafka", generated=generated))
        world.settle()
        if not generated:
            finish(world, Intent(Goal.CREATE))
        if case.goal is Goal.DOWNGRADE:
            # After a replacement the key generation is behind the CA's name: the case that costs a roll.
            finish(world, Intent(Goal.REPLACE_KEY))
        if case.goal is Goal.RENEW_LEAVES:
            # More than half of a leaf's life, and nothing that the operator would see to by itself.
            world.seconds += timedelta(days=200).total_seconds()
    checker = Checker(world)
    checker.attach()
    if case.goal in (Goal.RENEW, Goal.REPLACE_KEY, Goal.RENEW_LEAVES):
        checker.plant_foreign(*CA_SECRETS)
    return world, checker


def finish(world: World, intent: Intent, transport: Any = None, settings: Settings = SETTINGS) -> FlowResult:
    result = run_flow(work_on(world, transport, settings), intent)
    assert result.outcome.decision.done, [str(v) for v in result.outcome.decision.violations]
    return result


def complete(world: World, case: Case, transport: Any = None) -> None:
    """Run the flow to its end; creating goes on once the cluster is there."""
    finish(world, case.intent, transport)
    if case.goal is Goal.CREATE:
        if world.api.find("kafkas", "kafka", "demo") is None:
            world.apply(*clusters.dual_role("demo", "kafka"))
        world.settle()
        finish(world, case.intent, transport)


def end_state(world: World) -> dict[str, Any]:
    """What has to be the same whatever happened on the way (I8): everything but the random parts."""
    secret = {name: world.api.find("secrets", "kafka", name) for name in (*CA_SECRETS, "demo-cluster-ca-trusted-certs")}
    kafka = world.api.find("kafkas", "kafka", "demo") or {"metadata": {}, "spec": {}}
    pods = [
        p for p in world.api.all("pods", "kafka") if p["metadata"]["labels"].get("strimzi.io/component-type") == "kafka"
    ]
    generation = "strimzi.io/cluster-ca-cert-generation"
    return {
        "certificates": len([k for k in entries(secret["demo-cluster-ca-cert"]) if k.endswith(".crt")]),
        "keys": sorted(len(k) for k in entries(secret["demo-cluster-ca"])),
        "states": sorted(v.decode() for k, v in _ledger(secret).items() if k.endswith(".state")),
        "ledger": sorted(k.split(".")[-1] for k in _ledger(secret)),
        "generations": [(s or {}).get("metadata", {}).get("annotations") for s in (secret[n] for n in CA_SECRETS)],
        "pods": [p["metadata"]["annotations"][generation] for p in pods],
        "paused": (kafka["metadata"].get("annotations") or {}).get("strimzi.io/pause-reconciliation"),
        "generated": kafka["spec"].get("clusterCa"),
        "trust": len({p.trusted for p in world.kubelet.processes.values() if p.component == "kafka"}),
    }


def _ledger(secret: dict[str, Any]) -> dict[str, bytes]:
    return entries(secret["demo-cluster-ca-trusted-certs"])


def eager(world: World) -> Callable[[Any], None]:
    """The operator looks after every single write of ours, not only when we wait."""
    busy = {"now": False}

    def after(change: Any) -> None:
        if busy["now"]:
            return
        busy["now"] = True
        try:
            world.step()
        finally:
            busy["now"] = False

    return after
