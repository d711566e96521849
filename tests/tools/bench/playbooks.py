"""The cost of a rotation with nothing to do, against playbooks whose modules do nothing at all, or read one object."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median

from ...api.running import Finished, Runner
from ..cluster.bed import Bed
from ..cluster.bed_cluster import BedCluster
from ..cluster.kube import wait_for
from ..operator import clusters
from ..operator.api import ready
from .empty import EmptyModules, SameRoles
from .measurement import Measurement, Wanted
from .one_task import OneTask
from .pairs import alternate, processor_seconds, ratio, seconds

ROUNDS = 5
#: The hyphenated name is what people type.
ROTATE = "rotate-cluster-ca"


def rotated_cluster(bed: Bed) -> Runner:
    """A cluster of three nodes whose rotation is finished."""
    cluster = BedCluster(bed, "bench")
    cluster.start(interval=5)
    runner = Runner(cluster)
    runner.flow("create").check()
    cluster.kube.apply(clusters.dual_role("demo", cluster.namespace))
    cluster.wait_until_ready("demo")
    runner.flow("create").check()
    runner.flow(ROTATE).check()
    return runner


def rotate_again(runner: Runner, *arguments: str) -> Finished:
    """A rotation that finds nothing to do. Raises RuntimeError for any other: it is not to be measured here."""
    rotation = runner.flow(ROTATE, *arguments).check()
    if "changed=0" not in rotation.output:
        raise RuntimeError(f"the second rotation did something: {rotation.output[-2000:]}")
    return rotation


def module_calls(runner: Runner) -> int:
    """How many of the collection's modules such a run executes: only results of these say how many seconds they took."""
    return sum("seconds" in result for result in rotate_again(runner, "-v").results())


def grow(runner: Runner, nodes: int) -> None:
    """More nodes in the pool, until all are Ready and the books know them."""
    cluster = runner.cluster
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{cluster.namespace}/kafkanodepools/kafka"
    cluster.kube.request("PATCH", path, body={"spec": {"replicas": nodes}}, content_type="application/merge-patch+json")

    def all_ready() -> bool:
        pods = cluster.pods("strimzi.io/name=demo-kafka")
        return len(pods) == nodes and all(map(ready, pods))

    wait_for(all_ready, f"{nodes} nodes being Ready", 300)
    runner.flow(ROTATE).check()


def measure() -> Iterator[Measurement]:
    with Bed("bench", pod_start_seconds=0.3) as bed, tempfile.TemporaryDirectory() as name:
        runner, folder = rotated_cluster(bed), Path(name)
        try:
            yield from _against_one_object(runner, folder)
            yield from _against_empty(runner, folder)
            grow(runner, 100)
            times = [seconds(partial(rotate_again, runner)) for _round in range(3)]
            yield Measurement("noop-rotate-100-pods", median(times), Wanted.AT_MOST, 5.0, "s")
        finally:
            runner.cluster.stop_operator()


def _against_empty(runner: Runner, folder: Path) -> Iterator[Measurement]:
    ours = partial(seconds, partial(rotate_again, runner))
    # The whole price: roles, their argument specifications and a dozen tasks that are no modules are ours as well.
    modules = EmptyModules(folder, module_calls(runner))
    yield Measurement("noop-rotate", ratio(alternate(ours, partial(seconds, modules.run), ROUNDS)), Wanted.AT_MOST, 1.5)
    # The price of the modules alone: what they import, read and decide.
    roles = SameRoles(folder)
    again = partial(roles.run, ROTATE, strimzi_cluster="demo", strimzi_namespace=runner.cluster.namespace)
    pairs = alternate(ours, partial(seconds, again), ROUNDS)
    yield Measurement("noop-rotate-vs-same-roles", ratio(pairs), Wanted.AT_MOST, 1.5)


def _against_one_object(runner: Runner, folder: Path) -> Iterator[Measurement]:
    """CPU time beside a playbook with one task of kubernetes.core: what anyone pays who asks a Kubernetes API through Ansible."""
    kubeconfig, namespace = runner.cluster.bed.kubeconfig, runner.cluster.namespace
    secret = OneTask(
        folder, "kubernetes.core.k8s_info", kubeconfig, kind="Secret", name="demo-cluster-ca-cert", namespace=namespace
    )
    info = OneTask(folder, "trustops.strimzi.strimzi_ca_info", kubeconfig, cluster="demo", namespace=namespace)
    # The first run of each makes what later ones find: environments, compiled files of Ansible.
    for once in (secret, info):
        once.run()
    for name, ours in (("noop-rotate", partial(rotate_again, runner)), ("info", info.run)):
        pairs = alternate(partial(processor_seconds, ours), partial(processor_seconds, secret.run), ROUNDS)
        yield Measurement(f"{name}-vs-k8s-info", ratio(pairs), Wanted.AT_MOST, 1.3)
