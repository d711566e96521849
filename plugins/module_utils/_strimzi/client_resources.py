# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""KafkaConnect, KafkaMirrorMaker2 and KafkaBridge: which of them trust this cluster, and where their copies are.

For each resource the operator collects the certificates that ``trustedCertificates`` selects into a Secret of its own,
one certificate of each selected entry. The processes of the resource read that Secret when they start
(docs/operator.md, "Who trusts what").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from .._kube.resources import Resource
from .._trust.model.clients import Follows
from . import names
from .names import ClusterNames
from .reach import Reach

KAFKA_CONNECTS = Resource("kafka.strimzi.io", "v1", "kafkaconnects", "KafkaConnect")
KAFKA_MIRROR_MAKER_2S = Resource("kafka.strimzi.io", "v1", "kafkamirrormaker2s", "KafkaMirrorMaker2")
KAFKA_BRIDGES = Resource("kafka.strimzi.io", "v1", "kafkabridges", "KafkaBridge")
CLIENT_KINDS = (KAFKA_CONNECTS, KAFKA_MIRROR_MAKER_2S, KAFKA_BRIDGES)

#: Label selector of the pods and Secrets of all of them.
CLIENT_PODS = f"{names.KIND_LABEL} in ({','.join(kind.kind for kind in CLIENT_KINDS)})"

_ISSUING = "ca.crt"
#: Where the operator and this collection put CAs beside ``ca.crt``: by the end of validity, and by fingerprint.
_BESIDE = ("ca-2026-01-01T00-00-00Z.crt", f"{'0' * 40}.crt", f"{'f' * 40}.crt")


@dataclass(frozen=True)
class TrustedCopy:
    """The copy of the CAs that one connection of a resource trusts."""

    kind: str
    resource: str
    #: The path of the field ``trustedCertificates`` in the resource.
    where: str
    secret: str
    #: The entries of the Secret that hold the copy.
    entries: tuple[str, ...]
    follows: Follows
    #: The content of that field.
    sources: tuple[Mapping[str, Any], ...]
    #: Whether the resource itself names this cluster, by its Secrets or an address. Else only the CAs in the copy show which cluster it belongs to.
    refers: bool

    def name(self, scope: ClusterNames) -> str:
        return f"{self.kind} {scope.namespace}/{self.resource}"

    def is_read_by(self, pod: Mapping[str, Any]) -> bool:
        labels = pod["metadata"].get("labels") or {}
        return (labels.get(names.KIND_LABEL), labels.get(names.CLUSTER_LABEL)) == (self.kind, self.resource)

    def remedy(self, scope: ClusterNames) -> str:
        if self.follows is Follows.TRUSTED:
            return (
                "The operator copies the CAs to it and restarts it by itself: see in its status what keeps it from that, "
                "then run the flow again."
            )
        return (
            f"Let its {self.where} name secretName {scope.ca_certificate_secret} and pattern '*.crt': the operator then "
            "restarts it, and it knows every trusted CA. If that cannot be done in time, give a waiver for it."
        )


def copies_of(resource: Mapping[str, Any], kind: str, reach: Reach) -> Iterator[TrustedCopy]:
    """The copies of CAs that the operator makes for this resource."""
    name, spec = str(resource["metadata"]["name"]), resource.get("spec") or {}
    secret = f"{name}-{'bridge' if kind == KAFKA_BRIDGES.kind else 'connect'}-tls-trusted-certs"
    for where, entries, part in _connections(kind, spec):
        if sources := tuple((part.get("tls") or {}).get("trustedCertificates") or ()):
            refers = _selects_ours(sources, reach.scope) or reach.leads_here(part.get("bootstrapServers"))
            yield TrustedCopy(kind, name, where, secret, entries, _follows(sources, reach.scope), sources, refers)


def _connections(kind: str, spec: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...], Mapping[str, Any]]]:
    """Each part of the resource that says where to connect to, and the entries of its copy."""
    if kind != KAFKA_MIRROR_MAKER_2S.kind:
        yield "spec.tls.trustedCertificates", (_ISSUING,), spec
        return
    target = spec.get("target") or {}
    yield "spec.target.tls.trustedCertificates", (f"{target.get('alias')}-ca.crt", _ISSUING), target
    for number, mirror in enumerate(spec.get("mirrors") or []):
        source = mirror.get("source") or {}
        yield f"spec.mirrors[{number}].source.tls.trustedCertificates", (f"{source.get('alias')}-ca.crt",), source


def _selects_ours(sources: Sequence[Mapping[str, Any]], scope: ClusterNames) -> bool:
    ours = {scope.ca_certificate_secret, scope.client_bundle_secret}
    return any(source.get("secretName") in ours for source in sources)


def _follows(sources: Iterable[Mapping[str, Any]], scope: ClusterNames) -> Follows:
    ours = [source for source in sources if source.get("secretName") == scope.ca_certificate_secret]
    if any(all(selects(source, entry) for entry in (_ISSUING, *_BESIDE)) for source in ours):
        return Follows.TRUSTED
    if any(selects(source, _ISSUING) for source in ours):
        return Follows.ISSUING
    return Follows.NOTHING


def selects(source: Mapping[str, Any], entry: str) -> bool:
    """Whether this element of ``trustedCertificates`` takes this entry of the Secret that it names."""
    if source.get("certificate"):
        return bool(source["certificate"] == entry)
    return fnmatchcase(entry, source.get("pattern") or "")
