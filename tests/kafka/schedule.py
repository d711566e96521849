"""The CronJobs of docs/schedule on a bed with a real node, with an image of this checkout in the place of the execution environment's."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import yaml

from ..tools.checks.environments import REQUIREMENTS
from ..tools.checks.trees import copied_tree
from ..tools.cluster.bed import ROOT
from ..tools.cluster.cache import cached, digest
from ..tools.cluster.kube import Object, wait_for
from . import runtime
from .bed import KafkaBed
from .image import debian_root, owned_by_root, write_image
from .tier import Tier

IMAGE = "docker.io/library/trustops-strimzi-ee:checkout"
#: The Python of the Debian release that the image is made of.
_PYTHON = "3.11"
_LIBRARIES = f"usr/local/lib/python{_PYTHON}/dist-packages"
_COLLECTIONS = "usr/share/ansible/collections/ansible_collections/trustops/strimzi"
_PLAYBOOK = b"#!/usr/bin/python3\nimport sys\nfrom ansible.cli.playbook import main\nsys.exit(main())\n"


class Finished(NamedTuple):
    """A Job that has ended."""

    # Whether its pod has succeeded.
    succeeded: bool
    # The output of its pod.
    log: str


def import_image(bed: KafkaBed, folder: Path) -> None:
    """Makes the image in this folder, and gives it to the node. Raises MissingTool."""
    archive = folder / "ee.tar"
    layers = [debian_root(("python3",)), _libraries(), _collection(folder)]
    write_image(IMAGE, layers, {"Env": ["PATH=/usr/local/bin:/usr/bin:/bin"], "User": "1000"}, archive)
    runtime.import_image(bed.node_pid, archive)
    archive.unlink()


def _libraries() -> Path:
    """A layer: ansible-core and the libraries of the collection, as `make demo` has them."""
    lock_file = REQUIREMENTS / "demo.txt"
    build = partial(_install, lock_file)
    return cached(f"ee-libraries-{digest(lock_file)}", build, "the libraries of an execution environment") / "layer.tar"


def _install(lock_file: Path, target: Path) -> None:
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--no-deps",
        "--no-compile",
    ]
    where = [f"--python-version={_PYTHON}", "--only-binary=:all:", f"--target={target / 'packages'}"]
    subprocess.run([*pip, *where, "--require-hashes", "--requirement", str(lock_file)], check=True)
    with tarfile.open(target / "layer.tar", "w") as layer:
        layer.add(target / "packages", _LIBRARIES, filter=owned_by_root)
    subprocess.run(["rm", "-r", target / "packages"], check=True)


def _collection(folder: Path) -> Path:
    """A layer: the artifact of this checkout, unpacked where Ansible looks for collections, and the command."""
    galaxy = [sys.executable, "-m", "ansible.cli.galaxy", "collection", "build", "--output-path", str(folder)]
    subprocess.run([*galaxy, str(copied_tree("schedule"))], check=True, stdout=subprocess.DEVNULL)
    (artifact,) = folder.glob("trustops-strimzi-*.tar.gz")
    with tarfile.open(artifact) as packed:
        packed.extractall(folder / "collection", filter="data")
    command = folder / "ansible-playbook"
    command.write_bytes(_PLAYBOOK)
    command.chmod(0o755)
    with tarfile.open(folder / "collection.tar", "w") as layer:
        layer.add(folder / "collection", _COLLECTIONS, filter=owned_by_root)
        layer.add(command, "usr/local/bin/ansible-playbook", filter=owned_by_root)
    return folder / "collection.tar"


@contextmanager
def scheduled(tier: Tier, name: str, schedule: str) -> Iterator[None]:
    """The shipped Roles and docs/schedule/cronjob.yml, for the length of the block; the CronJob ``name`` runs by this schedule."""
    namespace = tier.cluster.namespace
    manifests = [*_items("rbac.yml"), *_items("schedule/cronjob.yml")]
    made = [manifest for manifest in manifests if manifest["metadata"].get("namespace") == namespace]
    for manifest in made:
        if manifest["kind"] == "CronJob":
            (container,) = manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
            container["image"] = IMAGE
            if manifest["metadata"]["name"] == name:
                manifest["spec"]["schedule"] = schedule
    tier.cluster.kube.apply(made)
    try:
        yield
    finally:
        path = f"/apis/batch/v1/namespaces/{namespace}/cronjobs"
        tier.cluster.kube.request("DELETE", path, query={"propagationPolicy": "Background"})


def _items(file: str) -> list[Object]:
    found: list[Object] = yaml.safe_load((ROOT / "docs" / file).read_text())["items"]
    return found


def start(tier: Tier, name: str) -> str:
    """Starts a Job of this CronJob at once, as ``kubectl create job --from`` does, and returns the name of the Job."""
    path = f"/apis/batch/v1/namespaces/{tier.cluster.namespace}"
    template = tier.cluster.kube.request("GET", f"{path}/cronjobs/{name}").body["spec"]["jobTemplate"]
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"{name}-now"}, "spec": template["spec"]}
    answer = tier.cluster.kube.request("POST", f"{path}/jobs", body=job)
    if answer.status != 201:
        raise AssertionError(answer.body)
    return f"{name}-now"


def await_start(tier: Tier, name: str, seconds: float) -> str:
    """Waits until this CronJob has started a Job by itself, and returns its name. Raises TimeoutError."""
    path = f"/apis/batch/v1/namespaces/{tier.cluster.namespace}/jobs"

    def started() -> list[str]:
        jobs = tier.cluster.kube.request("GET", path).body["items"]
        owners = {job["metadata"]["name"]: job["metadata"].get("ownerReferences", []) for job in jobs}
        return [job for job, owned_by in owners.items() if any(owner["name"] == name for owner in owned_by)]

    wait_for(lambda: bool(started()), f"a Job of {name}", seconds)
    return started()[0]


def await_end(tier: Tier, job: str, seconds: float) -> Finished:
    """Waits until this Job has ended. Raises TimeoutError."""
    path = f"/apis/batch/v1/namespaces/{tier.cluster.namespace}/jobs/{job}"

    def ended() -> dict[str, bool]:
        conditions = tier.cluster.kube.request("GET", path).body["status"].get("conditions") or []
        return {one["type"]: one["status"] == "True" for one in conditions if one["type"] in ("Complete", "Failed")}

    wait_for(lambda: bool(ended()), f"the end of Job {job}", seconds)
    pods = [pod["metadata"]["name"] for pod in tier.cluster.pods(f"job-name={job}")]
    return Finished(ended().get("Complete", False), "\n".join(tier.pods.logs(pod) for pod in pods))
