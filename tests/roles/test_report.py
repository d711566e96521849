# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role ``report`` as Ansible runs it: the same files as by the templates alone, and nothing else happens."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from ..unit.filter.runs import PLANNED, after
from ..unit.report.conftest import HOSTILE, reports
from ..unit.report.pages import write_pages
from .playing import play_locally

CASES = ("done", "hostile")


def run_role(folder: Path, runs: Mapping[str, Mapping[str, Any]], *options: str) -> str:
    """Write the reports of several runs into folders of their names. Returns what Ansible showed."""
    (folder / "runs.json").write_text(json.dumps(runs))
    read = "(read.stdout | from_json)[report_case]"
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [
            # As the flows get it: the result of a module, which Ansible never takes for a template.
            {"ansible.builtin.command": f"cat {folder}/runs.json", "register": "read", "check_mode": False},
            {
                "ansible.builtin.include_role": {"name": "trustops.strimzi.report"},
                "vars": {
                    "report_calls": f"{{{{ {read}.calls }}}}",
                    "report_goal": f"{{{{ {read}.goal | default('replace_key') }}}}",
                    "report_dir": f"{folder}/{{{{ report_case }}}}",
                },
                "loop": list(runs),
                "loop_control": {"loop_var": "report_case"},
            },
        ],
    }
    done = play_locally(play, folder, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    (folder / "screen.txt").write_text(run_role(folder, {name: reports()[name] for name in CASES}))
    return folder


@pytest.mark.parametrize("file", ["report.html", "report.md", "report.json"])
@pytest.mark.parametrize("name", CASES)
def test_ansible_writes_what_the_templates_say(played: Path, tmp_path: Path, name: str, file: str) -> None:
    facts = json.loads((played / name / "report.json").read_text())
    write_pages(tmp_path / name, facts)
    assert (played / name / file).read_text() == (tmp_path / name / file).read_text()


def test_names_are_no_templates_for_ansible(played: Path) -> None:
    found = json.loads((played / "hostile" / "report.json").read_text())
    assert found["cluster"]["name"] == found["cas"][1]["name"] == found["violations"][0]["remedy"] == HOSTILE


def test_the_role_shows_the_most_important_of_it(played: Path) -> None:
    screen = (played / "screen.txt").read_text()
    facts = json.loads((played / "done" / "report.json").read_text())
    assert [line for line in report_view(facts)["lines"] if line not in screen] == []


def test_only_the_command_of_this_play_is_a_change(played: Path) -> None:
    assert re.search(r"changed=1 .*failed=0", (played / "screen.txt").read_text())


def test_a_run_in_check_mode_leaves_a_report_too(tmp_path: Path) -> None:
    run_role(tmp_path, {"planned": {"calls": [PLANNED]}}, "--check")
    found = json.loads((tmp_path / "planned" / "report.json").read_text())
    assert (found["check_mode"], found["result"], found["plan"]) == (True, "planned", PLANNED["plan"])


def test_where_users_cannot_be_listed_the_report_is_written_without_them(tmp_path: Path) -> None:
    said = {"ca": "clients", "cluster": "demo", "namespace": "kafka", "kubeconfig": "/nowhere"}
    options = [word for name, value in said.items() for word in ("-e", f"strimzi_{name}={value}")]
    screen = run_role(tmp_path, {"done": reports()["done"]}, *options)
    assert re.search(r"^TASK \[trustops\.strimzi\.flow : .* users\]", screen, re.MULTILINE)
    found = json.loads((tmp_path / "done" / "report.json").read_text())
    assert (found["result"], found["users"], found["ca"]) == ("done", [], "clients")
    assert report_view(found)["title"] in screen


def test_a_warning_that_each_call_of_a_run_gives_is_on_the_console_once(tmp_path: Path) -> None:
    """As the calls of a replacement that renews the CA first warn of clients; the report has it once as well, and its lines do not repeat it."""
    warning = "clients that have ca.crt from before refuse each node"
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "warner.py").write_text(
        "from ansible.module_utils.basic import AnsibleModule\n"
        f"module = AnsibleModule({{}})\nmodule.warn({warning!r})\nmodule.exit_json(client_warnings=[{warning!r}], **{after()!r})\n"
    )
    calls: list[dict[str, Any]] = [{"warner": {}, "register": f"call_{number}"} for number in range(3)]
    given = {
        "report_goal": "replace_key", "report_calls": "{{ [call_0, call_1, call_2] }}", "report_dir": f"{tmp_path}/report",
    }  # fmt: skip
    shown = {"ansible.builtin.include_role": {"name": "trustops.strimzi.report"}, "vars": given}
    done = play_locally({"hosts": "localhost", "gather_facts": False, "tasks": [*calls, shown]}, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " ".join((done.stdout + done.stderr).split()).count(warning) == 1
    assert (tmp_path / "report" / "report.md").read_text().count(warning) == 1
    assert json.loads((tmp_path / "report" / "report.json").read_text())["client_warnings"] == [warning]


def test_a_flow_whose_role_is_included_leaves_a_report(tmp_path: Path) -> None:
    """A flow that fails, because there is no cluster. Variables of other roles are not seen everywhere in a role that is included."""
    said = {"ca": "clients", "cluster": "demo", "namespace": "kafka", "kubeconfig": "/nowhere", "report_dir": "reports"}
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {f"strimzi_{name}": value for name, value in said.items()},
        "tasks": [{"ansible.builtin.include_role": {"name": "trustops.strimzi.create"}}],
    }
    done = play_locally(play, tmp_path)
    found = json.loads((tmp_path / "reports" / "report.json").read_text())
    assert (done.returncode, found["result"], found["ca"]) == (2, "failed", "clients")


def test_a_cluster_is_in_the_report_over_all_of_the_play_that_it_was_run_in(tmp_path: Path) -> None:
    """Not in that of a later play of the same playbook, which did not begin there."""

    def report(phase: str) -> dict[str, Any]:
        folder = f"{tmp_path}/{phase}"
        given = {
            "report_goal": "replace_key", "report_calls": [], "report_dir_of_all": folder,
            "report_dir": f"{folder}/{{{{ inventory_hostname }}}}",
        }  # fmt: skip
        return {"ansible.builtin.include_role": {"name": "trustops.strimzi.report"}, "vars": given}

    tasks = [report("trust"), {**report("use"), "when": "inventory_hostname == 'eu'"}]
    done = play_locally({"hosts": "eu,us", "gather_facts": False, "tasks": tasks}, tmp_path, "-i", "eu,us,")
    assert done.returncode == 0, done.stdout
    told = {phase: json.loads((tmp_path / phase / "fleet.json").read_text()) for phase in ("trust", "use")}
    assert [[row["host"] for row in one["clusters"]] for one in told.values()] == [["eu", "us"], ["eu"]]
    assert [one["not_run"] for one in told.values()] == [[], ["us"]]


def test_without_a_folder_the_role_writes_no_file(tmp_path: Path) -> None:
    shown = run_role(tmp_path, {"planned": {"calls": [PLANNED]}}, "-e", "report_dir=")
    assert [path.name for path in tmp_path.rglob("*report*")] == []
    assert list(tmp_path.rglob("fleet.*")) == []
    assert "/report.html" not in shown
