# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens, policies and logins."""

from __future__ import annotations

import fnmatch
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import ApiError
from .pki import seconds

_RULE = re.compile(r'path\s+"([^"]+)"\s*\{\s*capabilities\s*=\s*\[([^\]]*)\]')
#: The policy that every token has unless it is made without it.
DEFAULT_POLICY = """
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/renew-self" { capabilities = ["update"] }
path "auth/token/revoke-self" { capabilities = ["update"] }
"""


@dataclass
class Issued:
    """A token. Its times are by the server's clock."""

    policies: tuple[str, ...]
    seconds: float = 0.0
    #: The end of the token; None: it has none.
    until: float | None = None
    #: The latest end that a renewal can give it; None: any.
    latest: float | None = None
    renewable: bool = False
    uses: int | None = None


@dataclass
class Method:
    """A way to log in."""

    #: Whether these fields of the request are right; the second argument is the DER of the client certificate.
    accepts: Callable[[Mapping[str, Any], bytes | None], bool]
    #: The answer to a login that fails.
    refusal: ApiError
    policies: tuple[str, ...] = ("default",)
    seconds: float = 1200.0
    longest: float = 3600.0
    uses: int | None = None


@dataclass
class Tokens:
    #: Monotonic seconds.
    clock: Callable[[], float]
    issued: dict[str, Issued] = field(default_factory=dict)
    policies: dict[str, str] = field(default_factory=lambda: {"default": DEFAULT_POLICY})
    methods: dict[str, Method] = field(default_factory=dict)

    def make(self, *policies: str, seconds: float = 0.0, longest: float = 0.0, uses: int | None = None) -> str:
        """seconds: 0 for a token that does not end."""
        token = f"hvs.{uuid.uuid4().hex}"
        now = self.clock()
        self.issued[token] = Issued(
            policies, seconds, now + seconds if seconds else None, now + longest if longest else None, seconds > 0, uses
        )
        return token

    def create(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The token that a client with the permission asks for; the policy ``default`` comes with every one."""
        lives = seconds(body.get("ttl", "768h")).total_seconds()
        return self._auth(self.make("default", *body.get("policies", ()), seconds=lives))

    def log_in(self, mount: str, body: Mapping[str, Any], client_certificate: bytes | None) -> dict[str, Any]:
        method = self.methods.get(mount)
        if method is None:
            # Without a token no client learns whether a path exists.
            raise ApiError(403, "permission denied")
        if not method.accepts(body, client_certificate):
            raise method.refusal
        token = self.make(*method.policies, seconds=method.seconds, longest=method.longest, uses=method.uses)
        return self._auth(token)

    def renew(self, token: str) -> dict[str, Any]:
        """Lengthen the life of the token, but not beyond the longest life that it may have."""
        entry = self.issued[token]
        if not entry.renewable:
            raise ApiError(400, "lease is not renewable")
        entry.until = self.clock() + entry.seconds
        if entry.latest is not None:
            entry.until = min(entry.until, entry.latest)
        return self._auth(token)

    def look_up(self, token: str) -> dict[str, Any]:
        entry = self.issued[token]
        return {"policies": list(entry.policies), "renewable": entry.renewable, "type": "service"}

    def check(self, token: str, path: str, capability: str) -> None:
        """Raises ApiError where this token may not do that. The check takes one use of the token, whatever comes of it."""
        entry = self.issued.get(token)
        if entry is None or (entry.until is not None and self.clock() >= entry.until):
            raise ApiError(403, "permission denied")
        if entry.uses is not None:
            entry.uses -= 1
            if entry.uses <= 0:
                del self.issued[token]
        if not any(self._permits(policy, path, capability) for policy in entry.policies):
            raise ApiError(403, "1 error occurred:\n\t* permission denied\n\n")

    def _permits(self, policy: str, path: str, capability: str) -> bool:
        if policy == "root":
            return True
        rules = _RULE.findall(self.policies.get(policy, ""))
        return any(fnmatch.fnmatchcase(path, rule) and f'"{capability}"' in found for rule, found in rules)

    def _auth(self, token: str) -> dict[str, Any]:
        entry = self.issued[token]
        left = 0 if entry.until is None else int(entry.until - self.clock())
        return {
            "client_token": token, "accessor": uuid.uuid4().hex, "policies": list(entry.policies),
            "token_policies": list(entry.policies), "metadata": None, "lease_duration": left,
            "renewable": entry.renewable,
        }  # fmt: skip
