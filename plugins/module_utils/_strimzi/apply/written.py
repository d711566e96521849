# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The fields that a call has written, and the other programs that write to the same objects
(docs/design.md, "Other hands").

``metadata.managedFields`` names those programs; docs/other-writers.md says what to do about each of them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeAlias

from ..._kube.client import KubeClient
from ..._kube.resources import (
    FIELD_MANAGER,
    PODS,
    SECRETS,
    Field,
    fields_of,
    in_list,
    is_of_this_collection,
    managers_of,
    owns,
    read_time,
)
from .. import names
from ..cluster.observe import Key, Observation
from ..ledger.layouts import is_entry_of_ledger
from ..names import KAFKAS, STRIMZI_POD_SETS

Object: TypeAlias = Mapping[str, Any]

#: Programs of Strimzi, which name themselves in the User-Agent (docs/operator.md, "Users").
_OF_STRIMZI = "strimzi-"
#: A person at a terminal writes once; so does a test that plays a person. "before-first-apply" and "unknown" are names
#: that the API server gives.
_ONCE = ("kubectl", "oc", "k9s", "Mozilla", "before-first-apply", "unknown")
#: Programs of Kubernetes itself.
_OF_KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kubelet", "kube-scheduler")

#: The remedy for each program that people have, by a part of its manager's name.
_REMEDIES = (
    (
        "argocd",
        "have Argo CD ignore it: ignoreDifferences for this object in the Application, and syncOptions RespectIgnoreDifferences=true",
    ),
    (
        "external-secrets",
        "set spec.target.creationPolicy to Merge in the ExternalSecret and take this entry out of it, or set spec.refreshPolicy to CreatedOnce",
    ),
    (
        "kustomize-controller",
        "annotate the object with kustomize.toolkit.fluxcd.io/ssa: IfNotPresent in its source, or take it out of the Kustomization",
    ),
    ("helm", "take the object out of the chart, or its entry out of the template"),
    ("replicator", "exclude the object from replication, and replicate from it instead"),
    ("reflector", "exclude the object from reflection, and reflect from it instead"),
)
_ANY = "exclude the object from what that program writes, or the entry where it can exclude entries, then run again"


@dataclass(frozen=True)
class Writer:
    """A manager of fields of an object, as the API server notes it."""

    #: The name of the manager; empty where it has none.
    manager: str
    #: Apply or Update; empty where it is not noted.
    operation: str = ""
    #: The time of its last write in ISO 8601; empty where it is not noted.
    at: str = ""

    def __str__(self) -> str:
        told = ", ".join(filter(None, (self.operation, self.at)))
        name = self.manager or "a program without a name"
        return f"{name} ({told})" if told else name

    @property
    def is_operator(self) -> bool:
        return self.manager.startswith(_OF_STRIMZI)

    @property
    def returns(self) -> bool:
        """Whether it is a program that may write again whatever it finds, and none that belongs to the cluster."""
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


def owners_of(found: Object | None, fields: Iterable[Field]) -> tuple[Writer, ...]:
    """The programs that the API server notes as owners of one of these fields, or of something in it. The last writer comes first; this
    collection is left out.
    """
    wanted = tuple(fields)
    return _name_writers(manager for manager in _other_managers(found) if any(owns(manager, field) for field in wanted))


def writers_of(found: Object | None, fields: Iterable[Field] = ()) -> tuple[Writer, ...]:
    """The programs that have written these fields. Where the API server names none, because the fields are gone, all
    programs that own anything of the object: first programs that may write again whatever they find. As ``owners_of``.
    """
    wanted = tuple(fields)
    if owners := owners_of(found, wanted):
        return owners
    beside = owners_of(found, tuple(field[:-1] for field in wanted if field))
    return tuple(
        sorted(_name_writers(_other_managers(found)), key=lambda writer: (not writer.returns, writer not in beside))
    )


def _other_managers(found: Object | None) -> Iterator[Object]:
    for manager in managers_of(found):
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
    annotations and entries of their own, which nothing here reads: a program that has written nothing else is no other
    writer.
    """
    match field:
        case ("data", entry, *_):
            return entry.rpartition(".")[2] in _ENDINGS or is_entry_of_ledger(entry)
        case ("metadata", "labels" | "annotations", name, *_):
            return name.partition("/")[0] in (names.DOMAIN, names.OWN_DOMAIN)
    return field[:1] == ("spec",)


def find_other_writers(found: Object | None) -> tuple[Writer, ...]:
    """The programs beside this collection that own any field such as flows write. As ``owners_of``."""
    return _name_writers(one for one in _other_managers(found) if any(map(is_of_flows, fields_of(one))))


#: Annotations that ask for something once: it is no loss when they are gone.
_REQUESTS = frozenset({names.RECONCILE_REQUEST, names.MANUAL_ROLLING_UPDATE})
#: How often the same may be gone until a call stops.
_TWICE = 2


@dataclass(frozen=True)
class Loss:
    """Fields of one object that this call has written and that another program has changed since."""

    #: Kind, namespace and name.
    object: str
    #: The fields; empty where the whole object was deleted, or created again.
    fields: tuple[Field, ...]
    #: The programs that have written them since, the last first.
    writers: tuple[Writer, ...]
    #: How often this has happened in this call.
    times: int

    @property
    def is_repeated(self) -> bool:
        return self.times >= _TWICE

    @property
    def by_operator(self) -> bool:
        """Whether the operator has written it: a reconcile that was under way puts back what it had read (docs/operator.md, "Re-issue")."""
        return bool(self.writers) and self.writers[0].is_operator

    @property
    def writer(self) -> str:
        """The last writer, for people."""
        return str(self.writers[0]) if self.writers else "a program that the API server has not noted"

    @property
    def what(self) -> str:
        """The fields, for people."""
        told: dict[str, list[str]] = {}
        for path in self.fields:
            told.setdefault(_KINDS.get(path[:-1], "field"), []).append(
                path[-1] if path[:-1] in _KINDS else ".".join(path)
            )
        groups = [f"{kind if len(found) == 1 else _MANY[kind]} {', '.join(found)}" for kind, found in told.items()]
        return " and ".join(groups) or "the object itself"

    @property
    def remedy(self) -> str:
        return remedy_for(self.writers[:1])


_MANY = {"entry": "entries", "annotation": "annotations", "field": "fields"}
_KINDS = {("data",): "entry", ("metadata", "annotations"): "annotation"}


@dataclass(repr=False)
class Written:
    """The fields that a call has written.

    Looked at are objects that an observation has; StrimziPodSets are listed, and Secrets that it should have and has not are read by their names.
    """

    #: SHA-256 of the value of each field as JSON, by object: keys of CAs are among the values. An absent field or object has the digest of None.
    _fields: dict[Key, dict[Field, str]] = field(default_factory=dict)
    #: UIDs of the written objects; empty where a write named none.
    _uids: dict[Key, str] = field(default_factory=dict)
    #: Secrets that observations have.
    _listed: set[Key] = field(default_factory=set)
    #: How often a written object was changed by another program; for the operator, how often a field lost the same value.
    _times: Counter[tuple[Any, ...]] = field(default_factory=Counter)

    def note(self, key: Key, body: Mapping[str, Any] | None, uid: str = "") -> None:
        """Note a write of this body to the object with this UID. The body is None where the object was deleted."""
        if body is None:
            self._fields[key] = {(): _digest(None)}
            return
        known = self._fields.setdefault(key, {})
        known.pop((), None)
        known.update({path: _digest(value) for path, value in _written_fields(body)})
        self._uids[key] = uid
        if ((body.get("metadata") or {}).get("labels") or {}).get(names.KIND_LABEL) == KAFKAS.kind:
            self._listed.add(key)

    @property
    def objects(self) -> frozenset[Key]:
        return frozenset(self._fields)

    def forget(self) -> None:
        """From here on other runs may write to these objects."""
        self._fields = {key: {} for key in self._fields}

    def take_losses(self, observation: Observation, client: KubeClient) -> tuple[Loss, ...]:
        """The losses since the last time, each once. Raises KubeError."""
        losses = []
        for key, now in self._present(observation, client).items():
            if gone := self._take_lost_fields(key, now):
                by = writers_of(now, gone)
                if key[2] == observation.scope.trust_bundle_secret and by and by[0].is_operator:
                    # It is the operator's, which keeps it in step with the CA Secrets.
                    continue
                times = self._count(key, gone, by)
                losses.append(Loss(f"{key[0]} {key[1]}/{key[2]}", tuple(filter(None, gone)), by, times))
        return tuple(losses)

    def _present(self, observation: Observation, client: KubeClient) -> dict[Key, Object | None]:
        """The present state of the recorded objects; None for an object that is gone."""
        found = observation.by_key
        self._listed |= {key for key in self._fields if key in found and key[0] == SECRETS.kind}
        present: dict[Key, Object | None] = {}
        for key in [key for key, known in self._fields.items() if known]:
            if key in found or key[0] == PODS.kind:
                present[key] = found.get(key)
            elif key in self._listed:
                present[key] = client.get_or_none(SECRETS, key[1], key[2])
        return present | self._pod_sets(observation, client)

    def _pod_sets(self, observation: Observation, client: KubeClient) -> dict[Key, Object | None]:
        """The known StrimziPodSets."""
        known = [key for key, fields in self._fields.items() if fields and key[0] == STRIMZI_POD_SETS.kind]
        if not known:
            return {}
        by_name = {pod_set["metadata"]["name"]: pod_set for pod_set in observation.owners.read_pod_sets(client)}
        return {key: by_name.get(key[2]) for key in known}

    def _take_lost_fields(self, key: Key, now: Object | None) -> dict[Field, str]:
        """The fields that no longer have the value that this call wrote, without the fields that another call of this collection wrote last: each CA has a
        Lease of its own, and a person may bring certificates meanwhile. The changed fields are forgotten until this call writes them again.
        """
        known = self._fields[key]
        if key[0] == PODS.kind and (now is None or now["metadata"].get("uid") != self._uids.get(key)):
            # Another process by now, which is made with annotations of its own.
            del self._fields[key]
            return {}
        if now is None or () in known:
            changed: dict[Field, str] = {} if now is None and () in known else {(): known.get((), "")}
        else:
            changed = {path: digest for path, digest in known.items() if _digest(_value_at(now, path)) != digest}
        self._fields[key] = {
            path: digest for path, digest in known.items() if path not in changed and () not in changed
        }
        return {path: digest for path, digest in changed.items() if not path or not is_of_this_collection(now, path)}

    def _count(self, key: Key, gone: Mapping[Field, str], writers: tuple[Writer, ...]) -> int:
        """How often it has happened. The operator may put back once what it had read before each write; others have no reason to."""
        is_operator = bool(writers) and writers[0].is_operator
        counted = [(key, path, digest) for path, digest in gone.items()] if is_operator else [(key,)]
        self._times.update(counted)
        return max(self._times[field] for field in counted)


def _written_fields(body: Mapping[str, Any]) -> Iterator[tuple[Field, Any]]:
    """The fields of a patch, or of an object that is created."""
    for name, value in ((body.get("metadata") or {}).get("annotations") or {}).items():
        if name not in _REQUESTS:
            yield ("metadata", "annotations", name), value
    for name, value in (body.get("data") or {}).items():
        yield ("data", name), value
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


def _value_at(found: Mapping[str, Any], where: Field) -> Any:
    value: Any = found
    for part in where:
        if isinstance(value, list):
            value = next((item for item in value if in_list(item["metadata"]["name"]) == part), None)
        else:
            value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
