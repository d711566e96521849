# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A call that stops at a condition, and the person who follows its remedy: the same call again, until it goes through."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ...tools.support.authorities import Authority
from ...tools.support.kafka import FakeKafka
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.other_hands import WriterBack
from ...tools.support.watched_cluster import WatchedCluster
from .mistakes import put
from .running import Answer, call

#: The parts of a violation of a result behind its condition.
_PARTS = ("subject", "message", "remedy", "command")


@dataclass(frozen=True)
class Stop:
    """A condition that a call has stopped at, as its result shows it."""

    condition: Condition
    subject: str
    message: str
    remedy: str
    command: str

    def __str__(self) -> str:
        return "\n".join(filter(None, (f"{self.subject}: {self.message}", self.remedy, self.command)))


@dataclass(frozen=True)
class Ending:
    """The end of a call."""

    #: The conditions in the order of the message; none where the call went through.
    stops: tuple[Stop, ...]
    #: The message of a call that failed.
    error: str = ""

    @property
    def conditions(self) -> list[Condition]:
        return [stop.condition for stop in self.stops]


class Walker(Protocol):
    """A call that can be made again."""

    #: The condition whose remedy is followed now.
    stop: Stop

    def call(self) -> Ending:
        """Makes the call."""


@dataclass
class ModuleWalk:
    """A task of a playbook."""

    memory: MemoryCluster
    module: str
    options: dict[str, Any]
    #: The answers that come in the place of the API server's.
    answer: Answer | None = None
    #: By how much the clock of this machine is ahead.
    ahead: timedelta = timedelta(0)
    stop: Stop = field(init=False)

    def call(self) -> Ending:
        answer = {"answer": self.answer} if self.answer is not None else {}
        ended = call(self.module, self.memory, ahead=self.ahead, **answer, **self.options)
        found = ended.result.get("violations") or ()
        stops = tuple(Stop(Condition(one["gate"]), *(one[part] for part in _PARTS)) for one in found)
        return Ending(stops, ended.result["msg"] if ended.failed else "")

    def task(self, module: str, **options: Any) -> None:
        """Another task, which succeeds."""
        ended = call(module, self.memory, **options)
        assert not ended.failed, ended.result["msg"]


@dataclass
class FlowWalk:
    """A run of a playbook."""

    cluster: WatchedCluster
    goal: Goal
    intent: dict[str, Any] = field(default_factory=dict)
    supplied: Authority | None = None
    #: Another program that writes what this collection writes.
    other: WriterBack | None = None
    stop: Stop = field(init=False)

    def call(self) -> Ending:
        decision = self.cluster.run(self.goal, self.supplied, **self.intent).outcome.decision
        stops = tuple(
            Stop(one.condition, one.subject, one.message, one.remedy, one.command) for one in decision.violations
        )
        return Ending(stops, "" if stops or decision.done else " ".join((*decision.waiting, *decision.pending)))


@dataclass
class DirectWalk(ModuleWalk):
    """A task that restarts nodes itself, and asks Kafka about them."""

    kafka: FakeKafka = field(kw_only=True)


@dataclass(frozen=True)
class Row:
    """The state in which a condition is not met, and its remedy as docs/stops.md has it."""

    #: Makes the state and the call.
    begin: Callable[[pytest.MonkeyPatch], Any]
    #: Does as the remedy says; it may change the options of the call.
    remedy: Callable[[Any], object]
    #: The remedies of the conditions at which the same call stops after that.
    then: Mapping[Condition, Callable[[Any], object]] = field(default_factory=dict)
    #: The outcome that is played, where the remedy is the work of another program or person.
    played: str = ""


def follow(condition: Condition, row: Row, walk: Walker) -> dict[Condition, Stop]:
    """Walks from this condition until the call goes through. Returns the stops on the way; a condition that is met twice is a circle."""
    met: dict[Condition, Stop] = {}
    remedies = {condition: row.remedy, **row.then}
    while (ending := walk.call()).stops:
        if not met:
            assert condition in ending.conditions, ending
        here = ending.conditions[0] if met else condition
        assert here not in met, f"the remedies lead in a circle: {[*met, here]}: {ending.stops}"
        assert here in remedies, f"{condition.value} leads to {ending.stops}"
        walk.stop = met[here] = ending.stops[ending.conditions.index(here)]
        remedies[here](walk)
    assert not ending.error, ending.error
    return met


def kubectl(walk: ModuleWalk) -> None:
    """Runs the command of the remedy: kubectl label or annotate."""
    program, verb, kind, name, *rest = shlex.split(walk.stop.command)
    assert (program, verb in ("label", "annotate")) == ("kubectl", True)
    changed = dict(word.split("=", 1) for word in rest if "=" in word and not word.startswith("--"))
    put(walk.memory, f"{kind}s", name, **{"labels" if verb == "label" else "annotations": changed})


def make_again(walk: ModuleWalk, plural: str, name: str, change: Callable[[dict[str, Any]], object]) -> None:
    """An object is deleted and made again. change: how it differs from what it was."""
    root = "/api/v1" if plural == "secrets" else "/apis/kafka.strimzi.io/v1"
    path = f"{root}/namespaces/{walk.memory.namespace}/{plural}"
    body = walk.memory.api.find(plural, walk.memory.namespace, name) or {}
    change(body)
    body["metadata"] = {
        key: body["metadata"][key] for key in ("name", "labels", "annotations") if key in body["metadata"]
    }
    walk.memory.api.request("DELETE", f"{path}/{name}")
    if walk.memory.api.find(plural, walk.memory.namespace, name) is not None:
        walk.memory.api.finish_delete(plural, walk.memory.namespace, name)
    assert walk.memory.api.request("POST", path, body=body).status == 201
