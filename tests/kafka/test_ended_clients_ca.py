# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clients CA of real nodes has really ended, and certificates that it has issued have not: nodes accept these users, and a renewal restarts nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from ..api.running import Runner
from ..tools.cluster.kube import Object
from ..tools.operator import certs, clusters
from .aged_leaves import make_short_lived_authority, outlive_authority, starts
from .tier import PATIENCE, Tier, bed_cluster_of_nodes, kafka_cluster

NODE, USERS = "demo-kafka-0", 9093
#: Enough for the nodes to start, and for the CA to be adopted.
LIFE = timedelta(seconds=300)

pytestmark = pytest.mark.long


class Ended(NamedTuple):
    tier: Tier
    runner: Runner
    #: A certificate of the CA, and its key, in PEM form.
    user: tuple[bytes, bytes]


def layout(name: str, namespace: str, *, generated: bool, persistent: bool, components: bool) -> list[Object]:
    *others, kafka = clusters.dual_role(
        name, namespace, persistent=persistent, generated=generated, components=components
    )
    kafka["spec"]["clientsCa"] = {"generateCertificateAuthority": False}
    return [*others, kafka]


@pytest.fixture(scope="module")
def ended() -> Iterator[Ended]:
    with bed_cluster_of_nodes("kafka-clients-ca") as cluster:
        end = datetime.now(timezone.utc) + LIFE
        make_short_lived_authority(cluster, "demo", end, "clients")
        tier = kafka_cluster(cluster, layout, generated=True, components=True)
        runner = Runner(cluster, patience=PATIENCE)
        runner.flow("upgrade", strimzi_ca="clients").check()
        secret = tier.secret("demo-clients-ca-cert")["ca.crt"]
        user = certify(x509.load_pem_x509_certificate(secret), tier.secret("demo-clients-ca")["ca.key"])
        assert tier.shake_hands(NODE, USERS, *user).refusal == ""
        outlive_authority(tier, "clients")
        yield Ended(tier, runner, user)


def certify(authority: x509.Certificate, issuing_key: bytes) -> tuple[bytes, bytes]:
    """A certificate of this CA for a user, and its key."""
    key, begin = ec.generate_private_key(ec.SECP256R1()), datetime.now(timezone.utc) - timedelta(minutes=5)
    issuing = load_pem_private_key(issuing_key, None)
    assert isinstance(issuing, rsa.RSAPrivateKey)
    made = (
        x509.CertificateBuilder().subject_name(certs.name("app")).issuer_name(authority.subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(begin).not_valid_after(begin + timedelta(days=30))
        .sign(issuing, hashes.SHA256())
    )  # fmt: skip
    return made.public_bytes(Encoding.PEM), key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def test_nodes_accept_users_also_after_a_restart_and_a_renewal_restarts_nothing(ended: Ended) -> None:
    tier, runner, user = ended
    stranger = certify(certs.load(tier.secret("demo-clients-ca-cert")["ca.crt"])[0], certs.key_pem(certs.new_ca_key()))
    assert tier.shake_hands(NODE, USERS, *stranger).refusal != "", "the listener accepts any certificate"
    assert tier.shake_hands(NODE, USERS, *user).refusal == ""
    before = tier.cluster.node_uids("demo")
    for node in before:
        tier.ask_for_roll(node)
    tier.await_restarts(before)
    assert tier.shake_hands(NODE, USERS, *user).refusal == ""
    pods, started = tier.cluster.node_uids("demo"), starts(tier)
    runner.flow("renew", strimzi_ca="clients").check()
    renewed = certs.load(tier.secret("demo-clients-ca-cert")["ca.crt"])[0]
    assert renewed.not_valid_after_utc > datetime.now(timezone.utc)
    assert (tier.cluster.node_uids("demo"), starts(tier)) == (pods, started)
    assert tier.shake_hands(NODE, USERS, *user).refusal == ""
