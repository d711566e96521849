"""An API server whose every answer takes its time, by the clock of the cluster in memory: no real second passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import TransportError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.http_transport import REQUEST_TIMEOUT
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import LEASES, read_time

from .memory_api import Change
from .memory_cluster import MemoryCluster


class SlowApi:
    """A transport before another one. The server acts on every other request before that time, and on the others after
    it. A client that gives up earlier gets no answer, and the server has acted all the same.
    """

    def __init__(self, api: Any, memory: MemoryCluster) -> None:
        self._api, self._memory = api, memory
        self._acts_late = False

    def request(self, method: str, path: str, *, timeout: float | None = None, **arguments: Any) -> Any:
        memory, limit = self._memory, timeout or REQUEST_TIMEOUT
        is_late, self._acts_late = self._acts_late, not self._acts_late
        taken = min(memory.answer_takes, limit)
        memory.pass_by(taken if is_late else 0)
        answer = self._api.request(method, path, timeout=timeout, **arguments)
        memory.pass_by(0 if is_late else taken)
        self._give_up(limit)
        return answer

    def stream(self, path: str, *, timeout: float | None = None, **arguments: Any) -> Iterator[Any]:
        limit = timeout or REQUEST_TIMEOUT
        self._memory.pass_by(min(self._memory.answer_takes, limit))
        self._give_up(limit)
        yield from self._api.stream(path, timeout=timeout, **arguments)

    def _give_up(self, limit: float) -> None:
        if self._memory.answer_takes > limit:
            raise TransportError(f"the API server k8s:6443 did not answer within {limit:g} s", timed_out=True)


@dataclass
class LeaseWatch:
    """Looks at every write of a Lease that another run might wait for. Another run that watches it must never find it
    run out.
    """

    memory: MemoryCluster
    #: By how many seconds the Lease had run out, at renewals that came too late.
    late: list[float] = field(default_factory=list)
    #: How many renewals there were.
    renewals: int = 0
    _until: float = 0.0

    def __call__(self, change: Change) -> None:
        if change.plural != LEASES.plural or change.new is None:
            return
        before, now = ((found or {}).get("spec") or {} for found in (change.old, change.new))
        assert read_time(now.get("renewTime")) or not now.get("holderIdentity")
        if before.get("holderIdentity") and before["holderIdentity"] == now.get("holderIdentity"):
            self.renewals += 1
            if self.memory.seconds > self._until:
                self.late.append(self.memory.seconds - self._until)
        self._until = self.memory.seconds + float(now.get("leaseDurationSeconds") or 0)
