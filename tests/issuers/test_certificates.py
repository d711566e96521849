# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The issuer that makes Certificates, before cert-manager's own controllers, with the permissions of the documentation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Thread
from typing import Any

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
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import contains

from ..tools.cluster.kube import wait_for
from ..tools.support.cert_manager import NAMESPACE, ROOT, Object
from ..tools.support.cert_manager_certificates import CertificatesCounterpart, path_of_certificate
from ..tools.support.issuer_contract import CLIENT, answers, asked, is_told, issued, wish
from .corporate import Corporate


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
    assert kept.correction is not None
    assert list(kept.correction.after or ()) == ["additionalOutputFormats", "dnsNames"]
    assert isinstance(asked(one.issuer, order).value, bytes)
    kept = reviewed(one, order)
    assert (kept.correction, kept.differs) == (None, "")
    unfit = {first.leaf.sha256}
    (second,) = issued(one.issuer, asked(one.issuer, replace(order, unfit=frozenset(unfit))))
    if "elsewhere.example" in second.leaf.subject_alternative_names:
        # cert-manager has issued this certificate before the correction, and issues another one after it.
        unfit.add(second.leaf.sha256)
        (second,) = issued(one.issuer, asked(one.issuer, replace(order, unfit=frozenset(unfit))))
    assert second.leaf.subject_alternative_names == order.subject.names


def renewed(corporate: Corporate, one: CertificatesCounterpart, order: LeafOrder, before: IssuedCertificate) -> Kept:
    """The review of this leaf when cert-manager has renewed its certificate by itself; as when it is time, a person
    runs cmctl renew.
    """
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
        return isinstance(answer, IssuedCertificate) and answer.leaf != before.leaf

    wait_for(is_renewed, "the renewal")
    return reviewed(one, order)


def test_a_renewal_of_its_own_is_seen(corporate: Corporate) -> None:
    one, order = corporate.by_certificates("corporate"), wish(CLIENT).order
    (first,) = issued(one.issuer, asked(one.issuer, order))
    assert renewed(corporate, one, order, first).differs == ""


POLICY = "policy-background-controller"


@contextmanager
def policy(corporate: Corporate, name: str, spec: Object) -> Iterator[Callable[[], int]]:
    """A second field manager that writes these fields into a Certificate as soon as they are not there. Yields how
    often it has written.
    """
    path, ends, writes = path_of_certificate(NAMESPACE, name), Event(), list[int]()

    def work() -> None:
        while not ends.wait(0.02):
            found = corporate.kube.request("GET", path)
            if found.status != 200 or contains(found.body["spec"], spec):
                continue
            done = corporate.kube.request(
                "PATCH", path, body={"spec": spec}, query={"fieldManager": POLICY},
                content_type="application/merge-patch+json",
            )  # fmt: skip
            writes.extend([done.status] if done.status == 200 else [])

    thread = Thread(target=work)
    thread.start()
    try:
        yield lambda: len(writes)
    finally:
        ends.set()
        thread.join()


def requests_for(corporate: Corporate, name: str) -> int:
    """How many requests cert-manager has made for a Certificate, by its revisions."""
    listed = corporate.kube.request("GET", f"{ROOT}/namespaces/{NAMESPACE}/certificaterequests").body["items"]
    marks = [one["metadata"].get("annotations") or {} for one in listed]
    own = [mark for mark in marks if mark.get("cert-manager.io/certificate-name") == name]
    return max((int(mark["cert-manager.io/certificate-revision"]) for mark in own), default=0)


def test_what_a_policy_engine_adds_after_each_write_is_no_difference(corporate: Corporate) -> None:
    """A renewed certificate is the answer, nothing is corrected, and no certificate is issued but the renewal."""
    one, order = corporate.by_certificates("corporate"), wish().order
    label = {"secretTemplate": {"labels": {"policy.example/team": "streaming"}}}
    with policy(corporate, order.name, label) as writes:
        (first,) = issued(one.issuer, asked(one.issuer, order))
        wait_for(lambda: writes() == 1, "the label of the policy engine")
        kept = renewed(corporate, one, order, first)
        assert (kept.correction, kept.differs, kept.written_back) == (None, "", "")
        assert isinstance(asked(one.issuer, order).value, bytes)
        assert (writes(), requests_for(corporate, order.name)) == (1, 2)


def test_what_a_policy_engine_writes_back_is_corrected_once_and_told(corporate: Corporate) -> None:
    one, order = corporate.by_certificates("corporate"), wish().order
    (first,) = issued(one.issuer, asked(one.issuer, order))
    with policy(corporate, order.name, {"privateKey": {"size": 384}}) as writes:
        wait_for(lambda: writes() == 1, "the policy engine")
        correction = reviewed(one, order).correction
        assert correction is not None
        assert correction.before == {"privateKey.size": 384}
        asked(one.issuer, order)
        wait_for(lambda: writes() == 2, "the policy engine once more")
        for _run in range(3):
            kept = reviewed(one, order)
            assert (kept.correction, kept.differs) == (None, "")
            for told in ("privateKey.size is 384 and is to be 256", POLICY, "docs/other-writers.md"):
                assert told in kept.written_back
            asked(one.issuer, order)
        kept = renewed(corporate, one, order, first)
        assert isinstance(kept.answer, IssuedCertificate)
        assert writes() == 2


CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/certificates.cert-manager.io"


@contextmanager
def newer_definition(corporate: Corporate) -> Iterator[None]:
    """A CustomResourceDefinition with defaults, as a newer release of cert-manager may bring it."""
    found = corporate.kube.request("GET", CRD).body
    spec = json.loads(json.dumps(found["spec"]))
    for version in spec["versions"]:
        fields = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        fields["encodeUsagesInRequest"]["default"] = True
        fields["newField"] = {"type": "string", "default": "new"}
        fields["privateKey"]["properties"]["newField"] = {"type": "string", "default": "new"}
        fields["issuerRef"]["properties"]["newField"] = {"type": "string", "default": "new"}
    put(corporate, spec)
    try:
        yield
    finally:
        put(corporate, found["spec"])


def put(corporate: Corporate, spec: Object) -> None:
    done = corporate.kube.request("PATCH", CRD, body={"spec": spec}, content_type="application/merge-patch+json")
    assert done.status == 200, done.body


def test_defaults_of_a_newer_release_are_no_difference(corporate: Corporate) -> None:
    one, order = corporate.by_certificates("corporate"), wish().order
    (first,) = issued(one.issuer, asked(one.issuer, order))
    path = path_of_certificate(NAMESPACE, order.name)
    with newer_definition(corporate):
        wait_for(lambda: corporate.kube.request("GET", path).body["spec"].get("newField") == "new", "the defaults")
        assert corporate.kube.request("GET", path).body["spec"]["issuerRef"]["newField"] == "new"
        kept = renewed(corporate, one, order, first)
        assert (kept.correction, kept.differs, kept.written_back) == (None, "", "")
        assert requests_for(corporate, order.name) == 2


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
        return answer.leaf.is_for(answer.key)

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
