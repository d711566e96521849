"""How fast leaves are issued, against a plain loop and against the processes that the operator starts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issue import issue_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import KEY
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import entries
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves

from ..operator import certs
from .cluster import cluster_of
from .measurement import Measurement, Wanted
from .openssl import OpenSsl
from .pairs import alternate, ratio

#: Finding primes takes half as long at one time as at another; over this many keys that evens out.
LEAVES = 24
ROUNDS = 7


class Leaves:
    """Leaves for all nodes of one cluster, made in different ways. Each returns leaves per second."""

    def __init__(self) -> None:
        _memory, self.work = cluster_of(LEAVES)
        seen = observe(self.work.client, self.work.scope, self.work.clock.now())
        nodes = [leaf for leaf in seen.snapshot.leaves.stored if leaf.component is Component.KAFKA and leaf.chain]
        self.names = {leaf.secret: sorted(leaf.chain[0].subject_alternative_names) for leaf in nodes if leaf.chain}
        self.generation = seen.snapshot.ca.certificate_generation
        self.authority = x509.load_der_x509_certificate(seen.snapshot.ca.current[0].der)
        self.authority_key = entries(seen.secret(seen.scope.ca_key_secret))[KEY]
        self._signing_key = certs.load_key(self.authority_key)

    def collection(self) -> float:
        """Keys, requests, certificates, all checks, and the writes to an API in memory."""
        # This run has to see first what an earlier one wrote, or the API would refuse its writes as conflicts.
        seen = observe(self.work.client, self.work.scope, self.work.clock.now())
        issuer = seen.snapshot.ca.current
        step = IssueLeaves(secrets=tuple(self.names), issuer=issuer, generation=self.generation, phase=Phase.USE)
        return _rate(lambda: issue_leaves(step, seen, self.work))

    def plain_loop(self) -> float:
        """Key and certificate, one after the other, and no check at all."""
        return _rate(lambda: [self._plain(names) for names in self.names.values()])

    def openssl(self) -> float:
        with OpenSsl(self.authority.public_bytes(Encoding.PEM), self.authority_key) as tool:
            return _rate(
                lambda: [tool.issue(f"{self.work.scope.cluster}-kafka", names) for names in self.names.values()]
            )

    def _plain(self, names: list[str]) -> tuple[bytes, bytes]:
        key = rsa.generate_private_key(65537, 2048)
        begin = self.work.clock.now()
        builder = (
            x509.CertificateBuilder()
            .subject_name(certs.name(f"{self.work.scope.cluster}-kafka"))
            .issuer_name(self.authority.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(begin + timedelta(days=365))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        certificate = builder.sign(self._signing_key, hashes.SHA512())
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return certificate.public_bytes(Encoding.PEM), pem


def _rate(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return LEAVES / (time.perf_counter() - begun)


def measure() -> Iterator[Measurement]:
    leaves = Leaves()
    pairs = alternate(leaves.collection, leaves.plain_loop, ROUNDS)
    yield Measurement("leaves-vs-cryptography", ratio(pairs), Wanted.AT_LEAST, 0.9)
    # Both find their primes with OpenSSL. The operator starts three processes for a leaf, one after the other, each of
    # which reads the CA or the key again; half as much again is what one process and all processors must save at least.
    pairs = alternate(leaves.collection, leaves.openssl, 3)
    yield Measurement("leaves-vs-openssl", ratio(pairs), Wanted.AT_LEAST, 1.5)
