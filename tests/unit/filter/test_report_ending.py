# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a flow ended, whatever it ended with: done, held, failed before anything was seen, in check mode."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.trustops.strimzi.plugins.filter import report as documented
from ansible_collections.trustops.strimzi.plugins.filter.report import report
from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.facts import SCHEMA

from .runs import NOW, PLANNED, action, before, ca, facts, held, idle, nodes, rotation, seen, step

#: The result that a skipped task registers, and the variable of a task that was never reached.
SKIPPED: list[dict[str, Any]] = [{"changed": False, "skipped": True, "skip_reason": "Conditional result was False"}, {}]
NO_ANSWER = {"failed": True, "msg": "no answer"}
STOPPED = rotation(last=seen([ca()], nodes("d"), pending=["use: promote"]))
WAITING = "cluster-ca v0 stays trusted until these have restarted for any reason: demo-kafka-1"


@pytest.mark.parametrize(
    ("calls", "options", "result"),
    [
        (rotation(), {}, "done"),
        ([*SKIPPED, *rotation(), *SKIPPED], {}, "done"),
        (rotation(waiting=[WAITING]), {}, "done"),
        (idle(), {}, "nothing_to_do"),
        (idle(), {"check_mode": True}, "nothing_to_do"),
        ([PLANNED], {"check_mode": True}, "planned"),
        ([{**PLANNED, "plan": [], "violations": held()["violations"]}], {"check_mode": True}, "held"),
        (STOPPED, {}, "stopped"),
        (rotation(done=False), {}, "unfinished"),
        ([*rotation(), held()], {}, "held"),
        ([*rotation(), held(), *SKIPPED], {}, "held"),
        ([*rotation(), NO_ANSWER], {}, "failed"),
        ([*rotation(), {"failed": True}], {}, "failed"),
        ([NO_ANSWER], {"check_mode": True}, "failed"),
        (SKIPPED, {}, "unfinished"),
    ],
)
def test_results(calls: list[dict[str, Any]], options: dict[str, Any], result: str) -> None:
    found = facts(calls, **options)
    assert found["result"] == result
    assert found["done"] == (result in ("done", "nothing_to_do", "stopped"))


def test_a_held_flow_tells_what_holds_it_and_what_the_cluster_is_like() -> None:
    found = facts([before(), held(cas=[ca(state="PHASE_OUT")])])
    assert [one["remedy"] for one in found["violations"]] == ["Let it go."]
    assert (found["failure"], [one["state"] for one in found["cas"]]) == ("held", ["PHASE_OUT"])


def test_what_has_been_overcome_is_no_violation_any_more() -> None:
    violations = held()["violations"]
    assert facts(rotation(first={**before(), "violations": violations}))["violations"] == []


def test_what_a_failed_call_did_before_it_failed_is_counted() -> None:
    done = [action("update", "Kafka demo", "trust"), action("restart", "Pod demo-kafka-0", "trust", 2.0)]
    found = facts([before(), held(actions=done, transitions=[], seconds=4.0, pods=nodes("b"))])
    assert (found["writes"], found["restarts"], found["rolls"], found["worked_seconds"]) == (1, 3, 1, 4.0)
    assert found["steps"][-1]["actions"] == done


def test_a_flow_that_saw_nothing_is_told_with_the_names_it_was_given() -> None:
    found = report([NO_ANSWER], goal="renew", now=NOW, cluster="demo", namespace="kafka")
    assert found["cluster"] == {"name": "demo", "namespace": "kafka"}
    assert (found["pods"], found["cas"], found["phases"], found["failure"]) == ([], [], [], "no answer")
    assert report_view(found)["title"] == "Renewal of the cluster CA: kafka/demo"


@pytest.mark.parametrize(
    ("goal", "title"),
    [
        ("replace_key", "Replacement of the clients CA's key: kafka/demo"),
        ("renew_leaves", "Renewal of the users' certificates: kafka/demo"),
        ("scale", "Scaling of a node pool: kafka/demo"),
    ],
)
def test_a_flow_is_named_after_the_ca_that_it_is_about(goal: str, title: str) -> None:
    found = report([NO_ANSWER], goal=goal, now=NOW, cluster="demo", namespace="kafka", ca="clients")
    assert (found["ca"], report_view(found)["title"]) == ("clients", title)


def test_another_ca_than_those_of_a_cluster_is_refused() -> None:
    with pytest.raises(AnsibleFilterError, match="ca: client is no CA of a cluster"):
        report([NO_ANSWER], goal="renew", now=NOW, ca="client")


def test_a_plan_is_told_with_what_it_takes_and_what_would_hold_it() -> None:
    found = facts([{**PLANNED, "violations": held()["violations"]}], check_mode=True)
    assert (found["planned_rolls"], found["planned_restarts"], len(found["plan"])) == (1, 3, 1)
    assert (found["result"], [one["gate"] for one in found["violations"]]) == ("planned", ["trust"])


def test_nothing_is_done_in_check_mode_whatever_the_calls_would_do() -> None:
    would = step(1.0, [action("update", "Kafka demo", "trust")], nodes("a"))
    found = facts([{**PLANNED, "actions": would["actions"]}], check_mode=True)
    assert (found["writes"], found["steps"], found["phases"]) == (0, [], [])


def test_the_run_began_with_its_first_call() -> None:
    late = {"began_at": "2026-06-01T12:00:30Z"}
    assert facts(rotation(**late))["started_at"] == "2026-06-01T12:00:00Z"
    assert facts(rotation(begun=None, **late))["started_at"] == late["began_at"]


def test_what_running_processes_still_hold_is_told() -> None:
    found = facts(rotation(waiting=[WAITING]))
    assert found["waiting"] == [WAITING]
    assert report_view(found)["remainders"] == [WAITING]


@pytest.mark.parametrize("calls", [rotation(), [NO_ANSWER], [PLANNED]])
def test_every_key_is_documented(calls: list[dict[str, Any]]) -> None:
    described = yaml.safe_load(documented.RETURN)["_value"]["contains"]
    found = facts(calls)
    assert set(found) == set(described)
    assert found["schema"] == described["schema"]["sample"] == SCHEMA
    for phase in found["phases"]:
        assert set(phase) == set(described["phases"]["contains"])
    for channel in found["channels"]:
        assert set(channel) == set(described["channels"]["contains"])


@pytest.mark.parametrize("calls", ["text", None, {}, {"goal": "renew"}, ["text"], [[]]])
def test_anything_else_is_refused(calls: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="a list of the results of this collection's modules"):
        report(calls, goal="renew")


@pytest.mark.parametrize("given", ["text", None, [], {}, rotation()])
def test_the_view_wants_facts(given: Any) -> None:
    with pytest.raises(AnsibleFilterError, match=r"what trustops\.strimzi\.report returned"):
        report_view(given)


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(AnsibleFilterError, match="Write it as 2026-01-31T12:00:00Z"):
        report(rotation(), goal="renew", now="tomorrow")
