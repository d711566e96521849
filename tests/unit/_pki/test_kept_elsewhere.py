# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text in the place of a key names the key, and nothing else is taken for such a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import PrivateKeyError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_stored_key, named_key, placeholder

from ...support.certificates import key

DIGEST = key(1).public_key_sha256
TEXT = f"The private key with the public key SHA-256 {DIGEST} is kept elsewhere."


def test_what_it_says() -> None:
    assert placeholder(DIGEST) == TEXT


@given(st.binary(min_size=32, max_size=32).map(bytes.hex))
def test_it_names_its_key(digest: str) -> None:
    assert named_key(placeholder(digest).encode()) == digest


@pytest.mark.parametrize("content", [f"{TEXT}\n", f" {TEXT}\r\n\n"])
def test_what_an_editor_adds_does_not_matter(content: str) -> None:
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
def test_nothing_else_is_one(content: bytes) -> None:
    assert named_key(content) is None


@given(st.binary())
def test_any_content_is_looked_at(content: bytes) -> None:
    assert named_key(content) is None


def test_nobody_takes_it_for_a_key() -> None:
    with pytest.raises(PrivateKeyError):
        load_stored_key(TEXT.encode())
