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
from ....tools.support.golden import GoldenFiles
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
    ("case", "made", "after"),
    [
        ("not yet", "2026-06-01T12:00:00Z", 0),
        ("not yet", "2026-06-01T12:00:00Z", 30),
        ("not at all", "2026-06-01T12:00:00Z", 31),
        # By a clock that is behind that of the API server.
        ("not yet", "2026-06-01T12:10:00Z", 0),
        ("not yet", "2026-06-01T12:00:00", 3600),
        ("not yet", "long ago", 3600),
        ("not yet", None, 3600),
    ],
)
def test_a_request_without_a_decision_for_30_seconds_says_that_no_approver_has_decided(
    case: str, made: object, after: int, golden: GoldenFiles
) -> None:
    at, transport = before(now=NOW + timedelta(seconds=after))
    golden.compare_said("issuers", told(request(made=made), at), case)
    assert transport.sent == []


@pytest.mark.parametrize(("after", "decided"), [(80, "yet"), (81, "no approver has decided")])
def test_an_approver_has_the_time_of_the_answers_of_a_slow_api_server(after: int, decided: str) -> None:
    at, _transport = before(now=NOW + timedelta(seconds=after))
    at.client.response_time.note(10.0)
    assert decided in told(request(made="2026-06-01T12:00:00Z"), at)


def test_the_message_names_the_approver_and_the_command(golden: GoldenFiles) -> None:
    at, _transport = before()
    golden.compare_said("issuers", told(request(username="system:serviceaccount:kafka:trustops"), at))


@pytest.mark.parametrize("name", ["\x1b[2J", "a" * 2000])
def test_a_name_does_nothing_to_a_terminal(name: str) -> None:
    told(request(username=name), before()[0])


@pytest.mark.parametrize(
    ("case", "answer"),
    [
        ("missing", status(404, "NotFound", 'issuers.cert-manager.io "corporate" not found', name="corporate")),
        ("no condition", stored()),
        (
            "not ready",
            stored({"type": "Ready", "status": "False", "reason": "ErrInitIssuer", "message": 'secret "ca" not found'}),
        ),
        ("ready", stored({"type": "Ready", "status": "True"})),
        ("forbidden", status(403, "Forbidden", "no")),
        ("no such kind", status(404, "NotFound", "the server could not find the requested resource")),
    ],
)
def test_a_pending_request_says_what_is_wrong_with_its_issuer(case: str, answer: Response, golden: GoldenFiles) -> None:
    at, transport = before(answer)
    for _again in range(2):
        golden.compare_said("issuers", told(request(PENDING), at), case)
    (asked,) = transport.sent
    assert asked.path == "/apis/cert-manager.io/v1/namespaces/kafka/issuers/corporate"


def test_a_cluster_issuer_is_read_without_a_namespace(golden: GoldenFiles) -> None:
    gone = status(404, "NotFound", 'clusterissuers.cert-manager.io "corporate" not found', name="corporate")
    at, transport = before(gone, kind="ClusterIssuer")
    golden.compare_said("issuers", told(request(PENDING), at))
    assert transport.sent[0].path == "/apis/cert-manager.io/v1/clusterissuers/corporate"


def test_an_issuer_of_another_group_is_not_read(golden: GoldenFiles) -> None:
    at, transport = before(group="example.com")
    golden.compare_said("issuers", told(request(PENDING), at))
    assert transport.sent == []


def test_an_api_server_that_is_away_is_no_answer() -> None:
    class Away(ScriptedTransport):
        def request(self, *_arguments: Any, **_more: Any) -> Any:
            raise TransportError("refused")

    client = KubeClient(Away([]), sleep=lambda _seconds: None)
    at = Circumstances(client, IssuerReference(CertManagerIssuer("corporate"), "kafka"), NOW)
    with pytest.raises(Unreachable):
        why_waiting(request(PENDING), at)
