# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The maintenance windows of a Kafka resource, at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class MaintenanceWindows:
    """The times in which pods may restart."""

    # Whether one of them is open now.
    is_open: bool
    # When the next one opens, in UTC; None where none does.
    opens_at: datetime | None
    # Why an expression cannot be read, as a clause; empty where all can be.
    problem: str = ""
