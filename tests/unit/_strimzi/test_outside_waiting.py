# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting until the operator has brought the trusted CAs to clients outside the cluster."""

from __future__ import annotations

import base64

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.outside_waiting import await_outside
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import AwaitOutside

from .bench import kafka, pem, pod
from .client_bench import NEW, OLD, Clients

NAME, COPY = "KafkaConnect kafka/connect", "connect-connect-tls-trusted-certs"
STEP = AwaitOutside((NAME,), Phase.TRUST)
ALL = {"trustedCertificates": [{"secretName": "demo-cluster-ca-cert", "pattern": "*.crt"}]}
WORKERS = range(3)


def bench_before_it_is_copied() -> Clients:
    """A cluster that has just got its new CA beside the old one, and a Connect of three workers."""
    bench = Clients()
    bench.create("kafkas", kafka())
    bench.authority(OLD, new=NEW)
    bench.create("pods", pod("demo-kafka-0"))
    bench.resource("kafkaconnects", "connect", {"bootstrapServers": "demo-kafka-bootstrap:9093", "tls": ALL})
    bench.copy(COPY, {"ca.crt": pem(OLD)}, "KafkaConnect", "connect")
    for worker in WORKERS:
        bench.run(f"connect-connect-{worker}", "KafkaConnect", "connect")
    return bench


def operate(bench: Clients, *, every: float, workers: int = len(WORKERS)) -> None:
    """The operator copies at once and then replaces a worker each so many seconds."""

    def change() -> None:
        bench.set_time(bench.clock.seconds)
        bench.change("secrets", COPY, {"data": {"ca.crt": base64.b64encode(pem(OLD, NEW)).decode()}})

    def restart(worker: int) -> None:
        bench.set_time(bench.clock.seconds)
        bench.remove("pods", f"connect-connect-{worker}")
        bench.run(f"connect-connect-{worker}", "KafkaConnect", "connect")

    bench.at(1, change)
    for worker in range(workers):
        bench.at(2 + every * (worker + 1), lambda worker=worker: restart(worker))


def test_it_ends_when_the_last_worker_has_read_the_copy() -> None:
    """Each that moves gives the next its full time: three times four seconds, with a limit of five."""
    bench = bench_before_it_is_copied()
    operate(bench, every=4)
    (action,) = await_outside(STEP, bench.observe(), bench.work())
    assert (action.verb, action.object, action.phase, action.is_change) == ("wait", NAME, "trust", False)
    assert action.seconds is not None
    assert 14 <= action.seconds < 16


@pytest.mark.parametrize("workers", [0, 2])
def test_one_that_does_not_come_is_named(workers: int) -> None:
    bench = bench_before_it_is_copied()
    operate(bench, every=4, workers=workers)
    with pytest.raises(OperatorSilent, match=f"has not brought the trusted CAs to {NAME} within 5 s") as raised:
        await_outside(STEP, bench.observe(), bench.work())
    assert "give a waiver" in raised.value.remedy


def test_in_check_mode_nobody_waits() -> None:
    bench = bench_before_it_is_copied()
    (action,) = await_outside(STEP, bench.observe(), bench.work(dry_run=True))
    assert (action.verb, action.seconds, bench.clock.seconds) == ("wait", None, 0.0)
