# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of the API from the names that people give."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.login import mount_path, sign_path


@pytest.mark.parametrize(
    ("mount", "expected"),
    [
        ("pki", "pki"),
        ("/pki/", "pki"),
        ("pki/kafka", "pki/kafka"),
        ("pki//kafka", "pki/kafka"),
        ("a b/ü?", "a%20b/%C3%BC%3F"),
    ],
)
def test_a_mount_may_lie_below_others(mount: str, expected: str) -> None:
    assert mount_path(mount) == expected


def test_a_name_is_one_part_of_a_path() -> None:
    assert sign_path("pki", "../root", "a/b") == "pki/issuer/..%2Froot/sign/a%2Fb"
