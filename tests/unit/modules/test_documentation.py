# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is documented is what there is: options, and keys of the result."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any
from unittest import mock

import pytest
import yaml

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import module as composition

from . import stages
from .running import COMMON, MODULES, NAMES, Ended, call
from .turns import TURNS

FRAGMENTS = "ansible_collections.trustops.strimzi.plugins.doc_fragments"
modules = pytest.mark.parametrize("name", NAMES)


@cache
def documented(name: str, part: str) -> dict[str, Any]:
    return yaml.safe_load(getattr(importlib.import_module(f"{MODULES}.{name}"), part)) or {}


def documented_options(name: str) -> dict[str, Any]:
    """Those of the module and of its fragments; a module's own win."""
    own = documented(name, "DOCUMENTATION")
    options: dict[str, Any] = {}
    for fragment in own["extends_documentation_fragment"]:
        package, _dot, last = fragment.rpartition(".")
        assert package == "trustops.strimzi"
        text = importlib.import_module(f"{FRAGMENTS}.{last}").ModuleDocFragment.DOCUMENTATION
        options.update(yaml.safe_load(text)["options"])
    return {**options, **own["options"]}


SECRET_OPTIONS = {"api_key", "password", "private_key"}


class _Stopped(Exception):
    pass


def arguments_of(name: str) -> dict[str, Any]:
    """What the module really gives to AnsibleModule."""
    stopped = mock.patch.object(composition, "AnsibleModule", side_effect=_Stopped)
    with stopped as constructor, pytest.raises(_Stopped):
        importlib.import_module(f"{MODULES}.{name}").main()
    return dict(constructor.call_args.kwargs)


def facts(options: dict[str, Any], inner: str) -> dict[str, Any]:
    """Of each option what has to be the same in both places."""
    return {
        name: {
            "type": option.get("type", "str"),
            "elements": option.get("elements"),
            "required": option.get("required", False),
            "default": option.get("default"),
            "choices": option.get("choices"),
            "aliases": option.get("aliases", []),
            "inner": facts(option.get(inner) or {}, inner),
        }
        for name, option in options.items()
    }


@modules
def test_options(name: str) -> None:
    assert facts(documented_options(name), "suboptions") == facts(arguments_of(name)["argument_spec"], "options")


@modules
def test_what_is_secret_is_not_logged(name: str) -> None:
    options = arguments_of(name)["argument_spec"]
    assert {option for option, facts in options.items() if facts.get("no_log")} == SECRET_OPTIONS & set(options)
    headers = options["proxy_headers"]["options"]
    assert {option for option, facts in headers.items() if facts.get("no_log")} == {"basic_auth", "proxy_basic_auth"}


@modules
def test_check_mode_is_supported_as_the_attributes_say(name: str) -> None:
    assert "trustops.strimzi.attributes" in documented(name, "DOCUMENTATION")["extends_documentation_fragment"]
    assert arguments_of(name)["supports_check_mode"] is True


@cache
def ends() -> list[tuple[str, Ended]]:
    """A result of every module in every way of using it."""
    found = [(turn.module, turn.take(turn.world())) for turn in TURNS]
    found += [(turn.module, turn.take(turn.world(), check=True)) for turn in TURNS]
    world = stages.managed()
    found += [("strimzi_ca_info", call("strimzi_ca_info", world))]
    found += [("strimzi_lease", call("strimzi_lease", world, run_id="run-1"))]
    found += [("strimzi_reconciliation", call("strimzi_reconciliation", world, state="resumed"))]
    return found


def test_results() -> None:
    seen = set()
    for name, ended in ends():
        described = documented(name, "RETURN")
        always = {key for key, value in described.items() if value["returned"] == "always"}
        returned = set(ended.result) - COMMON
        assert returned <= set(described), name
        assert always <= returned, name
        assert set(described) == always, name
        seen.add(name)
    assert seen == set(NAMES)


def test_what_is_documented_of_a_ca_is_what_is_returned() -> None:
    result = call("strimzi_ca_info", stages.managed()).result
    for name in set(NAMES) - {"strimzi_lease"}:
        assert set(documented(name, "RETURN")["cas"]["contains"]) == set(result["cas"][0]), name


@modules
def test_types_of_results(name: str) -> None:
    kinds = {"dict": dict, "list": list, "str": str, "bool": bool, "int": int, "float": (int, float)}
    for key, value in [(k, v) for n, ended in ends() if n == name for k, v in ended.result.items() if k not in COMMON]:
        assert value is None or isinstance(value, kinds[documented(name, "RETURN")[key]["type"]]), key
