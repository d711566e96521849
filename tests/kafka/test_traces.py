"""A bed that was killed: its processes, mounts and links end by themselves, and ``down`` removes the rest."""

from __future__ import annotations

import os
import signal

import pytest

from ..tools.cluster.bed_cluster import BedCluster
from ..tools.cluster.kube import wait_for
from ..tools.operator.api import ready
from .bed import KafkaBed
from .image import IMAGE
from .traces import machine_state, traces

_SLEEPER = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "sleeper", "namespace": "default"},
    "spec": {"containers": [{"name": "sleeper", "image": IMAGE, "imagePullPolicy": "Never"}]},
}


@pytest.mark.long
def test_a_killed_bed_leaves_only_files_and_empty_cgroups_and_down_removes_them() -> None:
    before = machine_state()
    bed = KafkaBed("kafka-killed")
    with bed:
        link = bed.network.link
        cluster = BedCluster(bed, "default", real_pods=True)
        cluster.kube.apply([_SLEEPER])
        wait_for(lambda: ready(cluster.find("pods", "sleeper")), "the pod being ready", 120)
        running = traces(bed)
        assert any("sleep" in trace for trace in running), running
        assert any(link in line for line in machine_state(link))
        os.kill(bed.pids()["supervisor"], signal.SIGKILL)
        wait_for(lambda: machine_state(link) == before, "the end of links and routes", 60)
        assert [trace for trace in traces(bed) if not trace.startswith(("folder", "cgroup"))] == []
    assert traces(bed) == []
