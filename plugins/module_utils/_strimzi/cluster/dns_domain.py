# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The DNS domain of the Kubernetes cluster, and the objects that show it (docs/operator.md, "Node names"). The operator
wants it in the names of certificates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..._errors import Forbidden
from ..._kube.client import KubeClient
from ..._kube.resources import PODS, SECRETS
from ..._pki.building import DistinguishedName
from ..._trust.model.components import Component
from ..._trust.model.snapshot import DnsDomain, DomainSource, StoredLeaf
from .. import names
from .leaves import node_leaf, read_leaf
from .pods import labels_of

#: Labels of RFC 1123, with points between them.
_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*")


def is_domain(text: str) -> bool:
    return len(text) <= 253 and _DOMAIN.fullmatch(text) is not None


def read_domain(
    client: KubeClient,
    scope: names.ClusterNames,
    given: str,
    leaves: Iterable[StoredLeaf],
    *,
    look_around: bool,
    is_accepted: bool,
) -> DnsDomain:
    """The domain from the caller, if it gives one. Else, if the operator accepts the stored leaves (``is_accepted``),
    the domain of most of the cluster's own nodes, or of its Cruise Control. Else, if ``look_around`` is set, the domain
    in the environment of the operator, or of nodes of other Kafka clusters in the namespace, which the same operator
    serves. Else the operator's default. Raises KubeError.
    """
    if given:
        return DnsDomain(given, DomainSource.CALLER)
    own = tuple(leaves)
    servers = [leaf for leaf in own if leaf.component is Component.CRUISE_CONTROL]
    in_servers = _domains_after(f"{scope.cluster}-cruise-control.{scope.namespace}.svc.", servers)
    domain = _most_frequent((*_domains_in_nodes(scope.cluster, scope.namespace, own), *in_servers))
    if (
        look_around
        and not (domain and is_accepted)
        and (operator_domain := _domain_of_operator(client, scope.namespace))
    ):
        return DnsDomain(operator_domain, DomainSource.OPERATOR)
    if domain:
        return DnsDomain(domain, DomainSource.OWN_CERTIFICATES)
    others = _most_frequent(_domains_of_other_clusters(client, scope)) if look_around else ""
    return DnsDomain(others, DomainSource.OTHER_CLUSTERS) if others else DnsDomain()


def _most_frequent(domains: Iterable[str]) -> str:
    """The most frequent domain, the first if several are; empty if there is none."""
    return next((domain for domain, _count in Counter(domains).most_common(1)), "")


def _domains_in_nodes(cluster: str, namespace: str, leaves: Iterable[StoredLeaf]) -> Iterator[str]:
    nodes = (leaf for leaf in leaves if leaf.component is Component.KAFKA)
    return _domains_after(f"{cluster}-kafka-brokers.{namespace}.svc.", nodes)


def _domains_after(start: str, leaves: Iterable[StoredLeaf]) -> Iterator[str]:
    named = (name for leaf in leaves if leaf.chain for name in sorted(leaf.chain[0].subject_alternative_names))
    return (domain for name in named if name.startswith(start) and is_domain(domain := name.removeprefix(start)))


def _domains_of_other_clusters(client: KubeClient, scope: names.ClusterNames) -> Iterator[str]:
    """The domains of the nodes of other clusters; none without the permission to list them."""
    try:
        listed = client.list(SECRETS, scope.namespace, label_selector=f"{names.KIND_LABEL}=Kafka").items
    except Forbidden:
        return
    for secret in listed:
        cluster = labels_of(secret).get(names.CLUSTER_LABEL, "")
        if cluster != scope.cluster and labels_of(secret).get(names.NAME_LABEL) == f"{cluster}-kafka":
            yield from _domains_in_nodes(cluster, scope.namespace, _named_as_a_node(secret, cluster))


def _named_as_a_node(secret: Mapping[str, Any], cluster: str) -> tuple[StoredLeaf, ...]:
    """The leaf in the Secret if its subject names the cluster's nodes."""
    where = node_leaf(cluster, str(secret["metadata"]["name"]))
    leaf = read_leaf(where, secret)
    is_one = leaf.chain is not None and leaf.chain[0].subject == DistinguishedName(where.common_name).text
    return (leaf,) if is_one else ()


def _domain_of_operator(client: KubeClient, namespace: str) -> str:
    """The domain in the environment of the operators that run in this namespace and watch it. Empty if none does, if
    they differ, if an environment does not show it, and without the permission to list pods.
    """
    try:
        pods = client.list(PODS, namespace, label_selector=names.OPERATOR_SELECTOR).items
    except Forbidden:
        return ""
    domains = {_domain_in(pod) for pod in pods if _watches(pod, namespace)}
    return domains.pop() if len(domains) == 1 else ""


def _watches(pod: Mapping[str, Any], namespace: str) -> bool:
    """Whether the operator in this pod watches the namespace. If STRIMZI_NAMESPACE has no value, the operator watches
    its own namespace.
    """
    watched = _environment(pod).get("STRIMZI_NAMESPACE") or str(pod["metadata"]["namespace"])
    return watched == "*" or namespace in {name.strip() for name in watched.split(",")}


def _domain_in(pod: Mapping[str, Any]) -> str:
    """The operator's domain, or its default if its environment sets none. Empty if the value comes from another object
    or is no domain.
    """
    if any(container.get("envFrom") for container in pod["spec"]["containers"]):
        return ""
    domain = _environment(pod).get("KUBERNETES_SERVICE_DNS_DOMAIN", DnsDomain().name)
    return domain if is_domain(domain) else ""


def _environment(pod: Mapping[str, Any]) -> dict[str, str]:
    """Variables with their values; the value is empty if it comes from another object."""
    variables = (one for container in pod["spec"]["containers"] for one in container.get("env") or [])
    return {str(one["name"]): str(one.get("value") or "") for one in variables}
