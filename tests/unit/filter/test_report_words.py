# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts in words: sentences, figures and times, and how a flow ended, whatever it ended with."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.trustops.strimzi.plugins.filter import report as documented
from ansible_collections.trustops.strimzi.plugins.filter.report import report
from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.facts import SCHEMA

from ...tools.support.golden import GoldenFiles
from .runs import (
    NEW,
    NOW,
    PLANNED,
    action,
    before,
    ca,
    facts,
    held,
    idle,
    nodes,
    planned_step,
    preparation,
    roll,
    rotation,
    seen,
    step,
)

EXPIRY = "cluster-ca b (bbbbbbbbbbbb) issues certificates and is valid until 2026-07-01 (30 days left)."


def shown(noted: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    return report_view(facts(noted, **options))


def removed(*pods: str, number: int = 1) -> dict[str, Any]:
    gone = [{**ca(letter * 64), "pods": list(pods)} for letter in "ac"[:number]]
    return rotation(last=seen([ca(NEW)], nodes("d"), removed=gone))


def test_the_most_important_sentence_comes_first(golden: GoldenFiles) -> None:
    golden.compare("report_parts", golden.test, "\n".join(shown()["sentences"]))


@pytest.mark.parametrize(
    ("noted", "sentence"),
    [
        (removed("x"), "1 pod trusts the removed CA cluster-ca a (aaaaaaaaaaaa)."),
        (removed("x", "y"), "2 pods trust the removed CA cluster-ca a (aaaaaaaaaaaa)."),
        (
            removed(number=2),
            "0 pods trust the removed CAs cluster-ca a (aaaaaaaaaaaa) and cluster-ca c (cccccccccccc), by stored evidence: the run asked no listener "
            "about them.",
        ),
    ],
)
def test_the_sentence_about_pods_that_still_trust_a_removed_ca(noted: dict[str, Any], sentence: str) -> None:
    assert shown(noted)["sentences"][0] == sentence


@pytest.mark.parametrize(
    ("away", "sentence"),
    [
        (1, "1 roll of 3 nodes, no two nodes down together."),
        (2, "1 roll of 3 nodes, up to 2 nodes down together."),
        (None, "1 roll of 3 nodes."),
    ],
)
def test_nodes_that_were_down_together_are_not_kept_back(away: Any, sentence: str) -> None:
    noted = rotation(log=[roll("trust", "b", away=away)], last=seen([ca()], nodes("b")))
    assert shown(noted)["sentences"][0] == sentence


def test_the_rounds_of_a_finished_run_stand_beside_the_planned_rounds(golden: GoldenFiles) -> None:
    """How many there were, how many nodes each had, and how many were planned; and each of them in a line."""
    roll_in_rounds = step(
        6.0, [action("restart", f"Pod {one['name']}", "trust", round=number) for number, one in zip((1, 1, 2), nodes("b"), strict=True)], nodes("b"),
    )  # fmt: skip
    first = {**before(), "plan": PLANNED["plan"], "planned_rounds": 3}
    view = shown(rotation(first=first, log=[roll_in_rounds], last=seen([ca()], nodes("b"))))
    told = [view["sentences"][0], *map(" ".join, view["figures"]), *view["rounds"]]
    golden.compare("report_parts", golden.test, "\n".join(told))
    for planned in (3, 0):
        one = shown(rotation(first={**first, "planned_rounds": planned}, log=[roll_in_rounds]))
        assert ("(3 planned)" in " ".join(one["sentences"])) is bool(planned)


def test_a_run_without_changes_says_so(golden: GoldenFiles) -> None:
    golden.compare("report_parts", golden.test, "\n".join(shown(idle())["sentences"]))
    assert shown(idle())["pictures"][0]["moment"] == "now"


def test_in_check_mode_the_plan_is_told_and_nothing_as_done(golden: GoldenFiles) -> None:
    view = shown([PLANNED], check_mode=True)
    golden.compare("report_parts", golden.test, "\n".join([view["sentences"][0], *map(" ".join, view["figures"])]))
    assert view["phases"] == []
    done = [line for line in view["lines"] if not line.startswith("Carry this plan out with: ")]
    assert not any("write" in line for line in done)


def test_violations_of_many_nodes_are_one_row() -> None:
    (violation,) = held()["violations"]
    many = [{**violation, "subject": f"pod demo-kafka-{number}"} for number in range(500)]
    view = shown([held(violations=[*many, {**violation, "message": "is not Ready."}])])
    assert [(row["subject"], row["message"], len(row["others"])) for row in view["violations"]] == [
        ("pod demo-kafka-0", "is held.", 499),
        ("pod demo-kafka-0", "is not Ready.", 0),
    ]
    assert view["violations"][0]["more"] == "499 more like this"
    assert any(line.endswith("pod demo-kafka-4 and 495 more: is held. Let it go.") for line in view["lines"])


def test_the_rounds_of_a_plan_are_counted_and_listed(golden: GoldenFiles) -> None:
    """A plan in which each node restarts alone has no figure of rounds."""
    whats = ["2 nodes at once (a, b): all that are left of their rack", "1 node at once (c): no other node is left"]
    rounds = [{"nodes": [], "bound": "rack", "topics": [], "what": what} for what in whats]
    roll = planned_step("restart 3 pods", does="restart", restarts=["a", "b", "c"], rounds=rounds)
    view = shown([{**PLANNED, "plan": [roll], "planned_rounds": 2}], check_mode=True)
    golden.compare("report_parts", golden.test, "\n".join([view["sentences"][0], *map(" ".join, view["figures"])]))
    assert view["plan"][0]["rounds"] == [f"Round {number}: {what}" for number, what in enumerate(whats, 1)]


def test_a_plan_ends_with_the_command_that_carries_it_out(golden: GoldenFiles) -> None:
    """Values that a shell would take apart, or that may be secret, are no part of it."""
    given = {
        "strimzi_client_grace": 300,
        "strimzi_issuer": {"token": "s3cret"},
        "strimzi_context": "",
        "strimzi_retire": "$(reboot)",
    }
    (found, beside) = shown([PLANNED], check_mode=True, given=given)["lines"][-2:]
    golden.compare("report_parts", golden.test, f"{found}\n{beside}")


def test_a_certificate_that_ends_before_twice_the_time_of_the_plan_is_named(golden: GoldenFiles) -> None:
    lasting = {**PLANNED, "planned_lives": PLANNED["planned_lives"][:1]}
    sentences = [shown([one], check_mode=True)["sentences"][2] for one in (PLANNED, lasting)]
    golden.compare("report_parts", golden.test, "\n".join(sentences))


def test_the_plan_names_the_clients_outside_that_have_to_read_something(golden: GoldenFiles) -> None:
    (reader,) = shown([PLANNED], check_mode=True)["readers"]
    assert (reader["clients"], reader["number"]) == (["KafkaConnect kafka/c"], 1)
    golden.compare_said("report_parts", f"{reader['what']}: {reader['takes']}")


def test_figures_count_in_the_singular_too(golden: GoldenFiles) -> None:
    noted = rotation(log=[step(1.0, preparation()["actions"])], first=seen([], []), last=seen([], nodes("a", [0])))
    golden.compare("report_parts", golden.test, "\n".join(map(" ".join, shown(noted)["figures"])))


@pytest.mark.parametrize(
    ("left", "text"),
    [
        ("2026-06-01T12:01:06Z", "0 days left"),
        ("2026-06-02T12:01:06Z", "1 day left"),
        ("2026-05-30T13:00:00Z", "expired 2 days ago"),
    ],
)
def test_days(left: str, text: str) -> None:
    assert shown(rotation(last=seen([ca(NEW, not_after=left)], [])))["cas"][-1]["days"] == text


@pytest.mark.parametrize(
    ("since", "text"),
    [
        ("2026-06-01T12:01:06Z", "clients that have read it since 2026-06-01 12:01:06 UTC are led on to the next CA"),
        (None, ""),
    ],
)
def test_clients_that_the_ca_in_use_leads_on(since: str | None, text: str) -> None:
    assert shown(rotation(last=seen([ca(NEW, led_on_since=since)], [])))["cas"][-1]["led_on"] == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.0 s"), (9.94, "9.9 s"), (59.4, "59 s"), (59.9, "1 min 0 s"), (65.0, "1 min 5 s"), (3661.0, "1 h 1 min")],
)
def test_durations(seconds: float, text: str) -> None:
    noted = rotation(log=[step(seconds, preparation()["actions"])])
    assert shown(noted)["phases"][0]["duration"] == text


@pytest.mark.parametrize(
    ("begun", "when"),
    [
        ("2026-06-01T12:00:00Z", "2026-06-01 12:00:00 to 12:01:05 UTC (1 min 5 s, 21 s of it work)"),
        ("2026-05-31T12:00:00Z", "2026-05-31 12:00:00 to 2026-06-01 12:01:05 UTC (24 h 1 min, 21 s of it work)"),
        (None, "until 2026-06-01 12:01:05 UTC"),
    ],
)
def test_when(begun: str | None, when: str) -> None:
    assert shown(rotation(begun=begun))["when"] == when


@pytest.mark.parametrize(
    ("left", "by"),
    [
        ({"pods": ["demo-kafka-0"]}, "a pod"),
        ({"pods": ["demo-kafka-0"], "lingering": ["demo-kafka-1"]}, "a pod"),
        ({"pods": [], "lingering": ["demo-kafka-0"]}, "a Raft client"),
        ({"pods": [], "lingering": []}, "none"),
    ],
)
def test_a_ca_tells_its_states_before_and_after(left: dict[str, list[str]], by: str, golden: GoldenFiles) -> None:
    removed = {**ca(), **left}
    old, new = shown(rotation(last=seen([ca(NEW)], nodes("d"), removed=[removed])))["cas"]
    states = (f"{one['before']} -> {one['after']}" for one in (old, new))
    golden.compare_said("report_parts", "\n".join(states), f"trusted by {by}")
    assert (old["letter"], new["letter"]) == ("A", "B")


def test_of_many_pods_only_the_number_is_told() -> None:
    trust = shown()["phases"][1]
    assert trust["restarted"] == ["3 Kafka nodes"]
    assert trust["restarts"] == ["demo-kafka-0 2.0 s", "demo-kafka-1 2.0 s", "demo-kafka-2 2.0 s"]


def test_the_lines_for_a_terminal_tell_what_holds_the_flow_and_what_to_do(golden: GoldenFiles) -> None:
    lines = shown([before(), held()])["lines"]
    golden.compare_said("report_parts", "\n".join([lines[0], *lines[-2:]]))


def test_a_failure_without_violations_is_told_in_the_terminal_too() -> None:
    assert "no answer" in shown([before(), {"failed": True, "msg": "no answer"}])["lines"]


def test_work_after_the_requested_phase_is_left() -> None:
    noted = rotation(last=seen([ca()], nodes("d"), pending=["use: promote"]))
    assert shown(noted)["remainders"][0] == "Left: use: promote"


# How a flow ended, whatever it ended with: done, held, failed before anything was seen, in check mode.


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


def test_an_overcome_violation_is_not_reported() -> None:
    violations = held()["violations"]
    assert facts(rotation(first={**before(), "violations": violations}))["violations"] == []


def test_actions_of_a_failed_call_are_counted() -> None:
    done = [action("update", "Kafka demo", "trust"), action("restart", "Pod demo-kafka-0", "trust", 2.0)]
    found = facts([before(), held(actions=done, transitions=[], seconds=4.0, pods=nodes("b"))])
    assert (found["writes"], found["restarts"], found["rolls"], found["worked_seconds"]) == (1, 3, 1, 4.0)
    assert found["steps"][-1]["actions"] == done


def test_a_flow_that_saw_nothing_is_told_with_the_names_it_was_given(golden: GoldenFiles) -> None:
    found = report([NO_ANSWER], goal="renew", now=NOW, cluster="demo", namespace="kafka")
    assert found["cluster"] == {"name": "demo", "namespace": "kafka"}
    assert (found["pods"], found["cas"], found["phases"], found["failure"]) == ([], [], [], "no answer")
    golden.compare_said("report_parts", report_view(found)["title"])


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


def test_another_ca_than_those_of_a_cluster_is_refused(golden: GoldenFiles) -> None:
    with pytest.raises(AnsibleFilterError) as refused:
        report([NO_ANSWER], goal="renew", now=NOW, ca="client")
    golden.compare_said("report_parts", refused.value)


def test_a_plan_is_told_with_what_it_takes_and_what_would_hold_it(golden: GoldenFiles) -> None:
    found = facts([{**PLANNED, "violations": held()["violations"]}], check_mode=True)
    assert (found["planned_rolls"], found["planned_restarts"], len(found["plan"])) == (1, 3, 2)
    assert [one["pod"] for one in found["unheard"]] == ["demo-kafka-1"]
    (unheard,) = (one for one in report_view(found)["sentences"] if one.startswith("demo-kafka-1"))
    golden.compare_said("report_parts", unheard)
    assert (found["result"], [one["gate"] for one in found["violations"]]) == ("planned", ["trust"])


def test_nothing_is_done_in_check_mode_whatever_the_calls_would_do() -> None:
    would = step(1.0, [action("update", "Kafka demo", "trust")], nodes("a"))
    found = facts([{**PLANNED, "actions": would["actions"]}], check_mode=True)
    assert (found["writes"], found["steps"], found["phases"]) == (0, [], [])


def test_the_run_began_with_its_first_call() -> None:
    late = {"began_at": "2026-06-01T12:00:30Z"}
    assert facts(rotation(**late))["started_at"] == "2026-06-01T12:00:00Z"
    assert facts(rotation(begun=None, **late))["started_at"] == late["began_at"]


def test_the_last_entry_of_the_audit_trail_is_a_proof_of_the_run() -> None:
    first, last = (
        {"object": "ConfigMap kafka/demo-cluster-ca-audit", "entry": number, "sha256": f"{number:064}"}
        for number in (7, 9)
    )
    calls = rotation()
    found = facts([{**calls[0], "audit": first}, {**calls[1], "audit": last}, *calls[2:]])
    assert found["audit"] == last
    assert last["sha256"] in report_view(found)["sentences"][-1]
    assert facts()["audit"] is None


def test_waiting_sentences_are_remainders() -> None:
    found = facts(rotation(waiting=[WAITING]))
    assert found["waiting"] == [WAITING]
    assert report_view(found)["remainders"] == [WAITING]


@pytest.mark.parametrize("calls", [rotation(), [NO_ANSWER], [PLANNED]])
def test_every_key_of_the_report_is_documented(calls: list[dict[str, Any]]) -> None:
    described = yaml.safe_load(documented.RETURN)["_value"]["contains"]
    found = facts(calls)
    assert set(found) == set(described)
    assert found["schema"] == described["schema"]["sample"] == SCHEMA
    for phase in found["phases"]:
        assert set(phase) == set(described["phases"]["contains"])
    for channel in found["channels"]:
        assert set(channel) == set(described["channels"]["contains"])


@pytest.mark.parametrize("calls", ["text", None, {}, {"goal": "renew"}, ["text"], [[]]])
def test_input_that_is_no_list_of_results_is_refused(calls: Any, golden: GoldenFiles) -> None:
    with pytest.raises(AnsibleFilterError) as refused:
        report(calls, goal="renew")
    golden.compare_said("report_parts", refused.value)


@pytest.mark.parametrize("given", ["text", None, [], {}, rotation()])
def test_the_view_wants_facts(given: Any) -> None:
    with pytest.raises(AnsibleFilterError, match=r"what trustops\.strimzi\.report returned"):
        report_view(given)


def test_a_time_that_is_none_is_refused(golden: GoldenFiles) -> None:
    with pytest.raises(AnsibleFilterError) as refused:
        report(rotation(), goal="renew", now="tomorrow")
    golden.compare("report_parts", golden.test, str(refused.value))


def test_days_count_from_the_current_time_where_no_other_is_given() -> None:
    days = [
        [ca["days_left"] for ca in report(rotation(), goal="renew", now=now)["cas"]]
        for now in (None, datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "2020-01-01T00:00:00Z")
    ]
    assert days[0] == days[1] != days[2]
