# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a flow ended, whatever it ended with: done, held, failed before anything was seen, in check mode."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.trustops.strimzi.plugins.filter.report import report
from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from .runs import NOW, action, ca, facts, held, idle, nodes, rotation, seen

PENDING = rotation(last=seen([ca()], nodes("d"), pending=["use: promote"]))
PLAN = {
    "plan": [{"phase": "trust", "module": "strimzi_roll", "what": "restart 3 pods", "restarts": ["a", "b", "c"]}],
    "planned_rolls": 1,
    "planned_restarts": 3,
    "violations": [],
}


@pytest.mark.parametrize(
    ("noted", "options", "result"),
    [
        (rotation(), {}, "done"),
        (idle(), {}, "nothing_to_do"),
        (idle(), {"check_mode": True}, "nothing_to_do"),
        (rotation(done=False), {"check_mode": True, "planned": PLAN}, "planned"),
        (PENDING, {}, "stopped"),
        (rotation(done=False), {}, "unfinished"),
        (rotation(done=False), {"failed": held()}, "held"),
        (rotation(), {"failed": held()}, "held"),
        (rotation(done=False), {"failed": {"failed": True, "msg": "no answer"}}, "failed"),
        (rotation(done=False), {"failed": {"failed": True}}, "failed"),
    ],
)
def test_results(noted: dict[str, Any], options: dict[str, Any], result: str) -> None:
    found = facts(noted, **options)
    assert found["result"] == result
    assert found["done"] == (result in ("done", "nothing_to_do", "stopped"))


def test_a_held_flow_tells_what_holds_it_and_what_the_cluster_is_like() -> None:
    found = facts(rotation(done=False, next="strimzi_roll"), failed=held(cas=[ca(state="PHASE_OUT")]))
    assert [one["remedy"] for one in found["violations"]] == ["Let it go."]
    assert (found["failure"], found["next"]) == ("held", "strimzi_roll")
    assert [one["state"] for one in found["cas"]] == ["PHASE_OUT"]


def test_what_a_failed_call_did_before_it_failed_is_counted() -> None:
    done = [action("update", "Kafka demo", "trust"), action("restart", "Pod demo-kafka-0", "trust", 2.0)]
    noted = rotation(done=False, log=[], next="strimzi_roll")
    found = facts(noted, failed=held(actions=done, transitions=[], seconds=4.0, pods=nodes("b")))
    assert (found["writes"], found["restarts"], found["rolls"], found["worked_seconds"]) == (1, 3, 1, 4.0)
    assert found["steps"][-1]["module"] == "strimzi_roll"


def test_a_flow_that_saw_nothing_is_told_with_the_names_it_was_given() -> None:
    noted = {"goal": "renew", "next": "strimzi_trusted_certs", "log": [], "done": False}
    found = report(noted, failed={"failed": True, "msg": "no answer"}, now=NOW, cluster="demo", namespace="kafka")
    assert found["cluster"] == {"name": "demo", "namespace": "kafka"}
    assert (found["pods"], found["cas"], found["phases"], found["failure"]) == ([], [], [], "no answer")
    assert report_view(found)["title"] == "Renewal of the cluster CA: kafka/demo"


def test_a_plan_is_told_with_what_it_takes_and_what_would_hold_it() -> None:
    planned = {**PLAN, "violations": held()["violations"]}
    found = facts(rotation(done=False, log=[]), check_mode=True, planned=planned)
    assert (found["planned_rolls"], found["planned_restarts"], len(found["plan"])) == (1, 3, 1)
    assert (found["result"], [one["gate"] for one in found["violations"]]) == ("planned", ["trust"])


@pytest.mark.parametrize("noted", ["text", None, [], {}])
def test_anything_else_is_refused(noted: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="what the role reconcile noted"):
        report(noted)


@pytest.mark.parametrize("given", ["text", None, [], {}, rotation()])
def test_the_view_wants_facts(given: Any) -> None:
    with pytest.raises(AnsibleFilterError, match=r"what trustops\.strimzi\.report returned"):
        report_view(given)


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(AnsibleFilterError, match="Write it as 2026-01-31T12:00:00Z"):
        report(rotation(), now="tomorrow")
