# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations beside a Connect: it never meets a certificate that it cannot validate, and what it lacks holds the flow."""

from __future__ import annotations

import base64
from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import validate_path
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import observe as observing
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.outside_clients import (
    NOTHING_SAID,
    NamedSecret,
    Outside,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.waivers import Waiver

from ..fakes.connect import Connect, Object
from ..fakes.flows import SETTINGS, START, FlowResult, run_flow, work_on
from ..fakes.memory_api import Change
from ..fakes.world import World
from ..faults.flows import Case, start
from ..unit.forecast.test_forecasts_come_true import forecast_of, in_order, taken

ALL = {"secretName": "demo-cluster-ca-cert", "pattern": "*.crt"}
ONE = {"secretName": "demo-cluster-ca-cert", "certificate": "ca.crt"}
OWN = {"secretName": "app", "certificate": "ca.crt"}
NAME = "KafkaConnect kafka/connect"
#: Each CA is trusted everywhere before it is used: no bridge leads clients of the old one.
REPLACE = Intent(Goal.REPLACE_KEY, bridge=Bridge.NEVER)
BOTH_WAYS = pytest.mark.parametrize("way", Way)


class CannotConnect(Exception):
    """A node presents what Connect does not validate."""


def begin(goal: Goal = Goal.REPLACE_KEY) -> World:
    world, _checker = start(Case(goal, Way.COOPERATE))
    return world


def watch(world: World, connect: Connect) -> Connect:
    """After every write: Connect reaches every node."""

    def look(change: Change) -> None:
        anchors = parse_certificates(connect.loaded)
        for process in world.kubelet.processes.values():
            if process.component == "kafka":
                presented = parse_certificates(process.presented[0][1])
                if not validate_path(presented, anchors, at=START + timedelta(seconds=world.seconds)).valid:
                    raise CannotConnect(process.pod)

    world.api.listeners.append(look)
    return connect


def waiver(world: World, client: str = NAME) -> Waiver:
    return Waiver(client, START + timedelta(seconds=world.seconds, days=1), "moves in week 51")


def run(world: World, intent: Intent = REPLACE, *, outside: Outside = NOTHING_SAID) -> FlowResult:
    return run_flow(work_on(world, settings=replace(SETTINGS, outside=outside)), intent)


def held(result: FlowResult) -> set[tuple[str, str]]:
    assert not result.outcome.decision.done
    return {(violation.gate, violation.subject) for violation in result.outcome.decision.violations}


def stored(world: World, secret: str) -> dict[str, str]:
    return (world.api.find("secrets", "kafka", secret) or {})["data"]


def put(world: World, method: str, path: str, data: dict[str, str]) -> None:
    body = {"kind": "Secret", "metadata": {"name": "app"}, "data": data}
    full = f"/api/v1/namespaces/kafka/{path}"
    answer = world.api.request(method, full, body=body, content_type="application/merge-patch+json")
    assert answer.status < 300


def bundle_of(world: World) -> str:
    """Every trusted CA in one entry, as an administrator makes it."""
    found = stored(world, "demo-cluster-ca-cert")
    return base64.b64encode(b"".join(base64.b64decode(v) for k, v in found.items() if k.endswith(".crt"))).decode()


@BOTH_WAYS
@pytest.mark.parametrize("every", [1, 25])
@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.REPLACE_KEY])
def test_a_connect_that_follows_is_waited_for_and_never_cut_off(goal: Goal, every: int, way: Way) -> None:
    world = begin(goal)
    watch(world, Connect(world, ALL, every=every))
    result = run(world, replace(REPLACE, goal=goal, way=way))
    assert result.outcome.decision.done, [str(one) for one in result.outcome.decision.violations]
    if (goal, every) == (Goal.REPLACE_KEY, 25):
        assert NAME in {action.object for action in result.actions if action.verb == "wait"}
    world.settle(every)
    again = run(world, replace(REPLACE, goal=goal, way=way))
    assert (again.outcome.decision.done, again.changes) == (True, [])


@BOTH_WAYS
def test_one_that_takes_only_the_issuing_ca_holds_the_promotion_until_it_is_changed(way: Way) -> None:
    world = begin()
    connect = watch(world, Connect(world, ONE))
    intent = replace(REPLACE, way=way)
    assert held(run(world, intent)) == {("trust", NAME)}
    connect.select(ALL)
    result = run(world, intent)
    assert result.outcome.decision.done, [str(one) for one in result.outcome.decision.violations]


@BOTH_WAYS
@pytest.mark.parametrize("every", [1, 25])
@pytest.mark.parametrize("sources", [ALL, ONE], ids=["all", "issuing"])
def test_a_bridge_leads_even_one_that_takes_only_the_issuing_ca(sources: Object, every: int, way: Way) -> None:
    world = begin()
    watch(world, Connect(world, sources, every=every))
    result = run(world, replace(REPLACE, way=way, bridge=Bridge.ALWAYS))
    assert result.outcome.decision.done, [str(one) for one in result.outcome.decision.violations]


def test_the_gate_is_what_protects_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: who does not look at outside clients cuts them off."""
    world = begin()
    watch(world, Connect(world, ONE, every=10_000))
    monkeypatch.setattr(observing, "observe_outside", lambda *arguments: ())
    with pytest.raises(CannotConnect):
        run(world)


def test_a_waiver_leads_past_it_for_its_time() -> None:
    world = begin()
    Connect(world, ONE, every=10_000)
    assert held(run(world)) == {("trust", NAME)}
    result = run(world, outside=Outside(waivers=(waiver(world),)))
    assert result.outcome.decision.done
    (seen,) = describe_snapshot(result.outcome.observation.snapshot)["outside"]
    assert (seen["client"], seen["waiver"]["reason"]) == (NAME, "moves in week 51")


def test_an_operator_that_does_not_look_at_it_in_time_is_named() -> None:
    world = begin()
    connect = Connect(world, ALL)
    connect.running = False
    with pytest.raises(OperatorSilent, match=f"has not brought the trusted CAs to {NAME} within 60 s"):
        run(world)
    connect.running = True
    assert run(world).outcome.decision.done


def test_a_secret_that_a_client_reads_holds_the_removal_until_it_has_the_new_ca() -> None:
    """The promotion was waived; the removal is asked again."""
    world = begin()
    before = len(stored(world, "demo-cluster-ca-cert"))
    put(world, "POST", "secrets", {"ca.crt": stored(world, "demo-cluster-ca-cert")["ca.crt"]})
    named = (NamedSecret("kafka", "app"),)
    assert held(run(world, outside=Outside(named))) == {("trust", "Secret kafka/app")}
    waived = Outside(named, (waiver(world, "Secret kafka/app"),))
    assert run(world, replace(REPLACE, until=Phase.USE), outside=waived).outcome.decision.done
    assert held(run(world, outside=Outside(named))) == {("removal", "Secret kafka/app")}
    assert len(stored(world, "demo-cluster-ca-cert")) == before + 1
    put(world, "PATCH", "secrets/app", {"ca.crt": bundle_of(world)})
    assert run(world, outside=Outside(named)).outcome.decision.done
    assert len(stored(world, "demo-cluster-ca-cert")) == before


@pytest.mark.parametrize("every", [1, 25])
def test_the_plan_is_what_happens(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    world = begin()
    Connect(world, ALL, every=every)
    planned = forecast_of(world, REPLACE)
    steps = taken(world, REPLACE, monkeypatch)
    assert planned.violations == ()
    waits = [step for step in planned.steps if NAME in step.what]
    assert [step.phase for step in waits] == [Phase.TRUST]
    # A client that follows at once has followed before somebody would wait for it.
    expected = [step for step in planned.steps if every > 1 or step not in waits]
    assert in_order([(step.phase.value, step.face.value) for step in expected]) == in_order(steps)


def test_the_plan_says_who_would_hold_it() -> None:
    world = begin()
    Connect(world, ONE)
    planned = forecast_of(world, REPLACE)
    assert {(violation.gate, violation.subject) for violation in planned.violations} == {("trust", NAME)}
    assert planned.steps
