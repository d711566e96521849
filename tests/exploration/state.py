"""A cluster as small values: what a model checker can put into a set.

Certificates are numbers into ``authorities.py``; a pod's UID is its slot, and whoever remembered the UID of a pod that
has been replaced since forgets it: nothing distinguishes a dead UID from another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component

CERTIFICATE, KEY, LEDGER, KAFKA = "certificate Secret", "key Secret", "ledger Secret", "Kafka resource"
OWN, POD_SETS = "the operator's leaf Secret", "StrimziPodSets"


class Leaf(NamedTuple):
    """A leaf by the CA that issued it and the generation it is annotated with.

    alone: a bridge issued it, and it is presented without what stands above that. kept: a bridge issued it, and since
    then only what is presented behind it has changed.
    """

    authority: int
    generation: int
    alone: bool = False
    kept: bool = False


class Heard(NamedTuple):
    """What a channel of a process presents, and whom it trusts."""

    presents: Leaf
    trusts: frozenset[int]


class Slot(NamedTuple):
    """One pod: the stored leaf, what its next pod is annotated with, and its running pod.

    annotated: what the running pod says it was started with, None when somebody removed the annotation; presents,
    trusts: what its listeners really loaded. up: there is a pod at all. started: where listeners have read again, what
    the rest of the process was started with.
    """

    stored: Leaf
    template: Leaf
    annotated: Leaf | None
    presents: Leaf
    trusts: frozenset[int]
    up: bool = True
    component: Component = Component.KAFKA
    started: Heard | None = None

    @property
    def node(self) -> bool:
        return self.component is Component.KAFKA

    @property
    def go(self) -> bool:
        """Or else it runs on a JVM."""
        return self.component is Component.KAFKA_EXPORTER

    @property
    def listeners(self) -> Heard:
        return Heard(self.presents, self.trusts)

    @property
    def channels(self) -> tuple[Heard, ...]:
        """Listeners first; then Raft client and agent, where they know something else."""
        return (self.listeners, *([self.started] if self.started else []))


class Entry(NamedTuple):
    authority: int
    state: str
    generations: frozenset[int]
    awaiting: frozenset[int] | None


class Removed(NamedTuple):
    authority: int
    awaiting: frozenset[int]
    lingering: frozenset[int] = frozenset()


class Flow(NamedTuple):
    """The journal; its dates do not matter, only whether it has ended."""

    goal: str
    replaces: int | None
    successor: int | None
    finished: bool


class Books(NamedTuple):
    entries: tuple[Entry, ...]
    removed: tuple[Removed, ...]
    flow: Flow | None


class Authorities(NamedTuple):
    """The two CA Secrets. key and kept are CAs by their key: twins (a renewal) share one."""

    current: int | None
    others: frozenset[int]
    generation: int
    key: int | None
    prepared: frozenset[int]
    kept: frozenset[int]

    @property
    def projected(self) -> frozenset[int]:
        return self.others | ({self.current} if self.current is not None else set())


class Pause(NamedTuple):
    asked: bool
    effective: bool


class Secrets(NamedTuple):
    """What a run reads before it lists the pods."""

    stored: tuple[Leaf, ...]
    ca: Authorities
    bundle: frozenset[int] | None
    books: Books | None
    pause: Pause
    generated: bool
    own: Leaf | None


class Write(NamedTuple):
    """One API write. target: the object whose version it is conditional on; value: what ``writes.py`` understands."""

    target: str
    verb: str
    value: object
    slot: int | None = None


class Run(NamedTuple):
    """A run of the collection between two of its API requests.

    seen: the Secrets it read, pods not yet listed. writes: what it decided to write. changed: the objects that somebody
    wrote since it read them. heard: what the nodes answered when it asked them, None for one that has gone since.
    """

    seen: Secrets | None = None
    writes: tuple[Write, ...] = ()
    changed: frozenset[str] = frozenset()
    heard: tuple[Heard | None, ...] | None = None

    @property
    def idle(self) -> bool:
        return self.seen is None and not self.writes and self.heard is None


class View(NamedTuple):
    """What the operator read at the beginning of the reconcile that it is in."""

    current: int
    generation: int
    projected: frozenset[int]


@dataclass(frozen=True)
class World:
    """own: the operator's leaf, where it is looked at. reloadable: whether nodes can be told to read again."""

    slots: tuple[Slot, ...]
    ca: Authorities
    bundle: frozenset[int] | None
    books: Books | None
    pause: Pause
    generated: bool
    view: View | None
    runs: tuple[Run, ...]
    own: Leaf | None = None
    reloadable: bool = True

    @property
    def secrets(self) -> Secrets:
        stored = tuple(slot.stored for slot in self.slots)
        return Secrets(stored, self.ca, self.bundle, self.books, self.pause, self.generated, self.own)

    def with_slot(self, number: int, slot: Slot) -> World:
        return replace(self, slots=(*self.slots[:number], slot, *self.slots[number + 1 :]))

    def with_run(self, number: int, run: Run) -> World:
        return replace(self, runs=(*self.runs[:number], run, *self.runs[number + 1 :]))

    def changed(self, target: str) -> World:
        """The object has a new version: who decided on the old one cannot write it any more."""
        runs = tuple(run if run.idle else run._replace(changed=run.changed | {target}) for run in self.runs)
        return replace(self, runs=runs)

    def touched(self, target: str) -> World:
        """As ``changed``, of an object that is read when it is decided: only what is still to be written depends on it."""
        runs = tuple(
            run._replace(changed=run.changed | {target}) if any(write.target == target for write in run.writes) else run
            for run in self.runs
        )
        return replace(self, runs=runs)


def leaf_secret(slot: int) -> str:
    return f"leaf Secret {slot}"


def pod(slot: int) -> str:
    return f"Pod {slot}"


def map_uids(world: World, uids: Callable[[frozenset[int]], frozenset[int]]) -> World:
    """The world with every remembered set of UIDs replaced."""
    runs = tuple(_map_run(run, uids) for run in world.runs)
    return replace(world, books=_map_books(world.books, uids), runs=runs)


def _map_run(run: Run, uids: Callable[[frozenset[int]], frozenset[int]]) -> Run:
    seen = run.seen._replace(books=_map_books(run.seen.books, uids)) if run.seen else None
    writes = tuple(
        write._replace(value=_map_books(write.value, uids)) if isinstance(write.value, Books) else write
        for write in run.writes
    )
    return run._replace(seen=seen, writes=writes)


def _map_books(books: Books | None, uids: Callable[[frozenset[int]], frozenset[int]]) -> Books | None:
    if books is None:
        return None
    return books._replace(
        entries=tuple(e if e.awaiting is None else e._replace(awaiting=uids(e.awaiting)) for e in books.entries),
        removed=tuple(r._replace(awaiting=uids(r.awaiting), lingering=uids(r.lingering)) for r in books.removed),
    )
