# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The alternative names that a leaf must have so that the operator keeps it (docs/operator.md, "Re-issue" (c))."""

from __future__ import annotations

from .._pki.authorities import DistinguishedName
from .._pki.certificates import Chain
from .._strimzi import names
from .._strimzi.leaves import LeafSecret
from .._strimzi.observe import Observation
from .._strimzi.pods import has_role, labels_of
from .._trust.evidence.stored import issuers_of
from .._trust.ledger.enrolment import as_seen
from .._trust.model.snapshot import Component
from .subjects import (
    NodeIdentity,
    cruise_control_names,
    node_names,
    unaddressed_listeners,
)


def wanted_names(leaf: LeafSecret, observation: Observation) -> frozenset[str]:
    """The names of the leaf that is stored: the operator has put in all names that it wants, addresses of the platform
    included. A CA of the ledger has to have issued it for the very subject: a writer of a Secret must not choose
    the names that are signed.

    Any other leaf, and one that cannot be read, is replaced by one for the names that follow from the Kafka resource.
    Should the listeners have changed meanwhile, the operator re-issues after the pause by itself; where it cannot, because the key is
    kept elsewhere, it says that it is not ready, and the names follow from the Kafka resource as well.
    """
    stored = _stored_names(leaf, observation)
    if stored is not None and not _is_in_doubt(leaf, observation):
        return stored
    if leaf.component is Component.KAFKA:
        node, domain = _node(leaf, observation), observation.dns_domain
        derived = node_names(observation.scope, node, observation.kafka, domain, observation.addresses)
        return derived | (stored if stored is not None and unaddressed(leaf, observation) else frozenset())
    if leaf.component is Component.CRUISE_CONTROL:
        return cruise_control_names(observation.scope, observation.dns_domain)
    return frozenset()


def _stored_names(leaf: LeafSecret, observation: Observation) -> frozenset[str] | None:
    stored = next((known for known in observation.snapshot.leaves.stored if known.secret == leaf.secret), None)
    if stored is None or stored.chain is None or not _is_own(stored.chain, leaf, observation):
        return None
    return stored.chain[0].subject_alternative_names


def _is_in_doubt(leaf: LeafSecret, observation: Observation) -> bool:
    """Whether it may be the names of this leaf that an operator without a key stands still for. An operator that is ready has found the
    names that it wants; of one that is paused nothing is known.
    """
    ca, state = observation.snapshot.ca, observation.snapshot.reconciliation
    return ca.in_use_elsewhere and is_named(leaf, observation) and state.observed and not (state.ready or state.paused)


def is_named(leaf: LeafSecret, observation: Observation) -> bool:
    """Whether the operator wants names in this leaf, and has been looked at for what it wants: a wanted node's, or Cruise Control's."""
    return leaf.secret in observation.wanted or leaf.component is Component.CRUISE_CONTROL


def unaddressed(leaf: LeafSecret, observation: Observation) -> tuple[str, ...]:
    """The listeners of a node that have no address yet that belongs into its leaf, as far as the cluster shows."""
    node = _node(leaf, observation)
    return unaddressed_listeners(observation.scope, node, observation.kafka, observation.addresses or {})


def _is_own(chain: Chain, leaf: LeafSecret, observation: Observation) -> bool:
    subject = DistinguishedName(leaf.common_name).text
    return chain[0].subject == subject and bool(issuers_of(chain, as_seen(observation.snapshot)))


def _node(leaf: LeafSecret, observation: Observation) -> NodeIdentity:
    """A node's identity as its pool says, or else from its pod's labels; its name ends with the node id (docs/operator.md,
    "Kafka resource").
    """
    pod, node_id = leaf.secret, leaf.secret.rsplit("-", 1)[1]
    if wanted := observation.wanted.get(pod) or observation.spare.get(pod):
        return NodeIdentity(pod, wanted.pool, node_id, broker=wanted.broker)
    found = observation.pods.get(pod) or {"metadata": {}}
    pool = labels_of(found).get(names.POOL_LABEL) or pod[len(observation.scope.cluster) + 1 : -len(node_id) - 1]
    return NodeIdentity(pod, pool, node_id, broker=has_role(found, names.BROKER_ROLE_LABEL))
