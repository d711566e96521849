# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The users whose certificates this collection issues, as they lie in the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, Remembered
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import placeholder
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.carry_out import write_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import write_all
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.subjects import subject_for
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.user_certificate import UserCertificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.observe import observe_clients_ca
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    LedgerEntry,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import StoredLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import WriteLedger

from ....tools.support.certificates import NOW, Entity, key, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.memory_api import MemoryApi, Response
from ....tools.support.users import kafka_user, user_secret
from ..bench import SCOPE, Bench, kafka, pem, secret

CLIENTS = SCOPE.of(CaKind.CLIENTS)
CA, OLD, NEXT = make("clients-ca v1", key(0)), make("clients-ca v0", key(1)), make("Corporate CA", key(2))
DAY = timedelta(days=1)


def kept(entity: Entity) -> bytes:
    return placeholder(entity.certificate.public_key_sha256).encode()


def bench(keys: dict[str, bytes] | None = None, **spec: Any) -> Bench:
    """keys: of the key Secret; by default an outside issuer keeps that of the CA in use."""
    made = Bench()
    made.create("kafkas", kafka(**{"entityOperator": {"userOperator": {}}, **spec}))
    marks = {"strimzi.io/ca-cert-generation": "3"}
    made.create("secrets", secret(CLIENTS.ca_certificate_secret, {"ca.crt": pem(CA)}, marks))
    made.create("secrets", secret(CLIENTS.ca_key_secret, keys or {"ca.key": kept(CA)}))
    return made


def seen(made: Bench) -> Observation:
    return observe_clients_ca(made.client(), CLIENTS, NOW)


def of(made: Bench, name: str = "orders") -> UserCertificate:
    return seen(made).served_users[name]


def leaf_of(made: Bench, name: str = "orders") -> StoredLeaf | None:
    return seen(made).snapshot.user_leaves[name]


@pytest.mark.parametrize("name", ["m" * 65, "m" * 64])
def test_a_user_that_no_certificate_can_name_is_not_served(name: str) -> None:
    made = bench()
    made.create("kafkausers", kafka_user(name))
    found = seen(made)
    assert set(found.served_users) == ({name} if len(name) == 64 else set())
    why = "no certificate can have its name: it has 65 bytes, and the common name of a certificate can have at most 64"
    assert found.snapshot.users.unnameable_users == ({} if len(name) == 64 else {f"KafkaUser kafka/{name}": why})


def with_user(made: Bench, issuer: Entity = CA, beside: Entity = CA, **authentication: Any) -> Bench:
    user = kafka_user("orders")
    user["spec"]["authentication"] |= authentication
    made.create("kafkausers", user)
    made.create("secrets", user_secret("orders", issuer, beside, NOW))
    return made


NEXT_HERE = {"ca.key": CA.key.reveal(), f"{NEXT.certificate.fingerprint}.crt": pem(NEXT)}


@pytest.mark.parametrize(
    ("keys", "served"),
    [
        pytest.param({"ca.key": kept(CA)}, True, id="the key of the CA in use is elsewhere"),
        pytest.param({**NEXT_HERE, f"{NEXT.certificate.fingerprint}.key": kept(NEXT)}, True, id="that of the next one is"),
        pytest.param({"ca.key": CA.key.reveal()}, False, id="it is here"),
        pytest.param({**NEXT_HERE, f"{NEXT.certificate.fingerprint}.key": NEXT.key.reveal()}, False, id="both are here"),
        pytest.param({"ca.key": CA.key.reveal(), f"{OLD.certificate.fingerprint}.key": kept(OLD)}, False, id="a former one is"),
    ],
)  # fmt: skip
def test_where_the_user_operator_can_sign_no_user_is_served(keys: dict[str, bytes], served: bool) -> None:
    assert bool(seen(with_user(bench(keys))).served_users) is served


def test_a_served_user_has_these_facts() -> None:
    made = with_user(bench())
    found, stored = of(made), leaf_of(made)
    (place,) = seen(made).expected_leaves
    assert (place.secret, place.entry, place.component) == ("orders", "user", Component.USER)
    assert (place.common_name, place.namespace) == ("orders", "kafka")
    assert (found.version, found.has_keystore) == (made.find("secrets", "orders")["metadata"]["resourceVersion"], False)
    assert stored is not None
    assert stored.chain == found.chain
    assert (stored.generation, stored.chain[0].subject) == (3, "CN=orders,O=io.strimzi")
    assert (stored.key, stored.key_beside, stored.problem) == ("user.crt", stored.chain[0].public_key_sha256, "")


def test_a_user_without_a_secret_is_missing_a_certificate() -> None:
    made = bench()
    made.create("kafkausers", kafka_user("orders"))
    assert (leaf_of(made), of(made).version) == (None, None)
    assert seen(made).snapshot.every_missing_leaf == {"orders": Component.USER}


@pytest.mark.parametrize("kind", ["tls-external", "scram-sha-512"])
def test_users_of_other_kinds_have_no_certificate_of_the_cluster(kind: str) -> None:
    made = bench()
    made.create("kafkausers", kafka_user("orders", kind=kind))
    assert seen(made).served_users == {}


def test_a_keystore_is_noticed() -> None:
    made = with_user(bench())
    made.change("secrets", "orders", {"data": {"user.p12": "AAAA"}})
    assert of(made).has_keystore


@pytest.mark.parametrize(
    ("beside", "generation"),
    [
        pytest.param(pem(CA), 3, id="the CA in use"),
        pytest.param(pem(CA) + b"\n", None, id="with another line feed, which the User Operator sees"),
        pytest.param(pem(OLD), 1, id="the one before"),
        pytest.param(pem(NEXT), None, id="one that is not of the ledger"),
        pytest.param(b"", None, id="nothing"),
    ],
)
def test_the_generation_is_that_of_the_ca_beside_it(beside: bytes, generation: int | None) -> None:
    made = with_user(bench())
    made.create("secrets", secret("demo-clients-ca-trusted-certs", {}))
    made.remove("secrets", "demo-clients-ca-trusted-certs")
    used = TrustState.TRUSTED_IN_USE_ALL
    books = Ledger((
        LedgerEntry((CA.certificate,), used, generations=frozenset({3})),
        LedgerEntry((OLD.certificate,), TrustState.PHASE_OUT, generations=frozenset({0, 1})),
    ))  # fmt: skip
    work = made.work()
    work.scope = CLIENTS
    step = WriteLedger(ledger=books, before=Ledger(), phase=Phase.PREPARE)
    write_all(write_ledger(step, seen(made)), work, "")
    stored = secret("orders", {"ca.crt": beside})
    made.change("secrets", "orders", {"data": stored["data"]})
    found = leaf_of(made)
    assert found is not None
    assert found.generation == generation


@pytest.mark.parametrize(
    ("spec", "own", "days"), [({}, {}, 30), ({"clientsCa": {"renewalDays": 10}}, {}, 10), ({}, {"renewalDays": 50}, 50)]
)
def test_how_long_before_the_end_the_user_operator_would_try(spec: Any, own: dict[str, int], days: int) -> None:
    observation = seen(with_user(bench(**spec), **own))
    (place,) = observation.expected_leaves
    assert subject_for(place, observation).outlasts == days * DAY
    found = observation.snapshot.user_leaves["orders"]
    assert found is not None
    assert found.renewal_window == days * DAY


@pytest.mark.parametrize("name", ["demo-kafka", "cluster-operator", "demo-entity-user-operator", "demo-cruise-control"])
def test_a_user_named_as_a_process_is_reported_and_not_served(name: str) -> None:
    made = bench()
    made.create("kafkausers", kafka_user(name))
    found = seen(made)
    assert (found.snapshot.users.namesakes, found.served_users) == ((f"KafkaUser kafka/{name}",), {})


def test_presenters_know_where_theirs_would_be_written_to() -> None:
    """Also while the key is here: a plan needs it."""
    made = bench({"ca.key": CA.key.reveal()}, entityOperator={"userOperator": {"secretPrefix": "user-"}})
    made.create("kafkausers", kafka_user("orders"))
    made.create("kafkausers", kafka_user("demo-kafka"))
    assert {one.name: one.secret for one in seen(made).snapshot.presenters} == {
        "the User Operator": "", "KafkaUser kafka/orders": "user-orders", "KafkaUser kafka/demo-kafka": "",
    }  # fmt: skip


@dataclass
class Listing:
    """Counts the lists of the Secrets of users in full."""

    api: MemoryApi
    full: int = 0

    def request(self, method: str, path: str, **options: Any) -> Response:
        is_of_users = CLIENTS.user_selector == (options.get("query") or {}).get("labelSelector")
        self.full += is_of_users and path.endswith("/secrets") and "Partial" not in options.get("content_type", "")
        return self.api.request(method, path, **options)

    def stream(self, path: str, **options: Any) -> Iterator[Any]:
        return self.api.stream(path, **options)


def test_the_secrets_of_users_are_read_in_full_once_in_a_call() -> None:
    """Each look rests on the versions that it lists."""
    made, remembered = with_user(bench()), Remembered[UserCertificate]()
    for full in (1, 0):
        listing = Listing(made.api)
        found = observe_clients_ca(KubeClient(listing), CLIENTS, NOW, remembered=remembered)
        assert found.served_users["orders"].version == made.find("secrets", "orders")["metadata"]["resourceVersion"]
        assert (listing.full, found.snapshot.user_leaves["orders"]) == (full, leaf_of(made))


def test_a_secret_without_the_labels_of_users_holds_no_leaf_that_a_write_may_replace() -> None:
    """Its certificate counts all the same: programs present it."""
    made = with_user(bench())
    made.change("secrets", "orders", {"metadata": {"labels": {"strimzi.io/kind": None}}})
    found = of(made)
    assert (found.version, found.subject, leaf_of(made)) == (None, "CN=orders,O=io.strimzi", None)


def test_a_chain_that_no_listener_accepts_is_no_leaf() -> None:
    made = with_user(bench())
    stored = made.data("orders")["user.crt"]
    made.change("secrets", "orders", {"data": secret("orders", {"user.crt": stored * 11})["data"]})
    found = leaf_of(made)
    assert found is not None
    assert (found.chain, found.key_beside) == (None, "")
    assert found.problem.startswith("it has 11 certificates")


def test_a_key_that_cannot_be_used_is_a_problem_of_the_leaf(golden: GoldenFiles) -> None:
    made = with_user(bench())
    made.change("secrets", "orders", {"data": secret("orders", {"user.key": b"nothing"})["data"]})
    found = leaf_of(made)
    assert found is not None
    assert (found.chain is not None, found.key_beside) == (True, "")
    golden.compare_said("cluster", found.problem)
