# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The direct strategy on real Kafka nodes: each restarts once, and only when all of them are back and in sync."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import KafkaPythonAdmin
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import restart_nodes

from ..tools.support.memory_api import Change
from ..unit._rollout.direct_stand import DirectStand
from .clients import LIBRARY_READS_ITS_FILES, admin_of, nodes_are_back
from .nodes import NODES, KafkaNodes

LIMIT = timedelta(seconds=60)
pytestmark = pytest.mark.filterwarnings(LIBRARY_READS_ITS_FILES)


class Nodes(DirectStand):
    """Pods in memory, with real processes: Ready soon, whatever Kafka says, so that Kafka has to be asked."""

    def __init__(self, nodes: KafkaNodes, witness: KafkaPythonAdmin) -> None:
        super().__init__()
        self.nodes, self.witness = nodes, witness
        self.too_early: list[str] = []
        self.api.listeners.append(self._restart)
        pass_a_second = self.api.idle

        def pass_a_real_second() -> None:
            time.sleep(1.0)
            pass_a_second()

        self.api.idle = pass_a_real_second

    def _restart(self, change: Change) -> None:
        if (change.plural, change.verb) != ("pods", "delete"):
            return
        if not nodes_are_back(self.witness):
            self.too_early.append(change.name)
        node = int(change.name.rsplit("-", 1)[1])
        self.nodes.stop(node)
        self.nodes.start(node)


@pytest.mark.long
def test_a_whole_roll(kafka: KafkaNodes) -> None:
    with admin_of(kafka) as witness, admin_of(kafka) as admin:
        stand = Nodes(kafka, witness)
        active = witness.quorum().leader
        work = stand.work(pod_timeout=LIMIT)
        restart_nodes(stand.step(), stand.observe(), work, lambda observation: admin)
        assert stand.deleted[0] == min(set(NODES) - {active})
        assert sorted(stand.deleted) == list(NODES)
        assert stand.too_early == []
        assert [action.verb for action in work.actions if action.verb == "restart"] == ["restart"] * len(NODES)
        assert nodes_are_back(witness)
