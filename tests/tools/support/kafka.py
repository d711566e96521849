"""The Kafka nodes of a MemoryApi, and what they would say of themselves: they live and die with their pods."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import (
    Broker,
    Partition,
    Quorum,
    Topic,
    Voter,
)

from .memory_api import Change, MemoryApi


def _nothing() -> None:
    """Before each answer."""


@dataclass
class FakeTopic:
    name: str
    replicas: tuple[int, ...]
    minimum: int = 2
    #: How long after Ready a replica is in sync; None for as long as usual.
    sync_seconds: float | None = None


@dataclass
class FakeKafka:
    """A KafkaAdmin."""

    api: MemoryApi
    now: Callable[[], float]
    #: C and b by node id. Nodes need seconds to register, and more to be in sync, when Ready.
    roles: Mapping[int, str]
    topics_: list[FakeTopic]
    #: None for no leader.
    active: int | None = 0
    register_seconds: float = 1.0
    sync_seconds: float = 2.0
    #: How long after Ready a broker leads again by itself.
    leads_after: float = 0.0
    #: Whether an election makes the preferred brokers the leaders.
    elects: bool = True
    #: The partitions of each election that was asked for, as text.
    elections: list[list[str]] = field(default_factory=list)
    #: Brokers that do not get in sync.
    lagging: set[int] = field(default_factory=set)
    #: Controllers that do not catch up.
    behind: set[int] = field(default_factory=set)
    #: Called before each answer, and may raise.
    before_answer: Callable[[], None] = _nothing
    #: Racks by node id; a broker without an entry has none.
    racks: Mapping[int, str] = field(default_factory=dict)
    #: How many nodes a roll may take away at once.
    most_away: int = 1
    #: Topics that are being reassigned.
    moving: set[str] = field(default_factory=set)
    #: Topics whose partition waits for the election of a leader.
    leaderless: set[str] = field(default_factory=set)
    #: The nodes and partitions that a restart must not take away and has taken away.
    harm: list[str] = field(default_factory=list)
    closed: int = 0

    def __post_init__(self) -> None:
        self._up_since: dict[int, float] = dict.fromkeys(self.roles, -1000.0)
        self._down_since: dict[int, float] = {}
        self._elected: set[str] = set()
        self.api.listeners.append(self._on_change)

    # The Protocol --------------------------------------------------------------------------------------------------

    def quorum(self) -> Quorum:
        self.before_answer()
        since = {**self._down_since, **dict.fromkeys(self.behind, -900.0)}
        leader = None if self.active in self._down_since else self.active
        voters = (Voter(node, int(since.get(node, self.now()) * 1000)) for node in self._having("c"))
        return Quorum(leader, tuple(voters))

    def brokers(self) -> tuple[Broker, ...]:
        self.before_answer()
        return tuple(
            Broker(node, not self._up(node, self.register_seconds), self.racks.get(node)) for node in self._having("b")
        )

    def topics(self) -> tuple[Topic, ...]:
        self.before_answer()
        return tuple(Topic(topic.minimum, (self._partition_of(topic),)) for topic in self.topics_)

    def _partition_of(self, topic: FakeTopic) -> Partition:
        return Partition(
            topic.name,
            0,
            frozenset(topic.replicas),
            self._in_sync(topic),
            has_leader=topic.name not in self.leaderless,
            is_moving=topic.name in self.moving,
            preferred=topic.replicas[0],
            is_led_by_preferred=self._up(topic.replicas[0], self.leads_after) or topic.name in self._elected,
        )

    def elect_preferred_leaders(self, partitions: Collection[Partition]) -> None:
        self.before_answer()
        self.elections.append([str(partition) for partition in partitions])
        if self.elects:
            self._elected |= {partition.topic for partition in partitions if partition.preferred in partition.in_sync}

    def close(self) -> None:
        self.closed += 1

    # Events that reach it ------------------------------------------------------------------------------------------

    def _having(self, role: str) -> Iterable[int]:
        return [node for node, roles in self.roles.items() if role in roles]

    def _up(self, node: int, seconds: float) -> bool:
        return node in self._up_since and self.now() - self._up_since[node] >= seconds

    def _in_sync(self, topic: FakeTopic) -> frozenset[int]:
        seconds = self.sync_seconds if topic.sync_seconds is None else topic.sync_seconds
        return frozenset(node for node in topic.replicas if self._up(node, seconds) and node not in self.lagging)

    def _on_change(self, change: Change) -> None:
        labels = (change.new or change.old or {})["metadata"].get("labels") or {}
        if change.plural != "pods" or labels.get("strimzi.io/component-type") != "kafka":
            return
        node = int(change.name.rsplit("-", 1)[1])
        if change.verb == "delete" or "deletionTimestamp" in change.new["metadata"] or not _ready(change.new):
            self.goes_down(node)
        elif node not in self._up_since:
            self._up_since[node] = self.now()
            self._down_since.pop(node, None)

    def goes_down(self, node: int) -> None:
        if self._up_since.pop(node, None) is None:
            return
        self._down_since[node] = self.now()
        self._elected -= {topic.name for topic in self.topics_ if topic.replicas[0] == node}
        self._judge(node)
        alive = [node for node in self._having("c") if node not in self._down_since]
        if node == self.active and alive:
            self.active = alive[0]

    def _judge(self, node: int) -> None:
        if len(self._down_since) > self.most_away:
            self.harm.append(f"{sorted(self._down_since)} were down at once")
        for topic in self.topics_:
            spare = len(topic.replicas) > topic.minimum
            if node in topic.replicas and spare and len(self._in_sync(topic)) < topic.minimum:
                self.harm.append(f"without {node} topic {topic.name} has {sorted(self._in_sync(topic))} in sync only")
        voters = list(self._having("c"))
        if len(voters) > 2 and 2 * len(set(voters) - set(self._down_since)) <= len(voters):
            self.harm.append(f"without {node} there is no majority")


def _ready(pod: dict[str, Any]) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or []
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)
