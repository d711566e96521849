"""A bed for each worker; each test module has a namespace, an operator double and a Kafka cluster of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from ..tools.cluster.bed import Bed
from ..tools.cluster.bed_cluster import BedCluster
from ..tools.operator import clusters
from .running import Runner


@pytest.fixture(scope="session")
def bed() -> Iterator[Bed]:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "only")
    with Bed(f"api-{worker}", pod_start_seconds=0.5) as one:
        yield one


@pytest.fixture(scope="module")
def runner(bed: Bed, request: pytest.FixtureRequest) -> Iterator[Runner]:
    """A Ready cluster ``demo`` with a user-managed CA and a ledger."""
    namespace = request.module.__name__.rsplit(".", 1)[-1].replace("_", "-")
    cluster = BedCluster(bed, namespace)
    cluster.start(interval=10)
    one = Runner(cluster)
    one.make_ca()
    cluster.kube.apply(clusters.dual_role("demo", namespace))
    cluster.wait_until_ready("demo")
    one.make_ca()
    yield one
    cluster.stop_operator()
