# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Telling the operator what nodes read again: annotations in both places, consistent with each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Conflict, ReloadImpossible
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.stamping import (
    not_reproduced,
    revision,
    stamp_pods,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import StampPods

from ...support.certificates import key, make
from ...support.memory_api import Change
from .bench import LABELS, SCOPE, Bench, Object, pem, pod, recorded, secret

CA = make("cluster-ca v0", key(0))
LEAVES = {
    name: make("demo-kafka", key(number), CA, ca=False) for number, name in enumerate(("demo-a-0", "demo-b-1"), 1)
}
NODES = tuple(LEAVES)
STAMPS = ("cluster-ca-cert-generation", "cluster-ca-key-generation", "server-cert-hash", "revision")
TOLD = StampPods(generation=3, key_generation=4, phase=Phase.USE)
#: The nodes are to restart by themselves, and not for the key.
KEYS_ONLY = replace(TOLD, generation=None)
COMPONENT = "demo-cruise-control-x"


def entry(name: str, **annotations: str) -> Object:
    """A pod as it stands in a StrimziPodSet."""
    body = pod(name, cluster_ca_cert_generation="0", cluster_ca_key_generation="0", server_cert_hash="0" * 40,
               configuration_hash="1", **annotations)  # fmt: skip
    del body["status"]
    body["spec"] = {"containers": [{"name": "kafka", "image": "kafka:1", "resources": {"limits": {"cpu": "1"}}}]}
    body["metadata"]["annotations"]["strimzi.io/revision"] = revision(body)
    return body


def live(name: str) -> Object:
    """The same pod with the fields that the API server and others add to it."""
    body = entry(name)
    body["metadata"]["annotations"]["somebody/else"] = "1"
    body["spec"]["nodeName"] = "worker"
    return body


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    node = {"strimzi.io/name": "demo-kafka"}
    for name, leaf in LEAVES.items():
        pool = name.rpartition("-")[0]
        pod_set = {"metadata": {"name": pool, "labels": LABELS}, "spec": {"pods": [entry(name)]}}
        made.create("strimzipodsets", pod_set)
        made.create("pods", live(name))
        made.create("secrets", secret(name, {f"{name}.crt": pem(leaf, CA)}, labels=node))
    made.create("pods", pod(COMPONENT, "cruise-control", cluster_ca_cert_generation="0", cluster_ca_key_generation="0"))
    return made


def stamp(bench: Bench, step: StampPods = TOLD, *, dry_run: bool = False) -> tuple[list[Action], list[Change]]:
    observation, before = bench.observe(), len(bench.api.writes)
    actions = recorded(stamp_pods, step, observation, bench.work(dry_run=dry_run))
    return actions, bench.api.writes[before:]


def entries(bench: Bench) -> dict[str, Object]:
    pod_sets = bench.api.all("strimzipodsets", "kafka")
    return {one["metadata"]["name"]: one for pod_set in pod_sets for one in pod_set["spec"]["pods"]}


def marks(body: Object) -> dict[str, str]:
    return {name: body["metadata"]["annotations"][f"strimzi.io/{name}"] for name in STAMPS}


def put(bench: Bench, name: str, body: Object) -> None:
    """Puts a pod into its StrimziPodSet, in the place of the one that is there."""
    bench.change("strimzipodsets", name.rpartition("-")[0], {"spec": {"pods": [body]}})


def mark(bench: Bench, name: str, annotations: Mapping[str, str | None]) -> None:
    named = {f"strimzi.io/{key}": value for key, value in annotations.items()}
    bench.change("pods", name, {"metadata": {"annotations": named}})


def test_both_places_say_what_the_operator_would_compute(bench: Bench) -> None:
    stamp(bench)
    for name, found in entries(bench).items():
        expected = {
            "cluster-ca-cert-generation": "3",
            "cluster-ca-key-generation": "4",
            "server-cert-hash": LEAVES[name].certificate.fingerprint,
            "revision": revision(found),
        }
        assert marks(found) == marks(bench.find("pods", name)) == expected
        assert found["metadata"]["annotations"]["strimzi.io/revision"] != revision(entry(name))


def test_the_pod_sets_come_first(bench: Bench) -> None:
    """A pod that is recreated meanwhile has the stamps."""
    actions, changes = stamp(bench)
    assert [(change.plural, change.name) for change in changes] == [
        ("strimzipodsets", "demo-a"), ("strimzipodsets", "demo-b"), ("pods", "demo-a-0"), ("pods", "demo-b-1"),
        ("pods", COMPONENT),
    ]  # fmt: skip
    said = "generation 3, key generation 4"
    assert {action.what for action in actions} == {said, f"pods are created with {said}"}
    assert {action.phase for action in actions} == {"use"}


def test_pods_of_deployments_get_the_key_generation_alone(bench: Bench) -> None:
    """Their operator restarts them when their Deployment changes; it looks at the key on the pod itself."""
    stamp(bench)
    assert bench.annotation("pods", COMPONENT, "cluster-ca-key-generation") == "4"
    assert bench.annotation("pods", COMPONENT, "cluster-ca-cert-generation") == "0"


def test_nodes_that_the_operator_is_to_restart_get_the_key_generation_alone(bench: Bench) -> None:
    """The revision stays what the operator wrote, so that it sees what is new about them."""
    before = {name: marks(found) for name, found in entries(bench).items()}
    actions, _changes = stamp(bench, KEYS_ONLY)
    for name, found in entries(bench).items():
        expected = {**before[name], "cluster-ca-key-generation": "4"}
        assert marks(found) == marks(bench.find("pods", name)) == expected
    assert {action.what for action in actions} == {"key generation 4", "pods are created with key generation 4"}


def test_what_keeps_nodes_from_being_told_is_no_reason_to_restart_them_for_the_key(bench: Bench) -> None:
    _unlike(bench)
    bench.create("pods", pod("demo-c-7"))
    stamp(bench, KEYS_ONLY)
    assert {bench.annotation("pods", name, "cluster-ca-key-generation") for name in (*NODES, "demo-c-7")} == {"4"}


@pytest.mark.parametrize("annotations", [{}, None])
def test_a_pod_that_was_never_annotated_is_now(annotations: dict[str, str] | None, bench: Bench) -> None:
    body = entry(NODES[0])
    body["metadata"]["annotations"] = annotations
    put(bench, NODES[0], body)
    stamp(bench, KEYS_ONLY)
    assert entries(bench)[NODES[0]]["metadata"]["annotations"] == {"strimzi.io/cluster-ca-key-generation": "4"}


def test_everything_else_stays(bench: Bench) -> None:
    def bare(body: Object) -> Object:
        own = {k: v for k, v in body["metadata"]["annotations"].items() if k.partition("/")[2] not in STAMPS}
        metadata = {k: v for k, v in body["metadata"].items() if k not in ("resourceVersion", "managedFields")}
        return {**body, "metadata": {**metadata, "annotations": own}}

    before = [*entries(bench).values(), *bench.api.all("pods", "kafka")]
    stamp(bench)
    after = [*entries(bench).values(), *bench.api.all("pods", "kafka")]
    assert [bare(one) for one in after] == [bare(one) for one in before]


def test_a_second_time_there_is_nothing_to_do(bench: Bench) -> None:
    stamp(bench)
    assert stamp(bench) == ([], [])
    assert stamp(bench, KEYS_ONLY) == ([], [])


def test_a_dry_run_only_says_what_it_would_do(bench: Bench) -> None:
    actions, changes = stamp(bench, dry_run=True)
    assert (len(actions), changes) == (5, [])


@pytest.mark.parametrize("done", range(6))
def test_a_run_that_ended_between_is_continued(done: int, bench: Bench) -> None:
    """The next run writes the rest, however much had been written by then."""
    other = [bench.find("strimzipodsets", name) for name in ("demo-a", "demo-b")]
    other += [bench.find("pods", name) for name in (*NODES, COMPONENT)]
    stamp(bench)
    for old in other[done:]:
        plural = "pods" if old["kind"] == "Pod" else "strimzipodsets"
        part = {"spec": old["spec"]} if plural == "strimzipodsets" else {
            "metadata": {"annotations": old["metadata"]["annotations"]}
        }  # fmt: skip
        bench.change(plural, old["metadata"]["name"], part)
    _actions, changes = stamp(bench)
    assert len(changes) == 5 - done
    assert all(marks(bench.find("pods", name)) == marks(found) for name, found in entries(bench).items())


def _unlike(bench: Bench) -> None:
    """The StrimziPodSet was changed by hand, or the rule is another one in this version of the operator."""
    body = entry(NODES[0])
    body["metadata"]["annotations"]["strimzi.io/cluster-ca-key-generation"] = "7"
    put(bench, NODES[0], body)


def _waiting(bench: Bench) -> None:
    """The operator has a new model that the pod does not have yet."""
    body = entry(NODES[0], kafka_version="5")
    put(bench, NODES[0], body)
    assert not_reproduced(bench.find("strimzipodsets", "demo-a")) == ()


def _recreated_halfway(bench: Bench) -> None:
    """The trust roll raises the key generation in spec.pods and leaves the revision alone; so the pod is another."""
    _unlike(bench)
    mark(bench, NODES[0], {"cluster-ca-key-generation": "7"})


def _no_leaf(bench: Bench) -> None:
    bench.change("secrets", NODES[0], {"data": {f"{NODES[0]}.crt": "AAAA"}})


OBSTACLES: dict[str, tuple[Callable[[Bench], None], str]] = {
    "changed": (_unlike, "has a revision that cannot be reproduced"),
    "half of a trust roll": (_recreated_halfway, "has a revision that cannot be reproduced"),
    "new model": (_waiting, "waits for a restart for another reason"),
    "other revision": (
        lambda bench: mark(bench, NODES[0], {"revision": "abcdef01"}), "waits for a restart for another reason",
    ),
    "no generation": (
        lambda bench: mark(bench, NODES[0], {"cluster-ca-cert-generation": None}),
        "waits for a restart for another reason",
    ),
    "no leaf hash": (
        lambda bench: mark(bench, NODES[0], {"server-cert-hash": None}), "waits for a restart for another reason",
    ),
    "surplus": (
        lambda bench: bench.change("strimzipodsets", "demo-a", {"spec": {"pods": []}}), "is in no StrimziPodSet",
    ),
    "away": (lambda bench: bench.remove("pods", NODES[0]), "does not exist at present"),
    "no Secret": (lambda bench: bench.remove("secrets", NODES[0]), "has no readable leaf in its Secret"),
    "no leaf": (_no_leaf, "has no readable leaf in its Secret"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "reason"), OBSTACLES.values(), ids=OBSTACLES)
def test_one_pod_that_has_to_be_rolled_stops_everything(
    spoil: Callable[[Bench], None], reason: str, bench: Bench
) -> None:
    """Before anything is written; the other pod is not named."""
    spoil(bench)
    before = len(bench.api.writes)
    with pytest.raises(ReloadImpossible) as caught:
        stamp(bench)
    assert str(caught.value).endswith(f" restart: {NODES[0]} {reason}.")
    assert f"{SCOPE.namespace}/{SCOPE.cluster}" in str(caught.value)
    assert "restart the nodes instead of reloading them" in caught.value.remedy
    assert len(bench.api.writes) == before


@pytest.mark.parametrize(("plural", "name"), [("strimzipodsets", "demo-b"), ("pods", NODES[0])])
def test_what_somebody_else_changed_meanwhile_is_not_overwritten(plural: str, name: str, bench: Bench) -> None:
    observation, work = bench.observe(), bench.work()
    body = {"metadata": {"annotations": {"somebody/else": "2"}}}
    list_all = work.client.list

    def list_and_lose(*arguments: object, **options: object) -> object:
        found = list_all(*arguments, **options)
        bench.change(plural, name, body)
        return found

    work.client.list = list_and_lose
    with pytest.raises(Conflict):
        stamp_pods(TOLD, observation, work)
    assert bench.find(plural, name)["metadata"]["annotations"]["somebody/else"] == "2"
