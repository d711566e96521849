# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A thin client for known kinds: typed errors, conditional writes, safe retries of reads."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import (
    Attempt,
    Gone,
    KubeError,
    NotFound,
    Unreachable,
    error_from,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import Resource
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.transport import (
    Response,
    Transport,
    TransportError,
)

MERGE_PATCH = "application/merge-patch+json"

#: Worth another try when reading. A write is repeated only on 429, which the server did not process.
_TRANSIENT = frozenset({429, 500, 502, 503, 504})
_ATTEMPTS = 5
_FIRST_DELAY = 0.25


@dataclass(frozen=True, repr=False)
class ObjectList:
    """Objects and the resource version to watch from."""

    items: list[dict[str, Any]]
    resource_version: str


@dataclass(frozen=True, repr=False)
class WatchEvent:
    """type: ADDED, MODIFIED, DELETED or BOOKMARK."""

    type: str
    object: dict[str, Any]


class KubeClient:
    """All methods raise KubeError. ``requests`` and ``writes`` count what was sent."""

    def __init__(self, transport: Transport, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._transport = transport
        self._sleep = sleep
        self.requests = 0
        self.writes = 0

    def get(self, resource: Resource, namespace: str, name: str) -> dict[str, Any]:
        return self._read(Attempt("read", resource, namespace, name), resource.path(namespace, name), {}).body

    def get_or_none(self, resource: Resource, namespace: str, name: str) -> dict[str, Any] | None:
        try:
            return self.get(resource, namespace, name)
        except NotFound:
            return None

    def list(
        self, resource: Resource, namespace: str, *, label_selector: str = "", field_selector: str = ""
    ) -> ObjectList:
        query = _selectors(label_selector, field_selector)
        body = self._read(Attempt("read", resource, namespace), resource.path(namespace), query).body
        return ObjectList(body.get("items") or [], str((body.get("metadata") or {}).get("resourceVersion", "")))

    def create(self, resource: Resource, namespace: str, body: Mapping[str, Any]) -> dict[str, Any]:
        attempt = Attempt("create", resource, namespace, str(body["metadata"]["name"]))
        return self._write("POST", attempt, resource.path(namespace), body)

    def patch(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        patch: Mapping[str, Any],
        *,
        resource_version: str | None = None,
    ) -> dict[str, Any]:
        """A merge patch, refused with Conflict when the object is no longer at ``resource_version``."""
        body = dict(patch)
        if resource_version is not None:
            body["metadata"] = {**(body.get("metadata") or {}), "resourceVersion": resource_version}
        attempt = Attempt("update", resource, namespace, name)
        return self._write("PATCH", attempt, resource.path(namespace, name), body, MERGE_PATCH)

    def delete(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        *,
        uid: str | None = None,
        resource_version: str | None = None,
    ) -> None:
        """Delete this very object: refused with Conflict when it is another one by now."""
        preconditions = {"uid": uid, "resourceVersion": resource_version}
        known = {key: value for key, value in preconditions.items() if value is not None}
        body = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": known}
        self._write("DELETE", Attempt("delete", resource, namespace, name), resource.path(namespace, name), body)

    def watch(
        self,
        resource: Resource,
        namespace: str,
        *,
        resource_version: str,
        timeout: float,
        label_selector: str = "",
        field_selector: str = "",
    ) -> Iterator[WatchEvent]:
        """Events since ``resource_version``, until ``timeout`` seconds have passed. Raises Gone: list again."""
        attempt = Attempt("watch", resource, namespace)
        query = {
            **_selectors(label_selector, field_selector),
            "watch": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(max(1, int(timeout))),
        }
        self.requests += 1
        try:
            for event in self._transport.stream(resource.path(namespace), query=query, timeout=timeout + 5):
                if event["type"] == "ERROR":
                    status = event["object"]
                    raise error_from(attempt, int(status.get("code") or 410), status)
                yield WatchEvent(event["type"], event["object"])
        except TransportError as error:
            raise Gone(attempt, str(error), "List again.") from None

    def _read(self, attempt: Attempt, path: str, query: Mapping[str, str]) -> Response:
        return self._send(attempt, _TRANSIENT, lambda: self._transport.request("GET", path, query=query))

    def _write(
        self, method: str, attempt: Attempt, path: str, body: Mapping[str, Any], content_type: str = "application/json"
    ) -> dict[str, Any]:
        self.writes += 1
        retried = frozenset({429})
        send = lambda: self._transport.request(method, path, body=body, content_type=content_type)  # noqa: E731
        return self._send(attempt, retried, send, is_write=True).body

    def _send(
        self, attempt: Attempt, retried: frozenset[int], send: Callable[[], Response], is_write: bool = False
    ) -> Response:
        for number in range(1, _ATTEMPTS + 1):
            self.requests += 1
            try:
                response = send()
            except TransportError as error:
                if is_write or number == _ATTEMPTS:
                    raise _unreachable(attempt, error, is_write) from None
                self._sleep(_delay(number, {}))
                continue
            if response.status < 400:
                return response
            if response.status not in retried or number == _ATTEMPTS:
                raise error_from(attempt, response.status, response.body)
            self._sleep(_delay(number, response.headers))
        raise AssertionError("unreachable")  # the last attempt returns or raises


def _selectors(label_selector: str, field_selector: str) -> dict[str, str]:
    chosen = {"labelSelector": label_selector, "fieldSelector": field_selector}
    return {key: value for key, value in chosen.items() if value}


def _delay(number: int, headers: Mapping[str, str]) -> float:
    """Seconds: what the server asks for, else doubling, with jitter so that clients do not come back together."""
    asked = {key.lower(): value for key, value in headers.items()}.get("retry-after", "")
    if asked.isdigit():
        return float(asked)
    return _FIRST_DELAY * 2.0 ** (number - 1) * random.uniform(0.5, 1.5)


def _unreachable(attempt: Attempt, error: TransportError, is_write: bool) -> KubeError:
    return Unreachable(
        attempt,
        str(error),
        "Check host or kubeconfig, the network and the proxy options; then run again, a flow continues where it stopped.",
        outcome_unknown=is_write,
    )
