"""500 leaves from each issuer, checked and at hand, beside a client that asks the same issuer and does nothing else.

They are those of two Kafka clusters, because one Secret contains all requests of a cluster and has no room for so many. Both make a key and a
signing request for each leaf, and keys in the same way. They are compared with the keys that are the default; RSA
keys take so long that little else shows, so a comparison with ECDSA keys tells what the collection adds. Kubernetes is in memory, but for
the requests of cert-manager.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import harmonic_mean, median
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issue import issue_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import issuer_of
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.pending import with_requests
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.request_leaves import (
    ask_for_leaves,
    collect_leaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeySpec, PrivateKey, generate_keys
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import KEY
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation, observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import entries
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import PreparedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AskForLeaves,
    CollectLeaves,
    IssueLeaves,
)

from ..operator import certs
from ..support.flows import EC
from ..support.memory_cluster import MemoryCluster
from .asked_issuers import NAMESPACE, VALIDITY, AskedIssuer, NowClock, asked_issuers
from .cluster import cluster_of
from .measurement import Measurement, Wanted
from .once import peak_kib
from .pairs import alternate, ratio, seconds

NODES, CLUSTERS = 250, 2
ROUNDS = 3


@dataclass(frozen=True)
class Scene:
    """A Kafka cluster of so many nodes."""

    memory: MemoryCluster
    work: Work
    #: The names in the certificates of the nodes, by Secret.
    names: dict[str, list[str]]

    def seen(self) -> Observation:
        return observe(self.work.client, self.work.scope, self.work.clock.now())

    def with_keys(self, spec: KeySpec) -> Scene:
        return replace(self, work=replace(self.work, wishes=self.work.wishes.changed(leaf_key=spec)))

    def csrs(self) -> dict[str, bytes]:
        """Signing requests as a client makes them that does nothing else; their keys are those that would be stored."""
        subject = certs.name(f"{self.work.scope.cluster}-kafka")
        keys = generate_keys(self.work.wishes.issuing.leaf_key, len(self.names))
        pairs = zip(self.names.items(), keys, strict=True)
        return {secret: _csr(subject, names, key) for (secret, names), key in pairs}


def scene() -> Scene:
    memory, made = cluster_of(NODES)
    work = replace(made, clock=NowClock(memory))
    seen = observe(work.client, work.scope, work.clock.now())
    nodes = [leaf for leaf in seen.snapshot.leaves.stored if leaf.component is Component.KAFKA and leaf.chain]
    names = {leaf.secret: sorted(leaf.chain[0].subject_alternative_names) for leaf in nodes if leaf.chain}
    return Scene(memory, work, names)


def _csr(subject: x509.Name, names: list[str], key: PrivateKey) -> bytes:
    key.reveal()
    alternative = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject).add_extension(alternative, critical=False)
    return builder.sign(key.for_signing(), key.signature_hash).public_bytes(Encoding.PEM)


def _internal(on: Scene) -> float:
    """Issues leaves with the CA's key in the cluster, and writes the Secrets."""
    seen = on.seen()
    ca = seen.snapshot.ca
    step = IssueLeaves(
        secrets=tuple(on.names), issuer=ca.current, generation=ca.certificate_generation, phase=Phase.USE
    )
    return NODES / seconds(lambda: issue_leaves(step, seen, on.work))


def _plain_loop(on: Scene) -> float:
    """Signs with the same key and checks nothing."""
    seen = on.seen()
    authority = x509.load_der_x509_certificate(seen.snapshot.ca.current[0].der)
    key = certs.load_key(entries(seen.secret(seen.scope.ca_key_secret))[KEY])
    begin = on.work.clock.now()
    dates = begin, begin + VALIDITY

    def sign(csr: bytes) -> bytes:
        asked = x509.load_pem_x509_csr(csr)
        serial = x509.random_serial_number()
        builder = x509.CertificateBuilder(authority.subject, asked.subject, asked.public_key(), serial, *dates)
        for extension in asked.extensions:
            builder = builder.add_extension(extension.value, extension.critical)
        return builder.sign(key, hashes.SHA512()).public_bytes(Encoding.PEM)

    return NODES / seconds(lambda: list(map(sign, on.csrs().values())))


@dataclass
class Counting:
    """Counts the requests that go through it."""

    api: Any
    requests: int = 0

    def request(self, *arguments: Any, **options: Any) -> Any:
        self.requests += 1
        return self.api.request(*arguments, **options)


def _forget_peak() -> int:
    """KiB that this process has now; from here on its peak counts again (proc(5), clear_refs)."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_kib()


@dataclass
class Asking:
    """The collection with one of the issuers that are asked."""

    issuer: AskedIssuer
    #: The requests to Kubernetes in the last round.
    requests: int = 0
    #: KiB that it took at most in that, beyond what the process had before.
    peak: int = 0

    def collection(self, on: Scene) -> float:
        """Keys, requests, answers, all checks, and everything that is recorded so that a killed run goes on."""
        _forget_requests(on)
        counting = Counting(self.issuer.api(on.memory.api))
        settings, wishes = (
            replace(on.work.settings, issuer=self.issuer.settings),
            on.work.wishes.changed(validity=VALIDITY),
        )
        work = replace(on.work, client=KubeClient(counting), settings=settings, wishes=wishes)
        asked = issuer_of(work).reference
        step = AskForLeaves(
            secrets=tuple(on.names), issuer=self.issuer.authority, external_issuer=asked, phase=Phase.PREPARE
        )
        seen, had = self._prepared(on), _forget_peak()
        took = seconds(lambda: ask_for_leaves(step, seen, work)) + seconds(lambda: self.issuer.serve(on.memory.api))
        looked = self._prepared(on)
        took += seconds(lambda: self._collect(looked, asked, work))
        self.requests, self.peak = counting.requests, peak_kib() - had
        return NODES / took

    def bare(self, on: Scene) -> float:
        return NODES / seconds(lambda: self.issuer.ask(on.csrs()))

    def _collect(self, seen: Observation, asked: str, work: Work) -> None:
        while True:
            known = with_requests(seen, work)
            requests = known.snapshot.leaves.requests
            if failed := [request.failure for request in requests.values() if request.failure]:
                raise RuntimeError(f"{self.issuer.name}: {failed[0]}")
            if all(request.answer is not None for request in requests.values()):
                break
        collect_leaves(CollectLeaves(secrets=tuple(requests), external_issuer=asked, phase=Phase.PREPARE), known, work)

    def _prepared(self, on: Scene) -> Observation:
        """The cluster as it is when the issuer's CA has been published."""
        seen, chain = on.seen(), self.issuer.authority
        prepared = PreparedAuthority(chain, chain[0].public_key_sha256, key_is_elsewhere=True)
        return replace(seen, snapshot=replace(seen.snapshot, ca=replace(seen.snapshot.ca, prepared=(prepared,))))


def _forget_requests(on: Scene) -> None:
    for name in (on.work.scope.issuing_secret("kafka"), on.work.scope.next_keys_secret("kafka")):
        on.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{name}")


#: Leaves in a second, for the leaves of these nodes.
Speed = Callable[[Scene], float]


def _of_all(speed: Speed, scenes: Sequence[Scene]) -> float:
    """The mean speed over all clusters, which are measured one after the other."""
    return harmonic_mean([speed(scene) for scene in scenes])


def _compared(name: str, scenes: Sequence[Scene], ours: Speed, bare: Speed) -> Iterator[Measurement]:
    # So many keys take their time evenly; one pair will do.
    pairs = alternate(lambda: _of_all(ours, scenes), lambda: _of_all(bare, scenes), 1)
    yield Measurement(f"issuers-{name}", ratio(pairs), Wanted.AT_LEAST, 0.8)
    quick = [scene.with_keys(EC) for scene in scenes]
    pairs = alternate(lambda: _of_all(ours, quick), lambda: _of_all(bare, quick), ROUNDS)
    added = median(1 / bare - 1 / other for bare, other in pairs)
    yield Measurement(f"issuers-{name}-added-per-leaf", 1000 * added, Wanted.AT_MOST, 10.0, "ms")


def measure() -> Iterator[Measurement]:
    scenes = [scene() for _cluster in range(CLUSTERS)]
    yield from _compared("internal", scenes, _internal, _plain_loop)
    with asked_issuers() as issuers:
        for issuer in issuers:
            asking = Asking(issuer)
            yield from _compared(issuer.name, scenes, asking.collection, asking.bare)
            yield Measurement(f"issuers-{issuer.name}-requests-per-leaf", asking.requests / NODES, Wanted.AT_MOST, 3.0)
            yield Measurement(f"issuers-{issuer.name}-memory", asking.peak / 1024, Wanted.AT_MOST, 64.0, "MiB")
