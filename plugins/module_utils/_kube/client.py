# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A thin client of the API server for known kinds: requests and watch streams over HTTP, typed errors, conditional
writes, safe retries of reads.

The client remembers the needed parts of the objects of a long list, by the UID and the version of each object, as long
as the process lives.
"""

from __future__ import annotations

import random as random_numbers
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from .._errors import Gone, KubeError, NotFound, TransportError, Unavailable, Unreachable
from .failures import TRANSIENT, Done, error_from
from .network import retry_after
from .resources import FIELD_MANAGER, Attempt, Resource, ahead_of_server
from .response_time import ResponseTime


class HttpAnswer(Protocol):
    """The answer to a request; the names of its headers are in upper or lower case."""

    @property
    def status(self) -> int: ...

    @property
    def body(self) -> dict[str, Any]: ...

    @property
    def headers(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, repr=False)
class Response:
    """An answer. The body may contain a Secret: no repr."""

    #: The HTTP status.
    status: int
    #: The decoded JSON object.
    body: dict[str, Any]
    #: The headers, with names in upper or lower case.
    headers: Mapping[str, str]


class Transport(Protocol):
    """The interface that the client uses. It raises TransportError if the network fails; an HTTP status is no error
    here.
    """

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        timeout: float | None = None,
    ) -> HttpAnswer:
        """Send a request and return its answer. The content type is that of the body; of the answer if there is no
        body. The timeout is in seconds; None is the transport's own.
        """

    def stream(
        self, path: str, *, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> Iterator[dict[str, Any]]:
        """Watch events {type, object} until the server ends the stream, or is silent for ``timeout`` seconds.

        A refused watch is an event too: type ERROR, object a Status with ``code``.
        """


T = TypeVar("T")

_JSON = "application/json"
_MERGE_PATCH = "application/merge-patch+json"
#: Objects with their metadata alone. A server without this form sends whole objects (Kubernetes API, "Receiving
#: resources as Tables").
_METADATA = f"{_JSON};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,{_JSON}"

#: How often a request is sent at most. Then the caller gets the failure, and may look again and decide again.
_ATTEMPTS = 5
#: The same for requests without an answer in time. In such a long time the caller may have to see to something else.
_TIMEOUTS = 2
#: Seconds before the second attempt; then doubled.
_FIRST_DELAY = 0.25
#: The longest delay in seconds, even if the server asks for a longer delay.
_LONGEST_DELAY = 30.0
#: Seconds after which a call shows why nothing happens.
_NOTICED = 5.0
#: Seconds that a prompt server may be late in ending a watch; its answers in that time are the beginning and the end of
#: the watch.
_WATCH_GRACE, _ANSWERS_OF_WATCH = 5.0, 2


@dataclass(frozen=True, repr=False)
class ObjectList:
    """Objects and the resource version to watch from."""

    #: The objects as the API server has them.
    items: list[dict[str, Any]]
    #: The version of the list, from which a watch goes on.
    resource_version: str


@dataclass(frozen=True, repr=False)
class WatchEvent:
    """An event of a watch (Kubernetes API concepts, "Efficient detection of changes")."""

    #: ADDED, MODIFIED, DELETED or BOOKMARK (only its metadata.resourceVersion has a meaning).
    type: str
    #: The object after the event; a deleted object as it was last.
    object: dict[str, Any]


def drop_sentence(sentence: str) -> None:
    """Drop the sentence: the default of a caller that shows no progress."""


class KubeClient:
    """All methods raise KubeError and leave their arguments as they are.

    A read is repeated if it fails for a reason that may pass. A write is repeated only if the server has certainly not
    begun with it; if it may have begun, the caller looks before it writes again. The client counts its ``requests`` and
    ``writes``. By ``clock_ahead`` it knows how far the clock of this machine is ahead of the server's, by the last
    answer with a time; by ``response_time``, how long the server's answers take. Its functions: ``sleep`` takes
    seconds, ``random`` gives a number from 0 to 1 for the backoff, ``now`` gives the time of day with its time zone,
    ``monotonic`` gives seconds that only go forward, and ``tell`` takes a sentence before a wait that people notice.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        sleep: Callable[[float], None] = time.sleep,
        random: Callable[[], float] = random_numbers.random,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
        monotonic: Callable[[], float] = time.monotonic,
        tell: Callable[[str], None] = drop_sentence,
    ) -> None:
        self._transport = transport
        self._sleep = sleep
        self._random = random
        self._now = now
        self._monotonic = monotonic
        self.tell = tell
        self.response_time = ResponseTime()
        self.requests = 0
        self.writes = 0
        self.clock_ahead: timedelta | None = None
        #: The objects of the last list of each kind, namespace and selectors, by UID and version.
        self._listed: dict[Hashable, Mapping[Version, dict[str, Any]]] = {}

    @property
    def server_time(self) -> datetime | None:
        """The time of day by the clock of the API server, to a second; None if its answers do not tell it."""
        return None if self.clock_ahead is None else self._now() - self.clock_ahead

    def get(
        self, resource: Resource, namespace: str | None, name: str, *, within: float | None = None
    ) -> dict[str, Any]:
        """Read an object within so many seconds, as for ``create``."""
        return self._send("GET", Attempt("get", resource, namespace, name), within=within).body

    def get_or_none(
        self, resource: Resource, namespace: str | None, name: str, *, within: float | None = None
    ) -> dict[str, Any] | None:
        """Read an object as ``get`` does; None if it does not exist."""
        try:
            return self.get(resource, namespace, name, within=within)
        except NotFound:
            return None

    def list(
        self, resource: Resource, namespace: str | None, *, label_selector: str = "", field_selector: str = ""
    ) -> ObjectList:
        """The selected objects. An object that has not changed since the last list of this kind is that same object in
        memory: a call keeps its first look at a large cluster and its last, and most objects are in both.
        """
        query = _selectors(label_selector, field_selector)
        listed = self._list(resource, namespace, query)[0]
        key = resource, namespace, tuple(query.items())
        known = self._listed.get(key, {})
        items = [known.get(_version(item), item) for item in listed.items]
        self._listed[key] = {version: item for item in items if all(version := _version(item))}
        return replace(listed, items=items)

    def each(
        self,
        resource: Resource,
        namespace: str | None,
        pick: Callable[[dict[str, Any]], T | None],
        *,
        label_selector: str = "",
        size: int = 500,
        metadata_only: bool = False,
    ) -> Sequence[T]:
        """The parts that ``pick`` takes of the objects of a long list. The list is read in pages of this size: it is
        never in memory as a whole. ``pick`` returns None if it takes nothing of an object. With ``metadata_only`` it
        gets the metadata of objects alone.

        If the API server does not keep the list for as long as this takes (410), the reading begins again. Raises Gone
        if that happens each time.
        """
        query, begun = {**_selectors(label_selector, ""), "limit": str(size)}, 1
        while True:
            try:
                return tuple(self._each(resource, namespace, pick, query, _METADATA if metadata_only else _JSON))
            except Gone:
                if begun == _ATTEMPTS:
                    raise
                self.back_off(begun)
                begun += 1

    def _each(
        self,
        resource: Resource,
        namespace: str | None,
        pick: Callable[[dict[str, Any]], T | None],
        query: Mapping[str, str],
        form: str,
    ) -> Iterator[T]:
        more = ""
        while True:
            page, more = self._list(resource, namespace, {**query, "continue": more} if more else query, form)
            yield from (part for part in map(pick, page.items) if part is not None)
            if not more:
                return

    def _list(
        self, resource: Resource, namespace: str | None, query: Mapping[str, str], form: str = _JSON
    ) -> tuple[ObjectList, str]:
        """The objects, and the token that continues the list; empty if the list is complete."""
        attempt = Attempt("list", resource, namespace)
        response = self._send("GET", attempt, query=query, content_type=form)
        metadata = response.body.get("metadata")
        if "items" not in response.body or not isinstance(metadata, dict) or not metadata.get("resourceVersion"):
            # Read as an empty list, this answer would be evidence that no pod uses a CA.
            raise Unavailable(attempt, "the answer is not a list", "Check host and proxy.")
        listed = ObjectList(response.body["items"] or [], str(metadata["resourceVersion"]))
        return listed, str(metadata.get("continue") or "")

    def create(
        self, resource: Resource, namespace: str | None, body: Mapping[str, Any], *, within: float | None = None
    ) -> dict[str, Any]:
        """Create an object. With ``within``, for a request on which nothing depends, all attempts together have so many
        seconds, and the request is repeated only if the server asks for a delay that is over by then. Without it, each
        attempt has the time of the transport.
        """
        name = (body.get("metadata") or {}).get("name")
        return self._send("POST", Attempt("create", resource, namespace, name), body=body, within=within).body

    def patch(
        self,
        resource: Resource,
        namespace: str | None,
        name: str,
        patch: Mapping[str, Any],
        *,
        resource_version: str | None = None,
        subresource: str | None = None,
    ) -> dict[str, Any]:
        """Send a merge patch (RFC 7386). Raises Conflict if the object is no longer at ``resource_version``."""
        body = dict(patch)
        if resource_version is not None:
            body["metadata"] = {**(body.get("metadata") or {}), "resourceVersion": resource_version}
        attempt = Attempt("patch", resource, namespace, name, subresource)
        return self._send("PATCH", attempt, body=body, content_type=_MERGE_PATCH).body

    def delete(
        self,
        resource: Resource,
        namespace: str | None,
        name: str,
        *,
        uid: str | None = None,
        resource_version: str | None = None,
    ) -> None:
        """Delete an object. Raises Conflict if its UID or version is another by now."""
        preconditions = {"uid": uid, "resourceVersion": resource_version}
        body: dict[str, Any] = {"apiVersion": "v1", "kind": "DeleteOptions"}
        body["preconditions"] = {key: value for key, value in preconditions.items() if value is not None}
        self._send("DELETE", Attempt("delete", resource, namespace, name), body=body)

    def watch(
        self,
        resource: Resource,
        namespace: str | None,
        *,
        resource_version: str,
        timeout: float,
        label_selector: str = "",
        field_selector: str = "",
    ) -> Iterator[WatchEvent]:
        """Events since ``resource_version``, until ``timeout`` (seconds, at least 1) has passed.

        Raises Gone if the version is too old: list again. The watch is not retried, because only the reader knows the
        last version.
        """
        attempt = Attempt("watch", resource, namespace)
        seconds = max(1, int(timeout))
        query = {
            **_selectors(label_selector, field_selector),
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(seconds),
        }
        self.requests += 1
        limit = seconds + self.response_time.within(_WATCH_GRACE, _ANSWERS_OF_WATCH)
        try:
            for event in self._transport.stream(resource.path(namespace), query=query, timeout=limit):
                if event["type"] == "ERROR":
                    raise error_from(attempt, int(event["object"].get("code") or 500), event["object"])
                yield WatchEvent(event["type"], event["object"])
        except TransportError as error:
            raise _unreachable(attempt, error) from None

    def back_off(self, attempt_number: int, least: float = 0.0) -> None:
        """Sleep longer after each attempt, or as long as the server asked (seconds), with jitter.

        Without jitter, all clients of a server would return at the same moment after its absence.
        """
        seconds = _FIRST_DELAY * 2.0 ** (attempt_number - 1) * (0.5 + self._random())
        if least:
            seconds = least + _FIRST_DELAY * self._random()
        seconds = min(seconds, _LONGEST_DELAY)
        if seconds >= _NOTICED:
            self.tell(f"the API server asks to be left alone; the next request follows in {seconds:.0f} s.")
        self._sleep(seconds)

    def _send(
        self,
        method: str,
        attempt: Attempt,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        content_type: str = _JSON,
        within: float | None = None,
    ) -> HttpAnswer:
        """Send a request within so many seconds, as for ``create``, and return its answer."""
        name = None if attempt.verb == "create" else attempt.name
        path = attempt.resource.path(attempt.namespace, name, attempt.subresource)
        self.writes += attempt.is_write
        if attempt.is_write and method != "DELETE":
            query = {**(query or {}), "fieldManager": FIELD_MANAGER}
        number, timeouts, left = 1, 0, within
        while True:
            self.requests += 1
            sent, begun, retry_after_seconds = self._now(), self._monotonic(), 0.0
            try:
                response = self._transport.request(
                    method, path, query=query, body=body, content_type=content_type, timeout=left
                )
            except TransportError as error:
                timeouts += error.timed_out
                is_repeated = error.transient and timeouts < _TIMEOUTS and not (attempt.is_write and error.sent)
                failure = _unreachable(attempt, error)
            else:
                self.response_time.note(self._monotonic() - begun)
                retry_after_seconds = retry_after(_header(response, "retry-after")) or 0.0
                ahead = ahead_of_server(sent, self._now(), _header(response, "date"))
                self.clock_ahead = self.clock_ahead if ahead is None else ahead
                if 200 <= response.status < 300:
                    return response
                done = TRANSIENT.get(response.status)
                is_repeated = done is Done.NO or (done is Done.UNKNOWN and not attempt.is_write)
                failure = error_from(attempt, response.status, response.body, retry_after_seconds, body)
            if left is not None:
                left -= self._monotonic() - begun + retry_after_seconds + _FIRST_DELAY
                is_repeated = is_repeated and retry_after_seconds > 0 and left > 0
            if not is_repeated or number == _ATTEMPTS:
                raise failure
            self.back_off(number, retry_after_seconds)
            number += 1


def _header(response: HttpAnswer, name: str) -> str:
    """The value of a header with this name in lower case; empty if there is no such header."""
    return next((value for key, value in response.headers.items() if key.lower() == name), "")


def _selectors(label_selector: str, field_selector: str) -> dict[str, str]:
    chosen = {"labelSelector": label_selector, "fieldSelector": field_selector}
    return {key: value for key, value in chosen.items() if value}


def _unreachable(attempt: Attempt, error: TransportError) -> KubeError:
    remedy = error.remedy or "Check host or kubeconfig, the network and the proxy options; then run again."
    return Unreachable(
        attempt, str(error), remedy, outcome_unknown=attempt.is_write and error.sent, is_transient=error.transient
    )


Object = dict[str, Any]
#: UID and resource version. An object without either is read each time.
Version: TypeAlias = tuple[str | None, str | None]

#: Changed objects are read one by one if they are no more than this number, or than one in so many of the list. If more
#: have changed, the whole list is read.
_ONE_BY_ONE = 10
_SHARE = 20


@dataclass(frozen=True)
class _Part(Generic[T]):
    """The remembered part of an object."""

    #: Its UID and resource version.
    version: Version
    #: The part that the caller's function took of the object.
    part: T


class Remembered(Generic[T]):
    """Reads each object in full once, and again if it has changed. A later look lists metadata alone, from the API
    server: an object counts as unchanged only if the API server has just said so.
    """

    def __init__(self) -> None:
        self._lists: dict[tuple[Resource, str, str], dict[str, _Part[T]]] = {}

    def each(
        self,
        client: KubeClient,
        resource: Resource,
        namespace: str,
        read: Callable[[Object], T],
        label_selector: str,
        suffices: Callable[[T], bool] = lambda _part: True,
    ) -> Mapping[str, T]:
        """The parts that ``read`` takes of the objects with these labels, by name. ``read`` rests on nothing but the
        object: it gives the same of the same version. If ``suffices`` says that this look needs more of an unchanged
        object, the object is read again. Raises KubeError.
        """

        def read_part(item: Object) -> tuple[str, _Part[T]]:
            return str(item["metadata"]["name"]), _Part(_version(item), read(item))

        place = (resource, namespace, label_selector)
        now, changed = self._unchanged(client, place, suffices)
        if changed is None:
            now = dict(client.each(resource, namespace, read_part, label_selector=label_selector))
        else:
            again = (client.get_or_none(resource, namespace, name) for name in changed)
            now |= dict(read_part(item) for item in again if item is not None)
        self._lists[place] = now
        return {name: known.part for name, known in now.items()}

    def _unchanged(
        self, client: KubeClient, place: tuple[Resource, str, str], suffices: Callable[[T], bool]
    ) -> tuple[dict[str, _Part[T]], Sequence[str] | None]:
        """The known parts of the unchanged objects, and the names of the others; None to read the whole list."""
        parts = self._lists.get(place)
        if not parts:
            return {}, None
        resource, namespace, selector = place
        versions = dict(client.each(resource, namespace, _named, label_selector=selector, metadata_only=True))
        same = {name: part for name, part in parts.items() if all(part.version) and versions.get(name) == part.version}
        now = {name: part for name, part in same.items() if suffices(part.part)}
        changed = sorted(versions.keys() - now.keys())
        return now, None if len(changed) > max(_ONE_BY_ONE, len(versions) // _SHARE) else changed


def _named(item: Object) -> tuple[str, Version]:
    return str(item["metadata"]["name"]), _version(item)


def _version(item: Object) -> Version:
    return item["metadata"].get("uid"), item["metadata"].get("resourceVersion")
