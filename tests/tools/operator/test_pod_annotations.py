# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The annotations that mark pods, and the hashes in them (docs/operator.md, "Pod annotations", "Pod sets", "Reload", 3)."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from hypothesis import given
from hypothesis import strategies as st

from .operated_cluster import CERTIFICATE, CLUSTER, KEY, OperatedCluster, certificates
from .podsets import resource_revision, revision

REVISION, HASH = "strimzi.io/revision", "strimzi.io/server-cert-hash"
RESOURCES = "strimzi.io/resource-revision"


def sha1(pem: bytes) -> str:
    return certificates(pem)[0].fingerprint(hashes.SHA1()).hex()


def test_marks_of_a_node(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pod annotations"."""
    for pod in generated.pods():
        name = pod["metadata"]["name"]
        marks = pod["metadata"]["annotations"]
        assert set(marks) == {
            CERTIFICATE,
            KEY,
            "strimzi.io/clients-ca-cert-generation",
            "strimzi.io/configuration-hash",
            "strimzi.io/kafka-version",
            HASH,
            REVISION,
            RESOURCES,
        }
        assert marks[HASH] == sha1(generated.entries(name)[f"{name}.crt"])
        assert (marks[CERTIFICATE], marks[KEY], marks["strimzi.io/clients-ca-cert-generation"]) == ("0", "0", "0")


def test_marks_follow_the_secrets(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pod annotations": three generations, each from its own Secret."""
    generated.annotate("secrets", "demo-cluster-ca", force_replace="true")
    generated.step(2)
    generated.annotate("secrets", "demo-cluster-ca-cert", force_renew="true")
    generated.annotate("secrets", "demo-clients-ca-cert", force_renew="true")
    generated.step(2)
    for component in ("kafka", "entity-operator", "cruise-control", "kafka-exporter"):
        for pod in generated.pods(component):
            marks = pod["metadata"]["annotations"]
            assert (marks[CERTIFICATE], marks[KEY]) == ("2", "1")
            assert marks.get("strimzi.io/clients-ca-cert-generation") == ("1" if component == "kafka" else None)


def test_marks_of_components(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pod annotations": first 8 for Cruise Control and the exporter, two stubs for the Entity
    Operator.
    """

    def stub(secret: str, entry: str) -> str:
        return sha1(generated.entries(secret)[f"{entry}.crt"])[:8]

    expected = {
        "cruise-control": stub("demo-cruise-control-certs", "cruise-control"),
        "kafka-exporter": stub("demo-kafka-exporter-certs", "kafka-exporter"),
        "entity-operator": stub("demo-entity-topic-operator-certs", "entity-operator")
        + stub("demo-entity-user-operator-certs", "entity-operator"),
    }
    found = {name: generated.pods(name)[0]["metadata"]["annotations"][HASH] for name in expected}
    assert found == expected


@pytest.mark.parametrize(("gone", "first"), [("topicOperator", True), ("userOperator", False)])
def test_a_part_that_is_not_deployed_is_called_null(gone: str, first: bool, generated: OperatedCluster) -> None:
    """docs/operator.md, "Pod annotations"."""
    generated.change("kafkas", CLUSTER, {"spec": {"entityOperator": {gone: None}}})
    generated.step()
    mark = generated.pods("entity-operator")[0]["metadata"]["annotations"][HASH]
    assert len(mark) == 12
    assert mark.startswith("null") is first
    assert mark.endswith("null") is not first


def independent(pod: dict[str, Any]) -> str:
    """As docs/operator.md, "Reload", 3 describes it: compact JSON with sorted keys, without resources and the two
    annotations.
    """
    bare = json.loads(json.dumps(pod))
    marks = bare["metadata"]["annotations"]
    bare["metadata"]["annotations"] = {k: v for k, v in marks.items() if not k.endswith("revision")}
    for container in bare["spec"]["containers"] + bare["spec"].get("initContainers", []):
        container.pop("resources", None)
    text = json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha1(text.encode("utf-8")).hexdigest()[:8]


def test_revision_is_the_hash_of_the_pod_in_the_pod_set(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pod sets": before the two revision annotations are added."""
    for pod in generated.existing("strimzipodsets", "demo-kafka")["spec"]["pods"]:
        assert pod["metadata"]["annotations"][REVISION] == independent(pod)


POD = {
    "metadata": {"name": "p", "labels": {"a": "1"}, "annotations": {"b": "1"}},
    "spec": {"containers": [{"name": "kafka", "image": "kafka:1"}]},
}
TEXT = st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=6)


@given(st.dictionaries(TEXT, TEXT, max_size=4), st.dictionaries(TEXT, TEXT, max_size=4))
def test_annotations_and_labels_are_part_of_the_revision(marks: dict[str, str], labels: dict[str, str]) -> None:
    """docs/operator.md, "Pod sets"."""
    pod = copy.deepcopy(POD)
    pod["metadata"] = {"name": "p", "labels": labels, "annotations": marks}
    same = (marks, labels) == ({"b": "1"}, {"a": "1"})
    assert revision(pod) == independent(pod)
    assert (revision(pod) == revision(POD)) is same


@given(st.dictionaries(TEXT, TEXT), TEXT, TEXT, st.sampled_from(["containers", "initContainers"]))
def test_resources_and_the_revisions_themselves_are_not(
    resources: dict[str, str], own: str, other: str, group: str
) -> None:
    """docs/operator.md, "Pod sets": container resources and the two revision annotations are left out; nothing is
    changed.
    """
    plain: dict[str, Any] = copy.deepcopy(POD)
    plain["spec"]["initContainers"] = [{"name": "init", "image": "kafka:1"}]
    pod = copy.deepcopy(plain)
    pod["spec"][group][0]["resources"] = {"limits": resources}
    pod["metadata"]["annotations"] |= {REVISION: own, RESOURCES: other}
    before = copy.deepcopy(pod)
    assert revision(pod) == revision(plain) == independent(pod)
    assert resource_revision(pod) != resource_revision(plain)
    assert pod == before


def test_characters_beyond_ascii_stand_for_themselves() -> None:
    """docs/operator.md, "Reload", 3: the operator's own value exactly; Jackson escapes none of them."""
    pod = {"metadata": {"name": "größer"}, "spec": {"containers": []}}
    text = '{"metadata":{"name":"größer"},"spec":{"containers":[]}}'
    assert revision(pod) == hashlib.sha1(text.encode("utf-8")).hexdigest()[:8]
