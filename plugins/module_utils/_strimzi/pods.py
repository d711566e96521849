# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Pods of a Kafka cluster as parties (docs/operator.md, "Pod annotations", "Kafka resource")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._trust.model.snapshot import Component, Pod, StoredLeaf
from . import names
from .leaves import server_cert_hash
from .secret_data import (
    annotation,
    integer_annotation,
)

#: The components that run in pods.
PARTIES = (Component.KAFKA, Component.ENTITY_OPERATOR, Component.CRUISE_CONTROL, Component.KAFKA_EXPORTER)
_FINAL_PHASES = frozenset({"Succeeded", "Failed"})


def component_of(pod: Mapping[str, Any], scope: names.ClusterNames) -> Component | None:
    """The component that a pod, or what a StrimziPodSet says of it, is labelled as. Whose it is its owner says (``Owners``)."""
    name = labels_of(pod).get(names.NAME_LABEL)
    return next((component for component in PARTIES if name == name_label(component, scope)), None)


def name_label(component: Component, scope: names.ClusterNames) -> str:
    """The value of ``strimzi.io/name`` on pods of this component."""
    return f"{scope.cluster}-{component.value}"


def labels_of(pod: Mapping[str, Any]) -> Mapping[str, str]:
    return pod["metadata"].get("labels") or {}


def has_role(pod: Mapping[str, Any], label: str) -> bool:
    """Whether a node has the role of this label. A node without the label counts as having it, here and everywhere: its
    listeners are asked, and it has to pass the checks of both roles.
    """
    return labels_of(pod).get(label, "true") == "true"


def names_of_nodes(pod_sets: Iterable[Mapping[str, Any]], scope: names.ClusterNames) -> frozenset[str]:
    """Every Kafka node that is to be there, whether its pod exists or not."""
    return frozenset(
        str(pod["metadata"]["name"])
        for pod_set in pod_sets
        for pod in pod_set["spec"].get("pods") or []
        if component_of(pod, scope) is Component.KAFKA
    )


def is_ready(pod: Mapping[str, Any]) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or []
    return any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions)


def worker_of(pod: Mapping[str, Any]) -> str:
    """The name of the machine that it runs on; empty where it has none yet."""
    return str((pod.get("spec") or {}).get("nodeName") or "")


def is_final(pod: Mapping[str, Any]) -> bool:
    """Whether its processes have ended, so that it presents and trusts nothing any more."""
    return (pod.get("status") or {}).get("phase") in _FINAL_PHASES


def read_pod(
    pod: Mapping[str, Any], component: Component, leaves: Sequence[StoredLeaf], scope: names.ClusterNames
) -> Pod:
    """A pod as a party; ``leaves`` are all stored leaves of the cluster."""
    name = pod["metadata"]["name"]
    own = [
        leaf for leaf in leaves
        if leaf.component is component and (component is not Component.KAFKA or leaf.secret == name)
    ]  # fmt: skip
    found = annotation(pod, names.SERVER_CERT_HASH)
    return Pod(
        name=name,
        uid=pod["metadata"]["uid"],
        component=component,
        generation=integer_annotation(pod, names.CLUSTER_CA_CERT_GENERATION),
        leaves=tuple(leaf.secret for leaf in own),
        presents_stored=None if found is None else found == server_cert_hash(component, own, scope),
        key_generation=integer_annotation(pod, names.CLUSTER_CA_KEY_GENERATION),
        leaf_hash=found or "",
        ready=is_ready(pod),
        terminating="deletionTimestamp" in pod["metadata"],
        worker=worker_of(pod),
    )
