# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The adoption of a CA that was put into the place of the one in use, where not every process has started with it."""

from __future__ import annotations

from ..ledger.stop import stop_of
from ..ledger.swap import find_adoption, pods_yet_to_restart
from ..model.steps.authority import PutBack
from ..model.steps.base import Steps
from .pause import pause_first
from .situation import Situation


def put_back(at: Situation) -> Steps:
    """In a pause, the CA in use takes its place again and the other one becomes the next one, as if a flow had prepared
    it: so every gate is asked before its leaves are used (I3).
    """
    swap = find_adoption(at.snapshot, at.intent)
    if swap is None or not pods_yet_to_restart(at.snapshot):
        return ()
    step = PutBack(
        chain=swap.replaced.chain, generation=max(swap.replaced.generations), key_generation=at.key_generation_of_pods,
        stop=stop_of(None, at.intent, True, at.snapshot.now),
    )  # fmt: skip
    return pause_first(at, step)
