# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A variable that somebody mistypes is refused before anything is done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .playing import play_locally


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, None),
        ({"strimzi_retire": "now", "strimzi_hosts": "all"}, None),
        (
            {"strimzi_retier": "now"},
            "No role reads strimzi_retier. Correct the name; the roles read strimzi_cluster, ",
        ),
        ({"strimzi_pending": "fail"}, None),
        ({"strimzi_pending": ""}, None),
        (
            {"strimzi_pending": "failed"},
            "strimzi_pending: failed is not known. Give ok or fail, or leave the variable out for ok.",
        ),
        (
            {"strimzi_cluster": ""},
            "strimzi_cluster not given. Give the name of the Kafka resource and its namespace, such as "
            "-e strimzi_cluster=demo -e strimzi_namespace=kafka.",
        ),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_a_variable_that_nobody_reads_is_refused_with_what_helps(
    tmp_path: Path, variables: dict[str, str], said: str | None
) -> None:
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"strimzi_cluster": "demo", "strimzi_namespace": "kafka", **variables},
        "roles": ["trustops.strimzi.flow"],
    }
    done = play_locally(play, tmp_path)
    assert done.returncode == (0 if said is None else 2), done.stdout
    assert said is None or said in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("given", "about", "said"),
    [
        ({"strimzi_ca": ""}, "clients", "the clients CA"),
        ({"strimzi_ca": "clients"}, None, "the clients CA"),
        ({}, None, "the cluster CA"),
        (
            {"strimzi_ca": "clients"}, "cluster",
            "strimzi_ca: clients was given to a playbook that is about the cluster CA alone. Leave the variable out, or run a playbook that is about"
            " the clients CA.",
        ),
        ({"strimzi_ca": "cluster"}, "clients", "strimzi_ca: cluster was given to a playbook that is about the clients CA alone."),
    ],
)  # fmt: skip
def test_a_playbook_about_one_ca_takes_no_other(
    tmp_path: Path, given: dict[str, str], about: str | None, said: str
) -> None:
    """given: as by somebody who runs the playbook, which is stronger than what a playbook says."""
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {} if about is None else {"flow_only_ca": about},
        "roles": ["trustops.strimzi.flow"],
        "tasks": [{"ansible.builtin.debug": {"msg": "the {{ flow_ca_options.ca }} CA"}}],
    }
    variables = {"strimzi_cluster": "demo", "strimzi_namespace": "kafka", **given}
    done = play_locally(play, tmp_path, "-e", json.dumps(variables))
    assert said in " ".join(done.stdout.split())
    assert done.returncode == (2 if "was given" in said else 0), done.stdout


@pytest.mark.parametrize(
    ("playbook", "about"), [("rotate_cluster_ca", "cluster"), ("rotate_clients_ca", "clients"), ("scale", "cluster")]
)
def test_these_playbooks_are_about_one_ca(tmp_path: Path, playbook: str, about: str) -> None:
    other = {"cluster": "clients", "clients": "cluster"}[about]
    play = {"ansible.builtin.import_playbook": f"trustops.strimzi.{playbook}"}
    variables = {"strimzi_cluster": "demo", "strimzi_namespace": "kafka", "strimzi_ca": other}
    done = play_locally(play, tmp_path, "-e", json.dumps(variables))
    assert f"was given to a playbook that is about the {about} CA alone." in " ".join(done.stdout.split())
    assert done.returncode == 2, done.stdout


@pytest.mark.parametrize("role", ["replace_key", "scale", "export_requests", "status"])
def test_a_run_that_does_not_say_which_cluster_is_told_to_before_anything_else(role: str, tmp_path: Path) -> None:
    done = play_locally(
        {
            "hosts": "localhost",
            "gather_facts": False,
            "tasks": [
                {
                    "ansible.builtin.import_role": {"name": f"trustops.strimzi.{role}", "rolespec_validate": False},
                }
            ],
        },
        tmp_path,
    )
    assert done.returncode == 2, done.stdout
    assert "strimzi_cluster and strimzi_namespace not given. Give the name of the Kafka resource" in " ".join(
        done.stdout.split()
    )


@pytest.mark.parametrize(
    ("most", "failed", "begun"),
    [
        ("", 3, True),
        (None, 3, True),
        (0, 0, True),
        (0, 1, False),
        ("0", 1, False),
        (25, 1, True),
        ("25", 2, False),
        (99, 3, True),
    ],
)
def test_a_cluster_is_begun_while_no_more_have_failed_than_may(
    tmp_path: Path, most: object, failed: int, begun: bool
) -> None:
    """Of four clusters, the last of which is about to begin."""
    hosts = [f"h{number}" for number in range(4)]
    noted = {"ansible.builtin.set_fact": {"flow_failed": f"{{{{ inventory_hostname in {hosts[:failed]} }}}}"}}
    play = {
        "hosts": "all:!localhost",
        "gather_facts": False,
        "vars": {"strimzi_cluster": "demo", "strimzi_namespace": "kafka", "strimzi_max_fail_percentage": most},
        "tasks": [
            {**noted, "when": "inventory_hostname != 'h3'"},
            {"ansible.builtin.import_role": {"name": "trustops.strimzi.flow"}, "when": "inventory_hostname == 'h3'"},
        ],
    }
    done = play_locally(play, tmp_path, "-i", ",".join(hosts) + ",")
    assert done.returncode == (0 if begun else 2), done.stdout
    assert begun or f"of the 4 clusters of this run {failed} failed" in " ".join(done.stdout.split())
