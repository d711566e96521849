# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A Secret of a ledger, as a layout wants it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .secret_data import entries

_FINGERPRINT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Part:
    """annotations: None takes one away. own: the endings of entries that are ours behind a fingerprint."""

    name: str
    entries: Mapping[str, bytes]
    annotations: Mapping[str, str | None]
    own: frozenset[str]
    type: str = "Opaque"

    def superfluous(self, stored: Mapping[str, Any]) -> tuple[str, ...]:
        """Entries of ours that this part of the ledger does not have."""
        return tuple(key for key in entries(stored) if key not in self.entries and self._is_own(key))

    def _is_own(self, key: str) -> bool:
        return bool(_FINGERPRINT.match(key)) and key[40:] in self.own
