# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Which alternative names a leaf must have so that the operator keeps it (strimzi.md 2.3 c)."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.subjects import (
    NodeIdentity,
    cruise_control_names,
    node_names,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.leaves import LeafSecret
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component

DOMAIN = "cluster.local"


def wanted_names(leaf: LeafSecret, observation: Observation) -> frozenset[str]:
    """The names of the leaf that is there: the operator has put what it wants, addresses of the platform included.

    A leaf that cannot be read is issued for the names that follow from the Kafka resource. Should the listeners have
    changed meanwhile, the operator re-issues after the pause by itself.
    """
    stored = next((known for known in observation.snapshot.leaves if known.secret == leaf.secret), None)
    if stored is not None and stored.chain is not None:
        return stored.chain[0].subject_alternative_names
    if leaf.component is Component.KAFKA:
        return node_names(observation.scope, _node(leaf, observation), observation.kafka, DOMAIN)
    if leaf.component is Component.CRUISE_CONTROL:
        return cruise_control_names(observation.scope, DOMAIN)
    return frozenset()


def _node(leaf: LeafSecret, observation: Observation) -> NodeIdentity:
    """A node's identity from its pod's labels; its name ends with the node id (strimzi.md section 6)."""
    pod, node_id = leaf.secret, leaf.secret.rsplit("-", 1)[1]
    labels = (observation.pods.get(pod) or {}).get("metadata", {}).get("labels") or {}
    pool = labels.get(names.POOL_LABEL) or pod[len(observation.scope.cluster) + 1 : -len(node_id) - 1]
    return NodeIdentity(pod, pool, node_id, broker=labels.get("strimzi.io/broker-role", "true") == "true")
