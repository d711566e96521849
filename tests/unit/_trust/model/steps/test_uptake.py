# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps by which nodes take up other leaves in a pause: annotations for the pods to come, and their restart."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import restarted_by_operator
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    Roll,
    RollReason,
    StampPods,
)

from .....tools.support.golden import GoldenFiles
from ... import unlinked
from ...authorities import NEW
from ...stand_in import MadeHere

#: The nodes have other leaves in their Secrets than they present, under another generation of certificate and key.
BEFORE = unlinked.ISSUED
NODES = restarted_by_operator(BEFORE)
STAMP = StampPods(generation=1, key_generation=1, before_restart=True, phase=Phase.USE)
ROLL = Roll(reason=RollReason.UPTAKE, uids=NODES, authority=NEW.certificate, phase=Phase.USE)


def test_leaves_taken_up_in_a_pause_in_words(golden: GoldenFiles) -> None:
    switched = replace(ROLL, phase=Phase.RETIRE)
    golden.compare_said("steps", "\n".join(step.sentence() for step in (STAMP, ROLL, switched)))


def test_running_pods_keep_their_annotations_but_for_the_key_generation() -> None:
    after = STAMP.effect(BEFORE, MadeHere())
    assert after == unlinked.STAMPED
    assert restarted_by_operator(after) == NODES


def test_nothing_is_left_for_the_operator_to_restart() -> None:
    assert restarted_by_operator(ROLL.effect(STAMP.effect(BEFORE, MadeHere()), MadeHere())) == frozenset()
