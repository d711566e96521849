# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The subject and the alternative names of a leaf, exactly as the operator wants them (docs/operator.md, "Leaves",
"Node names").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .._pki.addresses import address_of
from .._pki.authorities import DistinguishedName
from .._pki.leaf_usability import Purpose
from .._strimzi.names import ClusterNames
from .._trust.model.snapshot import Component

Object = Mapping[str, Any]


@dataclass(frozen=True)
class LeafSubject:
    """Subject of a leaf. names: DNS names and textual IP addresses; empty for pure clients. purposes: the ends of
    connections that it is presented at.
    """

    distinguished_name: DistinguishedName
    names: frozenset[str]
    purposes: frozenset[Purpose]


@dataclass(frozen=True)
class NodeIdentity:
    """A Kafka node, as far as its names are made of it."""

    pod: str
    pool: str
    node_id: str
    broker: bool


def service_names(service: str, namespace: str, domain: str) -> tuple[str, ...]:
    """The four names of a Service."""
    return (service, f"{service}.{namespace}", f"{service}.{namespace}.svc", f"{service}.{namespace}.svc.{domain}")


def cruise_control_names(scope: ClusterNames, domain: str) -> frozenset[str]:
    return frozenset({*service_names(f"{scope.cluster}-cruise-control", scope.namespace, domain), "localhost"})


def node_names(scope: ClusterNames, node: NodeIdentity, kafka: Object | None, domain: str) -> frozenset[str]:
    """Alternative names of a node: its Services and itself, and on brokers what each listener adds."""
    cluster, namespace = scope.cluster, scope.namespace
    own = f"{node.pod}.{cluster}-kafka-brokers.{namespace}.svc"
    names = {
        *service_names(f"{cluster}-kafka-bootstrap", namespace, domain),
        *service_names(f"{cluster}-kafka-brokers", namespace, domain),
        own,
        f"{own}.{domain}",
    }
    if node.broker and kafka is not None:
        for listener in kafka["spec"]["kafka"].get("listeners") or []:
            names |= set(listener_names(scope, node, listener, kafka, domain))
    return frozenset(names)


def listener_names(
    scope: ClusterNames, node: NodeIdentity, listener: Object, kafka: Object, domain: str
) -> Iterable[str]:
    """The names that one listener adds on one broker (KafkaListenersReconciler)."""
    configuration = listener.get("configuration") or {}
    bootstrap = configuration.get("bootstrap") or {}
    broker: Object = next((b for b in configuration.get("brokers") or [] if str(b.get("broker")) == node.node_id), {})
    yield from bootstrap.get("alternativeNames") or []
    kind = listener["type"]
    if kind in ("internal", "cluster-ip") and not listener.get("tls"):
        return
    yield from _hosts(broker.get("advertisedHost"), configuration.get("advertisedHostTemplate"), node)
    if kind == "cluster-ip":
        yield from service_names(f"{scope.cluster}-kafka-{listener['name']}-bootstrap", scope.namespace, domain)
        # The operator keeps the name that its first versions gave the Services of this one listener.
        oldest = listener["name"] == "external" and listener.get("port") == 9094
        base = f"{scope.cluster}-{node.pool}" if oldest else f"{scope.cluster}-{node.pool}-{listener['name']}"
        host = f"{base}-{node.node_id}.{scope.namespace}.svc"
        yield f"{host}.{domain}" if configuration.get("useServiceDnsDomain") else host
    elif kind in ("ingress", "route", "tlsroute"):
        yield from _hosts(bootstrap.get("host"), None, node)
        yield from _hosts(broker.get("host"), configuration.get("hostTemplate"), node)
    if kind == "route" or (kind == "loadbalancer" and configuration.get("createBootstrapService", True)):
        # Addresses that the platform assigns; the operator reports the bootstrap one in the resource's status.
        yield from _reported_hosts(kafka, str(listener["name"]))


def _hosts(host: str | None, template: str | None, node: NodeIdentity) -> Iterable[str]:
    """The host, else the one that the template gives for this node, if there is either."""
    rendered = (template or "").replace("{nodeId}", node.node_id).replace("{nodePodName}", node.pod)
    return [found for found in (host or rendered,) if found]


def _reported_hosts(kafka: Object, listener: str) -> Iterable[str]:
    for reported in (kafka.get("status") or {}).get("listeners") or []:
        if reported.get("name") == listener:
            yield from (address["host"] for address in reported.get("addresses") or [] if address.get("host"))


#: Nodes and Cruise Control present their leaf to nodes as well.
_SERVING = frozenset({Component.KAFKA, Component.CRUISE_CONTROL})


def subject_of(component: Component, common_name: str, names: frozenset[str]) -> LeafSubject:
    """The subject of a leaf: O before CN; pure clients have no alternative names."""
    name, client = DistinguishedName(common_name), frozenset({Purpose.CLIENT})
    if component not in _SERVING:
        return LeafSubject(name, frozenset(), client)
    return LeafSubject(name, frozenset(map(canonical, names)), client | {Purpose.SERVER})


def canonical(name: str) -> str:
    """An IP address in the form in which a certificate's are read back; IPv6 has many."""
    address = address_of(name)
    return name if address is None else str(address)
