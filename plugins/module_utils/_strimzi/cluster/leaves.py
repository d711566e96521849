# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Leaves in their Secrets, and the choice of the leaf for each pod (docs/operator.md, "Leaves", "Pod annotations")."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ..._errors import CertificateError, PrivateKeyError
from ..._pki.certificates import parse_chain
from ..._pki.keys import load_stored_key
from ..._trust.model.components import DEPLOYED, Component, LeafPlace
from ..._trust.model.ledger import CaSource
from ..._trust.model.snapshot import StoredLeaf
from .. import names
from ..secret_data import entries, integer_annotation

#: Length of the operator's hashes on pods of Deployments.
_STUB = 8


@dataclass(frozen=True)
class LeafSecret:
    """The place of the leaf of a component, or of a user."""

    #: The name of the Secret.
    secret: str
    #: The name of its entries in the Secret, without ``.crt`` and ``.key``.
    entry: str
    #: The component with the leaf.
    component: Component
    #: The common name of the leaf's subject.
    common_name: str
    #: The namespace; empty for the namespace of the cluster.
    namespace: str = ""
    #: How long before its end the User Operator would try to issue another leaf of a user with such a setting; None for
    #: the window of the cluster.
    renewal_window: timedelta | None = None


#: The leaves of components other than Kafka nodes. The operator's own comes first.
_PLACES = tuple(
    (component, place)
    for component in sorted(Component, key=lambda component: component is not Component.CLUSTER_OPERATOR)
    for place in component.facts.leaves
)


def component_leaves(cluster: str) -> tuple[LeafSecret, ...]:
    """The leaves of components other than Kafka nodes (docs/operator.md, "Leaves")."""
    return tuple(_leaf_at(place, component, cluster) for component, place in _PLACES)


def _leaf_at(place: LeafPlace, component: Component, cluster: str) -> LeafSecret:
    return LeafSecret(f"{cluster}-{place.secret}", place.entry, component, place.common_name.format(cluster=cluster))


def node_leaf(cluster: str, pod: str) -> LeafSecret:
    return LeafSecret(pod, pod, Component.KAFKA, f"{cluster}-kafka")


def holders_of_subjects(cluster: str) -> dict[str, Component]:
    """The holders of Strimzi's own certificates, by their common names: brokers know superusers by the subject alone
    (docs/operator.md, "Leaves").
    """
    return {leaf.common_name: leaf.component for leaf in (node_leaf(cluster, ""), *component_leaves(cluster))}


def leaf_secrets(
    scope: names.ClusterNames,
    secrets: Mapping[str, Mapping[str, Any]],
    is_node_name: Callable[[str], bool],
    known: Collection[str] = (),
) -> tuple[LeafSecret, ...]:
    """The existing leaves among these Secrets. The function ``is_node_name`` says whether a Kafka node could have a
    name; labels alone make no leaf of a node. The Secrets of nodes with a ``known`` name may have lost their labels.
    """
    nodes = [
        node_leaf(scope.cluster, name)
        for name, secret in secrets.items()
        if (name in known or _is_labelled(secret, name, scope)) and is_node_name(name)
    ]
    components = [leaf for leaf in component_leaves(scope.cluster) if leaf.secret in secrets]
    return (*sorted(nodes, key=lambda leaf: leaf.secret), *components)


def _is_labelled(secret: Mapping[str, Any], name: str, scope: names.ClusterNames) -> bool:
    labels = secret["metadata"].get("labels") or {}
    return labels.get(names.NAME_LABEL) == scope.node_name_label and f"{name}.crt" in (secret.get("data") or {})


def wanted_leaves(
    scope: names.ClusterNames, kafka: Mapping[str, Any] | None, nodes: Iterable[str]
) -> tuple[LeafSecret, ...]:
    """The leaves that the operator needs for this Kafka resource and these nodes, whether anything of it runs or
    not.
    """
    if kafka is None:
        return ()
    spec = kafka.get("spec") or {}
    wanted = {component for component in DEPLOYED if spec.get(component.facts.field) is not None}
    return _leaves_of(scope, spec, wanted, nodes)


def expected_leaves(
    scope: names.ClusterNames, kafka: Mapping[str, Any] | None, running: Mapping[str, Component]
) -> tuple[LeafSecret, ...]:
    """The leaves of a cluster with these pods, whether their Secrets exist or not. The running pods come by name, in
    the order of the result.
    """
    if kafka is None or not running:
        return ()
    nodes = (name for name, component in running.items() if component is Component.KAFKA)
    return _leaves_of(scope, kafka.get("spec") or {}, set(running.values()), nodes)


def sample_leaves(scope: names.ClusterNames, source: CaSource | None, now: datetime) -> tuple[LeafSecret, ...]:
    """The leaf that shows the signing CA, before the cluster has a CA and if the source has several. It is the
    operator's own leaf: every cluster has it, and its names depend on nothing in the Kafka resource.
    """
    if source is None or len(source.issuing(now)) < 2:
        return ()
    return tuple(leaf for leaf in component_leaves(scope.cluster) if leaf.component is Component.CLUSTER_OPERATOR)


def _leaves_of(
    scope: names.ClusterNames, spec: Mapping[str, Any], components: Set[Component], nodes: Iterable[str]
) -> tuple[LeafSecret, ...]:
    """The leaves of these components and nodes, the operator's own among them."""
    present = components | {Component.CLUSTER_OPERATOR}
    return (
        *(node_leaf(scope.cluster, name) for name in nodes),
        *(
            _leaf_at(place, component, scope.cluster)
            for component, place in _PLACES
            if component in present and _is_asked_for(place, spec.get(component.facts.field) or {})
        ),
    )


def _is_asked_for(place: LeafPlace, part: Mapping[str, Any]) -> bool:
    """Whether this part of the Kafka resource asks for the leaf; the part is about the component."""
    return not place.field or part.get(place.field) is not None


def read_leaf(leaf: LeafSecret, secret: Mapping[str, Any]) -> StoredLeaf:
    return read_chain(leaf, secret, integer_annotation(secret, names.CLUSTER_CA_CERT_GENERATION))


def read_chain(leaf: LeafSecret, secret: Mapping[str, Any], generation: int | None) -> StoredLeaf:
    key = f"{leaf.entry}.crt"
    try:
        chain = parse_chain(entries(secret).get(key, b""))
    except CertificateError as error:
        return StoredLeaf(leaf.secret, key, leaf.component, None, generation, str(error))
    beside, problem = _key_beside(entries(secret).get(f"{leaf.entry}.key", b""))
    return StoredLeaf(leaf.secret, key, leaf.component, chain, generation, problem, beside)


def _key_beside(pem: bytes) -> tuple[str, str]:
    """SHA-256 of the public half of the key beside a leaf, or why that key cannot be used."""
    try:
        return load_stored_key(pem).public_key_sha256, ""
    except PrivateKeyError as error:
        return "", f"the private key beside it cannot be used: {error}"


def server_cert_hash(component: Component, leaves: Sequence[StoredLeaf], scope: names.ClusterNames) -> str:
    """The value of ``strimzi.io/server-cert-hash`` for these leaves (docs/operator.md, "Pod annotations")."""
    hashes = {leaf.secret: leaf.chain[0].fingerprint for leaf in leaves if leaf.chain}
    if component is Component.KAFKA:
        return next(iter(hashes.values()), "")
    secrets = [f"{scope.cluster}-{place.secret}" for place in component.facts.leaves]
    if len(secrets) > 1:
        return "".join(hashes[name][:_STUB] if name in hashes else "null" for name in secrets)
    return next(iter(hashes.values()), "")[:_STUB]
