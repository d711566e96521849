"""Flows on the clients CA, as a world to explore."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ...tools.support.breaches import Breach
from .events import Event, events
from .invariants import broken
from .people import keep_hands_off
from .runs import UsersRunner
from .state import ModelUsers

People: TypeAlias = Callable[[ModelUsers], Iterator[Event]]


def stays_paused(party: str) -> Breach:
    return Breach("pauses", "{} stays paused", (party,))


@dataclass(frozen=True)
class ClientsCa:
    runner: UsersRunner
    #: Actions of people that may come in between.
    people: People = keep_hands_off
    #: The run that undoes the flow, where a person wants that.
    undoing: UsersRunner | None = None

    def at_work(self, model: ModelUsers) -> UsersRunner:
        return self.undoing if model.aborting and self.undoing is not None else self.runner

    def next(self, model: ModelUsers) -> Iterator[Event]:
        yield from events(model)
        yield from self.people(model)
        yield from self.at_work(model).moves(model)

    def canonical(self, model: ModelUsers) -> ModelUsers:
        if len(model.runs) > 1:
            return model._replace(runs=tuple(sorted(model.runs, key=hash)))
        return model

    def is_end(self, model: ModelUsers) -> bool:
        return all(run.idle for run in model.runs) and self.at_work(model).is_done(model)

    def broken(self, before: ModelUsers, after: ModelUsers, event: str) -> Breach | None:
        return broken(before, after, event) or self._stays_paused(after, event)

    def _stays_paused(self, model: ModelUsers, event: str) -> Breach | None:
        """When a run has ended in an orderly way. Those wait whose turn it is not yet, with the certificates that they have."""
        if not event.endswith(" nothing"):
            return None
        runner = self.at_work(model)
        if not all(run.idle for run in model.runs) or runner.last_decision(model).steps:
            return None
        for number, user in enumerate(model.users):
            if user is not None and user.paused and user.beside == model.ca.current:
                return stays_paused(f"user {number}")
        return stays_paused("the operator") if model.pause.asked else None
