# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Restarting pods for a reason of the caller's own, by the same rules as in a flow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from .._errors import Conflict, NotFound, RollStuck, StepError
from .._kube.resources import read_time
from .._kube.response_time import OBSERVATION
from .._rollout.kafka_pods import withdraw_left_requests
from .._strimzi.apply.work import Work, Write, write_all
from .._strimzi.cluster.observe import Observation
from .._strimzi.names import CaKind
from .._trust.decide import decide
from .._trust.evidence.parties import may_present_ended
from .._trust.gates.gates import GATES
from .._trust.ledger.enrolment import as_seen
from .._trust.ledger.journal import in_flight
from .._trust.model.components import Component
from .._trust.model.decision import Condition, Violation
from .._trust.model.goals import Goal, Phase
from .._trust.model.intent import Intent, Strategy
from .._trust.model.snapshot import Pod, Snapshot
from .._trust.model.steps.nodes import Roll, RollReason
from .._trust.plan import describe_next_window
from .._trust.preconditions.cluster import pods_are_labelled, secrets_are_labelled
from .._trust.preconditions.leaves import leaves_in_use_are_valid
from .._trust.preconditions.order import check
from .._trust.rules.holds import check_leaves_of_restarted
from .._trust.rules.pause import waits_for_window
from .._trust.rules.situation import Situation
from .engine import carry_out
from .looking import ask_nodes, observe_cluster, observe_operated
from .outcome import AT_FIRST, IN_A_FLOW, Patience
from .rounds import RoundPlanner, describe_rounds_of_roll

#: Seconds before the next look, if another program was first.
_PAUSE = 1.0
#: The API server gives its time, and the time at which it made a pod, in whole seconds: each may be off by one.
_WHOLE_SECONDS = timedelta(seconds=2)


@dataclass(frozen=True)
class Chosen:
    """The pods that a caller names, by themselves or by their components."""

    #: The names of pods.
    pods: frozenset[str] = frozenset()
    #: The components of which all pods are meant.
    components: frozenset[Component] = frozenset()


def restart(
    work: Work,
    chosen: Chosen,
    since: datetime | None,
    before_write: Callable[[], None],
) -> Observation:
    """Restart these pods, as far as they were made before ``since``. Raises StepError."""
    patience = Patience(work)
    choice = patience.through(lambda: _choose(work, chosen, since), AT_FIRST)
    if since is not None:
        _wait_until_past(since, choice, work)
    if (choice.uids or choice.withdrawals) and not work.dry_run:
        patience.through(before_write, AT_FIRST)
        patience.renew()
        # Another run may have worked until the Lease was free, and a window may have closed.
        choice = patience.through_conflicts(lambda: _choose_and_clear(work, chosen, since), IN_A_FLOW)
    elif work.dry_run:
        write_all(choice.withdrawals, work, Phase.USE.value)
    if not choice.uids:
        return choice.seen
    if work.dry_run:
        carry_out(_roll_step(choice.uids), choice.nodes, work)
        pods = frozenset(
            pod.name
            for pod in choice.nodes.snapshot.nodes.pods
            if pod.uid in choice.uids and pod.component is Component.KAFKA
        )
        planner = RoundPlanner(choice.nodes, work)
        rounds = planner(RollReason.MANUAL, pods)
        for sentence in (*planner.remarks, *describe_rounds_of_roll(RollReason.MANUAL, pods, rounds)):
            work.tell(sentence)
        return choice.seen
    work.restarts.planned = len(choice.uids)
    begun = _time_of_server(work)
    try:
        _restart_all(work, choice)
    except RollStuck as error:
        raise error if since is not None else _without_memory(error, begun) from None
    # The pods have restarted: a look that fails must not have the caller restart them again.
    return Patience(work).through(lambda: observe_cluster(work), IN_A_FLOW)


@dataclass(frozen=True)
class _Choice:
    """The pods to restart."""

    #: The cluster as the caller's CA sees it.
    seen: Observation
    #: The cluster with all of its pods, and the leaves that they start with.
    nodes: Observation
    #: The UIDs of the pods.
    uids: frozenset[str]
    #: The writes that withdraw the requests to the operator which a killed call has left, if this call does not make
    #: the same requests.
    withdrawals: tuple[Write, ...]


def _choose_and_clear(work: Work, chosen: Chosen, since: datetime | None) -> _Choice:
    """Choose the pods, and withdraw the requests that a killed call has left. Raises StepError, KubeError."""
    choice = _choose(work, chosen, since)
    write_all(choice.withdrawals, work, Phase.USE.value)
    return choice


def _time_of_server(work: Work) -> datetime:
    """The time by the API server's clock, by which pods are dated."""
    return work.clock.now() - (work.client.clock_ahead or timedelta(0))


def _wait_until_past(since: datetime, choice: _Choice, work: Work) -> None:
    """Wait until the API server's clock has passed ``since``: the pods that this task makes would be dated before it,
    and the same task would restart them again.
    """
    left = since + _WHOLE_SECONDS - _time_of_server(work)
    if choice.uids and not work.dry_run and left > timedelta(0):
        work.tell(
            f"waiting {left.total_seconds():.0f} s, until the API server's clock has passed the time that since gives"
        )
        work.clock.sleep(left.total_seconds())


def _choose(work: Work, chosen: Chosen, since: datetime | None) -> _Choice:
    """Choose among the pods of the cluster as it is now. Raises StepError."""
    about = _about_cluster_ca(work)
    seen = nodes = observe_operated(work)
    if about is not work:
        nodes = observe_operated(about)
    if may_present_ended(nodes.snapshot):
        nodes = ask_nodes(about, nodes)
        seen = nodes if about is work else seen
    _require_no_flow(seen.snapshot)
    _require_fit(nodes.snapshot, chosen.pods)
    uids = frozenset(
        pod.uid
        for pod in nodes.snapshot.nodes.pods
        if (pod.name in chosen.pods or pod.component in chosen.components) and _is_older(nodes, pod.name, since)
    )
    if nodes.snapshot.ca.current:
        # Without its CA no leaf can be judged.
        at = Situation(nodes.snapshot, Intent(Goal.RECONCILE), as_seen(nodes.snapshot), GATES)
        _require_none(check_leaves_of_restarted(at, (_roll_step(uids),)))
    if uids and waits_for_window(nodes.snapshot, work.wishes.towards(Goal.RECONCILE)):
        waits = describe_next_window(nodes.snapshot, Goal.RECONCILE)
        raise Violation(
            Condition.WINDOW_IS_OPEN, nodes.snapshot.names.kafka, waits, "Run it in a window, or give that option."
        ).as_error()
    # The direct strategy restarts pods itself, so it requests nothing of the operator.
    requested = uids if work.wishes.pace.strategy is Strategy.OPERATOR else frozenset[str]()
    return _Choice(seen, nodes, uids, withdraw_left_requests(nodes, requested))


def _about_cluster_ca(work: Work) -> Work:
    """The work with all pods in its observations: an observation about the clients CA has brokers alone, and no leaf
    that a node starts with.
    """
    scope = work.scope
    return work if scope.ca is CaKind.CLUSTER else replace(work, scope=scope.of(CaKind.CLUSTER))


def _restart_all(work: Work, choice: _Choice) -> None:
    """Restart these pods. If the API server fails, or another program was first, look again and go on with the pods
    that are left. Raises StepError, KubeError.
    """
    patience, first, clock = Patience(work), [choice.nodes], work.clock
    pods = tuple(pod for pod in choice.nodes.snapshot.nodes.pods if pod.uid in choice.uids)
    # How many were left at the last look, and since when another program has been first each time.
    count, crossed_at = len(pods), math.inf

    def restart_pods_left() -> None:
        nonlocal count, crossed_at
        now = first.pop() if first else observe_operated(_about_cluster_ca(work))
        left = _not_yet_restarted(work, pods)
        if len(left) < count:
            count, crossed_at = len(left), math.inf
            patience.renew()
        if left:
            carry_out(_roll_step(frozenset(pod.uid for pod in left)), _with_gone(now, left), work)

    while True:
        try:
            patience.through(restart_pods_left, IN_A_FLOW)
            return
        except (Conflict, NotFound):
            # A pod has changed, or gone, since the look.
            crossed_at = min(crossed_at, clock.monotonic())
            # Between two conflicts lies a look.
            limit = work.client.response_time.within(work.settings.operator_timeout.total_seconds(), 2 * OBSERVATION)
            if clock.monotonic() - crossed_at >= limit:
                raise
            work.renew_lease()
            clock.sleep(_PAUSE)


def _not_yet_restarted(work: Work, pods: Iterable[Pod]) -> tuple[Pod, ...]:
    """The pods whose restart this call has not recorded."""
    done = {action.target.name for action in work.actions if action.verb == "restart"}
    return tuple(pod for pod in pods if pod.name not in done)


def _with_gone(now: Observation, pods: Iterable[Pod]) -> Observation:
    """The observation, with the pods among these that have gone by now as leaving pods: the call waits for their
    successors.
    """
    gone = tuple(replace(pod, terminating=True) for pod in pods if pod.uid not in now.snapshot.uids)
    return replace(now, snapshot=now.snapshot.with_nodes(pods=(*now.snapshot.nodes.pods, *gone)))


def _without_memory(error: RollStuck, begun: datetime) -> RollStuck:
    """The error, with what the same task has to say so that it restarts no pod twice. The first restart came after
    ``begun`` by the API server's clock.
    """
    return error.with_repetition(
        f"give since={begun:%Y-%m-%dT%H:%M:%SZ} with it, or pods that were restarted already are restarted again."
    )


def _roll_step(uids: frozenset[str]) -> Roll:
    return Roll(reason=RollReason.MANUAL, uids=uids, authority=None, phase=Phase.USE)


def _require_none(violations: Iterable[Violation]) -> None:
    for violation in violations:
        raise violation.as_error()


def _is_older(seen: Observation, pod: str, since: datetime | None) -> bool:
    made = read_time(seen.pods[pod]["metadata"].get("creationTimestamp"))
    return since is None or made is None or made < since


def _only_awaits_restarts(snapshot: Snapshot) -> bool:
    """Whether all that the flow in flight has to do is to wait until nodes restart for any reason, such
    as the caller's.
    """
    decision = decide(snapshot, Intent(Goal.RECONCILE))
    return bool(decision.waiting) and not decision.steps


def _require_no_flow(snapshot: Snapshot) -> None:
    begun = in_flight(snapshot.ledger)
    if begun is not None and not _only_awaits_restarts(snapshot):
        raise Violation(
            Condition.FLOW_HAS_ENDED,
            snapshot.names.kafka,
            f"is in the middle of a flow ({begun.goal.value}), which restarts pods by itself.",
            "Finish it first, with strimzi_trusted_certs and state=retired, or with the reconcile playbook.",
        ).as_error()


def _require_fit(snapshot: Snapshot, pods: frozenset[str]) -> None:
    """Raises StepError if the cluster, or a pod that the caller names, does not allow a restart."""
    if snapshot.reconciliation.pause.is_set:
        raise Violation(
            Condition.NOT_PAUSED,
            snapshot.names.kafka,
            "is paused: the operator would restart nothing.",
            "Resume it, then run again.",
        ).as_error()
    required = (pods_are_labelled, secrets_are_labelled, leaves_in_use_are_valid)
    _require_none(check(snapshot, Intent(Goal.RECONCILE), required))
    if unknown := sorted(pods - {pod.name for pod in snapshot.nodes.pods}):
        pod_names = ", ".join(pod.name for pod in snapshot.nodes.pods) or "none"
        raise StepError(snapshot.names.kafka, f"has no pod {', '.join(unknown)}", f"Its pods are: {pod_names}.")
