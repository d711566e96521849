# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What was noted of a run, completed: a flow that failed in its first call has no result of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

KAFKA, OPERATOR = "kafka", "cluster-operator"
#: In the order in which people think of them.
COMPONENTS = (KAFKA, "entity-operator", "cruise-control", "kafka-exporter", OPERATOR)
CHANGES = ("create", "update", "delete")
#: What of a result is a picture of the cluster.
_LISTS = ("cas", "removed", "held_leaves", "pods", "outside", "leaves")


@dataclass(frozen=True)
class Run:
    """first, last: the cluster at the start and at the end. steps: the calls that did something, in order.

    look: what the listeners said when they were asked last, and when and why. plan: what a run in check mode would do.
    violations: what holds the flow, or would after the steps of the plan.
    """

    goal: str
    done: bool
    check_mode: bool
    next: str | None
    first: dict[str, Any]
    last: dict[str, Any]
    look: dict[str, Any]
    steps: list[dict[str, Any]]
    plan: list[dict[str, Any]]
    planned_rolls: int
    violations: list[dict[str, Any]]
    failure: str | None

    @classmethod
    def of(
        cls,
        noted: Mapping[str, Any],
        failed: Mapping[str, Any],
        planned: Mapping[str, Any],
        check_mode: bool,
        where: Mapping[str, Any],
    ) -> Run:
        """``failed``: the result of the call that ended the flow. ``planned``: that of the call that asked for a plan.

        Both are empty when there was none. ``where``: name and namespace, should no result tell them.
        """
        seen = failed if "cluster" in failed else {}
        last = _complete({**(noted.get("last") or {}), **seen}, where)
        return cls(
            goal=str(noted["goal"]),
            done=bool(noted.get("done")) and not failed,
            check_mode=check_mode,
            next=str(noted.get("next") or "") or None,
            first=_complete(noted["first"], where) if noted.get("first") else last,
            last=last,
            look=_last_look(planned, noted.get("look") or {}, seen),
            steps=[*(noted.get("log") or []), *_unfinished(noted, seen)],
            plan=list(planned.get("plan") or []),
            planned_rolls=int(planned.get("planned_rolls") or 0),
            violations=list((seen or planned).get("violations") or []),
            failure=str(failed.get("msg") or "the call failed without a message") if failed else None,
        )

    @property
    def actions(self) -> list[dict[str, Any]]:
        return [action for step in self.steps for action in step["actions"]]

    @cached_property
    def pods_seen(self) -> list[dict[str, str]]:
        """UIDs by name, one picture after the other."""
        first, last = ({pod["name"]: pod["uid"] for pod in seen["pods"]} for seen in (self.first, self.last))
        return [first, *(step["pods"] for step in self.steps), last]

    @cached_property
    def node_rolls(self) -> dict[str, int]:
        """How often each Kafka node was replaced. In check mode nothing was; the plan tells what would be."""
        nodes = [pod["name"] for pod in self.last["pods"] if pod["component"] == KAFKA]
        return {node: len({pods[node] for pods in self.pods_seen if pods.get(node)}) - 1 for node in nodes}

    @property
    def result(self) -> str:
        """held: a gate does not hold. failed: anything else went wrong. stopped: after the phase that was asked for."""
        if self.failure:
            return "held" if self.violations else "failed"
        if self.done and self.last.get("pending"):
            return "stopped"
        if self.done and not self.actions:
            return "nothing_to_do"
        if self.check_mode:
            return "planned"
        return "done" if self.done else "unfinished"


def _complete(result: Mapping[str, Any], where: Mapping[str, Any]) -> dict[str, Any]:
    return {**{name: [] for name in _LISTS}, "cluster": dict(where), **result}


def _last_look(*results: Mapping[str, Any]) -> dict[str, Any]:
    """results: in the order in which they came. A look that did not come about does not hide the one before."""
    looks = [{"evidence": one["evidence"], "listeners": one["listeners"]} for one in results if "listeners" in one]
    taken = [look for look in looks if look["evidence"].get("seen_at")]
    return (taken or looks or [{"evidence": {}, "listeners": []}])[-1]


def _unfinished(noted: Mapping[str, Any], seen: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the failed call did before it failed, in the form of the log."""
    if not seen.get("actions"):
        return []
    return [
        {
            "module": noted.get("next"),
            "seconds": seen.get("seconds") or 0.0,
            "actions": seen["actions"],
            "transitions": seen.get("transitions") or [],
            "pods": {pod["name"]: pod["uid"] for pod in seen.get("pods") or []},
        }
    ]
