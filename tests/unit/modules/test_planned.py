# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A call in check mode tells whether it would change anything, and shows by object what the whole of its plan would leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .running import call


def outside_its_windows() -> MemoryCluster:
    """Every pod is to restart next."""
    memory = stages.unlinked()
    path = "/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkas/demo"
    opens = stages.NOW + 0.5 * stages.DAY
    body = {"spec": {"maintenanceTimeWindows": [f"* * {opens.hour} ? * *"]}}
    memory.api.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    memory.settle()
    return memory


REPLACED = {"state": "replaced", **stages.FAST}
#: A CA that a plan announces, as a diff shows it.
TO_BE_MADE = "CN=cluster-ca v1,O=io.strimzi (to be made)"
CALLS: list[tuple[Callable[[], MemoryCluster], str, dict[str, Any]]] = [
    (stages.managed, "strimzi_ca", REPLACED),
    (stages.managed, "strimzi_ca", {"state": "renewed"}),
    (stages.managed, "strimzi_ca", {"state": "present"}),
    (stages.managed, "strimzi_ca", {"state": "handed_back"}),
    (stages.managed, "strimzi_trusted_certs", {"state": "retired"}),
    (stages.managed, "strimzi_trusted_certs", {"state": "converted", "layout": "single"}),
    (stages.managed, "strimzi_trusted_certs", {"state": "converted", "layout": "split"}),
    (stages.managed, "strimzi_ee_cert", {"state": "renewed"}),
    (stages.managed, "strimzi_ee_cert", {"state": "issued"}),
    (stages.managed, "strimzi_roll", {}),
    (stages.managed, "strimzi_node_pool", {"pool": "kafka", "replicas": 3}),
    (stages.generated, "strimzi_ca", {"state": "adopted"}),
    (stages.prepared, "strimzi_ca", REPLACED),
    (stages.prepared, "strimzi_ca", {"state": "aborted"}),
    (stages.prepared, "strimzi_ca", {"state": "recovered"}),
    (stages.generated, "strimzi_ca", {"state": "recovered"}),
    (stages.prepared, "strimzi_trusted_certs", {"state": "trusted"}),
    (stages.unlinked, "strimzi_trusted_certs", {"state": "trusted"}),
    (outside_its_windows, "strimzi_trusted_certs", {"state": "trusted"}),
    (stages.issued, "strimzi_roll", {}),
    (stages.issued, "strimzi_ee_cert", {"state": "issued"}),
    (stages.taken_up, "strimzi_ca", {"state": "promoted"}),
    (stages.switched, "strimzi_ca", {"state": "promoted"}),
    (stages.switched, "strimzi_trusted_certs", {"state": "retired"}),
]


@pytest.mark.parametrize(("stage", "module", "options"), CALLS)
def test_check_mode_tells_changed_as_the_call_then_does(
    stage: Callable[[], MemoryCluster], module: str, options: dict[str, Any]
) -> None:
    memory = stage()
    planned = stages.done(memory, module, check=True, **options)
    assert planned.writes == []
    assert bool(planned.result["diff"]) is planned.result["changed"]
    assert stages.done(memory, module, **options).result["changed"] is planned.result["changed"]


def shown(memory: MemoryCluster, **options: Any) -> dict[str, tuple[Any, Any]]:
    found = call("strimzi_ca", memory, check=True, **options).result["diff"]
    return {one["after_header"]: (one["before"], one["after"]) for one in found}


def test_a_replacement_shows_every_object_that_it_writes_and_restarts() -> None:
    memory = stages.managed()
    diff = shown(memory, **REPLACED)
    before, after = diff["Secret kafka/demo-cluster-ca-cert"]
    assert before["ca.crt"].startswith("CN=cluster-ca v0,O=io.strimzi (")
    assert after == {
        "ca.crt": TO_BE_MADE,
        "beside it": [],
        "generation": before["generation"] + 1,
    }
    before, after = diff["Secret kafka/demo-cluster-ca"]
    assert before["key of"].startswith("CN=cluster-ca v0,O=io.strimzi (")
    assert after["key of"] == TO_BE_MADE
    pod, leaf = next((name, values) for name, values in diff.items() if name.startswith("Secret kafka/demo-kafka-"))
    assert (leaf[0]["issuer"], leaf[1]["issuer"]) == ("CN=cluster-ca v0,O=io.strimzi", "CN=cluster-ca v1,O=io.strimzi")
    assert leaf[1]["certificate"] == "to be issued"
    restarts = {name: values for name, values in diff.items() if name.startswith("Pod ")}
    assert (
        sum(values[1]["restarts"] for values in restarts.values())
        == call("strimzi_ca", memory, check=True, **REPLACED).result["planned_restarts"]
    )
    assert pod.replace("Secret", "Pod") in restarts


def test_a_flow_that_stops_shows_what_it_would_have_done_by_then() -> None:
    diff = shown(stages.managed(), **REPLACED, until_phase="prepare")
    assert diff["Secret kafka/demo-cluster-ca"][1]["prepared"] == [TO_BE_MADE]
    assert not [name for name in diff if name.startswith(("Pod ", "Secret kafka/demo-kafka-"))]


def test_the_phases_of_a_plan_are_told_in_their_order() -> None:
    for stage in (stages.managed, stages.prepared, stages.unlinked):
        phases = call("strimzi_ca", stage(), check=True, **REPLACED).result["planned_phases"]
        assert phases == [one for one in ("prepare", "trust", "use", "retire") if one in phases]


def test_a_task_that_ends_early_shows_a_plan_to_where_it_ends(golden: GoldenFiles) -> None:
    """The rest of the flow is another task's."""
    memory = stages.taken_up()
    planned = stages.done(memory, "strimzi_ca", check=True, state="promoted").result
    golden.compare_said("calls", "\n".join(step["what"] for step in planned["plan"]))
    assert planned["planned_restarts"] == 0
    stages.done(memory, "strimzi_ca", state="promoted")
    assert stages.done(memory, "strimzi_ca", check=True, state="promoted").result["plan"] == []
    assert stages.done(memory, "strimzi_trusted_certs", check=True, state="retired").result["plan"]


# An approval of a plan, as a job between a plan and a run has it.


def plan_of(memory: MemoryCluster, **options: Any) -> Any:
    return call("strimzi_ca_info", memory, goal="replace_key", **options)


def test_an_approved_plan_runs_as_long_as_it_is_the_plan() -> None:
    memory = stages.managed()
    approved = plan_of(memory, check=True).result["plan_hash"]
    assert not plan_of(memory, plan_hash=approved, until_phase="trust").failed
    stages.done(memory, "strimzi_ca", until_phase="trust", **REPLACED)
    assert plan_of(memory).result["plan_hash"] != approved
    assert not plan_of(memory, plan_hash=approved).failed


def test_another_plan_is_refused_with_what_changed() -> None:
    memory = stages.managed()
    approved = plan_of(memory).result["plan_hash"]
    stages.done(memory, "strimzi_ca", **REPLACED)
    refused = plan_of(memory, plan_hash=approved, fresh_for_hours=0)
    present = plan_of(memory, fresh_for_hours=0).result["plan_hash"]
    assert refused.failed
    assert refused.result["violations"][0]["gate"] == "plan_is_approved"
    assert f"strimzi_plan_hash={present}" in refused.result["violations"][0]["remedy"]


def test_a_malformed_hash_is_refused() -> None:
    ended = plan_of(stages.managed(), plan_hash="yes")
    assert ended.failed
    assert "plan_hash: 'yes'" in ended.result["msg"]


def test_a_certificate_that_may_end_before_the_plan_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    warning = "The CA ends soon. Run the playbook renew first."

    def short(snapshot: Any, span: Any, goal: Any) -> tuple[str, ...]:
        asked.append(goal.value)
        return (warning,)

    monkeypatch.setattr(
        "ansible_collections.trustops.strimzi.plugins.modules.strimzi_ca_info.describe_short_lives", short
    )
    found = plan_of(stages.managed())
    assert warning in found.warnings
    assert asked == ["replace_key"]


# A key policy, from the option to the refusal before the first write.


@pytest.mark.parametrize(
    ("policy", "gates"),
    [
        ({"rsa_bits": 3000}, {"leaves_meet_policy"}),
        ({"rsa_bits": 2048}, set()),
        ({"curves": ["secp384r1"]}, {"authority_meets_policy"}),
        ({"hashes": ["sha512"]}, {"authority_meets_policy"}),
        ({"ca_days": 30}, {"authority_meets_policy"}),
        ({"leaf_days": 30}, {"leaves_meet_policy"}),
        ({"ca_days": 400, "leaf_days": 400}, set()),
    ],
)
def test_a_call_brings_in_nothing_that_breaks_the_policy(policy: dict[str, Any], gates: set[str]) -> None:
    memory = stages.managed()
    found = plan_of(memory, key_policy=policy, **stages.FAST).result["violations"]
    assert {one["gate"] for one in found} == gates
    if gates:
        ended = call("strimzi_ca", memory, key_policy={"name": "house rules", **policy}, **REPLACED)
        assert (ended.failed, ended.writes) == (True, [])
        assert "house rules" in ended.result["msg"]


#: A CA in use has a key on another curve.
OTHER_CURVE = {"key_policy": {"name": "house rules", "curves": ["secp384r1"]}}


def test_a_ca_in_use_that_breaks_a_rule_stops_its_renewal_alone() -> None:
    memory = stages.managed()
    renewed = call("strimzi_ca", memory, state="renewed", fresh_for_hours=0, **OTHER_CURVE)
    assert (renewed.failed, renewed.writes) == (True, [])
    assert renewed.result["violations"][0]["gate"] == "authority_meets_policy"
    assert stages.done(memory, "strimzi_trusted_certs", state="retired", **OTHER_CURVE).result["done"]
    replaced = stages.done(
        memory, "strimzi_ca", **{**REPLACED, "key_type": "ecdsa-p384"}, ends_after="prepare", **OTHER_CURVE
    )
    assert replaced.result["changed"]


def test_a_waiver_lets_in_a_ca_that_breaks_a_rule() -> None:
    memory, theirs = stages.managed(), stages.ELSEWHERE.certificate
    supplied = {
        "state": "replaced",
        "fresh_for_hours": 0,
        "ends_after": "prepare",
        "certificate": theirs.pem.decode(),
        **OTHER_CURVE,
    }
    held = call("strimzi_ca", memory, **supplied)
    assert (held.failed, held.writes) == (True, [])
    until = (stages.NOW + 3 * stages.DAY).isoformat()
    waiver = {"client": f"CA {theirs.sha256}", "until": until, "reason": "Kim: the keeper has no other"}
    assert stages.done(memory, "strimzi_ca", **supplied, waivers=[waiver]).result["changed"]
