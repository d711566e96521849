# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of components on a node that runs containers: what is mounted, and that their processes keep it
(docs/operator.md, "What each process trusts").
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..support.memory_cluster import MemoryCluster
from . import clusters
from .real_components import MEMORY, START
from .real_pods import RealPods

CA, BUNDLE = "demo-cluster-ca-cert", "demo-trustbundle"


def memory(*, real: bool, **components: Any) -> MemoryCluster:
    """Components as in the Kafka resource, all by default."""
    cluster = MemoryCluster("demo", "kafka")
    cluster.operator.real_pods = RealPods() if real else None
    for manifest in clusters.dual_role("demo", "kafka", generated=True, components=not components):
        if manifest["kind"] == "Kafka":
            manifest["spec"].update(components)
        cluster.operator.api.create(f"{manifest['kind'].lower()}s", manifest)
    cluster.operator.reconcile("demo")
    return cluster


def template(memory: MemoryCluster, component: str) -> dict[str, Any]:
    found = memory.operator.api.get("deployments", f"demo-{component}")
    assert found is not None
    return dict(found["spec"]["template"])


def mounted(memory: MemoryCluster, component: str) -> dict[str, dict[str, str]]:
    """Secrets by container and path."""
    spec = template(memory, component)["spec"]
    secrets = {volume["name"]: volume["secret"]["secretName"] for volume in spec["volumes"] if "secret" in volume}
    return {
        container["name"]: {
            mount["mountPath"]: secrets[mount["name"]]
            for mount in container["volumeMounts"]
            if mount["name"] in secrets
        }
        for container in spec["containers"]
    }


@pytest.fixture(scope="module")
def real() -> MemoryCluster:
    return memory(real=True)


@pytest.mark.parametrize(
    ("component", "expected"),
    [
        (
            "entity-operator",
            {
                "topic-operator": {
                    "/from-api/leaf": "demo-entity-topic-operator-certs",
                    "/etc/cluster-ca-certs": CA,
                },
                "user-operator": {"/from-api/leaf": "demo-entity-user-operator-certs", "/from-api/trust": CA},
            },
        ),
        (
            "cruise-control",
            {
                "cruise-control": {
                    "/etc/cruise-control/cc-certs": "demo-cruise-control-certs",
                    "/etc/cruise-control/cluster-ca-certs": CA,
                }
            },
        ),
        (
            "kafka-exporter",
            {
                "kafka-exporter": {
                    "/etc/kafka-exporter/kafka-exporter-certs": "demo-kafka-exporter-certs",
                    "/etc/kafka-exporter/cluster-ca-certs": BUNDLE,
                }
            },
        ),
    ],
)
def test_each_process_finds_its_leaf_and_its_trust(
    real: MemoryCluster, component: str, expected: dict[str, Any]
) -> None:
    assert mounted(real, component) == expected


@pytest.mark.parametrize("component", ["entity-operator", "cruise-control", "kafka-exporter"])
def test_each_container_has_a_memory_of_its_own_and_is_ready_when_that_is_full(
    real: MemoryCluster, component: str
) -> None:
    spec = template(real, component)["spec"]
    memories = {volume["name"] for volume in spec["volumes"] if volume.get("emptyDir", {}).get("medium") == "Memory"}
    assert len(memories) == len(spec["containers"])
    for container in spec["containers"]:
        (own,) = {mount["name"] for mount in container["volumeMounts"]} & memories
        memories.remove(own)
        assert container["startupProbe"]["exec"]["command"] == ["test", "-e", f"{MEMORY}/complete"]


def test_an_operator_that_is_not_asked_for_is_not_there() -> None:
    asked = memory(real=True, entityOperator={"userOperator": {}})
    assert list(mounted(asked, "entity-operator")) == ["user-operator"]
    annotations = template(asked, "entity-operator")["metadata"]["annotations"]
    assert annotations["strimzi.io/server-cert-hash"].startswith("null")


@pytest.mark.parametrize("component", ["entity-operator", "cruise-control", "kafka-exporter"])
def test_annotations_and_containers_are_those_of_a_simulated_one(real: MemoryCluster, component: str) -> None:
    simulated = template(memory(real=False), component)
    found = template(real, component)
    assert simulated["metadata"]["annotations"].keys() == found["metadata"]["annotations"].keys()
    names = [container["name"] for container in found["spec"]["containers"]]
    assert simulated["spec"] == {
        "automountServiceAccountToken": False,
        "containers": [{"name": name, "image": "operator:1.2.0", "imagePullPolicy": "Never"} for name in names],
    }


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    """The folders of leaf, trust and memory; the first two as Secrets are mounted, by links that can be put elsewhere."""
    for name in ("leaf", "trust"):
        mount(tmp_path / name, {f"{name}.crt": "old"})
    (tmp_path / "memory").mkdir()
    return tmp_path / "leaf", tmp_path / "trust", tmp_path / "memory"


def mount(folder: Path, files: dict[str, str]) -> None:
    version = folder / f"..{time.monotonic_ns()}"
    version.mkdir(parents=True)
    for name, content in files.items():
        (version / name).write_text(content)
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"..data/{name}")
    (folder / "..new").symlink_to(version.name)
    (folder / "..new").rename(folder / "..data")


@pytest.fixture
def process(folders: tuple[Path, Path, Path]) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a container, once it has started."""
    container = subprocess.Popen(["sh", "-c", START, "sh", *map(str, folders)], start_new_session=True)
    try:
        deadline = time.monotonic() + 10
        while not (folders[2] / "complete").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        yield container
    finally:
        # The group outlives its shell only where that had come to its sleep before it was told to end.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(container.pid, signal.SIGKILL)
        container.wait()


@pytest.mark.usefixtures("process")
def test_a_process_keeps_what_it_has_found(folders: tuple[Path, Path, Path]) -> None:
    leaf, _trust, loaded = folders
    mount(leaf, {"leaf.crt": "new"})
    assert (leaf / "leaf.crt").read_text() == "new"
    found = {str(file.relative_to(loaded)): file.read_text() for file in loaded.glob("*/*")}
    assert found == {"leaf/leaf.crt": "old", "trust/trust.crt": "old"}
    assert not any(file.is_symlink() for file in loaded.glob("*/*"))


def test_a_process_that_is_told_to_end_does(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    assert process.wait(60) == 0


def test_a_process_that_finds_nothing_does_not_become_ready(folders: tuple[Path, Path, Path]) -> None:
    leaf, trust, loaded = folders
    command = ["sh", "-c", START, "sh", str(leaf), str(trust / "absent"), str(loaded)]
    assert subprocess.run(command, stderr=subprocess.DEVNULL, timeout=10, check=False).returncode != 0
    assert not (loaded / "complete").exists()
