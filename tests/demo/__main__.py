"""``make demo``: a Kafka cluster on the embedded Kubernetes, and the rotation of its CA to watch."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..cluster.bed import ROOT
from ..cluster.commands import run_command
from ..cluster.scene import Scene
from ..kafka.tier import Tier
from ..operator import clusters
from . import stage
from .closing import closing
from .proof import ask, authorities, proof

REPORTS = ROOT / "build"
_REAL = """\
Kafka nodes and their TLS are real, and so is the Kubernetes they run on; the Strimzi operator is a stand-in.
Every gate was decided by handshakes with the nodes. This is what they say now, asked by another client:"""
_SIMULATED = """\
The Kubernetes API is real; its pods are simulated, and the Strimzi operator is a stand-in.
Every gate was decided by what is stored about the pods. On Linux as root the demo runs real Kafka nodes instead."""


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
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def say(text: str) -> None:
    print(f"\n=== {text}", flush=True)


def begin() -> Scene:
    """A cluster of three nodes with a CA of its own."""
    stage.left().drop_curtain()
    say("Starting Kubernetes and a stand-in for the Strimzi operator")
    on = stage.raise_curtain()
    scene = on.scene
    if scene.real_pods:
        say("Real Kafka nodes run on this machine: the gates will ask them by TLS handshakes")
        manifests = clusters.dual_role("demo", scene.namespace, persistent=True, components=False)
        parts = "3 Kafka nodes in containers"
    else:
        say(f"Pods are simulated: {on.why_simulated}. The gates will rest on what is stored in the API")
        manifests = clusters.dual_role("demo", scene.namespace)
        parts = "3 nodes, Entity Operator, Cruise Control, exporter"
    say(f"Creating the cluster CA, then the Kafka cluster 'demo': {parts}; a minute or two")
    playbook(scene, "create.yml")
    scene.kube.apply(manifests)
    scene.wait_until_ready("demo", 400)
    playbook(scene, "create.yml")
    return scene


def rotate(scene: Scene, folder: Path) -> None:
    say("Rotating the cluster CA: ansible-playbook playbooks/rotate-cluster-ca.yml")
    evidence = "handshake" if scene.real_pods else "annotations"
    playbook(scene, "rotate-cluster-ca.yml", f"strimzi_report_dir={folder}", f"strimzi_evidence={evidence}")
    facts = json.loads((folder / "report.json").read_text())
    say("What happened")
    print(closing(facts))
    print(f"\nWith a picture of who trusts whom: {folder}/report.html")
    print("The same for machines and as Markdown: report.json and report.md beside it")
    say("What was shown")
    if scene.real_pods:
        tier = Tier(scene, "demo")
        print(f"{_REAL}\n\n{proof(ask(tier), authorities(tier), _removed(facts))}")
    else:
        print(_SIMULATED)


def _removed(facts: Mapping[str, Any]) -> list[str]:
    kept = {ca["fingerprint"] for ca in facts["cas"]}
    return [ca["name"] for ca in facts["cas_before"] if ca["fingerprint"] not in kept]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.demo")
    parser.add_argument("--again", action="store_true", help="rotate once more: there is nothing to do")
    parser.add_argument("--down", action="store_true", help="stop what the demo left running")
    arguments = parser.parse_args()
    if arguments.down:
        stage.left().drop_curtain()
        return 0
    if arguments.again:
        scene = stage.left()
        if not scene.bed.healthy():
            print("error: there is no demo to run again; run 'make demo' first.", file=sys.stderr)
            return 2
    else:
        scene = begin()
    rotate(scene, REPORTS / ("demo-again" if arguments.again else "demo"))
    if arguments.again:
        print("\nStop it with: make demo-down")
    else:
        print("\nRun 'make demo-again' to see that there is nothing left to do; it also says how to stop the demo.")
    return 0


if __name__ == "__main__":
    run_command(main)
