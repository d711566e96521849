# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules with ``ca: clients``, one after the other as the roles call them."""

from __future__ import annotations

from typing import Any

import pytest

from ...tools.operator.user_operator import UserOperatorDouble
from ...tools.support.checker import entries
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.users import kafka_user
from .fast_clock import FastClock
from .mistakes import found
from .running import Ended, call
from .stages import FAST, done, managed

SWITCHED, CERTIFICATES = "demo-clients-ca", "demo-clients-ca-cert"


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> MemoryCluster:
    return adopted_with(monkeypatch, "orders")


def adopted_with(monkeypatch: pytest.MonkeyPatch, *users: str) -> MemoryCluster:
    """With an adopted clients CA and these users. It moves while a call waits for users, which no call can watch."""
    found = managed()
    sleep = FastClock.sleep

    def go_on(clock: FastClock, seconds: float) -> None:
        found.step()
        sleep(clock, seconds)

    monkeypatch.setattr(FastClock, "sleep", go_on)
    operator = UserOperatorDouble(found.api, found.namespace, found.cluster)
    found.neighbours.append(operator.reconcile)
    found.apply(*(kafka_user(name, found.namespace) for name in users))
    found.settle(1)
    adopted = asked(found, "strimzi_ca", state="adopted")
    assert [one["state"] for one in adopted.result["cas"]] == ["TRUSTED_IN_USE_ALL"]
    return found


def asked(memory: MemoryCluster, module: str, **options: Any) -> Ended:
    return done(memory, module, ca="clients", **options)


def states(ended: Ended) -> dict[str, str]:
    return {one["subject"].partition(",")[0]: one["state"] for one in ended.result["cas"]}


def test_task_by_task(memory: MemoryCluster) -> None:
    """Each ends with what it is for; nodes cannot be told to read again here, so brokers restart."""
    old, new = "CN=clients-ca v0", "CN=clients-ca v1"
    before = memory.restarts()
    prepared = asked(memory, "strimzi_ca", state="replaced", ends_after="trust", **FAST)
    assert states(prepared) == {old: "TRUSTED_IN_USE_ALL", new: "TRUSTED_UNUSED"}
    assert memory.restarts() == {node: count + 1 for node, count in before.items()}
    issued = asked(memory, "strimzi_ee_cert", state="issued")
    assert {one["subject"].partition(",")[0]: one["current"] for one in issued.result["cas"]} == {old: False, new: True}
    assert issued.result["presenters"]["others"] == []
    asked(memory, "strimzi_roll")
    switched = asked(memory, "strimzi_ca", state="promoted")
    assert not switched.result["changed"]
    retired = asked(memory, "strimzi_trusted_certs", state="retired")
    assert states(retired) == {new: "TRUSTED_IN_USE_ALL"}
    assert len(retired.result["trusted_certificates"]) == 1
    again = asked(memory, "strimzi_trusted_certs", state="retired")
    assert (again.result["changed"], again.writes) == (False, [])


def test_users_are_shown_where_the_flow_in_flight_looks(memory: MemoryCluster) -> None:
    """A caller who names nothing asks about the same places as the flow."""
    asked(
        memory,
        "strimzi_ca",
        state="replaced",
        until_phase="prepare",
        presenting_secrets=["kafka/orders:user.crt"],
        user_namespaces=[{"namespace": "team"}],
        **FAST,
    )
    memory.apply(kafka_user("audit", "team"))
    shown = done(memory, "strimzi_user_info").result["users"]
    assert {one["name"].rpartition("/")[2] for one in shown} == {"orders", "audit"}
    assert [one["secret"] for one in done(memory, "strimzi_user_info").result["named_certificates"]] == [
        "Secret kafka/orders entry user.crt"
    ]
    assert done(memory, "strimzi_user_info", presenting_secrets=[]).result["named_certificates"] == []


def test_the_plan(memory: MemoryCluster, golden: GoldenFiles) -> None:
    found = asked(memory, "strimzi_ca_info", goal="replace_key").result
    assert found["planned_rolls"] == 2
    golden.compare_said("calls", "\n".join(one["what"] for one in found["plan"] if one["phase"] == "use"))
    assert found["presenters"] == {"count": 2, "others": []}


@pytest.mark.parametrize(
    ("module", "options"), [("strimzi_ca_info", {"goal": "replace_key"}), ("strimzi_ca", {"state": "adopted"})]
)
def test_a_listener_that_this_collection_does_not_manage_is_a_warning(
    memory: MemoryCluster, module: str, options: dict[str, Any], golden: GoldenFiles
) -> None:
    """It comes with every task about the clients CA, and with none about the cluster CA."""
    kafka: Any = memory.api.find("kafkas", memory.namespace, memory.cluster)
    own = {
        "name": "own", "port": 9094, "type": "internal", "tls": True,
        "authentication": {"type": "custom", "sasl": False, "listenerConfig": {"ssl.client.auth": "required"}},
    }  # fmt: skip
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{memory.namespace}/kafkas/{memory.cluster}"
    listeners = [*kafka["spec"]["kafka"]["listeners"], own]
    patch = {"spec": {"kafka": {"listeners": listeners}}}
    assert memory.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json").status == 200
    memory.settle(1)
    ended = asked(memory, module, **options)
    (told,) = ended.result["unmanaged"]
    assert ended.result["violations"] == []
    golden.compare_said("calls", told)
    assert told in ended.warnings
    assert done(memory, "strimzi_ca_info").result["unmanaged"] == []


def test_check_mode_writes_nothing(memory: MemoryCluster) -> None:
    ended = asked(memory, "strimzi_ca", state="replaced", check=True, **FAST)
    assert (ended.writes, ended.result["changed"], ended.result["planned_rolls"]) == ([], True, 2)


def test_neither_module_takes_the_lease_of_the_other_ca(memory: MemoryCluster) -> None:
    first = asked(memory, "strimzi_ca", state="replaced", until_phase="prepare", **FAST)
    other = done(memory, "strimzi_ca", state="replaced", until_phase="prepare", fresh_for_hours=0, **FAST)
    assert {write for write in first.writes if " leases" in write} >= {"PATCH leases/demo-trust.clients"}
    assert not {write for write in other.writes if "trust.clients" in write}


def test_an_unknown_issuer_of_a_user_fails_a_flow_on_the_clients_ca(memory: MemoryCluster) -> None:
    memory.apply(kafka_user("partner", memory.namespace, "tls-external"))
    ended = call("strimzi_ca", memory, ca="clients", state="replaced", **FAST)
    assert (ended.failed, found(ended)) == (True, [("presenters_are_known", "KafkaUser kafka/partner")])
    assert ended.writes == []


def test_no_certificate_that_no_user_has(memory: MemoryCluster, golden: GoldenFiles) -> None:
    """A rotation would cut its holder off."""
    ended = call("strimzi_ee_cert", memory, ca="clients", secret="partner-cert", common_name="partner")
    assert (ended.failed, ended.writes) == (True, [])
    golden.compare_said("calls", ended.result["msg"])


def test_brokers_restart_for_a_reason_of_ones_own(memory: MemoryCluster) -> None:
    before = memory.restarts()
    asked(memory, "strimzi_roll", reason="a key was stolen", components=["kafka"])
    assert memory.restarts() == {node: count + 1 for node, count in before.items()}


@pytest.mark.parametrize("check", [True, False])
def test_a_node_that_would_not_come_back_is_not_restarted(
    check: bool, memory: MemoryCluster, golden: GoldenFiles
) -> None:
    """Nodes start with certificates of the cluster CA, whichever CA the call is about."""
    memory.operator_runs = False
    memory.api.request("DELETE", "/api/v1/namespaces/kafka/secrets/demo-kafka-1")
    ended = call("strimzi_roll", memory, ca="clients", check=check, reason="a key was stolen", pod_timeout=1)
    assert (ended.failed, ended.writes_but_lease) == (True, [])
    golden.compare_said("calls", ended.result["msg"])


def test_a_component_that_presents_no_certificate_of_the_ca_restarts_where_it_is_named(memory: MemoryCluster) -> None:
    def entity_operators() -> dict[str, str]:
        found = memory.api.all("pods", memory.namespace)
        names = ((pod["metadata"]["name"], pod["metadata"]["uid"]) for pod in found)
        return {name: uid for name, uid in names if "entity-operator" in name}

    before = entity_operators()
    by_kind = asked(memory, "strimzi_roll", reason="a new kernel", components=["entity-operator"])
    after = entity_operators()
    asked(memory, "strimzi_roll", reason="a new kernel", pods=sorted(after))
    assert [one["verb"] for one in by_kind.result["actions"]] == ["delete", "restart"]
    assert len({*before.values(), *after.values(), *entity_operators().values()}) == 3


def test_the_cas_of_brokers_are_published_to_programs_that_verify_users(memory: MemoryCluster) -> None:
    """In the form of the bundle for clients."""
    asked(memory, "strimzi_trusted_certs", state="retired", client_bundle=True)
    published = entries(memory.api.find("secrets", memory.namespace, "demo-clients-ca-bundle"))
    assert set(published) == {"ca.crt", "ca.p12", "ca.jks", "ca.password"}
    assert published["ca.crt"] == entries(memory.api.find("secrets", memory.namespace, CERTIFICATES))["ca.crt"]
    assert memory.api.find("secrets", memory.namespace, "demo-cluster-ca-bundle") is None


def test_secrets_that_clients_of_the_cluster_ca_read_are_no_matter_of_the_clients_ca(memory: MemoryCluster) -> None:
    shown = {ca: done(memory, "strimzi_ca_info", ca=ca, trusting_secrets=["absent"]) for ca in ("cluster", "clients")}
    assert {ca: bool(ended.result["outside"]) for ca, ended in shown.items()} == {"cluster": True, "clients": False}
