# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bed's own logic: ports, folders, and whom it ends when it is taken down."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import bed as bed_module
from .bed import ROOT, Bed, run_folder
from .bed_cluster import BedCluster
from .kube import collection_path, wait_for, write_kubeconfig
from .parts import Parts
from .test_supervisor import runs, until


def test_beds_of_different_names_share_nothing(tmp_path: Path) -> None:
    assert run_folder("a") != run_folder("b")
    assert Bed("a").folder == tmp_path / "run" / "trustops-bed-a"
    assert {path.parent for path in (Bed("a").kubeconfig, Bed("a").audit_log)} == {Bed("a").folder}


@pytest.fixture
def spawn() -> Iterator[Any]:
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str) -> subprocess.Popen[bytes]:
        """A process that shows itself under this name."""
        started.append(subprocess.Popen(["bash", "-c", f"exec -a {name} sleep 600"], start_new_session=True))
        # The shell has the name among its arguments; while it becomes the process, there is no command line at all.
        assert until(lambda: Path(f"/proc/{started[-1].pid}/cmdline").read_bytes().startswith(name.encode()))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_down_ends_what_runs_and_removes_the_folder(spawn: Any) -> None:
    bed = Bed("x")
    bed.folder.mkdir(parents=True)
    processes = {name: spawn(name) for name in ("etcd", "kube-apiserver", "kwok")}
    for name, process in processes.items():
        (bed.folder / f"{name}.pid").write_text(str(process.pid))
    assert bed.pids() == {name: process.pid for name, process in processes.items()}
    bed.down()
    # The kernel has taken their memory before they count as ended.
    assert until(lambda: not any(runs(process.pid) for process in processes.values()))
    assert not bed.folder.exists()


def test_down_leaves_a_stranger_alone_that_was_given_the_number_meanwhile(spawn: Any) -> None:
    bed = Bed("x")
    bed.folder.mkdir(parents=True)
    stranger = spawn("editor")
    (bed.folder / "etcd.pid").write_text(str(stranger.pid))
    assert bed.pids() == {}
    bed.down()
    assert runs(stranger.pid)
    assert not bed.folder.exists()


def test_the_operator_double_is_recognised_before_it_is_killed(spawn: Any) -> None:
    cluster = BedCluster(Bed("x"))
    cluster.bed.folder.mkdir(parents=True)
    stranger, double = spawn("editor"), spawn("tests.tools.operator")
    cluster._pid_file.write_text(str(stranger.pid))
    assert not cluster.operator_runs()
    cluster.stop_operator()
    assert runs(stranger.pid)
    cluster._pid_file.write_text(str(double.pid))
    assert cluster.operator_runs()
    cluster.stop_operator()
    assert until(lambda: not runs(double.pid))


def test_down_of_a_bed_that_never_was() -> None:
    Bed("never").down()
    assert Bed("never").pids() == {}
    assert not Bed("never").healthy()


@pytest.mark.parametrize("content", ["", "0", "999999999"])
def test_a_left_over_number_is_no_process(content: str) -> None:
    bed = Bed("x")
    bed.folder.mkdir(parents=True)
    (bed.folder / "etcd.pid").write_text(content)
    assert bed.pids() == {}


def test_a_start_that_fails_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bed_module, "simulated_parts", lambda _release: Parts({}, []))
    with pytest.raises(KeyError):
        Bed("x").up()
    assert not Bed("x").folder.exists()


def command_line(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.tools.cluster", *arguments]
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_given_cluster_is_used_and_nothing_is_started(tmp_path: Path) -> None:
    given = tmp_path / "kubeconfig"
    assert command_line("up", KUBECONFIG=str(given)).returncode == 1
    given.touch()
    done = command_line("up", KUBECONFIG=str(given))
    assert (done.returncode, "nothing is started" in done.stdout) == (0, True)
    assert not (tmp_path / "run").exists()


def test_status_of_what_does_not_run_is_a_failure() -> None:
    done = command_line("status", "--name", "x")
    assert done.returncode == 1
    assert "bed x: not running" in done.stdout


def test_kubeconfig_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.touch(mode=0o644)
    write_kubeconfig(path, "https://127.0.0.1:1", tmp_path / "ca.crt", "secret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    config = yaml.safe_load(path.read_text())
    assert config["clusters"][0]["cluster"] == {
        "server": "https://127.0.0.1:1", "certificate-authority": str(tmp_path / "ca.crt"),
    }  # fmt: skip
    assert config["users"][0]["user"] == {"token": "secret"}


@pytest.mark.parametrize(
    ("version", "kind", "namespace", "path"),
    [
        ("v1", "Secret", "a", "/api/v1/namespaces/a/secrets"),
        ("v1", "Node", None, "/api/v1/nodes"),
        ("kafka.strimzi.io/v1", "Kafka", "a", "/apis/kafka.strimzi.io/v1/namespaces/a/kafkas"),
        ("networking.k8s.io/v1", "NetworkPolicy", "a", "/apis/networking.k8s.io/v1/namespaces/a/networkpolicies"),
        ("networking.k8s.io/v1", "IngressClass", None, "/apis/networking.k8s.io/v1/ingressclasses"),
    ],
)
def test_path_of_a_kind(version: str, kind: str, namespace: str | None, path: str) -> None:
    metadata = {"namespace": namespace} if namespace else {}
    assert collection_path({"apiVersion": version, "kind": kind, "metadata": metadata}) == path


def test_waiting_in_vain_names_what_was_waited_for() -> None:
    with pytest.raises(TimeoutError, match="the API server did not happen within 0 s"):
        wait_for(lambda: False, "the API server", 0.1)
