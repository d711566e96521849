# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters at the points where tests begin. Each is reached once, through the modules, and then only copied."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

from ...fakes.world import World
from ...operator import clusters
from .running import Ended, call

#: What a module is told so that a test does not wait for primes.
FAST = {"key_algorithm": "ecdsa"}
STATE_OF_GOAL = {
    "create": "present",
    "renew": "renewed",
    "replace_key": "replaced",
    "upgrade": "adopted",
    "downgrade": "handed_back",
    "reconcile": "promoted",
}


def options_for(module: str, goal: str, **flow: Any) -> dict[str, Any]:
    """The options that the role ``reconcile`` gives this module. Without a bridge where nothing is said: that way has
    every kind of turn."""
    flow.setdefault("bridge", "never")
    if module == "strimzi_ca":
        return {"state": STATE_OF_GOAL[goal], **FAST, **flow}
    return {"goal": goal, **flow}


def turn(world: World, module: str, goal: str, **flow: Any) -> Ended:
    ended = call(module, world, **options_for(module, goal, **flow))
    assert not ended.failed, ended.result["msg"]
    return ended


def drive(world: World, goal: str, *, stop: str | None = None, **flow: Any) -> str | None:
    """Module after module, as the role calls them, to the end or to the turn of ``stop``; whose turn it is then."""
    module: str | None = "strimzi_trusted_certs"
    while module is not None:
        result = turn(world, module, goal, **flow).result
        flow.setdefault("replaces", result["replaces"])
        module = result["next"]
        if module == stop:
            break
    return module


def _managed() -> World:
    world = World()
    drive(world, "create")
    world.apply(*clusters.dual_role(world.cluster, world.namespace))
    world.settle()
    drive(world, "create")
    return world


def _generated() -> World:
    world = World()
    world.apply(*clusters.dual_role(world.cluster, world.namespace, generated=True))
    world.settle()
    return world


def _rotating(module: str, goal: str, way: str) -> World:
    world = managed()
    if module == "strimzi_reconciliation":
        # Who is at work pauses for itself: a pause is there to be made where a flow ended just before one.
        drive(world, goal, way=way, until_phase="trust", fresh_for_hours=0)
        return world
    assert drive(world, goal, stop=module, way=way, fresh_for_hours=0) == module
    return world


def _forgetting() -> World:
    world = managed()
    drive(world, "replace_key", until_phase="use", fresh_for_hours=0)
    assert drive(world, "replace_key", stop="strimzi_roll") == "strimzi_roll"
    return world


@cache
def _state(make: Callable[..., World], *arguments: str) -> tuple[Any, ...]:
    world = make(*arguments)
    kubelet = world.kubelet
    return world.api.snapshot(), dict(kubelet.processes), copy.deepcopy(kubelet.started), set(kubelet.nodes)


def start(make: Callable[..., World], *arguments: str) -> World:
    """A world of its own at this stage."""
    world = World()
    stored, processes, started, nodes = _state(make, *arguments)
    world.api.restore(stored)
    world.kubelet.processes, world.kubelet.started = dict(processes), copy.deepcopy(started)
    world.kubelet.nodes = set(nodes)
    return world


def managed() -> World:
    """A Ready cluster with a user-managed CA and a ledger."""
    return start(_managed)


def generated() -> World:
    """A Ready cluster whose CA the operator generates."""
    return start(_generated)


def forgetting() -> World:
    """A cluster in a rotation, where nodes are to forget the CA that is gone."""
    return start(_forgetting)


def rotating(module: str, goal: str = "replace_key", way: str = "cooperate") -> World:
    """A cluster in a rotation, where it is this module's turn."""
    return start(_rotating, module, goal, way)
