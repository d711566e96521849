# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A restart of nodes at the same time and in place: the kubelet starts their containers again, with the certificates that are stored now. Pods,
volumes and addresses stay.

A node asks the others for permission to stop, and after ended certificates it may not reach them: where a process goes on, it is killed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .._errors import KubeError, RollStuck, StepError, TimedOut
from .._kube.resources import PODS
from .._kube.wait import wait_until
from .._strimzi.apply.work import CommandRunner, Work
from .._strimzi.cluster.observe import Observation
from .._strimzi.cluster.pods import is_ready
from .._trust.model.steps.nodes import Roll
from .nodes import restart

Objects = Mapping[str, Mapping[str, Any]]

_CONTAINER = "kafka"
#: Sends the signal that follows to every Java process of the container, and fails where there is none.
_SIGNAL = (
    "sh", "-c",
    'found=1; for exe in /proc/[0-9]*/exe; do case "$(readlink "$exe")" in */java) process="${exe#/proc/}"; '
    'kill -s "$0" "${process%/exe}" && found=0;; esac; done; exit "$found"',
)  # fmt: skip
#: Seconds for one command.
_COMMAND = 30.0
#: Seconds between the signals TERM and KILL. A node that is cut off from its controllers waits for them.
_PATIENCE = 30.0
#: Commands at the same time: each is a stream on the API server and on the worker.
_AT_ONCE = 32


def restart_together(step: Roll, observation: Observation, work: Work) -> None:
    """Restart the processes of these nodes, and wait until every pod of them is ready again. Raises RollStuck, KubeError."""
    names = sorted(pod.name for pod in observation.snapshot.nodes.pods if pod.uid in step.uids)
    if work.run_commands is None:
        raise StepError("Nodes", "cannot be reached from here", "Run it where the API server is within reach.")
    run = work.run_commands()
    returning = _Returning(step, work, {name: _start_of(observation.pods[name]) for name in names}, run)
    work.alive()
    refused = _signal("TERM", names, run)
    if len(refused) == len(names):
        raise refused[0]
    returning.wait()


def _signal(signal: str, pods: Sequence[str], run: CommandRunner) -> list[KubeError]:
    """Send the signal to the processes of all these pods at the same time. The refusals: also of a pod whose process has ended meanwhile."""

    def send(pod: str) -> KubeError | None:
        try:
            run(pod, _CONTAINER, (*_SIGNAL, signal), timeout=_COMMAND)
        except KubeError as error:
            return error
        return None

    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        return [why for why in pool.map(send, pods) if why is not None]


class _Returning:
    """Follows nodes until all of them are back."""

    def __init__(self, step: Roll, work: Work, before: Mapping[str, _Start], run: CommandRunner) -> None:
        """before: the starts of their containers by the names of the pods."""
        self._step, self._work, self._before, self._run = step, work, before, run
        self._begun = work.clock.monotonic()
        # The pods that are not back yet; among them, the pods whose process has not ended yet.
        self._away, self._running = set(before), set(before)
        self._killed = self._changed = False

    def wait(self) -> None:
        """Raises RollStuck."""
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
                f"Look at them: kubectl logs {min(self._away)} --namespace {work.scope.namespace}. Then run the recover playbook again: nodes "
                "that are back are not restarted again.",
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
        self._work.record(restart(name, self._step, self._work, seconds=seconds, away=len(self._before)))
        self._work.tell(f"{name} restarted in place, Ready after {seconds:.1f} s")

    def _take_changed(self) -> bool:
        changed, self._changed = self._changed, False
        return changed

    def _look(self) -> None:
        """Called every few seconds: kill the processes that have not ended in time."""
        self._work.alive()
        if self._running and not self._killed and self._work.clock.monotonic() - self._begun >= _PATIENCE:
            self._killed = True
            _signal("KILL", sorted(self._running), self._run)


@dataclass(frozen=True)
class _Start:
    """The start of a container. uid: of its pod."""

    uid: str
    restarts: int


def _start_of(pod: Mapping[str, Any]) -> _Start:
    statuses: Sequence[Mapping[str, Any]] = (pod.get("status") or {}).get("containerStatuses") or []
    own = next((one for one in statuses if one.get("name") == _CONTAINER), {})
    return _Start(str(pod["metadata"].get("uid")), int(own.get("restartCount") or 0))
