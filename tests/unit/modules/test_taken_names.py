# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An object of another owner under any name that this collection gives to an object of its own: a call names the owner and the way out before its first
write, in check mode too, and changes nothing of it. An object of this collection that has lost its labels is not taken for another owner's.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from ...tools.support.ledgers import KEYED, SINGLE, STATES
from ...tools.support.memory_api import Change
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .running import Ended, call

Object = dict[str, Any]
ELSEWHERE = {**stages.PREPARED, "certificate": stages.ELSEWHERE.certificate.pem.decode()}
REPLACE = ("strimzi_ca", stages.PREPARED)


@dataclass(frozen=True)
class Name:
    """A name that this collection gives, and a call that would make an object of this name."""

    name: str
    call: tuple[str, Object] = REPLACE
    stage: Callable[[], MemoryCluster] = stages.managed
    options: Object = field(default_factory=dict)
    kind: str = "Secret"

    @property
    def plural(self) -> str:
        return f"{self.kind.lower()}s"

    @property
    def path(self) -> str:
        root = {"Lease": "/apis/coordination.k8s.io/v1"}.get(self.kind, "/api/v1")
        return f"{root}/namespaces/kafka/{self.plural}"

    def run(self, memory: MemoryCluster, **options: Any) -> Ended:
        return call(self.call[0], memory, **{**self.call[1], **self.options, **options})


def issuing(component: str) -> list[Name]:
    return [Name(f"demo-issuing-{component}{end}", ("strimzi_ca", ELSEWHERE)) for end in ("", "-keys")]


NAMES = [
    Name("demo-cluster-ca", ("strimzi_ca", {"before_kafka": True, **stages.FAST}), MemoryCluster),
    Name("demo-cluster-ca-cert", ("strimzi_ca", {"before_kafka": True, **stages.FAST}), MemoryCluster),
    Name(SINGLE, ("strimzi_ca", {"state": "adopted"}), stages.generated),
    Name("demo-clients-ca-trusted-certs", ("strimzi_ca", {"ca": "clients", "state": "adopted"}), stages.generated),
    Name(STATES, ("strimzi_trusted_certs", {"state": "converted", "layout": "split"})),
    Name(KEYED, ("strimzi_trusted_certs", {"state": "converted", "layout": "keyed"})),
    Name("demo-cluster-ca-bundle", options={"client_bundle": True}),
    Name("demo-cluster-ca-backup-1", options={"backup": True}),
    Name("demo-cluster-ca-audit", options={"audit": True}, kind="ConfigMap"),
    Name("demo-trust", kind="Lease"),
    Name("demo-trustbundle"),
    Name("demo-kafka-0"),
    Name("demo-kafka-exporter-certs"),
    Name("demo-cluster-operator-certs"),
    *(one for component in ("kafka", "cluster-operator", "cruise-control", "entity-operator", "kafka-exporter") for one in issuing(component)),
]  # fmt: skip


def put(memory: MemoryCluster, name: Name, content: Object, manager: str = "helm", **metadata: Any) -> Object:
    """Another program puts its object in the place of whatever is there."""
    memory.api.request("DELETE", f"{name.path}/{name.name}")
    body = {"metadata": {"name": name.name, **metadata}, **content}
    answer = memory.api.request("POST", name.path, body=body, query={"fieldManager": manager})
    assert answer.status == 201
    return answer.body


def put_foreign(memory: MemoryCluster, name: Name, **labels: str) -> Object:
    content: Object = {"data": {"notes": base64.b64encode(b"theirs").decode()}}
    if name.kind == "Lease":
        content = {"spec": {"holderIdentity": "their-controller", "leaseDurationSeconds": 15}}
    return put(
        memory, name, content, labels={"app.kubernetes.io/managed-by": "Helm", **labels},
        ownerReferences=[{"apiVersion": "apps/v1", "kind": "Deployment", "name": "theirs", "uid": "u"}],
    )  # fmt: skip


@pytest.mark.parametrize("check", [True, False], ids=["check", "run"])
@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.name)
def test_the_owner_of_a_taken_name_is_named_before_the_first_write(name: Name, check: bool) -> None:
    memory = name.stage()
    theirs = put_foreign(memory, name)
    before = memory.api.but_events()
    ended = name.run(memory, check=check)
    assert (ended.failed, ended.writes) == (True, [])
    told = ended.result["msg"]
    for part in (f"{name.kind} kafka/{name.name}", "app.kubernetes.io/managed-by=Helm", "Deployment theirs", "helm ("):
        assert part in told
    assert f"kubectl delete {name.kind.lower()} {name.name} --namespace kafka" in told
    assert memory.api.find(name.plural, "kafka", name.name) == theirs
    assert memory.api.but_events() == before


#: The labels of everything of the cluster, as another tool that follows the drafts of Strimzi may set them.
LABELS = {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": "demo"}
#: Secrets that no operator of Strimzi writes.
OF_COLLECTION = [
    name for name in NAMES if any(part in name.name for part in ("trust-", "trusted", "-bundle", "backup", "issuing"))
]


@pytest.mark.parametrize("name", OF_COLLECTION, ids=lambda name: name.name)
def test_labels_of_the_cluster_alone_make_it_no_object_of_this_collection(name: Name) -> None:
    memory = name.stage()
    theirs = put_foreign(memory, name, **LABELS)
    ended = name.run(memory)
    assert (ended.failed, ended.writes) == (True, [])
    assert "Deployment theirs" in ended.result["msg"]
    assert memory.api.find("secrets", "kafka", name.name) == theirs


@pytest.mark.parametrize(
    "name", [one for one in OF_COLLECTION if not one.name.endswith("trusted-certs")], ids=lambda name: name.name
)
def test_a_name_that_a_call_does_not_need_holds_nothing(name: Name) -> None:
    memory = stages.managed()
    theirs = put_foreign(memory, name, **LABELS)
    stages.done(memory, "strimzi_ca", **stages.PREPARED)
    assert memory.api.find("secrets", "kafka", name.name) == theirs


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.name)
def test_the_call_goes_on_when_the_name_is_free_again(name: Name) -> None:
    memory = name.stage()
    put_foreign(memory, name)
    memory.api.request("DELETE", f"{name.path}/{name.name}")
    memory.settle()
    assert "another owner" not in (name.run(memory).result.get("msg") or "")


#: The content of an object of this collection, whose labels and writers a restore has lost.
OURS = {
    "demo-issuing-kafka": {"demo-kafka-0.requested": b"{}"},
    "demo-issuing-kafka-keys": {"demo-kafka-0.key": b"a key"},
    "demo-cluster-ca-bundle": {"ca.crt": b"", "ca.p12": b"", "ca.jks": b"", "ca.password": b"a password"},
    "demo-cluster-ca-backup-1": {"secrets.json.gz": b"", "tls.crt": b""},
    "demo-kafka-0": {"demo-kafka-0.crt": b"", "demo-kafka-0.key": b""},
    SINGLE: {f"{'a' * 40}.crt": b"", f"{'a' * 40}.state": b"UNTRUSTED"},
}


@pytest.mark.parametrize("name", [name for name in NAMES if name.name in OURS], ids=lambda name: name.name)
def test_an_object_of_ours_without_its_labels_is_not_another_owners(name: Name) -> None:
    memory = name.stage()
    content = {entry: base64.b64encode(value).decode() for entry, value in OURS[name.name].items()}
    put(memory, name, {"data": content}, manager="kubectl-client-side-apply")
    ended = name.run(memory)
    assert ended.failed
    assert "another owner" not in ended.result["msg"]
    assert f"kubectl label secret {name.name} --namespace kafka --overwrite" in ended.result["msg"]


def test_an_object_that_comes_meanwhile_is_named_where_it_is_created() -> None:
    """It comes after the look before the first write."""
    memory, name = stages.managed(), Name("demo-issuing-kafka", ("strimzi_ca", ELSEWHERE))

    def come(change: Change) -> None:
        if change.plural == "secrets":
            memory.api.listeners.remove(come)
            put_foreign(memory, name)

    memory.api.listeners.append(come)
    ended = name.run(memory)
    stored = memory.api.find("secrets", "kafka", name.name) or {}
    assert (ended.failed, list(stored["data"])) == (True, ["notes"])
    assert "app.kubernetes.io/managed-by=Helm" in ended.result["msg"]
