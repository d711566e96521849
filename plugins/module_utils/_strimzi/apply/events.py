# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Kubernetes Events on the Kafka resource: the moments of a flow that a person looks for.

They are for people alone: no call reads them. If a call cannot write them, it goes on without them (docs/calls.md,
"Events").
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
from ..._kube.resources import EVENTS, SECRETS
from ..._leaves.request import LeafRequest
from ..._pki.certificates import Certificate
from ..._trust.ledger.journal import in_flight
from ..._trust.model.decision import Condition, Violation
from ..._trust.model.ledger import Journal
from ..._trust.model.names import first_told, flow_named, listed, named
from ..._trust.model.snapshot import Snapshot
from ..._trust.rules.expiring import Expiring, warnings_of
from ..names import KAFKAS, ClusterNames
from .work import Action

#: The program that reports the events.
REPORTER = "trustops.strimzi/flows"
#: The most bytes in Kubernetes: of a note, and of the name of an instance.
_NOTE, _INSTANCE = 1024, 128
#: Seconds for a request with its repetitions, if the API server answers at once. A roll that waits for the request
#: renews no Lease meanwhile.
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
    ISSUED = "LeafIssued"
    NOT_ISSUED = "LeafNotIssued"
    GIVEN_UP = "RequestGivenUp"
    NOT_OWNED = "SecretNotOwned"


_WARNINGS = frozenset({EventReason.HELD, EventReason.DUE, EventReason.NOT_ISSUED, EventReason.NOT_OWNED})


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
    yield from _of_requests(before, after)
    if before.ca.in_use and after.ca.in_use and before.ca.in_use != after.ca.in_use:
        sentence = f"{named(after.ca.in_use[0])} is in use as {names.ca}, in the place of {named(before.ca.in_use[0])}."
        yield Event(EventReason.SWITCHED, sentence)
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


def _of_requests(before: Snapshot, after: Snapshot) -> Iterator[Event]:
    """An event for each reason of requests that were given up (Improved and extensible Certificate controller,
    "requestmanager").
    """
    given_up: dict[str, list[str]] = {}
    stored, now_stored = before.every_certificate, after.every_certificate
    for name, request in before.leaves.requests.items():
        if why := _why_given_up(request, stored.get(name), now_stored.get(name), after):
            given_up.setdefault(why, []).append(name)
    for why, names in given_up.items():
        were = "1 request was" if len(names) == 1 else f"{len(names)} requests were"
        yield Event(EventReason.GIVEN_UP, f"{were} given up, for {listed(names)}: {why}.")


def _why_given_up(request: LeafRequest, before: Certificate | None, now: Certificate | None, after: Snapshot) -> str:
    """Why this request is not wanted any more, as a part of a sentence; empty if it is wanted, or was served. The leaf
    of its Secret was ``before``, and is ``now``.
    """
    if request.certificate is not None and request.certificate in (before, now):
        return ""
    later = after.leaves.requests.get(request.secret)
    if later is None:
        entry = after.ledger_or_empty.find(request.authority)
        is_served = now is not None and now != before and (entry is None or now.signed_by(entry.certificate))
        return "" if is_served else request.outdated or "no other certificate is needed"
    if request.outdated:
        return "" if later.outdated else request.outdated
    if later.answer is not None or (later.issuer, later.authority) == (request.issuer, request.authority):
        return ""
    return f"{later.issuer} is to sign" if later.issuer != request.issuer else "another CA is to sign"


def events_of_issued(actions: Iterable[Action]) -> Iterator[Event]:
    """The event about a call's leaves in their Secrets (Improved and extensible Certificate controller, "issuing")."""
    issued = [action for action in actions if "leaf" in (action.after or ())]
    if not issued:
        return
    others = [action.object for action in issued[1:]]
    rest = f" Issued with it: {listed(others)}." if others else ""
    yield Event(EventReason.ISSUED, f"{issued[0].object}: {issued[0].what}.{rest}")


def events_at_the_end(after: Snapshot, violations: Iterable[Violation], ending: Iterable[Expiring]) -> Iterator[Event]:
    """The events about a held flow, about Secrets of other owners, and about certificates that do not come, or that
    nothing is going to renew.
    """
    notes_by_reason: dict[EventReason, list[str]] = {}
    held, is_in_flight = tuple(violations), in_flight(after.ledger) is not None
    for violation in held:
        if violation.holds and is_in_flight:
            notes_by_reason.setdefault(EventReason.HELD, []).append(str(violation))
        if violation.condition is Condition.LEAVES_ARE_ISSUED:
            notes_by_reason.setdefault(EventReason.NOT_ISSUED, []).append(str(violation))
        if violation.condition is Condition.NAMES_ARE_FREE and violation.kind == SECRETS.kind:
            notes_by_reason.setdefault(EventReason.NOT_OWNED, []).append(str(violation))
    for reason, notes in notes_by_reason.items():
        sentences = first_told(notes, "condition", "the playbook status names each")
        yield from (Event(reason, note) for note in sentences)
    # Outside of a flow no event is about a violation.
    violations_in_flight = held if is_in_flight else ()
    yield from (Event(EventReason.DUE, note) for note in warnings_of(ending, after.now, violations_in_flight))


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
        """Write an event if a pod was restarted."""
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
