"""End-entity certificates and when they are re-issued (docs/operator.md, "Leaves", "Node names", "Re-issue")."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from . import certs
from .api import Api, Object, annotation, data, encode
from .authority import EMPTY_CERTIFICATE, Authority, ReconcileFailed, labels, owner
from .windows import is_window_open

GENERATION = "cluster-ca-cert-generation"
#: ``KUBERNETES_SERVICE_DNS_DOMAIN`` of the operator.
DOMAIN = "cluster.local"
#: The error of looking for the end of a stored certificate that cannot be read (docs/operator.md, "Re-issue").
UNREADABLE_CERTIFICATE = "java.security.cert.CertificateException: Could not parse certificate"


def reconcile_leaf(
    api: Api,
    kafka: Object,
    ca: Authority,
    secret: str,
    entry: str,
    common_name: str,
    names: set[str] | None = None,
    node: bool = False,
    secret_labels: dict[str, str] | None = None,
    read: Callable[[str], Object | None] | None = None,
    by_labels: bool = False,
) -> bytes:
    """The certificate in this Secret, kept or issued again by rules (a) to (e).

    read: the Secret as it was at the beginning of this step. What is kept is written as it was read: a leaf that a client
    has written since is lost (docs/operator.md, "Link certificates"). by_labels: whether a Secret without them counts as missing.
    """
    existing = (read or partial(api.get, "secrets"))(secret)
    if by_labels and existing is not None and not _is_labelled(existing, kafka["metadata"]["name"], node):
        existing = None
    kept = data(existing).get(f"{entry}.crt", b"")
    if existing is not None and not _must_issue(existing, kept, ca, names, node, is_window_open(kafka)):
        if data(api.get("secrets", secret)) != data(existing):
            api.patch("secrets", secret, {"data": existing["data"]})
        return kept
    key = certs.new_leaf_key()
    issued = certs.leaf(
        certs.name(common_name), names or set(), key, ca.current, certs.load_key(ca.key), ca.validity_days
    )
    if issued is None:
        raise ReconcileFailed("RuntimeException", EMPTY_CERTIFICATE)
    content = issued + ca.current if node else issued
    api.write_secret({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "data": encode({f"{entry}.crt": content, f"{entry}.key": certs.key_pem(key)}),
        "metadata": {
            "name": secret,
            "labels": secret_labels or labels(kafka, "certificates"),
            "annotations": {f"strimzi.io/{GENERATION}": str(ca.certificate_generation)},
            "ownerReferences": owner(kafka),
        },
    })  # fmt: skip
    return content


def _must_issue(
    existing: Object, content: bytes, ca: Authority, names: set[str] | None, node: bool, may_renew: bool
) -> bool:
    if annotation(existing, GENERATION) != str(ca.certificate_generation):
        return True
    parsed = certs.load(content)
    if not parsed:
        raise ReconcileFailed("RuntimeException", UNREADABLE_CERTIFICATE)
    if names is not None and certs.names_of(parsed[0]) != names:
        return True
    if may_renew and parsed[0].not_valid_after_utc - certs.now() < timedelta(days=ca.renewal_days):
        return True
    return node and not content.endswith(ca.current)


def _is_labelled(secret: Object, cluster: str, node: bool) -> bool:
    """docs/operator.md, "Leaves", "Releases"."""
    wanted = {"strimzi.io/cluster": cluster, "strimzi.io/kind": "Kafka"}
    if node:
        wanted |= {"strimzi.io/name": f"{cluster}-kafka", "strimzi.io/component-type": "kafka"}
    return wanted.items() <= (secret["metadata"].get("labels") or {}).items()


def service_names(service: str, namespace: str) -> set[str]:
    return {service, f"{service}.{namespace}", f"{service}.{namespace}.svc", f"{service}.{namespace}.svc.{DOMAIN}"}


def node_names(kafka: Object, pool: str, node_id: int, broker: bool) -> set[str]:
    """SANs of a node (docs/operator.md, "Node names")."""
    cluster, namespace = kafka["metadata"]["name"], kafka["metadata"]["namespace"]
    pod = f"{cluster}-{pool}-{node_id}"
    host = f"{pod}.{cluster}-kafka-brokers.{namespace}.svc"
    names = service_names(f"{cluster}-kafka-bootstrap", namespace) | service_names(
        f"{cluster}-kafka-brokers", namespace
    )
    names |= {host, f"{host}.{DOMAIN}"}
    for listener in (kafka["spec"]["kafka"].get("listeners") or []) if broker else []:
        configuration = listener.get("configuration") or {}
        names |= set((configuration.get("bootstrap") or {}).get("alternativeNames") or [])
        if listener["type"] in ("internal", "cluster-ip") and not listener.get("tls"):
            continue
        if advertised := override(listener, node_id, "advertisedHost"):
            names.add(advertised)
        if listener["type"] == "cluster-ip":
            names |= service_names(f"{cluster}-kafka-{listener['name']}-bootstrap", namespace)
            host = f"{broker_service(listener, f'{cluster}-{pool}', node_id)}.{namespace}.svc"
            names.add(f"{host}.{DOMAIN}" if configuration.get("useServiceDnsDomain") else host)
    return names


def override(listener: Object, node_id: int, field: str) -> str | None:
    """A field of a listener for one broker: that of the first entry which has it (docs/operator.md, "Node names")."""
    entries = (listener.get("configuration") or {}).get("brokers") or []
    return next(
        (entry[field] for entry in entries if entry.get("broker") == node_id and entry.get(field) is not None), None
    )


def broker_service(listener: Object, base: str, node_id: int) -> str:
    if listener["name"] == "external" and listener["port"] == 9094:
        return f"{base}-{node_id}"
    return f"{base}-{listener['name']}-{node_id}"
