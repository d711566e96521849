"""The test bed with one real node instead of simulated ones: its pods are processes, with names and addresses."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from ..tools.cluster.bed import Bed
from ..tools.cluster.control_plane import Addresses
from ..tools.cluster.kube import Kube, wait_for
from ..tools.cluster.parts import Parts
from . import kubelet, network, node, runtime
from .image import IMAGE
from .parts import IMAGE_FILE, real_parts


@dataclass
class KafkaBed(Bed):
    processes: ClassVar[int] = 10
    mounts_tokens: ClassVar[bool] = True

    name: str = "kafka"
    #: Versions of Kafka that its nodes can run besides.
    other_kafkas: tuple[str, ...] = ()

    @cached_property
    def network(self) -> network.Network:
        """Chosen once for a bed and kept in its folder."""
        kept = self.folder / "network"
        if kept.exists():
            return network.Network(int(kept.read_text()))
        chosen = network.choose(self.name)
        kept.write_text(str(chosen.number))
        return chosen

    @property
    def addresses(self) -> Addresses:
        return self.network.api

    @property
    def node_pid(self) -> int:
        return int((self.folder / "node.pid").read_text())

    def _find_parts(self) -> Parts:
        return real_parts(self.other_kafkas)

    def _prepare(self) -> None:
        self._run_steps(node.holder(self.folder))
        wait_for((self.folder / "node.ready").exists, f"the node's namespaces ({self.folder}/node.log)")
        self.network.connect(self.node_pid)

    def _start_nodes(self, files: dict[str, Path], ports: dict[str, int], kube: Kube) -> None:
        pid, folder = self.node_pid, self.folder
        kube.apply([_kubernetes_endpoints(self.network, ports["api"])])
        (folder / "cni").mkdir()
        (folder / "cni" / "pods.conflist").write_text(network.cni_configuration(self.network))
        runtime.write_configuration(folder, IMAGE)
        kubelet.write_configuration(folder, self.network, self.name)
        node.make_cgroups(self.name)
        self._run_steps(runtime.containerd(pid, folder))
        wait_for(lambda: runtime.answers(pid), f"containerd ({folder}/containerd.log)")
        for name, archive in files.items():
            if name.startswith(IMAGE_FILE):
                runtime.import_image(pid, archive)
        self._run_steps(*kubelet.steps(pid, folder, files, self.network))

    def _remove_traces(self) -> None:
        """Processes, mounts, packet filters and interfaces end with the node's namespaces; the rest is removed here."""
        for file in self.folder.glob("operator-*.txt"):
            _stop_operator(int(file.read_text()), self.folder)
        wait_for(lambda: node.remove_cgroups(self.name), f"the end of processes below {node.cgroup_root(self.name)}")
        if (self.folder / "network").exists():
            with suppress(TimeoutError):
                wait_for(lambda: not self.network.connected(), "the end of the node's network namespace", 20)
            self.network.disconnect()
        self.__dict__.pop("network", None)


def _stop_operator(pid: int, folder: Path) -> None:
    """The operator double beside this bed; the number may have been given to another process."""
    with suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        if b"tests.tools.operator" in command and str(folder).encode() in command:
            os.kill(pid, signal.SIGKILL)


def _kubernetes_endpoints(net: network.Network, port: int) -> dict[str, object]:
    """Where the Service ``kubernetes`` leads: an API server beside the cluster does not enter itself."""
    return {
        "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
        "metadata": {
            "name": "kubernetes", "namespace": "default", "labels": {"kubernetes.io/service-name": "kubernetes"},
        },
        "endpoints": [{"addresses": [net.machine], "conditions": {"ready": True}}],
        "ports": [{"name": "https", "protocol": "TCP", "port": port}],
    }  # fmt: skip
