# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Who presents the certificates of KafkaUsers: resources and pods that name their Secrets (docs/operator.md, "Users")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .._kube.client import KubeClient
from .._kube.errors import ResourceTypeMissing
from .._kube.resources import PODS, Resource
from .client_resources import CLIENT_KINDS, KAFKA_MIRROR_MAKER_2S
from .copy_age import is_since
from .pods import is_final
from .resources import KAFKA_ACCESSES

Object = Mapping[str, Any]


@dataclass(frozen=True)
class Presenter:
    """name: kind, namespace and name. created: of a pod, the object with the time of its creation; None for a resource, whose
    processes are pods of their own.
    """

    name: str
    pod: Object | None = None

    def is_up_to_date(self, changed_at: datetime | None) -> bool | None:
        """Whether it has started since the Secret changed; None where that cannot be told."""
        if self.pod is None or changed_at is None:
            return None
        return is_since(self.pod, changed_at)


def find_presenters(client: KubeClient, namespace: str, users: Mapping[str, str]) -> Iterator[tuple[str, Presenter]]:
    """The Secret of a user, and who presents what it holds. users: the Secrets by the names of the KafkaUsers in this namespace."""
    known = set(users.values())
    for kind in CLIENT_KINDS:
        for one in _all(client, kind, namespace):
            name = f"{kind.kind} {namespace}/{one['metadata']['name']}"
            yield from ((secret, Presenter(name)) for secret in _authentications(one, kind) if secret in known)
    bindings = {}
    for one in _all(client, KAFKA_ACCESSES, namespace):
        secret = users.get(_user_of(one, namespace))
        if secret is not None:
            yield secret, Presenter(f"KafkaAccess {namespace}/{one['metadata']['name']}")
            bindings[str(((one.get("status") or {}).get("binding") or {}).get("name"))] = secret
    for pod in _all(client, PODS, namespace):
        named = {bindings.get(secret, secret) for secret in _secrets_of(pod)} if not is_final(pod) else set()
        # Of a page of whole pods only what is needed stays.
        kept = {"metadata": {"creationTimestamp": pod["metadata"].get("creationTimestamp")}}
        presenter = Presenter(f"Pod {namespace}/{pod['metadata']['name']}", kept)
        yield from ((secret, presenter) for secret in sorted(named & known))


def _all(client: KubeClient, kind: Resource, namespace: str) -> Iterator[Object]:
    try:
        for page in client.pages(kind, namespace):
            yield from page.items
    except ResourceTypeMissing:
        # Without its CRD there is no resource of this kind.
        return


def _authentications(resource: Object, kind: Resource) -> set[str]:
    """The Secrets with the certificates by which it logs in."""
    spec = resource.get("spec") or {}
    parts = [spec]
    if kind is KAFKA_MIRROR_MAKER_2S:
        parts = [spec.get("target") or {}, *((mirror.get("source") or {}) for mirror in spec.get("mirrors") or [])]
    named = (((part.get("authentication") or {}).get("certificateAndKey") or {}).get("secretName") for part in parts)
    return {str(secret) for secret in named if secret}


def _user_of(access: Object, namespace: str) -> str:
    """The KafkaUser of this namespace that it binds; empty where it binds none."""
    user = (access.get("spec") or {}).get("user") or {}
    return str(user.get("name") or "") if user.get("namespace", namespace) == namespace else ""


def _secrets_of(pod: Object) -> set[str]:
    """Names of the Secrets that it mounts or has in its environment."""
    spec, found = pod.get("spec") or {}, []
    for volume in spec.get("volumes") or []:
        found.append((volume.get("secret") or {}).get("secretName"))
        sources = (volume.get("projected") or {}).get("sources") or []
        found += [(source.get("secret") or {}).get("name") for source in sources]
    for container in (*(spec.get("initContainers") or []), *(spec.get("containers") or [])):
        found += [(one.get("secretRef") or {}).get("name") for one in container.get("envFrom") or []]
        values = (one.get("valueFrom") or {} for one in container.get("env") or [])
        found += [(value.get("secretKeyRef") or {}).get("name") for value in values]
    return {str(name) for name in found if name}
