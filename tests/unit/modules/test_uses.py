# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""In each of its uses a module writes what it is to write, and nothing when it is called again; check mode and diff tell the truth about it."""

from __future__ import annotations

import pytest

from .mistakes import is_paused
from .shapes import differences
from .uses import PLANNED, USES, Use

uses = pytest.mark.parametrize("use", USES, ids=str)


@uses
def test_a_module_writes_what_it_says_and_then_nothing(use: Use) -> None:
    memory = use.start()
    first = use.take(memory)
    assert not first.failed, first.result["msg"]
    assert (first.result["changed"], first.writes_but_lease) == (True, use.writes)
    again = use.take(memory, **({"replaces": first.result["replaces"]} if "fresh_for_hours" in use.options else {}))
    assert not again.failed, again.result["msg"]
    assert (again.result["changed"], again.result["actions"], again.writes) == (False, [], [])
    assert is_paused(memory) is (use.options.get("state") == "paused")


@uses
def test_the_lease_is_taken_before_the_first_write_and_given_back_after_the_last(use: Use) -> None:
    ended = use.done
    # A call that waits renews its Lease meanwhile.
    leases = [number for number, write in enumerate(ended.writes) if " leases" in write]
    assert (leases[:1], leases[-1:]) == (([0], [len(ended.writes) - 1]) if use.leased else ([], []))


@uses
def test_check_mode_has_the_shape_of_the_run_and_writes_nothing(use: Use) -> None:
    planned = use.planned
    assert not planned.failed, planned.result["msg"]
    assert (planned.writes, planned.result["changed"]) == ([], True)
    assert planned.result["actions"] != []
    assert {name[1:] for name in differences(planned.result, use.done.result)} <= PLANNED


@uses
def test_the_diff_names_what_is_written(use: Use) -> None:
    """A prediction shows what the whole of its plan would leave, of which its actions are the beginning."""
    done, planned = ({entry["after_header"] for entry in ended.result["diff"]} for ended in (use.done, use.planned))
    assert done == {action["object"] for action in use.done.result["actions"] if action["verb"] != "wait"}
    assert bool(planned) is use.planned.result["changed"]


@pytest.mark.parametrize("check", [True, False])
def test_a_call_without_diff_has_no_diff(check: bool) -> None:
    assert "diff" not in USES[0].take(USES[0].start(), check=check, diff=False).result
