# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Connections to the API server that are not requests: the same address, TLS, proxy and credentials as the requests."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from .._errors import TransportError
from ._kubernetes import urllib3
from .network import describe_failure

if TYPE_CHECKING:
    from kubernetes.client.configuration import Configuration


@dataclass(frozen=True, repr=False)
class Route:
    """How an API server is reached. headers: credentials and impersonation; they are secret: no repr.

    proxy: its URL, None when there is none or no_proxy excludes this server.
    """

    host: str
    configuration: Configuration
    headers: Sequence[tuple[str, str]]
    proxy: str | None
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
