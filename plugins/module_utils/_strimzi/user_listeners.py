# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Listeners on which users log in with certificates (docs/operator.md, "Who trusts what", "Users")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .listener_addresses import listeners_of

#: Where the operator gives a listener the clients CA, and where the Kafka resource says whom it trusts.
_MANAGED, _CUSTOM = "tls", "custom"
#: Whether such a listener asks for certificates: one that lets users in by OAuth or a password mostly does not.
_ASKS, _NEVER = "ssl.client.auth", "none"


@dataclass(frozen=True)
class UserListener:
    """kind: its type, such as ``internal``. managed: whether the operator gives it the clients CA."""

    name: str
    port: int
    kind: str
    managed: bool

    @property
    def label(self) -> str:
        """Its name as people read it."""
        return f"listener {self.name} ({self.port}, authentication {_MANAGED if self.managed else _CUSTOM})"

    @property
    def identifier(self) -> str:
        """Its name in the settings of a node, in lower case (docs/operator.md, "Reload")."""
        return f"{self.name.lower()}-{self.port}"


def user_listeners(kafka: Mapping[str, Any]) -> tuple[UserListener, ...]:
    """The listeners that can ask a client for a certificate."""
    found = []
    for one in listeners_of(kafka):
        authentication = one.get("authentication") or {}
        managed = authentication.get("type") == _MANAGED
        if one.get("tls") and (managed or _asks_by_itself(authentication)):
            found.append(UserListener(str(one["name"]), int(one["port"]), str(one["type"]), managed))
    return tuple(found)


def _asks_by_itself(authentication: Mapping[str, Any]) -> bool:
    """Whether the Kafka resource has it ask for certificates: the operator adds nothing to what it says."""
    asks = (authentication.get("listenerConfig") or {}).get(_ASKS, _NEVER)
    return authentication.get("type") == _CUSTOM and str(asks).lower() != _NEVER
