# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""``<cluster>-cluster-ca-bundle``: every trusted CA in the forms that clients read, under a password that does not
change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import CertificateError
from .._pki.certificates import parse_certificates
from .secret_data import entries

PEM, PKCS12, JKS, PASSWORD = "ca.crt", "ca.p12", "ca.jks", "ca.password"


def read_published(secret: Mapping[str, Any] | None) -> frozenset[str] | None:
    """Fingerprints of the published certificates; None where there is no bundle, empty where it cannot be read."""
    if secret is None:
        return None
    found = entries(secret)
    try:
        certificates = parse_certificates(found.get(PEM, b""))
    except CertificateError:
        return frozenset()
    complete = all(found.get(name) for name in (PKCS12, JKS, PASSWORD))
    return frozenset(certificate.fingerprint for certificate in certificates) if complete else frozenset()
