# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The course of a call: whether what it writes stays, and whether it comes nearer to its end (docs/design.md, "Other hands")."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .._errors import KubeError, StepError
from .._kube.resources import SECRETS
from .._strimzi import names
from .._strimzi.apply.work import Work
from .._strimzi.apply.written import Field, Loss, Writer, owners_of, remedy_for, writers_of
from .._strimzi.cluster.observe import Key, Observation
from .._strimzi.names import KAFKAS, STRIMZI_POD_SETS
from .._strimzi.secret_data import entries
from .._trust.evidence.parties import present_pods
from .._trust.ledger.enrolment import as_seen
from .._trust.model.decision import Condition, Violation
from .._trust.model.intent import Intent
from .._trust.model.names import listed
from .._trust.model.snapshot import Snapshot
from .._trust.model.steps.base import Step, Steps
from .._trust.model.steps.nodes import Pause, Resume
from .._trust.plan import likeness_of, state_of
from .._trust.rules.pause import restarted_by_operator
from .budget import Budget, Restarted, described
from .outcome import Outcome

#: Seconds before a state is looked at again that a wait, or another writer, has left as it was; doubled each time, up to the longest.
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 15.0


@dataclass(frozen=True)
class _Visit:
    """A state that a call has been in. at: by the monotonic clock, in seconds. actions: how many the call had taken by then."""

    at: float
    actions: int


class Course:
    """Sees every pass of a call before it is carried out, and finds what stops the call."""

    def __init__(self, work: Work, intent: Intent, outcome: Outcome, reached: Callable[[Snapshot], bool]) -> None:
        self._work, self._first = work, outcome.observation
        self._budget = Budget(work, intent, outcome.observation, reached)
        self._restarted = Restarted(work, outcome.observation)
        self._visits: dict[Any, _Visit] = {}
        self._state: Any = None
        self._losses: list[Loss] = []
        self._repeated: Loss | None = None
        #: Steps that were carried out and do more than wait, by their likeness; and those of the last pass.
        self._taken: set[Any] = set()
        self._last: set[Any] = set()
        self._crossed = False
        self._pause = _FIRST_PAUSE

    def crossed(self) -> None:
        """Another writer was first in this pass, so nothing of it counts."""
        self._crossed, self._last = True, set()

    def failed(self) -> None:
        """The API server has failed in this pass: it is taken again, for as long as the call is patient with that."""
        self._visits.pop(self._state, None)
        self.crossed()

    def see(self, observation: Observation) -> tuple[Loss, ...]:
        """Look whether what was written is still there, and return what is not; and tell of restarts. Raises KubeError."""
        self._restarted.see(observation)
        lost = self._work.written.take_losses(observation, self._work.client)
        self._losses += lost
        self._repeated = next((loss for loss in lost if loss.is_repeated), None)
        self._work.warnings += [
            f"{loss.object}: {loss.what}: not as this call wrote it; {loss.writer} has written it since. {loss.remedy}"
            for loss in lost
            if not loss.by_operator and not loss.is_repeated
        ]
        return lost

    def failure(self, error: StepError) -> Violation | None:
        """The loss that a step has failed for; None where nothing that this call wrote was written back meanwhile."""
        with suppress(KubeError):
            observation = self._work.observe()
            lost = next((loss for loss in self.see(observation) if not loss.by_operator), None)
            return _written_back(lost, observation.snapshot, f"{error} ") if lost else None
        return None

    def obstacles(self, observation: Observation, intent: Intent, steps: Steps) -> tuple[Violation, ...]:
        """Why these steps must not be carried out; nothing where they may. Raises StepError."""
        waits = self._crossed or all(step.only_waits for step in steps)
        self._crossed = False
        self._taken |= self._last
        self._last = {likeness_of((step,), observation.snapshot) for step in steps if _does_something(step)}
        if self._repeated is not None:
            return (_written_back(self._repeated, observation.snapshot),)
        found = self._circle(observation, steps, may_repeat=waits)
        undone = bool(self._last & self._taken) or any(not loss.by_operator for loss in self._losses)
        return found or self._beyond_plan(observation, intent, steps, is_doubtful=undone)

    def _circle(self, observation: Observation, steps: Steps, *, may_repeat: bool) -> tuple[Violation, ...]:
        """may_repeat: the state may be the same for as long as a reaction of the operator may take."""
        now = self._work.clock.monotonic()
        # The same writes after a loss are another state than those before it.
        state = state_of(observation.snapshot, steps), len(self._losses)
        self._state, before = state, self._visits.get(state)
        if before is None:
            self._visits[state] = _Visit(now, len(self._work.actions))
            self._pause = _FIRST_PAUSE
            return ()
        limit = self._work.settings.operator_timeout.total_seconds()
        if may_repeat and (now - before.at < limit or all(step.holds_nothing for step in steps)):
            self._work.clock.sleep(self._pause)
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            return ()
        return (self._no_advance(observation, steps[0], before),)

    def _no_advance(self, observation: Observation, step: Step, before: _Visit) -> Violation:
        done = self._work.actions[before.actions :]
        written = dict.fromkeys(one.object for one in done if one.verb in ("create", "update", "wait"))
        return Violation(
            Condition.FLOW_ADVANCES,
            next(iter(written), observation.snapshot.names.kafka),
            f"The cluster is as it was before this step, which has been taken already: {step.sentence()}. What this call has written or waited "
            f"for since then ({', '.join(written) or 'nothing'}) has led to nothing that lasts.{self._meanwhile(observation)}",
            self._remedy(observation),
        )

    def _beyond_plan(
        self, observation: Observation, intent: Intent, steps: Steps, *, is_doubtful: bool
    ) -> tuple[Violation, ...]:
        over = self._budget.exceeded_by(observation, intent, steps, self._losses, is_doubtful=is_doubtful)
        if not over:
            return ()
        beyond = Violation(
            Condition.RESTARTS_ARE_PLANNED,
            observation.snapshot.names.kafka,
            f"To go on ({steps[0].sentence()}) takes more restarts than were planned: {described(over)} beyond the plan.{self._meanwhile(observation)}",
            self._remedy(observation),
        )
        return (*_unknown(observation.snapshot), beyond)

    def _meanwhile(self, observation: Observation) -> str:
        """Sentences about what others have written since this call began; empty where nothing is known of any."""
        back = [f"{loss.object}, {loss.what}: written back by {loss.writer}." for loss in self._losses[-3:]]
        others = [f"{name} was written by {writer}." for name, writer in self._others(observation)]
        return "".join(f" {sentence}" for sentence in back or others[:3] or self._changed(observation)[:3])

    def _changed(self, observation: Observation) -> list[str]:
        """Sentences about Secrets that are others than at first, and that neither this call nor the operator has written."""
        changed = []
        for key, now in observation.by_key.items():
            before = self._first.by_key.get(key)
            if key[0] != SECRETS.kind or before is None or key in self._work.written.objects:
                continue
            was, is_ = entries(before), entries(now)
            fields = sorted(name for name in {*was, *is_} if was.get(name) != is_.get(name))
            writers = writers_of(now, [("data", name) for name in fields])
            if fields and not (writers and writers[0].is_operator):
                by = f" Its fields are written by {writers[0]}." if writers else ""
                changed.append(
                    f"{key[0]} {key[1]}/{key[2]} has changed without this call: entries {', '.join(fields)}.{by}"
                )
        return changed

    def _remedy(self, observation: Observation) -> str:
        writers = [
            *(loss.writers[0] for loss in self._losses if loss.writers),
            *(writer for _name, writer in self._others(observation)),
        ]
        if not writers:
            return "See what has changed with strimzi_ca_info, and look at the plan of the next run in check mode before it."
        return remedy_for(writers)

    def _others(self, observation: Observation) -> list[tuple[str, Writer]]:
        """Objects that programs without a part in the cluster have written since the first observation, and these programs."""
        found = dict(observation.by_key)
        # By these the operator decides about restarts, and nothing else of a call reads them.
        with suppress(KubeError):
            found |= {
                (STRIMZI_POD_SETS.kind, observation.scope.namespace, one["metadata"]["name"]): one
                for one in observation.owners.read_pod_sets(self._work.client)
            }
        others = []
        for key, now in found.items():
            before = {str(writer) for writer in writers_of(self._first.by_key.get(key))}
            new = (writer for writer in writers_of(now) if writer.returns and str(writer) not in before)
            others += [(f"{key[0]} {key[1]}/{key[2]}", writer) for writer in new]
        return others


def _unknown(snapshot: Snapshot) -> tuple[Violation, ...]:
    """The pods of which nothing is known, for which others may have to restart."""
    return tuple(
        Violation(
            Condition.EVIDENCE,
            snapshot.names.pod(seen.party),
            f"it cannot be told what it presents: {seen.why}.",
            "Find out why, then run the flow again.",
        )
        for seen in present_pods(snapshot, as_seen(snapshot))
        if seen.authorities is None
    )


def _does_something(step: Step) -> bool:
    """Whether taking it a second time shows that something was undone. A flow may pause the operator several times."""
    return not step.only_waits and not isinstance(step, (Pause, Resume))


def _written_back(loss: Loss, snapshot: Snapshot, failure: str = "") -> Violation:
    """failure: a sentence about the step that has failed meanwhile."""
    remedy = loss.remedy
    if loss.by_operator:
        remedy = "Look at the operator's log and at the status of the Kafka resource for why it writes this again; then run again."
    paused = ("metadata", "annotations", names.PAUSE_RECONCILIATION) in loss.fields
    again = f" for the {_nth(loss.times)} time" if loss.is_repeated else ""
    return Violation(
        Condition.WRITES_LAST,
        loss.object,
        f"{failure}{loss.what[:1].upper()}{loss.what[1:]}: not as this call wrote it{again}; {loss.writer} has written it since."
        f"{f' {_seen_half_way(snapshot)}' if paused else ''} Nothing more is written.",
        remedy,
    )


def _nth(times: int) -> str:
    return {2: "second", 3: "third"}.get(times, f"{times}th")


def _seen_half_way(snapshot: Snapshot) -> str:
    """The part of a switch that the operator may have seen although it was to be paused, as a sentence."""
    ca = snapshot.ca
    if ca.current and ca.key not in (None, ca.current[0].public_key_sha256):
        return (
            "The operator may have seen the key of the next CA beside the certificate of this one: it issues nothing and restarts nothing until "
            "both match again, which the next run sees to."
        )
    if restarted := restarted_by_operator(snapshot):
        pods = listed(sorted(pod.name for pod in snapshot.nodes.pods if pod.uid in restarted))
        return (
            f"The operator may have seen generation {ca.certificate_generation} of the CA before it was told what running pods had read, and may "
            f"restart {pods} once; every certificate is accepted meanwhile."
        )
    return "The operator has seen nothing half-way: no key, no certificate and no generation had been changed without the others."


def warn_of_owners(outcome: Outcome, work: Work) -> None:
    """Warn, before anything is written, of programs that own fields of what a flow writes: they may write them back."""
    if not outcome.decision.steps:
        return
    observation = outcome.observation
    objects: dict[str, list[str]] = {}
    writers: dict[str, Writer] = {}
    for key, fields in _fields_that_flows_write(observation).items():
        for writer in owners_of(observation.by_key[key], fields):
            if writer.returns:
                objects.setdefault(writer.manager, []).append(f"{key[0]} {key[1]}/{key[2]}")
                writers[writer.manager] = writer
    work.warnings += [
        f"{listed(objects[name])}: {writer} owns fields of what this call writes to, and may write back what it knows. "
        f"{remedy_for((writer,))}"
        for name, writer in writers.items()
    ]


def _fields_that_flows_write(observation: Observation) -> dict[Key, tuple[Field, ...]]:
    scope = observation.scope
    secrets = {
        scope.ca_certificate_secret, scope.ca_key_secret, *scope.ledger_secrets, scope.trust_bundle_secret, scope.client_bundle_secret,
        *(leaf.secret for leaf in observation.stored),
    }  # fmt: skip
    found: dict[Key, tuple[Field, ...]] = {
        (SECRETS.kind, scope.namespace, name): (("data",), ("metadata", "annotations"))
        for name in sorted(secrets)
        if name in observation.secrets
    }
    if observation.kafka is not None:
        pauses = (names.PAUSE_RECONCILIATION, scope.paused_by)
        found[KAFKAS.kind, scope.namespace, scope.cluster] = tuple(("metadata", "annotations", one) for one in pauses)
    return found
