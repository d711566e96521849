"""How long Kafka nodes are away while they are restarted, seen by another client than the collection's."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..cluster.bed_cluster import BedCluster
from ..cluster.kube import wait_for
from ..operator.api import ready

#: Seconds without any event after which a watch ends.
_PATIENCE = 1200.0


@dataclass(frozen=True)
class Restart:
    """Times are seconds of one clock."""

    pod: str
    #: When the pod began to go.
    began: float
    #: When it was gone, and with it its process.
    gone: float
    #: When the next pod of its name was ready.
    ready: float

    @property
    def seconds(self) -> float:
        """How long the node was away."""
        return self.ready - self.began


class Restarts:
    """Follows pods through any number of rolls; what is not there at the begin is not counted."""

    def __init__(self, pods: Iterable[dict[str, Any]]) -> None:
        self._uids = {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in pods}
        self._went: dict[str, float] = {}
        self._gone: dict[str, float] = {}
        self.done: list[Restart] = []

    @property
    def sum(self) -> float:
        return sum(restart.seconds for restart in self.done)

    def see(self, kind: str, pod: dict[str, Any], now: float) -> None:
        """An event of a watch: its kind, the pod, and when it came in seconds."""
        name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
        known = self._uids.get(name)
        if known is None:
            return
        if uid != known:
            self._see_successor(name, pod, now)
        elif kind == "DELETED" or "deletionTimestamp" in pod["metadata"]:
            self._went.setdefault(name, now)
            if kind == "DELETED":
                self._gone[name] = now

    def _see_successor(self, name: str, pod: dict[str, Any], now: float) -> None:
        self._gone.setdefault(name, now)
        if ready(pod) and "deletionTimestamp" not in pod["metadata"]:
            self._uids[name] = pod["metadata"]["uid"]
            self.done.append(Restart(name, self._went.pop(name), self._gone.pop(name), now))

    def have_seen(self, pods: Iterable[dict[str, Any]]) -> bool:
        """Whether these are the pods that the last events were about."""
        return self._uids == {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in pods}


@contextmanager
def watched(cluster: BedCluster, name: str = "demo") -> Iterator[Restarts]:
    """Restarts of the cluster's Kafka nodes in the block; after it all of them have been seen, or TimeoutError."""
    path, query = f"/api/v1/namespaces/{cluster.namespace}/pods", {"labelSelector": f"strimzi.io/name={name}-kafka"}
    listed = cluster.kube.request("GET", path, query=query).body
    restarts = Restarts(listed["items"])

    def follow() -> None:
        since = {**query, "watch": "true", "resourceVersion": listed["metadata"]["resourceVersion"]}
        for event in cluster.kube.stream(path, query=since, timeout=_PATIENCE):
            restarts.see(event["type"], event["object"], time.perf_counter())

    threading.Thread(target=follow, daemon=True).start()
    yield restarts
    # The last event may reach this watch a moment after the collection's.
    wait_for(
        lambda: restarts.have_seen(cluster.kube.request("GET", path, query=query).body["items"]),
        f"the end of the restarts of {name}", 10,
    )  # fmt: skip
