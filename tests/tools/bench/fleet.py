"""Playbooks over many clusters at once, beside the same playbooks over one: time, and the memory of the machine that runs Ansible."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..cluster.bed import ROOT, Bed
from ..cluster.bed_cluster import BedCluster
from ..operator import clusters
from .measurement import Measurement, Wanted

CLUSTERS = 20
#: As many processes of Ansible as its documentation suggests for a machine with few processors.
FORKS = 5
MIB = 1024


@dataclass(frozen=True)
class Run:
    #: Seconds from begin to end.
    seconds: float
    #: The most memory of Ansible and its modules together, each shared page counted once.
    mib: float


@dataclass(frozen=True)
class Fleet:
    """Clusters in one namespace."""

    cluster: BedCluster
    #: The inventory of all clusters.
    inventory: Path
    folder: Path

    def play(self, playbook: str, hosts: str = "kafka_clusters") -> Run:
        """hosts: a pattern of hosts of the inventory. Raises RuntimeError where the playbook fails."""
        command = [
            "ansible-playbook",
            "-i",
            str(self.inventory),
            f"playbooks/{playbook}.yml",
            "--forks",
            str(FORKS),
        ]
        given = {"strimzi_hosts": hosts, "strimzi_client_grace": 0, "strimzi_key_type": "ecdsa-p256"}
        command += ["-e", json.dumps({"ansible_python_interpreter": sys.executable, **given})]
        begun, most = time.monotonic(), 0.0
        with (self.folder / "output").open("w+") as output:
            process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output)
            while process.poll() is None:
                most = max(most, memory_of(process.pid))
                time.sleep(0.2)
            output.seek(0)
            if process.returncode:
                raise RuntimeError(output.read()[-3000:])
        return Run(time.monotonic() - begun, most)


def memory_of(root: int) -> float:
    """MiB of this process and all that it has begun, each page divided among the processes that share it."""
    parents = dict(filter(None, map(_parent_of, Path("/proc").iterdir())))
    family = {root}
    while grown := {process for process, parent in parents.items() if parent in family} - family:
        family |= grown
    return sum(map(_pss_of, family)) / MIB


def _parent_of(process: Path) -> tuple[int, int] | None:
    try:
        return int(process.name), int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError):
        return None


def _pss_of(process: int) -> int:
    """KiB; 0 where it has ended meanwhile."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def started(bed: Bed, folder: Path) -> Fleet:
    """Clusters of three nodes with CAs that the operator has generated."""
    cluster = BedCluster(bed, "fleet")
    cluster.start(interval=5)
    names = [f"kafka-{number:02}" for number in range(CLUSTERS)]
    for name in names:
        cluster.kube.apply(clusters.dual_role(name, cluster.namespace, node_pool=f"{name}-nodes", generated=True))
    for name in names:
        cluster.wait_until_ready(name, 600)
    return Fleet(cluster, cluster.write_inventory(folder), folder)


def measure() -> Iterator[Measurement]:
    """A ratio of 1 is the time of as many playbooks one after the other."""
    with Bed("bench", pod_start_seconds=0.3) as bed, tempfile.TemporaryDirectory() as name:
        fleet = started(bed, Path(name))
        try:
            fleet.play("upgrade")
            for playbook in ("reconcile", "replace_key"):
                single = fleet.play(playbook, "kafka-00*")
                every = fleet.play(playbook)
                what = f"fleet-{playbook.replace('_', '-')}-{CLUSTERS}"
                yield Measurement(
                    f"{what}-vs-one-by-one", every.seconds / (CLUSTERS * single.seconds), Wanted.AT_MOST, 1.0
                )
                yield Measurement(f"{what}-memory", every.mib, Wanted.AT_MOST, 200.0 * FORKS, "MiB")
        finally:
            fleet.cluster.stop_operator()
