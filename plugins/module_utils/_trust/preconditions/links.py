# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""``link_until``, until when link certificates that are going to be made are valid at most."""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.target import resolve, rotation_of
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation


def link_until_is_ahead(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A time that is over would have clients refused that never read again, and a date with another year was meant."""
    until, ledger = intent.link_until, snapshot.ledger or Ledger()
    if until is None or until > snapshot.now or not snapshot.sends_chains:
        return
    if resolve(snapshot, intent, ledger).wanted and rotation_of(snapshot, intent, ledger) is Goal.REPLACE_KEY:
        yield Violation(
            Condition.LINK_UNTIL_IS_AHEAD, "link_until",
            f"{until:%Y-%m-%d %H:%M:%S} UTC is over, so nodes would not lead clients on that know only the CA which is to be replaced.",
            "Give a later time, or none: nodes lead them on until that CA ends.",
        )  # fmt: skip
