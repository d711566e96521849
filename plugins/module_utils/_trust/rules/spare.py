# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Certificates for nodes that are yet to come, where the key of the CA is kept elsewhere: they wait beside the requests, because the
operator deletes node Secrets of nodes that no node pool has (docs/operator.md, "Leaves"). Nothing waits for them.
"""

from __future__ import annotations

from ..._leaves.request import Next
from ..._leaves.trigger import ends_with
from ..model.goals import Phase
from ..model.steps.base import Steps
from ..model.steps.requests import AskForLeaves, CollectLeaves
from .operator_reissue import nears_operator_window
from .requests import next_for_leaf
from .situation import Situation


def keep_spare_leaves(at: Situation) -> Steps:
    """Record what has come back, then ask for what is missing. Not while another CA is on its way: they would be of the old one."""
    if at.snapshot.ca.prepared:
        return ()
    found = {name: _next(at, name) for name in sorted(at.snapshot.spare_wanted)}
    collected = tuple(name for name, what in found.items() if what is Next.COLLECT)
    if collected:
        return (CollectLeaves(secrets=collected, asked=at.intent.asked, phase=Phase.PREPARE),)
    missing = tuple(name for name, what in found.items() if what is Next.ASK)
    if not missing:
        return ()
    because = "The key of the CA is kept elsewhere, so certificates for the next nodes of each pool are kept at hand."
    issuer, asked = at.snapshot.ca.current, at.intent.asked
    return (
        AskForLeaves(secrets=missing, issuer=issuer, asked=asked, phase=Phase.PREPARE, because=because, spare=True),
    )


def _next(at: Situation, secret: str) -> Next:
    """The next thing to do about a spare leaf: a leaf that is at hand is asked for anew before the operator would renew it."""
    request, current = at.snapshot.leaves.requests.get(secret), at.snapshot.ca.current
    waiting = request.certificate if request is not None and request.is_recorded else None
    if waiting is None or ends_with(waiting, current):
        return next_for_leaf(at, secret, current)
    is_old = nears_operator_window(waiting, at.snapshot.leaves.renewal_window, at.snapshot.now)
    return Next.ASK if is_old else next_for_leaf(at, secret, current)
