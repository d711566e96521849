# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of cert-manager: what is written and compared, every state in which one can be, and requests to an API server in memory."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Conflict, Forbidden, IssuerUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.certificates import (
    CertManagerByCertificates,
    answer_to,
    failed_at,
    last_failure_of,
    refuse_foreign_certificate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.conditions import (
    IssuerReference,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.requests import CertManager
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.specification import (
    Terms,
    manifest,
    wanted_spec,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    IssuedCertificate,
    LeafOrder,
    Refused,
    Token,
    Waiting,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, Response
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from ....tools.support.cert_manager import NAMESPACE, People
from ....tools.support.cert_manager_certificates import CertificatesCounterpart, MemoryCertificates, path_of_certificate
from ....tools.support.certificates import NOW, key, leaf, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.issuer_contract import USER, asked, is_told, issued, said_by, wish
from ....tools.support.memory_api import MemoryApi
from ..._kube.doubles import FakeClock, ScriptedTransport, status

Object = dict[str, Any]
SCOPE = ClusterNames("kafka", "demo")
REFERENCE = IssuerReference(CertManagerIssuer("corporate", "ClusterIssuer"), "kafka")
TERMS = Terms(SCOPE, REFERENCE, KeySpec(KeyAlgorithm.RSA, 2048), timedelta(days=365), timedelta(days=30))
ROOT = make("root", key(1))
CA = make("corporate", key(2), ROOT)
LEAF = leaf(CA)
NAME = "demo-kafka-0"


SPEC = wanted_spec(wish(name=NAME).order, TERMS)


def condition(kind: str, status: str, message: str = "", reason: str = "", generation: int = 1) -> Object:
    return {"type": kind, "status": status, "reason": reason, "message": message, "observedGeneration": generation}


def certificate(*conditions: Object, **status: Any) -> Object:
    return {
        "metadata": {"name": NAME, "generation": 1},
        "spec": SPEC,
        "status": {"conditions": [*conditions], **status},
    }


def secret(**entries: bytes) -> Object:
    stored = {"tls.crt": LEAF.pem + CA.certificate.pem, "tls.key": key(51).reveal(), "ca.crt": ROOT.certificate.pem}
    stored |= {name.replace("_", "."): content for name, content in entries.items()}
    return {"data": {name: base64.b64encode(content).decode() for name, content in stored.items()}}


READY, NOT_READY = (
    condition("Ready", "True"),
    condition("Ready", "False", "Issuing certificate as Secret does not exist"),
)
UNSEEN = condition("Ready", "False", "Issuing certificate as Secret does not exist", "DoesNotExist")
ISSUING = condition("Issuing", "True", "Renewing certificate")
FAILED = condition("Issuing", "False", "denied: no", "Denied")
DONE = condition("Issuing", "False", "The certificate has been successfully issued", "Issued")
SINCE = "2026-06-01T10:00:00Z"


def test_an_answer_has_the_key_and_the_chain_to_the_root() -> None:
    for conditions in ((READY,), (READY, DONE), (READY, FAILED)):
        answer = answer_to(certificate(*conditions), secret(), (), SCOPE)
        assert isinstance(answer, IssuedCertificate)
        assert (answer.leaf, answer.chain) == (LEAF, (CA.certificate, ROOT.certificate))
        assert answer.key == key(51)


@pytest.mark.parametrize(
    ("case", "found", "stored"),
    [
        ("no controller has looked", certificate(), None),
        ("looked at earlier", certificate(condition("Ready", "True", generation=0)), secret()),
        ("being issued", certificate(NOT_READY, ISSUING), None),
        ("being renewed", certificate(READY, ISSUING), secret()),
        ("no Secret", certificate(NOT_READY), None),
        ("a Secret that cert-manager has not seen", certificate(UNSEEN, DONE), secret()),
        ("spoilt", certificate(NOT_READY), secret(tls_crt=b"?")),
        ("no key", certificate(NOT_READY), secret(tls_key=b"?")),
    ],
)
def test_a_waiting_certificate_says_why(case: str, found: Object, stored: Object | None, golden: GoldenFiles) -> None:
    answer = answer_to(found, stored, (), SCOPE)
    assert isinstance(answer, Waiting)
    golden.compare_said("issuers", said_by(answer), case)


@pytest.mark.parametrize(
    ("case", "found", "stored"),
    [
        ("failed", certificate(NOT_READY, FAILED, failedIssuanceAttempts=1, lastFailureTime=SINCE), None),
        (
            "failed, with one that will not do",
            certificate(READY, FAILED, failedIssuanceAttempts=3, lastFailureTime=SINCE), secret(),
        ),
        ("the condition was reset by hand", certificate(READY), secret()),
    ],
)  # fmt: skip
def test_a_failed_certificate_says_why(case: str, found: Object, stored: Object | None, golden: GoldenFiles) -> None:
    answer = answer_to(found, stored, {LEAF.sha256}, SCOPE)
    assert isinstance(answer, Refused)
    golden.compare_said("issuers", said_by(answer), case)


def test_a_certificate_that_is_being_issued_quotes_its_request(golden: GoldenFiles) -> None:
    answer = answer_to(certificate(ISSUING), None, (), SCOPE, "CertificateRequest kafka/a is pending: soon.")
    assert isinstance(answer, Waiting)
    golden.compare_said("issuers", said_by(answer))


def test_nothing_is_wrong_where_nothing_has_failed() -> None:
    for conditions in ((), (READY,), (READY, DONE), (NOT_READY, ISSUING)):
        assert last_failure_of(certificate(*conditions), SCOPE) is None


@pytest.mark.parametrize("text", [None, "", "yesterday", "9999-12-31T23:59:59Z", "2026-06-01T10:00:00"])
def test_a_time_that_cannot_be_read(text: str | None) -> None:
    assert failed_at(certificate(lastFailureTime=text)) is None


def test_the_time_of_a_failure() -> None:
    found = failed_at(certificate(lastFailureTime=SINCE))
    assert found is not None
    assert found.isoformat() == "2026-06-01T10:00:00+00:00"


@pytest.mark.parametrize("label", ["app.kubernetes.io/managed-by", "strimzi.io/cluster"])
def test_a_certificate_that_lacks_a_label_belongs_to_another_owner(label: str) -> None:
    made = manifest(wish(name=NAME).order, TERMS)
    assert refuse_foreign_certificate(made, SCOPE) is None
    del made["metadata"]["labels"][label]
    answer = refuse_foreign_certificate(made, SCOPE)
    assert answer is not None
    assert label in answer.reason
    is_told(answer)


# Certificates of cert-manager on an API server in memory: what is sent, what is found, and what is in the way.

CORPORATE = make("corporate", key(1))
AWAY = status(
    500, "InternalError", 'Internal error occurred: failed calling webhook "webhook.cert-manager.io": refused'
)
NOTHING_KEPT = status(404, "NotFound", "", name="demo-kafka-0-cm", kind="secrets")
MISSING = status(404, "NotFound", "", name="demo-kafka-0", kind="certificates")


@dataclass
class Bench:
    """cert-manager that approves everything, and the issuer before it."""

    api: MemoryApi = field(default_factory=MemoryApi)

    def __post_init__(self) -> None:
        self.manager = MemoryCertificates(self.api, CORPORATE)

    @property
    def issuer(self) -> CertManagerByCertificates:
        return before(self.api)

    def find(self, order: LeafOrder) -> dict[str, Any]:
        return self.api.find("certificates", NAMESPACE, order.name) or {}

    def change(self, order: LeafOrder, patch: dict[str, Any], sub: str = "") -> None:
        path = path_of_certificate(NAMESPACE, order.name) + sub
        assert self.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json").status == 200

    def requests(self) -> list[str]:
        return [one["metadata"]["name"] for one in self.api.all("certificaterequests", NAMESPACE)]


def before(api: Any) -> CertManagerByCertificates:
    return CertificatesCounterpart(
        api, People(api), CertManagerIssuer("corporate"), (CORPORATE.certificate,), lambda: NOW
    ).issuer


def answering(*answers: Response) -> CertManagerByCertificates:
    """Before an API server that answers so."""
    return before(ScriptedTransport(list(answers)))


def test_a_certificate_of_another_owner_is_neither_changed_nor_issued_again(golden: GoldenFiles) -> None:
    bench, order = Bench(), wish().order
    asked(bench.issuer, order)
    bench.change(order, {"metadata": {"labels": {"app.kubernetes.io/managed-by": "Helm"}}, "spec": {"duration": "24h"}})
    theirs, begun = bench.find(order), len(bench.api.writes)
    answer = bench.issuer.request(replace(order, unfit=frozenset({"0"})))
    assert isinstance(answer, Refused)
    golden.compare_said("issuers", said_by(answer))
    assert (bench.find(order), len(bench.api.writes)) == (theirs, begun)


def put_secret(bench: Bench, name: str, **parts: Any) -> None:
    metadata = {"name": f"{name}-cm", "labels": {"app": "billing"}, **parts.pop("metadata", {})}
    answer = bench.api.request(
        "POST", f"/api/v1/namespaces/{NAMESPACE}/secrets", body={"kind": "Secret", "metadata": metadata, **parts}
    )
    assert answer.status == 201


def test_a_secret_of_another_owner_is_not_written(golden: GoldenFiles) -> None:
    bench, order = Bench(), wish().order
    put_secret(bench, order.name, data={"notes": "dGhlaXJz"})
    begun = len(bench.api.writes)
    answer = bench.issuer.request(order)
    assert isinstance(answer, Refused)
    golden.compare_said("issuers", said_by(answer))
    assert (bench.find(order), len(bench.api.writes)) == ({}, begun)


@pytest.mark.parametrize(
    "parts",
    [
        {"data": {"tls.crt": ""}},
        {"metadata": {"annotations": {"cert-manager.io/issuer-name": "corporate"}}},
        {"metadata": {"annotations": {"trustops.strimzi/kept-for": "demo-cluster-ca"}}},
    ],
    ids=["a certificate", "cert-manager's mark", "a mark of this collection"],
)
def test_a_secret_that_cert_manager_has_kept_is_used_again(parts: dict[str, Any]) -> None:
    """A restore has put it back, without its Certificate."""
    bench, order = Bench(), wish().order
    put_secret(bench, order.name, **parts)
    assert not isinstance(bench.issuer.request(order), Refused)


def test_a_secret_of_a_kafka_user_is_not_written(golden: GoldenFiles) -> None:
    """A KafkaUser of the name under which the certificate of another one would be kept: both would write to its Secret without end."""
    bench, order = Bench(), wish(USER, name="orders").order
    labels = {"strimzi.io/kind": "KafkaUser", "strimzi.io/cluster": "demo"}
    body = {"kind": "Secret", "metadata": {"name": "orders-cm", "labels": labels}, "data": {}}
    bench.api.request("POST", f"/api/v1/namespaces/{NAMESPACE}/secrets", body=body)
    begun = len(bench.api.writes)
    answer = bench.issuer.request(order)
    assert isinstance(answer, Refused)
    golden.compare_said("issuers", said_by(answer))
    assert (bench.find(order), len(bench.api.writes)) == ({}, begun)


def test_five_hundred_are_asked_about_with_three_lists() -> None:
    bench, order = Bench(), wish().order
    bench.manager.is_asleep = True
    orders = [replace(order, name=f"demo-{number}") for number in range(500)]
    tokens = [asked(bench.issuer, one) for one in orders]
    bench.api.requests.clear()
    assert {type(answer) for answer in bench.issuer.poll(tokens)} == {Waiting}
    assert {type(one.answer) for one in bench.issuer.review(orders).values()} == {Waiting}
    assert [path.rpartition("/")[2] for _method, path in bench.api.requests] == ["certificates", "secrets"] * 2


def test_an_unfit_certificate_is_issued_again_as_by_cmctl() -> None:
    bench, order = Bench(), wish().order
    (first,) = issued(bench.issuer, asked(bench.issuer, order))
    bench.manager.is_asleep = True
    asked(bench.issuer, replace(order, unfit=frozenset({first.leaf.sha256})))
    ready, issuing = bench.find(order)["status"]["conditions"]
    assert ready["type"] == "Ready"
    assert (issuing["type"], issuing["status"], issuing["reason"]) == ("Issuing", "True", "ManuallyTriggered")
    assert issuing["lastTransitionTime"] == "2026-06-01T12:00:00Z"


def test_a_running_issuance_is_not_started_again() -> None:
    bench, order = Bench(), wish().order
    (first,) = issued(bench.issuer, asked(bench.issuer, order))
    bench.manager.is_asleep = True
    again = replace(order, unfit=frozenset({first.leaf.sha256}))
    token, begun = asked(bench.issuer, again), len(bench.api.writes)
    assert asked(bench.issuer, again) == token
    assert len(bench.api.writes) == begun


def failed(bench: Bench, order: LeafOrder, at: str = "2026-06-01T12:01:00Z") -> None:
    """Denied, by a clock that is ahead of ours by a minute."""
    bench.manager.approving = frozenset()
    asked(bench.issuer, order)
    People(bench.api).deny(NAMESPACE, f"{order.name}-1")
    bench.change(order, {"status": {"lastFailureTime": at}}, "/status")


def test_after_a_refusal_the_old_answer_goes_first() -> None:
    """cert-manager would take it for the new one, and a failure that is as late as the condition as well."""
    bench, order = Bench(), wish().order
    failed(bench, order)
    assert bench.requests() == [f"{order.name}-1"]
    bench.manager.is_asleep = True
    asked(bench.issuer, order)
    assert bench.requests() == []
    (issuing,) = (one for one in bench.find(order)["status"]["conditions"] if one["type"] == "Issuing")
    assert (issuing["status"], issuing["lastTransitionTime"]) == ("True", "2026-06-01T12:01:01Z")


def test_requests_of_others_stay() -> None:
    bench, order, other = Bench(), wish().order, wish(number=1).order
    failed(bench, order)
    failed(bench, other)
    bench.manager.is_asleep = True
    asked(bench.issuer, order)
    assert bench.requests() == [f"{other.name}-1"]


def test_a_valid_certificate_is_an_answer_although_its_renewal_failed() -> None:
    bench, order = Bench(), wish().order
    (first,) = issued(bench.issuer, asked(bench.issuer, order))
    bench.manager.approving = frozenset()
    bench.manager.renew(order.name)
    bench.manager.fail(order.name, "not today")
    assert issued(bench.issuer, asked(bench.issuer, order)) == [first]
    kept = bench.issuer.review((order,))[order.name]
    assert isinstance(kept.answer, IssuedCertificate)
    assert "not today" in kept.trouble


class Busy(MemoryApi):
    """Another program writes the status first, so often."""

    conflicts = 0

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        if (
            method == "PATCH"
            and path.endswith("/status")
            and "resourceVersion" in str(arguments)
            and self.conflicts > 0
        ):
            self.conflicts -= 1
            return status(409, "Conflict", "the object has been modified", name="demo", kind="certificates")
        return super().request(method, path, **arguments)


@pytest.mark.parametrize(("conflicts", "is_done"), [(1, True), (4, True), (5, False)])
def test_the_condition_is_set_on_what_is_there(conflicts: int, is_done: bool) -> None:
    bench, order = Bench(Busy()), wish().order
    (first,) = issued(bench.issuer, asked(bench.issuer, order))
    bench.api.conflicts = conflicts  # type: ignore[attr-defined]
    again = replace(order, unfit=frozenset({first.leaf.sha256}))
    if is_done:
        (second,) = issued(bench.issuer, asked(bench.issuer, again))
        assert second.leaf != first.leaf
    else:
        with pytest.raises(Conflict):
            bench.issuer.request(again)


def test_an_obstacle_to_a_certificate_is_reported(golden: GoldenFiles) -> None:
    order = wish(name="demo-kafka-0").order
    with pytest.raises(IssuerUnavailable) as away:
        answering(MISSING, NOTHING_KEPT, AWAY).request(order)
    golden.compare_said("issuers", away.value, "a webhook")
    refused = answering(MISSING, NOTHING_KEPT, status(422, "Invalid", "spec.duration: too short", name="a")).request(
        order
    )
    assert isinstance(refused, Refused)
    golden.compare_said("issuers", said_by(refused), "an invalid field")
    with pytest.raises(Forbidden) as raised:
        answering(status(403, "Forbidden", 'User "ci" cannot list', name="")).review((order,))
    golden.compare_said("issuers", raised.value, "a missing role")
    kept = answering(status(404, "NotFound", "the server could not find the requested resource")).review((order,))
    assert isinstance(kept["demo-kafka-0"].answer, Waiting)
    assert kept["demo-kafka-0"].correction is None


@pytest.mark.parametrize(("is_issuing", "expected"), [(False, Token), (True, Refused)])
def test_a_refused_correction_waits_beside_a_certificate_that_is_there(
    is_issuing: bool, expected: type[Token | Refused]
) -> None:
    """Where cert-manager is issuing another, that would be of the order as it was."""
    bench, order = Bench(), wish().order
    (first,) = issued(bench.issuer, asked(bench.issuer, order))
    bench.manager.is_asleep = True
    if is_issuing:
        asked(bench.issuer, replace(order, unfit=frozenset({first.leaf.sha256})))
    bench.change(order, {"spec": {"duration": "24h"}})

    class Denying(MemoryApi):
        def request(self, method: str, path: str, **arguments: Any) -> Any:
            if method == "PATCH" and not path.endswith("/status"):
                return status(422, "Invalid", "spec.duration: too long", name="a")
            return bench.api.request(method, path, **arguments)

    assert isinstance(before(Denying()).request(order), expected)


def test_the_status_is_a_permission_of_its_own() -> None:
    bench, order = Bench(), wish().order
    (first,) = issued(bench.issuer, asked(bench.issuer, order))

    class Denying(MemoryApi):
        def request(self, method: str, path: str, **arguments: Any) -> Any:
            if path.endswith("/status"):
                return status(403, "Forbidden", 'User "ci" cannot patch')
            return bench.api.request(method, path, **arguments)

    with pytest.raises(Forbidden) as raised:
        before(Denying()).request(replace(order, unfit=frozenset({first.leaf.sha256})))
    assert "resources: [certificates/status]" in raised.value.remedy


def test_nothing_is_asked_about_nothing() -> None:
    bench = Bench()
    assert bench.issuer.poll(()) == ()
    bench.issuer.forget(())
    assert bench.api.requests == []


def test_requests_without_a_certificate_are_deleted_when_certificates_take_their_place() -> None:
    """The caller named the issuer without Certificates before."""
    bench, order = Bench(), wish().order
    requests = CertManager(KubeClient(bench.api), SCOPE, CertManagerIssuer("another"), FakeClock())
    token = requests.request(order)
    assert isinstance(token, Token)
    bench.issuer.forget((token,))
    assert bench.api.find("certificaterequests", SCOPE.namespace, order.name) is None


def test_another_validity_is_that_of_the_issuer() -> None:
    bench, order = Bench(), wish().order
    asked(bench.issuer, replace(order, validity=timedelta(days=1)))
    assert bench.find(order)["spec"]["duration"] == "168h"
