"""When KafkaRoller restarts a node: its KafkaAvailability and KafkaQuorumCheck (docs/operator.md, "KafkaRoller")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

#: controller.quorum.fetch.timeout.ms
FETCH_TIMEOUT_MS = 2000


@dataclass(frozen=True)
class Partition:
    """replicas and in_sync: node ids."""

    name: str
    replicas: frozenset[int]
    in_sync: frozenset[int]


@dataclass(frozen=True)
class State:
    """The state that nodes tell."""

    #: The active controller.
    leader: int
    #: When each voter last was, in milliseconds.
    caught_up: dict[int, int]
    partitions: tuple[Partition, ...]


def refusals(node_id: int, state: State, min_in_sync: int) -> Iterator[str]:
    """Why this node may not be restarted now."""
    for partition in state.partitions:
        known = len(partition.in_sync)
        if node_id not in partition.replicas or len(partition.replicas) <= min_in_sync:
            continue
        if known < min_in_sync or (known == min_in_sync and node_id in partition.in_sync):
            yield f"{partition.name} has {known} replicas in sync and needs {min_in_sync}"
    if node_id in state.caught_up:
        yield from _quorum_refusals(node_id, state)


def _quorum_refusals(node_id: int, state: State) -> Iterator[str]:
    """A single voter may go; of two the other one has to follow, of more a majority."""
    voters, newest = len(state.caught_up), state.caught_up.get(state.leader)
    if newest is None:
        yield "the quorum has no leader"
        return
    following = {voter for voter, at in state.caught_up.items() if newest - at < FETCH_TIMEOUT_MS} - {node_id}
    if len(following) < {1: 0, 2: 1}.get(voters, (voters + 2) // 2):
        yield f"without it only {len(following)} of {voters} voters follow"
