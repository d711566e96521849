# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting until the operator has brought the trusted CAs to clients outside the cluster."""

from __future__ import annotations

import base64
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.carry_out import (
    await_clients,
    await_outside,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Display
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import with_copies_updated
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    AwaitClients,
    AwaitOutside,
)

from ....tools.support.golden import GoldenFiles
from ..bench import kafka, pem, pod, recorded
from ..client_bench import NEW, OLD, Clients

NAME, COPY = "KafkaConnect kafka/connect", "connect-connect-tls-trusted-certs"
ALL = {"trustedCertificates": [{"secretName": "demo-cluster-ca-cert", "pattern": "*.crt"}]}
WORKERS = range(3)


def bench_before_it_is_copied() -> Clients:
    """A cluster that has just got its new CA beside the old CA, and a Connect of three workers."""
    bench = Clients()
    bench.create("kafkas", kafka())
    bench.authority(OLD, new=NEW)
    bench.create("pods", pod("demo-kafka-0"))
    bench.resource("kafkaconnects", "connect", {"bootstrapServers": "demo-kafka-bootstrap:9093", "tls": ALL})
    bench.copy(COPY, {"ca.crt": pem(OLD)}, "KafkaConnect", "connect")
    for worker in WORKERS:
        bench.run(f"connect-connect-{worker}", "KafkaConnect", "connect")
    return bench


def step(bench: Clients) -> AwaitOutside:
    return AwaitOutside(
        clients=(NAME,),
        settled=with_copies_updated(bench.observe().snapshot).outside_clients.clients,
        phase=Phase.TRUST,
    )


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


def test_the_wait_ends_when_the_last_worker_has_read_the_copy() -> None:
    """Each that moves gives the next its full time: three times four seconds, with a limit of five."""
    bench = bench_before_it_is_copied()
    operate(bench, every=4)
    (action,) = recorded(await_outside, step(bench), bench.observe(), bench.work())
    assert (action.verb, action.object, action.phase, action.is_change) == ("wait", NAME, "trust", False)
    assert action.seconds is not None
    assert 14 <= action.seconds < 16


@pytest.mark.parametrize("workers", [0, 2])
def test_a_client_that_the_cas_do_not_reach_is_named(workers: int, golden: GoldenFiles) -> None:
    bench = bench_before_it_is_copied()
    operate(bench, every=4, workers=workers)
    with pytest.raises(OperatorSilent) as raised:
        await_outside(step(bench), bench.observe(), bench.work())
    golden.compare_said("cluster", raised.value)


def test_a_client_with_two_connections_is_waited_for_by_what_each_of_them_copies() -> None:
    """A MirrorMaker that copies every CA for one connection to this cluster, and the CA in use for the other."""
    bench, copy = Clients(), "mirror-connect-tls-trusted-certs"
    bench.create("kafkas", kafka())
    bench.authority(NEW, old=OLD)
    bench.create("pods", pod("demo-kafka-0"))
    one = {"trustedCertificates": [{"secretName": "demo-cluster-ca-cert", "certificate": "ca.crt"}]}
    here = {"bootstrapServers": "demo-kafka-bootstrap:9093"}
    target, source = {**here, "alias": "to", "tls": one}, {**here, "alias": "from", "tls": ALL}
    bench.resource("kafkamirrormaker2s", "mirror", {"target": target, "mirrors": [{"source": source}]})
    bench.set_time(0)
    bench.copy(copy, {"to-ca.crt": pem(OLD), "from-ca.crt": pem(OLD)}, "KafkaMirrorMaker2", "mirror")
    bench.run("mirror-mirrormaker2-0", "KafkaMirrorMaker2", "mirror")
    name, settled = (
        "KafkaMirrorMaker2 kafka/mirror",
        with_copies_updated(bench.observe().snapshot).outside_clients.clients,
    )
    assert [set(client.trusts or ()) for client in settled] == [{NEW.certificate}, {NEW.certificate, OLD.certificate}]

    def copied() -> None:
        bench.set_time(1)
        new = {"to-ca.crt": pem(NEW), "from-ca.crt": pem(NEW, OLD)}
        bench.change("secrets", copy, {"data": {key: base64.b64encode(value).decode() for key, value in new.items()}})
        bench.remove("pods", "mirror-mirrormaker2-0")
        bench.run("mirror-mirrormaker2-0", "KafkaMirrorMaker2", "mirror")

    bench.at(1, copied)
    waiting = AwaitOutside(clients=(name,), settled=settled, phase=Phase.RETIRE)
    (action,) = recorded(await_outside, waiting, bench.observe(), bench.work())
    assert action.seconds is not None
    assert action.seconds < 3


def test_in_check_mode_there_is_no_wait() -> None:
    bench = bench_before_it_is_copied()
    (action,) = recorded(await_outside, step(bench), bench.observe(), bench.work(dry_run=True))
    assert (action.verb, action.seconds, bench.clock.seconds) == ("wait", None, 0.0)


UNTIL = timedelta(seconds=12)


def grace(bench: Clients) -> AwaitClients:
    return AwaitClients(certificate=NEW.certificate, earliest_use=bench.clock.now() + UNTIL)


def test_clients_that_read_the_secret_get_their_time_to_the_second(golden: GoldenFiles) -> None:
    """The Lease is renewed all the while, and the log says what the run waits for."""
    bench, beats, lines = Clients(), [], []
    wait, work = grace(bench), bench.work()
    work.renew_lease, work.display = lambda: beats.append(bench.clock.seconds), Display(report=lines.append)
    (action,) = recorded(await_clients, wait, bench.observe(), work)
    assert (action.verb, action.object, action.is_change) == ("wait", "Secret kafka/demo-cluster-ca-cert", False)
    assert (action.seconds, bench.clock.now()) == (12.0, wait.earliest_use)
    assert beats == [0.0, 5.0, 10.0]
    (line,) = lines
    assert " 12 s " in line
    golden.compare_said("cluster", line)


@pytest.mark.parametrize(("gone", "left"), [(7.0, 5.0), (12.0, 0.0), (600.0, 0.0)])
def test_a_run_that_was_killed_waits_for_the_rest_of_it(gone: float, left: float) -> None:
    bench = Clients()
    wait = grace(bench)
    bench.clock.seconds = gone
    (action,) = recorded(await_clients, wait, bench.observe(), bench.work())
    assert (action.seconds, bench.clock.seconds) == (left, gone + left)


def test_in_check_mode_their_time_is_only_told() -> None:
    bench = Clients()
    (action,) = recorded(await_clients, grace(bench), bench.observe(), bench.work(dry_run=True))
    assert (action.verb, action.seconds, bench.clock.seconds) == ("wait", None, 0.0)
