# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Tokens of Vault: how one is got, and what happens when it ends (docs/issuers/vault.md, "Logging in")."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .._errors import VaultFailure
from .._strimzi.issuer_settings import (
    VaultAppRole,
    VaultKubernetes,
    VaultLogin,
    VaultTlsCertificate,
    VaultToken,
    VaultTokenSecret,
)
from .._strimzi.work import Clock
from .vault_calls import PatientCalls
from .vault_errors import Call, Reply, quoted
from .vault_paths import mount_path

#: The share of a token's life that is left when it is renewed.
_LEFT_AT_RENEWAL = 1 / 3


class Tokens(Protocol):
    """Where a token comes from."""

    def token(self) -> str:
        """A token that has not expired, as far as we know. Raises VaultFailure."""

    def give_up(self) -> bool:
        """Gives up a token that was not accepted. Returns whether there may be another one."""


@dataclass(frozen=True, repr=False)
class GivenToken:
    """A token that is used as long as it lasts; the person who gave it sees to its life."""

    value: str

    def token(self) -> str:
        return self.value

    def give_up(self) -> bool:
        return False


#: Reads the token in a Secret. Raises VaultFailure, KubeError.
ReadToken = Callable[[VaultTokenSecret], str]


class StoredToken:
    """A token in a Secret, which is read when it is needed, and once more where it is not accepted: another program may renew it there."""

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
    """until, renew_at: by the monotonic clock; None where it does not end."""

    token: str
    renewable: bool = False
    until: float | None = None
    renew_at: float = 0.0


@dataclass(frozen=True, repr=False)
class _Method:
    """A login. name: for people. wrong: what to correct where Vault refuses it."""

    name: str
    mount: str
    body: Mapping[str, str]
    wrong: str


class LoggedIn:
    """A token that is got when it is needed, renewed while it lives, and got anew when it has ended."""

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
        """The token may have ended sooner than was said: it was revoked, or it was for so many uses only."""
        self._lease = None
        return True

    def _log_in(self, method: _Method) -> _Lease:
        path = f"auth/{mount_path(method.mount)}/login"
        doing = f"take the login by {method.name} at auth/{method.mount}"
        reply = self._calls.send(Call(path, method.body, doing, secrets=tuple(method.body.values())))
        if reply.status >= 400:
            raise VaultFailure(
                self._calls.server,
                f"refuses the login by {method.name} at auth/{method.mount} (HTTP {reply.status}{quoted(reply.said)})",
                method.wrong,
            )
        return self._lease_of(reply, doing)

    def _renewed(self, lease: _Lease) -> _Lease | None:
        """The renewed token; None where another one is needed: it has ended, or has reached the longest life that it may have."""
        if not lease.renewable or lease.until is None or self._clock.monotonic() >= lease.until:
            return None
        doing = "renew its token"
        reply = self._calls.send(Call("auth/token/renew-self", {}, doing, lease.token))
        if reply.status >= 400:
            return None
        found = self._lease_of(reply, doing)
        # Servers tell whole seconds, so a second more is no longer life.
        return found if found.until is None or found.until > lease.until + 1 else None

    def _lease_of(self, reply: Reply, doing: str) -> _Lease:
        found = reply.body.get("auth")
        auth: Mapping[str, Any] = found if isinstance(found, dict) else {}
        token, seconds = auth.get("client_token"), auth.get("lease_duration")
        if auth.get("mfa_requirement"):
            raise VaultFailure(
                self._calls.server,
                f"cannot {doing}: it wants a second factor",
                "Log in in a way for programs, which needs none.",
            )
        if not isinstance(token, str) or not token or not isinstance(seconds, int):
            raise VaultFailure(
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
        return _Method("AppRole", login.mount.strip("/"), body, wrong)
    if isinstance(login, VaultKubernetes):
        wrong = (
            f"Check that the role {login.role} of this auth method is bound to the service account, its namespace and the "
            "audience of its token, and that the token has not expired."
        )
        return _Method("Kubernetes", login.mount.strip("/"), {"role": login.role, "jwt": login.jwt.strip()}, wrong)
    body = {"name": login.role} if login.role else {}
    wrong = (
        "Check that the auth method knows the CA of the client certificate, that the certificate has not expired and is for clients "
        "(clientAuth), and that nothing before Vault ends TLS."
    )
    return _Method("TLS certificate", login.mount.strip("/"), body, wrong)
