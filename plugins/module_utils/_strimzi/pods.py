# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Pods of a Kafka cluster as parties (docs/operator.md, "Pod annotations", "Kafka resource")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._trust.model.snapshot import Component, Pod, StoredLeaf
from . import names
from .leaves import server_cert_hash
from .secret_data import (
    annotation,
    integer_annotation,
)

_FINAL_PHASES = frozenset({"Succeeded", "Failed"})


def component_of(pod: Mapping[str, Any], scope: names.ClusterNames) -> Component | None:
    """The component of a pod; None for a pod that neither presents nor verifies certificates of the cluster."""
    name = (pod["metadata"].get("labels") or {}).get(names.NAME_LABEL)
    by_name = {
        scope.node_name_label: Component.KAFKA,
        f"{scope.cluster}-entity-operator": Component.ENTITY_OPERATOR,
        f"{scope.cluster}-cruise-control": Component.CRUISE_CONTROL,
        f"{scope.cluster}-kafka-exporter": Component.KAFKA_EXPORTER,
    }
    return by_name.get(name or "")


def is_ready(pod: Mapping[str, Any]) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or []
    return any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions)


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
    )
