"""Jobs as AWX and Automation Controller run them: templates of ``extensions/awx/controller.yml``, through ansible-runner, in a tree that they can only read."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..tools.cluster.bed import ROOT
from ..tools.packing import VARIABLES
from .running import Runner

#: Seconds without a line of output after which ansible-runner ends a job. Modules promise a line every 30 s.
IDLE = 60
#: Variables that a controller, and a rulebook that launches a job, add to each job.
_ADDED = {"awx_job_id": 1, "tower_job_id": 1, "awx_job_template_name": "x", "ansible_eda": {"rule": "A CA ends soon"}}
_PARTS = ("plugins", "roles", "playbooks", "meta", "galaxy.yml")


class _Loader(yaml.SafeLoader):
    """Reads text that Ansible leaves as it is, as that text."""


_Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))
_DATA = yaml.load((ROOT / "extensions" / "awx" / "controller.yml").read_text(), _Loader)


def template(name: str) -> dict[str, Any]:
    """The job template of this name."""
    (found,) = [item for item in _DATA["controller_templates"] if item["name"] == name]
    return dict(found)


def node(identifier: str) -> dict[str, Any]:
    """The node of the workflow with this identifier."""
    (found,) = [item for item in _DATA["controller_workflows"][0]["workflow_nodes"] if item["identifier"] == identifier]
    return dict(found)


def answers(item: dict[str, Any], **given: str) -> dict[str, str]:
    """Variables that a controller makes of a survey: each question that is left alone has its default, which may be empty."""
    return {question["variable"]: question["default"] for question in item["survey_spec"]["spec"]} | given


def workflow_answers(**given: str) -> dict[str, str]:
    """The answers to the survey of the workflow, which all of its jobs get."""
    return answers(_DATA["controller_workflows"][0], **given)


@dataclass(frozen=True)
class Job:
    """A job that was launched."""

    #: ansible-runner, the leader of a process group.
    process: subprocess.Popen[str]
    #: The folder that ansible-runner keeps of the job. Its file "command" has the environment, with the token: a controller keeps no such file.
    artifacts: Path

    def wait(self, seconds: float = 300) -> Job:
        self.process.communicate(timeout=seconds)
        return self

    def cancel(self) -> Job:
        """As a controller does it: by a signal to ansible-runner."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def kill(self) -> Job:
        """Everything that belongs to the job, at once, as where its container is killed."""
        # Ansible's workers have sessions of their own; what all processes of the job share is a variable.
        mark = f"TRUSTOPS_JOB={self.artifacts}".encode()
        for environ in Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in environ.read_bytes().split(b"\0"):
                    os.kill(int(environ.parent.name), signal.SIGKILL)
            except OSError:
                continue
        return self.wait()

    @property
    def status(self) -> str:
        return (self.artifacts / "status").read_text()

    @property
    def output(self) -> str:
        """With the codes of colours, which a controller asks for."""
        return (self.artifacts / "stdout").read_text()

    def events(self) -> Iterator[dict[str, Any]]:
        """The events until now, in their order."""
        files = [file for file in (self.artifacts / "job_events").glob("*.json") if "partial" not in file.name]
        for file in sorted(files, key=lambda file: int(file.name.partition("-")[0])):
            yield json.loads(file.read_text())

    def stats(self) -> dict[str, Any]:
        """Variables that the job passes on to later nodes of a workflow."""
        (last,) = [event for event in self.events() if event["event"] == "playbook_on_stats"]
        return dict(last["event_data"].get("artifact_data") or {})

    def succeeded(self) -> Job:
        assert self.wait().status == "successful", self.output[-4000:]
        return self

    def failed(self) -> Job:
        assert self.wait().status == "failed", self.output[-4000:]
        return self


@dataclass
class Controller:
    #: May do what the Roles of docs/rbac.yml say.
    runner: Runner
    #: The folder with the trees of jobs.
    folder: Path
    _launched: int = 0

    def __post_init__(self) -> None:
        self.collections = self.folder / "collections"
        self.project = self.collections / "ansible_collections" / "trustops" / "strimzi"
        self.project.mkdir(parents=True)
        for part in _PARTS:
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, self.project / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / part, self.project / part)
        for path in (self.collections, *self.collections.rglob("*")):
            path.chmod(path.stat().st_mode & ~0o222)

    def launch(self, name: str, variables: dict[str, Any], *, check: bool = False) -> Job:
        """variables: answers of a survey, and what else is given at launch or by a node."""
        item = template(name)
        self._launched += 1
        private = self.folder / f"job-{self._launched}"
        (private / "env").mkdir(parents=True)
        (private / "tmp").mkdir()
        (private / "inventory").mkdir()
        (private / "inventory" / "hosts").touch()
        given = {**_ADDED, "strimzi_client_grace": 0, **item["extra_vars"], **variables}
        (private / "env" / "extravars").write_text(json.dumps(given))
        (private / "env" / "settings").write_text(json.dumps({"idle_timeout": IDLE}))
        (private / "env" / "envvars").write_text(json.dumps(self._environment(private)))
        command = [
            *self._confinement(), sys.executable, "-m", "ansible_runner", "run", str(private), "--quiet",
            "--project-dir", str(self.project), "-p", item["playbook"], "--ident", "1", *(["--cmdline=--check -vv"] if check else []),
        ]  # fmt: skip
        process = subprocess.Popen(
            command, cwd=self.project, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, process_group=0,
            env={"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": "/nonexistent", "LANG": "C.UTF-8"},
        )  # fmt: skip
        return Job(process, private / "artifacts" / "1")

    @staticmethod
    def _confinement() -> list[str]:
        """Root writes everywhere; without its capabilities it is held by the modes of files, as any user is."""
        return ["setpriv", "--bounding-set=-all", "--no-new-privs"] if os.geteuid() == 0 else []

    def _environment(self, private: Path) -> dict[str, str]:
        assert self.runner.kubeconfig
        config = yaml.safe_load(self.runner.kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        return {
            # Beside the folder of the job, all playbooks of the tests share what Ansible packs.
            **VARIABLES,
            # The credential of the type "OpenShift or Kubernetes API Bearer Token".
            "K8S_AUTH_HOST": cluster["server"],
            "K8S_AUTH_API_KEY": self.token,
            "K8S_AUTH_VERIFY_SSL": "True",
            "K8S_AUTH_SSL_CA_CERT": cluster["certificate-authority"],
            "ANSIBLE_FORCE_COLOR": "True",
            "ANSIBLE_COLLECTIONS_PATH": str(self.collections),
            # The only folder that a job can write to.
            "ANSIBLE_HOME": str(private / "tmp"),
            "ANSIBLE_REMOTE_TEMP": str(private / "tmp"),
            "TMPDIR": str(private / "tmp"),
            "TRUSTOPS_JOB": str(private / "artifacts" / "1"),
        }

    @property
    def token(self) -> str:
        """Of the ServiceAccount that jobs work as."""
        assert self.runner.kubeconfig
        return str(yaml.safe_load(self.runner.kubeconfig.read_text())["users"][0]["user"]["token"])
