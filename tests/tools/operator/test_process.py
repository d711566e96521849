# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The double as a process: what wakes it, what never pauses, how long it waits (docs/operator.md, "Re-issue",
"KafkaRoller", "Pause").
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from . import __main__ as process
from .api import ApiError
from .operated_cluster import CLUSTER, NAMESPACE, OperatedCluster, encode
from .releases import STRIMZI_1_2


class End(Exception):
    """Ends an endless loop."""


class Looks:
    """The bed's API, where something happens before each look; after the last one the loop ends."""

    def __init__(self, cluster: OperatedCluster, *steps: Callable[[], None]) -> None:
        self.cluster, self.steps = cluster, iter(steps)

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        if method == "GET":
            next(self.steps, self.end)()
        return self.cluster.api.request(method, path, **arguments)

    @staticmethod
    def end() -> None:
        raise End


@pytest.fixture(autouse=True)
def _no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "LOOK", 0.0)


def nothing() -> None:
    """Before a look at which nothing is new."""


CHANGES: list[tuple[str, bool, Callable[[OperatedCluster], None]]] = [
    ("kafkas", True, lambda cluster: cluster.annotate("kafkas", CLUSTER, mine="1")),
    ("kafkas", True, lambda cluster: cluster.change("kafkas", CLUSTER, {"spec": {"clusterCa": {"validityDays": 5}}})),
    ("kafkas", False, lambda cluster: cluster.change("kafkas", CLUSTER, {"metadata": {"labels": {"mine": "1"}}})),
    ("kafkas", False, lambda cluster: cluster.annotate("secrets", "demo-cluster-ca-cert", force_renew="true")),
    ("kafkas", False, lambda cluster: cluster.change("secrets", "demo-kafka-0", {"data": encode({"a": b"1"})})),
    ("kafkas", False, lambda cluster: cluster.delete("pods", "demo-kafka-0")),
    ("kafkas", False, lambda cluster: cluster.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")),
    ("kafkanodepools", True, lambda cluster: cluster.annotate("kafkanodepools", "kafka", mine="1")),
    ("kafkanodepools", True, lambda cluster: cluster.change("kafkanodepools", "kafka", {"spec": {"replicas": 4}})),
]


@pytest.mark.parametrize(("plural", "wakes", "change"), CHANGES)
def test_events_that_wake_the_operator(
    plural: str, wakes: bool, change: Callable[[OperatedCluster], None], generated: OperatedCluster
) -> None:
    """docs/operator.md, "Re-issue": Kafka resources and node pools, annotations included; no Secret, no pod."""
    changed = threading.Event()

    def forget_and_change() -> None:
        assert changed.is_set(), "the first look finds everything new"
        changed.clear()
        change(generated)

    with pytest.raises(End):
        process.watch(Looks(generated, nothing, forget_and_change), NAMESPACE, plural, changed)
    assert changed.is_set() is wakes


def refused() -> None:
    raise ApiError(503, "busy")


def test_a_server_that_is_busy_ends_no_loop(generated: OperatedCluster) -> None:
    """A loop that ended would be an operator that never looks again."""
    changed = threading.Event()
    with pytest.raises(End):
        process.watch(Looks(generated, refused, nothing), NAMESPACE, "kafkas", changed)
    assert changed.is_set()


def test_the_pod_set_controller_is_deaf_to_pauses(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pause": and it is tried again after an error."""
    generated.pause()
    generated.delete("pods", "demo-kafka-1")
    with pytest.raises(End):
        process.keep_pod_sets(Looks(generated, refused, nothing, nothing), NAMESPACE, STRIMZI_1_2)  # type: ignore[arg-type]
    assert generated.get("pods", "demo-kafka-1")


def answers(*values: bool | Exception) -> Callable[[], bool]:
    left: Iterator[bool | Exception] = iter(values)

    def condition() -> bool:
        found = next(left)
        if isinstance(found, Exception):
            raise found
        return found

    return condition


def test_waiting_goes_on_until_the_condition_holds() -> None:
    """docs/operator.md, "KafkaRoller": also past errors of the API server."""
    assert process.wait(answers(False, ApiError(500, "x"), False, True))


def test_waiting_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/operator.md, "KafkaRoller": 300 seconds by default; here 1 and 100 on a clock of the test's."""
    assert process.OPERATION_TIMEOUT == 300.0
    seconds = iter(range(0, 1000, 100))
    clock = SimpleNamespace(monotonic=lambda: float(next(seconds)), sleep=lambda pause: None)
    monkeypatch.setattr(process, "time", clock)
    looks: list[int] = []
    assert not process.wait(lambda: bool(looks.append(1)))
    assert len(looks) == 2, "after 100 and 200 seconds; at 300 it is over"
