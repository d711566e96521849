"""The negative control: a node gets a leaf of a CA that nobody trusts, and the load has to notice."""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from ..cluster.kube import wait_for
from ..kafka.tier import Tier
from ..operator.api import ready
from .handshakes import Outcome
from .load import Load

_ENOUGH = 20
_QUIET_S = 10.0


@dataclass(frozen=True)
class Controlled:
    """failures: while the foreign leaf was there; afterwards: in the seconds after it was put back."""

    failures: int
    examples: list[str]
    afterwards: int
    done_afterwards: int


def run_control(tier: Tier, node: str, load: Load) -> Controlled:
    """The operator is paused meanwhile, so that nobody but us puts the leaf back."""
    _patch(tier, "kafkas", tier.cluster, {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}})
    wait_for(lambda: _paused(tier), "the operator being paused")
    good = tier.secret(node)
    began = time.monotonic()
    _write_leaf(tier, node, *foreign_leaf(tier.node_chain(node)[0]))
    _restart(tier, node)
    wait_for(lambda: load.counts(began)[Outcome.FAILED] >= _ENOUGH, "handshakes that fail", 120)
    failed = load.failed(began)
    _write_leaf(tier, node, good[f"{node}.crt"], good[f"{node}.key"])
    _restart(tier, node)
    wait_for(lambda: ready(tier.scene.get("pods", node)), f"{node} being ready again", 180)
    time.sleep(5)
    quiet = time.monotonic()
    time.sleep(_QUIET_S)
    after = load.counts(quiet)
    _patch(tier, "kafkas", tier.cluster, {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": None}}})
    kinds = sorted({text.split(": ", 1)[1] for text in failed})
    return Controlled(len(failed), kinds, after[Outcome.FAILED], after[Outcome.DONE])


def foreign_leaf(model: x509.Certificate) -> tuple[bytes, bytes]:
    """Certificate and key (PEM) with the names of the model, and of a CA with its issuer's name but another key."""
    authority, own = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(timezone.utc)
    names = model.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    leaf = (
        x509.CertificateBuilder()
        .subject_name(model.subject)
        .issuer_name(model.issuer)
        .public_key(own.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .sign(authority, hashes.SHA256())
    )
    key = own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return leaf.public_bytes(Encoding.PEM), key


def _paused(tier: Tier) -> bool:
    status = tier.scene.get("kafkas", tier.cluster).get("status") or {}
    return any(one["type"] == "ReconciliationPaused" for one in status.get("conditions") or [])


def _write_leaf(tier: Tier, node: str, certificates: bytes, key: bytes) -> None:
    data = {f"{node}.crt": certificates, f"{node}.key": key}
    encoded = {name: base64.b64encode(value).decode() for name, value in data.items()}
    _patch(tier, "secrets", node, {"data": encoded})


def _restart(tier: Tier, node: str) -> None:
    """The pod goes and comes back under another UID."""
    before = tier.scene.get("pods", node)["metadata"]["uid"]
    tier.scene.kube.request("DELETE", f"/api/v1/namespaces/{tier.scene.namespace}/pods/{node}")

    def another() -> bool:
        return tier.scene.get("pods", node).get("metadata", {}).get("uid", before) != before

    wait_for(another, f"another pod {node}", 120)


def _patch(tier: Tier, plural: str, name: str, body: dict[str, object]) -> None:
    root = "/apis/kafka.strimzi.io/v1" if plural == "kafkas" else "/api/v1"
    path = f"{root}/namespaces/{tier.scene.namespace}/{plural}/{name}"
    answer = tier.scene.kube.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    if answer.status >= 300:
        raise RuntimeError(f"{plural}/{name}: {answer.body}")
