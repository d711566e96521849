# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_user and strimzi_user_info: who has which certificate of the clients CA, who presents it, and users whose certificates an issuer elsewhere signs."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import module as composition
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster import listeners as listener_looks
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener

from ...tools.operator import certs
from ...tools.support.certificates import Entity, key, make
from ...tools.support.checker import entries
from ...tools.support.faults import Fault, FaultyApi, always
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.signed_by_hand import Signature
from ...tools.support.users import CERTIFICATE_SECRET, KEY_SECRET, clients_ca, kafka_user, user_secret
from . import stages
from .blocked import WHY_BLOCKED
from .mistakes import found
from .running import Ended, call, refusing
from .stages import DAY, ELSEWHERE, FAST, NOW, done
from .test_clients_ca import adopted_with, asked
from .uses import USES

(USE,) = (use for use in USES if use.module == "strimzi_user")


def keep(memory: MemoryCluster, subject: str, *, by: Entity | None = None) -> None:
    """A Secret as cert-manager leaves it. by: the CA that has issued the certificate, where that is not the one in use."""
    stored = (memory.api.find("secrets", "kafka", name) or {} for name in ("demo-clients-ca-cert", "demo-clients-ca"))
    ca, ca_key = (base64.b64decode(one["data"][entry]) for one, entry in zip(stored, ("ca.crt", "ca.key"), strict=True))
    if by is not None:
        ca, ca_key = by.certificate.pem, by.key.reveal()
    own = certs.new_leaf_key()
    leaf = certs.leaf(certs.name(subject, None), (), own, ca, certs.load_key(ca_key), 90)
    assert leaf is not None
    data = encode({"tls.crt": leaf, "tls.key": certs.key_pem(own), "ca.crt": ca})
    metadata = {"name": "orders-cm"}
    memory.apply(
        {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "metadata": metadata, "data": data}
    )


def encode(content: dict[str, bytes]) -> dict[str, str]:
    return {entry: base64.b64encode(value).decode() for entry, value in content.items()}


def leave(memory: MemoryCluster, **options: Any) -> Ended:
    return call("strimzi_user", memory, **{**USE.options, **options})


def test_with_a_certificate_at_hand() -> None:
    memory = USE.start()
    keep(memory, "orders")
    ended = leave(memory, presenting_secrets=["orders-cm"])
    assert not ended.failed, ended.result["msg"]
    assert ended.result["user"] == {
        "name": "orders", "namespace": "kafka", "authentication": "tls-external", "secret": "orders",
    }  # fmt: skip
    assert ended.warnings == []


def test_without_any_it_says_until_when_the_old_one_serves(golden: GoldenFiles) -> None:
    (warning,) = leave(USE.start()).warnings
    golden.compare_said("calls", warning)


@pytest.mark.parametrize(
    ("subject", "known", "named", "message"),
    [
        ("orders", False, "orders-cm", "Secret kafka/orders-cm entry tls.crt: brokers refuse its certificate: "),
        (
            "other",
            True,
            "orders-cm",
            "No Secret of presenting_secrets contains a certificate with the subject CN=orders.",
        ),
        ("orders", True, "none", "Secret kafka/none: it does not exist."),
    ],
)
def test_a_change_that_would_cut_a_user_off_is_refused(subject: str, known: bool, named: str, message: str) -> None:
    memory = USE.start()
    keep(memory, subject, by=None if known else make("stranger", key(20)))
    ended = leave(memory, presenting_secrets=[named])
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"].startswith(message)


@pytest.mark.parametrize(("state", "accepted"), [("UNTRUSTED", False), ("TRUSTED_UNUSED", True)])
def test_a_ca_that_brokers_are_still_to_trust_is_none_that_they_accept(state: str, accepted: bool) -> None:
    """It lies in the Secret, and a flow was to stop there."""
    memory, corporate = USE.start(), make("Corporate Root", key(21))
    pem, fingerprint = corporate.certificate.pem, corporate.certificate.fingerprint
    labels = {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": "demo"}
    memory.api.request(
        "PATCH", "/api/v1/namespaces/kafka/secrets/demo-clients-ca-cert",
        body={"data": encode({f"{fingerprint}.crt": pem})}, content_type="application/merge-patch+json",
    )  # fmt: skip
    memory.apply({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "demo-clients-ca-trusted-certs", "labels": labels},
        "data": encode({f"{fingerprint}.crt": pem, f"{fingerprint}.state": state.encode()}),
    })  # fmt: skip
    keep(memory, "orders", by=corporate)
    ended = leave(memory, presenting_secrets=["orders-cm"])
    assert ended.failed is not accepted
    refused = "Secret kafka/orders-cm entry tls.crt: brokers refuse its certificate: "
    assert str(ended.result.get("msg", "")).startswith("" if accepted else refused)


def test_a_user_of_another_namespace_has_the_prefix_of_that(golden: GoldenFiles) -> None:
    spaces = [{"namespace": "team", "secret_prefix": "k-"}]
    ended = leave(USE.start(), user_namespace="team", user_namespaces=spaces)
    golden.compare_said("calls", ended.result["msg"])


def test_a_change_whose_answers_are_lost_is_told_as_any_other() -> None:
    def leave_through(transport: Any, memory: MemoryCluster) -> list[tuple[str, str, str]]:
        clock = composition.SystemClock()
        client = KubeClient(transport, sleep=lambda seconds: None, now=clock.now, monotonic=clock.monotonic)
        ended = leave(memory, client_for=lambda *_given: client)
        assert (ended.failed, ended.result["changed"]) == (False, True)
        return [(one["verb"], one["object"], one["what"]) for one in ended.result["actions"]]

    undisturbed, memory = USE.start(), USE.start()
    expected = leave_through(undisturbed.api, undisturbed)
    assert len([verb for verb, _object, _what in expected if verb == "update"]) == 3
    assert leave_through(FaultyApi(memory.api, always(Fault.LOST_ANSWER, "PATCH")), memory) == expected


# strimzi_user_info: who has which certificate of the clients CA, and who presents it; nothing is changed and no key is shown.

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


def test_every_user_with_its_certificate_and_the_ca_of_it(golden: GoldenFiles) -> None:
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
    golden.compare_said("calls", "\n".join(result["problems"]))


def test_the_programs_that_present_the_certificate_of_a_user() -> None:
    memory, _current = cluster()
    pod: dict[str, Any] = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "orders-0"},
        "spec": {"containers": [{"name": "app", "envFrom": [{"secretRef": {"name": "orders"}}]}]},
    }  # fmt: skip
    memory.apply(pod)
    (found,) = [one for one in call("strimzi_user_info", memory).result["users"] if one["name"] == "orders"]
    assert found["presenters"] == [{"name": "Pod kafka/orders-0", "up_to_date": True}]


def test_a_broker_that_would_refuse_users_is_named(monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles) -> None:
    """A broker that has not read its trust again since the CA that issues was added."""
    memory, current = cluster()
    keep(memory, "partner")
    new, old = current.certificate, OLD.certificate
    answers = (
        ObservedListener("demo-kafka-0", "0", 9093, (new,), accepts=frozenset({new.fingerprint, old.fingerprint})),
        ObservedListener("demo-kafka-1", "1", 9093, (new,), frozenset({old.fingerprint}), frozenset({new.fingerprint})),
        ObservedListener(
            "demo-kafka-2", "2", 9093, None, failure="the listener 9093 of demo-kafka-2 cannot be reached"
        ),
    )
    monkeypatch.setattr(connect, "port_opener_for", lambda *_options: None)
    monkeypatch.setattr(listener_looks, "look_at_user_listeners", lambda *_what, **_how: answers)
    result = call("strimzi_user_info", memory, presenting_secrets=["orders-cm:tls.crt"]).result
    labels = {"new": f"clients-ca v0 ({new.sha256[:12]})", "old": f"clients-ca v9 ({old.sha256[:12]})"}
    told = [
        (one["pod"], one["name"], sorted(one["trusts"]), one["refuses"], one["why"]) for one in result["user_listeners"]
    ]
    assert told == [
        ("demo-kafka-0", "tls", sorted(labels.values()), [], []),
        ("demo-kafka-1", "tls", [labels["old"]], [labels["new"]], []),
        ("demo-kafka-2", "tls", [], [], [answers[2].failure]),
    ]  # fmt: skip
    assert result["unasked"] == ""
    (refused,) = result["problems"][1:]
    golden.compare_said("calls", refused)


def test_where_no_broker_can_be_reached_that_is_said() -> None:
    memory, _current = cluster()
    result = call("strimzi_user_info", memory).result
    assert (result["unasked"], [one["pod"] for one in result["user_listeners"]]) == (WHY_BLOCKED, [""])
    assert call("strimzi_user_info", memory, evidence="annotations").result["unasked"] == "evidence=annotations"
    ended = call("strimzi_user_info", memory, evidence="handshake")
    assert (ended.failed, ended.result["msg"]) == (True, WHY_BLOCKED)


def test_without_permission_it_says_what_is_missing(golden: GoldenFiles) -> None:
    memory, _current = cluster()
    ended = call("strimzi_user_info", memory, answer=refusing("GET", "/kafkausers"))
    assert ended.failed
    golden.compare_said("calls", ended.result["msg"])


def test_certificates_in_secrets_that_are_named(golden: GoldenFiles) -> None:
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
    golden.compare_said("calls", "\n".join(result["problems"]))


def test_users_of_another_namespace(golden: GoldenFiles) -> None:
    memory, _current = cluster()
    path = "/apis/kafka.strimzi.io/v1/namespaces/team/kafkausers"
    assert memory.api.request("POST", path, body=kafka_user("orders", "team")).status == 201
    result = call("strimzi_user_info", memory, user_namespaces=[{"namespace": "team", "secret_prefix": "k-"}]).result
    (theirs,) = [one for one in result["users"] if one["namespace"] == "team"]
    assert theirs["secret"] == "k-orders"
    golden.compare_said("calls", theirs["certificate"]["problem"])


# The modules with a clients CA whose key an outside issuer keeps, as users call them, and what they report.

GOOD = Signature(ELSEWHERE, NOW - DAY / 24)
SUPPLIED = {
    "state": "replaced", "certificate": ELSEWHERE.certificate.pem.decode(), "client_grace": 0, "fresh_for_hours": 0, **FAST,
}  # fmt: skip


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> MemoryCluster:
    return adopted_with(monkeypatch, "orders", "payments")


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


def test_task_by_task(memory: MemoryCluster, golden: GoldenFiles) -> None:
    asked(memory, "strimzi_ca", ends_after="trust", **SUPPLIED)
    waiting = asked(memory, "strimzi_ee_cert", state="issued").result
    assert not waiting["done"]
    golden.compare_said("calls", "\n".join(waiting["waiting"]))
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


def test_a_new_user_without_a_certificate_waits_for_the_issuer(memory: MemoryCluster, golden: GoldenFiles) -> None:
    """A new user has no certificate, and only the issuer can make it."""
    moved(memory)
    memory.apply(kafka_user("billing", memory.namespace))
    memory.settle(1)
    users = done(memory, "strimzi_user_info").result
    golden.compare_said("calls", "\n".join(users["problems"]), "problems")
    asked(memory, "strimzi_ee_cert", state="issued")
    told = asked(memory, "strimzi_ca_info").result
    assert ("billing", "REQUESTED", "missing") in [
        (one["secret"], one["state"], one["reason"]) for one in told["leaf_states"]
    ]
    golden.compare_said("calls", "\n".join(told["waiting"]), "waiting")


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
    assert found(ended) == [("presenters_can_be_issued_to", "KafkaUser kafka/demo-kafka")]


def test_too_many_users_for_the_requests_fail_the_call(memory: MemoryCluster) -> None:
    memory.apply(*(kafka_user(f"user-{number}", memory.namespace) for number in range(499)))
    ended = call("strimzi_ca", memory, ca="clients", **SUPPLIED)
    assert (ended.failed, ended.writes) == (True, [])
    assert found(ended) == [("presenters_can_be_issued_to", "Kafka kafka/demo")]
