# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Signing leaves in the operator's form (strimzi.md 1.2)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from ansible_collections.trustops.strimzi.plugins.module_utils._pki._cryptography import x509
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.authorities import (
    finish_certificate,
    key_usage,
    start_certificate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import alternative_names

if TYPE_CHECKING:
    from cryptography.x509 import Name


def sign_leaf(
    public_key: Any,
    subject: Name,
    names: Iterable[str],
    issuer: Certificate,
    issuer_key: PrivateKey,
    *,
    not_before: datetime,
    validity: timedelta,
) -> Certificate:
    """A leaf with names has subjectAltName only; one without is a pure client and says so in its key usage."""
    authority = x509.load_der_x509_certificate(issuer.der)
    signing_public = authority.public_key()
    builder = start_certificate(subject, authority.subject, public_key, not_before, validity)
    wanted = frozenset(names)
    if wanted:
        builder = builder.add_extension(alternative_names(wanted), critical=False)
    else:
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(key_usage(leaf=True), critical=True)
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_public)  # type: ignore[arg-type]
    return finish_certificate(builder.add_extension(identifier, critical=False), issuer_key)
