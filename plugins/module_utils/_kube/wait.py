# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Waiting for a condition over objects: list once, then watch; no polling at fixed intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, ObjectList
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import Attempt, Gone, TimedOut
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import Resource

#: A watch is renewed after this many seconds, so that ``alive`` is called at least as often.
WATCH_SECONDS = 5.0


def _never() -> bool:
    return False


def wait_until(
    client: KubeClient,
    resource: Resource,
    namespace: str,
    settled: Callable[[Mapping[str, Mapping[str, Any]]], bool],
    *,
    timeout: timedelta,
    monotonic: Callable[[], float],
    alive: Callable[[], None],
    label_selector: str = "",
    field_selector: str = "",
    restart_timeout: Callable[[], bool] = _never,
) -> None:
    """Return when ``settled`` holds for the selected objects (by name).

    restart_timeout: asked after each look; True gives the full time again, because something moved.
    Raises TimedOut.
    """
    deadline = monotonic() + timeout.total_seconds()
    while True:
        listed = client.list(resource, namespace, label_selector=label_selector, field_selector=field_selector)
        objects = {str(item["metadata"]["name"]): item for item in listed.items}
        try:
            for done in _looks(client, resource, namespace, listed, objects, settled, label_selector, field_selector):
                alive()
                if done:
                    return
                if restart_timeout():
                    deadline = monotonic() + timeout.total_seconds()
                if monotonic() >= deadline:
                    raise TimedOut(Attempt("watch", resource, namespace), "timed out", "Look at the objects waited for.")
        except Gone:
            continue


def _looks(
    client: KubeClient,
    resource: Resource,
    namespace: str,
    listed: ObjectList,
    objects: dict[str, dict[str, Any]],
    settled: Callable[[Mapping[str, Mapping[str, Any]]], bool],
    label_selector: str,
    field_selector: str,
) -> Any:
    """Whether it has settled: at once, after each event, and at the end of each watch."""
    version = listed.resource_version
    yield settled(objects)
    while True:
        for event in client.watch(
            resource, namespace, resource_version=version, timeout=WATCH_SECONDS,
            label_selector=label_selector, field_selector=field_selector,
        ):  # fmt: skip
            version = str(event.object["metadata"].get("resourceVersion", version))
            if event.type == "DELETED":
                objects.pop(str(event.object["metadata"]["name"]), None)
            elif event.type in ("ADDED", "MODIFIED"):
                objects[str(event.object["metadata"]["name"])] = event.object
            yield settled(objects)
        yield settled(objects)
