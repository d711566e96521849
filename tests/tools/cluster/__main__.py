"""``python -m tests.tools.cluster up|down|status|kubeconfig|build [--name NAME] ...``"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from .bed import Bed
from .commands import run_command
from .parts import simulated_parts
from .supervisor import supervise


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.cluster", description="An embedded Kubernetes for tests."
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, text in (
        ("up", "start it, or do nothing when it runs"),
        ("down", "stop it and remove what it left"),
        ("status", "say what runs; exit code 1 when it is not healthy"),
        ("kubeconfig", "print the path of its kubeconfig"),
        ("build", "only build and cache what it is made of"),
    ):
        verb_parser = verbs.add_parser(verb, help=text)
        verb_parser.add_argument("--name", default="default")
        if verb == "up":
            verb_parser.add_argument("--nodes", type=int, default=1)
            verb_parser.add_argument("--pod-start-seconds", type=float, default=1.0)
    inner = verbs.add_parser("supervise")
    inner.add_argument("mode", choices=["owned", "daemon"])
    inner.add_argument("--name", required=True)
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    given = os.environ.get("KUBECONFIG")
    if arguments.verb == "supervise":
        return supervise(Bed(arguments.name).folder, arguments.mode == "owned")
    if arguments.verb == "build":
        parts = simulated_parts()
        print(*parts.files.values(), *parts.crds, sep="\n")
        return 0
    if arguments.verb == "kubeconfig":
        print(given or Bed(arguments.name).kubeconfig)
        return 0
    if arguments.verb == "up":
        if given:
            print(f"using the cluster of KUBECONFIG={given}; nothing is started")
            return 0 if Path(given).exists() else 1
        bed = Bed(arguments.name, arguments.nodes, arguments.pod_start_seconds)
        bed.up()
        print(bed.kubeconfig)
        return 0
    bed = Bed(arguments.name)
    if arguments.verb == "down":
        bed.down()
        return 0
    for name, pid in bed.pids().items():
        print(f"{name:26} pid {pid}")
    healthy = bed.healthy()
    print(f"bed {bed.name}: {'healthy' if healthy else 'not running'}, {bed.folder}")
    return 0 if healthy else 1


if __name__ == "__main__":
    run_command(main)
