# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The seam to the API server: requests and watch streams over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode

from ansible_collections.trustops.strimzi.plugins.module_utils._kube._kubernetes import urllib3

if TYPE_CHECKING:
    from kubernetes.client import ApiClient


class TransportError(Exception):
    """The server could not be reached, or its answer was lost. The text holds host and cause only."""


@dataclass(frozen=True, repr=False)
class Response:
    """An answer. The body may hold a Secret: no repr."""

    status: int
    body: dict[str, Any]
    headers: Mapping[str, str]


class Transport(Protocol):
    """What the client needs. Never raises on an HTTP status; raises TransportError on network trouble."""

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        timeout: float | None = None,
    ) -> Response:
        """One request and its answer."""

    def stream(
        self, path: str, *, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> Iterator[dict[str, Any]]:
        """Watch events {type, object} until the server or the timeout (seconds) ends the stream."""


class HttpTransport:
    """The real one: the Kubernetes client's connection pool, TLS, proxy and authentication; raw JSON."""

    def __init__(self, api: ApiClient, headers: Sequence[tuple[str, str]], timeout: float) -> None:
        """headers: sent with every request (impersonation). timeout: seconds for one request."""
        self._api = api
        self._headers = list(headers)
        self._timeout = timeout
        self._host = str(api.configuration.host).rstrip("/")

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        timeout: float | None = None,
    ) -> Response:
        encoded = None if body is None else json.dumps(body).encode("utf-8")
        answer = self._send(method, path, query, encoded, content_type, timeout or self._timeout, True)
        return Response(answer.status, _decode(answer.data), dict(answer.headers))

    def stream(
        self, path: str, *, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> Iterator[dict[str, Any]]:
        answer = self._send("GET", path, query, None, "application/json", timeout or self._timeout, False)
        if answer.status >= 400:
            content = _decode(answer.data)
            answer.release_conn()
            yield {"type": "ERROR", "object": {"code": answer.status, **content}}
            return
        try:
            yield from _events(answer)
        except urllib3.exceptions.ReadTimeoutError:
            return
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise TransportError(f"{self._host}: the watch broke off ({type(error).__name__})") from None
        finally:
            answer.close()

    def _authentication(self) -> list[tuple[str, str]]:
        """Asked for each request: a token may be renewed meanwhile."""
        setting = self._api.configuration.auth_settings().get("BearerToken")
        return [("Authorization", setting["value"])] if setting and setting["value"] else []

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: bytes | None,
        content_type: str,
        timeout: float,
        preload: bool,
    ) -> Any:
        headers = urllib3.HTTPHeaderDict({"Accept": "application/json", "Content-Type": content_type})
        for name, value in [*self._headers, *self._authentication()]:
            headers.add(name, value)
        url = f"{self._host}{path}" + (f"?{urlencode(query)}" if query else "")
        try:
            return self._api.rest_client.pool_manager.request(
                method, url, body=body, headers=headers, timeout=timeout, retries=False, preload_content=preload
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise TransportError(f"{self._host}: {_cause(error)}") from None


def _cause(error: Exception) -> str:
    """The innermost reason, without the request in it."""
    reason = getattr(error, "reason", None)
    inner = reason if isinstance(reason, Exception) else error
    return f"{type(inner).__name__}: {inner}".replace("\n", " ")[:300]


def _decode(data: bytes) -> dict[str, Any]:
    try:
        decoded = json.loads(data)
    except ValueError:
        return {"message": data[:200].decode("utf-8", "replace").strip()}
    return decoded if isinstance(decoded, dict) else {"message": str(decoded)[:200]}


def _events(answer: Any) -> Iterator[dict[str, Any]]:
    rest = b""
    for chunk in answer.stream(amt=65536, decode_content=True):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                yield json.loads(line)
