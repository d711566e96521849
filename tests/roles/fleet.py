# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole clusters in memory, each behind an API server of its own over HTTP, and playbooks over all of them by the inventory of this collection."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ..tools.support.memory_cluster import MemoryCluster
from ..unit._kube.server import Reply, Request, serving
from ..unit.inventory.fleet import kubeconfig
from .playing import messages_of

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"
#: No node can be asked here.
STORED = {"strimzi_evidence": "annotations", "strimzi_key_type": "ecdsa-p256", "strimzi_client_grace": 0}


class Served:
    """A cluster as its API server shows it. It moves while a watch waits."""

    def __init__(self, memory: MemoryCluster) -> None:
        self.memory, self.written, self._lock = memory, [], Lock()
        memory.api.idle = memory.step

    #: When clients have written what, "POST secrets/<name>".
    written: list[tuple[float, str]]

    @property
    def writes(self) -> list[str]:
        return [write for _at, write in self.written]

    def answer(self, request: Request) -> Reply:
        parts = urlsplit(request.path)
        query = dict(parse_qsl(parts.query))
        with self._lock:
            if query.get("watch"):
                events = list(self.memory.api.stream(parts.path, query=query))
                return Reply(chunks=[json.dumps(event).encode() + b"\n" for event in events])
            (content_type,) = request.header("Content-Type") or [""]
            (accept,) = request.header("Accept") or [""]
            found = self.memory.api.request(
                request.method,
                parts.path,
                query=query,
                body=json.loads(request.body) if request.body else None,
                content_type=content_type if request.body else accept,
            )
            if request.method != "GET" and found.status < 300:
                self.written.append((monotonic(), f"{request.method} {'/'.join(parts.path.split('/')[-2:])}"))
            return Reply(found.status, found.body, dict(found.headers))


@dataclass(frozen=True)
class Played:
    """The end of a playbook."""

    #: The exit code of its process.
    code: int
    #: The output of its process.
    output: str

    @property
    def failed(self) -> set[str]:
        return set(re.findall(r"^(\S+) +: ok=.* failed=[1-9]", self.output, re.MULTILINE))

    @property
    def messages(self) -> set[str]:
        """The messages with which tasks have failed."""
        return set(messages_of(self.output))

    @property
    def said(self) -> str:
        return " ".join(self.output.split())


@dataclass(frozen=True)
class Fleet:
    folder: Path
    #: The clusters by their contexts.
    clusters: Mapping[str, Served]

    def play(self, playbook: str, *options: str, **variables: Any) -> Played:
        """Over all clusters, with the Python of these tests."""
        given = {"strimzi_hosts": "kafka_clusters", **STORED, **variables}
        command = [
            "ansible-playbook",
            "-i",
            str(self.folder / "fleet.strimzi.yml"),
            str(PLAYBOOKS / f"{playbook}.yml"),
            *options,
        ]
        command += ["-e", json.dumps({"ansible_python_interpreter": sys.executable, **given})]
        done = subprocess.run(
            command, cwd=self.folder, env=self._environment(), capture_output=True, text=True, check=False
        )
        return Played(done.returncode, done.stdout + done.stderr)

    def play_slices(self, count: int, playbook: str, **variables: Any) -> list[Played]:
        """As a controller slices a job: at the same time, each over every ``count``-th host by name, with a folder ``slice-<number>`` for its reports."""
        hosts = sorted(f"demo.kafka.{context}" for context in self.clusters)
        with ThreadPoolExecutor(count) as pool:
            slices = [
                pool.submit(
                    self.play, playbook, "--limit", ",".join(hosts[number::count]),
                    strimzi_report_dir=str(self.folder / f"slice-{number}"), **variables,
                )
                for number in range(count)
            ]  # fmt: skip
        return [one.result() for one in slices]

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("K8S_AUTH_")}
        return {**kept, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "true"}

    def report(self, host: str = "", *, folder: str = "reports") -> Any:
        """The report of this run as JSON, of a host or over all."""
        below = self.folder / folder
        return json.loads((below / host / "report.json" if host else below / "fleet.json").read_text())


@contextmanager
def fleet(folder: Path, **clusters: MemoryCluster) -> Iterator[Fleet]:
    """The clusters by the names of their contexts."""
    with ExitStack() as stack:
        served = {context: Served(memory) for context, memory in clusters.items()}
        urls = {context: stack.enter_context(serving(one.answer)).url for context, one in served.items()}
        kubeconfig(folder, **urls)
        inventory = {"plugin": "trustops.strimzi.kafka", "kubeconfig": "kubeconfig", "contexts": list(urls)}
        (folder / "fleet.strimzi.yml").write_text(json.dumps(inventory))
        yield Fleet(folder, served)
