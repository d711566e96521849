# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module by itself, wherever a flow stands: it does what its state says, or fails with what is left. It is never ok
for something that is not so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import is_paused
from .running import call

STAGES = [
    stages.managed,
    stages.prepared,
    stages.unlinked,
    stages.renewing,
    stages.issued,
    stages.taken_up,
    stages.switched,
]
Seen = Mapping[str, Any]


def trusted(seen: Seen) -> bool:
    return all(ca["state"] != "UNTRUSTED" for ca in seen["cas"])


def successor(seen: Seen) -> Seen:
    """The CA that is to be used from now on."""
    wanted = (seen["journal"] or {}).get("successor")
    return next((ca for ca in seen["cas"] if ca["fingerprint"] == wanted), seen["cas"][0])


def issued(seen: Seen) -> bool:
    leaves = [leaf for leaf in seen["leaves"] if leaf["component"] != "cluster-operator"]
    return all(leaf["issuer"] == successor(seen)["subject"] for leaf in leaves)


def presented(seen: Seen) -> bool:
    return successor(seen)["usage"] == "ALL"


def promoted(seen: Seen) -> bool:
    return bool(successor(seen)["current"])


def retired(seen: Seen) -> bool:
    return len(seen["cas"]) == 1 and seen["removed"] == [] and seen["journal"]["finished_at"] is not None


CALLS: list[tuple[str, dict[str, Any], Callable[[Seen], bool]]] = [
    ("strimzi_trusted_certs", {}, trusted),
    ("strimzi_ee_cert", {}, issued),
    ("strimzi_roll", {}, presented),
    ("strimzi_ca", {"state": "promoted"}, promoted),
    ("strimzi_trusted_certs", {"state": "retired"}, retired),
]
calls = pytest.mark.parametrize(
    ("module", "options", "is_so"), CALLS, ids=lambda value: getattr(value, "__name__", None)
)
everywhere = pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)


@calls
@everywhere
def test_each_task_reaches_the_state_that_it_names(
    stage: Callable[[], MemoryCluster], module: str, options: dict[str, Any], is_so: Callable[[Seen], bool]
) -> None:
    memory = stage()
    ended = call(module, memory, **options)
    assert not ended.failed, ended.result["msg"]
    assert is_so(ended.result)
    assert is_so(call("strimzi_ca_info", memory).result)
    assert not is_paused(memory)


@everywhere
def test_a_flow_can_be_ended_from_everywhere_in_any_order(stage: Callable[[], MemoryCluster]) -> None:
    memory = stage()
    for module, options, _is_so in reversed(CALLS[:-1]):
        stages.done(memory, module, **options)
    assert retired(stages.done(memory, *CALLS[-1][:1], **CALLS[-1][1]).result)


@pytest.mark.parametrize(
    ("stage", "module", "options"),
    [
        (stages.prepared, "strimzi_ee_cert", {"until_phase": "prepare"}),
        (stages.prepared, "strimzi_ca", {"state": "promoted", "until_phase": "trust"}),
        (stages.taken_up, "strimzi_ca", {"state": "promoted", "until_phase": "use"}),
        (stages.unlinked, "strimzi_trusted_certs", {"until_phase": "prepare"}),
    ],
)
def test_a_task_that_may_not_go_as_far_as_it_has_to_says_what_is_left(
    stage: Callable[[], MemoryCluster], module: str, options: dict[str, Any], golden: GoldenFiles
) -> None:
    """The flow that it would lead on stops there."""
    memory = stage()
    ended = call(module, memory, **options)
    assert (ended.failed, ended.writes_but_lease) == (True, [f"PATCH secrets/{stages.LEDGER}"])
    assert ended.result["pending"][0] in ended.result["msg"]
    golden.compare_said("calls", ended.result["msg"], f"{module}, {options['until_phase']}")


def test_a_call_that_ends_at_a_phase_says_what_is_left(golden: GoldenFiles) -> None:
    ended = stages.done(stages.issued(), "strimzi_roll", until_phase="prepare")
    assert ended.writes_but_lease == [f"PATCH secrets/{stages.LEDGER}"]
    golden.compare_said("calls", ended.result["pending"][0])


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("strimzi_ca", {"state": "present"}),
        ("strimzi_ca", {"state": "renewed"}),
        ("strimzi_ca", {"state": "replaced", "key_type": "ecdsa-p256"}),
        ("strimzi_ca", {"state": "promoted"}),
        ("strimzi_trusted_certs", {}),
        ("strimzi_trusted_certs", {"state": "retired"}),
        ("strimzi_ee_cert", {}),
        ("strimzi_roll", {}),
        ("strimzi_reconciliation", {"state": "resumed"}),
    ],
)
def test_a_pause_that_a_killed_call_has_left_is_ended_by_any_other(module: str, options: dict[str, Any]) -> None:
    memory = stages.taken_up()
    path = "/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkas/demo"
    left = {"strimzi.io/pause-reconciliation": "true", "trustops.strimzi/paused-by": "call-dead"}
    memory.api.request(
        "PATCH", path, body={"metadata": {"annotations": left}}, content_type="application/merge-patch+json"
    )
    memory.settle()
    assert is_paused(memory)
    stages.done(memory, module, **options)
    assert not is_paused(memory)
