# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The Kafka nodes that are wanted, whether they run or not. Where somebody else keeps the key of the CA, each needs its certificate before
the operator can start it (docs/operator.md, "Tried by hand", 6).

The operator gives a new node the next free number of the whole cluster, or one that ``strimzi.io/next-node-ids`` of its pool offers; pools
in the order of their names (Strimzi's NodeIdAssignor). It writes them into the pools' status when a reconcile has come to its end, which
may be too late for us.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from .._kube.client import KubeClient
from . import names
from .resources import KAFKA_NODE_POOLS
from .secret_data import annotation

Object = Mapping[str, Any]

_RANGE = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?")
_LIST = re.compile(r"\s*\[(.*)\]\s*", re.DOTALL)


@dataclass(frozen=True)
class WantedNode:
    """pod: the name of its pod."""

    pod: str
    pool: str
    node_id: int
    broker: bool


def wanted_nodes(client: KubeClient, scope: names.ClusterNames) -> tuple[WantedNode, ...]:
    """Raises KubeError."""
    selector = f"{names.CLUSTER_LABEL}={scope.cluster}"
    return tuple(_assign(client.list(KAFKA_NODE_POOLS, scope.namespace, label_selector=selector).items, scope.cluster))


def _assign(pools: Sequence[Object], cluster: str) -> Iterator[WantedNode]:
    used = {number for pool in pools for number in _numbers_of(pool)}
    for pool in sorted(pools, key=lambda one: str(one["metadata"]["name"])):
        name, spec = str(pool["metadata"]["name"]), pool.get("spec") or {}
        has, offered = _numbers_of(pool), _offered(annotation(pool, names.NEXT_NODE_IDS) or "")
        added = []
        for _missing in range(int(spec.get("replicas") or 0) - len(has)):
            added.append(_free(offered, used))
            used.add(added[-1])
        for number in (*has, *added):
            yield WantedNode(f"{cluster}-{name}-{number}", name, number, "broker" in (spec.get("roles") or ()))


def _numbers_of(pool: Object) -> list[int]:
    return [int(number) for number in (pool.get("status") or {}).get("nodeIds") or []]


def _free(offered: Sequence[int], used: set[int]) -> int:
    return next(number for number in chain(offered, count()) if number not in used)


def _offered(text: str) -> list[int]:
    """``[0-2, 7, 12-10]``: numbers and ranges, up or down; nothing for any other text."""
    listed = _LIST.fullmatch(text)
    parts = [part.strip() for part in listed.group(1).split(",")] if listed else []
    matches = [_RANGE.fullmatch(part) for part in parts]
    found: list[int] = []
    for match in matches:
        if match is None:
            return []
        first, last = int(match.group(1)), int(match.group(2) or match.group(1))
        found += range(first, last + 1) if first <= last else range(first, last - 1, -1)
    return found
