# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Finding the Secrets of a cluster: by their labels, and those with a known name by that.

A Secret that was made by hand, or put back from a copy, often lacks its labels. If it were overlooked, a CA, a leaf or the ledger would be made anew
beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias, TypeVar

from .._kube.client import KubeClient
from .._kube.resources import SECRETS
from .._trust.model.snapshot import Component, UnlabelledSecret
from . import names
from .leaves import LeafSecret
from .ledger_layouts import ledger_parts
from .secret_data import annotation, missing_labels

Object: TypeAlias = dict[str, Any]
Secrets: TypeAlias = Mapping[str, Mapping[str, Any]]
Read = TypeVar("Read")

#: So many Secrets are looked for one by one. Of a new cluster with many nodes none has one yet.
_ONE_BY_ONE = 10
_ISSUED_ANEW = "without which the Cluster Operator issues another certificate in its place"
_PUT_BACK = "which the Cluster Operator puts back with its next reconcile"
#: The leaves that the operator finds by their labels (docs/operator.md, "Leaves", "Releases"). It reads the others by their names, and puts labels back.
_FOUND_BY_LABELS = frozenset({Component.KAFKA, Component.CLUSTER_OPERATOR})


def read_secrets(client: KubeClient, scope: names.ClusterNames) -> Secrets:
    """The Secrets with the labels of the cluster, and those of its CAs whatever their labels. Raises KubeError."""
    listed = client.list(SECRETS, scope.namespace, label_selector=scope.selector).items
    found = {str(one["metadata"]["name"]): one for one in listed}
    wanted = (
        scope.ca_certificate_secret, scope.ca_key_secret, scope.other_ca.ca_certificate_secret, scope.trust_bundle_secret,
        *_ledger_secrets(scope, found),
    )  # fmt: skip
    return add_named_secrets(client, scope, found, wanted)


def add_named_secrets(client: KubeClient, scope: names.ClusterNames, found: Secrets, wanted: Iterable[str]) -> Secrets:
    """The Secrets with those of these names that are not among them. Raises KubeError."""
    return {**found, **dict(named_secrets(client, scope.namespace, set(wanted) - set(found), _by_name))}


def _by_name(secret: Object) -> tuple[str, Object]:
    return str(secret["metadata"]["name"]), secret


def named_secrets(
    client: KubeClient, namespace: str, wanted: Set[str], read: Callable[[Object], Read | None]
) -> Sequence[Read]:
    """Read the Secrets with these names: one request for each, or where that would be many, all Secrets of the namespace in pages. Raises
    KubeError.
    """
    if len(wanted) > _ONE_BY_ONE:
        return client.each(SECRETS, namespace, lambda one: read(one) if one["metadata"]["name"] in wanted else None)
    each = (f"metadata.name={name}" for name in sorted(wanted))
    found = (read(one) for name in each for one in client.list(SECRETS, namespace, field_selector=name).items)
    return [one for one in found if one is not None]


def _ledger_secrets(scope: names.ClusterNames, found: Secrets) -> tuple[str, ...]:
    """The Secrets that may be of the ledger beside these; none where it is whole in one of them."""
    shared = found.get(scope.trusted_certificates_secret)
    return () if shared is not None and annotation(shared, names.LAYOUT) is None else scope.ledger_secrets


def unlabelled_secrets(scope: names.ClusterNames, secrets: Secrets) -> dict[str, UnlabelledSecret]:
    """The Secrets of the CA that have lost a label, by name."""
    why = dict.fromkeys((scope.ca_certificate_secret, scope.ca_key_secret), "by which the Cluster Operator finds it")
    why |= dict.fromkeys(ledger_parts(secrets, scope), "by which this collection knows what it has made")
    return {
        name: UnlabelledSecret(lost, why.get(name, _PUT_BACK), holds=name in why)
        for name in (*why, scope.trust_bundle_secret)
        if name in secrets and (lost := missing_labels(secrets[name], scope.labels))
    }


def unlabelled_leaves(
    scope: names.ClusterNames, secrets: Secrets, leaves: Iterable[LeafSecret]
) -> dict[str, UnlabelledSecret]:
    """The Secrets of these leaves that have lost a label, by name."""
    found = {}
    for leaf in leaves:
        wanted = scope.node_leaf_labels if leaf.component is Component.KAFKA else scope.labels
        if lost := missing_labels(secrets[leaf.secret], wanted):
            holds = leaf.component in _FOUND_BY_LABELS
            found[leaf.secret] = UnlabelledSecret(lost, _ISSUED_ANEW if holds else _PUT_BACK, holds)
    return found
