# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation names exactly the options, and the keys of the result, that there are."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any
from unittest import mock

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import module as composition

from ...tools.documents.tables import IN_FULL, reference
from . import stages
from .running import COMMON, MODULES, NAMES, call
from .test_user import cluster as cluster_with_users
from .uses import PLANNED, USES

FRAGMENTS = "ansible_collections.trustops.strimzi.plugins.doc_fragments"
modules = pytest.mark.parametrize("name", NAMES)


@cache
def documented(name: str, part: str) -> dict[str, Any]:
    return yaml.safe_load(getattr(importlib.import_module(f"{MODULES}.{name}"), part)) or {}


@cache
def documented_result(name: str) -> dict[str, Any]:
    """The keys of the result; what refers to the page that has all facts in full has what stands there."""
    own = documented(name, "RETURN")
    facts = {} if name == IN_FULL else documented(IN_FULL, "RETURN")
    return {key: {**facts[key], **told} if told["description"] == reference(key) else told for key, told in own.items()}


def documented_options(name: str) -> dict[str, Any]:
    """The options of the module and of its fragments; a module's own win."""
    own = documented(name, "DOCUMENTATION")
    options: dict[str, Any] = {}
    for fragment in own["extends_documentation_fragment"]:
        _trustops, _strimzi, file, *block = fragment.split(".")
        texts = importlib.import_module(f"{FRAGMENTS}.{file}").ModuleDocFragment
        options.update(yaml.safe_load(getattr(texts, *map(str.upper, block or ["DOCUMENTATION"])))["options"])
    return {**options, **own["options"]}


SECRET_OPTIONS = {"api_key", "client_key", "kubeconfig", "password", "private_key"}


class _Stopped(Exception):
    pass


def arguments_of(name: str) -> dict[str, Any]:
    """The arguments that the module really gives to AnsibleModule."""
    stopped = mock.patch.object(composition, "QuietModule", side_effect=_Stopped)
    with stopped as constructor, pytest.raises(_Stopped):
        importlib.import_module(f"{MODULES}.{name}").main()
    return dict(constructor.call_args.kwargs)


def facts(options: dict[str, Any], inner: str) -> dict[str, Any]:
    """The facts of each option that have to be the same in both places."""
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
def test_modules_take_what_examples_give(name: str) -> None:
    used = 0
    for task in documented(name, "EXAMPLES"):
        for action in task.keys() & {f"trustops.strimzi.{module}" for module in NAMES}:
            spec = arguments_of(action.rpartition(".")[2])
            spec.pop("supports_check_mode")
            assert ArgumentSpecValidator(**spec).validate(task[action]).error_messages == [], task["name"]
            used += 1
    assert used


@modules
def test_options(name: str) -> None:
    assert facts(documented_options(name), "suboptions") == facts(arguments_of(name)["argument_spec"], "options")


@modules
def test_secret_options_are_not_logged(name: str) -> None:
    options = arguments_of(name)["argument_spec"]
    assert {option for option, facts in options.items() if facts.get("no_log")} == SECRET_OPTIONS & set(options)
    headers = options["proxy_headers"]["options"]
    assert {option for option, facts in headers.items() if facts.get("no_log")} == {"basic_auth", "proxy_basic_auth"}


@modules
def test_check_mode_is_supported_as_the_attributes_say(name: str) -> None:
    assert "trustops.strimzi.attributes" in documented(name, "DOCUMENTATION")["extends_documentation_fragment"]
    assert arguments_of(name)["supports_check_mode"] is True


@cache
def results(name: str) -> tuple[dict[str, Any], ...]:
    """A result of this module in every way of using it."""
    found = [ended for use in USES if use.module == name for ended in (use.done, use.planned)]
    if name == "strimzi_ca_info":
        found = [
            call(name, memory, goal="replace_key", audit_entries=shown)
            for memory, shown in ((stages.managed(), False), (stages.generated(), True))
        ]
    if name == "strimzi_user_info":
        found = [call(name, cluster_with_users()[0])]
    assert [ended.failed for ended in found] == [False] * max(1, len(found))
    return tuple({key: value for key, value in ended.result.items() if key not in COMMON} for ended in found)


@modules
def test_returned_keys_are_the_documented_keys(name: str) -> None:
    described = documented_result(name)
    always = {key for key, value in described.items() if value["returned"] == "always"}
    for result in results(name):
        assert always <= set(result) <= set(described)
    assert set(described) == {key for result in results(name) for key in result}


#: Keys that only some calls return, with the options that make the difference.
SOMETIMES = {
    **dict.fromkeys(PLANNED, "in check mode"),
    "drift": "O(state=present)",
    "certificate": "O(secret)",
    "audit_entries": "#module:audit_entries)",
}


@modules
def test_the_documentation_of_a_key_says_when_it_is_returned(name: str) -> None:
    for key, described in documented_result(name).items():
        everywhere = all(key in result for result in results(name))
        assert (described["returned"] == "always") is everywhere or name == "strimzi_ca_info"
        if not everywhere:
            assert SOMETIMES[key] in described["returned"] or "RV(plan)" in described["returned"]


@modules
def test_nested_keys_are_documented(name: str) -> None:
    for key, described in documented_result(name).items():
        found = [one for result in results(name) for one in _parts(result.get(key))]
        for one in found:
            if "contains" in described:
                assert set(described["contains"]) == set(one), key
            for sample in _parts(described.get("sample")):
                assert set(sample) <= set(one), key


def _parts(value: Any) -> list[dict[str, Any]]:
    """The dictionaries that a value is, or is a list of."""
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]


@modules
def test_types_of_results(name: str) -> None:
    kinds = {"dict": dict, "list": list, "str": str, "bool": bool, "int": int, "float": (int, float)}
    for key, value in ((key, value) for result in results(name) for key, value in result.items()):
        assert value is None or isinstance(value, kinds[documented_result(name)[key]["type"]]), key
