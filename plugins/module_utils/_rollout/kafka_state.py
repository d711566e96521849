# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The state of Kafka at one moment, as Kafka tells it: the input of the safety checks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Voter:
    """A member of the metadata quorum. last_caught_up: milliseconds; None when the leader does not know."""

    node_id: int
    last_caught_up: int | None


@dataclass(frozen=True)
class Quorum:
    """The metadata quorum as its leader, the active controller, sees it. leader: None while there is none."""

    leader: int | None
    voters: tuple[Voter, ...]


@dataclass(frozen=True)
class Broker:
    """A registered broker. fenced: known to the controller and not (or not yet) serving."""

    node_id: int
    fenced: bool


@dataclass(frozen=True)
class Partition:
    """A partition with the node ids of its replicas and of those in sync."""

    topic: str
    index: int
    replicas: frozenset[int]
    in_sync: frozenset[int]

    def __str__(self) -> str:
        return f"{self.topic}-{self.index}"


@dataclass(frozen=True)
class Topic:
    """A topic, internal ones included. min_insync_replicas: the value in force, wherever it is configured."""

    name: str
    min_insync_replicas: int
    partitions: tuple[Partition, ...]
