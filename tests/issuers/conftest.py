# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of the tests: a bed with cert-manager's real controllers, which make their CAs themselves, and a real Vault."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from ..tools.cluster.bed import Bed
from ..tools.cluster.cert_manager import CLUSTER_RESOURCES, start_cert_manager
from ..tools.cluster.kube import Kube
from ..tools.cluster.vault import VaultServer, vault_server
from ..tools.support.cert_manager import NAMESPACE, UNAPPROVED
from ..tools.support.vault_mount import Administrator, SetUp, set_up_on
from .corporate import Corporate, asked_without_cert_manager


@pytest.fixture(scope="session")
def bed() -> Iterator[Bed]:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "only")
    with Bed(f"issuers-{worker}", nodes=0) as one:
        namespaces = (NAMESPACE, UNAPPROVED, CLUSTER_RESOURCES)
        Kube(one.kubeconfig).apply(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in namespaces
        )
        yield one


@pytest.fixture(scope="session")
def without_cert_manager(bed: Bed) -> list[object]:
    """The issuer's answers before cert-manager is installed."""
    return asked_without_cert_manager(bed)


@pytest.fixture(scope="session")
def corporate(bed: Bed, without_cert_manager: list[object], tmp_path_factory: pytest.TempPathFactory) -> Corporate:
    start_cert_manager(bed, approving=NAMESPACE)
    return Corporate(bed, tmp_path_factory.mktemp("identity") / "kubeconfig").set_up()


@pytest.fixture(scope="session")
def server() -> Iterator[VaultServer]:
    with vault_server() as one:
        yield one


@pytest.fixture(scope="session")
def ready(server: VaultServer) -> Iterator[SetUp]:
    with set_up_on(Administrator(server.url, server.token)) as made:
        yield made
