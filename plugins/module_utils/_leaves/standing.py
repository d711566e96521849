# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Leaves that their issuer renews by itself (External Certificate Manager, "Tracking changes to Cluster CA end-entity
certificates").
"""

from __future__ import annotations

from dataclasses import dataclass

from .._pki.certificates import Certificate, Chain


@dataclass(frozen=True)
class Standing:
    """The state of one leaf at its issuer, which renews it.

    secret: of the leaf. latest: the certificate that it has now, with its chain; empty where there is none. authority: fingerprint of
    the CA of this cluster that has signed it, where it has passed every check; empty where it may not be used yet. told: what people should
    know, as sentences with cause and remedy. differs: why it would not renew what is wanted, as a part of a sentence; empty where it would.
    """

    secret: str
    latest: Chain = ()
    authority: str = ""
    told: str = ""
    differs: str = ""

    def replaces(self, stored: Certificate) -> bool:
        """Whether the issuer has renewed the stored leaf. Where its certificate is older, a leaf that came another way has replaced that."""
        return bool(self.authority) and self.latest[0] != stored and self.latest[0].not_before > stored.not_before
