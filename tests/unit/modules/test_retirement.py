# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options retire and client_grace: when nodes give up the old CA, and when clients have read the new one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from . import stages
from .fast_clock import FastClock
from .mistakes import found
from .running import call
from .stages import FAST

Reading = Callable[[MemoryCluster], ReloadingNodes]
PATIENT = {"state": "replaced", "retire": "when_restarted", "fresh_for_hours": 0, **FAST}
NODES = "demo-kafka-0, demo-kafka-1, demo-kafka-2"


def patient(reading: Reading, **options: Any) -> MemoryCluster:
    """A replacement that has nothing to do but to wait until nodes restart."""
    memory = stages.managed()
    reading(memory)
    stages.done(memory, "strimzi_ca", **{**PATIENT, **options})
    return memory


def restart(memory: MemoryCluster, *nodes: str) -> None:
    """As any maintenance would."""
    for node in nodes:
        memory.api.request("DELETE", f"/api/v1/namespaces/kafka/pods/{node}")
    memory.settle()


def test_nothing_restarts_and_it_says_what_it_waits_for(reading: Reading, golden: GoldenFiles) -> None:
    memory = patient(reading)
    assert set(memory.restarts().values()) == {0}
    seen = call("strimzi_ca_info", memory).result
    # Listeners present the new one, Raft clients the old one.
    assert {(ca["subject"], ca["usage"]) for ca in seen["cas"]} == {
        ("CN=cluster-ca v1,O=io.strimzi", "SOME"),
        ("CN=cluster-ca v0,O=io.strimzi", "SOME"),
    }
    (waiting,) = seen["waiting"]
    golden.compare_said("calls", waiting)
    assert {(tuple(one["pods"]), len(one["lingering"])) for one in seen["former_leaves"]} == {((), 1)}
    assert (seen["journal"]["retire"], seen["plan"], seen["violations"]) == ("when_restarted", [], [])


@pytest.mark.parametrize(
    ("module", "options"),
    [("strimzi_ca", {"state": "promoted"}), ("strimzi_trusted_certs", {"state": "retired"}), ("strimzi_roll", {})],
)
def test_a_call_before_the_restarts_changes_nothing_and_says_what_it_waits_for(
    reading: Reading, module: str, options: dict[str, Any]
) -> None:
    ended = stages.done(patient(reading), module, **options)
    assert (ended.result["changed"], ended.writes) == (False, [])
    assert f"at the latest: {NODES}" in ended.result["waiting"][0]


def test_the_wait_ends_when_each_node_has_restarted_for_any_reason(reading: Reading, golden: GoldenFiles) -> None:
    memory = patient(reading)
    restart(memory, "demo-kafka-0", "demo-kafka-2")
    some = stages.done(memory, "strimzi_trusted_certs", state="retired")
    golden.compare_said("calls", some.result["waiting"][0])
    restart(memory, "demo-kafka-1")
    ended = stages.done(memory, "strimzi_trusted_certs", state="retired")
    assert [ca["subject"] for ca in ended.result["cas"]] == ["CN=cluster-ca v1,O=io.strimzi"]
    assert (ended.result["waiting"], set(memory.restarts().values())) == ([], {1})


def test_a_restart_for_a_reason_of_ones_own_is_one_of_those(reading: Reading) -> None:
    memory = patient(reading)
    stages.done(memory, "strimzi_roll", reason="a new kernel")
    ended = stages.done(memory, "strimzi_trusted_certs", state="retired")
    assert (len(ended.result["cas"]), set(memory.restarts().values())) == (1, {1})


def test_a_call_with_retire_now_ends_the_wait(reading: Reading) -> None:
    memory = patient(reading)
    ended = stages.done(memory, "strimzi_trusted_certs", state="retired", retire="now")
    assert (len(ended.result["cas"]), ended.result["waiting"]) == (1, [])
    assert set(memory.restarts().values()) == {1}


def test_the_wait_is_no_longer_than_its_latest_date(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    latest = FastClock().now() + timedelta(days=30)
    memory = patient(reading, retire=f"{latest:%Y-%m-%dT%H:%M:%SZ}")
    seen = call("strimzi_ca_info", memory).result
    assert f", on {latest:%Y-%m-%d} at the latest: " in seen["waiting"][0]
    assert seen["journal"]["retire"] == f"{latest:%Y-%m-%dT%H:%M:%SZ}"
    monkeypatch.setattr(FastClock, "passed", FastClock.passed + timedelta(days=31))
    ended = stages.done(memory, "strimzi_trusted_certs", state="retired")
    assert (len(ended.result["cas"]), set(memory.restarts().values())) == (1, {1})


@pytest.mark.parametrize(
    "given", ["", "now", "when_restarted", "when_needed", "2099-01-01", "2099-01-01T12:00:00+02:00"]
)
def test_a_word_or_a_time(given: str) -> None:
    stages.done(stages.managed(), "strimzi_ca_info", retire=given)


@pytest.mark.parametrize(("latest", "rolls", "told"), [("2020-01-01", 1, True), ("2099-01-01", 0, False)])
def test_a_latest_date_that_is_over_is_told(
    reading: Reading, latest: str, rolls: int, told: bool, golden: GoldenFiles
) -> None:
    """The plan restarts nodes although the user has asked to wait; no error, because a schedule goes on with the date that it has."""
    memory = stages.managed()
    reading(memory)
    options = {"retire": latest, "fresh_for_hours": 0}
    seen = call("strimzi_ca_info", memory, goal="replace_key", **options)
    assert (seen.failed, seen.result["planned_rolls"]) == (False, rolls)
    assert bool(seen.warnings) is told
    if told:
        golden.compare_said("calls", "\n".join(seen.warnings))


def test_where_nodes_cannot_read_again_it_is_refused_before_any_leaf_is_issued() -> None:
    for check in (True, False):
        ended = call("strimzi_ca", stages.managed(), check=check, **PATIENT)
        if not check:
            assert (ended.failed, found(ended)) == (True, [("in_place", "Kafka kafka/demo")])
        assert not any("demo-kafka" in write for write in ended.writes)


# The time that clients outside the cluster get. ---------------------------------------------------------------------


def adopted() -> MemoryCluster:
    """Its CA, made by the operator, allows no CA below it: a client that is strict about that refuses a link certificate."""
    memory = stages.generated()
    stages.done(memory, "strimzi_ca", state="adopted")
    return memory


def waited(memory: MemoryCluster, **options: Any) -> float:
    """Seconds that clients were given by a task that is told to have the next CA trusted."""
    stages.done(memory, "strimzi_ca", **stages.PREPARED, **options)
    before = FastClock.passed
    stages.done(memory, "strimzi_trusted_certs", **options)
    return (FastClock.passed - before).total_seconds()


@pytest.mark.parametrize(
    ("start", "options", "least", "most"),
    [
        (adopted, {}, 100, 120),
        (adopted, {"client_grace": 600}, 580, 600),
        (adopted, {"client_grace": 0}, 0, 0),
        (stages.managed, {}, 0, 0),
        (stages.managed, {"client_grace": 60}, 40, 60),
    ],
)
def test_clients_get_the_time_that_they_need(
    start: Callable[[], MemoryCluster], options: dict[str, Any], least: float, most: float
) -> None:
    assert least <= waited(start(), **options) <= most


def test_the_plan_says_that_they_get_it_and_why(golden: GoldenFiles) -> None:
    """Before the first use, where a client could have the certificate of the CA in use that allows none below it. Else nodes lead every client from
    the CA in use to the next one, before the switch and after it.
    """
    for start, phases in ((adopted, ["trust"]), (stages.managed, [])):
        seen = stages.done(start(), "strimzi_ca_info", goal="replace_key", fresh_for_hours=0).result
        golden.compare_said("calls", "\n".join(seen["choices"]), start.__name__)
        assert [step["phase"] for step in seen["plan"] if "give clients until " in step["what"]] == phases


def test_clients_that_nodes_lead_on_need_no_time_before_the_switch() -> None:
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", **stages.PREPARED)
    stages.done(memory, "strimzi_roll")
    before = FastClock.passed
    stages.done(memory, "strimzi_ca", state="promoted")
    assert FastClock.passed == before


def test_a_task_in_between_takes_none_of_it_away() -> None:
    """A task that comes later, or after one that was killed while it waited, waits for the rest only."""
    memory = adopted()
    stages.done(memory, "strimzi_ca", **stages.PREPARED)
    FastClock.passed += timedelta(seconds=100)
    before = FastClock.passed
    stages.done(memory, "strimzi_ee_cert")
    assert 0 < (FastClock.passed - before).total_seconds() <= 20
