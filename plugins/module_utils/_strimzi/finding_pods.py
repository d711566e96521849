# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Finding the pods of a cluster: by their labels, and those of known nodes by their names.

A pod that has lost a label runs on, presents and verifies as before. If it were overlooked, every gate would open without it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .._kube.client import KubeClient
from .._kube.errors import Forbidden
from .._kube.resources import PODS
from .._trust.model.snapshot import Component
from . import names
from .leaves import LeafSecret
from .pods import PARTIES, component_of, labels_of, name_label, names_of_nodes
from .resources import STRIMZI_POD_SETS
from .secret_data import missing_labels

Object = dict[str, Any]


def known_nodes(client: KubeClient, scope: names.ClusterNames, leaves: Collection[LeafSecret]) -> frozenset[str]:
    """The names of the Kafka nodes that this cluster has: those of its StrimziPodSets, and those that have a leaf."""
    return names_of_nodes(_pod_sets(client, scope), scope) | frozenset(
        leaf.secret for leaf in leaves if leaf.component is Component.KAFKA
    )


def _pod_sets(client: KubeClient, scope: names.ClusterNames) -> list[Object]:
    """Empty without the permission to list them: nodes are known by their leaves then."""
    try:
        return client.list(STRIMZI_POD_SETS, scope.namespace, label_selector=scope.selector).items
    except Forbidden:
        return []


def find_pods(client: KubeClient, scope: names.ClusterNames, nodes: Collection[str]) -> list[Object]:
    """The pods with the labels of the cluster, and those of these nodes whatever their labels.

    A node that is not among the former is asked for by name: one request for each, and none in a cluster that is whole.
    """
    found = client.list(PODS, scope.namespace, label_selector=scope.selector).items
    unseen = sorted(set(nodes) - {pod["metadata"]["name"] for pod in found})
    for name in unseen:
        found += client.list(PODS, scope.namespace, field_selector=f"metadata.name={name}").items
    return found


def party_of(pod: Mapping[str, Any], scope: names.ClusterNames, nodes: Collection[str]) -> Component | None:
    """The component of a pod that was found, also where it has lost the label that names it; None for one that is no
    party.
    """
    if pod["metadata"]["name"] in nodes:
        return Component.KAFKA
    said = labels_of(pod).get(names.COMPONENT_TYPE_LABEL)
    return component_of(pod, scope) or next((one for one in PARTIES if one == said), None)


def lost_labels(pod: Mapping[str, Any], component: Component, scope: names.ClusterNames) -> tuple[str, ...]:
    """The labels, as "<name>=<value>", without which neither the operator nor a roll finds a pod of this component."""
    return missing_labels(pod, {**scope.labels, names.NAME_LABEL: name_label(component, scope)})
