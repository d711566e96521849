# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that write an object back as they know it: GitOps, External Secrets, a mirror of another namespace; and the operator in a reconcile that
was under way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .memory_api import Change, MemoryApi, values_by_path
from .memory_cluster import MemoryCluster

Object = dict[str, Any]

ARGO_CD = "argocd-controller"
_ROOTS = {
    **dict.fromkeys(("kafkas", "kafkanodepools", "kafkausers"), "/apis/kafka.strimzi.io/v1"), "strimzipodsets": "/apis/core.strimzi.io/v1",
}  # fmt: skip


OURS = "trustops.strimzi"
_FINGERPRINT, _END = re.compile(r"[0-9a-f]{40}"), re.compile(r"ca-\d{4}-[-0-9TZ]+")
_LINE = re.compile(r"\d{8}")
_NODE, _POD = re.compile(r"demo-kafka-\d+"), re.compile(r"-[0-9a-f]{10}-[0-9a-f]{5}$")
_COMPONENT = re.compile(r"demo-(?:cluster-operator|cruise-control|entity-(?:topic|user)-operator|kafka-exporter)-certs")


@dataclass(frozen=True)
class Entry:
    """A field of an object that the collection has written."""

    plural: str
    name: str
    path: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The same for all CAs, nodes and components."""
        name = "<component>" if _COMPONENT.fullmatch(self.name) else _NODE.sub("<node>", self.name)
        name = "<pod>" if self.plural == "pods" and _POD.search(name) else name
        entry = _END.sub("ca-<end>", _FINGERPRINT.sub("<ca>", _NODE.sub("<node>", self.path[-1])))
        entry = _LINE.sub("<entry>", entry) if self.plural == "configmaps" else entry
        leaf = name == "<component>" and self.path[0] == "data"
        return f"{self.plural} {name}: {' '.join(self.path[:-1])} {'<leaf>.' + entry.rpartition('.')[2] if leaf else entry}"


def entries_written(change: Change) -> Iterator[Entry]:
    """The fields that this write of the collection has set to another value."""
    before, after = values_by_path(change.old or {}), values_by_path(change.new or {})
    own = {
        entry["manager"]: entry for entry in ((change.new or {}).get("metadata") or {}).get("managedFields", ())
    }.get(OURS)
    for path, value in after.items():
        if before.get(path) != value and own is not None and _owns(own["fieldsV1"], path):
            yield Entry(change.plural, change.name, path)


def _owns(fields: Object, path: tuple[str, ...]) -> bool:
    for part in path:
        if f"f:{part}" not in fields:
            return False
        fields = fields[f"f:{part}"]
    return True


@dataclass
class Pruner:
    """Removes each entry of one kind that the collection has written: a GitOps tool that prunes what is not in its repository."""

    memory: MemoryCluster
    kind: str
    #: Whether it removes at once; else when its turn comes.
    at_once: bool
    #: How often it has removed something.
    done: int = 0
    #: The entries that it has removed.
    removed: set[Entry] = field(default_factory=set)
    _found: list[Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.memory.api.listeners.append(self._see)
        self.memory.neighbours.append(self.look)

    def _see(self, change: Change) -> None:
        if self._found or change.verb == "delete":
            return
        self._found = [entry for entry in entries_written(change) if entry.kind == self.kind]
        if self.at_once:
            self.look()

    def look(self) -> None:
        """Its turn has come."""
        found = self._found
        for entry in found:
            self._remove(entry)
        self._found = []

    def _remove(self, entry: Entry) -> None:
        if self.memory.api.find(entry.plural, self.memory.namespace, entry.name) is None:
            return
        self.done += 1
        self.removed.add(entry)
        body: Object = {"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": f"kafka:{self.done}"}}}
        here = body
        for part in entry.path[:-1]:
            here = here.setdefault(part, {})
        here[entry.path[-1]] = None
        path = f"{_ROOTS.get(entry.plural, '/api/v1')}/namespaces/{self.memory.namespace}/{entry.plural}/{entry.name}"
        answer = self.memory.api.request(
            "PATCH", path, body=body, query={"fieldManager": ARGO_CD}, content_type="application/merge-patch+json"
        )
        assert answer.status == 200, answer.body


@dataclass
class WriterBack:
    """Writes an object back to what it was when this began: entries and annotations that it does not know go, and what is missing comes back."""

    api: MemoryApi
    plural: str
    namespace: str
    name: str
    #: It lets so many changes pass, this one included.
    every: int = 1
    #: The name of the manager that the API server records.
    manager: str = ARGO_CD
    #: How often it has written.
    done: int = 0
    #: How many changes it has seen.
    seen: int = 0
    known: Object | None = field(init=False)
    _writing: bool = field(default=False, init=False)
    _gone: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.known = self.api.find(self.plural, self.namespace, self.name)
        if self.known is not None:
            self.api.give(self.plural, self.namespace, self.name, self.manager)

    def watch(self) -> None:
        """From here on it sees each write to its object."""
        self.api.listeners.append(self._see)

    def leave(self) -> None:
        """From here on it does nothing."""
        self._gone = True

    def look(self) -> None:
        """Its turn has come."""
        if self._gone:
            return
        now = self.api.find(self.plural, self.namespace, self.name)
        if _content(now) == _content(self.known):
            return
        self.seen += 1
        if self.seen % self.every == 0:
            self._write(now)

    def _see(self, change: Change) -> None:
        if (change.plural, change.name) == (self.plural, self.name) and not self._writing:
            self.look()

    def _write(self, now: Object | None) -> None:
        self.done += 1
        self._writing = True
        path = f"{_ROOTS.get(self.plural, '/api/v1')}/namespaces/{self.namespace}/{self.plural}"
        query = {"fieldManager": self.manager}
        if self.known is None:
            response = self.api.request("DELETE", f"{path}/{self.name}")
        elif now is None:
            metadata = {
                part: self.known["metadata"][part]
                for part in ("name", "labels", "annotations")
                if part in self.known["metadata"]
            }
            body = {**self.known, "metadata": metadata}
            response = self.api.request("POST", path, body=body, query=query)
        else:
            metadata = {**now["metadata"], "annotations": dict(self.known["metadata"].get("annotations") or {})}
            del metadata["resourceVersion"]
            body = {
                **now,
                **{part: self.known[part] for part in ("data", "spec") if part in self.known},
                "metadata": metadata,
            }
            response = self.api.request("PUT", f"{path}/{self.name}", body=body, query=query)
        assert response.status < 300, response.body
        self._writing = False


class PutBack:
    """The operator puts back what it had read of leaf Secrets, once, as soon as a call waits for restarts; a reconcile that has restarted pods has read
    them again. done: whether it has.
    """

    def __init__(self, memory: MemoryCluster, *names: str) -> None:
        self._memory, self.done = memory, False
        self._read = {name: (memory.api.find("secrets", memory.namespace, name) or {})["data"] for name in names}
        memory.api.listeners.append(self._see)

    def _see(self, change: Change) -> None:
        asked = ((change.new or {}).get("metadata") or {}).get("annotations") or {}
        if asked.get("trustops.strimzi/reconcile-request", "").startswith("use-"):
            while self._read:
                name, data = self._read.popitem()
                self._memory.operator.api.patch("secrets", name, {"data": data})
                self.done = True
        elif change.plural == "pods" and self._memory.operator.is_reconciling:
            self._read.clear()


def _content(found: Object | None) -> Any:
    return found and (found.get("data"), found.get("spec"), found["metadata"].get("annotations") or {})
