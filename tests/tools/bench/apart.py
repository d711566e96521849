"""A cluster in memory beside the process that works on it: the API server, the kubelet, the operator, the nodes and Kafka take time and memory in
one process, and the collection in another.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin, reload_outside, reloading
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import Broker, Partition, Quorum, Topic
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload_request import ReloadTarget
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import NodeAccess, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Wishes
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener

from ..support.flows import SETTINGS, MemoryClock
from ..support.kafka import FakeKafka
from ..support.memory_api import Response
from ..support.memory_cluster import MemoryCluster
from ..support.reloads import ReloadingNodes, RoundsInTurn
from .one_call import no_command


@dataclass
class StandIn:
    """The cluster: each public method is what another process may ask of it."""

    memory: MemoryCluster
    nodes: ReloadingNodes
    kafka: FakeKafka
    clock: MemoryClock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = MemoryClock(self.memory)
        self.nodes._configure()

    def request(self, method: str, path: str, body: str | None, more: dict[str, Any]) -> tuple[int, str, Any]:
        # Nothing here looks back at what was written and asked.
        self.memory.api.writes.clear()
        self.memory.api.requests.clear()
        answer = self.memory.api.request(method, path, body=json.loads(body) if body else None, **more)
        return answer.status, json.dumps(answer.body, separators=(",", ":")), answer.headers

    def stream(self, path: str, more: dict[str, Any]) -> str:
        return json.dumps(list(self.memory.api.stream(path, **more)), separators=(",", ":"))

    def now(self) -> datetime:
        return self.clock.now()

    def monotonic(self) -> float:
        return self.memory.seconds

    def set_monotonic(self, seconds: float) -> None:
        self.memory.seconds = seconds

    def sleep(self, seconds: float) -> None:
        self.clock.sleep(seconds)

    def look(self, observation: Observation) -> tuple[ObservedListener, ...]:
        return self.nodes.answers(observation)

    def reload(self, target: ReloadTarget, settings: Sequence[Any], has_context: bool, seconds: float) -> None:
        self.nodes._reload(target, settings, None, has_context or None, seconds=seconds)

    def reload_by_controllers(self, target: ReloadTarget, settings: Sequence[Any], seconds: float) -> None:
        self.nodes._reload_by_controllers(target, settings, seconds=seconds)

    def quorum(self) -> Quorum:
        return self.kafka.quorum()

    def brokers(self) -> tuple[Broker, ...]:
        return self.kafka.brokers()

    def topics(self) -> tuple[Topic, ...]:
        return self.kafka.topics()

    def elect_preferred_leaders(self, partitions: Sequence[Partition]) -> None:
        self.kafka.elect_preferred_leaders(partitions)

    def answer(self, connection: Connection) -> None:
        """Answers until the other process ends."""
        while True:
            try:
                name, arguments = connection.recv()
            except EOFError:
                return
            connection.send(getattr(self, name)(*arguments))


@contextmanager
def serving(stand_in: StandIn) -> Iterator[str]:
    """The address at which one other process can ask this cluster."""
    with TemporaryDirectory() as folder, Listener(str(Path(folder, "cluster")), "AF_UNIX") as listener:

        def serve() -> None:
            with listener.accept() as connection:
                stand_in.answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield str(listener.address)


class Remote:
    """The cluster of another process, as a transport, a clock and a ``KafkaAdmin``; and what asking it has taken."""

    def __init__(self, address: str) -> None:
        self._connection = Client(address, "AF_UNIX")
        self._lock = threading.Lock()
        #: Requests to the API server, and the bytes of its answers.
        self.requests = self.bytes = 0
        #: Seconds of the clock in which the other process had the word, and seconds of this processor that the questions took.
        self.waited = self.processor = 0.0

    def _ask(self, name: str, *arguments: Any) -> Any:
        with self._lock:
            begun, busy = time.perf_counter(), time.thread_time()
            self._connection.send((name, arguments))
            answer = self._connection.recv()
            self.waited += time.perf_counter() - begun
            self.processor += time.thread_time() - busy
        return answer

    # A transport. The client pays for writing and reading JSON.

    def request(self, method: str, path: str, *, body: Any = None, **more: Any) -> Response:
        status, text, headers = self._ask("request", method, path, json.dumps(body) if body else None, more)
        self.requests, self.bytes = self.requests + 1, self.bytes + len(text)
        return Response(status, json.loads(text), headers)

    def stream(self, path: str, **more: Any) -> Iterator[dict[str, Any]]:
        text = self._ask("stream", path, more)
        self.requests, self.bytes = self.requests + 1, self.bytes + len(text)
        yield from json.loads(text)

    # A clock.

    def now(self) -> datetime:
        moment: datetime = self._ask("now")
        return moment

    def monotonic(self) -> float:
        return float(self._ask("monotonic"))

    def sleep(self, seconds: float) -> None:
        self._ask("sleep", seconds)

    @property
    def seconds(self) -> float:
        """As ``RoundsInTurn`` reads and sets it."""
        return self.monotonic()

    @seconds.setter
    def seconds(self, seconds: float) -> None:
        self._ask("set_monotonic", seconds)

    # Nodes and Kafka.

    def look(self, observation: Observation) -> tuple[ObservedListener, ...]:
        seen: tuple[ObservedListener, ...] = self._ask("look", observation)
        return seen

    def quorum(self) -> Quorum:
        quorum: Quorum = self._ask("quorum")
        return quorum

    def brokers(self) -> tuple[Broker, ...]:
        brokers: tuple[Broker, ...] = self._ask("brokers")
        return brokers

    def topics(self) -> tuple[Topic, ...]:
        topics: tuple[Topic, ...] = self._ask("topics")
        return topics

    def elect_preferred_leaders(self, partitions: Sequence[Partition]) -> None:
        self._ask("elect_preferred_leaders", partitions)

    def close(self) -> None:
        """The other process has nothing to close."""

    def replace_requests(self, patch: pytest.MonkeyPatch) -> None:
        """From here on nodes and Kafka of the other process get what the collection would send."""

        def reload(target: ReloadTarget, settings: Any, _open: Any, context: Any, *, seconds: float) -> None:
            self._ask("reload", target, settings, context is not None, seconds)

        def reload_by_controllers(target: ReloadTarget, settings: Any, *_how: Any, seconds: float) -> None:
            self._ask("reload_by_controllers", target, settings, seconds)

        patch.setattr(reloading, "reload_node", reload)
        patch.setattr(reload_outside, "reload_by_controllers", reload_by_controllers)
        patch.setattr(reload_outside, "Rounds", lambda jobs: RoundsInTurn(self, jobs))  # type: ignore[arg-type]
        patch.setattr(admin, "connect_to", lambda _given: lambda _observation: self)

    def work(self, wishes: Wishes) -> Work:
        client = KubeClient(self, sleep=lambda _seconds: None, now=self.now, monotonic=self.monotonic)
        work = Work(client, ClusterNames("kafka", "demo"), self, SETTINGS, False, wishes)
        work.nodes = NodeAccess(self.look, lambda: _no_port, lambda: no_command)
        return work


def _no_port(pod: str, port: int, *, timeout: float) -> Any:
    raise RuntimeError(f"port {port} of {pod} was opened: the requests are doubled")
