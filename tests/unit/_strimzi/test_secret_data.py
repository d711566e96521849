# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data and annotations of objects that any user may have edited."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import (
    annotation,
    encode,
    entries,
    integer_annotation,
    size,
)


@given(st.dictionaries(st.text(min_size=1), st.binary()))
def test_encoded_entries_are_read_back(data: dict[str, bytes]) -> None:
    secret = {"data": {key: encode(value) for key, value in data.items()}}
    assert entries(secret) == data
    assert size(secret) == sum(len(key) + len(value) for key, value in data.items())


@pytest.mark.parametrize("secret", [None, {}, {"data": None}, {"data": {}}])
def test_a_secret_without_data_has_no_entries(secret: dict[str, Any] | None) -> None:
    assert entries(secret) == {}


@pytest.mark.parametrize("value", ["%%%", "YQ", "a b c d", "é"])
def test_an_entry_that_is_not_base64_is_left_out(value: str) -> None:
    assert entries({"data": {"bad": value, "good": "YQ=="}}) == {"good": b"a"}


def test_an_empty_entry_is_there() -> None:
    assert entries({"data": {"empty": "", "null": None}}) == {"empty": b"", "null": b""}


@pytest.mark.parametrize("resource", [None, {}, {"metadata": {}}, {"metadata": {"annotations": None}}])
def test_a_missing_annotation_is_none(resource: dict[str, Any] | None) -> None:
    assert annotation(resource, "a") is None
    assert integer_annotation(resource, "a") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("17", 17),
        ("", None),
        ("one", None),
        ("1.5", None),
        ("0x10", None),
        ("-1", None),
        ("2147483647", 2147483647),
        ("2147483648", None),
        ("9" * 4301, None),
        ("1_0", None),
        ("\u0663", None),
    ],
)
def test_a_generation_that_is_no_number_is_unknown(text: str, number: int | None) -> None:
    assert integer_annotation({"metadata": {"annotations": {"a": text}}}, "a") == number
