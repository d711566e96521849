# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The outcome of a call: its patience with failures of the API server, what it saw and decided last, and whether the
cluster is in the state that the task wants.

A look at a cluster changes nothing: it gives the state, and every step that a flow would take from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeVar

from .._errors import Conflict, KubeError, NotFound
from .._kube.response_time import Countdown
from .._kube.wait import HEARTBEAT
from .._pki.certificates import Chain
from .._strimzi.apply.restarts import SharedCount
from .._strimzi.apply.work import Work
from .._strimzi.cluster.observe import Observation
from .._trust.decide import ENGINE, Engine
from .._trust.duration import START_OF_MODULE, Costs
from .._trust.evidence.parties import presenters
from .._trust.evidence.stored import issuers_of
from .._trust.ledger.target import resolve
from .._trust.model.components import Component
from .._trust.model.decision import Decision, Transition
from .._trust.model.intent import Intent, Selection
from .._trust.model.ledger import Layout, TrustState
from .._trust.model.pools import Scaling
from .._trust.model.snapshot import IssuedBy, NodeAnswers, Snapshot
from .._trust.plan import Forecast, Reached, forecast, to_the_end
from .._trust.rules.switch import describe_clients_without_renewal
from .looking import LateStandIns, ask_nodes, decide_call, decide_with_a_look, observe_cluster
from .rounds import RoundPlanner

T = TypeVar("T")

#: Before anything is done: a person who has mistyped the address does not wait for long.
AT_FIRST = timedelta(seconds=30)
#: In a flow: a control plane that restarts is back by then.
IN_A_FLOW = timedelta(minutes=2)
#: While the operator is paused: nothing is as good as bringing the pause to its end.
IN_A_PAUSE = timedelta(minutes=10)

#: How often a call tries again in any case: the wait for an answer that does not come may take longer than the limit.
_LEAST_TRIES = 3
#: Seconds before the second look; then doubled, up to the longest.
_FIRST_DELAY = 1.0
_LONGEST_DELAY = 15.0
#: The longest delay in seconds if the server asks for one.
_LONGEST_ASKED = 60.0
#: The work of a call after the API server has answered again.
_ANSWERED = "look at the cluster"


class Patience:
    """The patience of one call with its API server. It is used up by failures in a row, and whole again after a
    success.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._failures = 0
        self._since = self._slept = 0.0

    def through(self, act: Callable[[], T], limit: timedelta) -> T:
        """The result of ``act``, which only looks or may be done again. Raises its error if that is final, or if the
        failures last for longer than the limit.
        """
        failures = 0
        while True:
            try:
                result = act()
            except KubeError as error:
                self.wait(error, limit)
                failures += 1
                continue
            if failures:
                self._work.display.begin(_ANSWERED, "", False)
            return result

    def through_conflicts(self, act: Callable[[], T], limit: timedelta) -> T:
        """As ``through``; calls ``act`` again after a conflict, too, until conflicts have lasted for the limit. ``act``
        looks and decides again each time.
        """
        clock, delay = self._work.clock, _FIRST_DELAY
        countdown = Countdown(clock.monotonic, limit.total_seconds(), _LEAST_TRIES)
        while True:
            begun = clock.monotonic()
            try:
                return self.through(act, limit)
            except (Conflict, NotFound):
                countdown.looked_since(begun)
                if countdown.is_over:
                    raise
                self._sleep(delay)
                delay = min(2 * delay, _LONGEST_DELAY)

    def wait(self, error: KubeError, limit: timedelta) -> None:
        """Wait before the next look, longer each time. Raises the error if it is final, or if the failures last for
        longer than the limit.
        """
        clock = self._work.clock
        if not error.is_transient:
            raise error
        if not self._failures:
            self._since, self._slept = clock.monotonic(), 0.0
        left = limit.total_seconds() - max(clock.monotonic() - self._since, self._slept)
        if left <= 0 and self._failures >= _LEAST_TRIES:
            raise error
        delay = min(_FIRST_DELAY * 2.0**self._failures, _LONGEST_DELAY)
        self._failures += 1
        delay = min(max(delay, min(error.retry_after, _LONGEST_ASKED)), max(left, _FIRST_DELAY))
        self._work.display.begin(f"ask the API server again, because {error}", "the API server", False)
        if delay >= HEARTBEAT:
            self._work.tell(f"{error} It is tried again in {delay:.0f} s, for up to {max(left, delay):.0f} s.")
        self._sleep(delay)

    def renew(self) -> None:
        """Forget the failures: something has succeeded that is more than a look."""
        self._failures = 0

    def _sleep(self, seconds: float) -> None:
        """Sleep in parts, so that the Lease is renewed meanwhile."""
        while seconds > 0:
            part = min(seconds, HEARTBEAT)
            self._work.clock.sleep(part)
            self._slept += part
            seconds -= part
            with _ignore_transient_failures():
                self._work.renew_lease()


@contextmanager
def _ignore_transient_failures() -> Iterator[None]:
    """Failures that may pass are left for the next look."""
    try:
        yield
    except KubeError as error:
        if not error.is_transient:
            raise


@dataclass
class CallOutcome:
    """The outcome of a call."""

    #: The last observation of the call.
    observation: Observation
    #: The last decision, about the work that is left.
    decision: Decision
    #: The CA that the flow replaces or renews.
    replaces: str | None
    #: The first observation of the call.
    before: Observation
    #: The time that the first observation of the stored state took.
    observation_took: timedelta = timedelta(0)
    #: The time that the first look took, with the questions to the nodes.
    look_took: timedelta = timedelta(0)
    #: The transitions of CAs in this call, in order.
    transitions: list[Transition] = field(default_factory=list)
    #: Warnings about clients that are going to refuse nodes, as sentences, in the order in which this call came to know
    #: them.
    client_warnings: dict[str, None] = field(default_factory=dict, init=False)
    #: The count of restarts for the next call of the play; None if the calls of a play share none.
    shared_count: SharedCount | None = field(default=None, init=False)
    #: The last observation with answers of the nodes; None if this call asked none.
    last_look: Observation | None = field(default=None, init=False)
    #: Whether this call owns the Lease. Without the Lease a pause may belong to another run.
    has_begun: bool = field(default=False, init=False)
    #: Whether the last steps that this call began pause the operator.
    pauses: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.go_on(self.observation, self.decision)

    @property
    def is_in_a_pause(self) -> bool:
        """Whether the operator is paused by this collection, as far as is known."""
        return self.pauses or self.observation.snapshot.reconciliation.pause.is_ours

    @property
    def last_answers(self) -> NodeAnswers | None:
        """The last answers of the nodes to this call; None if it asked none."""
        return self.last_look.snapshot.answers if self.last_look is not None else None

    def go_on(self, observation: Observation, decision: Decision) -> None:
        self.observation, self.decision, self.pauses = observation, decision, False
        # Answers of an earlier look that are only used again are no new look.
        listeners, before = observation.snapshot.nodes.listeners, self.last_look
        if listeners is not None and (before is None or listeners is not before.snapshot.nodes.listeners):
            self.last_look = observation

    def note_refusing_clients(self, intent: Intent) -> None:
        """Note the warning about clients that is due as the cluster is now, once."""
        if warning := describe_clients_without_renewal(self.observation.snapshot, intent):
            self.client_warnings[warning] = None


def look(work: Work, intent: Intent, engine: Engine = ENGINE) -> CallOutcome:
    """Observe and decide, and do nothing."""
    stopwatch = _Stopwatch(work)
    observed = observe_cluster(work)
    observation_took = stopwatch.elapsed
    seen, decision = decide_with_a_look(work, intent, observed, engine, work.earlier_answers)
    about = resolve(seen.snapshot, intent, seen.snapshot.ledger_or_empty).replaces
    outcome = CallOutcome(seen, decision, about, seen, observation_took, stopwatch.elapsed)
    outcome.note_refusing_clients(intent)
    return outcome


class _Stopwatch:
    """Shows the time since it was made, by the clock of the call."""

    def __init__(self, work: Work) -> None:
        self._clock, self._begun = work.clock, work.clock.monotonic()

    @property
    def elapsed(self) -> timedelta:
        return timedelta(seconds=self._clock.monotonic() - self._begun)


def inspect(work: Work, intent: Intent) -> CallOutcome:
    """Like ``look``, but always asks the nodes if they are within reach: the plan is about the whole flow and not
    only the next step.
    """
    outcome = look(work, intent)
    if outcome.observation.snapshot.nodes.in_place_obstacles is None and outcome.observation.snapshot.nodes.pods:
        stopwatch = _Stopwatch(work)
        seen = ask_nodes(work, outcome.observation)
        outcome.look_took += stopwatch.elapsed
        outcome.go_on(seen, decide_call(work, intent, seen))
    return outcome


def plan(
    work: Work,
    outcome: CallOutcome,
    intent: Intent,
    reached: Reached = to_the_end,
    planner: RoundPlanner | None = None,
) -> Forecast:
    """Every step from here to the end of the flow, or to where the caller has what it asks for. Raises StepError when a
    step could not be taken at all. A caller of several plans gives the planner of rounds, which asks Kafka once.
    """
    planner = planner or RoundPlanner(outcome.observation, work)
    costs = Costs(
        outcome.observation_took,
        outcome.look_took,
        timedelta(seconds=work.client.response_time.answer),
        START_OF_MODULE,
    )
    stand_in = LateStandIns(outcome.observation, work)
    planned = forecast(outcome.observation.snapshot, intent, stand_in, reached, costs, planner)
    return replace(planned, choices=(*planned.choices, *planner.remarks))


def is_switched(snapshot: Snapshot) -> bool:
    """Whether the operator has been switched to every prepared CA."""
    return all(prepared.chain[:1] == snapshot.ca.in_use for prepared in snapshot.ca.prepared)


def is_absent(fingerprint: str) -> Reached:
    """Whether the CA has left the ledger, and the Secret from which processes read CAs."""

    def reached(snapshot: Snapshot) -> bool:
        entry = snapshot.ledger_or_empty.find(fingerprint)
        return entry is None and fingerprint not in snapshot.ca.projected

    return reached


def is_trusted(trusting: tuple[Chain, ...]) -> Reached:
    """Whether every CA of the ledger is trusted, and these are among them."""

    def reached(snapshot: Snapshot) -> bool:
        ledger = snapshot.ledger_or_empty
        untrusted = any(entry.state is TrustState.UNTRUSTED for entry in ledger.entries) and bool(snapshot.nodes.pods)
        return not untrusted and all(ledger.find(chain[0].fingerprint) for chain in trusting)

    return reached


def are_issued(wanted: Selection) -> Reached:
    """Whether all of these leaves exist, and the stored leaves are of the CA that is to be used from now on.

    The operator's own leaf does not count: it follows when every process trusts that CA itself. If the User Operator
    issues, it does so after the switch.
    """

    def reached(snapshot: Snapshot) -> bool:
        if any(wanted.has(name, component) for name, component in snapshot.every_missing_leaf.items()):
            return False
        if snapshot.issued_by is not IssuedBy.THIS_COLLECTION:
            return is_switched(snapshot) and not any(presenter.is_outdated for presenter in presenters(snapshot))
        ledger, next_ = snapshot.ledger_or_empty, _next_issuer(snapshot)
        leaves = [
            leaf for leaf in snapshot.leaves.stored if leaf.component is not Component.CLUSTER_OPERATOR and leaf.chain
        ]
        return next_ is None or all(next_ in issuers_of(leaf.chain or (), ledger) for leaf in leaves)

    return reached


def are_replaced(unwanted: frozenset[str]) -> Reached:
    """Whether none of these leaves, given by their SHA-256 fingerprints, is stored any more."""
    return lambda snapshot: not any(leaf.chain and leaf.chain[0].sha256 in unwanted for leaf in snapshot.every_leaf)


def is_scaled(scaling: Scaling) -> Reached:
    """Whether the pool has this number of replicas."""
    return lambda snapshot: snapshot.pools.replicas.get(scaling.pool) == scaling.replicas


def is_laid_out(layout: Layout) -> Reached:
    """Whether the ledger is kept in these Secrets, and in no others."""

    def reached(snapshot: Snapshot) -> bool:
        ledger = snapshot.ledger
        return ledger is not None and ledger.layout is layout and not ledger.has_leftovers

    return reached


def _next_issuer(snapshot: Snapshot) -> str | None:
    """Fingerprint of the prepared CA, else of the CA in use; None if there is no CA or no ledger."""
    chains = [prepared.chain for prepared in snapshot.ca.prepared] or [snapshot.ca.current]
    return chains[0][0].fingerprint if chains[0] and snapshot.ledger else None
