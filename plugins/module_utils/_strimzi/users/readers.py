# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The presenters of the certificates in Secrets: resources and pods that name these
Secrets (docs/operator.md, "Users").

A user may name further Secrets with certificates by which clients log in: copies of users' certificates, and
certificates that the User Operator did not issue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from ..._errors import CertificateError, Forbidden, ResourceTypeMissing
from ..._kube.client import KubeClient
from ..._kube.resources import PODS, SECRETS, Resource
from ..._pki.certificates import mentions_certificates, parse_certificates
from ..._trust.model.clients import NamedSecret
from ..clients import CLIENT_KINDS, connections_of, data_changed, each_client, is_created_since, resource_of
from ..cluster.pods import is_final
from ..names import KAFKA_ACCESSES, USER_CERTIFICATE, USER_KEYSTORE
from ..secret_data import entries
from .secrets import ClientsCa, UserCertificate, is_to_be_opened, read_certificate, why_stale

Object = Mapping[str, Any]
T = TypeVar("T")
#: Namespace and name.
Key = tuple[str, str]
#: Kind and name of a resource whose pods an operator restarts.
Party = tuple[str, str]

#: Where a bound Secret has the certificate of its user.
_BOUND = "ssl.keystore.crt"


@dataclass(frozen=True)
class Copy:
    """The copy of a user's certificate in another Secret."""

    #: The SHA-256 of that certificate; empty where there is none.
    sha256: str
    #: When it changed last, where the API server has recorded it.
    changed_at: datetime | None


@dataclass(frozen=True)
class Reader:
    """A resource or pod that reads a Secret."""

    #: Kind, namespace and name.
    name: str
    #: Objects with the times at which its pods were created; None where it has none of its own.
    pods: tuple[Object, ...] | None
    #: The copy that it reads instead of the Secret.
    copy: Copy | None = None
    #: Whether an operator restarts it when the Secret changes, or copies that for it.
    followed: bool = False

    def is_up_to_date(self, changed_at: datetime | None, sha256: str = "") -> bool | None:
        """Whether it has what the Secret holds; None where that is unknown. The Secret changed at ``changed_at``, and the certificate in it has this
        SHA-256.
        """
        if self.copy is not None and self.copy.sha256 != sha256:
            return False
        if self.pods is None:
            return True if self.copy is not None else None
        changed = self.copy.changed_at if self.copy is not None else changed_at
        if not self.pods:
            return True
        return None if changed is None else all(is_created_since(pod, changed) for pod in self.pods)


@dataclass(frozen=True)
class _Source:
    """A Secret with a certificate whose readers are wanted."""

    #: The Secret that the certificate was written to.
    secret: Key
    #: Set where this Secret only holds a copy.
    copy: Copy | None = None

    def read_by(self, name: str, pods: tuple[Object, ...], *, followed: bool = False) -> tuple[Key, Reader]:
        return self.secret, Reader(name, pods, self.copy, followed)


def find_readers(
    client: KubeClient, namespaces: Iterable[str], secrets: Iterable[Key], users: Mapping[Key, Key]
) -> Iterator[tuple[Key, Reader]]:
    """Each of these Secrets, with each reader of it or of a copy. Readers may be in these namespaces. The Secrets of KafkaUsers are ``users``."""
    known = frozenset(secrets)
    for namespace in namespaces:
        yield from _in_namespace(client, namespace, known, users)


@dataclass(frozen=True)
class _PodOfReader:
    """A pod, as far as it may read one of the Secrets."""

    #: The name of the pod.
    name: str
    #: Kind and name of the resource that it is a pod of, as its labels say.
    party: Party
    #: Names of Secrets that it mounts or has in its environment.
    secrets: frozenset[str]
    #: The part of it that is needed later.
    kept: Object

    @classmethod
    def read(cls, pod: Object) -> _PodOfReader | None:
        if is_final(pod):
            return None
        kept = {"metadata": {"creationTimestamp": pod["metadata"].get("creationTimestamp")}}
        return cls(str(pod["metadata"]["name"]), resource_of(pod), frozenset(_secrets_of(pod)), kept)


def _in_namespace(
    client: KubeClient, namespace: str, secrets: frozenset[Key], users: Mapping[Key, Key]
) -> Iterator[tuple[Key, Reader]]:
    sources = {name: _Source((home, name)) for home, name in secrets if home == namespace}
    for access, name, source in _bindings(client, namespace, users):
        sources.setdefault(name, source)
        yield source.secret, Reader(access, None, source.copy, followed=True)
    restarted = _restarted_by_operator(client, namespace, sources.keys())
    pods: dict[Party, list[Object]] = {party: [] for party in restarted}
    for pod in _each(client, PODS, namespace, _PodOfReader.read):
        if pod.party in pods:
            pods[pod.party].append(pod.kept)
        # No operator restarts it for what else it reads.
        further = pod.secrets - restarted.get(pod.party, frozenset())
        for name in sorted(further & sources.keys()):
            yield sources[name].read_by(f"Pod {namespace}/{pod.name}", (pod.kept,))
    for party, logins in restarted.items():
        kind, resource = party
        for name in sorted(logins):
            yield sources[name].read_by(f"{kind} {namespace}/{resource}", tuple(pods[party]), followed=True)


def _bindings(client: KubeClient, namespace: str, users: Mapping[Key, Key]) -> Iterator[tuple[str, str, _Source]]:
    """Each KafkaAccess that is bound to one of these users, the Secret that it binds, and the Secret that this copies.
    A KafkaAccess that is not bound has no copy yet.
    """
    for access in _each(client, KAFKA_ACCESSES, namespace, lambda item: item):
        secret = users.get(_user_of(access, namespace))
        name = ((access.get("status") or {}).get("binding") or {}).get("name")
        if secret is not None and name:
            copy = _bound(client, namespace, name)
            yield f"KafkaAccess {namespace}/{access['metadata']['name']}", str(name), _Source(secret, copy)


def _bound(client: KubeClient, namespace: str, name: str) -> Copy:
    """A Secret that this run may not read is a finding about its programs, and no end of the run."""
    try:
        return _copy(client.get_or_none(SECRETS, namespace, name))
    except Forbidden:
        return Copy("", None)


def _restarted_by_operator(client: KubeClient, namespace: str, known: Set[str]) -> dict[Party, frozenset[str]]:
    """Connect, MirrorMaker 2 and Bridge, with the Secrets, of these, by which they log in."""
    found: dict[Party, frozenset[str]] = {}
    for kind in CLIENT_KINDS:

        def read(item: Object, kind: Resource = kind) -> tuple[Party, frozenset[str]] | None:
            secrets = _authentications(item, kind.kind) & known
            return ((kind.kind, str(item["metadata"]["name"])), frozenset(secrets)) if secrets else None

        found |= dict(each_client(client, kind, namespace, read))
    return found


def _copy(binding: Object | None) -> Copy:
    """The certificate in the Secret that a KafkaAccess binds (docs/operator.md, "Users")."""
    try:
        leaf = parse_certificates(entries(binding).get(_BOUND, b""))[0]
    except CertificateError:
        return Copy("", None)
    return Copy(leaf.sha256, data_changed(binding))


def _each(client: KubeClient, kind: Resource, namespace: str, pick: Callable[[Object], T | None]) -> Sequence[T]:
    """The parts that ``pick`` takes: of a page of whole resources, such as pods, only the needed parts stay."""
    try:
        return client.each(kind, namespace, pick)
    except ResourceTypeMissing:
        # Without its CRD there is no resource of this kind.
        return ()


def _authentications(resource: Object, kind: str) -> frozenset[str]:
    """The Secrets with the certificates by which it logs in."""
    parts = [part for _where, _copied, part in connections_of(kind, resource.get("spec") or {})]
    named = (((part.get("authentication") or {}).get("certificateAndKey") or {}).get("secretName") for part in parts)
    return frozenset(str(secret) for secret in named if secret)


def _user_of(access: Object, namespace: str) -> Key:
    """The KafkaUser that it binds; a key without a name where it binds none."""
    user = (access.get("spec") or {}).get("user") or {}
    return str(user.get("namespace") or namespace), str(user.get("name") or "")


def _secrets_of(pod: Object) -> set[str]:
    """Names of the Secrets that it mounts or has in its environment."""
    spec, found = pod.get("spec") or {}, []
    for volume in spec.get("volumes") or []:
        found.append((volume.get("secret") or {}).get("secretName"))
        sources = (volume.get("projected") or {}).get("sources") or []
        found += [(source.get("secret") or {}).get("name") for source in sources]
    for container in (*(spec.get("initContainers") or []), *(spec.get("containers") or [])):
        found += [(source.get("secretRef") or {}).get("name") for source in container.get("envFrom") or []]
        values = (variable.get("valueFrom") or {} for variable in container.get("env") or [])
        found += [(value.get("secretKeyRef") or {}).get("name") for value in values]
    return {str(name) for name in found if name}


@dataclass(frozen=True)
class NamedCertificate:
    """The certificate in a Secret that an option names."""

    #: The Secret, and the entry in it that holds the certificate.
    secret: NamedSecret
    #: The certificate as brokers would judge it, or why it is unknown.
    certificate: UserCertificate
    #: The remedy where the certificate cannot be read.
    remedy: str = ""
    #: The resources and pods that read the Secret.
    readers: tuple[Reader, ...] = ()
    #: Whether no option has named it, and it is left of the time in which the User Operator issued the user's certificates.
    is_kept: bool = False


def read_named(
    client: KubeClient, secrets: Sequence[NamedSecret], clients_ca: ClientsCa, now: datetime
) -> tuple[NamedCertificate, ...]:
    """All that these Secrets hold; an entry without a certificate where there is none, or where that is
    unknown. Raises KubeError.
    """
    return tuple(found for secret in secrets for found in _read(client, secret, clients_ca, now))


def _read(client: KubeClient, named: NamedSecret, clients_ca: ClientsCa, now: datetime) -> Iterator[NamedCertificate]:
    try:
        secret = client.get_or_none(SECRETS, named.namespace, named.name)
    except Forbidden as error:
        yield NamedCertificate(named, UserCertificate(problem=str(error).rstrip(".")), error.remedy)
        return
    if secret is None:
        yield NamedCertificate(named, UserCertificate(problem="it does not exist"))
        return
    data = entries(secret)
    wanted = [named.entry] if named.entry else [entry for entry in sorted(data) if _may_be_a_clients(data[entry])]
    if not wanted:
        yield NamedCertificate(named, UserCertificate(problem="it holds no certificate of a client in PEM form"))
    for entry in wanted:
        key = data.get(f"{entry.removesuffix('.crt')}.key")
        found = read_certificate(secret, entry, key, clients_ca, now)
        if entry == USER_CERTIFICATE and found.leaf is not None and USER_KEYSTORE in data:
            doubt = why_stale(secret, found.leaf) if is_to_be_opened(secret) else ""
            found = replace(found, keystore=True, keystore_doubt=doubt)
        # A renewal with the same key changes nothing for a certificate that this collection does not issue again: it is
        # a certificate of the CA in use.
        yield NamedCertificate(replace(named, entry=entry), replace(found, ca_beside=clients_ca.current))


def _may_be_a_clients(content: bytes) -> bool:
    """Certificates of CAs may lie beside it. Content that cannot be read counts, so that a person sees to it."""
    if not mentions_certificates(content):
        return False
    try:
        return not parse_certificates(content)[0].is_ca
    except CertificateError:
        return True
