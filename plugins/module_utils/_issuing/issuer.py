# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The interface of an issuer: two operations (docs/design.md, "Issuers")."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from .._pki.certificates import Certificate, Chain
from .subjects import LeafSubject


@dataclass(frozen=True)
class Token:
    """The data that an issuer needs in order to be asked again; opaque to its callers."""

    value: bytes


@dataclass(frozen=True)
class IssuedCertificate:
    """leaf: the end-entity certificate. chain: from its issuer to the root, as the issuer tells it."""

    leaf: Certificate
    chain: Chain


class Issuer(Protocol):
    """Turns requests into certificates, now or later."""

    def request(self, subject: LeafSubject, csr: bytes, validity: timedelta) -> Token:
        """Ask for a certificate. csr: PEM."""

    def poll(self, token: Token) -> IssuedCertificate | None:
        """The certificate, or None while it has not been issued."""
