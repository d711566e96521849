# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Raising the key generation everywhere, so that the operator finds no pod that it would have to roll."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import TrueKeyGeneration

from .bench import SCOPE, Bench, pod
from .steps import cluster

KEY = "strimzi.io/cluster-ca-key-generation"


def pod_set_annotations(bench: Bench) -> list[dict[str, str]]:
    pods = bench.find("strimzipodsets", "demo-kafka")["spec"]["pods"]
    return [one["metadata"]["annotations"] for one in pods]


def test_pod_sets_then_pods_then_the_secret() -> None:
    """While the Secret lags behind, the operator sees pods that it did not make; the other way round it would roll."""
    bench = cluster()
    bench.create("pods", pod("demo-cruise-control-x", "cruise-control", cluster_ca_key_generation="0"))
    changes = bench.carry_out(TrueKeyGeneration(5))
    assert [change.plural for change in changes] == ["strimzipodsets", "pods", "pods", "secrets"]
    assert bench.annotation("secrets", SCOPE.ca_key_secret, "ca-key-generation") == "5"
    for name in ("demo-kafka-0", "demo-cruise-control-x"):
        assert bench.annotation("pods", name, "cluster-ca-key-generation") == "5"


def test_everything_else_on_the_pods_of_a_pod_set_stays() -> None:
    """Another byte there is another revision, and that is a restart."""
    bench = cluster()
    before = bench.find("strimzipodsets", "demo-kafka")["spec"]["pods"]
    bench.carry_out(TrueKeyGeneration(5))
    after = bench.find("strimzipodsets", "demo-kafka")["spec"]["pods"]
    assert pod_set_annotations(bench) == [{"strimzi.io/revision": "abc", KEY: "5"}]
    for one in (*before, *after):
        one["metadata"]["annotations"].pop(KEY)
    assert after == before


def test_what_has_the_value_already_is_left_alone() -> None:
    bench = cluster()
    bench.create("pods", pod("demo-kafka-1", cluster_ca_key_generation="5"))
    changed = {change.name for change in bench.carry_out(TrueKeyGeneration(5)) if change.plural == "pods"}
    assert changed == {"demo-kafka-0"}


@pytest.mark.parametrize("annotations", [{}, None])
def test_a_pod_without_the_annotation_gets_it(annotations: dict[str, str] | None) -> None:
    bench = cluster()
    bare = pod("demo-kafka-0")
    bare["metadata"]["annotations"] = annotations
    bench.change("strimzipodsets", "demo-kafka", {"spec": {"pods": [bare]}})
    bench.carry_out(TrueKeyGeneration(5))
    assert pod_set_annotations(bench) == [{KEY: "5"}]
