# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A component is its row: a row more in a copy of the collection, and no other change, reaches every place that knows components."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import (
    DEPLOYED,
    IN_PODS,
    Component,
)

ROOT = Path(__file__).parents[4]
ROW = """    MADE_UP = (
        "made-up",
        ComponentFacts(
            titles=("Made-up Program", "Made-up Programs"),
            owners="the made-up program",
            workload=Workload.DEPLOYMENT,
            field="madeUp",
            leaves=(LeafPlace("made-up-certs", "program", "{cluster}-made-up"),),
            services=("made-up",),
            hosts=("localhost",),
            verifier=Verifier.GO,
        ),
    )
"""
BEFORE = "    CLUSTER_OPERATOR = ("


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection with the row."""
    path = tmp_path_factory.mktemp("copy") / "ansible_collections" / "trustops" / "strimzi"
    for folder in ("plugins", "docs", "roles"):
        shutil.copytree(ROOT / folder, path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (path / "tests").symlink_to(ROOT / "tests")
    table = path / "plugins" / "module_utils" / "_trust" / "model" / "components.py"
    rows = table.read_text()
    assert rows.count(BEFORE) == 1
    table.write_text(rows.replace(BEFORE, ROW + BEFORE))
    return path


def run(copy: Path, *arguments: str) -> str:
    paths = os.pathsep.join((str(copy.parents[2]), *filter(None, sys.path)))
    command = [sys.executable, "-m", *arguments]
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def found(copy: Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run(copy, "tests.unit._trust.model.surfaces", "made-up"))
    return answer


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        ("leaf is wanted", True),
        ("leaf is expected", True),
        ("entry", "program"),
        ("holder of its subject", "made-up"),
        ("component of its pod", "made-up"),
        ("leaves of its pod", ["demo-made-up-certs"]),
        ("subject", "CN=demo-made-up,O=io.strimzi"),
        (
            "names",
            [
                "demo-made-up", "demo-made-up.kafka", "demo-made-up.kafka.svc", "demo-made-up.kafka.svc.cluster.local", "localhost",
            ],
        ),
        ("purposes", ["CLIENT", "SERVER"]),
        ("verifier", ["go"]),
        ("parties of the report", ["kafka", "made-up", "cluster-operator"]),
        ("title", "Made-up Program"),
        ("titles", "2 Made-up Programs"),
        ("may be issued", True),
        ("may be restarted", True),
        ("role that patches its Secret", ["trustops-strimzi-flows"]),
    ],
)  # fmt: skip
def test_a_row_reaches(found: dict[str, Any], surface: str, expected: object) -> None:
    assert found[surface] == expected


def test_the_lives_of_its_certificates_are_told(found: dict[str, Any]) -> None:
    assert any(life.startswith("1 ") and life.endswith("made-up program") for life in found["lives"])


def test_documentation_is_written_from_the_row(copy: Path) -> None:
    written = run(copy, "tests.tools.documents", "--write").splitlines()
    assert {line.partition(":")[0] for line in written} == {
        "plugins/modules/strimzi_ee_cert.py", "plugins/modules/strimzi_roll.py", "docs/rbac.yml",
    }  # fmt: skip
    for page, text in (
        (
            "plugins/modules/strimzi_roll.py",
            ", made-up]\n",
        ),
        ("docs/rbac.yml", "\n          - demo-made-up-certs\n"),
        ("docs/rbac.yml", "\n          - demo-made-up-certs-cm\n"),
    ):
        assert text in (copy / page).read_text()


def test_only_nodes_are_in_pods_of_a_pod_set() -> None:
    assert set(IN_PODS) - set(DEPLOYED) == {Component.KAFKA}


def test_the_operator_finds_the_leaves_of_nodes_and_its_own_by_labels() -> None:
    """It finds others by their names (``docs/operator.md``, "Leaves")."""
    found = {component for component in Component if component.facts.is_found_by_labels}
    assert found == {Component.KAFKA, Component.CLUSTER_OPERATOR}


def test_a_value_finds_its_member() -> None:
    assert [Component(component.value) for component in Component] == list(Component)
