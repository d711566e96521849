"""A namespace on the bed for demo, Molecule and API tests, with the operator double beside it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .bed import ROOT, Bed
from .kube import Kube, Object, wait_for


@dataclass
class BedCluster:
    #: The bed, which is started when it does not run.
    bed: Bed
    #: The namespace in which the operator double works.
    namespace: str = "kafka"
    real_pods: bool = False
    #: The release of the operator that the double stands in for; empty for that of the resource definitions of the bed.
    release: str = ""

    @property
    def kube(self) -> Kube:
        return Kube(self.bed.kubeconfig)

    @property
    def _pid_file(self) -> Path:
        return self.bed.folder / f"operator-{self.namespace}.txt"

    def start(self, interval: float = 30.0) -> None:
        """Bed up, namespace there, operator double running."""
        self.bed.up()
        self.kube.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}}])
        if not self.operator_runs():
            self.start_operator(interval)

    def start_operator(self, interval: float = 30.0) -> None:
        command = [sys.executable, "-m", "tests.tools.operator", "--kubeconfig", str(self.bed.kubeconfig)]
        command += ["--namespace", self.namespace, "--interval", str(interval)]
        command += ["--real-pods"] if self.real_pods else []
        command += ["--release", self.release or self.bed.strimzi]
        with (self.bed.folder / f"operator-{self.namespace}.log").open("ab") as log:
            process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=0
            )
        self._pid_file.write_text(str(process.pid))

    def operator_runs(self) -> bool:
        return self._operator_pid() is not None

    def _operator_pid(self) -> int | None:
        try:
            pid = int(self._pid_file.read_text())
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return pid if b"tests.tools.operator" in command else None

    def stop_operator(self) -> None:
        pid = self._operator_pid()
        if pid is not None:
            os.kill(pid, signal.SIGKILL)

    def write_inventory(self, folder: Path) -> Path:
        """An inventory of the Kafka resources of this namespace, for the plugin of this collection."""
        inventory = {
            "plugin": "trustops.strimzi.kafka",
            "kubeconfig": str(self.bed.kubeconfig),
            "namespaces": [self.namespace],
        }
        file = folder / "fleet.strimzi.yml"
        file.write_text(json.dumps(inventory))
        return file

    def take_away(self) -> None:
        self.stop_operator()
        self.bed.down()

    def find(self, plural: str, name: str) -> Object | None:
        """The object, or None where there is none (any more, or yet). Raises RuntimeError where the API server does not say."""
        answer = self.kube.request("GET", f"{PATHS[plural]}/namespaces/{self.namespace}/{plural}/{name}")
        if answer.status not in (200, 404):
            raise RuntimeError(f"{plural} {self.namespace}/{name}: {answer.body.get('message')}")
        return answer.body if answer.status == 200 else None

    def get(self, plural: str, name: str) -> Object:
        """The object, which exists. Raises RuntimeError where it does not."""
        found = self.find(plural, name)
        if found is None:
            raise RuntimeError(f"{plural} {self.namespace}/{name}: there is none")
        return found

    def wait_until_ready(self, cluster: str, seconds: float = 120) -> None:
        wait_for(lambda: self.is_ready(cluster), f"Kafka {self.namespace}/{cluster} being Ready", seconds)

    def is_ready(self, cluster: str) -> bool:
        """Whether the operator has brought the Kafka resource to Ready in its present form."""
        kafka = self.get("kafkas", cluster)
        status = kafka.get("status") or {}
        seen = status.get("observedGeneration") == kafka["metadata"]["generation"]
        return seen and any(c["type"] == "Ready" and c["status"] == "True" for c in status.get("conditions") or [])

    def node_uids(self, cluster: str) -> dict[str, str]:
        """UIDs of the Kafka nodes' pods by name: what rolls are counted by."""
        pods = self.pods(f"strimzi.io/name={cluster}-kafka")
        return {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in pods}

    def pods(self, label: str) -> list[Object]:
        """The pods with this label (``name=value``)."""
        path, query = f"/api/v1/namespaces/{self.namespace}/pods", {"labelSelector": label}
        found: list[Object] = self.kube.request("GET", path, query=query).body["items"]
        return found


PATHS = {"kafkas": "/apis/kafka.strimzi.io/v1", "secrets": "/api/v1", "pods": "/api/v1"}
