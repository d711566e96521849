# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A certificate of which it is assumed that a CA has signed it: for forecasts, where the key of the CA is not at hand."""

from __future__ import annotations

from .certificates import Certificate


class AssumedCertificate(Certificate):
    """Like the certificate with these bytes, but as if ``issuer`` had signed it, or another CA with that name and key."""

    def __init__(self, der: bytes, issuer: Certificate) -> None:
        super().__init__(der)
        self.__dict__["_issuer"] = issuer

    def signed_by(self, issuer: Certificate) -> bool:
        assumed: Certificate = self.__dict__["_issuer"]
        return issuer.is_twin_of(assumed)
