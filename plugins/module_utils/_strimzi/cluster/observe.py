# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Reading a cluster. The number of requests depends neither on its pods nor on its clients, except for absent nodes and
a few missing Secrets (docs/calls.md, "One pass").

The operator puts the DNS domain of the Kubernetes cluster, its ``KUBERNETES_SERVICE_DNS_DOMAIN``, into leaves
(docs/operator.md, "Node names"). The operator's environment is out of reach here, but its issued leaves show the
domain.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from ..._errors import Forbidden
from ..._kube.client import KubeClient
from ..._kube.resources import PODS, SECRETS
from ..._pki.keys import PrivateKey
from ..._trust.ledger.journal import in_flight
from ..._trust.model.clients import OutsideClients
from ..._trust.model.components import Component
from ..._trust.model.names import ObjectNames
from ..._trust.model.pools import PoolNode, Pools
from ..._trust.model.snapshot import (
    CaSecrets,
    ClockReading,
    Leaves,
    Nodes,
    Objects,
    OtherAuthority,
    Pod,
    Snapshot,
    StoredLeaf,
    TakenName,
)
from ..ledger.layouts import ledger_parts, read_ledger
from ..names import KAFKA_NODE_POOLS, KAFKAS, ClusterNames
from ..secret_data import size
from .backups import read_backups
from .ca_secrets import (
    add_named_secrets,
    read_bundle,
    read_ca_secrets,
    read_published,
    read_secrets,
    unlabelled_leaves,
    unlabelled_secrets,
)
from .ca_source import CaSourceReference, read_ca_source
from .clients import NO_OUTSIDE_OPTIONS, OutsideOptions, observe_outside, reach_of
from .dns_domain import read_domain
from .kafka import (
    is_generated,
    leaf_life,
    note_absent_operator,
    read_reconciliation,
    read_security,
    renewal_window,
    running_rebalances,
)
from .leaves import (
    LeafSecret,
    expected_leaves,
    leaf_secrets,
    read_leaf,
    sample_leaves,
    wanted_leaves,
)
from .maintenance_windows import maintenance_windows
from .node_pools import NO_GROWTH, Growth, WantedNode
from .pods import Exposure, Owners, find_pods, lost_labels, read_exposure, read_pod
from .specified_listeners import Addresses, listener_addresses
from .taken_names import split_taken

if TYPE_CHECKING:
    from ..user_certificate import UserCertificate

#: Kind, namespace and name of an object.
Key: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, repr=False)
class Observation:
    """A snapshot and the objects behind it (with their resource versions, and Secrets in full: no repr)."""

    #: The cluster, and the observed CA of it.
    scope: ClusterNames
    #: The values for a decision.
    snapshot: Snapshot
    #: The Kafka resource; None if it does not exist.
    kafka: Mapping[str, Any] | None
    #: The Secrets of the cluster, by name.
    secrets: Mapping[str, Mapping[str, Any]]
    #: The cluster's own pods, by name.
    pods: Mapping[str, Mapping[str, Any]]
    #: The owners of pods.
    owners: Owners
    #: The leaves in Secrets for processes to present.
    stored_leaves: tuple[LeafSecret, ...] = ()
    #: The leaves that the cluster should have.
    expected_leaves: tuple[LeafSecret, ...] = ()
    #: The certificates of users that this collection issues, by the names of their Secrets, also of Secrets that do not
    #: exist.
    served_users: Mapping[str, UserCertificate] = field(default_factory=dict)
    #: The nodes of node pools, by pod; empty if the operator can issue for them.
    wanted_nodes: Mapping[str, WantedNode] = field(default_factory=dict)
    #: The next nodes of pools, without Secrets, by pod; empty if the operator can issue for them.
    spare_nodes: Mapping[str, WantedNode] = field(default_factory=dict)
    #: The node pools by name.
    pools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: Private keys from an issuer, sent with certificates and not yet in a Secret, by the Secret of the leaf.
    issued_keys: Mapping[str, PrivateKey] = field(default_factory=dict)
    #: Addresses of listeners; None if the operator can issue leaves, because a call does not read them then.
    addresses: Addresses | None = None

    def secret(self, name: str) -> Mapping[str, Any] | None:
        return self.secrets.get(name)

    @property
    def has_requests(self) -> bool:
        """Whether there are requests for leaves, or keys for requests."""
        names = (
            name(component.value)
            for component in Component
            for name in (self.scope.issuing_secret, self.scope.next_keys_secret)
        )
        return any(name in self.secrets for name in names)

    @cached_property
    def by_key(self) -> Mapping[Key, Mapping[str, Any]]:
        """The objects behind it, by kind, namespace and name."""
        kafkas = {self.scope.cluster: self.kafka} if self.kafka is not None else {}
        read = ((KAFKAS, kafkas), (SECRETS, self.secrets), (PODS, self.pods), (KAFKA_NODE_POOLS, self.pools))
        return {(kind.kind, self.scope.namespace, name): item for kind, items in read for name, item in items.items()}

    def with_only(self, uids: frozenset[str]) -> Observation:
        """The observation of these pods, to ask them and no others."""
        pods = tuple(pod for pod in self.snapshot.nodes.pods if pod.uid in uids)
        return replace(self, snapshot=self.snapshot.with_nodes(pods=pods))


@dataclass(frozen=True, repr=False)
class Stored:
    """The objects of a cluster that are read before any pod."""

    #: The Kafka resource; None if there is none.
    kafka: Mapping[str, Any] | None
    #: The Secrets of the cluster, by their names.
    secrets: Mapping[str, Mapping[str, Any]]
    #: The Secrets of other owners under names of this collection. ``secrets`` is without them.
    taken_names: tuple[TakenName, ...] = ()


def read_stored(client: KubeClient, scope: ClusterNames) -> Stored:
    """The Kafka resource and the Secrets. Read them before the pods: if a pod is missing from the later list, it has
    started since.
    """
    kafka = client.get_or_none(KAFKAS, scope.namespace, scope.cluster)
    return Stored(kafka, *split_taken(scope, read_secrets(client, scope)))


@dataclass(frozen=True)
class Surroundings:
    """The statements of the caller about the surroundings of a cluster. Every look at it takes them into account."""

    #: The statements about clients outside the cluster.
    outside_clients: OutsideOptions = NO_OUTSIDE_OPTIONS
    #: The object with the CAs to trust; None if the caller names none.
    source: CaSourceReference | None = None
    #: The nodes that the caller is about to add.
    growth: Growth = NO_GROWTH
    #: DNS domain of the Kubernetes cluster; empty: read it from a leaf.
    dns_domain: str = ""


NO_SURROUNDINGS = Surroundings()


def observe(
    client: KubeClient, scope: ClusterNames, now: datetime, around: Surroundings = NO_SURROUNDINGS
) -> Observation:
    """Read the Kafka resource, then its Secrets, then its pods and, if there are any, clients outside the cluster; and
    the user's object with the CAs to trust, if there is one.
    """
    growth = around.growth
    read = read_stored(client, scope)
    kafka = read.kafka
    seen = find_pods(client, scope, kafka, read.secrets)
    running, pools, is_node_name = seen.running_pods, seen.pools, seen.owners.is_node_name
    ca = read_ca_secrets(read.secrets.get(scope.ca_certificate_secret), read.secrets.get(scope.ca_key_secret))
    bare = without_parties(client, scope, now, read, ca, around)
    planned = pools.scaled(growth.scaling)
    scaled = [pool for name, pool in pools.by_name.items() if growth.scaling and name == growth.scaling.pool]
    wanted = {node.pod: node for node in (planned.wanted() if ca.keys_elsewhere else ())}
    next_, later = planned.next(growth.spare), planned.settled().next(growth.spare if ca.keys_elsewhere else 0)
    for_components = wanted_leaves(scope, kafka, wanted) if ca.keys_elsewhere else ()
    present = {str(pod["metadata"]["name"]): party for pod, party in _sort_pods(running)}
    # The leaf that has shown the signing CA is stored as soon as this CA is in place.
    is_first = not ca.current or (kafka is None and ca.in_use_elsewhere)
    samples = sample_leaves(scope, bare.source, now) if is_first else ()
    expected = tuple(dict.fromkeys((*expected_leaves(scope, kafka, present), *for_components, *samples)))
    of_nodes = [leaf for leaf in expected if leaf.component is Component.KAFKA]
    taken_before = {taken.name for taken in read.taken_names}
    wanted_secrets = (leaf.secret for leaf in expected if leaf.secret not in taken_before)
    secrets, taken = split_taken(scope, add_named_secrets(client, scope, read.secrets, wanted_secrets), of_nodes)
    nodes = {leaf.secret for leaf in of_nodes}
    stored = leaf_secrets(scope, secrets, is_node_name, nodes)
    leaves = tuple(read_leaf(leaf, secrets[leaf.secret]) for leaf in stored)
    parties = _read_parties(seen.owners, running, leaves, read_exposure(kafka))
    yet_to_come = {node.pod: node for node in next_ if node.pod not in secrets}
    reach = reach_of(scope, kafka, leaves, ca, bare.ledger)
    snapshot = replace(
        bare,
        reconciliation=replace(
            bare.reconciliation,
            operator=note_absent_operator(bare.reconciliation.operator, kafka, seen.node_traces),
            rebalances=() if in_flight(bare.ledger) or ca.prepared else running_rebalances(client, scope, kafka),
        ),
        nodes=Nodes(pods=parties, foreign_pods=seen.foreign_pods, unlabelled_pods=unlabelled(running, scope)),
        leaves=replace(
            bare.leaves,
            stored=leaves,
            missing={
                leaf.secret: leaf.component
                for leaf in expected
                if leaf.secret not in secrets and leaf.secret not in {one.name for one in (*read.taken_names, *taken)}
            },
            dns_domain=read_domain(
                client,
                scope,
                around.dns_domain,
                leaves,
                # The key of the first CA may be kept elsewhere.
                look_around=bool(ca.keys_elsewhere) or not ca.current,
                is_accepted=bare.reconciliation.operator.is_ready,
            ),
        ),
        outside_clients=replace(
            bare.outside_clients,
            clients=observe_outside(client, reach, bare.outside_clients.named_places.trusting_secrets)
            if seen.own_pods
            else (),
        ),
        objects=replace(
            bare.objects,
            taken_names=(*bare.objects.taken_names, *taken),
            unlabelled_secrets={**bare.objects.unlabelled_secrets, **unlabelled_leaves(scope, secrets, stored)},
            immutable_secrets=(
                *bare.objects.immutable_secrets,
                *immutable_secrets(secrets, (leaf.secret for leaf in stored)),
            ),
            in_deletion={**bare.objects.in_deletion, **dict(in_deletion("KafkaNodePool", scaled))},
        ),
        pools=Pools(
            replicas=pools.replicas if ca.keys_elsewhere or growth.scaling else {},
            spare=_as_pool_nodes(yet_to_come.values()),
            leaving=_as_pool_nodes(planned.leaving()),
            spare_later=_as_pool_nodes(later),
        ),
    )
    spare = yet_to_come if ca.keys_elsewhere else {}
    addresses = listener_addresses(client, scope, kafka) if ca.keys_elsewhere else None
    return Observation(
        scope, snapshot, kafka, secrets, seen.own_pods, seen.owners, stored, expected, wanted_nodes=wanted,
        spare_nodes=spare, pools=pools.by_name,
        addresses=addresses,
    )  # fmt: skip


def without_parties(
    client: KubeClient,
    scope: ClusterNames,
    now: datetime,
    read: Stored,
    ca: CaSecrets,
    around: Surroundings,
) -> Snapshot:
    """The snapshot as far as it is the same for each CA of a cluster: without the parties that present certificates of
    the CA or verify by it. Raises KubeError.
    """
    kafka, secrets, ledger = read.kafka, read.secrets, read_ledger(read.secrets, scope)
    return Snapshot(
        names=object_names(scope, secrets),
        now=now,
        ca=ca,
        ledger=ledger,
        bundle=read_bundle(secrets.get(scope.trust_bundle_secret), scope),
        nodes=Nodes(),
        leaves=Leaves(renewal_window=renewal_window(kafka, scope), validity=leaf_life(kafka, scope)),
        reconciliation=replace(
            read_reconciliation(kafka, scope, neighbours(client, scope, anywhere=not secrets) if kafka is None else ()),
            windows=maintenance_windows(kafka, now),
        ),
        outside_clients=OutsideClients(
            waivers=around.outside_clients.waivers,
            published=read_published(secrets.get(scope.client_bundle_secret)),
            named_places=around.outside_clients.places_to_look_at(ca, ledger),
        ),
        security=read_security(kafka),
        source=read_ca_source(client, around.source) if around.source is not None else None,
        other_ca=_other_authority(kafka, secrets, scope.other_ca),
        objects=Objects(
            taken_names=read.taken_names,
            unlabelled_secrets=unlabelled_secrets(scope, secrets),
            immutable_secrets=immutable_secrets(
                secrets, (*_names_of_written_secrets(scope), *ledger_parts(secrets, scope))
            ),
            in_deletion=dict(
                (*in_deletion("Kafka", [kafka] if kafka else ()), *in_deletion("Secret", secrets.values()))
            ),
            sizes=sizes_of(scope, secrets),
        ),
        backups=read_backups(secrets, scope),
        clock=ClockReading(platform.node(), client.clock_ahead),
    )


def _other_authority(
    kafka: Mapping[str, Any] | None, secrets: Mapping[str, Mapping[str, Any]], scope: ClusterNames
) -> OtherAuthority:
    stored = secrets.get(scope.ca_certificate_secret), secrets.get(scope.ca_key_secret)
    return OtherAuthority(
        names=object_names(scope, secrets),
        ca=read_ca_secrets(*stored),
        ledger=read_ledger(secrets, scope),
        generated=is_generated(kafka, scope),
        renewal_window=renewal_window(kafka, scope),
    )


def in_deletion(kind: str, objects: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The objects among these that are being deleted, by their names for people, and the reasons why their deletion
    waits.
    """
    for item in objects:
        metadata = item["metadata"]
        if "deletionTimestamp" in metadata:
            yield f"{kind} {metadata['namespace']}/{metadata['name']}", tuple(metadata.get("finalizers") or ())


def _names_of_written_secrets(scope: ClusterNames) -> Iterator[str]:
    """The Secrets with fixed names that flows write, without the ledger."""
    yield from (scope.ca_certificate_secret, scope.ca_key_secret, scope.trust_bundle_secret, scope.client_bundle_secret)
    for component in Component:
        yield from (scope.issuing_secret(component.value), scope.next_keys_secret(component.value))


def immutable_secrets(secrets: Mapping[str, Mapping[str, Any]], names: Iterable[str]) -> tuple[str, ...]:
    """The immutable Secrets of these names: Kubernetes lets no program change them."""
    return tuple(name for name in names if (secrets.get(name) or {}).get("immutable") is True)


def unlabelled(
    running: Iterable[tuple[Mapping[str, Any], Component]], scope: ClusterNames
) -> dict[str, tuple[str, ...]]:
    """The lost labels of running pods, by the name of the pod."""
    return {pod["metadata"]["name"]: lost for pod, party in running if (lost := lost_labels(pod, party, scope))}


def _as_pool_nodes(nodes: Iterable[WantedNode]) -> dict[str, PoolNode]:
    return {node.pod: PoolNode(node.pool, node.node_id) for node in nodes}


def object_names(scope: ClusterNames, secrets: Mapping[str, Mapping[str, Any]]) -> ObjectNames:
    """The names of these objects in messages."""
    where = f"Secret {scope.namespace}/"
    ledger = ledger_parts(secrets, scope) or (scope.trusted_certificates_secret,)
    return ObjectNames(
        kafka=f"Kafka {scope.namespace}/{scope.cluster}",
        certificate_secret=f"{where}{scope.ca_certificate_secret}",
        key_secret=f"{where}{scope.ca_key_secret}",
        ledger=" and ".join(f"{where}{name}" for name in ledger),
        namespace=scope.namespace,
        cluster=scope.cluster,
        ca=f"{scope.ca.value} CA",
        common_name=scope.ca_common_name,
        specification=f"spec.{scope.ca_specification}",
    )


def neighbours(client: KubeClient, scope: ClusterNames, *, anywhere: bool) -> tuple[str, ...]:
    """The Kafka clusters of the namespace, for a message; empty without the permission to list them. If it has none and
    ``anywhere`` is set, these are clusters of other namespaces as "<namespace>/<name>", as far as they may be listed.
    """
    with suppress(Forbidden):
        own = sorted(str(item["metadata"]["name"]) for item in client.list(KAFKAS, scope.namespace).items)
        if own or not anywhere:
            return tuple(own)
        kafkas = (item["metadata"] for item in client.list(KAFKAS, None).items)
        return tuple(sorted(f"{kafka['namespace']}/{kafka['name']}" for kafka in kafkas))
    return ()


def sizes_of(scope: ClusterNames, secrets: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Bytes of data of the Secrets that flows add to."""
    guarded = (scope.ca_certificate_secret, scope.ca_key_secret, *scope.ledger_secrets, scope.trust_bundle_secret)
    return {name: size(secrets[name]) for name in guarded if name in secrets}


def _sort_pods(running: Iterable[tuple[Mapping[str, Any], Component]]) -> list[tuple[Mapping[str, Any], Component]]:
    return sorted(running, key=lambda item: str(item[0]["metadata"]["name"]))


def _read_parties(
    owners: Owners,
    running: Iterable[tuple[Mapping[str, Any], Component]],
    leaves: tuple[StoredLeaf, ...],
    exposure: Exposure,
) -> tuple[Pod, ...]:
    parties = []
    nodes = {leaf.secret: leaf for leaf in leaves if leaf.component is Component.KAFKA}
    others = [leaf for leaf in leaves if leaf.component is not Component.KAFKA]
    for pod, component in _sort_pods(running):
        # Each pod gets only its own leaf: a search of all leaves for each pod would be quadratic.
        own = nodes.get(pod["metadata"]["name"])
        parties.append(read_pod(pod, component, others if own is None else [own, *others], owners, exposure))
    return tuple(parties)
