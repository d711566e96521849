# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""PKCS#12 truststores that Java reads as trusted certificates."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.trustops.strimzi.plugins.module_utils._pki._cryptography import pkcs12, serialization, x509
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate


def pkcs12_truststore(certificates: Mapping[str, Certificate], password: bytes) -> bytes:
    """A truststore with one trusted certificate per alias."""
    entries = [
        pkcs12.PKCS12Certificate(x509.load_der_x509_certificate(certificate.der), alias.encode("utf-8"))
        for alias, certificate in certificates.items()
    ]
    return pkcs12.serialize_java_truststore(entries, serialization.BestAvailableEncryption(password))
