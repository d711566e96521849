# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The issuer that makes Certificates, before cert-manager's own controllers, with the permissions of the documentation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.certificates import (
    secret_name,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    IssuedCertificate,
    Kept,
    LeafOrder,
    Refused,
    Waiting,
)

from ..tools.cluster.kube import wait_for
from ..tools.support.cert_manager import NAMESPACE
from ..tools.support.cert_manager_certificates import CertificatesCounterpart, path_of_certificate
from ..tools.support.issuer_contract import (
    CLIENT,
    DelayContract,
    IssuerContract,
    MemoryContract,
    RecordContract,
    RefusalContract,
    StandingContract,
    answers,
    asked,
    is_told,
    issued,
    wish,
)
from .corporate import SIGNING, Corporate


class TestRealCertificates(
    IssuerContract, RecordContract, RefusalContract, DelayContract, MemoryContract, StandingContract
):
    @pytest.fixture(params=SIGNING, ids=["-".join(one) for one in SIGNING])
    def counterpart(self, corporate: Corporate, request: pytest.FixtureRequest) -> CertificatesCounterpart:
        return corporate.by_certificates(*request.param)


def reviewed(one: CertificatesCounterpart, order: LeafOrder) -> Kept:
    return one.issuer.review((order,))[order.name]


def changed(corporate: Corporate, name: str, patch: dict[str, Any]) -> None:
    done = corporate.kube.request(
        "PATCH", path_of_certificate(NAMESPACE, name), body=patch, content_type="application/merge-patch+json"
    )
    assert done.status == 200, done.body


def test_a_certificate_that_was_changed_is_corrected_and_issued_again(corporate: Corporate) -> None:
    one, order = corporate.by_certificates("corporate"), wish().order
    (first,) = issued(one.issuer, asked(one.issuer, order))
    formats = [{"type": "DER"}]
    changed(corporate, order.name, {"spec": {"dnsNames": ["elsewhere.example"], "additionalOutputFormats": formats}})
    kept = reviewed(one, order)
    assert kept.differs == "its additionalOutputFormats, dnsNames are not as wanted"
    assert kept.correction is not None
    assert isinstance(asked(one.issuer, order).value, bytes)
    kept = reviewed(one, order)
    assert (kept.correction, kept.differs) == (None, "")
    again = replace(order, unfit=frozenset({first.leaf.sha256}))
    (second,) = issued(one.issuer, asked(one.issuer, again))
    assert second.leaf.subject_alternative_names == order.subject.names


def test_a_renewal_of_its_own_is_seen(corporate: Corporate) -> None:
    """As when it is time: a person runs cmctl renew."""
    one, order = corporate.by_certificates("corporate"), wish(CLIENT).order
    (first,) = issued(one.issuer, asked(one.issuer, order))
    path = f"{path_of_certificate(NAMESPACE, order.name)}/status"
    found = corporate.kube.request("GET", path_of_certificate(NAMESPACE, order.name)).body
    condition = {
        "type": "Issuing", "status": "True", "reason": "ManuallyTriggered", "message": "by a person",
        "lastTransitionTime": one.now().strftime("%Y-%m-%dT%H:%M:%SZ"), "observedGeneration": 1,
    }  # fmt: skip
    patch = {"status": {"conditions": [*found["status"]["conditions"], condition]}}
    done = corporate.kube.request("PATCH", path, body=patch, content_type="application/merge-patch+json")
    assert done.status == 200, done.body

    def is_renewed() -> bool:
        answer = reviewed(one, order).answer
        return isinstance(answer, IssuedCertificate) and answer.leaf != first.leaf

    wait_for(is_renewed, "the renewal")


def test_a_lost_secret_is_made_again(corporate: Corporate) -> None:
    one, order = corporate.by_certificates("corporate"), wish().order
    token = asked(one.issuer, order)
    issued(one.issuer, token)
    path = f"/api/v1/namespaces/{NAMESPACE}/secrets/{secret_name(order.name)}"
    assert corporate.kube.request("DELETE", path).status == 200
    (answer,) = answers(one.issuer, [token])
    assert isinstance(answer, IssuedCertificate)


def test_pkcs_1_keys_are_taken(corporate: Corporate) -> None:
    one, order = corporate.by_certificates("corporate"), wish().order
    (first,) = issued(one.issuer, asked(one.issuer, order))
    key = {"algorithm": "RSA", "size": 2048, "encoding": "PKCS1"}
    changed(corporate, order.name, {"spec": {"privateKey": key}})

    def is_taken() -> bool:
        answer = reviewed(one, order).answer
        if not isinstance(answer, IssuedCertificate) or answer.leaf == first.leaf:
            return False
        assert answer.key is not None
        assert answer.key.reveal().startswith(b"-----BEGIN PRIVATE KEY-----")
        return answer.key.matches(answer.leaf)

    wait_for(is_taken, "a certificate for an RSA key")
    path = f"/api/v1/namespaces/{NAMESPACE}/secrets/{secret_name(order.name)}"
    assert "tls.key" in corporate.kube.request("GET", path).body["data"]


def test_a_failure_is_told_and_tried_again_at_once(corporate: Corporate) -> None:
    one, order = corporate.by_certificates("corporate"), wish().order
    answer = one.refused(order)
    assert isinstance(answer, Refused)
    assert "could not be issued: The certificate request has failed to complete and will be retried: " in answer.reason
    assert "no such names here" in answer.reason
    assert "It has failed 1 time in a row" in answer.reason
    is_told(answer)
    token = asked(one.silent, order)
    (waiting,) = one.silent.poll((token,))
    assert isinstance(waiting, Waiting)


def test_a_certificate_that_waits_for_approval_says_so(corporate: Corporate) -> None:
    one, order = corporate.by_certificates("corporate"), wish().order
    token = asked(one.silent, order)

    def is_so() -> bool:
        (answer,) = one.silent.poll((token,))
        assert isinstance(answer, Waiting), answer
        is_told(answer)
        return " is not approved yet. " in answer.reason and "has to (cmctl approve -n unapproved" in answer.reason

    wait_for(is_so, "the word that no approver has approved")


def test_a_certificate_of_another_owner_is_left_alone(corporate: Corporate) -> None:
    one, order = corporate.by_certificates("corporate"), wish().order
    theirs = {"secretName": "theirs", "commonName": "theirs", "issuerRef": {"name": "corporate"}}
    body = {
        "apiVersion": "cert-manager.io/v1", "kind": "Certificate", "spec": theirs,
        "metadata": {"name": order.name, "namespace": NAMESPACE},
    }  # fmt: skip
    corporate.kube.apply([body])
    for answer in (one.issuer.request(order), reviewed(one, order).answer):
        assert isinstance(answer, Refused)
        assert "exists already and belongs to another owner" in answer.reason
        is_told(answer)
    found = corporate.kube.request("GET", path_of_certificate(NAMESPACE, order.name)).body
    assert found["spec"] == theirs
