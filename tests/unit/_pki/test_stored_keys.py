# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stored key is not validated prime by prime, but one whose parts do not belong together is refused."""

from __future__ import annotations

import base64
import traceback

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import PrivateKeyError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    generate_key,
    load_stored_key,
)

RSA = generate_key(KeySpec(KeyAlgorithm.RSA, 2048))
EC = generate_key(KeySpec(KeyAlgorithm.ECDSA, 256))
OTHER = generate_key(KeySpec(KeyAlgorithm.RSA, 2048))


def parts(key: object) -> dict[str, int]:
    """RSAPrivateKey of RFC 8017, A.1.2."""
    assert isinstance(key, rsa.RSAPrivateKey)
    private = key.private_numbers()
    public = private.public_numbers
    return {
        "version": 0, "n": public.n, "e": public.e, "d": private.d, "p": private.p, "q": private.q,
        "dp": private.dmp1, "dq": private.dmq1, "qi": private.iqmp,
    }  # fmt: skip


GOOD = parts(RSA.for_signing())
FOREIGN = parts(OTHER.for_signing())


def pkcs1(numbers: dict[str, int]) -> bytes:
    """PEM of these numbers, whether they make sense or not."""
    body = b"".join(element(2, number.to_bytes(number.bit_length() // 8 + 1, "big")) for number in numbers.values())
    encoded = base64.encodebytes(element(0x30, body))
    return b"-----BEGIN RSA PRIVATE KEY-----\n" + encoded + b"-----END RSA PRIVATE KEY-----\n"


def element(tag: int, content: bytes) -> bytes:
    """DER with a length of two bytes or one."""
    length = len(content)
    head = bytes([length]) if length < 128 else b"\x82" + length.to_bytes(2, "big")
    return bytes([tag]) + (head if length < 128 or length > 255 else b"\x81" + bytes([length])) + content


@pytest.mark.parametrize("key", [RSA, EC], ids=["rsa", "ec"])
def test_a_key_that_signs_is_the_key_that_was_stored(key: object) -> None:
    assert load_stored_key(key.reveal()) == key  # type: ignore[attr-defined]


def test_pkcs1_is_read_too() -> None:
    assert load_stored_key(pkcs1(GOOD)) == RSA


@pytest.mark.parametrize(
    "damage",
    [
        {"n": FOREIGN["n"]},
        {"n": GOOD["n"] + 1},
        {"n": GOOD["n"] + 2},
        {"n": 0},
        {"e": 3},
        {"e": 0},
        {"p": 0, "d": 5},
        {"d": GOOD["d"] + 2, "dp": GOOD["dp"] + 2},
        {"dp": GOOD["dp"] + 2},
        {"dq": GOOD["dq"] + 2},
        {"qi": GOOD["qi"] + 1},
        {"p": 1, "q": GOOD["n"]},
        {"p": GOOD["n"], "q": 1},
        {"p": GOOD["p"] + 2, "q": GOOD["q"] + 2},
        {**FOREIGN, "n": GOOD["n"]},
    ],
    ids="+".join,
)
def test_a_key_whose_halves_do_not_belong_together_is_refused(damage: dict[str, int]) -> None:
    pem = pkcs1({**GOOD, **damage})
    with pytest.raises(PrivateKeyError) as caught:
        load_stored_key(pem)
    text = "".join(traceback.format_exception(caught.value))
    assert not any(str(number) in text for number in GOOD.values() if number > 65537)


ENCRYPTED = EC.for_signing().private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"canary")
)


@pytest.mark.parametrize("pem", [b"", b"canary", RSA.reveal()[:-40], ENCRYPTED])
def test_what_is_no_key_is_refused(pem: bytes) -> None:
    with pytest.raises(PrivateKeyError):
        load_stored_key(pem)
