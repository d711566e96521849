# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Which issuer a caller names for leaves of a CA whose key is not in the cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class ExternalIssuer:
    """A person or a tool that reads requests from a Secret and puts the answers back."""


@dataclass(frozen=True)
class CertManagerIssuer:
    """``issuerRef`` of a CertificateRequest (External Certificate Manager, "API")."""

    name: str
    kind: str = "Issuer"
    group: str = "cert-manager.io"


IssuerSettings: TypeAlias = ExternalIssuer | CertManagerIssuer
