# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a call tells all that it has done, however the call ends: after a conflict, a failure, or a roll that stops."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.filter.report import report
from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from ...support.memory_api import Response
from ...support.memory_cluster import MemoryCluster
from . import stages
from .running import Ended, call
from .uses import USES, Use

NODES = ["demo-kafka-0", "demo-kafka-1", "demo-kafka-2"]
WRITES = ("create", "update", "delete")
_RANDOM = re.compile(r"-[0-9a-f]{10}-[0-9a-f]{5}$")


def written(ended: Ended) -> list[str]:
    """The names of the objects that were sent, a created one without."""
    return [write.split("/")[-1] if "/" in write else "" for write in ended.writes_but_lease]


def told(ended: Ended) -> list[str]:
    """The names of the objects in the result, a created one without."""
    actions = [action for action in ended.result["actions"] if action["verb"] in WRITES]
    return ["" if one["verb"] == "create" else _RANDOM.sub("", one["object"].split("/")[-1]) for one in actions]


def assert_truthful(ended: Ended) -> None:
    changes = [action["object"] for action in ended.result["actions"] if action["verb"] != "wait"]
    assert [entry["after_header"] for entry in ended.result["diff"]] == changes
    assert ended.result["changed"] is bool(changes)
    assert told(ended) == written(ended)


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
def test_after_a_conflict(use: Use, position: int) -> None:
    """A flow is decided again; the other modules fail."""
    ended = call(use.module, use.start(), answer=refusing(position, 409, "Conflict"), **use.options)
    assert ended.failed is (use.what in ("restarts for a reason", "pauses", "resumes"))
    assert_truthful(ended)


@pytest.mark.parametrize(("use", "position"), REFUSED, ids=str)
def test_after_a_refusal(use: Use, position: int) -> None:
    ended = call(use.module, use.start(), answer=refusing(position, 403, "Forbidden"), **use.options)
    assert (ended.failed, ended.result["changed"]) == (True, position > 0)
    assert_truthful(ended)


def test_before_anything_was_done() -> None:
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


def test_without_diff_there_is_none() -> None:
    memory = stages.taken_up()
    memory.operator_runs = False
    assert "diff" not in call("strimzi_ca", memory, state="promoted", operator_timeout=1, diff=False).result


def test_when_a_roll_stops() -> None:
    memory = stages.unlinked()
    memory.kubelet.broken.add("demo-kafka-0")
    ended = call("strimzi_trusted_certs", memory, pod_timeout=1)
    assert ended.failed
    restarted = [one["object"] for one in ended.result["actions"] if one["verb"] == "restart"]
    assert sorted(restarted) == [f"Pod kafka/{name}" for name in NODES[1:]]
    assert all(one["seconds"] is not None for one in ended.result["actions"] if one["verb"] == "restart")
    assert_truthful(ended)


def test_the_report_has_what_a_call_did_before_it_failed() -> None:
    memory = stages.unlinked()
    before = call("strimzi_ca_info", memory)
    memory.kubelet.broken.add("demo-kafka-0")
    ended = call("strimzi_trusted_certs", memory, pod_timeout=1)
    found = report([before.result, ended.result], goal="replace_key")
    assert (found["result"], found["writes"], found["restarts"]) == ("failed", len(ended.writes_but_lease), 2)
    assert sorted(one["pod"] for phase in found["phases"] for one in phase["restarts"]) == NODES[1:]
    assert report_view(found)["result"] == "Failed"
