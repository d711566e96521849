"""Entity Operator, Cruise Control and Kafka Exporter: leaves and Deployments (docs/operator.md, "Leaves",
"Pod annotations", "Restart reasons").
"""

from __future__ import annotations

from collections.abc import Callable

from . import certs
from .api import Api, Object, ready
from .authority import Authority, ReconcileFailed, owner
from .leaves import reconcile_leaf, service_names
from .roller import Waiter

#: The specification of the pod of a component, of a Kafka resource and the component's name.
PodSpec = Callable[[Object, str], Object]


#: The containers of the Entity Operator, by what of its specification asks for them, and where that configures them.
_CONTAINERS = {
    "topicOperator": ("topic-operator", "topicOperatorContainer"),
    "userOperator": ("user-operator", "userOperatorContainer"),
}


def simulated_pod(kafka: Object, component: str) -> Object:
    """An entry in the API and no more."""
    containers = (
        _entity_operators(kafka["spec"]["entityOperator"]) if component == "entity-operator" else [(component, [])]
    )
    return {
        "automountServiceAccountToken": False,
        "containers": [
            {"name": name, "image": "operator:1.2.0", "imagePullPolicy": "Never", **({"env": env} if env else {})}
            for name, env in containers
        ],
    }


def _entity_operators(spec: Object) -> list[tuple[str, list[Object]]]:
    """Each with the variables that its user has added."""
    template = spec.get("template") or {}
    return [
        (name, (template.get(configured) or {}).get("env") or [])
        for part, (name, configured) in _CONTAINERS.items() if part in spec
    ]  # fmt: skip


def reconcile_components(api: Api, kafka: Object, ca: Authority, wait: Waiter, pod_spec: PodSpec) -> None:
    """In the operator's order: Cruise Control, Entity Operator, Kafka Exporter."""
    cluster, namespace, spec = kafka["metadata"]["name"], kafka["metadata"]["namespace"], kafka["spec"]
    if "cruiseControl" in spec:
        names = service_names(f"{cluster}-cruise-control", namespace) | {"localhost"}
        leaf = reconcile_leaf(
            api, kafka, ca, f"{cluster}-cruise-control-certs", "cruise-control", f"{cluster}-cruise-control", names
        )
        _deploy(api, kafka, ca, "cruise-control", certs.thumbprint(leaf)[:8], wait, pod_spec)
    if "entityOperator" in spec:
        stubs = ""
        for part in ("topic", "user"):
            if f"{part}Operator" in spec["entityOperator"]:
                name = f"{cluster}-entity-{part}-operator"
                leaf = reconcile_leaf(api, kafka, ca, f"{name}-certs", "entity-operator", name)
                stubs += certs.thumbprint(leaf)[:8]
            else:
                stubs += "null"
        _deploy(api, kafka, ca, "entity-operator", stubs, wait, pod_spec)
    if "kafkaExporter" in spec:
        name = f"{cluster}-kafka-exporter"
        leaf = reconcile_leaf(api, kafka, ca, f"{name}-certs", "kafka-exporter", name)
        _deploy(api, kafka, ca, "kafka-exporter", certs.thumbprint(leaf)[:8], wait, pod_spec)


def deployments_of(kafka: Object) -> list[str]:
    parts = {"entityOperator": "entity-operator", "kafkaExporter": "kafka-exporter", "cruiseControl": "cruise-control"}
    return [f"{kafka['metadata']['name']}-{name}" for part, name in parts.items() if part in kafka["spec"]]


def _deploy(
    api: Api, kafka: Object, ca: Authority, component: str, digest: str, wait: Waiter, pod_spec: PodSpec
) -> None:
    cluster = kafka["metadata"]["name"]
    name = f"{cluster}-{component}"
    labels = {
        "strimzi.io/cluster": cluster, "strimzi.io/kind": "Kafka", "strimzi.io/name": name,
        "strimzi.io/component-type": component,
    }  # fmt: skip
    annotations = {
        "strimzi.io/cluster-ca-cert-generation": str(ca.certificate_generation),
        "strimzi.io/cluster-ca-key-generation": str(ca.key_generation),
        "strimzi.io/server-cert-hash": digest,
    }
    strategy: Object = {"type": "Recreate"}
    if component != "entity-operator":
        strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    spec: Object = {
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "strategy": strategy,
        "template": {
            "metadata": {"labels": labels, "annotations": annotations},
            "spec": pod_spec(kafka, component),
        },
    }
    existing = api.get("deployments", name)
    if existing is None:
        api.create("deployments", {
            "apiVersion": "apps/v1", "kind": "Deployment", "spec": spec,
            "metadata": {"name": name, "labels": labels, "ownerReferences": owner(kafka)},
        })  # fmt: skip
    elif (found := existing["spec"]["template"]["metadata"].get("annotations") or {}) != annotations:
        # A merge patch keeps what it does not name: what is foreign, such as a restart of kubectl's, is named as null.
        wanted = {**dict.fromkeys(found), **annotations}
        api.patch("deployments", name, {"spec": {"template": {"metadata": {"annotations": wanted}}}})

    def settled() -> bool:
        pods = api.list("pods", f"strimzi.io/name={name}")
        return bool(pods) and all(_current(pod, annotations) for pod in pods)

    if not wait(settled):
        raise ReconcileFailed("TimeoutException", f"Exceeded timeout waiting for Deployment {name} to be ready")


def _current(pod: Object, annotations: dict[str, str]) -> bool:
    found = pod["metadata"].get("annotations") or {}
    same = all(found.get(key) == value for key, value in annotations.items())
    return ready(pod) and same and "deletionTimestamp" not in pod["metadata"]
