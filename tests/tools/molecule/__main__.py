"""``python -m tests.tools.molecule``: what Molecule's playbooks need around a cluster."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import connect

from ...kafka.bed import KafkaBed
from ..cluster.bed import Bed
from ..cluster.bed_cluster import BedCluster
from ..cluster.kube import collection_path


class GivenCluster:
    """A cluster reached by whatever its kubeconfig says, as the collection reaches it."""

    def __init__(self, kubeconfig: str) -> None:
        self._transport = connect({"kubeconfig": kubeconfig})

    def call(self, method: str, path: str, body: Any = None) -> int:
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        return self._transport.request(method, path, body=body, content_type=kind).status

    def apply(self, manifest: dict[str, Any]) -> None:
        path = collection_path(manifest)
        status = self.call("POST", path, manifest)
        if status == 409:
            status = self.call("PATCH", f"{path}/{manifest['metadata']['name']}", manifest)
        if status >= 300:
            raise SystemExit(f"{manifest['kind']} {manifest['metadata']['name']}: status {status}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.molecule")
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("up", "down"):
        verb_parser = verbs.add_parser(verb)
        verb_parser.add_argument("--name", required=True)
        verb_parser.add_argument("--namespace", required=True)
        verb_parser.add_argument("--real-pods", action="store_true", help="pods run Kafka; as root")
    for verb, thing in (("apply", "file"), ("namespace", "name"), ("remove", "name")):
        verb_parser = verbs.add_parser(verb)
        verb_parser.add_argument("--kubeconfig", required=True)
        verb_parser.add_argument(thing)
    arguments = parser.parse_args()
    if arguments.verb in ("up", "down"):
        real = arguments.real_pods
        bed = KafkaBed(arguments.name) if real else Bed(arguments.name, pod_start_seconds=0.5)
        made = BedCluster(bed, arguments.namespace, real_pods=real)
        if arguments.verb == "up":
            made.start(interval=10)
        else:
            made.take_away()
        return 0
    cluster = GivenCluster(arguments.kubeconfig)
    if arguments.verb == "apply":
        for manifest in yaml.safe_load_all(Path(arguments.file).read_text()):
            cluster.apply(manifest)
    elif arguments.verb == "namespace":
        cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": arguments.name}})
    else:
        cluster.call("DELETE", f"/api/v1/namespaces/{arguments.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
