# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The functions that carry out the steps for which certificates are issued, by the type of the step."""

from __future__ import annotations

from collections.abc import Mapping

from .._strimzi.carry_out import CarryOut
from .._trust.model.steps.authority import PrepareAuthority
from .._trust.model.steps.base import Step
from .._trust.model.steps.leaves import IssueLeaves, RechainLeaves
from .._trust.model.steps.requests import AskForLeaves, AwaitIssuer, CollectLeaves, ForgetRequests
from .._trust.model.steps.standing import CorrectOrders
from .asking import ask_for_leaves, await_issuer, collect_leaves, forget_requests
from .issue import issue_leaves
from .preparing import prepare
from .rechain import rechain_leaves
from .standing import correct_orders

CARRY_OUT: Mapping[type[Step], CarryOut] = {
    PrepareAuthority: prepare,
    IssueLeaves: issue_leaves,
    RechainLeaves: rechain_leaves,
    AskForLeaves: ask_for_leaves,
    CollectLeaves: collect_leaves,
    AwaitIssuer: await_issuer,
    ForgetRequests: forget_requests,
    CorrectOrders: correct_orders,
}
