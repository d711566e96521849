# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of a table of options makes the argument spec, the facts of the documentation, and the value of the field that it fills."""

from __future__ import annotations

import ast
from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    SECONDS,
    ArgumentSpec,
    Call,
    Field,
    Option,
    is_given,
    one_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OptionsError
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Pace, Spread, Wishes

from ...tools.documents.facts import with_facts
from ..modules.running import NAMES

PLUGINS = Path(__file__).parents[3] / "plugins"
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
#: Every row of every module, by module and name.
ROWS: dict[tuple[str, str], Option] = {
    (module, name): option
    for module in NAMES
    for name, option in import_module(
        f"ansible_collections.trustops.strimzi.plugins.modules.{module}"
    ).SPEC.table.items()
}
FILLING = {where: option for where, option in ROWS.items() if option.fills is not None}

filling = pytest.mark.parametrize(
    ("name", "option"), [(name, option) for (_module, name), option in FILLING.items()], ids=map(" ".join, FILLING)
)


def test_a_row_and_its_use_are_an_option() -> None:
    """A row that is made up here is in the argument spec, in the documentation with its facts, and in the intent: nothing else is touched."""
    table = {**FLOW.table, "made_up": Option(one_of(Spread), Field(Pace, "spread"))}
    spec = ArgumentSpec(table)
    facts = {"type": "str", "choices": ["auto", "reload", "restart"], "default": "auto"}
    assert spec.as_arguments()["argument_spec"]["made_up"] == facts

    description = ["What a person has written."]
    written = f"options:\n  made_up:\n    description:\n      - {description[0]}\n"
    documented = yaml.safe_load(with_facts(written, spec.options, "suboptions", 2))["options"]
    assert documented["made_up"] == {"description": description, **facts}

    said = Wishes(pace=spec.read(Pace, {"made_up": "reload"}, NOW)).towards(Goal.RENEW)
    assert said.pace == replace(Pace(), spread=Spread.RELOAD)
    assert Wishes(pace=spec.read(Pace, {}, NOW)).towards(Goal.RENEW).pace == Pace()


def test_a_limit_stands_in_the_row() -> None:
    spec = ArgumentSpec({"made_up": Option(SECONDS, Field(Pace, "client_grace"), least=1, most=9)})
    for seconds, problem in ((0, "too small. Give 1"), (10, "too large. Give 9")):
        with pytest.raises(OptionsError) as caught:
            spec.check({"made_up": seconds}, NOW)
        assert f"made_up: {seconds} is {problem}" in f"{caught.value} {caught.value.remedy}"
    spec.check({"made_up": 9}, NOW)
    assert spec.read(Pace, {"made_up": 9}, NOW).client_grace == timedelta(seconds=9)


@filling
def test_a_row_fills_a_field_that_is_there(name: str, option: Option) -> None:
    assert option.fills is not None
    assert option.fills.name in {field.name for field in fields(option.fills.part)}


@filling
def test_the_default_is_said_once(name: str, option: Option) -> None:
    """A call that gives the default says what a call says that gives nothing: the default stands at the field, and in the row only if the field has none."""
    assert option.fills is not None
    spelled, beside = option.argument.get("default"), option.fills.default
    assert option.default is None or beside is None
    if is_given(spelled):
        value: Any = option.kind.read(spelled, Call(name, {name: spelled}, NOW))
        assert value == (option.default if beside is None and option.default is not None else beside)


def test_no_two_modules_have_the_same_option_of_two_kinds() -> None:
    """A field is filled by one row in all modules that have it."""
    found: dict[tuple[str, type, str], set[int]] = {}
    for (_module, name), option in FILLING.items():
        assert option.fills is not None
        found.setdefault((name, option.fills.part, option.fills.name), set()).add(id(option))
    assert {where for where, rows in found.items() if len(rows) > 1} == set()


def _defaults_beside_tables(source: str) -> list[int]:
    """The lines that put a default in the place of an option that is not given."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and "params" in ast.unparse(node.values[0])
        if isinstance(node.values[-1], ast.Constant) and node.values[-1].value
    ]


def test_no_code_says_a_default_beside_the_tables() -> None:
    assert _defaults_beside_tables("wait(self.params.get('operator_timeout') or 300)") == [1]
    files = [*(PLUGINS / "modules").glob("*.py"), *(PLUGINS / "module_utils" / "_ansible").glob("*.py")]
    assert len(files) > 20
    assert {file.name: lines for file in files if (lines := _defaults_beside_tables(file.read_text()))} == {}
