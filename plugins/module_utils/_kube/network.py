# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Connections to the API server beside its client, with the same address, TLS, proxy and credentials, and to other
servers that get secrets; failures of the network in words with the address and the option to look at; and how long a
server asks its clients to wait.
"""

from __future__ import annotations

import http.client
import re
import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from .._errors import TransportError
from .._tls.contexts import to_proxy
from .._tls.failures import Peer, causes, explain
from ._kubernetes import urllib3

_HOST = "Check host (K8S_AUTH_HOST, or the server in kubeconfig)"
_NETWORK = f"{_HOST}, the network and the proxy options"
#: The option with the CA of the API server.
TRUST = "ca_cert (K8S_AUTH_SSL_CA_CERT, or certificate-authority in kubeconfig)"
#: The option with the certificate that logs in to the API server.
OWN = "client_cert and client_key (K8S_AUTH_CERT_FILE and K8S_AUTH_KEY_FILE, or client-certificate in kubeconfig)"
#: Failures of the proxy, or of the server behind it: another try may succeed.
_TRANSIENT = re.compile(r"Tunnel connection failed: 5\d\d")
#: How urllib3 names the limit that was over.
_LIMIT = re.compile(r"read timeout=([\d.]+)")
_PORTS = {"https": 443, "http": 80}


def host_and_port(host: str) -> str:
    """host:port of a URL."""
    parts = urlsplit(host)
    port = parts.port or _PORTS.get(parts.scheme, 443)
    name = parts.hostname or host
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"


def for_pool(context: ssl.SSLContext) -> ssl.SSLContext:
    """The context, from here on for connections of urllib3 only. Before its release 2 the library compares names and
    addresses itself, and OpenSSL does not learn the called address.
    """
    if int(metadata.version("urllib3").split(".", maxsplit=1)[0]) < 2 and context.verify_mode is ssl.CERT_REQUIRED:
        context.check_hostname = False
    return context


_LOOPBACK = re.compile(r"localhost|127(?:\.\d+){3}|::1")


def is_on_this_machine(url: str) -> bool:
    """Whether the URL leads to this machine. A proxy here, such as the agent of Vault, has TLS of its own."""
    parts = urlsplit(url)
    return parts.scheme == "http" and _LOOPBACK.fullmatch(parts.hostname or "") is not None


def is_safe(url: str) -> bool:
    """Whether a secret may be sent to this URL: over TLS, or on this machine."""
    return urlsplit(url).scheme == "https" or is_on_this_machine(url)


def pool_of_environment(url: str, context: ssl.SSLContext) -> Any:
    """Connections with this server, through its proxy of the environment (HTTPS_PROXY, NO_PROXY), if there is one. A
    connection without TLS stays on this machine. Raises TransportError.
    """
    from urllib.request import getproxies, proxy_bypass

    settings: dict[str, Any] = {"ssl_context": for_pool(context), "cert_reqs": "CERT_REQUIRED"}
    proxies = getproxies()
    proxy = proxies.get("https") or proxies.get("all")
    if not proxy or is_on_this_machine(url) or proxy_bypass(urlsplit(url).netloc):
        return urllib3.PoolManager(**settings)
    host, headers = proxy.rpartition("@")[2], {}
    try:
        given = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        host = given.netloc.rpartition("@")[2]
        if given.username is not None:
            user = f"{unquote(given.username)}:{unquote(given.password or '')}"
            headers = urllib3.make_headers(proxy_basic_auth=user)
        if given.scheme == "https":
            settings["proxy_ssl_context"] = for_pool(to_proxy())
        return urllib3.ProxyManager(f"{given.scheme}://{host}", proxy_headers=headers, **settings)
    except (urllib3.exceptions.HTTPError, ValueError):
        raise TransportError(
            f"the proxy {host} that the environment names cannot be used",
            sent=False,
            transient=False,
            remedy="Set HTTPS_PROXY to a proxy that speaks HTTP, or add this server to NO_PROXY.",
        ) from None


def retry_after(header: str) -> float | None:
    """Seconds that a server asks its clients to wait, as a number or as a date (RFC 9110, section 10.2.3); None for any
    other text.
    """
    try:
        return float(urllib3.util.Retry().parse_retry_after(header))
    except (urllib3.exceptions.InvalidHeader, ValueError, OverflowError):
        # A number or a year of hundreds of digits is no time.
        return None


def describe_failure(error: Exception, host: str, seconds: float) -> TransportError:
    """The failure in words, with the address and the option to look at. The error comes from urllib3 or a socket that
    had so many seconds.
    """
    where = f"the API server {host_and_port(host)}"
    failures = urllib3.exceptions
    if isinstance(error, failures.ProxyError):
        cause, transient = proxy_failure(error)
        return TransportError(
            f"the proxy to {where} {cause}",
            sent=False,
            transient=transient,
            remedy="Check proxy, proxy_headers and no_proxy (K8S_AUTH_PROXY, K8S_AUTH_NO_PROXY).",
        )
    if tls := explain(error, Peer(where, TRUST, "host (K8S_AUTH_HOST, or the server in kubeconfig)", OWN)):
        return TransportError(f"{where} {tls.cause}", sent=tls.sent, transient=tls.transient, remedy=tls.remedy)
    if isinstance(error, failures.ConnectTimeoutError) and not isinstance(error, failures.NewConnectionError):
        # The time for a connection is as precious as that for an answer.
        return TransportError(
            f"{where} did not answer to a connection attempt", sent=False, timed_out=True, remedy=f"{_NETWORK}."
        )
    if isinstance(error, failures.NewConnectionError):
        return TransportError(
            f"{where} cannot be reached ({innermost_cause(error)})", sent=False, remedy=f"{_NETWORK}."
        )
    if isinstance(error, failures.ReadTimeoutError):
        return TransportError(
            f"{where} did not answer within {_limit_in(error, seconds):g} s",
            timed_out=True,
            remedy="Run again when it is less busy.",
        )
    if isinstance(error, (failures.LocationParseError, failures.LocationValueError)):
        return TransportError(f"{host} is not a URL", sent=False, transient=False, remedy=f"{_HOST}.")
    cause = innermost_cause(error)
    return TransportError(f"the connection to {where} broke off ({cause})", remedy=f"{_NETWORK}.")


def _limit_in(error: Exception, seconds: float) -> float:
    """The limit that urllib3 names: a TLS handshake has the time of a connection. Else these seconds."""
    named = _LIMIT.search(str(error))
    return round(float(named[1]) if named else seconds, 1)


def proxy_failure(error: Exception) -> tuple[str, bool]:
    """The failure of a proxy, as the rest of a sentence that begins with the proxy; whether another try may succeed."""
    if tls := explain(error, Peer("the proxy", "", "", "")):
        return tls.cause, tls.transient
    cause = innermost_cause(error)
    return f"does not let us through ({cause})", bool(_TRANSIENT.search(cause))


def innermost_cause(error: Exception) -> str:
    """The innermost cause of an error in its own words, or the name of its class if it has none; without the text of
    the request.
    """
    *_outer, innermost = causes(error)
    text = str(innermost.strerror if isinstance(innermost, OSError) and innermost.strerror else innermost)
    return (text or type(innermost).__name__)[:300].replace("\n", " ")


@dataclass(frozen=True, repr=False)
class Route:
    """How an API server is reached."""

    #: The URL of the API server, without a slash at its end.
    host: str
    #: The settings for TLS; None if the URL has none.
    context: ssl.SSLContext | None
    #: The name that the certificate of the API server has to contain; None for the host of the URL.
    server_name: str | None
    #: Credentials and impersonation for the API server; they are secret: no repr.
    headers: Sequence[tuple[str, str]]
    #: URL of the proxy; None if there is none, or no_proxy excludes this server.
    proxy: str | None
    #: Headers for the proxy itself, such as its credentials: no repr.
    proxy_headers: Mapping[str, str]


def dial(route: Route, timeout: float) -> socket.socket:
    """A connected socket, with TLS if the URL says so. Raises TransportError."""
    where = urlsplit(route.host)
    try:
        plain = _through_proxy(route, where, timeout) if route.proxy else _directly(where, timeout)
        if route.context is None:
            return plain
        return route.context.wrap_socket(plain, server_hostname=route.server_name or where.hostname)
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise describe_failure(error, route.host, timeout) from None


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _directly(where: SplitResult, timeout: float) -> socket.socket:
    try:
        return socket.create_connection((where.hostname or "", _port(where)), timeout)
    except TimeoutError as error:
        raise urllib3.exceptions.ConnectTimeoutError() from error
    except OSError as error:
        raise urllib3.exceptions.NewConnectionError(None, "") from error  # type: ignore[arg-type]


def _through_proxy(route: Route, where: SplitResult, timeout: float) -> socket.socket:
    proxy = urlsplit(str(route.proxy))
    if proxy.scheme != "http":
        raise _unfit_proxy(str(route.proxy))
    connection = http.client.HTTPConnection(proxy.hostname or "", _port(proxy), timeout=timeout)
    connection.set_tunnel(where.hostname or "", _port(where), dict(route.proxy_headers))
    try:
        connection.connect()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        raise urllib3.exceptions.ProxyError("", error) from error
    return connection.sock


def _unfit_proxy(proxy: str) -> TransportError:
    return TransportError(
        f"connections to pods go through a proxy of the form http://host:port only, not {urlsplit(proxy).scheme}",
        sent=False,
        transient=False,
        remedy="Set proxy (K8S_AUTH_PROXY) to an HTTP proxy, or run where the API server is reached without one.",
    )
