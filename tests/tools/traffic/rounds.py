# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rounds of a roll, by the times at which its nodes went and came back, and what their time went into: pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ..bench.restarts import Restart


@dataclass(frozen=True)
class Round:
    """Nodes that were away at the same time."""

    #: Their restarts, in the order in which the nodes went.
    restarts: tuple[Restart, ...]
    #: When the next round began, or the last node of the last round was ready, in seconds of the clock of the restarts.
    until: float

    @property
    def nodes(self) -> frozenset[str]:
        """The names of the pods."""
        return frozenset(one.pod for one in self.restarts)

    @property
    def began(self) -> float:
        """When the first node began to go."""
        return min(one.began for one in self.restarts)

    @property
    def stopping(self) -> float:
        """Seconds until the last process had ended."""
        return max(one.gone for one in self.restarts) - self.began

    @property
    def starting(self) -> float:
        """Seconds from then until the last node was ready."""
        return max(one.ready for one in self.restarts) - max(one.gone for one in self.restarts)

    @property
    def returning(self) -> float:
        """Seconds from then until the roll went on: all replicas were in sync, and the brokers led again if the roll
        waited for that. 0 for the last round, after which a flow does other work.
        """
        return self.until - max(one.ready for one in self.restarts)

    @property
    def seconds(self) -> float:
        """How long it lasted."""
        return self.until - self.began


def rounds_of(restarts: Iterable[Restart]) -> tuple[Round, ...]:
    """The rounds of a roll: a node belongs to a round if it went before the first of the round was back."""
    groups: list[list[Restart]] = []
    for one in sorted(restarts, key=lambda restart: restart.began):
        if groups and one.began < min(other.ready for other in groups[-1]):
            groups[-1].append(one)
        else:
            groups.append([one])
    last = max((one.ready for group in groups[-1:] for one in group), default=0.0)
    ends = [*(group[0].began for group in groups[1:]), last]
    return tuple(Round(tuple(group), end) for group, end in zip(groups, ends, strict=False))


def of_nodes(rounds: Iterable[Round], nodes: Collection[str]) -> tuple[Round, ...]:
    """The rounds of which every node is among these."""
    return tuple(one for one in rounds if one.nodes <= set(nodes))


def with_a_core_for_each(batches: Sequence[Round], one_by_one: Sequence[Round]) -> float:
    """Seconds of these batches, reckoned: on a machine with a core for each node, the nodes of a batch start as fast as
    a node alone, which takes the mean of ``one_by_one``.
    """
    alone = sum(one.starting for one in one_by_one) / len(one_by_one)
    return sum(one.seconds - one.starting + min(one.starting, alone) for one in batches)
