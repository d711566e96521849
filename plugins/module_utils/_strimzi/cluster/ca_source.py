# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Reading the object with the CAs to trust: a Secret or a ConfigMap, such as a Bundle of trust-manager writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..._errors import CertificateError, Forbidden
from ..._kube.client import KubeClient
from ..._kube.resources import CONFIG_MAPS, SECRETS, managers_of, owns, read_time
from ..._pki.certificates import parse_certificates
from ..._trust.model.ledger import CaSource
from ..._trust.model.names import listed
from ..secret_data import entries

_KINDS = {resource.kind: resource for resource in (SECRETS, CONFIG_MAPS)}
#: Bytes; the certificates of a cluster take a few thousand, all CAs of the public a quarter of a million.
_LONGEST = 1 << 18


@dataclass(frozen=True)
class CaSourceReference:
    """The object with the CAs to trust."""

    #: "Secret" or "ConfigMap".
    kind: str
    #: The namespace of the object.
    namespace: str
    #: The name of the object.
    name: str
    #: The key of the entry with the certificates, in PEM form.
    key: str

    @property
    def label(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}, entry {self.key}"


def read_ca_source(client: KubeClient, reference: CaSourceReference) -> CaSource:
    """The CAs in the object, or why it cannot be used. Raises KubeError if the API server does not answer."""
    try:
        stored = client.get_or_none(_KINDS[reference.kind], reference.namespace, reference.name)
    except Forbidden as error:
        return CaSource(reference.label, problem=f"cannot be read: {error}", remedy=error.remedy)
    if stored is None:
        return _unusable(reference, "does not exist.", "Create it, or correct kind, namespace and name of ca_source.")
    content = _content(stored, reference)
    if content is None:
        existing = listed(sorted({*(stored.get("data") or {}), *(stored.get("binaryData") or {})})) or "none"
        return _unusable(reference, f"does not have this entry; it has: {existing}.", "Correct key of ca_source.")
    if b"PRIVATE KEY" in content:
        return _unusable(
            reference, "contains a private key, which trusting a CA does not need.",
            "Name an object with certificates alone; all readers of this object may have the key.",
        )  # fmt: skip
    if len(content) > _LONGEST:
        return _unusable(
            reference, f"contains {len(content)} bytes.", "Give a source with the CAs of this cluster's issuer alone."
        )
    try:
        certificates = tuple(dict.fromkeys(parse_certificates(content)))
    except CertificateError as error:
        return _unusable(reference, f"cannot be read: {error}.", "Put the certificates of the CAs there in PEM form.")
    others = [certificate.subject for certificate in certificates if not certificate.is_ca]
    if others:
        return _unusable(
            reference, f"contains entries that are not CA certificates ({listed(others)}).",
            "Leave only the certificates of CAs in it."
        )  # fmt: skip
    return CaSource(reference.label, certificates, changed_at=_changed_at(stored, reference.key))


def _unusable(reference: CaSourceReference, problem: str, remedy: str) -> CaSource:
    return CaSource(reference.label, problem=problem, remedy=remedy)


def _content(stored: Mapping[str, Any], reference: CaSourceReference) -> bytes | None:
    if reference.kind == SECRETS.kind:
        return entries(stored).get(reference.key)
    text = (stored.get("data") or {}).get(reference.key)
    return entries({"data": stored.get("binaryData")}).get(reference.key) if text is None else str(text).encode("utf-8")


def _changed_at(stored: Mapping[str, Any], key: str) -> datetime | None:
    """When the owner of the entry wrote the object last, as the API server notes it."""
    owners = [one for one in managers_of(stored) if owns(one, ("data", key)) or owns(one, ("binaryData", key))]
    return max(filter(None, (read_time(owner.get("time")) for owner in owners)), default=None)
