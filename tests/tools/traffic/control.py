"""The negative control: a node and a component get leaves of a CA that no process trusts, and the load has to notice."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from ...kafka.tier import Tier
from ..cluster.kube import wait_for
from ..operator.api import ready
from .handshakes import Outcome
from .load import Load
from .targets import EXPORTER
from .traffic import Controlled

FOREIGN = "foreign-leaf"
_ENOUGH = 20
_QUIET_S = 10.0


def run_control(tier: Tier, node: str, load: Load) -> Controlled:
    """The operator is paused meanwhile, so that only this test puts the leaves back."""
    _patch(tier, "kafkas", tier.name, {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}})
    wait_for(lambda: _paused(tier), "the operator being paused")
    began, pod = time.monotonic(), f"strimzi.io/pod-name={node}"
    with _foreign(tier, node, node):
        _restart(tier, pod)
        wait_for(lambda: load.counts(began)[Outcome.FAILED] >= _ENOUGH, "handshakes that fail", 120)
    wait_for(_restart(tier, pod), f"{node} being ready again", 180)
    again, pod = time.monotonic(), f"strimzi.io/name={tier.name}-{EXPORTER}"
    with _foreign(tier, f"{tier.name}-{EXPORTER}-certs", EXPORTER):
        wait_for(_restart(tier, pod), f"{EXPORTER} being ready with a foreign leaf", 120)
        wait_for(lambda: bool(_of_component(load, again)), f"handshakes of {EXPORTER} that fail", 120)
    wait_for(_restart(tier, pod), f"{EXPORTER} being ready again", 120)
    failed, of_component = load.failed(began), _of_component(load, again)
    time.sleep(5)
    quiet = time.monotonic()
    time.sleep(_QUIET_S)
    after = load.counts(quiet)
    _patch(tier, "kafkas", tier.name, {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": None}}})
    kinds = sorted({text.split(": ", 1)[1] for text in failed})
    unnoticed = [] if of_component else [EXPORTER]
    return Controlled(FOREIGN, len(failed), kinds, unnoticed, after[Outcome.FAILED], after[Outcome.DONE])


def _of_component(load: Load, begin: float) -> list[str]:
    return [text for text in load.failed(begin) if text.startswith(f"{EXPORTER} to ")]


def foreign_leaf(model: x509.Certificate) -> tuple[bytes, bytes]:
    """Certificate and key (PEM) with the names of the model, and of a CA with its issuer's name but another key."""
    authority, own = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(timezone.utc)
    builder = (
        x509.CertificateBuilder()
        .subject_name(model.subject)
        .issuer_name(model.issuer)
        .public_key(own.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=1))
    )
    for extension in model.extensions:
        if isinstance(extension.value, x509.SubjectAlternativeName):  # who is only a client has none
            builder = builder.add_extension(extension.value, critical=False)
    leaf = builder.sign(authority, hashes.SHA256())
    key = own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return leaf.public_bytes(Encoding.PEM), key


def _paused(tier: Tier) -> bool:
    status = tier.cluster.get("kafkas", tier.name).get("status") or {}
    return any(condition["type"] == "ReconciliationPaused" for condition in status.get("conditions") or [])


@contextmanager
def _foreign(tier: Tier, secret: str, name: str) -> Iterator[None]:
    """A foreign leaf in a Secret, whose entries have this name."""
    good = tier.secret(secret)
    _write_leaf(tier, secret, name, *foreign_leaf(x509.load_pem_x509_certificate(good[f"{name}.crt"])))
    yield
    _write_leaf(tier, secret, name, good[f"{name}.crt"], good[f"{name}.key"])


def _write_leaf(tier: Tier, secret: str, name: str, certificates: bytes, key: bytes) -> None:
    data = {f"{name}.crt": certificates, f"{name}.key": key}
    encoded = {entry: base64.b64encode(value).decode() for entry, value in data.items()}
    _patch(tier, "secrets", secret, {"data": encoded})


def _restart(tier: Tier, label: str) -> Callable[[], bool]:
    """The one pod with this label goes; returns whether another is ready in its place."""
    (old,) = tier.cluster.pods(label)
    tier.delete("pods", old["metadata"]["name"])

    def back() -> bool:
        found = tier.cluster.pods(label)
        return bool(found) and all(ready(pod) and pod["metadata"]["uid"] != old["metadata"]["uid"] for pod in found)

    return back


def _patch(tier: Tier, plural: str, name: str, body: dict[str, object]) -> None:
    root = "/apis/kafka.strimzi.io/v1" if plural == "kafkas" else "/api/v1"
    path = f"{root}/namespaces/{tier.cluster.namespace}/{plural}/{name}"
    answer = tier.cluster.kube.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    if answer.status >= 300:
        raise RuntimeError(f"{plural}/{name}: {answer.body}")
