# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each module writes when it is its turn, that it writes nothing after that, and what check mode says of it."""

from __future__ import annotations

import pytest

from . import stages
from .running import call
from .shapes import differences
from .turns import TURNS, Turn

turns = pytest.mark.parametrize("turn", TURNS, ids=str)


@turns
def test_a_turn_writes_what_it_says(turn: Turn) -> None:
    ended = turn.take(turn.world())
    assert not ended.failed
    assert ended.result["changed"] is True
    assert ended.writes_but_lease == turn.writes
    assert ended.result["next"] == turn.following


@turns
def test_the_lease_is_taken_before_the_first_write_and_given_back_after_the_last(turn: Turn) -> None:
    ended = turn.take(turn.world())
    assert " leases" in ended.writes[0]
    assert ended.writes[-1] == "PATCH leases/demo-trust"
    assert len(ended.writes) == len(turn.writes) + 2


@turns
def test_a_second_turn_changes_nothing(turn: Turn) -> None:
    world = turn.world()
    first = turn.take(world)
    again = turn.take(world, replaces=first.result["replaces"])
    assert not again.failed
    assert again.result["changed"] is False
    assert again.result["actions"] == []
    assert again.writes == []


@turns
def test_check_mode_has_the_shape_of_the_run_and_writes_nothing(turn: Turn) -> None:
    planned = turn.take(turn.world(), check=True)
    done = turn.take(turn.world())
    assert planned.writes == []
    assert planned.result["changed"] is True
    assert planned.result["actions"] != []
    assert differences(planned.result, done.result) == []


@turns
def test_the_diff_names_what_is_written(turn: Turn) -> None:
    ended = turn.take(turn.world())
    changed = {action["object"] for action in ended.result["actions"] if action["verb"] != "wait"}
    assert {entry["after_header"] for entry in ended.result["diff"]} == changed
    assert "diff" not in turn.take(turn.world(), diff=False).result


@pytest.mark.parametrize("module", [turn.module for turn in TURNS if turn.goal == "replace_key"])
def test_it_is_nobody_elses_turn(module: str) -> None:
    for other in {turn.module for turn in TURNS} - {module}:
        ended = call(other, stages.rotating(module), **stages.options_for(other, "replace_key", fresh_for_hours=0))
        assert not ended.failed
        assert (ended.result["changed"], ended.writes, ended.result["next"]) == (False, [], module)


@pytest.mark.parametrize("module", sorted({turn.module for turn in TURNS} - {"strimzi_reconciliation"}))
def test_who_has_nothing_to_do_pauses_nothing(module: str) -> None:
    """Pauses are made by whoever is at work, and by nobody else."""
    world = stages.rotating("strimzi_reconciliation", "renew", "takeover")
    ended = call(module, world, **stages.options_for(module, "renew", way="takeover", fresh_for_hours=0))
    assert not ended.failed
    assert (ended.result["changed"], ended.writes, ended.result["next"]) == (False, [], "strimzi_reconciliation")


@pytest.mark.parametrize("goal", ["renew", "replace_key"])
def test_a_flow_that_has_just_ended_is_the_answer_to_the_same_request(goal: str) -> None:
    world = stages.managed()
    assert stages.drive(world, goal) is None
    ended = call("strimzi_ca", world, **stages.options_for("strimzi_ca", goal))
    assert not ended.failed
    assert (ended.result["changed"], ended.result["done"], ended.writes) == (False, True, [])


def test_a_replacement_asked_for_again_is_continued_with_the_same_ca() -> None:
    world = stages.rotating("strimzi_roll")
    successor = call("strimzi_ca_info", world).result["journal"]["successor"]
    ended = call("strimzi_ca", world, state="replaced", key_algorithm="ecdsa")
    assert not ended.failed
    assert (ended.result["changed"], ended.writes, ended.result["next"]) == (False, [], "strimzi_roll")
    assert ended.result["journal"]["successor"] == successor
    assert len(ended.result["cas"]) == 2
