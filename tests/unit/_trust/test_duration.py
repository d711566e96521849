# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a plan takes, by the last starts of the pods that it restarts."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.duration import (
    NO_COSTS,
    NO_TIME,
    VERDICT,
    Costs,
    Span,
    describe_short_lives,
    lives_of,
    span_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.rounds import LEADERS_RETURN, Bound, Round
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Pod, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AskForLeaves,
    IssueLeaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    Pause,
    PauseAndReload,
    Reload,
    Resume,
    Roll,
    RollReason,
    StampPods,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    AwaitClients,
    AwaitOutside,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import (
    ActionKind,
    Forecast,
    PlannedStep,
    forecast,
)

from ...tools.support.certificates import DAY, HOUR, NOW, key, leaf, make
from ...tools.support.golden import GoldenFiles
from .authorities import EXPIRED, INTERMEDIATE, NEW, OLD, ROOT, chain_of
from .builders import cluster, secrets
from .ledgers import entry, ledger
from .nodes import PODS, a_leaf, a_pod, uids_of
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
    # A reaction of the operator, then the end of a process, its start, and at most as long again until its partitions are in sync.
    assert (one, two) == (seconds(1 + 1 + 10, 120 + 30 + 20), seconds(1 + 1 + 10 + 1 + 20, 120 + 30 + 20 + 30 + 40))


@pytest.mark.parametrize(
    ("rounds", "as_long_as"),
    [([[0, 1, 2]], [2]), ([[0, 1], [2]], [1, 2]), ([[0, 2]], [2, 1]), ([], [0, 1, 2]), ([[0, 1, 2, 3]], [2])],
    ids=["one round", "two rounds", "a node in no round", "no rounds", "a node that does not restart"],
)
def test_a_round_takes_as_long_as_its_slowest_node(rounds: list[list[int]], as_long_as: list[int]) -> None:
    nodes = [node(0, 10), node(1, 20), node(2, 30)]
    planned = [in_round(*of_round, has_brokers=False) for of_round in rounds]
    step, seen = rolling(*nodes)
    assert span_of(step, seen, rounds=planned) == span_of(*rolling(*(nodes[number] for number in as_long_as)))


def in_round(*nodes: int, has_brokers: bool = True) -> Round:
    return Round(tuple(f"demo-nodes-{number}" for number in nodes), Bound.LIMIT, has_brokers=has_brokers)


def test_before_the_next_round_brokers_lead_again() -> None:
    step, seen = rolling(node(0, 10), node(1, 20), node(2, 30))
    spans = [
        span_of(step, seen, rounds=[in_round(0, has_brokers=False), in_round(1, has_brokers=leads), in_round(2)])
        for leads in (False, True)
    ]
    assert spans[1] == (spans[0] or NO_TIME) + Span(timedelta(0), LEADERS_RETURN)


def test_nodes_with_ended_certificates_restart_at_the_same_time() -> None:
    step, seen = rolling(node(0, 10), node(1, 20))
    slowest, alone = rolling(node(1, 20))
    assert span_of(replace(step, reason=RollReason.ENDED), seen) == span_of(slowest, alone)


def test_other_pods_restart_at_the_same_time() -> None:
    others = [
        a_pod(name, component=Component.KAFKA_EXPORTER, started_in=start * SECOND)
        for name, start in (("a", 3), ("b", 8))
    ]
    assert span_of(*rolling(*others)) == span_of(*rolling(others[1])) == seconds(1 + 1 + 8, 120 + 30 + 16)


def test_a_pod_that_shows_no_start_takes_as_long_as_the_slowest_of_its_component() -> None:
    """Or of all, where none of its component shows any."""
    exporter = a_pod("exporter", component=Component.KAFKA_EXPORTER, started_in=100 * SECOND)
    step, seen = rolling(node(0, 20), node(1, 10), node(2, None), exporter)
    assert span_of(step, seen) == span_of(*rolling(node(0, 20), node(1, 10), node(2, 20), exporter))
    assert span_of(*rolling(node(0, None), exporter)) == span_of(*rolling(node(0, 100), exporter))


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
    ("step", "expected"),
    [
        (Pause(phase=Phase.USE, purpose=""), seconds(1, 120)),
        (Reload(uids=frozenset({"0"}), authority=None), seconds(1, 5)),
        (Reload(uids=uids_of(*PODS), authority=None), seconds(2, 2 * 5)),
        (Reload(uids=frozenset(map(str, range(500))), authority=None), seconds(21, 21 * 5)),
        (PauseAndReload(uids=uids_of(*PODS), phase=Phase.PREPARE, purpose=""), seconds(1, 120)),
        (StampPods(generation=0, key_generation=0, phase=Phase.USE), seconds(0, 3)),
        (IssueLeaves(phase=Phase.USE, secrets=("a",), issuer=chain_of(OLD), generation=0), seconds(0, 1)),
        (IssueLeaves(phase=Phase.USE, secrets=(), issuer=chain_of(OLD), generation=0), seconds(0, 1)),
        (Resume(phase=Phase.USE), seconds(0, 1)),
        (
            AskForLeaves(phase=Phase.USE, secrets=("a", "b"), issuer=chain_of(OLD), external_issuer="Vault"),
            seconds(0, 2),
        ),
    ],
)
def test_each_other_step_has_a_range(step: Step, expected: Span) -> None:
    assert span_of(step, cluster()) == expected


@pytest.mark.parametrize(
    ("step", "answers"),
    [
        (StampPods(generation=0, key_generation=0, phase=Phase.USE), 3 * 3),
        (Resume(phase=Phase.USE), 3),
        (Pause(phase=Phase.USE, purpose=""), 20),
        (Reload(uids=uids_of(*PODS), authority=None), 3 + 2 * 20),
        (rolling(*(node(number, 10) for number in range(3)))[0], 4 * 20),
    ],
)
def test_answers_of_a_slow_api_server_may_add_to_a_step(step: Step, answers: int) -> None:
    seen = cluster(pods=tuple(node(number, 10) for number in range(3)))
    prompt, slow = span_of(step, seen), span_of(step, seen, Costs(answer=7 * SECOND))
    assert prompt is not None
    assert prompt.most is not None
    assert slow == Span(prompt.least, prompt.most + 7 * answers * SECOND)


def test_each_pass_costs_a_look_and_each_phase_a_call() -> None:
    seen = cluster(pods=(node(0, 10),), ledger=ledger(entry(OLD, generations=(0,))))
    costs = Costs(observation=3 * SECOND, look=10 * SECOND, start=seconds(1, 5))
    planned, bare = (forecast(seen, Intent(Goal.REPLACE_KEY), MadeHere(), costs=each) for each in (costs, NO_COSTS))
    assert planned.span is not None
    assert bare.span is not None
    phases = len({step.phase for step in planned.steps})
    beside = planned.span.least - bare.span.least - phases * SECOND
    passes = beside / SECOND
    assert phases < passes <= len(planned.steps)
    assert planned.span.most == (bare.span.most or SECOND) + passes * 15 * SECOND + phases * (5 + 20) * SECOND


def test_a_plan_that_changes_nothing_waits_for_no_verdict() -> None:
    assert Forecast(()).span == NO_TIME
    waits = PlannedStep(Phase.USE, "wait", "AwaitIssuer", span=seconds(1, 2), does=ActionKind.WAIT)
    assert Forecast((waits,)).span == seconds(1, 2)
    assert Forecast((waits, replace(waits, does=ActionKind.WRITE))).span == seconds(2, 4 + 120)


def test_a_plan_takes_as_long_as_its_steps() -> None:
    seen = cluster(
        pods=tuple(node(number, 10 + number) for number in range(3)), ledger=ledger(entry(OLD, generations=(0,)))
    )
    planned = forecast(seen, Intent(Goal.REPLACE_KEY), MadeHere())
    spans = [step.span for step in planned.steps]
    assert planned.span == sum((span for span in spans if span is not None), VERDICT)
    assert planned.span is not None
    assert planned.span.least >= sum(10 + number for number in range(3)) * SECOND
    unknown = cluster(ledger=ledger(entry(OLD, generations=(0,))))
    assert forecast(unknown, Intent(Goal.REPLACE_KEY), MadeHere()).span is None


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


def test_every_ca_and_the_leaves_of_each_component_have_a_life(golden: GoldenFiles) -> None:
    """Each life is that of the certificate that ends first."""
    chain = chain_of(INTERMEDIATE, ROOT)
    ends = [NOW + days * DAY for days in (30, 20, 10)]
    nodes = [a_leaf(name, chain=(leaf(INTERMEDIATE, end=end), *chain)) for name, end in zip(PODS, ends, strict=True)]
    user = replace(nodes[0], secret="orders", component=Component.USER)
    seen = cluster(
        ca=secrets(chain), ledger=ledger(entry(chain), entry(NEW)), leaves=(*nodes[:2], nodes[2], a_leaf(chain=None)),
        user_leaves={"orders": user, "audit": None},
    )  # fmt: skip
    lives = lives_of(seen, NO_TIME)
    assert [life.first.not_after for life in lives] == [
        *(one.certificate.not_after for one in (INTERMEDIATE, ROOT, NEW)),
        ends[2],
        ends[0],
    ]
    golden.compare_said("stops_in_rules", "\n".join(life.name for life in lives))


LONG = 9 * HOUR


def warnings(
    goal: Goal, authority: timedelta, of_leaf: timedelta, span: Span | None, component: Component = Component.KAFKA
) -> tuple[str, ...]:
    """The warnings before a flow with this goal, if the CA in use, and a leaf, end so soon. The CA above it ends first."""
    root = make("Corporate Root", key(6), end=NOW + SECOND)
    below = make("Corporate Issuing CA", key(7), root, end=NOW + authority)
    chain = chain_of(below, root)
    stored = a_leaf(chain=(leaf(below, end=NOW + of_leaf), *chain), component=component)
    seen = cluster(ca=secrets(chain), ledger=ledger(entry(chain), entry(EXPIRED)), leaves=(stored, a_leaf(chain=None)))
    assert describe_short_lives(replace(seen, ledger=None), span, goal) == ()
    return describe_short_lives(seen, span, goal)


def short(*about: Any) -> list[str]:
    """The playbooks that these warnings name."""
    return [name for warning in warnings(*about) for name in re.findall("playbook ([a-z_]+)", warning)]


def test_a_flow_that_may_outlast_the_certificates_in_use_is_warned_of_with_their_ends(golden: GoldenFiles) -> None:
    both = warnings(Goal.REPLACE_KEY, HOUR, HOUR, Span(NO_TIME.least, HOUR))
    assert all(f"{NOW + HOUR:%Y-%m-%d at %H:%M}" in warning for warning in both)
    golden.compare_said("stops_in_rules", "\n".join(both))


@pytest.mark.parametrize(
    ("goal", "authority", "of_leaf", "playbooks"),
    [
        (Goal.REPLACE_KEY, HOUR, HOUR, ["renew", "renew_leaves"]),
        (Goal.REPLACE_KEY, HOUR, LONG, ["renew"]),
        (Goal.REPLACE_KEY, LONG, HOUR, ["renew_leaves"]),
        (Goal.RENEW, HOUR, HOUR, ["renew_leaves"]),
        (Goal.RENEW_LEAVES, HOUR, HOUR, ["renew"]),
        (Goal.RECONCILE, HOUR, HOUR, []),
        (Goal.RECOVER, HOUR, HOUR, []),
        (Goal.REPLACE_KEY, 2 * HOUR, 2 * HOUR - SECOND, ["renew_leaves"]),
        (Goal.REPLACE_KEY, timedelta(0), -HOUR, []),
    ],
)
def test_a_flow_that_may_outlast_the_certificates_in_use_names_the_shorter_flow(
    goal: Goal, authority: timedelta, of_leaf: timedelta, playbooks: list[str]
) -> None:
    """Not for certificates that have ended, nor where the flow gives new dates itself."""
    assert short(goal, authority, of_leaf, Span(NO_TIME.least, HOUR)) == playbooks


@pytest.mark.parametrize(
    ("span", "component", "playbooks"),
    [
        (Span(HOUR, None), Component.KAFKA, ["renew_leaves"]),
        (Span(HOUR, HOUR), Component.USER, ["renew_leaves"]),
        (Span(HOUR, HOUR), Component.KAFKA_EXPORTER, []),
        (Span(NO_TIME.least, None), Component.KAFKA, []),
        (NO_TIME, Component.KAFKA, []),
        (None, Component.KAFKA, []),
    ],
)
def test_only_leaves_that_a_playbook_renews_are_told_and_beside_an_estimate(
    span: Span | None, component: Component, playbooks: list[str]
) -> None:
    assert short(Goal.REPLACE_KEY, LONG, HOUR, span, component) == playbooks
