# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Signing leaves in the operator's form (docs/operator.md, "Certificates")."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ._cryptography import x509
from .authorities import DistinguishedName
from .building import (
    authority_identifier,
    finish_certificate,
    key_usage,
    require_key_of,
    start_certificate,
)
from .certificates import Certificate
from .keys import PrivateKey
from .requests import alternative_names

if TYPE_CHECKING:
    from cryptography.x509 import CertificateBuilder, Name

    from .keys import PublicKey


def sign_leaf(
    public_key: PublicKey,
    subject: DistinguishedName | Name,
    names: Iterable[str],
    issuer: Certificate,
    issuer_key: PrivateKey,
    *,
    not_before: datetime,
    validity: timedelta,
) -> Certificate:
    """Sign a leaf. With names it has subjectAltName only; without names it is for a pure client, and its key usage says
    so.

    names: DNS names and IP literals. Raises CertificateError when ``issuer_key`` is not the issuer's, validity is not
    positive, or a name cannot be written into a certificate.
    """
    require_key_of(issuer, issuer_key)
    issuer_name = x509.load_der_x509_certificate(issuer.der).subject
    subject_name = subject.as_name() if isinstance(subject, DistinguishedName) else subject
    builder = start_certificate(subject_name, issuer_name, public_key, not_before, validity)
    builder = _with_purpose(builder, frozenset(names))
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    return finish_certificate(builder.add_extension(authority_identifier(issuer), critical=False), issuer_key)


def _with_purpose(builder: CertificateBuilder, names: frozenset[str]) -> CertificateBuilder:
    if names:
        return builder.add_extension(alternative_names(names), critical=False)
    constraints = x509.BasicConstraints(ca=False, path_length=None)
    return builder.add_extension(constraints, critical=True).add_extension(key_usage(leaf=True), critical=True)
