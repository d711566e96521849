# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The end entities of a cluster: every leaf that it has, should have, or is to have at hand, with its subject and
alternative names, exactly as the operator wants them (docs/operator.md, "Leaves", "Node names"). The operator keeps a
leaf only with these names (docs/operator.md, "Re-issue" (c)). If the key of the CA is kept elsewhere, it cannot issue a
leaf with other names again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from ..._leaves.trigger import naming_difference
from ..._pki.building import DistinguishedName
from ..._pki.names import address_of
from ..._pki.usability import Purpose
from ..._trust.evidence.stored import issuers_of
from ..._trust.ledger.enrolment import as_seen
from ..._trust.model.components import Component
from ..._trust.model.pools import Unaddressed
from .. import names
from ..names import ClusterNames
from .leaves import LeafSecret, node_leaf
from .observe import Observation
from .pods import has_role, labels_of
from .specified_listeners import ADDRESSED, Addresses, listeners_of

Object = Mapping[str, Any]


@dataclass(frozen=True)
class LeafSubject:
    """Subject of a leaf."""

    #: The name in its subject field.
    distinguished_name: DistinguishedName
    #: DNS names and textual IP addresses; empty for pure clients.
    names: frozenset[str]
    #: The ends of connections at which it is presented.
    purposes: frozenset[Purpose]
    #: How long before its end an operator that cannot issue would try to renew it; the leaf has to live longer.
    outlasts: timedelta = timedelta(0)


@dataclass(frozen=True)
class NodeIdentity:
    """A Kafka node, as far as its names are made of it."""

    #: The name of its pod.
    pod: str
    #: The name of its node pool.
    pool: str
    #: Kafka's ``node.id`` of the node, as text.
    node_id: str
    #: Whether it has the role of a broker.
    broker: bool


def service_names(service: str, namespace: str, domain: str) -> tuple[str, ...]:
    """The four names of a Service."""
    return (service, f"{service}.{namespace}", f"{service}.{namespace}.svc", f"{service}.{namespace}.svc.{domain}")


def names_of_services(component: Component, scope: ClusterNames, domain: str) -> frozenset[str]:
    """The names of the Services of a component, and its further names without a source in the Kafka resource; none if
    it has no Service.
    """
    services = (f"{scope.cluster}-{service}" for service in component.facts.services)
    called = (name for service in services for name in service_names(service, scope.namespace, domain))
    return frozenset((*called, *component.facts.hosts))


def node_names(
    scope: ClusterNames, node: NodeIdentity, kafka: Object | None, domain: str, assigned: Addresses | None = None
) -> frozenset[str]:
    """Alternative names of a node: its Services and itself, and on brokers what each listener adds. The platform's
    assigned addresses are None if no call has looked.
    """
    own = f"{node.pod}.{scope.cluster}-kafka-brokers.{scope.namespace}.svc"
    names = {
        *names_of_services(Component.KAFKA, scope, domain),
        own,
        f"{own}.{domain}",
    }
    if node.broker and kafka is not None:
        for listener in listeners_of(kafka):
            names |= set(listener_names(scope, node, listener, domain))
            names |= set(_assigned_hosts(scope, node, listener, kafka, assigned))
    return frozenset(names)


def unaddressed_listeners(
    scope: ClusterNames, node: NodeIdentity, kafka: Object | None, assigned: Addresses
) -> tuple[str, ...]:
    """The listeners of a node with an address that is not known yet."""
    return tuple(
        f"{listener['name']} ({listener['type']})"
        for listener in (listeners_of(kafka) if node.broker else [])
        if not set(_addressed_objects(scope, node, listener)) <= set(assigned)
    )


def listener_names(scope: ClusterNames, node: NodeIdentity, listener: Object, domain: str) -> Iterable[str]:
    """The names from a listener on a broker (KafkaListenersReconciler), without the platform's addresses."""
    configuration = listener.get("configuration") or {}
    bootstrap = configuration.get("bootstrap") or {}
    brokers = [
        broker for broker in configuration.get("brokers") or [] if broker and str(broker.get("broker")) == node.node_id
    ]
    yield from bootstrap.get("alternativeNames") or []
    kind = listener["type"]
    if kind in ("internal", "cluster-ip") and not listener.get("tls"):
        return
    yield from _hosts_of_broker(
        _first_with_field(brokers, "advertisedHost"), configuration.get("advertisedHostTemplate"), node
    )
    if kind == "cluster-ip":
        yield from service_names(f"{scope.cluster}-kafka-{listener['name']}-bootstrap", scope.namespace, domain)
        host = f"{_broker_object(scope, node, listener)}.{scope.namespace}.svc"
        yield f"{host}.{domain}" if configuration.get("useServiceDnsDomain") else host
    elif kind in ("ingress", "route", "tlsroute"):
        yield from _hosts_of_broker(bootstrap.get("host"), None, node)
        yield from _hosts_of_broker(_first_with_field(brokers, "host"), configuration.get("hostTemplate"), node)


def _first_with_field(entries: Iterable[Object], field: str) -> str | None:
    """The value of the field in the first entry that has it. An overlay may leave several entries for one broker
    (docs/operator.md, "Node names").
    """
    return next((entry[field] for entry in entries if entry.get(field) is not None), None)


def _hosts_of_broker(host: str | None, template: str | None, node: NodeIdentity) -> Iterable[str]:
    """The host, else the template's host for this node, if there is either."""
    rendered = (template or "").replace("{nodeId}", node.node_id).replace("{nodePodName}", node.pod)
    return [name for name in (host or rendered,) if name]


def _is_oldest(listener: Object) -> bool:
    """Whether this is the one listener whose Services and Routes keep the names from the operator's first versions."""
    return bool(listener["name"] == "external" and listener.get("port") == 9094)


def _broker_object(scope: ClusterNames, node: NodeIdentity, listener: Object) -> str:
    """The Service or Route of one broker."""
    base = f"{scope.cluster}-{node.pool}" if _is_oldest(listener) else f"{scope.cluster}-{node.pool}-{listener['name']}"
    return f"{base}-{node.node_id}"


def _bootstrap_objects(scope: ClusterNames, listener: Object) -> tuple[str, ...]:
    """The Service or Route that leads to any broker, if the platform gives it an address."""
    kind, configuration = listener["type"], listener.get("configuration") or {}
    if kind not in ADDRESSED or (kind == "loadbalancer" and not configuration.get("createBootstrapService", True)):
        return ()
    oldest_route = kind == "route" and _is_oldest(listener)
    return (
        f"{scope.cluster}-kafka-bootstrap" if oldest_route else f"{scope.cluster}-kafka-{listener['name']}-bootstrap",
    )


def _addressed_objects(scope: ClusterNames, node: NodeIdentity, listener: Object) -> tuple[tuple[str, str], ...]:
    """The Services and Routes whose addresses from the platform are names of this broker: type of listener and name of
    each.
    """
    kind = str(listener["type"])
    if kind not in ADDRESSED:
        return ()
    objects = (*_bootstrap_objects(scope, listener), _broker_object(scope, node, listener))
    return tuple((kind, name) for name in objects)


def _assigned_hosts(
    scope: ClusterNames, node: NodeIdentity, listener: Object, kafka: Object, assigned: Addresses | None
) -> Iterable[str]:
    """The assigned addresses. If no call has looked, these are the addresses in the operator's report: the operator
    corrects the others by itself then.
    """
    if assigned is not None:
        wanted = _addressed_objects(scope, node, listener)
        return [assigned[key] for key in wanted if key in assigned]
    return _reported_hosts(kafka, str(listener["name"])) if _bootstrap_objects(scope, listener) else ()


def _reported_hosts(kafka: Object, listener: str) -> Iterable[str]:
    for reported in (kafka.get("status") or {}).get("listeners") or []:
        if reported.get("name") == listener:
            yield from (address["host"] for address in reported.get("addresses") or [] if address.get("host"))


def subject_of(
    component: Component, common_name: str, names: frozenset[str], renewal_window: timedelta = timedelta(0)
) -> LeafSubject:
    """The subject of a leaf, with O before CN; pure clients have no alternative names. The renewal window is the
    operator's.
    """
    name, client = DistinguishedName(common_name), frozenset({Purpose.CLIENT})
    if not component.facts.services:
        return LeafSubject(name, frozenset(), client, renewal_window)
    return LeafSubject(name, frozenset(map(canonical, names)), client | {Purpose.SERVER}, renewal_window)


def subject_of_user(name: str, renewal_window: timedelta) -> LeafSubject:
    """The subject of a user's leaf. It has no organization, because rights and quotas belong to ``CN=<user>``
    (docs/operator.md, "Users"). The renewal window is the User Operator's.
    """
    return LeafSubject(
        DistinguishedName(name, organization=None), frozenset(), frozenset({Purpose.CLIENT}), renewal_window
    )


def canonical(name: str) -> str:
    """An IP address in the form of a certificate's when it is read back; IPv6 has many forms."""
    address = address_of(name)
    return name if address is None else str(address)


def wanted_names(leaf: LeafSecret, observation: Observation) -> frozenset[str]:
    """The names of the stored leaf: the operator has put in all names that it wants, addresses of the platform
    included. A CA of the ledger has to have issued it for the very subject: a writer of a Secret must not choose the
    names to sign.

    Any other leaf, and an unreadable leaf, gives way to a leaf for the names by the Kafka resource. If the listeners
    have changed meanwhile, the operator re-issues after the pause by itself. If it cannot, because the key is kept
    elsewhere, it says that it is not ready, and the names follow from the Kafka resource as well.
    """
    stored = _stored_names(leaf, observation)
    if stored is not None and not _is_in_doubt(leaf, observation):
        return stored
    return _names_of_resource(leaf, stored, observation)


def _names_of_resource(leaf: LeafSecret, stored: frozenset[str] | None, observation: Observation) -> frozenset[str]:
    """The names by the Kafka resource. The stored names stay as long as a listener has no address; they are None if
    they do not count.
    """
    domain = observation.snapshot.leaves.dns_domain.name
    if leaf.component is Component.KAFKA:
        node = _node(leaf, observation)
        derived = node_names(observation.scope, node, observation.kafka, domain, observation.addresses)
        return derived | (stored if stored is not None and unaddressed(leaf, observation) else frozenset())
    return names_of_services(leaf.component, observation.scope, domain)


def _stored_names(leaf: LeafSecret, observation: Observation) -> frozenset[str] | None:
    stored = next(
        (stored_leaf for stored_leaf in observation.snapshot.leaves.stored if stored_leaf.secret == leaf.secret), None
    )
    if stored is None or stored.chain is None or stored.chain[0].subject != DistinguishedName(leaf.common_name).text:
        return None
    is_ours = bool(issuers_of(stored.chain, as_seen(observation.snapshot)))
    return stored.chain[0].subject_alternative_names if is_ours else None


def _is_in_doubt(leaf: LeafSecret, observation: Observation) -> bool:
    """Whether an operator without a key may stand still because of the names of this leaf. If the operator is ready, it
    has found the wanted names.
    """
    operator = observation.snapshot.reconciliation.operator
    return _keeps_names(leaf, observation) and not (_is_silent_about_names(observation) or operator.is_ready)


def _keeps_names(leaf: LeafSecret, observation: Observation) -> bool:
    """Whether an operator without a key wants names in this leaf, and cannot put them there."""
    return observation.snapshot.ca.in_use_elsewhere and is_named(leaf, observation)


def _is_silent_about_names(observation: Observation) -> bool:
    """Whether nothing shows which names the operator wants now: it is paused, or has not looked at the present Kafka
    resource.
    """
    state = observation.snapshot.reconciliation
    return state.pause.is_set or not state.operator.has_observed


def is_named(leaf: LeafSecret, observation: Observation) -> bool:
    """Whether the operator wants names in this leaf, and this observation shows which: it is the leaf of a wanted node,
    or of a component with a Service.
    """
    if leaf.component is Component.KAFKA:
        return leaf.secret in observation.wanted_nodes
    return bool(leaf.component.facts.services)


def unaddressed(leaf: LeafSecret, observation: Observation) -> tuple[str, ...]:
    """The listeners of a node whose address belongs in its leaf and is not there yet, as far as the cluster shows."""
    node = _node(leaf, observation)
    return unaddressed_listeners(observation.scope, node, observation.kafka, observation.addresses or {})


def _node(leaf: LeafSecret, observation: Observation) -> NodeIdentity:
    """A node's identity by its pool, or else by its pod's labels; its name ends with the node id (docs/operator.md,
    "Kafka resource").
    """
    pod, node_id = leaf.secret, leaf.secret.rsplit("-", 1)[1]
    if wanted := observation.wanted_nodes.get(pod) or observation.spare_nodes.get(pod):
        return NodeIdentity(pod, wanted.pool, node_id, broker=wanted.broker)
    stored = observation.pods.get(pod) or {"metadata": {}}
    pool = labels_of(stored).get(names.POOL_LABEL) or pod[len(observation.scope.cluster) + 1 : -len(node_id) - 1]
    return NodeIdentity(pod, pool, node_id, broker=has_role(stored, names.BROKER_ROLE_LABEL))


def every_leaf(observation: Observation) -> tuple[LeafSecret, ...]:
    missing = (leaf for leaf in observation.expected_leaves if leaf.secret not in observation.secrets)
    spare = (node_leaf(observation.scope.cluster, pod) for pod in observation.spare_nodes)
    return tuple(dict.fromkeys((*observation.stored_leaves, *missing, *spare)))


def subject_for(leaf: LeafSecret, observation: Observation) -> LeafSubject:
    window = leaf.renewal_window or observation.snapshot.leaves.renewal_window
    if leaf.component is Component.USER:
        return subject_of_user(leaf.common_name, window)
    names = wanted_names(leaf, observation)
    return subject_of(leaf.component, leaf.common_name, names, window)


def subjects_for(leaf: LeafSecret, observation: Observation) -> tuple[LeafSubject, ...]:
    """The possible subjects of a certificate for this leaf; a new request has the first. An operator without a key may
    not show which names it wants. Then they are the names of the stored leaf or the names by the Kafka resource: an
    earlier request, by the operator's words of that time, is as right as before.
    """
    subject, stored = subject_for(leaf, observation), _stored_names(leaf, observation)
    if stored is None or not (_keeps_names(leaf, observation) and _is_silent_about_names(observation)):
        return (subject,)
    names, window = _names_of_resource(leaf, stored, observation), observation.snapshot.leaves.renewal_window
    return tuple(dict.fromkeys((subject, subject_of(leaf.component, leaf.common_name, names, window))))


def subject_like(names: frozenset[str], leaf: LeafSecret, observation: Observation) -> LeafSubject:
    """The subject for judging a request or certificate with these alternative names: the possible subject with these
    names, or the subject of a new request if there is none.
    """
    first, *others = subjects_for(leaf, observation)
    return next((other for other in others if other.names == names), first)


def with_misnamed(observation: Observation) -> Observation:
    """The observation with the misnamed leaves, and the leaves of listeners without an address."""
    if not observation.wanted_nodes:
        return observation
    misnamed, lacking = dict(_find_misnamed(observation)), dict(_find_unaddressed(observation))
    snapshot = observation.snapshot
    leaves, pools = replace(snapshot.leaves, misnamed=misnamed), replace(snapshot.pools, unaddressed=lacking)
    return replace(observation, snapshot=replace(snapshot, leaves=leaves, pools=pools))


def _find_unaddressed(observation: Observation) -> Iterator[tuple[str, Unaddressed]]:
    """The unaddressed leaves of nodes that do not run yet; the operator gives their listeners addresses before it
    starts them.
    """
    for name, node in observation.wanted_nodes.items():
        listeners = unaddressed(node_leaf(observation.scope.cluster, name), observation)
        if listeners and name not in observation.pods:
            yield name, Unaddressed(node.pool, listeners)


def _find_misnamed(observation: Observation) -> Iterator[tuple[str, str]]:
    ca = observation.snapshot.ca
    ours = (*ca.in_use, *(authority.chain[0] for authority in ca.prepared))
    stored = observation.snapshot.leaves.certificates
    for leaf in every_leaf(observation):
        certificate = stored.get(leaf.secret)
        if certificate is None or not is_named(leaf, observation) or not any(map(certificate.signed_by, ours)):
            continue
        wanted = subject_for(leaf, observation).names
        if certificate.subject_alternative_names != wanted:
            yield leaf.secret, naming_difference(certificate.subject_alternative_names, wanted)
