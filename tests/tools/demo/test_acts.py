# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The next run of the demo finds the act that was shown, and each act has reports of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..cluster.bed import Bed
from ..cluster.bed_cluster import BedCluster
from .acts import ACTS, Act, remember, remembered


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_the_act_is_kept_beside_its_cluster(act: Act, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRUSTOPS_RUN", str(tmp_path))
    cluster = BedCluster(Bed("demo"))
    cluster.bed.folder.mkdir()
    remember(act, cluster)
    assert remembered(cluster) is act


def test_reports_of_different_acts_are_kept_apart() -> None:
    assert len({act.name for act in ACTS.values()}) == len(ACTS)
