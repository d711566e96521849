# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of issuer is a folder and a row: the row reaches the options, the settings and the issuer of a call, and the folder has its contract and its page."""

from __future__ import annotations

import inspect
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.connect import (
    NOT_SHOWN,
    credentials_of,
    presentable,
    worth_hiding,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Issuer
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kind import IssuerKind
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import (
    KINDS,
    issuer_of,
    issuer_settings,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.settings import Settings

from ...issuers import test_contract
from ...issuers.beds import BEDS, beds_of
from ...tools.support.issuer_contract import IssuerContract
from .._strimzi.bench import Bench

DOCS = Path(__file__).parents[3] / "docs" / "issuers"
OPTION: dict[str, Any] = FLOW.options["issuer"]
EACH = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def folder_of(kind: IssuerKind) -> str:
    return kind.connect.__module__.split(".")[-2]


def contract_of(kind: IssuerKind) -> ModuleType:
    return import_module(f"{__package__}.{folder_of(kind)}.test_contract")


def filled(known: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """The options as Ansible hands them over: with their defaults, at every depth."""
    inside = {name: filled(known[name]["options"], value) for name, value in given.items() if isinstance(value, dict)}
    return {**{name: facts.get("default") for name, facts in known.items()}, **given, **inside}


@EACH
def test_its_options_are_in_the_argument_spec(kind: IssuerKind) -> None:
    assert kind.name in OPTION["options"]["type"]["choices"]
    assert {name: OPTION["options"][name] for name in kind.options} == kind.options
    assert (("type", kind.name, kind.needed) in OPTION["required_if"]) is bool(kind.needed)


@EACH
def test_its_options_name_its_issuer(kind: IssuerKind) -> None:
    settings = issuer_settings(filled(OPTION["options"], contract_of(kind).OPTIONS))
    assert isinstance(settings, kind.settings)
    issuer: Issuer = issuer_of(Bench().work(issuer=settings))
    assert type(issuer).__module__.split(".")[-2] == folder_of(kind)
    assert issuer.reference


@EACH
def test_its_issuer_keeps_to_the_contract(kind: IssuerKind) -> None:
    classes = [found for _name, found in inspect.getmembers(contract_of(kind), inspect.isclass)]
    assert any(issubclass(found, IssuerContract) for found in classes)


@EACH
def test_it_has_a_bed_before_its_server(kind: IssuerKind) -> None:
    assert beds_of(kind)


def test_a_kind_without_a_bed_is_named() -> None:
    with pytest.raises(LookupError) as raised:
        beds_of(replace(KINDS[0], name="another"))
    assert "another" in str(raised.value)


def test_beds_are_of_known_kinds() -> None:
    assert set(BEDS) == {kind.name for kind in KINDS}


def test_each_contract_of_a_bed_runs() -> None:
    """A contract without a class would be a promise of a row that no test keeps."""
    promised = {contract for beds in BEDS.values() for bed in beds for contract in bed.contracts}
    runs = {base for name, test in vars(test_contract).items() if name.startswith("Test") for base in test.__bases__}
    assert promised <= runs


@EACH
def test_it_has_a_page(kind: IssuerKind) -> None:
    assert (DOCS / f"{kind.name.replace('_', '-')}.md").exists()


def test_credentials_are_hidden_by_the_facts_of_their_options() -> None:
    credentials = {"token", "secret_id", "jwt", "private_key"}
    named = credentials_of({"issuer": OPTION})
    assert credentials <= named
    given = filled(OPTION["options"], {"type": "vault", "login": dict.fromkeys(credentials, "the credential")})
    assert worth_hiding((), {"issuer": given}, named) == {"the credential"}
    shown = presentable({"issuer": given}, named)["issuer"]["login"]
    assert {shown[name] for name in credentials} == {NOT_SHOWN}


def test_settings_are_of_one_kind() -> None:
    classes = [settings for kind in KINDS for settings in kind.settings]
    assert len(classes) == len(set(classes))


def test_no_settings_at_all_are_those_of_the_first_kind() -> None:
    assert isinstance(Settings().issuer, KINDS[0].settings)
