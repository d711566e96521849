# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How long the steps of a plan take. Each has a range, from the starts of these very pods, and from the looks and
answers of the API server in the call that plans. And whether the certificates in use last as long.

These are estimates, and decide nothing: if a certificate is about to end, it does not help to wait, and a flow is a way
out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from .._pki.certificates import Certificate
from .model.components import Component
from .model.decision import Step
from .model.goals import Goal
from .model.names import counted, named
from .model.rounds import LEADERS_RETURN, Round
from .model.snapshot import Pod, Snapshot, StoredLeaf
from .model.steps.authority import PrepareAuthority
from .model.steps.leaves import AskForLeaves, AwaitIssuer, AwaitKept, AwaitPickUp, AwaitReissue, IssueLeaves
from .model.steps.nodes import AwaitAnswers, AwaitLeaves, AwaitVerdict, Pause, Reload, Roll, RollReason, StampPods
from .model.steps.trust import AwaitBundle, AwaitClients, AwaitOutside
from .model.waves import SLOW, sizes_if_quick


@dataclass(frozen=True)
class Span:
    """A range of time."""

    #: The time if nothing keeps the step waiting.
    least: timedelta
    #: The time if each party takes its usual time at most; None if a party outside the cluster decides it.
    most: timedelta | None

    def __add__(self, other: Span) -> Span:
        open_ended = self.most is None or other.most is None
        return Span(self.least + other.least, None if open_ended else (self.most or _NONE) + (other.most or _NONE))


_NONE, _SECOND = timedelta(0), timedelta(seconds=1)
NO_TIME = Span(_NONE, _NONE)


@dataclass(frozen=True)
class Costs:
    """The time that calls take beside the steps of a plan, as the call that plans has measured it."""

    #: An observation of the stored state.
    observation: timedelta = _NONE
    #: A look: the observation, and the questions to the nodes.
    look: timedelta = _NONE
    #: An answer of the API server.
    answer: timedelta = _NONE
    #: The time until a task of a play has started its module.
    start: Span = NO_TIME

    def of_pass(self) -> Span:
        """Each pass looks at the cluster, and asks the nodes if a gate needs that. The objects to read differ from pass
        to pass.
        """
        return Span(self.observation / 3, 3 * self.look / 2)

    def of_call(self) -> Span:
        """A play has a task for each phase, and each task begins with a look of its own. A single call may do the work
        of all.
        """
        return self.start + Span(_NONE, 2 * self.look)

    def of_answers(self, count: int) -> Span:
        """At most so many answers of the API server."""
        return Span(_NONE, count * self.answer)


NO_COSTS = Costs()
#: The start of a module by Ansible, on the machine of the run.
START_OF_MODULE = Span(_SECOND, 5 * _SECOND)
#: The operator's verdict on the changes of a flow, at the end of a reconcile.
VERDICT = Span(_NONE, timedelta(minutes=2))
#: A write of one object, with the keys and certificates in it; and its answers, the renewal of the Lease among them.
_WRITE, _ANSWERS_OF_WRITE = Span(_NONE, _SECOND), 3
#: The key of a CA.
_KEY_OF_CA = Span(_NONE, 10 * _SECOND)
#: A reaction of the operator, which may be in the middle of a reconcile (docs/operator.md, "Pause"): at most its usual
#: period.
_REACTION = Span(_SECOND, timedelta(minutes=2))
#: The end of a process. Kubernetes kills it after the default grace period of a pod.
_STOP = Span(_SECOND, timedelta(seconds=30))
#: The reload of the nodes of one wave, which is quick, and the look at its result; and the answers in it. The call
#: reads the settings of each node before the first wave.
_RELOAD, _ANSWERS_OF_WAVE, _ANSWERS_BEFORE_RELOAD = Span(_SECOND, timedelta(seconds=SLOW)), 20, 1
#: The answers of the API server while the operator, or a pod, is waited for.
_ANSWERS_OF_WAIT = 20
_OF_OPERATOR = (Pause, AwaitBundle, AwaitLeaves, AwaitVerdict)
_OF_OTHERS = (AwaitIssuer, AwaitOutside, AwaitReissue, AwaitKept, AwaitPickUp, AwaitAnswers)


def span_of(step: Step, snapshot: Snapshot, costs: Costs = NO_COSTS, rounds: Sequence[Round] = ()) -> Span | None:
    """How long this step takes in the cluster as it is before the step; None if no pod shows how long a start takes. A
    roll restarts Kafka nodes in these rounds.
    """
    if isinstance(step, Roll):
        of_roll = _span_of_roll(step, snapshot, rounds)
        return of_roll and of_roll + costs.of_answers(_ANSWERS_OF_WAIT * (1 + len(step.uids)))
    if isinstance(step, Reload):
        nodes = len(step.uids)
        waves = (_RELOAD + costs.of_answers(_ANSWERS_OF_WAVE) for _size in sizes_if_quick(nodes))
        return sum(waves, costs.of_answers(_ANSWERS_BEFORE_RELOAD * nodes))
    if isinstance(step, AwaitClients):
        left = max(step.earliest_use - snapshot.now, _NONE)
        return Span(left, left)
    if isinstance(step, _OF_OTHERS):
        return Span(_NONE, None)
    if isinstance(step, _OF_OPERATOR):
        return _REACTION + costs.of_answers(_ANSWERS_OF_WAIT)
    written = sum(
        (_WRITE + costs.of_answers(_ANSWERS_OF_WRITE) for _object in range(_count_writes(step, snapshot))), NO_TIME
    )
    return _KEY_OF_CA + written if isinstance(step, PrepareAuthority) else written


def _count_writes(step: Step, snapshot: Snapshot) -> int:
    """How many objects this step writes, at least one."""
    if isinstance(step, StampPods):
        return max(len(snapshot.nodes.pods), 1)
    return max(len(step.secrets), 1) if isinstance(step, (IssueLeaves, AskForLeaves)) else 1


def _span_of_roll(step: Roll, snapshot: Snapshot, rounds: Sequence[Round]) -> Span | None:
    """The nodes of a round restart at the same time, one round after the other, and then all other pods at the same
    time. Before the next round begins, each node takes its place in every partition. This takes about as long again as
    its start at most.
    """
    restarted = [pod for pod in snapshot.nodes.pods if pod.uid in step.uids]
    starts = _times_to_start(restarted, snapshot)
    if any(start is None for start in starts.values()):
        return None
    nodes = {pod.name: starts[pod.uid] or _NONE for pod in restarted if pod.component is Component.KAFKA}
    others = [starts[pod.uid] or _NONE for pod in restarted if pod.component is not Component.KAFKA]
    together = _take_together(nodes, rounds, at_once=step.reason is RollReason.ENDED)
    of_nodes = sum((_STOP + Span(start, 2 * start) for start in together), _REACTION) + _span_of_leaders(rounds)
    return of_nodes + _STOP + Span(max(others), 2 * max(others)) if others else of_nodes


def _span_of_leaders(rounds: Sequence[Round]) -> Span:
    """How long brokers take until they lead again, before the next round."""
    return Span(_NONE, sum(one.has_brokers for one in rounds[:-1]) * LEADERS_RETURN)


def _take_together(nodes: Mapping[str, timedelta], rounds: Sequence[Round], *, at_once: bool) -> Iterator[timedelta]:
    """How long the slowest start of each round takes, by the starts of the nodes. A node that is in no round is a round
    of its own; nodes with ended certificates restart ``at_once``.
    """
    if at_once:
        yield max(nodes.values(), default=_NONE)
        return
    in_rounds = {name for one in rounds for name in one.nodes}
    yield from (max((nodes[name] for name in one.nodes if name in nodes), default=_NONE) for one in rounds)
    yield from (start for name, start in nodes.items() if name not in in_rounds)


def _times_to_start(restarted: Sequence[Pod], snapshot: Snapshot) -> Mapping[str, timedelta | None]:
    """How long the start of each pod takes, by its UID. If a pod does not show it, it is the time of the slowest pod of
    its component, or of all; None if no pod shows it.
    """
    slowest: dict[Component | None, timedelta] = {}
    for pod in snapshot.nodes.pods:
        for group in (pod.component, None) if pod.started_in is not None else ():
            slowest[group] = max(slowest.get(group, _NONE), pod.started_in or _NONE)
    usual = slowest.get(None)
    return {
        pod.uid: slowest.get(pod.component, usual) if pod.started_in is None else pod.started_in for pod in restarted
    }


#: How many times the estimated time of a plan a certificate is to last.
MARGIN = 2


@dataclass(frozen=True)
class Life:
    """The remaining life of a CA, or of the leaves of one component, beside the estimated time of a plan."""

    #: The CA by its subject, or the number of leaves and their component.
    name: str
    #: The certificate with the earliest end among these.
    first: Certificate
    #: How long it is still valid; negative after its end.
    left: timedelta
    #: Whether it lasts MARGIN times as long as the plan takes; None if no estimate says so.
    lasts: bool | None


def lives_of(snapshot: Snapshot, span: Span | None) -> tuple[Life, ...]:
    """The lives of the CA in use with the CAs above it, of the other CAs of the ledger, then of the leaves by
    component, beside the span of the plan; the span is None if there is no estimate.
    """
    return tuple(_lives(snapshot, span))


def _lives(snapshot: Snapshot, span: Span | None) -> Iterator[Life]:
    recorded = (entry.certificate for entry in snapshot.ledger_or_empty.entries)
    for authority in dict.fromkeys((*snapshot.ca.current, *recorded)):
        yield _life(named(authority), (authority,), snapshot, span)
    for component in Component:
        certificates = [leaf.chain[0] for leaf in _leaves(component, snapshot) if leaf.chain]
        if certificates:
            yield _life(
                f"{counted(len(certificates), 'certificate')} of {component.facts.owners}", certificates, snapshot, span
            )


def _leaves(component: Component, snapshot: Snapshot) -> Iterator[StoredLeaf]:
    return (leaf for leaf in snapshot.every_leaf if leaf.component is component)


def _life(name: str, certificates: Iterable[Certificate], snapshot: Snapshot, span: Span | None) -> Life:
    first = min(certificates, key=lambda certificate: certificate.not_after)
    left = first.not_after - snapshot.now
    return Life(name, first, left, _outlasts(left, span))


def _outlasts(left: timedelta, span: Span | None) -> bool | None:
    if span is None:
        return None
    if left < MARGIN * (span.least if span.most is None else span.most):
        return False
    return None if span.most is None else True


#: The flows that give new dates: to the CA in use, and to the leaves of the nodes or users.
_RENEWING = {True: (Goal.RENEW, Goal.RECONCILE, Goal.RECOVER), False: (Goal.RENEW_LEAVES, Goal.RECONCILE, Goal.RECOVER)}


def describe_short_lives(snapshot: Snapshot, span: Span | None, goal: Goal) -> tuple[str, ...]:
    """Sentences about the CA in use, and the leaves of nodes or users, if these may end before a plan for this goal
    does.
    """
    if span == NO_TIME or snapshot.ledger is None:
        return ()
    presented = [leaf.chain[0] for leaf in snapshot.every_leaf if leaf.chain and leaf.component in _RENEWED_HERE]
    renewable = {*snapshot.ca.in_use, *presented}
    return tuple(
        _describe_short_life(life, snapshot)
        for life in lives_of(snapshot, span)
        if life.lasts is False
        and life.left > _NONE
        and life.first in renewable
        and goal not in _RENEWING[life.first.is_ca]
    )


_RENEWED_HERE = (Component.KAFKA, Component.USER)


def _describe_short_life(life: Life, snapshot: Snapshot) -> str:
    playbook = "renew" if life.first.is_ca else "renew_leaves"
    return (
        f"{snapshot.names.kafka}: of {life.name}, the first end is on {life.first.not_after:%Y-%m-%d at %H:%M} UTC, "
        f"which is less than {MARGIN} times the estimated time of this plan away. To wait makes that worse: the "
        f"playbook {playbook} gives new dates in less time. Run it first."
    )
