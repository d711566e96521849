# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The rules in their order, in chapters: the first rule with steps says what comes next. If no rule has any, each says
why it waits.

Chapter "What was begun": if a killed call has left a step half-way, the step is finished before any other rule has its
turn.

Stamps tell the operator which Secrets nodes have read again or are about to read again, so it finds nothing to restart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..evidence.parties import leaves_of, presenting_stored
from ..evidence.stored import pods_with_certificates, restarted_by_operator
from ..model.components import Component
from ..model.decision import Steps, Turn, Wait, steps_of
from ..model.goals import Phase
from ..model.snapshot import Pod
from ..model.steps.authority import RestoreKey
from ..model.steps.nodes import Resume, Roll, RollReason, StampPods
from .due import correct_orders
from .holds import await_evidence, await_free_names, await_pods, await_usable_leaves
from .leaves import (
    await_renewed_authority,
    await_restarts,
    issue_missing,
    issue_operator_leaf,
    reload_leaves,
    renew_leaves,
    replace_leaves,
    restart_holders,
    restore_links,
    rewrite_for_the_operator,
    rewrite_leaves,
    scale,
)
from .pause import (
    find_option_against_restarts,
    pause_first,
    restarts_in_pause,
    resume_reissue,
    why_not_annotated,
    why_not_in_place,
)
from .prepare import await_confirmation, issue_before_last_restart, prepare, restart_to_trust, resume_replacement
from .requests import (
    ask_for_leaves,
    await_issuer,
    await_pick_up,
    forget_requests,
    keep_spare_leaves,
    reissue,
    resume_served_users,
    write_user_leaves,
)
from .retire import (
    forget_removed_authorities,
    hand_over,
    pause_to_undo,
    raise_key_generation,
    restart_unsure,
    tidy_keys,
    undo_replacement,
    withdraw,
)
from .situation import Situation
from .switch import await_arrival, await_bundle, await_outside, project, publish, switch, write_bundle


def stamp_pods(at: Situation) -> Steps:
    """In a pause, nodes get the annotations for the stored leaves, unless these would hide a restart for which a node
    waits.

    Every pod gets the key generation in any case. Otherwise the operator would restart all of them for trust once more.
    """
    ca = at.snapshot.ca
    if why_not_annotated(at):
        return ()
    if any(leaf.generation != at.generation for leaf in at.snapshot.leaves.stored):
        return ()
    behind = _nodes_behind(at)
    keys_behind = any(pod.key_generation not in (None, ca.key_generation) for pod in at.snapshot.nodes.pods)
    if not behind and not keys_behind:
        return ()
    is_known = _are_known(behind, at)
    if not is_known and not keys_behind:
        return ()
    generation = at.generation if is_known else None
    return pause_first(at, StampPods(generation=generation, key_generation=ca.key_generation, phase=at.phase))


def restart_in_pause(at: Situation) -> Steps:
    """In a pause, restart the nodes that the operator would restart after it, if this collection restarts nodes. The
    StrimziPodSets get the annotations for the stored leaves first, so the nodes come back with them, and the operator
    finds nothing to restart, wherever the restarts end.
    """
    ca, behind = at.snapshot.ca, _nodes_behind(at)
    uids = frozenset(pod.uid for pod in behind) & restarted_by_operator(at.snapshot)
    if not uids or not restarts_in_pause(at) or _are_known(behind, at):
        return ()
    if any(leaf.generation != at.generation for leaf in at.snapshot.leaves.stored):
        return ()
    about = at.successor.entry.certificate if at.successor else at.current
    return (
        StampPods(generation=at.generation, key_generation=ca.key_generation, before_restart=True, phase=at.phase),
        Roll(reason=RollReason.UPTAKE, uids=uids, authority=about, phase=at.phase),
    )


def _nodes_behind(at: Situation) -> tuple[Pod, ...]:
    """The nodes whose annotations are not about their stored leaf and the generation of the CA in use."""
    nodes = (pod for pod in at.snapshot.nodes.pods if pod.component is Component.KAFKA)
    return tuple(pod for pod in nodes if not pod.presents_stored or pod.generation != at.generation)


def _are_known(behind: tuple[Pod, ...], at: Situation) -> bool:
    """Whether annotations of these nodes hide no restart for which a node waits. A pod that has started in the pause
    has started with the stored leaf, although its annotations are about the leaf before.
    """
    if why_not_in_place(at):
        return False
    up_to_date = presenting_stored(at.snapshot) | _assumed_to_keep(at)
    return all(pod.uid in up_to_date or _is_known(pod, at) for pod in behind)


def _is_known(pod: Pod, at: Situation) -> bool:
    """Whether the ledger knows the leaf of the pod's process, or its annotations are about the stored leaf. A pod
    without a certificate has nothing to take up.
    """
    return bool(pod.presents_stored) or pod.presents_nothing or pod.uid in at.ledger.former_by_pod


def _assumed_to_keep(at: Situation) -> frozenset[str]:
    """UIDs of the nodes without an answer that are assumed to present a leaf of the CA of their stored leaf. They have
    no leaf of another CA to give up: if they had one, the ledger would say so since their last answer.
    """
    presented = zip(pods_with_certificates(at.snapshot), at.pod_presentations, strict=True)
    return frozenset(
        pod.uid
        for pod, seen in presented
        if pod.uid in at.snapshot.nodes.assumed_as_started
        and seen.authorities == frozenset(at.issuer_of(leaf) for leaf in leaves_of(pod, at.snapshot))
    )


def settle_key(at: Situation) -> Steps:
    """If the key of a switch is written, the switch is ended first: the operator can issue nothing with another key
    than the key of ``ca.crt``. It goes forward if its gates are still open, else back.
    """
    current = at.current
    if current is None or at.snapshot.ca.key in (None, current.public_key_sha256):
        return ()
    if forward := steps_of(switch(at)):
        return forward
    if current.fingerprint not in at.snapshot.ca.kept_keys:
        # The only way is forward. The operator, which can issue nothing, may not come as far as its trust bundle.
        return write_bundle(at)
    # The pods still have the key generation from before: the switch has not come as far as to annotate them.
    return (RestoreKey(certificate=current, key_generation=at.key_generation_of_pods),)


def end_pause(at: Situation) -> Steps:
    """In a pause, do its steps, one after the other; then let the operator go on. No CA comes into use or leaves in it
    if the caller, or the flow, stops before that.
    """
    leaving = (withdraw,) if at.allows(Phase.RETIRE) else ()
    issuing = replace_leaves if at.allows(Phase.USE) or _is_used(at) else renew_leaves
    rules = (
        write_bundle,
        rewrite_leaves,
        issuing,
        restart_in_pause,
        stamp_pods,
        scale,
        _switch_within_limits,
        *leaving,
        raise_key_generation,
    )
    return _end_pause(at, rules)


def end_pause_unadopted(at: Situation) -> Steps:
    """The same in a cluster with a CA that the operator generates: no step in the pause changes a CA."""
    return _end_pause(at, (stamp_pods,))


def _end_pause(at: Situation, rules: tuple[Rule, ...]) -> Steps:
    """In a pause, the steps of these rules, and the end of the pause after them."""
    if not at.snapshot.reconciliation.pause.is_ours:
        return (Resume(phase=at.phase),) if at.snapshot.reconciliation.pause.has_left_mark else ()
    return take_turns(at, rules)[0] or (Resume(phase=at.phase),)


def _is_used(at: Situation) -> bool:
    """Whether leaves of the next CA are stored already: the others follow, so nodes take all of them up at once."""
    next_ = at.successor.entry.fingerprint if at.successor is not None else None
    return next_ is not None and any(at.issuer_of(leaf) == next_ for leaf in at.snapshot.leaves.stored)


def _switch_within_limits(at: Situation) -> Steps:
    """The switch, within the phases of the caller. If an option of the caller forbids its restarts, a pause that has
    begun for another step ends without it: the option then holds the flow before the next pause.
    """
    steps, option = steps_of(switch(at)), find_option_against_restarts(at)
    is_allowed = all(at.allows(step.phase) and not (step.avoidable_restart and option) for step in steps)
    return steps if is_allowed else ()


Rule: TypeAlias = Callable[[Situation], Turn]


def take_turns(at: Situation, rules: tuple[Rule, ...]) -> tuple[Steps, tuple[Wait, ...]]:
    """The steps of the first rule that has any; if none has, the reasons of the rules that wait."""
    waits = []
    for rule in rules:
        turn = rule(at)
        if isinstance(turn, Wait):
            waits.append(turn)
        elif turn:
            return turn, ()
    return (), tuple(waits)


#: The rules that keep a cluster going while the flow in flight stops: scaling, the leaves of the CA in use, their
#: uptake, and the restarts for former leaves.
RULES_AT_REST: tuple[Rule, ...] = (scale, issue_missing, renew_leaves, reload_leaves, await_restarts, restart_holders)

RULES: tuple[Rule, ...] = (
    # Chapter "What was begun": first, because a killed call may have left the operator paused, or unable to issue.
    settle_key,
    end_pause,
    # Abort: before any step away from the CA that it goes back to.
    undo_replacement,
    # Scale: before all other work of a call, because the caller wants nothing but this.
    scale,
    # Prepare: the next CA exists before anything else about it can be decided.
    await_confirmation,
    prepare,
    # Publish: before trust, because processes trust the CAs that they read when they start.
    project,
    await_bundle,
    publish,
    # Requests: as soon as the signing CA is known; issuers may take their time while processes come to trust it.
    ask_for_leaves,
    # Evidence: these rules take no step. If the flow is held, their reasons come first, because they explain closed
    # gates.
    await_pods,
    await_evidence,
    await_usable_leaves,
    await_free_names,
    # Trust: before use, because no process may meet a leaf that it refuses (I3); processes restart while clients get
    # their time.
    restart_to_trust,
    await_arrival,
    issue_before_last_restart,
    # Leaves: leaves of the next CA go first if a link certificate carries them, the operator's own leaf when all
    # parties trust it. Listeners read theirs at once: a flow that stops after use has them in use.
    await_issuer,
    issue_missing,
    rewrite_for_the_operator,
    replace_leaves,
    await_renewed_authority,
    issue_operator_leaf,
    reload_leaves,
    # By now every leaf that stays is known.
    restore_links,
    # Retire: a CA that no process uses leaves before the operator is switched, so no node restarts twice for it.
    withdraw,
    pause_to_undo,
    # Switch: after every leaf that could go before it.
    switch,
    tidy_keys,
    forget_requests,
    # Uptake: processes take up the written leaves, by the operator's restarts before any is made to forget a CA.
    await_restarts,
    # Users with their certificates are let on before others get theirs.
    resume_served_users,
    write_user_leaves,
    reissue,
    await_pick_up,
    forget_removed_authorities,
    restart_holders,
    restart_unsure,
    # No user is kept from a certificate while the flow waits for something else.
    resume_reissue,
    # Orders: of leaves in use by now. If a correction is refused, or written back, it keeps no process from a renewed
    # leaf.
    correct_orders,
    # Spare: after the leaves of all present nodes, and before any wait for a party outside the cluster.
    keep_spare_leaves,
    # Others: the cluster's own processes are not in the way any more.
    await_outside,
    # Hand over: if nothing is left to do in the cluster.
    hand_over,
    # Last comes work that another playbook goes on with.
    resume_replacement,
)
