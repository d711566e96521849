# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clients CA is replaced while the PKCS#12 file of a user contains something else than the certificate beside it."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users import secrets
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.golden import GoldenFiles
from ..tools.support.memory_api import Change
from ..tools.support.watched_cluster import NAMESPACE
from .test_clients_ca import assert_only, held

pytestmark = pytest.mark.usefixtures("nodes", "looking_twice")


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    clients_cluster.begin()
    return clients_cluster


def put(cluster: ClientsCluster, **entries: bytes | None) -> None:
    """Another program writes into the user's Secret. entries: the Secret's entries, by their endings."""
    data = {f"user.{end}": value and base64.b64encode(value).decode() for end, value in entries.items()}
    cluster.change("secrets", "orders", {"data": data})


def test_an_old_file_beside_a_new_certificate_holds_the_old_ca_until_it_is_made_again(
    cluster: ClientsCluster, golden: GoldenFiles
) -> None:
    old, stored = cluster.current, cluster.secret("orders")
    kept = {"p12": stored["user.p12"], "password": stored["user.password"]}

    def put_back(change: Change) -> None:
        """A tool that has kept the two entries writes them back."""
        if (change.plural, change.name) == ("secrets", "orders") and put_back.active:
            put_back.active = False
            put(cluster, **kept)

    put_back.active = True
    cluster.memory.api.listeners.append(put_back)
    (violation,) = held(cluster.run(Goal.REPLACE_KEY)).values()
    assert violation.condition is Condition.REMOVAL
    golden.compare_stop("removal, an old keystore beside a new certificate", violation)
    assert cluster.accepted == {old, cluster.current}
    put(cluster, p12=None, password=None)
    cluster.memory.settle(1)
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)


def test_keystores_that_another_program_wrote_are_opened_during_a_flow_only(
    cluster: ClientsCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.memory.api.give("secrets", NAMESPACE, "orders", "velero")
    opened, why_stale = [], secrets.why_stale

    def count(secret: dict[str, Any], leaf: Certificate) -> str:
        opened.append(secret["metadata"]["name"])
        return why_stale(secret, leaf)

    monkeypatch.setattr(secrets, "why_stale", count)
    cluster.finish(Goal.RECONCILE)
    assert opened == []
    cluster.finish(Goal.REPLACE_KEY)
    assert set(opened) == {"orders"}
    assert_only(cluster, cluster.current)


def test_a_keystore_that_was_unusable_is_made_again_with_the_certificate(cluster: ClientsCluster) -> None:
    put(cluster, p12=b"nothing")
    cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)
