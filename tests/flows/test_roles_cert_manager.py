# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped Roles for cert-manager permit what its two issuers ask for, and nothing that neither asks for (docs/rbac.yml)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.looking import observe_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.certificates import (
    find_left_over,
    remove,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Refused, Waiting
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import issuer_of
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
    ExternalIssuer,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.authorities import Authority, root
from ..tools.support.cert_manager import NAMESPACE, MemoryCertManager, People, path_of
from ..tools.support.cert_manager_certificates import MemoryCertificates, path_of_certificate
from ..tools.support.certificates import Entity
from ..tools.support.flows import START
from ..tools.support.golden import GoldenFiles
from ..tools.support.issuer_contract import asked, wish
from ..tools.support.memory_api import MemoryApi
from ..tools.support.roles import permissions
from ..tools.support.watched_cluster import WatchedCluster
from .test_roles import ISSUING, LOOKING, ROLES, bound, three_nodes

REQUESTS, CERTIFICATES = ROLES["cert-manager"], ROLES["cert-manager-certificates"]
PENDING = {"type": "Ready", "status": "False", "reason": "Pending", "message": "not yet"}


def elsewhere() -> Authority:
    return replace(root("Corporate Root"), elsewhere=True)


def entity(authority: Authority) -> Entity:
    return Entity(authority.chain[0], authority.keys[0])


def clock_of(cluster: WatchedCluster) -> Any:
    def clock() -> datetime:
        return START + timedelta(seconds=cluster.memory.seconds) - timedelta(minutes=1)

    return clock


def patch(api: MemoryApi, path: str, body: dict[str, Any]) -> None:
    answer = api.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    assert answer.status == 200, answer.body


def held_up(api: MemoryApi, name: str) -> None:
    """cert-manager waits for the Issuer of this request."""
    patch(api, f"{path_of(NAMESPACE, name)}/status", {"status": {"conditions": [PENDING]}})


def issuer_exists(api: MemoryApi) -> None:
    path = f"/apis/cert-manager.io/v1/namespaces/{NAMESPACE}/issuers"
    assert api.request("POST", path, body={"metadata": {"name": "corporate"}}).status == 201


def test_for_requests(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    permitted, api = bound(cluster, [*ISSUING, *REQUESTS]), cluster.memory.api
    cluster.create(manifests=three_nodes())
    supplied, cluster.issuer = elsewhere(), CertManagerIssuer("corporate")
    manager = MemoryCertManager(api, entity(supplied), frozenset(), clock=clock_of(cluster))
    issuer_exists(api)
    one, order = issuer_of(cluster.work()), wish().order
    token = asked(one, order)
    # As a run does that follows a killed one.
    assert asked(one, order) == token
    held_up(api, order.name)
    (waits,) = one.poll((token,))
    assert isinstance(waits, Waiting)
    golden.compare_said("flows", waits.reason)
    one.forget((token,))
    manager.approving = frozenset({NAMESPACE})
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=one.reference)
    assert (permitted.refused, permissions(REQUESTS) - permitted.used) == ([], set())


def test_for_certificates(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    permitted, api = bound(cluster, [*ISSUING, *CERTIFICATES]), cluster.memory.api
    cluster.create(manifests=three_nodes())
    supplied, cluster.issuer = elsewhere(), CertManagerCertificates(CertManagerIssuer("corporate"))
    manager = MemoryCertificates(api, entity(supplied), frozenset(), clock=clock_of(cluster))
    issuer_exists(api)
    one, order = issuer_of(cluster.work()), wish(name="demo-kafka-0").order
    token = asked(one, order)
    (request,) = api.all("certificaterequests", NAMESPACE)
    manager.is_asleep = True
    held_up(api, request["metadata"]["name"])
    (waits,) = one.poll((token,))
    assert isinstance(waits, Waiting)
    golden.compare_said("flows", waits.reason)
    patch(api, f"{path_of(NAMESPACE, request['metadata']['name'])}/status", {"status": None})
    manager.is_asleep = False
    People(api).deny(NAMESPACE, request["metadata"]["name"])
    assert isinstance(one.poll((token,))[0], Refused)
    patch(api, path_of_certificate(NAMESPACE, order.name), {"spec": {"duration": "1h"}})
    manager.approving = frozenset({NAMESPACE})
    asked(one, order)
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=one.reference)
    assert (permitted.refused, permissions(CERTIFICATES) - permitted.used) == ([], set())


def test_for_tidying(cluster: WatchedCluster) -> None:
    """Each Secret of a Certificate that a cluster with everything has is named, and no other."""
    api, supplied = cluster.memory.api, elsewhere()
    cluster.create(manifests=three_nodes())
    MemoryCertificates(api, entity(supplied), clock=clock_of(cluster))
    cluster.issuer = CertManagerCertificates(CertManagerIssuer("corporate"))
    reference = issuer_of(cluster.work()).reference
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=reference)
    cluster.issuer = ExternalIssuer()
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current)
    assert api.all("certificates", NAMESPACE)
    permitted = bound(cluster, [*LOOKING, *ROLES["cert-manager-tidying"]])
    work = cluster.work()
    remove(find_left_over(observe_cluster(work), work), work)
    assert api.all("certificates", NAMESPACE) == []
    assert permitted.refused == []
    lacking = permissions(ROLES["cert-manager-tidying"]) - permitted.used
    assert {name.removesuffix("-certs-cm") for _verb, _resource, name in lacking} <= {
        "demo-entity-topic-operator", "demo-entity-user-operator", "demo-cruise-control", "demo-kafka-exporter",
    }  # fmt: skip


@pytest.mark.parametrize("role", ["cert-manager", "cert-manager-certificates"])
def test_for_an_issuer_of_all_namespaces(role: str) -> None:
    """In a ClusterRole, because it is in no namespace; nothing of it is less limited."""
    (rule,) = ROLES["cluster-issuer"]
    (own,) = (one for one in ROLES[role] if one["resources"] == ["issuers"])
    assert {**rule, "resources": ["issuers"]} == own
