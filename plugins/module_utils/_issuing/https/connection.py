# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The connection to the server of an issuer: its URL, always verified TLS, a proxy, a request and its answer.

urllib3 comes with the Kubernetes client. Client libraries of issuers keep keys in files, choose what signs, and do not
say how long a server wants to be left alone.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from ..._errors import NoMemoryFiles, ServerFailure, TransportError, UnusablePair
from ..._kube._kubernetes import urllib3
from ..._kube.network import (
    host_and_port,
    innermost_cause,
    is_on_this_machine,
    is_safe,
    pool_of_environment,
    proxy_failure,
    retry_after,
)
from ..._kube.private_files import present
from ..._kube.resources import read_json
from ..._pki.certificates import Chain, encode_certificates
from ..._pki.keys import PrivateKey
from ..._tls.contexts import to_issuer
from ..._tls.failures import Peer, explain
from .api import Api, Call, Header, Reply, quotable

#: Seconds to connect. The server of an issuer is no part of the control plane. If an address is filtered out, it does
#: not answer at all.
_CONNECT_TIMEOUT = 10.0
#: Seconds for one answer: to sign takes milliseconds, but some keys lie in hardware modules.
_READ_TIMEOUT = 30.0
#: From a standby to the active node, and once more if that has moved.
_MOST_REDIRECTS = 2
_REDIRECTS = frozenset({301, 302, 307, 308})
#: The settings as remedies name them.
_TRUST, _ADDRESS = "issuer.ca_certificate", "issuer.url"


@dataclass(frozen=True, repr=False)
class Server:
    """A server of an issuer, and what each request to it has."""

    #: Its URL, as the caller gives it.
    url: str
    #: PEM of the CAs that verify the certificate of the server; None for the CAs of the system.
    ca_certificate: bytes | None = None
    #: The client certificate that connections present, with its key; None if they present none.
    own: tuple[Chain, PrivateKey] | None = None
    #: Headers of each request.
    headers: tuple[Header, ...] = ()


class HttpsConnection:
    """The connections to the server of an issuer. They are kept open between requests."""

    def __init__(self, api: Api, server: Server) -> None:
        """Raises ServerFailure if the settings do not make a connection."""
        self.api = api
        self.server = f"{api.name} {server.url.rstrip('/')}"
        self._base = checked_url(api, server.url)
        self._headers = server.headers
        self._pool = pool(api, self._base, _tls_context(api, server))

    def send(self, call: Call) -> Reply:
        """Send a request. Raises ServerFailure if there is no answer of the API."""
        headers = self._headers_of(call.token)
        body = None if call.body is None else json.dumps(call.body).encode("utf-8")
        url = f"{self._base}{self.api.path}{call.path}"
        for _hop in range(_MOST_REDIRECTS + 1):
            answer = self._exchange(url, body, headers)
            target = answer.headers.get("Location") if answer.status in _REDIRECTS else None
            if target is None:
                return self._reply(call, answer.status, answer.headers, answer.data)
            url = self._check_redirect(url, target)
        raise ServerFailure(self.server, "sends from one node to the next", "Give the url of the active node.")

    def _headers_of(self, token: str) -> Mapping[str, str]:
        own = (*((Header(self.api.header, token, "token"),) if token else ()), *self._headers)
        # The library would quote what it cannot send.
        for header in own:
            if not (header.value.isascii() and header.value.isprintable()):
                what = header.what
                raise ServerFailure(
                    f"The {what} for {self.api.name}", f"has characters that no {what} has",
                    f"Check where the {what} comes from."
                )  # fmt: skip
        fixed = {"Content-Type": "application/json", "User-Agent": "trustops.strimzi"}
        return {**fixed, **{header.name: header.value for header in own}}

    def _exchange(self, url: str, body: bytes | None, headers: Mapping[str, str]) -> Any:
        try:
            return self._pool.request(
                "GET" if body is None else "POST", url, body=body, headers=headers, retries=False, redirect=False,
                timeout=urllib3.Timeout(connect=_CONNECT_TIMEOUT, read=_READ_TIMEOUT),
            )  # fmt: skip
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise _no_answer(error, f"{self.api.name} at {host_and_port(url)}", self.api) from None

    def _check_redirect(self, url: str, target: str) -> str:
        """The target of a redirect. The token goes there too, so it must be as safe."""
        remedy = f"Correct {self.api.own_address} in the configuration of the server."
        try:
            joined = urljoin(url, target)
            host_and_port(joined)
        except ValueError:
            raise ServerFailure(self.server, "redirects to what is no URL", remedy) from None
        if urlsplit(joined).scheme != "https" and not (is_on_this_machine(joined) and is_on_this_machine(self._base)):
            cause = "redirects to a URL without TLS, where the token would be sent unencrypted"
            raise ServerFailure(self.server, cause, remedy)
        return joined

    def _reply(self, call: Call, status: int, headers: Mapping[str, str], data: bytes) -> Reply:
        body = _decoded(data)
        reasons = None if body is None else self.api.reasons(body)
        if status in self.api.refusals and reasons is None:
            raise ServerFailure(
                self.server,
                f"answered with HTTP {status}, and not as {self.api.programs} refuse: a program before it did",
                "Check url and the proxy, and see that it lets requests for leaves through.",
            )
        if body is None:
            if 200 <= status < 300:
                raise ServerFailure(
                    self.server,
                    f"answered, but not with JSON: it is no {self.api.programs}",
                    "Check url and the proxy: a login page may have been put between.",
                )
            return Reply(status, {}, wait=retry_after(headers.get("Retry-After", "")))
        errors = quotable("; ".join(reasons or ()), (call.token, *call.secrets))
        return Reply(status, body, errors, retry_after(headers.get("Retry-After", "")))


def checked_url(api: Api, url: str) -> str:
    """The URL of the server. Raises ServerFailure. The URL is not quoted: it may contain a password."""
    base = url.rstrip("/")
    try:
        parts = urlsplit(base)
        usable = bool(parts.hostname) and not (parts.username or parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(not character.isprintable() or character.isspace() for character in base):
        raise ServerFailure(f"The url of {api.name}", "is not a URL of a server", f"Give url as {api.example}.")
    if not is_safe(base):
        raise ServerFailure(
            f"The url {base}",
            "has no TLS: tokens would be sent unencrypted, and any host on the way could answer",
            "Give a url that begins with https://.",
        )
    return base


def _tls_context(api: Api, server: Server) -> ssl.SSLContext:
    given = server.ca_certificate
    try:
        # Bundles of distributions have the names of CAs, in any language, between the certificates.
        context = to_issuer(None if given is None else given.decode("ascii", "ignore"))
    except (ssl.SSLError, ValueError):
        raise ServerFailure(
            f"The given CA of {api.name}'s own certificate", "is no certificate in PEM form", "Correct it."
        ) from None
    if server.own is not None:
        _present(context, *server.own, api)
    return context


def _present(context: ssl.SSLContext, chain: Chain, key: PrivateKey, api: Api) -> None:
    try:
        present(context, encode_certificates(chain) + key.reveal(), "issuer")
    except NoMemoryFiles:
        raise ServerFailure(
            "This system",
            f"has no memory files (memfd_create), so the key that logs in to {api.name} cannot be used without "
            "writing it to a disk",
            "Run this task on Linux, or log in in another way.",
        ) from None
    except UnusablePair:
        raise ServerFailure(
            f"The certificate and the key that log in to {api.name}",
            "are no usable pair",
            "Give the key of this certificate.",
        ) from None


def pool(api: Api, base: str, context: ssl.SSLContext) -> Any:
    """The pool of connections. Raises ServerFailure."""
    try:
        return pool_of_environment(base, context)
    except TransportError as error:
        raise ServerFailure(f"{api.name} {base}", f"cannot be reached: {error}", error.remedy) from None


def _no_answer(error: Exception, server: str, api: Api) -> ServerFailure:
    failures = urllib3.exceptions
    if isinstance(error, failures.ProxyError):
        cause, transient = proxy_failure(error)
        return ServerFailure(
            f"The proxy to {server}", quotable(cause), "Check HTTPS_PROXY and NO_PROXY.", transient=transient
        )
    if tls := explain(error, Peer(server, _TRUST, _ADDRESS, api.own_certificate)):
        return ServerFailure(server, quotable(tls.cause), tls.remedy, transient=tls.transient)
    if isinstance(error, failures.ReadTimeoutError):
        return ServerFailure(
            server, f"did not answer within {_READ_TIMEOUT:g} s", "Run again when it is less busy.", transient=True
        )
    if isinstance(error, failures.ConnectTimeoutError) and not isinstance(error, failures.NewConnectionError):
        cause = f"nothing answered within {_CONNECT_TIMEOUT:g} s"
    else:
        cause = quotable(innermost_cause(error))
    return ServerFailure(
        server,
        f"cannot be reached ({cause})",
        "Check url, the network and the proxy; then run again.",
        transient=True,
    )


def _decoded(data: bytes) -> Mapping[str, Any] | None:
    """The JSON object of an answer, empty if the answer is empty; None if the answer is no JSON object."""
    if not data.strip():
        return {}
    content = read_json(data)
    return content if isinstance(content, dict) else None
