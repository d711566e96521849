# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The count of restarts as one task of a play returns it and the next gets it, so that the lines of all tasks run to
the number of the plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from .._errors import OptionsError
from .._strimzi.apply.restarts import SharedCount
from .._trust.model.snapshot import InPlaceObstacles


def as_result(count: SharedCount | None) -> dict[str, Any] | None:
    """The return value ``restart_count``; None if the tasks of a play share no count."""
    if count is None:
        return None
    pods = {party: dict(pods) for party, pods in count.pods.items()}
    obstacles = None if count.in_place_obstacles is None else asdict(count.in_place_obstacles)
    return {"planned": dict(count.planned), "done": dict(count.done), "pods": pods, "in_place_obstacles": obstacles}


def from_option(given: Mapping[str, Any]) -> SharedCount:
    """The count in the option ``restart_count``. Raises OptionsError if it is none that a module has returned."""
    try:
        planned, done = ({str(name): int(number) for name, number in given[key].items()} for key in ("planned", "done"))
        pods = {
            str(party): {str(uid): str(name) for uid, name in pods.items()} for party, pods in given["pods"].items()
        }
        in_place = None if given["in_place_obstacles"] is None else _obstacles(given["in_place_obstacles"])
    except (ValueError, TypeError, LookupError, AttributeError):
        raise OptionsError(
            "restart_count:", "it is no count that a module has returned", "Give the return value restart_count."
        ) from None
    return SharedCount(planned, done, pods, in_place)


def _obstacles(given: Mapping[str, Any]) -> InPlaceObstacles:
    return InPlaceObstacles(**{str(way): str(obstacle) for way, obstacle in given.items()})
