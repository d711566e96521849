# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Kubernetes Events on the Kafka resource: the moments of a flow that a person looks for.

They are for people alone: no call reads them, and a call goes on without them where it cannot write
them (docs/design.md, "Events").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any
from uuid import uuid4

from ..._errors import KubeError
from ..._kube.client import KubeClient
from ..._kube.resources import EVENTS
from ..._trust.ledger.journal import in_flight
from ..._trust.model.decision import Violation
from ..._trust.model.ledger import Journal
from ..._trust.model.names import first_told, flow_named, named
from ..._trust.model.snapshot import Snapshot
from ..._trust.rules.due import Expiring, warnings_of
from ..names import KAFKAS, ClusterNames
from .work import Action

#: The program that reports them.
REPORTER = "trustops.strimzi/flows"
#: The most bytes that Kubernetes takes: of a note, and of the name of an instance.
_NOTE, _INSTANCE = 1024, 128
#: Seconds for a request with its repetitions, on an API server that answers at once. A roll that waits for it renews no
#: Lease meanwhile.
_REQUEST = 5.0


class EventReason(str, Enum):
    """The kinds of events."""

    ADOPTED = "CaAdopted"
    HANDED_BACK = "CaHandedBack"
    BEGUN = "FlowBegun"
    FINISHED = "FlowFinished"
    HELD = "FlowHeld"
    SWITCHED = "CaSwitched"
    REMOVED = "CaRemoved"
    RESTARTED = "PodRestarted"
    DUE = "RenewalDue"


_WARNINGS = frozenset({EventReason.HELD, EventReason.DUE})


@dataclass(frozen=True)
class Event:
    """An event on the Kafka resource."""

    #: The kind of the event.
    reason: EventReason
    #: A sentence.
    note: str


def events_between(before: Snapshot, after: Snapshot) -> Iterator[Event]:
    """The events between two observations of a CA."""
    names, old, new = after.names, before.ledger_or_empty, after.ledger_or_empty
    if before.reconciliation.generated is not after.reconciliation.generated and before.reconciliation.exists:
        if after.reconciliation.generated:
            yield Event(EventReason.HANDED_BACK, f"The Cluster Operator manages the {names.ca} again.")
        else:
            yield Event(
                EventReason.ADOPTED, f"The {names.ca} is user-managed: the Cluster Operator no longer renews it."
            )
    yield from _of_journals(old.journal, new.journal, names.ca)
    if before.ca.in_use and after.ca.in_use and before.ca.in_use != after.ca.in_use:
        told = f"{named(after.ca.in_use[0])} is in use as {names.ca}, in the place of {named(before.ca.in_use[0])}."
        yield Event(EventReason.SWITCHED, told)
    if after.ledger is not None:
        left = (entry.certificate for entry in old.entries if new.find(entry.fingerprint) is None)
        yield from (
            Event(EventReason.REMOVED, f"{named(certificate)} has left the trust of the {names.ca}.")
            for certificate in left
        )


def _of_journals(old: Journal | None, new: Journal | None, ca: str) -> Iterator[Event]:
    if new is None:
        return
    if old is None or (old.started_at, old.goal, old.is_abort) != (new.started_at, new.goal, new.is_abort):
        yield Event(EventReason.BEGUN, f"A flow has begun on the {ca}: {flow_named(new)}.")
        old = None
    if new.finished_at is not None and (old is None or old.finished_at is None):
        yield Event(EventReason.FINISHED, f"The flow on the {ca} is at its end: {flow_named(new)}.")


def events_at_the_end(after: Snapshot, violations: Iterable[Violation], ending: Iterable[Expiring]) -> Iterator[Event]:
    """The events about a flow that is held, and about certificates that nothing is going to renew."""
    if in_flight(after.ledger) is not None:
        held = (f"{violation.subject}: {violation.message} {violation.remedy}" for violation in violations)
        told = first_told(held, "condition", "the playbook status names each")
        yield from (Event(EventReason.HELD, note) for note in told)
    yield from (Event(EventReason.DUE, note) for note in warnings_of(ending, after.now))


class Announcer:
    """Writes events on one Kafka resource. After the first failure it writes no more: a flow neither fails nor waits
    for an event.
    """

    def __init__(self, client: KubeClient, scope: ClusterNames, holder: str, now: Callable[[], datetime]) -> None:
        """The holder is the name of the call. The function ``now`` gives the time of day in UTC."""
        self._client, self._scope, self._holder, self._now = client, scope, holder, now
        self._about: Mapping[str, Any] | None = None
        self._works = True

    def note(self, action: Action) -> None:
        """Write an event where a pod was restarted."""
        if action.verb == "restart":
            self.write([Event(EventReason.RESTARTED, f"{action.object}: {action.what} ({action.phase}).")])

    def write(self, events: Iterable[Event]) -> None:
        for event in events:
            if not self._works:
                return
            try:
                self._write(event)
            except KubeError:
                self._works = False

    def _write(self, event: Event) -> None:
        if self._about is None:
            kafka = self._client.get_or_none(KAFKAS, self._scope.namespace, self._scope.cluster, within=self._limit)
            if kafka is None:
                return
            self._about = {
                "apiVersion": KAFKAS.api_version,
                "kind": KAFKAS.kind,
                "namespace": self._scope.namespace,
                "name": self._scope.cluster,
                "uid": kafka["metadata"]["uid"],
            }
        body = {
            "apiVersion": EVENTS.api_version,
            "kind": EVENTS.kind,
            "metadata": {
                "name": f"{self._scope.cluster}.{uuid4().hex[:16]}",
                "namespace": self._scope.namespace,
            },
            "eventTime": self._now().strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "reportingController": REPORTER,
            "reportingInstance": _shortened(self._holder, _INSTANCE),
            "action": event.reason.value,
            "reason": event.reason.value,
            "regarding": self._about,
            "note": _shortened(event.note, _NOTE),
            "type": "Warning" if event.reason in _WARNINGS else "Normal",
        }
        self._client.create(EVENTS, self._scope.namespace, body, within=self._limit)

    @property
    def _limit(self) -> float:
        """Seconds for a request. The second answer is for a repetition."""
        return self._client.response_time.within(_REQUEST, 2)


def _shortened(text: str, size: int) -> str:
    """The text in at most so many bytes."""
    encoded = text.encode(errors="surrogatepass")
    return text if len(encoded) <= size else f"{encoded[: size - len('…'.encode())].decode(errors='ignore')}…"
