# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A pause before the restart of nodes with ended certificates. If an operator is trying to restart nodes, it confirms
the pause after minutes. Until then the brokers get the request to read their stored leaves on listeners for clients,
again and again, until these listeners present them. The wait for the confirmation is the limit: no request delays the
restart.
"""

from __future__ import annotations

import ssl
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from .._errors import CollectionError, ReloadImpossible
from .._kube.response_time import CONVERSATION
from .._strimzi.apply.operator import await_confirmation, request_pause
from .._strimzi.apply.work import Action, Target, Work
from .._strimzi.cluster.observe import Observation
from .._tls.contexts import accept_ended
from .._trust.model.listeners import CONTROL_PLANE, REPLICATION
from .._trust.model.names import listed
from .._trust.model.steps.nodes import PauseAndReload
from .._trust.model.waves import AT_ONCE
from .admin import operator_context
from .kafka_pods import Node, kafka_pods, read_node
from .reload_request import (
    RESTART_INSTEAD,
    ReloadTarget,
    import_library,
    read_leaves_outside,
    reload_by_controllers,
)
from .reloading import config_of, domain_of

if TYPE_CHECKING:
    from .._kube.pod_access import PortOpener

#: Seconds between two requests to the same node, and between two looks at the result: listeners follow within seconds.
_PAUSE = 1.0
#: Seconds for a request to one controller if the API server answers at once: another controller gets the request after
#: it. The second number is that of the API server's answers in a conversation with it, and in another with the active
#: controller.
_OF_ONE_CONTROLLER, _ANSWERS = 3.0, 2 * CONVERSATION


def pause_and_reload(step: PauseAndReload, observation: Observation, work: Work) -> None:
    """Request the pause. Until the operator confirms it, send each node the requests, and report the listeners that
    present the stored leaf; the other listeners do so after the next restart. Raises what a pause raises.
    """
    if not request_pause(step, observation, work):
        return
    nodes = [read_node(pod) for pod in kafka_pods(observation.pods.values(), observation.owners)]
    wanted = sorted((node for node in nodes if node.uid in step.uids), key=lambda node: node.node_id)
    if work.dry_run:
        for node in wanted:
            work.record(_action(node, "", step, work))
        return
    try:
        way = _open_way([node for node in nodes if node.controller], observation, work)
    except CollectionError as error:
        work.tell(f"No node reads its certificates before the restart: {error}")
        await_confirmation(work)
        return
    brokers = [_Broker(node, way, step, observation) for node in wanted]
    import_library()
    rounds = Rounds([broker.serve for broker in brokers])

    def go_on() -> None:
        work.renew_lease()
        rounds.go_on()
        for broker in brokers:
            broker.report()

    try:
        await_confirmation(work, go_on, _PAUSE)
    finally:
        rounds.end()
        for broker in brokers:
            broker.end()
            broker.report(is_last=True)


class Rounds:
    """Jobs for threads beside the call, a few at a time: each job again and again until it says that it is done, or
    until all of them end.
    """

    def __init__(self, jobs: Sequence[Callable[[], bool]]) -> None:
        self._ended = Event()
        self._broken: deque[Future[None]] = deque()
        self._pool = ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="reload")
        for job in jobs:
            self._submit(job)

    def _submit(self, job: Callable[[], bool]) -> None:
        # If a pool has been shut down, it takes no more jobs.
        with suppress(RuntimeError):
            self._pool.submit(self._do, job).add_done_callback(self._note)

    def _do(self, job: Callable[[], bool]) -> None:
        if not self._ended.is_set() and not job() and not self._ended.wait(_PAUSE):
            self._submit(job)

    def _note(self, done: Future[None]) -> None:
        if not done.cancelled() and done.exception() is not None:
            self._broken.append(done)

    def go_on(self) -> None:
        """Called every second or so. Raises the errors of jobs."""
        if self._broken:
            self._broken.popleft().result()

    def end(self) -> None:
        """Begin no job any more. If a job is under way, it ends by itself, and nothing waits for it."""
        self._ended.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, eq=False)
class _Way:
    """The way to nodes that present ended certificates."""

    #: Opens a connection to a port of a pod.
    open_ports: PortOpener
    #: Settings for TLS as the Cluster Operator, which accept ended certificates; None if nodes speak no TLS among each
    #: other.
    context: ssl.SSLContext | None
    #: All controllers of the cluster.
    controllers: Sequence[Node]
    #: The work of the call: it reads and records.
    work: Work


def _open_way(controllers: Sequence[Node], observation: Observation, work: Work) -> _Way:
    """The way to the controllers. Raises CollectionError if the call cannot send a request."""
    if work.nodes is None:
        raise ReloadImpossible("Nodes", "cannot be reached from here", RESTART_INSTEAD)
    context = operator_context(observation)
    tolerant = None if context is None else accept_ended(context)
    return _Way(work.nodes.open_ports(), tolerant, controllers, work)


class _Broker:
    """A broker whose listeners for clients are to present its stored leaf. A thread serves it; the call reports it."""

    def __init__(self, node: Node, way: _Way, step: PauseAndReload, observation: Observation) -> None:
        self._node, self._way, self._step = node, way, step
        self._asked = observation.with_only(frozenset({node.uid}))
        self._stored = observation.snapshot.leaves.certificates.get(node.pod)
        self._begun = way.work.clock.monotonic()
        # The ports that present the stored leaf, as sentences name them, and the time of that look; the reason why
        # others do not.
        self._ports, self._seconds, self._why = "", 0.0, ""
        # Whether it has a listener for clients with its own leaf.
        self._serves_clients = True
        # Whether a controller has taken the requests for it.
        self._has_taken = False
        self._is_done = self._is_reported = self._is_over = False

    def serve(self) -> bool:
        """Send the requests once, and look at the listeners. Return whether nothing is left to do: if a node refuses,
        it would refuse again.
        """
        refused = self._send()
        self._why, self._has_taken = f": {refused}" if refused else "", refused is None
        # If a request did not get through, the next request is more urgent than a look.
        complete = self._look() if refused is None or isinstance(refused, ReloadImpossible) else False
        self._is_done = complete or isinstance(refused, ReloadImpossible) or not self._serves_clients
        return self._is_done

    def _send(self) -> CollectionError | None:
        """Send the requests, and return the first refusal: it does not keep the listeners after it from reading."""
        way = self._way
        target = ReloadTarget(self._node, way.controllers, domain_of(way.work))
        refused: CollectionError | None = None
        try:
            where, text, references = config_of(self._node, way.work)
            requests = read_leaves_outside(text, references, where)
            self._serves_clients = bool(requests)
            for settings in requests:
                if self._is_over:
                    break
                limit = way.work.client.response_time.within(_OF_ONE_CONTROLLER, _ANSWERS)
                try:
                    reload_by_controllers(target, settings, way.open_ports, way.context, seconds=limit)
                except ReloadImpossible as error:
                    refused = refused or error
        except CollectionError as error:
            # The way to the controllers may be free a second later.
            return error
        return refused

    def _look(self) -> bool:
        """Whether every listener for clients presents the stored leaf. If a look fails, it shows nothing."""
        work = self._way.work
        try:
            # The Lease is the matter of the call, and not of this thread.
            answers = work.nodes.look_live(self._asked) if work.nodes is not None else None
        except CollectionError:
            return False
        seen = [answer for answer in answers or () if answer.port not in (REPLICATION, CONTROL_PLANE)]
        done = [answer for answer in seen if answer.presents is not None and answer.presents[0] == self._stored]
        self._ports, self._seconds = (
            listed(sorted(str(answer.port) for answer in done)),
            work.clock.monotonic() - self._begun,
        )
        return bool(done) and len(done) == len(seen)

    def end(self) -> None:
        """Send no further request: the node is about to restart."""
        self._is_over = True

    def report(self, *, is_last: bool = False) -> None:
        """Report the node if nothing is left to do there; in the ``is_last`` report of the call, report the result so
        far.
        """
        if self._is_reported or not (self._is_done or is_last):
            return
        self._is_reported = True
        work, ports, pod = self._way.work, self._ports, self._node.pod
        if ports:
            work.record(_action(self._node, f" on ports {ports}", self._step, work, self._seconds))
            work.tell(f"{pod} presents its next certificate on ports {ports} already")
        elif self._serves_clients:
            taken = "has taken the request, and " if self._has_taken else ""
            work.tell(f"{pod} {taken}has not shown its next certificate before the restart{self._why}")


def _action(node: Node, where: str, step: PauseAndReload, work: Work, seconds: float | None = None) -> Action:
    what = f"read certificates again{where} before the restart"
    return Action("reload", Target("Pod", work.scope.namespace, node.pod), what, step.phase.value, seconds=seconds)
