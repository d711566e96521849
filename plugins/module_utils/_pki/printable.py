# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Text from elsewhere, made safe to show: the name of a CA must not command the terminal of its reader."""

from __future__ import annotations


def printable(text: str, keep: str = "") -> str:
    """The text, each character that does not print as RFC 4514 writes bytes: a backslash and hex digits, in UTF-8.

    That is control characters, what turns the direction of writing, and line ends other than those to keep.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in keep else _escaped(one) for one in text)


def fit_in_line(text: str, longest: int = 300) -> str:
    """The text as part of a sentence: on one line, printable, without a full stop, and no longer than so many characters."""
    shown = printable(" ".join(text.split())).rstrip(". ")
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def _escaped(one: str) -> str:
    return "".join(f"\\{byte:02X}" for byte in one.encode("utf-8", "surrogatepass"))
