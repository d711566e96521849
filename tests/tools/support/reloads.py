"""Nodes of a cluster that can be asked what they trust, and told to read it again.

Only listeners read again, and the channels that follow them in a version of Kafka: all others go on with what the
process was started with. Everything is real but the requests to the node itself, which
tests/unit/_rollout/test_reload_request.py has.

Unlike the rest of this package it speaks the collection's language, so only the tests of flows import it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KafkaUnavailable, Unreachable
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import PODS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.response_time import CONVERSATION
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import reload_outside, reloading
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload_request import (
    ReloadTarget,
    Setting,
    StaticValue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import NodeAccess, Work

from ..operator.podsets import nodes_of
from ..operator.server_config import CONTROL_PLANE, REPLICATION, server_config
from .answers import Answers
from .memory_api import Change
from .memory_cluster import MemoryCluster

BETWEEN_BROKERS = REPLICATION.lower()
INSIDE = {BETWEEN_BROKERS, CONTROL_PLANE.lower()}


def _listener(setting: Setting | StaticValue) -> str:
    return setting.name.removeprefix("listener.name.").partition(".")[0]


def _no_port(pod: str, port: int, *, timeout: float) -> AbstractContextManager[Any]:
    raise AssertionError(f"port {port} of {pod} was opened: the requests are doubled")


class RoundsInTurn:
    """In the place of ``reload_outside.Rounds``, with no thread: each job at the beginning, and again in each second in
    which it is not under way. The time that a job takes passes beside the call.
    """

    def __init__(self, memory: MemoryCluster, jobs: Sequence[Callable[[], bool]]) -> None:
        self._memory = memory
        #: The jobs that are left, and until when each is under way.
        self._left = [(job, memory.seconds) for job in jobs]
        self.go_on()

    def go_on(self) -> None:
        now = self._memory.seconds
        waiting = [(job, until) for job, until in self._left if until > now]
        done = [(job, *self._do(job)) for job, until in self._left if until <= now]
        self._left = [*waiting, *((job, until) for job, is_done, until in done if not is_done)]

    def _do(self, job: Callable[[], bool]) -> tuple[bool, float]:
        begun = self._memory.seconds
        is_done = job()
        until, self._memory.seconds = self._memory.seconds, begun
        return is_done, until

    def end(self) -> None:
        self._left = []


@dataclass
class ReloadingNodes:
    memory: MemoryCluster
    answers: Answers = field(init=False)
    #: Pods that were told, in order.
    told: list[str] = field(default_factory=list)
    #: Called with the pod's name before it does anything, and may raise.
    before: Callable[[str], None] = field(default=lambda pod: None)
    #: Called when it has.
    after: Callable[[str], None] = field(default=lambda pod: None)
    #: Pods that take the request and go on as before.
    deaf: set[str] = field(default_factory=set)
    #: Pods whose listeners for others than brokers read again before a restart, and these listeners, in order.
    served: list[tuple[str, str]] = field(default_factory=list)
    #: The pods and signals that their processes got, in order.
    signals: list[tuple[str, str]] = field(default_factory=list)
    #: Pods that end by no signal but KILL.
    stubborn: set[str] = field(default_factory=set)
    #: Their ConfigMaps can be found.
    configured: bool = True
    #: Whether nodes can be reached at all.
    reachable: bool = True

    def __post_init__(self) -> None:
        self.answers = Answers(self.memory)
        self.memory.api.listeners.append(self._configure_new)

    def replace_requests(self, patch: pytest.MonkeyPatch) -> None:
        """From here on these nodes get what the collection would send."""
        patch.setattr(reloading, "reload_node", self._reload)
        patch.setattr(reload_outside, "reload_by_controllers", self._reload_by_controllers)
        patch.setattr(reload_outside, "Rounds", partial(RoundsInTurn, self.memory))

    def attach(self, work: Work) -> Work:
        """This work reaches the nodes, and finds what they read."""
        if not self.reachable:
            return work
        self._configure()
        self.answers.response_time = work.client.response_time
        work.nodes = NodeAccess(self.answers, lambda: _no_port, lambda: self._run)
        return work

    def _run(self, pod: str, container: str, command: Sequence[str], *, timeout: float) -> None:
        assert container == "kafka"
        signal = command[-1]
        if self._is_too_slow(CONVERSATION, timeout):
            attempt = Attempt("get", PODS, self.memory.namespace, pod, "exec")
            raise Unreachable(attempt, f"did not answer within {timeout:g} s", "", is_transient=True)
        self.before(pod)
        self.signals.append((pod, signal))
        if signal == "KILL" or pod not in self.stubborn:
            self.memory.kubelet.restart_in_place(pod)
        self.after(pod)

    def _configure_new(self, change: Change) -> None:
        if (change.plural, change.verb) == ("pods", "create"):
            self._configure()

    def _configure(self) -> None:
        """As the operator does for every node before it makes its pod."""
        memory, kafka = self.memory, self.memory.api.find("kafkas", self.memory.namespace, self.memory.cluster)
        nodes = nodes_of(memory.operator.api, memory.cluster) if kafka and self.configured else []
        for node in nodes:
            if memory.api.find("configmaps", memory.namespace, node.pod) is None:
                text = server_config(kafka or {}, node, nodes)
                body = {"metadata": {"name": node.pod}, "data": {"server.config": text}}
                memory.api.request("POST", f"/api/v1/namespaces/{memory.namespace}/configmaps", body=body)

    def _is_too_slow(self, answers: int, limit: float) -> bool:
        """Lets the time for so many answers of the API server pass; whether that was more than this limit."""
        takes = answers * self.memory.answer_takes
        self.memory.pass_by(min(takes, limit))
        return takes > limit

    def _talk_twice(self, pod: str, limit: float) -> None:
        """To a node, and to the active controller. Raises KafkaUnavailable."""
        if self._is_too_slow(2 * CONVERSATION, limit):
            raise KafkaUnavailable(f"Port 9090 of Kafka node {pod}", f"does not answer within {limit:g} s", "")

    def _reload(
        self, target: ReloadTarget, settings: Sequence[Setting], _open: Any, context: Any, *, seconds: float
    ) -> None:
        security = self.memory.kubelet.security
        assert (context is not None) is security.has_tls, (
            "the request goes by TLS where nodes speak TLS among each other, and nowhere else"
        )
        assert security.has_tls or not {_listener(setting) for setting in settings} & INSIDE, (
            "a node has no such setting"
        )
        self._talk_twice(target.node.pod, seconds)
        self.before(target.node.pod)
        self.told.append(target.node.pod)
        if target.node.pod not in self.deaf:
            about_users = any(":clients-ca.crt" in setting.reference for setting in settings)
            reload = self.memory.kubelet.reload_users if about_users else self.memory.kubelet.reload
            reload(target.node.uid)
        self.after(target.node.pod)

    def _reload_by_controllers(
        self, target: ReloadTarget, settings: Sequence[Setting | StaticValue], *_how: Any, seconds: float
    ) -> None:
        self._talk_twice(target.node.pod, seconds)
        self.before(target.node.pod)
        (listener,) = {_listener(setting) for setting in settings if isinstance(setting, Setting)}
        assert listener != BETWEEN_BROKERS, "a node refuses that"
        assert {_listener(setting) for setting in settings if isinstance(setting, StaticValue)} <= {BETWEEN_BROKERS}
        self.served.append((target.node.pod, listener))
        if target.node.pod not in self.deaf:
            self.answers.served.add((target.node.uid, int(listener.rpartition("-")[2])))
        self.after(target.node.pod)
