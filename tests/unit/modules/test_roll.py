# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_roll: what it names is restarted, once; with a reason on a cluster in which nothing else is under way, and with strategy=direct."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KafkaUnavailable, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin

from ...tools.support.golden import GoldenFiles
from ...tools.support.kafka import FakeKafka, FakeTopic
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import put
from .running import Ended, call, shown_lines

NODES = ["demo-kafka-0", "demo-kafka-1", "demo-kafka-2"]


def pods(memory: MemoryCluster) -> dict[str, str]:
    """UIDs, those of Deployments by the name of their component."""
    found = memory.api.all("pods", memory.namespace)
    return {_name(pod["metadata"]["name"]): pod["metadata"]["uid"] for pod in found}


def _name(pod: str) -> str:
    return pod if pod in NODES else "-".join(pod.split("-")[1:-2])


@pytest.mark.parametrize(
    ("options", "restarted"),
    [
        ({}, NODES),
        ({"pods": ["demo-kafka-1"]}, ["demo-kafka-1"]),
        ({"components": ["entity-operator", "kafka-exporter"]}, ["entity-operator", "kafka-exporter"]),
        ({"components": ["kafka"]}, NODES),
    ],
)
def test_only_the_chosen_pods_restart(options: dict[str, Any], restarted: list[str]) -> None:
    memory = stages.managed()
    before = pods(memory)
    planned = stages.done(memory, "strimzi_roll", check=True, reason="a new kernel", **options)
    assert (planned.result["changed"], planned.writes, pods(memory)) == (True, [], before)
    ended = stages.done(memory, "strimzi_roll", reason="a new kernel", **options)
    after = pods(memory)
    assert sorted(name for name in before if before[name] != after[name]) == restarted
    told = [action for action in ended.result["actions"] if action["verb"] == "restart"]
    assert len(told) == len(restarted)
    assert ended.result["cas"] == call("strimzi_ca_info", memory).result["cas"]


@pytest.mark.parametrize(
    ("since", "restarted"),
    [("2025-12-31", 0), ("2026-01-01T02:00:00+02:00", 0), ("2026-01-01T00:00:59Z", 3), ("2026-06-24T18:00:00", 3)],
)
def test_pods_that_were_made_since_are_left_alone(since: str, restarted: int) -> None:
    memory = stages.managed()
    memory.seconds = 60
    ended = stages.done(memory, "strimzi_roll", reason="a new kernel", since=since)
    assert len([action for action in ended.result["actions"] if action["verb"] == "restart"]) == restarted


def test_on_a_cluster_whose_ca_is_not_ours_too() -> None:
    memory = stages.generated()
    stages.done(memory, "strimzi_roll", reason="a new kernel")
    assert set(memory.restarts().values()) == {1}


@pytest.mark.parametrize(
    "options",
    [
        {"reason": "x", "pods": []},
        {"reason": "x", "components": []},
        {"reason": ""},
        {"reason": " "},
        {"reason": "", "since": ""},
    ],
)
def test_an_empty_list_chooses_nothing_and_an_empty_text_is_none(options: dict[str, Any]) -> None:
    memory = stages.managed()
    ended = stages.done(memory, "strimzi_roll", **options)
    assert (ended.writes, set(memory.restarts().values())) == ([], {0})


BEGUN = (
    "Kafka kafka/demo: is in the middle of a flow (replace_key), which restarts pods by itself. Finish it first, with "
    "strimzi_trusted_certs and state=retired, or with the reconcile playbook."
)


@pytest.mark.parametrize("check", [True, False])
def test_a_restart_in_the_middle_of_a_flow_is_refused(check: bool) -> None:
    ended = call("strimzi_roll", stages.prepared(), check=check, reason="a new kernel")
    assert (ended.failed, ended.result["msg"], ended.writes) == (True, BEGUN, [])


def test_a_restart_while_the_operator_is_paused_is_refused(golden: GoldenFiles) -> None:
    memory = stages.managed()
    put(memory, "kafkas", "demo", annotations={"strimzi.io/pause-reconciliation": "true"})
    ended = call("strimzi_roll", memory, reason="a new kernel")
    assert (ended.failed, ended.writes) == (True, [])
    golden.compare_said("calls", ended.result["msg"])


@pytest.mark.parametrize("check", [True, False])
def test_a_restart_of_a_node_that_would_not_come_back_is_refused(check: bool, golden: GoldenFiles) -> None:
    """Nor any other of this call: they would have restarted by then."""
    memory = stages.managed()
    memory.api.request("DELETE", "/api/v1/namespaces/kafka/secrets/demo-kafka-1")
    before = pods(memory)
    ended = call("strimzi_roll", memory, check=check, reason="a new kernel")
    assert (ended.failed, ended.writes_but_lease, pods(memory)) == (True, [], before)
    golden.compare_said("calls", ended.result["msg"])
    stages.done(memory, "strimzi_roll", check=True, reason="a new kernel", pods=["demo-kafka-0"])


def test_a_restart_of_a_pod_that_is_not_there_is_refused(golden: GoldenFiles) -> None:
    ended = call("strimzi_roll", stages.managed(), reason="a new kernel", pods=["demo-kafka-7", "demo-kafka-0"])
    assert (ended.failed, ended.writes) == (True, [])
    golden.compare_said("calls", ended.result["msg"])


def test_outside_the_maintenance_windows_nothing_restarts_unless_that_is_asked_for() -> None:
    memory = stages.managed()
    put(memory, "kafkas", "demo", spec={"maintenanceTimeWindows": ["* * * ? * * 1999"]})
    before = pods(memory)
    ended = call("strimzi_roll", memory, reason="a new kernel", pods=["demo-kafka-1"])
    assert (ended.failed, ended.writes, pods(memory)) == (True, [], before)
    assert "strimzi_ignore_maintenance_windows" in ended.result["msg"]
    stages.done(memory, "strimzi_roll", reason="a new kernel", pods=["demo-kafka-1"], ignore_maintenance_windows=True)
    assert pods(memory) != before


# strimzi_roll with strategy=direct, as Ansible calls it.

DIRECT_NODES = ("demo-kafka-0", "demo-kafka-1", "demo-kafka-2")
DELETED = [f"DELETE pods/{name}" for name in ("demo-kafka-0", "demo-kafka-2", "demo-kafka-1")]


@pytest.fixture
def memory(request: pytest.FixtureRequest) -> MemoryCluster:
    made: MemoryCluster = getattr(request, "param", stages.managed)()
    return made


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is there, whether it is or not: none of these tests gets as far as using it."""
    monkeypatch.setattr(admin.metadata, "version", lambda name: "3.0.0")


@pytest.fixture
def kafka(memory: MemoryCluster, monkeypatch: pytest.MonkeyPatch, installed: None) -> FakeKafka:
    fake = FakeKafka(
        memory.api, lambda: memory.seconds, dict.fromkeys(range(3), "cb"), [FakeTopic("orders", (0, 1, 2))], active=1
    )
    monkeypatch.setattr(admin, "connect_to", lambda given: lambda observation: fake)
    return fake


def roll(memory: MemoryCluster, **options: Any) -> Ended:
    since = "2026-01-01T00:00:30Z"
    memory.seconds = max(memory.seconds, 60.0)
    return call("strimzi_roll", memory, reason="a new kernel", since=since, strategy="direct", **options)


def test_the_module_deletes_the_nodes_itself_and_reports_them(memory: MemoryCluster, kafka: FakeKafka) -> None:
    ended = roll(memory)
    assert not ended.failed, ended.result["msg"]
    assert ended.writes_but_lease == DELETED
    assert [(one["verb"], one["away"]) for one in ended.result["actions"]] == 3 * [("delete", None), ("restart", 1)]
    assert kafka.harm == []


def test_a_second_run_has_nothing_to_do(memory: MemoryCluster, kafka: FakeKafka) -> None:
    roll(memory)
    again = roll(memory)
    assert (again.failed, again.result["changed"], again.writes) == (False, False, [])


def test_a_failed_roll_names_the_cause_the_remedy_and_its_actions(
    memory: MemoryCluster, kafka: FakeKafka, golden: GoldenFiles
) -> None:
    memory.kubelet.broken = {"demo-kafka-0"}
    ended = roll(memory, pod_timeout=1)
    assert ended.failed
    golden.compare_said("calls", ended.result["msg"])
    assert ended.result["changed"] is True
    assert [(one["verb"], one["object"]) for one in ended.result["actions"]] == [("delete", "Pod kafka/demo-kafka-0")]


def test_without_the_library_it_says_so_at_once(
    memory: MemoryCluster, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    def absent(name: str) -> str:
        raise admin.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(admin.metadata, "version", absent)
    ended = roll(memory)
    assert ended.failed
    golden.compare_said("calls", ended.result["msg"].replace(sys.executable, "<python>"))
    assert ended.writes == []
    asked = call("strimzi_roll", memory, reason="a new kernel")
    assert not asked.failed, "who does not use it needs no library"


@pytest.mark.parametrize("key", ["cluster-operator.key", "cluster-operator.crt"])
def test_a_damaged_identity_is_refused_before_anything_is_deleted(
    memory: MemoryCluster, installed: None, key: str, golden: GoldenFiles
) -> None:
    path = "/api/v1/namespaces/kafka/secrets/demo-cluster-operator-certs"
    body = {"data": {key: "bm9uc2Vuc2U="}}
    memory.api.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    ended = roll(memory)
    assert ended.failed
    golden.compare_said("calls", ended.result["msg"])
    assert ended.writes_but_lease == []


def replace_key(memory: MemoryCluster, **options: Any) -> Ended:
    return call("strimzi_ca", memory, state="replaced", strategy="direct", **stages.FAST, **options)


def test_a_flow_that_restarts_nodes_begins_where_every_replica_is_in_sync(
    memory: MemoryCluster, kafka: FakeKafka, golden: GoldenFiles
) -> None:
    kafka.lagging = {1}
    held = replace_key(memory)
    assert (held.failed, held.writes) == (True, [])
    golden.compare_said("calls", held.result["msg"])
    assert kafka.closed == 1
    # It looks at Kafka only where nodes are to restart.
    assert not replace_key(memory, until_phase="prepare").failed
    assert kafka.closed == 1


def test_a_flow_in_flight_goes_on_with_replicas_out_of_sync(kafka: FakeKafka) -> None:
    """Each restart has checks of its own."""
    kafka.lagging = {1}
    begun = stages.prepared()
    assert not replace_key(begun, until_phase="prepare").failed
    assert kafka.closed == 0


def test_all_replicas_in_sync_hold_nothing(memory: MemoryCluster, kafka: FakeKafka) -> None:
    done = replace_key(memory)
    assert not done.failed, done.result["msg"]
    assert kafka.closed > 0


# The rounds of a plan, with batch.


def test_check_mode_shows_the_rounds_of_a_roll(
    memory: MemoryCluster, kafka: FakeKafka, tmp_path: Path, golden: GoldenFiles
) -> None:
    kafka.topics_.append(FakeTopic("single", (0,), minimum=1))
    progress = tmp_path / "progress"
    ended = roll(memory, batch="rack", check=True, progress_file=str(progress))
    assert (ended.failed, ended.writes) == (False, [])
    shown = shown_lines(progress)
    golden.compare_said("calls", "\n".join(shown))
    assert len([line for line in shown if line.startswith("Round ")]) == 3


def test_the_plan_of_a_flow_has_the_rounds_in_which_nodes_take_up_their_next_leaves(
    memory: MemoryCluster, kafka: FakeKafka
) -> None:
    planned = replace_key(memory, batch="rack", check=True).result
    rounds = {len(step["rounds"]) for step in planned["plan"] if {"demo-kafka-0"} & {*step["restarts"]}}
    assert rounds == {len(NODES)}
    assert kafka.closed == 1


@pytest.mark.parametrize("memory", [stages.unlinked], indirect=True)
@pytest.mark.parametrize("batch", ["rack", None])
def test_the_plan_of_a_playbook_has_the_rounds_of_each_roll(
    memory: MemoryCluster, kafka: FakeKafka, batch: str | None
) -> None:
    """The plan asks Kafka once for the rounds, and never without batches."""
    given = {"batch": batch} if batch else {}
    planned = call("strimzi_ca_info", memory, check=True, goal="replace_key", strategy="direct", **given).result
    rounds = [one for step in planned["plan"] for one in step["rounds"]]
    rolls = len(rounds) // len(NODES)
    assert [one["nodes"] for one in rounds] == [["demo-kafka-0"], ["demo-kafka-2"], ["demo-kafka-1"]] * rolls
    assert [one["bound"] for one in rounds] == ["partitions", "order", "all"] * rolls
    assert bool(rolls) is bool(batch)
    assert planned["planned_rounds"] == len(NODES) * planned["planned_rolls"]
    assert planned["plan_hash"].endswith("-rack") is bool(batch)
    assert kafka.closed == int(bool(batch))


def test_a_plan_without_an_answer_of_kafka_says_so(
    memory: MemoryCluster, kafka: FakeKafka, tmp_path: Path, golden: GoldenFiles
) -> None:
    def silent() -> None:
        raise KafkaUnavailable("Kafka at broker:9091", "does not answer", "Look at the way.")

    kafka.before_answer = silent
    progress = tmp_path / "progress"
    ended = roll(memory, batch="rack", check=True, progress_file=str(progress))
    assert not ended.failed
    golden.compare_said("calls", "\n".join(shown_lines(progress)))
    assert kafka.closed == 1


def test_a_plan_without_the_library_says_so(kafka: FakeKafka, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan fails for nothing that only a run needs."""

    error = StepError("strategy=direct", "needs the library", "Install it.")

    def refuse(_observation: object) -> FakeKafka:
        raise error

    monkeypatch.setattr(admin, "connect_to", lambda _given: refuse)
    given = {"strategy": "direct", "batch": "rack", "check": True}
    planned = call("strimzi_ca_info", stages.unlinked(), goal="replace_key", **given)
    assert not planned.failed
    assert any(f"{error} {error.remedy}" in choice for choice in planned.result["choices"])


def test_a_roll_in_batches_shows_each_round(memory: MemoryCluster, kafka: FakeKafka, tmp_path: Path) -> None:
    progress = tmp_path / "progress"
    ended = roll(memory, batch="2", progress_file=str(progress))
    assert not ended.failed, ended.result["msg"]
    assert [line.split(":")[0] for line in shown_lines(progress) if line.startswith("round ")] == [
        "round 1", "round 2", "round 3",
    ]  # fmt: skip
    assert kafka.harm == []
