# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The restarts that a call may ask for: as many as its plan said, and no more (I11).

Restarts that a call has not waited for, reported as they happen: the operator also restarts pods by itself while the call does something else.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from .._issuing.links import StandIns
from .._strimzi.apply.work import Work
from .._strimzi.apply.written import Loss
from .._strimzi.cluster.observe import Observation
from .._trust.model.intent import Intent
from .._trust.model.names import listed
from .._trust.model.snapshot import Component, InPlace, Pod, Snapshot
from .._trust.model.steps.base import Steps
from .._trust.model.steps.nodes import Roll, RollReason
from .._trust.plan import forecast

#: Restarts by the reason and by the name of the node, or by the component whose pods get another name each time.
Restarts: TypeAlias = Counter[tuple[str, str]]
#: Something that a plan rests on: its kind, and what it says.
Fact: TypeAlias = tuple[str, Any]

#: Kinds of facts that change a plan, with the reason for people.
_REASONS = {
    "node": "{} came while this call was at work",
    "answers": "the listeners of {} have answered for the first time in this call",
    "put_back": "the Cluster Operator has put back what it had read of {}",
    "in_place": "it was looked whether nodes can take a change up without a restart",
}


class Budget:
    """The plan of a call as restarts: made of what the call saw first, when it is needed for the first time, and made again where a fact that
    it rests on is another one by then.
    """

    def __init__(self, work: Work, intent: Intent, first: Observation, reached: Callable[[Snapshot], bool]) -> None:
        self._work, self._reached = work, reached
        self._first, self._intent = first, intent
        self._planned: Restarts | None = None
        self._facts = _facts(first.snapshot)
        self._parties: dict[str, str] = {}
        self._in_place: InPlace | None = None
        #: The restarts of which the last warning about more of them has spoken.
        self._told: Restarts = Counter()

    def exceeded_by(
        self, observation: Observation, intent: Intent, steps: Steps, losses: Sequence[Loss], *, is_doubtful: bool
    ) -> Counter[str]:
        """The restarts that would be needed beyond the plan; nothing where these steps are in it, or where it has changed for a reason that
        people are told. losses: of this call. is_doubtful: something was undone, so that all which is left to do is counted, and not these steps
        alone. Raises StepError.
        """
        snapshot = observation.snapshot
        if self._in_place is None and snapshot.nodes.in_place is not None:
            # Check mode looks at this before it plans; a plan that was made without it may have restarts in the place of reloads.
            self._in_place = snapshot.nodes.in_place
            self._planned = None
            self._facts |= _facts(self._first.snapshot.with_nodes(in_place=snapshot.nodes.in_place))
        self._parties.update({pod.name: party_of(pod) for pod in snapshot.nodes.pods})
        rolls = [step for step in steps if isinstance(step, Roll)]
        due = Counter((roll.reason.value, party) for roll in rolls for party in _parties_of(roll.uids, snapshot))
        if not due and not is_doubtful:
            return Counter()
        if self._planned is None:
            self._planned = self._needed(self._first, self._intent) | self._told
        if _ways(intent) != _ways(self._intent):
            # The call has told why it goes another way. Its plan is that of this way from the beginning, and no more.
            self._intent, self._planned = intent, self._planned | self._needed(self._first, intent)
        if not is_doubtful and not self.spent + due - self._planned:
            return Counter()
        # A restart for another reason than planned may take the place of one that is not needed any more.
        more = self.spent + (self._needed(observation, intent) | due)
        over = _total(more) - _total(self._planned)
        new = (_facts(snapshot) | _put_back(losses, more - self._planned)) - self._facts
        if over and new:
            self._facts |= new
            self._tell(new, over)
            self._planned, self._told, over = more, more, Counter()
        return over

    @property
    def spent(self) -> Restarts:
        """The restarts of this call so far, as far as it has waited for them."""
        done = [one for one in self._work.actions if one.verb == "restart"]
        names = [one.object.rpartition("/")[2] for one in done]
        return Counter(
            (one.what.partition(" ")[0], self._parties.get(name, name)) for one, name in zip(done, names, strict=True)
        )

    def _needed(self, observation: Observation, intent: Intent) -> Restarts:
        snapshot = observation.snapshot.with_nodes(in_place=observation.snapshot.nodes.in_place or self._in_place)
        planned = forecast(snapshot, intent, StandIns(observation, self._work), self._reached)
        parties = {pod.name: party_of(pod) for pod in observation.snapshot.nodes.pods}
        return Counter(
            (step.reason.value, parties[name])
            for step in planned.whole
            if step.reason
            for name in (*step.nodes, *step.others)
        )

    def _tell(self, new: frozenset[Fact], more: Counter[str]) -> None:
        """Warn of more restarts than planned. new: the facts that explain them."""
        reasons = [
            reason.format(listed(sorted(str(what) for kind, what in new if kind == one)))
            for one, reason in _REASONS.items()
            if any(kind == one for kind, _what in new)
        ]
        self._work.warnings.append(
            f"More is restarted than planned at first ({described(more)} more), because {' and '.join(reasons)}."
        )


def _total(restarts: Restarts) -> Counter[str]:
    """The restarts without their reasons."""
    total: Counter[str] = Counter()
    for (_reason, party), count in restarts.items():
        total[party] += count
    return total


def described(restarts: Counter[str]) -> str:
    """For people."""
    return ", ".join(f"{name} {count} time{'' if count == 1 else 's'}" for name, count in sorted(restarts.items()))


def _ways(intent: Intent) -> tuple[Any, ...]:
    """The parts of an intent that a call changes itself, when a cluster, an issuer or the API server does not let it go as planned."""
    return intent.spread, intent.links, intent.taken


def _facts(snapshot: Snapshot) -> frozenset[Fact]:
    nodes = (("node", pod.name) for pod in snapshot.nodes.pods if pod.component is Component.KAFKA)
    answers = (("answers", one.pod) for one in snapshot.nodes.listeners or ())
    looked = (("in_place", snapshot.nodes.in_place),) if snapshot.nodes.in_place else ()
    return frozenset((*nodes, *answers, *looked))


def _put_back(losses: Sequence[Loss], restarts: Restarts) -> frozenset[Fact]:
    """The objects that the operator alone has put back, each as often as it has; they explain restarts of pods that take certificates up, and no
    other. A pod that has restarted with one of its new leaves restarts once more with the other one.
    """
    if not all(loss.by_operator for loss in losses) or {reason for reason, _party in restarts} - {RollReason.USE.value}:
        return frozenset()
    times = Counter[str]()
    facts = set()
    for loss in losses:
        times[loss.object] += 1
        facts.add(("put_back", f"{loss.object}{f' ({times[loss.object]} times)' * (times[loss.object] > 1)}"))
    return frozenset(facts)


def party_of(pod: Pod) -> str:
    """The name of a node, or the component, whose pods get another name each time."""
    return pod.name if pod.component is Component.KAFKA else pod.component.value


def _parties_of(uids: Iterable[str], snapshot: Snapshot) -> list[str]:
    chosen = frozenset(uids)
    return [party_of(pod) for pod in snapshot.nodes.pods if pod.uid in chosen]


class Restarted:
    """Compares the pods of each observation with those before."""

    def __init__(self, work: Work, first: Observation) -> None:
        self._work = work
        #: Names by UID, of each party: a node, or a component, whose pods get another name each time.
        self._known: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._looked_at = 0
        self._waited_for: list[str] = []
        for pod in first.snapshot.nodes.pods:
            self._known[party_of(pod)][pod.uid] = pod.name

    def see(self, observation: Observation) -> None:
        """Report each pod that has taken the place of another one since the last observation; one that is still missing, when it is there."""
        done = self._work.actions[self._looked_at :]
        self._looked_at = len(self._work.actions)
        self._waited_for += [one.object.rpartition("/")[2] for one in done if one.verb == "restart"]
        running: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for pod in observation.snapshot.nodes.pods:
            running[party_of(pod)][pod.uid] = pod.name
        for party, pods in running.items():
            known = self._known[party]
            gone = [uid for uid in known if uid not in pods]
            for old, new in zip(gone, [uid for uid in pods if uid not in known], strict=False):
                self._replaced(known.pop(old), pods[new])
            known.update(pods)

    def _replaced(self, old: str, new: str) -> None:
        if old in self._waited_for:
            self._waited_for.remove(old)
            return
        what = new if new == old else f"{old}, now {new},"
        self._work.tell(
            f"{what} was restarted by the Cluster Operator or another program, while this call was at something else"
        )
