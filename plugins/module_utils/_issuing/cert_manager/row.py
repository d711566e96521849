# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""cert-manager among the kinds of issuers: its options, and its issuer (docs/issuers/cert-manager.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ..._errors import OptionsError
from ..._strimzi.issuer_settings import CertManagerCertificates, CertManagerIssuer
from ..kind import NAME, IssuerKind, is_given

if TYPE_CHECKING:
    from ..._strimzi.apply.work import Work
    from ..issuer import Issuer
    from ..pending.requests import StoredRequest

#: A hundred years: dates have an end, and a number with a digit too many is not meant.
_MOST_DAYS = 36500
#: The options of Certificates; a CertificateRequest has no use for them.
_OF_CERTIFICATES: Mapping[str, Mapping[str, Any]] = {
    "validity_days": {"type": "int", "default": CertManagerCertificates.validity.days},
    "renew_before_days": {"type": "int", "default": CertManagerCertificates.renew_before.days},
}


def _read(options: Mapping[str, Any]) -> CertManagerIssuer | CertManagerCertificates:
    named = CertManagerIssuer(
        options["name"], options["kind"] or CertManagerIssuer.kind, options["group"] or CertManagerIssuer.group
    )
    if options["resource"] == "Certificate":
        return _read_certificates(named, options["validity_days"], options["renew_before_days"])
    for name in _OF_CERTIFICATES:
        if is_given(options, name, _OF_CERTIFICATES):
            raise OptionsError(
                "issuer:", f"{name} counts with resource=Certificate of cert_manager only",
                f"Give this type and resource, or leave {name} out."
            )  # fmt: skip
    return named


def _read_certificates(named: CertManagerIssuer, validity: int, renew_before: int) -> CertManagerCertificates:
    """Both times are days."""
    if not 0 < renew_before < validity:
        raise OptionsError(
            "issuer:",
            f"renew_before_days is {renew_before} and validity_days is {validity}",
            "Give renew_before_days of at least 1, and less than validity_days.",
        )
    if validity > _MOST_DAYS:
        raise OptionsError("issuer:", f"validity_days is {validity}", f"Give {_MOST_DAYS} or less.")
    return CertManagerCertificates(named, timedelta(days=validity), timedelta(days=renew_before))


def _connect(
    settings: CertManagerIssuer | CertManagerCertificates, work: Work, stored: Iterable[StoredRequest]
) -> Issuer:
    if isinstance(settings, CertManagerIssuer):
        from .requests import CertManager

        return CertManager(work.client, work.scope, settings, work.clock)
    from .certificates import CertManagerByCertificates
    from .conditions import IssuerReference
    from .specification import Terms

    reference = IssuerReference(settings.issuer, work.scope.namespace)
    terms = Terms(work.scope, reference, work.wishes.issuing.leaf_key, settings.validity, settings.renew_before)
    return CertManagerByCertificates(work.client, terms, work.clock)


CERT_MANAGER = IssuerKind(
    name="cert_manager",
    settings=(CertManagerIssuer, CertManagerCertificates),
    connect=_connect,
    read=_read,
    options={
        **NAME,
        "kind": {"type": "str", "default": CertManagerIssuer.kind},
        "group": {"type": "str", "default": CertManagerIssuer.group},
        "resource": {
            "type": "str",
            "choices": ["CertificateRequest", "Certificate"],
            "default": "CertificateRequest",
        },
        **_OF_CERTIFICATES,
    },
    needed=("name",),
)
