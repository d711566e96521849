# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pod of another application is labelled as a process of the cluster: by mistake, or because nobody may do more than label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...support.memory_cluster import MemoryCluster
from ...support.strangers import NAME, label_stranger, labels_of, run_stranger, stranger, unlabel_stranger
from . import stages
from .running import call

FINDING = f"Pod kafka/{NAME}: has the labels or the name of a pod of the component"
QUICK = {"pod_timeout": 3, "operator_timeout": 3}


@pytest.mark.parametrize("component", ["kafka", "entity-operator", "kafka-exporter"])
@pytest.mark.parametrize(
    ("stage", "module", "options"),
    [
        (stages.managed, "strimzi_ee_cert", QUICK),
        (stages.managed, "strimzi_ca", stages.PREPARED),
        (stages.unlinked, "strimzi_trusted_certs", QUICK),
        (stages.issued, "strimzi_roll", QUICK),
    ],
)
def test_nothing_is_signed_for_it_and_it_is_left_alone(
    stage: Callable[[], MemoryCluster], module: str, options: dict[str, Any], component: str
) -> None:
    memory = stage()
    run_stranger(memory.api)
    label_stranger(memory.api, labels_of(component))
    before = stranger(memory.api)
    ended = call(module, memory, **options)
    assert f"{FINDING} {component}" in ended.result["msg"]
    assert ended.writes_but_lease == []
    assert stranger(memory.api) == before
    assert memory.api.find("secrets", "kafka", NAME) is None
    unlabel_stranger(memory.api)
    assert not call(module, memory, **options).failed


def test_it_is_shown() -> None:
    memory = stages.managed()
    run_stranger(memory.api)
    label_stranger(memory.api, labels_of("kafka"))
    shown = call("strimzi_ca_info", memory).result
    assert [(one["gate"], one["subject"]) for one in shown["violations"]] == [("pods_are_owned", f"Pod kafka/{NAME}")]
    assert NAME not in {one["name"] for one in shown["pods"]}


def test_a_secret_that_has_only_the_labels_of_a_leaf_gets_none() -> None:
    memory = stages.managed()
    metadata = {"name": NAME, "labels": {**labels_of("kafka")}}
    memory.apply({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {f"{NAME}.crt": ""}})
    stages.done(memory, "strimzi_ee_cert")
    found = memory.api.find("secrets", "kafka", NAME)
    assert found is not None
    assert found["data"] == {f"{NAME}.crt": ""}
