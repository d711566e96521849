# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The fields written by a call and by earlier calls of this collection, and the other programs that write to the same
objects (docs/calls.md, "Other hands").

``metadata.managedFields`` names those programs; docs/other-writers.md says what to do about each of them.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeAlias

from ..._errors import fit_in_line
from ..._kube.client import KubeClient
from ..._kube.resources import (
    FIELD_MANAGER,
    PODS,
    SECRETS,
    Field,
    fields_of,
    fields_of_this_collection,
    in_list,
    is_of_this_collection,
    managers_of,
    owns,
    read_time,
)
from ..._trust.model.components import Component
from ..._trust.model.names import first_of, listed
from .. import names
from ..cluster.observe import Key, Observation
from ..ledger.layouts import is_entry_of_ledger
from ..names import KAFKA_USERS, KAFKAS, STRIMZI_POD_SETS
from ..secret_data import entries

Object: TypeAlias = Mapping[str, Any]

#: A person at a terminal writes once; so does a test in the place of a person. "before-first-apply" and "unknown" are
#: names from the API server.
_ONCE = ("kubectl", "oc", "k9s", "Mozilla", "before-first-apply", "unknown")
#: Programs of Kubernetes itself.
_OF_KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kubelet", "kube-scheduler")

#: The remedy for each common program, by a part of its manager's name.
_REMEDIES = (
    (
        "argocd",
        "have Argo CD ignore it: ignoreDifferences for this object in the Application, and syncOptions "
        "RespectIgnoreDifferences=true",
    ),
    (
        "external-secrets",
        "set spec.target.creationPolicy to Merge in the ExternalSecret and take this entry out of it, or set "
        "spec.refreshPolicy to CreatedOnce",
    ),
    (
        "kustomize-controller",
        "annotate the object with kustomize.toolkit.fluxcd.io/ssa: IfNotPresent in its source, or take it out of the "
        "Kustomization",
    ),
    ("helm", "take the object out of the chart, or its entry out of the template"),
    ("replicator", "exclude the object from replication, and replicate from it instead"),
    ("reflector", "exclude the object from reflection, and reflect from it instead"),
)
_ANY = "exclude the object from what that program writes, or the entry where it can exclude entries, then run again"


@dataclass(frozen=True)
class Writer:
    """A manager of fields of an object, as the API server notes it."""

    #: The name of the manager; empty if it has none.
    manager: str
    #: Apply or Update; empty if it is not noted.
    operation: str = ""
    #: The time of its last write in ISO 8601; empty if it is not noted.
    at: str = ""

    def __str__(self) -> str:
        details = ", ".join(filter(None, (self.operation, self.at)))
        name = self.manager or "a program without a name"
        return f"{name} ({details})" if details else name

    @property
    def is_operator(self) -> bool:
        return self.manager.startswith(names.OPERATOR_MANAGERS)

    @property
    def returns(self) -> bool:
        """Whether it is a program that may write again in any case, and none of the cluster."""
        mine = self.manager == FIELD_MANAGER or self.is_operator
        once = any(self.manager == name or self.manager.startswith(f"{name}-") for name in _ONCE)
        return not mine and not once and self.manager not in _OF_KUBERNETES

    @property
    def remedy(self) -> str:
        """The remedy, as a part of a sentence."""
        return next((remedy for part, remedy in _REMEDIES if part in self.manager), _ANY)


def remedy_for(writers: Iterable[Writer]) -> str:
    """A sentence, with each remedy once."""
    remedies = list(dict.fromkeys(writer.remedy for writer in writers)) or [_ANY]
    text = "; ".join(remedies)
    return f"{text[0].upper()}{text[1:]} (docs/other-writers.md)."


def owners_of(stored: Object | None, fields: Iterable[Field]) -> tuple[Writer, ...]:
    """The programs that the API server notes as owners of one of these fields, or of something in it. The last writer
    comes first; this collection is left out.
    """
    wanted = tuple(fields)
    return _name_writers(
        manager for manager in _other_managers(stored) if any(owns(manager, field) for field in wanted)
    )


def writers_of(stored: Object | None, fields: Iterable[Field] = ()) -> tuple[Writer, ...]:
    """The writers of these fields. If the API server names none, because the fields are gone, all programs that own
    anything of the object: first programs that may write again in any case. As ``owners_of``.
    """
    wanted = tuple(fields)
    if owners := owners_of(stored, wanted):
        return owners
    beside = owners_of(stored, tuple(field[:-1] for field in wanted if field))
    return tuple(
        sorted(_name_writers(_other_managers(stored)), key=lambda writer: (not writer.returns, writer not in beside))
    )


def _other_managers(stored: Object | None) -> Iterator[Object]:
    for manager in managers_of(stored):
        if manager.get("manager") != FIELD_MANAGER and not manager.get("subresource"):
            yield manager


def _name_writers(managers: Iterable[Object]) -> tuple[Writer, ...]:
    return tuple(map(_writer, sorted(managers, key=lambda manager: str(manager.get("time") or ""), reverse=True)))


def _writer(entry: Object) -> Writer:
    at, operation = read_time(entry.get("time")), str(entry.get("operation") or "")
    return Writer(str(entry.get("manager") or ""), operation, "" if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}")


#: The endings of entries of Secrets that flows and the operator write, besides the entries of ledgers: of CAs, leaves,
#: requests for leaves, and backups.
_ENDINGS = frozenset({"crt", "key", "p12", "jks", "password", "gz", "requested", "issued", "pending"})


def is_of_flows(field: Field) -> bool:
    """Whether flows and the operator write fields such as this. Policy engines complete objects with labels,
    annotations and entries of their own. Nothing here reads these: if a program has written nothing else, it is no
    other writer.
    """
    match field:
        case ("data", entry, *_):
            return entry.rpartition(".")[2] in _ENDINGS or is_entry_of_ledger(entry)
        case ("metadata", "labels" | "annotations", name, *_):
            return name.partition("/")[0] in (names.DOMAIN, names.OWN_DOMAIN)
    return field[:1] == ("spec",)


def fields_such_as_flows_write(stored: Object, places: Iterable[Field]) -> Iterator[Field]:
    """The fields in these parts of the object such as flows write."""
    fields = _Fields(stored)
    for place in places:
        value = fields.value_at(place)
        inside = [(*place, name) for name in value] if isinstance(value, Mapping) else [place]
        yield from filter(is_of_flows, inside)


def find_other_writers(stored: Object | None) -> tuple[Writer, ...]:
    """The programs beside this collection with any field such as flows write. As ``owners_of``."""
    return _name_writers(one for one in _other_managers(stored) if any(map(is_of_flows, fields_of(one))))


#: Annotations with a single request: it is no loss when they are gone. Annotations of pods need no place here: if a pod
#: restarts, it is gone with its annotations.
_REQUESTS = frozenset({names.RECONCILE_REQUEST})
#: How often the same may be gone until a call stops.
_TWICE = 2


@dataclass(frozen=True)
class FieldChange:
    """A field changed by another program."""

    #: The path of the field in its object; empty if the whole object was deleted, or created again.
    field: Field
    #: The value from this collection, as people may see it.
    before: str
    #: The value now, as people may see it.
    after: str

    def __str__(self) -> str:
        return f"{self.before}, now {self.after}"


@dataclass(frozen=True)
class Loss:
    """Fields of one object that this collection has written and another program has changed since."""

    #: The object.
    key: Key
    #: The changed fields with both states.
    changes: tuple[FieldChange, ...]
    #: The programs behind the changes, the last first.
    writers: tuple[Writer, ...]
    #: How often this has happened in this call.
    times: int
    #: UID of the object; empty if it is not known.
    uid: str = ""
    #: Whether the API server notes these programs as writers of the changed fields; else they have written other fields
    #: of the object.
    is_noted: bool = True

    @property
    def object(self) -> str:
        """Kind, namespace and name."""
        return f"{self.key[0]} {self.key[1]}/{self.key[2]}"

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(change.field for change in self.changes if change.field)

    @property
    def is_repeated(self) -> bool:
        return self.times >= _TWICE

    @property
    def by_operator(self) -> bool:
        """Whether the operator has written it: a reconcile under way puts back its earlier reading (docs/operator.md,
        "Re-issue").
        """
        return bool(self.writers) and self.writers[0].is_operator

    @property
    def writer(self) -> str:
        """The last writer, for people."""
        return str(self.writers[0]) if self.writers else "a program that the API server has not noted"

    @property
    def what(self) -> str:
        """The fields, for people."""
        labels: dict[str, list[str]] = {}
        for path in self.fields:
            labels.setdefault(_KINDS.get(path[:-1], "field"), []).append(_label(path))
        groups = [
            f"{kind if len(of_kind) == 1 else _MANY[kind]} {', '.join(of_kind)}" for kind, of_kind in labels.items()
        ]
        return " and ".join(groups) or "the object itself"

    def describe(self, again: str = "") -> str:
        """The fields, both states and the writer, as a sentence; ``again`` says how often it has happened."""
        first, more = first_of(self.changes, _MOST_CHANGES)
        named = [f"{_label(change.field)}: {change}" for change in first] if len(first) > 1 else [*map(str, first)]
        states = "; ".join([*named, *([f"and {more} more"] if more else [])])
        since = "has written it since" if self.is_noted or not self.writers else "writes to the object"
        return (
            f"{self.what[:1].upper()}{self.what[1:]}: not as this collection wrote it{again} ({states}); "
            f"{self.writer} {since}."
        )

    @property
    def remedy(self) -> str:
        return remedy_for(self.writers[:1])


#: How many changed fields a sentence describes.
_MOST_CHANGES = 5
_MANY = {"entry": "entries", "annotation": "annotations", "label": "labels", "field": "fields"}
_KINDS = {("data",): "entry", ("metadata", "annotations"): "annotation", ("metadata", "labels"): "label"}


def _label(field: Field) -> str:
    """The field in sentences with its kind."""
    return field[-1] if field[:-1] in _KINDS else ".".join(field) or "the object"


@dataclass(frozen=True)
class _Value:
    """The value of a field as a call remembers it."""

    #: SHA-256 of the value as JSON: keys of CAs are among the values. An absent field or object has the digest of None.
    digest: str
    #: The value as people may see it.
    shown: str
    #: Whether this call has written it; else an earlier call of this collection, by ``metadata.managedFields``.
    is_written: bool = True


@dataclass(repr=False)
class Written:
    """The fields that a call knows to be of this collection: its own written fields, and earlier calls' fields of the
    objects of flows. Each is compared wherever the call reads its object again.

    Looked at are the objects of an observation. StrimziPodSets and paused users are listed. If a Secret should be there
    and is not, it is read by its name.
    """

    #: The value of each field by object.
    _fields: dict[Key, dict[Field, _Value]] = field(default_factory=dict)
    #: UIDs of the known objects; empty if a write named none.
    _uids: dict[Key, str] = field(default_factory=dict)
    #: Resource versions of the objects with learned fields.
    _learned: dict[Key, str] = field(default_factory=dict)
    #: Secrets of observations.
    _listed: set[Key] = field(default_factory=set)
    #: Objects that the operator never deletes by itself.
    _lasting: set[Key] = field(default_factory=set)
    #: The losses found by a step that read an object itself.
    _found: list[Loss] = field(default_factory=list)
    #: How often a known object was changed by another program; for the operator, how often a field lost the same value.
    _times: Counter[tuple[Any, ...]] = field(default_factory=Counter)

    def note(self, key: Key, body: Mapping[str, Any] | None, uid: str = "") -> None:
        """Note a write of this body to the object with this UID. The body is None if the object was deleted."""
        self._lasting.add(key)
        self._learned.pop(key, None)
        if body is None:
            self._fields[key] = {(): _remember(key, (), None)}
            return
        values = self._fields.setdefault(key, {})
        values.pop((), None)
        values.update({path: _remember(key, path, value) for path, value in _written_fields(body)})
        self._uids[key] = uid
        if ((body.get("metadata") or {}).get("labels") or {}).get(names.KIND_LABEL) == KAFKAS.kind:
            self._listed.add(key)

    @property
    def objects(self) -> frozenset[Key]:
        """The objects written by this call."""
        return frozenset(
            key
            for key, values in self._fields.items()
            if not values or any(value.is_written for value in values.values())
        )

    def forget(self) -> None:
        """Forget the fields: from here on other runs may write to these objects."""
        self._fields = {key: {} for key in self.objects}
        self._learned.clear()
        self._found.clear()

    def compare(self, key: Key, now: Object | None) -> None:
        """Compare an object that a step reads by itself before it writes to it; None if the object is gone.
        ``take_losses`` returns the losses.
        """
        if self._fields.get(key) and (loss := self._find_loss(key, now)):
            self._found.append(loss)

    def is_lost(self, loss: Loss) -> bool:
        """Whether something of the loss has neither been written nor read again since."""
        values = self._fields.get(loss.key, {})
        if loss.key[0] == PODS.kind and loss.uid != self._uids.get(loss.key, ""):
            return False
        return any(field not in values for field in loss.fields) or (not loss.fields and not values)

    def take_losses(self, observation: Observation, client: KubeClient) -> tuple[Loss, ...]:
        """The losses since the last time, each once. Raises KubeError."""
        bundle = (SECRETS.kind, observation.scope.namespace, observation.scope.trust_bundle_secret)
        # The operator keeps the bundle in step with the CA Secrets.
        compared = [
            self._find_loss(key, now, is_of_operator=key == bundle)
            for key, now in self._present(observation, client).items()
        ]
        losses = (*self._found, *filter(None, compared))
        self._found = []
        self._learn(observation)
        return losses

    def _learn(self, observation: Observation) -> None:
        """Learn the fields of earlier calls in the Secrets and pods of flows. Flows on both CAs pause the Kafka
        resource.
        """
        stored = observation.by_key
        of_operator = {leaf.secret for leaf in observation.stored_leaves} | {observation.scope.trust_bundle_secret}
        for key, places in fields_that_flows_write(observation).items():
            if key[0] == KAFKAS.kind:
                continue
            now = stored[key]
            version = str(now["metadata"].get("resourceVersion"))
            if self._learned.get(key) == version:
                continue
            self._learned[key] = version
            values, fields = self._fields.setdefault(key, {}), _Fields(now)
            for path in _own_fields(now, places):
                if path not in values or not values[path].is_written:
                    values[path] = _remember(key, path, fields.value_at(path), is_written=False)
            if not values:
                del self._fields[key]
                continue
            self._uids[key] = str(now["metadata"].get("uid") or "")
            if key[0] == SECRETS.kind and key[2] not in of_operator:
                self._lasting.add(key)

    def _present(self, observation: Observation, client: KubeClient) -> dict[Key, Object | None]:
        """The present state of the known objects; None for a gone object."""
        stored = observation.by_key
        self._listed |= {key for key in self._fields if key in stored and key[0] == SECRETS.kind}
        present: dict[Key, Object | None] = {}
        for key in [key for key, values in self._fields.items() if values]:
            if key in stored or key[0] == PODS.kind:
                present[key] = stored.get(key)
            elif key in self._listed:
                present[key] = client.get_or_none(SECRETS, key[1], key[2])
        return present | self._pod_sets(observation, client) | self._paused_users(client)

    def _paused_users(self, client: KubeClient) -> dict[Key, Object | None]:
        """The users paused by this call, as far as they are there: their owner may delete them at any time."""
        paused = {
            key
            for key, values in self._fields.items()
            if key[0] == KAFKA_USERS.kind and any(value.digest != _ABSENT for value in values.values())
        }
        stored_users: dict[Key, Object | None] = {}
        for namespace in sorted({key[1] for key in paused}):
            users = client.each(KAFKA_USERS, namespace, lambda user: user, metadata_only=True)
            named = {(KAFKA_USERS.kind, namespace, str(user["metadata"]["name"])): user for user in users}
            stored_users |= {key: user for key, user in named.items() if key in paused}
        return stored_users

    def _pod_sets(self, observation: Observation, client: KubeClient) -> dict[Key, Object | None]:
        """The known StrimziPodSets."""
        keys = [key for key, fields in self._fields.items() if fields and key[0] == STRIMZI_POD_SETS.kind]
        if not keys:
            return {}
        by_name = {pod_set["metadata"]["name"]: pod_set for pod_set in observation.owners.read_pod_sets(client)}
        return {key: by_name.get(key[2]) for key in keys}

    def _find_loss(self, key: Key, now: Object | None, *, is_of_operator: bool = False) -> Loss | None:
        """The loss of the fields without the known value; None if nothing is lost. If the operator changes its own
        object, this is no loss.
        """
        lost = self._take_changed_fields(key, now)
        learned = writers_of(now, [path for path, value in lost.items() if not value.is_written])
        if learned and learned[0].is_operator:
            # By rules of its own it issues leaves of earlier calls again.
            lost = {path: value for path, value in lost.items() if value.is_written}
        if not lost:
            return None
        writers = writers_of(now, lost)
        if is_of_operator and writers and writers[0].is_operator:
            return None
        fields = _Fields(now)
        changes = tuple(_describe_change(key, path, value, fields) for path, value in lost.items())
        times, is_noted = self._count(key, lost, writers), bool(owners_of(now, lost))
        return Loss(key, changes, writers, times, self._uids.get(key, ""), is_noted)

    def _take_changed_fields(self, key: Key, now: Object | None) -> dict[Field, _Value]:
        """The fields without the known value. Fields that another call of this collection has written last are left
        out: each CA has a Lease of its own, and a person may bring certificates meanwhile. The changed fields are
        forgotten until they are written or learned again.
        """
        values = self._fields[key]
        is_other_process = key[0] == PODS.kind and (now is None or now["metadata"].get("uid") != self._uids.get(key))
        if is_other_process or (now is None and key not in self._lasting):
            # A process gets annotations of its own, and the operator deletes Secrets of nodes that are gone.
            del self._fields[key]
            self._uids.pop(key, None)
            return {}
        if now is None or () in values:
            there = _Value("", "there", any(value.is_written for value in values.values()))
            changed: dict[Field, _Value] = {} if now is None and () in values else {(): values.get((), there)}
        else:
            fields = _Fields(now)
            changed = {path: value for path, value in values.items() if _digest(fields.value_at(path)) != value.digest}
        self._fields[key] = {path: value for path, value in values.items() if path not in changed and () not in changed}
        return {path: value for path, value in changed.items() if not path or not is_of_this_collection(now, path)}

    def _count(self, key: Key, lost: Mapping[Field, _Value], writers: tuple[Writer, ...]) -> int:
        """How often it has happened. The operator may put back its earlier reading once before each write; others have
        no reason to.
        """
        is_operator = bool(writers) and writers[0].is_operator
        counted = [(key, path, value.digest) for path, value in lost.items()] if is_operator else [(key,)]
        self._times.update(counted)
        return max(self._times[field] for field in counted)


#: The parts of an object with fields of many writers.
_DATA, _ANNOTATIONS, _LABELS = ("data",), ("metadata", "annotations"), ("metadata", "labels")


def fields_that_flows_write(observation: Observation) -> dict[Key, tuple[Field, ...]]:
    """The fields of flows on the CA, by the objects of this observation."""
    scope = observation.scope
    issuing = {
        name(component.value) for component in Component for name in (scope.issuing_secret, scope.next_keys_secret)
    }
    secrets = {
        scope.ca_certificate_secret, scope.ca_key_secret, *scope.ledger_secrets, scope.trust_bundle_secret,
        scope.client_bundle_secret,
        *issuing, *(leaf.secret for leaf in observation.stored_leaves),
    }  # fmt: skip
    fields: dict[Key, tuple[Field, ...]] = {
        (SECRETS.kind, scope.namespace, name): (_DATA, _ANNOTATIONS)
        for name in sorted(secrets)
        if name in observation.secrets
    }
    fields |= {(PODS.kind, scope.namespace, name): (_ANNOTATIONS,) for name in observation.pods}
    if observation.kafka is not None:
        pauses = (names.PAUSE_RECONCILIATION, scope.paused_by)
        fields[KAFKAS.kind, scope.namespace, scope.cluster] = tuple((*_ANNOTATIONS, pause) for pause in pauses)
    return fields


#: The end of an entry for people's certificates: they may bring another.
_BROUGHT = ".issued"


def _own_fields(stored: Object, places: Iterable[Field]) -> Iterator[Field]:
    """The fields of this collection in these parts of the object, and its labels."""
    for place in (*places, _LABELS):
        for path in fields_of_this_collection(stored, place):
            if path[-1] not in _REQUESTS and not path[-1].endswith(_BROUGHT):
                yield path


def _written_fields(body: Mapping[str, Any]) -> Iterator[tuple[Field, Any]]:
    """The fields of a patch, or of a created object."""
    metadata = body.get("metadata") or {}
    for place, part in ((_ANNOTATIONS, metadata.get("annotations")), (_LABELS, metadata.get("labels"))):
        for name, value in (part or {}).items():
            if name not in _REQUESTS:
                yield (*place, name), value
    for name, value in (body.get("data") or {}).items():
        yield (*_DATA, name), value
    yield from _flatten(("spec",), body.get("spec") or {})


def _flatten(where: Field, value: Any) -> Iterator[tuple[Field, Any]]:
    """The fields of a value. In a list of pods, a call writes annotations alone: the rest stands there as it was."""
    if isinstance(value, list) and value and all(isinstance(item, Mapping) and "metadata" in item for item in value):
        for item in value:
            place = (*where, in_list(item["metadata"]["name"]), "metadata", "annotations")
            yield from _flatten(place, item["metadata"].get("annotations") or {})
        return
    if not isinstance(value, Mapping):
        yield where, value
        return
    for name, entry in value.items():
        yield from _flatten((*where, name), entry)


class _Fields:
    """The values of an object by their fields; all are None if there is no object. The objects of a list are found by
    name, all at once: a StrimziPodSet has a list of all pods.
    """

    def __init__(self, stored: Mapping[str, Any] | None) -> None:
        self._stored = stored
        #: The objects of each list by the part of a field that stands for them.
        self._in_list: dict[Field, Mapping[str, Any]] = {}

    def value_at(self, field: Field) -> Any:
        """The value of the field; None if the object does not have it."""
        value: Any = self._stored
        for depth, part in enumerate(field):
            if isinstance(value, list):
                value = self._find_in_list(field[:depth], value).get(part)
            else:
                value = value.get(part) if isinstance(value, Mapping) else None
        return value

    def _find_in_list(self, place: Field, items: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
        if place not in self._in_list:
            self._in_list[place] = {in_list(item["metadata"]["name"]): item for item in items}
        return self._in_list[place]


def _remember(key: Key, path: Field, value: Any, *, is_written: bool = True) -> _Value:
    return _Value(_digest(value), "removed" if value is None else _show(key, path, value), is_written)


def _digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


#: The digest of an absent field.
_ABSENT = _digest(None)


def _describe_change(key: Key, path: Field, before: _Value, now: _Fields) -> FieldChange:
    value = now.value_at(path)
    if not path:
        return FieldChange(path, before.shown, "gone" if value is None else "there again")
    after = "gone" if value is None else _show(key, path, value)
    return FieldChange(path, before.shown, _ANOTHER.get(after, f"another {after}") if after == before.shown else after)


_HIDDEN, _KEY = "content that is not shown", "a private key"
#: The words for a value that people see in the same form as the earlier value.
_ANOTHER = {_HIDDEN: "other content", _KEY: "another private key"}
_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")
_STATE = re.compile(rb"[A-Z_]{1,40}\s*")
#: How many characters of a value, and how many of a fingerprint, a sentence shows.
_SHOWN, _FINGERPRINT = 60, 12


def _show(key: Key, path: Field, value: Any) -> str:
    """The value for people: of an entry of a Secret the fingerprints of its certificates, or the state of a CA, and
    nothing else.
    """
    if isinstance(value, (Mapping, list)):
        return f"SHA-256 {_digest(value)[:_FINGERPRINT]}"
    if key[0] != SECRETS.kind or path[:-1] != _DATA:
        return fit_in_line(str(value), _SHOWN)
    content = entries({"data": {path[-1]: value}}).get(path[-1], b"")
    if b"PRIVATE KEY" in content:
        return _KEY
    if fingerprints := [_fingerprint(body) for body in _CERTIFICATE.findall(content)]:
        return f"{'certificate' if len(fingerprints) == 1 else 'certificates'} {listed(fingerprints)}"
    return content.decode("ascii").strip() if path[-1].endswith(".state") and _STATE.fullmatch(content) else _HIDDEN


def _fingerprint(body: bytes) -> str:
    """The start of the SHA-256 of a certificate, by which people know it; its body is the base64 of its DER form."""
    with suppress(binascii.Error):
        return sha256(base64.b64decode(body)).hexdigest()[:_FINGERPRINT]
    return "that cannot be read"
