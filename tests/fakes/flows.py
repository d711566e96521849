"""A playbook's logic in one process: module after module, as the role ``reconcile`` calls them.

Unlike the rest of this package it drives the collection, so only the tests of flows import it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.engine import CarryOut, Outcome, run
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.carry_out import carry_out_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.carry_out import carry_out_spread
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import apply
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Settings, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Face

from .world import World

EC = KeySpec(KeyAlgorithm.ECDSA, 256)
#: Behind the real time: the world may live for an hour, and what it issues is valid now.
START = datetime.now(timezone.utc) - timedelta(hours=2)
SETTINGS = Settings(
    ca_key=EC, leaf_key=EC, operator_timeout=timedelta(seconds=60), pod_timeout=timedelta(seconds=60), holder="test"
)

#: What each module hands to the engine.
CARRY_OUT: dict[Face, CarryOut] = {
    **dict.fromkeys(Face, apply.carry_out),
    Face.LEAVES: carry_out_leaves,
    Face.ROLL: carry_out_spread,
}


class WorldClock:
    """The world's time: it passes when the world moves."""

    def __init__(self, world: World) -> None:
        self._world = world

    def now(self) -> datetime:
        return START + timedelta(seconds=self._world.seconds)

    def monotonic(self) -> float:
        return self._world.seconds

    def sleep(self, seconds: float) -> None:
        self._world.step()


@dataclass
class FlowResult:
    outcome: Outcome
    actions: list[Action] = field(default_factory=list)
    modules: list[Face] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def changes(self) -> list[Action]:
        return [action for action in self.actions if action.is_change]


def work_on(world: World, transport: Any = None, settings: Settings = SETTINGS, *, dry_run: bool = False) -> Work:
    """A client on this world; while it watches, the world moves."""
    world.api.idle = world.step
    client = KubeClient(transport or world.api, sleep=lambda seconds: None)
    return Work(client, ClusterNames(world.namespace, world.cluster), WorldClock(world), settings, dry_run)


def run_flow(work: Work, intent: Intent) -> FlowResult:
    """Run until done or held; each call is what one module task does, and only strimzi_ca knows a supplied CA."""
    face, result = Face.AUTHORITY if intent.supplied else Face.TRUST, None
    for _task in range(100):
        known = intent if face is Face.AUTHORITY else replace(intent, supplied=None)
        outcome = run(work, known, face, CARRY_OUT[face], lambda: None)
        if result is None:
            result = FlowResult(outcome)
        result.outcome = outcome
        result.actions += outcome.actions
        result.warnings += outcome.warnings
        result.modules.append(face)
        if intent.replaces is None:
            intent = replace(intent, replaces=outcome.replaces)
        intent = replace(intent, spread=outcome.spread)
        following = outcome.decision.next_face
        if following is None:
            return result
        face = following
    raise AssertionError(f"no end: {result.modules if result else ()}")


def with_settings(**changes: Any) -> Settings:
    return replace(SETTINGS, **changes)
