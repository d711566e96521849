# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to cert-manager on an API server in memory: what is sent, what is found, and what is in the way."""

from __future__ import annotations

import json
from dataclasses import replace

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
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.requests import (
    CertManager,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    IssuedCertificate,
    Refused,
    Token,
    Waiting,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, Response
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from ...support.cert_manager import MemoryCertManager, path_of
from ...support.certificates import key, make
from ...support.issuer_contract import asked, is_told, wish
from ...support.memory_api import MemoryApi
from .._kube.doubles import FakeClock, scripted, status

SCOPE = ClusterNames("kafka", "demo")
SETTINGS = CertManagerIssuer("corporate")
CA = make("corporate", key(1))
LIST = ("GET", "/apis/cert-manager.io/v1/namespaces/kafka/certificaterequests")
#: The answer of an API server about a kind that it does not know.
UNKNOWN_KIND = status(404, "NotFound", "the server could not find the requested resource")
AWAY = status(
    500, "InternalError", 'Internal error occurred: failed calling webhook "webhook.cert-manager.io": refused'
)


def issuer(api: MemoryApi, settings: CertManagerIssuer = SETTINGS, scope: ClusterNames = SCOPE) -> CertManager:
    return CertManager(KubeClient(api), scope, settings, FakeClock())


def before(*answers: Response | TransportError) -> CertManager:
    """An issuer before an API server that answers so."""
    return CertManager(scripted(answers)[0], SCOPE, SETTINGS, FakeClock())


def test_a_request_carries_the_labels_by_which_it_is_found() -> None:
    api = MemoryApi()
    order = wish().order
    asked(issuer(api), order)
    stored = api.find("certificaterequests", "kafka", order.name)
    assert stored is not None
    assert stored["metadata"]["labels"] == {
        "app.kubernetes.io/managed-by": "trustops.strimzi",
        "strimzi.io/cluster": "demo",
    }


def test_a_token_is_public_and_the_same_in_every_run() -> None:
    order = wish().order
    token = asked(issuer(MemoryApi()), order)
    assert asked(issuer(MemoryApi()), order) == token
    assert json.loads(token.value)["certificateRequest"] == order.name


def test_five_hundred_are_asked_about_at_once() -> None:
    api = MemoryApi()
    one, order = issuer(api), wish().order
    tokens = [asked(one, replace(order, name=f"demo-{number}")) for number in range(500)]
    api.requests.clear()
    assert {type(answer) for answer in one.poll(tokens)} == {Waiting}
    assert api.requests == [LIST]


def test_nothing_is_asked_about_nothing() -> None:
    api = MemoryApi()
    issuer(api).poll(())
    issuer(api).forget(())
    assert api.requests == []


def test_only_what_is_to_be_forgotten_is_deleted() -> None:
    api = MemoryApi()
    one = issuer(api)
    tokens = [asked(one, wish(number=number).order) for number in range(3)]
    api.requests.clear()
    one.forget(tokens[:2])
    assert [method for method, _path in api.requests] == ["GET", "DELETE", "DELETE"]
    assert [type(answer) for answer in one.poll(tokens)] == [Refused, Refused, Waiting]


def test_another_cluster_of_the_namespace_keeps_its_own() -> None:
    api = MemoryApi()
    theirs = issuer(api, scope=ClusterNames("kafka", "other"))
    order = wish().order
    token = asked(theirs, order)
    issuer(api).forget((token,))
    assert isinstance(theirs.poll((token,))[0], Waiting)
    answer = issuer(api).request(order)
    assert isinstance(answer, Refused)
    assert "it lacks labels of ours (strimzi.io/cluster)" in answer.why


def test_a_request_in_the_place_of_ours_is_neither_taken_nor_deleted() -> None:
    api = MemoryApi()
    MemoryCertManager(api, CA)
    one, first = issuer(api), wish()
    token = asked(one, first.order)
    api.request("DELETE", path_of("kafka", first.order.name))
    other = asked(one, wish(number=1, name=first.order.name).order)
    mine, theirs = one.poll((token, other))
    assert isinstance(mine, Refused)
    assert mine.why == f"CertificateRequest kafka/{first.order.name} was deleted, and another one has its name."
    assert isinstance(theirs, IssuedCertificate)
    one.forget((token,))
    assert api.find("certificaterequests", "kafka", first.order.name) is not None


def test_a_request_made_anew_by_another_hand_is_the_same_one() -> None:
    """As by a backup that is put back."""
    api = MemoryApi()
    MemoryCertManager(api, CA)
    order = wish().order
    token = asked(issuer(api), order)
    api.request("DELETE", path_of("kafka", order.name))
    asked(issuer(api), order)
    assert isinstance(issuer(api).poll((token,))[0], IssuedCertificate)


def test_the_same_request_to_another_issuer_is_another_one() -> None:
    api = MemoryApi()
    order = wish().order
    asked(issuer(api), order)
    answer = issuer(api, CertManagerIssuer("corporate", "ClusterIssuer")).request(order)
    assert isinstance(answer, Refused)
    assert answer.why.endswith("is not the one that is asked for: it names another issuer.")
    assert f"kubectl delete -n kafka certificaterequests.cert-manager.io {order.name}" in answer.remedy
    is_told(answer)


def test_what_vanishes_while_it_is_looked_at_is_asked_for_in_the_next_run() -> None:
    one = before(status(409, "AlreadyExists", name="a"), status(404, "NotFound", name="a"))
    with pytest.raises(AlreadyExists):
        one.request(wish().order)


def test_without_cert_manager() -> None:
    with pytest.raises(IssuerUnavailable, match="cert-manager is not installed") as raised:
        before(UNKNOWN_KIND).request(wish().order)
    assert "Install cert-manager" in raised.value.remedy
    answers = before(UNKNOWN_KIND).poll((Token(b"{}"), Token(b"{}")))
    assert [type(answer) for answer in answers] == [Waiting, Waiting]
    is_told(answers[0])
    before(UNKNOWN_KIND).forget((Token(b"{}"),))


def test_without_its_webhook() -> None:
    with pytest.raises(IssuerUnavailable, match="failed calling webhook") as raised:
        before(AWAY).request(wish().order)
    assert "pods have to run" in raised.value.remedy


def test_what_the_api_server_does_not_accept_is_refused() -> None:
    message = "spec.duration: \x1b[2J"
    answer = before(status(422, "Invalid", message, name="a")).request(wish().order)
    assert isinstance(answer, Refused)
    assert "is not accepted: spec.duration: \\1B[2J." in answer.why
    is_told(answer)


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


def test_a_missing_role_is_told_for_each_verb() -> None:
    forbidden = status(403, "Forbidden", 'User "ci" cannot do that')
    token = asked(issuer(MemoryApi()), wish().order)
    for call in (CertManager.poll, CertManager.forget):
        with pytest.raises(Forbidden) as raised:
            call(before(forbidden), (token,))
        assert "verbs: [list], apiGroups: ['cert-manager.io'], resources: [certificaterequests]" in raised.value.remedy


def test_issuers_have_a_name_each() -> None:
    api = MemoryApi()
    names = [
        issuer(api, CertManagerIssuer(*settings)).reference
        for settings in [("corporate",), ("corporate", "ClusterIssuer"), ("corporate", "Issuer", "example.com")]
    ]
    assert names[:2] == ["cert-manager Issuer corporate", "cert-manager ClusterIssuer corporate"]
    assert len(set(names)) == 3
