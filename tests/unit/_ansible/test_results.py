# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of modules: a plan in lines for a person, and the answers of listeners."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_listeners, failure_text
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Violation
from ansible_collections.trustops.strimzi.plugins.modules.strimzi_ca_info import plan_lines

from ...tools.support.golden import GoldenFiles
from .._trust.authorities import NEW, OLD, name_of
from .._trust.builders import answering, cluster
from .._trust.nodes import PODS
from .._trust.of_users import STAGES

STEPS = [
    {"phase": "prepare", "what": "make it", "restarts": [], "rounds": []},
    {"phase": "use", "what": "use it", "restarts": ["a", "b"], "rounds": []},
]
IN_ROUNDS = [{**STEPS[1], "restarts": ["a", "b", "c"], "rounds": [{"what": "2 nodes at once (a, b)"}, {"what": "1 node at once (c)"}]}]  # fmt: skip
VIOLATION = {"gate": "trust", "subject": "pod a", "message": "is held.", "remedy": "Let it go.", "command": ""}
#: The line of a plan about it, without the remedy.
HELD = f"{VIOLATION['subject']}: {VIOLATION['message']}"


def planned(steps: list[dict[str, Any]], **changed: Any) -> dict[str, Any]:
    return {
        "plan": steps,
        "planned_phases": [step["phase"] for step in steps],
        "planned_rolls": len(steps) // 2,
        "planned_rounds": sum(len(step["rounds"]) for step in steps),
        "planned_restarts": sum(len(step["restarts"]) for step in steps),
        "planned_seconds": None,
        "planned_from": {"heard": [], "unheard": []},
        "choices": [],
        "waiting": [],
        "pending": [],
        "violations": [],
        **changed,
    }


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (planned([]), "renew: nothing to do"),
        (planned([], pending=["use it"]), "renew: nothing to do up to the phase after which this run ends. Left: use it"),
        (planned([], violations=[VIOLATION], pending=["use it"]), "renew: no step is possible now"),
        (planned([], violations=[VIOLATION]), "renew: no step is possible now"),
        (planned(STEPS), "renew: 2 steps (prepare, use), 1 roll of the Kafka nodes, 2 restarts in all"),
        (
            planned(STEPS, planned_seconds={"least": 99, "most": 421}),
            "renew: 2 steps (prepare, use), 1 roll of the Kafka nodes, 2 restarts in all, 99 s to 8 min",
        ),
        (
            planned(STEPS, planned_seconds={"least": 120, "most": None}),
            "renew: 2 steps (prepare, use), 1 roll of the Kafka nodes, 2 restarts in all, 2 min or more",
        ),
        (
            planned(STEPS, planned_from={"heard": ["a", "c"], "unheard": [{"pod": "b", "worker": "", "reason": "timed out"}]}),
            "renew: 2 steps (prepare, use), 1 roll of the Kafka nodes, 2 restarts in all; b has yet to answer, and 2 did",
        ),
        (planned(IN_ROUNDS, planned_rolls=1), "renew: 1 step (use), 1 roll of the Kafka nodes in 2 rounds, 3 restarts in all"),
        (planned(STEPS[:1]), "renew: 1 step (prepare), 0 rolls of the Kafka nodes, 0 restarts in all"),
        (planned([*STEPS, *STEPS]), "renew: 4 steps (prepare, use, prepare, use), 2 rolls of the Kafka nodes, 4 restarts in all"),
    ],
)  # fmt: skip
def test_the_first_line_says_what_it_takes(given: dict[str, Any], line: str) -> None:
    assert plan_lines(given, "renew", check_mode=False)[0] == line


def test_each_round_of_a_roll_is_a_line_in_the_place_of_the_names(golden: GoldenFiles) -> None:
    golden.compare_said("calls", "\n".join(plan_lines(planned(IN_ROUNDS), "renew", check_mode=True)[1:]))


@pytest.mark.parametrize("check_mode", [False, True])
def test_violations_of_many_nodes_are_one_line(check_mode: bool) -> None:
    many = [{**VIOLATION, "subject": f"pod n-{number}"} for number in range(9)]
    *_summary, line = plan_lines(planned([], violations=many), "renew", check_mode=check_mode)
    remedy = " Let it go." if check_mode else ""
    assert line == f"pod n-0, pod n-1, pod n-2, pod n-3, pod n-4 and 4 more: is held.{remedy}"
    assert len(_summary) == 1


def test_a_failure_names_many_nodes_in_one_entry() -> None:
    many = [Violation(Condition.TRUST, f"pod n-{number}", "is held.", "Let it go.") for number in range(9)]
    other = Violation(Condition.TRUST, "Secret kafka/s", "is old.", "Renew it.")
    assert failure_text((*many, other), cluster()) == (
        "Kafka cluster kafka/demo: 10 things are in the way. "
        "1. pod n-0, pod n-1, pod n-2, pod n-3, pod n-4 and 4 more: is held. Let it go. "
        "2. Secret kafka/s: is old. Renew it."
    )


def test_why_a_flow_that_is_asked_for_is_not_begun(golden: GoldenFiles) -> None:
    (line,) = plan_lines(planned([]), "renew", check_mode=False, answered="it is done")
    golden.compare_said("calls", line)
    left = planned([], pending=["use it"])
    assert plan_lines(left, "renew", False, "it is done") == plan_lines(left, "renew", False)


def test_a_plan_without_steps_names_the_awaited_events() -> None:
    assert plan_lines(planned([], waiting=["A CA waits."]), "reconcile", check_mode=False)[1:] == ["A CA waits."]
    held = planned([], waiting=["A CA waits."], violations=[VIOLATION])
    assert plan_lines(held, "reconcile", check_mode=False)[1:] == [HELD]


def test_a_plan_without_steps_says_what_is_in_the_way_and_as_the_last_word_also_what_helps() -> None:
    held = planned([], violations=[VIOLATION])
    assert plan_lines(held, "renew", check_mode=False)[1:] == [HELD]
    assert plan_lines(held, "renew", check_mode=True)[1:] == [f"{HELD} {VIOLATION['remedy']}"]
    causes = [{**VIOLATION, "message": f"is held for reason {number}."} for number in range(30)]
    lines = plan_lines(planned([], violations=causes), "renew", check_mode=False)
    assert (len(lines), "10 more causes" in lines[-1]) == (22, True)


def test_all_of_it_follows_in_check_mode_only_because_no_step_will(golden: GoldenFiles) -> None:
    given = planned(STEPS, choices=["Because."], waiting=["a keeps it"], violations=[VIOLATION])
    assert plan_lines(given, "renew", check_mode=False)[1:] == []
    golden.compare_said("calls", "\n".join(plan_lines(given, "renew", check_mode=True)[1:]))


# The answers of listeners, as results of modules.


def test_without_asked_listeners_none_are_described() -> None:
    assert describe_listeners(None) == []


def test_listeners_of_the_cluster_ca_name_issuers_and_trust() -> None:
    found = describe_listeners(answering(cluster(), accepting=[name_of(OLD)]))
    assert [(one["pod"], one["issuers"], one["trusts"], one["why"]) for one in found] == [
        (name, [label_of_old()], [label_of_old()], []) for name in PODS
    ]


def test_under_the_clients_ca_no_listener_presents_a_certificate() -> None:
    """Brokers present certificates of another CA there."""
    found = describe_listeners(answering(STAGES["trusted"], accepting=[name_of(OLD)], refusing=[name_of(NEW)]))
    assert [(one["issuers"], one["trusts"], len(one["refuses"]), one["why"]) for one in found] == [
        ([], [label_of_old()], 1, []) for _name in PODS
    ]


def label_of_old() -> str:
    return f"cluster-ca v0 ({OLD.certificate.sha256[:12]})"
