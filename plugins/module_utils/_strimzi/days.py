# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Days as resources say them: Strimzi's definitions of these fields have no highest value."""

from __future__ import annotations

from datetime import timedelta

#: More than any certificate of a cluster lives, and far from where times end.
_MOST = 100 * 365


def days_of(value: object) -> timedelta | None:
    """At most a hundred years; None where the resource says nothing, or no number of days."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        return None
    return timedelta(days=min(value, _MOST))
