# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The generator of documentation: nothing of its tables is unused, it finds what differs, and mends it."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import pytest
import yaml

from ...tools.documents import __main__ as documents
from ...tools.documents import roles
from ...tools.documents.entries import entries_of
from ...tools.documents.facts import with_facts
from ...tools.documents.tables import OWN, REFERRED
from ..modules.running import NAMES

TABLES = Path(documents.__file__).parent
RETURNED, VARIABLES, ROLES = (
    yaml.safe_load((TABLES / f"{name}.yml").read_text()) for name in ("returns", "variables", "roles")
)


#: The words of a page that a person reads from its beginning to its end. operator.md is a list of facts to look up.
MOST_WORDS, LISTS = 5000, {"operator.md"}


def test_a_page_is_short_enough_to_be_read_in_one_go() -> None:
    pages = [page for page in (documents.ROOT / "docs").rglob("*.md") if page.name not in LISTS]
    assert pages
    assert [page.name for page in pages if len(page.read_text().split()) > MOST_WORDS] == []


def test_a_file_is_taken_apart_as_it_was_written() -> None:
    text = "# About it.\none:\n  type: str\n  # odd  spacing\ntwo:\n  a: {b:   c}\n\n"
    assert entries_of(text) == {"one": "one:\n  type: str\n  # odd  spacing", "two": "two:\n  a: {b:   c}"}


def test_facts_of_an_option_are_those_of_its_argument_spec() -> None:
    text = """\
    options:
      size:
        description: In bits.
        type: str
        default: 1
        suboptions:
          unit:
            description: About it.
      mine:
        type: path
    notes: []"""
    options = {"size": {"type": "dict", "default": 0, "options": {"unit": {"type": "str", "choices": ["a", "b c"]}}}}
    found = with_facts(textwrap.dedent(text), options, "suboptions", 2)
    about_unit = "{description: About it., type: str, choices: [a, b c]}"
    about_size = f"{{description: In bits., type: dict, default: 0, suboptions: {{unit: {about_unit}}}}}"
    assert yaml.safe_load(found) == yaml.safe_load(
        f"{{options: {{size: {about_size}, mine: {{type: path}}}}, notes: []}}"
    )
    kept = with_facts(textwrap.dedent(text), options, "suboptions", 2, may_differ=True)
    assert yaml.safe_load(kept)["options"]["size"]["default"] == 1


def test_choices_in_the_table_of_variables_are_those_of_the_options() -> None:
    """docs/reference.md, "Variables"."""
    rows = re.findall(
        r"`(strimzi_\w+)=([\w-]+)((?:`, `[\w-]+)+)`", (documents.ROOT / "docs" / "reference.md").read_text()
    )
    assert len(rows) > 7
    for name, first, others in rows:
        choices = {str(choice) for choice in roles.VARIABLES.get(name, {}).get("choices", ("ok", "fail"))} - {""}
        assert {first, *others.split("`, `")[1:]} == choices, name


def test_every_module_and_every_entry_is_used() -> None:
    assert set(OWN) == set(NAMES) >= set(REFERRED)
    assert {key for keys in OWN.values() for key in keys} == set(RETURNED)


def test_every_variable_and_every_group_is_used() -> None:
    grouped = {group for variable in VARIABLES.values() for group in variable["groups"]}
    assert {group for role in ROLES.values() for group in role["variables"]} == grouped


def test_every_role_with_tasks_of_a_flow_is_described() -> None:
    described = {path.parent.name for path in roles.ROLES.glob("*/README.md")}
    assert set(ROLES) == described - {"flow", "report"}


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["documents", *arguments])
    return documents.main()


def test_a_file_that_differs_is_named_and_mended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in OWN:
        module = tmp_path / "plugins" / "modules" / f"{name}.py"
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text((documents.ROOT / "plugins" / "modules" / module.name).read_text())
    monkeypatch.setattr(documents, "ROOT", tmp_path)
    for other in ("role_documents", "stops_document"):
        monkeypatch.setattr(documents, other, lambda: ())
    assert run(monkeypatch) == 0
    changed = tmp_path / "plugins" / "modules" / "strimzi_roll.py"
    before = changed.read_text()
    changed.write_text(before.replace("strimzi_ca_info#module:cas", "strimzi_ca_info#module:pods"))
    assert run(monkeypatch) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("plugins/modules/strimzi_roll.py: ")
    assert (run(monkeypatch, "--write"), run(monkeypatch)) == (0, 0)
    assert changed.read_text() == before
