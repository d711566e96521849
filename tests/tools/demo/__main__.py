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

from ...kafka.tier import Tier
from ..cluster.bed import ROOT
from ..cluster.bed_cluster import BedCluster
from ..cluster.commands import run_command
from ..operator import clusters
from . import stage
from .acts import ACTS, Act, remember, remembered
from .closing import closing
from .keys import who_keeps
from .proof import ask, authorities, proof

REPORTS = ROOT / "build"
_REAL = """\
Kafka nodes and their TLS are real, and so is the Kubernetes they run on; the Strimzi operator is a stand-in.
Every gate was decided by handshakes with the nodes. This is what they say now, asked by another client:"""
_SIMULATED = """\
The Kubernetes API is real; its pods are simulated, and the Strimzi operator is a stand-in.
Every gate was decided by what is stored about the pods. On Linux as root the demo runs real Kafka nodes instead."""


def playbook(cluster: BedCluster, name: str, **extra: object) -> None:
    """Run a playbook of the collection against the demo cluster, with its output on the console."""
    variables = {"strimzi_cluster": "demo", "strimzi_namespace": cluster.namespace, **extra}
    command = ["ansible-playbook", "-i", "localhost,", "-c", "local", f"playbooks/{name}"]
    for variable, value in {**variables, "ansible_python_interpreter": sys.executable}.items():
        command += ["-e", json.dumps({variable: value})]
    environment = {
        **os.environ,
        "K8S_AUTH_KUBECONFIG": str(cluster.bed.kubeconfig),
    }
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def say(text: str) -> None:
    print(f"\n=== {text}", flush=True)


def begin(act: Act) -> BedCluster:
    """A cluster of three nodes with a CA of its own, and what the act takes beside it."""
    stage.left().take_away()
    act.prepare()
    say("Starting Kubernetes and a stand-in for the Strimzi operator")
    on = stage.start()
    cluster = on.cluster
    if cluster.real_pods:
        say("Real Kafka nodes run on this machine: the gates will ask them by TLS handshakes")
        manifests = clusters.dual_role("demo", cluster.namespace, persistent=True, components=False)
        parts = "3 Kafka nodes in containers"
    else:
        say(f"Pods are simulated: {on.why_simulated}. The gates will rest on what is stored in the API")
        manifests = clusters.dual_role("demo", cluster.namespace)
        parts = "3 nodes, Entity Operator, Cruise Control, exporter"
    say(f"Creating the cluster CA, then the Kafka cluster 'demo': {parts}; a minute or two")
    playbook(cluster, "create.yml")
    cluster.kube.apply(manifests)
    cluster.wait_until_ready("demo", 400)
    playbook(cluster, "create.yml")
    act.set_up(cluster)
    remember(act, cluster)
    return cluster


def rotate(act: Act, cluster: BedCluster, folder: Path) -> None:
    say(f"Rotating the cluster CA {act.about}: ansible-playbook playbooks/rotate-cluster-ca.yml")
    evidence = "handshake" if cluster.real_pods else "annotations"
    # There are no clients that would need time to read the new CA.
    own = {"strimzi_report_dir": str(folder), "strimzi_evidence": evidence, "strimzi_client_grace": 0}
    playbook(cluster, "rotate-cluster-ca.yml", **own, **act.variables(cluster))
    facts = json.loads((folder / "report.json").read_text())
    say("What happened")
    print(closing(facts))
    print(f"\nWith a picture of which process trusts which CA: {folder}/report.html")
    print("The same for machines and as Markdown: report.json and report.md beside it")
    say("What was shown")
    if cluster.real_pods:
        tier = Tier(cluster, "demo")
        print(f"{_REAL}\n\n{proof(ask(tier), authorities(tier), _removed(facts))}")
    else:
        print(_SIMULATED)
    say("Who keeps the CA's key")
    print(who_keeps(act.keeper(cluster)))


def _removed(facts: Mapping[str, Any]) -> list[str]:
    kept = {ca["fingerprint"] for ca in facts["cas"]}
    return [ca["name"] for ca in facts["cas_before"] if ca["fingerprint"] not in kept]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.demo")
    parser.add_argument(
        "--issuer", choices=ACTS, default="internal", help="who signs the new certificates; default: %(default)s"
    )
    parser.add_argument("--again", action="store_true", help="rotate once more: there is nothing to do")
    parser.add_argument("--down", action="store_true", help="stop what the demo left running")
    arguments = parser.parse_args()
    if arguments.down:
        stage.left().take_away()
        return 0
    if arguments.again:
        cluster = stage.left()
        if not cluster.bed.healthy():
            print("error: there is no demo to run again; run 'make demo' first.", file=sys.stderr)
            return 2
        act = remembered(cluster)
    else:
        act = ACTS[arguments.issuer]
        cluster = begin(act)
    rotate(act, cluster, REPORTS / (f"{act.name}-again" if arguments.again else act.name))
    if arguments.again:
        print("\nStop it with: make demo-down")
    else:
        print("\nRun 'make demo-again' to see that there is nothing left to do; it also says how to stop the demo.")
    return 0


if __name__ == "__main__":
    run_command(main)
