# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A variable that somebody mistypes is refused before anything is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..unit.roles.test_variables import FLOW
from .playing import play_locally


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, None),
        ({"strimzi_retire": "now", "strimzi_hosts": "all"}, None),
        (
            {"strimzi_retier": "now"},
            "Nobody reads strimzi_retier. Correct the name; the known ones are strimzi_cluster, ",
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
        ({"strimzi_way": "takeover"}, f"Nobody reads strimzi_way. {FLOW['flow_gone']['strimzi_way']}"),
        ({"strimzi_bridge": "auto"}, f"Nobody reads strimzi_bridge. {FLOW['flow_gone']['strimzi_bridge']}"),
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
