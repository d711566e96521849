# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The whole plan of a flow: the same decisions, asked again and again about what they would lead to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.effects import StandIn, after
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.sentences import sentence
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Face, Roll, Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.target import resolve
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.violations import Violation

#: More than any flow takes.
_PASSES = 100


@dataclass(frozen=True)
class PlannedStep:
    """what: a sentence. nodes, others: names of the pods that it restarts (Kafka nodes; everything else)."""

    phase: Phase
    face: Face
    what: str
    nodes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Forecast:
    """violations: what would hold the flow after these steps; empty when they lead to its end."""

    steps: tuple[PlannedStep, ...]
    violations: tuple[Violation, ...] = ()


def forecast(snapshot: Snapshot, intent: Intent, stand_in: StandIn) -> Forecast:
    """Every step from here to the end of the flow, if nothing else happens and no restart fails."""
    about = resolve(snapshot, intent, snapshot.ledger or Ledger()).replaces
    intent = replace(intent, replaces=about or intent.replaces)
    # What running pods say now is no evidence of those that will run then.
    snapshot = replace(snapshot, listeners=None)
    planned: list[PlannedStep] = []
    for _pass in range(_PASSES):
        decision = decide(snapshot, intent)
        if not decision.steps:
            return Forecast(tuple(planned), decision.violations)
        for step in decision.steps:
            planned.append(_planned(step, snapshot))
            snapshot = after(step, snapshot, stand_in)
    raise RuntimeError(f"no end after {_PASSES} passes")


def _planned(step: Step, snapshot: Snapshot) -> PlannedStep:
    restarted = [pod for pod in snapshot.pods if isinstance(step, Roll) and pod.uid in step.uids]
    return PlannedStep(
        phase=step.phase,
        face=step.face,
        what=sentence(step, snapshot),
        nodes=tuple(pod.name for pod in restarted if pod.component is Component.KAFKA),
        others=tuple(pod.name for pod in restarted if pod.component is not Component.KAFKA),
    )
