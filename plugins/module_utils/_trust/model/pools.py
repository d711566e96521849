# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The node pools of a cluster at one moment: their sizes, and the nodes that they get and lose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: More nodes than a pool of a Kafka cluster has.
MOST_NODES = 1000


@dataclass(frozen=True)
class Scaling:
    """The next size of a node pool."""

    #: The name of the pool.
    pool: str
    #: How many nodes this pool is to have.
    replicas: int


@dataclass(frozen=True)
class Unaddressed:
    """A new node of a pool."""

    #: The name of the pool.
    pool: str
    #: Listeners, with their types, whose addresses belong into its leaf and are not known yet.
    listeners: tuple[str, ...]


@dataclass(frozen=True)
class PoolNode:
    """A present or next node of a pool."""

    #: The name of the pool.
    pool: str
    #: Kafka's ``node.id`` of the node.
    node_id: int


@dataclass(frozen=True)
class Pools:
    """The node pools of a cluster, and the nodes that they get and lose next, by the names of their pods. These are the
    names of the Secrets with their leaves too.
    """

    #: How many nodes each pool is configured to have; empty if no decision depends on it.
    replicas: Mapping[str, int] = field(default_factory=dict)
    #: The next nodes of the pools, without a Secret yet, as many as the caller wants certificates for in advance.
    spare: Mapping[str, PoolNode] = field(default_factory=dict)
    #: The nodes for the operator to remove because their pools have too many.
    leaving: Mapping[str, PoolNode] = field(default_factory=dict)
    #: The next nodes of the pools once the nodes of ``leaving`` are gone; empty if the operator can issue for them.
    spare_later: Mapping[str, PoolNode] = field(default_factory=dict)
    #: The new nodes with unknown addresses of their platform, which their leaves lack.
    unaddressed: Mapping[str, Unaddressed] = field(default_factory=dict)


NO_POOLS = Pools()
