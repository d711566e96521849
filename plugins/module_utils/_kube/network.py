# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Connections to the API server beside its requests, with the same address, TLS, proxy and credentials; failures of
the network in words that name the address and the option to look at; and how long a server asks its clients to wait.
"""

from __future__ import annotations

import http.client
import re
import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from .._errors import TransportError
from ._kubernetes import urllib3

if TYPE_CHECKING:
    from kubernetes.client.configuration import Configuration


_HOST = "Check host (K8S_AUTH_HOST, or the server in kubeconfig)"
_NETWORK = f"{_HOST}, the network and the proxy options"
#: Failures after which another try may succeed: of a proxy or of the server behind it, and a TLS connection that the other side has closed.
_TRANSIENT = re.compile(r"Tunnel connection failed: 5\d\d|EOF|SSLZeroReturnError")
#: OpenSSL's words for a certificate that no trusted CA has signed, and the library's words for a certificate without
#: the server's name.
_NOT_TRUSTED = re.compile(r"CERTIFICATE_VERIFY_FAILED|certificate verify failed|CertificateError")
#: The name of a class of errors before its text, and OpenSSL's names of the error and of the line of its source around it.
_FOR_DEVELOPERS = re.compile(r"^\w+: (?=.)|\[[A-Z0-9]+(: [A-Z0-9_]+)?\] | \(_ssl\.c:\d+\)")
_PORTS = {"https": 443, "http": 80}


def host_and_port(host: str) -> str:
    """host:port of a URL."""
    parts = urlsplit(host)
    port = parts.port or _PORTS.get(parts.scheme, 443)
    name = parts.hostname or host
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"


def retry_after(header: str) -> float | None:
    """Seconds that a server asks its clients to wait, as a number or as a date (RFC 9110, section 10.2.3); None for any other text."""
    try:
        return float(urllib3.util.Retry().parse_retry_after(header))
    except (urllib3.exceptions.InvalidHeader, ValueError, OverflowError):
        # A number or a year of hundreds of digits is no time.
        return None


def describe_failure(error: Exception, host: str, seconds: float) -> TransportError:
    """The failure in words that name the address and the option to look at. The error comes from urllib3 or a socket, which had so many seconds."""
    where = f"the API server {host_and_port(host)}"
    failures = urllib3.exceptions
    if isinstance(error, failures.ProxyError):
        cause = innermost_cause(error)
        return TransportError(
            f"the proxy to {where} does not let us through ({in_words(cause)})",
            sent=False,
            transient=is_transient(cause),
            remedy="Check proxy, proxy_headers and no_proxy (K8S_AUTH_PROXY, K8S_AUTH_NO_PROXY).",
        )
    if isinstance(error, (failures.SSLError, ssl.SSLError)):
        return _tls_failure(innermost_cause(error), where)
    if isinstance(error, failures.ConnectTimeoutError) and not isinstance(error, failures.NewConnectionError):
        return TransportError(f"{where} did not answer to a connection attempt", sent=False, remedy=f"{_NETWORK}.")
    if isinstance(error, failures.NewConnectionError):
        return TransportError(
            f"{where} cannot be reached ({in_words(innermost_cause(error))})", sent=False, remedy=f"{_NETWORK}."
        )
    if isinstance(error, failures.ReadTimeoutError):
        return TransportError(
            f"{where} did not answer within {seconds:g} s", timed_out=True, remedy="Run again when it is less busy."
        )
    if isinstance(error, (failures.LocationParseError, failures.LocationValueError)):
        return TransportError(f"{host} is not a URL", sent=False, transient=False, remedy=f"{_HOST}.")
    cause = in_words(innermost_cause(error))
    return TransportError(f"the connection to {where} broke off ({cause})", remedy=f"{_NETWORK}.")


def _tls_failure(cause: str, where: str) -> TransportError:
    if is_untrusted(cause):
        return TransportError(
            f"the certificate of {where} is not trusted ({in_words(cause)})",
            sent=False,
            transient=False,
            remedy="Set ca_cert (K8S_AUTH_SSL_CA_CERT, or certificate-authority in kubeconfig) to the CA of the API "
            "server, and host to a name that its certificate holds.",
        )
    return TransportError(
        f"no TLS connection to {where} ({in_words(cause)})",
        transient=is_transient(cause),
        remedy=f"{_HOST}, and client_cert and client_key (K8S_AUTH_CERT_FILE, K8S_AUTH_KEY_FILE).",
    )


def is_transient(cause: str) -> bool:
    """Whether another try may succeed, by the innermost cause of a failure of TLS or of a proxy."""
    return bool(_TRANSIENT.search(cause))


def is_untrusted(cause: str) -> bool:
    """Whether no trusted CA has signed the server's certificate, or the certificate lacks the server's name, by the cause as in ``is_transient``."""
    return bool(_NOT_TRUSTED.search(cause))


def in_words(cause: str) -> str:
    """The innermost cause as people read it, without the names that it has for developers."""
    return _FOR_DEVELOPERS.sub("", cause)


def innermost_cause(error: Exception) -> str:
    """The innermost cause of an error after the name of its class, without the text of the request."""
    found: BaseException = error
    while True:
        inner = [found.__cause__, found.__context__, getattr(found, "reason", None), *found.args[1:], *found.args[:1]]
        deeper = next((item for item in inner if isinstance(item, BaseException) and item is not found), None)
        if deeper is None:
            break
        found = deeper
    text = str(found.strerror if isinstance(found, OSError) and found.strerror else found)
    return f"{type(found).__name__}: {text}"[:300].replace("\n", " ")


@dataclass(frozen=True, repr=False)
class Route:
    """How an API server is reached."""

    #: The URL of the API server, without a slash at its end.
    host: str
    #: The settings for TLS of the Kubernetes client: CA, client certificate, name of the server.
    configuration: Configuration
    #: Credentials and impersonation for the API server; they are secret: no repr.
    headers: Sequence[tuple[str, str]]
    #: URL of the proxy; None where there is none, or no_proxy excludes this server.
    proxy: str | None
    #: Headers for the proxy itself, such as its credentials: no repr.
    proxy_headers: Mapping[str, str]


def dial(route: Route, timeout: float) -> socket.socket:
    """A connected socket, with TLS where the URL says so. Raises TransportError."""
    where = urlsplit(route.host)
    configuration = route.configuration
    try:
        context = _tls(configuration) if where.scheme == "https" else None
        plain = _through_proxy(route, where, timeout) if route.proxy else _directly(where, timeout)
        if context is None:
            return plain
        # Older releases of the client do not know this setting.
        name = getattr(configuration, "tls_server_name", None)
        return context.wrap_socket(plain, server_hostname=name or where.hostname)
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


def _tls(configuration: Configuration) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if not configuration.verify_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif configuration.ssl_ca_cert:
        context.load_verify_locations(configuration.ssl_ca_cert)
    else:
        context.load_default_certs()
    if configuration.cert_file:
        context.load_cert_chain(configuration.cert_file, configuration.key_file)
    return context
