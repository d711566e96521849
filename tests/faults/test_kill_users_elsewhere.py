# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users on their way to certificates of an issuer elsewhere, and back, killed before and after each write: no user is refused, and the next run
comes to the same end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.asked_issuers import ByCertManager
from ..tools.support.authorities import Authority, renewed, root
from ..tools.support.cert_manager_certificates import MemoryCertificates
from ..tools.support.certificates import Entity
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.flows import START
from ..tools.support.killing import ForkingTransport, KillingTransport
from ..tools.support.misissuing import Signing
from ..tools.support.reloads import ReloadingNodes
from .conftest import Points
from .stories import have_fast_keys
from .test_kill_clients_ca import end_state

_SUPPLIED = replace(root("Corporate Root"), elsewhere=True)
_AGAIN = replace(renewed(_SUPPLIED), elsewhere=True)


@dataclass(frozen=True)
class Way:
    """moved: whether it begins with certificates of the issuer. supplied: the next CA; None where it is made here. certificates: whether
    cert-manager is asked by Certificates.
    """

    name: str
    goal: Goal
    moved: bool
    supplied: Authority | None
    certificates: bool = False
    batch: int | None = None

    def begin(self, patch: pytest.MonkeyPatch) -> ClientsCluster:
        cluster = ClientsCluster()
        have_fast_keys(cluster, patch)
        cluster.nodes = ReloadingNodes(cluster.memory)
        cluster.nodes.replace_requests(patch)
        cluster.begin()
        if self.certificates:
            entity = Entity(_SUPPLIED.chain[0], _SUPPLIED.keys[0])
            begun = START - timedelta(minutes=1)
            MemoryCertificates(
                cluster.memory.api, entity, clock=lambda: begun + timedelta(seconds=cluster.memory.seconds)
            )
            cluster.issuer = CertManagerCertificates(CertManagerIssuer("corporate"))
        else:
            cluster.issuer = ByCertManager(Signing(_SUPPLIED, cluster.memory, "")).settings
        if self.moved:
            _THERE.complete(cluster, asked=self.asked)
        cluster.look_away()
        return cluster

    @property
    def asked(self) -> str:
        return "cert-manager Issuer corporate" + (" by Certificates" if self.certificates else "")

    def complete(self, cluster: ClientsCluster, asked: str = "") -> None:
        # A rotation that has just ended would be the answer.
        about = None if self.supplied else _SUPPLIED.fingerprint
        result = cluster.run(self.goal, self.supplied, asked=asked or self.asked, user_batch=self.batch, replaces=about)
        decision = result.outcome.decision
        assert decision.done, [*map(str, decision.violations), *decision.waiting]


_THERE = Way("there", Goal.REPLACE_KEY, moved=False, supplied=_SUPPLIED)
WAYS = [
    pytest.param(_THERE, id="there"),
    *(
        pytest.param(one, id=one.name, marks=pytest.mark.long)
        for one in (
            Way("back", Goal.REPLACE_KEY, moved=True, supplied=None),
            Way("renewed", Goal.RENEW, moved=True, supplied=_AGAIN),
            Way("there by Certificates", Goal.REPLACE_KEY, moved=False, supplied=_SUPPLIED, certificates=True),
            Way("there, one at a time", Goal.REPLACE_KEY, moved=False, supplied=_SUPPLIED, batch=1),
        )
    ),
]


def state_of(cluster: ClientsCluster) -> dict[str, Any]:
    users = cluster.memory.api.all("kafkausers", "kafka")
    left = [one["metadata"]["name"] for one in cluster.memory.api.all("certificaterequests", "kafka")]
    return {
        **end_state(cluster),
        "conditions": [one["status"]["conditions"][0]["type"] for one in users],
        "pauses": [one for one in users if "pause" in str(one["metadata"].get("annotations"))],
        "requests": len(left),
        "secrets": sorted(
            one["metadata"]["name"] for one in cluster.memory.api.all("secrets", "kafka") if "issuing" in str(one["metadata"])
        ),
    }  # fmt: skip


def go_on(cluster: ClientsCluster, way: Way) -> dict[str, Any]:
    cluster.permitted = cluster.memory.api
    cluster.memory.settle(2)
    way.complete(cluster)
    cluster.memory.settle(2)
    assert cluster.rolls == {0}
    return state_of(cluster)


@pytest.mark.parametrize("after", [True, pytest.param(False, marks=pytest.mark.long)], ids=["after", "before"])
@pytest.mark.parametrize("way", WAYS)
def test_killed_at_any_write(way: Way, after: bool, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = way.begin(monkeypatch)
    counter = cluster.permitted = KillingTransport(cluster.memory.api)
    way.complete(cluster)
    cluster.memory.settle(2)
    wanted = state_of(cluster)
    killed, numbers = way.begin(monkeypatch), points.to(counter.writes)
    transport = killed.permitted = ForkingTransport(killed.memory.api, numbers, after)

    def end() -> None:
        assert go_on(killed, way) == wanted

    assert transport.kill_copies(lambda: way.complete(killed), end) == numbers
    assert counter.writes > 10
