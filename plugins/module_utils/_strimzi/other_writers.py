# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Other programs that write to the same objects (docs/other-writers.md): their names by ``metadata.managedFields``, and what is to be done
about each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from .._kube.client import FIELD_MANAGER
from .._kube.times import read_time

Object: TypeAlias = Mapping[str, Any]
#: Where a field is in its object: ("data", "ca.crt"), ("metadata", "annotations", "strimzi.io/ca-cert-generation").
Field: TypeAlias = tuple[str, ...]

#: Programs of Strimzi, which name themselves in the User-Agent (docs/operator.md, "Users").
_OF_STRIMZI = "strimzi-"
#: A person at a terminal writes once; so does a test of one. "before-first-apply" and "unknown" are names that the API server gives.
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
    """A manager of fields of an object; empty where it has no name. operation: Apply or Update. at: the time of its last write in ISO 8601;
    empty where it is not noted.
    """

    manager: str
    operation: str = ""
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
    return _sorted(one for one in _managers(found) if any(_has(one, field) for field in wanted))


def writers_of(found: Object | None, fields: Iterable[Field] = ()) -> tuple[Writer, ...]:
    """The programs that have written these fields. Where the API server names none, because the fields are gone, all that own anything of the
    object: first those that may write again whatever they find. As ``owners_of``.
    """
    wanted = tuple(fields)
    if owners := owners_of(found, wanted):
        return owners
    beside = owners_of(found, tuple(field[:-1] for field in wanted if field))
    return tuple(sorted(_sorted(_managers(found)), key=lambda one: (not one.returns, one not in beside)))


def _managers(found: Object | None) -> Iterator[Object]:
    for one in ((found or {}).get("metadata") or {}).get("managedFields") or ():
        if one.get("manager") != FIELD_MANAGER and not one.get("subresource"):
            yield one


def _sorted(managers: Iterable[Object]) -> tuple[Writer, ...]:
    return tuple(map(_writer, sorted(managers, key=lambda one: str(one.get("time") or ""), reverse=True)))


def _writer(entry: Object) -> Writer:
    at, operation = read_time(entry.get("time")), str(entry.get("operation") or "")
    return Writer(str(entry.get("manager") or ""), operation, "" if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}")


def _has(entry: Object, field: Field) -> bool:
    fields: Any = entry.get("fieldsV1") or {}
    for part in field:
        fields = fields.get(f"f:{part}") if isinstance(fields, Mapping) else None
        if fields is None:
            return False
    return True
