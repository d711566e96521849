# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Parties outside the cluster come to present certificates of the CA in use, after the switch: no issuer issues theirs before it."""

from __future__ import annotations

from ..evidence.parties import parties_awaiting_issue, presenters
from ..model.presenters import ReissuePause, Renewal
from ..model.steps.base import Steps
from ..model.steps.presenters import AwaitPickUp, AwaitReissue
from .situation import Situation


def reissue(at: Situation) -> Steps:
    """Have certificates issued anew that were issued under another CA than the one in use, by the operator that can; a pause of their issue
    ends with it. A presenter that has none yet gets one. The flow does not wait for one that another writer has paused: the others are served, and it holds
    the flow at its end.
    """
    if not _is_switched(at) or at.current is None or at.serves:
        return ()
    seen = (*presenters(at.snapshot), *parties_awaiting_issue(at.snapshot))
    behind = {one.name for one in seen if one.behind and one.pause is not ReissuePause.FOREIGN}
    issued = (one for one in at.snapshot.users.presenters if one.renewal is Renewal.ISSUED)
    due = tuple(one.name for one in issued if one.name in behind or one.pause.is_ours)
    return (AwaitReissue(names=due, authority=at.current, batch=at.intent.user_batch, phase=at.phase),) if due else ()


def await_pick_up(at: Situation) -> Steps:
    """Wait for the programs that an operator restarts with their new certificates, or copies these for; this collection cannot restart the others. Those
    whose certificate is not issued anew, because another writer has paused its user, have nothing to take up.
    """
    if not _is_switched(at) or at.current is None:
        return ()
    own = frozenset({at.current.fingerprint})
    late = tuple(one.name for one in presenters(at.snapshot) if one.is_followed and one.authorities != own)
    return (AwaitPickUp(names=late, authority=at.current, phase=at.phase),) if late else ()


def _is_switched(at: Situation) -> bool:
    return at.begun is not None and at.successor is None
