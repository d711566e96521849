# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Certificates of cert-manager that it keeps renewing although nothing needs them any more
(docs/issuers/cert-manager.md, "Left-over Certificates").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..._errors import NotFound, ResourceTypeMissing
from ..._kube.resources import SECRETS
from ..._pki.certificates import Certificate
from ..._strimzi.apply.work import Work, Write, WriteVerb, version, write_all
from ..._strimzi.cluster.observe import Observation
from ..._strimzi.cluster.subjects import every_leaf
from ..._strimzi.issuer_settings import CertManagerCertificates
from ..._strimzi.names import CERTIFICATES, selector_of
from ..issuer import IssuedCertificate
from .certificates import read_issued, secret_name
from .conditions import IssuerReference, Object
from .requests import by_name


@dataclass(frozen=True, repr=False)
class LeftOver:
    """why: as a part of a sentence. secret: the Secret that cert-manager keeps for it; None where there is none."""

    certificate: Object
    why: str
    secret: Object | None


def find_left_over(observation: Observation, work: Work) -> tuple[LeftOver, ...]:
    """The Certificates of this collection for this cluster that belong to no leaf, or to another issuer than the named
    issuer, where the leaf in use is not the certificate that they have. Raises KubeError.
    """
    scope = observation.scope
    try:
        found = work.client.list(CERTIFICATES, scope.namespace, label_selector=selector_of(scope.own_labels)).items
    except ResourceTypeMissing:
        return ()
    listed = work.client.list(SECRETS, scope.namespace, label_selector=selector_of(scope.beside_labels)).items
    secrets = by_name(listed)
    stored = {leaf.secret: leaf.chain[0] for leaf in observation.snapshot.every_leaf if leaf.chain}
    known = {leaf.secret for leaf in every_leaf(observation)}
    return tuple(_left_over(found, secrets, known, stored, work))


def _left_over(
    found: list[dict[str, Any]],
    secrets: Mapping[str, Object],
    known: set[str],
    stored: Mapping[str, Certificate],
    work: Work,
) -> Iterator[LeftOver]:
    for one in found:
        name = str(one["metadata"]["name"])
        secret = secrets.get(secret_name(name))
        if name not in known:
            yield LeftOver(one, "this cluster has no such leaf", secret)
        elif not _is_of_issuer(one, work) and not _is_in_use(secret, name, stored.get(name), work):
            yield LeftOver(one, "another issuer issues this leaf", secret)


def _is_of_issuer(certificate: Object, work: Work) -> bool:
    """Whether the issuer that the caller names goes on with it; ``reconcile`` corrects what else is different."""
    settings = work.settings.issuer
    if not isinstance(settings, CertManagerCertificates):
        return False
    return IssuerReference(settings.issuer, work.scope.namespace).is_of(certificate)


def _is_in_use(secret: Object | None, name: str, stored: Certificate | None, work: Work) -> bool:
    held = read_issued(secret, secret_name(name), work.scope.namespace)
    return isinstance(held, IssuedCertificate) and held.leaf == stored


def remove(left: tuple[LeftOver, ...], work: Work) -> None:
    """Removes each Certificate, and its Secret after it: the other way round cert-manager would make the Secret again. Raises KubeError."""
    for one in left:
        name = str(one.certificate["metadata"]["name"])
        what = f"left over: {one.why}"
        write_all((Write(WriteVerb.DELETE, CERTIFICATES, name, what, None, version(one.certificate)),), work, "")
        if one.secret is not None:
            # A setting of cert-manager may have removed it with the Certificate.
            with suppress(NotFound):
                write_all(
                    (Write(WriteVerb.DELETE, SECRETS, secret_name(name), what, None, version(one.secret)),), work, ""
                )
