# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The errors that keep a run from asking Vault or OpenBao, as sentences with a remedy (docs/issuers/vault.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..._errors import VaultFailure, fit_in_line

#: Characters of a server's words that are shown.
_LONGEST = 400
_PEM = re.compile(r"-----BEGIN.*?(?:-----END[^-]*-----|$)", re.DOTALL)


@dataclass(frozen=True, repr=False)
class Call:
    """A request to the API. body: None to read. doing: for people, after "cannot". secrets: texts that are sent and must not
    be quoted.
    """

    path: str
    body: Mapping[str, Any] | None
    doing: str
    token: str = ""
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Reply:
    """An answer of the server. The body may hold a token: no repr. said: its errors, safe to show; may be empty. wait: as
    for VaultFailure.
    """

    status: int
    body: Mapping[str, Any]
    said: str = ""
    wait: float | None = None


@dataclass(frozen=True)
class _State:
    cause: str
    remedy: str
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


#: A server says this with a status of 500 of a client certificate that has expired or is not for clients.
_UNVERIFIED = "failed to verify client's certificate"


def is_refusal(reply: Reply) -> bool:
    """Whether the server does not want this request, which means something else for each call; asking again does not help."""
    return reply.status in (400, 403) or (reply.status == 500 and _UNVERIFIED in reply.said)


def failure(server: str, call: Call, reply: Reply) -> VaultFailure:
    """For an answer that is no success. server: how people name it."""
    unknown = _State("a server of this API gives no such answer", "Check url and the proxy.", reply.status >= 500)
    state = _STATES.get(reply.status, unknown)
    if remedy := settings_remedy(reply):
        state = _State("it is not set up for that", remedy)
    return VaultFailure(
        server,
        f"cannot {call.doing}: {state.cause} (HTTP {reply.status}{quoted(reply.said)})",
        state.remedy,
        transient=state.transient,
        wait=reply.wait,
    )


def settings_remedy(reply: Reply) -> str:
    """How to correct the server before any request can succeed; empty where nothing of that kind is known."""
    return next((remedy for phrase, remedy in _SETTINGS if phrase in reply.said), "")


def quotable(text: str, secrets: Iterable[str] = ()) -> str:
    """The words of a server as part of a sentence, without secrets, which must not be shown."""
    text = _PEM.sub("(hidden)", text)
    for secret in secrets:
        text = text.replace(secret, "(hidden)") if secret else text
    return fit_in_line(text, _LONGEST)


def quoted(said: str) -> str:
    """The words after a colon; empty where there is nothing to quote."""
    return f": {said}" if said else ""
