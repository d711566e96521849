# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data for AWX and the rulebook for Event-Driven Ansible: each key is one that their modules and schema know, and each name leads to something.

awx_options.json has the documented options of the modules of awx.awx 24.6.1, as the package ansible 11 has it. ruleset_schema.json is the schema of
ansible-rulebook 1.2 (Apache License 2.0).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from dateutil.rrule import rrulestr
from jinja2 import Environment, StrictUndefined
from jinja2.nativetypes import NativeEnvironment

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
OPTIONS = json.loads((HERE / "awx_options.json").read_text())
RULEBOOK = yaml.safe_load((ROOT / "extensions" / "eda" / "rulebooks" / "strimzi_ca_alerts.yml").read_text())
ALERTS = yaml.safe_load((ROOT / "docs" / "watch" / "prometheus-rule.yml").read_text())
#: Variables of infra.aap_configuration, and the module of awx.awx that takes their items.
MODULES = {
    "controller_labels": "label",
    "controller_execution_environments": "execution_environment",
    "controller_projects": "project",
    "controller_inventories": "inventory",
    "controller_credential_types": "credential_type",
    "controller_credentials": "credential",
    "controller_inventory_sources": "inventory_source",
    "controller_notifications": "notification_template",
    "controller_templates": "job_template",
    "controller_workflows": "workflow_job_template",
    "controller_schedules": "schedule",
}
KINDS = {"str": str, "bool": bool, "int": int, "dict": dict, "list": list}
#: A credential type that every controller has.
BUILT_IN = {"OpenShift or Kubernetes API Bearer Token"}


class Loader(yaml.SafeLoader):
    """Reads text that Ansible leaves as it is, as that text."""


Loader.add_constructor("!unsafe", lambda loader, node: f"unsafe:{loader.construct_scalar(node)}")


def rendered(value: Any) -> Any:
    """The data as Ansible hands it to modules."""
    if isinstance(value, dict):
        return {key: rendered(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rendered(inner) for inner in value]
    if not isinstance(value, str) or value.startswith("unsafe:"):
        return value
    return Environment().from_string(value).render(dict.fromkeys(GIVEN, "given"))


TEXT = (ROOT / "extensions" / "awx" / "controller.yml").read_text()
#: The variables that a person gives, as the comment at the top lists them.
GIVEN = set(re.findall(r"trustops_[a-z_]+", "\n".join(line for line in TEXT.split("\n") if line.startswith("#"))))
DATA = rendered(yaml.load(TEXT, Loader))
ITEMS = [pytest.param(kind, item, id=f"{kind}: {item['name']}") for kind, items in DATA.items() for item in items]


def problems(value: Any, spec: dict[str, Any], where: str) -> Iterator[str]:
    kind = spec.get("type", "str")
    if kind in KINDS and (not isinstance(value, KINDS[kind]) or (kind == "int" and isinstance(value, bool))):
        yield f"{where}: {value!r} is no {kind}"
    if spec.get("choices") and value not in spec["choices"]:
        yield f"{where}: {value!r} is none of {spec['choices']}"
    for inner in value if kind == "list" else [value]:
        if "options" in spec:
            yield from unknown(inner, spec["options"], where)


def unknown(item: dict[str, Any], options: dict[str, Any], where: str) -> Iterator[str]:
    yield from (
        f"{where}: {name} is missing" for name, spec in options.items() if spec.get("required") and name not in item
    )
    for name, value in item.items():
        if name in options:
            yield from problems(value, options[name], f"{where}.{name}")
        else:
            yield f"{where}: no option {name}"


def test_the_data_has_all_kinds_and_no_other() -> None:
    assert list(DATA) == list(MODULES)


def test_every_variable_that_is_read_is_documented_at_the_top() -> None:
    assert set(re.findall(r"trustops_[a-z_]+", TEXT)) == GIVEN


@pytest.mark.parametrize(("kind", "item"), ITEMS)
def test_an_item_has_the_options_of_its_module(kind: str, item: dict[str, Any]) -> None:
    assert list(unknown(item, OPTIONS[MODULES[kind]], item["name"])) == []


def test_the_check_of_options_finds_what_is_wrong() -> None:
    options = OPTIONS["job_template"]
    wrong = {"nome": "x", "allow_simultaneous": "yes", "job_type": "walk"}
    assert len(list(unknown(wrong, options, "x"))) == 4


def names(kind: str) -> set[str]:
    return {item["name"] for item in DATA[kind]}


def test_every_name_leads_to_something() -> None:
    for item in (*DATA["controller_templates"], *DATA["controller_workflows"]):
        assert set(item["labels"]) <= names("controller_labels")
        assert set(item["notification_templates_error"]) <= names("controller_notifications")
    for item in DATA["controller_templates"]:
        assert item["project"] in names("controller_projects")
        assert item["inventory"] in names("controller_inventories")
        assert item["execution_environment"] in names("controller_execution_environments")
        assert set(item["credentials"]) <= names("controller_credentials")
        assert (ROOT / item["playbook"]).is_file()
    assert {item["credential_type"] for item in DATA["controller_credentials"]} <= names(
        "controller_credential_types"
    ) | BUILT_IN
    for item in DATA["controller_inventory_sources"]:
        assert item["source_project"] in names("controller_projects")
        assert item["inventory"] in names("controller_inventories")
        assert item["execution_environment"] in names("controller_execution_environments")
        assert item["credential"] in names("controller_credentials")
    assert {item["unified_job_template"] for item in DATA["controller_schedules"]} <= names("controller_templates")


def test_no_job_over_clusters_that_wait_for_each_other_is_sliced() -> None:
    """A slice does not see the clusters of the others: some would use a CA that others do not trust yet."""
    together = [item for item in DATA["controller_templates"] if item["playbook"] == "playbooks/rotate_fleet.yml"]
    assert [(item["job_slice_count"], item["ask_job_slice_count_on_launch"]) for item in together] == [(1, False)]


def test_a_job_over_many_clusters_takes_those_that_have_adopted_the_ca_of_its_survey() -> None:
    """By the groups of the inventory plugin. A cluster that has adopted its clients CA alone is no less in need of the schedule."""
    over_many = [item for item in DATA["controller_templates"] if "strimzi_hosts" in item["extra_vars"]]
    assert [item["inventory"] for item in over_many] == ["Kafka CA fleet"] * 2
    for item in over_many:
        hosts = Environment().from_string(item["extra_vars"]["strimzi_hosts"].removeprefix("unsafe:"))
        (question,) = [one for one in asked(item) if one["variable"] == "strimzi_ca"]
        for choice in ("", *question["choices"]):
            assert hosts.render(strimzi_ca=choice) == f"{choice or 'cluster'}_ca_adopted"
        assert hosts.render() == "cluster_ca_adopted"


def playbook_of(template: str) -> str:
    (playbook,) = {item["playbook"] for item in DATA["controller_templates"] if item["name"] == template}
    return (ROOT / playbook).read_text()


def variables_of(template: str) -> dict[str, Any]:
    """The variables of the role that a job template runs."""
    (role, *others) = sorted(set(re.findall(r"name: trustops\.strimzi\.(?!flow|report)(\w+)", playbook_of(template))))
    assert not others
    spec = yaml.safe_load((ROOT / "roles" / role / "meta" / "argument_specs.yml").read_text())
    return dict(spec["argument_specs"]["main"]["options"])


def asked(item: dict[str, Any]) -> list[dict[str, Any]]:
    return list(item["survey_spec"]["spec"])


def test_every_extra_variable_is_one_of_the_role() -> None:
    for item in DATA["controller_templates"]:
        of_playbook = set(re.findall(r"strimzi_\w+", playbook_of(item["name"])))
        assert set(item["extra_vars"]) <= set(variables_of(item["name"])) | of_playbook, item["name"]
    for item in DATA["controller_schedules"]:
        assert set(item["extra_data"]) <= set(variables_of(item["unified_job_template"])), item["name"]
    for kind in DATA["controller_credential_types"]:
        assert set(kind["injectors"]["extra_vars"]) <= set(variables_of("Kafka CA rotation"))
        fields = {field["id"] for field in kind["inputs"]["fields"]}
        assert {
            text.removeprefix("unsafe:").strip("{} ") for text in kind["injectors"]["extra_vars"].values()
        } <= fields


@pytest.mark.parametrize("item", DATA["controller_templates"], ids=lambda item: str(item["name"]))
def test_a_survey_asks_for_variables_of_the_role_with_its_choices(item: dict[str, Any]) -> None:
    known = variables_of(item["name"])
    for question in asked(item):
        variable = known[question["variable"]]
        if question["type"] == "multiplechoice":
            assert question["choices"] == [choice for choice in variable["choices"] if choice]
            assert question["default"] == variable["default"]
        assert question["required"] is bool(variable.get("required"))


def test_the_phases_of_the_workflow_come_one_after_the_other_with_an_approval_before_each() -> None:
    (workflow,) = DATA["controller_workflows"]
    nodes = {node["identifier"]: node for node in workflow["workflow_nodes"]}
    order, at = [], "plan"
    while at:
        order.append(at)
        following = nodes[at]["related"].get("success_nodes") or [{"identifier": ""}]
        assert len(following) == 1
        at = following[0]["identifier"]
    assert sorted(order) == sorted(nodes)
    kinds = [nodes[name]["unified_job_template"]["type"] for name in order]
    assert kinds == ["job_template", *["workflow_approval", "job_template"] * 3]
    phases = [nodes[name]["extra_data"].get("strimzi_until_phase", "retire") for name in order[2::2]]
    assert phases == ["trust", "use", "retire"]
    for name in order[::2]:
        job = nodes[name]["unified_job_template"]["name"]
        (template,) = [item for item in DATA["controller_templates"] if item["name"] == job]
        assert template["ask_variables_on_launch"]
        assert set(nodes[name]["extra_data"]) <= set(variables_of(job))
    # The answers of the survey go to every job: all of them know them.
    for question in asked(workflow):
        assert question["variable"] in variables_of("Kafka CA rotation")
        assert question["variable"] in variables_of("Kafka CA plan")


@pytest.mark.parametrize("item", DATA["controller_schedules"], ids=lambda item: str(item["name"]))
def test_a_schedule_runs_again_and_again(item: dict[str, Any]) -> None:
    first, rule = item["rrule"].split(" ")
    runs = rrulestr(f"{first}\n{rule}")
    assert (runs[1] - runs[0]).days == 1


def test_the_rulebook_fits_the_schema() -> None:
    # The checks of style bring it; the oldest versions of libraries are tested without them.
    schema = pytest.importorskip("jsonschema")
    schema.validate(RULEBOOK, json.loads((HERE / "ruleset_schema.json").read_text()))


def place_of_plan(given: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, Any]:
    """Where the plan looks for an alert with these labels, as ansible-rulebook renders it."""
    event = {"alert": {"labels": labels}}
    rendered_by = NativeEnvironment(undefined=StrictUndefined)
    return {
        name: rendered_by.from_string(text).render(event=event)
        for name, text in given.items()
        if name != "strimzi_goal"
    }


def test_alerts_about_different_clusters_do_not_hold_each_other_back() -> None:
    """The throttle goes by labels that every alert has: with an absent attribute, ansible-rulebook suppresses nothing."""
    (ruleset,) = RULEBOOK
    always = {"kafka_namespace", "kafka_cluster", "kafka_uid", "ca"}
    for rule in ruleset["rules"]:
        grouped = rule["throttle"]["group_by_attributes"]
        assert set(grouped) == {f"event.alert.labels.{label}" for label in always}
        for name in re.findall(r'alertname == "(\w+)"', rule["condition"]):
            (alert,) = (one for group in ALERTS["spec"]["groups"] for one in group["rules"] if one.get("alert") == name)
            kept = [set(labels.split(", ")) for labels in re.findall(r"max by \(([^)]*)\)", alert["expr"])]
            assert all(always < labels for labels in kept)
            assert kept


def test_an_alert_becomes_a_plan() -> None:
    (ruleset,) = RULEBOOK
    known = {rule["alert"] for group in ALERTS["spec"]["groups"] for rule in group["rules"] if "alert" in rule}
    seen: set[str] = set()
    labels = {"kafka_namespace": "kafka", "kafka_cluster": "demo", "ca": "clients"}
    place = {"strimzi_namespace": "kafka", "strimzi_cluster": "demo", "strimzi_ca": "clients"}
    for rule in ruleset["rules"]:
        named = set(re.findall(r'alertname == "(\w+)"', rule["condition"]))
        assert named <= known
        assert not named & seen
        seen |= named
        job = rule["action"]["run_job_template"]
        assert job["name"] == "Kafka CA plan"
        given = job["job_args"]["extra_vars"]
        variables = variables_of("Kafka CA plan")
        assert set(given) <= set(variables)
        assert given["strimzi_goal"] in variables["strimzi_goal"]["choices"]
        assert place_of_plan(given, labels) == {**place, "strimzi_context": ""}
        assert place_of_plan(given, {**labels, "kube_context": "prod-eu"}) == {**place, "strimzi_context": "prod-eu"}
    # Alerts about the looks themselves lead to no plan.
    assert known - seen == {"StrimziCaLookStale", "StrimziCaLookAbsent"}
