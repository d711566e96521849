# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in other encodings, which certificates of other makers have."""

from __future__ import annotations

from collections.abc import Iterator

from cryptography import x509
from cryptography.x509.name import _ASN1Type

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate


def in_another_encoding(authority: Certificate) -> Iterator[bytes]:
    """The same words as other kinds of strings."""
    for kind in (_ASN1Type.PrintableString, _ASN1Type.BMPString):
        subject = x509.load_der_x509_certificate(authority.der).subject
        yield x509.Name([x509.NameAttribute(one.oid, one.value, kind) for one in subject]).public_bytes()
