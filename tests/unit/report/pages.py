# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of the templates, written and read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

TEMPLATES = Path(__file__).resolve().parents[3] / "roles" / "report" / "templates"

VOID = frozenset({"meta", "br"})


class Page(HTMLParser):
    """Elements with their attributes and texts; a page that is not well-formed is refused."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())

    def attributes(self, name: str) -> list[str]:
        return [attributes[name] for _tag, attributes in self.elements if name in attributes]

    def count(self, tag: str) -> int:
        return sum(found == tag for found, _attributes in self.elements)


def write_pages(folder: Path, facts: Mapping[str, Any]) -> None:
    """The three files, by the templates alone."""
    pages = Environment(loader=FileSystemLoader(TEMPLATES), trim_blocks=True, undefined=StrictUndefined)
    pages.filters["to_nice_json"] = lambda value, indent: json.dumps(value, indent=indent, sort_keys=True)
    folder.mkdir()
    for name in ("report.md", "report.json", "report.html"):
        text = pages.get_template(f"{name}.j2").render(report_facts=facts, report_shown=report_view(facts))
        (folder / name).write_text(text.rstrip("\n") + "\n")


def page_of(folder: Path) -> Page:
    return Page((folder / "report.html").read_text())
