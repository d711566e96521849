# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator puts another DNS domain into names than most do, and has no key: requests carry that domain, of every component."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.operator import certs, leaves
from ..tools.support.authorities import Authority, root
from ..tools.support.watched_cluster import NAMESPACE, WatchedCluster
from .test_kept_elsewhere import ASKED, elsewhere, moved, office

CRUISE_CONTROL = "demo-cruise-control-certs"
DOMAIN = "corp.internal"


@pytest.fixture(autouse=True)
def _other_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaves, "DOMAIN", DOMAIN)


def domains(cluster: WatchedCluster, secret: str) -> set[str]:
    """Of the names in a stored leaf."""
    content = next(pem for entry, pem in cluster.secret(secret).items() if entry.endswith(".crt"))
    names = certs.names_of(certs.load(content)[0])
    return {name.split(".svc.", 1)[1] for name in names if ".svc." in name}


def create(cluster: WatchedCluster, supplied: Authority) -> Any:
    """Until the operator is content, or says why it is not."""
    cluster.run(Goal.CREATE, supplied, external_issuer=ASKED)
    cluster.deploy()
    cluster.run(Goal.CREATE, supplied, external_issuer=ASKED)
    office(cluster, supplied).work()
    return cluster.run(Goal.CREATE, supplied, external_issuer=ASKED).outcome.decision


def test_a_new_cluster_whose_caller_gives_the_domain(cluster: WatchedCluster) -> None:
    cluster.dns_domain = DOMAIN
    supplied = elsewhere(root("Corporate Root"))
    create(cluster, supplied)
    cluster.memory.settle(2)
    cluster.finish(Goal.CREATE, supplied, external_issuer=ASKED)
    assert cluster.ready
    assert domains(cluster, "demo-kafka-0") == domains(cluster, CRUISE_CONTROL) == {DOMAIN}


def test_without_it_the_operator_says_what_it_cannot_use_and_the_option_mends_it(
    cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    supplied = elsewhere(root("Corporate Root"))
    decision = create(cluster, supplied)
    assert not decision.done
    assert {one.condition for one in decision.violations} == {Condition.VERDICT}
    assert domains(cluster, "demo-kafka-0") == {"cluster.local"}
    cluster.dns_domain = DOMAIN
    cluster.run(Goal.CREATE, supplied, external_issuer=ASKED)
    office(cluster, supplied).work()
    cluster.run(Goal.RECONCILE, external_issuer=ASKED)
    cluster.memory.settle(2)
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert cluster.ready
    assert domains(cluster, "demo-kafka-0") == domains(cluster, CRUISE_CONTROL) == {DOMAIN}


@pytest.mark.parametrize("happens", ["is lost", "is wrong"])
def test_cruise_control_gets_the_domain_of_the_nodes(cluster: WatchedCluster, happens: str) -> None:
    """Also where a certificate with another domain is stored."""
    cluster.create()
    supplied = elsewhere(root("Corporate Root"))
    signing = moved(cluster, supplied)
    assert domains(cluster, CRUISE_CONTROL) == {DOMAIN}
    if happens == "is lost":
        cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{CRUISE_CONTROL}")
    else:
        key = load_key(cluster.secret(CRUISE_CONTROL)["cruise-control.key"])
        names = ["localhost", "demo-cruise-control.kafka.svc.cluster.local"]
        signed = signing.sign(build_request(DistinguishedName("demo-cruise-control"), names, key))
        cluster.put(CRUISE_CONTROL, **{"cruise-control_crt": signed})
    cluster.memory.settle(2)
    assert not cluster.ready
    cluster.run(Goal.RECONCILE, external_issuer=ASKED)
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert cluster.ready
    assert domains(cluster, CRUISE_CONTROL) == {DOMAIN}
