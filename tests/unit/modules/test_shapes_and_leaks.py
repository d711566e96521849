# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two witnesses of the other tests are not blind."""

from __future__ import annotations

import base64

import pytest

from . import stages
from .leaks import keys_of, leaks
from .shapes import differences


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ({"a": 1}, {"a": 2}, []),
        ({"a": 1}, {"b": 1}, [".a", ".b"]),
        ({"a": {"b": 1}}, {"a": {}}, [".a.b"]),
        ({"a": [{"b": 1}, {}]}, {"a": []}, [".a[].b"]),
        ({"a": [{"b": 1}]}, {"a": [{"c": 1}]}, [".a[].b", ".a[].c"]),
        ({"a": None}, {"a": {"b": 1}}, []),
        ({"a": "1"}, {"a": 1}, [".a: number, str"]),
        ({"diff": [{"before": {"x": 1}}]}, {"diff": [{"before": {}}]}, []),
    ],
)
def test_differences(one: object, other: object, found: list[str]) -> None:
    assert differences(one, other) == found


def _pem() -> tuple[set[str], str, str]:
    secret = stages.managed().api.find("secrets", "kafka", "demo-cluster-ca")
    assert secret is not None
    encoded = secret["data"]["ca.key"]
    return {encoded}, encoded, base64.b64decode(encoded).decode()


def test_a_key_is_found_in_every_form() -> None:
    keys, encoded, pem = _pem()
    for text in (encoded, pem, pem.splitlines()[1], repr(pem), pem.replace("\n", "\\n")):
        assert leaks(f"before {text} after", keys)
    assert leaks("nothing of it", keys) == []


def test_a_world_has_keys_and_passwords_to_look_for() -> None:
    # CA, three nodes, five components, the clients' CA and its truststore.
    assert len(keys_of(stages.managed())) >= 10
