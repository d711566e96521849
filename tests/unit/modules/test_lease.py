# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow of several calls keeps its Lease until strimzi_lease gives it back; nobody else's is touched."""

from __future__ import annotations

from typing import Any

import pytest

from ...fakes.world import World
from . import stages
from .running import call
from .shapes import differences


def held_by(holder: str) -> World:
    """A cluster in which this run has made the first step of a replacement."""
    world = stages.managed()
    ended = call(
        "strimzi_ca", world, run_id=holder, **stages.options_for("strimzi_ca", "replace_key", fresh_for_hours=0)
    )
    assert ended.writes[:2] == ["PATCH leases/demo-trust", "PATCH secrets/demo-cluster-ca"]
    assert "leases" not in ended.writes[-1]
    return world


def holder_of(world: World) -> Any:
    return (world.api.find("leases", "kafka", "demo-trust") or {})["spec"]["holderIdentity"]


def test_released() -> None:
    world = held_by("run-1")
    assert holder_of(world) == "run-1"
    ended = call("strimzi_lease", world, run_id="run-1")
    assert (ended.result["changed"], ended.result["lease"]) == (True, "kafka/demo-trust")
    assert ended.writes == ["PATCH leases/demo-trust"]
    assert holder_of(world) == ""


def test_released_twice() -> None:
    world = held_by("run-1")
    call("strimzi_lease", world, run_id="run-1")
    again = call("strimzi_lease", world, run_id="run-1")
    assert (again.result["changed"], again.writes) == (False, [])


def test_check_mode() -> None:
    world = held_by("run-1")
    planned = call("strimzi_lease", world, run_id="run-1", check=True)
    assert (planned.result["changed"], planned.writes, holder_of(world)) == (True, [], "run-1")
    assert differences(planned.result, call("strimzi_lease", world, run_id="run-1").result) == []


def test_that_of_another_run_is_left_alone() -> None:
    world = held_by("run-1")
    ended = call("strimzi_lease", world, run_id="run-2")
    assert (ended.result["changed"], ended.writes, holder_of(world)) == (False, [], "run-1")


def test_a_call_of_the_same_run_goes_on() -> None:
    world = held_by("run-1")
    ended = call("strimzi_trusted_certs", world, run_id="run-1", goal="replace_key")
    assert not ended.failed
    assert ended.result["changed"] is True
    assert holder_of(world) == "run-1"


@pytest.mark.parametrize("writing", [True, False])
def test_only_a_call_that_writes_needs_it(writing: bool) -> None:
    world = held_by("run-1")
    module = "strimzi_trusted_certs" if writing else "strimzi_roll"
    ended = call(module, world, run_id="run-1", goal="replace_key")
    assert ended.result["changed"] is writing
    assert bool(ended.writes) is writing
