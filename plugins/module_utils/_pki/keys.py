# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Private keys: one class that shows nothing of itself (DESIGN section 12)."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn

from ansible_collections.trustops.strimzi.plugins.module_utils._pki._cryptography import (
    UnsupportedAlgorithm,
    ec,
    rsa,
    serialization,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey


class PrivateKeyError(Exception):
    """What was given is no usable private key. The text never quotes it."""


class KeyAlgorithm(str, Enum):
    RSA = "rsa"
    ECDSA = "ecdsa"


@dataclass(frozen=True)
class KeySpec:
    """size: modulus bits for RSA; 256 or 384 (the NIST curve) for ECDSA."""

    algorithm: KeyAlgorithm
    size: int


class PrivateKey:
    """A private key whose text form is the fingerprint of its public half. ``reveal`` is the only way out."""

    __slots__ = ("__key", "public_key_sha256")

    def __init__(self, key: RSAPrivateKey | EllipticCurvePrivateKey) -> None:
        self.__key = key
        spki = key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.public_key_sha256 = hashlib.sha256(spki).hexdigest()

    def __repr__(self) -> str:
        return f"<private key of SPKI sha256 {self.public_key_sha256[:16]}>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a private key is not serialisable")

    @property
    def algorithm(self) -> KeyAlgorithm:
        return KeyAlgorithm.RSA if isinstance(self.__key, rsa.RSAPrivateKey) else KeyAlgorithm.ECDSA

    def reveal(self) -> bytes:
        """PKCS#8 PEM, the only form that all of Strimzi reads (strimzi.md 2.1)."""
        return self.__key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def for_signing(self) -> Any:
        """The key object, for the builders of this package only."""
        return self.__key

    def matches(self, certificate: Certificate) -> bool:
        return certificate.public_key_sha256 == self.public_key_sha256


def generate_key(spec: KeySpec) -> PrivateKey:
    """A new key. Raises PrivateKeyError for a size that nobody should use."""
    if spec.algorithm is KeyAlgorithm.ECDSA:
        curves = {256: ec.SECP256R1, 384: ec.SECP384R1}
        if spec.size not in curves:
            raise PrivateKeyError("ECDSA keys are of size 256 or 384")
        return PrivateKey(ec.generate_private_key(curves[spec.size]()))
    if spec.size < 2048:
        raise PrivateKeyError("RSA keys have at least 2048 bits")
    return PrivateKey(rsa.generate_private_key(public_exponent=65537, key_size=spec.size))


def generate_keys(spec: KeySpec, count: int) -> list[PrivateKey]:
    """Several keys, on all processors: the library gives up the interpreter lock while it searches primes."""
    if count < 2:
        return [generate_key(spec) for number in range(count)]
    with ThreadPoolExecutor() as pool:
        return list(pool.map(generate_key, [spec] * count))


def load_key(pem: bytes) -> PrivateKey:
    """An unencrypted RSA or EC key in PEM form. Raises PrivateKeyError."""
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise PrivateKeyError("not a readable unencrypted private key in PEM form") from None
    if not isinstance(key, (rsa.RSAPrivateKey, ec.EllipticCurvePrivateKey)):
        raise PrivateKeyError("neither an RSA nor an EC key")
    return PrivateKey(key)
