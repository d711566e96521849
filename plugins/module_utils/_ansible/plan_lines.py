# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A plan as lines for a person who watches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._trust.model.names import counted


def plan_lines(planned: Mapping[str, Any], goal: str, check_mode: bool, answered: str = "") -> list[str]:
    """planned: a result with a plan. check_mode: all of it is shown; else each step is told when it is carried out, and what is
    waited for at the end, or here where no call follows: there is neither a step nor anything in the way. answered: why the flow that is asked for is
    not begun; empty where nothing is told.
    """
    waiting = () if planned["plan"] or planned["violations"] else planned["waiting"]
    return [f"{goal}: {_summary(planned, answered)}", *(_details(planned) if check_mode else waiting)]


def _summary(planned: Mapping[str, Any], answered: str) -> str:
    steps, rolls, restarts = planned["plan"], planned["planned_rolls"], planned["planned_restarts"]
    if not steps:
        return "something is in the way" if planned["violations"] else _idle(planned["pending"], answered)
    return (
        f"{counted(len(steps), 'step')} ({', '.join(planned['planned_phases'])}), "
        f"{counted(rolls, 'roll')} of the Kafka nodes, {counted(restarts, 'restart')} in all"
    )


def _idle(left: Sequence[str], answered: str) -> str:
    """left: the steps of phases that this run does not enter."""
    if left:
        return f"nothing to do in the phases that were asked for. Left: {'; '.join(left)}"
    return f"nothing to do: {answered}" if answered else "nothing to do"


def _details(planned: Mapping[str, Any]) -> Iterator[str]:
    yield from planned["choices"]
    yield from (f"{step['phase']}: {step['what']}{_restarted(step['restarts'])}" for step in planned["plan"])
    yield from (f"{one['subject']}: {one['message']} {one['remedy']}" for one in planned["violations"])
    yield from planned["waiting"]


def _restarted(pods: Sequence[str]) -> str:
    return f" (restarts {', '.join(pods)})" if pods else ""
