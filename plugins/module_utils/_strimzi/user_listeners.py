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

#: Where the operator gives a listener the clients CA, and where somebody says in the Kafka resource whom it trusts.
_MANAGED, _CUSTOM = "tls", "custom"


@dataclass(frozen=True)
class UserListener:
    """kind: its type, such as ``internal``. managed: whether the operator gives it the clients CA."""

    name: str
    port: int
    kind: str
    managed: bool

    @property
    def identifier(self) -> str:
        """Its name in the settings of a node, in lower case (docs/operator.md, "Reload")."""
        return f"{self.name.lower()}-{self.port}"


def user_listeners(kafka: Mapping[str, Any]) -> tuple[UserListener, ...]:
    """The listeners that can ask a client for a certificate."""
    found = []
    for one in listeners_of(kafka):
        kind = (one.get("authentication") or {}).get("type")
        if one.get("tls") and kind in (_MANAGED, _CUSTOM):
            found.append(UserListener(str(one["name"]), int(one["port"]), str(one["type"]), kind == _MANAGED))
    return tuple(found)
