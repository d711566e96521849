# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addresses that the platform gives to listeners, as the operator takes them (docs/operator.md, "Node names", 6 and 8)."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.specified_listeners import (
    listener_addresses,
)

from ....tools.support.memory_api import MemoryApi
from ..bench import LABELS, SCOPE, Bench, kafka

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
