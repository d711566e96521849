# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events as the API server takes them: it counts the bytes of a note and of the name of an instance, though its message speaks of characters."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import TransportError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import Response
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.events import (
    Announcer,
    Event,
    EventReason,
    events_at_the_end,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.expiring import Expiring

from ....tools.support.flows import work_on
from ....tools.support.golden import GoldenFiles
from ....tools.support.memory_cluster import MemoryCluster
from ....tools.support.slow_api import SlowApi
from ..._trust.authorities import OLD
from ..._trust.builders import cluster
from ..._trust.ledgers import a_journal, entry, ledger

#: A flow is in flight.
BEGUN = cluster(ledger=ledger(entry(OLD), journal=a_journal(old=OLD)))


KAFKA = {
    "apiVersion": "kafka.strimzi.io/v1", "kind": "Kafka", "metadata": {"name": "demo", "namespace": "kafka"}, "spec": {},
}  # fmt: skip


def written(note: str, holder: str = "a-machine") -> dict[str, Any]:
    """The event with this note as it is stored."""
    memory = MemoryCluster()
    memory.apply(KAFKA)
    work = work_on(memory)
    Announcer(work.client, work.scope, holder, lambda: datetime.now(timezone.utc)).write(
        [Event(EventReason.HELD, note)]
    )
    (found,) = memory.api.all("events", memory.namespace)
    return dict(found)


@pytest.mark.parametrize("note", ["a" * 1024, "a" * 1025, "ä" * 600, "a" + "€" * 600, "😀" * 300, "\ud800" * 2000])
def test_a_note_has_no_more_bytes_than_the_api_server_takes(note: str) -> None:
    told = written(note)["note"]
    assert len(told.encode(errors="surrogatepass")) <= 1024
    assert (told == note) is (len(note.encode(errors="surrogatepass")) <= 1024)
    assert note.startswith(told.removesuffix("…"))


def test_the_name_of_an_instance_has_no_more_bytes_than_the_api_server_takes() -> None:
    assert len(written("told", "Jürgen " * 20)["reportingInstance"].encode()) <= 128


@pytest.mark.parametrize(("slow", "sent"), [("/kafkas/", 1), ("/events", 2)])
def test_an_api_server_that_does_not_answer_delays_a_roll_by_seconds(slow: str, sent: int) -> None:
    """The Lease, of 30 seconds, is not renewed while an event is written."""
    memory, limits = MemoryCluster(), list[float]()
    memory.apply(KAFKA)

    class Slow:
        def request(self, method: str, path: str, *, timeout: float | None = None, **given: Any) -> Any:
            limits.append(timeout or 60.0)
            if slow in f"{path}/":
                raise TransportError("no answer", timed_out=True)
            return memory.api.request(method, path, timeout=timeout, **given)

    work = work_on(memory, Slow())
    Announcer(work.client, work.scope, "a-machine", work.clock.now).write(
        [Event(EventReason.HELD, "a"), Event(EventReason.HELD, "b")]
    )
    assert (len(limits), max(limits)) == (sent, 5.0)


def test_on_a_slow_api_server_events_have_the_time_of_its_answers() -> None:
    """Else the first would be given up, and with it all others of the call."""
    memory = MemoryCluster()
    memory.apply(KAFKA)
    memory.answer_takes = 10.0
    work = work_on(memory, SlowApi(memory.api, memory))
    work.observe()
    events = [Event(EventReason.HELD, "a"), Event(EventReason.HELD, "b")]
    Announcer(work.client, work.scope, "a-machine", work.clock.now).write(events)
    assert sorted(one["note"] for one in memory.api.all("events", work.scope.namespace)) == ["a", "b"]


def test_an_event_follows_when_a_busy_api_server_asks_for_it_a_second_later() -> None:
    memory, limits = MemoryCluster(), list[float]()
    memory.apply(KAFKA)

    class Busy:
        def request(self, method: str, path: str, *, timeout: float | None = None, **given: Any) -> Any:
            limits.append(timeout or 60.0)
            if method == "POST" and len(limits) == 2:
                return Response(429, {}, {"Retry-After": "1"})
            return memory.api.request(method, path, timeout=timeout, **given)

    work = work_on(memory, Busy())
    Announcer(work.client, work.scope, "a-machine", work.clock.now).write([Event(EventReason.HELD, "a")])
    assert [one["note"] for one in memory.api.all("events", work.scope.namespace)] == ["a"]
    assert limits == [5.0, 5.0, 3.75]


def test_a_call_tells_the_first_of_many_conditions_and_how_many_more_there_are(golden: GoldenFiles) -> None:
    """Where many nodes or users are held, each call would store an Event for every one of them, after every task."""
    violations = [Violation(Condition.TRUST, f"Secret kafka/user-{number}", "waits.", "Wait.") for number in range(500)]
    told = list(events_at_the_end(BEGUN, violations, ()))
    assert (len(told), {one.reason for one in told}) == (21, {EventReason.HELD})
    golden.compare_said("cluster", "\n".join(one.note for one in (*told[:2], told[-1])))
    assert len(list(events_at_the_end(BEGUN, violations[:20], ()))) == 20


def test_of_certificates_that_nothing_renews_the_first_are_told(golden: GoldenFiles) -> None:
    ending = [Expiring(f"Secret kafka/user-{number}", OLD.certificate, False, "", "Renew it.") for number in range(500)]
    told = list(events_at_the_end(BEGUN, (), ending))
    assert (len(told), {one.reason for one in told}) == (21, {EventReason.DUE})
    golden.compare_said("cluster", told[-1].note)
