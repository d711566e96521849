# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to cert-manager: what is sent, what is found, what each condition means, and what is in the way."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    AlreadyExists,
    Forbidden,
    IssuerUnavailable,
    NotFound,
    TransportError,
    Unavailable,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.conditions import (
    IssuerReference,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.requests import (
    CertManager,
    Circumstances,
    answer_to,
    describe_requests,
    manifest,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    Answer,
    IssuedCertificate,
    LeafOrder,
    Refused,
    Token,
    Waiting,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, Response
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import MOST_IN_A_CHAIN, Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from ....tools.support.cert_manager import MemoryCertManager, path_of
from ....tools.support.certificates import NOW, Entity, key, leaf, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.issuer_contract import CLIENT, NODE, asked, is_told, said_by, wish
from ....tools.support.memory_api import MemoryApi
from ..._kube.doubles import FakeClock, scripted, status

ROOT = make("root", key(1))
CA = make("issuing", key(2), ROOT)
OTHER = make("root", key(3))
LEAF = leaf(CA)
Object = dict[str, Any]


def issuer(name: str = "corporate", kind: str = "Issuer", group: str = "cert-manager.io") -> IssuerReference:
    return IssuerReference(CertManagerIssuer(name, kind, group), "kafka")


def text(*chain: Certificate | Entity) -> str:
    pems = [one.certificate.pem if isinstance(one, Entity) else one.pem for one in chain]
    return base64.b64encode(b"".join(pems)).decode()


def condition(kind: str, status: str = "True", reason: str = "", message: str = "") -> Object:
    return {"type": kind, "status": status, "reason": reason, "message": message}


APPROVED = condition("Approved", reason="cert-manager.io", message="Certificate request has been approved")
READY = condition("Ready", reason="Issued", message="Certificate fetched from issuer successfully")


def pending(message: str) -> Object:
    return condition("Ready", "False", "Pending", message)


def failed(message: str) -> Object:
    return condition("Ready", "False", "Failed", message)


def answer(*conditions: Object, of: IssuerReference | None = None, **status: Any) -> Answer:
    found = {"metadata": {"name": "demo-kafka-0"}, "spec": {}, "status": {"conditions": list(conditions), **status}}
    return answer_to(found, beside(of or issuer()))


def beside(one: IssuerReference) -> Circumstances:
    """No object of the issuer exists."""
    return Circumstances(KubeClient(MemoryApi()), one, NOW)


def test_the_whole_object() -> None:
    order = LeafOrder("demo-kafka-0", NODE, b"-----BEGIN", timedelta(days=30))
    assert manifest(order, issuer(kind="ClusterIssuer"), {"app": "us"}) == {
        "apiVersion": "cert-manager.io/v1",
        "kind": "CertificateRequest",
        "metadata": {"name": "demo-kafka-0", "labels": {"app": "us"}},
        "spec": {
            "request": "LS0tLS1CRUdJTg==",
            "issuerRef": {"name": "corporate", "kind": "ClusterIssuer", "group": "cert-manager.io"},
            "duration": "2592000s",
            "isCA": False,
            "usages": ["digital signature", "key encipherment", "server auth", "client auth"],
        },
    }


def test_a_pure_client_is_no_server() -> None:
    order = LeafOrder("demo-client", CLIENT, b"", timedelta(days=30))
    assert manifest(order, issuer(), {})["spec"]["usages"] == ["digital signature", "key encipherment", "client auth"]


@pytest.mark.parametrize(
    ("case", "conditions"),
    [
        ("denied", [condition("Denied", reason="policy", message="no wildcards.")]),
        ("denied without words", [condition("Denied", reason="policy")]),
        ("denied by a controller", [condition("Ready", "False", "Denied", "by a controller")]),
        # A denial counts, whatever else is said.
        ("denied and ready", [APPROVED, READY, condition("Denied", message="too late")]),
        ("denied without a reason", [condition("Denied"), condition("Ready", "False", "Denied", "x")]),
        ("invalid", [APPROVED, condition("InvalidRequest", message="2 names")]),
        ("invalid and pending", [APPROVED, condition("InvalidRequest", message="x"), pending("y")]),
        ("failed", [APPROVED, failed("Error signing certificate: x509: no")]),
    ],
)
def test_a_denied_or_failed_request_says_why(case: str, conditions: list[Object], golden: GoldenFiles) -> None:
    found = answer(*conditions)
    assert isinstance(found, Refused), found
    golden.compare_said("issuers", said_by(found), case)


@pytest.mark.parametrize(
    ("case", "conditions"),
    [
        ("no condition", []),
        ("not approved", [condition("Approved", "False")]),
        ("not denied", [condition("Denied", "False")]),
        ("not invalid", [condition("InvalidRequest", "False")]),
        ("approved", [APPROVED]),
        ("no issuer", [APPROVED, pending('Referenced "Issuer" not found: x')]),
        (
            "an issuer without a condition",
            [APPROVED, pending("Referenced issuer does not have a Ready status condition")],
        ),
        ("pending without words", [pending("")]),
        ("pending without a reason", [condition("Ready", "Unknown")]),
        ("an unknown condition", [condition("Unheard", "True")]),
    ],
)
def test_an_unapproved_request_says_who_approves(case: str, conditions: list[Object], golden: GoldenFiles) -> None:
    found = answer(*conditions)
    assert isinstance(found, Waiting), found
    golden.compare_said("issuers", said_by(found), case)


def test_a_request_that_no_controller_has_looked_at_waits(golden: GoldenFiles) -> None:
    found = answer_to({"metadata": {"name": "a"}, "spec": {}}, beside(issuer()))
    assert isinstance(found, Waiting)
    golden.compare_said("issuers", said_by(found))


@pytest.mark.parametrize(
    ("kind", "group", "shown", "who"),
    [
        ("Issuer", "cert-manager.io", "Issuer corporate", "for signers issuers.cert-manager.io/kafka.corporate"),
        ("ClusterIssuer", "cert-manager.io", "ClusterIssuer corporate", "for signers clusterissuers.cert-manager.io/corporate"),
        (
            "AWSPCAIssuer",
            "awspca.cert-manager.io",
            "AWSPCAIssuer corporate of awspca.cert-manager.io",
            "approver for AWSPCAIssuer corporate of awspca.cert-manager.io",
        ),
        # A kind of the same name, of another group.
        ("Issuer", "example.com", "Issuer corporate of example.com", "approver for Issuer corporate of example.com"),
    ],
)  # fmt: skip
def test_issuers_by_name(kind: str, group: str, shown: str, who: str) -> None:
    one = issuer(kind=kind, group=group)
    assert str(one) == shown
    found = answer(of=one)
    assert isinstance(found, Waiting)
    assert who in found.reason
    late = answer(pending("x"), of=one)
    assert isinstance(late, Waiting)
    assert (" in namespace kafka" in late.reason) == (shown == "Issuer corporate")


@pytest.mark.parametrize(
    ("reference", "same"),
    [
        ({"name": "corporate"}, True),
        ({"name": "corporate", "kind": "", "group": ""}, True),
        ({"name": "corporate", "kind": "Issuer", "group": "cert-manager.io"}, True),
        ({"name": "other"}, False),
        ({"name": "corporate", "kind": "ClusterIssuer"}, False),
        ({"name": "corporate", "group": "example.com"}, False),
        (None, False),
    ],
)
def test_whether_a_request_names_this_issuer(reference: Object | None, same: bool) -> None:
    assert issuer().is_of({"spec": {"issuerRef": reference}}) is same


@pytest.mark.parametrize(
    ("certificate", "ca", "chain"),
    [
        ((LEAF, CA), (ROOT,), (CA, ROOT)),
        ((LEAF,), (CA,), (CA,)),
        ((LEAF,), (ROOT, CA), (CA, ROOT)),
        ((LEAF, CA, ROOT), (ROOT,), (CA, ROOT)),
        ((LEAF, CA), (), (CA,)),
        # Best effort: a certificate that has not signed the one before it says nothing.
        ((LEAF, CA), (OTHER,), (CA,)),
        ((LEAF,), (OTHER,), ()),
        ((LEAF,), (LEAF,), ()),
    ],
)
def test_an_issued_certificate_and_what_lies_above_it(
    certificate: tuple[Any, ...], ca: tuple[Any, ...], chain: tuple[Entity, ...]
) -> None:
    found = answer(APPROVED, READY, certificate=text(*certificate), ca=text(*ca))
    assert found == IssuedCertificate(LEAF, tuple(one.certificate for one in chain))


@pytest.mark.parametrize("ca", [None, "", "?", "AAAA", base64.b64encode(b"-----BEGIN CERTIFICATE-----").decode(), 1])
def test_an_unusable_ca_field_is_ignored(ca: object) -> None:
    assert answer(READY, certificate=text(LEAF, CA), ca=ca) == IssuedCertificate(LEAF, (CA.certificate,))


@pytest.mark.parametrize(
    ("case", "status"),
    [
        ("none", {}),
        ("none", {"certificate": ""}),
        ("no Base64", {"certificate": "?"}),
        ("no certificate", {"certificate": "AAAA"}),
        ("no text", {"certificate": 1}),
        (
            "no content",
            {
                "certificate": base64.b64encode(
                    b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
                ).decode()
            },
        ),
        ("too many", {"certificate": text(LEAF, *[CA] * MOST_IN_A_CHAIN)}),
    ],
)
def test_ready_without_a_certificate_that_can_be_read(case: str, status: Object, golden: GoldenFiles) -> None:
    found = answer(APPROVED, READY, **status)
    assert isinstance(found, Refused)
    golden.compare_said("issuers", said_by(found), case)


@pytest.mark.parametrize(
    "message", ["\x1b[2J\x1b]0;owned\x07", "a\n\n  b\r\x00", "\u202ereversed", "\ud800", "x" * 100_000, "\x1b" * 5_000]
)
@pytest.mark.parametrize("kind", ["Denied", "InvalidRequest", "failed", "pending"])
def test_texts_of_others_do_nothing_to_who_reads_them(kind: str, message: str) -> None:
    told = {"failed": failed(message), "pending": pending(message)}.get(kind) or condition(kind, message=message)
    is_told(answer(told))


def of_certificate(revision: str, *conditions: Object, name: str = "demo-kafka-0") -> Object:
    annotations = {"cert-manager.io/certificate-name": name, "cert-manager.io/certificate-revision": revision}
    metadata = {"name": f"{name}-{revision}", "annotations": annotations}
    return {"metadata": metadata, "spec": {}, "status": {"conditions": [*conditions]}}


@pytest.mark.parametrize(
    ("case", "latest"),
    [
        ("not approved", of_certificate("10")),
        ("approved", of_certificate("10", APPROVED)),
        ("pending", of_certificate("10", APPROVED, pending('Referenced "Issuer" not found'))),
        ("denied", of_certificate("10", condition("Denied", message="no"))),
    ],
)
def test_of_the_requests_of_a_certificate_the_latest_counts(case: str, latest: Object, golden: GoldenFiles) -> None:
    requests = (of_certificate("9"), latest, of_certificate("x"), of_certificate("11", name="another"))
    found = describe_requests(["demo-kafka-0", "never-asked-for"], requests, beside(issuer()))
    assert list(found) == ["demo-kafka-0"]
    golden.compare_said("issuers", found["demo-kafka-0"], case)


def test_of_a_request_that_is_served_nothing_is_told() -> None:
    served = of_certificate("10", APPROVED, READY)
    served["status"]["certificate"] = text(LEAF, CA)
    assert describe_requests(["demo-kafka-0"], (served,), beside(issuer())) == {}


# Requests to cert-manager on an API server in memory: what is sent, what is found, and what is in the way.

SCOPE = ClusterNames("kafka", "demo")
SETTINGS = CertManagerIssuer("corporate")
CORPORATE = make("corporate", key(1))
LIST = ("GET", "/apis/cert-manager.io/v1/namespaces/kafka/certificaterequests")


#: The answer of an API server about a kind that it does not know.
UNKNOWN_KIND = status(404, "NotFound", "the server could not find the requested resource")
AWAY = status(
    500, "InternalError", 'Internal error occurred: failed calling webhook "webhook.cert-manager.io": refused'
)


def cert_manager(api: MemoryApi, settings: CertManagerIssuer = SETTINGS, scope: ClusterNames = SCOPE) -> CertManager:
    return CertManager(KubeClient(api), scope, settings, FakeClock())


def before(*answers: Response | TransportError) -> CertManager:
    """An issuer before an API server that answers so."""
    return CertManager(scripted(answers)[0], SCOPE, SETTINGS, FakeClock())


def test_a_request_carries_the_labels_by_which_it_is_found() -> None:
    api = MemoryApi()
    order = wish().order
    asked(cert_manager(api), order)
    stored = api.find("certificaterequests", "kafka", order.name)
    assert stored is not None
    assert stored["metadata"]["labels"] == {
        "app.kubernetes.io/managed-by": "trustops.strimzi",
        "strimzi.io/cluster": "demo",
    }


def test_a_token_is_public_and_the_same_in_every_run() -> None:
    order = wish().order
    token = asked(cert_manager(MemoryApi()), order)
    assert asked(cert_manager(MemoryApi()), order) == token
    assert json.loads(token.value)["certificateRequest"] == order.name


def test_five_hundred_are_asked_about_at_once() -> None:
    api = MemoryApi()
    one, order = cert_manager(api), wish().order
    tokens = [asked(one, replace(order, name=f"demo-{number}")) for number in range(500)]
    api.requests.clear()
    assert {type(answer) for answer in one.poll(tokens)} == {Waiting}
    assert api.requests == [LIST]


def test_nothing_is_asked_about_nothing() -> None:
    api = MemoryApi()
    cert_manager(api).poll(())
    cert_manager(api).forget(())
    assert api.requests == []


def test_only_what_is_to_be_forgotten_is_deleted() -> None:
    api = MemoryApi()
    one = cert_manager(api)
    tokens = [asked(one, wish(number=number).order) for number in range(3)]
    api.requests.clear()
    one.forget(tokens[:2])
    assert [method for method, _path in api.requests] == ["GET", "DELETE", "DELETE"]
    assert [type(answer) for answer in one.poll(tokens)] == [Refused, Refused, Waiting]


def test_requests_to_another_issuer_of_cert_manager_are_deleted() -> None:
    """The caller names another issuer by now, and no program would ever delete them."""
    api, order = MemoryApi(), wish().order
    token = asked(cert_manager(api), order)
    cert_manager(api, CertManagerIssuer("another")).forget((token,))
    assert api.find("certificaterequests", "kafka", order.name) is None


@pytest.mark.parametrize(
    "value", [b"", b"-----BEGIN CERTIFICATE-----", b'{"certificate": "demo-kafka-0", "unfit": []}']
)
def test_tokens_of_issuers_that_keep_nothing_here_cost_nothing(value: bytes) -> None:
    api = MemoryApi()
    cert_manager(api).forget((Token(value),))
    assert api.requests == []


def test_another_cluster_of_the_namespace_keeps_its_own(golden: GoldenFiles) -> None:
    api = MemoryApi()
    theirs = cert_manager(api, scope=ClusterNames("kafka", "other"))
    order = wish().order
    token = asked(theirs, order)
    cert_manager(api).forget((token,))
    assert isinstance(theirs.poll((token,))[0], Waiting)
    answer = cert_manager(api).request(order)
    assert isinstance(answer, Refused)
    golden.compare_said("issuers", said_by(answer))


def test_a_request_in_the_place_of_ours_is_neither_taken_nor_deleted(golden: GoldenFiles) -> None:
    api = MemoryApi()
    MemoryCertManager(api, CORPORATE)
    one, first = cert_manager(api), wish()
    token = asked(one, first.order)
    api.request("DELETE", path_of("kafka", first.order.name))
    other = asked(one, wish(number=1, name=first.order.name).order)
    mine, theirs = one.poll((token, other))
    assert isinstance(mine, Refused)
    golden.compare_said("issuers", said_by(mine))
    assert isinstance(theirs, IssuedCertificate)
    one.forget((token,))
    assert api.find("certificaterequests", "kafka", first.order.name) is not None


def test_a_request_made_again_by_another_hand_is_the_same_one() -> None:
    """As by a backup that is put back."""
    api = MemoryApi()
    MemoryCertManager(api, CORPORATE)
    order = wish().order
    token = asked(cert_manager(api), order)
    api.request("DELETE", path_of("kafka", order.name))
    asked(cert_manager(api), order)
    assert isinstance(cert_manager(api).poll((token,))[0], IssuedCertificate)


def test_the_same_request_to_another_issuer_is_another_one(golden: GoldenFiles) -> None:
    api = MemoryApi()
    order = wish().order
    asked(cert_manager(api), order)
    answer = cert_manager(api, CertManagerIssuer("corporate", "ClusterIssuer")).request(order)
    assert isinstance(answer, Refused)
    golden.compare_said("issuers", said_by(answer))


def test_a_request_that_vanishes_is_left_to_the_next_run() -> None:
    one = before(status(409, "AlreadyExists", name="a"), status(404, "NotFound", name="a"))
    with pytest.raises(AlreadyExists):
        one.request(wish().order)


def test_a_missing_cert_manager_is_reported(golden: GoldenFiles) -> None:
    with pytest.raises(IssuerUnavailable) as raised:
        before(UNKNOWN_KIND).request(wish().order)
    golden.compare_said("issuers", raised.value)
    answers = before(UNKNOWN_KIND).poll((Token(b"{}"), Token(b"{}")))
    assert [type(answer) for answer in answers] == [Waiting, Waiting]
    is_told(answers[0])
    before(UNKNOWN_KIND).forget((Token(b"{}"),))


def test_a_failing_webhook_is_reported(golden: GoldenFiles) -> None:
    with pytest.raises(IssuerUnavailable) as raised:
        before(AWAY).request(wish().order)
    golden.compare_said("issuers", raised.value)


def test_an_invalid_request_is_refused(golden: GoldenFiles) -> None:
    message = "spec.duration: \x1b[2J"
    answer = before(status(422, "Invalid", message, name="a")).request(wish().order)
    assert isinstance(answer, Refused)
    golden.compare_said("issuers", said_by(answer))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (status(403, "Forbidden", 'User "ci" cannot create resource', name="a"), Forbidden),
        (status(404, "NotFound", 'namespaces "kafka" not found', name="kafka", kind="namespaces"), NotFound),
        (status(500, "InternalError", "etcd has no leader"), Unavailable),
        (TransportError("lost"), Unreachable),
    ],
)
def test_other_failures_are_told_as_they_are(answer: Response | TransportError, error: type[Exception]) -> None:
    order = wish().order
    with pytest.raises(error, match=f"create CertificateRequest kafka/{order.name}"):
        before(answer).request(order)


def test_a_missing_role_is_told_for_each_verb(golden: GoldenFiles) -> None:
    forbidden = status(403, "Forbidden", 'User "ci" cannot do that')
    token = asked(cert_manager(MemoryApi()), wish().order)
    for call in (CertManager.poll, CertManager.forget):
        with pytest.raises(Forbidden) as raised:
            call(before(forbidden), (token,))
        golden.compare_said("issuers", raised.value)


def test_issuers_have_a_name_each() -> None:
    api = MemoryApi()
    names = [
        cert_manager(api, CertManagerIssuer(*settings)).reference
        for settings in [("corporate",), ("corporate", "ClusterIssuer"), ("corporate", "Issuer", "example.com")]
    ]
    assert names[:2] == ["cert-manager Issuer corporate", "cert-manager ClusterIssuer corporate"]
    assert len(set(names)) == 3
