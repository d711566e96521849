# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A request that no issuer has answered follows the options of the call: the size of keys, and whether a key stays. A certificate that has come stays."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_stored_key

from ...tools.support.authorities import Authority, root
from ...tools.support.cert_manager import NAMESPACE, MemoryCertManager, path_of
from ...tools.support.cert_manager_certificates import MemoryCertificates
from ...tools.support.certificates import Entity
from ...tools.support.checker import entries
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.signing_office import SigningOffice, secrets_of
from . import stages
from .fast_clock import FastClock
from .running import Ended, call

THEIRS = root("Corporate Root", path_length=0)
HAND: dict[str, Any] = {"type": "external"}
REQUESTS = {"type": "cert_manager", "name": "corporate"}
CERTIFICATES = {**REQUESTS, "resource": "Certificate"}
SPARE = "demo-kafka-3"


def replace_key(memory: MemoryCluster, **options: Any) -> Ended:
    settings = {
        "certificate": THEIRS.pem.decode(),
        "fresh_for_hours": 0,
        "client_grace": 0,
        "spare_leaves": 0,
        **options,
    }
    return stages.done(memory, "strimzi_ca", state="replaced", **settings)


def office(memory: MemoryCluster, authority: Authority = THEIRS) -> SigningOffice:
    return SigningOffice(memory, authority, FastClock().now() - timedelta(seconds=memory.seconds))


def requested(memory: MemoryCluster) -> dict[str, int]:
    """The bits of the keys in requests that wait for a person, by the Secret of the leaf."""
    signing = office(memory)
    return {name: bits(x509.load_pem_x509_csr(signing.csr(secret, name))) for secret, name in signing.requests()}


def bits(found: x509.CertificateSigningRequest | x509.Certificate) -> int:
    key = found.public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    return key.key_size


def ordered(memory: MemoryCluster) -> dict[str, int]:
    """The bits of the keys in requests to cert-manager, by the Secret of the leaf."""
    listed = memory.api.all("certificaterequests", NAMESPACE)
    found = {one["metadata"]["name"].rpartition("-")[0]: one["spec"]["request"] for one in listed}
    assert len(found) == len(listed), "two requests for one leaf"
    return {name: bits(x509.load_pem_x509_csr(base64.b64decode(csr))) for name, csr in found.items()}


def specified(memory: MemoryCluster) -> dict[str, int]:
    """The bits of the keys that cert-manager is to make, by the Secret of the leaf."""
    listed = memory.api.all("certificates", NAMESPACE)
    return {one["metadata"]["name"]: one["spec"]["privateKey"]["size"] for one in listed}


def used(memory: MemoryCluster) -> set[int]:
    """The bits of the keys of all leaves of the CA whose key is elsewhere."""
    stored = [entries(one) for one in secrets_of(memory)]
    leaves = [
        parse_certificates(content[name])[0]
        for content in stored
        for name in content
        if name.endswith(".crt") and name.replace(".crt", ".key") in content and not name.startswith("ca")
    ]
    return {one.key_type[1] for one in leaves if one.issuer == THEIRS.chain[0].subject}


def by_hand(memory: MemoryCluster) -> None:
    office(memory).work()


def by_controllers(memory: MemoryCluster) -> None:
    """The controllers see the requests that were there before they were."""
    began = FastClock().now() - timedelta(seconds=memory.seconds + 60)
    MemoryCertManager(
        memory.api, Entity(THEIRS.chain[0], THEIRS.keys[0]), clock=lambda: began + timedelta(seconds=memory.seconds)
    )
    for one in memory.api.all("certificaterequests", NAMESPACE):
        path = path_of(NAMESPACE, one["metadata"]["name"])
        patch = {"metadata": {"annotations": {"tests/seen": "true"}}}
        assert memory.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json").status == 200


ISSUERS = [
    pytest.param(HAND, requested, by_hand, id="by hand"),
    pytest.param(REQUESTS, ordered, by_controllers, id="CertificateRequest"),
    # The counterpart of cert-manager that makes keys has a supply of keys of one size.
    pytest.param(CERTIFICATES, specified, None, id="Certificate"),
]


@pytest.mark.parametrize(("issuer", "sizes", "answer"), ISSUERS)
def test_an_open_request_gets_the_size_of_the_call(
    issuer: dict[str, Any],
    sizes: Callable[[MemoryCluster], dict[str, int]],
    answer: Callable[[MemoryCluster], None] | None,
) -> None:
    memory = stages.managed()
    replace_key(memory, issuer=issuer)
    before = sizes(memory)
    assert "demo-kafka-0" in before
    assert "demo-entity-topic-operator-certs" in before
    replace_key(memory, issuer=issuer, leaf_key_size=3072)
    assert (set(before.values()), sizes(memory)) == ({2048}, dict.fromkeys(before, 3072))
    again = replace_key(memory, issuer=issuer, leaf_key_size=3072)
    assert (again.result["changed"], again.writes) == (False, [])
    if answer is not None:
        answer(memory)
        assert replace_key(memory, issuer=issuer, leaf_key_size=3072).result["done"]
        assert used(memory) == {3072}


def test_an_answer_to_a_request_of_another_size_is_not_taken() -> None:
    """It came before the call that wants another size, and no call has recorded it."""
    memory = stages.managed()
    replace_key(memory)
    by_hand(memory)
    waiting = replace_key(memory, leaf_key_size=3072).result
    assert (waiting["done"], set(requested(memory).values())) == (False, {3072})
    by_hand(memory)
    assert replace_key(memory, leaf_key_size=3072).result["done"]
    assert used(memory) == {3072}


def test_a_certificate_that_a_call_has_recorded_stays() -> None:
    memory = stages.managed()
    replace_key(memory)
    signing = office(memory)
    (secret,) = (secret for secret, name in signing.requests() if name == "demo-kafka-0")
    signing.put_back(secret, "demo-kafka-0", signing.sign(signing.csr(secret, "demo-kafka-0")))
    replace_key(memory)
    replace_key(memory, leaf_key_size=3072)
    assert "demo-kafka-0" not in requested(memory)
    by_hand(memory)
    assert replace_key(memory, leaf_key_size=3072).result["done"]
    assert used(memory) == {2048, 3072}


def test_requests_for_the_next_nodes_follow_as_well() -> None:
    memory = stages.managed()
    replace_key(memory)
    by_hand(memory)
    assert replace_key(memory, spare_leaves=1).result["done"]
    assert requested(memory) == {SPARE: 2048}
    stages.done(memory, "strimzi_trusted_certs", state="retired", spare_leaves=1, leaf_key_size=3072)
    assert requested(memory) == {SPARE: 3072}


def test_a_refused_request_is_repeated_at_once_with_another_size() -> None:
    """Without it the next request goes out after an hour."""
    memory = stages.managed()
    replace_key(memory)
    signing = office(memory)
    for secret, name in signing.requests():
        signing.put_back(secret, name, b"<html>")
    replace_key(memory)
    replace_key(memory)
    assert requested(memory) == {}
    replace_key(memory, leaf_key_size=3072)
    assert set(requested(memory).values()) == {3072}


def keys_of(memory: MemoryCluster, stored: bool) -> dict[str, str]:
    """The keys of the nodes, by SHA-256: those in their own Secrets, or those that requests are for."""
    secrets = {one["metadata"]["name"]: entries(one) for one in secrets_of(memory)}
    nodes = [name for name in secrets if name.startswith("demo-kafka-") and name[-1].isdigit()]
    if stored:
        return {name: load_stored_key(secrets[name][f"{name}.key"]).public_key_sha256 for name in nodes}
    records = secrets["demo-issuing-kafka"]
    return {name: json.loads(records[f"{name}.requested"])["publicKey"] for name in nodes}


def test_a_key_that_stays_has_the_size_that_it_has() -> None:
    memory = stages.managed()
    replace_key(memory, rotation_policy="never")
    assert keys_of(memory, stored=False) == keys_of(memory, stored=True)
    again = replace_key(memory, rotation_policy="never", leaf_key_size=3072)
    assert (again.result["changed"], again.writes) == (False, [])


def test_a_task_without_force_takes_back_the_requests_of_a_task_with_it() -> None:
    memory = stages.managed()
    replace_key(memory)
    by_hand(memory)
    assert replace_key(memory).result["done"]
    renewed: dict[str, Any] = {"state": "renewed", "spare_leaves": 0}
    stages.done(memory, "strimzi_ee_cert", **renewed, force=True, components=["kafka"])
    assert set(requested(memory)) == {"demo-kafka-0", "demo-kafka-1", "demo-kafka-2"}
    stages.done(memory, "strimzi_ee_cert", **renewed)
    assert requested(memory) == {}


def test_cert_manager_makes_a_new_key_each_time_whatever_the_caller_says() -> None:
    memory = stages.managed()
    replace_key(memory, issuer=CERTIFICATES)
    again = replace_key(memory, issuer=CERTIFICATES, rotation_policy="never")
    assert (again.result["changed"], again.writes) == (False, [])
    listed = memory.api.all("certificates", NAMESPACE)
    assert {one["spec"]["privateKey"]["rotationPolicy"] for one in listed} == {"Always"}


@pytest.mark.parametrize(
    "module", [("strimzi_trusted_certs", "retired"), ("strimzi_ee_cert", "renewed")], ids=lambda one: one[0]
)
def test_a_certificate_stays_until_it_is_due_whatever_size_is_wanted(module: tuple[str, str]) -> None:
    memory = stages.managed()
    replace_key(memory)
    by_hand(memory)
    assert replace_key(memory).result["done"]
    name, state = module
    again = stages.done(memory, name, state=state, spare_leaves=0, leaf_key_size=3072)
    assert (again.writes, used(memory)) == ([], {2048})


def test_cert_manager_issues_again_in_the_size_of_the_call() -> None:
    memory = stages.managed()
    began = FastClock().now() - timedelta(seconds=memory.seconds + 60)
    MemoryCertificates(
        memory.api, Entity(THEIRS.chain[0], THEIRS.keys[0]), clock=lambda: began + timedelta(seconds=memory.seconds)
    )
    assert replace_key(memory, issuer=CERTIFICATES).result["done"]
    before = specified(memory)
    retired = {"state": "retired", "issuer": CERTIFICATES, "spare_leaves": 0, "leaf_key_size": 3072}
    stages.done(memory, "strimzi_trusted_certs", **retired)
    assert (set(before.values()), specified(memory)) == ({2048}, dict.fromkeys(before, 3072))
    assert stages.done(memory, "strimzi_trusted_certs", **retired).writes == []


def test_an_open_request_follows_whether_keys_stay() -> None:
    memory = stages.managed()
    replace_key(memory)
    assert not keys_of(memory, stored=False).items() & keys_of(memory, stored=True).items()
    replace_key(memory, rotation_policy="never")
    assert keys_of(memory, stored=False) == keys_of(memory, stored=True)
    replace_key(memory)
    assert not keys_of(memory, stored=False).items() & keys_of(memory, stored=True).items()


def test_what_is_shown_says_which_request_is_to_be_made_again() -> None:
    memory = stages.managed()
    replace_key(memory)
    for size, told in ((2048, ""), (3072, "its key is of the kind rsa-2048, and the call wants rsa-3072")):
        shown = call("strimzi_ca_info", memory, leaf_key_size=size).result["leaf_requests"]
        assert {one["outdated"] for one in shown} == {told}


def test_the_module_that_carries_requests_leaves_their_keys_to_flows() -> None:
    """It has no option for the size of keys."""
    memory = stages.managed()
    replace_key(memory, leaf_key_size=3072)
    shown = stages.done(memory, "strimzi_csr").result["requests"]
    assert {one["problem"] for one in shown} == {""}
