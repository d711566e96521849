# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The five commands of the README, word by word, on a cluster whose CA the operator has generated."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..tools.cluster.bed import ROOT, Bed
from ..tools.cluster.bed_cluster import BedCluster
from ..tools.operator import clusters
from ..tools.support.pages import shell, stand_in

README = (ROOT / "README.md").read_text()
#: Lines about nodes that read again: the nodes of this bed answer no handshake, and restart instead, in other phases.
ONLY_ON_REAL_NODES = re.compile(r"renewed certificate|link certificate|\brestart \d+ of")


@dataclass(frozen=True)
class Command:
    """A command of the README, and the lines that it shows there."""

    text: str
    shown: tuple[str, ...]


def commands() -> tuple[Command, ...]:
    """The commands of the first console session under "Use cases"."""
    (session,) = re.findall(
        r"```console\n(\$ .*?)```", README.partition("## Use cases")[2].partition("\n## ")[0], re.DOTALL
    )
    return tuple(
        Command(first.split("  #")[0].strip(), tuple(line for line in shown.splitlines() if line != "..."))
        for first, _line_feed, shown in (part.partition("\n") for part in session.removeprefix("$ ").split("\n$ "))
    )


APPLY, ALIAS, STATUS, ADOPT, PLAN, ROTATE = commands()


@pytest.fixture(scope="module")
def cluster(bed: Bed) -> Iterator[BedCluster]:
    """The cluster that the README speaks of."""
    found = BedCluster(bed, "kafka")
    found.start(interval=10)
    found.kube.apply(clusters.dual_role("demo", found.namespace, generated=True))
    found.wait_until_ready("demo")
    yield found
    found.stop_operator()


def run(cluster: BedCluster, command: Command) -> str:
    """The output of the command, in a shell that knows the alias. Fails where the command does."""
    session = "\n".join(["shopt -s expand_aliases", ALIAS.text, command.text])
    environment = {**os.environ, "K8S_AUTH_KUBECONFIG": str(cluster.bed.kubeconfig), "ANSIBLE_NOCOLOR": "1"}
    environment["ANSIBLE_PYTHON_INTERPRETER"] = sys.executable
    done = subprocess.run(
        ["bash", "-ec", session], cwd=ROOT, env=environment, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shape(line: str) -> str:
    """The line without what differs from cluster to cluster: fingerprints, times, numbers, and the estimate, for which pods have to have started."""
    for varies, sign in (
        ("(restarts in all), .*", r"\1"),
        (r"\([0-9a-f]{12}\)", "(F)"),
        (r"(\d+|…) (s|min)\b", "T"),
        (r"\d+", "N"),
        (r"(roll|step|restart)s\b", r"\1"),
    ):
        line = re.sub(varies, sign, line)
    return line


def assert_shows(output: str, command: Command) -> None:
    """Each line that the README shows is in the output, in this order."""
    lines = iter(map(shape, output.splitlines()))
    for line in command.shown:
        if not ONLY_ON_REAL_NODES.search(line):
            assert shape(line) in lines, f"{line}\n{output}"


def test_the_roles_of_the_readme_are_made_in_its_namespace(cluster: BedCluster, tmp_path: Path) -> None:
    stand_in("kubectl", "kubectl_command", tmp_path)
    shell(APPLY.text, ROOT, {"PATH": f"{tmp_path}:{os.environ['PATH']}", "KUBECONFIG": str(cluster.bed.kubeconfig)})
    path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{cluster.namespace}/roles"
    assert "trustops-strimzi-flows" in {
        one["metadata"]["name"] for one in cluster.kube.request("GET", path).body["items"]
    }


@pytest.mark.parametrize(
    ("command", "changes"),
    [
        pytest.param(STATUS, False, id="status"),
        pytest.param(ADOPT, True, id="upgrade"),
        pytest.param(PLAN, True, id="plan"),
        # Clients get their time to read the CAs.
        pytest.param(ROTATE, True, id="rotate_cluster_ca", marks=pytest.mark.long),
    ],
)
def test_a_command_does_what_the_readme_says(cluster: BedCluster, command: Command, changes: bool) -> None:
    """In check mode what would change counts as changed; nothing is."""
    before = cluster.get("secrets", "demo-cluster-ca-cert")
    output = run(cluster, command)
    assert_shows(output, command)
    assert ("changed=0" in output) is not changes
    is_same = cluster.get("secrets", "demo-cluster-ca-cert")["data"] == before["data"]
    assert is_same is (command is not ROTATE)
