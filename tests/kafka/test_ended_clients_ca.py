# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clients CA of real nodes has really ended, and certificates that it has issued have not: nodes accept these users, and a renewal restarts nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

import pytest

from ..api.running import Runner
from ..tools.cluster.kube import Object
from ..tools.operator import certs, clusters
from .aged_leaves import make_short_lived_authority, outlive_authority, starts
from .tier import PATIENCE, Tier, bed_cluster_of_nodes, kafka_cluster

NODE, USERS = "demo-kafka-0", 9093
#: Enough for the nodes to start, and for the CA to be adopted.
LIFE = timedelta(seconds=420)

pytestmark = pytest.mark.long


class Ended(NamedTuple):
    tier: Tier
    runner: Runner
    #: A certificate of the CA, and its key, in PEM form.
    user: tuple[bytes, bytes]


def layout(name: str, namespace: str, **options: Any) -> list[Object]:
    *others, kafka = clusters.dual_role(name, namespace, **options)
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
        user = certify(tier.secret("demo-clients-ca-cert")["ca.crt"], tier.secret("demo-clients-ca")["ca.key"])
        assert tier.shake_hands(NODE, USERS, *user).refusal == ""
        outlive_authority(tier, "clients")
        yield Ended(tier, runner, user)


def certify(authority: bytes, issuing_key: bytes) -> tuple[bytes, bytes]:
    """A certificate of this CA for a user, and its key; all in PEM form."""
    key = certs.new_leaf_key()
    made = certs.leaf(certs.name("app"), (), key, authority, certs.load_key(issuing_key), 30)
    assert made is not None
    return made, certs.key_pem(key)


def test_nodes_accept_users_also_after_a_restart_and_a_renewal_restarts_nothing(ended: Ended) -> None:
    tier, runner, user = ended
    other = certs.new_ca_key()
    stranger = certify(certs.root(certs.name("clients-ca v0"), other, 30), certs.key_pem(other))
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
