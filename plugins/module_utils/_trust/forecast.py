# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The whole plan of a flow: the same decisions, asked again and again about what they would lead to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bridges import (
    is_to_be_crossed,
    who_learns_first,
    why_spread_first,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.effects import StandIn, after
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.leaf_renewal import RESTART_BEFORE
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.restarted_instead import why_restarted_instead
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.sentences import name_of, sentence
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    SHARED,
    Face,
    Promote,
    Reload,
    Roll,
    RollReason,
    Step,
)
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
    """violations: what would hold the flow after these steps; empty when they lead to its end.

    choices: which of several ways is taken and why, as sentences.
    """

    steps: tuple[PlannedStep, ...]
    violations: tuple[Violation, ...] = ()
    choices: tuple[str, ...] = ()


def forecast(snapshot: Snapshot, intent: Intent, stand_in: StandIn) -> Forecast:
    """Every step from here to the end of the flow, if nothing else happens and no restart fails."""
    about = resolve(snapshot, intent, snapshot.ledger or Ledger()).replaces
    intent = replace(intent, replaces=about or intent.replaces)
    # What running pods say now is no evidence of those that will run then.
    snapshot = replace(snapshot, listeners=None)
    planned: list[PlannedStep] = []
    at_work: Face | None = None
    choices: dict[str, None] = {}
    for _pass in range(_PASSES):
        decision = decide(snapshot, intent)
        if not decision.steps:
            return Forecast(tuple(planned), decision.violations, tuple(filter(None, choices)))
        for step in decision.steps:
            choices[_choice(step, snapshot, intent)] = None
            # Who is at work goes on with what all share.
            at_work = at_work if at_work and isinstance(step, SHARED) else step.face
            planned.append(_planned(step, at_work, snapshot))
            snapshot = after(step, snapshot, stand_in)
    raise RuntimeError(f"no end after {_PASSES} passes")


def _choice(step: Step, snapshot: Snapshot, intent: Intent) -> str:
    ledger = snapshot.ledger or Ledger()
    if isinstance(step, Promote) and step.bridged:
        return (
            f"{name_of(step.fingerprint, snapshot)} is introduced by a certificate that {snapshot.ca.current[0].subject} has "
            "signed (bridge): no roll is needed to make everybody trust it first."
        )
    if isinstance(step, Reload) and step.authority is None:
        return (
            "Listeners read their new certificates again, without a restart; Raft clients and agents present the old ones until "
            f"the next restart of their node, which is asked for {RESTART_BEFORE.days} days before those end."
        )
    if isinstance(step, Reload):
        return (
            f"{name_of(step.authority, snapshot)} is taken from the listeners by having them read their trust again; Raft clients "
            "and agents know it until the next restart of their node."
        )
    if isinstance(step, Roll) and step.reason is RollReason.TRUST:
        return _why_trusted_first(step, snapshot, intent, ledger)
    return why_restarted_instead(step, snapshot, intent)


def _why_trusted_first(step: Roll, snapshot: Snapshot, intent: Intent, ledger: Ledger) -> str:
    entry = ledger.find(step.authority)
    if entry is None:
        return ""
    if is_to_be_crossed(snapshot, intent, ledger, entry):
        first = who_learns_first(snapshot, ledger, entry)
        return f"{name_of(step.authority, snapshot)} is made known first to who would refuse its bridge, by a restart: {first}."
    why = why_spread_first(snapshot, intent, ledger, entry)
    return f"{name_of(step.authority, snapshot)} is trusted everywhere before it is used: {why}" if why else ""


def _planned(step: Step, face: Face, snapshot: Snapshot) -> PlannedStep:
    restarted = [pod for pod in snapshot.pods if isinstance(step, Roll) and pod.uid in step.uids]
    return PlannedStep(
        phase=step.phase,
        face=face,
        what=sentence(step, snapshot),
        nodes=tuple(pod.name for pod in restarted if pod.component is Component.KAFKA),
        others=tuple(pod.name for pod in restarted if pod.component is not Component.KAFKA),
    )
