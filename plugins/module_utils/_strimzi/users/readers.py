# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The readers of Secrets with certificates: resources and pods that name these Secrets (docs/operator.md, "Users").

A person may name further Secrets with certificates by which clients log in: copies of users' certificates, and
certificates from another issuer than the User Operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ..._errors import CertificateError, Forbidden, ResourceTypeMissing
from ..._kube.client import KubeClient
from ..._kube.resources import PODS, SECRETS, Resource
from ..._pki.certificates import mentions_certificates, parse_certificates
from ..._trust.model.clients import NamedSecret
from ..cluster.clients import CLIENT_KINDS, connections_of, each_client, is_created_since, resource_of
from ..cluster.pods import is_final
from ..names import KAFKA_ACCESSES
from ..secret_data import entries
from ..user_certificate import SecretKind, UserCertificate
from .secrets import read_certificate

Object = Mapping[str, Any]
T = TypeVar("T")
#: Namespace and name.
Key = tuple[str, str]
#: Kind and name of a resource whose pods an operator restarts.
Party = tuple[str, str]

#: The entry of a bound Secret for the certificate of its user.
_BOUND = "ssl.keystore.crt"


@dataclass(frozen=True)
class Reader:
    """A resource or pod that reads a Secret."""

    #: Kind, namespace and name.
    name: str
    #: Objects with the creation times of its pods; None if it has none of its own.
    pods: tuple[Object, ...] | None
    #: The copy of the user's certificate, if it reads this instead of the Secret.
    copy: UserCertificate | None = None
    #: Whether an operator restarts it when the Secret changes, or copies the Secret for it.
    followed: bool = False

    def is_up_to_date(self, certificate: UserCertificate | None) -> bool | None:
        """Whether it has read this certificate of the Secret; None if this is unknown. The certificate is None for a
        user without one.
        """
        if self.copy is not None and self.copy.sha256 != (certificate.sha256 if certificate is not None else ""):
            return False
        if self.pods is None:
            return True if self.copy is not None else None
        if not self.pods:
            return True
        source = self.copy or certificate
        if source is None or source.changed_at is None:
            return None
        return all(is_created_since(pod, source.changed_at) for pod in self.pods)


def find_readers(
    client: KubeClient, namespaces: Iterable[str], secrets: Iterable[Key], users: Mapping[Key, Key]
) -> Iterator[tuple[Key, Reader]]:
    """Each of these Secrets, with each reader of it or of a copy. Readers may be in these namespaces. The Secrets of
    KafkaUsers are ``users``.
    """
    wanted = frozenset(secrets)
    for namespace in namespaces:
        yield from _in_namespace(client, namespace, wanted, users)


@dataclass(frozen=True)
class _PodOfReader:
    """A pod, as far as it may read one of the Secrets."""

    #: The name of the pod.
    name: str
    #: Kind and name of the resource behind the pod, by its labels.
    party: Party
    #: Names of its Secrets, mounted or in its environment.
    secrets: frozenset[str]
    #: The part of it for later use.
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
    #: By the name of each Secret here: the Secret to which its certificate was written, and the possible copy in it.
    sources: dict[str, Key] = {name: (home, name) for home, name in secrets if home == namespace}
    copies: dict[str, UserCertificate] = {}
    for access, name, source, copy in _bindings(client, namespace, users):
        if name not in sources:
            sources[name], copies[name] = source, copy
        yield source, Reader(access, None, copy, followed=True)
    restarted = _restarted_by_operator(client, namespace, sources.keys())
    pods: dict[Party, list[Object]] = {party: [] for party in restarted}
    for pod in _each(client, PODS, namespace, _PodOfReader.read):
        if pod.party in pods:
            pods[pod.party].append(pod.kept)
        # No operator restarts it for its other sources.
        further = pod.secrets - restarted.get(pod.party, frozenset())
        for name in sorted(further & sources.keys()):
            yield sources[name], Reader(f"Pod {namespace}/{pod.name}", (pod.kept,), copies.get(name))
    for party, logins in restarted.items():
        kind, resource = party
        for name in sorted(logins):
            reader = Reader(f"{kind} {namespace}/{resource}", tuple(pods[party]), copies.get(name), followed=True)
            yield sources[name], reader


def _bindings(
    client: KubeClient, namespace: str, users: Mapping[Key, Key]
) -> Iterator[tuple[str, str, Key, UserCertificate]]:
    """Each KafkaAccess bound to one of these users, the name of its bound Secret, the Secret behind this copy, and the
    copy. An unbound KafkaAccess has no copy yet.
    """
    for access in _each(client, KAFKA_ACCESSES, namespace, lambda item: item):
        secret = users.get(_user_of(access, namespace))
        name = str(((access.get("status") or {}).get("binding") or {}).get("name") or "")
        if secret is not None and name:
            yield (
                f"KafkaAccess {namespace}/{access['metadata']['name']}", name, secret, _copy(client, namespace, name)
            )  # fmt: skip


def _copy(client: KubeClient, namespace: str, name: str) -> UserCertificate:
    """The certificate in the bound Secret of a KafkaAccess (docs/operator.md, "Users"). An unreadable Secret is a
    finding about its programs, and no end of the run.
    """
    place = NamedSecret(namespace, name, _BOUND)
    try:
        secret = client.get_or_none(SECRETS, namespace, name)
    except Forbidden as error:
        return UserCertificate(place, SecretKind.COPY, absence=error.clause)
    if secret is None:
        return UserCertificate(place, SecretKind.COPY, absence="it does not exist")
    copy = read_certificate(secret, _BOUND, SecretKind.COPY)
    # The time of a change tells nothing about an unreadable certificate.
    return copy if copy.chain else replace(copy, changed_at=None)


def _restarted_by_operator(client: KubeClient, namespace: str, own_secrets: Set[str]) -> dict[Party, frozenset[str]]:
    """Connect, MirrorMaker 2 and Bridge, with the known Secrets by which they log in."""
    logins: dict[Party, frozenset[str]] = {}
    for kind in CLIENT_KINDS:

        def read(item: Object, kind: Resource = kind) -> tuple[Party, frozenset[str]] | None:
            secrets = _authentications(item, kind.kind) & own_secrets
            return ((kind.kind, str(item["metadata"]["name"])), frozenset(secrets)) if secrets else None

        logins |= dict(each_client(client, kind, namespace, read))
    return logins


def _each(client: KubeClient, kind: Resource, namespace: str, pick: Callable[[Object], T | None]) -> Sequence[T]:
    """The parts selected by ``pick``: of a page of whole resources, such as pods, only the needed parts stay."""
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
    """The bound KafkaUser; a key without a name if there is none."""
    user = (access.get("spec") or {}).get("user") or {}
    return str(user.get("namespace") or namespace), str(user.get("name") or "")


def _secrets_of(pod: Object) -> set[str]:
    """Names of the mounted Secrets, and of Secrets in its environment."""
    spec, names = pod.get("spec") or {}, []
    for volume in spec.get("volumes") or []:
        names.append((volume.get("secret") or {}).get("secretName"))
        sources = (volume.get("projected") or {}).get("sources") or []
        names += [(source.get("secret") or {}).get("name") for source in sources]
    for container in (*(spec.get("initContainers") or []), *(spec.get("containers") or [])):
        names += [(source.get("secretRef") or {}).get("name") for source in container.get("envFrom") or []]
        values = (variable.get("valueFrom") or {} for variable in container.get("env") or [])
        names += [(value.get("secretKeyRef") or {}).get("name") for value in values]
    return {str(name) for name in names if name}


def read_named(client: KubeClient, secrets: Sequence[NamedSecret]) -> tuple[UserCertificate, ...]:
    """The certificates in these Secrets; a record without a certificate if there is none, or if it is unknown. Raises
    KubeError.
    """
    return tuple(certificate for secret in secrets for certificate in _read_secret(client, secret))


def _read_secret(client: KubeClient, named: NamedSecret) -> Iterator[UserCertificate]:
    kind = SecretKind.NAMED
    try:
        secret = client.get_or_none(SECRETS, named.namespace, named.name)
    except Forbidden as error:
        yield UserCertificate(named, kind, absence=error.clause, remedy=error.remedy)
        return
    if secret is None:
        yield UserCertificate(named, kind, absence="it does not exist")
        return
    data = entries(secret)
    wanted = [named.entry] if named.entry else [entry for entry in sorted(data) if _may_be_a_clients(data[entry])]
    if not wanted:
        yield UserCertificate(named, kind, absence="it contains no certificate of a client in PEM form")
    for entry in wanted:
        yield read_certificate(secret, entry, kind)


def _may_be_a_clients(content: bytes) -> bool:
    """Whether a client may present it. Certificates of CAs may lie beside it. Unreadable content counts, so a person
    sees to it.
    """
    if not mentions_certificates(content):
        return False
    try:
        return not parse_certificates(content)[0].is_ca
    except CertificateError:
        return True
