# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The interface of an issuer (docs/storage.md, "Issuers"; CA abstraction, "Interface for certificate issuance")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias, runtime_checkable

from .._pki.certificates import Certificate, Chain
from .._pki.keys import PrivateKey
from .._strimzi.apply.work import Write
from .._strimzi.cluster.subjects import LeafSubject
from .._trust.model.intent import LinkIssuer


@dataclass(frozen=True)
class LeafOrder:
    """An order for one leaf."""

    #: The name of the request, a DNS label or subdomain (RFC 1123). A run that continues a killed run gives the same
    #: name, so the issuer gets no second request.
    name: str
    #: The subject, the alternative names and the purposes of the leaf.
    subject: LeafSubject
    #: PEM; empty if the issuer makes the keys.
    csr: bytes
    #: The wanted validity. An issuer may give less. An issuer with its own renewals has its own validity.
    validity: timedelta
    #: SHA-256 of unfit certificates for this leaf: of the certificate to be replaced, and of a refused certificate.
    unfit: frozenset[str] = frozenset()


@dataclass(frozen=True)
class LinkOrder:
    """An order for a link certificate: name, key and key identifier of ``authority``, certified by ``issuer``, for
    leaves only.
    """

    #: The CA with the name and the key of the link certificate.
    authority: Certificate
    #: The CA to sign the link certificate.
    issuer: Certificate
    #: Signing request (PEM) for the name and key of ``authority``. Empty if that key is not in the cluster. An issuer
    #: that signs in this process needs no request. An issuer that keeps the key makes the request itself.
    csr: bytes
    #: Beginning of its validity, in UTC.
    not_before: datetime
    #: End of its validity, in UTC.
    not_after: datetime
    #: Whether the next CA certifies the CA in use (OldWithNew); else the CA in use certifies the next CA (NewWithOld).
    back: bool = False
    #: A certificate of the same content, signed by the key of ``authority``; None if that key is not in the cluster. If
    #: an issuer encodes the name of a request again, it takes the bytes of the name from here.
    self_issued: Certificate | None = None


@dataclass(frozen=True)
class Token:
    """The data that an issuer needs to answer a later call. It is opaque to callers, stored in a Secret, and no
    secret itself.
    """

    #: UTF-8 text in a form of the issuer's own; for an external issuer, the signing request in PEM form.
    value: bytes


@dataclass(frozen=True)
class IssuedCertificate:
    """The answer of an issuer with a signed certificate."""

    #: The end-entity certificate.
    leaf: Certificate
    #: The CAs from its issuer towards the root, as the issuer sends them; the root may be missing.
    chain: Chain
    #: The private key, if the issuer has made it; None if the request was signed by its own key.
    key: PrivateKey | None = None


@dataclass(frozen=True)
class Waiting:
    """Not issued yet."""

    #: The awaited event, as a sentence with the object, the cause and the remedy.
    reason: str


@dataclass(frozen=True)
class Refused:
    """It will not be issued: only another request can help."""

    #: A sentence with the object and the cause.
    reason: str
    #: The remedy, as sentences.
    remedy: str


Answer: TypeAlias = IssuedCertificate | Waiting | Refused


class Issuer(Protocol):
    """Turns requests into certificates, now or later. Its certificates are checked before they are believed
    (``acceptance``).
    """

    @property
    def reference(self) -> str:
        """The name of this issuer, as people say it: ``cert-manager ClusterIssuer corporate``. Another reference is
        another issuer.
        """

    @property
    def remembers(self) -> bool:
        """Whether it keeps something for each request until ``forget``."""

    def request(self, order: LeafOrder) -> Token | Refused:
        """Request a certificate. The same name and CSR get the same answer again.

        Raises IssuerUnavailable, KubeError.
        """

    def poll(self, tokens: Sequence[Token]) -> tuple[Answer, ...]:
        """The answers to these tokens, in their order. If they cannot be found out now, they are ``Waiting``. Raises
        KubeError.
        """

    def forget(self, tokens: Sequence[Token]) -> None:
        """Remove the issuer's data of these requests: they are served, or not wanted any more. If it is gone already,
        this is no error. If an issuer keeps its requests elsewhere, its tokens mean nothing here. Raises KubeError.
        """


@dataclass(frozen=True, repr=False)
class Kept:
    """The state of one leaf at an issuer with its own renewals."""

    #: Its present certificate, or why it has none.
    answer: Answer
    #: Why its last renewal failed, as sentences; empty if none has failed.
    trouble: str = ""
    #: The write that makes the issuer renew the wanted leaf; None if it does already.
    correction: Write | None = None
    #: The difference that the correction removes, as a part of a sentence; empty if there is none.
    differs: str = ""
    #: The differences whose correction another program has written back, as sentences; empty if there are none.
    written_back: str = ""


@runtime_checkable
class RenewingIssuer(Issuer, Protocol):
    """An issuer that makes the keys, and renews each requested certificate until a call stops it; ``forget`` does not
    stop it (External Certificate Manager, "Tracking changes to Cluster CA end-entity certificates").
    """

    def review(self, orders: Sequence[LeafOrder]) -> Mapping[str, Kept]:
        """The state of each of these leaves, by the name of the order, compared with the order. Raises KubeError."""


@runtime_checkable
class LinkingIssuer(Issuer, Protocol):
    """An issuer that certifies other CAs too (RFC 4210, NewWithOld and OldWithNew), at once."""

    @property
    def linker(self) -> LinkIssuer:
        """The issuer that certifies the next CA."""

    def link(self, order: LinkOrder) -> Certificate | Refused:
        """The link certificate; it is checked before it is believed (``links``). Raises IssuerUnavailable."""
