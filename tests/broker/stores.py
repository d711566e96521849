"""The files that nodes read their certificates from: they lie behind references, as Strimzi's Secrets do."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload_request import References

from .certificates import Issued, leaf

DOMAIN = "demo-kafka-brokers.kafka.svc"
#: In place of the provider that reads Secrets; on both sides one reference is one entry.
_PROVIDER = "directory"


def pod_of(node: int) -> str:
    return f"demo-kafka-{node}"


class Stores:
    """The trust bundle, and a leaf for each node. A node reads a replaced file only when it is told to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def trust(self, *authorities: Issued) -> None:
        _write(self._folder / "bundle" / "cluster-ca.crt", b"".join(one.certificate_pem for one in authorities))

    def issue(self, node: int, issuer: Issued) -> Issued:
        """A new leaf, with the names that Strimzi gives it."""
        issued = leaf("demo-kafka", issuer, f"{pod_of(node)}.{DOMAIN}")
        self.put(node, issued.certificate_pem, issued.key_pem)
        return issued

    def put(self, node: int, chain: bytes, key: bytes) -> None:
        _write(self._folder / pod_of(node) / "node.crt", chain)
        _write(self._folder / pod_of(node) / "node.key", key)

    def references(self, node: int) -> References:
        own = f"${{{_PROVIDER}:{self._folder / pod_of(node)}:"
        return References(f"${{{_PROVIDER}:{self._folder / 'bundle'}:cluster-ca.crt}}", own)

    def settings(self, node: int, listeners: Mapping[str, bool], *, asks: bool = True) -> Iterator[tuple[str, str]]:
        """listeners: by name, whether they have the bundle as their truststore. asks: whether such a listener asks
        clients for certificates.
        """
        references = self.references(node)
        yield "config.providers", _PROVIDER
        yield f"config.providers.{_PROVIDER}.class", "org.apache.kafka.common.config.provider.DirectoryConfigProvider"
        for name, is_trusting in listeners.items():
            prefix = f"listener.name.{name.lower()}.ssl"
            yield f"{prefix}.keystore.type", "PEM"
            yield f"{prefix}.keystore.certificate.chain", f"{references.node_secret}node.crt}}"
            yield f"{prefix}.keystore.key", f"{references.node_secret}node.key}}"
            if is_trusting:
                yield f"{prefix}.truststore.type", "PEM"
                yield f"{prefix}.truststore.certificates", references.bundle
            if is_trusting and asks:
                yield f"{prefix}.client.auth", "required"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    with open(os.open(new, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
    new.replace(path)
