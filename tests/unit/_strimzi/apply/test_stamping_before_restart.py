# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Annotations for nodes that restart next: the StrimziPodSets have them, and pods get them when they come back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StampsRefused
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.stamping import obstacles, revision

from ..bench import Bench
from .test_stamping import COMPONENT, LEAVES, NODES, OBSTACLES, TOLD, bench, entries, live, mark, marks, stamp

__all__ = ["bench"]
RESTARTING = replace(TOLD, before_restart=True)
#: The obstacles that do not end with the restart of the pod, with their reasons.
LASTING = {
    "changed": "has a revision that cannot be reproduced",
    "half of a trust roll": "has a revision that cannot be reproduced",
    "surplus": "is in no StrimziPodSet",
    "no Secret": "has no readable leaf in its Secret",
    "no leaf": "has no readable leaf in its Secret",
}
ENDING = [obstacle for obstacle in OBSTACLES if obstacle not in LASTING]


def test_pod_sets_have_the_annotations_and_running_pods_the_key_generation_alone(bench: Bench) -> None:
    stamp(bench, RESTARTING)
    for name, found in entries(bench).items():
        before = marks(live(name))
        assert marks(found) == {
            "cluster-ca-cert-generation": "3",
            "cluster-ca-key-generation": "4",
            "server-cert-hash": LEAVES[name].certificate.fingerprint,
            "revision": revision(found),
        }
        assert marks(bench.find("pods", name)) == {**before, "cluster-ca-key-generation": "4"}
    assert bench.annotation("pods", COMPONENT, "cluster-ca-key-generation") == "4"


def test_the_pod_sets_come_first(bench: Bench) -> None:
    _actions, changes = stamp(bench, RESTARTING)
    assert [change.plural for change in changes] == ["strimzipodsets", "strimzipodsets", "pods", "pods", "pods"]


def test_a_second_time_there_is_nothing_to_do(bench: Bench) -> None:
    stamp(bench, RESTARTING)
    assert stamp(bench, RESTARTING) == ([], [])


def hindered(bench: Bench, *, before_restart: bool) -> list[str]:
    """The pods that cannot be stamped."""
    seen = bench.observe()
    return [*obstacles(seen.owners.read_pod_sets(bench.work().client), seen, before_restart=before_restart)]


@pytest.mark.parametrize(("obstacle", "reason"), LASTING.items())
def test_nothing_is_written_where_the_operator_would_restart_the_node_again(
    obstacle: str, reason: str, bench: Bench
) -> None:
    OBSTACLES[obstacle](bench)
    before = len(bench.api.writes)
    with pytest.raises(StampsRefused, match=f"{NODES[0]} {reason}"):
        stamp(bench, RESTARTING)
    assert len(bench.api.writes) == before
    assert hindered(bench, before_restart=True) == [NODES[0]]


@pytest.mark.parametrize("obstacle", ENDING)
def test_a_restart_makes_good_what_a_running_pod_has_against_it(obstacle: str, bench: Bench) -> None:
    OBSTACLES[obstacle](bench)
    assert hindered(bench, before_restart=False) == [NODES[0]]
    assert hindered(bench, before_restart=True) == []
    stamp(bench, RESTARTING)
    assert entries(bench)[NODES[0]]["metadata"]["annotations"]["strimzi.io/cluster-ca-cert-generation"] == "3"


def test_after_a_roll_that_ended_half_way_the_rest_can_still_restart(bench: Bench) -> None:
    """The first node is back with the annotations of its StrimziPodSet."""
    stamp(bench, RESTARTING)
    found = entries(bench)[NODES[0]]["metadata"]["annotations"]
    mark(bench, NODES[0], {key.removeprefix("strimzi.io/"): value for key, value in found.items()})
    assert hindered(bench, before_restart=True) == []
