# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""report.html: one file that needs nothing else, that every browser can show, that names cannot break, and its colours (WCAG 2 contrast)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from ..filter.runs import facts
from .conftest import HOSTILE, HOSTILES, NAMES, reports
from .pages import TEMPLATES, Page, page_of

every_report = pytest.mark.parametrize("name", NAMES)


@every_report
def test_the_page_fetches_no_resource(written: Path, name: str) -> None:
    page = page_of(written / name)
    assert not {"script", "link", "img", "iframe", "object", "base"} & {tag for tag, _attributes in page.elements}
    assert page.attributes("src") + page.attributes("href") + page.attributes("style") == []
    style = "".join(text for text in page.texts if "color-scheme" in text)
    assert re.findall(r"url\(([^)]*)\)|@import", style) == ["#hatch"]


@every_report
def test_identifiers_are_unique_and_references_lead_somewhere(written: Path, name: str) -> None:
    page = page_of(written / name)
    identifiers = Counter(page.attributes("id"))
    assert [one for one, number in identifiers.items() if number > 1] == []
    referred = [one for text in page.attributes("aria-labelledby") for one in text.split()]
    assert set(referred) <= set(identifiers)


@every_report
def test_landmarks_headings_and_captions(written: Path, name: str) -> None:
    page = page_of(written / name)
    assert [page.count(tag) for tag in ("header", "main", "footer", "h1", "title")][:4] == [1, 1, 1, 1]
    assert page.count("section") == len(page.attributes("aria-labelledby")) - _pictures(page)
    assert page.count("table") == page.count("caption") == page.count("thead")
    assert all(one["scope"] in ("col", "row") for tag, one in page.elements if tag == "th")
    assert all("aria-label" in one for _tag, one in page.elements if one.get("role") == "region")
    assert list(page.attributes("lang")) == ["en"]


def _pictures(page: Page) -> int:
    return sum(one.get("role") == "img" for tag, one in page.elements if tag == "svg")


@every_report
def test_pictures_are_told_in_words(written: Path, name: str) -> None:
    page = page_of(written / name)
    assert page.count("desc") == _pictures(page)
    drawn = [one for tag, one in page.elements if tag == "svg"]
    assert all(one.get("role") == "img" or one.get("aria-hidden") == "true" for one in drawn)


@pytest.mark.parametrize(("name", "pictures"), [("done", 3), ("many", 3), ("idle", 1), ("failed", 0)])
def test_how_many_pictures(written: Path, name: str, pictures: int) -> None:
    """Before and after and the timeline; one when nothing changed; none when nothing was seen."""
    assert _pictures(page_of(written / name)) == pictures


def test_a_hundred_pods_are_one_box_in_each_picture(written: Path) -> None:
    texts = page_of(written / "many").texts
    assert texts.count("100 Kafka nodes") == 2 + 1  # and as restarted
    assert texts.count("demo-kafka-57") == 3  # folded among the channels, the restarts and the pods


def test_the_matrix_has_every_channel_and_folds_those_that_are_alike(written: Path) -> None:
    texts = page_of(written / "asked").texts
    channels = texts[texts.index("Channels") : texts.index("What was done")]
    for told in (
        "demo-kafka-1:9090",
        "98 more like this",
        "demo-kafka-7:9091",
        "asked, not observed",
        "no answer",
        "demo-kafka-0",
        "A",
        "B",
    ):
        assert channels.count(told) == 1, told
    rows = report_view(facts(**reports()["asked"]))["matrix"]["rows"]
    for kind in ("name", "known_from"):
        assert Counter(text for text in channels if text in {row[kind] for row in rows}) == Counter(
            row[kind] for row in rows
        )


def test_the_sha256_is_there_in_full(written: Path) -> None:
    page = page_of(written / "done")
    assert page.texts.count("a" * 64) == 1
    assert page.texts.count("b" * 64) == 1


def test_a_held_flow_shows_violation_and_remedy(written: Path) -> None:
    texts = page_of(written / "held").texts
    assert {"pod demo-kafka-0", "is held.", "Let it go.", "docs/stops.md: trust"} <= set(texts)


def test_a_failure_before_anything_was_seen_is_told(written: Path) -> None:
    assert "no answer" in page_of(written / "failed").texts


@pytest.mark.parametrize("name", HOSTILES)
def test_hostile_names_stay_text(written: Path, name: str) -> None:
    page = page_of(written / name)
    assert page.count("script") == page.count("b") == 0
    assert page.texts.count(HOSTILE) > 10
    tame = [page_of(written / other) for other in NAMES if other not in HOSTILES]
    allowed = {tag for other in tame for tag, _attributes in other.elements}
    assert {tag for tag, _attributes in page.elements} <= allowed


def test_every_expression_of_the_templates_is_escaped() -> None:
    """Ansible's templates do not escape by themselves, and ``{% autoescape %}`` has no effect there."""
    found = [
        expression for file in [*TEMPLATES.glob("*.html.j2"), *TEMPLATES.glob("*.svg.j2")]
        for expression in re.findall(r"\{\{(.*?)\}\}", file.read_text(), re.DOTALL)
    ]  # fmt: skip
    assert len(found) > 80
    assert [one for one in found if not one.endswith(" | e ") and not one.startswith((" lines(", " named("))] == []


# The colours of report.html: WCAG 2 contrast in the light, in the dark and on paper.

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
