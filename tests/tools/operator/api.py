"""An API server as the double needs it, over any transport with ``request`` and ``stream``."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

Object = dict[str, Any]

GROUPS = {
    "secrets": "/api/v1",
    "pods": "/api/v1",
    "services": "/api/v1",
    "events": "/api/v1",
    "configmaps": "/api/v1",
    "serviceaccounts": "/api/v1",
    "roles": "/apis/rbac.authorization.k8s.io/v1",
    "rolebindings": "/apis/rbac.authorization.k8s.io/v1",
    "deployments": "/apis/apps/v1",
    "kafkas": "/apis/kafka.strimzi.io/v1",
    "kafkanodepools": "/apis/kafka.strimzi.io/v1",
    "kafkausers": "/apis/kafka.strimzi.io/v1",
    "kafkaconnects": "/apis/kafka.strimzi.io/v1",
    "strimzipodsets": "/apis/core.strimzi.io/v1",
}
MERGE = "application/merge-patch+json"


class ApiError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status} {message}")
        self.status = status


class Api:
    """CRUD in one namespace. manager: as the API server notes it; Strimzi's programs name themselves so. version: of Strimzi's API."""

    def __init__(
        self, transport: Any, namespace: str, manager: str = "strimzi-cluster-operator", version: str = "v1"
    ) -> None:
        self.transport, self.namespace, self.manager, self.version = transport, namespace, manager, version

    @property
    def _managed(self) -> dict[str, str]:
        return {"fieldManager": self.manager}

    def _path(self, plural: str, name: str = "", sub: str = "") -> str:
        root = GROUPS[plural]
        if ".strimzi.io/" in root:
            root = f"{root.rpartition('/')[0]}/{self.version}"
        parts = [root, "namespaces", self.namespace, plural, name, sub]
        return "/".join(part for part in parts if part)

    def _call(self, method: str, path: str, **arguments: Any) -> Object:
        response = self.transport.request(method, path, **arguments)
        if response.status >= 400:
            raise ApiError(response.status, str(response.body.get("message")))
        return response.body

    def get(self, plural: str, name: str) -> Object | None:
        try:
            return self._call("GET", self._path(plural, name))
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, plural: str, selector: str = "") -> list[Object]:
        query = {"labelSelector": selector} if selector else {}
        return self._call("GET", self._path(plural), query=query)["items"]

    def create(self, plural: str, body: Object) -> Object:
        return self._call("POST", self._path(plural), body=body, query=self._managed)

    def replace(self, plural: str, body: Object) -> Object:
        return self._call("PUT", self._path(plural, body["metadata"]["name"]), body=body, query=self._managed)

    def patch(self, plural: str, name: str, body: Object, sub: str = "") -> Object:
        return self._call("PATCH", self._path(plural, name, sub), body=body, content_type=MERGE, query=self._managed)

    def apply(self, plural: str, body: Object) -> None:
        """Create it, or write these fields into what is there."""
        if self.get(plural, body["metadata"]["name"]) is None:
            self.create(plural, body)
        else:
            self.patch(plural, body["metadata"]["name"], body)

    def delete(self, plural: str, name: str) -> None:
        try:
            self._call("DELETE", self._path(plural, name))
        except ApiError as error:
            if error.status != 404:
                raise

    def watch(self, plural: str, version: str, timeout: float) -> Iterator[Object]:
        query = {"watch": "true", "resourceVersion": version, "timeoutSeconds": str(int(timeout))}
        yield from self.transport.stream(self._path(plural), query=query, timeout=timeout + 5)

    def write_secret(self, body: Object) -> None:
        """To the full desired object: foreign keys, labels and annotations vanish (docs/operator.md, "CA Secrets")."""
        existing = self.get("secrets", body["metadata"]["name"])
        if existing is None:
            self.create("secrets", body)
            return
        metadata = existing["metadata"]
        wanted = body["metadata"]
        same = (
            existing.get("data") == body.get("data")
            and (metadata.get("labels") or {}) == wanted.get("labels", {})
            and (metadata.get("annotations") or {}) == wanted.get("annotations", {})
            and (metadata.get("ownerReferences") or []) == wanted.get("ownerReferences", [])
        )
        if not same:
            body["metadata"]["resourceVersion"] = metadata["resourceVersion"]
            self.replace("secrets", body)


def data(secret: Mapping[str, Any] | None) -> dict[str, bytes]:
    return {k: _decode(v or "") for k, v in ((secret or {}).get("data") or {}).items()}


@lru_cache(maxsize=10_000)
def _decode(value: str) -> bytes:
    return base64.b64decode(value)


def encode(entries: Mapping[str, bytes]) -> dict[str, str]:
    return {k: base64.b64encode(v).decode() for k, v in entries.items()}


def annotation(resource: Mapping[str, Any] | None, name: str, default: str | None = None) -> str | None:
    return (((resource or {}).get("metadata") or {}).get("annotations") or {}).get(f"strimzi.io/{name}", default)


def ready(pod: Mapping[str, Any] | None) -> bool:
    conditions = ((pod or {}).get("status") or {}).get("conditions") or []
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
