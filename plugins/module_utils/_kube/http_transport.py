# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The real transport: the Kubernetes client's connection pool, TLS, proxy and authentication; raw JSON."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from .._errors import OptionsError, TransportError
from .._tls.contexts import to_api_server
from ._kubernetes import (
    HTTPHeaderDict,
    RESTClientObject,
    urllib3,
)
from .client import Response
from .network import OWN, TRUST, Route, describe_failure, for_pool
from .resources import read_json

if TYPE_CHECKING:
    from kubernetes.client.configuration import Configuration

#: Seconds for one answer. The API server itself gives up after 60.
REQUEST_TIMEOUT = 60.0
#: Seconds to connect, with the TLS handshake. If the load is high, an API server takes as long for the handshake as for
#: an answer. A filtered address does not answer at all, and gets half the time of an answer.
_CONNECT_TIMEOUT = REQUEST_TIMEOUT / 2
_CHUNK = 65536
_UNAUTHORIZED = 401


_LOOPBACK = re.compile(r"http://(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:/|$)", re.IGNORECASE)


def _plain_http(host: str, credentials: bool) -> tuple[str, ...]:
    """The caution about a URL of plain HTTP. Without credentials there is none for a proxy on this machine (kubectl
    proxy): it has credentials of its own, and is not reached over the network.
    """
    if _LOOPBACK.match(host):
        what = "the credentials are sent" if credentials else ""
    else:
        what = "the credentials and the keys of CAs are sent" if credentials else "the keys of CAs are sent"
    return (f"{host} is plain HTTP: {what} unencrypted. Give a URL that begins with https://.",) if what else ()


@dataclass(frozen=True, repr=False)
class _Request:
    """A request to the API server."""

    #: The HTTP method.
    method: str
    #: The path below the address of the API server.
    path: str
    #: Seconds that the server has for its answer.
    seconds: float
    #: The query parameters; None if there are none.
    query: Mapping[str, str] | None = None
    #: The encoded body; None if there is none.
    body: bytes | None = None
    #: Content type of the body; of the answer if there is no body.
    content_type: str = "application/json"
    #: Whether to read the whole answer at once; else as a stream.
    preload: bool = True


def _is_encrypted(host: str) -> bool:
    return host.lower().startswith("https://")


def _with_certificate(configuration: Configuration) -> ssl.SSLContext:
    """The settings for a connection with the API server. Raises OptionsError."""
    context = _verifying(configuration)
    if configuration.cert_file:
        try:
            # With an empty password an encrypted key is an error; without any, OpenSSL asks for it on the terminal.
            context.load_cert_chain(configuration.cert_file, configuration.key_file, password="")
        except ssl.SSLError:
            raise OptionsError(OWN, "are no usable pair", "Give the key of this certificate, unencrypted.") from None
        except OSError as error:
            raise OptionsError(OWN, f"cannot be read ({error.strerror})", "Correct the paths.") from None
    return context


def _verifying(configuration: Configuration) -> ssl.SSLContext:
    """The settings that verify the API server. Raises OptionsError."""
    try:
        return to_api_server(configuration.ssl_ca_cert, verify=configuration.verify_ssl)
    except ssl.SSLError:
        raise OptionsError(TRUST, "contains no certificate in PEM form", "Give the CA of the API server.") from None
    except OSError as error:
        raise OptionsError(TRUST, f"cannot be read ({error.strerror})", "Correct the path.") from None


#: Arguments that the library passes to each connection. urllib3 makes settings for TLS of its own from them.
_OF_THE_LIBRARY = ("ca_certs", "ca_cert_data", "cert_file", "key_file")


def _pool(configuration: Configuration, host: str) -> Any:
    """The connections of the library, with its choice of a proxy, and with the collection's settings for TLS. A proxy
    with TLS is verified by the same CAs, as kubectl does, and does not get the certificate of this side. Raises
    OptionsError.
    """
    pool: Any = RESTClientObject(configuration).pool_manager
    if _is_encrypted(host):
        settings = pool.connection_pool_kw
        for name in _OF_THE_LIBRARY:
            settings.pop(name, None)
        settings["ssl_context"] = for_pool(_with_certificate(configuration))
        if proxy := settings.get("_proxy_config"):
            settings["_proxy_config"] = proxy._replace(ssl_context=for_pool(_verifying(configuration)))
    return pool


class HttpTransport:
    """Requests over connections that stay open between them. Threads may share it."""

    def __init__(
        self,
        configuration: Configuration,
        headers: Sequence[tuple[str, str]] = (),
        timeout: float = REQUEST_TIMEOUT,
        load_again: Callable[[], Configuration] | None = None,
    ) -> None:
        """The headers are sent with every request. If Authorization is among them, the configuration's is not sent. The
        timeout is in seconds, for one answer. The function ``load_again`` gives the configuration with new credentials,
        if the server no longer accepts the present credentials; it is None if they cannot change. Raises OptionsError
        if a certificate or key cannot be used.
        """
        self._load_again, self._renewing = load_again, Lock()
        # Whether the server has accepted credentials of this transport.
        self._accepted = False
        self._configuration = configuration
        self._headers = list(headers)
        self._has_credentials = any(name == "Authorization" for name, value in headers)
        self._timeout = timeout
        # A refreshed token sets everything of the kubeconfig again, the host too.
        self._host = str(configuration.host).rstrip("/")
        self._pool = _pool(configuration, self._host)

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
        seconds = timeout or self._timeout
        encoded = None if body is None else json.dumps(body).encode("utf-8")
        try:
            answer = self._send_logged_in(_Request(method, path, seconds, query, encoded, content_type))
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise describe_failure(error, self._host, seconds) from None
        return Response(answer.status, self._decode(answer.status, answer.data), dict(answer.headers))

    def stream(
        self, path: str, *, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> Iterator[dict[str, Any]]:
        seconds = timeout or self._timeout
        try:
            answer = self._send_logged_in(_Request("GET", path, seconds, query, preload=False))
            refusal = b"" if answer.status == 200 else answer.data
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise describe_failure(error, self._host, seconds) from None
        try:
            if answer.status != 200:
                status = self._decode(answer.status, refusal)
                yield {"type": "ERROR", "object": {**status, "code": answer.status}}
                return
            yield from self._events(answer, seconds)
        finally:
            # If the reader stops early, the rest of the stream must not reach the next request.
            answer.close()

    def log_in_again(self, refused: Sequence[tuple[str, str]]) -> bool:
        """Whether there are other credentials than the refused headers: an exec plugin runs again, and files are read
        again.

        If the API server answers with 401, it has done nothing of the request: the request may be sent again.
        """
        if self._load_again is None:
            return False
        with self._renewing:
            if refused != self._all_headers():
                # Another thread has been here.
                return True
            try:
                configuration = self._load_again()
                pool = _pool(configuration, self._host)
            except OptionsError:
                return False
            self._configuration, self._pool = configuration, pool
            return True

    def route(self) -> Route:
        """How to open a connection of the caller's own to this API server, with the present credentials. Raises
        OptionsError.
        """
        # The pool of a SOCKS proxy is of another class; its proxy must not be overlooked.
        proxy, proxy_headers = getattr(self._pool, "proxy_url", None), {}
        if isinstance(self._pool, urllib3.ProxyManager):
            proxy, proxy_headers = str(self._pool.proxy), dict(self._pool.proxy_headers)
        # Older releases of the client do not know this setting.
        server_name = getattr(self._configuration, "tls_server_name", None)
        context = _with_certificate(self._configuration) if _is_encrypted(self._host) else None
        return Route(self._host, context, server_name, self._all_headers(), proxy, proxy_headers)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences with a remedy about what others on the network could read or pretend: keys of CAs go this way."""
        if self._host.lower().startswith("http://"):
            credentials = self._has_credentials or bool(self._authentication())
            return _plain_http(self._host, credentials)
        if not self._configuration.verify_ssl:
            return (
                f"The certificate of {self._host} is not verified (validate_certs, or insecure-skip-tls-verify of the "
                "kubeconfig): any host on the way can pretend to be it, and read the credentials and the keys of CAs. "
                "Give its CA as ca_cert.",
            )
        return ()

    def _events(self, answer: Any, seconds: float) -> Iterator[dict[str, Any]]:
        rest = b""
        try:
            for chunk in answer.stream(_CHUNK):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if line.strip():
                        yield self._read_event(line)
        except urllib3.exceptions.ReadTimeoutError:
            # The server ends a watch by itself before this: the connection is dead, and nothing is lost.
            return
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise describe_failure(error, self._host, seconds) from None

    def _read_event(self, line: bytes) -> dict[str, Any]:
        event: Any = read_json(line)
        match event:
            case (
                {"type": "ERROR", "object": {}}
                | {"type": "BOOKMARK", "object": {"metadata": {}}}
                | {"type": str(), "object": {"metadata": {"name": str()}}}
            ):
                content: dict[str, Any] = event
                return content
        raise TransportError(f"{self._host} sent a line that is no watch event")

    def _send_logged_in(self, request: _Request) -> Any:
        """Send the request; after a 401, log in again and send it once more. If the server has accepted credentials
        before, raise a TransportError that may pass. An identity provider may be away for a moment. A server that has
        just started refuses every token until it has reached that provider. A call that has paused the operator must
        not end for that.
        """
        used = self._all_headers()
        answer = self._send(request)
        if answer.status == _UNAUTHORIZED and self.log_in_again(used):
            answer.close()
            answer = self._send(request)
        if answer.status != _UNAUTHORIZED:
            self._accepted = True
            return answer
        if not self._accepted:
            return answer
        answer.close()
        raise TransportError(
            f"{self._host} no longer accepts the credentials",
            sent=False,
            remedy=(
                "Give credentials that last as long as the run; an exec plugin of the kubeconfig must be able to log "
                "in without asking. Then run again."
            ),
        )

    def _send(self, request: _Request) -> Any:
        form = "Accept" if request.body is None else "Content-Type"
        headers = HTTPHeaderDict(
            {
                "Accept": "application/json", "Content-Type": "application/json", "User-Agent": "trustops.strimzi",
                form: request.content_type,
            }
        )  # fmt: skip
        for name, value in self._all_headers():
            headers.add(name, value)
        return self._pool.request(
            request.method,
            f"{self._host}{request.path}" + (f"?{urlencode(request.query)}" if request.query else ""),
            body=request.body,
            headers=headers,
            timeout=urllib3.Timeout(connect=min(_CONNECT_TIMEOUT, request.seconds), read=request.seconds),
            retries=False,
            redirect=False,
            preload_content=request.preload,
        )

    def _all_headers(self) -> list[tuple[str, str]]:
        return [*self._headers, *self._authentication()]

    def _authentication(self) -> list[tuple[str, str]]:
        """The header with the credentials, read for each request: a token may be renewed meanwhile."""
        if self._has_credentials:
            return []
        setting = self._configuration.auth_settings().get("BearerToken")
        return [("Authorization", str(setting["value"]))] if setting and setting["value"] else []

    def _decode(self, status: int, data: bytes) -> dict[str, Any]:
        decoded = read_json(data)
        if isinstance(decoded, dict):
            return decoded
        if 200 <= status < 300:
            # The login page of a proxy must not count as an empty list.
            raise TransportError(
                f"{self._host} answered, but not with a JSON object: it is not a Kubernetes API server",
                transient=False,
                remedy="Check host (or the server in kubeconfig) and the proxy options.",
            )
        return {"message": data[:200].decode("utf-8", "replace").strip()}
