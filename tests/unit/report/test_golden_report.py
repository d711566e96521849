# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of a report: the whole of its Markdown, and the texts of its page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ...tools.support.golden import GoldenFiles
from ..filter.runs import facts
from .conftest import asked, reports
from .pages import page_of, write_pages

#: Reports as in the other tests, of clusters that are small enough to read.
REPORTS: Mapping[str, Mapping[str, Any]] = {
    **{name: reports()[name] for name in ("done", "held", "failed", "idle", "planned")},
    "asked": {"calls": asked(9)},
}
#: The reports whose pages have words of their own, beside those of the Markdown.
PAGES = ("done", "held", "planned", "asked")


@pytest.mark.parametrize("name", REPORTS)
def test_the_markdown_says_what_the_golden_file_says(name: str, tmp_path: Path, golden: GoldenFiles) -> None:
    write_pages(tmp_path / "report", facts(**REPORTS[name]))
    golden.compare("report", name, (tmp_path / "report" / "report.md").read_text().rstrip("\n"))


@pytest.mark.parametrize("name", PAGES)
def test_the_page_says_what_the_golden_file_says(name: str, tmp_path: Path, golden: GoldenFiles) -> None:
    write_pages(tmp_path / "report", facts(**REPORTS[name]))
    texts = [text for text in page_of(tmp_path / "report").texts if text and "color-scheme" not in text]
    golden.compare("report", f"{name}, page", "\n".join(texts))


def test_the_golden_file_has_no_other_section(golden: GoldenFiles) -> None:
    golden.compare_names("report", [*REPORTS, *(f"{name}, page" for name in PAGES)])
