# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The preconditions in the order in which a user would fix them, and for each precondition the deeds of a call to which
it matters. A flow writes nothing while any of them is unmet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from ..model.decision import Violation
from ..model.intent import Intent
from ..model.snapshot import Snapshot
from .authority import (
    authority_is_valid_now,
    authority_meets_policy,
    authority_secrets_are_usable,
    chains_are_in_order,
    generation_is_unambiguous,
    generations_are_told,
    key_matches,
    keys_are_told_apart,
    leaving_is_unused,
    renewal_keeps_the_key,
    secrets_are_complete,
    supplied_fits_the_goal,
    supplied_is_usable,
    trusting_is_usable,
)
from .cluster import (
    authority_is_not_foreign,
    authority_is_user_managed,
    clocks_agree,
    cluster_exists,
    cluster_is_settled,
    ledger_is_of_the_past,
    ledger_is_ours,
    names_are_free,
    no_left_over_trigger,
    no_rebalance_is_running,
    not_paused_by_others,
    not_stopped,
    nothing_is_in_deletion,
    operator_is_new_enough,
    operator_is_there,
    operator_is_working,
    pods_are_labelled,
    pods_are_owned,
    secrets_are_labelled,
    secrets_can_be_written,
    secrets_have_room,
    security_is_known,
    target_is_known,
)
from .deeds import DOES, Deed, Question
from .goals import (
    authority_is_as_asked,
    current_is_usable,
    flow_can_be_undone,
    link_until_is_ahead,
    nothing_is_begun,
    operator_could_renew,
    operator_has_finished,
    operator_keeps_authority,
    pool_is_known,
    pools_are_of_a_size,
    ready_to_hand_back,
    waivers_are_valid,
)
from .leaves import (
    leaves_are_known,
    leaves_are_ours,
    leaves_can_be_renewed,
    leaves_in_use_are_valid,
    leaves_meet_policy,
    leaves_outlast_the_window,
    presenters_are_known,
    presenters_are_served,
    presenters_can_be_issued_to,
    users_have_an_issuer,
    verifiers_are_known,
)
from .source import (
    adopted_is_usable,
    authorities_are_apart,
    authority_is_known,
    roots_are_known,
    source_is_usable,
    trusted_meet_policy,
)

Precondition: TypeAlias = Callable[[Snapshot, Intent], Iterable[Violation]]

PRECONDITIONS: tuple[Precondition, ...] = (
    clocks_agree,
    cluster_exists,
    nothing_is_in_deletion,
    operator_is_there,
    operator_is_new_enough,
    not_paused_by_others,
    leaves_in_use_are_valid,
    operator_is_working,
    security_is_known,
    authority_is_not_foreign,
    authority_is_user_managed,
    operator_has_finished,
    pods_are_labelled,
    names_are_free,
    secrets_are_labelled,
    pods_are_owned,
    no_left_over_trigger,
    secrets_are_complete,
    ledger_is_ours,
    ledger_is_of_the_past,
    authority_secrets_are_usable,
    generations_are_told,
    key_matches,
    chains_are_in_order,
    authority_is_valid_now,
    authority_is_known,
    adopted_is_usable,
    current_is_usable,
    keys_are_told_apart,
    source_is_usable,
    roots_are_known,
    supplied_is_usable,
    supplied_fits_the_goal,
    authority_meets_policy,
    trusted_meet_policy,
    leaves_meet_policy,
    renewal_keeps_the_key,
    authority_is_as_asked,
    trusting_is_usable,
    authorities_are_apart,
    leaves_outlast_the_window,
    link_until_is_ahead,
    leaving_is_unused,
    target_is_known,
    not_stopped,
    flow_can_be_undone,
    generation_is_unambiguous,
    verifiers_are_known,
    users_have_an_issuer,
    presenters_can_be_issued_to,
    presenters_are_known,
    presenters_are_served,
    cluster_is_settled,
    no_rebalance_is_running,
    leaves_are_ours,
    leaves_are_known,
    leaves_can_be_renewed,
    pool_is_known,
    pools_are_of_a_size,
    nothing_is_begun,
    operator_could_renew,
    operator_keeps_authority,
    ready_to_hand_back,
    secrets_can_be_written,
    secrets_have_room,
    waivers_are_valid,
)
#: Preconditions with a recovery as the remedy. It brings back nodes and Secrets for other preconditions to look at;
#: without them, their remedies would be about the damage.
MENDED_BY_RECOVERY: tuple[Precondition, ...] = (leaves_in_use_are_valid, secrets_are_complete)
#: The basis of every other precondition: the cluster exists, the clock is right, no object of the cluster is in
#: deletion, and there is an operator of a release for flows.
FIRST: tuple[Precondition, ...] = (
    cluster_exists,
    clocks_agree,
    nothing_is_in_deletion,
    operator_is_there,
    operator_is_new_enough,
)
#: Preconditions of a restart that brings nodes with ended certificates back. It changes no CA, so no defect of a CA or
#: of the ledger keeps them away.
OF_RECOVERY: tuple[Precondition, ...] = (
    *FIRST,
    not_paused_by_others,
    security_is_known,
    pods_are_labelled,
    pods_are_owned,
    secrets_are_labelled,
)
#: Preconditions of a renewal before the restart of nodes with ended certificates: these nodes are not well, and restart
#: whether the CA is renewed or not.
BEFORE_RESTART: tuple[Precondition, ...] = tuple(
    rule for rule in PRECONDITIONS if rule not in {leaves_in_use_are_valid, cluster_is_settled, no_rebalance_is_running}
)

#: The deeds to which a precondition matters. A precondition without a row matters to every call.
_MATTERS_FOR: Mapping[Precondition, frozenset[Deed]] = {
    authority_meets_policy: frozenset({Deed.STARTS}),
    leaves_meet_policy: frozenset({Deed.ISSUES, Deed.FILLS}),
    verifiers_are_known: frozenset({Deed.GOES_ON, Deed.ISSUES}),
    users_have_an_issuer: frozenset({Deed.ISSUES}),
    presenters_can_be_issued_to: frozenset({Deed.ISSUES}),
    presenters_are_known: frozenset({Deed.ISSUES}),
    presenters_are_served: frozenset({Deed.ISSUES}),
    cluster_is_settled: frozenset({Deed.ISSUES, Deed.RESTARTS}),
    no_rebalance_is_running: frozenset({Deed.RESTARTS}),
    leaves_are_ours: frozenset({Deed.ISSUES, Deed.RESTARTS}),
    secrets_can_be_written: frozenset({Deed.GOES_ON, Deed.CHANGES}),
    secrets_have_room: frozenset({Deed.ADDS}),
}


def never(snapshot: Snapshot, intent: Intent) -> bool:
    """The answer that nothing restarts."""
    return False


class _Call:
    """A call, in the state of the cluster at its decision."""

    def __init__(self, snapshot: Snapshot, intent: Intent, restarts_nodes: Question) -> None:
        self._snapshot, self._intent, self._restarts_nodes = snapshot, intent, restarts_nodes
        self._done: dict[Deed, bool] = {}

    def violations_of(self, rule: Precondition) -> tuple[Violation, ...]:
        """The violations of this precondition that matter to the call. Whether nodes restart takes a forecast. So this
        question comes last, and only if these violations would hold the call.
        """
        deeds = _MATTERS_FOR.get(rule)
        if deeds is None or any(self._does(deed) for deed in deeds - {Deed.RESTARTS}):
            return tuple(rule(self._snapshot, self._intent))
        if Deed.RESTARTS not in deeds or not self._does(Deed.RESTARTS):
            return ()
        violations = tuple(rule(self._snapshot, self._intent))
        return violations if violations and self._restarts_nodes(self._snapshot, self._intent) else ()

    def _does(self, deed: Deed) -> bool:
        if deed not in self._done:
            self._done[deed] = DOES[deed](self._snapshot, self._intent)
        return self._done[deed]


def check(
    snapshot: Snapshot,
    intent: Intent,
    preconditions: tuple[Precondition, ...] = PRECONDITIONS,
    restarts_nodes: Question = never,
) -> tuple[Violation, ...]:
    """All violations of preconditions that matter to the call. If there are violations of FIRST, they come alone,
    because the rest of the snapshot says nothing then. If a recovery mends one of them, only the violations of the
    recovery itself come with it. ``restarts_nodes`` says whether the work of the call restarts Kafka nodes.
    """
    call, violated = _Call(snapshot, intent, restarts_nodes), dict[Precondition, tuple[Violation, ...]]()
    for rule in preconditions:
        violations = call.violations_of(rule)
        if violations and rule in FIRST:
            return violations
        if violations:
            violated[rule] = violations
    is_for_recovery = not violated.keys().isdisjoint(MENDED_BY_RECOVERY)
    kept = (*OF_RECOVERY, *MENDED_BY_RECOVERY)
    return tuple(why for rule, of_rule in violated.items() if not is_for_recovery or rule in kept for why in of_rule)
