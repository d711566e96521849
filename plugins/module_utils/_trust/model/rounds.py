# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The rounds in which the Kafka nodes of one roll restart: the nodes that are away at the same time, and why there are
no more (docs/batches.md, "Plan and approval").
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Any, TypeAlias

from .names import counted, listed
from .steps.nodes import RollReason

#: How long a roll waits, before the next round, for the brokers of the last round to lead again. In this time Kafka
#: looks at its leaders once (``leader.imbalance.check.interval.seconds`` is 300 by default).
LEADERS_RETURN = timedelta(minutes=5)


class Bound(str, Enum):
    """Why a round has no more nodes."""

    #: No other node is to restart.
    ALL = "all"
    #: The caller allows no more.
    LIMIT = "limit"
    #: No other node of its rack is to restart, and the caller allows one rack at a time.
    RACK = "rack"
    #: A partition would lose more replicas than it can spare.
    PARTITIONS = "partitions"
    #: The metadata quorum would lose its majority.
    QUORUM = "quorum"
    #: Nodes that are down restart before all others.
    UNREADY = "unready"
    #: The nodes left come later: brokers after controllers, and the active controller last of these.
    ORDER = "order"


#: The reason for the size, as the rest of a sentence.
_WHY = {
    Bound.ALL: "no other node is left",
    Bound.LIMIT: "the most that batch allows",
    Bound.RACK: "all that are left of their rack",
    Bound.PARTITIONS: "with more nodes a partition would lose more replicas than it can spare",
    Bound.QUORUM: "with more nodes the metadata quorum could lose its majority",
    Bound.UNREADY: "nodes that are down restart first",
    Bound.ORDER: "brokers come after controllers, and the active controller is the last of these",
}


@dataclass(frozen=True)
class Round:
    """Kafka nodes that restart at the same time."""

    #: The names of their pods, in the order of their restarts.
    nodes: tuple[str, ...]
    #: Why there are no more.
    bound: Bound
    #: Names of the topics that let no more nodes go, if partitions are the reason.
    topics: tuple[str, ...] = ()
    #: Whether brokers are among the nodes. Before the next round these lead again, or the time for that is over.
    has_brokers: bool = True

    def sentence(self) -> str:
        """The nodes and the reason for their number."""
        of_topics = f" ({counted(len(self.topics), 'topic')}: {listed(self.topics)})" if self.topics else ""
        return f"{counted(len(self.nodes), 'node')} at once ({listed(self.nodes)}): {_WHY[self.bound]}{of_topics}"


def describe_rounds(rounds: Sequence[Round], count: int) -> str:
    """How many of so many nodes restart in how many rounds, as a part of a sentence."""
    planned = sum(len(one.nodes) for one in rounds)
    waiting = f", and {count - planned} that Kafka does not let go today" if planned < count else ""
    return f"{counted(planned, 'node')} in {counted(len(rounds), 'round')}{waiting}"


def describe_round_count(planned: Mapping[str, Any]) -> str:
    """The number of rounds in a plan of a result, as a part of a sentence; empty if no nodes restart at the same
    time.
    """
    has_batches = any(step["rounds"] for step in planned["plan"])
    return f" in {counted(planned['planned_rounds'], 'round')}" if has_batches else ""


#: Gives the rounds of a roll for this reason of the Kafka nodes with these names. Nodes that are in no round restart
#: one after the other.
Rounds: TypeAlias = Callable[[RollReason, Collection[str]], tuple[Round, ...]]


def no_rounds(_reason: RollReason, _nodes: Collection[str]) -> tuple[Round, ...]:
    """No rounds: each node restarts alone."""
    return ()
