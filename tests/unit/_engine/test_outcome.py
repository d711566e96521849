# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome of a call: whether what a task asks for is so, and how long failures are borne."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import (
    IN_A_PAUSE,
    Patience,
    are_issued,
    is_absent,
    is_scaled,
    is_switched,
    is_trusted,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    Forbidden,
    KubeError,
    LeaseTaken,
    Unavailable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import LEASES, SECRETS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Display, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Selection
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import Scaling
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ...tools.support.certificates import Entity
from ...tools.support.flows import SETTINGS
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_api import MemoryApi
from .._trust.authorities import NEW, OLD, THIRD, chain_of, name_of
from .._trust.builders import changed, cluster, others, prepared, secrets
from .._trust.ledgers import entry, ledger
from .._trust.nodes import PODS, a_leaf, leaves

EVERYTHING = Selection()
OWN = a_leaf("demo-cluster-operator-certs", component=Component.CLUSTER_OPERATOR)


@pytest.mark.parametrize(
    ("waiting", "switched"),
    [((), True), ((OLD,), True), ((NEW,), False), ((OLD, NEW), False)],
    ids=["none", "the one in use", "another", "both"],
)
def test_the_operator_is_switched_when_no_other_ca_is_prepared(waiting: tuple[Entity, ...], switched: bool) -> None:
    assert is_switched(cluster(ca=secrets(prepared=tuple(map(prepared, waiting))))) is switched


@pytest.mark.parametrize(
    ("snapshot", "absent"),
    [
        (cluster(), True),
        (cluster(ledger=None), True),
        (cluster(ledger=ledger(entry(OLD), entry(NEW, TrustState.PHASE_OUT))), False),
        (cluster(ca=secrets(other_entries=others(NEW))), False),
        (cluster(ca=secrets(NEW)), False),
    ],
    ids=["nowhere", "nowhere, without a ledger", "in the ledger", "among the trusted", "in use"],
)
def test_a_ca_is_absent_when_neither_the_secrets_nor_the_ledger_have_it(snapshot: Snapshot, absent: bool) -> None:
    assert is_absent(name_of(NEW))(snapshot) is absent


@pytest.mark.parametrize(
    ("snapshot", "trusted"),
    [
        (cluster(), False),
        (cluster(ledger=ledger(entry(OLD), entry(NEW, TrustState.UNTRUSTED))), False),
        (cluster(ledger=ledger(entry(OLD), entry(NEW, TrustState.UNTRUSTED)), pods=()), True),
        (cluster(ledger=ledger(entry(OLD), entry(NEW, TrustState.TRUSTED_UNUSED))), True),
        (cluster(ledger=ledger(entry(NEW, TrustState.TRUSTED_UNUSED), entry(THIRD, TrustState.UNTRUSTED))), False),
    ],
    ids=["unknown", "not yet", "no pod runs", "unused", "another one is not"],
)
def test_everything_is_trusted_when_no_ca_of_the_books_is_not(snapshot: Snapshot, trusted: bool) -> None:
    assert is_trusted((chain_of(NEW),))(snapshot) is trusted


def test_without_a_ca_of_ones_own_those_of_the_books_are_enough() -> None:
    assert is_trusted(())(cluster())
    assert is_trusted(())(cluster(ledger=None))


MISSING = {PODS[0]: Component.KAFKA, "demo-kafka-exporter-certs": Component.KAFKA_EXPORTER}


@pytest.mark.parametrize(
    ("wanted", "issued"),
    [
        (EVERYTHING, False),
        (Selection(components=frozenset({Component.KAFKA})), False),
        (Selection(components=frozenset({Component.CRUISE_CONTROL})), True),
        (Selection(secrets=frozenset({PODS[0]})), False),
        (Selection(secrets=frozenset({PODS[1]})), True),
        (Selection(frozenset({Component.CRUISE_CONTROL}), frozenset({PODS[0]})), True),
    ],
)
def test_a_missing_leaf_counts_where_it_is_asked_for(wanted: Selection, issued: bool) -> None:
    assert are_issued(wanted)(cluster(missing=MISSING)) is issued


BOTH = ledger(entry(OLD), entry(NEW, TrustState.TRUSTED_UNUSED))
PREPARED = secrets(prepared=(prepared(NEW),))


@pytest.mark.parametrize(
    ("snapshot", "issued"),
    [
        (cluster(), True),
        (cluster(ledger=None, leaves=leaves(NEW)), True),
        (cluster(ledger=BOTH, leaves=leaves(NEW)), False),
        (cluster(ledger=BOTH, ca=PREPARED), False),
        (cluster(ledger=BOTH, ca=PREPARED, leaves=(*leaves(NEW)[1:], a_leaf())), False),
        (cluster(ledger=BOTH, ca=PREPARED, leaves=(*leaves(NEW), OWN)), True),
        (cluster(ledger=BOTH, ca=PREPARED, leaves=(*leaves(NEW), a_leaf("broken", chain=None))), True),
    ],
    ids=[
        "of the CA in use", "never adopted", "of another than the one in use", "before a switch", "one is left",
        "all but the operator's own", "all that can be read",
    ],
)  # fmt: skip
def test_leaves_are_of_the_ca_that_is_used_from_now_on(snapshot: Snapshot, issued: bool) -> None:
    assert are_issued(EVERYTHING)(snapshot) is issued


@pytest.mark.parametrize(
    ("pools", "scaled"), [({"nodes": 4}, True), ({"nodes": 3}, False), ({"others": 4}, False), ({}, False)]
)
def test_a_pool_is_scaled_when_it_is_asked_for_so_many_nodes(pools: dict[str, int], scaled: bool) -> None:
    assert is_scaled(Scaling("nodes", 4))(changed(cluster(), pools=pools)) is scaled


# How long a call goes on in spite of an API server that fails, and what it does meanwhile.

LIMIT = timedelta(seconds=60)
READ = Attempt("get", SECRETS, "kafka", "demo-cluster-ca")


def failing(retry_after: float = 0.0) -> Unavailable:
    return Unavailable(READ, "etcdserver: leader changed", "Run again.", is_transient=True, retry_after=retry_after)


@dataclass
class Clock:
    """Time passes by sleeping only."""

    seconds: float = 0.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        self.slept.append(seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def work(clock: Clock) -> Work:
    return Work(KubeClient(MemoryApi()), ClusterNames("kafka", "demo"), clock, SETTINGS)


def answers(*given: KubeError | str) -> Callable[[], str]:
    left = list(given)

    def act() -> str:
        answer = left.pop(0)
        if isinstance(answer, KubeError):
            raise answer
        return answer

    return act


def test_patience_waits_longer_each_time(work: Work, clock: Clock) -> None:
    assert Patience(work).through(answers(*[failing()] * 4, "seen"), LIMIT) == "seen"
    assert clock.seconds == 1 + 2 + 4 + 8


def test_a_final_failure_is_raised_at_once(work: Work, clock: Clock) -> None:
    refused = Forbidden(READ, "no", "Ask for it.")
    with pytest.raises(Forbidden):
        Patience(work).through(answers(refused, "seen"), LIMIT)
    assert clock.slept == []


def test_patience_ends_with_the_last_failure_after_its_time(work: Work, clock: Clock) -> None:
    with pytest.raises(Unavailable):
        Patience(work).through(answers(*[failing()] * 99), LIMIT)
    assert clock.seconds == 60


def test_requests_that_take_long_count_too(work: Work, clock: Clock) -> None:
    def hang() -> str:
        clock.seconds += 60
        raise failing()

    with pytest.raises(Unavailable):
        Patience(work).through(hang, LIMIT)
    assert clock.seconds == 4 * 60 + 3 * 1, "it was tried again three times"


def test_failures_in_a_row_share_its_time_until_something_succeeds(work: Work, clock: Clock) -> None:
    patience = Patience(work)
    with pytest.raises(Unavailable):
        patience.through(answers(*[failing()] * 99), LIMIT)
    with pytest.raises(Unavailable):
        patience.wait(failing(), LIMIT)
    patience.wait(failing(), IN_A_PAUSE)
    patience.renew()
    patience.wait(failing(), LIMIT)
    assert clock.slept[-1] == 1


@pytest.mark.parametrize(("asked", "waited"), [(0.0, 1.0), (0.5, 1.0), (20.0, 20.0), (900.0, 60.0)])
def test_the_server_says_how_long_to_wait(asked: float, waited: float, work: Work, clock: Clock) -> None:
    Patience(work).wait(failing(asked), IN_A_PAUSE)
    assert clock.seconds == waited


def test_people_hear_of_it_when_it_takes_longer(work: Work, golden: GoldenFiles) -> None:
    told: list[str] = []
    work.display = Display(report=told.append)
    Patience(work).through(answers(*[failing()] * 4, "seen"), LIMIT)
    (line,) = told
    golden.compare_said("engine", line)


def test_a_sign_of_life_names_the_cause_of_the_failure_until_the_server_answers(work: Work) -> None:
    begun: list[tuple[str, str]] = []
    work.display = Display(begin=lambda sentence, awaited, is_shown: begun.append((sentence, awaited)))
    Patience(work).through(answers(failing(), failing(), "seen"), LIMIT)
    (first, awaited), again, (after, nothing) = begun
    assert again == (first, awaited)
    assert "etcdserver: leader changed" in first
    assert awaited
    assert not nothing
    assert "etcdserver" not in after


def test_the_lease_is_kept_meanwhile(work: Work, clock: Clock) -> None:
    beats: list[float] = []

    def beat() -> None:
        beats.append(clock.seconds)
        if len(beats) == 1:
            raise failing()

    work.renew_lease = beat
    Patience(work).wait(failing(20.0), IN_A_PAUSE)
    assert beats == [5, 10, 15, 20]


def test_a_lease_that_another_run_has_taken_ends_it(work: Work) -> None:
    def taken() -> None:
        raise LeaseTaken(Attempt("patch", LEASES, "kafka", "demo-trust"), "Another run", "has it.", "Let it finish.")

    work.renew_lease = taken
    with pytest.raises(LeaseTaken):
        Patience(work).wait(failing(), LIMIT)
