# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Remembered sets of UIDs, with every UID replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from .state import Books, ModelCluster, Run

Uids: TypeAlias = Callable[[frozenset[int]], frozenset[int]]


def map_uids(model: ModelCluster, uids: Uids, slot: Callable[[int], int] = lambda number: number) -> ModelCluster:
    """The cluster with every remembered set of UIDs replaced, and every slot by its new number."""
    runs = tuple(_map_run(run, uids, slot) for run in model.runs)
    return model._replace(books=_map_books(model.books, uids, slot), runs=runs)


def _map_run(run: Run, uids: Uids, slot: Callable[[int], int]) -> Run:
    seen = run.seen._replace(books=_map_books(run.seen.books, uids, slot)) if run.seen else None
    writes = tuple(
        write._replace(value=_map_books(write.value, uids, slot)) if isinstance(write.value, Books) else write
        for write in run.writes
    )
    return run._replace(seen=seen, writes=writes)


def _map_books(books: Books | None, uids: Uids, slot: Callable[[int], int]) -> Books | None:
    if books is None:
        return None
    former = (
        one._replace(slot=slot(one.slot), awaiting=uids(one.awaiting), lingering=uids(one.lingering))
        for one in books.former
    )
    entries = (
        e._replace(
            awaiting=None if e.awaiting is None else uids(e.awaiting),
            knowing=None if e.knowing is None else uids(e.knowing),
            leaves=frozenset((slot(number), serial) for number, serial in e.leaves),
        )
        for e in books.entries
    )
    flow = books.flow
    if flow is not None and flow.unsure is not None:
        flow = flow._replace(unsure=uids(flow.unsure))
    return books._replace(
        entries=tuple(entries),
        flow=flow,
        removed=tuple(r._replace(awaiting=uids(r.awaiting), lingering=uids(r.lingering)) for r in books.removed),
        former=tuple(sorted(former, key=lambda one: (one.slot, one.authority, one.serial))),
    )
