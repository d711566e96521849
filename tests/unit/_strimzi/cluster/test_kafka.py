# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Kafka resource: the operator's work, the addresses of listeners, and maintenance windows (docs/operator.md, "Pause", "Kafka resource")."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import CronError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.kafka import (
    FoundNodes,
    condition,
    is_generated,
    is_observed,
    listener_addresses,
    maintenance_windows,
    note_absent_operator,
    parse_cron,
    read_operator_status,
    read_pause,
    read_reconciliation,
    renewal_window,
    running_rebalances,
    user_pause,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import ReissuePause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    OperatorStatus,
    Rebalance,
    Reconciliation,
)

from ....tools.support.memory_api import MemoryApi
from ..bench import LABELS, SCOPE, Bench, conditions, kafka

PAUSE = {"strimzi.io/pause-reconciliation": "true"}
OURS = {**PAUSE, "trustops.strimzi/paused-by": "me"}


def test_no_resource_is_neither_generated_nor_ready() -> None:
    assert read_reconciliation(None, SCOPE) == Reconciliation(
        exists=False, operator=OperatorStatus(has_observed=False, is_ready=False)
    )


@pytest.mark.parametrize(
    ("spec", "generated"),
    [
        ({}, True),
        ({"clusterCa": None}, True),
        ({"clusterCa": {"validityDays": 30}}, True),
        ({"clusterCa": {"generateCertificateAuthority": True}}, True),
        ({"clusterCa": {"generateCertificateAuthority": False}}, False),
        ({"clientsCa": {"generateCertificateAuthority": False}}, True),
    ],
)
def test_the_operator_generates_unless_told_otherwise(spec: dict[str, Any], generated: bool) -> None:
    assert is_generated(kafka(**spec), SCOPE) is generated


def test_each_ca_has_its_own_part_of_the_specification() -> None:
    resource = kafka(clientsCa={"generateCertificateAuthority": False, "renewalDays": 7})
    clients = SCOPE.of(CaKind.CLIENTS)
    assert (is_generated(resource, SCOPE), is_generated(resource, clients)) == (True, False)
    assert renewal_window(resource, clients) == timedelta(days=7)


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ({}, ""),
        ({"clientsCa": {"type": "strimzi.io"}}, ""),
        ({"clientsCa": {"type": None}}, ""),
        ({"clientsCa": {"type": "cert-manager.io"}}, "cert-manager.io"),
        ({"clientsCa": {"type": "vault.example.com"}}, "vault.example.com"),
        ({"clusterCa": {"type": "cert-manager.io"}}, ""),
    ],
)
def test_a_clients_ca_of_another_type_is_foreign(spec: dict[str, Any], kind: str) -> None:
    assert read_reconciliation(kafka(**spec), SCOPE.of(CaKind.CLIENTS)).foreign_type == kind


@pytest.mark.parametrize(
    ("status", "generation", "observed"),
    [
        (None, 1, False),
        ({}, 1, False),
        ({"observedGeneration": 1}, 1, True),
        ({"observedGeneration": 1}, 2, False),
        ({"observedGeneration": 3}, 2, False),
    ],
)
def test_observed_means_the_present_generation(status: dict[str, Any] | None, generation: int, observed: bool) -> None:
    resource = kafka(status)
    resource["metadata"]["generation"] = generation
    assert is_observed(resource) is observed


NODES = frozenset({"demo-nodes-0", "demo-nodes-1"})
SEEN = {"conditions": conditions("Ready"), "observedGeneration": 2}
NO_STATUS = "its status has no condition, which an operator sets as soon as it sees the resource"
RUNS, IDLE, UNOWNED = (
    FoundNodes(NODES, True, NODES, NODES),
    FoundNodes(NODES, True, NODES, frozenset()),
    FoundNodes(NODES, False, frozenset(), frozenset()),
)
ONE_RUNS = FoundNodes(NODES, True, NODES, frozenset({"demo-nodes-1"}))
NEW = FoundNodes(frozenset(), False, frozenset(), frozenset())
GONE = "none of its 2 nodes has a pod, which an operator makes again within seconds"
FAILED = {**SEEN, "conditions": conditions("NotReady")}
FIRST = {"conditions": [{**conditions("NotReady")[0], "reason": "Creating"}], "observedGeneration": 2}


@pytest.mark.parametrize(
    ("status", "nodes", "absent"),
    [
        (None, RUNS, NO_STATUS),
        ({"clusterId": "x"}, RUNS, NO_STATUS),
        ({**SEEN, "observedGeneration": 3}, RUNS, "its status is about generation 3 of a resource that has come to generation 2"),
        ({**SEEN, "observedGeneration": 1}, RUNS, ""),
        (SEEN, ONE_RUNS, ""),
        ({**SEEN, "conditions": conditions("ReconciliationPaused")}, ONE_RUNS, ""),
        (SEEN, IDLE, GONE),
        (FAILED, IDLE, GONE),
        ({**SEEN, "conditions": conditions("ReconciliationPaused")}, IDLE, GONE),
        (FIRST, IDLE, ""),
        (SEEN, FoundNodes(NODES, True, frozenset({"demo-nodes-0"}), frozenset()), "its only node has no pod, which an operator makes again within seconds"),
        (SEEN, FoundNodes(NODES, True, frozenset(), frozenset()), ""),
        (SEEN, UNOWNED, "its status says Ready, and no StrimziPodSet belongs to it, and none of its 2 nodes has a pod"),
        (SEEN, FoundNodes(NODES, False, frozenset(), NODES), "its status says Ready, and no StrimziPodSet belongs to it"),
        (SEEN, NEW, "its status says Ready, and no StrimziPodSet belongs to it"),
        (FAILED, NEW, ""),
        (FIRST, UNOWNED, ""),
        (SEEN, None, ""),
    ],
)  # fmt: skip
def test_the_resource_and_its_nodes_show_that_no_operator_works_on_the_resource(
    status: Any, nodes: FoundNodes | None, absent: str
) -> None:
    resource = kafka(status)
    resource["metadata"]["generation"] = 2
    assert note_absent_operator(read_operator_status(resource), resource, nodes).absence == absent


@pytest.mark.parametrize("kind", ["NotReady", "ReconciliationPaused"])
@pytest.mark.parametrize(
    ("said", "is_absent"),
    [
        ("2026-01-01T11:58:59Z", True),
        ("2026-01-01T11:59:00Z", False),
        ("2026-01-01T12:00:30Z", False),
        (None, False),
    ],
)
def test_a_status_that_is_older_than_its_resource_is_of_another_resource(
    kind: str, said: str | None, is_absent: bool
) -> None:
    """An operator that fails before it makes a StrimziPodSet has said so since; its clock may be a minute behind."""
    resource = kafka({"conditions": [{**conditions(kind)[0], "lastTransitionTime": said}], "observedGeneration": 1})
    resource["metadata"] |= {"generation": 1, "creationTimestamp": "2026-01-01T12:00:00Z"}
    assert bool(note_absent_operator(read_operator_status(resource), resource, NEW).absence) is is_absent


def test_a_resource_that_does_not_exist_shows_nothing() -> None:
    assert note_absent_operator(read_operator_status(None), None).absence == ""


def test_no_generation_is_not_observed() -> None:
    assert is_observed(kafka({})) is False


@pytest.mark.parametrize(
    ("found", "holds"),
    [
        ([], False),
        (None, False),
        ([{"type": "Ready", "status": "False"}], False),
        ([{"type": "NotReady", "status": "True"}], False),
        ([{"type": "Warning", "status": "True"}, {"type": "Ready", "status": "True"}], True),
    ],
)
def test_condition(found: Any, holds: bool) -> None:
    assert condition(kafka({"conditions": found}), "Ready") is holds
    assert read_operator_status(kafka({"conditions": found})).is_ready is holds


@pytest.mark.parametrize(
    ("annotations", "confirmed", "expected"),
    [
        ({}, False, (False, False, False)),
        ({}, True, (False, False, False)),
        (PAUSE, False, (True, False, False)),
        (PAUSE, True, (True, False, True)),
        ({"strimzi.io/pause-reconciliation": "TRUE"}, True, (True, False, True)),
        (OURS, False, (True, True, False)),
        (OURS, True, (True, True, True)),
        ({**PAUSE, "trustops.strimzi/paused-for": "storage team"}, True, (True, False, True)),
        ({"trustops.strimzi/paused-by": "me"}, True, (False, False, False)),
        ({**OURS, "strimzi.io/pause-reconciliation": "false"}, True, (False, False, False)),
    ],
)
def test_pause(annotations: dict[str, str], confirmed: bool, expected: tuple[bool, bool, bool]) -> None:
    """Set, by us, and in force are three things: the operator may still work while the annotation is there."""
    status = {"conditions": conditions("ReconciliationPaused") if confirmed else []}
    found = read_pause(kafka(status, annotations), SCOPE)
    assert (found.is_set, found.is_ours, found.is_confirmed) == expected


@pytest.mark.parametrize(
    ("spec", "days"),
    [
        ({}, 30),
        ({"clusterCa": None}, 30),
        ({"clusterCa": {}}, 30),
        ({"clusterCa": {"renewalDays": 7}}, 7),
        ({"clusterCa": {"renewalDays": 36500}}, 36500),
        ({"clusterCa": {"renewalDays": 2**63 - 1}}, 36500),
        ({"clusterCa": {"renewalDays": -1}}, 30),
        ({"clusterCa": {"renewalDays": True}}, 30),
        ({"clusterCa": {"renewalDays": "7"}}, 30),
    ],
)
def test_how_long_before_its_end_a_leaf_is_renewed(spec: dict[str, Any], days: int) -> None:
    assert renewal_window(kafka(**spec), SCOPE) == timedelta(days=days)


def test_the_renewal_window_of_a_cluster_that_is_not_there_yet() -> None:
    assert renewal_window(None, SCOPE) == timedelta(days=30)


@pytest.mark.parametrize(
    ("annotations", "confirmed", "expected"),
    [
        ({}, False, ReissuePause.NONE),
        ({}, True, ReissuePause.ENDED),
        ({"trustops.strimzi/paused-for-clients-ca-by": "me"}, False, ReissuePause.NONE),
        ({"strimzi.io/pause-reconciliation": "false"}, False, ReissuePause.NONE),
        (PAUSE, True, ReissuePause.FOREIGN),
        ({"strimzi.io/pause-reconciliation": "True"}, True, ReissuePause.FOREIGN),
        ({**PAUSE, "trustops.strimzi/paused-for-clients-ca-by": "me"}, False, ReissuePause.ASKED),
        ({**PAUSE, "trustops.strimzi/paused-for-clients-ca-by": "me"}, True, ReissuePause.OURS),
    ],
)
def test_the_kind_of_a_pause_of_a_user(annotations: dict[str, str], confirmed: bool, expected: ReissuePause) -> None:
    said = {"conditions": conditions("ReconciliationPaused") if confirmed else []}
    assert user_pause({"metadata": {"annotations": annotations}, "status": said}) is expected


US, PERSON, RESTORER = "trustops.strimzi", "kubectl-annotate", "velero"
CLIENTS_MARK = "trustops.strimzi/paused-for-clients-ca-by"


@pytest.mark.parametrize(
    ("pauser", "marker", "is_ours"),
    [
        (US, US, True), (PERSON, US, False), (RESTORER, RESTORER, True), (PERSON, PERSON, True), ("", US, True), ("", "", True),
    ],
)  # fmt: skip
def test_a_pause_is_of_the_writer_of_its_mark(pauser: str, marker: str, is_ours: bool) -> None:
    """A person ends a pause of this collection and leaves the mark, and another pauses the resource later."""
    marks = ("trustops.strimzi/paused-by", CLIENTS_MARK)
    resource = kafka(annotations={**PAUSE, **dict.fromkeys(marks, "me")})
    owned = {name: {f"f:{mark}": {} for mark in marks} for name in (marker,) if name}
    if pauser:
        owned[pauser] = {**owned.get(pauser, {}), "f:strimzi.io/pause-reconciliation": {}}
    resource["metadata"]["managedFields"] = [
        {"manager": name, "fieldsV1": {"f:metadata": {"f:annotations": fields}}} for name, fields in owned.items()
    ]
    found = read_pause(resource, SCOPE)
    assert (found.is_set, found.is_ours, bool(found.holder)) == (True, is_ours, is_ours)
    assert user_pause(resource) is (ReissuePause.ASKED if is_ours else ReissuePause.FOREIGN)


# Addresses that the platform gives to listeners, as the operator takes them (docs/operator.md, "Node names", 6 and 8).

KINDS = {"services": "/api/v1", "routes": "/apis/route.openshift.io/v1"}


def listener(kind: str) -> dict[str, Any]:
    return {"name": "ext", "port": 9095, "type": kind, "tls": True}


def bench_with(plural: str, status: dict[str, Any] | None, labels: dict[str, str] | None = None) -> Bench:
    bench = Bench()
    body = {"metadata": {"name": "one", "labels": labels or LABELS}, **({"status": status} if status else {})}
    api: MemoryApi = bench.api
    assert api.request("POST", f"{KINDS[plural]}/namespaces/kafka/{plural}", body=body).status == 201
    return bench


def found(bench: Bench, *kinds: str) -> dict[tuple[str, str], str]:
    resource = kafka(kafka={"listeners": [listener(kind) for kind in kinds]})
    return dict(listener_addresses(bench.work().client, SCOPE, resource))


def balanced(*entries: dict[str, str]) -> dict[str, Any]:
    return {"loadBalancer": {"ingress": list(entries)}}


@pytest.mark.parametrize(
    ("plural", "status", "address"),
    [
        ("services", balanced({"hostname": "lb.example", "ip": "192.0.2.1"}), "lb.example"),
        ("services", balanced({"ip": "192.0.2.1"}), "192.0.2.1"),
        ("services", balanced({"ip": "192.0.2.1"}, {"hostname": "second.example"}), "192.0.2.1"),
        ("routes", {"ingress": [{"host": "one.apps.example"}, {"host": "two.apps.example"}]}, "one.apps.example"),
        ("services", balanced(), ""),
        ("services", {"loadBalancer": {}}, ""),
        ("services", None, ""),
        ("routes", {"ingress": []}, ""),
    ],
)
def test_the_first_address(plural: str, status: dict[str, Any] | None, address: str) -> None:
    kind = {"services": "loadbalancer", "routes": "route"}[plural]
    assert found(bench_with(plural, status), kind) == ({(kind, "one"): address} if address else {})


def test_services_of_other_clusters_do_not_count() -> None:
    other = bench_with("services", balanced({"ip": "192.0.2.1"}), {**LABELS, "strimzi.io/cluster": "other"})
    assert found(other, "loadbalancer") == {}


@pytest.mark.parametrize("kinds", [(), ("internal", "cluster-ip", "nodeport", "ingress", "tlsroute")])
def test_without_a_load_balancer_listener_no_service_is_read(kinds: tuple[str, ...]) -> None:
    bench = bench_with("services", balanced({"ip": "192.0.2.1"}))
    before = len(bench.api.requests)
    assert found(bench, *kinds) == {}
    assert len(bench.api.requests) == before


# Maintenance windows are read as the operator reads them, by the cron expressions of Quartz.


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


#: Monday, in the middle of the day.
NOON = at("2026-06-01T12:00:00")


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        # The example of Strimzi's documentation: from Sunday to Thursday, between midnight and two.
        ("* * 0-1 ? * SUN,MON,TUE,WED,THU *", "2026-06-02T00:00:00"),
        ("* * 0-1 ? * SUN,MON,TUE,WED,THU", "2026-06-02T00:00:00"),
        ("* * 2-4 * * ?", "2026-06-02T02:00:00"),
        ("* * * ? * *", "2026-06-01T12:00:01"),
        ("0 30 22 ? * FRI", "2026-06-05T22:30:00"),
        ("* * 22-2 ? * 7", "2026-06-06T00:00:00"),
        ("* 0/15 * * * ?", "2026-06-01T12:00:01"),
        ("0 5/20 12 * * ?", "2026-06-01T12:05:00"),
        ("0 0 0 1 JAN ?", "2027-01-01T00:00:00"),
        ("0 0 3 L * ?", "2026-07-31T03:00:00"),
        ("0 0 3 L-2 * ?", "2026-07-29T03:00:00"),
        ("0 0 3 LW 8 ?", "2026-08-31T03:00:00"),
        ("0 0 3 L-2W 8 ?", "2026-08-28T03:00:00"),
        ("0 0 3 L-0W 8 ?", "2026-08-31T03:00:00"),
        ("0 0 3 L-30W 2-3 ?", "2027-03-01T03:00:00"),
        ("0 0 3 15W 8 ?", "2026-08-14T03:00:00"),
        ("0 0 3 1W 8 ?", "2028-08-01T03:00:00"),
        ("0 0 3 31W 5 ?", "2027-05-31T03:00:00"),
        ("0 0 3 31W 1 ?", "2027-01-29T03:00:00"),
        ("0 0 3 ? * 2#2", "2026-06-08T03:00:00"),
        ("0 0 3 ? * WED,MON#1", "2026-07-06T03:00:00"),
        ("0 0 3 ? * ,MON", "2026-06-08T03:00:00"),
        ("0 0 3 ? * TUE,,WED", "2026-06-02T03:00:00"),
        ("0 0 3 ? * WED/2", "2026-06-03T03:00:00"),
        ("0 0 3 ? AUGUST-SEPTEMBER WEDNESDAY", "2026-08-05T03:00:00"),
        ("0 0 3 ? * FRI#5", "2026-07-31T03:00:00"),
        ("0 0 3 ? * 6L", "2026-06-26T03:00:00"),
        ("0 0 3 ? * L", "2026-06-06T03:00:00"),
        ("0 0 3 29 2 ?", "2028-02-29T03:00:00"),
        ("0 0 3 ? * mon-wed", "2026-06-02T03:00:00"),
        ("0 0 3 1,15 * ? 2027", "2027-01-01T03:00:00"),
        ("0 0 3 ? * * 2025", None),
        ("0 0 3 31 2 ?", None),
    ],
)
def test_the_next_opening(text: str, opens: str | None) -> None:
    assert parse_cron(text).next_after(NOON) == (at(opens) if opens else None)


@pytest.mark.parametrize(
    "text",
    [
        "", "* * * * *", "* * 0-1 * * MON", "* * 0-1 ? * ?", "60 * * ? * *", "* * 24 ? * *", "* * * ? 13 *", "* * * ? * 8", "* * * ? * XYZ",
        "* * * 0 * ?", "* * * ? * 2#6", "* * * ? * * 1969", "* * -1 ? * *", "* * 1- ? * *", "* */0 * ? * *", "* * , ? * *", "* * ² ? * *", "* * * ? * * * *",
        "* * * L-31 * ?", "* * * L- * ?", "* * * L-W * ?", "* * * L2 * ?", "* * * LWW * ?", "* * * L-2WW * ?",
        "* * * ? * L,MON", "* * * ? * FRIL,MON", "* * * ? * 2#1,3#1", "* * * ? * 2-FRI", "* * * ? * MON-6",
    ],
)  # fmt: skip
def test_expressions_that_quartz_refuses_are_refused(text: str) -> None:
    with pytest.raises(CronError):
        parse_cron(text)


fields = st.text("0123456789*?/-,#LWFRIMON", max_size=5)


@given(st.lists(fields, min_size=6, max_size=7).map(" ".join))
def test_any_text_is_an_expression_or_is_refused(text: str) -> None:
    try:
        expression = parse_cron(text)
    except CronError:
        return
    expression.is_satisfied(NOON)


numbers = st.integers(0, 59).map(str) | st.sampled_from(["*", "0/7", "10-20", "50-5", "3,9"])
hours = st.integers(0, 23).map(str) | st.sampled_from(["*", "0-1", "22-2", "*/6"])
days = st.sampled_from(["? * *", "? * MON", "? * FRI-SUN", "1 * ?", "L * ?", "15W * ?", "? 3 2#1", "29 2 ?"])


@given(st.tuples(numbers, numbers, hours, days), st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1)))
def test_the_next_opening_satisfies_it_and_nothing_before_does(
    fields: tuple[str, str, str, str], moment: datetime
) -> None:
    expression = parse_cron(" ".join(fields))
    begin = moment.replace(tzinfo=timezone.utc, microsecond=0)
    found = expression.next_after(begin)
    assume(found is not None)
    assert found is not None
    assert expression.is_satisfied(found)
    for before in (1, 59, 3600, 86400, max(1.0, (found - begin).total_seconds() // 2)):
        earlier = found - timedelta(seconds=before)
        assert earlier <= begin or not expression.is_satisfied(earlier)


@pytest.mark.parametrize(
    ("given", "is_open", "opens", "has_problem"),
    [
        (["* * 12 ? * *"], True, "2026-06-01T12:00:01", False),
        (["* * 0-1 ? * *", "* * 11-13 ? * MON"], True, "2026-06-01T12:00:01", False),
        (["* * 0-1 ? * *", "* * 20 ? * *"], False, "2026-06-01T20:00:00", False),
        (["every night"], False, None, True),
        (["every night", "* * 12 ? * *"], True, "2026-06-01T12:00:01", True),
        ("* * 12 ? * *", True, "2026-06-01T12:00:01", False),
        ([7], False, None, True),
    ],
)
def test_windows_of_a_resource(given: object, is_open: bool, opens: str | None, has_problem: bool) -> None:
    found = maintenance_windows({"spec": {"maintenanceTimeWindows": given}}, NOON)
    assert found is not None
    assert (found.is_open, found.opens_at, bool(found.problem)) == (is_open, at(opens) if opens else None, has_problem)


@pytest.mark.parametrize("kafka", [None, {}, {"spec": {}}, {"spec": {"maintenanceTimeWindows": []}}])
def test_without_any_everything_may_be_done_at_any_time(kafka: dict[str, object] | None) -> None:
    assert maintenance_windows(kafka, NOON) is None


def rebalance(name: str, state: str, status: str = "True", cluster: str = "demo") -> dict[str, Any]:
    metadata = {"name": name, "labels": {"strimzi.io/cluster": cluster}}
    conditions = [{"type": state, "status": status}]
    return {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "KafkaRebalance",
        "metadata": metadata,
        "status": {"conditions": conditions},
    }


def test_a_rebalance_that_moves_partitions_is_seen() -> None:
    bench = Bench()
    for name, state, status, cluster in (
        ("moving", "Rebalancing", "True", "demo"),
        ("moved", "Rebalancing", "False", "demo"),
        ("planned", "ProposalReady", "True", "demo"),
        ("of-another", "Rebalancing", "True", "other"),
    ):
        bench.create("kafkarebalances", rebalance(name, state, status, cluster))
    assert running_rebalances(bench.client(), SCOPE, kafka(cruiseControl={})) == (
        Rebalance("moving", "KafkaRebalance kafka/moving"),
    )
    bench.api.requests.clear()
    assert running_rebalances(bench.client(), SCOPE, kafka()) == ()
    assert bench.api.requests == []
