# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages about requests that no approver approves, and about issuers that cannot sign."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import TransportError, Unreachable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.conditions import (
    IssuerReference,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.requests import (
    Circumstances,
    why_waiting,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Waiting
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, Response
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer

from ....tools.support.certificates import NOW
from ....tools.support.issuer_contract import is_told
from ..._kube.doubles import ScriptedTransport, scripted, status

Object = dict[str, Any]
PENDING = {"type": "Ready", "status": "False", "reason": "Pending", "message": "not yet"}


def request(*conditions: Object, made: object = None, **spec: str) -> Object:
    metadata = {"name": "demo-kafka-0", "creationTimestamp": made}
    return {"metadata": metadata, "spec": spec, "status": {"conditions": [*conditions]}}


def before(
    *answers: Response | TransportError, kind: str = "Issuer", group: str = "cert-manager.io", now: datetime = NOW
) -> tuple[Circumstances, ScriptedTransport]:
    client, transport, _clock = scripted(answers)
    return Circumstances(client, IssuerReference(CertManagerIssuer("corporate", kind, group), "kafka"), now), transport


def told(found: Object, at: Circumstances) -> str:
    why = why_waiting(found, at)
    is_told(Waiting(why))
    return why


def stored(*conditions: Object) -> Response:
    return Response(200, {"metadata": {"name": "corporate"}, "status": {"conditions": [*conditions]}}, {})


@pytest.mark.parametrize(
    ("made", "after", "said"),
    [
        ("2026-06-01T12:00:00Z", 0, "is not approved yet. "),
        ("2026-06-01T12:00:00Z", 30, "is not approved yet. "),
        ("2026-06-01T12:00:00Z", 31, "is not approved, and no approver has decided about it since 2026-06-01 12:00:00 UTC. "),
        # By a clock that is behind that of the API server.
        ("2026-06-01T12:10:00Z", 0, "is not approved yet. "),
        ("2026-06-01T12:00:00", 3600, "is not approved yet. "),
        ("long ago", 3600, "is not approved yet. "),
        (None, 3600, "is not approved yet. "),
    ],
)  # fmt: skip
def test_a_request_without_a_decision_for_30_seconds_says_that_no_approver_has_decided(
    made: object, after: int, said: str
) -> None:
    at, transport = before(now=NOW + timedelta(seconds=after))
    assert f"CertificateRequest kafka/demo-kafka-0 {said}" in told(request(made=made), at)
    assert transport.sent == []


@pytest.mark.parametrize(("after", "decided"), [(80, "yet"), (81, "no approver has decided")])
def test_an_approver_has_the_time_of_the_answers_of_a_slow_api_server(after: int, decided: str) -> None:
    at, _transport = before(now=NOW + timedelta(seconds=after))
    at.client.response_time.note(10.0)
    assert decided in told(request(made="2026-06-01T12:00:00Z"), at)


def test_the_message_names_the_approver_and_the_command() -> None:
    at, _transport = before()
    said = told(request(username="system:serviceaccount:kafka:trustops"), at)
    assert "a CertificateRequestPolicy has to permit it that system:serviceaccount:kafka:trustops may use" in said
    assert (
        "approver for signers issuers.cert-manager.io/kafka.corporate has to (cmctl approve -n kafka demo-kafka-0)."
        in said
    )


@pytest.mark.parametrize("name", ["\x1b[2J", "a" * 2000])
def test_a_name_does_nothing_to_a_terminal(name: str) -> None:
    told(request(username=name), before()[0])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (status(404, "NotFound", 'issuers.cert-manager.io "corporate" not found', name="corporate"), "does not exist in namespace kafka: create it"),
        (stored(), "has no Ready condition: no controller has looked at it. Check that cert-manager runs."),
        (
            stored({"type": "Ready", "status": "False", "reason": "ErrInitIssuer", "message": 'secret "ca" not found'}),
            'is not Ready: secret "ca" not found. Correct it',
        ),
        (stored({"type": "Ready", "status": "True"}), "is Ready, so cert-manager goes on by itself."),
        (
            status(403, "Forbidden", "no"),
            "has to exist in namespace kafka and to be Ready, which cannot be looked up here (get on issuers.cert-manager.io).",
        ),
        (status(404, "NotFound", "the server could not find the requested resource"), "has to exist in namespace kafka"),
    ],
)  # fmt: skip
def test_a_pending_request_says_what_is_wrong_with_its_issuer(answer: Response, said: str) -> None:
    at, transport = before(answer)
    for _again in range(2):
        assert told(request(PENDING), at).startswith(
            f"CertificateRequest kafka/demo-kafka-0 is pending: not yet. Issuer corporate {said}"
        )
    (asked,) = transport.sent
    assert asked.path == "/apis/cert-manager.io/v1/namespaces/kafka/issuers/corporate"


def test_a_cluster_issuer_is_read_without_a_namespace() -> None:
    gone = status(404, "NotFound", 'clusterissuers.cert-manager.io "corporate" not found', name="corporate")
    at, transport = before(gone, kind="ClusterIssuer")
    assert "ClusterIssuer corporate does not exist: create it" in told(request(PENDING), at)
    assert transport.sent[0].path == "/apis/cert-manager.io/v1/clusterissuers/corporate"


def test_an_issuer_of_another_group_is_not_read() -> None:
    at, transport = before(group="example.com")
    assert "Issuer corporate of example.com has to exist and to be Ready." in told(request(PENDING), at)
    assert transport.sent == []


def test_an_api_server_that_is_away_is_no_answer() -> None:
    class Away(ScriptedTransport):
        def request(self, *_arguments: Any, **_more: Any) -> Any:
            raise TransportError("refused")

    client = KubeClient(Away([]), sleep=lambda _seconds: None)
    at = Circumstances(client, IssuerReference(CertManagerIssuer("corporate"), "kafka"), NOW)
    with pytest.raises(Unreachable):
        why_waiting(request(PENDING), at)
