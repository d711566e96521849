# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Requests to Vault with a token: paths of its API, how a run gets a token, and what happens when the token ends
(docs/issuers/vault.md, "Logging in").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

from ..._errors import ServerFailure
from ..._strimzi.apply.work import Clock
from ..https.api import Call, Reply, quotable, quoted
from ..https.patience import PatientCalls
from .settings import VaultAppRole, VaultKubernetes, VaultLogin, VaultTlsCertificate, VaultToken, VaultTokenSecret


def mount_path(mount: str) -> str:
    """The path of a mount. It may lie below others: ``pki/kafka``."""
    return "/".join(quote(part, safe="") for part in mount.split("/") if part)


def sign_path(mount: str, issuer_ref: str, role: str) -> str:
    """The path to sign by this issuer, whichever the mount takes by default."""
    return f"{issuer_path(mount, issuer_ref)}/sign/{quote(role, safe='')}"


def sign_intermediate_path(mount: str, issuer_ref: str) -> str:
    return f"{issuer_path(mount, issuer_ref)}/sign-intermediate"


def sign_self_issued_path(mount: str, issuer_ref: str) -> str:
    """The path that signs a self-signed certificate, with its name byte by byte, its dates and its extensions."""
    return f"{issuer_path(mount, issuer_ref)}/sign-self-issued"


def cross_sign_path(mount: str) -> str:
    """The path that makes a request with a key of the mount."""
    return f"{mount_path(mount)}/intermediate/cross-sign"


def issuer_path(mount: str, issuer_ref: str) -> str:
    return f"{mount_path(mount)}/issuer/{quote(issuer_ref, safe='')}"


#: The remaining share of a token's life at its renewal.
_LEFT_AT_RENEWAL = 1 / 3


class Tokens(Protocol):
    """A source of tokens."""

    def token(self) -> str:
        """An unexpired token, as far as we know. Raises ServerFailure."""

    def give_up(self) -> bool:
        """Give up a refused token. Returns whether there may be another token."""


@dataclass(frozen=True, repr=False)
class GivenToken:
    """A token for as long as it lasts; the caller sees to its life."""

    #: The token.
    value: str

    def token(self) -> str:
        return self.value

    def give_up(self) -> bool:
        return False


#: Reads the token in a Secret. Raises ServerFailure, KubeError.
ReadToken = Callable[[VaultTokenSecret], str]


class StoredToken:
    """A token in a Secret, read when it is needed. If it is not accepted, it is read once more: another program may
    renew it there.
    """

    def __init__(self, secret: VaultTokenSecret, read: ReadToken) -> None:
        self._secret = secret
        self._read = read
        self._token: str | None = None

    def token(self) -> str:
        if self._token is None:
            self._token = self._read(self._secret)
        return self._token

    def give_up(self) -> bool:
        refused, self._token = self._token, self._read(self._secret)
        return self._token != refused


@dataclass(frozen=True, repr=False)
class _Lease:
    """A token, for as long as Vault accepts it."""

    #: The token of the login or of the renewal.
    token: str
    #: Whether Vault renews the token.
    renewable: bool = False
    #: The end of the token by the monotonic clock, in seconds; None if it does not end.
    until: float | None = None
    #: The time for its renewal by the monotonic clock, in seconds.
    renew_at: float = 0.0


@dataclass(frozen=True, repr=False)
class _Method:
    """A login."""

    #: The name of the login in messages.
    name: str
    #: The path of the auth method, without ``auth/``.
    mount: str
    #: The JSON body of the login request.
    body: Mapping[str, str]
    #: The texts in it that must not be quoted.
    secrets: tuple[str, ...]
    #: The option to correct if Vault refuses the login.
    wrong: str


class LoggedIn:
    """A token that the call gets when it is needed, renews while it lives, and gets again when it has ended."""

    def __init__(self, calls: PatientCalls, method: _Method, clock: Clock) -> None:
        self._calls = calls
        self._clock = clock
        self._method = method
        self._lease: _Lease | None = None

    def token(self) -> str:
        lease = self._lease
        if lease is not None and lease.until is not None and self._clock.monotonic() >= lease.renew_at:
            lease = self._renewed(lease)
        if lease is None:
            lease = self._log_in(self._method)
        self._lease = lease
        return lease.token

    def give_up(self) -> bool:
        """Give up the token. It may have ended sooner than Vault said: it was revoked, or it had a limited number of
        uses.
        """
        self._lease = None
        return True

    def _log_in(self, method: _Method) -> _Lease:
        path = f"auth/{mount_path(method.mount)}/login"
        doing = f"take the login by {method.name} at auth/{method.mount}"
        reply = self._calls.send(Call(path, method.body, doing, secrets=method.secrets))
        if reply.status >= 400:
            raise ServerFailure(
                self._calls.server,
                f"refuses the login by {method.name} at auth/{method.mount} (HTTP "
                f"{reply.status}{quoted(reply.errors)})",
                method.wrong,
            )
        return self._lease_of(reply, doing)

    def _renewed(self, lease: _Lease) -> _Lease | None:
        """The renewed token; None if a new login is needed: the token has ended, has reached its longest life, or
        cannot be renewed. Any failure counts: if the role of the login has changed since, Vault fails inside.
        """
        if not lease.renewable or lease.until is None or self._clock.monotonic() >= lease.until:
            return None
        doing = "renew its token"
        try:
            reply = self._calls.send(Call("auth/token/renew-self", {}, doing, lease.token))
            if reply.status >= 400:
                return None
            renewed = self._lease_of(reply, doing)
        except ServerFailure:
            return None
        # Servers give whole seconds, so an end that is up to a second later is no gain.
        return renewed if renewed.until is None or renewed.until > lease.until + 1 else None

    def _lease_of(self, reply: Reply, doing: str) -> _Lease:
        issued = reply.body.get("auth")
        auth: Mapping[str, Any] = issued if isinstance(issued, dict) else {}
        token, seconds = auth.get("client_token"), auth.get("lease_duration")
        if auth.get("mfa_requirement"):
            raise ServerFailure(
                self._calls.server,
                f"cannot {doing}: it wants a second factor",
                "Log in in a way for programs, which needs none.",
            )
        if not isinstance(token, str) or not token or not isinstance(seconds, int):
            raise ServerFailure(
                self._calls.server, f"cannot {doing}: its answer has no token", "Check url, and what lies before it."
            )
        if seconds <= 0:
            return _Lease(token)
        now = self._clock.monotonic()
        renew_at = now + seconds * (1 - _LEFT_AT_RENEWAL)
        return _Lease(token, auth.get("renewable") is True, now + seconds, renew_at)


def tokens_of(login: VaultLogin, calls: PatientCalls, clock: Clock, read: ReadToken) -> Tokens:
    if isinstance(login, VaultTokenSecret):
        return StoredToken(login, read)
    if isinstance(login, VaultToken):
        return GivenToken(login.token.strip())
    return LoggedIn(calls, _method(login), clock)


def _method(login: VaultAppRole | VaultKubernetes | VaultTlsCertificate) -> _Method:
    if isinstance(login, VaultAppRole):
        body = {"role_id": login.role_id.strip(), "secret_id": login.secret_id.strip()}
        wrong = (
            "Give another secret_id, because they end after a time and a number of uses; and check role_id and mount."
        )
        return _Method("AppRole", login.mount.strip("/"), body, tuple(body.values()), wrong)
    if isinstance(login, VaultKubernetes):
        wrong = (
            f"Check that the role {login.role} of this auth method is bound to the service account, its namespace and "
            "the audience of its token, and that the token has not expired."
        )
        body = {"role": login.role, "jwt": login.jwt.strip()}
        return _Method("Kubernetes", login.mount.strip("/"), body, (body["jwt"],), wrong)
    body = {"name": login.role} if login.role else {}
    wrong = (
        "Check that the auth method knows the CA of the client certificate, that the certificate has not expired and "
        "is for clients (clientAuth), and that nothing before Vault ends TLS."
    )
    return _Method("TLS certificate", login.mount.strip("/"), body, (), wrong)


class VaultSession:
    """Requests with a token. If the token has ended in the middle, a request is sent once more with another token."""

    def __init__(self, calls: PatientCalls, tokens: Tokens) -> None:
        self._calls = calls
        self._tokens = tokens

    def post(self, path: str, body: Mapping[str, Any], doing: str) -> Reply:
        """Send a request. The reply is a success or a refusal of it. Raises ServerFailure for all other answers."""
        return self._ask(path, body, doing)

    def read(self, path: str, doing: str) -> Reply:
        """The same as ``post``, for reading."""
        return self._ask(path, None, doing)

    def _ask(self, path: str, body: Mapping[str, Any] | None, doing: str) -> Reply:
        reply = self._calls.send(Call(path, body, doing, self._tokens.token()))
        another = reply.status == 403 and self._tokens.give_up()
        if another:
            reply = self._calls.send(Call(path, body, doing, self._tokens.token()))
        if reply.status == 403:
            raise self._denied(path, doing, "read" if body is None else "update", fresh=another)
        return reply

    def _denied(self, path: str, doing: str, capability: str, *, fresh: bool) -> ServerFailure:
        """The failure. It tells whether the token or its policies are the cause: the policy ``default`` lets a token
        look at itself. The token is ``fresh`` if the call got it just now.
        """
        policies = self._policies()
        if policies is None and not fresh:
            return ServerFailure(
                self._calls.server,
                f"cannot {doing}: it does not accept the token, which has ended or was revoked, or "
                "belongs to another server or namespace",
                "Give another token, or a way to log in.",
            )
        named = f" ({policies})" if policies else ""
        return ServerFailure(
            self._calls.server,
            f"cannot {doing}: none of the policies of its token{named} permits it",
            f'Add this to one of them: path "{path}" {{ capabilities = ["{capability}"] }}.',
        )

    def _policies(self) -> str | None:
        """The policies of the present token; None if it cannot even tell them."""
        token = self._tokens.token()
        try:
            reply = self._calls.send(Call("auth/token/lookup-self", None, "show the token", token))
        except ServerFailure:
            return None
        data = reply.body.get("data")
        if reply.status >= 400 or not isinstance(data, dict):
            return None
        named = [data.get("policies"), data.get("identity_policies")]
        return quotable(", ".join(str(policy) for some in named if isinstance(some, list) for policy in some), (token,))
