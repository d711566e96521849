# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows on the clients CA as the fault tests run them, also where users are on their way to certificates of an issuer elsewhere, and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout

from ..flows.test_clients_ca_unused import without_users
from ..flows.test_users_in_batches import without_keystores
from ..tools.operator import clusters
from ..tools.support.asked_issuers import ByCertManager
from ..tools.support.authorities import Authority, renewed, root
from ..tools.support.cert_manager_certificates import MemoryCertificates
from ..tools.support.certificates import Entity
from ..tools.support.clients_cluster import CERTIFICATES, KEYS, ClientsCluster
from ..tools.support.flows import START, FlowResult
from ..tools.support.misissuing import Signing
from ..tools.support.watched_cluster import CLUSTER
from .courses import Course
from .stories import finished, with_nodes


@dataclass(frozen=True)
class ClientsStory:
    goal: Goal
    #: Listeners can be told to read again.
    reload: bool = True
    #: How many users are served at a time.
    batch: int | None = None
    #: Whether the User Operator makes PKCS#12 files; an operator that does not looks at all users after every write of a CA, of whom one is to be issued again.
    keystores: bool = True
    #: Whether there is a User Operator, users, and a listener that verifies them.
    operated: bool = True
    #: The arrangement of Secrets that contains the ledger.
    layout: Layout = Layout.SINGLE

    def __str__(self) -> str:
        how = ["reload" if self.reload else "restart"]
        how += [f"{self.batch} at a time"] * bool(self.batch) + ["no PKCS#12"] * (not self.keystores)
        how += ["no users"] * (not self.operated)
        how += [self.layout.value] * (self.layout is not Layout.SINGLE)
        return ", ".join(("users", self.goal.value, *how))

    def begin(self, patch: pytest.MonkeyPatch) -> ClientsTelling:
        cluster = ClientsCluster()
        with_nodes(cluster, patch, reload=self.reload)
        self._prepare(cluster)
        return ClientsTelling(self, cluster)

    def _prepare(self, cluster: ClientsCluster) -> None:
        if self.goal is Goal.CREATE:
            cluster.ca = CaKind.CLUSTER
            cluster.run(Goal.CREATE)
            cluster.ca = CaKind.CLIENTS
            return
        if not self.operated:
            without_users(cluster)
            finished(cluster.run(Goal.UPGRADE))
        elif self.keystores:
            cluster.begin(generated=self.goal is Goal.UPGRADE)
        else:
            without_keystores(cluster, "false")
        if self.layout is not Layout.SINGLE:
            finished(cluster.run(Goal.RECONCILE))
            cluster.run(Goal.RECONCILE, layout=self.layout)
        if self.goal is Goal.DOWNGRADE:
            finished(cluster.run(Goal.UPGRADE))
        if self.goal in (Goal.RENEW, Goal.REPLACE_KEY):
            cluster.checker.plant_foreign(CERTIFICATES, KEYS)


@dataclass
class ClientsTelling(Course):
    """A story under way."""

    story: ClientsStory
    of_users: ClientsCluster

    @property
    def cluster(self) -> ClientsCluster:
        return self.of_users

    @property
    def restarts(self) -> int:
        return 2 if not self.story.reload and self.story.goal in (Goal.REPLACE_KEY, Goal.RENEW) else 0

    def run(self) -> FlowResult:
        return self.cluster.run(self.story.goal, user_batch=self.story.batch)

    def complete(self) -> None:
        cluster, goal = self.cluster, self.story.goal
        finished(self.run())
        if goal is Goal.CREATE and not cluster.kafka:
            pool, kafka = clusters.dual_role(CLUSTER, "kafka", replicas=2, generated=False)
            kafka["spec"]["clientsCa"] = {"generateCertificateAuthority": False}
            cluster.deploy([pool, kafka])
            cluster.add("orders")
            finished(cluster.run(goal))

    def end_state(self) -> dict[str, Any]:
        cluster, marks = self.cluster, ("ca-cert-generation", "ca-key-generation")
        return {
            "certificates": sorted(key for key in cluster.secret(CERTIFICATES) if key.endswith(".crt")),
            "keys": sorted(map(len, cluster.secret(KEYS))),
            "states": sorted(cluster.states.values()),
            "generations": [
                cluster.annotation("secrets", name, mark) for name, mark in zip((CERTIFICATES, KEYS), marks, strict=True)
            ],
            "paused": cluster.paused,
            "generated": cluster.kafka["spec"]["clientsCa"],
            "accepted": len(cluster.accepted),
            "issuers": len(cluster.issuers()),
        }  # fmt: skip


STORIES = [
    *(ClientsStory(goal) for goal in (Goal.REPLACE_KEY, Goal.RENEW, Goal.UPGRADE, Goal.DOWNGRADE)),
    ClientsStory(Goal.CREATE),
    ClientsStory(Goal.REPLACE_KEY, keystores=False),
    ClientsStory(Goal.REPLACE_KEY, operated=False),
]
#: In batches a killed run is gone on with by one that knows nothing of them, in every run of the tests (flows/test_users_in_batches.py).
LONG = [
    ClientsStory(Goal.REPLACE_KEY, batch=1),
    ClientsStory(Goal.REPLACE_KEY, reload=False),
    ClientsStory(Goal.RENEW, batch=1),
    ClientsStory(Goal.RENEW, keystores=False),
    ClientsStory(Goal.REPLACE_KEY, reload=False, batch=1),
    ClientsStory(Goal.REPLACE_KEY, reload=False, keystores=False),
    *(ClientsStory(Goal.REPLACE_KEY, layout=layout) for layout in (Layout.SPLIT, Layout.KEYED)),
]


_SUPPLIED = replace(root("Corporate Root"), elsewhere=True)
_AGAIN = replace(renewed(_SUPPLIED), elsewhere=True)


@dataclass(frozen=True)
class Way:
    name: str
    goal: Goal
    #: Whether it begins with certificates of the issuer.
    moved: bool
    #: The next CA; None where it is made here.
    supplied: Authority | None
    #: Whether cert-manager is asked by Certificates.
    certificates: bool = False
    batch: int | None = None

    def __str__(self) -> str:
        return f"users, {self.name}"

    def begin(self, patch: pytest.MonkeyPatch) -> TravellingTelling:
        cluster = ClientsCluster()
        with_nodes(cluster, patch)
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
            finished(_THERE.run(cluster, asked=self.asked))
            cluster.memory.settle(2)
        cluster.look_away()
        return TravellingTelling(self, cluster)

    @property
    def asked(self) -> str:
        return "cert-manager Issuer corporate" + (" by Certificates" if self.certificates else "")

    def run(self, cluster: ClientsCluster, asked: str = "") -> FlowResult:
        # A rotation that has just ended would be the answer.
        about = None if self.supplied else _SUPPLIED.fingerprint
        return cluster.run(
            self.goal, self.supplied, external_issuer=asked or self.asked, user_batch=self.batch, replaces=about
        )


@dataclass
class TravellingTelling(Course):
    """Users under way."""

    way: Way
    of_users: ClientsCluster

    @property
    def cluster(self) -> ClientsCluster:
        return self.of_users

    @property
    def restarts(self) -> int:
        return 0

    def run(self) -> FlowResult:
        return self.way.run(self.cluster)

    def complete(self) -> None:
        finished(self.run())
        self.cluster.memory.settle(2)

    def end_state(self) -> dict[str, Any]:
        api = self.cluster.memory.api
        users, secrets = api.all("kafkausers", "kafka"), api.all("secrets", "kafka")
        return {
            **ClientsTelling(ClientsStory(self.way.goal), self.cluster).end_state(),
            "conditions": [one["status"]["conditions"][0]["type"] for one in users],
            "pauses": [one for one in users if "pause" in str(one["metadata"].get("annotations"))],
            "requests": len(api.all("certificaterequests", "kafka")),
            "secrets": sorted(one["metadata"]["name"] for one in secrets if "issuing" in str(one["metadata"])),
        }


_THERE = Way("there", Goal.REPLACE_KEY, moved=False, supplied=_SUPPLIED)
WAYS = [_THERE]
LONG_WAYS = [
    Way("back", Goal.REPLACE_KEY, moved=True, supplied=None),
    Way("renewed", Goal.RENEW, moved=True, supplied=_AGAIN),
    Way("there by Certificates", Goal.REPLACE_KEY, moved=False, supplied=_SUPPLIED, certificates=True),
    Way("there, one at a time", Goal.REPLACE_KEY, moved=False, supplied=_SUPPLIED, batch=1),
]
