# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The whole plan of a flow: ``decide`` is asked again and again about the state that its steps would lead to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..._pki.certificates import Certificate
from ..decide import decide, most_passes
from ..ledger.target import resolve
from ..model.goals import Phase
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.names import named
from ..model.snapshot import Component, Snapshot
from ..model.steps.base import StandIn, Step
from ..model.violations import Violation


@dataclass(frozen=True)
class PlannedStep:
    """what: a sentence. nodes, others: names of the pods that it restarts (Kafka nodes; everything else)."""

    phase: Phase
    what: str
    nodes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Forecast:
    """violations: what would hold the flow after these steps; empty when they lead to its end.

    choices: why the plan goes this way where there is another, as sentences.
    waiting: what running processes still hold at the end, as sentences.
    """

    steps: tuple[PlannedStep, ...]
    violations: tuple[Violation, ...] = ()
    choices: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()


def forecast(snapshot: Snapshot, intent: Intent, stand_in: StandIn) -> Forecast:
    """Every step from here to the end of the flow, if nothing else happens and no restart fails."""
    about = resolve(snapshot, intent, snapshot.ledger or Ledger()).replaces
    intent = replace(intent, replaces=about or intent.replaces)
    # The answers of the pods that run now are no evidence for the pods that will run later.
    start = snapshot = snapshot.as_stored()
    planned: list[PlannedStep] = []
    choices: dict[str, None] = {}
    seen, passes = _prepared(start), most_passes(start)
    for _pass in range(passes):
        decision = decide(snapshot, intent)
        if not decision.steps:
            found = Forecast(tuple(planned), decision.violations, tuple(filter(None, choices)), decision.waiting)
            return _without(seen - _prepared(start) - _brought(start, intent), found)
        for step in decision.steps:
            choices.update(dict.fromkeys((step.because, step.avoidable)))
            planned.append(_planned(step, snapshot))
            snapshot = step.effect(snapshot, stand_in)
            seen |= _prepared(snapshot)
    raise RuntimeError(f"no end after {passes} passes")


def _prepared(snapshot: Snapshot) -> frozenset[Certificate]:
    """Of a CA that is switched to as well: it was prepared before."""
    return frozenset((*snapshot.ca.current[:1], *(one.chain[0] for one in snapshot.ca.prepared)))


def _brought(snapshot: Snapshot, intent: Intent) -> frozenset[Certificate]:
    supplied = intent.supplied.chain[:1] if intent.supplied else ()
    return frozenset((*supplied, *(snapshot.source.certificates if snapshot.source else ())))


def _without(stand_ins: frozenset[Certificate], found: Forecast) -> Forecast:
    """Sentences name a CA that is yet to be made by its subject alone: nobody knows its digest."""

    def told(text: str) -> str:
        for certificate in stand_ins:
            text = text.replace(named(certificate), certificate.subject)
        return text

    return Forecast(
        tuple(replace(step, what=told(step.what)) for step in found.steps),
        found.violations,
        tuple(map(told, found.choices)),
        tuple(map(told, found.waiting)),
    )


def _planned(step: Step, snapshot: Snapshot) -> PlannedStep:
    restarted = [pod for pod in snapshot.pods if pod.uid in step.restarts]
    return PlannedStep(
        phase=step.phase,
        what=step.sentence(),
        nodes=tuple(pod.name for pod in restarted if pod.component is Component.KAFKA),
        others=tuple(pod.name for pod in restarted if pod.component is not Component.KAFKA),
    )
