"""Breadth first through every state that can be reached, up to the names of pods and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from .events import Event, events
from .invariants import broken
from .people import nobody
from .runs import Runner
from .state import Books, Heard, ModelCluster, Run, Slot, leaf_secret, map_uids, pod

People = Callable[[ModelCluster], Iterator[Event]]
Invariant = Callable[[ModelCluster, ModelCluster, str], str | None]


class CounterExample(AssertionError):
    """The text is the shortest way from the start to the broken invariant, one event a line."""


@dataclass
class Explored:
    """states: how many there are. transitions: between them. ends: those in which every run has nothing left to do."""

    states: dict[ModelCluster, int] = field(default_factory=dict)
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
    start: ModelCluster, runner: Runner, nodes: int, people: People = nobody, invariant: Invariant = broken
) -> Explored:
    """Every reachable state. people: what is done by hand meanwhile. Raises CounterExample at the first event that
    breaks the invariant."""
    found = Explored()
    models = [_canonical(start)]
    found.states[models[0]] = 0
    found.came_by.append((0, "start"))
    found.before.append([])
    for number, model in enumerate(_growing(models)):
        if _is_end(model, runner):
            found.ends.append(number)
        for event, raw in _next(model, runner, nodes, people):
            found.transitions += 1
            problem = invariant(model, raw, event)
            if problem:
                raise CounterExample("\n".join([*found.way_to(number), event, problem]))
            after = _canonical(raw)
            known = found.states.setdefault(after, len(models))
            if known == len(models):
                models.append(after)
                found.came_by.append((number, event))
                found.before.append([])
            found.before[known].append(number)
    return found


def _growing(models: list[ModelCluster]) -> Iterator[ModelCluster]:
    position = 0
    while position < len(models):
        yield models[position]
        position += 1


def _next(model: ModelCluster, runner: Runner, nodes: int, people: People) -> Iterator[Event]:
    yield from events(model, nodes)
    yield from people(model)
    yield from runner.moves(model)


def _is_end(model: ModelCluster, runner: Runner) -> bool:
    return all(run.idle for run in model.runs) and runner.is_done(model)


def _canonical(model: ModelCluster) -> ModelCluster:
    """Pods and runs that behave the same are interchangeable: the smallest of all namings stands for them."""
    if len(model.slots) > 1:
        order = sorted(range(len(model.slots)), key=lambda number: _features(model, number))
        if order != list(range(len(model.slots))):
            model = _renamed(model, order)
    if len(model.runs) > 1:
        model = replace(model, runs=tuple(sorted(model.runs, key=repr)))
    return model


def _features(model: ModelCluster, number: int) -> tuple[object, ...]:
    """Everything that the state says about one pod, in a form that can be compared."""
    slot: Slot = model.slots[number]
    own = (
        slot.stored,
        slot.template,
        slot.annotated or (),
        slot.presents,
        tuple(sorted(slot.trusts)),
        slot.up,
        slot.labelled,
        slot.node,
        _heard(slot.started),
    )
    read = model.view.leaves[number : number + 1] if model.view else ()
    return (
        own, read[0] or () if read else (), _remembered(model.books, number),
        tuple(_run_features(run, number) for run in model.runs),
    )  # fmt: skip


def _remembered(books: Books | None, number: int) -> tuple[object, ...]:
    if books is None:
        return ()
    entries = tuple(
        (
            entry.awaiting is not None and number in entry.awaiting,
            tuple(sorted(serial for slot, serial in entry.leaves if slot == number)),
        )
        for entry in books.entries
    )
    removed = tuple(number in uids for one in books.removed for uids in (one.awaiting, one.lingering))
    held = tuple((one.authority, one.serial, *map(len, one[3:])) for one in books.held if one.slot == number)
    return (*entries, *removed, held)


def _heard(one: Heard | None) -> tuple[object, ...]:
    return () if one is None else (one.presents, tuple(sorted(one.trusts)))


def _run_features(run: Run, number: int) -> tuple[object, ...]:
    seen = run.seen and (run.seen.stored[number : number + 1], _remembered(run.seen.books, number))
    writes = tuple(
        _remembered(write.value, number) if write.verb == "ledger" else (write.slot == number,) for write in run.writes
    )
    heard = run.heard and _heard(run.heard[number])
    return (seen or (), writes, leaf_secret(number) in run.changed, pod(number) in run.changed, heard or ())


def _renamed(model: ModelCluster, order: list[int]) -> ModelCluster:
    """``order[i]`` is the pod that becomes pod ``i``."""
    new = {old: position for position, old in enumerate(order)}
    view = model.view
    if view is not None and len(view.leaves) >= len(order):
        view = view._replace(leaves=(*(view.leaves[old] for old in order), *view.leaves[len(order) :]))
    model = replace(model, slots=tuple(model.slots[old] for old in order), view=view)
    model = map_uids(model, lambda uids: frozenset(new[uid] for uid in uids), new.__getitem__)
    return replace(model, runs=tuple(_renamed_run(run, order, new) for run in model.runs))


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
