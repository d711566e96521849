# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Abort": a flow that was begun is undone, and the CA that it was to replace is used again by everybody."""

from __future__ import annotations

from ..ledger.journal import undone
from ..model.goals import Phase
from ..model.steps.authority import PrepareAgain, TidyKeys
from ..model.steps.base import Steps
from .situation import Situation


def turn_back(at: Situation) -> Steps:
    """Before the switch the next CA is given up. After it the one that was replaced becomes the next one: everybody trusts it still, so the
    way back is that of any replacement.
    """
    unwanted, begun, current = undone(at.ledger), at.begun, at.current
    if unwanted is None or begun is None or current is None:
        return ()
    prepared = {one.fingerprint for one in at.snapshot.ca.prepared}
    if unwanted in prepared:
        return (TidyKeys(prepared=frozenset({unwanted}), kept_keys=frozenset(), phase=Phase.PREPARE),)
    old = at.ledger.find(begun.successor)
    if old is None or current.fingerprint != unwanted or old.fingerprint in prepared:
        return ()
    return (PrepareAgain(chain=old.chain),)
