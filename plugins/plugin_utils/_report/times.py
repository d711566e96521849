# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Points in time and the differences between them."""

from __future__ import annotations

from datetime import datetime, timezone

SECONDS_OF_A_DAY = 86400


def moment(text: str) -> datetime:
    """An RFC 3339 time as the modules write it."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)


def seconds_between(begin: str, end: datetime) -> float:
    return round((end - moment(begin)).total_seconds(), 1)


def days_left(not_after: str | None, now: datetime) -> int | None:
    """Full days until then; negative when it is over."""
    if not not_after:
        return None
    return int((moment(not_after) - now).total_seconds() // SECONDS_OF_A_DAY)
