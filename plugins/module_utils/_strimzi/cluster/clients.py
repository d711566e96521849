# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Clients outside the cluster, as far as they can be seen: KafkaConnect, KafkaMirrorMaker2 and KafkaBridge that trust
this cluster, the operator's copies for them, and Secrets named by the user. The number of requests does not depend on
the number of clients. Only each named Secret takes a request of its own, and each Secret that a resource without a copy
names.

A client of the cluster is known by the address of its connections, or by its trusted CAs. The certificate of a node has
every name by which clients reach and verify it: of Services, Routes, load balancers, alternative names and advertised
hosts (docs/operator.md, "Node names"). The status of the Kafka resource has further addresses, such as node ports.

For each resource the operator collects the certificates selected by ``trustedCertificates`` into a Secret of its own,
one certificate of each selected entry. The processes of the resource read that Secret when they start
(docs/operator.md, "What each process trusts"). Running pods have read the present content of a Secret if they were
created after it last changed. Both times come from the API server, so the clock of this machine does not matter. If a
pod was created in the second of the change, it starts its processes after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import islice, product
from typing import Any, TypeVar

from ..._errors import CertificateError, Forbidden, NotFound, ResourceTypeMissing
from ..._kube.client import KubeClient
from ..._kube.resources import PODS, SECRETS, Resource, managers_of, owns, read_time
from ..._pki.certificates import Certificate, mentions_certificates, parse_certificates
from ..._pki.verifiers import Verifier
from ..._trust.ledger.journal import in_flight
from ..._trust.model.clients import (
    NO_NAMED_PLACES,
    Follows,
    NamedPlaces,
    NamedSecret,
    OutsideClient,
    UserNamespace,
    Waiver,
)
from ..._trust.model.components import Component
from ..._trust.model.ledger import Ledger
from ..._trust.model.snapshot import CaSecrets, StoredLeaf
from .. import names
from ..names import ClusterNames
from ..secret_data import entries
from .pods import is_final
from .specified_listeners import listeners_of


def unread_by(pods: Iterable[Mapping[str, Any]], secret: Mapping[str, Any]) -> str:
    """Why these pods may trust something else than the Secret contains, without a full stop; empty if they do not."""
    running = [pod for pod in pods if not is_final(pod)]
    if not running:
        return ""
    metadata = secret["metadata"]
    name = f"Secret {metadata.get('namespace')}/{metadata['name']}"
    changed = data_changed(secret)
    if changed is None:
        return f"it is not recorded when {name} last changed, so its pods may have started with something else"
    older = sorted(str(pod["metadata"]["name"]) for pod in running if not is_created_since(pod, changed))
    if not older:
        return ""
    what = f"{', '.join(older)} started before {name} last changed ({changed:%Y-%m-%dT%H:%M:%SZ})"
    return f"{what}, and may trust something else"


#: The component of a pod with a build of the image of a KafkaConnect.
_BUILD = "kafka-connect-build"


def resource_of(pod: Mapping[str, Any]) -> tuple[str, str]:
    """Kind and name of the resource of the pod; empty texts for any other pod. They are empty too for a pod that builds
    the image of a KafkaConnect: it has the labels of the KafkaConnect, and never connects to Kafka (docs/operator.md,
    "What each process trusts").
    """
    labels = pod["metadata"].get("labels") or {}
    if labels.get(names.COMPONENT_TYPE_LABEL) == _BUILD:
        return "", ""
    return str(labels.get(names.KIND_LABEL) or ""), str(labels.get(names.CLUSTER_LABEL) or "")


def is_created_since(pod: Mapping[str, Any], moment: datetime) -> bool:
    """Whether the pod was created at this time or later."""
    created = read_time(pod["metadata"].get("creationTimestamp"))
    return created is not None and created >= moment


def data_changed(secret: Mapping[str, Any] | None) -> datetime | None:
    """The time of the last change of the data, as the API server has recorded it."""
    times = [read_time(manager.get("time")) for manager in managers_of(secret) if owns(manager, ("data",))]
    moments = [moment for moment in times if moment is not None]
    return max(moments) if moments and len(moments) == len(times) else None


@dataclass(frozen=True)
class Reach:
    """The addresses and CAs by which a client of this cluster is recognised."""

    #: The names of the cluster.
    scope: ClusterNames
    #: The names and addresses of nodes, in lower case.
    hosts: frozenset[str] = frozenset()
    #: The CAs of the cluster, each with the CAs above it.
    authorities: tuple[Certificate, ...] = ()
    #: The names of its listeners.
    listeners: frozenset[str] = frozenset()

    def is_of_cluster(self, bootstrap: str | None) -> bool:
        """Whether any of these addresses, with ports and separated by commas, belongs to the cluster."""
        return any(map(self._is_ours, map(_host, (bootstrap or "").split(","))))

    def is_trusted_by(self, anchors: Iterable[Certificate] | None) -> bool:
        """Whether a CA of the cluster is among these, or a CA with its name and key."""
        return any(authority.is_twin_of(anchor) for anchor in anchors or () for authority in self.authorities)

    def _is_ours(self, host: str) -> bool:
        """Whether the host is of this cluster. A Service of the cluster counts in each form of its name."""
        labels = host.split(".")
        at_home = len(labels) == 1 or labels[1] == self.scope.namespace or labels[2:3] == [self.scope.namespace]
        named = at_home and any(map(self._is_service, labels[:2]))
        return named or host in self.hosts or f"*.{host.partition('.')[2]}" in self.hosts

    def _is_service(self, label: str) -> bool:
        """Whether a Service of the cluster has this name. The name of another cluster may begin like it: ``demo`` and
        ``demo-kafka``.
        """
        start = f"{self.scope.cluster}-kafka-"
        listener, dash, last = label.removeprefix(start).rpartition("-")
        of_listener = listener in self.listeners if dash else True
        return label.startswith(start) and (
            label == f"{start}brokers" or (of_listener and (last == "bootstrap" or last.isdecimal()))
        )


def reach_of(
    scope: ClusterNames,
    kafka: Mapping[str, Any] | None,
    leaves: Iterable[StoredLeaf],
    ca: CaSecrets,
    ledger: Ledger | None,
) -> Reach:
    """How clients of this cluster are known."""
    names = (
        name
        for leaf in leaves
        if leaf.component is Component.KAFKA and leaf.chain
        for name in leaf.chain[0].subject_alternative_names
    )
    chains = (
        ca.current, *ca.other_entries.values(), *(authority.chain for authority in ca.prepared),
        *(entry.chain for entry in (ledger.entries if ledger else ())),
    )  # fmt: skip
    authorities = dict.fromkeys(certificate for chain in chains for certificate in chain)
    hosts = frozenset(map(str.lower, (*names, *_reported_hosts(kafka))))
    return Reach(scope, hosts, tuple(authorities), frozenset(str(listener["name"]) for listener in listeners_of(kafka)))


def _reported_hosts(kafka: Mapping[str, Any] | None) -> Iterator[str]:
    for listener in ((kafka or {}).get("status") or {}).get("listeners") or ():
        for address in listener.get("addresses") or ():
            yield str(address.get("host") or "")


def _host(address: str) -> str:
    return address.strip().rpartition(":")[0].strip("[]").lower()


T = TypeVar("T")

KAFKA_CONNECTS = Resource("kafka.strimzi.io", "v1", "kafkaconnects", "KafkaConnect")
KAFKA_MIRROR_MAKER_2S = Resource("kafka.strimzi.io", "v1", "kafkamirrormaker2s", "KafkaMirrorMaker2")
KAFKA_BRIDGES = Resource("kafka.strimzi.io", "v1", "kafkabridges", "KafkaBridge")
CLIENT_KINDS = (KAFKA_CONNECTS, KAFKA_MIRROR_MAKER_2S, KAFKA_BRIDGES)

#: Label selector of the pods and Secrets of all of them.
CLIENT_PODS = f"{names.KIND_LABEL} in ({','.join(kind.kind for kind in CLIENT_KINDS)})"

_ISSUING = "ca.crt"
#: Examples of the entries for CAs beside ``ca.crt``: the operator names them by the end of validity, this collection by
#: fingerprint.
_BESIDE = ("ca-2026-01-01T00-00-00Z.crt", f"{'0' * 40}.crt", f"{'f' * 40}.crt")


@dataclass(frozen=True)
class TrustedCopy:
    """The copy of the trusted CAs of one connection of a resource."""

    #: Kind of the resource.
    kind: str
    #: Name of the resource.
    resource: str
    #: The path of the field ``trustedCertificates`` in the resource.
    where: str
    #: Name of the Secret with the copy.
    secret: str
    #: The entries of the Secret with the copy.
    entries: tuple[str, ...]
    #: The entries of the CA certificate Secret that the operator copies into that Secret.
    follows: Follows
    #: The elements of the field ``trustedCertificates``.
    sources: tuple[Mapping[str, Any], ...]
    #: Whether the resource itself names this cluster, by its Secrets or an address. Else only the CAs in the copy show
    #: its cluster.
    refers: bool

    def name(self, scope: ClusterNames) -> str:
        return f"{self.kind} {scope.namespace}/{self.resource}"

    def is_read_by(self, pod: Mapping[str, Any]) -> bool:
        return resource_of(pod) == (self.kind, self.resource)

    def remedy(self, scope: ClusterNames) -> str:
        if self.follows is Follows.TRUSTED:
            return (
                "The operator copies the CAs to it and restarts it by itself: see in its status what keeps it from "
                "that, then run the flow again."
            )
        return (
            f"Let its {self.where} name secretName {scope.ca_certificate_secret} and pattern '*.crt': the operator "
            "then restarts it, and it knows every trusted CA. If that cannot be done in time, give a waiver for it."
        )


def copies_of(resource: Mapping[str, Any], kind: str, reach: Reach) -> Iterator[TrustedCopy]:
    """The operator's copies of CAs for this resource."""
    name, spec = str(resource["metadata"]["name"]), resource.get("spec") or {}
    secret = f"{name}-{'bridge' if kind == KAFKA_BRIDGES.kind else 'connect'}-tls-trusted-certs"
    for where, copied, part in connections_of(kind, spec):
        if sources := tuple((part.get("tls") or {}).get("trustedCertificates") or ()):
            refers = _selects_ours(sources, reach.scope) or reach.is_of_cluster(part.get("bootstrapServers"))
            yield TrustedCopy(kind, name, where, secret, copied, _follows(sources, reach.scope), sources, refers)


def connections_of(kind: str, spec: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...], Mapping[str, Any]]]:
    """Each part of the resource with the address of a connection, after the path of its field ``trustedCertificates``
    and the entries of its copy.
    """
    if kind != KAFKA_MIRROR_MAKER_2S.kind:
        yield "spec.tls.trustedCertificates", (_ISSUING,), spec
        return
    for number, cluster in enumerate(spec.get("clusters") or []):
        also = (_ISSUING,) if cluster.get("alias") == spec.get("connectCluster") else ()
        yield f"spec.clusters[{number}].tls.trustedCertificates", (f"{cluster.get('alias')}-ca.crt", *also), cluster
    target = spec.get("target") or {}
    yield "spec.target.tls.trustedCertificates", (f"{target.get('alias')}-ca.crt", _ISSUING), target
    for number, mirror in enumerate(spec.get("mirrors") or []):
        source = mirror.get("source") or {}
        yield f"spec.mirrors[{number}].source.tls.trustedCertificates", (f"{source.get('alias')}-ca.crt",), source


def each_client(
    client: KubeClient, kind: Resource, namespace: str, pick: Callable[[Mapping[str, Any]], T | None]
) -> Sequence[T]:
    """The parts that ``pick`` takes of the resources of one of CLIENT_KINDS; none if the kind has no CRD.

    If a MirrorMaker 2 was written for v1beta2, it names its clusters in fields that v1 does not show (docs/operator.md,
    "The API before v1"): then the list is read through v1beta2.
    """
    is_cut: list[bool] = []

    def read(item: Mapping[str, Any]) -> T | None:
        is_cut.append(kind is KAFKA_MIRROR_MAKER_2S and _lacks_clusters(item.get("spec") or {}))
        return pick(item)

    try:
        parts = client.each(kind, namespace, read)
    except ResourceTypeMissing:
        return ()
    if any(is_cut):
        with suppress(ResourceTypeMissing):
            return client.each(replace(kind, version=names.OLDER_VERSION), namespace, pick)
    return parts


def _lacks_clusters(spec: Mapping[str, Any]) -> bool:
    """Whether a MirrorMaker 2, as v1 shows it, does not name its clusters."""
    return "target" not in spec or any("source" not in mirror for mirror in spec.get("mirrors") or [])


def _selects_ours(sources: Sequence[Mapping[str, Any]], scope: ClusterNames) -> bool:
    ours = {scope.ca_certificate_secret, scope.client_bundle_secret}
    return any(source.get("secretName") in ours for source in sources)


def _follows(sources: Iterable[Mapping[str, Any]], scope: ClusterNames) -> Follows:
    ours = [source for source in sources if source.get("secretName") == scope.ca_certificate_secret]
    if any(all(selects(source, entry) for entry in (_ISSUING, *_BESIDE)) for source in ours):
        return Follows.TRUSTED
    if any(selects(source, _ISSUING) for source in ours):
        return Follows.ISSUING
    return Follows.NOTHING


#: At most so many alternatives of a pattern are read: any person may write a resource.
_MOST_ALTERNATIVES = 100
_GROUP = re.compile(r"\{([^{}]*)\}")


def selects(source: Mapping[str, Any], entry: str) -> bool:
    """Whether this element of ``trustedCertificates`` takes this entry of its Secret."""
    if source.get("certificate"):
        return bool(source["certificate"] == entry)
    return any(fnmatchcase(entry, pattern) for pattern in _alternatives(source.get("pattern") or ""))


def _alternatives(pattern: str) -> Iterator[str]:
    """The alternatives of a pattern with groups, such as ``*.{crt,pem}``: the operator reads it as a glob of Java
    (docs/operator.md, "What each process trusts").
    """
    parts = [part.split(",") if number % 2 else [part] for number, part in enumerate(_GROUP.split(pattern))]
    return map("".join, islice(product(*parts), _MOST_ALTERNATIVES))


@dataclass(frozen=True)
class OutsideOptions:
    """The user's options about clients outside the cluster. If the user gives none, a flow in flight goes on with its
    recorded options.
    """

    #: Secrets from which clients read the cluster CA; None if the user does not give the option.
    trusting_secrets: tuple[NamedSecret, ...] | None = None
    #: The waivers of this call; no flow records them.
    waivers: tuple[Waiver, ...] = ()
    #: Secrets with certificates of the clients CA for programs' logins; None if the user does not give the option.
    presenting_secrets: tuple[NamedSecret, ...] | None = None
    #: Namespaces with users beside the User Operator's own; None if the user does not give the option.
    user_namespaces: tuple[UserNamespace, ...] | None = None

    def named_places(self, remembered: NamedPlaces = NO_NAMED_PLACES) -> NamedPlaces:
        """The places to look at: the given places, and remembered places for the options that are left out."""
        return NamedPlaces(
            remembered.trusting_secrets if self.trusting_secrets is None else self.trusting_secrets,
            remembered.presenting_secrets if self.presenting_secrets is None else self.presenting_secrets,
            remembered.user_namespaces if self.user_namespaces is None else self.user_namespaces,
        )

    def places_to_look_at(self, ca: CaSecrets, ledger: Ledger | None) -> NamedPlaces:
        """The places of this run's look. The journal of the flow in flight remembers them. Before the journal is open,
        the records beside the prepared CA do.
        """
        journal = in_flight(ledger)
        options = ca.flow_options if journal is None else journal.options
        return self.named_places(options.named_places)


NO_OUTSIDE_OPTIONS = OutsideOptions()


def observe_outside(client: KubeClient, reach: Reach, trusting: Sequence[NamedSecret]) -> tuple[OutsideClient, ...]:
    """Every client with a copy, or a possible copy, of the cluster CA; sorted by name."""
    scope = reach.scope
    copies: list[TrustedCopy] = []
    clients: list[OutsideClient] = []
    for kind in CLIENT_KINDS:
        try:
            listed = each_client(client, kind, scope.namespace, lambda item: item)
        except Forbidden as error:
            clients.append(_unseen(kind, scope, error))
            continue
        copies += [copy for item in listed for copy in copies_of(item, kind.kind, reach)]
    clients += _with_copies(client, reach, copies) if copies else ()
    clients += [_read_named(client, secret, scope) for secret in trusting if secret != _published(scope)]
    return tuple(sorted(clients, key=lambda client: client.name))


def _published(scope: ClusterNames) -> NamedSecret:
    """The Secret with the published bundle. It counts as no client: this collection brings it up to date before the
    trust gate.
    """
    return NamedSecret(scope.namespace, scope.client_bundle_secret)


def _unseen(kind: Resource, scope: ClusterNames, error: Forbidden) -> OutsideClient:
    name = f"{kind.kind} {scope.namespace}/*"
    doubt = f"the run cannot tell which {kind.kind} resources trust this cluster: {error.clause}"
    return OutsideClient(name, None, doubt, remedy=error.remedy)


def _with_copies(client: KubeClient, reach: Reach, copies: Sequence[TrustedCopy]) -> Iterator[OutsideClient]:
    """The clients of these copies. Secrets are read before pods. If a pod is missing here, it started later, with the
    read or newer content. If a resource does not name the cluster, the CAs in its copy show whether it is a client. If
    there is no copy yet, the CAs at the sources of the copy do.
    """
    scope = reach.scope
    listed = client.list(SECRETS, scope.namespace, label_selector=CLIENT_PODS).items
    secrets = {str(secret["metadata"]["name"]): secret for secret in listed}
    pods = client.list(PODS, scope.namespace, label_selector=CLIENT_PODS).items
    for copy in copies:
        secret = secrets.get(copy.secret)
        trusts, doubt = _certificates(secret, copy.entries, f"Secret {scope.namespace}/{copy.secret}")
        is_copied = trusts is not None
        if not (is_copied or copy.refers):
            trusts = _read_sources(client, scope, copy)
        if not (copy.refers or reach.is_trusted_by(trusts)):
            continue
        if secret is not None and is_copied:
            doubt = unread_by([pod for pod in pods if copy.is_read_by(pod)], secret)
        yield OutsideClient(
            copy.name(scope), trusts, doubt, verifier=Verifier.JVM, follows=copy.follows, remedy=copy.remedy(scope)
        )


def _read_sources(client: KubeClient, scope: ClusterNames, copy: TrustedCopy) -> tuple[Certificate, ...]:
    """The readable certificates at the operator's sources."""
    authorities: list[Certificate] = []
    for source in copy.sources:
        try:
            stored = client.get_or_none(SECRETS, scope.namespace, str(source.get("secretName")))
        except Forbidden:
            continue
        chosen = [entry for entry in entries(stored) if selects(source, entry)]
        authorities += _certificates(stored, chosen, "")[0] or ()
    return tuple(dict.fromkeys(authorities))


def _read_named(client: KubeClient, secret: NamedSecret, scope: ClusterNames) -> OutsideClient:
    """The client behind a named Secret. The program behind it is unknown, so the strictest rules of path validation
    apply.
    """
    follows = Follows.NOTHING
    if (secret.namespace, secret.name) == (scope.namespace, scope.ca_certificate_secret):
        follows = Follows.ISSUING if secret.entry == "ca.crt" else Follows.NOTHING if secret.entry else Follows.TRUSTED
    remedy = "Add the CA's certificate to it, and have its readers read it again."
    try:
        stored = client.get(SECRETS, secret.namespace, secret.name)
    except NotFound:
        stored = None
    except Forbidden as error:
        return OutsideClient(secret.label, None, error.clause, Verifier.OPENSSL, remedy=error.remedy, declared=True)
    wanted = (secret.entry,) if secret.entry else tuple(entries(stored))
    trusts, doubt = _certificates(stored, wanted, secret.label)
    return OutsideClient(secret.label, trusts, doubt, Verifier.OPENSSL, follows, remedy, declared=True)


def _certificates(
    secret: Mapping[str, Any] | None, wanted: Sequence[str], label: str
) -> tuple[tuple[Certificate, ...] | None, str]:
    """The certificates in these entries, or None and the reason."""
    if secret is None:
        return None, f"{label} does not exist"
    content = entries(secret)
    authorities: list[Certificate] = []
    for entry in wanted:
        if not mentions_certificates(content.get(entry, b"")):
            continue
        try:
            authorities += parse_certificates(content[entry])
        except CertificateError as error:
            return None, f"entry {entry} of {label} cannot be read: {error}"
    if not authorities:
        return None, f"{label} contains no certificate in PEM form"
    return tuple(dict.fromkeys(authorities)), ""
