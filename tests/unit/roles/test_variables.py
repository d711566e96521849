# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of the roles: each that is documented is read, each that is read is documented, and no other is taken."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ...roles.playing import messages_of, play_locally
from ...tools.support.golden import GoldenFiles
from ..modules.running import NAMES
from ..modules.test_documentation import arguments_of

COLLECTION = Path(__file__).parents[3]
ROLES = COLLECTION / "roles"
FLOWS = sorted(
    path.parents[1].name for path in ROLES.glob("*/meta/argument_specs.yml") if path.parents[1].name != "report"
)
#: Roles that take part in no flow.
BY_THEMSELVES = {"status", "export_requests", "import_certificates"}
FLOW = {
    name: value
    for path in (ROLES / "flow" / "vars" / "main").glob("*.yml")
    for name, value in yaml.safe_load(path.read_text()).items()
}
_VARIABLE = re.compile(r"\bstrimzi_[a-z_]+\b")
_GROUP = re.compile(r"\bflow_[a-z_]+_values\b(?!:)")
_MODULE = re.compile(r"trustops\.strimzi\.strimzi\w*")

#: The variables behind values that the role ``flow`` makes of them.
_MADE_OF = {"flow_ca": "strimzi_ca", "flow_key_policy": "strimzi_key_policy"}

#: Variables of the playbooks, for runs over several clusters.
OF_PLAYBOOKS = {"strimzi_hosts", "strimzi_serial", "strimzi_max_fail_percentage"}

flows = pytest.mark.parametrize("role", FLOWS)
playbooks = pytest.mark.parametrize(
    "playbook", sorted((COLLECTION / "playbooks").glob("*.yml")), ids=lambda path: path.stem
)


@cache
def documented(role: str) -> dict[str, Any]:
    spec = yaml.safe_load((ROLES / role / "meta" / "argument_specs.yml").read_text())
    return dict(spec["argument_specs"]["main"]["options"])


def read_by(role: str) -> set[str]:
    files = [
        path
        for part in ("tasks", "templates", "defaults", "vars")
        for path in (ROLES / role / part).glob("**/*")
        if path.is_file()
    ]
    text = "".join(_MODULE.sub("", path.read_text()) for path in files) + _of_goals(role)
    return {*_VARIABLE.findall(text), *(name for group in _GROUP.findall(text) for name in _in_group(group))}


def _of_goals(role: str) -> str:
    """The groups of variables of the goal of this role; a plan can be for any."""
    return str(FLOW["flow_values_by_goal"] if role == "plan" else FLOW["flow_values_by_goal"].get(role, ""))


def _in_group(group: str) -> set[str]:
    """The variables in a group of values, as the role ``flow`` hands them on."""
    text = str(FLOW[group])
    made = (variable for name, variable in _MADE_OF.items() if re.search(rf"\b{name}\b", text))
    return {*_VARIABLE.findall(text), *made}


#: Variables that the shared part of every flow reads, most of them to hand them on to modules.
SHARED = {
    *_VARIABLE.findall(_MODULE.sub("", (ROLES / "flow" / "tasks" / "frame.yml").read_text())),
    *_VARIABLE.findall(str({key: value for key, value in FLOW.items() if not key.endswith(("known", "_values"))})),
    *(name for group in ("flow_cluster_values", *_GROUP.findall(FLOW["flow_all_values"])) for name in _in_group(group)),
}
#: Variables that every role reads by the role ``flow``.
EVERYWHERE = {"strimzi_ca", "strimzi_pending", *_in_group("flow_cluster_values")}


def test_known_are_the_documented_ones_and_that_of_the_playbooks() -> None:
    every = {name for role in FLOWS for name in documented(role)}
    assert set(FLOW["flow_known"]) == every | OF_PLAYBOOKS
    assert len(FLOW["flow_known"]) == len(set(FLOW["flow_known"]))


@flows
def test_documented_variables_are_read(role: str) -> None:
    shared = EVERYWHERE if role in BY_THEMSELVES else SHARED
    assert set(documented(role)) <= read_by(role) | shared


@flows
def test_variables_that_are_read_are_documented(role: str) -> None:
    assert read_by(role) <= set(documented(role))


@flows
def test_every_role_refuses_variables_that_no_task_reads_and_misses_what_it_needs(role: str) -> None:
    meta, specs = (
        yaml.safe_load((ROLES / role / "meta" / f"{file}.yml").read_text()) for file in ("main", "argument_specs")
    )
    (dependency,) = meta["dependencies"]
    needed = {"strimzi_cluster", "strimzi_namespace", *dependency.get("vars", {}).get("flow_needed", ())}
    options = specs["argument_specs"]["main"]["options"]
    assert dependency["role"] == "trustops.strimzi.flow"
    assert needed == {name for name, option in options.items() if option.get("required")}


def test_roles_hand_on_options_of_the_modules_of_the_flow() -> None:
    groups = yaml.safe_load((COLLECTION / "meta" / "runtime.yml").read_text())["action_groups"]
    assert set(groups["strimzi"]) == set(NAMES)
    shared = {option for group in _GROUP.findall(FLOW["flow_all_values"]) for option in FLOW[group]}
    for group, values in (("strimzi", set(FLOW["flow_cluster_values"])), ("strimzi_flow", shared)):
        for module in groups[group]:
            assert values <= set(arguments_of(module)["argument_spec"])


@flows
def test_choices_and_defaults_are_those_of_the_modules(role: str) -> None:
    options = {name: option for module in NAMES for name, option in arguments_of(module)["argument_spec"].items()}
    for name, variable in documented(role).items():
        option = options.get(name.removeprefix("strimzi_"))
        if option is None:
            continue
        assert [choice for choice in variable.get("choices") or () if choice] == list(option.get("choices") or ()), name
        # A plan is for the flow that people plan, and a look is for what is left to do.
        if "default" in variable and "default" in option and name != "strimzi_goal":
            assert variable["default"] == option["default"], name


@pytest.mark.parametrize("file", sorted(ROLES.glob("*/*/**/*.yml")), ids=lambda file: "/".join(file.parts[-3:]))
def test_no_role_says_a_default_beside_the_table_of_variables(file: Path) -> None:
    """flow_defaults has the defaults that roles read: their own from the table, and those of the modules' options."""
    said = re.findall(r"\bstrimzi_\w+ \| default\((?!''|none|flow_defaults\.)[^)]*\)", file.read_text())
    assert said == []


def test_an_unquoted_date_is_handed_on_as_a_quoted_one(tmp_path: Path) -> None:
    """As the pages about waivers write them (docs/outside-clients.md, docs/users.md)."""
    given = "strimzi_waivers:\n  - {client: Pod kafka/a, until: 2026-12-24T18:00:00Z, reason: moves}\n"
    (tmp_path / "given.yml").write_text(f"strimzi_cluster: demo\nstrimzi_namespace: kafka\n{given}")
    shown = {"ansible.builtin.debug": {"msg": "{{ flow_options | to_json }}"}}
    play = {"hosts": "localhost", "gather_facts": False, "roles": ["trustops.strimzi.flow"], "tasks": [shown]}
    done = play_locally(play, tmp_path, "-e", "@given.yml")
    assert done.returncode == 0, done.stdout
    found = json.loads(re.findall(r'"msg": "(.*)"', done.stdout)[-1].replace('\\"', '"'))
    assert found["waivers"] == [{"client": "Pod kafka/a", "until": "2026-12-24T18:00:00+00:00", "reason": "moves"}]


def test_every_goal_can_be_planned_with_the_variables_that_are_its_own() -> None:
    plans = yaml.safe_load((ROLES / "plan" / "vars" / "main.yml").read_text())["plan_goals"]
    assert plans == [goal for goal in documented("plan")["strimzi_goal"]["choices"] if goal]
    assert set(FLOW["flow_values_by_goal"]) <= set(plans)
    for goal in plans:
        assert set(documented(goal)) <= set(documented("plan")), goal


def policy_of(folder: Path, *given: str) -> Any:
    """The key policy that modules get from what a caller gives; the output of the play where it is refused."""
    shown = {"ansible.builtin.debug": {"msg": "{{ flow_options.key_policy | default(none) | to_json }}"}}
    play = {"hosts": "localhost", "gather_facts": False, "roles": ["trustops.strimzi.flow"], "tasks": [shown]}
    options = ["-e", "strimzi_cluster=demo", "-e", "strimzi_namespace=kafka", *given]
    done = play_locally(play, folder, *options)
    if done.returncode:
        return done.stdout
    return json.loads(re.findall(r'"msg": "(.*)"', done.stdout)[-1].replace('\\"', '"'))


def test_a_key_policy_is_given_by_its_name_or_by_its_rules(tmp_path: Path, golden: GoldenFiles) -> None:
    assert policy_of(tmp_path, "-e", "strimzi_key_policy=bsi-tr-02102") == FLOW["flow_key_policies"]["bsi-tr-02102"]
    assert policy_of(tmp_path, "-e", '{"strimzi_key_policy": {"rsa_bits": 4096}}') == {"rsa_bits": 4096}
    assert policy_of(tmp_path, "-e", "strimzi_key_policy=") is None
    refused = policy_of(tmp_path, "-e", "strimzi_key_policy=bsi")
    golden.compare_said("roles", "\n".join(messages_of(refused)))


@playbooks
def test_a_playbook_reads_its_own_variables_and_those_of_its_roles(playbook: Path) -> None:
    roles = re.findall(r"name: trustops\.strimzi\.(\w+)", playbook.read_text())
    found = set(_VARIABLE.findall(_MODULE.sub("", playbook.read_text())))
    assert found <= OF_PLAYBOOKS.union(*map(documented, roles))


@playbooks
def test_a_playbook_runs_here_where_nothing_else_is_said(playbook: Path) -> None:
    """An answer of a survey that is left empty says nothing (docs/awx.md)."""
    for play in yaml.safe_load(playbook.read_text()):
        assert "hosts" not in play or play["hosts"] == "{{ strimzi_hosts | default('localhost', true) }}"
        # A play over all clusters has no batches where it only compares what they have come to.
        batches = any("import_role" in name for task in play.get("tasks", ()) for name in task) or "roles" in play
        assert "hosts" not in play or play.get("serial") == (
            "{{ strimzi_serial | default('100%', true) }}" if batches else None
        )
