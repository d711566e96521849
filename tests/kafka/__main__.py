"""``python -m tests.kafka build|up|cluster|status|down``: the test bed with a real node, and Kafka clusters on it."""

from __future__ import annotations

import argparse

from ..tools.cluster.bed_cluster import BedCluster
from ..tools.cluster.commands import run_command
from ..tools.cluster.versions import OTHER_KAFKAS
from ..tools.operator import clusters
from .bed import KafkaBed
from .parts import real_parts
from .traces import traces

LAYOUTS = {"dual": clusters.dual_role, "separate": clusters.separate_roles}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.kafka", description="An embedded Kubernetes that runs Kafka."
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, text in (
        ("build", "only build and cache what the bed is made of"),
        ("up", "start bed and operator double, or do nothing when they run"),
        ("cluster", "make a Kafka cluster and wait until it is ready"),
        ("status", "say what runs, or what a killed bed left; exit code 1 when it is not healthy"),
        ("down", "stop everything and remove what is left, also of a killed bed"),
    ):
        one = verbs.add_parser(verb, help=text)
        one.add_argument("--name", default="kafka", help="of the bed")
        one.add_argument("--namespace", default="kafka")
        if verb == "cluster":
            one.add_argument("cluster", metavar="NAME")
            one.add_argument("--layout", choices=sorted(LAYOUTS), default="dual", help="roles of the nodes")
            one.add_argument("--generated", action="store_true", help="the operator makes the CAs")
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    if arguments.verb == "build":
        parts = real_parts(OTHER_KAFKAS)
        print(*parts.files.values(), *parts.crds, sep="\n")
        return 0
    cluster = BedCluster(KafkaBed(arguments.name), arguments.namespace, real_pods=True)
    if arguments.verb == "up":
        cluster.start()
        print(cluster.bed.kubeconfig)
    elif arguments.verb == "down":
        cluster.take_away()
    elif arguments.verb == "cluster":
        manifests = LAYOUTS[arguments.layout](
            arguments.cluster, cluster.namespace, persistent=True, generated=arguments.generated, components=False
        )
        cluster.kube.apply(manifests)
        cluster.wait_until_ready(arguments.cluster, 300)
    else:
        return _status(cluster.bed)
    return 0


def _status(bed: KafkaBed) -> int:
    for name, pid in bed.pids().items():
        print(f"{name:26} pid {pid}")
    healthy = bed.healthy()
    print(f"bed {bed.name}: {'healthy' if healthy else 'not running'}, {bed.folder}")
    for trace in [] if healthy else traces(bed):
        print(f"left: {trace}")
    return 0 if healthy else 1


if __name__ == "__main__":
    run_command(main)
