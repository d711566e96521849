# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real clients of every kind, with every set of CAs, meet brokers before and after the switch to a new CA; and the gate has
foreseen who refuses what.

Before it brokers present leaf ‖ link ‖ old CA, after it leaf ‖ link ‖ old CA certified by the new one ‖ new CA; and what the operator issues by
itself leaf ‖ new CA. The path length of the old CA makes the difference to clients that know only the old CA (docs/operator.md, "Link
certificates", "After the switch").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache, partial
from itertools import permutations
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import (
    DistinguishedName,
    cross_certify,
    issue_root,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    Chain,
    encode_certificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    PrivateKey,
    generate_key,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    LedgerEntry,
    TrustState,
)

from ..tools.support.certificates import Entity
from ..unit._trust.builders import cluster
from .asking import Asks, ask_as_go, ask_as_librdkafka, ask_as_openssl, started_jvm
from .clients import LIBRARY_READS_ITS_FILES, eventually
from .listening import inquiry_about, look
from .nodes import NODES, USER, KafkaNodes
from .reloading import reload, settings_of
from .stores import DOMAIN, pod_of

pytestmark = pytest.mark.filterwarnings(LIBRARY_READS_ITS_FILES)
BEGIN, VALIDITY = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1), timedelta(days=1)
EC = KeySpec(KeyAlgorithm.ECDSA, 256)
JVM, OPENSSL, GO = Verifier.JVM, Verifier.OPENSSL, Verifier.GO
#: Kafka's default.
NETWORK_THREADS = 3
LIBRARIES = {"jvm": JVM, "librdkafka": OPENSSL, "openssl": OPENSSL, "go": GO}


def authority(name: str, path_length: int) -> Entity:
    key = generate_key(EC)
    subject = DistinguishedName(name)
    return Entity(issue_root(subject, key, not_before=BEGIN, validity=VALIDITY, path_length=path_length), key)


@dataclass(frozen=True)
class Rotation:
    """The new CA takes the place of the old one."""

    old: Entity
    new: Entity
    #: The new CA, certified by the old CA.
    link: Certificate
    #: The old CA, certified by the new CA.
    back: Certificate

    @property
    def behind_leaves(self) -> Mapping[str, Chain]:
        """The certificates behind a leaf of the new CA: before the switch, after it, and where the operator has issued it."""
        new = self.new.certificate
        return {
            "linked": (self.link, self.old.certificate),
            "switched": (self.link, self.back, new),
            "the operator's": (new,),
        }


@cache
def rotation(path_length: int, one_name: bool) -> Rotation:
    """path_length: of the old CA; the new one is as the collection makes them. one_name: they have the same."""
    old, new = authority("cluster-ca v0", path_length), authority("cluster-ca v0" if one_name else "cluster-ca v1", 1)
    link = cross_certify(new.certificate, old.certificate, old.key, not_before=BEGIN, validity=VALIDITY)
    back = cross_certify(old.certificate, new.certificate, new.key, not_before=BEGIN, validity=VALIDITY)
    return Rotation(old, new, link, back)


@dataclass(frozen=True)
class Brokers:
    rotation: Rotation
    #: The chain behind their leaves of the new CA.
    sent: Chain
    #: The addresses of the users' listeners.
    bootstrap: str

    @property
    def leads_back(self) -> bool:
        """Whether the old CA is enough to follow the chain, as far as its path length is not looked at."""
        return self.rotation.link in self.sent

    @property
    def strict(self) -> set[str]:
        """The clients to which the chain is too long for the old CA. A link certificate between two of one name is self-issued: only Go counts it."""
        if self.rotation.old.certificate.path_length != 0:
            return set()
        return {"go"} if self.rotation.link.self_issued else set(TOO_LONG)


# The same paths are validated by Go and a JVM in every run (tests/verifiers).
@pytest.fixture(scope="module", params=[
    (1, "linked", False), (1, "the operator's", False), (0, "linked", False), (0, "switched", True),
    *(pytest.param(one, marks=pytest.mark.long) for one in (
        (1, "switched", False), (0, "switched", False), (0, "linked", True), (0, "the operator's", True),
    )),
], ids=lambda param: f"{param[1]}, pathlen:{param[0]}{', one name' if param[2] else ''}")  # fmt: skip
def brokers(request: pytest.FixtureRequest, kafka: KafkaNodes) -> Iterator[Brokers]:
    """Brokers with these chains on all users' listeners; afterwards they present again what they did before."""
    path_length, form, one_name = request.param
    now = rotation(path_length, one_name)
    sent = now.behind_leaves[form]
    for node in NODES:
        leaf, own = users_leaf(node, now.new)
        kafka.stores.put(node, encode_certificates([leaf, *sent]), own.reveal())
        reload_users_leaf(kafka, node)
        eventually(partial(presents, kafka, node, (leaf, *sent)), 30)
    yield Brokers(now, sent, ",".join(f"localhost:{kafka.ports[node, USER]}" for node in NODES))
    for node in NODES:
        kafka.stores.issue(node, kafka.authority)
        reload_users_leaf(kafka, node)


def users_leaf(node: int, issuer: Entity) -> tuple[Certificate, PrivateKey]:
    """With the names of the leaf that the node has: Kafka takes no other."""
    own, subject = generate_key(EC), DistinguishedName("demo-kafka")
    names = ["localhost", "127.0.0.1", f"{pod_of(node)}.{DOMAIN}"]
    signed = sign_leaf(
        own.public_key, subject, names, issuer.certificate, issuer.key, not_before=BEGIN, validity=VALIDITY
    )
    return signed, own


def presents(kafka: KafkaNodes, node: int, chain: Chain) -> bool:
    """On every one of its network threads: each reads again by itself, and connections go to them in turn."""
    return all(look(kafka, node, USER, inquiry_about([])).presented == chain for _turn in range(2 * NETWORK_THREADS))


def reload_users_leaf(kafka: KafkaNodes, node: int) -> None:
    """The other listeners keep the leaf that they have, as the nodes know nothing of these CAs."""
    settings = [one for one in settings_of(kafka, node).leaf if f"-{USER}." in one.name]
    assert len(settings) == 2
    reload(kafka, node, settings)


@pytest.fixture(scope="module")
def clients(kafka_version: str) -> Iterator[Mapping[str, Asks]]:
    """A client of each TLS library; Kafka's own is of the version of the nodes."""
    with started_jvm(kafka_version) as jvm:
        yield {"jvm": jvm, "librdkafka": ask_as_librdkafka, "openssl": ask_as_openssl, "go": ask_as_go}


@dataclass(frozen=True)
class Trusting:
    """Asks these brokers with each client. The clients know just the CAs that are given, in this order."""

    brokers: Brokers
    clients: Mapping[str, Asks]
    folder: Path

    def refusals(self, *trusted: Certificate) -> dict[str, str]:
        """The reason why each client was refused, by its name; empty for a client that got an answer."""
        known = self.folder / "trusted.pem"
        known.write_bytes(encode_certificates(trusted))
        return {name: ask(self.brokers.bootstrap, known) for name, ask in self.clients.items()}

    def foreseen(self, *trusted: Certificate) -> set[str]:
        """The clients of which the gate foresees that they accept the brokers."""
        return {name for name, kind in LIBRARIES.items() if self._accepts(kind, trusted)}

    def _accepts(self, kind: Verifier, trusted: Sequence[Certificate]) -> bool:
        old = self.brokers.rotation.old.certificate
        books = Ledger((LedgerEntry((old,), TrustState.TRUSTED_IN_USE_ALL, frozenset({0}), frozenset()),))
        client = OutsideClient("Secret apps/orders", tuple(trusted), verifier=kind, declared=True)
        snapshot = cluster(ledger=books, outside_clients=(client,), now=datetime.now(timezone.utc))
        return client.name not in {one.subject for one in trust_gate(snapshot, books, self.brokers.sent)}


@pytest.fixture
def trusting(brokers: Brokers, clients: Mapping[str, Asks], tmp_path: Path) -> Trusting:
    return Trusting(brokers, clients, tmp_path)


def accepting(refusals: Mapping[str, str]) -> set[str]:
    return {name for name, reason in refusals.items() if not reason}


@pytest.mark.parametrize(
    "which", [("new",), *permutations(("old", "new"))], ids=["the new CA alone", "old before new", "new before old"]
)
def test_a_client_that_knows_the_new_ca_accepts_leaves_before_and_after_the_switch(
    which: tuple[str, ...], trusting: Trusting
) -> None:
    """Clients that load the CA certificate Secret, in whatever order its entries come, from publication to the end."""
    known = [getattr(trusting.brokers.rotation, name).certificate for name in which]
    found = trusting.refusals(*known)
    assert accepting(found) == set(LIBRARIES), found
    assert trusting.foreseen(*known) == set(LIBRARIES)


#: The reason that each strict client gives for a path that is longer than the old CA allows.
TOO_LONG = {
    "librdkafka": "certificate verify failed",
    "openssl": "path length constraint exceeded",
    # Of the paths that it has tried it names the last one.
    "go": "failed to verify certificate: x509",
}


def test_a_client_that_knows_the_old_ca_alone_may_look_at_its_path_length(trusting: Trusting) -> None:
    """Otherwise they go on before and after the switch, whenever they have last read it."""
    old = trusting.brokers.rotation.old.certificate
    found = trusting.refusals(old)
    if not trusting.brokers.leads_back:
        assert accepting(found) == trusting.foreseen(old) == set()
        return
    strict = trusting.brokers.strict
    assert accepting(found) == trusting.foreseen(old) == set(LIBRARIES) - strict, found
    assert all(TOO_LONG[name] in found[name] for name in strict), found


def test_a_link_certificate_among_what_clients_load_would_turn_them_away(trusting: Trusting) -> None:
    """A client that finds it first takes it for the issuer and tries no other: so it lies in no Secret that clients load."""
    now = trusting.brokers.rotation
    found = trusting.refusals(now.link, now.old.certificate, now.new.certificate)
    turned_away = trusting.brokers.strict & {"librdkafka", "openssl"}
    assert accepting(found) == set(LIBRARIES) - turned_away, found


def test_a_stranger_is_refused_by_all(trusting: Trusting) -> None:
    """Else an answer would prove nothing."""
    found = trusting.refusals(authority("cluster-ca v0", 1).certificate)
    assert "SSL handshake failed" in found["jvm"]
    assert "certificate verify failed" in found["librdkafka"]
    assert "CERTIFICATE_VERIFY_FAILED" in found["openssl"]
    assert "to verify certificate" in found["go"]
