# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains and keys that are larger than anything that verifiers accept are refused before they cost time."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from functools import cache

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import CertificateError, PrivateKeyError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    MOST_IN_A_CHAIN,
    MOST_RSA_BITS,
    Certificate,
    encode_certificates,
    parse_certificates,
    parse_chain,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    PrivateKey,
    load_key,
    load_stored_key,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import Verifier, validate_path

from ...tools.support.certificates import NOW, YEAR, Entity, key, leaf, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.large_keys import certificate_with_rsa_bits, rsa_pem_of

#: More than anything that verifiers accept.
MANY = 871
ROOT = make("root", key(2))


@cache
def twins() -> list[Entity]:
    """Certificates of one CA, of which each has signed all others."""
    return [make("same", key(1), end=NOW + YEAR + timedelta(days=day)) for day in range(MANY)]


def presented(count: int) -> tuple[Certificate, ...]:
    """A leaf, and so many of the twins behind it."""
    return (leaf(twins()[0]), *(one.certificate for one in twins()[:count]))


@pytest.mark.parametrize("count", [1, MOST_IN_A_CHAIN, MOST_IN_A_CHAIN + 1])
def test_a_chain_has_as_many_certificates_as_a_jvm_accepts(count: int, golden: GoldenFiles) -> None:
    chain = [one.certificate for one in twins()[:count]]
    if count <= MOST_IN_A_CHAIN:
        assert parse_chain(encode_certificates(chain)) == tuple(chain)
        return
    with pytest.raises(CertificateError) as refused:
        parse_chain(encode_certificates(chain))
    golden.compare_said("certificates", refused.value)
    assert len(parse_certificates(encode_certificates(chain))) == count  # a list of CAs may be longer


@pytest.mark.parametrize("verifier", Verifier)
@pytest.mark.parametrize("count", [MOST_IN_A_CHAIN - 1, MANY])
def test_no_presented_chain_takes_long(count: int, verifier: Verifier) -> None:
    chain = presented(count)
    begin = time.process_time()
    result = validate_path(chain, (ROOT.certificate,), at=NOW, verifier=verifier)
    assert not result.valid
    assert ("it has " in result.reason) is (count == MANY)
    assert time.process_time() - begin < 2


@cache
def namesakes() -> list[Entity]:
    return [make("same", key(number)) for number in range(100, 100 + MANY)]


@pytest.mark.parametrize("verifier", Verifier)
@pytest.mark.parametrize("anchors", [twins, namesakes])
def test_no_list_of_trusted_cas_takes_long(anchors: Callable[[], list[Entity]], verifier: Verifier) -> None:
    chain, trusted = presented(9), [one.certificate for one in anchors()]
    begin = time.process_time()
    assert not validate_path(chain, trusted, at=NOW - 3 * YEAR, verifier=verifier).valid
    assert time.process_time() - begin < 5


def test_an_rsa_key_that_no_verifier_takes(golden: GoldenFiles) -> None:
    assert certificate_with_rsa_bits(MOST_RSA_BITS).key_type == ("rsa", MOST_RSA_BITS)
    assert certificate_with_rsa_bits(MOST_RSA_BITS).key_name == f"rsa-{MOST_RSA_BITS}"
    with pytest.raises(CertificateError) as refused:
        certificate_with_rsa_bits(MOST_RSA_BITS + 8)
    golden.compare_said("certificates", refused.value)


@pytest.mark.parametrize("load", [load_key, load_stored_key])
def test_a_private_key_that_takes_minutes_to_validate(load: object, golden: GoldenFiles) -> None:
    begin = time.process_time()
    with pytest.raises(PrivateKeyError) as refused:
        load(rsa_pem_of(32768))  # type: ignore[operator]
    assert time.process_time() - begin < 2
    golden.compare_said("certificates", refused.value)


@pytest.mark.parametrize(
    ("bits", "why"),
    [
        (8192, "an RSA key whose private and public half do not belong together"),
        (8200, "an RSA key of 8200 bits, and at most 8192 are taken here"),
        (1024, "an RSA key whose private and public half do not belong together"),
        (1016, "an RSA key of 1016 bits, too short to sign with"),
        (512, "an RSA key of 512 bits, too short to sign with"),
    ],
)
def test_sizes_of_private_keys_that_are_looked_at_further(bits: int, why: str) -> None:
    with pytest.raises(PrivateKeyError) as caught:
        load_stored_key(rsa_pem_of(bits))
    assert str(caught.value) == why


@pytest.mark.parametrize("load", [load_key, load_stored_key])
def test_the_shortest_rsa_key(load: Callable[[bytes], PrivateKey]) -> None:
    pem = rsa.generate_private_key(65537, 1024).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    assert load(pem).spec == KeySpec(KeyAlgorithm.RSA, 1024)


def test_a_private_key_of_a_usual_size_is_still_validated() -> None:
    numbers = rsa.generate_private_key(65537, 2048).private_numbers()
    broken = rsa.RSAPrivateNumbers(
        numbers.p, numbers.q, numbers.d + 2, numbers.dmp1, numbers.dmq1, numbers.iqmp, numbers.public_numbers
    ).private_key(unsafe_skip_rsa_key_validation=True)
    pem = broken.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with pytest.raises(PrivateKeyError, match="not a readable"):
        load_key(pem)
