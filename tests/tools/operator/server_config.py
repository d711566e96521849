"""``server.config`` of a Kafka node, as KafkaBrokerConfigurationBuilder writes it for what this double supports."""

from __future__ import annotations

from collections.abc import Iterator

from .api import Object
from .leaves import broker_service, override
from .podsets import Node
from .security import security_of

CONTROL_PLANE = "CONTROLPLANE-9090"
REPLICATION = "REPLICATION-9091"
#: A broker sets 128 MiB aside to clean logs, which is half of the heap that it has here.
SMALL = {"log.cleaner.dedupe.buffer.size": "4194304"}
COMPONENTS = ("entity-topic-operator", "entity-user-operator", "cruise-control", "kafka-exporter")


def server_config(kafka: Object, node: Node, nodes: list[Node]) -> str:
    cluster, namespace = kafka["metadata"]["name"], kafka["metadata"]["namespace"]
    roles = [role for role, has in (("broker", node.broker), ("controller", node.controller)) if has]
    domain = f"{cluster}-kafka-brokers.{namespace}.svc.cluster.local"
    voters = ",".join(f"{node.node_id}@{node.pod}.{domain}:9090" for node in nodes if node.controller)
    lines = [
        f"node.id={node.node_id}",
        f"process.roles={','.join(roles)}",
        f"log.dirs=/var/lib/kafka/data/kafka-log{node.node_id}",
        f"controller.quorum.voters={voters}",
        f"controller.listener.names={CONTROL_PLANE}",
        "config.providers=strimzienv,strimzisecrets",
        "config.providers.strimzienv.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider",
        "config.providers.strimzisecrets.class=io.strimzi.kafka.KubernetesSecretConfigProvider",
        "ssl.endpoint.identification.algorithm=HTTPS",
        *_rack(kafka, node),
        *_listeners(kafka, node),
        *_authorization(kafka),
        *(f"{key}={value}" for key, value in sorted({**SMALL, **(kafka["spec"]["kafka"].get("config") or {})}.items())),
    ]
    return "\n".join(lines) + "\n"


def _rack(kafka: Object, node: Node) -> Iterator[str]:
    """Of a broker, by the environment variable that the resource names; the double makes no container that reads the
    label of a worker (docs/operator.md, "Racks").
    """
    rack = kafka["spec"]["kafka"].get("rack") or {}
    if node.broker and rack.get("type") == "environment-variable":
        yield f"broker.rack=${{strimzienv:{rack['envVarName']}}}"


def _listeners(kafka: Object, node: Node) -> Iterator[str]:
    """The two internal ones, and on brokers those of the resource."""
    namespace, bundle = kafka["metadata"]["namespace"], f"{kafka['metadata']['name']}-trustbundle"
    host = f"{node.pod}.{kafka['metadata']['name']}-kafka-brokers.{namespace}.svc"
    security = security_of(kafka)
    inside = "SSL" if security.has_tls else "PLAINTEXT"
    bound, advertised, protocols = [], [], [f"{CONTROL_PLANE}:{inside}"]
    if node.controller:
        bound.append(f"{CONTROL_PLANE}://0.0.0.0:9090")
        advertised.append(f"{CONTROL_PLANE}://{host}:9090")
    if security.has_tls:
        yield from _tls(CONTROL_PLANE, namespace, node.pod, f"{bundle}:cluster-ca.crt", asks=security.verifies_clients)
    if node.broker:
        bound.append(f"{REPLICATION}://0.0.0.0:9091")
        advertised.append(f"{REPLICATION}://{host}:9091")
        protocols.append(f"{REPLICATION}:{inside}")
        yield f"inter.broker.listener.name={REPLICATION}"
        if security.has_tls:
            yield from _tls(
                REPLICATION, namespace, node.pod, f"{bundle}:cluster-ca.crt", asks=security.verifies_clients
            )
        for listener in kafka["spec"]["kafka"].get("listeners") or []:
            name, port = f"{listener['name'].upper()}-{listener['port']}", listener["port"]
            bound.append(f"{name}://0.0.0.0:{port}")
            advertised.append(f"{name}://{_advertised(listener, kafka, node, host)}:{port}")
            protocols.append(f"{name}:{'SSL' if listener.get('tls') else 'PLAINTEXT'}")
            if listener.get("tls"):
                clients = (listener.get("authentication") or {}).get("type") == "tls"
                yield from _tls(name, namespace, node.pod, f"{bundle}:clients-ca.crt" if clients else None)
    yield f"listeners={','.join(bound)}"
    yield f"advertised.listeners={','.join(advertised)}"
    yield f"listener.security.protocol.map={','.join(protocols)}"


def _advertised(listener: Object, kafka: Object, node: Node, host: str) -> str:
    if advertised := override(listener, node.node_id, "advertisedHost"):
        return advertised
    if listener["type"] != "cluster-ip":
        return host
    base = f"{kafka['metadata']['name']}-{node.pool}"
    return f"{broker_service(listener, base, node.node_id)}.{kafka['metadata']['namespace']}.svc"


def _tls(listener: str, namespace: str, pod: str, trusted: str | None, *, asks: bool = True) -> Iterator[str]:
    """Where it does not ask clients for certificates, a listener between nodes has a truststore all the same: for its
    own connections to others.
    """
    prefix = f"listener.name.{listener.lower()}.ssl"
    yield f"{prefix}.keystore.type=PEM"
    yield f"{prefix}.keystore.certificate.chain=${{strimzisecrets:{namespace}/{pod}:{pod}.crt}}"
    yield f"{prefix}.keystore.key=${{strimzisecrets:{namespace}/{pod}:{pod}.key}}"
    if trusted:
        yield f"{prefix}.truststore.type=PEM"
        yield f"{prefix}.truststore.certificates=${{strimzisecrets:{namespace}/{trusted}}}"
    if trusted and asks:
        yield f"{prefix}.client.auth=required"


def _authorization(kafka: Object) -> Iterator[str]:
    """Simple authorization; the users of the components and the operator may do everything (docs/operator.md,
    "Leaves"), and every client of a listener that verifies none.
    """
    wanted = kafka["spec"]["kafka"].get("authorization") or {}
    if wanted.get("type") != "simple":
        return
    cluster = kafka["metadata"]["name"]
    names = [f"{cluster}-kafka", *(f"{cluster}-{component}" for component in COMPONENTS), "cluster-operator"]
    verified = [f"User:CN={name},O=io.strimzi" for name in names]
    users = verified if security_of(kafka).verifies_clients else ["User:ANONYMOUS"]
    yield "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer"
    yield f"super.users={';'.join([*users, *(f'User:{user}' for user in wanted.get('superUsers') or [])])}"
