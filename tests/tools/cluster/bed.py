"""A bed: one embedded Kubernetes with Strimzi's CRDs, by name; or a cluster that is given by its kubeconfig."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import yaml

from . import control_plane
from .kube import Kube, wait_for, write_kubeconfig
from .parts import Parts, simulated_parts
from .pki import write_pki
from .ports import free_ports
from .versions import STRIMZI

ROOT = Path(__file__).parents[3]


def run_folder(name: str) -> Path:
    base = os.environ.get("TRUSTOPS_RUN") or tempfile.gettempdir()
    return Path(base) / f"trustops-bed-{name}"


@dataclass
class Bed:
    """``up`` makes it run until ``down``; used as a context manager it ends with this process, however that ends."""

    #: Processes that a running bed has, its supervisor included.
    processes: ClassVar[int] = 6
    #: Whether each pod gets the token of its ServiceAccount: pods of simulated nodes have no process that would read it.
    mounts_tokens: ClassVar[bool] = False

    name: str = "default"
    nodes: int = 1
    pod_start_seconds: float = 1.0
    #: The release of Strimzi whose CRDs it has.
    strimzi: str = STRIMZI
    timings: dict[str, float] = field(default_factory=dict)
    _pipe: Any = None

    @property
    def folder(self) -> Path:
        return run_folder(self.name)

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    @property
    def audit_log(self) -> Path:
        return self.folder / "audit.log"

    def __enter__(self) -> Bed:
        self._pipe = subprocess.PIPE
        self.up()
        return self

    def __exit__(self, *reason: object) -> None:
        self.down()

    def up(self) -> None:
        """Start everything; nothing to do when it runs."""
        if self.healthy():
            return
        self.down()
        begun = time.monotonic()
        parts = self._find_parts()
        self._lap("binaries and CRDs", begun)
        self.folder.mkdir(parents=True)
        try:
            self._start(parts)
        except BaseException:
            self.down()
            raise

    def _find_parts(self) -> Parts:
        """Raises MissingTool."""
        return simulated_parts(self.strimzi)

    def _start(self, parts: Parts) -> None:
        begun = time.monotonic()
        servers = ("etcd", "etcd-peer", "api", "kwok")
        ports = dict(zip(servers, free_ports(len(servers)), strict=True))
        token = secrets.token_hex(16)
        self._write_files(ports, token)
        self._supervise()
        self._prepare()
        self._run_steps(
            control_plane.etcd(parts.files, self.folder, ports),
            control_plane.api_server(parts.files, self.folder, ports, self.addresses, mounts_tokens=self.mounts_tokens),
        )
        wait_for(self._api_ready, f"the API server ({self.folder}/kube-apiserver.log)")
        self._lap("API server", begun)
        begun = time.monotonic()
        self._run_steps(*control_plane.controllers(parts.files, self.folder))
        kube = Kube(self.kubeconfig)
        kinds = _define(kube, parts.crds)
        self._start_nodes(parts.files, ports, kube)
        wait_for(lambda: _served(kube, kinds), "the CRDs being served")
        wait_for(lambda: self._nodes_ready(kube), f"the nodes being ready ({self.folder}/*.log)", 120)
        self._lap("controllers, CRDs, nodes", begun)

    def add(self, crds: Iterable[Path], *steps: dict[str, Any]) -> None:
        """More kinds, and programs beside the API server that know them; they end with the bed."""
        kube = Kube(self.kubeconfig)
        kinds = _define(kube, crds)
        wait_for(lambda: _served(kube, kinds), "the CRDs being served")
        self._run_steps(*steps)

    def _write_files(self, ports: dict[str, int], token: str) -> None:
        folder = self.folder
        write_pki(folder, self.addresses.certified)
        (folder / "tokens.csv").touch(mode=0o600)
        (folder / "tokens.csv").write_text(f'{token},admin,admin,"system:masters"\n')
        (folder / "audit-policy.yaml").write_text(control_plane.AUDIT_POLICY)
        write_kubeconfig(self.kubeconfig, f"https://{self.addresses.api}:{ports['api']}", folder / "ca.crt", token)

    @property
    def addresses(self) -> control_plane.Addresses:
        return control_plane.Addresses()

    def _prepare(self) -> None:
        """Put in place what has to be there before the API server starts: nothing here."""

    def _remove_traces(self) -> None:
        """Remove what the processes, which have ended, leave beside the folder: nothing here."""

    def _start_nodes(self, files: dict[str, Path], ports: dict[str, int], kube: Kube) -> None:
        stages = control_plane.stages(files["stages"].read_text(), int(self.pod_start_seconds * 1000))
        (self.folder / "stages.yaml").write_text(stages)
        self._run_steps(control_plane.kwok(files, self.folder, ports))
        kube.apply(_node(number) for number in range(self.nodes))

    def has_step(self, name: str) -> bool:
        """Whether a program of this name was started here."""
        return any(step["name"] == name for step in self._steps())

    def _steps(self) -> list[dict[str, Any]]:
        plan = self.folder / "plan.json"
        return list(json.loads(plan.read_text())) if plan.exists() else []

    def _run_steps(self, *steps: dict[str, Any]) -> None:
        """The supervisor starts these next."""
        plan, scratch = self.folder / "plan.json", self.folder / "plan.new"
        known = self._steps()
        scratch.write_text(json.dumps([*known, *steps]))
        scratch.rename(plan)

    def _supervise(self) -> None:
        mode = "owned" if self._pipe else "daemon"
        command = [sys.executable, "-m", "tests.tools.cluster", "supervise", mode, "--name", self.name]
        with (self.folder / "supervisor.log").open("ab") as log:
            # The pipe stays open as long as this process lives: its end is the supervisor's signal to stop.
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=self._pipe or subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
            )
        self._pipe = process.stdin
        (self.folder / "supervisor.pid").write_text(str(process.pid))

    def _api_ready(self) -> bool:
        try:
            return Kube(self.kubeconfig).request("GET", "/readyz", timeout=2).status == 200
        except Exception:
            return False

    def _nodes_ready(self, kube: Kube) -> bool:
        nodes = kube.request("GET", "/api/v1/nodes").body.get("items", [])
        ready = [
            n
            for n in nodes
            for c in n.get("status", {}).get("conditions") or []
            if c["type"] == "Ready" and c["status"] == "True"
        ]
        return len(ready) >= self.nodes

    def _lap(self, phase: str, begun: float) -> None:
        self.timings[phase] = time.monotonic() - begun
        print(f"bed {self.name}: {phase} {self.timings[phase]:.1f} s", file=sys.stderr, flush=True)

    def pids(self) -> dict[str, int]:
        found = {path.stem: int(path.read_text() or 0) for path in sorted(self.folder.glob("*.pid"))}
        return {name: pid for name, pid in found.items() if _alive(pid)}

    def healthy(self) -> bool:
        return "supervisor" in self.pids() and len(self.pids()) >= self.processes and self._api_ready()

    def down(self) -> None:
        """Stop what runs and remove the folder; also after a crash of anything."""
        pids = self.pids()
        supervisor = pids.pop("supervisor", None)
        if supervisor:
            _end(supervisor, signal.SIGTERM)
        for pid in pids.values():
            _end(pid, signal.SIGKILL)
        self._remove_traces()
        shutil.rmtree(self.folder, ignore_errors=True)


def _define(kube: Kube, crds: Iterable[Path]) -> list[str]:
    """The paths at which the API server will serve the kinds."""
    manifests = [yaml.safe_load(crd.read_text()) for crd in crds]
    kube.apply(manifests)
    specs = [manifest["spec"] for manifest in manifests]
    return [f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}" for spec in specs]


def _served(kube: Kube, paths: Iterable[str]) -> bool:
    return all(kube.request("GET", path, query={"limit": "1"}).status == 200 for path in paths)


def _node(number: int) -> dict[str, Any]:
    name = f"node-{number}"
    resources = {"cpu": "1000", "memory": "1000Gi", "pods": "2000"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name},
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "status": {"allocatable": resources, "capacity": resources},
    }


def _alive(pid: int) -> bool:
    """Runs, and is one of ours (a number can have been given to another process meanwhile)."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return any(
        part in command
        for part in (b"tests.tools.cluster", b"etcd", b"kube-", b"kwok", b"cert-manager", b"nsenter", b"unshare")
    )


def _end(pid: int, how: signal.Signals) -> None:
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        return
    for _round in range(100):
        if not _alive(pid):
            return
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
