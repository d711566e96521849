# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The rules of an organization about keys, signatures and the life of certificates, and the breaches of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from .certificates import Certificate
from .keys import KeyAlgorithm, KeySpec

#: The curves of the keys that are made here, by their size, and the hashes that sign with them (``PrivateKey.signature_hash``).
_MADE_HERE = {256: ("secp256r1", "sha256"), 384: ("secp384r1", "sha384")}
_HASH_OF_RSA = "sha512"


@dataclass(frozen=True)
class KeyPolicy:
    """Rules; what is empty or None is no rule."""

    # The name of the policy, for messages.
    name: str = "key_policy"
    # The fewest bits of an RSA key.
    rsa_bits: int | None = None
    # The curves that an EC key may be on, as OpenSSL names them, such as "secp384r1".
    curves: frozenset[str] = frozenset()
    # The hashes that a signature may be made with, such as "sha256".
    hashes: frozenset[str] = frozenset()
    # The longest life of a CA, from the beginning of its validity.
    ca_life: timedelta | None = None
    # The longest life of a leaf.
    leaf_life: timedelta | None = None

    def breaches(self, certificate: Certificate) -> Iterator[str]:
        """The values of this certificate that break a rule, each with the rule, as clauses."""
        algorithm, size = certificate.key_type
        yield from self._of_key(algorithm, size, certificate.curve, certificate.key_name)
        yield from self._of_hash(certificate.signature_hash)
        longest = self.ca_life if certificate.is_ca else self.leaf_life
        yield from _of_life(certificate.not_after - certificate.not_before, longest)

    def breaches_of_key(self, certificate: Certificate) -> Iterator[str]:
        """As ``breaches``, of its key alone: a renewal keeps it."""
        algorithm, size = certificate.key_type
        yield from self._of_key(algorithm, size, certificate.curve, certificate.key_name)

    def breaches_of_authority(self, spec: KeySpec, life: timedelta) -> Iterator[str]:
        """The breaches of a CA that would be made here with such a key and for so long."""
        if spec.algorithm is KeyAlgorithm.RSA:
            yield from self._of_key(spec.algorithm.value, spec.size, None, f"rsa-{spec.size}")
            yield from self._of_hash(_HASH_OF_RSA)
        else:
            curve, digest = _MADE_HERE[spec.size]
            yield from self._of_key(spec.algorithm.value, spec.size, curve, f"ecdsa-p{spec.size}")
            yield from self._of_hash(digest)
        yield from self.breaches_of_life(life)

    def breaches_of_life(self, life: timedelta) -> Iterator[str]:
        """As ``breaches_of_authority``, of its life alone."""
        yield from _of_life(life, self.ca_life)

    def breaches_of_leaves(self, bits: int, life: timedelta) -> Iterator[str]:
        """The breaches of leaves with RSA keys of so many bits that live so long."""
        yield from self._of_key(KeyAlgorithm.RSA.value, bits, None, f"rsa-{bits}")
        yield from _of_life(life, self.leaf_life)

    def _of_key(self, algorithm: str, size: int, curve: str | None, name: str) -> Iterator[str]:
        if algorithm == KeyAlgorithm.RSA.value:
            if self.rsa_bits is not None and size < self.rsa_bits:
                yield f"a key {name}, and RSA keys have at least {self.rsa_bits} bits (rsa_bits)"
        elif self.curves and curve not in self.curves:
            yield f"a key {name} on the curve {curve or 'of no name'}, and keys are on {', '.join(sorted(self.curves))} (curves)"

    def _of_hash(self, digest: str | None) -> Iterator[str]:
        if self.hashes and digest not in self.hashes:
            yield f"a signature with {digest or 'no hash of its own'}, and signatures are made with {', '.join(sorted(self.hashes))} (hashes)"


def _of_life(life: timedelta, longest: timedelta | None) -> Iterator[str]:
    # A certificate is dated back by some minutes, because clocks differ.
    if longest is not None and life > longest + timedelta(days=1):
        yield f"a life of {life.days} days, and {longest.days} days are the longest"
