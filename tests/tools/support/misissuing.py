# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A signer for a CA, which errs where a test wants it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import key_usage

from .authorities import Authority
from .flows import START
from .memory_cluster import MemoryCluster

#: The life of leaves, as long as CAs usually give them.
LIFE = timedelta(days=90)
#: A change of the certificate that answers a request, so that it is not what was asked for.
Mistake = Callable[["Template"], "Template"]


@dataclass(frozen=True)
class Template:
    """A certificate before it is signed."""

    subject: x509.Name
    key: CertificatePublicKeyTypes
    names: x509.SubjectAlternativeName | None
    begin: datetime
    end: datetime
    #: The CA that signs it.
    issuer: Authority
    #: The order in which leaf and chain are told.
    arranged: Callable[[list[bytes]], list[bytes]] = list

    def signed(self) -> list[bytes]:
        """PEM of the leaf and of its chain."""
        issuer = x509.load_der_x509_certificate(self.issuer.chain[0].der)
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = (
            x509.CertificateBuilder(
                issuer.subject, self.subject, self.key, x509.random_serial_number(), self.begin, self.end
            )
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(key_usage(signing=False, leaf=True), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        )
        if self.names is not None:
            builder = builder.add_extension(self.names, critical=False)
        key = self.issuer.keys[0]
        leaf = builder.sign(key.for_signing(), key.signature_hash).public_bytes(Encoding.PEM)
        return self.arranged([leaf, *(certificate.pem for certificate in self.issuer.chain)])


@dataclass
class Signing:
    """Signs for a CA."""

    authority: Authority
    memory: MemoryCluster
    #: A part of a name of the leaf that ``mistake`` is made about.
    victim: str
    mistake: Mistake = field(default=lambda template: template)
    #: The signed requests in order, as PEM.
    requests: list[bytes] = field(default_factory=list)
    answers: list[list[bytes]] = field(default_factory=list)

    def is_about_the_victim(self, csr: bytes) -> bool:
        return self.victim in str(_names(csr))

    def sign(self, csr: bytes) -> list[bytes]:
        template = requested(csr, self.authority, START + timedelta(seconds=self.memory.seconds))
        self.answers.append((self.mistake(template) if self.is_about_the_victim(csr) else template).signed())
        self.requests.append(csr)
        return self.answers[-1]


def requested(csr: bytes, authority: Authority, now: datetime) -> Template:
    """The certificate that this request asks for. It begins a little earlier, as certificates of most issuers do."""
    request = x509.load_pem_x509_csr(csr)
    return Template(
        request.subject, request.public_key(), _names(csr), now - timedelta(seconds=30), now + LIFE, authority
    )


def _names(csr: bytes) -> x509.SubjectAlternativeName | None:
    """Of a pure client there are none."""
    extensions = x509.load_pem_x509_csr(csr).extensions
    return next(
        (extension.value for extension in extensions if isinstance(extension.value, x509.SubjectAlternativeName)), None
    )
