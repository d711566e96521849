# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every write is conditional on what it was decided on (I6), leaves alone what is not ours, and is one that changes
something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import AlreadyExists, Conflict
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import TidyKeys
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import DeleteLedger, Withdraw

from ...support.memory_api import MemoryApi, Object, Response
from .bench import SCOPE, Bench, recorded
from .steps import AFTER, BROUGHT, CASES, Case, cluster, fingerprint, record

TOUCHED = [pytest.param(case, one, id=f"{case}-{one[1]}") for case in CASES for one in case.touches]
#: Other code decides that nothing is prepared twice, and the operator not switched twice; a resume needs a pause before it.
REPEATABLE = [case for case in CASES if case.name not in ("prepare", "switch", "put back", "resume")]


class Recorder:
    """A transport that keeps the writes."""

    def __init__(self, api: MemoryApi) -> None:
        self.api = api
        self.written: list[tuple[str, str, Any]] = []

    def request(self, method: str, path: str, **arguments: Any) -> Response:
        if method != "GET":
            self.written.append((method, path, arguments["body"]))
        return self.api.request(method, path, **arguments)

    def stream(self, path: str, **arguments: Any) -> Iterator[Object]:
        return self.api.stream(path, **arguments)


def condition_of(method: str, body: Mapping[str, Any]) -> str | None:
    wanted = body.get("preconditions") if method == "DELETE" else body.get("metadata")
    return (wanted or {}).get("resourceVersion")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_write_carries_the_version_it_was_decided_on(case: Case) -> None:
    bench = cluster()
    recorder = Recorder(bench.api)
    observation = bench.observe()
    versions = {name: bench.find(plural, name)["metadata"]["resourceVersion"] for plural, name in case.touches}
    carry_out(case.step, observation, bench.work(transport=recorder))
    assert {path.rsplit("/", 1)[-1] for _method, path, _body in recorder.written} >= set(versions)
    for method, path, body in recorder.written:
        assert method in ("PATCH", "DELETE")
        version = condition_of(method, body)
        assert version
        assert version == versions.get(path.rsplit("/", 1)[-1], version)


@pytest.mark.parametrize(("case", "touched"), TOUCHED)
def test_a_change_by_somebody_else_is_never_overwritten(case: Case, touched: tuple[str, str]) -> None:
    bench = cluster()
    observation = bench.observe()
    theirs = bench.change(*touched, {"metadata": {"annotations": {"them": "were here"}}, "data": {"their.crt": "YQ=="}})
    with pytest.raises(Conflict):
        carry_out(case.step, observation, bench.work())
    assert bench.find(*touched) == theirs


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_not_ours_stays(case: Case) -> None:
    bench = cluster()
    everything = {(plural, name) for plural, name in case.touches if case.name != "delete ledger"}
    for one in everything:
        bench.change(
            *one, {"metadata": {"labels": {"them": "yes"}, "annotations": {"a/b": "c"}}, "data": {"x": "YQ=="}}
        )
    bench.carry_out(case.step)
    for one in everything:
        found = bench.find(*one)
        assert (found["metadata"]["labels"]["them"], found["metadata"]["annotations"]["a/b"]) == ("yes", "c")
        assert found["data"]["x"] == "YQ=="


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_dry_run_writes_nothing_and_says_what_it_would(case: Case) -> None:
    bench = cluster()
    observation = bench.observe()
    before = len(bench.api.writes)
    actions = recorded(carry_out, case.step, observation, bench.work(dry_run=True))
    assert len(bench.api.writes) == before
    real = recorded(carry_out, case.step, observation, bench.work())
    assert [(one.verb, one.object, one.what) for one in actions] == [(o.verb, o.object, o.what) for o in real]
    assert all(name in " ".join(one.object for one in actions) for _plural, name in case.touches)


@pytest.mark.parametrize("case", REPEATABLE, ids=str)
def test_the_same_step_again_changes_nothing(case: Case) -> None:
    bench = cluster()
    assert bench.carry_out(case.step)
    assert bench.carry_out(case.step) == []


@pytest.mark.parametrize(
    "step",
    [
        DeleteLedger(),
        Withdraw(certificate=BROUGHT.certificate),
        TidyKeys(prepared=frozenset(), kept_keys=frozenset({fingerprint(BROUGHT)}), phase=Phase.USE),
    ],
)
def test_nothing_to_do_is_no_request(step: Step) -> None:
    bench = cluster()
    bench.remove("secrets", SCOPE.trusted_certificates_secret)
    recorder = Recorder(bench.api)
    assert recorded(carry_out, step, bench.observe(), bench.work(transport=recorder)) == []
    assert recorder.written == []


def test_a_ledger_that_appeared_meanwhile_is_not_overwritten() -> None:
    bench = Bench()
    observation = bench.observe()
    bench.carry_out(record(AFTER))
    theirs = bench.find("secrets", SCOPE.trusted_certificates_secret)
    with pytest.raises(AlreadyExists):
        carry_out(record(AFTER), observation, bench.work())
    assert bench.find("secrets", SCOPE.trusted_certificates_secret) == theirs


@pytest.mark.parametrize("case", CASES, ids=str)
def test_actions_and_writes_show_no_content(case: Case) -> None:
    bench = cluster()
    actions = recorded(carry_out, case.step, bench.observe(), bench.work())
    assert actions
    assert "BEGIN" not in repr(actions)
    assert "BEGIN" not in repr([one.as_result() for one in actions])
