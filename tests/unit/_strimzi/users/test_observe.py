# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The snapshot of a flow on the clients CA."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import OutsideOptions
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.listeners import endpoints_of
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import (
    Observation,
    Surroundings,
    observe,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.observe import observe_clients_ca
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import UserNamespace
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    IssuedBy,
    OtherAuthority,
    UnlabelledSecret,
)

from ....tools.support.certificates import NOW, Entity, key, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.users import kafka_user
from ..bench import SCOPE, Bench, kafka, pem, pod, secret
from .stage import mounting

CLIENTS = SCOPE.of(CaKind.CLIENTS)
CA, OLD, CLUSTER_CA = make("clients-ca v1", key(0)), make("clients-ca v0", key(1)), make("cluster-ca v0", key(2))
MTLS = [{"name": "tls", "port": 9093, "type": "internal", "tls": True, "authentication": {"type": "tls"}}]


def bench(listeners: Any = None, entity: Any = None, **annotations: str) -> Bench:
    made = Bench()
    spec = {"kafka": {"listeners": MTLS if listeners is None else listeners}}
    made.create("kafkas", kafka(**spec, entityOperator={"userOperator": {}} if entity is None else entity))
    stored = {"ca.crt": pem(CA), "ca-2027-01-01T00-00-00Z.crt": pem(OLD)}
    marks = {"strimzi.io/ca-cert-generation": "3", **annotations}
    made.create("secrets", secret(CLIENTS.ca_certificate_secret, stored, marks))
    made.create("secrets", secret(CLIENTS.ca_key_secret, {"ca.key": CA.key.reveal()}))
    bundle = {"cluster-ca.crt": pem(CLUSTER_CA), "clients-ca.crt": pem(CA, OLD)}
    made.create("secrets", secret(CLIENTS.trust_bundle_secret, bundle))
    return made


def seen(made: Bench) -> Observation:
    return observe_clients_ca(made.client(), CLIENTS, NOW)


def test_users_secrets_without_labels_are_told_and_hold_nothing_also_two_of_one_name() -> None:
    made = bench()
    body = kafka_user("orders")
    leaf = make("orders", key(5), CA, ca=False)
    stored = {"ca.crt": pem(CA), "user.crt": pem(leaf), "user.key": leaf.key.reveal()}
    for namespace in ("kafka", "team"):
        for root, plural, one in (
            ("/apis/kafka.strimzi.io/v1", "kafkausers", body), ("/api/v1", "secrets", secret("orders", stored)),
        ):  # fmt: skip
            one["metadata"]["namespace"] = namespace
            assert made.api.request("POST", f"{root}/namespaces/{namespace}/{plural}", body=one).status == 201
    asked = OutsideOptions(user_namespaces=(UserNamespace("team"),))
    snapshot = observe_clients_ca(made.client(), CLIENTS, NOW, Surroundings(asked)).snapshot
    why = "without which the User Operator issues another certificate in its place"
    lost = UnlabelledSecret(("strimzi.io/kind=KafkaUser",), why, holds=False)
    assert snapshot.objects.unlabelled_of_users == {("kafka", "orders"): lost, ("team", "orders"): lost}
    assert snapshot.objects.unlabelled_secrets == {}
    (user,) = (one for one in snapshot.presenters if one.name == "KafkaUser kafka/orders")
    assert user.authorities == {CA.certificate.fingerprint}


@pytest.mark.parametrize(
    ("entry", "may_be"),
    [("ca-2027-01-01T00-00-00Z.crt", [CA, OLD]), ("old.crt", [CA, OLD]), (f"{OLD.certificate.fingerprint}.crt", [CA])],
    ids=["by the operator", "by hand", "by a flow, which never used it"],
)
def test_a_program_that_has_not_read_again_may_present_certificates_of_a_ca_that_another_hand_left_beside(
    entry: str, may_be: list[Entity]
) -> None:
    """It may have been ca.crt before this collection came."""
    made = bench()
    stored = secret(CLIENTS.ca_certificate_secret, {"ca.crt": pem(CA), entry: pem(OLD)})["data"]
    change = {"data": {"ca-2027-01-01T00-00-00Z.crt": None, **stored}}
    path = f"/api/v1/namespaces/kafka/secrets/{CLIENTS.ca_certificate_secret}"
    made.api.request("PATCH", path, body=change, content_type="application/merge-patch+json")
    made.create("kafkausers", kafka_user("orders"))
    leaf = make("orders", key(5), CA, ca=False)
    mine = {"ca.crt": pem(CA), "user.crt": pem(leaf), "user.key": leaf.key.reveal()}
    made.api.clock = lambda: "2026-01-01T00:00:10Z"
    made.create("pods", mounting("app", "orders"))
    made.api.clock = lambda: "2026-01-01T00:00:20Z"
    made.create("secrets", secret("orders", mine, labels={"strimzi.io/kind": "KafkaUser"}))
    (found,) = (one for one in seen(made).snapshot.presenters if one.name == "Pod kafka/app")
    assert found.authorities == {authority.certificate.fingerprint for authority in may_be}


def test_certificates_of_users_witness_a_clients_ca_that_is_lost() -> None:
    made = bench()
    keys = f"/api/v1/namespaces/kafka/secrets/{CLIENTS.ca_key_secret}"
    numbered = {"metadata": {"annotations": {"strimzi.io/ca-key-generation": "0"}}}
    made.api.request("PATCH", keys, body=numbered, content_type="application/merge-patch+json")
    leaf, ended = make("orders", key(5), CA, ca=False), make("late", key(6), CA, ca=False, end=NOW)
    for name, found in (("orders", leaf), ("late", ended)):
        made.create("kafkausers", kafka_user(name))
        stored = {"ca.crt": pem(CA), "user.crt": pem(found), "user.key": found.key.reveal()}
        made.create("secrets", secret(name, stored, labels={"strimzi.io/kind": "KafkaUser"}))
    users = seen(made).snapshot.users
    assert users is not None
    assert users.witnesses == {}
    made.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{CLIENTS.ca_certificate_secret}")
    users = seen(made).snapshot.users
    assert users is not None
    assert users.witnesses == {"Secret kafka/orders": leaf.certificate}


def test_brokers_verify_and_do_nothing_else() -> None:
    made = bench()
    made.create("pods", pod("demo-kafka-0"))
    controller = pod("demo-kafka-1")
    controller["metadata"]["labels"]["strimzi.io/broker-role"] = "false"
    made.create("pods", controller)
    made.create("pods", pod("demo-entity-operator-x", "entity-operator"))
    (broker,) = seen(made).snapshot.nodes.pods
    assert (broker.name, broker.leaves, broker.verifies_only, broker.generation) == ("demo-kafka-0", (), True, None)


def test_a_broker_that_the_operator_is_still_to_restart() -> None:
    made = bench()
    made.create("pods", pod("demo-kafka-0", clients_ca_cert_generation="2"))
    made.create("pods", pod("demo-kafka-1", clients_ca_cert_generation="3"))
    assert [one.generation for one in seen(made).snapshot.nodes.pods] == [2, None]


@pytest.mark.parametrize(("kind", "verify"), [("tls", True), ("scram-sha-512", False), ("custom", False)])
def test_whether_brokers_verify(kind: str, verify: bool) -> None:
    made = bench(listeners=[{**MTLS[0], "authentication": {"type": kind}}])
    made.create("pods", pod("demo-kafka-0"))
    found = seen(made)
    assert found.snapshot.has_verifiers is verify
    assert [one.name for one in found.snapshot.nodes.pods] == ["demo-kafka-0"]
    assert [one.port for one in endpoints_of(found)] == ([9093] if verify else [])


CUSTOM = {
    "name": "own", "port": 9094, "type": "route", "tls": True,
    "authentication": {"type": "custom", "sasl": False, "listenerConfig": {"ssl.client.auth": "required"}},
}  # fmt: skip


@pytest.mark.parametrize(("listeners", "verifying"), [([*MTLS, CUSTOM], True), ([CUSTOM], False)])
def test_a_listener_that_this_collection_does_not_manage_is_reported(listeners: Any, verifying: bool) -> None:
    found = seen(bench(listeners=listeners)).snapshot
    assert found.users.unmanaged_listeners == ("listener own (9094, authentication custom)",)
    assert found.has_verifiers is verifying


@pytest.mark.parametrize(("entity", "who"), [(None, IssuedBy.USER_OPERATOR), ({"topicOperator": {}}, IssuedBy.NONE)])
def test_the_operator_that_issues_to_users(entity: Any, who: IssuedBy) -> None:
    assert seen(bench(entity=entity)).snapshot.issued_by is who


def test_the_snapshot_has_the_secrets_of_the_clients_ca() -> None:
    found = seen(bench()).snapshot
    assert found.ca.current == (CA.certificate,)
    assert found.bundle == {CA.certificate.fingerprint, OLD.certificate.fingerprint}
    assert found.names.certificate_secret == "Secret kafka/demo-clients-ca-cert"
    assert found.names.ledger == "Secret kafka/demo-clients-ca-trusted-certs"
    assert (found.sends_chains, found.date_checkers) == (False, frozenset())


def other_of(observation: Observation) -> OtherAuthority:
    assert observation.snapshot.other_ca is not None
    return observation.snapshot.other_ca


def test_the_cas_of_the_other_ca_are_known_without_a_request_more(golden: GoldenFiles) -> None:
    """All that it trusts; an entry that cannot be read is up to a flow on that CA."""
    made = bench()
    made.api.requests.clear()
    before = other_of(seen(made))
    requests = len(made.api.requests)
    stored = {"ca.crt": pem(CLUSTER_CA), "next.crt": pem(OLD), "odd.crt": b"theirs"}
    made.create("secrets", secret(SCOPE.ca_certificate_secret, stored))
    made.api.requests.clear()
    now = other_of(seen(made))
    golden.compare_said("cluster", now.where)
    assert set(now.ca.anchors) == {one.certificate for one in (CLUSTER_CA, OLD)}
    assert (before.ca.anchors, len(made.api.requests) <= requests) == ((), True)
    assert set(other_of(observe(made.client(), SCOPE, NOW)).ca.anchors) == {one.certificate for one in (CA, OLD)}


@pytest.mark.parametrize(("said", "days"), [({}, 365), ({"clientsCa": {"validityDays": 40}}, 40)])
def test_how_long_certificates_of_users_are_valid(said: dict[str, Any], days: int) -> None:
    made = bench()
    made.change("kafkas", "demo", {"spec": said})
    assert seen(made).snapshot.users.longest_life == timedelta(days=days)


def test_an_old_one_that_the_operator_keeps_until_it_expires_is_no_flow_of_its_own() -> None:
    assert seen(bench()).snapshot.ca.retired == ()


@pytest.mark.parametrize(("ours", "counted"), [({}, 3), ({"trustops.strimzi/ca-cert-generation": "5"}, 5)])
def test_the_generation_is_our_own(ours: dict[str, str], counted: int) -> None:
    assert seen(bench(**ours)).snapshot.ca.certificate_generation == counted


def test_a_missing_cluster_has_no_presenters() -> None:
    found = seen(Bench()).snapshot
    assert (found.reconciliation.exists, found.nodes.pods, found.presenters) == (False, (), ())
    assert (found.has_verifiers, found.issued_by) == (True, IssuedBy.USER_OPERATOR)
