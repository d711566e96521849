# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of cert-manager: what is written, what is compared, and every state in which one can be."""

from __future__ import annotations

import base64
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.certificates import (
    Terms,
    answer_to,
    differing_fields,
    failed_at,
    manifest,
    refuse_foreign_certificate,
    spec_patch,
    trouble_of,
    wanted_spec,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.conditions import (
    IssuerReference,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    IssuedCertificate,
    Refused,
    Waiting,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from ...support.certificates import key, leaf, make
from ...support.issuer_contract import CLIENT, is_told, wish
from ...support.memory_api import _merge

Object = dict[str, Any]
SCOPE = ClusterNames("kafka", "demo")
REFERENCE = IssuerReference(CertManagerIssuer("corporate", "ClusterIssuer"), "kafka")
TERMS = Terms(SCOPE, REFERENCE, KeySpec(KeyAlgorithm.RSA, 2048), timedelta(days=365), timedelta(days=30))
ROOT = make("root", key(1))
CA = make("corporate", key(2), ROOT)
LEAF = leaf(CA)
NAME = "demo-kafka-0"
TARGET = f"Certificate kafka/{NAME}"


def test_what_is_written_for_a_node() -> None:
    """The example of the specification (External Certificate Manager, "Issuing Cluster CA end-entity certificates")."""
    made = manifest(wish(name=NAME).order, TERMS)
    assert made["metadata"] == {
        "name": NAME, "labels": {"app.kubernetes.io/managed-by": "trustops.strimzi", "strimzi.io/cluster": "demo"},
    }  # fmt: skip
    labels = made["spec"].pop("secretTemplate")["labels"]
    assert labels["app.kubernetes.io/managed-by"] == "cert-manager"
    assert labels["strimzi.io/cluster"] == "demo"
    assert made["spec"] == {
        "secretName": "demo-kafka-0-cm",
        "privateKey": {"algorithm": "RSA", "size": 2048, "encoding": "PKCS8", "rotationPolicy": "Always"},
        "duration": "8760h",
        "renewBefore": "720h",
        "isCA": False,
        "usages": ["digital signature", "key encipherment", "server auth", "client auth"],
        "subject": {"organizations": ["io.strimzi"]},
        "commonName": "demo-kafka",
        "dnsNames": ["demo-kafka-0.demo-kafka-brokers", "demo-kafka-bootstrap.kafka.svc"],
        "ipAddresses": ["192.0.2.4", "2001:db8::4"],
        "issuerRef": {"name": "corporate", "kind": "ClusterIssuer", "group": "cert-manager.io"},
    }


def test_a_pure_client_has_no_names_and_no_use_as_a_server() -> None:
    spec = wanted_spec(wish(CLIENT).order, replace(TERMS, validity=timedelta(minutes=90)))
    assert {"dnsNames", "ipAddresses"} & set(spec) == set()
    assert spec["usages"] == ["digital signature", "key encipherment", "client auth"]
    assert spec["duration"] == "5400s"


SPEC = wanted_spec(wish(name=NAME).order, TERMS)


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({}, ()),
        ({"dnsNames": ["other.example"]}, ("dnsNames",)),
        ({"ipAddresses": None}, ("ipAddresses",)),
        ({"issuerRef": {**SPEC["issuerRef"], "kind": "Issuer"}}, ("issuerRef",)),
        ({"duration": "24h", "renewBefore": "1h"}, ("duration", "renewBefore")),
        ({"additionalOutputFormats": [{"type": "DER"}]}, ("additionalOutputFormats",)),
        ({"keystores": {"jks": {"create": True}}}, ("keystores",)),
        ({"isCA": True}, ("isCA",)),
        ({"secretName": "demo-kafka-0"}, ("secretName",)),
        ({"secretTemplate": {"labels": {}, "annotations": {"a": "b"}}}, ("secretTemplate",)),
        ({"privateKey": {**SPEC["privateKey"], "rotationPolicy": "Never"}}, ("privateKey",)),
    ],
)
def test_what_differs_is_found_and_patched_away(changes: Object, fields: tuple[str, ...]) -> None:
    found = {"spec": {name: one for name, one in {**SPEC, **changes}.items() if one is not None}}
    assert differing_fields(found, SPEC) == fields
    assert _merge(found, spec_patch(found, SPEC))["spec"] == SPEC


def condition(kind: str, status: str, message: str = "", reason: str = "", generation: int = 1) -> Object:
    return {"type": kind, "status": status, "reason": reason, "message": message, "observedGeneration": generation}


def certificate(*conditions: Object, **status: Any) -> Object:
    return {
        "metadata": {"name": NAME, "generation": 1},
        "spec": SPEC,
        "status": {"conditions": [*conditions], **status},
    }


def secret(**entries: bytes) -> Object:
    held = {"tls.crt": LEAF.pem + CA.certificate.pem, "tls.key": key(51).reveal(), "ca.crt": ROOT.certificate.pem}
    held |= {name.replace("_", "."): content for name, content in entries.items()}
    return {"data": {name: base64.b64encode(content).decode() for name, content in held.items()}}


READY, NOT_READY = (
    condition("Ready", "True"),
    condition("Ready", "False", "Issuing certificate as Secret does not exist"),
)
ISSUING = condition("Issuing", "True", "Renewing certificate")
FAILED = condition("Issuing", "False", "denied: no", "Denied")
DONE = condition("Issuing", "False", "The certificate has been successfully issued", "Issued")
SINCE = "2026-06-01T10:00:00Z"


def test_what_was_issued_comes_with_its_key_and_the_chain_to_the_root() -> None:
    for conditions in ((READY,), (READY, DONE), (READY, FAILED)):
        answer = answer_to(certificate(*conditions), secret(), (), SCOPE)
        assert isinstance(answer, IssuedCertificate)
        assert (answer.leaf, answer.chain) == (LEAF, (CA.certificate, ROOT.certificate))
        assert answer.key == key(51)


@pytest.mark.parametrize(
    ("found", "stored", "told"),
    [
        pytest.param(certificate(), None, f"{TARGET} was not looked at yet.", id="nobody has looked"),
        pytest.param(
            certificate(condition("Ready", "True", generation=0)), secret(), f"{TARGET} was not looked at yet.", id="looked at earlier",
        ),
        pytest.param(
            certificate(NOT_READY, ISSUING), None, f"{TARGET} is being issued: Renewing certificate.", id="being issued",
        ),
        pytest.param(
            certificate(READY, ISSUING), secret(), f"{TARGET} is being issued: Renewing certificate.", id="being renewed",
        ),
        pytest.param(
            certificate(NOT_READY), None,
            f"{TARGET}: Issuing certificate as Secret does not exist. Secret kafka/{NAME}-cm is not there yet, or lacks its labels",
            id="no Secret",
        ),
        pytest.param(certificate(NOT_READY), secret(tls_crt=b"?"), f"Secret kafka/{NAME}-cm holds no usable tls.crt", id="spoilt"),
        pytest.param(certificate(NOT_READY), secret(tls_key=b"?"), f"Secret kafka/{NAME}-cm holds no usable tls.key", id="no key"),
    ],
)  # fmt: skip
def test_what_waits_says_for_what(found: Object, stored: Object | None, told: str) -> None:
    answer = answer_to(found, stored, (), SCOPE)
    assert isinstance(answer, Waiting)
    assert told in answer.why
    is_told(answer)


@pytest.mark.parametrize(
    ("found", "stored", "told"),
    [
        pytest.param(
            certificate(NOT_READY, FAILED, failedIssuanceAttempts=1, lastFailureTime=SINCE), None,
            f"{TARGET} could not be issued: denied: no. It has failed 1 time in a row, on {SINCE} the last time.", id="failed",
        ),
        pytest.param(
            certificate(READY, FAILED, failedIssuanceAttempts=3, lastFailureTime=SINCE), secret(),
            "It has failed 3 times in a row", id="failed, with one that will not do",
        ),
        pytest.param(
            certificate(READY), secret(), f"{TARGET} was not issued anew: it is Ready with the certificate that it had.",
            id="somebody has reset the condition",
        ),
    ],
)  # fmt: skip
def test_what_comes_to_nothing_says_why(found: Object, stored: Object | None, told: str) -> None:
    answer = answer_to(found, stored, {LEAF.sha256}, SCOPE)
    assert isinstance(answer, Refused)
    assert told in answer.why
    is_told(answer)


def test_while_it_is_issued_it_says_what_its_request_waits_for() -> None:
    answer = answer_to(certificate(ISSUING), None, (), SCOPE, "CertificateRequest kafka/a is pending: soon.")
    assert isinstance(answer, Waiting)
    assert answer.why.endswith(": Renewing certificate. CertificateRequest kafka/a is pending: soon.")
    is_told(answer)


def test_nothing_is_wrong_where_nothing_has_failed() -> None:
    for conditions in ((), (READY,), (READY, DONE), (NOT_READY, ISSUING)):
        assert trouble_of(certificate(*conditions), SCOPE) is None


@pytest.mark.parametrize("text", [None, "", "yesterday", "9999-12-31T23:59:59Z", "2026-06-01T10:00:00"])
def test_a_time_that_nobody_can_tell(text: str | None) -> None:
    assert failed_at(certificate(lastFailureTime=text)) is None


def test_the_time_of_a_failure() -> None:
    found = failed_at(certificate(lastFailureTime=SINCE))
    assert found is not None
    assert found.isoformat() == "2026-06-01T10:00:00+00:00"


@pytest.mark.parametrize("label", ["app.kubernetes.io/managed-by", "strimzi.io/cluster"])
def test_one_that_lacks_a_label_is_somebody_elses(label: str) -> None:
    made = manifest(wish(name=NAME).order, TERMS)
    assert refuse_foreign_certificate(made, SCOPE) is None
    del made["metadata"]["labels"][label]
    answer = refuse_foreign_certificate(made, SCOPE)
    assert answer is not None
    assert label in answer.why
    is_told(answer)
