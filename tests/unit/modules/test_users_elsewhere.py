# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules with a clients CA whose key somebody else keeps, as people call them, and what they are told."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates

from ...operator.user_operator import UserOperatorDouble
from ...support.checker import entries
from ...support.memory_cluster import MemoryCluster
from ...support.signed_by_hand import Signature
from ...support.users import kafka_user
from .conftest import FastClock
from .running import Ended, call
from .stages import DAY, ELSEWHERE, FAST, NOW, done, managed

GOOD = Signature(ELSEWHERE, NOW - DAY / 24)
SUPPLIED = {
    "state": "replaced", "certificate": ELSEWHERE.certificate.pem.decode(), "client_grace": 0, "fresh_for_hours": 0, **FAST,
}  # fmt: skip


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> MemoryCluster:
    """With an adopted clients CA and two users. It moves while somebody waits for users, whom nobody can watch."""
    found = managed()
    sleep = FastClock.sleep

    def go_on(clock: FastClock, seconds: float) -> None:
        found.step()
        sleep(clock, seconds)

    monkeypatch.setattr(FastClock, "sleep", go_on)
    operator = UserOperatorDouble(found.api, found.namespace, found.cluster)
    found.neighbours.append(operator.reconcile)
    found.apply(*(kafka_user(name, found.namespace) for name in ("orders", "payments")))
    found.settle(1)
    asked(found, "strimzi_ca", state="adopted")
    return found


def asked(memory: MemoryCluster, module: str, **options: Any) -> Ended:
    return done(memory, module, ca="clients", **options)


def requests(memory: MemoryCluster, **options: Any) -> dict[str, dict[str, Any]]:
    return {one["secret"]: one for one in asked(memory, "strimzi_csr", **options).result["requests"]}


def signed(memory: MemoryCluster, *names: str) -> list[str]:
    found = requests(memory)
    return [GOOD.sign(found[name]["csr"].encode()).decode() for name in names or found]


def bring(memory: MemoryCluster, *certificates: str) -> Ended:
    return call("strimzi_csr", memory, ca="clients", state="imported", certificates=list(certificates))


def moved(memory: MemoryCluster) -> None:
    asked(memory, "strimzi_ca", ends_after="trust", **SUPPLIED)
    asked(memory, "strimzi_ee_cert", state="issued")
    assert not bring(memory, *signed(memory)).failed
    asked(memory, "strimzi_ee_cert", state="issued")
    asked(memory, "strimzi_roll")
    asked(memory, "strimzi_trusted_certs", state="retired", client_grace=0)


def subjects(memory: MemoryCluster) -> dict[str, tuple[str, str]]:
    found = {name: entries(memory.api.find("secrets", memory.namespace, name)) for name in ("orders", "payments")}
    leaves = {name: parse_certificates(content["user.crt"])[0] for name, content in found.items()}
    return {name: (leaf.subject, leaf.issuer) for name, leaf in leaves.items()}


def test_task_by_task(memory: MemoryCluster) -> None:
    asked(memory, "strimzi_ca", ends_after="trust", **SUPPLIED)
    waiting = asked(memory, "strimzi_ee_cert", state="issued").result
    assert not waiting["done"]
    assert "2 certificates of CN=Corporate CA" in waiting["waiting"][0]
    found = requests(memory)
    assert {name: (one["component"], one["subject"]) for name, one in found.items()} == {
        name: ("user", f"CN={name}") for name in ("orders", "payments")
    }
    imported = bring(memory, *signed(memory))
    assert [one["subject"] for one in imported.result["imported"]] == ["CN=orders", "CN=payments"]
    issued = asked(memory, "strimzi_ee_cert", state="issued").result
    assert subjects(memory) == {name: (f"CN={name}", ELSEWHERE.certificate.subject) for name in ("orders", "payments")}
    assert {(leaf["secret"], leaf["component"]) for leaf in issued["leaves"]} == {
        ("orders", "user"),
        ("payments", "user"),
    }
    asked(memory, "strimzi_roll")
    retired = asked(memory, "strimzi_trusted_certs", state="retired", client_grace=0)
    assert [one["subject"] for one in retired.result["cas"]] == [ELSEWHERE.certificate.subject]
    again = asked(memory, "strimzi_trusted_certs", state="retired", client_grace=0)
    assert (again.result["changed"], again.writes) == (False, [])


def test_who_waits_for_what(memory: MemoryCluster) -> None:
    """A user who is new has no certificate, and nobody but the issuer can make one."""
    moved(memory)
    memory.apply(kafka_user("billing", memory.namespace))
    memory.settle(1)
    users = done(memory, "strimzi_user_info").result
    assert "KafkaUser kafka/billing: Secret kafka/billing does not exist." in users["problems"]
    asked(memory, "strimzi_ee_cert", state="issued")
    told = asked(memory, "strimzi_ca_info").result
    assert ("billing", "REQUESTED", "missing") in [
        (one["secret"], one["state"], one["reason"]) for one in told["leaf_states"]
    ]
    assert "for billing; nothing else is held up, and the next run goes on." in " ".join(told["waiting"])


def test_a_certificate_that_has_expired(memory: MemoryCluster) -> None:
    """The person who brings it is told, and nothing is written."""
    asked(memory, "strimzi_ca", ends_after="trust", **SUPPLIED)
    asked(memory, "strimzi_ee_cert", state="issued")
    (good,) = signed(memory, "orders")
    other = Signature(ELSEWHERE, NOW - DAY * 62).sign(requests(memory)["payments"]["csr"].encode()).decode()
    ended = bring(memory, good, other)
    assert ended.failed
    assert ended.writes == []
    assert "payments" in ended.result["msg"]


def test_a_user_named_as_one_of_strimzis_own(memory: MemoryCluster) -> None:
    memory.apply(kafka_user("demo-kafka", memory.namespace))
    memory.settle(1)
    ended = call("strimzi_ca", memory, ca="clients", **SUPPLIED)
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"] == (
        "Kafka cluster kafka/demo: KafkaUser kafka/demo-kafka: is named as one of Strimzi's own processes, and gets no certificate of an issuer "
        "elsewhere: one that adds their organization would let it do everything in Kafka. Give the user another name."
    )


def test_more_users_than_have_room(memory: MemoryCluster) -> None:
    memory.apply(*(kafka_user(f"user-{number}", memory.namespace) for number in range(499)))
    ended = call("strimzi_ca", memory, ca="clients", **SUPPLIED)
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"].startswith(
        "Kafka kafka/demo: has 501 users with certificates of the clients CA. The Secret in which"
    )
