# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Waiting for a condition over objects: list once, then watch; no polling at fixed intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeAlias

from .._errors import Gone, KubeError, TimedOut
from .client import KubeClient, WatchEvent
from .resources import Attempt, Resource
from .response_time import Countdown

#: Seconds between two calls of ``alive``; less than a third of a Lease.
HEARTBEAT = 5.0

#: The part of its time before which a watch counts as cut off, if it ended without an event.
_CUT_OFF = 0.5
#: Delays grow until this attempt: a proxy that cuts off watches must not delay the heartbeat.
_LONGEST_PAUSE = 4

Object: TypeAlias = Mapping[str, Any]


class Objects(dict[str, Object]):
    """The selected objects as last seen, by name."""

    def __init__(self) -> None:
        super().__init__()
        #: The names of the objects that have come, changed or gone since the last call of ``take_changed``.
        self._changed = set[str]()

    def put(self, item: Object) -> None:
        """Put an object that has come or changed."""
        name = str(item["metadata"]["name"])
        self[name] = item
        self._changed.add(name)

    def remove(self, item: Object) -> None:
        """Remove an object that is gone."""
        name = str(item["metadata"]["name"])
        self.pop(name, None)
        self._changed.add(name)

    def replace_all(self, items: Iterable[Object]) -> None:
        """Put the objects of a new list in the place of all."""
        self._changed |= self.keys()
        self.clear()
        for item in items:
            self.put(item)

    def take_changed(self) -> Mapping[str, Object | None]:
        """The objects that have come or changed since the last call, by name; None for an object that is gone. In a
        large cluster a look at each event goes through these and not through all objects.
        """
        changed, self._changed = self._changed, set()
        return {name: self.get(name) for name in changed}


def _never() -> bool:
    return False


@dataclass
class _Wait:
    #: The client that lists and watches.
    client: KubeClient
    #: The kind of the watched objects.
    resource: Resource
    #: The namespace of the objects.
    namespace: str
    #: Says whether the objects, by name, are what the wait is for.
    settled: Callable[[Objects], bool]
    #: Seconds until the wait fails.
    timeout: float
    #: The clock of the wait, in seconds.
    monotonic: Callable[[], float]
    #: An act that the caller repeats during the wait, such as the renewal of its Lease.
    alive: Callable[[], None]
    #: Says whether the wait gets its whole time again, as after progress.
    restart_timeout: Callable[[], bool]
    #: Seconds between two calls of ``alive``.
    heartbeat: float
    #: The label and field selectors of the list and the watch.
    selectors: dict[str, str]
    #: The selected objects as last seen, by name.
    objects: Objects = field(default_factory=Objects)
    #: The resource version from which the next watch goes on.
    version: str = ""
    #: When ``alive`` is due again, by ``monotonic``.
    next_beat: float = 0.0
    #: Failures of list and watch since the last success.
    failures: int = 0
    #: The time until the wait fails.
    countdown: Countdown = field(init=False)

    def __post_init__(self) -> None:
        self.countdown = Countdown(self.monotonic, self.timeout)

    def run(self) -> Objects:
        self.next_beat = self.monotonic() + self.heartbeat
        while True:
            try:
                self._list()
                self._watch_until_settled()
                return self.objects
            except Gone:
                # The watch is too far behind; the next list has what it missed. If a server says so of every watch, it
                # does not get requests without end.
                self._pause()
            except KubeError as error:
                # The API server may restart during a long wait. The wait ends with an error only if it is not back in
                # time.
                if not error.is_transient or self.countdown.is_over:
                    raise
                self._pause()
                self._beat()

    def _list(self) -> None:
        begun = self.monotonic()
        listed = self.client.list(self.resource, self.namespace, **self.selectors)
        self.countdown.looked_since(begun)
        self.objects.replace_all(listed.items)
        self.version = listed.resource_version

    def _watch_until_settled(self) -> None:
        """Watch, and look at once, after each event and at the end of a watch; return if the objects have settled."""
        while True:
            if self._look():
                return
            begun, seconds, seen = self.monotonic(), self._until_next(), self.version
            try:
                for event in self.client.watch(
                    self.resource, self.namespace, resource_version=self.version, timeout=seconds, **self.selectors
                ):
                    self._apply_event(event)
                    if event.type != "BOOKMARK" and self._look():
                        return
            except KubeError:
                self.countdown.looked_since(begun)
                raise
            if seen == self.version and self.monotonic() - begun < seconds * _CUT_OFF:
                self._pause()
            else:
                self.failures = 0

    def _apply_event(self, event: WatchEvent) -> None:
        metadata = event.object["metadata"]
        self.version = str(metadata.get("resourceVersion", self.version))
        if event.type == "DELETED":
            self.objects.remove(event.object)
        elif event.type in ("ADDED", "MODIFIED"):
            self.objects.put(event.object)

    def _look(self) -> bool:
        if self.settled(self.objects):
            return True
        self._beat()
        if self.restart_timeout():
            self.countdown.restart()
        if not self.countdown.is_over:
            return False
        attempt = Attempt("watch", self.resource, self.namespace)
        cause = f"not as expected within {self.timeout:g} s"
        raise TimedOut(attempt, cause, "Look at the objects that were waited for.", observed=self.objects)

    def _beat(self) -> None:
        now = self.monotonic()
        if now >= self.next_beat:
            self.next_beat = now + self.heartbeat
            self.alive()

    def _until_next(self) -> float:
        return max(0.0, min(self.countdown.end, self.next_beat) - self.monotonic())

    def _pause(self) -> None:
        self.failures = min(self.failures + 1, _LONGEST_PAUSE)
        self.client.back_off(self.failures)


def wait_until(
    client: KubeClient,
    resource: Resource,
    namespace: str,
    settled: Callable[[Objects], bool],
    *,
    timeout: timedelta,
    monotonic: Callable[[], float],
    alive: Callable[[], None],
    label_selector: str = "",
    field_selector: str = "",
    restart_timeout: Callable[[], bool] = _never,
    heartbeat: float = HEARTBEAT,
) -> Objects:
    """Return the selected objects (by name) when ``settled`` is true of them.

    The function ``alive`` is called about every ``heartbeat`` seconds, however quiet the watch. The function
    ``restart_timeout`` is called after each look. If it returns True, the full time begins again, because something
    moved. Raises TimedOut with the last objects, or the error of the last request if the API server is away until the
    end.
    """
    selectors = {"label_selector": label_selector, "field_selector": field_selector}
    return _Wait(
        client,
        resource,
        namespace,
        settled,
        timeout.total_seconds(),
        monotonic,
        alive,
        restart_timeout,
        heartbeat,
        selectors,
    ).run()
