"""Running playbooks and modules as a user does: real processes, real API server."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ..tools.cluster.bed import ROOT
from ..tools.cluster.bed_cluster import BedCluster
from ..tools.cluster.kube import write_kubeconfig


@dataclass
class Finished:
    code: int
    output: str

    def check(self) -> Finished:
        assert self.code == 0, self.output[-4000:]
        return self

    def results(self) -> Iterator[dict[str, Any]]:
        """The results of all tasks that ran, in their order. Only ``ansible-playbook -v`` shows them, each as JSON in a line."""
        for shown in re.findall(r"^(?:ok|changed): \[localhost\] => (\{.*\})$", self.output, re.MULTILINE):
            yield json.loads(shown)


@dataclass
class Runner:
    cluster: BedCluster
    kubeconfig: Path | None = None
    #: The variables of each playbook.
    variables: dict[str, str] = field(default_factory=dict)
    #: Seconds that one may take.
    patience: float = 480
    #: The beginning of each command: a program that runs the rest.
    within: tuple[str, ...] = ()

    def start(self, playbook: str, *arguments: str, **variables: object) -> subprocess.Popen[str]:
        """playbook: the name of one of the collection, or the path of another. No client is given time: none reads."""
        place = {"strimzi_cluster": "demo", "strimzi_namespace": self.cluster.namespace}
        wanted = {**place, "strimzi_client_grace": 0, **self.variables, **variables}
        path = playbook if playbook.endswith(".yml") else f"playbooks/{playbook}.yml"
        command = [*self.within, "ansible-playbook", "-i", "localhost,", "-c", "local", path, *arguments]
        for name, value in {**wanted, "ansible_python_interpreter": sys.executable}.items():
            command += ["-e", json.dumps({name: value})]
        return subprocess.Popen(
            command, cwd=ROOT, env=self.environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            process_group=0,
        )  # fmt: skip

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "K8S_AUTH_KUBECONFIG": str(self.kubeconfig or self.cluster.bed.kubeconfig),
        }

    def flow(self, playbook: str, *arguments: str, **variables: object) -> Finished:
        """A playbook that does not end in time is killed with its modules, and the error tells what it has said."""
        process = self.start(playbook, *arguments, **variables)
        try:
            output, _nothing = process.communicate(timeout=self.patience)
        except subprocess.TimeoutExpired as late:
            os.killpg(process.pid, signal.SIGKILL)
            output, _nothing = process.communicate()
            raise AssertionError(f"{playbook} has not ended in {self.patience} s: {output[-4000:]}") from late
        return Finished(process.returncode, output)

    def module(self, name: str, *arguments: str, **options: Any) -> dict[str, Any]:
        """The JSON result of one module call."""
        wanted = {"cluster": "demo", "namespace": self.cluster.namespace, **options}
        command = [
            *self.within, "ansible", "localhost", "-c", "local", "-m", f"trustops.strimzi.{name}", "-a", json.dumps(wanted), *arguments,
            "-e", f"ansible_python_interpreter={sys.executable}",
        ]  # fmt: skip
        done = subprocess.run(command, cwd=ROOT, env=self.environment(), capture_output=True, text=True, check=False)
        shown = done.stdout.partition("=> ")[2]
        assert shown, done.stdout + done.stderr
        return json.loads(shown)

    def make_ca(self) -> None:
        """Makes the CA, or confirms it, as the playbook ``create`` does with the same module."""
        made = self.module("strimzi_ca", before_kafka=True)
        assert not made.get("failed"), made

    def as_service_account(self, rules: list[dict[str, Any]], folder: Path) -> Runner:
        """A runner that may do what these rules of a Role say, and nothing else."""
        namespace, kube = self.cluster.namespace, self.cluster.kube
        group = "rbac.authorization.k8s.io"
        subject = {"kind": "ServiceAccount", "name": "trustops", "namespace": namespace}
        kube.apply([
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "trustops", "namespace": namespace}},
            {
                "apiVersion": f"{group}/v1", "kind": "Role", "rules": rules,
                "metadata": {"name": "trustops", "namespace": namespace},
            },
            {
                "apiVersion": f"{group}/v1", "kind": "RoleBinding", "subjects": [subject],
                "metadata": {"name": "trustops", "namespace": namespace},
                "roleRef": {"apiGroup": group, "kind": "Role", "name": "trustops"},
            },
        ])  # fmt: skip
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/trustops/token"
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": []}}
        token = kube.request("POST", path, body=body).body["status"]["token"]
        kubeconfig = folder / "kubeconfig"
        write_kubeconfig(kubeconfig, kube.server, self.cluster.bed.folder / "ca.crt", token)
        return Runner(self.cluster, kubeconfig)

    def restarts_since(self, before: dict[str, str]) -> int:
        """How many of the Kafka nodes have another UID than before."""
        now = self.cluster.node_uids("demo")
        return sum(now.get(name) != uid for name, uid in before.items())

    def writes_in_audit_log(self, since: int) -> list[str]:
        """The writes in this namespace after this many lines of the audit log, without those of the operator and of Kubernetes."""
        return [
            f"{event['verb']} {event['objectRef'].get('resource')}/{event['objectRef'].get('name')}"
            for event in self._audited(since) if event["verb"] not in ("get", "list", "watch")
        ]  # fmt: skip

    def lists_in_audit_log(self, since: int, resource: str) -> list[str]:
        """The queries with which this resource was listed, in the same way."""
        return [
            unquote(urlsplit(event["requestURI"]).query)
            for event in self._audited(since) if (event["verb"], event["objectRef"].get("resource")) == ("list", resource)
        ]  # fmt: skip

    def _audited(self, since: int) -> Iterator[dict[str, Any]]:
        for line in self.cluster.bed.audit_log.read_text().splitlines()[since:]:
            event = json.loads(line)
            here = (event.get("objectRef") or {}).get("namespace") == self.cluster.namespace
            if here and event.get("userAgent") == "trustops.strimzi":
                yield event

    def audit_lines(self) -> int:
        return len(self.cluster.bed.audit_log.read_text().splitlines())
