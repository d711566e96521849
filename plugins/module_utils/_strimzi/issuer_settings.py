# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The issuer that a caller names for leaves of a CA whose key is not in the cluster. Settings that flows do not know
are in the folder of their issuer.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar


class IssuerSettings:
    """The settings of an issuer. The settings of each kind are a class of their own (``_issuing/kinds.py``)."""


@dataclass(frozen=True)
class ExternalIssuer(IssuerSettings):
    """A person or a tool that reads requests from a Secret and puts the answers back."""

    #: Its name, as people say it.
    reference: ClassVar[str] = "the external issuer"


@dataclass(frozen=True)
class CertManagerIssuer(IssuerSettings):
    """``issuerRef`` of CertificateRequests (External Certificate Manager, "API")."""

    #: The name of the issuer.
    name: str
    #: ``Issuer``, ``ClusterIssuer``, or a kind of another group.
    kind: str = "Issuer"
    #: The API group of this kind.
    group: str = "cert-manager.io"


@dataclass(frozen=True)
class CertManagerCertificates(IssuerSettings):
    """An issuer of cert-manager with a Certificate for each leaf. cert-manager renews it by itself (External
    Certificate Manager, "Issuing Cluster CA end-entity certificates"). Both times belong to the issuer, because every
    playbook has to expect the same renewals.
    """

    #: The issuer in the Certificates.
    issuer: CertManagerIssuer
    #: The life of each leaf.
    validity: timedelta = timedelta(days=365)
    #: How long before its end cert-manager renews it.
    renew_before: timedelta = timedelta(days=45)
