# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes Events on the Kafka resource: what a person looks for, and nothing where they cannot be written."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import Response
from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import LONGEST_WAIT

from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .fast_clock import FastClock
from .running import Ended, call, refusing
from .test_kept_elsewhere import asked, office, replace_key
from .test_taken_names import ELSEWHERE, Name, put_foreign

REPORTER = "trustops.strimzi/flows"


def events(memory: MemoryCluster) -> list[dict[str, Any]]:
    """The events of this collection; the operator has its own."""
    return [one for one in memory.api.all("events", memory.namespace) if one.get("reportingController") == REPORTER]


def reasons(memory: MemoryCluster) -> Counter[str]:
    return Counter(one["reason"] for one in events(memory))


def test_a_replacement_from_its_begin_to_its_end() -> None:
    memory = stages.managed()
    before = reasons(memory)
    uid = (memory.api.find("kafkas", "kafka", "demo") or {})["metadata"]["uid"]
    stages.done(memory, "strimzi_ca", state="replaced", fresh_for_hours=0, ends_after="trust", **stages.FAST)
    assert reasons(memory) - before == Counter({"FlowBegun": 1})
    ended = stages.done(memory, "strimzi_trusted_certs", state="retired")
    found = reasons(memory) - before
    rolled = restarts(ended)
    assert found == Counter(
        {"FlowBegun": 1, "CaSwitched": 1, "CaRemoved": 1, "FlowFinished": 1, "LeafIssued": 1, "PodRestarted": rolled}
    )
    assert rolled > 3
    for one in events(memory):
        about = one["regarding"]
        assert (about["kind"], about["name"], about["uid"]) == ("Kafka", "demo", uid)
        assert (one["type"], len(one["note"]) <= 1024) == ("Normal", True)


def test_an_adoption_and_its_end() -> None:
    memory = stages.generated()
    stages.done(memory, "strimzi_ca", state="adopted")
    stages.done(memory, "strimzi_ca", state="handed_back")
    assert reasons(memory) == Counter({"CaAdopted": 1, "CaHandedBack": 1})


def test_a_held_flow_writes_a_warning_event() -> None:
    memory = stages.prepared()
    memory.api.request("DELETE", "/api/v1/namespaces/kafka/secrets/demo-cluster-ca-cert")
    assert call("strimzi_trusted_certs", memory, state="retired").failed
    held = [one for one in events(memory) if one["reason"] == "FlowHeld"]
    assert [one["type"] for one in held] == ["Warning"] * len(held)
    assert held


def test_certificates_that_are_issued_again_are_one_event() -> None:
    memory = stages.managed()
    before = reasons(memory)
    forced = {"state": "renewed", "force": True, "components": ["kafka"]}
    ended = stages.done(memory, "strimzi_ee_cert", **forced)
    assert reasons(memory) - before == Counter({"LeafIssued": 1, "PodRestarted": restarts(ended)})
    (issued,) = (one for one in events(memory) if one["reason"] == "LeafIssued")
    assert issued["type"] == "Normal"
    for node in ("demo-kafka-0", "demo-kafka-1", "demo-kafka-2"):
        assert f"Secret kafka/{node}" in issued["note"]
    before = reasons(memory)
    stages.done(memory, "strimzi_ee_cert", state="renewed")
    assert reasons(memory) == before


def test_a_call_that_fails_after_it_has_issued_certificates_tells_of_them() -> None:
    memory = stages.prepared()
    before = reasons(memory)
    failed = call("strimzi_ee_cert", memory, answer=refusing("PATCH", "secrets/demo-kafka-1"), client_grace=120)
    assert failed.failed
    assert (reasons(memory) - before)["LeafIssued"] == 1


def restarts(ended: Ended) -> int:
    return sum(action["verb"] == "restart" for action in ended.result["actions"])


@pytest.mark.parametrize("stage", ["in flight", "at rest"])
def test_a_certificate_that_does_not_come_is_an_event_of_each_call_that_fails_for_it(
    stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = asked() if stage == "in flight" else missing_a_leaf()
    before = reasons(memory)
    assert not reconcile(memory).failed
    assert not reasons(memory) - before
    monkeypatch.setattr(FastClock, "passed", FastClock.passed + LONGEST_WAIT)
    assert (reconcile(memory, check=True).failed, reasons(memory) - before) == (True, Counter())
    failed = reconcile(memory)
    assert (failed.failed, failed.code, failed.writes_but_lease) == (True, 1, [])
    assert {one["gate"] for one in failed.result["violations"]} == {"leaves_are_issued"}
    assert "docs/stops.md" not in failed.result["msg"]
    for part in (
        "Secret kafka/demo-kafka-0",
        "the external issuer has not answered since",
        "export them with strimzi_csr",
    ):
        assert part in failed.result["msg"]
    told = len(failed.result["violations"])
    assert reasons(memory) - before == Counter({"LeafNotIssued": told})
    assert {one["type"] for one in events(memory) if one["reason"] == "LeafNotIssued"} == {"Warning"}
    office(memory).work()
    before = reasons(memory)
    assert not reconcile(memory).failed
    found = reasons(memory) - before
    assert (found["LeafIssued"], found["LeafNotIssued"]) == (1, 0)


def reconcile(memory: MemoryCluster, **options: Any) -> Ended:
    return call("strimzi_trusted_certs", memory, state="retired", client_grace=0, spare_leaves=0, **options)


def missing_a_leaf() -> MemoryCluster:
    """The key of the CA in use is kept elsewhere, and the leaf of a node was deleted and is asked for."""
    memory = moved()
    memory.api.request("DELETE", "/api/v1/namespaces/kafka/secrets/demo-kafka-0")
    reconcile(memory)
    assert [name for _secret, name in office(memory).requests()] == ["demo-kafka-0"]
    return memory


def moved() -> MemoryCluster:
    memory = asked()
    office(memory).work()
    assert replace_key(memory).result["done"]
    return memory


def test_a_request_that_is_taken_back_is_given_up(golden: GoldenFiles) -> None:
    memory = moved()
    before = reasons(memory)
    forced = {"state": "renewed", "force": True, "secrets": ["demo-kafka-0", "demo-kafka-1"], "spare_leaves": 0}
    stages.done(memory, "strimzi_ee_cert", **forced)
    assert (len(office(memory).requests()), reasons(memory) - before) == (2, Counter())
    stages.done(memory, "strimzi_ee_cert", state="renewed", spare_leaves=0)
    assert reasons(memory) - before == Counter({"RequestGivenUp": 1})
    (found,) = (one for one in events(memory) if one["reason"] == "RequestGivenUp")
    assert found["type"] == "Normal"
    golden.compare_said("calls", found["note"])
    stages.done(memory, "strimzi_ee_cert", state="renewed", spare_leaves=0)
    assert reasons(memory) - before == Counter({"RequestGivenUp": 1})


def test_a_request_for_something_else_is_given_up_with_the_reason(golden: GoldenFiles) -> None:
    memory = moved()
    before = reasons(memory)
    stages.done(memory, "strimzi_ee_cert", state="renewed", force=True, secrets=["demo-kafka-0"], spare_leaves=0)
    memory.api.request("DELETE", "/api/v1/namespaces/kafka/secrets/demo-issuing-kafka-keys")
    stages.done(memory, "strimzi_ee_cert", state="renewed", force=True, secrets=["demo-kafka-0"], spare_leaves=0)
    assert reasons(memory) - before == Counter({"RequestGivenUp": 1})
    (found,) = (one for one in events(memory) if one["reason"] == "RequestGivenUp")
    golden.compare_said("calls", found["note"])


def test_requests_that_are_served_are_not_given_up() -> None:
    """From the first request to the last leaf, through the renewal of one leaf."""
    memory = moved()
    stages.done(memory, "strimzi_ee_cert", state="renewed", force=True, secrets=["demo-kafka-0"], spare_leaves=0)
    office(memory).work()
    stages.done(memory, "strimzi_ee_cert", state="renewed", force=True, secrets=["demo-kafka-0"], spare_leaves=0)
    assert reasons(memory)["RequestGivenUp"] == 0


@pytest.mark.parametrize("check", [True, False], ids=["check", "run"])
def test_a_secret_of_another_owner_is_an_event(check: bool) -> None:
    memory = stages.managed()
    put_foreign(memory, Name("demo-issuing-kafka-keys"))
    before = reasons(memory)
    held = call("strimzi_ca", memory, check=check, **ELSEWHERE)
    assert held.failed
    assert reasons(memory) - before == Counter({} if check else {"SecretNotOwned": 1})
    for one in events(memory):
        if one["reason"] == "SecretNotOwned":
            assert one["type"] == "Warning"
            assert "Secret kafka/demo-issuing-kafka-keys" in one["note"]


def test_an_object_of_another_kind_and_owner_is_no_such_event() -> None:
    memory = stages.managed()
    put_foreign(memory, Name("demo-cluster-ca-audit", kind="ConfigMap"))
    before = reasons(memory)
    assert call("strimzi_ca", memory, audit=True, **stages.PREPARED).failed
    assert reasons(memory) == before


def test_a_call_that_fails_tells_what_it_has_done() -> None:
    memory = stages.managed()
    before, begun = reasons(memory), {"state": "replaced", "fresh_for_hours": 0, **stages.FAST}
    failed = call("strimzi_ca", memory, answer=refusing("PATCH", "secrets/demo-cluster-ca-cert"), **begun)
    assert (failed.failed, failed.result["changed"]) == (True, True)
    assert reasons(memory) - before == Counter({"FlowBegun": 1})
    # The call that goes on finds it begun.
    stages.done(memory, "strimzi_ca", **begun, ends_after="trust")
    assert reasons(memory) - before == Counter({"FlowBegun": 1})


def test_a_call_that_fails_before_its_first_write_tells_nothing() -> None:
    memory = stages.managed()
    before = reasons(memory)
    refused = refusing("PATCH", "secrets/demo-cluster-ca")
    failed = call("strimzi_ca", memory, answer=refused, state="replaced", fresh_for_hours=0, **stages.FAST)
    assert (failed.failed, failed.result["changed"], reasons(memory)) == (True, False, before)


@pytest.mark.parametrize("options", [{"check": True, "state": "adopted"}, {"check": False, "state": "present"}])
def test_a_call_that_does_nothing_says_nothing(options: dict[str, Any]) -> None:
    memory = stages.generated() if options["check"] else stages.managed()
    before = reasons(memory)
    call("strimzi_ca", memory, **options)
    assert reasons(memory) == before


def test_a_role_without_the_permission_does_the_same_work() -> None:
    memory, asked = stages.generated(), []

    def refused(method: str, path: str) -> Response | None:
        if not path.endswith("/events"):
            return None
        asked.append(path)
        return Response(
            403, {"kind": "Status", "reason": "Forbidden", "message": "events are forbidden", "code": 403}, {}
        )

    ended = call("strimzi_ca", memory, state="adopted", answer=refused)
    assert not ended.failed, ended.result["msg"]
    assert (ended.failed, len(asked), events(memory)) == (False, 1, [])
    assert not [one for one in ended.warnings if "events" in one]
