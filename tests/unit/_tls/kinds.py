# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TLS servers of every kind that a connection is refused for, and of the kinds that are accepted."""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import certificate_from_der
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.failures import Reason

from ...tools.support.certificates import Entity
from ...tools.support.sha_1 import sha_1_below

NOW = datetime.now(timezone.utc)
HOUR = timedelta(hours=1)
Extensions = Sequence[tuple[x509.ExtensionType, bool]]


@dataclass(frozen=True)
class Issued:
    certificate: x509.Certificate
    key: Any

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return bytes(
            self.key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )


def issue(
    name: str,
    issuer: Issued | None,
    extensions: Extensions,
    *,
    begin: datetime = NOW - HOUR,
    end: datetime = NOW + HOUR,
    key: Any = None,
) -> Issued:
    """With these extensions and no others; self-signed without an issuer."""
    own = key or ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = x509.CertificateBuilder(
        issuer_name=issuer.certificate.subject if issuer else subject,
        subject_name=subject,
        public_key=own.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=begin,
        not_valid_after=end,
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    return Issued(builder.sign(issuer.key if issuer else own, hashes.SHA256()), own)


def constraints(
    *, ca: bool = True, length: int | None = None, critical: bool = True
) -> tuple[x509.BasicConstraints, bool]:
    return x509.BasicConstraints(ca=ca, path_length=length), critical


def of_server(*more: tuple[x509.ExtensionType, bool], address: str = "127.0.0.1") -> Extensions:
    """For an address, not for a host name."""
    return [(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), False), *more]


@dataclass(frozen=True)
class Kind:
    """A server, and what this side trusts."""

    #: The chain that it presents, with the key of its first certificate, as PEM.
    presented: bytes
    #: The CA that a person gives for it, as PEM.
    trusted: bytes
    #: The host by which it is called.
    host: str = "127.0.0.1"

    def server_context(self, folder: Path) -> ssl.SSLContext:
        (folder / "server.pem").write_bytes(self.presented)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # The server takes what the client has to refuse.
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        context.load_cert_chain(folder / "server.pem")
        return context


def kind(leaf: Issued, *between: Issued, trusted: Issued, host: str = "127.0.0.1") -> Kind:
    return Kind(leaf.key_pem + leaf.pem + b"".join(one.pem for one in between), trusted.pem, host)


@cache
def root() -> Issued:
    return issue("root", None, [constraints()])


@cache
def small_key() -> Any:
    return rsa.generate_private_key(65537, 1024)


def _below(*extensions: tuple[x509.ExtensionType, bool], **leaf: Any) -> Kind:
    """A leaf of a CA with these extensions, which the trusted root has issued."""
    between = issue("between", root(), extensions)
    return kind(issue("server", between, of_server(), **leaf), between, trusted=root())


def _of_itself() -> Kind:
    return kind(issue("server", None, of_server()), trusted=root())


def _ended_authority() -> Kind:
    ended = issue("ended", None, [constraints()], begin=NOW - 3 * HOUR, end=NOW - HOUR)
    return kind(issue("server", ended, of_server()), trusted=ended)


def _unknown_root() -> Kind:
    other = issue("other", None, [constraints()])
    return kind(issue("server", other, of_server()), other, trusted=root())


def _other_key() -> Kind:
    again = issue("root", None, [constraints()])
    return kind(issue("server", again, of_server()), trusted=root())


def _without_between() -> Kind:
    return kind(issue("server", issue("between", root(), [constraints()]), of_server()), trusted=root())


def _too_long() -> Kind:
    one = issue("one", root(), [constraints(length=0)])
    two = issue("two", one, [constraints()])
    return kind(issue("server", two, of_server()), two, one, trusted=root())


def _much_too_long() -> Kind:
    chain = [root()]
    for number in range(103):
        chain.insert(0, issue(f"ca {number}", chain[0], [constraints()]))
    return kind(issue("server", chain[0], of_server()), *chain[:-1], trusted=root())


def _small_authority() -> Kind:
    small = issue("small", root(), [constraints()], key=small_key())
    return kind(issue("server", small, of_server()), small, trusted=root())


def _weak_hash(folder: Path) -> Kind:
    trusted, own = _identified_authority(), ec.generate_private_key(ec.SECP256R1())
    der = trusted.certificate.public_bytes(serialization.Encoding.DER)
    issuer = Entity(certificate_from_der(der), load_key(trusted.key_pem))
    weak = sha_1_below(issuer, load_key(Issued(trusted.certificate, own).key_pem), folder)
    between = Issued(x509.load_der_x509_certificate(weak.certificate.der), own)
    return kind(issue("server", between, of_server()), between, trusted=trusted)


def _leaf(
    *more: tuple[x509.ExtensionType, bool], host: str = "127.0.0.1", address: str = "127.0.0.1", **options: Any
) -> Kind:
    return kind(issue("server", root(), of_server(*more, address=address), **options), trusted=root(), host=host)


def _identified(*, critical: bool = True) -> Kind:
    authority = _identified_authority(critical=critical)
    identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    return kind(issue("server", authority, of_server((identifier, False))), trusted=authority)


@cache
def _identified_authority(*, critical: bool = True) -> Issued:
    key = ec.generate_private_key(ec.SECP256R1())
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    extensions = [constraints(critical=critical), (_signing(), True), (identifier, False)]
    return issue("usual", None, extensions, key=key)


def _trusted_between() -> Kind:
    between = issue("between", root(), [constraints()])
    return kind(issue("server", between, of_server()), trusted=between)


def _signing(*, certificates: bool = True) -> x509.KeyUsage:
    usage = dict.fromkeys(
        ("content_commitment", "data_encipherment", "key_agreement", "crl_sign", "encipher_only", "decipher_only"),
        False,
    )
    return x509.KeyUsage(digital_signature=True, key_encipherment=True, key_cert_sign=certificates, **usage)


def _with_key_usage() -> Kind:
    authority = issue("kubernetes", None, [constraints(), (_signing(), True)])
    return kind(issue("server", authority, of_server()), trusted=authority)


#: Accepted by kubectl and by vault, and here.
ACCEPTED: dict[str, Callable[[Path], Kind]] = {
    "the usual form": lambda _folder: _identified(),
    "Amazon EKS: a CA with basicConstraints only": lambda _folder: _leaf(),
    "a CA with keyUsage and no key identifier": lambda _folder: _with_key_usage(),
    "basicConstraints that are not critical": lambda _folder: _identified(critical=False),
    "a CA below a root, trusted by itself": lambda _folder: _trusted_between(),
}
_NAMES = x509.NameConstraints(None, [x509.IPAddress(ipaddress.ip_network("127.0.0.0/8"))])
_UNKNOWN = x509.UnrecognizedExtension(ObjectIdentifier("1.2.3.4.5"), b"\x05\x00")
REFUSED: dict[str, tuple[Reason, Callable[[Path], Kind]]] = {
    "an expired leaf": (Reason.EXPIRED, lambda _folder: _leaf(begin=NOW - 3 * HOUR, end=NOW - HOUR)),
    "a leaf of an expired CA": (Reason.EXPIRED, lambda _folder: _ended_authority()),
    "a leaf that is not valid yet": (Reason.NOT_YET_VALID, lambda _folder: _leaf(begin=NOW + HOUR, end=NOW + 3 * HOUR)),
    "a self-signed leaf": (Reason.SELF_SIGNED, lambda _folder: _of_itself()),
    "a chain up to another root": (Reason.UNKNOWN_ROOT, lambda _folder: _unknown_root()),
    "a chain without its intermediate CA": (Reason.UNKNOWN_ISSUER, lambda _folder: _without_between()),
    "a CA that was made again": (Reason.OTHER_KEY, lambda _folder: _other_key()),
    "another host name": (Reason.OTHER_NAME, lambda _folder: _leaf(host="localhost")),
    "another address": (Reason.OTHER_NAME, lambda _folder: _leaf(address="127.0.0.2")),
    "an issuer that is no CA": (Reason.NO_CA, lambda _folder: _below(constraints(ca=False))),
    "a CA that may not sign": (
        Reason.NO_CA,
        lambda _folder: _below(constraints(), (_signing(certificates=False), True)),
    ),
    "a path that is too long": (Reason.PATH_LENGTH, lambda _folder: _too_long()),
    "a chain of a hundred CAs": (Reason.LONG_CHAIN, lambda _folder: _much_too_long()),
    "a leaf for clients": (
        Reason.NO_SERVER,
        lambda _folder: _leaf((x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), False)),
    ),
    "a name that the CA may not certify": (
        Reason.NAME_CONSTRAINTS,
        lambda _folder: _below(constraints(), (_NAMES, True)),
    ),
    "an unknown critical extension": (Reason.CRITICAL_EXTENSION, lambda _folder: _leaf((_UNKNOWN, True))),
    "a small key": (Reason.SMALL_KEY, lambda _folder: _leaf(key=small_key())),
    "a small key of a CA": (Reason.SMALL_KEY, lambda _folder: _small_authority()),
    "a CA that is signed with SHA-1": (Reason.WEAK_HASH, _weak_hash),
}
