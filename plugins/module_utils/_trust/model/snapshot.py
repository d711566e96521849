# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The state of a cluster at one moment: the first input of ``decide``. It has values only, and no private key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum
from functools import cached_property
from typing import Any

from ..._leaves.request import LeafRequest, Standing
from ..._leaves.trigger import ExistingLeaf
from ..._pki.certificates import Certificate, Chain
from ..._pki.verifiers import ALL, JVM, Verifier
from .channels import Channel, reached_by_reload
from .clients import NO_CLIENTS, OutsideClient, OutsideClients, Presenter, UserName, UserNamespace
from .components import Component
from .ledger import NO_FLOW_OPTIONS, Beginning, CaSource, FlowOptions, Ledger
from .listeners import ObservedListener
from .names import ObjectNames, label_command
from .pools import NO_POOLS, PoolNode, Pools
from .security import MUTUAL_TLS, ClusterSecurity


class IssuedBy(Enum):
    """The party that issues the certificates of a CA again after another CA has taken its place."""

    #: This collection, as with the cluster CA.
    THIS_COLLECTION = "this collection"
    #: The User Operator, with the key in the Secrets.
    USER_OPERATOR = "the User Operator"
    #: No party: the cluster has no User Operator.
    NONE = "none"


@dataclass(frozen=True)
class Pod:
    """A process that verifies and presents certificates."""

    #: The name of the pod.
    name: str
    #: The UID of the pod: a restarted pod has another UID.
    uid: str
    #: The component of the pod.
    component: Component
    #: The generation of the CA's certificate in the annotation of the pod; None if the annotation is missing or
    #: unreadable.
    generation: int | None
    #: The names of the Secrets with the pod's leaves.
    leaves: tuple[str, ...]
    #: Whether the pod was started with the present stored leaves, by the hash in its annotation; None if the annotation
    #: is missing.
    presents_stored: bool | None
    #: The generation of the CA's key in the annotation of the pod; None if the annotation is missing or unreadable.
    key_generation: int | None = None
    #: The hash of leaves in the annotation of the pod.
    leaf_hash: str = ""
    #: Whether the pod is ready.
    ready: bool = True
    #: Whether the pod is being deleted.
    terminating: bool = False
    #: Whether an annotation asks the operator to restart the Kafka node.
    awaits_restart: bool = False
    #: Whether a call of this collection has put this annotation there.
    asked_here: bool = False
    #: Whether the pod presents no certificate of this CA, and nothing in it but its listeners verifies by this CA: once
    #: its listeners have read their trust again, it has the knowledge of a new process.
    verifies_only: bool = False
    #: Whether no channel of the pod presents the certificate in its Secret. The leaf of its start is of no account then
    #: (``ClusterSecurity``).
    presents_nothing: bool = False
    #: The machine of the pod; empty if it has none yet.
    worker: str = ""
    #: How long the pod took from its start until it was ready; None if this is unknown.
    started_in: timedelta | None = None
    #: How often containers of the pod have started again in place.
    restarts: int = 0
    #: The version of Kafka with which the pod was made, such as "4.3.1"; empty if the pod is no node, or its annotation
    #: is missing.
    kafka_version: str = ""

    @property
    def left_by_reload(self) -> frozenset[Channel]:
        """The channels that keep their certificates from the start after the listeners have read again: every channel
        of a process without a reload, and none of a process in which nothing but listeners knows this CA.
        """
        if self.verifies_only:
            return frozenset()
        reached = reached_by_reload(self.kafka_version) if self.component is Component.KAFKA else frozenset()
        return frozenset(Channel) - reached


@dataclass(frozen=True)
class StoredLeaf:
    """A leaf in its Secret."""

    #: The name of the Secret.
    secret: str
    #: The entry of the Secret with the certificate.
    key: str
    #: The component with the leaf.
    component: Component
    #: The leaf and the CAs behind it; None if the entry is unreadable.
    chain: Chain | None
    #: The generation of the CA's certificate in the annotation of the Secret; None if the annotation is missing or
    #: unreadable.
    generation: int | None
    #: Why the entry is unreadable, or why the private key beside it cannot be used, without a full stop; empty if there
    #: is no problem or its cause is unknown.
    problem: str = ""
    #: SHA-256 of the public half of the private key beside the leaf; empty if it is unknown.
    key_beside: str = ""
    #: How long before its end an operator renews this leaf; None for the window of the cluster.
    renewal_window: timedelta | None = None

    @property
    def existing(self) -> ExistingLeaf:
        """The leaf for the policies about leaves."""
        return ExistingLeaf(self.chain, self.problem, self.key_beside)


class DomainSource(str, Enum):
    """The source of the DNS domain in the names of certificates."""

    #: The caller gives it.
    CALLER = "caller"
    #: The environment of the Cluster Operator has it.
    OPERATOR = "operator"
    #: The certificates of the cluster have it.
    OWN_CERTIFICATES = "own_certificates"
    #: The certificates of other Kafka clusters in the namespace have it.
    OTHER_CLUSTERS = "other_clusters"
    #: It is the operator's default, and nothing shows whether this operator has another.
    DEFAULT = "default"


@dataclass(frozen=True)
class DnsDomain:
    """The DNS domain of the Kubernetes cluster, as far as a call can know it."""

    #: The domain.
    name: str = "cluster.local"
    #: The source of a call's knowledge.
    source: DomainSource = DomainSource.DEFAULT


@dataclass(frozen=True)
class Leaves:
    """The leaves of the processes of a cluster, by the names of their Secrets if a field has names."""

    #: The leaves in their Secrets.
    stored: tuple[StoredLeaf, ...] = ()
    #: The missing Secrets of the cluster, each with its component.
    missing: Mapping[str, Component] = field(default_factory=dict)
    #: How the names in a leaf differ from the names that the operator wants, as a part of a sentence, if the operator
    #: cannot issue the leaf.
    misnamed: Mapping[str, str] = field(default_factory=dict)
    #: The requests to another issuer, as they are recorded and answered.
    requests: Mapping[str, LeafRequest] = field(default_factory=dict)
    #: The state of leaves at an issuer with its own renewals.
    standing: Mapping[str, Standing] = field(default_factory=dict)
    #: How long before the end of a leaf the operator renews it.
    renewal_window: timedelta = timedelta(days=30)
    #: How long a leaf from the operator is valid.
    validity: timedelta = timedelta(days=365)
    #: The DNS domain in the names of leaves from this collection.
    dns_domain: DnsDomain = DnsDomain()

    @cached_property
    def by_secret(self) -> Mapping[str, StoredLeaf]:
        """``stored`` by the names of their Secrets."""
        return {leaf.secret: leaf for leaf in self.stored}

    @cached_property
    def certificates(self) -> Mapping[str, Certificate]:
        """The certificates of the stored leaves that can be read, by the names of their Secrets."""
        return {leaf.secret: leaf.chain[0] for leaf in self.stored if leaf.chain}


@dataclass(frozen=True)
class LinkCertificates:
    """The certificates by which a CA and the replaced CA certify each other (RFC 4210 section 4.4)."""

    #: Name and key of the new CA, certified by the old CA.
    new_with_old: Certificate
    #: Name and key of the old CA, certified by the new CA; None if there is none.
    old_with_new: Certificate | None = None

    def sent_at(self, now: datetime) -> Chain:
        """The part of a chain between a leaf of the new CA and the CA's own certificate, once the CA is in use; empty
        unless both link certificates exist and are valid. Clients with only the old CA follow the first. The second
        leads from there to the new CA, because Kafka loads no chain with a gap.
        """
        return (
            self.both if all(certificate.not_before <= now < certificate.not_after for certificate in self.both) else ()
        )

    @property
    def both(self) -> Chain:
        """Both in the order of the chain; empty if one is missing."""
        return () if self.old_with_new is None else (self.new_with_old, self.old_with_new)


@dataclass(frozen=True)
class PreparedAuthority:
    """A CA that waits in the key Secret until the operator is switched to it."""

    #: The CA, with the CAs above it.
    chain: Chain
    #: SHA-256 of the public key; None if it is unusable.
    key: str | None
    #: Its link certificates; None if there are none.
    links: LinkCertificates | None = None
    #: Whether the key is kept elsewhere. Then only an issuer can sign leaves.
    key_is_elsewhere: bool = False

    @property
    def fingerprint(self) -> str:
        return self.chain[0].fingerprint


@dataclass(frozen=True)
class CaDefects:
    """The faults of a pair of CA Secrets, for a person to correct."""

    #: Sentences about unusable entries.
    problems: tuple[str, ...] = ()
    #: Whether the entry of the CA in use is unusable.
    is_current_unusable: bool = False
    #: Annotations of a generation that are missing or no number, as "<Secret>, annotation <name>". The generation then
    #: reads as 0, as the operator takes a missing annotation.
    unnumbered_generations: tuple[str, ...] = ()
    #: Entries of the certificate Secret with a private key in them. Clients read this Secret.
    exposed_entries: tuple[str, ...] = ()
    #: The name of the certificate Secret, if it has the CA under the entry of a Secret of the type kubernetes.io/tls.
    #: The operator does not look for it there. Empty elsewhere.
    certificate_named_for_tls: str = ""
    #: The same for the key Secret.
    key_named_for_tls: str = ""
    #: Left-over ``strimzi.io/force-*`` annotations as "Secret/<name>: <annotation>".
    triggers: tuple[str, ...] = ()

    @property
    def named_for_tls(self) -> tuple[str, ...]:
        """The names of the CA Secrets with the CA under such entries."""
        return tuple(filter(None, (self.certificate_named_for_tls, self.key_named_for_tls)))


NO_DEFECTS = CaDefects()


@dataclass(frozen=True)
class CaSecrets:
    """The pair of CA Secrets: the certificate Secret and the key Secret."""

    #: The chain in ``ca.crt``; empty if there is none.
    current: Chain = ()
    #: The other ``*.crt`` entries of the certificate Secret by their key.
    other_entries: Mapping[str, Chain] = field(default_factory=dict)
    #: The generation of the certificate, from the annotation.
    certificate_generation: int = 0
    #: The generation of the key, from the annotation.
    key_generation: int = 0
    #: SHA-256 of the public key of ``ca.key``; None if the key is absent or unusable.
    key: str | None = None
    #: The waiting CAs in the key Secret.
    prepared: tuple[PreparedAuthority, ...] = ()
    #: Fingerprints of the CAs whose keys are kept beside ``ca.key``.
    kept_keys: frozenset[str] = frozenset()
    #: Link certificates of CAs that no longer wait, by the fingerprint of their certificate.
    kept_links: Mapping[str, LinkCertificates] = field(default_factory=dict)
    #: SHA-256 of the public keys for which these Secrets have a text instead of the key.
    keys_elsewhere: frozenset[str] = frozenset()
    #: The keys of ``other_entries`` under which the operator keeps a replaced CA, until every pod uses its successor.
    retired: tuple[str, ...] = ()
    #: The options of the flow behind a prepared CA, until its journal is open.
    flow_options: FlowOptions = NO_FLOW_OPTIONS
    #: The beginning of this flow. None: no call has recorded it.
    beginning: Beginning | None = None
    #: The faults of the two Secrets, for a person to correct.
    defects: CaDefects = NO_DEFECTS

    def is_kept_elsewhere(self, authority: Certificate) -> bool:
        """Whether the key of this CA is kept elsewhere. Then only an issuer can sign its leaves."""
        return authority.public_key_sha256 in self.keys_elsewhere

    def has_key_of(self, authority: Certificate) -> bool:
        """Whether the key of this CA is here. In a switch the Secret contains a prepared CA's key; the key of the CA in
        use may be kept beside it.
        """
        good = {authority.public_key_sha256, *(prepared.key for prepared in self.prepared if prepared.key)}
        return self.key in good or authority.fingerprint in self.kept_keys

    @property
    def in_use(self) -> Chain:
        """The CA in use, alone; empty if there is none."""
        return self.current[:1]

    @property
    def in_use_elsewhere(self) -> bool:
        """Whether there is a CA in use, and its key is kept elsewhere."""
        return bool(self.current) and self.is_kept_elsewhere(self.current[0])

    @property
    def links(self) -> Mapping[str, LinkCertificates]:
        """All link certificates in the key Secret, by the fingerprint of their certificate."""
        return {
            **self.kept_links,
            **{authority.fingerprint: authority.links for authority in self.prepared if authority.links is not None},
        }

    @property
    def links_in_use(self) -> LinkCertificates | None:
        """Both link certificates of the CA in use, also after a renewal of this CA; None if one is missing."""
        own = (link for link in self.links.values() if self.current and link.new_with_old.is_twin_of(self.current[0]))
        return next((link for link in own if link.old_with_new is not None), None)

    def behind_nodes(self, issuer: Chain, now: datetime) -> Chain:
        """The certificates that nodes send behind leaves of this CA: its link certificates if it is in use, then the CA
        and the CAs above it.
        """
        links = self.links_in_use
        if links is None or not links.new_with_old.is_twin_of(issuer[0]):
            return issuer
        return (*links.sent_at(now), *issuer)

    def led_to(self, issuer: Chain, now: datetime) -> Chain:
        """The certificates that a node sends behind a leaf of this CA once the CA is in use: the link certificates of
        both directions, then its own chain.
        """
        leading = (link for link in self.links.values() if link.both and link.new_with_old.is_twin_of(issuer[0]))
        links = next((link for link in leading if issuer[0] != link.new_with_old), None)
        return issuer if links is None else (*links.sent_at(now), *issuer)

    @property
    def anchors(self) -> Chain:
        """All trust anchors in the certificate Secret."""
        return (*self.in_use, *(chain[0] for chain in self.other_entries.values()))

    @property
    def projected(self) -> frozenset[str]:
        """Fingerprints of all trust anchors in the certificate Secret."""
        return frozenset(anchor.fingerprint for anchor in self.anchors)


@dataclass(frozen=True)
class FailedReconcile:
    """The operator's own words on its last, failed reconcile: the condition ``NotReady``."""

    #: The class of its error; empty if the condition gives none.
    reason: str
    #: The message of the condition, on one line; empty if it gives none.
    message: str
    #: The time of its first such report; None if it says no time.
    since: datetime | None = None

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.reason, self.message.rstrip("."))))


@dataclass(frozen=True)
class OperatorStatus:
    """The words of the Cluster Operator about the Kafka resource, and whether an operator works on it."""

    #: Whether the operator has seen the current generation of the resource.
    has_observed: bool = True
    #: The condition ``Ready``.
    is_ready: bool = True
    #: Whether the operator's first reconcile is under way.
    is_first: bool = False
    #: How the operator's last reconcile failed; None if it has not.
    failure: FailedReconcile | None = None
    #: The version of the operator at its last successful reconcile of the resource, such as "1.2.0"; empty if the
    #: resource does not say.
    version: str = ""
    #: Why it is certain that no operator works on the resource, as a clause; empty if nothing shows it.
    absence: str = ""

    @property
    def is_content(self) -> bool:
        """Whether it has reconciled the present resource, and finds nothing wrong."""
        return self.has_observed and self.is_ready and self.failure is None

    @property
    def doubt_about_spec(self) -> str:
        """A sentence, with a space before it, for a message about an act of the operator that differs from ``spec``;
        empty if it cannot be the cause. From release 1.3 on plugins may change a resource in the operator's memory
        (docs/operator.md, "Plugins of the operator").
        """
        numbers = re.match(r"(\d+)\.(\d+)", self.version)
        if numbers is None or (int(numbers[1]), int(numbers[2])) < (1, 3):
            return ""
        return (
            " From Strimzi 1.3 on, plugins of the Cluster Operator (STRIMZI_GATEKEEPER_CUSTOM_PLUGINS in its "
            "Deployment) may change what it acts on, and the stored spec does not show that: this can be the cause."
        )


SATISFIED = OperatorStatus()


@dataclass(frozen=True)
class OperatorPause:
    """The pause of the operator: the annotation of the Kafka resource, and the operator's answer to it."""

    #: Whether the resource has the annotation for a pause of the operator.
    is_set: bool = False
    #: Whether a flow of this collection set it.
    is_ours: bool = False
    #: Whether the operator has confirmed it.
    is_confirmed: bool = False
    #: The program or person behind it, as far as it is known and is not this collection.
    holder: str = ""
    #: Whether another program or person ended a pause of a flow, but the annotation with the name of the flow is left.
    has_left_mark: bool = False
    #: Whether a pause has ended without a reconcile since.
    is_ending: bool = False

    @property
    def is_foreign(self) -> bool:
        """Whether another program or person has paused the operator, or a flow on the other CA of the cluster."""
        return self.is_set and not self.is_ours

    @property
    def is_ours_and_confirmed(self) -> bool:
        """Whether a flow of this collection has paused the operator, and the operator has confirmed it."""
        return self.is_ours and self.is_confirmed


NOT_PAUSED = OperatorPause()


@dataclass(frozen=True)
class MaintenanceWindows:
    """The times for restarts of pods."""

    #: Whether a window is open now.
    is_open: bool
    #: When the next window opens, in UTC; None if none does.
    opens_at: datetime | None
    #: Why an expression cannot be read, as a clause; empty if all can be.
    problem: str = ""


@dataclass(frozen=True)
class Rebalance:
    """A KafkaRebalance resource."""

    #: The name of the resource; ``*`` for all of them.
    name: str
    #: Its kind, namespace and name, by which a waiver names it.
    label: str
    #: Why it is unknown whether it moves partitions, without a full stop; empty if it is known.
    doubt: str = ""


@dataclass(frozen=True)
class Reconciliation:
    """The Kafka resource, and the operator's work on it."""

    #: Whether the Kafka resource exists.
    exists: bool = True
    #: The UID of the resource, which no other resource of any Kubernetes cluster has; empty if it does not exist.
    uid: str = ""
    #: If the Kafka resource does not exist, the names of the Kafka resources in its namespace. If the namespace has
    #: none, and nothing of this cluster either, these are the Kafka resources of other namespaces as
    #: "<namespace>/<name>", as far as permissions show them.
    neighbours: tuple[str, ...] = ()
    #: The words of the operator about the resource.
    operator: OperatorStatus = SATISFIED
    #: Whether the operator is paused.
    pause: OperatorPause = NOT_PAUSED
    #: The name of this collection's last request to reconcile.
    request: str = ""
    #: Whether the operator generates this CA.
    generated: bool = False
    #: The origin of the CA as the resource names it, if the CA comes from neither the operator nor the user; empty
    #: otherwise.
    foreign_type: str = ""
    #: Whether the operator makes a new key with the new certificate at the end of a generated CA.
    replaces_key: bool = False
    #: The maintenance windows in which the operator renews a CA; None if it does so at any time.
    windows: MaintenanceWindows | None = None
    #: The KafkaRebalance resources by which Cruise Control moves partitions of the cluster now. Read while no flow is
    #: in flight.
    rebalances: tuple[Rebalance, ...] = ()


@dataclass(frozen=True)
class InPlaceObstacles:
    """The obstacles to bringing a change to running nodes without a restart, as sentences; empty if there is none."""

    #: Why nodes cannot reload.
    reload: str = ""
    #: Why the operator would restart them despite new annotations.
    stamps: str = ""
    #: Why pods cannot be annotated. Without annotations the operator does not learn what they have read.
    annotations: str = ""
    #: Why the operator would restart nodes again that this collection has restarted in its pause; empty as well if this
    #: collection restarts no node itself.
    again: str = ""


@dataclass(frozen=True)
class NodeAnswers:
    """The answers of all nodes at one moment, for a later decision about the same processes."""

    #: The processes of the nodes, as ``Snapshot.processes``.
    processes: frozenset[tuple[str, int]]
    #: The answers of their listeners.
    listeners: tuple[ObservedListener, ...]
    #: The obstacles to bringing a change to them without a restart.
    in_place_obstacles: InPlaceObstacles


@dataclass(frozen=True)
class Nodes:
    """The processes of a cluster: the pods that verify by the CA, and the answers of their listeners."""

    #: The pods of the cluster, without pods of another owner.
    pods: tuple[Pod, ...] = ()
    #: The answers of the listeners of running nodes; None if no connection was opened, and only stored evidence counts.
    listeners: tuple[ObservedListener, ...] | None = None
    #: UIDs of the nodes assumed to present the stored leaf: in a forecast, the nodes after a restart or a reload.
    assumed_up_to_date: frozenset[str] = frozenset()
    #: UIDs of the nodes with missing answers, assumed to present the leaf of their start by the stored evidence, and no
    #: other.
    assumed_as_started: frozenset[str] = frozenset()
    #: The obstacles to a change without a restart; None before the call has looked for them.
    in_place_obstacles: InPlaceObstacles | None = None
    #: The running pods of another owner with the labels or the name of a process of the cluster, each with the
    #: component of this likeness. Their certificates and trusted CAs are unknown.
    foreign_pods: Mapping[str, Component] = field(default_factory=dict)
    #: The running pods without the labels by which programs find them, and these labels as "<name>=<value>".
    unlabelled_pods: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class UnlabelledSecret:
    """A Secret with lost labels, found by its name."""

    #: The lost labels, as "<name>=<value>".
    lost: tuple[str, ...]
    #: The purpose of the labels, as a part of a sentence.
    purpose: str
    #: Whether flows wait until they are back.
    holds: bool = True

    def command(self, name: str, namespace: str) -> str:
        """The command to put the labels back."""
        return label_command("secret", name, namespace, self.lost)


@dataclass(frozen=True)
class TakenName:
    """A name of this collection on an object of another owner."""

    #: The kind of the object.
    kind: str
    #: Its namespace.
    namespace: str
    #: Its name.
    name: str
    #: Its labels, its owners and its writing programs, for people.
    owner: str
    #: The way to go on without this name, as a part of a sentence; empty if there is none.
    way_without: str = ""

    @property
    def subject(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"

    @property
    def cause(self) -> str:
        """The rest of a sentence with the subject at its beginning, without a full stop."""
        return (
            "has a name that this collection gives to an object of its own, and belongs to another owner "
            f"({self.owner}); nothing of it was used or changed"
        )

    @property
    def remedy(self) -> str:
        """The remedy, as sentences."""
        without = f"; or {self.way_without}" if self.way_without else ""
        return (
            "Have its owner give it another name, or delete it where no program needs it "
            f"(kubectl delete {self.kind.lower()} {self.name} --namespace {self.namespace}), then run again{without}."
        )


#: Bytes of data in a Secret, at most, by Kubernetes: 1 MiB.
SECRET_LIMIT = 1024 * 1024


@dataclass(frozen=True)
class Objects:
    """Obstacles to reading or writing the objects of a cluster: lost labels, a deletion, their size."""

    #: The Secrets of the cluster with lost labels, by name.
    unlabelled_secrets: Mapping[str, UnlabelledSecret] = field(default_factory=dict)
    #: The Secrets of users with lost labels, by namespace and name. No flow waits for them.
    unlabelled_of_users: Mapping[tuple[str, str], UnlabelledSecret] = field(default_factory=dict)
    #: The objects of other owners with the name of an object that flows write.
    taken_names: tuple[TakenName, ...] = ()
    #: The immutable Secrets that flows write: Kubernetes lets no program change them.
    immutable_secrets: tuple[str, ...] = ()
    #: The finalizers for which the deletion of an object waits, by the object as messages name it.
    in_deletion: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Bytes of data by the name of the Secret, for the guard against ``SECRET_LIMIT``.
    sizes: Mapping[str, int] = field(default_factory=dict)


NO_OBSTACLES = Objects()


@dataclass(frozen=True)
class CaUsers:
    """The users of the clients CA, and the listeners for them. A user presents its leaf alone. Only listeners verify
    it, and these run on a JVM.
    """

    #: The parties outside the cluster that present certificates of this CA.
    presenters: tuple[Presenter, ...] = ()
    #: The leaves of users by their Secrets, if this collection issues them because the key of the CA in use or of the
    #: next CA is kept elsewhere; None if a user has no leaf yet. Such a leaf has the generation of the CA beside it.
    user_leaves: Mapping[str, StoredLeaf | None] = field(default_factory=dict)
    #: The valid certificates of users by their Secrets, as messages name these, if the certificate Secret does not tell
    #: the present CA of the cluster: brokers accept them by the CA in their memory. Empty elsewhere.
    witnesses: Mapping[str, Certificate] = field(default_factory=dict)
    #: The presenters with the name of a process of the cluster.
    namesakes: tuple[str, ...] = ()
    #: Why no certificate can name a user, by the user.
    unnameable_users: Mapping[str, str] = field(default_factory=dict)
    #: The longest validity of a certificate for presenters.
    longest_life: timedelta = timedelta(days=365)
    #: The issuer of certificates of this CA after a switch, if the key of the CA is in the Secrets.
    issued_by: IssuedBy = IssuedBy.USER_OPERATOR
    #: Why no operator may issue certificates while the CA is switched, as a sentence; empty if operators may.
    pause_reissue: str = ""
    #: Whether the pods are to verify by this CA.
    has_verifiers: bool = True
    #: The listeners, as messages name them, with their trusted CAs in their own configuration. They may verify by this
    #: CA. This collection neither opens connections to them nor has them read their trust again.
    unmanaged_listeners: tuple[str, ...] = ()
    #: The further namespaces that count as places of users, without the cluster's own: User Operators watch them, or
    #: users or their certificates are left there. None if no look was possible, because there is no Kafka resource.
    namespaces: tuple[UserNamespace, ...] | None = ()
    #: Why it is unknown whether further namespaces have users of the cluster, as a sentence; empty if it is known, or
    #: the flow in flight has looked.
    unsearched: str = ""


@dataclass(frozen=True)
class ClockReading:
    """The clock of the machine that runs this collection, beside the API server's."""

    #: Its name.
    machine: str
    #: How far its clock is ahead; negative if it is behind, zero if the two may agree; None if answers of the API
    #: server have no date.
    ahead: timedelta | None


#: A clock that agrees with the API server's.
IN_STEP = ClockReading("", timedelta(0))


@dataclass(frozen=True)
class OtherAuthority:
    """The other CA of the cluster, as far as a flow on this CA looks at it."""

    #: The names of its objects in messages.
    names: ObjectNames
    #: Its pair of CA Secrets.
    ca: CaSecrets
    #: Its ledger; None if this collection has not adopted it.
    ledger: Ledger | None
    #: Whether the operator renews it.
    generated: bool
    #: How long before its end the operator, or a schedule, renews it.
    renewal_window: timedelta

    @property
    def where(self) -> str:
        """The CA with its Secret, as messages name it."""
        return f"the {self.names.ca} in {self.names.certificate_secret}"


class StateSecrets(Enum):
    """The Secrets for the state of a CA; the ledger may be two."""

    CERTIFICATE = "CA certificate Secret"
    KEY = "CA key Secret"
    LEDGER = "ledger"


@dataclass(frozen=True)
class Backup:
    """The state of a CA after an earlier run."""

    #: The name of the Secret with the backup.
    secret: str
    #: The same Secret, as messages name it.
    name: str
    #: When the backup was made.
    kept_at: datetime
    #: The pair of CA Secrets.
    ca: CaSecrets
    #: The ledger; None if there was none.
    ledger: Ledger | None


@dataclass(frozen=True)
class Snapshot:
    """An observation of one CA of a cluster. Secrets are read before pods: if a pod is missing here, it started after
    the reading of the Secrets.
    """

    #: The names of the objects and of the CA in messages.
    names: ObjectNames
    #: When the cluster was read, in UTC.
    now: datetime
    #: The pair of CA Secrets.
    ca: CaSecrets
    #: The record of this collection about the CAs; None if it has not adopted the CA.
    ledger: Ledger | None
    #: Fingerprints of the CAs in the trust bundle; None if its Secret does not exist.
    bundle: frozenset[str] | None
    #: The pods of the cluster, the answers of their listeners, and the obstacles to a change without a restart.
    nodes: Nodes
    #: The leaves of the cluster's processes: stored, missing, and issued by another issuer.
    leaves: Leaves
    #: The Kafka resource, and whether the operator works on it.
    reconciliation: Reconciliation
    #: The security between the processes of the cluster.
    security: ClusterSecurity = MUTUAL_TLS
    #: The user's object with the CAs to trust; None if the user names none.
    source: CaSource | None = None
    #: The node pools, as far as a decision depends on their size, and the nodes that they get and lose.
    pools: Pools = NO_POOLS
    #: The users of the clients CA, and the listeners for them; None for the cluster CA, because processes of the
    #: cluster present its leaves.
    users: CaUsers | None = None
    #: The clients outside the cluster with a copy of its CAs, and the published certificates for them.
    outside_clients: OutsideClients = NO_CLIENTS
    #: Obstacles to reading or writing the objects of the cluster.
    objects: Objects = NO_OBSTACLES
    #: The other CA of the cluster.
    other_ca: OtherAuthority | None = None
    #: The clock of ``now``, beside the API server's.
    clock: ClockReading = IN_STEP
    #: The backups of this CA, the newest first.
    backups: tuple[Backup, ...] = ()

    @property
    def ledger_or_empty(self) -> Ledger:
        """The ledger; an empty ledger if this collection has not adopted the CA."""
        return self.ledger or Ledger()

    @property
    def presenters(self) -> tuple[Presenter, ...]:
        """The parties outside the cluster that present certificates of this CA."""
        return self.users.presenters if self.users is not None else ()

    def users_among(self, parties: Iterable[str]) -> tuple[UserName, ...]:
        """The KafkaUsers among the presenters with these names, in the order of the names."""
        by_party = {presenter.name: presenter.user for presenter in self.presenters if presenter.user is not None}
        return tuple(by_party[party] for party in parties if party in by_party)

    @property
    def witnesses(self) -> Mapping[str, Certificate]:
        """The certificates of users that show the present CA of the cluster, by their Secrets."""
        return self.users.witnesses if self.users is not None else {}

    @property
    def user_leaves(self) -> Mapping[str, StoredLeaf | None]:
        """The leaves of users by their Secrets, if this collection issues them; None if a user has no leaf yet."""
        return self.users.user_leaves if self.users is not None else {}

    @property
    def issued_by(self) -> IssuedBy:
        """The issuer of certificates of this CA after a switch, if the key of the CA is in the Secrets."""
        return self.users.issued_by if self.users is not None else IssuedBy.THIS_COLLECTION

    @property
    def has_verifiers(self) -> bool:
        """Whether the pods are to verify by this CA."""
        return self.security.has_tls if self.users is None else self.users.has_verifiers

    @property
    def shows_trust(self) -> bool:
        """Whether handshakes show which CAs nodes trust: listeners for users ask for a certificate in any case."""
        return self.users is not None or self.security.shows_trust

    @property
    def date_checkers(self) -> frozenset[Verifier]:
        """The kinds of programs that verify by this CA and look at its dates. Any client verifies nodes. Listeners
        alone verify users, and these run on a JVM.
        """
        verifiers = ALL if self.users is None else JVM
        return frozenset(verifier for verifier in verifiers if verifier.checks_anchor_dates)

    @property
    def sends_chains(self) -> bool:
        """Whether a presenter of a certificate of this CA sends the CAs behind it too."""
        return self.users is None

    @cached_property
    def every_leaf(self) -> tuple[StoredLeaf, ...]:
        """The stored leaves of processes and of users."""
        return (*self.leaves.stored, *(leaf for leaf in self.user_leaves.values() if leaf is not None))

    @cached_property
    def every_leaf_by_secret(self) -> Mapping[str, StoredLeaf]:
        """``every_leaf`` by the names of their Secrets."""
        return {leaf.secret: leaf for leaf in self.every_leaf}

    @cached_property
    def every_certificate(self) -> Mapping[str, Certificate]:
        """The certificates of ``every_leaf`` that can be read, by the names of their Secrets."""
        return {leaf.secret: leaf.chain[0] for leaf in self.every_leaf if leaf.chain}

    @cached_property
    def every_missing_leaf(self) -> Mapping[str, Component]:
        """The leaves that processes and users should have, and do not have."""
        return {
            **self.leaves.missing,
            **{name: Component.USER for name, leaf in self.user_leaves.items() if leaf is None},
        }

    @property
    def spare_leaf_nodes(self) -> Mapping[str, PoolNode]:
        """``pools.spare``, if certificates of the CA in use are to wait for these nodes, because the operator cannot
        issue them.
        """
        return self.pools.spare if self.ca.in_use_elsewhere else {}

    def assuming(self, uids: frozenset[str]) -> Snapshot:
        """The snapshot as if these nodes had presented their stored leaves. Pods that are gone are forgotten."""
        return self.with_nodes(assumed_up_to_date=(self.nodes.assumed_up_to_date | uids) & self.uids)

    def assuming_as_started(self, uids: frozenset[str]) -> Snapshot:
        """The snapshot as if these nodes had answered by the stored evidence."""
        return self.with_nodes(assumed_as_started=(self.nodes.assumed_as_started | uids) & self.uids)

    def with_ca(self, **changes: Any) -> Snapshot:
        """The snapshot with these changes of the pair of CA Secrets."""
        return replace(self, ca=replace(self.ca, **changes))

    def with_nodes(self, **changes: Any) -> Snapshot:
        """The snapshot with these changes of the nodes."""
        return replace(self, nodes=replace(self.nodes, **changes))

    def with_users(self, **changes: Any) -> Snapshot:
        """The snapshot with these changes of the users of the clients CA; the cluster CA has none."""
        return self if self.users is None else replace(self, users=replace(self.users, **changes))

    def with_clients(self, clients: tuple[OutsideClient, ...]) -> Snapshot:
        """The snapshot with these clients outside the cluster."""
        return replace(self, outside_clients=replace(self.outside_clients, clients=clients))

    @cached_property
    def uids(self) -> frozenset[str]:
        return frozenset(pod.uid for pod in self.nodes.pods)

    @cached_property
    def processes(self) -> frozenset[tuple[str, int]]:
        """The UID of each pod, with the number of restarts of its containers in place. If either differs, another
        process runs, and answers of the earlier process do not count.
        """
        return frozenset((pod.uid, pod.restarts) for pod in self.nodes.pods)

    @cached_property
    def reached_whole(self) -> frozenset[str]:
        """UIDs of the pods with every channel in a reload's reach: once their listeners have read again, they know and
        present the same as a new process.
        """
        return frozenset(pod.uid for pod in self.nodes.pods if not self._left_in(pod))

    def _left_in(self, pod: Pod) -> frozenset[Channel]:
        """Without TLS between processes, Raft clients and agents present and verify nothing."""
        return pod.left_by_reload if self.security.has_tls else frozenset()

    @cached_property
    def left_by_reload(self) -> frozenset[Channel]:
        """The channels out of a reload's reach in one of the nodes or more. While Kafka is upgraded the nodes have
        different versions, and the least counts.
        """
        nodes = (pod for pod in self.nodes.pods if pod.component is Component.KAFKA)
        return frozenset(channel for pod in nodes for channel in self._left_in(pod))

    @property
    def answers(self) -> NodeAnswers | None:
        """The answers of the nodes; None if the call has none."""
        nodes = self.nodes
        if nodes.listeners is None or nodes.in_place_obstacles is None:
            return None
        return NodeAnswers(self.processes, nodes.listeners, nodes.in_place_obstacles)

    def window_of(self, leaf: StoredLeaf) -> timedelta:
        """How long before its end the operator renews this leaf."""
        return leaf.renewal_window or self.leaves.renewal_window

    @property
    def shows_ended(self) -> bool:
        """Whether a listener has presented an ended certificate."""
        return any(
            listener.presents and listener.presents[0].has_ended(self.now) for listener in self.nodes.listeners or ()
        )

    @cached_property
    def listeners_by_uid(self) -> Mapping[str, tuple[ObservedListener, ...]]:
        """``nodes.listeners`` by the UID of their pod, in their order."""
        by_uid: dict[str, tuple[ObservedListener, ...]] = {}
        for listener in self.nodes.listeners or ():
            by_uid[listener.uid] = (*by_uid.get(listener.uid, ()), listener)
        return by_uid
