# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The environments of docs/schedule: Ansible finds the collection in them, knows its user, and writes where it may."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ..tools.support.golden import GoldenFiles
from .playing import messages_of

ROOT = Path(__file__).parents[2]
SCHEDULE = ROOT / "docs" / "schedule"
PLAYBOOK = "trustops.strimzi.reconcile"


def environment_of_unit(folder: Path) -> dict[str, str]:
    """The variables that the unit sets. folder: stands for its own /tmp."""
    (line,) = re.findall(r"^Environment=(.*)$", (SCHEDULE / "strimzi-reconcile@.service").read_text(), re.MULTILINE)
    return dict(one.split("=", 1) for one in line.replace("/tmp", str(folder)).split())


def environments_of_pods() -> dict[str, dict[str, str]]:
    items = yaml.safe_load((SCHEDULE / "cronjob.yml").read_text())["items"]
    jobs = {one["metadata"]["name"]: one["spec"]["jobTemplate"] for one in items if one["kind"] == "CronJob"}
    return {
        name: {variable["name"]: variable["value"] for variable in container["env"]}
        for name, job in jobs.items()
        for container in job["spec"]["template"]["spec"]["containers"]
    }


def test_the_unit_finds_the_collection_in_the_home_of_its_user(tmp_path: Path, golden: GoldenFiles) -> None:
    """Where ansible-galaxy installs it; systemd lets the unit read that folder, and write to its own /tmp."""
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    place = home / ".ansible" / "collections" / "ansible_collections" / "trustops"
    place.mkdir(parents=True)
    (place / "strimzi").symlink_to(ROOT)
    temporary.mkdir()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {"PATH": path, "LANG": "C.UTF-8", "HOME": str(home), **environment_of_unit(temporary)}
    given = ["-e", "strimzi_cluster=demo", "-e", "strimzi_namespace=kafka", "-e", "strimzi_kubeconfig=/nonexistent"]
    command = ["ansible-playbook", PLAYBOOK, *given]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    golden.compare_said("roles", "\n".join(messages_of(done.stdout)))
    assert [path.name for path in home.iterdir()] == [".ansible"]
    assert [path.name for path in (home / ".ansible").iterdir()] == ["collections"]
    assert list(temporary.iterdir()) == [temporary / "ansible"]


@pytest.mark.parametrize("name", environments_of_pods())
def test_a_pod_has_a_name_for_the_user_whom_its_image_does_not_know(name: str) -> None:
    """Before 2.20, ansible-core ends on Python 3.13 where there is none, and older Pythons hide that."""
    unknown = "import getpass, pwd\npwd.getpwuid = {}.__getitem__\nprint(getpass.getuser())"
    command = [sys.executable, "-c", unknown]
    done = subprocess.run(command, env=environments_of_pods()[name], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
