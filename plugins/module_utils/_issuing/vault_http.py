# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The connection to Vault or OpenBao: a request and its answer (docs/issuers/vault.md, "The connection").

urllib3 comes with the Kubernetes client. The client library for Vault signs by the default issuer of a mount only, keeps
client keys in files, and does not tell how long a server wants to be left alone.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from .._errors import VaultFailure
from .._kube._kubernetes import urllib3
from .._kube.network import host_and_port, innermost_cause, is_transient, is_untrusted
from .._strimzi.issuer_settings import VaultIssuer
from .vault_errors import Call, Reply, quotable
from .vault_reach import checked_url, is_on_this_machine, pool, tls_context

_CONNECT_TIMEOUT = 10.0
#: Seconds for one answer: to sign takes milliseconds, but some keys lie in hardware modules.
_READ_TIMEOUT = 30.0
#: From a standby to the active node, and once more where that has moved.
_MOST_REDIRECTS = 2
_REDIRECTS = frozenset({301, 302, 307, 308})


class VaultConnection:
    """Connections are kept open between requests."""

    def __init__(self, settings: VaultIssuer, now: Callable[[], datetime]) -> None:
        """now: aware. Raises VaultFailure where the settings do not make a connection."""
        self.server = f"Vault {settings.url.rstrip('/')}"
        self._base = checked_url(settings.url)
        self._namespace = settings.namespace.strip("/")
        self._now = now
        self._pool = pool(self._base, tls_context(settings))

    def send(self, call: Call) -> Reply:
        """Raises VaultFailure where there is no answer of Vault."""
        headers = self._headers(call.token)
        body = None if call.body is None else json.dumps(call.body).encode("utf-8")
        url = f"{self._base}/v1/{call.path}"
        for _hop in range(_MOST_REDIRECTS + 1):
            answer = self._exchange(url, body, headers)
            target = answer.headers.get("Location") if answer.status in _REDIRECTS else None
            if target is None:
                return self._reply(call, answer.status, answer.headers, answer.data)
            url = self._followed(url, target)
        raise VaultFailure(self.server, "sends from one node to the next", "Give the url of the active node.")

    def _headers(self, token: str) -> Mapping[str, str]:
        # The library would quote what it cannot send.
        for name, value in (("token", token), ("namespace", self._namespace)):
            if not (value.isascii() and value.isprintable()):
                raise VaultFailure(
                    f"The {name} for Vault", f"has characters that no {name} has", f"Check where the {name} comes from."
                )
        headers = {"Content-Type": "application/json", "User-Agent": "trustops.strimzi", "X-Vault-Request": "true"}
        if token:
            headers["X-Vault-Token"] = token
        if self._namespace:
            headers["X-Vault-Namespace"] = self._namespace
        return headers

    def _exchange(self, url: str, body: bytes | None, headers: Mapping[str, str]) -> Any:
        try:
            return self._pool.request(
                "GET" if body is None else "POST", url, body=body, headers=headers, retries=False, redirect=False,
                timeout=urllib3.Timeout(connect=_CONNECT_TIMEOUT, read=_READ_TIMEOUT),
            )  # fmt: skip
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise _no_answer(error, f"Vault at {host_and_port(url)}") from None

    def _followed(self, url: str, target: str) -> str:
        """The token goes there too, so it must be as safe."""
        joined = urljoin(url, target)
        if urlsplit(joined).scheme != "https" and not (is_on_this_machine(joined) and is_on_this_machine(self._base)):
            raise VaultFailure(
                self.server,
                "redirects to a URL without TLS, where the token would be sent unencrypted",
                "Correct api_addr in the configuration of the server.",
            )
        return joined

    def _reply(self, call: Call, status: int, headers: Mapping[str, str], data: bytes) -> Reply:
        body = _decoded(data)
        if body is None:
            if 200 <= status < 300:
                raise VaultFailure(
                    self.server,
                    "answered, but not with JSON: it is no Vault or OpenBao",
                    "Check url and the proxy: a login page may have been put between.",
                )
            return Reply(status, {}, wait=self._wait(headers))
        errors = body.get("errors")
        texts = [one for one in errors if isinstance(one, str)] if isinstance(errors, list) else []
        said = quotable("; ".join(texts), (call.token, *call.secrets))
        return Reply(status, body, said, self._wait(headers))

    def _wait(self, headers: Mapping[str, str]) -> float | None:
        """Seconds; servers send a number or a date (RFC 9110 section 10.2.3)."""
        asked = headers.get("Retry-After", "").strip()
        if asked.isdigit():
            return float(asked)
        try:
            then = parsedate_to_datetime(asked)
        except ValueError:
            return None
        # A date may leave open where it is from (-0000).
        aware = then if then.tzinfo else then.replace(tzinfo=timezone.utc)
        return max(0.0, (aware - self._now()).total_seconds())


def _no_answer(error: Exception, server: str) -> VaultFailure:
    failures = urllib3.exceptions
    cause = quotable(innermost_cause(error))
    if isinstance(error, failures.ProxyError):
        return VaultFailure(
            f"The proxy to {server}",
            f"does not let us through ({cause})",
            "Check HTTPS_PROXY and NO_PROXY.",
            transient=is_transient(cause),
        )
    if isinstance(error, (failures.SSLError, ssl.SSLError)):
        if is_untrusted(cause):
            return VaultFailure(
                f"The certificate of {server}",
                f"is not trusted ({cause})",
                "Give the CA that has issued it, and a url with a name that it holds. It is always verified.",
            )
        return VaultFailure(
            f"There is no TLS connection to {server}",
            f"({cause})",
            "Check url and the proxy.",
            transient=is_transient(cause),
        )
    if isinstance(error, failures.ReadTimeoutError):
        return VaultFailure(
            server, f"did not answer within {_READ_TIMEOUT:g} s", "Run again when it is less busy.", transient=True
        )
    if isinstance(error, failures.ConnectTimeoutError) and not isinstance(error, failures.NewConnectionError):
        cause = f"nothing answered within {_CONNECT_TIMEOUT:g} s"
    return VaultFailure(
        server,
        f"cannot be reached ({cause})",
        "Check url, the network and the proxy; then run again.",
        transient=True,
    )


def _decoded(data: bytes) -> Mapping[str, Any] | None:
    """The JSON object; None where it is none."""
    if not data.strip():
        return {}
    try:
        found = json.loads(data)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
