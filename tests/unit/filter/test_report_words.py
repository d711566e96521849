# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts in words: sentences, figures, times."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from .runs import NEW, PLANNED, before, ca, facts, held, idle, nodes, preparation, roll, rotation, seen, step

EXPIRY = "cluster-ca b (bbbbbbbbbbbb) issues certificates and is valid until 2026-07-01 (30 days left)."


def shown(noted: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    return report_view(facts(noted, **options))


def removed(*pods: str, number: int = 1) -> dict[str, Any]:
    gone = [{**ca(letter * 64), "pods": list(pods)} for letter in "ac"[:number]]
    return rotation(last=seen([ca(NEW)], nodes("d"), removed=gone))


def test_the_most_important_sentence_comes_first() -> None:
    assert shown()["sentences"] == [
        "0 pods trust the removed CA cluster-ca a (aaaaaaaaaaaa), by stored evidence: no listener was asked about it.",
        "3 rolls of 3 nodes, no two nodes down together.",
        "4 writes and 9 restarts of pods.",
        EXPIRY,
    ]


@pytest.mark.parametrize(
    ("noted", "sentence"),
    [
        (removed("x"), "1 pod trusts the removed CA cluster-ca a (aaaaaaaaaaaa)."),
        (removed("x", "y"), "2 pods trust the removed CA cluster-ca a (aaaaaaaaaaaa)."),
        (
            removed(number=2),
            "0 pods trust the removed CAs cluster-ca a (aaaaaaaaaaaa) and cluster-ca c (cccccccccccc), by stored evidence: no listener was asked about them.",
        ),
    ],
)
def test_who_still_trusts_what_is_gone(noted: dict[str, Any], sentence: str) -> None:
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


def test_nothing_was_done() -> None:
    assert shown(idle())["sentences"] == ["Nothing was written and nothing was restarted.", EXPIRY]
    assert shown(idle())["pictures"][0]["moment"] == "now"


def test_in_check_mode_the_plan_is_told_and_nothing_as_done() -> None:
    view = shown([PLANNED], check_mode=True)
    assert view["sentences"][0] == "1 step planned with 1 roll of 3 nodes and 3 restarts of pods in all."
    assert ("1", "planned roll of 3 Kafka nodes") in view["figures"]
    assert view["phases"] == []
    assert not any("write" in line for line in view["lines"])


def test_figures_count_in_the_singular_too() -> None:
    noted = rotation(log=[step(1.0, preparation()["actions"])], first=seen([], []), last=seen([], nodes("a", [0])))
    assert shown(noted)["figures"] == [
        ("0", "rolls of 1 Kafka node"), ("0", "restarts of pods"), ("1", "write"), ("1 min 5 s", "from start to end"),
    ]  # fmt: skip


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
def test_whom_the_ca_in_use_leads_on(since: str | None, text: str) -> None:
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
    ("left", "after"),
    [
        ({"pods": ["demo-kafka-0"]}, "removed, still trusted by 1 pod"),
        ({"pods": ["demo-kafka-0"], "lingering": ["demo-kafka-1"]}, "removed, still trusted by 1 pod"),
        ({"pods": [], "lingering": ["demo-kafka-0"]}, "removed, trusted by no listener"),
        ({"pods": [], "lingering": []}, "removed, trusted by no pod"),
    ],
)
def test_a_ca_tells_its_states_before_and_after(left: dict[str, list[str]], after: str) -> None:
    removed = {**ca(), **left}
    old, new = shown(rotation(last=seen([ca(NEW)], nodes("d"), removed=[removed])))["cas"]
    assert (old["before"], old["after"]) == ("TRUSTED_IN_USE_ALL, issuing", after)
    assert (new["before"], new["after"]) == ("not there yet", "TRUSTED_IN_USE_ALL, issuing")
    assert (old["letter"], new["letter"]) == ("A", "B")


def test_of_many_pods_only_the_number_is_told() -> None:
    trust = shown()["phases"][1]
    assert trust["restarted"] == ["3 Kafka nodes"]
    assert trust["restarts"] == ["demo-kafka-0 2.0 s", "demo-kafka-1 2.0 s", "demo-kafka-2 2.0 s"]


def test_the_lines_for_a_terminal_tell_what_holds_the_flow_and_what_to_do() -> None:
    lines = shown([before(), held()])["lines"]
    assert lines[0] == "Replacement of the cluster CA's key: kafka/demo: ✗ Held: something is in the way"
    assert lines[-2:] == [
        "pod demo-kafka-0: is held. Let it go.",
        "Run the same playbook again to continue; what was done is not done again.",
    ]


def test_a_failure_without_violations_is_told_in_the_terminal_too() -> None:
    assert "no answer" in shown([before(), {"failed": True, "msg": "no answer"}])["lines"]


def test_what_is_left_after_the_phase_that_was_asked_for() -> None:
    noted = rotation(last=seen([ca()], nodes("d"), pending=["use: promote"]))
    assert shown(noted)["remainders"][0] == "Left: use: promote"
