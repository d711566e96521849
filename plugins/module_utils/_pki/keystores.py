# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Stores for Java: truststores and keystores as PKCS#12 (RFC 7292), and as JKS for programs that read no other form;
and the content of a PKCS#12 keystore.

PKCS#12 files are read in the form of OpenSSL 3, Java and this collection: PBES2, AES and SHA-256. The library tests the
primes of an RSA key each time it opens a file, and has no switch for this. The code here takes a tenth of the time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NoReturn

from .._errors import CertificateError, KeystoreError, PrivateKeyError
from ._cryptography import Cipher, InternalError, UnsupportedAlgorithm, algorithms, modes, pkcs12, serialization, x509
from .certificates import Certificate, Chain, certificate_from_der
from .keys import PrivateKey, load_stored_der

_SEQUENCE, _OCTETS, _NUMBER, _NAME, _INSIDE, _IMPLICIT = 0x30, 0x04, 0x02, 0x06, 0xA0, 0x80
#: Object identifiers, encoded.
_DATA, _ENCRYPTED = bytes.fromhex("2a864886f70d010701"), bytes.fromhex("2a864886f70d010706")
_KEY_BAG, _CERTIFICATE_BAG = (bytes.fromhex(f"2a864886f70d010c0a01{last}") for last in ("02", "03"))
_X509 = bytes.fromhex("2a864886f70d01091601")
_PBES2, _PBKDF2 = bytes.fromhex("2a864886f70d01050d"), bytes.fromhex("2a864886f70d01050c")
_HMAC_SHA256, _SHA256 = bytes.fromhex("2a864886f70d0209"), bytes.fromhex("608648016503040201")
#: Bytes of the key, by the identifier of AES in CBC mode.
_AES = {bytes.fromhex("60864801650304012a"): 32, bytes.fromhex("608648016503040102"): 16}
#: A file with more iterations is not read here.
_MOST_ITERATIONS = 100_000
_BLOCK = 64

#: Tag and content of a value in DER.
Value = tuple[int, bytes]
_VERSION, _NULL = (_NUMBER, b"\x03"), (0x05, b"")


def key_and_certificates(content: bytes, password: bytes) -> tuple[PrivateKey, tuple[Certificate, ...]]:
    """The one private key of a file, and all of its certificates. Raises KeystoreError for a file of another form, and
    for a file that the library refuses too.
    """
    try:
        return _open_pkcs12(content, password)
    except (ValueError, IndexError, UnsupportedAlgorithm, CertificateError, PrivateKeyError):
        raise KeystoreError from None


def _open_pkcs12(content: bytes, password: bytes) -> tuple[PrivateKey, tuple[Certificate, ...]]:
    version, safe, mac = _sequence(_read_single(content))
    kind, inside = _sequence(safe)
    if (version, kind) != (_VERSION, (_NAME, _DATA)):
        _refuse_other_format()
    stored = _octets(_unwrap(inside))
    _check(stored, _sequence(mac), password)
    bags = [bag for part in _sequence(_read_single(stored)) for bag in _bags(part, password)]
    keys = [bag for kind, bag in bags if kind == _KEY_BAG]
    if len(keys) != 1 or not all(kind in (_KEY_BAG, _CERTIFICATE_BAG) for kind, _one in bags):
        _refuse_other_format()
    certificates = (certificate_from_der(_bag_certificate(bag)) for kind, bag in bags if kind == _CERTIFICATE_BAG)
    return load_stored_der(_shrouded(keys[0], password)), tuple(certificates)


def _check(stored: bytes, mac: list[Value], password: bytes) -> None:
    """Raises KeystoreError if the file is not as this password has sealed it (RFC 7292, section 5, appendix B)."""
    identifier, salt, iterations = mac
    algorithm, digest = _sequence(identifier)
    if _sequence(algorithm) not in ([(_NAME, _SHA256)], [(_NAME, _SHA256), _NULL]):
        _refuse_other_format()
    letters = password.decode("ascii").encode("utf-16-be") + b"\0\0"
    block = b"\x03" * _BLOCK + _filled(_octets(salt)) + _filled(letters)
    for _time in range(_iterations(iterations)):
        block = hashlib.sha256(block).digest()
    if not hmac.compare_digest(hmac.digest(block, stored, "sha256"), _octets(digest)):
        _refuse_other_format()


def _filled(part: bytes) -> bytes:
    """As many copies of the part as fill whole blocks."""
    length = -(-len(part) // _BLOCK) * _BLOCK
    return (part * length)[:length]


def _bags(part: Value, password: bytes) -> Iterator[tuple[bytes, Value]]:
    """The kind of each bag in a part of the file, and its value."""
    kind, inside = _sequence(part)
    if kind == (_NAME, _DATA):
        plaintext = _octets(_unwrap(inside))
    elif kind != (_NAME, _ENCRYPTED):
        _refuse_other_format()
    else:
        _version, encrypted = _sequence(_unwrap(inside))
        _kind, algorithm, (tag, secret) = _sequence(encrypted)
        plaintext = _decrypted(algorithm, secret, password) if tag == _IMPLICIT else _refuse_other_format()
    for bag in _sequence(_read_single(plaintext)):
        name, value, *_attributes = _sequence(bag)
        yield _of(_NAME, name), _unwrap(value)


def _bag_certificate(bag: Value) -> bytes:
    kind, value = _sequence(bag)
    return _octets(_unwrap(value)) if kind == (_NAME, _X509) else _refuse_other_format()


def _shrouded(bag: Value, password: bytes) -> bytes:
    algorithm, secret = _sequence(bag)
    return _decrypted(algorithm, _octets(secret), password)


def _decrypted(algorithm: Value, secret: bytes, password: bytes) -> bytes:
    """PBES2 (RFC 8018, section 6.2)."""
    kind, scheme = _sequence(algorithm)
    if kind != (_NAME, _PBES2):
        _refuse_other_format()
    derivation, encryption = _sequence(scheme)
    (kind, parameters), (cipher, vector) = _sequence(derivation), _sequence(encryption)
    if kind != (_NAME, _PBKDF2):
        _refuse_other_format()
    salt, iterations, *_length, function = _sequence(parameters)
    size = _AES.get(cipher[1])
    if _sequence(function)[0] != (_NAME, _HMAC_SHA256) or size is None:
        _refuse_other_format()
    key = hashlib.pbkdf2_hmac("sha256", password, _octets(salt), _iterations(iterations), size)
    decryptor = Cipher(algorithms.AES(key), modes.CBC(_octets(vector))).decryptor()
    plain = decryptor.update(secret) + decryptor.finalize()
    padding = plain[-1]
    return plain[:-padding] if plain.endswith(bytes([padding]) * padding) else _refuse_other_format()


def _iterations(value: Value) -> int:
    tag, content = value
    number = int.from_bytes(content, "big", signed=True)
    return number if tag == _NUMBER and 0 < number <= _MOST_ITERATIONS else _refuse_other_format()


def _sequence(value: Value) -> list[Value]:
    return _values(_of(_SEQUENCE, value))


def _octets(value: Value) -> bytes:
    return _of(_OCTETS, value)


def _unwrap(value: Value) -> Value:
    """The only value under an explicit tag."""
    return _read_single(_of(_INSIDE, value))


def _read_single(content: bytes) -> Value:
    (value,) = _values(content)
    return value


def _of(tag: int, value: Value) -> bytes:
    return value[1] if value[0] == tag else _refuse_other_format()


def _values(content: bytes) -> list[Value]:
    """Values in DER, one after the other; in these forms no tag is longer than a byte."""
    values, at = [], 0
    while at < len(content):
        tag, size, at = content[at], content[at + 1], at + 2
        if size > 0x80:
            more, at = size - 0x80, at + size - 0x80
            size = int.from_bytes(content[at - more : at], "big")
        elif size == 0x80:
            _refuse_other_format()
        end = at + size
        if end > len(content):
            _refuse_other_format()
        values.append((tag, content[at:end]))
        at = end
    return values


def _refuse_other_format() -> NoReturn:
    raise KeystoreError


#: Kinds of entries: a private key with its chain, and a trusted certificate.
_KEY, _TRUSTED = 1, 2
#: An AlgorithmIdentifier in DER form: Sun's own way to encrypt a key (1.3.6.1.4.1.42.2.17.1.1), without parameters.
_SUN = bytes.fromhex("300e060a2b060104012a021101010500")


def certificate_in_pkcs12(content: bytes, password: bytes) -> str:
    """SHA-256 fingerprint of the certificate of a keystore's private key. Raises KeystoreError."""
    try:
        own, certificates = key_and_certificates(content, password)
    except KeystoreError:
        return _open_by_library(content, password)
    fingerprints = {certificate.sha256 for certificate in certificates if certificate.is_for(own)}
    return fingerprints.pop() if len(fingerprints) == 1 else _open_by_library(content, password)


def _open_by_library(content: bytes, password: bytes) -> str:
    """The same of a file in any form; raises KeystoreError if it cannot be used. For a key of 2048 bits the library
    takes a twentieth of a second.
    """
    try:
        key, certificate, _others = pkcs12.load_key_and_certificates(content, password)
    except (ValueError, TypeError, InternalError, UnsupportedAlgorithm):
        raise KeystoreError("does not open with its password") from None
    # The library gives no other certificate than the certificate of the key.
    if key is None or certificate is None:
        raise KeystoreError("contains no private key with its certificate")
    return certificate_from_der(certificate.public_bytes(serialization.Encoding.DER)).sha256


def pkcs12_truststore(certificates: Mapping[str, Certificate], password: bytes) -> bytes:
    """A truststore with one trusted certificate per alias."""
    entries = [
        pkcs12.PKCS12Certificate(x509.load_der_x509_certificate(certificate.der), alias.encode("utf-8"))
        for alias, certificate in certificates.items()
    ]
    return pkcs12.serialize_java_truststore(entries, serialization.BestAvailableEncryption(password))


def pkcs12_keystore(alias: str, key: PrivateKey, chain: Chain, password: bytes) -> bytes:
    """A keystore with one private key, its certificate, and the certificates behind it."""
    own, *above = (x509.load_der_x509_certificate(certificate.der) for certificate in chain)
    return pkcs12.serialize_key_and_certificates(
        alias.encode("utf-8"), key.for_signing(), own, above, serialization.BestAvailableEncryption(password)
    )


def jks_truststore(certificates: Mapping[str, Certificate], password: bytes, created: datetime) -> bytes:
    """A truststore in Java's own old format (``sun.security.provider.JavaKeyStore``, version 2), with a password in
    ASCII.

    Nothing in it is secret; the password only guards its integrity.
    """
    entries = [
        struct.pack(">I", _TRUSTED) + _text(alias) + _encode_time(created) + _jks_certificate(certificate)
        for alias, certificate in certificates.items()
    ]
    return _jks(entries, password)


def jks_keystore(alias: str, key: PrivateKey, chain: Chain, password: bytes, created: datetime) -> bytes:
    """A keystore in the same format with one private key and its chain, both under the password in ASCII. Java looks
    for an alias in lower case only.
    """
    encrypted = _encrypted(key, password)
    entry = (
        struct.pack(">I", _KEY)
        + _text(alias.lower())
        + _encode_time(created)
        + struct.pack(">I", len(encrypted))
        + encrypted
    )
    return _jks([entry + struct.pack(">I", len(chain)) + b"".join(map(_jks_certificate, chain))], password)


def _encrypted(key: PrivateKey, password: bytes) -> bytes:
    """An EncryptedPrivateKeyInfo as ``sun.security.provider.KeyProtector`` makes it. The format prescribes SHA-1, and
    SHA-1 guards little: the store is a secret like the key itself.
    """
    plain = key.for_signing().private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    salt, stream = secrets.token_bytes(20), b""
    last = salt
    while len(stream) < len(plain):
        last = _sha1(_encode_wide(password) + last)
        stream += last
    hidden = bytes(byte ^ other for byte, other in zip(plain, stream, strict=False))
    return _der(0x30, _SUN + _der(0x04, salt + hidden + _sha1(_encode_wide(password) + plain)))


def _der(tag: int, content: bytes) -> bytes:
    size = len(content)
    digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag]) + (digits if size < 0x80 else bytes([0x80 | len(digits)]) + digits) + content


def _jks(entries: list[bytes], password: bytes) -> bytes:
    content = struct.pack(">III", 0xFEEDFEED, 2, len(entries)) + b"".join(entries)
    # The format prescribes SHA-1 and this salt, for its integrity only.
    return content + _sha1(_encode_wide(password) + b"Mighty Aphrodite" + content)


def _encode_wide(password: bytes) -> bytes:
    return password.decode("ascii").encode("utf-16-be")


def _sha1(content: bytes) -> bytes:
    return hashlib.sha1(content, usedforsecurity=False).digest()


def _encode_time(created: datetime) -> bytes:
    return struct.pack(">Q", int(created.timestamp() * 1000))


def _jks_certificate(certificate: Certificate) -> bytes:
    return _text("X.509") + struct.pack(">I", len(certificate.der)) + certificate.der


def _text(value: str) -> bytes:
    encoded = value.encode("ascii")
    return struct.pack(">H", len(encoded)) + encoded
