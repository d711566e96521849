# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""CAs of the source that wait for the user: nothing is done about them, and nothing else is held up."""

from __future__ import annotations

from ..ledger.wish import wish_of
from .situation import Situation


def describe_roots_to_confirm(at: Situation) -> tuple[str, ...]:
    """Sentences that say what a person has to compare, and what then to do."""
    wish = wish_of(at.snapshot, at.intent, at.ledger)
    if wish is None:
        return ()
    return tuple(
        f"{wish.source.name} holds a CA that this cluster does not trust: {one.subject}, SHA-256 {one.sha256}, valid from "
        f"{one.not_before:%Y-%m-%d %H:%M} to {one.not_after:%Y-%m-%d %H:%M} UTC. Nothing is done about it until a person has compared this "
        f"fingerprint with that of the CA that is meant and runs again with it in confirm_roots (strimzi_confirm_roots={one.sha256})."
        for one in wish.unconfirmed
    )
