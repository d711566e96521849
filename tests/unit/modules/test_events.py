# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes Events on the Kafka resource: what a person looks for, and nothing where they cannot be written."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import Response

from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .running import call, refusing

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
    restarts = sum(action["verb"] == "restart" for action in ended.result["actions"])
    assert found == Counter(
        {"FlowBegun": 1, "CaSwitched": 1, "CaRemoved": 1, "FlowFinished": 1, "PodRestarted": restarts}
    )
    assert restarts > 3
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
