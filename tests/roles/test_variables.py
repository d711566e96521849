# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A variable that a user mistypes is refused before anything is done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..tools.support.golden import GoldenFiles
from .playing import failures, messages_of, play_locally

PLACE = {"strimzi_cluster": "demo", "strimzi_namespace": "kafka"}


def test_a_variable_that_no_role_reads_is_refused_with_what_helps(tmp_path: Path) -> None:
    given: dict[str, tuple[dict[str, str], str]] = {
        "nothing": ({}, ""),
        "several": ({"strimzi_retire": "now", "strimzi_hosts": "all"}, ""),
        "pending": ({"strimzi_pending": "fail"}, ""),
        "empty": ({"strimzi_pending": ""}, ""),
        "misspelt": (
            {"strimzi_retier": "now"},
            "No role reads strimzi_retier. Correct the name; the roles read strimzi_retire and others (docs/reference.md).",
        ),
        "unlike": (
            {"strimzi_zzz": ""},
            "No role reads strimzi_zzz. Correct the name; the roles read strimzi_cluster, ",
        ),
        "unknown": (
            {"strimzi_pending": "failed"},
            "strimzi_pending: failed is not known. Give ok or fail, or leave the variable out for ok.",
        ),
        "elsewhere": ({"strimzi_certificate": "-----BEGIN"}, ""),
        "survey": ({"strimzi_certificate": "", "strimzi_private_key": ""}, ""),
        "key": ({"strimzi_certificate": "-----BEGIN", "strimzi_private_key": "-----BEGIN"}, ""),
        "keyless": (
            {"strimzi_certificate": "-----BEGIN", "strimzi_private_key": ""},
            "strimzi_private_key is empty, and strimzi_certificate is given. Give the key of that certificate, or leave the variable out if the key "
            "is kept elsewhere.",
        ),
        "nameless": (
            {"strimzi_cluster": ""},
            "strimzi_cluster not given. Give it, such as -e strimzi_cluster=demo.",
        ),
    }
    hosts = {host: {**PLACE, **variables} for host, (variables, _said) in given.items()}
    found = failures({"roles": ["trustops.strimzi.flow"]}, tmp_path, hosts)
    assert found.keys() == {host for host, (_variables, said) in given.items() if said}
    for host, said in found.items():
        assert given[host][1] in said


@pytest.mark.parametrize(
    ("given", "about", "said"),
    [
        ({"strimzi_ca": ""}, "clients", "the clients CA"),
        pytest.param({"strimzi_ca": "clients"}, None, "the clients CA", marks=pytest.mark.long),
        ({}, None, "the cluster CA"),
        (
            {"strimzi_ca": "clients"}, "cluster",
            "strimzi_ca: clients was given to a playbook that is about the cluster CA alone. Leave the variable out, or run a playbook that is about"
            " the clients CA.",
        ),
    ],
)  # fmt: skip
def test_a_playbook_about_one_ca_takes_no_other(
    tmp_path: Path, given: dict[str, str], about: str | None, said: str
) -> None:
    """given: as by a user who runs the playbook, whose values win over those of the playbook."""
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {} if about is None else {"flow_only_ca": about},
        "roles": ["trustops.strimzi.flow"],
        "tasks": [{"ansible.builtin.debug": {"msg": "the {{ flow_ca_options.ca }} CA"}}],
    }
    variables = {**PLACE, **given}
    done = play_locally(play, tmp_path, "-e", json.dumps(variables))
    assert said in " ".join(done.stdout.split())
    assert done.returncode == (2 if "was given" in said else 0), done.stdout


@pytest.mark.parametrize(
    ("playbook", "about"), [("rotate_cluster_ca", "cluster"), ("rotate_clients_ca", "clients"), ("scale", "cluster")]
)
def test_these_playbooks_are_about_one_ca(tmp_path: Path, playbook: str, about: str, golden: GoldenFiles) -> None:
    other = {"cluster": "clients", "clients": "cluster"}[about]
    play = {"ansible.builtin.import_playbook": f"trustops.strimzi.{playbook}"}
    variables = {**PLACE, "strimzi_ca": other}
    done = play_locally(play, tmp_path, "-e", json.dumps(variables))
    golden.compare_said("roles", "\n".join(messages_of(done.stdout)), playbook)
    assert done.returncode == 2, done.stdout


def test_what_a_caller_has_given_is_about_one_cluster_of_many(tmp_path: Path) -> None:
    """The command in the report of a cluster names that cluster, whose variables then hold on every host."""
    shown = {
        "ansible.builtin.debug": {
            "msg": "on {{ inventory_hostname }}: {{ flow_given.strimzi_hosts | default('none') }}."
        }
    }
    play = {
        "hosts": "{{ strimzi_hosts | default('all:!localhost') }}",
        "gather_facts": False,
        "roles": ["trustops.strimzi.flow"],
        "tasks": [shown],
    }
    (tmp_path / "hosts.json").write_text(
        json.dumps({"all": {"children": {"fleet": {"hosts": {"eu": PLACE, "us": PLACE}}}}})
    )
    over_many = play_locally(play, tmp_path, "-i", "hosts.json", "-e", "strimzi_hosts=fleet")
    assert over_many.returncode == 0, over_many.stdout
    assert all(f"on {host}: {host}." in over_many.stdout for host in ("eu", "us")), over_many.stdout
    assert "on eu: none." in play_locally(play, tmp_path, "-i", "hosts.json").stdout


@pytest.mark.parametrize(("until", "folder"), [(None, "/reports"), ("trust", "/reports/trust")])
def test_each_phase_that_a_playbook_takes_alone_has_its_reports(tmp_path: Path, until: str | None, folder: str) -> None:
    play = {
        "hosts": "all:!localhost",
        "gather_facts": False,
        "vars": PLACE if until is None else {**PLACE, "flow_only_until": until},
        "roles": ["trustops.strimzi.flow"],
        "tasks": [{"ansible.builtin.debug": {"msg": "{{ flow_report_dir }}, {{ flow_report_dir_of_all }}."}}],
    }
    done = play_locally(play, tmp_path, "-i", "eu,us,", "-e", "strimzi_report_dir=/reports")
    assert f"{folder}/eu, {folder}." in done.stdout
    assert '", ."' in play_locally(play, tmp_path, "-i", "eu,us,").stdout


def test_a_run_that_does_not_say_which_cluster_fails_before_anything_else(tmp_path: Path, golden: GoldenFiles) -> None:
    roles = ("replace_key", "scale", "export_requests", "status")
    included = {"name": "trustops.strimzi.{{ inventory_hostname }}", "rolespec_validate": False}
    play = {"tasks": [{"ansible.builtin.include_role": included}]}
    found = failures(play, tmp_path, {role: {} for role in roles})
    assert found.keys() == set(roles)
    golden.compare_said("roles", "\n".join(f"{role}: {found[role]}" for role in roles))


def test_a_goal_that_no_plan_can_have_is_refused(tmp_path: Path, golden: GoldenFiles) -> None:
    """By the role as the playbook imports it, which leaves values to its tasks."""
    imported = {"name": "trustops.strimzi.plan", "rolespec_validate": False}
    play = {"tasks": [{"ansible.builtin.import_role": imported}]}
    found = failures(play, tmp_path, {"scale": {**PLACE, "strimzi_goal": "scale"}})
    golden.compare_said("roles", found["scale"])


@pytest.mark.parametrize(
    ("most", "failed", "begun"),
    [
        (None, 3, True),
        ("0", 1, False),
        (25, 1, True),
        *(
            pytest.param(*row, marks=pytest.mark.long)
            for row in (("", 3, True), (0, 0, True), (0, 1, False), ("25", 2, False), (99, 3, True))
        ),
    ],
)
def test_a_cluster_is_begun_while_no_more_have_failed_than_may(
    tmp_path: Path, most: object, failed: int, begun: bool, golden: GoldenFiles
) -> None:
    """Of four clusters, the last of which is about to begin."""
    hosts = [f"h{number}" for number in range(4)]
    noted = {"ansible.builtin.set_fact": {"flow_failed": f"{{{{ inventory_hostname in {hosts[:failed]} }}}}"}}
    play = {
        "hosts": "all:!localhost",
        "gather_facts": False,
        "vars": {**PLACE, "strimzi_max_fail_percentage": most},
        "tasks": [
            {**noted, "when": "inventory_hostname != 'h3'"},
            {"ansible.builtin.import_role": {"name": "trustops.strimzi.flow"}, "when": "inventory_hostname == 'h3'"},
        ],
    }
    done = play_locally(play, tmp_path, "-i", ",".join(hosts) + ",")
    assert done.returncode == (0 if begun else 2), done.stdout
    if not begun:
        golden.compare_said("roles", messages_of(done.stdout)[-1], f"{failed} of 4, at most {most} %")
