# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Telling the operator what nodes read again: annotations in both places, the revision of a pod, and the permissions that it takes."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    Conflict,
    Forbidden,
    KubeError,
    ReloadImpossible,
    Unauthorized,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import Response as Reply
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import (
    PODS,
    SECRETS,
    Attempt,
    Resource,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.stamping import (
    find_not_reproduced,
    is_allowed,
    revision,
    stamp_pods,
    why_not_permitted,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import StampPods

from ....tools.support.certificates import key, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.memory_api import Change, MemoryApi, Response
from ....tools.support.permissions import Restricted
from ..._kube.doubles import scripted, status
from ..bench import LABELS, Bench, Object, pem, pod, recorded, secret

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
    body["metadata"]["annotations"]["example.com/other"] = "1"
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


def test_pod_set_and_pod_get_the_annotations_of_the_operator(bench: Bench) -> None:
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


def test_the_pod_sets_come_first(bench: Bench, golden: GoldenFiles) -> None:
    """A pod that is recreated meanwhile has the stamps."""
    actions, changes = stamp(bench)
    assert [(change.plural, change.name) for change in changes] == [
        ("strimzipodsets", "demo-a"), ("strimzipodsets", "demo-b"), ("pods", "demo-a-0"), ("pods", "demo-b-1"),
        ("pods", COMPONENT),
    ]  # fmt: skip
    golden.compare_said("cluster", "\n".join(sorted({action.what for action in actions})))
    assert {action.phase for action in actions} == {"use"}


def test_pods_of_deployments_get_the_key_generation_alone(bench: Bench) -> None:
    """Their operator restarts them when their Deployment changes; it looks at the key on the pod itself."""
    stamp(bench)
    assert bench.annotation("pods", COMPONENT, "cluster-ca-key-generation") == "4"
    assert bench.annotation("pods", COMPONENT, "cluster-ca-cert-generation") == "0"


def test_nodes_that_the_operator_is_to_restart_get_the_key_generation_alone(bench: Bench, golden: GoldenFiles) -> None:
    """The revision stays what the operator wrote, so that it sees what is new about them."""
    before = {name: marks(found) for name, found in entries(bench).items()}
    actions, _changes = stamp(bench, KEYS_ONLY)
    for name, found in entries(bench).items():
        expected = {**before[name], "cluster-ca-key-generation": "4"}
        assert marks(found) == marks(bench.find("pods", name)) == expected
    golden.compare_said("cluster", "\n".join(sorted({action.what for action in actions})))


def test_pods_without_a_known_revision_get_the_key_generation(bench: Bench) -> None:
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


def test_stamping_changes_stamps_only(bench: Bench) -> None:
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
    assert find_not_reproduced(bench.find("strimzipodsets", "demo-a")) == ()


def _recreated_halfway(bench: Bench) -> None:
    """The trust roll raises the key generation in spec.pods and leaves the revision alone; so the pod is another."""
    _unlike(bench)
    mark(bench, NODES[0], {"cluster-ca-key-generation": "7"})


def _no_leaf(bench: Bench) -> None:
    bench.change("secrets", NODES[0], {"data": {f"{NODES[0]}.crt": "AAAA"}})


OBSTACLES: dict[str, Callable[[Bench], None]] = {
    "changed": _unlike,
    "half of a trust roll": _recreated_halfway,
    "new model": _waiting,
    "other revision": lambda bench: mark(bench, NODES[0], {"revision": "abcdef01"}),
    "no generation": lambda bench: mark(bench, NODES[0], {"cluster-ca-cert-generation": None}),
    "no leaf hash": lambda bench: mark(bench, NODES[0], {"server-cert-hash": None}),
    "surplus": lambda bench: bench.change("strimzipodsets", "demo-a", {"spec": {"pods": []}}),
    "away": lambda bench: bench.remove("pods", NODES[0]),
    "no Secret": lambda bench: bench.remove("secrets", NODES[0]),
    "no leaf": _no_leaf,
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_a_pod_that_has_to_be_rolled_stops_all_stamping(obstacle: str, bench: Bench, golden: GoldenFiles) -> None:
    """Before anything is written; the other pod is not named."""
    OBSTACLES[obstacle](bench)
    before = len(bench.api.writes)
    with pytest.raises(ReloadImpossible) as caught:
        stamp(bench)
    golden.compare_said("cluster", caught.value, obstacle)
    assert len(bench.api.writes) == before


@pytest.mark.parametrize(("plural", "name"), [("strimzipodsets", "demo-b"), ("pods", NODES[0])])
def test_a_concurrent_change_is_not_overwritten(plural: str, name: str, bench: Bench) -> None:
    observation, work = bench.observe(), bench.work()
    body = {"metadata": {"annotations": {"example.com/other": "2"}}}
    list_all = work.client.list

    def list_and_lose(*arguments: object, **options: object) -> object:
        found = list_all(*arguments, **options)
        bench.change(plural, name, body)
        return found

    work.client.list = list_and_lose
    with pytest.raises(Conflict):
        stamp_pods(TOLD, observation, work)
    assert bench.find(plural, name)["metadata"]["annotations"]["example.com/other"] == "2"


# ``strimzi.io/revision`` by the operator's own rule (docs/operator.md, "Pod sets").

Pod = dict[str, Any]
REVISION, RESOURCES = "strimzi.io/revision", "strimzi.io/resource-revision"
POD: Pod = {
    "metadata": {
        "namespace": "kafka",
        "name": "demo-kafka-0",
        "annotations": {"b": "größer", "a": "1", REVISION: "x", RESOURCES: "x"},
    },
    "kind": "Pod",
    "spec": {
        "initContainers": [{"name": "first", "resources": {"limits": {"cpu": "1"}}}],
        "containers": [{"resources": {}, "name": "kafka", "ports": [{"containerPort": 9091}], "stdin": False}],
        "volumes": [{"name": "data", "emptyDir": {"resources": "stay"}}],
    },
    "apiVersion": "v1",
}


#: Written by hand.
HASHED = (
    '{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"a":"1","b":"größer"},"name":"demo-kafka-0",'
    '"namespace":"kafka"},"spec":{"containers":[{"name":"kafka","ports":[{"containerPort":9091}],"stdin":false}],'
    '"initContainers":[{"name":"first"}],"volumes":[{"emptyDir":{"resources":"stay"},"name":"data"}]}}'
)


def test_the_revision_hashes_the_pod_without_resources() -> None:
    """Sorted, compact, in UTF-8, without resources of containers of both kinds, without the revision."""
    assert revision(POD) == hashlib.sha1(HASHED.encode("utf-8")).hexdigest()[:8]


def without_resource_revision() -> Pod:
    """A pod of an operator before 1.0."""
    pod = copy.deepcopy(POD)
    del pod["metadata"]["annotations"][RESOURCES]
    return pod


def test_without_a_revision_of_the_resources_the_revision_hashes_the_whole_pod() -> None:
    hashed = HASHED.replace(
        '{"name":"kafka","ports":[{"containerPort":9091}],"stdin":false}',
        ('{"name":"kafka","ports":[{"containerPort":9091}],"resources":{},"stdin":false}'),
    ).replace('{"name":"first"}', '{"name":"first","resources":{"limits":{"cpu":"1"}}}')
    assert revision(without_resource_revision()) == hashlib.sha1(hashed.encode("utf-8")).hexdigest()[:8]


@pytest.mark.parametrize("group", ["containers", "initContainers"])
def test_resources_without_a_revision_of_their_own_are_counted(group: str) -> None:
    pod = without_resource_revision()
    _set(group, "resources", {"limits": {"memory": "2Gi"}})(pod)
    assert revision(pod) != revision(without_resource_revision())


def _mark(key: str, value: str) -> Callable[[Pod], None]:
    return lambda pod: pod["metadata"]["annotations"].update({key: value})


def _set(group: str, key: str, value: Any) -> Callable[[Pod], None]:
    return lambda pod: pod["spec"][group][0].update({key: value})


LEFT_OUT: dict[str, Callable[[Pod], None]] = {
    "revision": _mark(REVISION, "y"),
    "resource revision": _mark(RESOURCES, "y"),
    "resources": _set("containers", "resources", {"limits": {"memory": "2Gi"}}),
    "init resources": _set("initContainers", "resources", {"limits": {"memory": "2Gi"}}),
}
COUNTED: dict[str, Callable[[Pod], None]] = {
    "annotation": _mark("a", "2"),
    "new annotation": _mark("strimzi.io/revision-of-mine", "y"),
    "label": lambda pod: pod["metadata"].update(labels={"a": "1"}),
    "image": _set("containers", "image", "kafka:5"),
    "init image": _set("initContainers", "image", "kafka:5"),
    "volume": _set("volumes", "emptyDir", {}),
    "pod resources": lambda pod: pod["spec"].update(resources={"limits": {"cpu": "1"}}),
    "one container more": lambda pod: pod["spec"]["containers"].append({"name": "side"}),
}


@pytest.mark.parametrize("change", LEFT_OUT.values(), ids=LEFT_OUT)
def test_left_out(change: Callable[[Pod], None]) -> None:
    pod = copy.deepcopy(POD)
    change(pod)
    assert revision(pod) == revision(POD)


@pytest.mark.parametrize("change", COUNTED.values(), ids=COUNTED)
def test_counted(change: Callable[[Pod], None]) -> None:
    pod = copy.deepcopy(POD)
    change(pod)
    assert revision(pod) != revision(POD)


TEXT = st.text(max_size=5)
VALUES = st.recursive(TEXT | st.integers() | st.booleans(), lambda inner: st.dictionaries(TEXT, inner, max_size=3))


def _turned(value: Any) -> Any:
    """The same with the keys of every map in reverse."""
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(list(value))}
    return [_turned(one) for one in value] if isinstance(value, list) else value


@given(st.dictionaries(TEXT, TEXT), st.dictionaries(st.sampled_from(["hostname", "affinity", "tolerations"]), VALUES))
def test_the_order_of_keys_means_nothing_and_the_pod_stays_as_it_is(marks: dict[str, str], spec: Pod) -> None:
    pod = {**POD, "metadata": {"name": "p", "annotations": marks}, "spec": {**POD["spec"], **spec}}
    before = copy.deepcopy(pod)
    assert revision(pod) == revision(_turned(pod))
    assert pod == before


def test_the_check_names_the_pods_that_are_not_reproduced() -> None:
    pods = [copy.deepcopy(POD) for _number in range(4)]
    for number, one in enumerate(pods):
        one["metadata"]["name"] = f"p{number}"
        one["metadata"]["annotations"][REVISION] = revision(one)
    assert find_not_reproduced({"spec": {"pods": pods}}) == ()
    pods[1]["metadata"]["annotations"]["a"] = "changed"
    pods[3]["metadata"]["annotations"] = None
    assert find_not_reproduced({"spec": {"pods": pods}}) == ("p1", "p3")


# The missing permissions of those that a reload takes, in words and as rules of a Role.

NEEDED = ("patch strimzipodsets", "patch pods", "get configmaps")


def why(*denied: str, review: Response | None = None) -> str:
    api = Restricted(MemoryApi(), frozenset(denied), review)
    return why_not_permitted(KubeClient(api, sleep=lambda seconds: None), "kafka")


def test_an_identity_with_all_permissions_may_stamp() -> None:
    assert why() == ""
    assert why("delete pods", "patch secrets") == ""


@pytest.mark.parametrize("denied", NEEDED)
def test_a_missing_permission_is_named_with_its_role(denied: str, golden: GoldenFiles) -> None:
    golden.compare_said("cluster", why(denied), denied)


def test_all_missing_permissions_are_named(golden: GoldenFiles) -> None:
    golden.compare_said("cluster", why(*NEEDED))


@pytest.mark.parametrize(("code", "reason"), [(403, "Forbidden"), (404, "NotFound"), (405, "MethodNotAllowed")])
def test_the_api_server_does_not_say(code: int, reason: str, golden: GoldenFiles) -> None:
    golden.compare_said("cluster", why(review=Response(code, {"reason": reason, "message": "no"})), reason)


@pytest.mark.parametrize(("code", "kind"), [(401, Unauthorized), (503, KubeError)])
def test_an_api_server_that_fails_says_nothing_about_permissions(code: int, kind: type[KubeError]) -> None:
    """Any request that followed would fail as well."""
    with pytest.raises(kind):
        why(review=Response(code, status(code).body))


# Whether something is permitted, asked beforehand; only a plain yes is one.

POD_SETS = Resource("core.strimzi.io", "v1", "strimzipodsets", "StrimziPodSet")
YES = {"allowed": True}


def answer(body: Any) -> Reply:
    return Reply(201, body, {})


@pytest.mark.parametrize(
    ("attempt", "asked"),
    [
        (
            Attempt("patch", POD_SETS, "kafka"),
            {"verb": "patch", "group": "core.strimzi.io", "resource": "strimzipodsets", "namespace": "kafka"},
        ),
        (
            Attempt("create", PODS, "kafka", None, "portforward"),
            {"verb": "create", "resource": "pods", "subresource": "portforward", "namespace": "kafka"},
        ),
        (
            Attempt("get", SECRETS, "kafka", "demo-ca"),
            {"verb": "get", "resource": "secrets", "namespace": "kafka", "name": "demo-ca"},
        ),
        (Attempt("list", PODS, None), {"verb": "list", "resource": "pods"}),
    ],
)
def test_an_access_review_names_the_attempt(attempt: Attempt, asked: dict[str, str]) -> None:
    client, transport, _clock = scripted([answer({"status": YES})])
    assert is_allowed(client, attempt)
    (sent,) = transport.sent
    assert (sent.method, sent.path) == ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
    assert sent.body == {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": asked},
    }  # fmt: skip
    assert client.writes == 0


@pytest.mark.parametrize(
    "body",
    [
        {"status": {"allowed": False}},
        {"status": {"allowed": False, "denied": True, "reason": "no", "evaluationError": "webhook"}},
        {"status": {"allowed": "true"}},
        {"status": {}},
        {"status": None},
        {},
    ],
)
def test_an_answer_without_a_clear_permission_is_a_refusal(body: dict[str, Any]) -> None:
    client, _transport, _clock = scripted([answer(body)])
    assert not is_allowed(client, Attempt("patch", PODS, "kafka"))


def test_an_identity_that_may_not_review_its_access_fails() -> None:
    client, _transport, _clock = scripted([status(403, "Forbidden", "no")])
    with pytest.raises(Forbidden, match="create SelfSubjectAccessReview"):
        is_allowed(client, Attempt("patch", PODS, "kafka"))
