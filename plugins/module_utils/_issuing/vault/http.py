# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The connection to a server of Vault or OpenBao: its URL, TLS that is always verified, a proxy, a request and its
answer (docs/issuers/vault.md, "The connection"); and the errors of the server, as sentences with a remedy.

urllib3 comes with the Kubernetes client. The client library for Vault signs by the default issuer of a mount only,
keeps client keys in files, and does not say how long a server wants to be left alone.
"""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from ..._errors import NoMemoryFiles, TransportError, UnusablePair, VaultFailure, fit_in_line
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
from ..._pki.certificates import encode_certificates
from ..._strimzi.issuer_settings import VaultIssuer, VaultTlsCertificate
from ..._tls.contexts import to_vault
from ..._tls.failures import Peer, explain

#: Characters of a server's words that are shown.
_LONGEST = 400
_PEM = re.compile(r"-----BEGIN.*?(?:-----END[^-]*-----|$)", re.DOTALL)


@dataclass(frozen=True, repr=False)
class Call:
    """A request to the API."""

    #: The path below ``/v1/``, quoted for a URL.
    path: str
    #: The JSON body; None reads.
    body: Mapping[str, Any] | None
    #: The purpose of the request, as messages say it after "cannot".
    doing: str
    #: The token that permits the request; empty for a login.
    token: str = ""
    #: Texts that are sent and must not be quoted.
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Reply:
    """An answer of the server. The body may hold a token: no repr."""

    #: The HTTP status.
    status: int
    #: The JSON object; empty where the answer was empty, or a failure without JSON.
    body: Mapping[str, Any]
    #: Its errors, safe to show; may be empty.
    errors: str = ""
    #: Seconds to wait before the next request, as in VaultFailure.
    wait: float | None = None


@dataclass(frozen=True)
class _State:
    #: The cause of the failure, as a sentence about the server without a full stop.
    cause: str
    #: The remedy, as sentences.
    remedy: str
    #: Whether the same request may succeed later.
    transient: bool = False


_MISSING = _State(
    "it has no such path, or the token may not see it",
    "Check url, mount and vault_namespace; a mount and a role that exist are listed by vault secrets list and vault list.",
)
_LATER = "Run again when vault status shows it active and unsealed; certificates that Vault has issued before stay."

#: By HTTP status (docs/issuers/vault.md, which has the same list for people).
_STATES: Mapping[int, _State] = {
    400: _State("it does not accept the request", "Check mount, role and issuer in Vault."),
    403: _State("it does not permit that", "Check the token and its policies."),
    404: _MISSING,
    405: _State("the path takes no POST", "Check mount: it must be a secrets engine of the type pki."),
    412: _State("this node has not caught up with its primary yet", "Run again, or give the url of the primary.", True),
    429: _State(
        "it has had too many requests, or this node is a standby",
        "Raise the rate limit quota of the mount, or give the url of the active node; then run again.",
        True,
    ),
    472: _State("this cluster is a secondary for disaster recovery", "Give the url of the primary cluster."),
    473: _State("this node is a performance standby", "Run again, or give the url of the active node.", True),
    500: _State("it has failed inside", "Look into the log of the server; then run again.", True),
    501: _State("it is not initialized", "Initialize and unseal it (vault operator init), or correct url."),
    502: _State("something that it needs, or a proxy before it, has failed", _LATER, True),
    503: _State("it is sealed, or under maintenance", "Unseal it (vault operator unseal); then run again.", True),
    504: _State("a proxy before it got no answer from it in time", _LATER, True),
}

#: Words of servers, each with its remedy, where the server has to be corrected and not the request; their HTTP status does not tell.
_SETTINGS = (
    ("unknown role", "Create this role in the mount (docs/issuers/vault.md), or correct role."),
    ("PKI issuer for reference", "Correct issuer.name: vault list MOUNT/issuers shows ids, and names in detail."),
    ("was one set?", "Correct issuer.name, or give the mount an issuer."),
    ("corresponding key for issuer", "Give as issuer.name an issuer whose key the mount holds."),
    ("but only had usage", "Give the issuer the usage issuing-certificates, or name another issuer."),
)


#: The statuses of a server that does not want a request. Vault gives its words as ``errors`` in JSON with each.
REFUSALS = frozenset({400, 403})
#: A server says this with a status of 500 of a client certificate that has expired or is not for clients.
_UNVERIFIED = "failed to verify client's certificate"


def is_refusal(reply: Reply) -> bool:
    """Whether the server does not want this request, which means something else for each call; asking again does not help."""
    return reply.status in REFUSALS or (reply.status == 500 and _UNVERIFIED in reply.errors)


def failure(server: str, call: Call, reply: Reply) -> VaultFailure:
    """The failure by an answer other than success, of the server as messages name it."""
    unknown = _State("a server of this API gives no such answer", "Check url and the proxy.", reply.status >= 500)
    state = _STATES.get(reply.status, unknown)
    if remedy := settings_remedy(reply):
        state = _State("it is not set up for that", remedy)
    return VaultFailure(
        server,
        f"cannot {call.doing}: {state.cause} (HTTP {reply.status}{quoted(reply.errors)})",
        state.remedy,
        transient=state.transient,
        wait=reply.wait,
    )


def settings_remedy(reply: Reply) -> str:
    """How to correct the server before any request can succeed; empty where nothing of that kind is known."""
    return next((remedy for phrase, remedy in _SETTINGS if phrase in reply.errors), "")


def quotable(text: str, secrets: Iterable[str] = ()) -> str:
    """The words of a server as part of a sentence, without secrets, which must not be shown."""
    text = _PEM.sub("(hidden)", text)
    # A secret may begin with another: hidden first, the shorter would leave the rest of the longer in sight.
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "(hidden)")
    return fit_in_line(text, _LONGEST)


def quoted(errors: str) -> str:
    """The words after a colon; empty where there is nothing to quote."""
    return f": {errors}" if errors else ""


def checked_url(url: str) -> str:
    """Raises VaultFailure. The URL is not quoted: it may hold a password."""
    base = url.rstrip("/")
    try:
        parts = urlsplit(base)
        usable = bool(parts.hostname) and not (parts.username or parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(not character.isprintable() or character.isspace() for character in base):
        raise VaultFailure("The url of Vault", "is not a URL of a server", "Give url as https://HOST:8200.")
    if not is_safe(base):
        raise VaultFailure(
            f"The url {base}",
            "has no TLS: tokens would be sent unencrypted, and any host on the way could answer",
            "Give a url that begins with https://.",
        )
    return base


def tls_context(settings: VaultIssuer) -> ssl.SSLContext:
    given = settings.ca_certificate
    try:
        # Bundles of distributions have the names of CAs, in any language, between the certificates.
        context = to_vault(None if given is None else given.decode("ascii", "ignore"))
    except (ssl.SSLError, ValueError):
        raise VaultFailure(
            "The given CA of Vault's own certificate", "is no certificate in PEM form", "Correct it."
        ) from None
    if isinstance(settings.login, VaultTlsCertificate):
        _present(context, settings.login)
    return context


def _present(context: ssl.SSLContext, login: VaultTlsCertificate) -> None:
    try:
        present(context, encode_certificates(login.chain) + login.key.reveal(), "vault")
    except NoMemoryFiles:
        raise VaultFailure(
            "This system",
            "has no memory files (memfd_create), so the key that logs in to Vault cannot be used without "
            "writing it to a disk",
            "Run this task on Linux, or log in in another way.",
        ) from None
    except UnusablePair:
        raise VaultFailure(
            "The certificate and the key that log in to Vault",
            "are no usable pair",
            "Give the key of this certificate.",
        ) from None


def pool(base: str, context: ssl.SSLContext) -> Any:
    """Raises VaultFailure."""
    try:
        return pool_of_environment(base, context)
    except TransportError as error:
        raise VaultFailure(f"Vault {base}", f"cannot be reached: {error}", error.remedy) from None


#: Seconds to connect: Vault is no part of the control plane, and an address that is filtered out does not answer at
#: all.
_CONNECT_TIMEOUT = 10.0
#: Seconds for one answer: to sign takes milliseconds, but some keys lie in hardware modules.
_READ_TIMEOUT = 30.0
#: From a standby to the active node, and once more where that has moved.
_MOST_REDIRECTS = 2
_REDIRECTS = frozenset({301, 302, 307, 308})


class VaultConnection:
    """Connections are kept open between requests."""

    def __init__(self, settings: VaultIssuer) -> None:
        """Raises VaultFailure where the settings do not make a connection."""
        self.server = f"Vault {settings.url.rstrip('/')}"
        self._base = checked_url(settings.url)
        self._namespace = settings.namespace.strip("/")
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
            url = self._check_redirect(url, target)
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

    def _check_redirect(self, url: str, target: str) -> str:
        """The token goes there too, so it must be as safe."""
        try:
            joined = urljoin(url, target)
            host_and_port(joined)
        except ValueError:
            raise VaultFailure(
                self.server, "redirects to what is no URL", "Correct api_addr in the configuration of the server."
            ) from None
        if urlsplit(joined).scheme != "https" and not (is_on_this_machine(joined) and is_on_this_machine(self._base)):
            raise VaultFailure(
                self.server,
                "redirects to a URL without TLS, where the token would be sent unencrypted",
                "Correct api_addr in the configuration of the server.",
            )
        return joined

    def _reply(self, call: Call, status: int, headers: Mapping[str, str], data: bytes) -> Reply:
        body = _decoded(data)
        if status in REFUSALS and (body is None or "errors" not in body):
            raise VaultFailure(
                self.server,
                f"answered with HTTP {status}, and not as Vault or OpenBao refuse: a program before it did",
                "Check url and the proxy, and see that it lets requests for leaves through.",
            )
        if body is None:
            if 200 <= status < 300:
                raise VaultFailure(
                    self.server,
                    "answered, but not with JSON: it is no Vault or OpenBao",
                    "Check url and the proxy: a login page may have been put between.",
                )
            return Reply(status, {}, wait=retry_after(headers.get("Retry-After", "")))
        found = body.get("errors")
        texts = [error for error in found if isinstance(error, str)] if isinstance(found, list) else []
        errors = quotable("; ".join(texts), (call.token, *call.secrets))
        return Reply(status, body, errors, retry_after(headers.get("Retry-After", "")))


#: The settings as remedies name them (docs/issuers/vault.md).
_TRUST, _ADDRESS, _OWN = "issuer.ca_certificate", "issuer.url", "issuer.login (certificate and private_key)"


def _no_answer(error: Exception, server: str) -> VaultFailure:
    failures = urllib3.exceptions
    if isinstance(error, failures.ProxyError):
        cause, transient = proxy_failure(error)
        return VaultFailure(
            f"The proxy to {server}", quotable(cause), "Check HTTPS_PROXY and NO_PROXY.", transient=transient
        )
    if tls := explain(error, Peer(server, _TRUST, _ADDRESS, _OWN)):
        return VaultFailure(server, quotable(tls.cause), tls.remedy, transient=tls.transient)
    if isinstance(error, failures.ReadTimeoutError):
        return VaultFailure(
            server, f"did not answer within {_READ_TIMEOUT:g} s", "Run again when it is less busy.", transient=True
        )
    if isinstance(error, failures.ConnectTimeoutError) and not isinstance(error, failures.NewConnectionError):
        cause = f"nothing answered within {_CONNECT_TIMEOUT:g} s"
    else:
        cause = quotable(innermost_cause(error))
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
    found = read_json(data)
    return found if isinstance(found, dict) else None
