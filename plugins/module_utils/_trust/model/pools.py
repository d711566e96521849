# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Node pools and their size."""

from __future__ import annotations

from dataclasses import dataclass

#: More nodes than a pool of a Kafka cluster has.
MOST_NODES = 1000


@dataclass(frozen=True)
class Scaling:
    """replicas: how many nodes this pool is to have."""

    pool: str
    replicas: int


@dataclass(frozen=True)
class Unaddressed:
    """A new node of a pool. listeners: those, with their types, whose addresses belong into its leaf and are not known yet."""

    pool: str
    listeners: tuple[str, ...]


@dataclass(frozen=True)
class PoolNode:
    """A node of a pool, be it one that it has or one that it would get next."""

    pool: str
    node_id: int
