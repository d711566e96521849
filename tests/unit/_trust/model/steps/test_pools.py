# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps about node pools."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import SetReplicas

from ...builders import changed, cluster
from ...stand_in import MadeHere

STEP = SetReplicas(pool="nodes", before=3, replicas=4, phase=Phase.USE)


def test_its_words() -> None:
    assert STEP.sentence() == "scale node pool nodes from 3 to 4 replicas"


def test_it_changes_one_pool() -> None:
    before = changed(cluster(), pools={"nodes": 3, "others": 1})
    assert STEP.effect(before, MadeHere()) == changed(before, pools={"nodes": 4, "others": 1})
