# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of issuer is a folder and a row: the row reaches the options, the settings and the issuer of a call, and the folder has its contract and its page."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Issuer
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kind import IssuerKind
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import KINDS, issuer_of, issuer_settings

from ...tools.support.issuer_contract import IssuerContract
from .._strimzi.bench import Bench

DOCS = Path(__file__).parents[3] / "docs" / "issuers"
OPTION: dict[str, Any] = FLOW.options["issuer"]
EACH = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def folder_of(kind: IssuerKind) -> str:
    return kind.connect.__module__.split(".")[-2]


def filled(facts: dict[str, Any], name: str = "text") -> Any:
    """A value that an option with these facts takes."""
    if "options" in facts:
        inside = facts["options"]
        needed = [
            wanted for rule in facts["required_if"] if rule[1] == inside["type"]["default"] for wanted in rule[2][:1]
        ]
        return {key: filled(fact) if key in needed else fact.get("default") for key, fact in inside.items()}
    return facts.get("default", name)


def options_of(kind: IssuerKind) -> dict[str, Any]:
    """The options of a task that names this kind and gives what it needs."""
    given = {name: facts.get("default") for name, facts in OPTION["options"].items()}
    return {**given, "type": kind.name, **{name: filled(dict(kind.options[name])) for name in kind.needed}}


@EACH
def test_its_options_are_in_the_argument_spec(kind: IssuerKind) -> None:
    assert kind.name in OPTION["options"]["type"]["choices"]
    assert {name: OPTION["options"][name] for name in kind.options} == kind.options
    assert (("type", kind.name, kind.needed) in OPTION["required_if"]) is bool(kind.needed)


@EACH
def test_its_options_name_its_issuer(kind: IssuerKind) -> None:
    settings = issuer_settings(options_of(kind))
    assert isinstance(settings, kind.settings)
    issuer: Issuer = issuer_of(Bench().work(issuer=settings))
    assert type(issuer).__module__.split(".")[-2] == folder_of(kind)
    assert issuer.reference


@EACH
def test_its_issuer_keeps_to_the_contract(kind: IssuerKind) -> None:
    contract = import_module(f"{__package__}.{folder_of(kind)}.test_contract")
    assert any(issubclass(found, IssuerContract) for _name, found in inspect.getmembers(contract, inspect.isclass))


@EACH
def test_it_has_a_page(kind: IssuerKind) -> None:
    assert (DOCS / f"{kind.name.replace('_', '-')}.md").exists()


def test_settings_are_of_one_kind() -> None:
    classes = [settings for kind in KINDS for settings in kind.settings]
    assert len(classes) == len(set(classes))


def test_no_settings_at_all_are_those_of_the_first_kind() -> None:
    assert isinstance(issuer_settings(None), KINDS[0].settings)
