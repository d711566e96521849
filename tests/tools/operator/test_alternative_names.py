# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Alternative names of a node, listener by listener (docs/operator.md, "Node names")."""

from __future__ import annotations

from typing import Any

import pytest

from . import certs
from .leaves import node_names
from .operated_cluster import CLUSTER, OperatedCluster, certificates

SERVICES = {
    f"demo-kafka-{service}{suffix}"
    for service in ("bootstrap", "brokers")
    for suffix in ("", ".kafka", ".kafka.svc", ".kafka.svc.cluster.local")
}


def own(node_id: int = 0) -> set[str]:
    pod = f"demo-pool-{node_id}.demo-kafka-brokers.kafka.svc"
    return {pod, f"{pod}.cluster.local"}


def names(*listeners: dict[str, Any], broker: bool = True, node_id: int = 0) -> set[str]:
    kafka = {
        "metadata": {"name": "demo", "namespace": "kafka"},
        "spec": {"kafka": {"listeners": list(listeners)}},
    }
    return node_names(kafka, "pool", node_id, broker)


def listener(kind: str, name: str = "ext", port: int = 9095, tls: bool = True, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "port": port, "type": kind, "tls": tls, "configuration": configuration}


def bootstrap(name: str) -> set[str]:
    service = f"demo-kafka-{name}-bootstrap"
    return {service, f"{service}.kafka", f"{service}.kafka.svc", f"{service}.kafka.svc.cluster.local"}


HOSTS = [{"broker": 0, "advertisedHost": "b0.example"}, {"broker": 1, "advertisedHost": "b1.example"}]
ALTERNATIVE = {"alternativeNames": ["boot.example", "10.0.0.1"]}


def test_every_node_has_its_services_and_itself() -> None:
    """docs/operator.md, "Node names", items 1 and 2."""
    assert names() == SERVICES | own()
    assert names(broker=False, node_id=7) == SERVICES | own(7)


@pytest.mark.parametrize(
    ("given", "more"),
    [
        (listener("internal", tls=False, bootstrap=ALTERNATIVE), {"boot.example", "10.0.0.1"}),
        (listener("internal", brokers=HOSTS), {"b0.example"}),
        (listener("internal", brokers=[{"broker": 0, "advertisedPort": 1}, *HOSTS]), {"b0.example"}),
        (listener("internal", brokers=[*HOSTS, {"broker": 0, "advertisedHost": "late.example"}]), {"b0.example"}),
        (listener("internal", tls=False, brokers=HOSTS), set()),
        (listener("nodeport", brokers=HOSTS), {"b0.example"}),
        (listener("loadbalancer", brokers=HOSTS), {"b0.example"}),
        (listener("loadbalancer", tls=False, brokers=HOSTS), {"b0.example"}),
        (listener("nodeport", tls=False, brokers=HOSTS), {"b0.example"}),
        (listener("cluster-ip", tls=False, brokers=HOSTS), set()),
        (listener("cluster-ip"), bootstrap("ext") | {"demo-pool-ext-0.kafka.svc"}),
        (listener("cluster-ip", brokers=HOSTS), bootstrap("ext") | {"demo-pool-ext-0.kafka.svc", "b0.example"}),
        (
            listener("cluster-ip", useServiceDnsDomain=True),
            bootstrap("ext") | {"demo-pool-ext-0.kafka.svc.cluster.local"},
        ),
        (listener("cluster-ip", tls=False), set()),
        (listener("cluster-ip", "external", 9094), bootstrap("external") | {"demo-pool-0.kafka.svc"}),
        (listener("cluster-ip", "external", 9095), bootstrap("external") | {"demo-pool-external-0.kafka.svc"}),
        (listener("cluster-ip", "ext", 9094), bootstrap("ext") | {"demo-pool-ext-0.kafka.svc"}),
    ],
    ids=lambda value: f"{value['type']}:{value['name']}:{value['port']}" if isinstance(value, dict) else "",
)
def test_names_that_a_listener_adds_on_a_broker(given: dict[str, Any], more: set[str]) -> None:
    """docs/operator.md, "Node names", items 3 to 7; a controller has none of it."""
    assert names(given) == SERVICES | own() | more
    assert names(given, broker=False) == SERVICES | own()


def test_listeners_add_up() -> None:
    """docs/operator.md, "Node names"."""
    internal, external = listener("internal", brokers=HOSTS), listener("cluster-ip", "external", 9094)
    assert names(internal, external) == names(internal) | names(external)


def stored(cluster: OperatedCluster, secret: str, entry: str) -> set[str]:
    return certs.names_of(certificates(cluster.entries(secret)[entry])[0])


def test_the_address_of_a_load_balancer_is_waited_for(generated: OperatedCluster) -> None:
    """docs/operator.md, "Node names", 6: those of bootstrap and of the broker itself."""
    listeners = generated.existing("kafkas", CLUSTER)["spec"]["kafka"]["listeners"]
    before = stored(generated, "demo-kafka-1", "demo-kafka-1.crt")
    generated.change("kafkas", CLUSTER, {"spec": {"kafka": {"listeners": [*listeners, listener("loadbalancer")]}}})
    generated.step(1)
    assert generated.condition()["type"] == "NotReady"
    assert stored(generated, "demo-kafka-1", "demo-kafka-1.crt") == before
    for service in ("demo-kafka-ext-bootstrap", *(f"demo-kafka-ext-{number}" for number in range(3))):
        given = {"hostname": f"{service}.example"} if service != "demo-kafka-ext-1" else {"ip": "192.0.2.1"}
        path, body = f"/api/v1/namespaces/kafka/services/{service}/status", {"loadBalancer": {"ingress": [given]}}
        media = "application/merge-patch+json"
        assert generated.api.request("PATCH", path, body={"status": body}, content_type=media).status == 200
    generated.step(1)
    assert generated.condition()["type"] == "Ready"
    found = stored(generated, "demo-kafka-1", "demo-kafka-1.crt") - before
    assert found == {"demo-kafka-ext-bootstrap.example", "192.0.2.1"}


def test_cruise_control(generated: OperatedCluster) -> None:
    """docs/operator.md, "Leaves"."""
    service = "demo-cruise-control"
    assert stored(generated, "demo-cruise-control-certs", "cruise-control.crt") == {
        service,
        f"{service}.kafka",
        f"{service}.kafka.svc",
        f"{service}.kafka.svc.cluster.local",
        "localhost",
    }


def test_separate_controllers_have_no_names_of_listeners(cluster: OperatedCluster) -> None:
    """docs/operator.md, "Node names": only on nodes with the broker role."""
    cluster.start(generated=True, separate=True)
    broker = stored(cluster, "demo-broker-0", "demo-broker-0.crt")
    controller = stored(cluster, "demo-controller-3", "demo-controller-3.crt")
    assert bootstrap("external") <= broker
    assert controller.isdisjoint(bootstrap("external"))
    assert broker & controller >= SERVICES


def test_a_new_listener_gives_new_certificates_and_one_roll(generated: OperatedCluster) -> None:
    """docs/operator.md, "Re-issue" (c)."""
    listeners = generated.existing("kafkas", CLUSTER)["spec"]["kafka"]["listeners"]
    generated.change("kafkas", CLUSTER, {"spec": {"kafka": {"listeners": [*listeners, listener("cluster-ip")]}}})
    generated.step(2)
    assert bootstrap("ext") <= stored(generated, "demo-kafka-1", "demo-kafka-1.crt")
    assert generated.rolls() == [1, 1, 1]
