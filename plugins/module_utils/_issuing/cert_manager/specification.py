# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The content of a Certificate of cert-manager: the wanted ``spec``, the differences of a stored ``spec``, and their
correction (docs/issuers/cert-manager.md, "What a Certificate says"; External Certificate Manager, "Issuing Cluster CA
end-entity certificates").

Policy engines, mutating webhooks and defaults of newer releases complete Certificates. If the collection sets a field,
it is compared by its meaning. Other fields are left to others, but for the few that change what cert-manager issues, or
the place of the key.

A correction is noted in an annotation. If the same field is different again, another program has written it back: a
second correction would be undone as well, and each may cost a certificate of the issuer. So it is made a day later, and
each call warns of the field and its writer meanwhile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ..._errors import fit_in_line
from ..._kube.resources import Field, is_of_this_collection, read_json, read_time
from ..._pki.keys import KeyAlgorithm, KeySpec
from ..._pki.names import hosts_and_addresses
from ..._strimzi.apply.written import Writer, owners_of, remedy_for
from ..._strimzi.names import CERTIFICATES, CORRECTED, KEPT_FOR, KIND_LABEL, ClusterNames
from ..._strimzi.secret_data import annotation
from ..issuer import LeafOrder
from .conditions import IssuerReference, Object
from .requests import usages

_ALGORITHMS = {KeyAlgorithm.RSA: "RSA", KeyAlgorithm.ECDSA: "ECDSA"}


def secret_name(certificate: str) -> str:
    """The Secret of cert-manager with key and certificate."""
    return f"{certificate}-cm"


@dataclass(frozen=True)
class Terms:
    """The common terms of all Certificates of a Kafka cluster."""

    #: The names of the cluster; the Certificates are in its namespace.
    scope: ClusterNames
    #: The issuer of all Certificates.
    issuer: IssuerReference
    #: The kind of cert-manager's keys.
    key: KeySpec
    #: The life of each leaf.
    validity: timedelta
    #: How long before its end cert-manager renews it.
    renew_before: timedelta


def manifest(order: LeafOrder, terms: Terms) -> dict[str, Any]:
    """The object for the leaf, and for its renewals."""
    return {
        "apiVersion": CERTIFICATES.api_version,
        "kind": CERTIFICATES.kind,
        "metadata": {"name": order.name, "labels": terms.scope.own_labels},
        "spec": wanted_spec(order, terms),
    }


def wanted_spec(order: LeafOrder, terms: Terms) -> dict[str, Any]:
    subject, names = order.subject.distinguished_name, order.subject.names
    hosts, addresses = hosts_and_addresses(names)
    spec = {
        "secretName": secret_name(order.name),
        "secretTemplate": {"labels": terms.scope.beside_labels, "annotations": own_mark(terms.scope)},
        "privateKey": {
            "algorithm": _ALGORITHMS[terms.key.algorithm],
            "size": terms.key.size,
            "encoding": "PKCS8",
            "rotationPolicy": "Always",
        },
        "duration": _duration(terms.validity),
        "renewBefore": _duration(terms.renew_before),
        "isCA": False,
        "usages": usages(order.subject.purposes),
        "subject": {"organizations": [subject.organization]} if subject.organization else [],
        "commonName": subject.common_name,
        "dnsNames": hosts,
        "ipAddresses": addresses,
        "issuerRef": terms.issuer.as_field,
    }
    return {name: value for name, value in spec.items() if value != []}


def own_mark(scope: ClusterNames) -> dict[str, str]:
    """The annotation of each Secret of a Certificate of this collection for this CA: other programs may use the same
    labels (External Certificate Manager, "Issuing Cluster CA end-entity certificates").
    """
    return {KEPT_FOR: scope.ca_key_secret}


def _duration(time: timedelta) -> str:
    seconds = int(time.total_seconds())
    return f"{seconds // 3600}h" if seconds % 3600 == 0 else f"{seconds}s"


#: Fields that have to be absent or empty if the collection does not set them: they put the key into more entries of the
#: Secret, put other names into the certificate, end its renewals, contradict ``renewBefore``, or make the Secret one of
#: an operator of Strimzi (CustomResourceDefinition of cert-manager 1.21).
_UNWANTED: tuple[Field, ...] = (
    ("additionalOutputFormats",), ("keystores",),
    ("literalSubject",), ("subject", "countries"), ("subject", "localities"), ("subject", "organizationalUnits"),
    ("subject", "organizations"), ("subject", "postalCodes"), ("subject", "provinces"), ("subject", "serialNumber"),
    ("subject", "streetAddresses"),
    ("dnsNames",), ("ipAddresses",), ("emailAddresses",), ("uris",), ("otherNames",), ("nameConstraints",),
    ("renewBeforePercentage",), ("renewal", "policy"),
    ("secretTemplate", "labels", KIND_LABEL),
)  # fmt: skip
#: Values that say the same as an absent field.
_HARMLESS: Mapping[Field, Any] = {("renewal", "policy"): "RenewBefore"}
#: A keystore may contain its password.
_HIDDEN = frozenset({("keystores",)})
#: Times as Go writes them: programs with a Certificate may write another text for the same time.
_TIMES = frozenset({("duration",), ("renewBefore",)})
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|us|µs|ns|m|s)")


@dataclass(frozen=True)
class Difference:
    """A field of a Certificate with another value than wanted."""

    #: The path of the field below ``spec``.
    field: Field
    #: Its value; None if it is absent.
    stored_value: Any
    #: The wanted value; None if it is to be absent.
    wanted: Any

    @property
    def name(self) -> str:
        return ".".join(self.field)

    @property
    def shown(self) -> Any:
        """The stored value, as far as people may see it."""
        return "hidden" if self.field in _HIDDEN and self.stored_value is not None else self.stored_value

    def __str__(self) -> str:
        return f"{self.name} is {_text(self.shown)} and is to be {_text(self.wanted)}"


def _text(value: Any) -> str:
    return "absent" if value is None else fit_in_line(value if isinstance(value, str) else json.dumps(value))


def find_differences(certificate: Object, wanted: Mapping[str, Any]) -> tuple[Difference, ...]:
    """The fields of ``spec`` with another value than wanted, in the order of their names. If this collection does not
    set a field and the field is harmless, it is none of them.
    """
    present = certificate.get("spec") or {}
    unwanted = (
        Difference(path, value, None)
        for path in _UNWANTED
        if _at(wanted, path) is None and (value := _at(present, path)) and value != _HARMLESS.get(path)
    )
    return tuple(sorted((*_compare((), present, wanted), *unwanted), key=lambda difference: difference.field))


def _compare(path: Field, present: Any, wanted: Any) -> Iterator[Difference]:
    if not isinstance(wanted, Mapping):
        if not _is_same(path, present, wanted):
            yield Difference(path, present, wanted)
        return
    for name, value in wanted.items():
        yield from _compare((*path, name), present.get(name) if isinstance(present, Mapping) else None, value)


def _is_same(path: Field, present: Any, wanted: Any) -> bool:
    """Whether both values mean the same. A false or empty value may be left out, the order of a list says nothing, and
    a time has several texts.
    """
    if not present and not wanted:
        return True
    if isinstance(present, list) and isinstance(wanted, list):
        return sorted(map(str, present)) == sorted(map(str, wanted))
    if path in _TIMES:
        return present == wanted or (_seconds(present) is not None and _seconds(present) == _seconds(wanted))
    return bool(present == wanted)


def _seconds(text: object) -> float | None:
    """The seconds of a time as Go writes it; None for any other value."""
    parts = _PART.findall(str(text))
    if not parts or "".join(map("".join, parts)) != text:
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _at(present: Any, path: Field) -> Any:
    for part in path:
        present = present.get(part) if isinstance(present, Mapping) else None
    return present


#: After so much time, a correction that was written back is made once more: its writer may be gone.
AGAIN_AFTER = timedelta(days=1)


@dataclass(frozen=True)
class Note:
    """The note of this collection about its corrections, as an annotation of a Certificate."""

    #: When the last correction was made.
    at: datetime
    #: The set values, by the names of their fields.
    fields: Mapping[str, Any]

    @classmethod
    def read(cls, certificate: Object, now: datetime) -> Note | None:
        """The note of a correction within a day; None if there is no readable note."""
        match read_json(annotation(certificate, CORRECTED) or ""):
            case {"at": at, "fields": dict() as fields}:
                time = read_time(at)
                return cls(time, fields) if time is not None and abs(now - time) < AGAIN_AFTER else None
        return None

    def has(self, difference: Difference) -> bool:
        """Whether the field was corrected to the wanted value."""
        return difference.name in self.fields and self.fields[difference.name] == difference.wanted

    @property
    def text(self) -> str:
        """The annotation."""
        return json.dumps({"at": self.at.strftime("%Y-%m-%dT%H:%M:%SZ"), "fields": self.fields}, sort_keys=True)


@dataclass(frozen=True)
class Review:
    """The differences of a Certificate at one moment."""

    #: The Certificate, as the API server has it.
    certificate: Object
    #: The differences to correct now.
    due: tuple[Difference, ...]
    #: The differences whose correction another program has written back within a day.
    written_back: tuple[Difference, ...]
    #: The note about corrections within a day; None if there were none.
    note: Note | None
    #: The time of the review.
    now: datetime

    @classmethod
    def of(cls, certificate: Object, wanted: Mapping[str, Any], now: datetime) -> Review:
        """The review of a Certificate whose ``spec`` is to be as ``wanted``."""
        differences, note = find_differences(certificate, wanted), Note.read(certificate, now)
        back = tuple(difference for difference in differences if note is not None and note.has(difference))
        due = tuple(difference for difference in differences if difference not in back)
        return cls(certificate, due, back, note, now)

    @property
    def patch(self) -> dict[str, Any]:
        """The merge patch that corrects the due differences, and notes them; empty if nothing is due."""
        if not self.due:
            return {}
        spec: dict[str, Any] = {}
        for difference in self.due:
            here = spec
            for part in difference.field[:-1]:
                here = here.setdefault(part, {})
            here[difference.field[-1]] = difference.wanted
        before = self.note.fields if self.note is not None else {}
        note = Note(self.now, {**before, **{difference.name: difference.wanted for difference in self.due}})
        return {"spec": spec, "metadata": {"annotations": {CORRECTED: note.text}}}

    @property
    def description_of_written_back(self) -> str:
        """Sentences about corrections that were written back: the fields, both values, the writers, and the remedy;
        empty if there are none.
        """
        if self.note is None or not self.written_back:
            return ""
        metadata = self.certificate["metadata"]
        sentences = " ".join(
            f"{difference}, and {self._writer(difference)} has written it." for difference in self.written_back
        )
        owners = [owner for difference in self.written_back for owner in self._owners(difference)[:1]]
        return (
            f"{CERTIFICATES.kind} {metadata.get('namespace')}/{metadata['name']}: What this collection has corrected "
            f"on {self.note.at:%Y-%m-%d %H:%M} UTC has not lasted: {sentences} Renewed leaves are used all the same "
            f"where they pass every check. {remedy_for(owners) if owners else _REMEDY}"
        )

    def _owners(self, difference: Difference) -> tuple[Writer, ...]:
        return owners_of(self.certificate, [("spec", *difference.field)])

    def _writer(self, difference: Difference) -> str:
        """The last writer of the field, for people."""
        if owners := self._owners(difference):
            return str(owners[0])
        if difference.stored_value is None:
            return "a program that has removed it and that the API server does not name"
        if is_of_this_collection(self.certificate, ("spec", *difference.field)):
            return "a mutating webhook, at the write of this collection itself,"
        return "a default of the CustomResourceDefinition"


_REMEDY = (
    "Exclude this Certificate from the mutating policies of the Kubernetes cluster (label "
    "app.kubernetes.io/managed-by=trustops.strimzi) (docs/other-writers.md)."
)
