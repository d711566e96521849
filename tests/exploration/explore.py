"""Breadth first through every state that can be reached, up to names that do not matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeAlias, TypeVar

from ..tools.support.breaches import Breach

Model = TypeVar("Model")
#: A sentence about what has happened, and the model after it.
Happening: TypeAlias = tuple[str, Model]


class World(Protocol[Model]):
    """The events that can happen in a model, and the invariants that they must not break."""

    def next(self, model: Model) -> Iterator[Happening[Model]]:
        """Everything that can happen now."""

    def canonical(self, model: Model) -> Model:
        """The model that stands for all models that differ from it in names only."""

    def is_end(self, model: Model) -> bool:
        """Whether nothing is left to do."""

    def broken(self, before: Model, after: Model, event: str) -> Breach | None:
        """The invariant that this event breaks, None when all hold."""


class CounterExample(AssertionError):
    """The text is the shortest way from the start to the broken invariant, one event a line."""

    def __init__(self, way: list[str], breach: Breach) -> None:
        super().__init__("\n".join([*way, str(breach)]))
        self.breach = breach


@dataclass
class Explored(Generic[Model]):
    #: The number of each state.
    states: dict[Model, int] = field(default_factory=dict)
    came_by: list[tuple[int, str]] = field(default_factory=list)
    before: list[list[int]] = field(default_factory=list)
    #: The states in which every run has nothing left to do.
    ends: list[int] = field(default_factory=list)
    #: The number of transitions between states.
    transitions: int = 0
    #: The events that happened, each once.
    events: set[str] = field(default_factory=set)

    def dead_ends(self) -> list[int]:
        """States from which no end can be reached any more (I8)."""
        seen = set(self.ends)
        queue = list(self.ends)
        while queue:
            for earlier in self.before[queue.pop()]:
                if earlier not in seen:
                    seen.add(earlier)
                    queue.append(earlier)
        return [number for number in range(len(self.came_by)) if number not in seen]

    def way_to(self, number: int) -> list[str]:
        way = []
        while number:
            number, event = self.came_by[number]
            way.append(event)
        return way[::-1]

    def is_reached(self, event: str) -> bool:
        """Whether an event happened whose sentence contains this text."""
        return any(event in one for one in self.events)


def explore(start: Model, world: World[Model]) -> Explored[Model]:
    """Every reachable state. Raises CounterExample at the first event that breaks an invariant."""
    found: Explored[Model] = Explored()
    models = [world.canonical(start)]
    found.states[models[0]] = 0
    found.came_by.append((0, "start"))
    found.before.append([])
    for number, model in enumerate(_growing(models)):
        if world.is_end(model):
            found.ends.append(number)
        for event, raw in world.next(model):
            found.transitions += 1
            found.events.add(event)
            breach = world.broken(model, raw, event)
            if breach:
                raise CounterExample([*found.way_to(number), event], breach)
            after = world.canonical(raw)
            known = found.states.setdefault(after, len(models))
            if known == len(models):
                models.append(after)
                found.came_by.append((number, event))
                found.before.append([])
            found.before[known].append(number)
    return found


def _growing(models: list[Model]) -> Iterator[Model]:
    position = 0
    while position < len(models):
        yield models[position]
        position += 1
