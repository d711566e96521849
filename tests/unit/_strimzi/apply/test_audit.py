# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The audit trail: a chain of lines, bounded, that only the verifier's proof can stand for; and entries of several calls at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden, KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.audit import AuditTrail, extend
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action, Target, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Decision,
    Violation,
)

from ....tools.support.audit import digest, lines_of, problems, verifier
from ....tools.support.flows import with_settings, work_on
from ....tools.support.memory_api import Response
from ....tools.support.memory_cluster import MemoryCluster

NAME = "demo-cluster-ca-audit"
entries = st.lists(st.dictionaries(st.sampled_from("abc"), st.text(max_size=9)), min_size=1, max_size=6)


def extended(data: dict[str, str], added: list[dict[str, Any]], most: int = 10_000) -> dict[str, str]:
    """As the API server stores it: a merge patch."""
    patched = {**data, **extend(data, added, most)}
    return {number: line for number, line in patched.items() if line is not None}


def in_order(data: dict[str, str]) -> list[str]:
    return lines_of({"data": data})


@given(entries, entries)
def test_entries_are_one_chain_of_printable_lines(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> None:
    lines = in_order(extended(extended({}, first), second))
    assert [json.loads(line)["entry"] for line in lines] == list(range(1, len(first) + len(second) + 1))
    assert [{**json.loads(line), **added} for line, added in zip(lines, first + second, strict=True)] == [
        json.loads(line) for line in lines
    ]
    assert problems(lines) == []
    assert all(line.isascii() and line.isprintable() for line in lines)


@given(entries, st.data())
def test_no_line_changes_unnoticed(added: list[dict[str, Any]], data: st.DataObject) -> None:
    lines = in_order(extended({}, [{}, *added]))
    place = data.draw(st.integers(0, len(lines) - 1))
    forged = data.draw(
        st.sampled_from([
            [*lines[:place], json.dumps({**json.loads(lines[place]), "forged": True}), *lines[place + 1 :]],
            [*lines[:place], lines[place], *lines[place:]],
            [*lines[: place + 1], json.dumps({"entry": place + 2, "previous": ""}), *lines[place + 1 :]],
            [*lines[: max(place, 1)], *lines[max(place, 1) + 1 :]],
            [*lines[:place], "", *lines[place:]],
        ])
    )  # fmt: skip
    assert list(verifier().problems(forged, digest(lines[-1])))


@given(entries, entries)
def test_the_newest_lines_stay(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> None:
    most = 300
    whole = extended(extended({}, first), second)
    bounded = extended(extended({}, first, most), second, most)
    assert set(bounded) <= set(whole)
    assert in_order(bounded)[-1] == in_order(whole)[-1]
    assert sum(map(len, bounded.values())) <= most or len(bounded) == 1
    assert problems(in_order(bounded)) == []


def test_entries_of_others_stay() -> None:
    data = extended({"note": "x" * 500}, [{}, {}], 1)
    assert sorted(data) == ["00000002", "note"]


@pytest.mark.parametrize(
    ("change", "code"), [(lambda line: line, 0), (lambda line: line.replace("1", "2", 1), 1), (lambda line: "x", 1)]
)
def test_the_script_says_so_by_its_exit_code(
    change: Any, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = in_order(extended({}, [{}, {}, {}]))
    file = tmp_path / "trail.jsonl"
    file.write_text("".join(f"{line}\n" for line in [change(lines[0]), *lines[1:]]))
    assert verifier().main([str(file), digest(lines[-1]).upper()]) == code
    assert str(file) in capsys.readouterr().out
    assert verifier().main([str(file), digest("another")]) == 1
    assert verifier().main([str(file)]) == 2


@pytest.mark.parametrize(
    "line", [b'{"entry":Infinity,"previous":""}', b'{"entry":2,"previous":"\xff"}', b"[]", b"[" * 100_000]
)
def test_the_script_names_a_line_that_nothing_can_read(
    line: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, _second, last = in_order(extended({}, [{}, {}, {}]))
    file = tmp_path / "trail.jsonl"
    file.write_bytes(b"\n".join([first.encode(), line, last.encode()]))
    assert verifier().main([str(file), digest(last)]) == 1
    assert "line 2" in capsys.readouterr().out


# Calls.


def call_on(memory: MemoryCluster, transport: Any = None, number: int = 1) -> tuple[Work, AuditTrail]:
    work = work_on(memory, transport or memory.api, with_settings(holder=f"call-{number}"))
    return work, AuditTrail(work)


def act(work: Work, trail: AuditTrail, what: str) -> None:
    work.record(Action("update", Target("Secret", "kafka", "demo"), what, "use"))
    trail.record_actions()


def stored(memory: MemoryCluster) -> list[str]:
    return lines_of(memory.api.find("configmaps", memory.namespace, NAME))


def told(memory: MemoryCluster) -> list[tuple[str, str]]:
    return [(one["run"], one["done"]["what"]) for one in map(json.loads, stored(memory))]


def test_each_action_is_recorded_once_and_a_wait_is_none() -> None:
    memory = MemoryCluster()
    work, trail = call_on(memory)
    act(work, trail, "a")
    work.record(Action("wait", Target("Secret", "kafka", "demo"), "w", "use"))
    act(work, trail, "b")
    trail.record_actions()
    assert told(memory) == [("call-1", "a"), ("call-1", "b")]
    assert (trail.head.number, trail.head.sha256) == (2, digest(stored(memory)[-1]))


def test_the_end_of_a_flow_that_is_held_names_the_conditions_in_their_words() -> None:
    memory = MemoryCluster()
    _work, trail = call_on(memory)
    trail.record_end(Decision(violations=(Violation(Condition.TRUST, "Pod kafka/demo-kafka-0", "message", "remedy"),)))
    (line,) = stored(memory)
    assert json.loads(line)["ended"] == {
        "done": False, "violations": [
            {"condition": "trust", "subject": "Pod kafka/demo-kafka-0", "message": "message"},
        ],
    }  # fmt: skip


def test_a_flow_that_thousands_hold_pushes_no_entry_out() -> None:
    """Each user that has not read its next certificate yet holds the end of a flow on the clients CA."""
    memory = MemoryCluster()
    work, trail = call_on(memory)
    act(work, trail, "a")
    users = [Violation(Condition.REMOVAL, f"KafkaUser kafka/user-{number:05}", "m", "r") for number in range(20_000)]
    trail.record_end(Decision(violations=tuple(users)))
    first, last = map(json.loads, stored(memory))
    assert (first["done"]["what"], len(last["ended"]["violations"]), last["ended"]["more"]) == ("a", 100, 19_900)


def test_calls_at_once_write_one_chain() -> None:
    memory = MemoryCluster()
    (first, one), (second, two) = call_on(memory), call_on(memory, number=2)
    for number in range(3):
        act(first, one, f"a{number}")
        act(second, two, f"b{number}")
    assert told(memory) == [(f"call-{1 + (what == 'b')}", f"{what}{number}") for number in range(3) for what in "ab"]
    assert problems(stored(memory)) == []


class Answering:
    """An API whose answers to writes of ConfigMaps are these; each stands for one answer. None: the answer of the API itself."""

    def __init__(self, memory: MemoryCluster, *answers: Response | None) -> None:
        self._api, self._answers = memory.api, list(answers)

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        answer = self._api.request(method, path, **arguments)
        if method in ("POST", "PATCH") and "/configmaps" in path and self._answers:
            return self._answers.pop(0) or answer
        return answer


LOST = Response(
    504, {"kind": "Status", "code": 504, "message": "the server was not able to return a response in the time allotted"}
)


def test_an_entry_whose_answer_is_lost_is_stored_once() -> None:
    memory = MemoryCluster()
    work, trail = call_on(memory, Answering(memory, LOST, None, LOST))
    for what in "abc":
        act(work, trail, what)
    assert told(memory) == [("call-1", what) for what in "abc"]


def test_an_entry_that_is_refused_fails_and_is_not_lost() -> None:
    memory = MemoryCluster()
    work, trail = call_on(memory)
    act(work, trail, "a")
    refused = Response(403, {"kind": "Status", "code": 403, "reason": "Forbidden", "message": "no"})
    allowed, work.client = work.client, work_on(memory, Refusing(memory, refused)).client
    with pytest.raises(Forbidden) as raised:
        act(work, trail, "b")
    assert isinstance(raised.value, KubeError)
    assert NAME in raised.value.object
    work.client = allowed
    trail.record_actions()
    assert told(memory) == [("call-1", "a"), ("call-1", "b")]


class Refusing(Answering):
    """An API that refuses to write ConfigMaps."""

    def __init__(self, memory: MemoryCluster, answer: Response) -> None:
        super().__init__(memory)
        self._refusal = answer

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        if method in ("POST", "PATCH") and "/configmaps" in path:
            return self._refusal
        return super().request(method, path, **arguments)
