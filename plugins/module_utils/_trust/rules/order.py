# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The rules in the order in which they are asked, in chapters. The first that has something to do says what comes next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..model.steps.base import Steps
from .abort import pause_to_undo, restart_unsure, undo_replacement
from .await_clients import await_outside
from .first_use import await_arrival
from .hand_over import hand_over
from .leaves import (
    await_restarts,
    issue_missing,
    read_again,
    renew_leaves,
    replace_leaves,
    restart_holders,
    use_by_operator,
)
from .pause import resume_reissue
from .prepare import prepare
from .presenters import await_pick_up, reissue
from .publish import await_bundle, project, publish
from .requests import ask_for_leaves, await_issuer, forget_requests
from .retire import forget, withdraw
from .rewrite import restore_links, rewrite_for_the_operator
from .scale import scale
from .serve import resume_served_users, write_user_leaves
from .settle import end_pause, settle_key
from .situation import Situation
from .spare import keep_spare_leaves
from .standing import correct_orders
from .switch import switch
from .tidy import tidy
from .trust import restart_to_trust

Rule: TypeAlias = Callable[[Situation], Steps]

#: The rules that keep a cluster going while the flow in flight stops: scaling, the leaves of the CA in use, and what processes hold of others.
RULES_AT_REST: tuple[Rule, ...] = (scale, issue_missing, renew_leaves, read_again, await_restarts, restart_holders)

RULES: tuple[Rule, ...] = (
    # Chapter "What was begun": first, because a killed call may have left the operator paused, or unable to issue.
    settle_key,
    end_pause,
    # Abort: before anything leads further away from where it goes back to.
    undo_replacement,
    # Scale: before everything else that a call might go on with, because the caller asks for nothing but this.
    scale,
    # Prepare: the next CA exists before anything else about it can be decided.
    prepare,
    # Publish: before trust, because processes trust what they read when they start.
    project,
    await_bundle,
    publish,
    # Requests: as soon as it is known which CA is to sign; issuers may take their time while processes come to trust it.
    ask_for_leaves,
    correct_orders,
    # Trust: before use, because no process may meet a leaf that it refuses (I3); processes restart while clients get
    # their time.
    restart_to_trust,
    await_arrival,
    # Leaves: those of the next CA go first where a link certificate carries them, the operator's own when all trust it.
    # Listeners read theirs at once: a flow that stops after use has them in use.
    await_issuer,
    issue_missing,
    rewrite_for_the_operator,
    replace_leaves,
    use_by_operator,
    read_again,
    # By now every leaf that stays is known.
    restore_links,
    # Retire: a CA that no process uses leaves before the operator is switched, so that no node restarts twice for it.
    withdraw,
    pause_to_undo,
    # Switch: after every leaf that could go before it.
    switch,
    tidy,
    forget_requests,
    # Uptake: what was written is taken up; by the operator's restarts before a process is made to forget a CA.
    await_restarts,
    # Users that have their certificates are let on before others get theirs.
    resume_served_users,
    write_user_leaves,
    reissue,
    await_pick_up,
    forget,
    restart_holders,
    restart_unsure,
    # No user is kept from a certificate while the flow waits for something else.
    resume_reissue,
    # Spare: when the leaves of all that there is are seen to, and before anything is waited for that is not of the cluster.
    keep_spare_leaves,
    # Others: the cluster's own processes are not in the way any more.
    await_outside,
    # Hand over: of a cluster in which nothing is left to do.
    hand_over,
)
