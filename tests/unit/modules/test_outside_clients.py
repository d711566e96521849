# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients outside the cluster through the modules: what is refused, what is waived, and what is told about it."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from ...tools.support.connect import Connect
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .running import Ended, call, refusing

#: A copy that a person has made: the operator does not bring the next CA to it.
COPY = {"secretName": "copied", "pattern": "*.crt"}
NAME = "KafkaConnect kafka/connect"
TOMORROW = (datetime.now(timezone.utc) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")


def a_waiver(**changes: Any) -> dict[str, Any]:
    return {"client": NAME, "until": TOMORROW, "reason": "moves in week 51", **changes}


def with_connect(memory: MemoryCluster) -> None:
    """Beside a Connect that goes by a copy of the CA in use."""
    held = (memory.api.find("secrets", "kafka", "demo-cluster-ca-cert") or {})["data"]["ca.crt"]
    memory.apply({"kind": "Secret", "metadata": {"name": "copied"}, "data": {"ca.crt": held}})
    Connect(memory, COPY)


def asked(**options: Any) -> Ended:
    """A replacement beside a Connect that knows the old CA alone, where the operator would be switched now."""
    memory = stages.taken_up()
    with_connect(memory)
    return call("strimzi_ca", memory, state="promoted", **options)


def test_a_client_that_is_not_ready_is_named_with_what_helps(golden: GoldenFiles) -> None:
    ended = asked()
    assert (ended.code, ended.failed) == (1, True)
    golden.compare_said("calls", ended.result["msg"])
    found = [(violation["gate"], violation["subject"]) for violation in ended.result["violations"]]
    assert found == [("trust", NAME), ("removal", NAME)]
    (seen,) = ended.result["outside"]
    assert (seen["client"], len(seen["trusts"]), seen["doubt"], seen["waiver"]) == (NAME, 1, "", None)


def test_check_mode_names_a_client_that_would_hold_the_run_and_what_comes_after(golden: GoldenFiles) -> None:
    memory = stages.managed()
    free = call("strimzi_ca", memory, check=True, state="replaced", **stages.FAST)
    with_connect(memory)
    ended = call("strimzi_ca", memory, check=True, state="replaced", **stages.FAST)
    assert (ended.failed, ended.writes) == (False, [])
    assert {(one["gate"], one["subject"]) for one in ended.result["violations"]} == {("trust", NAME), ("removal", NAME)}
    (warning,) = [one for one in ended.warnings if "held" in one]
    golden.compare_said("calls", warning, "the warning")
    (held,) = [one["what"] for one in ended.result["plan"] if NAME in one["what"]]
    golden.compare_said("calls", held, "the step")
    told = [one["what"] for one in ended.result["plan"]]
    assert [one for one in told if one != held] == [one["what"] for one in free.result["plan"]]
    assert 0 < told.index(held) < len(told) - 1
    assert ended.result["planned_restarts"] == free.result["planned_restarts"]
    shown = call("strimzi_ca_info", memory, goal="replace_key", **stages.FAST).result
    assert [one["what"] for one in shown["plan"]] == told


def test_a_waiver_lets_it_pass_and_is_shown() -> None:
    ended = asked(waivers=[a_waiver(client=" KafkaConnect   kafka/connect ")])
    assert (ended.failed, ended.result["changed"]) == (False, True)
    (seen,) = ended.result["outside"]
    assert seen["waiver"] == {"until": TOMORROW, "reason": "moves in week 51"}
    assert ended.result["waivers"] == [{"client": NAME, "until": TOMORROW, "reason": "moves in week 51"}]
    assert not any("waivers" in warning for warning in ended.warnings)


@pytest.mark.parametrize("name", [f"CA {'0' * 64}", "KafkaRebalance kafka/move", "the clock"])
def test_a_waiver_for_another_object_than_a_client_is_shown_too(name: str) -> None:
    ended = call("strimzi_ca_info", stages.managed(), waivers=[a_waiver(client=name)])
    assert [waiver["client"] for waiver in ended.result["waivers"]] == [name]


def test_a_waiver_for_an_unknown_client_is_a_warning(golden: GoldenFiles) -> None:
    ended = call("strimzi_ca_info", stages.managed(), waivers=[a_waiver(client="KafkaConnect kafka/conect")])
    assert not ended.failed
    (told,) = ended.warnings
    golden.compare_said("calls", told)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"until": "2026-01-01"}, f"the waiver for {NAME}: ended on 2026-01-01 00:00 UTC. "),
        ({"until": "2099-01-01T00:00:00+02:00"}, f"the waiver for {NAME}: ends on 2098-12-31 "),
        ({"client": "pod demo-kafka-0"}, "the waiver for pod demo-kafka-0: names a part of the cluster; "),
        ({"reason": ""}, f"the waiver for {NAME}: has no reason. "),
    ],
)
def test_an_invalid_waiver_stops_every_flow(changes: dict[str, str], message: str) -> None:
    ended = call("strimzi_trusted_certs", stages.managed(), waivers=[a_waiver(**changes)])
    assert (ended.failed, ended.writes) == (True, [])
    assert f"Kafka cluster kafka/demo: {message}" in ended.result["msg"]


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ("app", "Secret kafka/app"),
        ("app:ca.crt", "Secret kafka/app entry ca.crt"),
        ("apps/app", "Secret apps/app"),
        ("apps/app:tls-ca_2.crt", "Secret apps/app entry tls-ca_2.crt"),
    ],
)
def test_named_secrets_are_looked_at(given: str, seen: str) -> None:
    ended = call("strimzi_ca_info", stages.managed(), trusting_secrets=[given])
    (client,) = ended.result["outside"]
    assert (client["client"], client["doubt"]) == (seen, f"{seen} does not exist")


def named_by(memory: MemoryCluster, **options: Any) -> list[str]:
    return [one["client"] for one in call("strimzi_ca_info", memory, **options).result["outside"]]


def test_a_missing_list_is_taken_from_the_journal_and_an_empty_list_replaces_it() -> None:
    memory = stages.prepared()
    held = call("strimzi_trusted_certs", memory, trusting_secrets=["app:ca.crt"], presenting_secrets=["apps/copy"])
    assert held.failed
    assert (held.result["journal"]["trusting_secrets"], held.result["journal"]["presenting_secrets"]) == (
        ["kafka/app:ca.crt"],
        ["apps/copy"],
    )
    assert named_by(memory) == ["Secret kafka/app entry ca.crt"]
    assert call("strimzi_trusted_certs", memory).failed
    assert named_by(memory, trusting_secrets=[]) == []
    stages.done(memory, "strimzi_trusted_certs", trusting_secrets=[])
    assert named_by(memory) == []
    assert call("strimzi_ca_info", memory).result["journal"]["presenting_secrets"] == ["apps/copy"]


def test_without_a_flow_in_flight_nothing_is_remembered() -> None:
    memory = stages.managed()
    stages.done(memory, "strimzi_trusted_certs", presenting_secrets=["apps/copy"])
    call("strimzi_ca", memory, goal="reconcile", trusting_secrets=["app"])
    assert named_by(memory) == []


def test_a_forbidden_kind_of_clients_holds_under_a_name_that_a_waiver_can_give(golden: GoldenFiles) -> None:
    answer = refusing("GET", "/kafkabridges", 'kafkabridges is forbidden: User "ci" cannot list')
    ended = call("strimzi_ca_info", stages.managed(), answer=answer, goal="replace_key", fresh_for_hours=0)
    (violation,) = ended.result["violations"]
    assert (violation["gate"], violation["subject"]) == ("trust", "KafkaBridge kafka/*")
    golden.compare_said("calls", violation["remedy"])
    waived = call(
        "strimzi_ca_info", stages.managed(), answer=answer, goal="replace_key", fresh_for_hours=0,
        waivers=[a_waiver(client="KafkaBridge kafka/*")],
    )  # fmt: skip
    assert waived.result["violations"] == []


def test_a_rebalance_that_cannot_be_seen_holds_by_a_name_that_can_be_waived() -> None:
    answer = refusing("GET", "/kafkarebalances", 'kafkarebalances is forbidden: User "ci" cannot list')

    def planned(**options: Any) -> list[tuple[str, str]]:
        found = call(
            "strimzi_ca_info", stages.managed(), answer=answer, goal="replace_key", fresh_for_hours=0, **options
        )
        return [(one["gate"], one["subject"]) for one in found.result["violations"]]

    assert planned() == [("no_rebalance_is_running", "KafkaRebalance kafka/*")]
    assert planned(waivers=[a_waiver(client="KafkaRebalance kafka/*")]) == []
