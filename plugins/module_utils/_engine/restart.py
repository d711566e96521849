# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Restarting pods for a reason of the caller's own, by the same rules as in a flow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from .._errors import StepError
from .._kube.resources import read_time
from .._strimzi.apply.work import Work
from .._strimzi.cluster.observe import Observation
from .._trust.decide import decide
from .._trust.evidence.parties import may_present_ended
from .._trust.gates.gates import GATES
from .._trust.ledger.enrolment import as_seen
from .._trust.ledger.journal import in_flight
from .._trust.model.decision import Violation
from .._trust.model.goals import Goal, Phase
from .._trust.model.intent import Intent, Pace
from .._trust.model.snapshot import Component, Snapshot
from .._trust.model.steps.nodes import Roll, RollReason
from .._trust.plan import describe_next_window, waits_for_window
from .._trust.preconditions.cluster import pods_are_labelled, secrets_are_labelled
from .._trust.preconditions.leaves import leaves_in_use_are_valid
from .._trust.preconditions.order import check
from .._trust.rules.holds import check_leaves_of_restarted
from .._trust.rules.situation import Situation
from .engine import carry_out
from .looking import ask_nodes, observe_cluster, observe_operated
from .outcome import IN_A_FLOW, Patience


@dataclass(frozen=True)
class Chosen:
    """Pods by their names, and all pods of these components."""

    pods: frozenset[str] = frozenset()
    components: frozenset[Component] = frozenset()


def restart(
    work: Work,
    asked: Chosen,
    since: datetime | None,
    before_write: Callable[[], None],
    *,
    ignores_windows: bool,
) -> Observation:
    """Restart these pods, as far as they were made before ``since``. Raises StepError."""
    seen, chosen = _choose(work, asked, since)
    if chosen and waits_for_window(seen.snapshot, Intent(Goal.RECONCILE, pace=Pace(ignores_windows=ignores_windows))):
        raise StepError(
            seen.snapshot.names.kafka, describe_next_window(seen.snapshot), "Run it in a window, or give that option"
        )
    if chosen and not work.dry_run:
        before_write()
        # Another run may have worked until the Lease was free.
        seen, chosen = _choose(work, asked, since)
    if not chosen:
        return seen
    if work.dry_run:
        _carry_out_roll(work, seen, chosen)
        return seen
    patience, first = Patience(work), [seen]

    def roll_those_left() -> None:
        """Pods that were replaced before a failure are not chosen again."""
        now = first.pop() if first else observe_cluster(work)
        _carry_out_roll(work, now, chosen & now.snapshot.uids)

    patience.through(roll_those_left, IN_A_FLOW)
    return observe_cluster(work)


def _carry_out_roll(work: Work, seen: Observation, uids: frozenset[str]) -> None:
    if uids:
        carry_out(_roll_step(uids), seen, work)


def _roll_step(uids: frozenset[str]) -> Roll:
    return Roll(reason=RollReason.MANUAL, uids=uids, authority=None, phase=Phase.USE)


def _choose(work: Work, asked: Chosen, since: datetime | None) -> tuple[Observation, frozenset[str]]:
    """The cluster as it is now, and the UIDs of the pods to restart. Raises StepError."""
    seen = observe_operated(work)
    if may_present_ended(seen.snapshot):
        seen = ask_nodes(work, seen)
    _require_settled(seen, asked.pods)
    chosen = frozenset(
        pod.uid
        for pod in seen.snapshot.nodes.pods
        if (pod.name in asked.pods or pod.component in asked.components) and _is_older(seen, pod.name, since)
    )
    if seen.snapshot.ca.current:
        # Without its CA no leaf can be judged.
        at = Situation(seen.snapshot, Intent(Goal.RECONCILE), as_seen(seen.snapshot), GATES)
        _require_none(check_leaves_of_restarted(at, (_roll_step(chosen),)))
    return seen, chosen


def _require_none(found: Iterable[Violation]) -> None:
    for violation in found:
        raise StepError(f"{violation.subject}:", violation.message, violation.remedy)


def _is_older(seen: Observation, pod: str, since: datetime | None) -> bool:
    made = read_time(seen.pods[pod]["metadata"].get("creationTimestamp"))
    return since is None or made is None or made < since


def _only_awaits_restarts(snapshot: Snapshot) -> bool:
    """Whether all that the flow in flight has to do is to wait until nodes restart for any reason, such
    as the caller's.
    """
    decision = decide(snapshot, Intent(Goal.RECONCILE))
    return bool(decision.waiting) and not decision.steps


def _require_settled(seen: Observation, pods: frozenset[str]) -> None:
    snapshot = seen.snapshot
    begun = in_flight(snapshot.ledger)
    if begun is not None and not _only_awaits_restarts(snapshot):
        raise StepError(
            snapshot.names.kafka,
            f"is in the middle of a flow ({begun.goal.value}), which restarts pods by itself",
            "Finish it first, with strimzi_trusted_certs and state=retired, or with the reconcile playbook.",
        )
    if snapshot.reconciliation.paused:
        raise StepError(
            snapshot.names.kafka, "is paused: the operator would restart nothing", "Resume it, then run again."
        )
    required = (pods_are_labelled, secrets_are_labelled, leaves_in_use_are_valid)
    _require_none(check(snapshot, Intent(Goal.RECONCILE), required))
    if unknown := sorted(pods - {pod.name for pod in snapshot.nodes.pods}):
        known = ", ".join(pod.name for pod in snapshot.nodes.pods) or "none"
        raise StepError(snapshot.names.kafka, f"has no pod {', '.join(unknown)}", f"Its pods are: {known}.")
