# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a plan takes, by the last starts of the pods that it restarts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.duration import (
    NO_TIME,
    Span,
    describe_short_lives,
    lives_of,
    span_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component, Pod, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    Pause,
    Reload,
    ReloadOutside,
    Roll,
    RollReason,
    StampPods,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    AwaitClients,
    AwaitOutside,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import forecast

from ...tools.support.certificates import NOW
from .authorities import OLD
from .builders import cluster
from .ledgers import entry, ledger
from .nodes import PODS, a_pod, uids_of
from .stand_in import MadeHere

SECOND = timedelta(seconds=1)


def seconds(least: float, most: float) -> Span:
    return Span(least * SECOND, most * SECOND)


def rolling(*pods: Pod) -> tuple[Roll, Snapshot]:
    uids = frozenset(pod.uid for pod in pods)
    return Roll(reason=RollReason.USE, uids=uids, authority=OLD.certificate, phase=Phase.USE), cluster(pods=pods)


def node(number: int, started_in: float | None) -> Pod:
    return a_pod(PODS[number], started_in=None if started_in is None else started_in * SECOND)


def test_nodes_restart_one_after_the_other() -> None:
    one, two = span_of(*rolling(node(0, 10))), span_of(*rolling(node(0, 10), node(1, 20)))
    assert one is not None
    assert two is not None
    # The end of a process, its start, and at most as long again until its partitions are in sync.
    assert (two.least - one.least, (two.most or SECOND) - (one.most or SECOND)) == (21 * SECOND, 70 * SECOND)


def test_nodes_with_ended_certificates_restart_at_the_same_time() -> None:
    step, seen = rolling(node(0, 10), node(1, 20))
    slowest, alone = rolling(node(1, 20))
    assert span_of(replace(step, reason=RollReason.ENDED), seen) == span_of(slowest, alone)


def test_other_pods_restart_at_the_same_time() -> None:
    others = [
        a_pod(name, component=Component.KAFKA_EXPORTER, started_in=start * SECOND)
        for name, start in (("a", 3), ("b", 8))
    ]
    assert span_of(*rolling(*others)) == span_of(*rolling(others[1]))


def test_a_pod_that_shows_no_start_takes_as_long_as_the_slowest_of_its_component() -> None:
    exporter = a_pod("exporter", component=Component.KAFKA_EXPORTER, started_in=100 * SECOND)
    step, seen = rolling(node(0, 10), node(1, 20), node(2, None), exporter)
    assert span_of(step, seen) == span_of(*rolling(node(0, 10), node(1, 20), node(2, 20), exporter))


def test_where_no_pod_shows_a_start_there_is_no_estimate() -> None:
    assert span_of(*rolling(node(0, None))) is None


def test_clients_get_exactly_their_time() -> None:
    seen = cluster()
    wait = AwaitClients(certificate=OLD.certificate, earliest_use=NOW + 90 * SECOND)
    assert span_of(wait, seen) == seconds(90, 90)
    assert span_of(AwaitClients(certificate=OLD.certificate, earliest_use=NOW - SECOND), seen) == NO_TIME


def test_a_wait_for_other_parties_has_no_upper_bound() -> None:
    found = span_of(AwaitOutside(clients=("KafkaConnect kafka/connect",), settled=(), phase=Phase.TRUST), cluster())
    assert found == Span(timedelta(0), None)
    assert (seconds(1, 2) + Span(timedelta(0), None)) == Span(SECOND, None)


@pytest.mark.parametrize(
    "step",
    [
        Pause(phase=Phase.USE, purpose=""),
        Reload(uids=uids_of(*PODS), authority=None),
        ReloadOutside(uids=uids_of(*PODS), phase=Phase.PREPARE),
        StampPods(generation=0, key_generation=0, phase=Phase.USE),
    ],
)
def test_each_other_step_has_a_range(step: Pause | Reload | ReloadOutside | StampPods) -> None:
    found = span_of(step, cluster())
    assert found is not None
    assert found.most is not None
    assert timedelta(0) <= found.least <= found.most
    assert found.most > timedelta(0)


def test_a_plan_takes_as_long_as_its_steps() -> None:
    seen = cluster(
        pods=tuple(node(number, 10 + number) for number in range(3)), ledger=ledger(entry(OLD, generations=(0,)))
    )
    planned = forecast(seen, Intent(Goal.REPLACE_KEY), MadeHere())
    spans = [step.span for step in planned.steps]
    assert planned.span == sum((span for span in spans if span is not None), NO_TIME)
    assert planned.span is not None
    assert planned.span.least >= sum(10 + number for number in range(3)) * SECOND
    unknown = cluster(ledger=ledger(entry(OLD, generations=(0,))))
    assert forecast(unknown, Intent(Goal.REPLACE_KEY), MadeHere()).span is None


HOUR = timedelta(hours=1)


def lasting(left: timedelta, span: Span | None) -> dict[str, bool | None]:
    """Whether each certificate lasts as long as this plan, where the first end is so far away."""
    seen = cluster(pods=(node(0, 10),))
    ends = min(life.first.not_after for life in lives_of(seen, None))
    return {life.name: life.lasts for life in lives_of(replace(seen, now=ends - left), span)}


@pytest.mark.parametrize(
    ("left", "span", "lasts"),
    [
        (3 * HOUR, Span(HOUR, HOUR), True),
        (2 * HOUR, Span(HOUR, HOUR), True),
        (2 * HOUR - SECOND, Span(HOUR, HOUR), False),
        (HOUR, Span(NO_TIME.least, HOUR), False),
        (3 * HOUR, Span(HOUR, None), None),
        (HOUR, Span(HOUR, None), False),
        (-HOUR, NO_TIME, False),
        (HOUR, None, None),
    ],
)
def test_a_certificate_lasts_where_twice_the_time_of_the_plan_is_left(
    left: timedelta, span: Span | None, lasts: bool | None
) -> None:
    assert set(lasting(left, span).values()) == {lasts}


def test_every_ca_and_the_leaves_of_each_component_have_a_life() -> None:
    named = [life.name for life in lives_of(cluster(), NO_TIME)]
    assert named[0].startswith(OLD.certificate.subject)
    assert f"{len(PODS)} certificates of the Kafka nodes" in named


def short(goal: Goal, *, left: timedelta = HOUR, most: timedelta | None = HOUR) -> list[str]:
    """The sentences for a flow with this goal, a while before the first end."""
    seen = cluster(ledger=ledger(entry(OLD)))
    ends = min(life.first.not_after for life in lives_of(seen, None))
    return list(describe_short_lives(replace(seen, now=ends - left), Span(NO_TIME.least, most), goal))


def test_a_replacement_that_may_outlast_the_certificates_in_use_names_the_shorter_flow() -> None:
    told = " ".join(short(Goal.REPLACE_KEY))
    assert "the playbook renew" in told
    assert "To wait makes that worse" in told


@pytest.mark.parametrize("goal", [Goal.RECONCILE, Goal.RECOVER])
def test_a_flow_that_gives_new_dates_is_told_nothing(goal: Goal) -> None:
    assert short(goal) == []


def test_lasting_and_ended_certificates_are_no_short_lives() -> None:
    assert short(Goal.REPLACE_KEY, left=3 * HOUR) == []
    assert short(Goal.REPLACE_KEY, left=-HOUR) == []
    assert short(Goal.REPLACE_KEY, most=None) == []
