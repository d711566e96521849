"""Services of listeners of type ``loadbalancer``, and the addresses that a cloud gives them (docs/operator.md, "Node names", 6).

The operator makes them before it compares the names of certificates, and goes on when each has an address.
"""

from __future__ import annotations

from .api import Api, Object
from .authority import ReconcileFailed
from .podsets import Node
from .roller import Waiter


def reconcile_load_balancers(api: Api, kafka: Object, nodes: list[Node], wait: Waiter) -> dict[str, str]:
    """The address of each Service, by its name."""
    cluster = kafka["metadata"]["name"]
    wanted = [
        name
        for listener in _load_balancers(kafka)
        for name in (bootstrap(cluster, listener), *_own(cluster, listener, nodes))
    ]
    for name in wanted:
        if api.get("services", name) is None:
            api.create("services", _service(cluster, name))
    if not wait(lambda: all(_address(api, name) for name in wanted)):
        raise ReconcileFailed("TimeoutException", "Exceeded timeout waiting for addresses of load balancers")
    return {name: _address(api, name) for name in wanted}


def addresses_of(kafka: Object, pool: str, node_id: int, addresses: dict[str, str]) -> set[str]:
    """The addresses that belong into the certificate of this broker."""
    cluster = kafka["metadata"]["name"]
    names = {
        name
        for listener in _load_balancers(kafka)
        for name in (bootstrap(cluster, listener), own(cluster, listener, pool, node_id))
    }
    return {addresses[name] for name in names if name in addresses}


def bootstrap(cluster: str, listener: Object) -> str:
    return f"{cluster}-kafka-{listener['name']}-bootstrap"


def own(cluster: str, listener: Object, pool: str, node_id: int) -> str:
    if (listener["name"], listener["port"]) == ("external", 9094):
        return f"{cluster}-{pool}-{node_id}"
    return f"{cluster}-{pool}-{listener['name']}-{node_id}"


def _load_balancers(kafka: Object) -> list[Object]:
    return [
        listener for listener in kafka["spec"]["kafka"].get("listeners") or [] if listener["type"] == "loadbalancer"
    ]


def _own(cluster: str, listener: Object, nodes: list[Node]) -> list[str]:
    return [own(cluster, listener, node.pool, node.node_id) for node in nodes if node.broker]


def _service(cluster: str, name: str) -> Object:
    labels = {"strimzi.io/cluster": cluster, "strimzi.io/kind": "Kafka", "strimzi.io/name": f"{cluster}-kafka"}
    return {
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "labels": labels},
        "spec": {"type": "LoadBalancer"},
    }  # fmt: skip


def _address(api: Api, name: str) -> str:
    status = (api.get("services", name) or {}).get("status") or {}
    (entry, *_others) = (status.get("loadBalancer") or {}).get("ingress") or [{}]
    return str(entry.get("hostname") or entry.get("ip") or "")
