# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The owners of pods: a pod belongs to the cluster by its controller, whatever its labels (docs/design.md, "Evidence")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .._kube.client import KubeClient
from .._trust.model.snapshot import Component
from . import names
from .pods import PARTIES, component_of, labels_of, name_label, names_of_nodes
from .resources import KAFKA_NODE_POOLS, KAFKAS, STRIMZI_POD_SETS
from .wanted_nodes import NodePools

Object = Mapping[str, Any]

_DEPLOYED = tuple(component for component in PARTIES if component is not Component.KAFKA)


@dataclass(frozen=True)
class Owners:
    """The owners that the pods of a cluster have.

    pod_sets: names of its StrimziPodSets, by their UIDs. nodes: names of the pods that these ask for. pools: names of its node pools.
    """

    scope: names.ClusterNames
    pod_sets: Mapping[str, str]
    nodes: frozenset[str]
    pools: frozenset[str]

    def component_of(self, pod: Object) -> Component | None:
        """The component of a pod of this cluster; None for any other pod."""
        owner = _controller_of(pod)
        if owner.get("kind") == STRIMZI_POD_SETS.kind:
            own = self.pod_sets.get(owner.get("uid", "")) == owner.get("name")
            return Component.KAFKA if own and self.is_node_name(pod["metadata"]["name"]) else None
        if owner.get("kind") != "ReplicaSet":
            return None
        # The name of a ReplicaSet is enough, and no Role has to let it be read: Kubernetes deletes a pod whose owner does not exist, and the controller
        # of a ReplicaSet that exists deletes the pods that it did not make.
        deployment = str(owner.get("name")).rpartition("-")[0]
        return next((one for one in _DEPLOYED if deployment == name_label(one, self.scope)), None)

    def passes_for(self, pod: Object) -> Component | None:
        """The component whose labels a pod has, or whose name; None where it has neither."""
        if pod["metadata"]["name"] in self.nodes:
            return Component.KAFKA
        said = labels_of(pod).get(names.COMPONENT_TYPE_LABEL)
        return component_of(pod, self.scope) or next((one for one in PARTIES if one == said), None)

    def is_node_name(self, name: str) -> bool:
        """Whether a Kafka node of this cluster has this name, or could have it: ``<cluster>-<pool>-<number>``."""
        pool, _dash, number = name.removeprefix(f"{self.scope.cluster}-").rpartition("-")
        shaped = name.startswith(f"{self.scope.cluster}-") and pool in self.pools
        return name in self.nodes or (shaped and re.fullmatch("[0-9]{1,9}", number) is not None)

    def read_pod_sets(self, client: KubeClient) -> tuple[Mapping[str, Any], ...]:
        """The StrimziPodSets of this cluster as they are now. They are listed: the Roles let none be read by its name (docs/rbac.yml). Raises
        KubeError.
        """
        listed = client.list(STRIMZI_POD_SETS, self.scope.namespace, label_selector=self.scope.selector).items
        return tuple(one for one in listed if one["metadata"]["uid"] in self.pod_sets)


def read_owners(client: KubeClient, scope: names.ClusterNames, kafka: Object | None, pools: NodePools) -> Owners:
    """A StrimziPodSet is of this cluster where the Kafka resource or one of its node pools owns it. Raises KubeError."""
    above = {(KAFKA_NODE_POOLS.kind, one["metadata"]["uid"]) for one in pools.pools}
    if kafka is not None:
        above.add((KAFKAS.kind, kafka["metadata"]["uid"]))
    listed = client.list(STRIMZI_POD_SETS, scope.namespace, label_selector=scope.selector).items
    own = [one for one in listed if above & {(owner.get("kind"), owner.get("uid")) for owner in _owners_of(one)}]
    sets = {one["metadata"]["uid"]: str(one["metadata"]["name"]) for one in own}
    return Owners(scope, sets, names_of_nodes(own, scope), frozenset(pools.by_name))


def _owners_of(item: Object) -> Iterable[Object]:
    return item["metadata"].get("ownerReferences") or ()


def _controller_of(pod: Object) -> Object:
    """The owner that controls a pod; empty where none does."""
    return next((owner for owner in _owners_of(pod) if owner.get("controller") is True), {})
