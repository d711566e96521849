# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Requests to Vault with a token (docs/issuers/vault.md, "Logging in")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import VaultFailure
from .vault_calls import PatientCalls
from .vault_errors import Call, Reply, quotable
from .vault_login import Tokens


class VaultSession:
    """Where a token has ended in the middle, a request is sent once more with another one."""

    def __init__(self, calls: PatientCalls, tokens: Tokens) -> None:
        self._calls = calls
        self._tokens = tokens

    def post(self, path: str, body: Mapping[str, Any], doing: str) -> Reply:
        """A success, or 400. Raises VaultFailure for all others."""
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

    def _denied(self, path: str, doing: str, capability: str, *, fresh: bool) -> VaultFailure:
        """The failure, which tells whether the token or its policies are the cause: the policy ``default`` lets a token look at
        itself. fresh: the token was got just now.
        """
        policies = self._policies()
        if policies is None and not fresh:
            return VaultFailure(
                self._calls.server,
                f"cannot {doing}: it does not accept the token, which has ended or was revoked, or "
                "belongs to another server or namespace",
                "Give another token, or a way to log in.",
            )
        named = f" ({policies})" if policies else ""
        return VaultFailure(
            self._calls.server,
            f"cannot {doing}: none of the policies of its token{named} permits it",
            f'Add this to one of them: path "{path}" {{ capabilities = ["{capability}"] }}.',
        )

    def _policies(self) -> str | None:
        """The policies of the present token; None where it cannot even tell them."""
        token = self._tokens.token()
        try:
            reply = self._calls.send(Call("auth/token/lookup-self", None, "show the token", token))
        except VaultFailure:
            return None
        data = reply.body.get("data")
        if reply.status >= 400 or not isinstance(data, dict):
            return None
        named = [data.get("policies"), data.get("identity_policies")]
        return quotable(", ".join(str(one) for some in named if isinstance(some, list) for one in some), (token,))
