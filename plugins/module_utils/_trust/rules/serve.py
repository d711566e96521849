# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Certificates outside the cluster that only this collection can issue, because the key of the CA in use is kept elsewhere. They are
written after the switch: before it the User Operator would put its own in their place.
"""

from __future__ import annotations

from ..._leaves.trigger import OF_TIME
from ..model.goals import Phase
from ..model.steps.base import Steps
from ..model.steps.leaves import IssueLeaves, RechainLeaves
from ..model.steps.presenters import AwaitKept
from .due import due_reasons_under
from .requests import secrets_without_leaf
from .situation import Situation

#: How many are written before it is seen that the User Operator keeps them: its queue drops what does not fit in (docs/operator.md, "Users").
_AT_ONCE = 500


def resume_served_users(at: Situation) -> Steps:
    """Let the User Operator on to those who have what it keeps, and see that it does, before others get theirs."""
    if at.current is None or not at.serves:
        return ()
    names = tuple(
        one.name for one in at.snapshot.users.presenters if one.secret and one.pause.is_ours and not one.behind
    )
    return (AwaitKept(names=names, authority=at.current),) if names else ()


def write_user_leaves(at: Situation) -> Steps:
    """Write what is at hand, as far as every verifier is known to accept it; what the CA's key has signed before a renewal is kept, also what ends
    before long, as long as its successor is not at hand.

    A first one alone, so that a mistake hits no other; all others then, or as many at a time as the caller says. A user whose Secret cannot be
    created keeps no other waiting, and holds the flow at its end.
    """
    issuer = at.snapshot.ca.current
    if (
        not at.serves
        or at.gates.trust(at.snapshot, at.ledger, issuer)
        or at.gates.alone(at.snapshot, at.ledger, issuer)
    ):
        return ()
    reasons = due_reasons_under(at.snapshot, at.intent, at.ledger, issuer)
    wanted = (reasons.keys() & at.snapshot.users.served.keys()) - at.intent.taken
    ready = wanted - set(secrets_without_leaf(at, tuple(wanted), issuer))
    unusable = {name for name in wanted - ready if reasons[name].reason not in OF_TIME}
    behind = (
        name for name, leaf in at.snapshot.users.served.items() if leaf is not None and leaf.generation != at.generation
    )
    kept = _turn(at, tuple(sorted(set(behind) - ready - unusable)))
    if kept:
        return (RechainLeaves(secrets=kept, generation=at.generation, phase=Phase.USE),)
    written = _turn(at, tuple(sorted(ready)))
    return (IssueLeaves(secrets=written, issuer=issuer, generation=at.generation, phase=Phase.USE),) if written else ()


def _turn(at: Situation, secrets: tuple[str, ...]) -> tuple[str, ...]:
    stored = (leaf for leaf in at.snapshot.users.served.values() if leaf is not None)
    is_first = all(leaf.generation != at.generation for leaf in stored)
    return secrets[: 1 if is_first else at.intent.user_batch or _AT_ONCE]
