# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Pods of a Kafka cluster as parties (strimzi.md sections 2.4 and 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.leaves import server_cert_hash
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import (
    annotation,
    integer_annotation,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component, Pod, StoredLeaf

_FINAL_PHASES = frozenset({"Succeeded", "Failed"})


def component_of(pod: Mapping[str, Any], scope: names.ClusterNames) -> Component | None:
    """Which component a pod is; None for what presents and verifies nothing that we know."""
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
    """Its processes have ended: it presents and trusts nothing any more."""
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
        ready=is_ready(pod),
        terminating="deletionTimestamp" in pod["metadata"],
    )
