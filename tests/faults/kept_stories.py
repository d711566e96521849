# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Upkeep of leaves that cert-manager renews by itself, a Certificate for each, as the fault tests run it: a renewed
leaf comes into use.
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

from ..tools.support.authorities import root
from ..tools.support.cert_manager import NAMESPACE
from ..tools.support.cert_manager_certificates import MemoryCertificates
from ..tools.support.certificates import YEAR, Entity
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.flows import START, FlowResult
from ..tools.support.watched_cluster import WatchedCluster, fingerprints
from .courses import Course
from .stories import finished, with_nodes

_ASKED = "cert-manager Issuer corporate by Certificates"


@dataclass(frozen=True)
class KeptStory:
    #: Whether the certificates are those of users.
    users: bool = False

    def __str__(self) -> str:
        return f"{'users, ' if self.users else ''}renewed by Certificates"

    def begin(self, patch: pytest.MonkeyPatch) -> KeptTelling:
        cluster = ClientsCluster() if self.users else WatchedCluster()
        with_nodes(cluster, patch)
        if isinstance(cluster, ClientsCluster):
            cluster.begin()
        else:
            cluster.create()
        supplied = replace(root("Corporate Root", end=START + 10 * YEAR), elsewhere=True)
        # Certificates begin so much before they are made, as those of most issuers do.
        begun = START - timedelta(minutes=1)
        manager = MemoryCertificates(
            cluster.memory.api, Entity(supplied.chain[0], supplied.keys[0]),
            clock=lambda: begun + timedelta(seconds=cluster.memory.seconds),
        )  # fmt: skip
        cluster.issuer = CertManagerCertificates(CertManagerIssuer("corporate"))
        finished(cluster.run(Goal.REPLACE_KEY, supplied, external_issuer=_ASKED))
        cluster.memory.settle(2)
        cluster.look_away()
        cluster.memory.seconds += 600
        telling = KeptTelling(cluster, manager)
        manager.renew(telling.renewed)
        return telling


@dataclass
class KeptTelling(Course):
    """A story under way."""

    kept: WatchedCluster
    manager: MemoryCertificates

    @property
    def cluster(self) -> WatchedCluster:
        return self.kept

    @property
    def restarts(self) -> int:
        return 0

    @property
    def renewed(self) -> str:
        """The Secret of the leaf that cert-manager renews."""
        return "orders" if isinstance(self.kept, ClientsCluster) else "demo-kafka-0"

    def run(self) -> FlowResult:
        return self.cluster.run(Goal.RECONCILE, external_issuer=_ASKED)

    def complete(self) -> None:
        finished(self.run())

    def end_state(self) -> dict[str, Any]:
        cluster, api = self.cluster, self.cluster.memory.api
        cluster.memory.settle(2)
        stored = {
            key: pem for key, pem in cluster.secret(self.renewed).items() if key.endswith(".crt") and key != "ca.crt"
        }
        issued = cluster.secret(f"{self.renewed}-cm")["tls.crt"]
        requests, secrets = api.all("certificaterequests", NAMESPACE), api.all("secrets", NAMESPACE)
        names = [one["metadata"]["name"] for one in secrets]
        return {
            "in use": [fingerprints(pem)[0] == fingerprints(issued)[0] for pem in stored.values()],
            "ready": cluster.ready,
            "paused": cluster.paused,
            "requests": len(requests),
            "issuing": sorted(name for name in names if "-issuing-" in name),
        }


STORIES = [KeptStory(), KeptStory(users=True)]
