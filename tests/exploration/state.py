"""A cluster as small values: what a model checker can put into a set.

Certificates are numbers into ``authorities.py``; a pod's UID is its slot, and a run that remembered the UID of a pod that
has been replaced since forgets it: nothing distinguishes a dead UID from another.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Outgoing

CERTIFICATE, KEY, LEDGER, KAFKA = "certificate Secret", "key Secret", "ledger Secret", "Kafka resource"
OWN, POD_SETS, BUNDLE = "the operator's leaf Secret", "StrimziPodSets", "trust bundle"
#: As many leaves of one CA as can be remembered of one slot, and one more.
SERIALS = 8


class Sent(IntEnum):
    """The certificates between a leaf and ``ca.crt``: none; the link certificate from the CA in use at the start; that one and the one that
    leads on from there.
    """

    ALONE = 0
    TO_OLD = 1
    BOTH_WAYS = 2


class Leaf(NamedTuple):
    """A leaf by the CA that issued it and the generation it is annotated with."""

    authority: int
    generation: int
    #: The certificates that are sent with it.
    sent: Sent = Sent.ALONE
    #: Tells leaves of the same CA and slot apart.
    serial: int = 0

    @property
    def linked(self) -> bool:
        """Whether the CA in use at the start vouches for its CA in what is sent."""
        return self.sent is not Sent.ALONE

    def is_same_certificate(self, other: Leaf) -> bool:
        """Compares the certificates alone: neither what is presented behind them nor their annotations."""
        return (self.authority, self.serial) == (other.authority, other.serial)


class Heard(NamedTuple):
    """The leaf that a channel of a process presents, and the CAs that it trusts; ``SILENCE`` where it does not answer."""

    presents: Leaf
    trusts: frozenset[int]


#: The answer of a node that hangs.
SILENCE = Heard(Leaf(-1, -1), frozenset())


class Follows(IntEnum):
    """The channels of a node that really read again when its listeners are told to."""

    #: None: the Raft client and the agent keep what the process was started with.
    NONE = 0
    #: The Raft client; the agent keeps what the process was started with.
    RAFT_CLIENT = 1
    #: All.
    ALL = 2


class Slot(NamedTuple):
    """A place for a pod: the stored leaf, the leaf that its next pod is annotated with, and its running pod."""

    stored: Leaf
    template: Leaf
    #: The leaf that the running pod says it was started with, None when a person removed the annotation.
    annotated: Leaf | None
    #: The leaf and the CAs that its listeners really loaded.
    presents: Leaf
    trusts: frozenset[int]
    #: Whether there is a pod at all.
    up: bool = True
    component: Component = Component.KAFKA
    #: Where a channel has read again, what the agent was started with; the Raft client too, as long as ``raft`` is
    #: None.
    started: Heard | None = None
    #: The leaf and the CAs that the Raft client has read since the process was started.
    raft: Heard | None = None
    follows: Follows = Follows.NONE
    #: The running pod has the labels by which it is found.
    labelled: bool = True
    #: Its listeners do not answer.
    silent: bool = False

    @property
    def node(self) -> bool:
        return self.component is Component.KAFKA

    @property
    def go(self) -> bool:
        """Whether it is a Go program; any other runs on a JVM."""
        return self.component is Component.KAFKA_EXPORTER

    @property
    def listeners(self) -> Heard:
        return Heard(self.presents, self.trusts)

    @property
    def nodes_meet(self) -> tuple[Heard, ...]:
        """The channels that meet other nodes: listeners first; then the Raft client, where it knows something else."""
        raft = self.raft or self.started
        return (self.listeners, *([raft] if raft and raft != self.listeners else []))

    @property
    def channels(self) -> tuple[Heard, ...]:
        """These; then the agent, where it knows something else."""
        agent = self.started
        return (*self.nodes_meet, *([agent] if agent and agent not in self.nodes_meet else []))


class Entry(NamedTuple):
    authority: int
    state: str
    generations: frozenset[int]
    awaiting: frozenset[int] | None
    #: The leaves that the ledger remembers of this CA, by slot and serial.
    leaves: frozenset[tuple[int, int]] = frozenset()
    #: The pods that ran when the CA was read to have left what processes read.
    knowing: frozenset[int] | None = None


class Removed(NamedTuple):
    authority: int
    awaiting: frozenset[int]
    lingering: frozenset[int] = frozenset()
    #: A run has read that the CA is back, and none since that it has left again.
    is_back: bool = False


class Former(NamedTuple):
    """A leaf that its Secret does not contain any more."""

    authority: int
    serial: int
    #: The pod that it was for.
    slot: int
    awaiting: frozenset[int]
    lingering: frozenset[int] = frozenset()


class Flow(NamedTuple):
    """The journal; its dates do not matter, only whether it has ended. No time passes, so no leaf ends."""

    goal: str
    replaces: int | None
    successor: int | None
    finished: bool
    retire: str
    is_abort: bool = False
    unsure: frozenset[int] | None = None
    outgoing: Outgoing | None = None
    #: The last phase that the flow enters until it is led on.
    stop: str | None = None
    #: Whether a replacement of the key follows a renewal.
    to_replace: bool = False


class Books(NamedTuple):
    entries: tuple[Entry, ...]
    removed: tuple[Removed, ...]
    flow: Flow | None
    former: tuple[Former, ...] = ()


class Authorities(NamedTuple):
    """The two CA Secrets. key and kept are CAs by their key: twins (a renewal) share one."""

    current: int | None
    others: frozenset[int]
    generation: int
    key: int | None
    prepared: frozenset[int]
    kept: frozenset[int]
    #: The phase after which the flow stops that has prepared a CA.
    stop: str | None = None
    #: Both link certificates of the successor are there.
    linked: bool = False
    #: The CA is prepared by a renewal after which the key is replaced.
    to_replace: bool = False

    @property
    def projected(self) -> frozenset[int]:
        return self.others | ({self.current} if self.current is not None else set())


class Pause(NamedTuple):
    asked: bool
    effective: bool


class Status(NamedTuple):
    """The operator's words on what is stored, where they are looked at."""

    #: A pause has ended, and no reconcile since.
    resuming: bool = False
    #: The failure of its last reconcile, as ``translation.py`` knows it; empty where it is content.
    failure: str = ""
    #: The last one of a run to reconcile.
    request: str = ""


class Secrets(NamedTuple):
    """The objects that a run reads before it lists the pods."""

    stored: tuple[Leaf, ...]
    ca: Authorities
    bundle: frozenset[int] | None
    books: Books | None
    pause: Pause
    generated: bool
    own: Leaf | None
    status: Status | None = None


class Write(NamedTuple):
    """A single API write."""

    #: The object whose version it is conditional on; value: what ``apply`` in ``runs.py`` understands.
    target: str
    verb: str
    value: object
    slot: int | None = None


class Call(NamedTuple):
    """The memory of a call over all of its passes."""

    #: Digests of what it has written, by object and field.
    wrote: tuple[Any, ...] = ()
    #: How often something of it was gone, by what counts.
    times: tuple[Any, ...] = ()
    #: How often another program has written back what it wrote; seen: what it could know of that when it read the Secrets. Neither is its own memory.
    undone: int = 0
    seen: int = 0


class Run(NamedTuple):
    """A run of the collection between two of its API requests."""

    #: The Secrets it read, pods not yet listed.
    seen: Secrets | None = None
    #: The writes that the run has decided on.
    writes: tuple[Write, ...] = ()
    #: The objects that another program wrote since the run read them.
    changed: frozenset[str] = frozenset()
    #: The answers of the nodes to the run; None for a node that has gone since.
    heard: tuple[Heard | None, ...] | None = None
    #: The call that it is a pass of, where that is looked at.
    call: Call | None = None

    @property
    def idle(self) -> bool:
        return self.seen is None and not self.writes and self.heard is None


class View(NamedTuple):
    """The Secrets as the operator read them at the beginning of its reconcile."""

    current: int
    generation: int
    projected: frozenset[int]
    #: The leaves that it may still put back.
    leaves: tuple[Leaf | None, ...] = ()


class WithRuns:
    """A model of either CA: a tuple, as an exploration makes and looks up hundreds of thousands of models."""

    __slots__ = ()
    #: The state of each run that is at work.
    runs: tuple[Run, ...]
    _replace: Any

    def with_run(self, number: int, run: Run) -> Any:
        return self._replace(runs=(*self.runs[:number], run, *self.runs[number + 1 :]))

    def changed(self, target: str) -> Any:
        """The object has a new version: a run that decided on the old one cannot write it any more."""
        runs = tuple(run if run.idle else run._replace(changed=run.changed | {target}) for run in self.runs)
        return self._replace(runs=runs)

    def touched(self, target: str) -> Any:
        """As ``changed``, for an object that a run reads when it decides: only the writes that are still to come depend on it."""
        runs = tuple(
            run._replace(changed=run.changed | {target}) if any(write.target == target for write in run.writes) else run
            for run in self.runs
        )
        return self._replace(runs=runs)


class _Cluster(NamedTuple):
    slots: tuple[Slot, ...]
    ca: Authorities
    bundle: frozenset[int] | None
    books: Books | None
    pause: Pause
    generated: bool
    view: View | None
    runs: tuple[Run, ...]
    #: The operator's leaf, where it is looked at.
    own: Leaf | None = None
    #: Whether nodes can be told to read again.
    reloadable: bool = True
    #: None where it is not looked at what the operator says.
    status: Status | None = None


class ModelCluster(_Cluster, WithRuns):
    __slots__ = ()

    @property
    def secrets(self) -> Secrets:
        stored = tuple(slot.stored for slot in self.slots)
        return Secrets(stored, self.ca, self.bundle, self.books, self.pause, self.generated, self.own, self.status)

    def issued(self, number: int, leaf: Leaf) -> Leaf:
        """The leaf with a serial that nothing remembers of this slot, so that nothing mistakes it for an earlier leaf."""
        slot = self.slots[number]
        seen = {slot.stored, slot.template, slot.annotated or slot.stored, *(one.presents for one in slot.channels)}
        taken = {one.serial for one in seen if one.authority == leaf.authority}
        if self.books:
            taken |= {one.serial for one in self.books.former if one.slot == number}
            taken |= {serial for entry in self.books.entries for slot_, serial in entry.leaves if slot_ == number}
        return leaf._replace(serial=next(serial for serial in range(SERIALS) if serial not in taken))

    def with_slot(self, number: int, slot: Slot) -> ModelCluster:
        return self._replace(slots=(*self.slots[:number], slot, *self.slots[number + 1 :]))


def leaf_secret(slot: int) -> str:
    return f"leaf Secret {slot}"


def pod(slot: int) -> str:
    return f"Pod {slot}"
