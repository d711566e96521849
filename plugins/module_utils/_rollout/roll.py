# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A roll replaces the pods that need it, and watches until the last pod is back.

The operator's own KafkaRoller restarts Kafka nodes, on request by ``strimzi.io/manual-rolling-update`` on each pod that
needs it. If a pod was recreated meanwhile, it has lost the annotation and does not restart twice. With the direct
strategy this collection restarts them itself, unless the operator rolls anyway: there would be two rolls at once. If
nodes take up other leaves, the operator is paused for that, and finds nothing to restart after it. Pods of Deployments
(Entity Operator, Cruise Control, Kafka Exporter) are deleted, all at once, when the nodes are back; their Deployments
recreate them (docs/operator.md, "Phases by hand", "Manual rolling update").

Nodes with ended certificates restart at the same time and in place: the kubelet starts their containers again, with the
certificates stored now. Pods, volumes and addresses stay. A node asks the others for permission to stop, and with
ended certificates it may fail to reach them. If a process does not end in time, it is killed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from .._errors import Conflict, KubeError, NotFound, RestartsNotDue, RollStuck, StepError, TimedOut
from .._kube.resources import PODS
from .._kube.response_time import CONVERSATION
from .._kube.wait import Objects, wait_until
from .._strimzi import names
from .._strimzi.apply.carry_out import CarryOut
from .._strimzi.apply.operator import await_leaves, request_reconcile
from .._strimzi.apply.work import (
    Work,
    Write,
    WriteVerb,
    find_object,
    version,
    write_all,
)
from .._strimzi.apply.written import owners_of
from .._strimzi.cluster.observe import Observation
from .._strimzi.cluster.pods import REQUEST, is_ready
from .._strimzi.names import KAFKAS
from .._strimzi.secret_data import is_true
from .._trust.evidence.stored import restarted_by_operator, restarted_with_next_leaf
from .._trust.model.components import Component
from .._trust.model.decision import Step
from .._trust.model.intent import Strategy
from .._trust.model.names import listed
from .._trust.model.snapshot import Pod
from .._trust.model.steps.nodes import AwaitAnswers, PauseAndReload, Reload, Roll, RollReason
from .answers import await_answers
from .kafka_pods import (
    NOT_AGAIN,
    Progress,
    delete_pod,
    is_terminating,
    name_of,
    restart,
    uid_of,
    withdraw_left_requests,
    withdrawal,
)

if TYPE_CHECKING:
    from .._kube.pod_access import CommandRunner

#: Seconds without a restart. Then the roll checks whether the operator still has a reason for the remaining pods: the
#: stored state decides, and not the time.
_STILL = 30.0
#: How often a request for a restart is taken back if the pod has changed meanwhile.
_TRIES = 3


@dataclass
class _Roll:
    #: The step, with the pods and the reason.
    step: Roll
    #: The cluster at the time of the decision on the step.
    observation: Observation
    #: The work of the call.
    work: Work

    @property
    def phase(self) -> str:
        return self.step.phase.value

    def pods(self, nodes: bool) -> list[Pod]:
        """The pods to be replaced: Kafka nodes, or everything else."""
        return [
            pod for pod in self.observation.snapshot.nodes.pods
            if pod.uid in self.step.uids and (pod.component is Component.KAFKA) is nodes
        ]  # fmt: skip


def carry_out_roll(step: Roll, observation: Observation, work: Work) -> None:
    """Have the pods of the step replaced and wait until all pods are ready again."""
    roll = _Roll(step, observation, work)
    if work.dry_run:
        for pod in (*roll.pods(True), *roll.pods(False)):
            work.record(restart(pod.name, pod.component, step, work))
        return
    if step.reason is RollReason.USE:
        # The operator starts this roll by itself, because leaves or its template of the pods have changed.
        request_reconcile(observation, work, roll.phase, _token(step))
        if not step.uids:
            # Only Secrets are behind, so no restart would show that the operator has acted.
            await_leaves(roll.phase, observation, work)
        _await_replacement(roll, [*roll.pods(True), *roll.pods(False)])
        return
    if step.reason is RollReason.ENDED:
        _restart_together(step, observation, work)
        return
    if work.wishes.pace.strategy is Strategy.DIRECT:
        _restart_nodes(roll)
    else:
        _ask_for_nodes(roll)
        _await_replacement(roll, roll.pods(True))
    _restart_others(roll)


def _token(step: Roll) -> str:
    """A new token for every roll, because the operator looks when the annotation has changed."""
    about = step.authority.fingerprint[:12] if step.authority else ""
    pods = sha256(",".join(sorted(step.uids)).encode()).hexdigest()[:12]
    return f"{step.reason.value}-{about}-{pods}"


def _ask_for_nodes(roll: _Roll) -> None:
    nodes = [pod for pod in roll.pods(True) if not pod.terminating]
    if not nodes:
        return
    patch = {"metadata": {"annotations": {names.MANUAL_ROLLING_UPDATE: "true"}}}
    writes = tuple(
        Write(
            WriteVerb.UPDATE, PODS, pod.name, f"ask for a restart ({roll.step.reason.value} roll)", patch, version(raw)
        )
        for pod, raw in ((pod, roll.observation.pods[pod.name]) for pod in nodes)
        if not is_true(raw, names.MANUAL_ROLLING_UPDATE)
    )
    write_all(writes, roll.work, roll.phase)
    request_reconcile(roll.observation, roll.work, roll.phase, _token(roll.step))


def _restart_nodes(roll: _Roll) -> None:
    # Imported only for this strategy, because all of this code speaks to Kafka.
    from . import admin
    from .direct import restart_nodes

    connect = admin.connect_to(roll.work.settings.kafka_bootstrap)
    restart_nodes(roll.step, roll.observation, roll.work, connect)


def _restart_others(roll: _Roll) -> None:
    others = roll.pods(False)
    for pod in others:
        if not pod.terminating:
            with suppress(NotFound):
                delete_pod(pod.name, pod.uid, roll.step, roll.work)
    _await_replacement(roll, others)


def _await_replacement(roll: _Roll, leaving: list[Pod]) -> None:
    """Wait until none of these pods exists, and every pod of the cluster is ready and stays. A pod that this roll
    restarts later is excepted: its restart may be what helps it.
    """
    work = roll.work
    progress = Progress(roll.step, leaving, work, roll.observation.owners)
    later = roll.step.uids - {pod.uid for pod in leaving}

    def settled(objects: Objects) -> bool:
        progress.take_in(objects.take_changed())
        return progress.complete and progress.all_stay_ready(later)

    alive = _Due(roll, progress).look if roll.step.reason is RollReason.USE else work.renew_lease
    try:
        wait_until(
            work.client, PODS, work.scope.namespace, settled, label_selector=work.scope.selector,
            timeout=work.settings.pod_timeout, restart_timeout=progress.take_changed,
            monotonic=work.clock.monotonic, alive=alive,
        )  # fmt: skip
    except TimedOut:
        left = _withdraw_requests(roll, leaving)
        raise RollStuck(
            f"The {roll.step.reason.value} roll",
            f"has stopped: for {work.settings.pod_timeout.total_seconds():.0f} s no "
            f"pod came back. {progress.describe()}",
            f"{_advice_of_pause(roll)}{progress.advice()}Look at the pods named here and at the operator's log; when "
            "they are healthy, run the flow again:",
            repetition=NOT_AGAIN,
            left=left,
        ) from None


def _withdraw_requests(roll: _Roll, leaving: Iterable[Pod]) -> str:
    """Take the requests for a restart back that this collection has left on these nodes: the operator would act on them
    as soon as it can again, also outside a maintenance window. Requests of other programs stay. If a request could not
    be taken back, return a sentence about it, with a space before it.
    """
    work, nodes = roll.work, {pod.uid: pod.name for pod in leaving if pod.component is Component.KAFKA}
    if roll.step.reason is RollReason.USE or work.wishes.pace.strategy is Strategy.DIRECT:
        return ""
    left = sorted(nodes.values())
    with suppress(KubeError):
        for _try in range(_TRIES):
            asked_pods = _requests_left(roll, nodes)
            left = sorted(map(name_of, asked_pods))
            for pod in asked_pods:
                what = f"take the request for a restart back ({roll.step.reason.value} roll)"
                # Its worker may write its status at any time.
                with suppress(Conflict, NotFound):
                    write_all((withdrawal(pod, what),), work, roll.phase)
                    left.remove(name_of(pod))
            if not left:
                break
    if not left:
        return ""
    return (
        f" The request to restart {listed(left)} could not be taken back, so the operator may still act on it: remove "
        f"{names.MANUAL_ROLLING_UPDATE} where it is not to."
    )


def _requests_left(roll: _Roll, uids: Container[str]) -> list[Mapping[str, Any]]:
    """The pods with these UIDs, as they are now, if they carry a request of this collection for a restart. Raises
    KubeError.
    """
    work = roll.work
    return [
        pod for pod in work.client.list(PODS, work.scope.namespace, label_selector=work.scope.selector).items
        if uid_of(pod) in uids and is_true(pod, names.MANUAL_ROLLING_UPDATE)
        and not is_terminating(pod) and not owners_of(pod, [REQUEST])
    ]  # fmt: skip


def _advice_of_pause(roll: _Roll) -> str:
    """Sentences about a pause that began during the roll, with a space after them; empty if none did."""
    scope = roll.work.scope
    with suppress(KubeError):
        if is_true(find_object(roll.work.client, KAFKAS, scope.namespace, scope.cluster), names.PAUSE_RECONCILIATION):
            return (
                f"Kafka {scope.namespace}/{scope.cluster} is paused, and the operator restarts no node meanwhile: have "
                "it resumed. "
            )
    return ""


class _Due:
    """Looks whether the operator still has a reason for the restarts that are left. A reconcile under way may have put
    back its earlier reading (docs/operator.md, "Re-issue").
    """

    def __init__(self, roll: _Roll, progress: Progress) -> None:
        self._roll, self._progress = roll, progress
        self._left, self._since = len(progress.left), roll.work.clock.monotonic()

    def look(self) -> None:
        """Called every few seconds. Raises RestartsNotDue, KubeError."""
        work, now = self._roll.work, self._roll.work.clock.monotonic()
        work.renew_lease()
        if len(self._progress.left) != self._left:
            self._left, self._since = len(self._progress.left), now
        if now - self._since < _STILL:
            return
        self._since = now
        seen = work.observe().snapshot
        if self._progress.left & seen.uids - restarted_by_operator(seen) - restarted_with_next_leaf(seen):
            raise RestartsNotDue(
                f"The {self._roll.step.reason.value} roll",
                f"waits for restarts that the operator has no reason for any more. {self._progress.describe()}",
                "Run the flow again: it reads the stored state, and goes on from there.",
            )


def _reload(step: Reload, observation: Observation, work: Work) -> None:
    # Imported only for a reload: most calls make none, and all of this code speaks to Kafka.
    from .reloading import carry_out_reload

    carry_out_reload(step, observation, work)


def _pause_and_reload(step: PauseAndReload, observation: Observation, work: Work) -> None:
    # Imported only if certificates have ended.
    from .reload_outside import pause_and_reload

    pause_and_reload(step, observation, work)


_CONTAINER = "kafka"
#: Sends the signal after it to every Java process of the container, and fails if there is none.
_SIGNAL = (
    "sh", "-c",
    'found=1; for exe in /proc/[0-9]*/exe; do case "$(readlink "$exe")" in */java) process="${exe#/proc/}"; '
    'kill -s "$0" "${process%/exe}" && found=0;; esac; done; exit "$found"',
)  # fmt: skip
#: Seconds for one command if the API server answers at once, and the answers for a command.
_COMMAND, _ANSWERS_OF_COMMAND = 30.0, CONVERSATION
#: Seconds between the signals TERM and KILL: if a node is cut off from its controllers, it waits for them. On a slow
#: API server the news of the end of a process takes its time. If KILL came after it, it would end the next process.
_PATIENCE, _ANSWERS_OF_NEWS = 30.0, 3
#: Commands at the same time: each is a stream on the API server and on the worker.
_AT_ONCE = 32


def _restart_together(step: Roll, observation: Observation, work: Work) -> None:
    """Restart the processes of these nodes, and wait until each pod is ready again. Requests of a killed call to
    restart these nodes are taken back first: this restart does what the killed call wanted, and the operator, which
    restarts nodes one after the other, would act on the requests after it. Raises RollStuck, KubeError.
    """
    others = frozenset(pod.uid for pod in observation.snapshot.nodes.pods) - step.uids
    write_all(withdraw_left_requests(observation, others), work, step.phase.value)
    pods = sorted(pod.name for pod in observation.snapshot.nodes.pods if pod.uid in step.uids)
    if work.nodes is None:
        raise StepError("Nodes", "cannot be reached from here", "Run it where the API server is within reach.")
    run = work.nodes.run_commands()
    returning = _Returning(step, work, {name: _start_of(observation.pods[name]) for name in pods}, run)
    work.renew_lease()
    refused = _signal("TERM", pods, run, work)
    returning.note_signal()
    if len(refused) == len(pods):
        raise next((why for why in refused.values() if why.is_transient), refused[pods[0]])
    returning.wait()


def _signal(signal: str, pods: Sequence[str], run: CommandRunner, work: Work) -> Mapping[str, KubeError]:
    """Send the signal to the processes of all these pods at the same time. Return the refusals, by pod: also of a pod
    whose process has ended meanwhile.
    """
    limit = work.client.response_time.within(_COMMAND, _ANSWERS_OF_COMMAND)

    def send(pod: str) -> KubeError | None:
        try:
            run(pod, _CONTAINER, (*_SIGNAL, signal), timeout=limit)
        except KubeError as error:
            return error
        return None

    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        answers = zip(pods, pool.map(send, pods), strict=True)
        return {pod: why for pod, why in answers if why is not None}


class _Returning:
    """Follows nodes until all of them are back."""

    def __init__(self, step: Roll, work: Work, before: Mapping[str, _Start], run: CommandRunner) -> None:
        """The parameter ``before`` has the last start of each node's container, by the name of the pod."""
        self._step, self._work, self._before, self._run = step, work, before, run
        self._begun = self._signalled_at = work.clock.monotonic()
        # The pods that are not back yet; among them, the pods whose process has not ended yet.
        self._away, self._running = set(before), set(before)
        # The pods whose process got the signal KILL. A container without such a process counts too.
        self._killed = set[str]()
        self._changed = False

    def note_signal(self) -> None:
        """Note that the processes have the signal TERM from now on."""
        self._signalled_at = self._work.clock.monotonic()

    def wait(self) -> None:
        """Wait until all nodes are back. Raises RollStuck."""
        work, limit = self._work, self._work.settings.pod_timeout
        try:
            wait_until(
                work.client, PODS, work.scope.namespace, self._settled, label_selector=work.scope.selector,
                timeout=limit, restart_timeout=self._take_changed, monotonic=work.clock.monotonic, alive=self._look,
            )  # fmt: skip
        except TimedOut:
            raise RollStuck(
                "The restart of nodes with ended certificates",
                f"has stopped: for {limit.total_seconds():.0f} s none of {', '.join(sorted(self._away))} came back",
                f"Look at them: kubectl logs {min(self._away)} --namespace {work.scope.namespace}. Then run the "
                "recover playbook again: nodes that are back are not restarted again.",
            ) from None

    def _settled(self, objects: Objects) -> bool:
        for name in sorted(self._away):
            pod = objects.get(name)
            if pod is None or _start_of(pod) == self._before[name]:
                continue
            self._changed |= name in self._running
            self._running.discard(name)
            if is_ready(pod):
                self._changed = True
                self._away.discard(name)
                self._record(name)
        return not self._away

    def _record(self, name: str) -> None:
        seconds = self._work.clock.monotonic() - self._begun
        self._work.record_restart(
            restart(name, Component.KAFKA, self._step, self._work, seconds=seconds, away=len(self._before))
        )

    def _take_changed(self) -> bool:
        changed, self._changed = self._changed, False
        return changed

    def _look(self) -> None:
        """Called every few seconds: kill each process once that has not ended in time."""
        self._work.renew_lease()
        left = sorted(self._running - self._killed)
        patience = self._work.client.response_time.within(_PATIENCE, _ANSWERS_OF_NEWS)
        if left and self._work.clock.monotonic() - self._signalled_at >= patience:
            refused = _signal("KILL", left, self._run, self._work)
            self._killed |= {pod for pod in left if pod not in refused or not refused[pod].is_transient}


@dataclass(frozen=True)
class _Start:
    """The start of a container."""

    #: The UID of its pod.
    uid: str
    #: How often the container has started again in this pod.
    restarts: int


def _start_of(pod: Mapping[str, Any]) -> _Start:
    statuses: Sequence[Mapping[str, Any]] = (pod.get("status") or {}).get("containerStatuses") or []
    own = next((status for status in statuses if status.get("name") == _CONTAINER), {})
    return _Start(str(pod["metadata"].get("uid")), int(own.get("restartCount") or 0))


CARRY_OUT: Mapping[type[Step], CarryOut] = {
    Roll: carry_out_roll, Reload: _reload, PauseAndReload: _pause_and_reload, AwaitAnswers: await_answers,
}  # fmt: skip
