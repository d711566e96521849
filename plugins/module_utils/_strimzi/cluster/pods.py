# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The pods of a Kafka cluster (docs/operator.md, "Pod annotations", "Kafka resource"), found by their labels, and known
nodes by their names.

A pod belongs to the cluster by its controller, whatever its labels (docs/design.md, "Evidence"). A pod with a lost
label runs on, presents and verifies as before. If it were overlooked, it would leave every gate open. A pod with the
labels alone belongs to another program: ``Owners`` says to which.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from ..._kube.client import KubeClient
from ..._kube.resources import PODS, is_of_this_collection, read_time
from ..._trust.model.components import DEPLOYED, IN_PODS, Component
from ..._trust.model.security import MUTUAL_TLS, ClusterSecurity
from ..._trust.model.snapshot import Pod, StoredLeaf
from .. import names
from ..names import KAFKA_NODE_POOLS, KAFKAS, STRIMZI_POD_SETS
from ..secret_data import annotation, integer_annotation, is_true, missing_labels
from .kafka import FoundNodes, read_security
from .leaves import LeafSecret, leaf_secrets, server_cert_hash
from .node_pools import NodePools, node_pools
from .specified_listeners import own_ports

_FINAL_PHASES = frozenset({"Succeeded", "Failed"})


def component_of(pod: Mapping[str, Any], scope: names.ClusterNames) -> Component | None:
    """The component by the labels of a pod, or of its entry in a StrimziPodSet. Its owner says which cluster it belongs
    to (``Owners``).
    """
    name = labels_of(pod).get(names.NAME_LABEL)
    return next((component for component in IN_PODS if name == name_label(component, scope)), None)


def name_label(component: Component, scope: names.ClusterNames) -> str:
    """The value of ``strimzi.io/name`` on pods of this component."""
    return f"{scope.cluster}-{component.value}"


def labels_of(pod: Mapping[str, Any]) -> Mapping[str, str]:
    return pod["metadata"].get("labels") or {}


def has_role(pod: Mapping[str, Any], label: str) -> bool:
    """Whether a node has the role of this label. A node without the label counts as having it, here and everywhere,
    because a call asks its listeners, and it has to pass the checks of both roles.
    """
    return labels_of(pod).get(label, "true") == "true"


def names_of_nodes(pod_sets: Iterable[Mapping[str, Any]], scope: names.ClusterNames) -> frozenset[str]:
    """The wanted Kafka nodes, whether their pods exist or not."""
    return frozenset(
        str(pod["metadata"]["name"])
        for pod_set in pod_sets
        for pod in pod_set["spec"].get("pods") or []
        if component_of(pod, scope) is Component.KAFKA
    )


def is_ready(pod: Mapping[str, Any]) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or []
    return any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions)


#: The annotations by which a person or a program asks the operator to restart a node, and to delete it with its volumes
#: and make it again.
REQUESTS = (names.MANUAL_ROLLING_UPDATE, names.DELETE_POD_AND_PVC)


def requests_on(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The annotations for the operator to restart this pod, or all pods of this StrimziPodSet, or to make this pod
    again without its data.
    """
    return tuple(name for name in REQUESTS if is_true(item, name))


#: The field of a pod by which the operator is to restart it.
REQUEST = ("metadata", "annotations", names.MANUAL_ROLLING_UPDATE)


def is_asked_here(pod: Mapping[str, Any]) -> bool:
    """Whether a call of this collection has asked the operator to restart this pod."""
    return is_true(pod, names.MANUAL_ROLLING_UPDATE) and is_of_this_collection(pod, REQUEST)


def worker_of(pod: Mapping[str, Any]) -> str:
    """The name of its machine; empty if it has none yet."""
    return str((pod.get("spec") or {}).get("nodeName") or "")


def is_final(pod: Mapping[str, Any]) -> bool:
    """Whether its processes have ended: it presents and trusts nothing any more."""
    return (pod.get("status") or {}).get("phase") in _FINAL_PHASES


@dataclass(frozen=True)
class Exposure:
    """The channels on which certificates of the cluster CA are presented."""

    #: The security between the processes of the cluster.
    security: ClusterSecurity = MUTUAL_TLS
    #: Whether brokers have a listener for clients with their own certificate.
    has_own_listener: bool = False

    def presents(self, pod: Mapping[str, Any], component: Component) -> bool:
        """Whether any channel of this pod presents the certificate in its Secret."""
        if self.security.presents(serves=bool(component.facts.services)):
            return True
        return self.has_own_listener and component is Component.KAFKA and has_role(pod, names.BROKER_ROLE_LABEL)


def read_exposure(kafka: Mapping[str, Any] | None) -> Exposure:
    return Exposure(read_security(kafka), bool(own_ports(kafka or {})))


def read_pod(
    pod: Mapping[str, Any],
    component: Component,
    leaves: Sequence[StoredLeaf],
    owners: Owners,
    exposure: Exposure,
) -> Pod:
    """A pod as a party; ``leaves`` are all stored leaves of the cluster."""
    name = pod["metadata"]["name"]
    own = [
        leaf for leaf in leaves
        if leaf.component is component and (component is not Component.KAFKA or leaf.secret == name)
    ]  # fmt: skip
    leaf_hash = annotation(pod, names.SERVER_CERT_HASH)
    return Pod(
        name=name,
        uid=pod["metadata"]["uid"],
        component=component,
        generation=integer_annotation(pod, names.CLUSTER_CA_CERT_GENERATION),
        leaves=tuple(leaf.secret for leaf in own),
        presents_stored=None if leaf_hash is None else leaf_hash == server_cert_hash(component, own, owners.scope),
        key_generation=integer_annotation(pod, names.CLUSTER_CA_KEY_GENERATION),
        leaf_hash=leaf_hash or "",
        ready=is_ready(pod),
        terminating="deletionTimestamp" in pod["metadata"],
        awaits_restart=component is Component.KAFKA and owners.awaits_restart(pod),
        asked_here=is_asked_here(pod),
        worker=worker_of(pod),
        started_in=_started_in(pod),
        restarts=_count_restarts(pod),
        presents_nothing=not exposure.presents(pod, component),
        kafka_version=annotation(pod, names.KAFKA_VERSION) or "",
    )


#: If a pod took longer, it has been away for another reason meanwhile, and shows no start.
_LONGEST_START = timedelta(hours=1)


def _started_in(pod: Mapping[str, Any]) -> timedelta | None:
    """From the start of the pod until it was ready. It has been ready without a break since. None if a container has
    started again: then the time has breaks in it.
    """
    status = pod.get("status") or {}
    ready: Mapping[str, Any] = next(
        (condition for condition in status.get("conditions") or [] if condition.get("type") == "Ready"), {}
    )
    begin, end = read_time(status.get("startTime")), read_time(ready.get("lastTransitionTime"))
    if ready.get("status") != "True" or begin is None or end is None or _count_restarts(pod):
        return None
    return end - begin if timedelta(0) < end - begin <= _LONGEST_START else None


def _count_restarts(pod: Mapping[str, Any]) -> int:
    return sum(
        int(container.get("restartCount") or 0)
        for container in (pod.get("status") or {}).get("containerStatuses") or []
    )


Object = Mapping[str, Any]


@dataclass(frozen=True)
class Owners:
    """The owners of the pods of a cluster."""

    #: The names of the cluster.
    scope: names.ClusterNames
    #: Names of its StrimziPodSets, by their UIDs.
    pod_sets: Mapping[str, str]
    #: Names of the pods of these StrimziPodSets.
    nodes: frozenset[str]
    #: Names of its node pools.
    pools: frozenset[str]
    #: Names of the StrimziPodSets with an annotation for the operator to restart their pods.
    pod_sets_to_restart: frozenset[str] = frozenset()

    def awaits_restart(self, pod: Object) -> bool:
        """Whether an annotation asks the operator to restart this node."""
        return bool(requests_on(pod)) or _controller_of(pod).get("name") in self.pod_sets_to_restart

    def component_of(self, pod: Object) -> Component | None:
        """The component of a pod of this cluster; None for any other pod."""
        owner = _controller_of(pod)
        if owner.get("kind") == STRIMZI_POD_SETS.kind:
            own = self.pod_sets.get(owner.get("uid", "")) == owner.get("name")
            return Component.KAFKA if own and self.is_node_name(pod["metadata"]["name"]) else None
        if owner.get("kind") != "ReplicaSet":
            return None
        # The name of a ReplicaSet is enough, and no Role has to let it be read. Kubernetes deletes a pod whose owner
        # does not exist. The controller of an existing ReplicaSet deletes the pods that it did not make.
        deployment = str(owner.get("name")).rpartition("-")[0]
        return next((component for component in DEPLOYED if deployment == name_label(component, self.scope)), None)

    def passes_for(self, pod: Object) -> Component | None:
        """The component by the labels of a pod, or by its name; None if it has neither."""
        if pod["metadata"]["name"] in self.nodes:
            return Component.KAFKA
        label = labels_of(pod).get(names.COMPONENT_TYPE_LABEL)
        return component_of(pod, self.scope) or next((component for component in IN_PODS if component == label), None)

    def is_node_name(self, name: str) -> bool:
        """Whether a Kafka node of this cluster has this name, or could have it: ``<cluster>-<pool>-<number>``."""
        pool, _dash, number = name.removeprefix(f"{self.scope.cluster}-").rpartition("-")
        shaped = name.startswith(f"{self.scope.cluster}-") and pool in self.pools
        return name in self.nodes or (shaped and re.fullmatch("[0-9]{1,9}", number) is not None)

    def read_pod_sets(self, client: KubeClient) -> tuple[Mapping[str, Any], ...]:
        """The StrimziPodSets of this cluster as they are now. They are listed: the Roles let none be read by its name
        (docs/rbac.yml). Raises KubeError.
        """
        listed = client.list(STRIMZI_POD_SETS, self.scope.namespace, label_selector=self.scope.selector).items
        return tuple(pod_set for pod_set in listed if pod_set["metadata"]["uid"] in self.pod_sets)


def read_owners(client: KubeClient, scope: names.ClusterNames, kafka: Object | None, pools: NodePools) -> Owners:
    """The owners of the cluster's pods. A StrimziPodSet is of this cluster if the Kafka resource or a node pool of it
    owns it. Raises KubeError.
    """
    above = {(KAFKA_NODE_POOLS.kind, pool["metadata"]["uid"]) for pool in pools.pools}
    if kafka is not None:
        above.add((KAFKAS.kind, kafka["metadata"]["uid"]))
    listed = client.list(STRIMZI_POD_SETS, scope.namespace, label_selector=scope.selector).items
    own = [
        pod_set
        for pod_set in listed
        if above & {(owner.get("kind"), owner.get("uid")) for owner in _owners_of(pod_set)}
    ]
    sets = {pod_set["metadata"]["uid"]: str(pod_set["metadata"]["name"]) for pod_set in own}
    with_request = frozenset(str(pod_set["metadata"]["name"]) for pod_set in own if requests_on(pod_set))
    return Owners(scope, sets, names_of_nodes(own, scope), frozenset(pools.by_name), with_request)


def _owners_of(item: Object) -> Iterable[Object]:
    return item["metadata"].get("ownerReferences") or ()


def _controller_of(pod: Object) -> Object:
    """The controlling owner of a pod; empty if there is none."""
    return next((owner for owner in _owners_of(pod) if owner.get("controller") is True), {})


@dataclass(frozen=True)
class FoundPods:
    """The pods of a cluster."""

    #: The owners of its pods.
    owners: Owners
    #: Its node pools.
    pools: NodePools
    #: Names of its Kafka nodes, whether they run or not.
    nodes: frozenset[str]
    #: Pods with its labels, and pods with the names of its nodes.
    pods: tuple[Object, ...]

    @cached_property
    def own_pods(self) -> Mapping[str, Object]:
        """The cluster's own pods, by name."""
        return {pod["metadata"]["name"]: pod for pod in self.pods if self.owners.component_of(pod) is not None}

    @cached_property
    def node_traces(self) -> FoundNodes:
        """The wanted nodes, and the nodes among them with a pod of any maker."""
        running = self.nodes & frozenset(pod["metadata"]["name"] for pod in self.pods)
        return FoundNodes(self.nodes, bool(self.owners.pod_sets), self.owners.nodes, running)

    @cached_property
    def running_pods(self) -> tuple[tuple[Object, Component], ...]:
        """The cluster's own pods whose processes have not ended."""
        components = ((pod, self.owners.component_of(pod)) for pod in self.pods)
        return tuple((pod, component) for pod, component in components if component is not None and not is_final(pod))

    @cached_property
    def foreign_pods(self) -> Mapping[str, Component]:
        """The pods that look like the cluster's by labels or name and have another owner or none, each with the
        component of this likeness. Their phase does not count: Kubernetes writes Failed also for a pod on a lost
        worker. Its processes may run on there, and no owner puts another pod in its place.
        """
        strangers = (pod for pod in self.pods if pod["metadata"]["name"] not in self.own_pods)
        components = ((pod["metadata"]["name"], self.owners.passes_for(pod)) for pod in strangers)
        return {name: component for name, component in components if component is not None}


def find_pods(
    client: KubeClient,
    scope: names.ClusterNames,
    kafka: Mapping[str, Any] | None,
    secrets: Mapping[str, Mapping[str, Any]],
) -> FoundPods:
    """The pods with the labels of the cluster, and the pods of its nodes whatever their labels. A node without the
    labels is read by name: one request for each, and none in a whole cluster. Owners are read after the pods, so the
    owner of each pod is among them. Raises KubeError.
    """
    listed = client.list(PODS, scope.namespace, label_selector=scope.selector).items
    pools = node_pools(client, scope)
    owners = read_owners(client, scope, kafka, pools)
    leaves = leaf_secrets(scope, secrets, owners.is_node_name)
    nodes = known_nodes(owners, leaves)
    for name in sorted(nodes - {pod["metadata"]["name"] for pod in listed}):
        listed += client.list(PODS, scope.namespace, field_selector=f"metadata.name={name}").items
    return FoundPods(owners, pools, nodes, tuple(listed))


def known_nodes(owners: Owners, leaves: Iterable[LeafSecret]) -> frozenset[str]:
    """The names of the Kafka nodes in StrimziPodSets, and of nodes with a leaf."""
    return owners.nodes | {leaf.secret for leaf in leaves if leaf.component is Component.KAFKA}


def lost_labels(pod: Mapping[str, Any], component: Component, scope: names.ClusterNames) -> tuple[str, ...]:
    """The labels, as "<name>=<value>", without which neither the operator nor a roll finds a pod of this component."""
    return missing_labels(pod, {**scope.labels, names.NAME_LABEL: name_label(component, scope)})
