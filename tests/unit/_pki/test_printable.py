# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of CAs, and other text from elsewhere, before anybody sees it."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import fit_in_line, printable

from ...support.certificates import key, make


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("CN=Größe 日本,O=x", "CN=Größe 日本,O=x"),
        ("a\x1b[2Jb", "a\\1B[2Jb"),
        ("a\x00\x7f\x9b", "a\\00\\7F\\C2\\9B"),
        ("a\u202eb\u2028", "a\\E2\\80\\AEb\\E2\\80\\A8"),
        ("a\nb\tc", "a\\0Ab\\09c"),
        ("\ud800", "\\ED\\A0\\80"),
    ],
)
def test_what_does_not_print_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(text).isprintable()


def test_line_ends_that_are_wanted() -> None:
    assert printable("a\nb\r\x1b", keep="\n") == "a\nb\\0D\\1B"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the role  does not\n\tallow it.", "the role does not allow it"),
        ("  a\x1b[2J \u202eb\r\n", "a\\1B[2J \\E2\\80\\AEb"),
        ("", ""),
        (" ...", ""),
        ("x" * 30, "x" * 30),
        ("x" * 31, "x" * 29 + "…"),
        ("x" * 28 + "\x1b", "x" * 28 + "\\…"),
    ],
)
def test_part_of_a_sentence(text: str, shown: str) -> None:
    assert fit_in_line(text, 30) == shown


@pytest.mark.parametrize(("length", "shown"), [(300, "x" * 300), (301, "x" * 299 + "…")])
def test_a_part_is_not_longer_than_a_few_lines(length: int, shown: str) -> None:
    assert fit_in_line("x" * length) == shown


def test_names_in_a_certificate() -> None:
    root = make("ro\x1bot", key(1))
    found = make("le\u202eaf\n", key(2), root).certificate
    assert found.subject == "CN=le\\E2\\80\\AEaf\\0A,O=io.strimzi"
    assert found.issuer == "CN=ro\\1Bot,O=io.strimzi"


def test_names_that_differ_stay_different() -> None:
    """A backslash of the name itself is escaped too."""
    one, other = (make(name, key(1)).certificate.subject for name in ("a\x1b", "a\\1B"))
    assert one != other
