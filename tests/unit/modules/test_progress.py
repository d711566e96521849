# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module tells what it does while it happens, and in its result however the call ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.filter.report import report
from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from ...tools.support.certificates import key, make
from ...tools.support.golden import GoldenFiles, without_chance
from ...tools.support.memory_api import Response
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from . import stages
from .leaks import keys_of, leaks
from .running import Ended, call, shown_lines
from .uses import USES, Use

_NAMES = re.compile(r" \([0-9a-f]{12}\)|-\w{10}-\w{5}| after \d+\.\d s")


#: The time that is left depends on how fast the machine is.
_LEFT = re.compile(r"clients get \d+ s")
OLD, NEW = (f"CN=cluster-ca v{number},O=io.strimzi" for number in (0, 1))


def told(memory: MemoryCluster, folder: Path, module: str, **options: Any) -> list[str]:
    """The lines of one call, without fingerprints, random names and times. Nothing secret is in them."""
    return told_by(memory, folder, module, **options)[0]


def told_by(memory: MemoryCluster, folder: Path, module: str, **options: Any) -> tuple[list[str], Ended]:
    """The lines of one call as ``told`` has them, and its end."""
    file = folder / "progress"
    file.write_text("")
    ended = call(module, memory, progress_file=str(file), **options)
    assert not ended.failed, ended.result["msg"]
    text = file.read_text()
    assert leaks(text, keys_of(memory)) == []
    lines = (_NAMES.sub("", line) for line in shown_lines(file))
    return [_LEFT.sub("clients get their time", line) for line in lines], ended


def rolled(kind: str, *pods: str, before: int = 0, planned: int | None = None) -> list[str]:
    return [
        f"restart {number} of {planned or len(pods)}: {pod} ({kind} roll), Ready"
        for number, pod in enumerate(pods, before + 1)
    ]


NODES = ("demo-kafka-0", "demo-kafka-2", "demo-kafka-1")
OTHERS = ("demo-cruise-control", "demo-entity-operator", "demo-kafka-exporter")
#: The tasks of a replacement.
TASKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("strimzi_ca", stages.PREPARED), ("strimzi_ee_cert", {}), ("strimzi_roll", {}), ("strimzi_ca", {"state": "promoted"}),
    ("strimzi_trusted_certs", {"state": "retired"}),
)  # fmt: skip


def test_tasks_that_hand_no_count_on_number_their_own_restarts(
    tmp_path: Path, reading: Callable[[MemoryCluster], ReloadingNodes], golden: GoldenFiles
) -> None:
    """By itself the last task has asked no node yet whether it can read again."""
    memory, lines = stages.managed(), list[str]()
    reading(memory)
    for module, options in TASKS:
        lines += told(memory, tmp_path, module, **options)
    golden.compare("console", "replace_key, each task by itself", without_chance("\n".join(lines)))


def restarts_of_play(
    memory: MemoryCluster, folder: Path, before_roll: Callable[[], object] = lambda: None
) -> tuple[list[str], int]:
    """The lines about restarts of all tasks, and the number of planned restarts, all of which have to be done. Each task
    gets the count of the task before; the operator restarts pods by itself before the last task.
    """
    count = call("strimzi_ca_info", memory, goal="replace_key").result["restart_count"]
    planned, lines = sum(count["planned"].values()), list[str]()
    for module, options in TASKS:
        if module == "strimzi_roll":
            before_roll()
        if module == "strimzi_trusted_certs":
            memory.settle(2)
        shown, ended = told_by(memory, folder, module, restart_count=count, **options)
        lines, count = [*lines, *shown], ended.result["restart_count"]
    assert count["done"] == count["planned"]
    return [line for line in lines if line.startswith("restart ") and ": " in line], planned


def test_the_tasks_of_a_play_number_restarts_to_the_plan(
    tmp_path: Path, reading: Callable[[MemoryCluster], ReloadingNodes]
) -> None:
    memory = stages.managed()
    reading(memory)
    restarts, planned = restarts_of_play(memory, tmp_path)
    assert restarts == [
        *rolled("use", *NODES, *OTHERS, planned=planned),
        *(f"restart {number} of {planned}: {pod}, now {pod}" for number, pod in enumerate(OTHERS, 7)),
    ]


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("is_gone", [False, True], ids=["not ready", "gone"])
@pytest.mark.parametrize("node", NODES)
def test_restarts_that_the_operator_begins_between_two_tasks_are_those_of_the_plan(
    tmp_path: Path, reading: Callable[[MemoryCluster], ReloadingNodes], reads: bool, is_gone: bool, node: str
) -> None:
    """When the next task begins, the operator waits for this node, and has restarted the nodes before it."""
    memory = stages.managed()
    if reads:
        reading(memory)

    def begin_restarts() -> None:
        memory.kubelet.broken.add(node)
        memory.step()
        if is_gone:
            memory.api.request("DELETE", f"/api/v1/namespaces/kafka/pods/{node}")
        memory.kubelet.broken.clear()

    restarts, planned = restarts_of_play(memory, tmp_path, begin_restarts)
    assert [line.split(":")[0] for line in restarts] == [
        f"restart {number} of {planned}" for number in range(1, planned + 1)
    ]


REFUSED_COUNTS: list[dict[str, Any]] = [
    {"planned": 3},
    {"planned": {"a": "x"}},
    {"pods": {"a": 1}},
    {"in_place_obstacles": {"colour": "red"}},
    {"in_place_obstacles": "none"},
]


@pytest.mark.parametrize("changed", REFUSED_COUNTS, ids=str)
def test_another_count_is_refused(changed: dict[str, Any]) -> None:
    given = {"planned": {}, "done": {}, "pods": {}, "in_place_obstacles": None, **changed}
    ended = call("strimzi_ca", stages.managed(), state="renewed", restart_count=given)
    assert (ended.failed, ended.result["msg"].startswith("restart_count:")) == (True, True)


def test_restarts_for_a_reason_begin_with_it(tmp_path: Path, golden: GoldenFiles) -> None:
    lines = told(stages.managed(), tmp_path, "strimzi_roll", reason="a new kernel")
    golden.compare("console", "restarts for a reason", without_chance("\n".join(lines)))


def test_the_plan_is_told_before_a_flow_and_every_step_of_it_in_check_mode(tmp_path: Path) -> None:
    (line,) = told(stages.managed(), tmp_path, "strimzi_ca_info", goal="renew", fresh_for_hours=0)
    every = told(stages.managed(), tmp_path, "strimzi_ca_info", goal="renew", fresh_for_hours=0, check=True)
    planned = call("strimzi_ca_info", stages.managed(), goal="renew", fresh_for_hours=0).result
    assert (every[0], len(every)) == (line, 1 + len(planned["choices"]) + len(planned["plan"]) + 1)


def test_check_mode_of_a_module_that_would_write_prints_no_progress(tmp_path: Path) -> None:
    assert told(stages.issued(), tmp_path, "strimzi_roll", check=True) == []


def test_name_of_a_ca_commands_no_terminal(tmp_path: Path) -> None:
    begin = datetime.now(timezone.utc) - timedelta(days=1)
    theirs = make("the\x1b[2Jirs\n\u202e", key(1), begin=begin, end=begin + timedelta(days=365))
    lines = told(
        stages.managed(), tmp_path, "strimzi_ca", **stages.PREPARED,
        certificate=theirs.certificate.pem.decode(), private_key=key(1).reveal().decode(),
    )  # fmt: skip
    name = "CN=the\\1B[2Jirs\\0A\\E2\\80\\AE,O=io.strimzi"
    assert [name in line for line in lines[1:]] == [True]


def test_a_line_that_cannot_be_written_stops_no_flow(tmp_path: Path) -> None:
    """With become, the file may be of a user whose files the module must not write to; and disks are full at times."""
    memory = stages.managed()
    ended = call("strimzi_ca", memory, progress_file=str(tmp_path), **stages.PREPARED)
    assert not ended.failed, ended.result["msg"]


# The result of a call tells all that it has done, however the call ends: after a conflict, a failure, or a roll that stops.

ROLLED = ["demo-kafka-0", "demo-kafka-1", "demo-kafka-2"]
WRITES = ("create", "update", "delete")
_RANDOM = re.compile(r"-[0-9a-f]{10}-[0-9a-f]{5}$")


def written(ended: Ended) -> list[str]:
    """The names of the objects that were sent, a created one without."""
    return [write.split("/")[-1] if "/" in write else "" for write in ended.writes_but_lease]


def told_of(ended: Ended) -> list[str]:
    """The names of the objects in the result, a created one without."""
    actions = [action for action in ended.result["actions"] if action["verb"] in WRITES]
    return ["" if one["verb"] == "create" else _RANDOM.sub("", one["object"].split("/")[-1]) for one in actions]


def assert_truthful(ended: Ended) -> None:
    changes = [action["object"] for action in ended.result["actions"] if action["verb"] != "wait"]
    assert [entry["after_header"] for entry in ended.result["diff"]] == changes
    assert ended.result["changed"] is bool(changes)
    assert told_of(ended) == written(ended)


def refusing(position: int, code: int, reason: str) -> Callable[[str, str], Response | None]:
    """The write at this position is refused, once."""
    left = [position]

    def answer(method: str, path: str) -> Response | None:
        if method == "GET" or "leases" in path or "reviews" in path or "events" in path:
            return None
        left[0] -= 1
        return (
            Response(code, {"kind": "Status", "code": code, "reason": reason, "message": "x"})
            if left[0] == -1
            else None
        )

    return answer


REFUSED = [(use, position) for use in USES if use.leased for position in (0, 1, 2, 4) if position < len(use.writes)]


@pytest.mark.parametrize(("use", "position"), REFUSED, ids=str)
def test_a_conflict_leaves_truthful_results(use: Use, position: int) -> None:
    """Each module looks at the cluster again, and decides again."""
    ended = call(use.module, use.start(), answer=refusing(position, 409, "Conflict"), **use.options)
    assert not ended.failed, ended.result["msg"]
    assert_truthful(ended)


@pytest.mark.parametrize(("use", "position"), REFUSED, ids=str)
def test_a_refused_write_leaves_truthful_results(use: Use, position: int) -> None:
    ended = call(use.module, use.start(), answer=refusing(position, 403, "Forbidden"), **use.options)
    assert (ended.failed, ended.result["changed"]) == (True, position > 0)
    assert_truthful(ended)


def test_a_failure_before_the_first_write_reports_no_change() -> None:
    memory = MemoryCluster()
    for options in ({"state": "paused"}, {"state": "paused", "operator_timeout": 0}):
        ended = call("strimzi_reconciliation", memory, **options)
        assert (ended.failed, ended.result["changed"], ended.result["actions"]) == (True, False, [])


def test_when_the_operator_does_not_follow() -> None:
    """The result tells the pause as well that the call has taken back since."""
    memory = stages.taken_up()
    memory.operator_runs = False
    ended = call("strimzi_ca", memory, state="promoted", operator_timeout=1)
    assert ended.failed
    assert [one["what"] for one in ended.result["actions"]] == ["pause reconciliation", "resume reconciliation"]
    assert_truthful(ended)


def test_a_failed_call_without_diff_has_no_diff() -> None:
    memory = stages.taken_up()
    memory.operator_runs = False
    assert "diff" not in call("strimzi_ca", memory, state="promoted", operator_timeout=1, diff=False).result


def test_a_roll_that_stops_reports_its_restarts() -> None:
    memory = stages.unlinked()
    memory.kubelet.broken.add("demo-kafka-0")
    ended = call("strimzi_trusted_certs", memory, pod_timeout=1)
    assert ended.failed
    restarted = [one["object"] for one in ended.result["actions"] if one["verb"] == "restart"]
    assert sorted(restarted) == [f"Pod kafka/{name}" for name in ROLLED[1:]]
    assert all(one["seconds"] is not None for one in ended.result["actions"] if one["verb"] == "restart")
    assert_truthful(ended)


def test_the_report_has_what_a_call_did_before_it_failed() -> None:
    memory = stages.unlinked()
    before = call("strimzi_ca_info", memory)
    memory.kubelet.broken.add("demo-kafka-0")
    ended = call("strimzi_trusted_certs", memory, pod_timeout=1)
    found = report([before.result, ended.result], goal="replace_key")
    assert (found["result"], found["writes"], found["restarts"]) == ("failed", len(ended.writes_but_lease), 2)
    assert sorted(one["pod"] for phase in found["phases"] for one in phase["restarts"]) == ROLLED[1:]
    assert report_view(found)["result"] == "Failed"
