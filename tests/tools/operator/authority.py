"""CA Secrets per reconcile: InternalCaProvider and CustomCaProvider (docs/operator.md, "CA Secrets", "Generated CA",
"User-managed CA").
"""

from __future__ import annotations

import re
import secrets as randomness
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from . import certs
from .api import Api, Object, annotation, data, encode
from .windows import is_window_open

OLD = re.compile(r"^ca-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z.crt$")


#: The error of reading the empty file of an openssl that refused to sign (docs/operator.md, "Tried by hand", 6).
EMPTY_CERTIFICATE = "Could not parse certificate: java.io.IOException: Empty input"


class ReconcileFailed(Exception):
    """The reconcile ends here; reason and message go to the Kafka resource's status."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass
class Authority:
    """A CA for the length of one reconcile (OC/ca/Ca.java)."""

    kind: str  # cluster or clients
    generated: bool
    certificates: dict[str, bytes]
    key: bytes
    certificate_generation: int
    key_generation: int
    validity_days: int = 365
    renewal_days: int = 30
    renewed: bool = False
    replaced: bool = False
    removed: bool = False
    password: bytes | None = None  # of ca.p12; without one there is a new one

    @property
    def current(self) -> bytes:
        return self.certificates["ca.crt"]


def names_of(cluster: str, kind: str) -> tuple[str, str]:
    return f"{cluster}-{kind}-ca-cert", f"{cluster}-{kind}-ca"


def labels(kafka: Object, component: str = "certificate-authority") -> dict[str, str]:
    cluster = kafka["metadata"]["name"]
    return {
        **(kafka["metadata"].get("labels") or {}),
        "strimzi.io/kind": "Kafka", "strimzi.io/cluster": cluster, "strimzi.io/name": "strimzi",
        "strimzi.io/component-type": component, "app.kubernetes.io/name": component,
        "app.kubernetes.io/instance": cluster, "app.kubernetes.io/part-of": f"strimzi-{cluster}",
        "app.kubernetes.io/managed-by": "strimzi-cluster-operator",
    }  # fmt: skip


def owner(resource: Object) -> list[Object]:
    """A Kafka resource or a node pool as the owner of what is made for it."""
    metadata = resource["metadata"]
    return [{
        "apiVersion": resource["apiVersion"], "kind": resource["kind"], "name": metadata["name"], "uid": metadata["uid"],
        "controller": False, "blockOwnerDeletion": True,
    }]  # fmt: skip


def reconcile_authority(api: Api, kafka: Object, kind: str) -> Authority:
    cluster = kafka["metadata"]["name"]
    spec = kafka["spec"].get(f"{kind}Ca") or {}
    listed = {
        s["metadata"]["name"]: s for s in api.list("secrets", f"strimzi.io/kind=Kafka,strimzi.io/cluster={cluster}")
    }
    certificate_name, key_name = names_of(cluster, kind)
    pair = listed.get(certificate_name), listed.get(key_name)
    if spec.get("generateCertificateAuthority", True):
        return _generated(api, kafka, kind, spec, *pair)
    return _custom(cluster, kind, spec, *pair)


def _custom(cluster: str, kind: str, spec: Object, certificate: Object | None, key: Object | None) -> Authority:
    """User-managed: never modified; both Secrets have to be there (docs/operator.md, "User-managed CA")."""
    certificates = {k: v for k, v in data(certificate).items() if k.endswith(".crt") and v.strip()}
    if certificate is None or key is None or "ca.crt" not in certificates or "ca.key" not in data(key):
        raise ReconcileFailed(
            "InvalidResourceException",
            f"{kind.capitalize()} CA should not be generated, but the secrets were not found.",
        )
    for entry, content in certificates.items():
        if not certs.valid_chain(content):
            raise ReconcileFailed("InvalidResourceException", f"The CA chain in {entry} is not valid")
    return Authority(
        kind, False, certificates, data(key)["ca.key"],
        int(annotation(certificate, "ca-cert-generation", "0") or 0), int(annotation(key, "ca-key-generation", "0") or 0),
        spec.get("validityDays", 365), spec.get("renewalDays", 30),
    )  # fmt: skip


def _generated(
    api: Api, kafka: Object, kind: str, spec: Object, certificate: Object | None, key: Object | None
) -> Authority:
    """Create, renew, replace or keep (docs/operator.md, "Generated CA"), then write both Secrets."""
    ca = Authority(
        kind, True, {k: v for k, v in data(certificate).items() if k.endswith(".crt")}, data(key).get("ca.key", b""),
        int(annotation(certificate, "ca-cert-generation", "0") or 0), int(annotation(key, "ca-key-generation", "0") or 0),
        spec.get("validityDays", 365), spec.get("renewalDays", 30),
    )  # fmt: skip
    is_open = is_window_open(kafka)
    expiring = is_open and "ca.crt" in ca.certificates and _expiring(ca)
    ca.password = data(certificate).get("ca.password")
    policy = spec.get("certificateExpirationPolicy", "renew-certificate")
    if not ca.key:
        ca.certificates, ca.password = {}, None
        _new_key(ca, kind)
    elif (
        "ca.crt" not in ca.certificates
        or (is_open and annotation(certificate, "force-renew") == "true")
        or (expiring and policy == "renew-certificate")
    ):
        # The data starts empty: old CAs and foreign extra CAs are dropped, the password is new.
        ca.certificates, ca.password = {"ca.crt": _renewed(ca, kind)}, None
        ca.certificate_generation += 1
        ca.renewed = True
    elif expiring or (is_open and annotation(key, "force-replace") == "true"):
        ca.certificates[certs.old_name(ca.current)] = ca.current
        ca.key_generation += 1
        ca.certificate_generation += 1
        _new_key(ca, kind)
        ca.replaced = True
    ca.certificates = {k: v for k, v in ca.certificates.items() if _keepable(v)}
    write_authority(api, kafka, ca)
    if "ca.crt" not in ca.certificates:
        # It has expired outside of a window: the next reconcile renews it, as it is missing.
        raise ReconcileFailed("NullPointerException", "emitCertificateSecretMetrics")
    return ca


def _subject(kind: str, generation: int) -> Any:
    return certs.name(f"{kind}-ca v{generation}")


def _renewed(ca: Authority, kind: str) -> bytes:
    key = certs.load_key(ca.key)
    if key is None:
        raise ReconcileFailed("RuntimeException", EMPTY_CERTIFICATE)
    return certs.root(_subject(kind, ca.key_generation), key, ca.validity_days)


def _new_key(ca: Authority, kind: str) -> None:
    key = certs.new_ca_key()
    ca.key = certs.key_pem(key)
    ca.certificates["ca.crt"] = certs.root(_subject(kind, ca.key_generation), key, ca.validity_days)


def _expiring(ca: Authority) -> bool:
    return certs.load(ca.current)[0].not_valid_after_utc - certs.now() < timedelta(days=ca.renewal_days)


def _keepable(content: bytes) -> bool:
    """Expired and unparseable entries are deleted in every case."""
    found = certs.load(content)
    return bool(found) and found[0].not_valid_after_utc > certs.now()


def write_authority(api: Api, kafka: Object, ca: Authority) -> None:
    cluster, spec = kafka["metadata"]["name"], kafka["spec"].get(f"{ca.kind}Ca") or {}
    certificate_name, key_name = names_of(cluster, ca.kind)
    existing = data(api.get("secrets", certificate_name))
    entries = dict(ca.certificates)
    same = {k: v for k, v in existing.items() if k.endswith(".crt")} == entries and "ca.p12" in existing
    kept = existing["ca.p12"] if same and ca.password else None
    ca.password = ca.password or randomness.token_urlsafe(9).encode()
    if ca.certificates:
        entries["ca.p12"] = kept or certs.truststore(ca.certificates, ca.password)
        entries["ca.password"] = ca.password
    owners = owner(kafka) if spec.get("generateSecretOwnerReference", True) else []
    for name, content, marks in (
        (certificate_name, entries, {"strimzi.io/ca-cert-generation": str(ca.certificate_generation)}),
        (key_name, {"ca.key": ca.key}, {"strimzi.io/ca-key-generation": str(ca.key_generation)}),
    ):
        api.write_secret({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": encode(content),
            "metadata": {
                "name": name, "labels": labels(kafka), "annotations": marks | _postponed_triggers(api, kafka, name),
                "ownerReferences": owners,
            },
        })  # fmt: skip


def _postponed_triggers(api: Api, kafka: Object, secret: str) -> dict[str, str]:
    """They stay until a window opens."""
    if is_window_open(kafka):
        return {}
    existing = api.get("secrets", secret)
    triggers = (name for name in ("force-renew", "force-replace") if annotation(existing, name) == "true")
    return {f"strimzi.io/{name}": "true" for name in triggers}


def remove_old(api: Api, kafka: Object, ca: Authority) -> None:
    """maybeRemoveOldClusterCaCertificates: generated CAs only (docs/operator.md, "CA reconcile", step 6)."""
    old = [key for key in ca.certificates if OLD.match(key)]
    if not ca.generated or not old:
        return
    for key in old:
        del ca.certificates[key]
    ca.removed = True
    write_authority(api, kafka, ca)


def write_trust_bundle(api: Api, kafka: Object, cluster_ca: Authority, clients_ca: Authority) -> None:
    """First certificate of every entry of both CAs; rewritten in every reconcile (docs/operator.md, "Trust bundle")."""
    cluster = kafka["metadata"]["name"]
    entries = {
        f"{ca.kind}-ca.crt": b"".join(certs.pem(certs.load(v)[0]) for k, v in sorted(ca.certificates.items()))
        for ca in (cluster_ca, clients_ca)
    }
    annotations = {
        f"strimzi.io/{ca.kind}-ca-cert-generation": str(ca.certificate_generation) for ca in (cluster_ca, clients_ca)
    }
    api.write_secret({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": encode(entries),
        "metadata": {
            "name": f"{cluster}-trustbundle", "labels": labels(kafka, "trust-bundle"), "annotations": annotations,
            "ownerReferences": owner(kafka),
        },
    })  # fmt: skip
