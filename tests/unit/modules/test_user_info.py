# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_user_info: who has which certificate of the clients CA, and who presents it; nothing is changed and no key is shown."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster import looking
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.nodes import ObservedListener

from ...support.certificates import Entity, key, make
from ...support.memory_api import Response
from ...support.memory_cluster import MemoryCluster
from ...support.permissions import forbidden
from ...support.users import CERTIFICATE_SECRET, KEY_SECRET, clients_ca, kafka_user, user_secret
from . import stages
from .running import call
from .stages import DAY, NOW

OLD = make("clients-ca v9", key(20), begin=NOW - DAY, end=NOW + 100 * DAY)


def cluster() -> tuple[MemoryCluster, Entity]:
    """A cluster, and the CA that issues for its users; OLD is trusted beside that CA."""
    memory = stages.managed()
    certificates, keys = (memory.api.find("secrets", "kafka", name) or {} for name in (CERTIFICATE_SECRET, KEY_SECRET))
    current = clients_ca(certificates, keys)
    path = f"/api/v1/namespaces/kafka/secrets/{CERTIFICATE_SECRET}"
    patch = {"data": {"ca-old.crt": base64.b64encode(OLD.certificate.pem).decode()}}
    assert memory.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json").status == 200
    for name, issuer, days in (("payments", current, 90), ("billing", current, 30), ("orders", OLD, 90)):
        memory.apply(kafka_user(name), user_secret(name, issuer, current, NOW, days=days))
    memory.apply(kafka_user("lost"), kafka_user("scram", kind="scram-sha-512"))
    return memory, current


def test_every_user_with_its_certificate_and_the_ca_of_it() -> None:
    memory, current = cluster()
    ended = call("strimzi_user_info", memory)
    result = ended.result
    assert (ended.failed, result["changed"], ended.writes) == (False, False, [])
    assert (result["namespace"], result["user_operator"]) == ("kafka", True)
    authorities = {one["sha256"]: one["current"] for one in result["clients_cas"]}
    assert authorities == {OLD.certificate.sha256: False, current.certificate.sha256: True}
    new, old = (
        f"{name} ({one.certificate.sha256[:12]})" for name, one in (("clients-ca v0", current), ("clients-ca v9", OLD))
    )
    assert {one["name"]: one["certificate"] and one["certificate"]["ca"] for one in result["users"]} == {
        "billing": new, "lost": "", "orders": old, "payments": new, "scram": None,
    }  # fmt: skip
    by_ca = {one["ca"]: (one["users"], one["first_end"], one["last_end"]) for one in result["users_by_ca"]}
    ends = [f"{NOW + days * DAY:%Y-%m-%dT%H:%M:%SZ}" for days in (30, 90)]
    assert by_ca == {new: (2, *ends), old: (1, ends[1], ends[1])}
    assert result["problems"] == ["KafkaUser kafka/lost: Secret kafka/lost does not exist."]


def test_who_presents_it_and_who_has_yet_to_restart() -> None:
    memory, _current = cluster()
    pod: dict[str, Any] = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "orders-0"},
        "spec": {"containers": [{"name": "app", "envFrom": [{"secretRef": {"name": "orders"}}]}]},
    }  # fmt: skip
    memory.apply(pod)
    (found,) = [one for one in call("strimzi_user_info", memory).result["users"] if one["name"] == "orders"]
    assert found["presenters"] == [{"name": "Pod kafka/orders-0", "up_to_date": True}]


def test_a_broker_that_would_refuse_users_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker that has not read its trust again since the CA that issues was added."""
    memory, current = cluster()
    new, old = current.certificate, OLD.certificate
    answers = (
        ObservedListener("demo-kafka-0", "0", 9093, (new,), accepts=frozenset({new.fingerprint, old.fingerprint})),
        ObservedListener("demo-kafka-1", "1", 9093, (new,), frozenset({old.fingerprint}), frozenset({new.fingerprint})),
        ObservedListener("demo-kafka-2", "2", 9093, None, why="the listener 9093 of demo-kafka-2 cannot be reached"),
    )
    monkeypatch.setattr(connect, "port_opener_for", lambda *_options: None)
    monkeypatch.setattr(looking, "look_at_user_listeners", lambda *_what, **_how: answers)
    result = call("strimzi_user_info", memory).result
    labels = {"new": f"clients-ca v0 ({new.sha256[:12]})", "old": f"clients-ca v9 ({old.sha256[:12]})"}
    told = [
        (one["pod"], one["name"], sorted(one["trusts"]), one["refuses"], one["why"]) for one in result["user_listeners"]
    ]
    assert told == [
        ("demo-kafka-0", "tls", sorted(labels.values()), [], []),
        ("demo-kafka-1", "tls", [labels["old"]], [labels["new"]], []),
        ("demo-kafka-2", "tls", [], [], ["the listener 9093 of demo-kafka-2 cannot be reached"]),
    ]  # fmt: skip
    assert result["unasked"] == ""
    assert result["problems"][1:] == [
        f"Listener tls (9093) of Pod demo-kafka-1 refuses certificates of {labels['new']}, and 2 users have one: it has to read its trust "
        "again, or to restart."
    ]


def test_where_no_broker_can_be_reached_that_is_said() -> None:
    memory, _current = cluster()
    result = call("strimzi_user_info", memory).result
    assert (result["unasked"], [one["pod"] for one in result["user_listeners"]]) == (
        "kubeconfig leads to no node. Give another one.",
        [""],
    )
    assert call("strimzi_user_info", memory, evidence="annotations").result["unasked"] == "asked for"
    ended = call("strimzi_user_info", memory, evidence="handshake")
    assert (ended.failed, ended.result["msg"]) == (True, "kubeconfig leads to no node. Give another one.")


def test_without_permission_it_says_what_is_missing() -> None:
    def refuse(method: str, path: str) -> Response | None:
        return forbidden("kafkausers") if path.endswith("/kafkausers") else None

    memory, _current = cluster()
    ended = call("strimzi_user_info", memory, answer=refuse)
    assert ended.failed
    assert ended.result["msg"].startswith("Failed to list KafkaUser objects in namespace kafka: ")


def test_certificates_in_secrets_that_are_named() -> None:
    memory, current = cluster()
    content = user_secret("partner", current, current, NOW)
    content["metadata"]["labels"] = {}
    memory.apply(content)
    result = call("strimzi_user_info", memory, presenting_secrets=["partner:user.crt", "kafka/none"]).result
    found, missing = result["named_certificates"]
    assert (found["secret"], found["certificate"]["ca"]) == (
        "Secret kafka/partner entry user.crt", f"clients-ca v0 ({current.certificate.sha256[:12]})",
    )  # fmt: skip
    assert (missing["secret"], missing["certificate"]["sha256"]) == ("Secret kafka/none", "")
    assert "Secret kafka/none: it does not exist." in result["problems"]


def test_a_name_that_is_none_is_said_with_the_forms_there_are() -> None:
    memory, _current = cluster()
    ended = call("strimzi_user_info", memory, presenting_secrets=["kafka/partner/tls.crt"])
    assert ended.failed
    assert ended.result["msg"] == (
        "presenting_secrets: 'kafka/partner/tls.crt' is not the name of a Secret. Give name, namespace/name or namespace/name:entry."
    )


def test_users_of_another_namespace() -> None:
    memory, _current = cluster()
    path = "/apis/kafka.strimzi.io/v1/namespaces/team/kafkausers"
    assert memory.api.request("POST", path, body=kafka_user("orders", "team")).status == 201
    result = call("strimzi_user_info", memory, user_namespaces=[{"namespace": "team", "secret_prefix": "k-"}]).result
    (theirs,) = [one for one in result["users"] if one["namespace"] == "team"]
    assert (theirs["secret"], theirs["certificate"]["problem"]) == ("k-orders", "Secret team/k-orders does not exist")
