# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real nodes where they can be had; otherwise simulated pods and the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...kafka import needs
from ..cluster.bed_cluster import BedCluster
from ..cluster.cache import MissingTool
from . import stage


@pytest.fixture
def raised(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[BedCluster]:
    """The scenes that were raised; nothing is started."""
    scenes: list[BedCluster] = []
    monkeypatch.setenv("TRUSTOPS_RUN", str(tmp_path))
    monkeypatch.setattr(needs, "reason_to_skip", lambda: "")
    monkeypatch.setattr(BedCluster, "start", lambda cluster, interval=30.0: scenes.append(cluster))
    return scenes


def test_real_nodes_where_nothing_is_missing(raised: list[BedCluster]) -> None:
    on = stage.start()
    assert (on.cluster.real_pods, on.why_simulated) == (True, "")
    assert raised == [on.cluster]


def test_simulated_pods_where_no_node_can_run(raised: list[BedCluster], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "reason_to_skip", lambda: "a node needs root")
    on = stage.start()
    assert (on.cluster.real_pods, on.why_simulated) == (False, "a node needs root")
    assert raised == [on.cluster]


def test_simulated_pods_where_parts_of_a_node_cannot_be_had(
    monkeypatch: pytest.MonkeyPatch, raised: list[BedCluster]
) -> None:
    def without_parts(cluster: BedCluster, interval: float = 30.0) -> None:
        if cluster.real_pods:
            raise MissingTool("mvn failed:\nno route to host")
        raised.append(cluster)

    monkeypatch.setattr(BedCluster, "start", without_parts)
    on = stage.start()
    assert (on.cluster.real_pods, on.why_simulated) == (False, "mvn failed:")
    assert raised == [on.cluster]


@pytest.mark.parametrize("real", [True, False])
def test_the_remains_of_an_earlier_demo_are_found_again(raised: list[BedCluster], real: bool) -> None:
    folder = stage.left().bed.folder
    folder.mkdir()
    if real:
        (folder / "network").write_text("1")
    assert stage.left().real_pods is real
