# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Finding the pods of a cluster: by their labels, and those of known nodes by their names.

A pod that has lost a label runs on, presents and verifies as before. If it were overlooked, every gate would open without it.
A pod that has only the labels is another program's: whose it is its owner says (``Owners``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .._kube.client import KubeClient
from .._kube.resources import PODS
from .._trust.model.snapshot import Component
from . import names
from .leaves import LeafSecret, leaf_secrets
from .owners import Owners, read_owners
from .pods import is_final, name_label
from .secret_data import missing_labels
from .wanted_nodes import NodePools, node_pools

Object = dict[str, Any]


@dataclass(frozen=True)
class FoundPods:
    """The pods of a cluster.

    owners: who its pods belong to. pools: its node pools. nodes: names of the Kafka nodes that it has, whether they run or not. pods: those with its
    labels, and those with the names of its nodes.
    """

    owners: Owners
    pools: NodePools
    nodes: frozenset[str]
    pods: tuple[Object, ...]

    @cached_property
    def own(self) -> Mapping[str, Object]:
        """The cluster's own pods, by name."""
        return {pod["metadata"]["name"]: pod for pod in self.pods if self.owners.component_of(pod) is not None}

    @cached_property
    def running(self) -> tuple[tuple[Object, Component], ...]:
        """The cluster's own pods whose processes have not ended."""
        found = ((pod, self.owners.component_of(pod)) for pod in self.pods)
        return tuple((pod, component) for pod, component in found if component is not None and not is_final(pod))

    @cached_property
    def foreign(self) -> Mapping[str, Component]:
        """The pods that pass for one of the cluster's by labels or name and are none by their owner, with what they pass for."""
        strangers = (pod for pod in self.pods if pod["metadata"]["name"] not in self.own and not is_final(pod))
        found = ((pod["metadata"]["name"], self.owners.passes_for(pod)) for pod in strangers)
        return {name: component for name, component in found if component is not None}


def find_pods(
    client: KubeClient,
    scope: names.ClusterNames,
    kafka: Mapping[str, Any] | None,
    secrets: Mapping[str, Mapping[str, Any]],
) -> FoundPods:
    """The pods with the labels of the cluster, and those of its nodes whatever their labels.

    A node that is not among the former is asked for by name: one request for each, and none in a cluster that is whole. Owners are read after the
    pods, so that the owner of each pod is among them. Raises KubeError.
    """
    found = client.list(PODS, scope.namespace, label_selector=scope.selector).items
    pools = node_pools(client, scope)
    owners = read_owners(client, scope, kafka, pools)
    leaves = leaf_secrets(scope, secrets, owners.is_node_name)
    nodes = known_nodes(owners, leaves)
    for name in sorted(nodes - {pod["metadata"]["name"] for pod in found}):
        found += client.list(PODS, scope.namespace, field_selector=f"metadata.name={name}").items
    return FoundPods(owners, pools, nodes, tuple(found))


def known_nodes(owners: Owners, leaves: Iterable[LeafSecret]) -> frozenset[str]:
    """The names of the Kafka nodes that StrimziPodSets ask for, and of those that have a leaf."""
    return owners.nodes | {leaf.secret for leaf in leaves if leaf.component is Component.KAFKA}


def lost_labels(pod: Mapping[str, Any], component: Component, scope: names.ClusterNames) -> tuple[str, ...]:
    """The labels, as "<name>=<value>", without which neither the operator nor a roll finds a pod of this component."""
    return missing_labels(pod, {**scope.labels, names.NAME_LABEL: name_label(component, scope)})
