# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The partitions of a Kafka cluster as its tool for topics describes them: pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_LINE = re.compile(
    r"^\s*Topic: (?P<topic>\S+)\s+Partition: (?P<index>\d+)\s+Leader: (?P<leader>\S+)\s+"
    r"Replicas: (?P<replicas>[\d,]*)\s+Isr: (?P<in_sync>[\d,]*)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Placed:
    """A partition, with the node ids of its brokers."""

    topic: str
    index: int
    #: As text: it may be ``none``.
    leader: str
    #: The preferred leader first.
    replicas: tuple[int, ...]
    in_sync: frozenset[int]

    @property
    def is_settled(self) -> bool:
        """Whether all replicas are in sync, and the preferred broker leads."""
        return self.in_sync == set(self.replicas) and self.leader == str(self.replicas[0])

    def is_spread(self, racks: Mapping[int, str]) -> bool:
        """Whether each replica is in a rack of its own."""
        return len({racks.get(broker) for broker in self.replicas}) == len(self.replicas)


def partitions_in(description: str) -> list[Placed]:
    """The partitions in what the tool says to ``--describe``."""
    return [
        Placed(
            one["topic"],
            int(one["index"]),
            one["leader"],
            tuple(_numbers(one["replicas"])),
            frozenset(_numbers(one["in_sync"])),
        )
        for one in _LINE.finditer(description)
    ]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]
