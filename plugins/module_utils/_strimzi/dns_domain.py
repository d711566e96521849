# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The DNS domain of the Kubernetes cluster, which the operator is told by ``KUBERNETES_SERVICE_DNS_DOMAIN`` and puts into leaves (docs/operator.md,
"Node names"). Its environment cannot be read from here, and the leaves that it has issued show it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._errors import Forbidden
from .._kube.client import KubeClient
from .._kube.resources import SECRETS
from .._pki.authorities import DistinguishedName
from .._trust.model.snapshot import Component, StoredLeaf
from . import names
from .leaves import node_leaf, read_leaf
from .pods import labels_of

#: The operator's own default.
DEFAULT_DOMAIN = "cluster.local"
#: Labels of RFC 1123, with points between them.
_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*")


def is_domain(text: str) -> bool:
    return len(text) <= 253 and _DOMAIN.fullmatch(text) is not None


def read_domain(
    client: KubeClient, scope: names.ClusterNames, given: str, leaves: Iterable[StoredLeaf], *, look_around: bool
) -> str:
    """The domain that the caller gives; else that of most of the cluster's own nodes, else of its Cruise Control; else that of nodes of other Kafka
    clusters in the namespace, which the same operator serves, if look_around says to look there; else the operator's default. Raises KubeError.
    """
    own = tuple(leaves)
    found = given or _most((*_in_nodes(scope.cluster, scope.namespace, own), *_in_cruise_control(scope, own)))
    return found or (_most(_around(client, scope)) if look_around else "") or DEFAULT_DOMAIN


def _most(domains: Iterable[str]) -> str:
    """The most frequent one, the first where several are; empty where there is none."""
    return next((domain for domain, _count in Counter(domains).most_common(1)), "")


def _in_nodes(cluster: str, namespace: str, leaves: Iterable[StoredLeaf]) -> Iterator[str]:
    nodes = (leaf for leaf in leaves if leaf.component is Component.KAFKA)
    return _after(f"{cluster}-kafka-brokers.{namespace}.svc.", nodes)


def _in_cruise_control(scope: names.ClusterNames, leaves: Iterable[StoredLeaf]) -> Iterator[str]:
    servers = (leaf for leaf in leaves if leaf.component is Component.CRUISE_CONTROL)
    return _after(f"{scope.cluster}-cruise-control.{scope.namespace}.svc.", servers)


def _after(start: str, leaves: Iterable[StoredLeaf]) -> Iterator[str]:
    named = (name for leaf in leaves if leaf.chain for name in sorted(leaf.chain[0].subject_alternative_names))
    return (domain for name in named if name.startswith(start) and is_domain(domain := name.removeprefix(start)))


def _around(client: KubeClient, scope: names.ClusterNames) -> Iterator[str]:
    """Of the nodes of other clusters; nothing without the permission to list them."""
    try:
        listed = client.list(SECRETS, scope.namespace, label_selector=f"{names.KIND_LABEL}=Kafka").items
    except Forbidden:
        return
    for secret in listed:
        cluster = labels_of(secret).get(names.CLUSTER_LABEL, "")
        if cluster != scope.cluster and labels_of(secret).get(names.NAME_LABEL) == f"{cluster}-kafka":
            yield from _in_nodes(cluster, scope.namespace, _named_as_a_node(secret, cluster))


def _named_as_a_node(secret: Mapping[str, Any], cluster: str) -> tuple[StoredLeaf, ...]:
    """The leaf in the Secret where its subject is that of the cluster's nodes."""
    where = node_leaf(cluster, str(secret["metadata"]["name"]))
    leaf = read_leaf(where, secret)
    is_one = leaf.chain is not None and leaf.chain[0].subject == DistinguishedName(where.common_name).text
    return (leaf,) if is_one else ()
