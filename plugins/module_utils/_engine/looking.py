# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Looking at the running nodes through the API server, as far as the caller wants it and it is possible: before a
gate a call asks nodes which certificates they present, which CAs they trust, and whether they can take a change up
without a restart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from .._pki.certificates import Certificate, Chain
from .._strimzi.apply.stamping import TO_ANNOTATE, obstacles, why_not_permitted
from .._strimzi.apply.work import Work
from .._strimzi.cluster.kafka import why_operator_is_silent
from .._strimzi.cluster.observe import Observation
from .._strimzi.cluster.subjects import with_misnamed
from .._strimzi.issuer_settings import CertManagerCertificates
from .._trust.decide import ENGINE, Engine, decide
from .._trust.evidence.parties import answers_of_running, may_present_ended
from .._trust.evidence.stored import pods_with_certificates
from .._trust.model.authority_order import AuthorityOrder
from .._trust.model.components import Component
from .._trust.model.decision import Condition, Decision, Look, StandIn, Violation
from .._trust.model.goals import Goal
from .._trust.model.intent import Intent, Strategy
from .._trust.model.listeners import ObservedListener
from .._trust.model.names import listed
from .._trust.model.snapshot import InPlaceObstacles, NodeAnswers, PreparedAuthority, Snapshot
from .._trust.plan import foreseeing
from .._trust.preconditions.absence import absence_of_cluster
from .._trust.preconditions.order import FIRST, check
from .._trust.rules.repair import is_explained

T = TypeVar("T")
#: Seconds between two looks for an operator.
_PAUSE = 5.0
#: How often a call asks the nodes at most, if pods are replaced while it asks.
_LOOKS = 3
_UNASKED = "the call cannot ask the running nodes which CAs they trust"


def observe_cluster(work: Work) -> Observation:
    """The observation of a cluster by stored evidence, by what issuers say of requests that are open, and by what they
    renew.
    """
    observation = _with_silent_operator(with_misnamed(work.observe()), work)
    if not observation.has_requests and not isinstance(work.settings.issuer, CertManagerCertificates):
        return observation
    # Imported only here: most clusters have no open request, and no issuer that renews by itself.
    from .._issuing.pending.pending import with_requests, with_standing

    # The issuer's state takes more answers of the API server; the Lease was renewed before the observation.
    work.renew_lease()
    observation = with_requests(observation, work)
    work.renew_lease()
    return with_standing(observation, work)


def _with_silent_operator(observation: Observation, work: Work) -> Observation:
    """The observation with what the operator's Lease shows. After the first look of a call it stays as it is: each wait
    for the operator has a limit of its own.
    """
    state = observation.snapshot.reconciliation
    if work.first is not None or not state.exists or state.operator.absence:
        return observation
    absence = why_operator_is_silent(work.client, work.scope.namespace, observation.snapshot.now, work.clock.sleep)
    if not absence:
        return observation
    silent = replace(state, operator=replace(state.operator, absence=absence))
    return replace(observation, snapshot=replace(observation.snapshot, reconciliation=silent))


def observe_existing(work: Work) -> Observation:
    """The observation of a cluster that has to exist. Raises ConditionUnmet."""
    seen = observe_cluster(work)
    if not seen.snapshot.reconciliation.exists:
        raise absence_of_cluster(seen.snapshot.names.kafka, seen.snapshot.reconciliation.neighbours).as_error()
    return seen


def observe_operated(work: Work) -> Observation:
    """The observation of a cluster that has to exist, that stays, and on which an operator works. Raises
    ConditionUnmet.
    """

    def find(seen: Observation) -> tuple[Violation, ...]:
        return check(seen.snapshot, Intent(Goal.RECONCILE), FIRST)

    seen = await_operator(lambda: observe_existing(work), find, work)
    for violation in find(seen):
        raise violation.as_error()
    return seen


def await_operator(look: Callable[[], T], violations_of: Callable[[T], Sequence[Violation]], work: Work) -> T:
    """The first look that shows no sign of an absent operator, or the last look when the operator has had its time: it
    may have been started just now, and an operator under load takes minutes. A dry run, which writes nothing, takes the
    first look.
    """
    seen, begun = look(), work.clock.monotonic()
    limit, is_reported = work.settings.operator_timeout.total_seconds(), False
    while not work.dry_run and work.clock.monotonic() - begun < limit:
        missing = next((one for one in violations_of(seen) if one.condition is Condition.OPERATOR_IS_THERE), None)
        if missing is None:
            break
        if not is_reported:
            work.tell(f"{missing.subject} {missing.message} It is given {limit:.0f} s to show itself.")
            is_reported = True
        work.renew_lease()
        work.clock.sleep(_PAUSE)
        seen = look()
    return seen


class LateStandIns:
    """Implements ``StandIn`` of the steps for one observation. The plan of a call with nothing to do needs no
    certificate that is yet to be made, and so nothing that makes certificates.
    """

    def __init__(self, observation: Observation, work: Work) -> None:
        self._observation, self._work = observation, work

    def authority(self, order: AuthorityOrder) -> PreparedAuthority:
        """Raises StepError when a step with this order would."""
        return self._stand_ins.authority(order)

    def leaf(self, issuer: Chain) -> Certificate:
        """Raises StepError when the key of this CA is lost."""
        return self._stand_ins.leaf(issuer)

    @cached_property
    def _stand_ins(self) -> StandIn:
        # Imported with the first certificate that a plan needs.
        from .._issuing.links import StandIns
        from .._strimzi.apply.backup import as_restored

        return StandIns(as_restored(self._observation), self._work)


def decide_call(work: Work, intent: Intent, observation: Observation, engine: Engine = ENGINE) -> Decision:
    """The decision of a call about what it has observed. If a precondition is about restarts, the forecast says whether
    the call begins any. Raises StepError if a certificate that the forecast needs cannot be made.
    """
    return decide(observation.snapshot, intent, foreseeing(LateStandIns(observation, work), engine))


def decide_with_a_look(
    work: Work, intent: Intent, observation: Observation, engine: Engine, earlier: NodeAnswers | None = None
) -> tuple[Observation, Decision]:
    """If a gate stands before the next steps, ask the running nodes first and decide again.

    The nodes have given the earlier answers in this call, or in a call that has handed them over.
    Check mode goes by them also if a run would ask the nodes once more.
    """
    answered = remember_answers(observation, earlier)
    if work.dry_run and answered is not observation:
        return answered, decide_call(work, intent, answered, engine)
    decision = decide_call(work, intent, observation, engine)
    looks = _choose_look(decision, answered.snapshot)
    if looks is not Look.FRESH and answered is not observation:
        # Answers of nodes outweigh stored evidence: else the ledger would go to and fro between both.
        again = decide_call(work, intent, answered, engine)
        if _choose_look(again, answered.snapshot) is not Look.FRESH and not _leads_less_far(again, decision):
            return answered, again
        looks = Look.FRESH
    if looks is Look.NONE:
        return observation, decision
    observation = ask_nodes(work, observation)
    return observation, decide_call(work, intent, observation, engine)


def _leads_less_far(answered: Decision, stored: Decision) -> bool:
    """Whether the earlier answers stop or hold a call that stored evidence would let go on. Then the call asks again:
    the nodes may have answered before the present CAs were known.
    """
    is_held_anew = answered.is_held and not stored.is_held
    return is_held_anew or (bool(stored.steps) and not answered.steps)


def remember_answers(observation: Observation, earlier: NodeAnswers | None) -> Observation:
    """The observation with the answers of an earlier look, if the same processes run; else as it is."""
    if earlier is None or earlier.processes != observation.snapshot.processes:
        return observation
    snapshot = observation.snapshot.with_nodes(
        listeners=earlier.listeners, in_place_obstacles=earlier.in_place_obstacles
    )
    return replace(observation, snapshot=snapshot)


def _choose_look(decision: Decision, snapshot: Snapshot) -> Look:
    """A call asks also if a node was started with a leaf that is no longer stored, and nothing explains that: only its
    answer shows whether that leaf has ended. And it asks before it begins anything in a rebalance: the forecast has to
    know whether nodes can reload (``no_rebalance_is_running``).
    """
    is_doubtful = bool(may_present_ended(snapshot)) and not is_explained(snapshot)
    begins_in_rebalance = bool(decision.steps) and bool(snapshot.reconciliation.rebalances)
    doubts = Look.REMEMBERED if is_doubtful or begins_in_rebalance else Look.NONE
    return max((doubts, *(step.look(snapshot) for step in decision.steps)), key=lambda look: look.value)


def ask_nodes(work: Work, observation: Observation) -> Observation:
    """The observation with the answers of the nodes; if they are out of reach, with a note of that."""
    for _attempt in range(_LOOKS):
        listeners = _ask_listeners(work, observation)
        if listeners is None:
            unasked = InPlaceObstacles(
                reload=_why_unasked(work),
                annotations=_why_not_annotated(work),
                again=_find_restarts(work, observation, reloads=False)[1],
            )
            return replace(observation, snapshot=observation.snapshot.with_nodes(in_place_obstacles=unasked))
        # List the pods again: a new pod of the same name, or a container that has restarted, may have answered in the
        # place of the process that the call asked.
        processes, observation = observation.snapshot.processes, observe_cluster(work)
        answers = answers_of_running(
            listeners, frozenset(uid for uid, _restarts in processes & observation.snapshot.processes)
        )
        if len(answers) == len(listeners):
            break
    in_place = _find_obstacles(work, observation)
    return replace(
        observation, snapshot=observation.snapshot.with_nodes(listeners=answers, in_place_obstacles=in_place)
    )


def _ask_listeners(work: Work, observation: Observation) -> tuple[ObservedListener, ...] | None:
    """The answers of the listeners; None if nodes are out of reach, and an empty tuple if no node presents a
    certificate. A later look asks a node that is away just now.
    """
    if work.nodes is None:
        return None
    pods = observation.snapshot.nodes.pods
    nodes = any(pod.component is Component.KAFKA and not pod.presents_nothing for pod in pods)
    return work.look_live(observation) if nodes else ()


def _why_unasked(work: Work) -> str:
    why = work.nodes.why_unasked() if work.nodes is not None else ""
    cause = f": {why.rstrip('.')}" if why else ""
    return f"{_UNASKED}{cause}."


def _find_obstacles(work: Work, observation: Observation) -> InPlaceObstacles:
    """The obstacles to bringing a change to running nodes; found before such a change is begun."""
    why = (work.nodes.reload_obstacle() if work.nodes is not None else "") or why_not_permitted(
        work.client, work.scope.namespace
    )
    stamps, again = _find_restarts(work, observation, reloads=not why)
    return InPlaceObstacles(why, stamps, _why_not_annotated(work) if why else "", again)


def _find_restarts(work: Work, observation: Observation, *, reloads: bool) -> tuple[str, str]:
    """The nodes that the operator would restart despite new annotations, as two sentences: after a reload, if nodes can
    reload, and after a restart by this collection, if the caller wants that. A sentence is empty if there is no such
    node.
    """
    is_direct = work.wishes.pace.strategy is Strategy.DIRECT
    if not pods_with_certificates(observation.snapshot) or not (reloads or is_direct):
        return "", ""
    pod_sets = observation.owners.read_pod_sets(work.client)
    reloaded = obstacles(pod_sets, observation) if reloads else {}
    restarted = obstacles(pod_sets, observation, before_restart=True) if is_direct else {}
    return _describe_restarted(reloaded, "despite"), _describe_restarted(restarted, "again despite")


def _describe_restarted(nodes: Iterable[str], how: str) -> str:
    names = listed(tuple(nodes))
    return f"the Cluster Operator would restart {names} {how} new annotations." if names else ""


def _why_not_annotated(work: Work) -> str:
    return why_not_permitted(work.client, work.scope.namespace, TO_ANNOTATE)
