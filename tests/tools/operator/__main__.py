"""``python -m tests.tools.operator --kubeconfig F --namespace NS``: the double as a process beside a real API server."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ..cluster.kube import Kube
from .api import Api, ApiError
from .double import OperatorDouble
from .live import Live
from .podsets import control_pod_sets
from .real_pods import RealPods
from .releases import RELEASES, STRIMZI_1_2, Release

#: Seconds between looks at a condition, and the operator's own operation timeout (docs/operator.md, "KafkaRoller").
LOOK = 0.5
OPERATION_TIMEOUT = 300.0


def wait(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + OPERATION_TIMEOUT
    while time.monotonic() < deadline:
        try:
            if condition():
                return True
        except ApiError:
            pass
        time.sleep(LOOK)
    return False


def keep_pod_sets(kube: Kube, namespace: str, release: Release) -> None:
    """The StrimziPodSet controller: a thread of its own, deaf to pauses (docs/operator.md, "Pause")."""
    api = Api(kube, namespace, version=release.api_version)
    while True:
        try:
            control_pod_sets(api)
        except ApiError as error:
            print(f"pod sets: {error}", flush=True)
        time.sleep(LOOK)


def watch(kube: Kube, namespace: str, plural: str, changed: threading.Event) -> None:
    """Kafka resources and node pools are watched, annotations included; Secrets and pods are not (docs/operator.md,
    "Re-issue").
    """
    api = Api(kube, namespace)
    seen: dict[str, tuple[object, object]] = {}
    while True:
        try:
            for item in api.list(plural):
                metadata = item["metadata"]
                state = (metadata.get("generation"), metadata.get("annotations"))
                if seen.get(metadata["name"]) != state:
                    seen[metadata["name"]] = state
                    changed.set()
        except ApiError as error:
            print(f"{plural}: {error}", flush=True)
        time.sleep(LOOK)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.operator")
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--interval", type=float, default=30.0, help="seconds between periodic reconciles")
    parser.add_argument("--release", choices=RELEASES, default=STRIMZI_1_2.version, help="of Strimzi")
    parser.add_argument("--real-pods", action="store_true", help="pods run Kafka: the node runs containers")
    arguments = parser.parse_args()
    kube, namespace = Kube(arguments.kubeconfig), arguments.namespace
    changed, release = threading.Event(), RELEASES[arguments.release]
    for plural in ("kafkas", "kafkanodepools"):
        threading.Thread(target=watch, args=(kube, namespace, plural, changed), daemon=True).start()
    threading.Thread(target=keep_pod_sets, args=(kube, namespace, release), daemon=True).start()
    real = (RealPods(), partial(Live, release=release)) if arguments.real_pods else ()
    operator = OperatorDouble(kube, namespace, wait, *real, release=release)
    while True:
        changed.clear()
        for kafka in operator.api.list("kafkas"):
            begun = time.monotonic()
            try:
                operator.reconcile(kafka["metadata"]["name"])
            except ApiError as error:
                print(f"reconcile failed: {error}", flush=True)
            print(f"reconciled {kafka['metadata']['name']} in {time.monotonic() - begun:.1f} s", flush=True)
        changed.wait(arguments.interval)


if __name__ == "__main__":
    main()
