# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counterparts for the client without a network: a transport with prepared answers, and a clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import TransportError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, Response

from ...tools.support.memory_api import MemoryApi

START = datetime(2026, 6, 1, 12, 0, tzinfo=timezone.utc)


def status(code: int, reason: str = "", message: str = "", **details: Any) -> Response:
    body = {"kind": "Status", "code": code, "reason": reason, "message": message, "details": details}
    return Response(code, body, {})


@dataclass
class Sent:
    method: str
    path: str
    query: dict[str, str]
    body: Any
    content_type: str


@dataclass
class ScriptedTransport:
    """Gives the prepared answers one after the other, and keeps what was sent."""

    answers: list[Response | TransportError] = field(default_factory=list)
    events: list[dict[str, Any] | TransportError] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        timeout: float | None = None,
    ) -> Response:
        self.sent.append(Sent(method, path, dict(query or {}), body, content_type))
        answer = self.answers.pop(0)
        if isinstance(answer, TransportError):
            raise answer
        return answer

    def stream(
        self, path: str, *, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> Iterator[dict[str, Any]]:
        self.sent.append(Sent("WATCH", path, dict(query or {}), None, ""))
        while self.events:
            event = self.events.pop(0)
            if isinstance(event, TransportError):
                raise event
            yield event


@dataclass
class FakeClock:
    """Time that passes when a test moves it, or when a caller sleeps."""

    seconds: float = 0.0
    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds


def scripted(
    answers: Iterable[Response | TransportError] = (), events: Iterable[dict[str, Any] | TransportError] = ()
) -> tuple[KubeClient, ScriptedTransport, FakeClock]:
    """A client whose jitter is always in the middle."""
    transport, clock = ScriptedTransport(list(answers), list(events)), FakeClock()
    client = KubeClient(transport, sleep=clock.sleep, random=lambda: 0.5, now=clock.now, monotonic=clock.monotonic)
    return client, transport, clock


class Stage:
    """An API server whose time passes while a client watches: a second for each look, with what is due then."""

    def __init__(self) -> None:
        self.api = MemoryApi()
        self.clock = FakeClock()
        self._due: list[tuple[float, Callable[[], Any]]] = []
        self.api.idle = self._pass_a_second

    def client(self) -> KubeClient:
        return KubeClient(self.api, sleep=self.clock.sleep, random=lambda: 0.5, monotonic=self.clock.monotonic)

    def at(self, seconds: float, action: Callable[[], Any]) -> None:
        self._due.append((seconds, action))

    def _pass_a_second(self) -> None:
        self.clock.seconds += 1.0
        for item in [item for item in self._due if item[0] <= self.clock.seconds]:
            self._due.remove(item)
            item[1]()
