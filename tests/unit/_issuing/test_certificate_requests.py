# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests to cert-manager, and the meaning of each condition of a request."""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.conditions import (
    IssuerReference,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.requests import (
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
    Waiting,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import MOST_IN_A_CHAIN, Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer

from ...support.certificates import NOW, Entity, key, leaf, make
from ...support.issuer_contract import CLIENT, NODE, is_told
from ...support.memory_api import MemoryApi

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
    ("conditions", "why", "remedy"),
    [
        (
            [condition("Denied", reason="policy", message="no wildcards.")],
            "CertificateRequest kafka/demo-kafka-0 was denied: no wildcards.",
            "Ask those who approve requests for Issuer corporate",
        ),
        ([condition("Denied", reason="policy")], "was denied: policy.", "change their policy"),
        ([condition("Ready", "False", "Denied", "by a controller")], "was denied: by a controller.", "change their policy"),
        # A denial counts, whatever else is said.
        ([APPROVED, READY, condition("Denied", message="too late")], "was denied: too late.", "change their policy"),
        ([condition("Denied"), condition("Ready", "False", "Denied", "x")], "was denied: no reason is given.", "Ask those"),
        ([APPROVED, condition("InvalidRequest", message="2 names")], "is invalid: 2 names.", "Let Issuer corporate permit"),
        ([APPROVED, condition("InvalidRequest", message="x"), pending("y")], "is invalid: x.", "Let Issuer corporate permit"),
        (
            [APPROVED, failed("Error signing certificate: x509: no")],
            "has failed: Error signing certificate: x509: no.",
            "Correct Issuer corporate",
        ),
    ],
)  # fmt: skip
def test_what_ends_a_request(conditions: list[Object], why: str, remedy: str) -> None:
    found = answer(*conditions)
    assert isinstance(found, Refused), found
    assert found.why.startswith("CertificateRequest kafka/demo-kafka-0 ")
    assert why in found.why
    assert remedy in found.remedy
    is_told(found)


@pytest.mark.parametrize(
    ("conditions", "parts"),
    [
        ([], ["is not approved", "cert-manager approves by itself unless", "cmctl approve -n kafka demo-kafka-0"]),
        ([condition("Approved", "False")], ["is not approved"]),
        ([condition("Denied", "False")], ["is not approved"]),
        ([condition("InvalidRequest", "False")], ["is not approved"]),
        ([APPROVED], ["is approved, and no controller has begun", "the controller of Issuer corporate runs"]),
        (
            [APPROVED, pending('Referenced "Issuer" not found: x')],
            ['pending: Referenced "Issuer" not found: x. Issuer corporate does not exist in namespace kafka'],
        ),
        (
            [APPROVED, pending("Referenced issuer does not have a Ready status condition")],
            ["does not have a Ready status condition. Issuer corporate"],
        ),
        ([pending("")], ["is pending: Pending."]),
        ([condition("Ready", "Unknown")], ["is pending: no reason is given."]),
        ([condition("Unheard", "True")], ["is not approved"]),
    ],
)  # fmt: skip
def test_what_a_request_waits_for(conditions: list[Object], parts: list[str]) -> None:
    found = answer(*conditions)
    assert isinstance(found, Waiting), found
    assert found.why.startswith("CertificateRequest kafka/demo-kafka-0 is ")
    assert [part for part in parts if part not in found.why] == []
    is_told(found)


def test_a_request_that_nobody_has_looked_at_has_no_status() -> None:
    found = answer_to({"metadata": {"name": "a"}, "spec": {}}, beside(issuer()))
    assert isinstance(found, Waiting)
    assert "is not approved" in found.why


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
        # A kind of the same name, of somebody else.
        ("Issuer", "example.com", "Issuer corporate of example.com", "approver for Issuer corporate of example.com"),
    ],
)  # fmt: skip
def test_issuers_by_name(kind: str, group: str, shown: str, who: str) -> None:
    one = issuer(kind=kind, group=group)
    assert str(one) == shown
    found = answer(of=one)
    assert isinstance(found, Waiting)
    assert who in found.why
    late = answer(pending("x"), of=one)
    assert isinstance(late, Waiting)
    assert (" in namespace kafka" in late.why) == (shown == "Issuer corporate")


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
def test_what_is_said_of_the_ca_may_be_anything(ca: object) -> None:
    assert answer(READY, certificate=text(LEAF, CA), ca=ca) == IssuedCertificate(LEAF, (CA.certificate,))


@pytest.mark.parametrize(
    "status",
    [
        {},
        {"certificate": ""},
        {"certificate": "?"},
        {"certificate": "AAAA"},
        {"certificate": 1},
        {"certificate": base64.b64encode(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").decode()},
        {"certificate": text(LEAF, *[CA] * MOST_IN_A_CHAIN)},
    ],
)
def test_ready_without_a_certificate_that_can_be_read(status: Object) -> None:
    found = answer(APPROVED, READY, **status)
    assert isinstance(found, Refused)
    assert "is Ready, and its certificate cannot be used" in found.why
    is_told(found)


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
    ("latest", "told"),
    [
        (of_certificate("10"), "CertificateRequest kafka/demo-kafka-0-10 is not approved"),
        (of_certificate("10", APPROVED), "is approved, and no controller has begun with it."),
        (of_certificate("10", APPROVED, pending('Referenced "Issuer" not found')), 'Referenced "Issuer" not found.'),
        (of_certificate("10", condition("Denied", message="no")), "CertificateRequest kafka/demo-kafka-0-10 was denied: no."),
    ],
)  # fmt: skip
def test_of_the_requests_of_a_certificate_the_latest_counts(latest: Object, told: str) -> None:
    requests = (of_certificate("9"), latest, of_certificate("x"), of_certificate("11", name="another"))
    found = describe_requests(["demo-kafka-0", "asked-by-nobody"], requests, beside(issuer()))
    assert list(found) == ["demo-kafka-0"]
    assert told in found["demo-kafka-0"]


def test_of_a_request_that_is_served_nothing_is_told() -> None:
    served = of_certificate("10", APPROVED, READY)
    served["status"]["certificate"] = text(LEAF, CA)
    assert describe_requests(["demo-kafka-0"], (served,), beside(issuer())) == {}
