# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Private keys in one class that does not show them (docs/calls.md, "Secrecy"), and the text in the place of a private
key kept elsewhere.

That text names the key, and so shows for which CA it stands. The operator takes any text, as long as it has nothing to
sign (docs/operator.md, "Tried by hand", 5 and 6).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NoReturn

from .._errors import PrivateKeyError
from ._cryptography import (
    InternalError,
    UnsupportedAlgorithm,
    ec,
    hashes,
    rsa,
    serialization,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPrivateNumbers, RSAPublicKey
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
    from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512

    PublicKey = RSAPublicKey | EllipticCurvePublicKey


#: An RSA key of fewer bits has no room for the signatures made here.
_SHORTEST_RSA = 1024
#: Validating a larger key takes minutes.
_MOST_RSA_BITS = 8192


class KeyAlgorithm(str, Enum):
    RSA = "rsa"
    ECDSA = "ecdsa"


@dataclass(frozen=True)
class KeySpec:
    """The algorithm and size of a private key."""

    #: The algorithm.
    algorithm: KeyAlgorithm
    #: Modulus bits for RSA; bits of the curve for ECDSA.
    size: int

    @property
    def name(self) -> str:
        return key_name(self.algorithm.value, self.size)


def key_name(algorithm: str, size: int) -> str:
    """The name of a kind of key: ``rsa-4096``, ``ecdsa-p256``. If a kind has no sizes, it is its algorithm alone."""
    if not size:
        return algorithm
    return f"{algorithm}-p{size}" if algorithm == KeyAlgorithm.ECDSA.value else f"{algorithm}-{size}"


class KeyType(str, Enum):
    """The kinds of keys made here, by their names. If a user supplies keys and CAs, they may be of other kinds."""

    RSA_2048 = "rsa-2048"
    RSA_3072 = "rsa-3072"
    RSA_4096 = "rsa-4096"
    RSA_8192 = "rsa-8192"
    ECDSA_P256 = "ecdsa-p256"
    ECDSA_P384 = "ecdsa-p384"

    @property
    def spec(self) -> KeySpec:
        algorithm, size = self.value.split("-")
        return KeySpec(KeyAlgorithm(algorithm), int(size.removeprefix("p")))


class PrivateKey:
    """A private key. Its text form is the fingerprint of its public half. Only ``reveal`` and ``for_signing``
    return the key itself.

    Equal if the keys are equal. Attributes are slots with mangled names, so vars(), json, pickle and copy find nothing,
    and an instance cannot be changed.
    """

    __slots__ = ("__key", "__public_key_sha256")

    __key: RSAPrivateKey | EllipticCurvePrivateKey
    __public_key_sha256: str

    def __init__(self, key: RSAPrivateKey | EllipticCurvePrivateKey) -> None:
        spki = key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        object.__setattr__(self, "_PrivateKey__key", key)
        object.__setattr__(self, "_PrivateKey__public_key_sha256", hashlib.sha256(spki).hexdigest())

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a private key is a value and cannot be changed")

    def __repr__(self) -> str:
        return f"<private key of SPKI sha256 {self.public_key_sha256[:16]}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PrivateKey) and other.public_key_sha256 == self.public_key_sha256

    def __hash__(self) -> int:
        return hash(self.public_key_sha256)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a private key is not serialisable")

    def __getstate__(self) -> NoReturn:
        raise TypeError("a private key is not serialisable")

    @property
    def public_key_sha256(self) -> str:
        """SHA-256 of the SubjectPublicKeyInfo, lower-case hex."""
        return self.__public_key_sha256

    @property
    def public_key(self) -> PublicKey:
        return self.for_signing().public_key()

    @property
    def algorithm(self) -> KeyAlgorithm:
        return KeyAlgorithm.RSA if isinstance(self.for_signing(), rsa.RSAPrivateKey) else KeyAlgorithm.ECDSA

    @property
    def spec(self) -> KeySpec:
        return KeySpec(self.algorithm, self.for_signing().key_size)

    @property
    def signature_hash(self) -> SHA256 | SHA384 | SHA512:
        """SHA-512 with RSA, as the operator does. With ECDSA the hash of the curve's size.

        TLS 1.3 knows ECDSA signatures in these pairs only (RFC 8446 section 4.2.3), in certificates too.
        """
        key = self.for_signing()
        if isinstance(key, rsa.RSAPrivateKey):
            return hashes.SHA512()
        if key.curve.key_size <= 256:
            return hashes.SHA256()
        return hashes.SHA384() if key.curve.key_size <= 384 else hashes.SHA512()

    def reveal(self) -> bytes:
        """PKCS#8 PEM, the only form that all of Strimzi reads (docs/operator.md, "Leaves")."""
        return self.for_signing().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def for_signing(self) -> RSAPrivateKey | EllipticCurvePrivateKey:
        """The key object, for the builders of this package only."""
        return self.__key


_MADE = frozenset(kind.spec for kind in KeyType)


def generate_key(spec: KeySpec) -> PrivateKey:
    """A new key. Raises PrivateKeyError if the kind is not in ``KeyType``."""
    if spec not in _MADE:
        offered, wanted = ", ".join(kind.value for kind in KeyType), key_name(spec.algorithm.value, spec.size)
        raise PrivateKeyError(f"{wanted} is none of the kinds of keys that are made here: {offered}")
    if spec.algorithm is KeyAlgorithm.ECDSA:
        return PrivateKey(ec.generate_private_key(ec.SECP256R1() if spec.size == 256 else ec.SECP384R1()))
    return PrivateKey(rsa.generate_private_key(public_exponent=65537, key_size=spec.size))


def generate_keys(spec: KeySpec, count: int) -> list[PrivateKey]:
    """Several keys, on all processors: the library gives up the interpreter lock while it searches primes."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(generate_key, [spec] * count))


def load_key(pem: bytes) -> PrivateKey:
    """An unencrypted RSA or EC key in PEM form (PKCS#8, PKCS#1 or SEC 1), validated. Raises PrivateKeyError."""
    key = _load(pem)
    if isinstance(key, rsa.RSAPrivateKey):
        _parse(serialization.load_pem_private_key, pem, skip_validation=False)
    return PrivateKey(key)


def load_stored_key(pem: bytes) -> PrivateKey:
    """A key of a Secret that only owners of the CA can write. Raises PrivateKeyError.

    The library's validation tests primes, a third of a second for RSA 4096, in every module call. That test was made
    when the key was generated or handed in. If a part was damaged or mixed up since then, it shows in the equations
    between the parts, in a thousandth of that time.
    """
    return _require_consistent(_load(pem))


def load_stored_der(content: bytes) -> PrivateKey:
    """The same in DER, as PKCS#12 files have it. Raises PrivateKeyError."""
    return _require_consistent(
        _require_known_kind(_parse(serialization.load_der_private_key, content, skip_validation=True))
    )


def _require_consistent(key: RSAPrivateKey | EllipticCurvePrivateKey) -> PrivateKey:
    if isinstance(key, rsa.RSAPrivateKey) and not _is_consistent(key.private_numbers()):
        raise PrivateKeyError("an RSA key whose private and public half do not belong together")
    return PrivateKey(key)


def _load(pem: bytes) -> RSAPrivateKey | EllipticCurvePrivateKey:
    """The key, if its kind and size are supported here; an RSA key is not validated."""
    return _require_known_kind(_parse(serialization.load_pem_private_key, pem, skip_validation=True))


def _require_known_kind(key: PrivateKeyTypes) -> RSAPrivateKey | EllipticCurvePrivateKey:
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return key
    if not isinstance(key, rsa.RSAPrivateKey):
        raise PrivateKeyError("neither an RSA nor an EC key")
    if key.key_size > _MOST_RSA_BITS:
        raise PrivateKeyError(f"an RSA key of {key.key_size} bits, and at most {_MOST_RSA_BITS} are taken here")
    if key.key_size < _SHORTEST_RSA:
        raise PrivateKeyError(f"an RSA key of {key.key_size} bits, too short to sign with")
    return key


def _parse(load: Callable[..., PrivateKeyTypes], content: bytes, *, skip_validation: bool) -> PrivateKeyTypes:
    try:
        return load(content, None, unsafe_skip_rsa_key_validation=skip_validation)
    except (ValueError, TypeError, InternalError, UnsupportedAlgorithm):
        raise PrivateKeyError("not a readable unencrypted private key in PEM form") from None


def _is_consistent(key: RSAPrivateNumbers) -> bool:
    """Whether a signature by the primes of this key verifies with its public half (RFC 8017, section 3.2). Such a
    signature does not use the private exponent.
    """
    p, q, public = key.p, key.q, key.public_numbers
    return (
        min(p, q) > 1
        and p * q == public.n
        and public.e * key.dmp1 % (p - 1) == 1
        and public.e * key.dmq1 % (q - 1) == 1
        and q * key.iqmp % p == 1
    )


_TEXT = "The private key with the public key SHA-256 {} is kept elsewhere."
_PATTERN = re.compile(re.escape(_TEXT).replace(r"\{\}", "([0-9a-f]{64})").encode("ascii"))


def placeholder(public_key_sha256: str) -> str:
    """The text for a key with this SHA-256 of its SubjectPublicKeyInfo, in lower-case hex."""
    return _TEXT.format(public_key_sha256)


def named_key(content: bytes) -> str | None:
    """SHA-256 of the public key in such a text; None if it is any other content."""
    match = _PATTERN.fullmatch(content.strip())
    return match.group(1).decode("ascii") if match else None
