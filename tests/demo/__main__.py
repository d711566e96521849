"""``make demo``: a Kafka cluster on the embedded Kubernetes, and the rotation of its CA to watch."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from ..cluster.bed import ROOT, Bed
from ..cluster.cache import MissingTool
from ..cluster.scene import Scene
from ..operator import clusters
from .closing import closing

REPORTS = ROOT / "build"


def playbook(scene: Scene, name: str, *extra: str) -> None:
    """Run a playbook of the collection against the demo cluster, its output for everybody to see."""
    variables = ["strimzi_cluster=demo", f"strimzi_namespace={scene.namespace}", *extra]
    command = ["ansible-playbook", "-i", "localhost,", "-c", "local", f"playbooks/{name}"]
    for variable in [*variables, f"ansible_python_interpreter={sys.executable}"]:
        command += ["-e", variable]
    environment = {
        **os.environ,
        "K8S_AUTH_KUBECONFIG": str(scene.bed.kubeconfig),
        "ANSIBLE_DISPLAY_SKIPPED_HOSTS": "false",
        "ANSIBLE_DISPLAY_OK_HOSTS": "false",
        "ANSIBLE_LOCALHOST_WARNING": "false",
    }
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def say(text: str) -> None:
    print(f"\n=== {text}", flush=True)


def rotate(scene: Scene, folder: Path) -> None:
    playbook(scene, "rotate-cluster-ca.yml", f"strimzi_report_dir={folder}")
    say("What happened")
    print(closing(json.loads((folder / "report.json").read_text())))
    print(f"\nWith a picture of who trusts whom: {folder}/report.html")
    print("The same for machines and as Markdown: report.json and report.md beside it")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.demo")
    parser.add_argument("--again", action="store_true", help="rotate once more: there is nothing to do")
    parser.add_argument("--down", action="store_true", help="stop what the demo left running")
    arguments = parser.parse_args()
    scene = Scene(Bed("demo"))
    if arguments.down:
        scene.drop_curtain()
        return 0
    if arguments.again and not scene.bed.healthy():
        print("error: there is no demo to run again; run 'make demo' first.", file=sys.stderr)
        return 2
    if not arguments.again:
        scene.drop_curtain()
        say("Starting Kubernetes, simulated nodes and a stand-in for the Strimzi operator")
        scene.raise_curtain()
        say(
            "Creating the cluster CA, then the Kafka cluster 'demo': 3 nodes, Entity Operator, Cruise Control, exporter"
        )
        playbook(scene, "create.yml")
        scene.kube.apply(clusters.dual_role("demo", scene.namespace))
        scene.wait_until_ready("demo")
        playbook(scene, "create.yml")
    say("Rotating the cluster CA: ansible-playbook playbooks/rotate-cluster-ca.yml")
    rotate(scene, REPORTS / ("demo-again" if arguments.again else "demo"))
    if not arguments.again:
        print("Run 'make demo-again' to see that there is nothing left to do; it also says how to stop the demo.")
    else:
        print("Stop it with: make demo-down")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (MissingTool, TimeoutError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
    except subprocess.CalledProcessError as problem:
        sys.exit(problem.returncode)
