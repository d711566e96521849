# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The wanted Kafka nodes, whether they run or not. If the key of the CA is kept elsewhere, each needs its certificate
before the operator can start it (docs/operator.md, "Tried by hand", 6).

The operator gives a new node the next free number of the whole cluster, or a number from ``strimzi.io/next-node-ids``
of its pool. It takes pools in the order of their names (Strimzi's NodeIdAssignor). It writes the numbers into the
pools' status at the end of a reconcile, perhaps too late for this collection. The same rule gives the next node of a
pool.

If a pool has too many nodes, the nodes in ``strimzi.io/remove-node-ids`` leave first, then nodes with the highest
numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import Any

from ..._kube.client import KubeClient
from ..._trust.model.pools import MOST_NODES, Scaling
from .. import names
from ..names import KAFKA_NODE_POOLS
from ..secret_data import annotation

Object = Mapping[str, Any]

_RANGE = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?")
_LIST = re.compile(r"\s*\[(.*)\]\s*", re.DOTALL)


@dataclass(frozen=True)
class WantedNode:
    """A node of a node pool, running or not."""

    #: The name of its pod.
    pod: str
    #: The name of the node pool.
    pool: str
    #: Kafka's ``node.id`` of the node.
    node_id: int
    #: Whether it has the role of a broker, alone or beside that of a controller.
    broker: bool


@dataclass(frozen=True)
class Growth:
    """The nodes with certificates before they exist."""

    #: How many certificates are kept for the next nodes of each pool.
    spare: int
    #: The next size of a pool; None if it stays.
    scaling: Scaling | None = None


NO_GROWTH = Growth(0)


@dataclass(frozen=True)
class NodePools:
    """The node pools of a cluster, as read."""

    #: The name of the Kafka cluster.
    cluster: str
    #: The KafkaNodePool resources.
    pools: tuple[Object, ...] = ()

    @property
    def by_name(self) -> Mapping[str, Object]:
        return {_name(pool): pool for pool in self.pools}

    @property
    def replicas(self) -> Mapping[str, int]:
        """The replicas in the node pools, absurd numbers included; ``wanted`` makes no nodes of these."""
        return {name: _asked_replicas(pool) for name, pool in self.by_name.items()}

    def scaled(self, scaling: Scaling | None) -> NodePools:
        """The pools as they would be after this scaling."""
        if scaling is None:
            return self
        changed = (
            {**pool, "spec": {**(pool.get("spec") or {}), "replicas": scaling.replicas}}
            if _name(pool) == scaling.pool
            else pool
            for pool in self.pools
        )
        return NodePools(self.cluster, tuple(changed))

    def wanted(self) -> tuple[WantedNode, ...]:
        """The wanted nodes; nodes on their way out have numbers too."""
        used = {number for pool in self.pools for number in _numbers_of(pool)}
        return tuple(
            self._node(pool, number)
            for _name, pool in sorted(self.by_name.items())
            for number in (*_numbers_of(pool), *_number_new_nodes(pool, used, _replicas(pool) - len(_numbers_of(pool))))
        )

    def settled(self) -> NodePools:
        """The pools after the operator has removed their surplus nodes."""
        return NodePools(self.cluster, tuple(_without_leaving(pool) for pool in self.pools))

    def leaving(self) -> tuple[WantedNode, ...]:
        """The nodes that the operator is to remove."""
        return tuple(
            self._node(pool, number)
            for _name, pool in sorted(self.by_name.items())
            for number in _leaving_numbers(pool)
        )

    def next(self, count: int) -> tuple[WantedNode, ...]:
        """The next nodes of each pool, if this pool alone were scaled: two pools may get the same number."""
        used = {node.node_id for node in self.wanted()}
        return tuple(
            self._node(pool, number)
            for _name, pool in sorted(self.by_name.items())
            for number in _number_new_nodes(pool, set(used), count)
        )

    def _node(self, pool: Object, number: int) -> WantedNode:
        name, roles = _name(pool), (pool.get("spec") or {}).get("roles") or ()
        return WantedNode(f"{self.cluster}-{name}-{number}", name, number, "broker" in roles)


def node_pools(client: KubeClient, scope: names.ClusterNames) -> NodePools:
    """The node pools of the cluster. Raises KubeError."""
    selector = names.selector_of({names.CLUSTER_LABEL: scope.cluster})
    listed = client.list(KAFKA_NODE_POOLS, scope.namespace, label_selector=selector).items
    return NodePools(scope.cluster, tuple(listed))


def _name(pool: Object) -> str:
    return str(pool["metadata"]["name"])


def _asked_replicas(pool: Object) -> int:
    return int((pool.get("spec") or {}).get("replicas") or 0)


def _replicas(pool: Object) -> int:
    """The wanted number of nodes of the pool, or its present number if it asks for more nodes than any cluster has."""
    return _asked_replicas(pool) if _asked_replicas(pool) <= MOST_NODES else len(_numbers_of(pool))


def _number_new_nodes(pool: Object, used: set[int], count: int) -> list[int]:
    """The numbers of so many new nodes; they are used from then on."""
    offered, added = _parse_numbers(annotation(pool, names.NEXT_NODE_IDS) or ""), []
    for _number in range(count):
        added.append(_free_number(offered, used))
        used.add(added[-1])
    return added


def _numbers_of(pool: Object) -> list[int]:
    return [int(number) for number in (pool.get("status") or {}).get("nodeIds") or []]


def _without_leaving(pool: Object) -> Object:
    leaving = _leaving_numbers(pool)
    staying = [number for number in _numbers_of(pool) if number not in leaving]
    return {**pool, "status": {**(pool.get("status") or {}), "nodeIds": staying}}


def _leaving_numbers(pool: Object) -> list[int]:
    """The numbers of the nodes that leave, in the order in which the pool names its nodes."""
    numbers = _numbers_of(pool)
    named = [number for number in _parse_numbers(annotation(pool, names.REMOVE_NODE_IDS) or "") if number in numbers]
    first_to_go = list(dict.fromkeys((*named, *sorted(numbers, reverse=True))))
    gone = first_to_go[: max(len(numbers) - _replicas(pool), 0)]
    return [number for number in numbers if number in gone]


def _free_number(offered: Sequence[int], used: set[int]) -> int:
    return next(number for number in chain(offered, count()) if number not in used)


def _parse_numbers(text: str) -> list[int]:
    """``[0-2, 7, 12-10]``: numbers and ranges, up or down; nothing for any other text."""
    listed = _LIST.fullmatch(text)
    parts = [part.strip() for part in listed.group(1).split(",")] if listed else []
    matches = [_RANGE.fullmatch(part) for part in parts]
    numbers: list[int] = []
    for match in matches:
        if match is None:
            return []
        first, last = int(match.group(1)), int(match.group(2) or match.group(1))
        numbers += islice(range(first, last + 1) if first <= last else range(first, last - 1, -1), MOST_NODES)
    return numbers[:MOST_NODES]
