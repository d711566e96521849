# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that other people write, with anything in their fields that the API server takes. What is wrong with one of them is said of that one; no call
ends with an unexpected error, waits without an end, or shows a character that commands a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ...tools.operator.user_operator import UserOperatorDouble
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster, Moment
from ...tools.support.users import kafka_user
from . import stages
from .running import Ended, call

Object = dict[str, Any]
GROUPS = {
    "kafkaaccesses": "access.strimzi.io/v1alpha1",
    "leases": "coordination.k8s.io/v1",
    "configmaps": "v1",
    "pods": "v1",
    "secrets": "v1",
}
#: Labels and names of other objects are what their programs know each other by, and have their own tests.
TEXTS = st.sampled_from(
    [
        "", "orders", "demo", "demo-cluster-ca-cert", "*.crt", "[0-999999999]", "[9-0, 1]", "9" * 5000, "\u0663", "-1", "1e9", "true", "\x1b[31m",
        "a\nb\r\u2028c", "{{ 7 * 7 }}", "\u202e", "x" * 300, "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "demo-kafka-bootstrap:9093,,:", "/", "ca.crt",
    ]
)  # fmt: skip
NUMBERS = st.sampled_from([0, 1, 30, 365, 40_000, 3_000_000, 999_999_999, 2**31 - 1, 2**63 - 1, -1])


def fields(needed: Mapping[str, Any] | None = None, **optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Object]:
    return st.fixed_dictionaries(dict(needed or {}), optional=optional)


def marks(*names: str) -> st.SearchStrategy[Object]:
    """Metadata with some of these annotations."""
    return fields({"annotations": st.dictionaries(st.sampled_from(names), TEXTS, max_size=3)})


USER = {
    "spec": fields(
        {
            "authentication": fields(
                {"type": st.sampled_from(["tls", "tls-external", "scram-sha-512"])},
                validityDays=NUMBERS,
                renewalDays=NUMBERS,
            )
        }
    )
}
CONDITION = fields(
    {"type": st.sampled_from(["Ready", "NotReady", "ReconciliationPaused"]), "status": st.sampled_from(["True", "False"])},
    reason=TEXTS, message=TEXTS, lastTransitionTime=TEXTS,
)  # fmt: skip
STATUS = fields({"conditions": st.lists(CONDITION, max_size=2)})
SOURCES = st.lists(fields(secretName=TEXTS, certificate=TEXTS, pattern=TEXTS), max_size=2)
CONNECTION = fields(
    bootstrapServers=TEXTS, alias=TEXTS, tls=fields(trustedCertificates=SOURCES),
    authentication=fields({"type": TEXTS}, certificateAndKey=fields(secretName=TEXTS)),
)  # fmt: skip
DAYS = fields(renewalDays=NUMBERS, validityDays=NUMBERS)
#: By plural and name, what is merged into an object; one that is not there is made.
OBJECTS: dict[tuple[str, str], st.SearchStrategy[Object]] = {
    ("kafkausers", "mallory"): fields(
        {
            **USER,
            "metadata": marks(
                "strimzi.io/pause-reconciliation", "trustops.strimzi/paused-for-clients-ca-by", "trustops.strimzi/paused-for-authentication"
            ),
        },
        status=STATUS,
    ),
    ("kafkausers", "m" * 200): fields(USER),
    ("kafkaconnects", "connect"): fields(spec=CONNECTION),
    ("kafkabridges", "bridge"): fields(spec=CONNECTION),
    ("kafkamirrormaker2s", "mirror"): fields(spec=fields(target=CONNECTION, mirrors=st.lists(fields(source=CONNECTION), max_size=2))),
    ("kafkaaccesses", "access"): fields(
        spec=fields(user=fields(name=TEXTS, namespace=TEXTS)), status=fields(binding=fields(name=st.sampled_from(["orders", "nothing"])))
    ),
    ("kafkanodepools", "kafka"): fields(
        {"metadata": marks("strimzi.io/next-node-ids", "strimzi.io/remove-node-ids")}, spec=fields(replicas=st.sampled_from([0, 3, 2**31 - 1]))
    ),
    ("pods", "demo-kafka-0"): fields(
        metadata=marks(
            "strimzi.io/cluster-ca-cert-generation", "strimzi.io/clients-ca-cert-generation", "strimzi.io/cluster-ca-key-generation",
            "strimzi.io/server-cert-hash", "strimzi.io/manual-rolling-update",
        )
    ),
    ("kafkas", "demo"): fields(spec=fields(clusterCa=DAYS, clientsCa=DAYS), status=STATUS),
    ("configmaps", "roots"): fields(data=st.dictionaries(st.just("ca.pem"), TEXTS), binaryData=st.dictionaries(st.just("ca.pem"), TEXTS)),
}  # fmt: skip
CALLS: tuple[tuple[str, Object], ...] = (
    ("strimzi_ca_info", {"ca_source": {"kind": "ConfigMap", "name": "roots", "key": "ca.pem"}}),
    ("strimzi_ca_info", {"ca": "clients"}),
    ("strimzi_user_info", {}),
    ("strimzi_ca", {"state": "replaced", "check": True, **stages.FAST}),
    ("strimzi_ca", {"ca": "clients", "state": "adopted", "check": True}),
)


@cache
def _reached() -> tuple[Moment, ...]:
    found = []
    for make in (stages.managed, stages.asked):
        memory = make()
        memory.neighbours.append(UserOperatorDouble(memory.api, memory.namespace, memory.cluster).reconcile)
        memory.apply(kafka_user("orders"))
        memory.settle(1)
        found.append(memory.moment())
    return tuple(found)


@pytest.fixture
def moments() -> tuple[Moment, ...]:
    """With the key of the CA here, and kept elsewhere."""
    return _reached()


def put(memory: MemoryCluster, plural: str, name: str, content: Object) -> None:
    version = GROUPS.get(plural, "kafka.strimzi.io/v1")
    path = f"/{'api' if version == 'v1' else 'apis'}/{version}/namespaces/kafka/{plural}"
    if memory.api.find(plural, "kafka", name) is None:
        metadata = {"name": name, "labels": {"strimzi.io/cluster": "demo"}}
        assert memory.api.request("POST", path, body={"metadata": metadata}).status == 201
    for sub in ("", *(["/status"] if "status" in content else [])):
        response = memory.api.request(
            "PATCH", f"{path}/{name}{sub}", body=content, content_type="application/merge-patch+json"
        )
        assert response.status == 200, response.body


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for name, one in value.items() for text in (name, *texts_of(one)))
    elif isinstance(value, list):
        yield from (text for one in value for text in texts_of(one))


def assert_civil(ended: Ended) -> None:
    shown = [*texts_of(json.loads(ended.output)), *ended.warnings]
    assert not [text for text in shown if "Unexpected" in text]
    assert not [text for text in shown if not text.replace("\n", "").isprintable()]


@pytest.mark.parametrize("where", OBJECTS, ids=lambda where: f"{where[0]}/{where[1][:8]}")
@given(data=st.data())
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_in_an_object_of_another_owner(
    where: tuple[str, str], moments: tuple[Moment, ...], data: st.DataObject
) -> None:
    memory = MemoryCluster()
    memory.go_to(data.draw(st.sampled_from(moments)))
    put(memory, *where, data.draw(OBJECTS[where]))
    for module, options in CALLS:
        assert_civil(call(module, memory, **options))


@pytest.mark.parametrize("days", [40_000, 3_000_000, 2**63 - 1])
@pytest.mark.parametrize("field", ["validityDays", "renewalDays"])
def test_a_user_who_asks_for_any_number_of_days_stops_no_flow(
    moments: tuple[Moment, ...], field: str, days: int
) -> None:
    memory = MemoryCluster()
    memory.go_to(moments[0])
    put(memory, "kafkausers", "mallory", {"spec": {"authentication": {"type": "tls", field: days}}})
    adopted = stages.done(memory, "strimzi_ca", ca="clients", state="adopted")
    assert [one["state"] for one in adopted.result["cas"]] == ["TRUSTED_IN_USE_ALL"]
    stages.done(memory, "strimzi_ca", ca="clients", **stages.PREPARED)


def test_a_user_whom_no_certificate_can_name_stops_no_flow(moments: tuple[Moment, ...], golden: GoldenFiles) -> None:
    """The User Operator refuses it as well, so it has no certificate, and presents none."""
    memory, name = MemoryCluster(), "m" * 70
    memory.go_to(moments[0])
    put(memory, "kafkausers", name, {"spec": {"authentication": {"type": "tls"}}})
    stages.done(memory, "strimzi_ca", ca="clients", state="adopted")
    ended = stages.done(
        memory,
        "strimzi_ca",
        ca="clients",
        **{**stages.PREPARED, "certificate": stages.ELSEWHERE.certificate.pem.decode()},
    )
    (told,) = [warning for warning in ended.warnings if name in warning]
    golden.compare_said("calls", told.replace(name, "<long name>"))
