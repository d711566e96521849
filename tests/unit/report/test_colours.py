# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The colours of report.html: WCAG 2 contrast in the light, in the dark and on paper."""

from __future__ import annotations

import re

import pytest

from .pages import TEMPLATES

STYLE = (TEMPLATES / "style.css.j2").read_text()
LIGHT, DARK, PAPER = (
    {**dict(re.findall(r"--(\w+): (#[0-9a-f]+)", block))} for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
)
AUTHORITIES = ("c0", "c1", "c2", "c3", "c4")


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK, PAPER], ids=["light", "dark", "paper"])
@pytest.mark.parametrize("text", ["ink", "soft", "good", "bad", "busy"])
@pytest.mark.parametrize("ground", ["page", "box"])
def test_text_can_be_read(colours: dict[str, str], text: str, ground: str) -> None:
    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK, PAPER], ids=["light", "dark", "paper"])
@pytest.mark.parametrize("authority", AUTHORITIES)
def test_letters_on_the_colour_of_a_ca_can_be_read(colours: dict[str, str], authority: str) -> None:
    assert contrast(colours[authority], colours["page"]) >= 4.5


def test_black_on_white() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
