# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof counts every listener that accepts a CA that is not in use."""

from __future__ import annotations

import pytest

from .proof import Asked, proof

IN_USE = {b"new": "cluster-ca v1", b"clients": "clients-ca v0"}
GOOD = [Asked(node, 9091, b"new", frozenset({b"new"})) for node in ("a", "b")]
UNSURE = [Asked(node, 9094, b"new", frozenset()) for node in ("a", "b")]


def test_when_all_is_well_no_listener_trusts_the_removed_ca() -> None:
    lines = proof([*UNSURE, *GOOD], IN_USE, ["cluster-ca v0"]).splitlines()
    assert lines[2].split() == ["9091", "2", "cluster-ca", "v1", "cluster-ca", "v1"]
    assert lines[3].split(maxsplit=4)[4] == "(asks for no certificate)"
    assert lines[-1] == "0 of 4 listeners trust the removed CA cluster-ca v0."


@pytest.mark.parametrize("accepts", [{b"new", b"old"}, {b"old"}, {b"foreign", b"new"}])
def test_one_listener_that_accepts_another_ca_is_counted_and_shown(accepts: set[bytes]) -> None:
    shown = proof([*GOOD, Asked("c", 9091, b"new", frozenset(accepts))], IN_USE, ["cluster-ca v0"])
    assert shown.endswith("1 of 3 listeners trust the removed CA cluster-ca v0.")
    assert "a CA that is not in use" in shown


def test_a_listener_that_presents_the_old_ca_shows_it() -> None:
    assert "a CA that is not in use" in proof([Asked("c", 9091, b"old", frozenset({b"new"}))], IN_USE, [])


def test_without_a_removed_ca_it_says_which_are_meant() -> None:
    assert proof(GOOD, IN_USE, []).endswith("0 of 2 listeners trust any CA but cluster-ca v1, clients-ca v0.")
