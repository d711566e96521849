"""Breadth first through every state that can be reached, up to the names of pods and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from .events import Event, events
from .invariants import broken
from .people import nobody
from .runs import Runner
from .state import Books, Heard, Run, Slot, World, leaf_secret, map_uids, pod

People = Callable[[World], Iterator[Event]]
Invariant = Callable[[World, World, str], str | None]


class CounterExample(AssertionError):
    """The text is the shortest way from the start to the broken invariant, one event a line."""


@dataclass
class Explored:
    """states: how many there are. transitions: between them. ends: those in which every run has nothing left to do."""

    states: dict[World, int] = field(default_factory=dict)
    came_by: list[tuple[int, str]] = field(default_factory=list)
    before: list[list[int]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    transitions: int = 0

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


def explore(
    start: World, runner: Runner, nodes: int, people: People = nobody, invariant: Invariant = broken
) -> Explored:
    """Every reachable state. people: what is done by hand meanwhile. Raises CounterExample at the first event that
    breaks the invariant."""
    found = Explored()
    worlds = [_canonical(start)]
    found.states[worlds[0]] = 0
    found.came_by.append((0, "start"))
    found.before.append([])
    for number, world in enumerate(_growing(worlds)):
        if _is_end(world, runner):
            found.ends.append(number)
        for event, raw in _next(world, runner, nodes, people):
            found.transitions += 1
            problem = invariant(world, raw, event)
            if problem:
                raise CounterExample("\n".join([*found.way_to(number), event, problem]))
            after = _canonical(raw)
            known = found.states.setdefault(after, len(worlds))
            if known == len(worlds):
                worlds.append(after)
                found.came_by.append((number, event))
                found.before.append([])
            found.before[known].append(number)
    return found


def _growing(worlds: list[World]) -> Iterator[World]:
    position = 0
    while position < len(worlds):
        yield worlds[position]
        position += 1


def _next(world: World, runner: Runner, nodes: int, people: People) -> Iterator[Event]:
    yield from events(world, nodes)
    yield from people(world)
    yield from runner.moves(world)


def _is_end(world: World, runner: Runner) -> bool:
    return all(run.idle for run in world.runs) and runner.is_done(world)


def _canonical(world: World) -> World:
    """Pods and runs that behave the same are interchangeable: the smallest of all namings stands for them."""
    if len(world.slots) > 1:
        order = sorted(range(len(world.slots)), key=lambda number: _features(world, number))
        if order != list(range(len(world.slots))):
            world = _renamed(world, order)
    if len(world.runs) > 1:
        world = replace(world, runs=tuple(sorted(world.runs, key=repr)))
    return world


def _features(world: World, number: int) -> tuple[object, ...]:
    """Everything that the state says about one pod, in a form that can be compared."""
    slot: Slot = world.slots[number]
    own = (
        slot.stored,
        slot.template,
        slot.annotated or (),
        slot.presents,
        tuple(sorted(slot.trusts)),
        slot.up,
        slot.node,
        _heard(slot.started),
    )
    return (own, _remembered(world.books, number), tuple(_run_features(run, number) for run in world.runs))


def _remembered(books: Books | None, number: int) -> tuple[bool, ...]:
    if books is None:
        return ()
    entries = tuple(entry.awaiting is not None and number in entry.awaiting for entry in books.entries)
    return entries + tuple(
        number in uids for removed in books.removed for uids in (removed.awaiting, removed.lingering)
    )


def _heard(one: Heard | None) -> tuple[object, ...]:
    return () if one is None else (one.presents, tuple(sorted(one.trusts)))


def _run_features(run: Run, number: int) -> tuple[object, ...]:
    seen = run.seen and (run.seen.stored[number : number + 1], _remembered(run.seen.books, number))
    writes = tuple(
        _remembered(write.value, number) if write.verb == "ledger" else (write.slot == number,) for write in run.writes
    )
    heard = run.heard and _heard(run.heard[number])
    return (seen or (), writes, leaf_secret(number) in run.changed, pod(number) in run.changed, heard or ())


def _renamed(world: World, order: list[int]) -> World:
    """``order[i]`` is the pod that becomes pod ``i``."""
    new = {old: position for position, old in enumerate(order)}
    world = replace(world, slots=tuple(world.slots[old] for old in order))
    world = map_uids(world, lambda uids: frozenset(new[uid] for uid in uids))
    return replace(world, runs=tuple(_renamed_run(run, order, new) for run in world.runs))


def _renamed_run(run: Run, order: list[int], new: dict[int, int]) -> Run:
    seen = run.seen
    if seen is not None and len(seen.stored) == len(order):
        seen = seen._replace(stored=tuple(seen.stored[old] for old in order))
    names = {of(old): of(position) for old, position in new.items() for of in (leaf_secret, pod)}
    writes = tuple(
        write
        if write.slot is None
        else write._replace(slot=new[write.slot], target=names.get(write.target, write.target))
        for write in run.writes
    )
    heard = run.heard and tuple(run.heard[old] for old in order)
    return Run(seen, writes, frozenset(names.get(target, target) for target in run.changed), heard)
