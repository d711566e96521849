# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``strimzi.io/revision`` by the operator's own rule (docs/operator.md, "Pod sets")."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.stamping import not_reproduced, revision

Pod = dict[str, Any]
REVISION, RESOURCES = "strimzi.io/revision", "strimzi.io/resource-revision"

POD: Pod = {
    "metadata": {"namespace": "kafka", "name": "demo-kafka-0", "annotations": {"b": "größer", "a": "1", REVISION: "x"}},
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


def test_what_is_hashed() -> None:
    """Sorted, compact, in UTF-8, without resources of containers of both kinds, without the revision."""
    assert revision(POD) == hashlib.sha1(HASHED.encode("utf-8")).hexdigest()[:8]


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
    for number, pod in enumerate(pods):
        pod["metadata"]["name"] = f"p{number}"
        pod["metadata"]["annotations"][REVISION] = revision(pod)
    assert not_reproduced({"spec": {"pods": pods}}) == ()
    pods[1]["metadata"]["annotations"]["a"] = "changed"
    pods[3]["metadata"]["annotations"] = None
    assert not_reproduced({"spec": {"pods": pods}}) == ("p1", "p3")
