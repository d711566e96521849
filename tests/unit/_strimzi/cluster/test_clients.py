# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients outside the cluster as they are found: resources, the operator's copies, pods, named Secrets, and how a client of the cluster is known."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import observe_outside, reach_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    Follows,
    NamedSecret,
    OutsideClient,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    LedgerEntry,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaSecrets,
    PreparedAuthority,
    StoredLeaf,
)

from ....tools.support.certificates import Entity, key, leaf, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.memory_api import Response
from ..bench import SCOPE, Object, pem
from ..client_bench import FOREIGN, NEW, OLD, REACH, Clients, certificates

ALL = {"secretName": "demo-cluster-ca-cert", "pattern": "*.crt"}
ONE = {"secretName": "demo-cluster-ca-cert", "certificate": "ca.crt"}
ELSEWHERE = {"secretName": "corporate", "pattern": "*.crt"}
HERE = "demo-kafka-bootstrap:9093"


def connecting(*sources: Object, to: str = HERE) -> Object:
    return {"bootstrapServers": to, "tls": {"trustedCertificates": list(sources)}}


def mirroring(target: Object, *others: Object) -> Object:
    return {
        "target": {"alias": "here", **target},
        "mirrors": [{"source": {"alias": f"there-{number}", **one}} for number, one in enumerate(others)],
    }


def with_connect(spec: Object, *held: Entity) -> Clients:
    bench = Clients()
    bench.resource("kafkaconnects", "connect", spec)
    bench.copy("connect-connect-tls-trusted-certs", {"ca.crt": pem(*held or (OLD,))}, "KafkaConnect", "connect")
    bench.run("connect-connect-0", "KafkaConnect", "connect")
    return bench


REFERRING = [
    pytest.param(connecting(ALL), Follows.TRUSTED, id="all entries"),
    pytest.param(connecting(ONE), Follows.ISSUING, id="ca.crt"),
    pytest.param(connecting({**ALL, "pattern": "ca*.crt"}), Follows.ISSUING, id="a pattern that misses fingerprints"),
    pytest.param(connecting({**ALL, "pattern": "*.pem"}), Follows.NOTHING, id="a pattern that misses all"),
    pytest.param(connecting({**ALL, "pattern": "*.{pem,crt}"}), Follows.TRUSTED, id="a pattern of alternatives"),
    pytest.param(connecting({**ALL, "pattern": "{ca,old}.c?t"}), Follows.ISSUING, id="alternatives that miss others"),
    pytest.param(connecting(ONE, ALL), Follows.TRUSTED, id="both"),
    pytest.param(connecting(ALL, to="elsewhere:9093"), Follows.TRUSTED, id="by the Secret alone"),
    pytest.param(
        connecting({"secretName": "demo-cluster-ca-bundle", "certificate": "ca.crt"}), Follows.NOTHING, id="bundle"
    ),
    *(
        pytest.param(connecting(ELSEWHERE, to=address), Follows.NOTHING, id=address)
        for address in (
            HERE, "demo-kafka-bootstrap.kafka:9093", "demo-kafka-bootstrap.kafka.svc.cluster.local:9093",
            "other:9092, demo-kafka-bootstrap.kafka.svc:9093", "demo-kafka-0.demo-kafka-brokers.kafka.svc:9093", "demo-kafka-tls-bootstrap:9094",
            "Broker-0.Example.com:443", "kafka.apps.example.com:443", "other:9092,10.0.0.7:31234",
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "follows"), REFERRING)
def test_a_connect_that_trusts_this_cluster(spec: Object, follows: Follows) -> None:
    (found,) = with_connect(spec, OLD, NEW).see()
    assert (found.name, found.trusts) == ("KafkaConnect kafka/connect", certificates(OLD, NEW))
    assert (found.doubt, found.verifier, found.follows, found.declared) == ("", Verifier.JVM, follows, False)


@pytest.mark.parametrize("spec", [{"bootstrapServers": HERE}, {"bootstrapServers": HERE, "tls": {}}])
def test_a_connect_that_trusts_what_its_image_brings(spec: Object) -> None:
    assert with_connect(spec).see() == ()


ANYWHERE = [
    "other-kafka-bootstrap:9093", "demo-kafka-bootstrap.elsewhere.svc:9093", "kafka.example.org:443", "a.b.apps.example.com:443",
    "demo-kafka-kafka-bootstrap:9093", "demo-kafka-two-kafka-brokers.kafka.svc:9093", "demo-kafka-mail.kafka.svc:9093",
]  # fmt: skip


@pytest.mark.parametrize("address", ANYWHERE)
def test_a_connect_is_known_by_the_ca_that_it_trusts_whatever_it_connects_to(address: str) -> None:
    (found,) = with_connect(connecting(ELSEWHERE, to=address), FOREIGN, OLD).see()
    assert (found.name, found.trusts, found.doubt) == ("KafkaConnect kafka/connect", certificates(FOREIGN, OLD), "")
    assert (found.follows, found.declared) == (Follows.NOTHING, False)
    assert with_connect(connecting(ELSEWHERE, to=address), FOREIGN).see() == ()


def test_without_a_copy_the_secrets_that_it_names_tell(golden: GoldenFiles) -> None:
    """The operator has not made the copy yet, or cannot."""
    bench = Clients()
    one = {"secretName": "renamed", "certificate": "demo.pem"}
    bench.resource("kafkaconnects", "connect", connecting(ELSEWHERE, one, to="kafka.example.org:443"))
    assert bench.see() == ()
    bench.store("corporate", {"corporate.crt": pem(FOREIGN), "demo.pem": pem(OLD)})
    bench.store("renamed", {"other.pem": pem(OLD), "demo.pem": pem(FOREIGN)})
    assert bench.see() == ()
    bench.store("renamed-too", {"demo.pem": pem(NEW)})
    too = {"secretName": "renamed-too", "pattern": "*.pem"}
    bench.resource("kafkabridges", "bridge", connecting(too, to="kafka.example.org:443"))
    (found,) = bench.see()
    assert (found.name, found.trusts) == ("KafkaBridge kafka/bridge", certificates(NEW))
    golden.compare_said("cluster", found.doubt)


def test_the_remedy_is_the_one_that_works(golden: GoldenFiles) -> None:
    (by_one,), (by_all,) = with_connect(connecting(ONE)).see(), with_connect(connecting(ALL)).see()
    golden.compare_said("cluster", by_one.remedy, "one entry is named")
    golden.compare_said("cluster", by_all.remedy, "a pattern is named")


def test_a_kafka_bridge_has_its_own_copy() -> None:
    bench = Clients()
    bench.resource("kafkabridges", "bridge", connecting(ALL))
    bench.copy("bridge-bridge-tls-trusted-certs", {"ca.crt": pem(OLD)}, "KafkaBridge", "bridge")
    (found,) = bench.see()
    assert (found.name, found.trusts) == ("KafkaBridge kafka/bridge", certificates(OLD))


def test_each_connection_of_a_mirror_maker_has_its_own_entry() -> None:
    bench = Clients()
    there = connecting(ELSEWHERE, to="there:9093")
    bench.resource("kafkamirrormaker2s", "mirror", mirroring(there, connecting(ALL), there))
    entries = {
        "ca.crt": pem(FOREIGN),
        "here-ca.crt": pem(FOREIGN),
        "there-0-ca.crt": pem(OLD),
        "there-1-ca.crt": pem(FOREIGN),
    }
    bench.copy("mirror-connect-tls-trusted-certs", entries, "KafkaMirrorMaker2", "mirror")
    (found,) = bench.see()
    assert (found.name, found.trusts) == ("KafkaMirrorMaker2 kafka/mirror", certificates(OLD))
    target = Clients()
    target.resource("kafkamirrormaker2s", "mirror", mirroring(connecting(ONE), there))
    entries = {"ca.crt": pem(NEW), "here-ca.crt": pem(NEW), "there-0-ca.crt": pem(FOREIGN)}
    target.copy("mirror-connect-tls-trusted-certs", entries, "KafkaMirrorMaker2", "mirror")
    (found,) = target.see()
    assert (found.trusts, "spec.target.tls.trustedCertificates" in found.remedy) == (certificates(NEW), True)


OLDER_FIELDS = {
    "kafkamirrormaker2s": (("spec", "clusters"), ("spec", "connectCluster"), ("spec", "mirrors")),
}


@pytest.mark.parametrize("ours", ["here", "there"])
def test_a_mirror_maker_that_was_written_for_v1beta2_is_seen_whole(ours: str) -> None:
    """Its clusters have a list of their own, which v1 does not show; the one that it connects to has a second entry (KafkaMirrorMaker2Cluster)."""
    clusters = [
        {"alias": alias, **(connecting(ONE) if alias == ours else connecting(ELSEWHERE, to="x:9093"))}
        for alias in ("there", "here")
    ]
    bench = Clients()
    bench.api.only_older = OLDER_FIELDS
    spec = {"clusters": clusters, "connectCluster": "here", "mirrors": [{"sourceCluster": "there"}]}
    bench.resource("kafkamirrormaker2s", "mirror", spec)
    entries = {f"{alias}-ca.crt": pem(OLD if alias == ours else FOREIGN) for alias in ("there", "here")}
    bench.copy("mirror-connect-tls-trusted-certs", entries, "KafkaMirrorMaker2", "mirror")
    (found,) = bench.see()
    assert (found.name, found.trusts) == ("KafkaMirrorMaker2 kafka/mirror", certificates(OLD))
    assert f"spec.clusters[{int(ours == 'here')}].tls.trustedCertificates" in found.remedy


def test_a_mirror_maker_without_a_target_is_left_as_v1_shows_it_where_v1beta2_is_not_served() -> None:
    bench = Clients()
    bench.resource("kafkamirrormaker2s", "mirror", {"mirrors": [{"source": connecting(ALL)}]})
    assert [found.name for found in bench.see()] == ["KafkaMirrorMaker2 kafka/mirror"]


COPY = "Secret kafka/connect-connect-tls-trusted-certs"


@pytest.mark.parametrize(
    ("case", "entries"),
    [
        ("missing", None),
        ("empty", {}),
        ("half", {"ca.crt": pem(OLD)[:200]}),
    ],
)
def test_an_unreadable_copy_is_unknown(case: str, entries: dict[str, bytes] | None, golden: GoldenFiles) -> None:
    bench = Clients()
    bench.resource("kafkaconnects", "connect", connecting(ALL))
    if entries is not None:
        bench.copy("connect-connect-tls-trusted-certs", entries, "KafkaConnect", "connect")
    (found,) = bench.see()
    assert found.trusts is None
    golden.compare_said("cluster", found.doubt, case)


@pytest.mark.parametrize(
    ("created", "phase", "older"),
    [(4, "Running", True), (5, "Running", False), (6, "Running", False), (4, "Failed", False)],
)
def test_pods_that_started_before_their_copy_changed_may_not_know_it(
    created: int, phase: str, older: bool, golden: GoldenFiles
) -> None:
    bench = Clients()
    bench.resource("kafkaconnects", "connect", connecting(ALL))
    bench.set_time(created)
    bench.run("connect-connect-0", "KafkaConnect", "connect", phase)
    bench.run("another-connect-0", "KafkaConnect", "another")
    bench.run("connect-connect-build", "KafkaConnect", "connect", component="kafka-connect-build")
    bench.set_time(5)
    bench.copy("connect-connect-tls-trusted-certs", {"ca.crt": pem(OLD)}, "KafkaConnect", "connect")
    (found,) = bench.see()
    assert (found.trusts, bool(found.doubt)) == (certificates(OLD), older)
    if older:
        assert "2026-01-01T00:00:05Z" in found.doubt
        golden.compare_said("cluster", found.doubt)


CHANGED: Object = {"time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:data": {}}}


@pytest.mark.parametrize("fields", [[], [{**CHANGED, "time": None}], [CHANGED, {**CHANGED, "time": "yesterday"}]])
def test_without_a_record_of_its_last_change_nothing_is_known(fields: Sequence[Object], golden: GoldenFiles) -> None:
    bench = with_connect(connecting(ALL))
    objects, version = bench.api.snapshot()
    objects["secrets", "kafka", "connect-connect-tls-trusted-certs"]["metadata"]["managedFields"] = list(fields)
    bench.api.restore((objects, version))
    (found,) = bench.see()
    golden.compare_said("cluster", found.doubt)


@pytest.mark.parametrize("number", [1, 40])
def test_the_number_of_requests_does_not_depend_on_clients(number: int) -> None:
    bench = Clients()
    for one in range(number):
        bench.resource("kafkaconnects", f"c{one}", connecting(ALL))
    bench.api.requests.clear()
    assert len(bench.see()) == number
    assert len(bench.api.requests) == 5


# Secrets that the user names, and what may not be read.


def test_named_secrets_under_the_strictest_rules() -> None:
    bench = Clients()
    bench.store(
        "app", {"ca.crt": pem(OLD), "more.pem": pem(NEW), "tls.key": b"secret", "user.crt": pem(leaf(OLD, "u"))}
    )
    whole, one = bench.see(NamedSecret("kafka", "app"), NamedSecret("kafka", "app", "ca.crt"))
    assert (whole.name, one.name) == ("Secret kafka/app", "Secret kafka/app entry ca.crt")
    assert set(certificates(OLD, NEW)) < set(whole.trusts or ())
    assert one == OutsideClient(
        one.name, certificates(OLD), "", Verifier.OPENSSL, Follows.NOTHING, one.remedy, declared=True
    )


@pytest.mark.parametrize("name", ["gone", "empty"])
def test_named_secrets_that_say_nothing(name: str, golden: GoldenFiles) -> None:
    bench = Clients()
    bench.store("empty", {"tls.key": b"secret"})
    (found,) = bench.see(NamedSecret("kafka", name))
    assert (found.trusts, found.declared) == (None, True)
    golden.compare_said("cluster", found.doubt, name)


def test_a_certificate_with_the_older_header_counts() -> None:
    bench = Clients()
    bench.store("app", {"ca.crt": pem(OLD).replace(b" CERTIFICATE", b" X509 CERTIFICATE")})
    (found,) = bench.see(NamedSecret("kafka", "app"))
    assert (found.trusts, found.doubt) == (certificates(OLD), "")


def test_the_published_bundle_is_no_evidence_to_ask_for() -> None:
    assert Clients().see(NamedSecret("kafka", "demo-cluster-ca-bundle")) == ()


class Refusing:
    """Answers with this status where the path ends like that, and else lets through."""

    def __init__(self, api: Any, end: str, status: int, body: Object) -> None:
        self._api, self._end, self._response = api, end, Response(status, {"kind": "Status", **body})

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        return self._response if path.endswith(self._end) else self._api.request(method, path, **arguments)


def seen_by(bench: Clients, end: str, status: int, *named: NamedSecret, **body: Any) -> tuple[OutsideClient, ...]:
    client = KubeClient(Refusing(bench.api, end, status, body), sleep=lambda seconds: None)  # type: ignore[arg-type]
    return observe_outside(client, REACH, named)


def test_a_forbidden_kind_of_clients_is_unknown_under_a_name(golden: GoldenFiles) -> None:
    (found,) = seen_by(Clients(), "/kafkabridges", 403, reason="Forbidden", message="kafkabridges is forbidden")
    assert (found.name, found.trusts) == ("KafkaBridge kafka/*", None)
    golden.compare_said("cluster", f"{found.doubt}\n{found.remedy}")


def test_a_forbidden_secret_is_unknown(golden: GoldenFiles) -> None:
    (found,) = seen_by(
        Clients(), "/secrets/app", 403, NamedSecret("apps", "app"), reason="Forbidden", message="secrets is forbidden"
    )
    assert (found.name, found.trusts, found.declared) == ("Secret apps/app", None, True)
    golden.compare_said("cluster", f"{found.doubt}\n{found.remedy}")


def test_where_the_kind_is_not_installed_there_is_none() -> None:
    body = {"reason": "NotFound", "message": "the server could not find the requested resource", "details": {}}
    assert seen_by(Clients(), "/kafkaconnects", 404, **body) == ()


# How a client of the cluster is known: every address of its nodes, and every CA that it has or is about to have.

ROOT = make("root", key(3))
NODE_NAMES = x509.SubjectAlternativeName(
    [x509.DNSName("Broker-0.example.com"), x509.IPAddress(ipaddress.ip_address("10.0.0.7"))]
)
NODE = make("demo-kafka", key(4), OLD, ca=False, extra=((NODE_NAMES, False),))
OPERATOR_NAMES = x509.SubjectAlternativeName([x509.DNSName("operator.example.com")])
OPERATOR = make("demo-entity-topic-operator", key(5), OLD, ca=False, extra=((OPERATOR_NAMES, False),))
KAFKA = {
    "spec": {"kafka": {"listeners": [{"name": "tls"}, {"name": "plain"}]}},
    "status": {"listeners": [{"addresses": [{"host": "Worker-1.example.com", "port": 31000}]}, {"name": "x"}]},
}
LEAVES = (
    StoredLeaf("demo-kafka-0", "demo-kafka-0.crt", Component.KAFKA, (NODE.certificate,), 0),
    StoredLeaf("demo-kafka-1", "demo-kafka-1.crt", Component.KAFKA, None, None),
    StoredLeaf("demo-entity", "entity.crt", Component.ENTITY_OPERATOR, (OPERATOR.certificate,), 0),
)
CA = CaSecrets(
    (OLD.certificate, ROOT.certificate),
    {"next.crt": (NEW.certificate,)},
    prepared=(PreparedAuthority((FOREIGN.certificate,), "key"),),
)


@pytest.mark.parametrize(
    "address",
    [
        "broker-0.example.com:443",
        "other:1, 10.0.0.7:9094",
        "worker-1.example.com:31000",
        "demo-kafka-bootstrap.kafka.svc:9093",
        "demo-kafka-plain-bootstrap.kafka.svc:9092",
        "demo-kafka-0.kafka.svc:9094",
        "demo-kafka-tls-12:9094",
    ],
)
def test_every_address_of_nodes_leads_here(address: str) -> None:
    assert reach_of(SCOPE, KAFKA, LEAVES, CA, None).is_of_cluster(address)


@pytest.mark.parametrize(
    "address", [None, "", "operator.example.com:443", "example.com:443", "other-kafka-bootstrap:9093"]
)
def test_an_address_of_another_host_is_not_of_the_cluster(address: str | None) -> None:
    assert not reach_of(SCOPE, KAFKA, LEAVES, CA, None).is_of_cluster(address)


def test_the_cas_of_a_cluster_are_in_use_beside_above_or_to_come() -> None:
    reach = reach_of(SCOPE, None, (), CA, None)
    for one in (OLD, ROOT, NEW, FOREIGN):
        assert reach.is_trusted_by((OPERATOR.certificate, one.certificate))
    for anchors in (None, (), (NODE.certificate,)):
        assert not reach.is_trusted_by(anchors)


def test_cas_of_the_ledger_count_as_cas_of_the_cluster() -> None:
    ledger = Ledger((LedgerEntry((NEW.certificate,), TrustState.UNTRUSTED),))
    assert reach_of(SCOPE, None, (), CaSecrets(), ledger).is_trusted_by((NEW.certificate,))
