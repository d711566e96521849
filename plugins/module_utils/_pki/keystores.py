# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Stores that Java reads: truststores and keystores as PKCS#12, and as JKS for programs that read no other form; and what is in a PKCS#12 keystore."""

from __future__ import annotations

import hashlib
import secrets
import struct
from collections.abc import Mapping
from datetime import datetime

from .._errors import KeystoreError
from ._cryptography import InternalError, UnsupportedAlgorithm, pkcs12, serialization, x509
from .certificates import Certificate, Chain, certificate_from_der
from .keys import PrivateKey
from .keystore_forms import key_and_certificates

#: Kinds of entries: a private key with its chain, and a trusted certificate.
_KEY, _TRUSTED = 1, 2
#: An AlgorithmIdentifier in DER form: Sun's own way to encrypt a key (1.3.6.1.4.1.42.2.17.1.1), without parameters.
_SUN = bytes.fromhex("300e060a2b060104012a021101010500")


def certificate_in_pkcs12(content: bytes, password: bytes) -> str:
    """SHA-256 fingerprint of the certificate that the private key of a keystore belongs to. Raises KeystoreError."""
    try:
        own, certificates = key_and_certificates(content, password)
    except KeystoreError:
        return _opened(content, password)
    found = {one.sha256 for one in certificates if own.matches(one)}
    return found.pop() if len(found) == 1 else _opened(content, password)


def _opened(content: bytes, password: bytes) -> str:
    """The same of a file in whatever form, and of what cannot be used. For a key of 2048 bits the library takes a twentieth of a second."""
    try:
        key, certificate, _others = pkcs12.load_key_and_certificates(content, password)
    except (ValueError, TypeError, InternalError, UnsupportedAlgorithm):
        raise KeystoreError("does not open with its password") from None
    # The library gives no other certificate than that of the key.
    if key is None or certificate is None:
        raise KeystoreError("holds no private key with its certificate")
    return certificate_from_der(certificate.public_bytes(serialization.Encoding.DER)).sha256


def pkcs12_truststore(certificates: Mapping[str, Certificate], password: bytes) -> bytes:
    """A truststore with one trusted certificate per alias."""
    entries = [
        pkcs12.PKCS12Certificate(x509.load_der_x509_certificate(certificate.der), alias.encode("utf-8"))
        for alias, certificate in certificates.items()
    ]
    return pkcs12.serialize_java_truststore(entries, serialization.BestAvailableEncryption(password))


def pkcs12_keystore(alias: str, key: PrivateKey, chain: Chain, password: bytes) -> bytes:
    """A keystore with one private key, its certificate, and those behind that."""
    own, *above = (x509.load_der_x509_certificate(one.der) for one in chain)
    return pkcs12.serialize_key_and_certificates(
        alias.encode("utf-8"), key.for_signing(), own, above, serialization.BestAvailableEncryption(password)
    )


def jks_truststore(certificates: Mapping[str, Certificate], password: bytes, created: datetime) -> bytes:
    """A truststore in Java's own old format (``sun.security.provider.JavaKeyStore``, version 2). password: ASCII.

    Nothing in it is secret; the password only guards its integrity.
    """
    entries = [
        struct.pack(">I", _TRUSTED) + _text(alias) + _moment(created) + _certificate(certificate)
        for alias, certificate in certificates.items()
    ]
    return _jks(entries, password)


def jks_keystore(alias: str, key: PrivateKey, chain: Chain, password: bytes, created: datetime) -> bytes:
    """A keystore in the same format with one private key and its chain, both under the password, which is ASCII. Java looks for an alias in
    lower case only.
    """
    encrypted = _encrypted(key, password)
    entry = (
        struct.pack(">I", _KEY)
        + _text(alias.lower())
        + _moment(created)
        + struct.pack(">I", len(encrypted))
        + encrypted
    )
    return _jks([entry + struct.pack(">I", len(chain)) + b"".join(map(_certificate, chain))], password)


def _encrypted(key: PrivateKey, password: bytes) -> bytes:
    """An EncryptedPrivateKeyInfo as ``sun.security.provider.KeyProtector`` makes it. SHA-1 is what the format prescribes, and guards little:
    the store is a secret like the key itself.
    """
    plain = key.for_signing().private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    salt, stream = secrets.token_bytes(20), b""
    last = salt
    while len(stream) < len(plain):
        last = _sha1(_wide(password) + last)
        stream += last
    hidden = bytes(one ^ other for one, other in zip(plain, stream, strict=False))
    return _der(0x30, _SUN + _der(0x04, salt + hidden + _sha1(_wide(password) + plain)))


def _der(tag: int, content: bytes) -> bytes:
    size = len(content)
    digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag]) + (digits if size < 0x80 else bytes([0x80 | len(digits)]) + digits) + content


def _jks(entries: list[bytes], password: bytes) -> bytes:
    content = struct.pack(">III", 0xFEEDFEED, 2, len(entries)) + b"".join(entries)
    # The format prescribes SHA-1 and this salt, for its integrity only.
    return content + _sha1(_wide(password) + b"Mighty Aphrodite" + content)


def _wide(password: bytes) -> bytes:
    return password.decode("ascii").encode("utf-16-be")


def _sha1(content: bytes) -> bytes:
    return hashlib.sha1(content, usedforsecurity=False).digest()


def _moment(created: datetime) -> bytes:
    return struct.pack(">Q", int(created.timestamp() * 1000))


def _certificate(certificate: Certificate) -> bytes:
    return _text("X.509") + struct.pack(">I", len(certificate.der)) + certificate.der


def _text(value: str) -> bytes:
    encoded = value.encode("ascii")
    return struct.pack(">H", len(encoded)) + encoded
