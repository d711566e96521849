"""Flows on the cluster CA, as a world to explore."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ..tools.support.breaches import Breach
from . import invariants, names
from .events import Event, events
from .people import keep_hands_off
from .runs import Runner
from .state import ModelCluster

People: TypeAlias = Callable[[ModelCluster], Iterator[Event]]
Invariant: TypeAlias = Callable[[ModelCluster, ModelCluster, str], Breach | None]


@dataclass(frozen=True)
class ClusterCa:
    runner: Runner
    #: The number of nodes that the cluster is created with.
    nodes: int
    #: Actions of people that may come in between.
    people: People = keep_hands_off
    #: The invariants that have to hold.
    invariant: Invariant = invariants.broken

    def next(self, model: ModelCluster) -> Iterator[Event]:
        yield from events(model, self.nodes)
        yield from self.people(model)
        yield from self.runner.moves(model)

    def canonical(self, model: ModelCluster) -> ModelCluster:
        return names.canonical(model)

    def is_end(self, model: ModelCluster) -> bool:
        return all(run.idle for run in model.runs) and self.runner.is_done(model)

    def broken(self, before: ModelCluster, after: ModelCluster, event: str) -> Breach | None:
        return self.invariant(before, after, event)
