# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RSA keys of any size at once. They are no keys: their factors are no primes, which takes long to find out."""

from __future__ import annotations

from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    certificate_from_der,
)

from .certificates import NOW, YEAR, key


def certificate_with_rsa_bits(bits: int) -> Certificate:
    """A certificate for a public key of this size, signed with another key."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "large")])
    public = rsa.RSAPublicNumbers(65537, _modulus(bits)).public_key()
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(public).serial_number(1)
    builder = builder.not_valid_before(NOW).not_valid_after(NOW + YEAR)
    signed = builder.sign(key(1).for_signing(), key(1).signature_hash)
    return certificate_from_der(signed.public_bytes(serialization.Encoding.DER))


@cache
def rsa_pem_of(bits: int) -> bytes:
    """A PEM block with the form of a private key of this size, as PKCS#8."""
    p, q = (1 << bits // 2) - 1, (1 << bits // 2) - 3
    public = rsa.RSAPublicNumbers(65537, p * q)
    numbers = rsa.RSAPrivateNumbers(p, q, p * q - 2, p - 2, q - 2, p - 2, public)
    made = numbers.private_key(unsafe_skip_rsa_key_validation=True)
    return made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _modulus(bits: int) -> int:
    return (1 << bits) - 1
