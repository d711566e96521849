# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Times in objects of the Kubernetes API (RFC 3339), and in its answers (RFC 9110)."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

_FIRST_YEAR, _LAST_YEAR = 1970, 9000


def read_time(value: object) -> datetime | None:
    """The time, aware; None where there is none, or something else stands in its place.

    Python 3.10 does not read the Z with which the API server ends every time.
    """
    try:
        found = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return None
    # Near their ends times cannot be reckoned with.
    return None if found.tzinfo is None or not _FIRST_YEAR <= found.year <= _LAST_YEAR else found


def ahead_of_server(sent: datetime, received: datetime, date: str) -> timedelta | None:
    """How far the clock of this machine is ahead of the server's; negative where it is behind, zero where the two may agree. None where the
    answer does not tell.

    sent, received: by the clock of this machine, around a request. date: the field ``Date`` of the answer, in whole seconds (RFC 9110 section
    6.6.1).
    """
    try:
        told = parsedate_to_datetime(date)
    except (TypeError, ValueError):
        return None
    if told.tzinfo is None:
        return None
    return max(sent - (told + timedelta(seconds=1)), timedelta(0)) or min(received - told, timedelta(0))
