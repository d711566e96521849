# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences about the rounds of a roll."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.rounds import describe_rounds_of_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.rounds import Bound, Round
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import RollReason

from ...tools.support.golden import GoldenFiles

ROUNDS = (Round(("a", "b"), Bound.RACK), Round(("c",), Bound.PARTITIONS, topics=("orders",)))


def test_a_roll_without_rounds_has_no_sentence() -> None:
    assert list(describe_rounds_of_roll(RollReason.TRUST, {"a"}, ())) == []


def test_each_round_has_a_sentence_and_nodes_that_kafka_holds_are_counted(golden: GoldenFiles) -> None:
    first, *each = describe_rounds_of_roll(RollReason.TRUST, {"a", "b", "c"}, ROUNDS)
    held, *_same = describe_rounds_of_roll(RollReason.TRUST, {"a", "b", "c", "d"}, ROUNDS)
    golden.compare_said("engine", f"{first}\n{held}")
    assert each == [f"Round {number}: {one.sentence()}." for number, one in enumerate(ROUNDS, 1)]
