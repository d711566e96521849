# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The line about a restart: its number, the number of the plan, and whether the plan has it."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.restarts import RestartCount
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import RollReason

from ....tools.support.golden import GoldenFiles


def test_restarts_of_the_plan_are_numbered_to_its_number(golden: GoldenFiles) -> None:
    count = RestartCount(planned=3, done=1)
    lines = [
        count.count("demo-kafka-0", RollReason.USE, seconds=20.04).sentence(),
        count.count("demo-cruise-control-a", None, successor="demo-cruise-control-b").sentence(),
    ]
    assert lines[0].endswith(" 20.0 s")
    golden.compare_said("cluster", "\n".join(lines))
    assert all(one.is_planned for one in count.shown)


def test_a_restart_more_than_planned_is_named_as_such(golden: GoldenFiles) -> None:
    count = RestartCount(planned=1, done=1)
    beyond = count.count("demo-kafka-0", RollReason.USE)
    assert not beyond.is_planned
    golden.compare_said("cluster", beyond.sentence())


def test_a_restart_of_another_program_has_no_number(golden: GoldenFiles) -> None:
    count = RestartCount(planned=2)
    unplanned = count.note_unplanned("demo-kafka-0", "demo-kafka-0")
    assert (unplanned.number, unplanned.is_planned, count.done) == (None, False, 0)
    golden.compare_said("cluster", unplanned.sentence())


def test_without_a_plan_restarts_are_counted(golden: GoldenFiles) -> None:
    golden.compare_said("cluster", RestartCount().count("demo-kafka-0", RollReason.MANUAL).sentence())
