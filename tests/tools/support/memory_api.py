"""An in-memory Kubernetes API server for tests: optimistic concurrency, patches, selectors, watches, Status bodies.

It knows no kinds: any group, version and resource works. Nothing in it depends on the code under test.
"""

from __future__ import annotations

import marshal
import re
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from email.utils import format_datetime
from functools import lru_cache
from typing import Any

Object = dict[str, Any]
Key = tuple[str, str, str]  # plural, namespace, name
Listener = Callable[["Change"], None]
#: A mutating webhook, or a default of a newer CustomResourceDefinition: changes an object before it is stored. It gets
#: the plural, the field manager of the client, the object as it was, None where it is created, and the object as it is
#: to be.
Mutator = Callable[[str, str, Object | None, Object], None]

_PATH = re.compile(
    r"^/(?:api|apis/(?P<group>[^/]+))/(?P<version>[^/]+)/namespaces/(?P<ns>[^/]+)/(?P<plural>[^/]+)"
    r"(?:/(?P<name>[^/]+))?(?:/(?P<sub>[^/]+))?$"
)
#: The field manager of a client that names none.
A_PERSON = "kubectl-edit"
#: Kinds of which it is noted who owns which field.
_MANAGED = (
    "secrets", "kafkas", "kafkanodepools", "kafkausers", "pods", "strimzipodsets", "certificates", "configmaps", "leases",
)  # fmt: skip
#: Kinds of Kubernetes itself: in a list their objects come without ``kind`` and ``apiVersion``, which those of custom resources keep.
_BUILT_IN = ("secrets", "pods", "configmaps", "services", "events", "leases", "deployments")
#: Lists of all namespaces at once.
_EVERYWHERE = re.compile(r"^/apis/(?P<group>kafka[.]strimzi[.]io)/v1/(?P<plural>kafkas|kafkausers)$")
#: Not stored: a question whether the client may do something. Here every client may do everything.
ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_KINDS = {
    "secrets": "Secret", "pods": "Pod", "kafkas": "Kafka", "strimzipodsets": "StrimziPodSet", "leases": "Lease",
    "kafkanodepools": "KafkaNodePool", "deployments": "Deployment", "services": "Service", "events": "Event",
}  # fmt: skip


@lru_cache(maxsize=10_000)
def parts_of(path: str) -> tuple[str, str, str]:
    """Group, resource and name of what the path leads to; empty for the core group, and for all objects. The resource as a Role has it:
    ``certificates``, ``certificates/status``.
    """
    if everywhere := _EVERYWHERE.match(path):
        return everywhere["group"], everywhere["plural"], ""
    match = _PATH.match(path)
    assert match, path
    resource = "/".join(filter(None, (match["plural"], match["sub"])))
    return match["group"] or "", resource, match["name"] or ""


@dataclass(frozen=True)
class Response:
    status: int
    body: Object
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """A write that was done."""

    verb: str
    plural: str
    namespace: str
    name: str
    old: Object | None
    new: Object | None
    #: The field manager of the client that has written.
    manager: str = ""


class _Refused(Exception):
    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


def _status(code: int, reason: str, message: str, plural: str = "", name: str = "") -> Response:
    details = {"name": name, "kind": plural}
    body = {
        "kind": "Status",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
        "details": details,
    }
    return Response(code, body)


class MemoryApi:
    """Objects by (plural, namespace, name). Thread-safe. ``listeners`` are called after every write."""

    def __init__(self) -> None:
        self._objects: dict[Key, Object] = {}
        #: The same, ready to be copied.
        self._packed: dict[Key, bytes] = {}
        #: Sorted keys by plural and namespace, until an object comes or goes.
        self._sorted: dict[tuple[str, str | None], list[Key]] = {}
        self._events: list[tuple[int, str, Key, Object]] = []
        self._version = 1000
        self._lock = threading.RLock()
        self.listeners: list[Listener] = []
        self.mutators: list[Mutator] = []
        self.writes: list[Change] = []
        self.requests: list[tuple[str, str]] = []
        self.idle: Callable[[], None] = lambda: None
        self.graceful_pods = False
        self.clock: Callable[[], str] = lambda: "2026-01-01T00:00:00Z"
        #: The time that answers tell.
        self.date: Callable[[], datetime] = lambda: datetime.now(timezone.utc).replace(microsecond=0)
        self._manager = A_PERSON
        #: The group and version of the API that the request names.
        self._api_version = "v1"
        #: By kind, the paths of fields that only v1beta2 of Strimzi's API knows; None where that version is not served.
        #: An object is read through v1 without them, and stored without them when it is written through v1
        #: (docs/operator.md, "The API before v1").
        self.only_older: Mapping[str, tuple[tuple[str, ...], ...]] | None = None

    # The HTTP face -------------------------------------------------------------------------------------------------

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        timeout: float | None = None,
    ) -> Response:
        answer = self._answer(method, path, query, body, content_type)
        return Response(answer.status, answer.body, {**answer.headers, "Date": _http_date(self.date())})

    def _answer(
        self, method: str, path: str, query: Mapping[str, str] | None, body: Any, content_type: str
    ) -> Response:
        with self._lock:
            self.requests.append((method, path))
            if (method, path) == ("POST", ACCESS_REVIEWS):
                return Response(201, {**_copied(body), "status": {"allowed": True}})
            if method == "GET" and (everywhere := _EVERYWHERE.match(path)):
                return self._get(everywhere["plural"], None, None, query or {})
            match = _PATH.match(path)
            if not match:
                return _status(404, "NotFound", "the server could not find the requested resource")
            plural, namespace, name = match["plural"], match["ns"], match["name"]
            self._api_version = "/".join(filter(None, (match["group"], match["version"])))
            if self._api_version.endswith("strimzi.io/v1beta2") and self.only_older is None:
                return Response(404, {"message": "404 page not found"})
            try:
                if method == "GET":
                    found = self._get(plural, namespace, name, query or {})
                    return _without_content(found) if "PartialObjectMetadataList" in content_type else found
                self._manager = (query or {}).get("fieldManager", A_PERSON)
                if method == "POST":
                    return self._create(plural, namespace, _copied(body))
                if method == "DELETE":
                    return self._delete(plural, namespace, name, body or {})
                return self._update(method, plural, namespace, name, match["sub"], _copied(body), content_type)
            except _Refused as refused:
                return refused.response

    def stream(
        self, path: str, *, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> Iterator[Object]:
        """The events since resourceVersion; then ``idle`` is called once, so that the cluster can move on."""
        query = query or {}
        match = _PATH.match(path)
        assert match
        since = int(query.get("resourceVersion") or 0)
        self.idle()
        with self._lock:
            found = [event for event in self._events if event[0] > since]
        for _version, kind, key, item in found:
            if key[:2] == (match["plural"], match["ns"]) and _selected(item, query):
                yield {"type": kind, "object": _copied(item)}

    # Verbs ---------------------------------------------------------------------------------------------------------

    def _get(self, plural: str, namespace: str | None, name: str | None, query: Mapping[str, str]) -> Response:
        if name and namespace:
            self._existing(plural, namespace, name)
            return Response(200, self._shown((plural, namespace, name)))
        keys = [key for key in self._keys(plural, namespace) if _selected(self._objects[key], query)]
        begin = int(query.get("continue") or 0)
        end = begin + int(query.get("limit") or len(keys))
        more = {"continue": str(end)} if end < len(keys) else {}
        metadata = {"resourceVersion": str(self._version), **more}
        items = [self._shown(key) for key in keys[begin:end]]
        if plural in _BUILT_IN:
            for item in items:
                item.pop("kind", None)
                item.pop("apiVersion", None)
        return Response(200, {"items": items, "metadata": metadata})

    def _create(self, plural: str, namespace: str, body: Object) -> Response:
        metadata = body.setdefault("metadata", {})
        if "name" not in metadata:
            metadata["name"] = f"{metadata['generateName']}{uuid.uuid4().hex[:5]}"
        key = (plural, namespace, metadata["name"])
        if key in self._objects:
            raise _Refused(_status(409, "AlreadyExists", f'{plural} "{key[2]}" already exists', plural, key[2]))
        metadata.update(namespace=namespace, uid=str(uuid.uuid4()), generation=1, creationTimestamp=self.clock())
        body.setdefault("kind", _KINDS.get(plural, ""))
        self._mutate(plural, None, body)
        self._store("create", key, None, body)
        return Response(201, _copied(body))

    def _update(
        self, method: str, plural: str, namespace: str, name: str, sub: str | None, body: Any, content_type: str
    ) -> Response:
        key = (plural, namespace, name)
        old = self._existing(*key)
        if method == "PATCH" and "merge-patch" in content_type:
            self._check_version(key, old, body.get("metadata") or {})
            new = merge(self._shown(key), body)
        elif method == "PUT":
            self._check_version(key, old, body.get("metadata") or {})
            new = body
        else:
            raise _Refused(_status(415, "UnsupportedMediaType", content_type, plural, name))
        if sub == "status":
            new = {**self._shown(key), "status": new.get("status")}
        elif plural in ("kafkas", "strimzipodsets", "kafkanodepools") and "status" in old:
            new["status"] = _copied(old["status"])
        for fixed in ("uid", "creationTimestamp", "namespace", "generation", "deletionTimestamp", "managedFields"):
            if fixed in old["metadata"]:
                new["metadata"][fixed] = old["metadata"][fixed]
        new["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"]
        if sub is None:
            self._mutate(plural, old, new)
        if new == old:
            return Response(200, _copied(old))
        if new.get("spec") != self._shown(key).get("spec"):
            new["metadata"]["generation"] = old["metadata"].get("generation", 1) + 1
        self._store("update", key, old, new)
        return Response(200, _copied(new))

    def _mutate(self, plural: str, old: Object | None, new: Object) -> None:
        """A change by a mutating webhook counts as written by the client (Kubernetes, "Server-Side Apply")."""
        for mutate in self.mutators:
            mutate(plural, self._manager, old, new)

    def _delete(self, plural: str, namespace: str, name: str, options: Mapping[str, Any]) -> Response:
        key = (plural, namespace, name)
        old = self._existing(*key)
        wanted = options.get("preconditions") or {}
        for part in ("uid", "resourceVersion"):
            if wanted.get(part) and wanted[part] != old["metadata"][part]:
                message = f"Precondition failed: {part} in precondition: {wanted[part]}, in object: other"
                raise _Refused(_status(409, "Conflict", message, plural, name))
        if plural == "pods" and self.graceful_pods:
            if "deletionTimestamp" not in old["metadata"]:
                new = _copied(old)
                new["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
                self._store("update", key, old, new)
            return Response(200, _copied(self._objects[key]))
        self._remove(key)
        return Response(200, {"kind": "Status", "status": "Success"})

    # Storage -------------------------------------------------------------------------------------------------------

    def _keys(self, plural: str, namespace: str | None) -> list[Key]:
        """Of one namespace, or of all."""
        place = plural, namespace
        if place not in self._sorted:
            self._sorted[place] = sorted(
                key for key in self._objects if key[0] == plural and namespace in (None, key[1])
            )
        return self._sorted[place]

    def _copy(self, key: Key) -> Object:
        copy: Object = marshal.loads(self._packed[key])
        return copy

    def _shown(self, key: Key) -> Object:
        """The object as the version of the API shows it that the request names."""
        copy = self._copy(key)
        if self.only_older is not None and "strimzi.io/" in self._api_version:
            copy["apiVersion"] = self._api_version
        cut = (self.only_older or {}).get(key[0], ()) if self._api_version.endswith("strimzi.io/v1") else ()
        for *above, last in cut:
            here: Any = copy
            for part in above:
                here = here.get(part) or {}
            here.pop(last, None)
        return copy

    def _existing(self, plural: str, namespace: str, name: str) -> Object:
        try:
            return self._objects[(plural, namespace, name)]
        except KeyError:
            raise _Refused(_status(404, "NotFound", f'{plural} "{name}" not found', plural, name)) from None

    def _check_version(self, key: Key, old: Object, metadata: Mapping[str, Any]) -> None:
        version = metadata.get("resourceVersion")
        if version is not None and version != old["metadata"]["resourceVersion"]:
            message = f'Operation cannot be fulfilled on {key[0]} "{key[2]}": the object has been modified'
            raise _Refused(_status(409, "Conflict", message, key[0], key[2]))

    def _store(self, verb: str, key: Key, old: Object | None, new: Object) -> None:
        self._version += 1
        new["metadata"]["resourceVersion"] = str(self._version)
        if key[0] in _MANAGED:
            _note_manager(old, new, (self._manager, self._api_version), self.clock())
        before, after = self._packed.get(key), marshal.dumps(new)
        self._objects[key], self._packed[key] = new, after
        if before is None:
            self._sorted.clear()
        self._events.append((self._version, "MODIFIED" if before else "ADDED", key, new))
        self._tell(verb, key, before, after)

    def _remove(self, key: Key) -> None:
        before = self._packed.pop(key)
        del self._objects[key]
        self._sorted.clear()
        self._version += 1
        gone = marshal.loads(before)
        gone["metadata"]["resourceVersion"] = str(self._version)
        self._events.append((self._version, "DELETED", key, gone))
        self._tell("delete", key, before, None)

    def _tell(self, verb: str, key: Key, before: bytes | None, after: bytes | None) -> None:
        """before, after: the object, packed; None where there is none."""
        old, new = (marshal.loads(packed) if packed else None for packed in (before, after))
        change = Change(verb, *key, old, new, self._manager)
        self.writes.append(change)
        for listener in list(self.listeners):
            listener(change)

    # For tests -----------------------------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """It grows with every write."""
        return self._version

    def find(self, plural: str, namespace: str, name: str) -> Object | None:
        with self._lock:
            key = (plural, namespace, name)
            return self._copy(key) if key in self._objects else None

    def stored(self, plural: str, namespace: str, name: str) -> Object | None:
        """The object itself, without a copy. The checker and the kubelet look at it after each write and change nothing of it."""
        return self._objects.get((plural, namespace, name))

    def all_stored(self, plural: str, namespace: str) -> list[Object]:
        """The objects themselves, sorted by name."""
        return [self._objects[key] for key in self._keys(plural, namespace)]

    def all(self, plural: str, namespace: str) -> list[Object]:
        with self._lock:
            return [self._copy(key) for key in self._keys(plural, namespace)]

    def give(self, plural: str, namespace: str, name: str, manager: str) -> None:
        """From here on this manager owns every field of the object, as if it had made it."""
        with self._lock:
            key = (plural, namespace, name)
            now = self._copy(key)
            del now["metadata"]["managedFields"]
            _note_manager(None, now, (manager, now.get("apiVersion", "v1")), self.clock())
            self._objects[key], self._packed[key] = now, marshal.dumps(now)

    def finish_delete(self, plural: str, namespace: str, name: str) -> None:
        """End the graceful deletion of a pod."""
        with self._lock:
            self._remove((plural, namespace, name))

    def snapshot(self) -> tuple[dict[Key, Object], int]:
        """The whole state, to be restored later. What is stored is never changed, only replaced."""
        with self._lock:
            return dict(self._objects), self._version

    def but_events(self) -> dict[Key, Object]:
        """All that is stored, but for events, which a call writes that does nothing else."""
        return {key: stored for key, stored in self.snapshot()[0].items() if key[0] != "events"}

    def restore(self, state: tuple[dict[Key, Object], int]) -> None:
        with self._lock:
            self._objects, self._version = dict(state[0]), state[1]
            self._packed = {key: marshal.dumps(stored) for key, stored in self._objects.items()}
            self._sorted.clear()
            self._events.clear()


@lru_cache(maxsize=1000)
def _http_date(now: datetime) -> str:
    """As the field ``Date`` of an answer has it. Hundreds of answers come in the same second of a cluster's time."""
    return format_datetime(now, usegmt=True)


def _without_content(found: Response) -> Response:
    items = [{"metadata": item["metadata"]} for item in found.body["items"]]
    return replace(found, body={**found.body, "items": items})


def _copied(value: Any) -> Any:
    """A deep copy of what is only JSON; ``copy.deepcopy`` would take most of the time of the tests of whole flows."""
    return marshal.loads(marshal.dumps(value))


def merge(target: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    if not isinstance(target, dict):
        target = {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merge(target.get(key), value)
    return target


def _note_manager(old: Object | None, new: Object, writer: tuple[str, str], now: str) -> None:
    """``metadata.managedFields``: a writer, with the version of the API that it uses, owns what it has changed. Its time
    is that of its last change, and removing is none (structured-merge-diff, Updater.Update).
    """
    before, after = values_by_path(old or {}), values_by_path(new)
    taken = {path for path, value in after.items() if path not in before or before[path] != value}
    entries = []
    known = (old or {"metadata": {}})["metadata"].get("managedFields", ())
    manager, api_version = writer
    is_known = any((entry["manager"], entry["apiVersion"]) == writer for entry in known)
    for entry in (*known, *([] if is_known else [{"manager": manager, "apiVersion": api_version}])):
        owned = {path for path in _paths(entry.get("fieldsV1", {})) if path in after}
        owned, at = (
            (owned | taken, now if taken else entry.get("time", now))
            if (entry["manager"], entry["apiVersion"]) == writer
            else (owned - taken, entry["time"])
        )
        if owned:
            fields = _as_fields(owned)
            entries.append(
                {
                    "manager": entry["manager"],
                    "apiVersion": entry["apiVersion"],
                    "operation": "Update",
                    "time": at,
                    "fieldsType": "FieldsV1",
                    "fieldsV1": fields,
                }
            )
    new["metadata"]["managedFields"] = entries


def values_by_path(found: Object) -> dict[tuple[str, ...], Any]:
    """The values of fields that tests look at, by their paths."""
    metadata = found.get("metadata", {})
    values = {("data", name): value for name, value in (found.get("data") or {}).items()}
    for part in ("annotations", "labels"):
        values |= {("metadata", part, name): value for name, value in (metadata.get(part) or {}).items()}
    if found.get("spec") == {}:
        return {**values, ("spec",): {}}
    return values | dict(_leaves(("spec",), found.get("spec") or {}))


def _leaves(above: tuple[str, ...], value: Object) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values below a field; a list is one value."""
    for name, below in value.items():
        if isinstance(below, dict) and below:
            yield from _leaves((*above, name), below)
        else:
            yield (*above, name), below


def _as_fields(paths: set[tuple[str, ...]]) -> Object:
    fields: Object = {}
    for path in sorted(paths):
        here = fields
        for part in path:
            here = here.setdefault(f"f:{part}", {})
    return fields


def _paths(fields: Object, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, below in fields.items():
        path = (*above, name.removeprefix("f:"))
        if below:
            yield from _paths(below, path)
        else:
            yield path


def _selected(item: Mapping[str, Any], query: Mapping[str, str]) -> bool:
    labels = item["metadata"].get("labels") or {}
    name = query.get("fieldSelector", "")
    if name and item["metadata"]["name"] != name.removeprefix("metadata.name="):
        return False
    asked = _asked(query.get("labelSelector", ""))
    return all(labels.get(key) in values if values else key in labels for key, values in asked)


@lru_cache(maxsize=1000)
def _asked(selector: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Labels, each with the values that it may have; without any where it has only to be there."""
    return tuple(_requirement(part.strip()) for part in re.split(r",(?![^()]*\))", selector) if part.strip())


def _requirement(part: str) -> tuple[str, frozenset[str]]:
    inside = re.match(r"^(\S+) in \(([^)]*)\)$", part)
    if inside:
        return inside[1], frozenset(value.strip() for value in inside[2].split(","))
    key, found, value = part.partition("=")
    return key, frozenset([value.removeprefix("=")] if found else [])
