# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of errors, and text from elsewhere before a person sees it."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils import _errors
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import fit_in_line, printable

from ..tools.support.certificates import key, make

_PLUGINS = Path(_errors.__file__).parents[1]
_NODE = re.compile(r"^    (?P<branch>[│├└─ ]*)(?P<name>[A-Z]\w+)", re.MULTILINE)
_CLASS = re.compile(r"^class (\w+)\(([\w.]+)", re.MULTILINE)


def _drawn() -> Iterator[tuple[str, str]]:
    """Each class of the drawing with the one that it derives from."""
    above: list[str] = []
    for node in _NODE.finditer(_errors.__doc__ or ""):
        depth = len(node["branch"]) // 4
        above[depth:] = [node["name"]]
        yield node["name"], above[depth - 1] if depth else "Exception"


def _defined(path: Path) -> list[tuple[str, str]]:
    """Each class of a file with its first base."""
    return _CLASS.findall(path.read_text(encoding="utf-8"))


def test_the_drawing_is_the_tree() -> None:
    hierarchy = [pair for pair in _defined(Path(_errors.__file__)) if pair[1] != "Protocol"]
    assert sorted(_drawn()) == sorted(hierarchy)


def test_errors_elsewhere_stay_in_their_file() -> None:
    errors = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    errors |= {name for name, _base in _drawn()}
    elsewhere = [
        f"{path.relative_to(_PLUGINS)}: {name}"
        for path in _PLUGINS.rglob("*.py")
        if path.name != "_errors.py"
        for name, base in _defined(path)
        if base in errors and not name.startswith("_")
    ]
    assert elsewhere == []


# Names of CAs, and other text from elsewhere, before a user sees it.


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
def test_unprintable_characters_are_escaped(text: str, shown: str) -> None:
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
