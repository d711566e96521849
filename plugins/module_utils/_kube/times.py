# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Times in objects of the Kubernetes API (RFC 3339)."""

from __future__ import annotations

from datetime import datetime


def read_time(value: object) -> datetime | None:
    """The time, aware; None where there is none, or something else stands in its place.

    Python 3.10 does not read the Z with which the API server ends every time.
    """
    try:
        found = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return None
    return None if found.tzinfo is None else found
