# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private keys: made, read, stored, and the text in the place of a key that is kept elsewhere."""

from __future__ import annotations

import base64
import copy
import io
import json
import logging
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import PrivateKeyError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    KeyType,
    PrivateKey,
    generate_key,
    generate_keys,
    key_name,
    load_key,
    load_stored_key,
    named_key,
    placeholder,
)

from ...tools.support.certificates import EC, key, leaf, make, rsa_key
from ...tools.support.golden import GoldenFiles

KEY = key(0)
NUMBER = KEY.for_signing().private_numbers().private_value  # type: ignore[union-attr]


def secrets_of(private: PrivateKey) -> list[str]:
    """Every form in which the key could show up."""
    lines = [line for line in private.reveal().decode().splitlines() if "-----" not in line]
    return [*lines, str(NUMBER), f"{NUMBER:x}"]


@pytest.mark.parametrize(
    "spec", [KeySpec(KeyAlgorithm.RSA, 2048), KeyType.RSA_4096.spec, EC, KeySpec(KeyAlgorithm.ECDSA, 384)], ids=str
)
def test_kinds_of_keys(spec: KeySpec) -> None:
    made = generate_key(spec)
    assert made.algorithm is spec.algorithm
    assert made.spec == spec
    assert made.for_signing().key_size == spec.size
    assert made.reveal().startswith(b"-----BEGIN PRIVATE KEY-----\n")
    assert load_key(made.reveal()) == made
    assert made.signature_hash.name == {256: "sha256", 384: "sha384"}.get(spec.size, "sha512")
    root = make("a", made)
    assert root.certificate.signed_by(root.certificate)
    assert root.certificate.is_for(made)
    assert leaf(root).signed_by(root.certificate)
    assert not leaf(root).is_for(made)


@pytest.mark.parametrize(
    "spec",
    [KeySpec(KeyAlgorithm.RSA, 1024), KeySpec(KeyAlgorithm.ECDSA, 4096), KeySpec(KeyAlgorithm.ECDSA, 224)],
    ids=str,
)
def test_sizes_that_are_not_offered(spec: KeySpec) -> None:
    with pytest.raises(PrivateKeyError, match=str(spec.size)):
        generate_key(spec)


@pytest.mark.parametrize(
    ("curve", "name"),
    [
        (ec.SECP224R1(), "sha256"),
        (ec.SECP256R1(), "sha256"),
        (ec.SECP384R1(), "sha384"),
        (ec.SECP521R1(), "sha512"),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_hash_is_of_the_size_of_the_curve(curve: ec.EllipticCurve, name: str) -> None:
    """Also of curves on which no key is made here."""
    assert PrivateKey(ec.generate_private_key(curve)).signature_hash.name == name


def test_keys_differ_in_both_directions() -> None:
    """Whichever has the higher fingerprint."""
    first, second = key(1), key(2)
    assert first != second
    assert second != first
    assert first != first.public_key_sha256


@pytest.mark.parametrize("algorithm", [KeyAlgorithm.RSA, KeyAlgorithm.ECDSA])
def test_the_kinds_that_are_made_are_told(algorithm: KeyAlgorithm, golden: GoldenFiles) -> None:
    with pytest.raises(PrivateKeyError) as caught:
        generate_key(KeySpec(algorithm, 1))
    golden.compare_said("certificates", caught.value, algorithm.value)


@pytest.mark.parametrize("kind", KeyType)
def test_a_kind_and_a_key_of_it_have_the_same_name(kind: KeyType) -> None:
    assert key_name(kind.spec.algorithm.value, kind.spec.size) == kind.value


def test_a_key_of_a_kind_that_is_not_made_here_is_named_by_its_size() -> None:
    assert key_name("dsa", 2048) == "dsa-2048"


def test_the_text_of_a_key_is_the_start_of_its_fingerprint(golden: GoldenFiles) -> None:
    golden.compare_said("certificates", repr(KEY).replace(KEY.public_key_sha256[:16], "<start of the fingerprint>"))


@pytest.mark.parametrize("count", [0, 1, 5])
def test_several_keys(count: int) -> None:
    made = generate_keys(EC, count)
    assert len({one.public_key_sha256 for one in made}) == count


@pytest.mark.parametrize(
    "form", [serialization.PrivateFormat.PKCS8, serialization.PrivateFormat.TraditionalOpenSSL], ids=str
)
def test_loads_every_pem_form(form: serialization.PrivateFormat) -> None:
    pem = KEY.for_signing().private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    assert load_key(pem) == KEY


ENCRYPTED = KEY.for_signing().private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"canary")
)
EDWARDS = ed25519.Ed25519PrivateKey.generate().private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)


@pytest.mark.parametrize(
    "pem", [b"", b"canary", KEY.reveal()[:-40], KEY.reveal().replace(b"MIG", b"MIH"), ENCRYPTED, EDWARDS]
)
def test_unusable_keys_are_refused_without_a_trace_of_them(pem: bytes) -> None:
    with pytest.raises(PrivateKeyError) as caught:
        load_key(pem)
    text = "".join(traceback.format_exception(caught.value))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or pem == EDWARDS
    assert not any(line in text for line in [*secrets_of(KEY), "canary"] if line)


@pytest.mark.parametrize("show", [repr, str, format, "{0!s} {0!r}".format, lambda k: f"{k}", lambda k: "%s" % [k]])
def test_text_forms_show_the_public_fingerprint_only(show: Callable[[Any], str]) -> None:
    text = show(KEY)
    assert KEY.public_key_sha256[:16] in text
    assert not any(secret in text for secret in secrets_of(KEY))


@pytest.mark.parametrize(
    "leak",
    [
        json.dumps,
        pickle.dumps,
        copy.copy,
        copy.deepcopy,
        vars,
        bytes,
        dict,
        list,
        lambda k: k.__getstate__(),
        lambda k: json.dumps({"a": [k]}),
        lambda k: pickle.dumps(k, protocol=0),
    ],
)
def test_cannot_be_serialised(leak: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError) as caught:
        leak(KEY)
    assert not any(secret in str(caught.value) for secret in secrets_of(KEY))


def test_json_with_str_as_last_resort_shows_the_fingerprint() -> None:
    assert json.loads(json.dumps(KEY, default=str)) == repr(KEY)


def test_logging_and_tracebacks_with_locals() -> None:
    stream = io.StringIO()
    logger = logging.getLogger("key leak test")
    logger.addHandler(logging.StreamHandler(stream))
    logger.propagate = False
    try:
        held = KEY
        raise ValueError(held)
    except ValueError as error:
        logger.exception("failed with %s", held)
        report = traceback.TracebackException.from_exception(error, capture_locals=True)
        stream.write("".join(report.format()))
    assert not any(secret in stream.getvalue() for secret in secrets_of(KEY))


def test_immutable_and_equal_by_key() -> None:
    with pytest.raises(AttributeError):
        KEY.public_key_sha256 = "0"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        KEY.other = 1
    with pytest.raises(AttributeError):
        EC.size = 384  # type: ignore[misc]
    assert load_key(KEY.reveal()) == KEY
    assert hash(load_key(KEY.reveal())) == hash(KEY)
    assert key(1) != KEY


# A stored key is not validated prime by prime, but one whose parts do not belong together is refused.

RSA = rsa_key(2048)
STORED_EC = generate_key(KeySpec(KeyAlgorithm.ECDSA, 256))
OTHER = rsa_key(2048, 1)


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


@pytest.mark.parametrize("key", [RSA, STORED_EC], ids=["rsa", "ec"])
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
        # A multiple of one less than the prime: the remainder is 0 and not 1.
        {"dp": GOOD["p"] - 1},
        {"dq": GOOD["q"] - 1},
        {"qi": GOOD["p"]},
        # Half of one less than the prime: the remainder by this half is 1.
        {"dp": GOOD["dp"] + GOOD["p"] // 2},
        {"dq": GOOD["dq"] + GOOD["q"] // 2},
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


STORED_ENCRYPTED = STORED_EC.for_signing().private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"canary")
)


@pytest.mark.parametrize("pem", [b"", b"canary", RSA.reveal()[:-40], STORED_ENCRYPTED])
def test_a_text_without_a_key_is_refused(pem: bytes) -> None:
    with pytest.raises(PrivateKeyError):
        load_stored_key(pem)


# The text in the place of a key names the key, and nothing else is taken for such a text.

DIGEST = key(1).public_key_sha256
TEXT = f"The private key with the public key SHA-256 {DIGEST} is kept elsewhere."


def test_a_placeholder_names_the_public_key() -> None:
    assert placeholder(DIGEST) == TEXT


@given(st.binary(min_size=32, max_size=32).map(bytes.hex))
def test_a_placeholder_names_its_key(digest: str) -> None:
    assert named_key(placeholder(digest).encode()) == digest


@pytest.mark.parametrize("content", [f"{TEXT}\n", f" {TEXT}\r\n\n"])
def test_white_space_around_a_placeholder_is_ignored(content: str) -> None:
    assert named_key(content.encode()) == DIGEST


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"placeholder", id="another text"),
        pytest.param(TEXT.replace(DIGEST, DIGEST.upper()).encode(), id="capitals"),
        pytest.param(TEXT.replace(DIGEST, DIGEST[:-1]).encode(), id="too short"),
        pytest.param(TEXT.replace(DIGEST, f"{DIGEST}0").encode(), id="too long"),
        pytest.param(TEXT.removesuffix(".").encode(), id="cut"),
        pytest.param(TEXT.replace(".", "!").encode(), id="the full stop is meant"),
        pytest.param(f"{TEXT}\n{TEXT}".encode(), id="twice"),
        pytest.param(f"{TEXT} Ask Alice.".encode(), id="more behind it"),
        pytest.param(key(1).reveal(), id="the key itself"),
        pytest.param(key(1).reveal() + TEXT.encode(), id="behind the key itself"),
    ],
)
def test_another_text_is_no_placeholder(content: bytes) -> None:
    assert named_key(content) is None


@given(st.binary())
def test_any_content_is_judged_as_no_placeholder(content: bytes) -> None:
    assert named_key(content) is None


def test_the_placeholder_is_not_read_as_a_key() -> None:
    with pytest.raises(PrivateKeyError):
        load_stored_key(TEXT.encode())
