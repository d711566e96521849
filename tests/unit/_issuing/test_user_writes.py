# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Secret of a user as it is written: the User Operator keeps it, and the entries of other programs stay as they are."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issue import keep_user, write_user
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import IssuedCertificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key, placeholder
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import (
    Work,
    Write,
    WriteVerb,
    write_all,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.observe import observe_clients_ca

from ...tools.support.certificates import NOW, YEAR, Entity, key, make
from ...tools.support.users import kafka_user, user_secret
from .._strimzi.bench import SCOPE, Bench, kafka, pem, secret

CLIENTS = SCOPE.of(CaKind.CLIENTS)
ROOT, OLD = make("Corporate Root", key(1)), make("clients-ca v0", key(2))
CA = make("Kafka CA", key(3), ROOT)
OWN = key(9)
#: A comment that a user has put before it: the User Operator compares bytes.
STORED = b"# Kafka CA\n" + pem(CA, ROOT)
SHAPES: dict[str, tuple[Entity, Chain, bytes]] = {
    "root": (ROOT, (ROOT.certificate,), pem(ROOT)),
    "intermediate": (CA, (CA.certificate, ROOT.certificate), STORED),
}


def bench(current: bytes = STORED, *, keystore: bool = False, stored: bool = True) -> Bench:
    made = Bench()
    made.create("kafkas", kafka(entityOperator={"userOperator": {}}))
    marks = {"strimzi.io/ca-cert-generation": "3"}
    made.create("secrets", secret(CLIENTS.ca_certificate_secret, {"ca.crt": current}, marks))
    kept = placeholder(parse_certificates(current)[0].public_key_sha256).encode()
    made.create("secrets", secret(CLIENTS.ca_key_secret, {"ca.key": kept}))
    made.create("kafkausers", kafka_user("orders"))
    if stored:
        found = user_secret("orders", OLD, OLD, NOW)
        if keystore:
            found["data"] |= {"user.p12": "AAAA", "user.password": "b2xk"}
        made.create("secrets", found)
    return made


def on(made: Bench) -> tuple[Observation, Work]:
    work = made.work()
    work.scope = CLIENTS
    return observe_clients_ca(made.client(), CLIENTS, NOW), work


@cache
def issued(by: Entity) -> IssuedCertificate:
    leaf = make("orders", OWN, by, ca=False, end=NOW + YEAR / 4).certificate
    return IssuedCertificate(leaf, (by.certificate,))


def written(made: Bench, shape: str = "intermediate") -> Write:
    observation, work = on(made)
    by, chain, _pem = SHAPES[shape]
    return write_user(observation.expected_leaves[0], chain, OWN, issued(by), "new leaf", observation, work)


def carried_out(made: Bench, write: Write) -> dict[str, bytes]:
    write_all((write,), on(made)[1], "use")
    return made.data("orders")


@pytest.mark.parametrize("shape", SHAPES)
def test_pair_and_ca_have_the_very_bytes_that_are_kept(shape: str) -> None:
    by, chain, current = SHAPES[shape]
    made = bench(current)
    data = carried_out(made, written(made, shape))
    own, *above = parse_certificates(data["user.crt"])
    assert (own, above) == (issued(by).leaf, [one for one in chain if not one.self_issued])
    assert own.is_for(load_key(data["user.key"]))
    assert data["user.key"].startswith(b"-----BEGIN PRIVATE KEY-----")
    assert data["ca.crt"] == current
    assert set(data) == {"ca.crt", "user.crt", "user.key"}


def test_a_keystore_that_is_there_fits_again() -> None:
    made = bench(keystore=True)
    data = carried_out(made, written(made))
    password = data["user.password"]
    found = pkcs12.load_pkcs12(data["user.p12"], password)
    assert found.cert is not None
    assert found.cert.friendly_name == b"orders"
    assert found.cert.certificate.public_bytes(Encoding.DER) == issued(CA).leaf.der
    assert [one.certificate.public_bytes(Encoding.DER) for one in found.additional_certs] == [CA.certificate.der]
    assert (len(password), password.isalnum(), password[:1].isalpha()) == (32, True, True)
    again = carried_out(made, written(made))["user.password"]
    assert again not in (password, b"old"), "a new key comes with a new password"


def test_entries_and_labels_of_others_stay() -> None:
    """The User Operator wipes it, if it is to go."""
    made = bench()
    made.change("secrets", "orders", {"data": {"theirs": "AAAA"}, "metadata": {"labels": {"team": "shop"}}})
    data = carried_out(made, written(made))
    assert data["theirs"] == b"\0\0\0"
    assert made.find("secrets", "orders")["metadata"]["labels"]["team"] == "shop"


def test_the_write_rests_on_the_version_that_was_read() -> None:
    made = bench()
    before = made.find("secrets", "orders")["metadata"]["resourceVersion"]
    write = written(made)
    assert (write.verb, write.resource_version, write.namespace) == (WriteVerb.UPDATE, before, "kafka")
    facts: Any = write.after
    assert facts == {"leaf": f"CN=orders,O=io.strimzi {issued(CA).leaf.sha256[:16]}"}


def test_a_secret_that_is_created_belongs_to_its_user() -> None:
    made = bench(stored=False)
    write = written(made)
    assert write.verb is WriteVerb.CREATE
    carried_out(made, write)
    found, user = made.find("secrets", "orders"), made.find("kafkausers", "orders")
    assert found["type"] == "Opaque"
    assert found["metadata"]["labels"] == {"strimzi.io/kind": "KafkaUser", "strimzi.io/cluster": "demo"}
    assert found["metadata"]["ownerReferences"] == [{
        "apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaUser", "name": "orders", "uid": user["metadata"]["uid"],
        "controller": False, "blockOwnerDeletion": False,
    }]  # fmt: skip


@pytest.mark.parametrize("stored", [True, False])
def test_the_secret_is_written_where_the_user_operator_looks(stored: bool) -> None:
    made = bench(stored=False)
    made.change("kafkas", "demo", {"spec": {"entityOperator": {"userOperator": {"watchedNamespace": "apps"}}}})
    found = user_secret("orders", OLD, OLD, NOW, "apps")
    objects = (("/apis/kafka.strimzi.io/v1", "kafkausers", kafka_user("orders", "apps")), ("/api/v1", "secrets", found))
    for root_path, plural, body in objects[: 1 + stored]:
        assert made.api.request("POST", f"{root_path}/namespaces/apps/{plural}", body=body).status == 201
    write = written(made)
    assert write.action("kafka", "use").object == "Secret apps/orders"
    write_all((write,), on(made)[1], "use")
    here, there = (made.api.find("secrets", namespace, "orders") for namespace in ("kafka", "apps"))
    assert here is None
    assert parse_certificates(base64.b64decode((there or {})["data"]["user.crt"]))[0] == issued(CA).leaf


def test_a_kept_certificate_gets_the_ca_in_use_as_ca_crt() -> None:
    made = bench(keystore=True)
    before = made.data("orders")
    observation, _work = on(made)
    data = carried_out(made, keep_user(observation.expected_leaves[0], observation))
    assert data == {**before, "ca.crt": STORED}


def test_no_private_key_is_in_what_people_see() -> None:
    shown = repr(written(bench(keystore=True)))
    secret_ = base64.b64encode(OWN.reveal()).decode()
    assert secret_[:40] not in shown
