# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of cert-manager on an API server in memory: what is sent, what is found, and what is in the way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Conflict, Forbidden, IssuerUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.certificates import (
    CertManagerByCertificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    IssuedCertificate,
    LeafOrder,
    Refused,
    Waiting,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import Response
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer

from ...support.cert_manager import NAMESPACE, People
from ...support.cert_manager_certificates import (
    CertificatesCounterpart,
    MemoryCertificates,
    path_of_certificate,
)
from ...support.certificates import NOW, key, make
from ...support.issuer_contract import USER, asked, is_told, issued, wish
from ...support.memory_api import MemoryApi
from .._kube.doubles import ScriptedTransport, status

CA = make("corporate", key(1))
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
        self.manager = MemoryCertificates(self.api, CA)

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
        api, People(api), CertManagerIssuer("corporate"), (CA.certificate,), lambda: NOW
    ).issuer


def answering(*answers: Response) -> CertManagerByCertificates:
    """Before an API server that answers so."""
    return before(ScriptedTransport(list(answers)))


def test_one_of_somebody_else_is_neither_changed_nor_issued_anew() -> None:
    bench, order = Bench(), wish().order
    asked(bench.issuer, order)
    bench.change(order, {"metadata": {"labels": {"app.kubernetes.io/managed-by": "Helm"}}, "spec": {"duration": "24h"}})
    theirs, begun = bench.find(order), len(bench.api.writes)
    answer = bench.issuer.request(replace(order, unfit=frozenset({"0"})))
    assert isinstance(answer, Refused)
    is_told(answer)
    assert (bench.find(order), len(bench.api.writes)) == (theirs, begun)


def test_what_operators_look_after_is_not_written_to() -> None:
    """A KafkaUser of the name under which the certificate of another one would be kept: both would write to its Secret without end."""
    bench, order = Bench(), wish(USER, name="orders").order
    labels = {"strimzi.io/kind": "KafkaUser", "strimzi.io/cluster": "demo"}
    body = {"kind": "Secret", "metadata": {"name": "orders-cm", "labels": labels}, "data": {}}
    bench.api.request("POST", f"/api/v1/namespaces/{NAMESPACE}/secrets", body=body)
    begun = len(bench.api.writes)
    answer = bench.issuer.request(order)
    assert isinstance(answer, Refused)
    is_told(answer)
    assert f"Secret {NAMESPACE}/orders-cm, which is one of a KafkaUser, and both would write to it" in answer.why
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


def test_it_is_issued_anew_as_by_cmctl() -> None:
    bench, order = Bench(), wish().order
    (first,) = issued(bench.issuer, asked(bench.issuer, order))
    bench.manager.is_asleep = True
    asked(bench.issuer, replace(order, unfit=frozenset({first.leaf.sha256})))
    ready, issuing = bench.find(order)["status"]["conditions"]
    assert ready["type"] == "Ready"
    assert (issuing["type"], issuing["status"], issuing["reason"]) == ("Issuing", "True", "ManuallyTriggered")
    assert issuing["lastTransitionTime"] == "2026-06-01T12:00:00Z"


def test_what_is_being_issued_is_not_begun_again() -> None:
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


def test_what_is_good_is_an_answer_although_its_renewal_has_failed() -> None:
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
    """Somebody else writes the status first, so often."""

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


def test_what_is_in_the_way_is_told() -> None:
    order = wish(name="demo-kafka-0").order
    with pytest.raises(
        IssuerUnavailable, match=r"Certificate kafka/demo-kafka-0 cannot be made: .*failed calling webhook"
    ):
        answering(MISSING, NOTHING_KEPT, AWAY).request(order)
    refused = answering(MISSING, NOTHING_KEPT, status(422, "Invalid", "spec.duration: too short", name="a")).request(
        order
    )
    assert isinstance(refused, Refused)
    assert "Certificate kafka/demo-kafka-0 is not accepted: spec.duration: too short." in refused.why
    with pytest.raises(Forbidden) as raised:
        answering(status(403, "Forbidden", 'User "ci" cannot list', name="")).review((order,))
    assert "verbs: [list], apiGroups: ['cert-manager.io'], resources: [certificates]" in raised.value.remedy
    kept = answering(status(404, "NotFound", "the server could not find the requested resource")).review((order,))
    assert isinstance(kept["demo-kafka-0"].answer, Waiting)
    assert kept["demo-kafka-0"].correction is None


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


def test_another_validity_is_that_of_the_issuer() -> None:
    bench, order = Bench(), wish().order
    asked(bench.issuer, replace(order, validity=timedelta(days=1)))
    assert bench.find(order)["spec"]["duration"] == "168h"
