"""KafkaRoller: which pods restart, in which order, one at a time (docs/operator.md, "Restart reasons", "KafkaRoller")."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from .api import Api, Object, ready
from .authority import ReconcileFailed
from .podsets import Node

SILENCE = "no broker answers"
#: Seconds of ten tries to ask the brokers (docs/operator.md, "Expired certificates").
_TRIES = 128.0


class Waiter(Protocol):
    """Lets the cluster go on until a condition holds; False when it gave up."""

    def __call__(self, condition: Callable[[], bool]) -> bool: ...


class Nodes(Protocol):
    """The running nodes, which can be asked."""

    def active_controller(self) -> int | None: ...

    def refusals(self, node_id: int) -> list[str]: ...


@dataclass
class Roller:
    api: Api
    wait: Waiter
    #: Node id; it moves to another node when its pod restarts.
    active_controller: int = 1
    log: list[tuple[str, str]] = field(default_factory=list)
    #: The nodes, where pods run Kafka.
    running: Nodes | None = None

    def order(self, nodes: list[Node]) -> list[Node]:
        """Controllers before brokers, unready before ready, the active controller last of its batch."""
        pods = {pod["metadata"]["name"]: pod for pod in self.api.list("pods", "strimzi.io/component-type=kafka")}

        def rank(node: Node) -> tuple[bool, bool, bool, int]:
            active = node.controller and node.node_id == self.active_controller
            return not node.controller, active, ready(pods.get(node.pod)), node.node_id

        return sorted(nodes, key=rank)

    def roll(self, nodes: list[Node], reasons: Callable[[Object], list[str]]) -> None:
        """Restart each node for which there is a reason; the reasons are asked again before each restart."""
        if self.running and (asked := self.running.active_controller()) is not None:
            self.active_controller = asked
        for node in self.order(nodes):
            pod = self.api.get("pods", node.pod)
            if pod is None:
                continue
            why = reasons(pod)
            if why:
                if ready(pod):
                    self._wait_until_safe(node)
                self.restart(node.pod, pod, why)
                if node.node_id == self.active_controller:
                    others = [n.node_id for n in nodes if n.controller and n.node_id != node.node_id]
                    self.active_controller = others[0] if others else node.node_id
            elif not ready(pod) and not self._becomes_ready(node.pod):
                raise ReconcileFailed(
                    "FatalProblem", f"Error while waiting for non-restarted pod {node.pod} to become ready"
                )

    def _wait_until_safe(self, node: Node) -> None:
        running, begun = self.running, time.monotonic()

        def is_safe() -> bool:
            found = running.refusals(node.node_id) if running else []
            if found == [SILENCE] and time.monotonic() - begun > _TRIES:
                raise ReconcileFailed("ForceableProblem", "An error while trying to determine the active controller")
            return not found

        if running and not self.wait(is_safe):
            reasons = ", ".join(running.refusals(node.node_id))
            raise ReconcileFailed("UnforceableProblem", f"Pod {node.pod} cannot be updated right now: {reasons}")

    def _becomes_ready(self, name: str) -> bool:
        return self.wait(lambda: ready(self.api.get("pods", name)))

    def restart(self, name: str, pod: Object, reasons: list[str]) -> None:
        uid = pod["metadata"]["uid"]
        self.log.append((name, reasons[0]))
        self._event(name, reasons[0])
        self.api.delete("pods", name)

        def back() -> bool:
            found = self.api.get("pods", name)
            return found is not None and found["metadata"]["uid"] != uid and ready(found)

        if not self.wait(back):
            raise ReconcileFailed("FatalProblem", f"Error while waiting for restarted pod {name} to become ready")

    def restart_deployment_pod(self, deployment: str, reason: str) -> None:
        """The single pod of a Deployment is deleted and readiness awaited (docs/operator.md, "CA reconcile", step 5)."""
        old = self.api.list("pods", f"strimzi.io/name={deployment}")
        for pod in old:
            self.log.append((pod["metadata"]["name"], reason))
            self.api.delete("pods", pod["metadata"]["name"])
        gone = {pod["metadata"]["uid"] for pod in old}

        def back() -> bool:
            found = self.api.list("pods", f"strimzi.io/name={deployment}")
            return bool(found) and all(ready(p) and p["metadata"]["uid"] not in gone for p in found)

        if old and not self.wait(back):
            raise ReconcileFailed(
                "TimeoutException", f"Exceeded timeout waiting for Deployment {deployment} to be ready"
            )

    def _event(self, pod: str, reason: str) -> None:
        namespace = self.api.namespace
        self.api.create("events", {
            "apiVersion": "v1", "kind": "Event", "type": "Normal", "reason": reason, "action": "StrimziInitiatedPodRestart",
            "message": f"Pod {pod} is restarted: {reason}",
            "metadata": {"generateName": "strimzi-event-", "name": f"strimzi-event-{uuid.uuid4().hex[:10]}"},
            "involvedObject": {"kind": "Pod", "name": pod, "namespace": namespace},
            "reportingComponent": "strimzi.io/cluster-operator", "reportingInstance": "operator-double",
            "eventTime": None,
        })  # fmt: skip
