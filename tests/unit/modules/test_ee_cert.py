# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_ee_cert: leaves that are missing, one or several, of a component or all; leaves at their end; own certificates; and how long they last."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from ...tools.operator import clusters
from ...tools.support.certificates import key, make
from ...tools.support.checker import entries
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_api import Response
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from . import stages
from .fast_clock import FastClock
from .mistakes import found, put
from .running import Ended, call
from .stages import DAY, NOW
from .uses import OTHER_CA, OWN

NODE, CRUISE, OPERATOR = "demo-kafka-1", "demo-cruise-control-certs", "demo-cluster-operator-certs"


def without(*secrets: str) -> MemoryCluster:
    """A user has deleted these Secrets, and the operator has not reconciled since."""
    memory = stages.managed()
    memory.operator_runs = False
    for name in secrets:
        memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{name}")
    return memory


def secret(memory: MemoryCluster, name: str) -> dict[str, bytes]:
    return entries(memory.api.find("secrets", "kafka", name))


def certificates(memory: MemoryCluster, name: str, entry: str) -> tuple[Certificate, ...]:
    return parse_certificates(secret(memory, name)[entry])


@pytest.mark.parametrize(
    ("options", "issued"),
    [
        ({}, {NODE, CRUISE, OPERATOR}),
        ({"secrets": [NODE]}, {NODE}),
        ({"secrets": [NODE, OPERATOR]}, {NODE, OPERATOR}),
        ({"components": ["cruise-control"]}, {CRUISE}),
        ({"components": ["kafka", "cluster-operator"]}, {NODE, OPERATOR}),
        ({"components": ["kafka-exporter"]}, set()),
        ({"components": ["kafka"], "secrets": [CRUISE]}, set()),
    ],
)
def test_missing_leaves_are_issued_those_that_are_asked_for(options: dict[str, Any], issued: set[str]) -> None:
    memory = without(NODE, CRUISE, OPERATOR)
    ended = stages.done(memory, "strimzi_ee_cert", **options)
    assert {name for name in (NODE, CRUISE, OPERATOR) if secret(memory, name)} == issued
    assert ended.result["changed"] is bool(issued)


def test_leaves_are_what_the_operator_would_have_issued_so_that_it_keeps_them() -> None:
    before = certificates(stages.managed(), NODE, f"{NODE}.crt")[0]
    memory = without(NODE)
    stages.done(memory, "strimzi_ee_cert", validity_days=100)
    made, above = certificates(memory, NODE, f"{NODE}.crt")
    assert (made.subject, made.subject_alternative_names) == (before.subject, before.subject_alternative_names)
    assert made.signed_by(above)
    assert (made.not_after - made.not_before).days == 100
    kept = secret(memory, NODE)
    memory.operator_runs = True
    memory.settle()
    assert secret(memory, NODE) == kept


def test_a_secret_that_is_none_of_the_clusters_is_refused_with_those_that_are() -> None:
    for check in (True, False):
        ended = call("strimzi_ee_cert", without(NODE), check=check, secrets=["demo-kafka-9", NODE])
        assert (ended.failed, ended.writes) == (True, [])
        assert found(ended) == [("leaves_are_known", "Secret kafka/demo-kafka-9")]
        assert [name in ended.result["msg"] for name in (OPERATOR, CRUISE, NODE)] == [True] * 3


def test_leaves_of_nodes_are_renewed_when_they_come_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stages.managed()
    # A CA that lives on: under one that ends with its leaves they cannot be renewed.
    stages.done(memory, "strimzi_ca", **stages.PREPARED, validity_days=1000)
    stages.done(memory, "strimzi_trusted_certs", state="retired")
    before = certificates(memory, NODE, f"{NODE}.crt")[0]
    assert not stages.done(memory, "strimzi_ee_cert", state="renewed", renew_before_days=30).result["changed"]
    monkeypatch.setattr(
        FastClock, "passed", before.not_after - FastClock().now() + FastClock.passed - timedelta(days=60)
    )
    assert not stages.done(memory, "strimzi_ee_cert", state="renewed", renew_before_days=50).result["changed"]
    ended = stages.done(memory, "strimzi_ee_cert", state="renewed", renew_before_days=70)
    issued = {
        action["object"]
        for action in ended.result["actions"]
        if action["object"].startswith("Secret kafka/demo-kafka-")
    }
    assert issued == {f"Secret kafka/demo-kafka-{number}" for number in range(3)}
    after = certificates(memory, NODE, f"{NODE}.crt")[0]
    assert (after.issuer, after.not_after > before.not_after) == (before.issuer, True)


# A certificate for names of one's own. ------------------------------------------------------------------------------


def own(memory: MemoryCluster, check: bool = False, **changes: Any) -> Ended:
    return call("strimzi_ee_cert", memory, check=check, **{**OWN, **changes})


def test_an_own_certificate_has_the_names_that_are_asked_for_and_what_it_takes_to_use_it(golden: GoldenFiles) -> None:
    memory = stages.managed()
    ended = own(memory, leaf_key_size=3072)
    found = secret(memory, "tools-tls")
    assert set(found) == {
        "tools.crt",
        "tools.key",
        "tools.pem",
        "tools.p12",
        "tools.password",
        "tools.truststore.p12",
        "ca.crt",
    }
    (made, *_above), (ca,) = (parse_certificates(found[name]) for name in ("tools.crt", "ca.crt"))
    assert (made.subject, made.signed_by(ca)) == ("CN=tools,O=io.strimzi", True)
    assert made.subject_alternative_names == {"tools.kafka.svc", "10.0.0.1"}
    assert made.key_type == ("rsa", 3072)
    made_for = ended.result["certificate"]
    assert (made_for["secret"], made_for["sha256"]) == ("kafka/tools-tls", made.sha256)
    golden.compare_said("calls", made_for["why"])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, ""),
        ({"renew_before_days": 30}, ""),
        (
            {"subject_alternative_names": ["tools.kafka.svc"]},
            "its alternative names are not the names that it should have: it should not have 10.0.0.1",
        ),
        ({"common_name": "other"}, "it is not there yet"),
    ],
)
def test_a_certificate_of_the_caller_is_issued_again_only_for_a_reason(changes: dict[str, Any], why: str) -> None:
    memory = stages.managed()
    own(memory)
    put(memory, "secrets", "tools-tls", {"mine": b"stays"})
    for check in (True, False):
        ended = own(memory, check, **changes)
        assert (ended.failed, ended.result["changed"], ended.result["certificate"]["why"]) == (False, bool(why), why)
    assert secret(memory, "tools-tls")["mine"] == b"stays"


def test_a_certificate_of_the_caller_is_renewed_and_moves_to_another_ca_with_the_cluster(
    monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    memory = stages.managed()
    own(memory)
    stages.done(memory, "strimzi_ca", state="replaced", fresh_for_hours=0, validity_days=3650, **stages.FAST)
    moved = own(memory)
    golden.compare_said("calls", moved.result["certificate"]["why"])
    monkeypatch.setattr(FastClock, "passed", FastClock.passed + timedelta(days=340))
    assert own(memory).result["certificate"]["why"].startswith("it ends on ")


def test_a_certificate_of_the_caller_gets_each_newly_trusted_ca() -> None:
    memory = stages.managed()
    own(memory)
    kept = secret(memory, "tools-tls")
    stages.done(memory, "strimzi_trusted_certs", certificate=OTHER_CA.pem.decode())
    ended = own(memory)
    assert (ended.result["changed"], ended.result["certificate"]["why"]) == (True, "")
    found = secret(memory, "tools-tls")
    assert len(parse_certificates(found["ca.crt"])) == 2
    assert found["tools.key"] == kept["tools.key"]


@pytest.mark.parametrize(
    "name", ["demo-cluster-ca-cert", "demo-cluster-ca", "demo-kafka-0", "demo-cluster-ca-bundle", "demo-trustbundle"]
)
def test_a_secret_of_the_cluster_is_not_written_for_a_caller(name: str) -> None:
    for check in (True, False):
        ended = own(stages.managed(), check, secret=name)
        message = f"Secret kafka/{name} belongs to a Strimzi cluster. Give a Secret of your own."
        assert (ended.failed, ended.result["msg"], ended.writes) == (True, message, [])


def test_without_the_key_of_the_ca_there_is_none(golden: GoldenFiles) -> None:
    for check in (True, False):
        memory = stages.managed()
        put(memory, "secrets", stages.KEYS, {"ca.key": None})
        ended = own(memory, check)
        assert (ended.failed, ended.writes) == (True, [])
        golden.compare_said("calls", ended.result["msg"])


@pytest.mark.parametrize("check", [True, False])
def test_a_good_leaf_is_issued_again_with_force(
    reading: Callable[[MemoryCluster], ReloadingNodes], check: bool
) -> None:
    memory = stages.managed()
    reading(memory)
    before = {name: secret(memory, name) for name in (NODE, "demo-kafka-0", CRUISE)}
    ended = call("strimzi_ee_cert", memory, check=check, state="renewed", force=True, secrets=[NODE])
    assert (ended.failed, ended.result["changed"]) == (False, True)
    assert (secret(memory, NODE) == before[NODE]) is check
    assert all(secret(memory, name) == before[name] for name in ("demo-kafka-0", CRUISE))
    if check:
        assert [one["restarts"] for one in ended.result["plan"] if one["restarts"]] == []


@pytest.mark.parametrize(
    "options",
    [
        {"state": "renewed", "force": True},
        {"state": "renewed", "secrets": [NODE]},
        {"state": "issued", "force": True, "secrets": [NODE]},
        {"state": "renewed", "force": True, "secrets": [NODE, "demo-kafka-9"]},
        {"state": "renewed", "force": True, "secrets": [NODE], "issuer": {"type": "cert_manager", "name": "ca", "resource": "Certificate"}},
    ],
)  # fmt: skip
def test_force_that_would_have_no_effect_is_refused(options: dict[str, Any]) -> None:
    ended = call("strimzi_ee_cert", stages.managed(), **options)
    assert (ended.failed, ended.writes) == (True, [])


LEFT = "demo-kafka-9"


@pytest.mark.parametrize(
    ("method", "end", "is_done"),
    [
        ("GET", "/certificates", False), ("POST", "/leases", False), ("DELETE", f"/certificates/{LEFT}", False),
        ("DELETE", f"/certificates/{LEFT}", True), ("DELETE", f"/secrets/{LEFT}-cm", True),
    ],
)  # fmt: skip
def test_an_api_server_that_fails_for_a_moment_does_not_end_the_removal_of_certificates(
    method: str, end: str, is_done: bool
) -> None:
    memory = stages.managed()
    root, labels = "/apis/cert-manager.io/v1/namespaces/kafka/certificates", ClusterNames("kafka", "demo")
    metadata = {"name": LEFT, "labels": labels.own_labels}
    memory.api.request("POST", root, body={"metadata": metadata, "spec": {"secretName": f"{LEFT}-cm"}})
    metadata = {"name": f"{LEFT}-cm", "labels": labels.beside_labels}
    memory.api.request("POST", "/api/v1/namespaces/kafka/secrets", body={"metadata": metadata})
    failures = 1 if is_done else 2

    def answer(asked: str, path: str) -> Response | None:
        nonlocal failures
        if asked != method or not path.endswith(end) or not failures:
            return None
        failures -= 1
        if is_done:
            memory.api.request(asked, path)
        return Response(503, {"kind": "Status", "code": 503, "reason": "ServiceUnavailable", "message": "away"})

    ended = call("strimzi_ee_cert", memory, answer=answer, state="tidied")
    assert not ended.failed, ended.result["msg"]
    removed = [(one["verb"], one["object"]) for one in ended.result["actions"]]
    assert removed == [("delete", f"Certificate kafka/{LEFT}"), ("delete", f"Secret kafka/{LEFT}-cm")]
    assert memory.api.find("secrets", "kafka", f"{LEFT}-cm") is None


# Certificates that would be in the operator's time for renewal are not made, and the message says which field to set.

BROUGHT = make("Company CA", key(1), begin=NOW - DAY, end=NOW + 170 * DAY)
SUPPLIED = {"certificate": BROUGHT.certificate.pem.decode(), "private_key": key(1).reveal().decode()}


def generated(**specification: int) -> MemoryCluster:
    """A cluster that was adopted. specification: of its cluster CA."""
    memory = MemoryCluster()
    *others, kafka = clusters.dual_role(memory.cluster, memory.namespace, generated=True)
    kafka["spec"]["clusterCa"] = specification
    memory.apply(*others, kafka)
    memory.settle()
    stages.done(memory, "strimzi_ca", state="adopted")
    return memory


@pytest.mark.parametrize(
    ("renewal", "options", "told"),
    [
        (30, {"validity_days": 30}, "validity_days: would make certificates valid for 30 days"),
        (90, {"validity_days": 90}, "Give 97 days or more, or none, or a lower renewalDays, 83 or less."),
        (180, SUPPLIED, "Or give a lower renewalDays, 162 or less."),
        (180, {"certificate": SUPPLIED["certificate"]}, "the supplied CA: CN=Company CA"),
    ],
    ids=["usual", "longer", "supplied", "elsewhere"],
)
@pytest.mark.parametrize("check", [True, False], ids=["check", "run"])
def test_a_replacement_is_held_before_its_first_write(
    renewal: int, options: dict[str, Any], told: str, check: bool
) -> None:
    memory = generated(validityDays=365, renewalDays=renewal)
    ended = call("strimzi_ca", memory, check=check, **{**stages.PREPARED, **options})
    assert (ended.failed, ended.writes) == (True, [])
    assert [one["gate"] for one in ended.result["violations"]] == ["leaves_outlast_the_window"]
    assert told in ended.result["msg"]


def test_without_the_option_the_resource_says_how_long_they_live(golden: GoldenFiles) -> None:
    """The defaults of Strimzi's own certificates, with a renewal a year ahead."""
    memory = generated(validityDays=3650, renewalDays=365)
    planned = call("strimzi_ca", memory, check=True, **{**stages.PREPARED, "until_phase": "retire"})
    assert not planned.failed, planned.result["msg"]
    golden.compare_said("calls", "\n".join(planned.result["choices"]))
    before = {ca["sha256"] for ca in stages.done(memory, "strimzi_ca_info").result["cas"]}
    ended = stages.done(memory, "strimzi_ca", **stages.PREPARED)
    made = [ca for ca in ended.result["cas"] if ca["sha256"] not in before]
    assert made
    assert {int(ca["not_after"][:4]) - int(ca["not_before"][:4]) for ca in made} <= {9, 10}
