# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What an issuer is to the engine: two operations and nothing else (spec/4, "Interface for certificate issuance")."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.subjects import LeafSubject
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain


@dataclass(frozen=True)
class Token:
    """What an issuer needs in order to be asked again; opaque to everybody else."""

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
