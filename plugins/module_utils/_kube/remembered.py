# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The parts that were read of the objects of a long list, remembered by the UID and the version of each object as long as the process lives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .client import KubeClient
from .resources import Resource

T = TypeVar("T")
Object = dict[str, Any]
#: UID and resource version. An object without either is read each time.
Version = tuple[str | None, str | None]

#: So many changed objects are read one by one, or this part of the list; where more have changed, the whole list is read.
_ONE_BY_ONE = 10
_SHARE = 20


@dataclass(frozen=True)
class _Part(Generic[T]):
    """The part that was read of an object. version: its UID and resource version."""

    version: Version
    part: T


class Remembered(Generic[T]):
    """Reads each object in full once, and again when it has changed. A later look lists metadata alone, from the API server: nothing is taken for
    unchanged that it has not just said to be so.
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
        """The parts that ``read`` takes of the objects with these labels, by name. read: rests on nothing but the object, so that it gives the same of
        the same version. suffices: whether this look needs no more than is known of an unchanged object, which is read again where it needs more.
        Raises KubeError.
        """

        def one(found: Object) -> tuple[str, _Part[T]]:
            return str(found["metadata"]["name"]), _Part(_version(found), read(found))

        place = (resource, namespace, label_selector)
        now, changed = self._unchanged(client, place, suffices)
        if changed is None:
            now = dict(client.each(resource, namespace, one, label_selector=label_selector))
        else:
            again = (client.get_or_none(resource, namespace, name) for name in changed)
            now |= dict(one(found) for found in again if found is not None)
        self._lists[place] = now
        return {name: known.part for name, known in now.items()}

    def _unchanged(
        self, client: KubeClient, place: tuple[Resource, str, str], suffices: Callable[[T], bool]
    ) -> tuple[dict[str, _Part[T]], Sequence[str] | None]:
        """The known parts of the objects that are there as they were, and the names of the others; None where the whole list is to be read."""
        known = self._lists.get(place)
        if not known:
            return {}, None
        resource, namespace, selector = place
        versions = dict(client.each(resource, namespace, _named, label_selector=selector, metadata_only=True))
        same = {name: one for name, one in known.items() if all(one.version) and versions.get(name) == one.version}
        now = {name: one for name, one in same.items() if suffices(one.part)}
        changed = sorted(versions.keys() - now.keys())
        return now, None if len(changed) > max(_ONE_BY_ONE, len(versions) // _SHARE) else changed


def _named(found: Object) -> tuple[str, Version]:
    return str(found["metadata"]["name"]), _version(found)


def _version(found: Object) -> Version:
    return found["metadata"].get("uid"), found["metadata"].get("resourceVersion")
