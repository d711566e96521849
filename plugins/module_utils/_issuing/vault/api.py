# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The API of Vault or OpenBao: a server, and the errors of the server, as sentences with a remedy
(docs/issuers/vault.md, "The connection"). The client library for Vault signs by the default issuer of a mount only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..https.api import Api, Header, State
from ..https.connection import Server
from .settings import VaultIssuer, VaultTlsCertificate

_MISSING = State(
    "it has no such path, or the token may not see it",
    "Check url, mount and vault_namespace; a mount and a role that exist are listed by vault secrets list and vault "
    "list.",
)
_LATER = "Run again when vault status shows it active and unsealed; certificates that Vault has issued before stay."

#: By HTTP status (docs/issuers/vault.md, which has the same list for people).
_STATES: Mapping[int, State] = {
    400: State("it does not accept the request", "Check mount, role and issuer in Vault."),
    403: State("it does not permit that", "Check the token and its policies."),
    404: _MISSING,
    405: State("the path takes no POST", "Check mount: it must be a secrets engine of the type pki."),
    412: State("this node has not caught up with its primary yet", "Run again, or give the url of the primary.", True),
    429: State(
        "it has had too many requests, or this node is a standby",
        "Raise the rate limit quota of the mount, or give the url of the active node; then run again.",
        True,
    ),
    472: State("this cluster is a secondary for disaster recovery", "Give the url of the primary cluster."),
    473: State("this node is a performance standby", "Run again, or give the url of the active node.", True),
    500: State("it has failed inside", "Look into the log of the server; then run again.", True),
    501: State("it is not initialized", "Initialize and unseal it (vault operator init), or correct url."),
    502: State("something that it needs, or a proxy before it, has failed", _LATER, True),
    503: State("it is sealed, or under maintenance", "Unseal it (vault operator unseal); then run again.", True),
    504: State("a proxy before it got no answer from it in time", _LATER, True),
}

#: Words of servers, each with its remedy. For them the server has to be corrected and not the request; their HTTP
#: status does not tell.
_SETTINGS = (
    ("unknown role", "Create this role in the mount (docs/issuers/vault.md), or correct role."),
    ("PKI issuer for reference", "Correct issuer.name: vault list MOUNT/issuers shows ids, and names in detail."),
    ("was one set?", "Correct issuer.name, or give the mount an issuer."),
    ("corresponding key for issuer", "Give as issuer.name an issuer whose key the mount keeps."),
    ("but only had usage", "Give the issuer the usage issuing-certificates, or name another issuer."),
)


def _reasons(body: Mapping[str, Any]) -> Sequence[str] | None:
    """The reasons in an answer: Vault gives its words as ``errors`` with each refusal."""
    errors = body.get("errors")
    if "errors" not in body:
        return None
    return [error for error in errors if isinstance(error, str)] if isinstance(errors, list) else []


VAULT = Api(
    name="Vault",
    programs="Vault or OpenBao",
    example="https://HOST:8200",
    path="/v1/",
    reasons=_reasons,
    states=_STATES,
    # The answer to an expired client certificate, or to a certificate that is not for clients.
    refusing_words=((500, "failed to verify client's certificate"),),
    settings=_SETTINGS,
    header="X-Vault-Token",
    own_address="api_addr",
    own_certificate="issuer.login (certificate and private_key)",
)


def server_of(settings: VaultIssuer) -> Server:
    """The server of these settings."""
    login, namespace = settings.login, settings.namespace.strip("/")
    headers = (Header("X-Vault-Namespace", namespace, "namespace"),) if namespace else ()
    return Server(
        settings.url,
        settings.ca_certificate,
        (login.chain, login.key) if isinstance(login, VaultTlsCertificate) else None,
        (Header("X-Vault-Request", "true", "request"), *headers),
    )
