# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Having a running node read its certificates again: its settings are set to the text that they have already.

Its listeners follow within seconds. Its Raft client and its agent do not: they keep what the process was started with.
Only a handshake shows that a listener has followed.
"""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NoReturn

from .._errors import ApiMissing, KafkaUnavailable, ReloadImpossible
from .._handshake.stream import ByteStream, Deadline
from .._strimzi.work import PortOpener
from .listener_settings import RESTART_INSTEAD, Setting
from .node_admin import Answer, NodeAdmin, connected
from .order import Node

_CONTROL_PLANE, _REPLICATION = 9090, 9091
#: Seconds for one node, half of what a Lease lasts, which is not renewed meanwhile. A broker tests the new certificates
#: for each of its network threads before it answers: tenths of a second with a free CPU, some seconds without.
_LIMIT = 15.0
_NOT_CONTROLLER = 41
#: Characters of a message of Kafka that are passed on.
_QUOTED = 300


@dataclass(frozen=True)
class ReloadTarget:
    """node: the node that is to reload. controllers: all controllers of the cluster; one of them takes the request for
    a separate controller.

    domain: of the nodes' names in their certificates, ``<cluster>-kafka-brokers.<namespace>.svc``.
    """

    node: Node
    controllers: Sequence[Node]
    domain: str


def reload_node(
    target: ReloadTarget,
    settings: Sequence[Setting],
    open_port: PortOpener,
    context: ssl.SSLContext,
    *,
    seconds: float = _LIMIT,
) -> None:
    """Set the settings, and return when Kafka has accepted them; the listeners follow later.

    A broker is asked on its own port: it checks the certificates that it would read, and refuses those that do not
    belong together. For a separate controller there is no such check: the active controller accepts the request, and a
    controller that cannot use the certificates says so in its log only. Raises ReloadImpossible, KafkaUnavailable.
    """
    reloading = _Reloading(target, settings, open_port, context, Deadline.after(seconds))
    if target.node.broker:
        reloading.on_broker()
    else:
        reloading.on_controller()


@dataclass(frozen=True)
class _Reloading:
    target: ReloadTarget
    settings: Sequence[Setting]
    open_port: PortOpener
    context: ssl.SSLContext
    deadline: Deadline

    def on_broker(self) -> None:
        with self._connected(self.target.node, _REPLICATION) as admin:
            answer = self._set(admin)
        self._judge(answer, self.target.node)

    def on_controller(self) -> None:
        """Ask the node itself first: it has to be up, and it knows which controller is active."""
        node = self.target.node
        with self._connected(node, _CONTROL_PLANE) as admin:
            answer = self._set(admin)
            active = self._active(admin) if answer.code == _NOT_CONTROLLER else node
        if active is not node:
            with self._connected(active, _CONTROL_PLANE) as admin:
                answer = self._set(admin)
        self._judge(answer, active)

    def _connected(self, node: Node, port: int) -> AbstractContextManager[NodeAdmin]:
        def opening(timeout: float) -> AbstractContextManager[ByteStream]:
            return self.open_port(node.pod, port, timeout=timeout)

        host = f"{node.pod}.{self.target.domain}"
        return connected(opening, self.context, host, f"Port {port} of Kafka node {node.pod}", self.deadline)

    def _set(self, admin: NodeAdmin) -> Answer:
        try:
            return admin.set_on_node(self.target.node.node_id, self.settings)
        except ApiMissing as missing:
            self._refuse(str(missing))

    def _active(self, admin: NodeAdmin) -> Node:
        try:
            active = admin.active_controller()
        except ApiMissing as missing:
            self._refuse(str(missing))
        found = [node for node in self.target.controllers if node.node_id == active]
        if not found:
            raise self._later(f"knows no active controller of this cluster (it says {active})")
        return found[0]

    def _judge(self, answer: Answer, asked: Node) -> None:
        from kafka.errors import for_code

        if answer.code == 0:
            return
        error = for_code(answer.code)
        cause = f"{asked.pod} answers {error.__name__} ({answer.code}){_quoted(answer.message)}"
        if error.retriable:
            raise self._later(f"did not take its settings: {cause}")
        self._refuse(cause)

    def _later(self, what: str) -> KafkaUnavailable:
        return KafkaUnavailable(f"Kafka node {self.target.node.pod}", what, "Wait for a stable quorum, and run again.")

    def _refuse(self, cause: str) -> NoReturn:
        raise ReloadImpossible(
            f"Kafka node {self.target.node.pod}",
            f"does not read its certificates again: {cause}",
            RESTART_INSTEAD,
        )


def _quoted(message: str) -> str:
    """The message of Kafka, left out where it may hold a key or a certificate: nodes quote text that they cannot read."""
    text = " ".join(message.split()).rstrip(".")
    return f": {text[:_QUOTED]}" if text and "-----" not in text else ""
