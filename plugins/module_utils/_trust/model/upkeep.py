# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The renewal of a CA in its time, which the operator gives up when a CA is adopted (docs/design.md, "Upkeep")."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum


class WhenDue(str, Enum):
    """The policy for a CA in its time for renewal. The last two have the values of ``certificateExpirationPolicy`` in the Kafka resource."""

    NONE = "none"
    RENEW = "renew-certificate"
    REPLACE_KEY = "replace-key"


@dataclass(frozen=True)
class UpkeepAsked:
    """The caller's wish."""

    # None: what the Kafka resource says (certificateExpirationPolicy).
    policy: WhenDue | None = None
    # How long before its end the CA's time for renewal begins, in whole days. None: a week before the time that the Kafka resource gives (renewalDays).
    window: timedelta | None = None


@dataclass(frozen=True)
class Upkeep:
    """The policy of the last call that had one, as the ledger records it."""

    # Never NONE: the ledger of a CA that is not kept up records nothing.
    policy: WhenDue
    # How long before its end the CA's time for renewal begins, in whole days; half of the CA's life where that is less.
    window: timedelta
    # Since when the ledger has recorded this.
    since: datetime
