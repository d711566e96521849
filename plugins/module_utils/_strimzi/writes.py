# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A conditional write, and how it is carried out. The only verbs are create, merge patch and delete.

A merge patch names only keys of this collection and carries the resource version that it was decided on (I6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from .._errors import KubeError
from .._kube.resources import Resource
from .actions import Action
from .secret_data import encode
from .work import Work


class WriteVerb(str, Enum):
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, repr=False)
class Write:
    """A conditional write."""

    verb: WriteVerb
    resource: Resource
    name: str
    what: str
    #: The object to create, or the merge patch.
    body: Mapping[str, Any] | None = None
    resource_version: str | None = None
    #: Public facts about the object, before and after the write.
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    #: Namespace of the object; empty for that of the cluster.
    namespace: str = ""

    def action(self, namespace: str, phase: str) -> Action:
        """namespace: of the cluster."""
        target = f"{self.resource.kind} {self.namespace or namespace}/{self.name}"
        return Action(self.verb.value, target, self.what, phase, self.before, self.after)


def write_all(writes: tuple[Write, ...], work: Work, phase: str) -> None:
    """Carry the writes out in their order; in a dry run only record them.

    Each is sent only while this run holds the Lease: many slow ones outlive it, and another run may have taken it. A write that
    changes an object again rests on the one before it.
    """
    versions: dict[tuple[Resource, str, str], str] = {}
    for write in writes:
        if not work.dry_run:
            work.alive()
            key = write.resource, write.namespace, write.name
            versions[key] = _send_told(
                replace(write, resource_version=versions.get(key, write.resource_version)), work, phase
            )
        work.record(write.action(work.scope.namespace, phase))


def _send_told(write: Write, work: Work, phase: str) -> str:
    """The resource version after it. A write that was done and whose answer was lost is recorded before its error is raised: the caller looks
    again, and finds nothing to do again.
    """
    try:
        return _send(write, work)
    except KubeError as error:
        if error.outcome_unknown:
            found = work.client.get_or_none(write.resource, write.namespace or work.scope.namespace, write.name)
            if _is_done(write, found):
                _note(write, found, work)
                work.record(write.action(work.scope.namespace, phase))
        raise


def _is_done(write: Write, found: Mapping[str, Any] | None) -> bool:
    """Whether the object, as it is now, is as the write wanted it, and was not before."""
    if found is None or write.verb is WriteVerb.DELETE:
        return found is None and write.verb is WriteVerb.DELETE
    return version(found) != write.resource_version and _holds(found, write.body)


def _note(write: Write, found: Mapping[str, Any] | None, work: Work) -> None:
    """From here on a call sees when another program writes the object back. found: the object after the write; None where it was deleted."""
    key = write.resource.kind, write.namespace or work.scope.namespace, write.name
    if found is None:
        work.written.note(key, None)
    else:
        work.written.note(key, dict(write.body or {}), str(found["metadata"].get("uid") or ""))


def _holds(found: Any, wanted: Any) -> bool:
    """Whether a merge patch (RFC 7386), or an object to create, would change nothing but what the API server adds by itself."""
    if not isinstance(wanted, Mapping):
        return bool(found == wanted)
    return isinstance(found or {}, Mapping) and all(
        _holds((found or {}).get(key), value) for key, value in wanted.items()
    )


def _send(write: Write, work: Work) -> str:
    """The resource version after it; that of a deleted object is its last."""
    namespace, body, before = write.namespace or work.scope.namespace, dict(write.body or {}), write.resource_version
    if write.verb is WriteVerb.DELETE:
        work.client.delete(write.resource, namespace, write.name, resource_version=before)
        _note(write, None, work)
        return before or ""
    if write.verb is WriteVerb.CREATE:
        answer = work.client.create(write.resource, namespace, body)
    else:
        answer = work.client.patch(write.resource, namespace, write.name, body, resource_version=before)
    _note(write, answer, work)
    return version(answer)


def version(existing: Mapping[str, Any]) -> str:
    return str(existing["metadata"]["resourceVersion"])


def secret_patch(
    entries: Mapping[str, bytes | None], annotations: Mapping[str, str | None] | None = None
) -> dict[str, Any]:
    """A merge patch of a Secret: None removes the entry or annotation."""
    patch: dict[str, Any] = {}
    if entries:
        patch["data"] = {key: None if value is None else encode(value) for key, value in entries.items()}
    if annotations:
        patch["metadata"] = {"annotations": dict(annotations)}
    return patch


def new_secret(
    work_labels: Mapping[str, str],
    name: str,
    entries: Mapping[str, bytes],
    annotations: Mapping[str, str],
    type_: str = "Opaque",
) -> dict[str, Any]:
    """A Secret as Strimzi expects those of its users: found by its labels (docs/operator.md, "CA Secrets")."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": type_,
        "metadata": {"name": name, "labels": dict(work_labels), "annotations": dict(annotations)},
        "data": {key: encode(value) for key, value in entries.items()},
    }
