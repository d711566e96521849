# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run writes only while it holds the Lease, however slow its writes are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import LeaseHeld
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.lease import TrustLease
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import (
    Work,
    Write,
    WriteVerb,
    version,
    write_all,
)

from ...support.memory_api import MemoryApi, Object, Response
from .bench import SCOPE, Bench

BEGIN = datetime(2026, 6, 1, 12, tzinfo=timezone.utc)


class Slow:
    """An API server that takes half a second for each write, and lets time pass for whoever watches."""

    def __init__(self, api: MemoryApi) -> None:
        self.api, self.seconds, self.written = api, 0.0, 0
        self.after: Callable[[int], None] = lambda written: None

    def request(self, method: str, path: str, **arguments: Any) -> Response:
        answer = self.api.request(method, path, **arguments)
        if method == "PATCH" and "/secrets/" in path:
            self.seconds += 0.5
            self.written += 1
            self.after(self.written)
        return answer

    def stream(self, path: str, **arguments: Any) -> Iterator[Object]:
        self.seconds += 31
        return iter(())

    def lease(self, holder: str) -> TrustLease:
        return TrustLease(
            KubeClient(self, sleep=lambda seconds: None), SCOPE.namespace, SCOPE.lease, holder,
            now=lambda: BEGIN + timedelta(seconds=self.seconds), monotonic=lambda: self.seconds,
        )  # fmt: skip


@pytest.fixture
def bench() -> Bench:
    return Bench()


def write_many(bench: Bench, slow: Slow, count: int) -> None:
    """A step with so many writes, of a run that holds the Lease."""
    lease = slow.lease("one")
    lease.acquire()
    client = KubeClient(slow, sleep=lambda seconds: None)
    empty = {"apiVersion": "v1", "kind": "Secret", "data": {}}
    made = [client.create(SECRETS, SCOPE.namespace, {**empty, "metadata": {"name": f"s{n}"}}) for n in range(count)]
    writes = tuple(
        Write(WriteVerb.UPDATE, SECRETS, f"s{number}", "x", {"data": {"a": "YQ=="}}, version(one))
        for number, one in enumerate(made)
    )
    work: Work = bench.work(transport=slow)
    work.alive = lease.renew_if_due
    write_all(writes, work, "use")


def test_lease_lasts_as_long_as_the_writes(bench: Bench) -> None:
    slow, refused = Slow(bench.api), []

    def another(written: int) -> None:
        if written % 10 == 0:
            with pytest.raises(LeaseHeld):
                slow.lease("two").acquire_at_once()
            held = bench.api.find("leases", SCOPE.namespace, SCOPE.lease)
            assert held is not None
            renewed = datetime.fromisoformat(held["spec"]["renewTime"].replace("Z", "+00:00"))
            refused.append(slow.seconds - (renewed - BEGIN).total_seconds())

    slow.after = another
    write_many(bench, slow, 200)
    assert slow.written == 200
    assert max(refused) < 15


def test_nothing_is_written_after_another_run_has_taken_over(bench: Bench) -> None:
    """As when this process was stopped for a while, and goes on."""
    slow = Slow(bench.api)

    def stopped(written: int) -> None:
        if written == 3:
            slow.after = lambda _written: None
            slow.seconds += 40
            slow.lease("two").acquire()

    slow.after = stopped
    with pytest.raises(LeaseHeld):
        write_many(bench, slow, 9)
    assert slow.written == 3
