"""Pods and runs of a cluster that behave the same are interchangeable: one naming stands for all."""

from __future__ import annotations

from .state import Books, Heard, ModelCluster, Run, Slot, leaf_secret, pod
from .uids import map_uids


def canonical(model: ModelCluster) -> ModelCluster:
    """Pods and runs that behave the same are interchangeable: the smallest of all namings stands for them."""
    if len(model.slots) > 1:
        order = sorted(range(len(model.slots)), key=lambda number: _features(model, number))
        if order != list(range(len(model.slots))):
            model = _renamed(model, order)
    if len(model.runs) > 1:
        model = model._replace(runs=tuple(sorted(model.runs, key=repr)))
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
        slot.silent,
        slot.node,
        _heard(slot.started),
        _heard(slot.raft),
        slot.follows,
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
            entry.knowing is not None and number in entry.knowing,
            tuple(sorted(serial for slot, serial in entry.leaves if slot == number)),
        )
        for entry in books.entries
    )
    removed = tuple(number in uids for one in books.removed for uids in (one.awaiting, one.lingering))
    former = tuple((one.authority, one.serial, *map(len, one[3:])) for one in books.former if one.slot == number)
    unsure = books.flow is not None and books.flow.unsure is not None and number in books.flow.unsure
    return (*entries, *removed, former, unsure)


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
    model = model._replace(slots=tuple(model.slots[old] for old in order), view=view)
    model = map_uids(model, lambda uids: frozenset(new[uid] for uid in uids), new.__getitem__)
    return model._replace(runs=tuple(_renamed_run(run, order, new) for run in model.runs))


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
