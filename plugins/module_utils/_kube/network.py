# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Failures of the network in words that name the address and the option to look at."""

from __future__ import annotations

import re
import ssl
from urllib.parse import urlsplit

from .._errors import TransportError
from ._kubernetes import urllib3

_HOST = "Check host (K8S_AUTH_HOST, or the server in kubeconfig)"
_NETWORK = f"{_HOST}, the network and the proxy options"
#: Failures after which another try may succeed: of a proxy or of the server behind it, and a TLS connection that the other side has closed.
_TRANSIENT = re.compile(r"Tunnel connection failed: 5\d\d|EOF|SSLZeroReturnError")
#: OpenSSL's words for a certificate that no trusted CA has signed, and those of the library for one without the server's name.
_NOT_TRUSTED = re.compile(r"CERTIFICATE_VERIFY_FAILED|certificate verify failed|CertificateError")
_PORTS = {"https": 443, "http": 80}


def host_and_port(host: str) -> str:
    """host:port of a URL."""
    parts = urlsplit(host)
    port = parts.port or _PORTS.get(parts.scheme, 443)
    name = parts.hostname or host
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"


def describe_failure(error: Exception, host: str, seconds: float) -> TransportError:
    """error: from urllib3 or a socket. seconds: the time that was given."""
    where = f"the API server {host_and_port(host)}"
    failures = urllib3.exceptions
    if isinstance(error, failures.ProxyError):
        cause = innermost_cause(error)
        return TransportError(
            f"the proxy to {where} does not let us through ({cause})",
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
            f"{where} cannot be reached ({innermost_cause(error)})", sent=False, remedy=f"{_NETWORK}."
        )
    if isinstance(error, failures.ReadTimeoutError):
        return TransportError(
            f"{where} did not answer within {seconds:g} s", timed_out=True, remedy="Run again when it is less busy."
        )
    if isinstance(error, (failures.LocationParseError, failures.LocationValueError)):
        return TransportError(f"{host} is not a URL", sent=False, transient=False, remedy=f"{_HOST}.")
    return TransportError(f"the connection to {where} broke off ({innermost_cause(error)})", remedy=f"{_NETWORK}.")


def _tls_failure(cause: str, where: str) -> TransportError:
    if is_untrusted(cause):
        return TransportError(
            f"the certificate of {where} is not trusted ({cause})",
            sent=False,
            transient=False,
            remedy="Set ca_cert (K8S_AUTH_SSL_CA_CERT, or certificate-authority in kubeconfig) to the CA of the API "
            "server, and host to a name that its certificate holds.",
        )
    return TransportError(
        f"no TLS connection to {where} ({cause})",
        transient=is_transient(cause),
        remedy=f"{_HOST}, and client_cert and client_key (K8S_AUTH_CERT_FILE, K8S_AUTH_KEY_FILE).",
    )


def is_transient(cause: str) -> bool:
    """Whether another try may succeed. cause: the innermost cause of a failure of TLS or of a proxy."""
    return bool(_TRANSIENT.search(cause))


def is_untrusted(cause: str) -> bool:
    """Whether no trusted CA has signed the server's certificate, or the certificate lacks the server's name. cause: as in ``is_transient``."""
    return bool(_NOT_TRUSTED.search(cause))


def innermost_cause(error: Exception) -> str:
    """The innermost cause of an error, without the text of the request."""
    found: BaseException = error
    while True:
        inner = [found.__cause__, found.__context__, getattr(found, "reason", None), *found.args[1:], *found.args[:1]]
        deeper = next((item for item in inner if isinstance(item, BaseException) and item is not found), None)
        if deeper is None:
            break
        found = deeper
    text = str(found.strerror if isinstance(found, OSError) and found.strerror else found)
    return f"{type(found).__name__}: {text}"[:300].replace("\n", " ")
