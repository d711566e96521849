# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""When a failed request is tried again: after an hour, then after twice as long each time, up to 32 hours, as
cert-manager does (Improved and extensible Certificate controller, "trigger").
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from .life import Failure

_FIRST = timedelta(hours=1)
_LONGEST = timedelta(hours=32)
#: The share of the time by which tries are spread, so that the leaves of a cluster do not all come at the same second.
_SPREAD = 0.1


def next_try(failure: Failure, who: str) -> datetime:
    """who: the end entity. The same failure gives the same time, so that every look gives the same."""
    doubled = _FIRST * float(2 ** min(failure.count - 1, 16))
    return failure.at + min(doubled, _LONGEST) * (1 + _SPREAD * _share(f"{who} {failure.count}"))


def _share(text: str) -> float:
    """Between 0 and 1, evenly spread over texts."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32
