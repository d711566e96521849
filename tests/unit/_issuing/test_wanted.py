# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names that a leaf has to have: those the operator put there, and where they cannot be read, what follows from
the Kafka resource."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.subjects import wanted_names
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.leaves import node_leaf

from ...operator import leaves
from ...support.certificates import NOW, YEAR, Entity, key, make
from .._strimzi.bench import Bench, conditions, pem, pod
from .elsewhere import elsewhere
from .office import BY_SECRET, NODES, OLD, issue, names_of, office, presented


def spoil(bench: Bench, secret: str) -> Bench:
    bench.change("secrets", secret, {"data": {f"{BY_SECRET[secret].entry}.crt": "YnJva2Vu"}})
    return bench


def recreate(bench: Bench, name: str, **labels: str) -> None:
    bench.remove("pods", name)
    body = pod(name)
    body["metadata"]["labels"] |= {f"strimzi.io/{key.replace('_', '-')}": value for key, value in labels.items()}
    bench.create("pods", body)


@pytest.mark.parametrize("secret", BY_SECRET)
def test_names_of_the_stored_leaf_are_kept(secret: str) -> None:
    assert wanted_names(BY_SECRET[secret], office().observe()) == names_of(secret)


STRANGER = make("stranger", key(3))
_LEAF = make("demo-kafka", key(4), OLD, ca=False)


def forged(issuer: Entity, subject: str = "demo-kafka") -> bytes:
    """A leaf for names that somebody would like to have, and what it was signed with."""
    name, names = DistinguishedName(subject), ["vault.corp.example", "192.0.2.66"]
    leaf = sign_leaf(
        key(50).public_key, name, names, issuer.certificate, issuer.key, not_before=NOW - YEAR / 2, validity=YEAR / 2
    )
    return pem(leaf, issuer.certificate)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(forged(STRANGER), id="of a foreign CA"),
        pytest.param(forged(_LEAF), id="signed by a leaf of this cluster"),
        pytest.param(forged(OLD, "tools"), id="of this cluster's CA, for another purpose"),
    ],
)
def test_names_of_another_leaf_are_not_copied(content: bytes) -> None:
    bench = office()
    data = {f"{NODES[0]}.crt": base64.b64encode(content).decode()}
    bench.change("secrets", NODES[0], {"data": data})
    assert wanted_names(BY_SECRET[NODES[0]], bench.observe()) == expected()
    issue(bench, NODES[0])
    assert presented(bench, NODES[0])[0].subject_alternative_names == expected()


def derived(bench: Bench, secret: str = NODES[0]) -> frozenset[str]:
    return wanted_names(BY_SECRET[secret], spoil(bench, secret).observe())


def expected(pool: str = "kafka", node_id: int = 0, broker: bool = True) -> set[str]:
    return leaves.node_names(office().find("kafkas", "demo"), pool, node_id, broker)


def test_unreadable_node_leaf_gets_the_names_of_the_kafka_resource() -> None:
    assert derived(office()) == expected()


@pytest.mark.parametrize(("role", "broker"), [("true", True), ("false", False)])
def test_role_of_the_node_is_told_by_its_pod(role: str, broker: bool) -> None:
    bench = office()
    recreate(bench, NODES[0], pool_name="kafka", broker_role=role)
    assert derived(bench) == expected(broker=broker)


def test_without_its_pod_the_pool_is_told_by_the_name() -> None:
    bench = office()
    bench.remove("pods", NODES[1])
    assert derived(bench, NODES[1]) == expected(node_id=1)


def test_pool_with_dashes() -> None:
    leaf = node_leaf("demo", "demo-big-pool-12")
    assert wanted_names(leaf, office().observe()) == expected("big-pool", 12)


@pytest.mark.parametrize("secret", [one for one in BY_SECRET if one not in NODES])
def test_unreadable_component_leaf(secret: str) -> None:
    assert derived(office(), secret) == names_of(secret)


def test_issued_leaf_has_the_derived_names() -> None:
    bench = spoil(office(), NODES[0])
    issue(bench, NODES[0])
    assert parse_certificates(bench.data(NODES[0])[f"{NODES[0]}.crt"])[0].subject_alternative_names == expected()


@pytest.mark.parametrize("written", ["2001:DB8:0:0::1", "192.0.2.1", "Mixed.Example"])
def test_an_advertised_address_is_accepted_in_the_form_in_which_it_was_written(written: str) -> None:
    bench = spoil(office(), NODES[0])
    brokers = {"configuration": {"brokers": [{"broker": 0, "advertisedHost": written}]}}
    listener = {"name": "tls", "port": 9093, "type": "internal", "tls": True, **brokers}
    bench.change("kafkas", "demo", {"spec": {"kafka": {"listeners": [listener]}}})
    issue(bench, NODES[0])
    names = parse_certificates(bench.data(NODES[0])[f"{NODES[0]}.crt"])[0].subject_alternative_names
    assert {"2001:DB8:0:0::1": "2001:db8::1"}.get(written, written) in names


# An operator without the key of the CA stands still where it wants other names.

STANDING_STILL: dict[str, Any] = {"conditions": conditions("NotReady"), "observedGeneration": 1}
TLS: dict[str, Any] = {"name": "tls", "port": 9093, "type": "internal", "tls": True}


def helpless(
    status: dict[str, Any] | None = None, *listeners: dict[str, Any], bench: Bench | None = None, **pool: Any
) -> Bench:
    """status: of the Kafka resource."""
    bench = bench or elsewhere()
    patch: dict[str, Any] = {"spec": {"kafka": {"listeners": list(listeners) or [TLS]}}}
    bench.change("kafkas", "demo", patch)
    bench.change("kafkas", "demo", {"status": {**STANDING_STILL, **(status or {})}}, "status")
    generation = bench.find("kafkas", "demo")["metadata"].get("generation")
    bench.change("kafkas", "demo", {"status": {"observedGeneration": generation, **(status or {})}}, "status")
    metadata = {"name": "kafka", "labels": {"strimzi.io/cluster": "demo"}}
    spec = {"replicas": 2, "roles": ["broker"], **pool}
    bench.create("kafkanodepools", {"metadata": metadata, "spec": spec})
    return bench


def of_resource(bench: Bench, broker: bool = True) -> set[str]:
    return leaves.node_names(bench.find("kafkas", "demo"), "kafka", 0, broker)


def test_an_operator_without_a_key_that_is_not_ready_may_want_the_names_of_the_kafka_resource() -> None:
    bench = helpless()
    assert wanted_names(BY_SECRET[NODES[0]], bench.observe()) == of_resource(bench) != names_of(NODES[0])


@pytest.mark.parametrize(
    "bench",
    [
        pytest.param(lambda: helpless({"conditions": conditions("Ready")}), id="it is ready"),
        pytest.param(lambda: helpless({"observedGeneration": 0}), id="it has not looked yet"),
        pytest.param(lambda: helpless(bench=office()), id="it has the key"),
        pytest.param(lambda: helpless(replicas=0), id="the node is not wanted"),
    ],
)
def test_or_else_those_that_it_has_found(bench: Any) -> None:
    assert wanted_names(BY_SECRET[NODES[0]], bench().observe()) == names_of(NODES[0])


def test_of_one_that_is_paused_nothing_is_known() -> None:
    bench = helpless()
    bench.change("kafkas", "demo", {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}})
    assert wanted_names(BY_SECRET[NODES[0]], bench.observe()) == names_of(NODES[0])


@pytest.mark.parametrize("kind", ["loadbalancer", "route"])
def test_addresses_of_the_platform_are_kept(kind: str) -> None:
    bench = helpless(None, {**TLS, "type": kind})
    wanted = wanted_names(BY_SECRET[NODES[0]], bench.observe())
    assert names_of(NODES[0]) < wanted
    assert f"{NODES[0]}.demo-kafka-brokers.kafka.svc" in wanted


@pytest.mark.parametrize("roles", [["broker"], ["controller"], ["broker", "controller"]])
def test_the_role_of_a_wanted_node_is_told_by_its_pool(roles: list[str]) -> None:
    bench = helpless(
        None, {**TLS, "configuration": {"bootstrap": {"alternativeNames": ["kafka.example"]}}}, roles=roles
    )
    wanted = wanted_names(BY_SECRET[NODES[0]], bench.observe())
    assert wanted == of_resource(bench, "broker" in roles)
    assert ("kafka.example" in wanted) is ("broker" in roles)


def test_the_domain_of_services_is_the_one_that_the_operator_has_put_into_leaves() -> None:
    bench = helpless()
    name = DistinguishedName("demo-kafka")
    names = ["demo-kafka-brokers.kafka.svc", "demo-kafka-brokers.kafka.svc.corp.local"]
    leaf = sign_leaf(
        key(50).public_key, name, names, OLD.certificate, OLD.key, not_before=NOW - YEAR / 2, validity=YEAR
    )
    data = {f"{NODES[1]}.crt": base64.b64encode(pem(leaf)).decode()}
    bench.change("secrets", NODES[1], {"data": data})
    wanted = wanted_names(BY_SECRET[NODES[0]], bench.observe())
    assert wanted == {one.replace("cluster.local", "corp.local") for one in of_resource(bench)}
