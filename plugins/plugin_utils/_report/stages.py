# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The log of a run by phases: writes, restarts, waits, and how long each took."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.restarts import (
    Action,
    Restart,
    component,
    restarts_in_order,
)
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import CHANGES, Run

PHASES = ("prepare", "trust", "use", "retire")


def describe_phases(run: Run) -> list[dict[str, Any]]:
    """The phases that something was done in, in the order of the flow."""
    stretches = _stretches(run)
    restarts = [(_phase_of_restart(one, stretches), one) for one in restarts_in_order(run)]
    entered = [phase for phase in PHASES if any(one["phase"] == phase for one in stretches)]
    return [
        _phase(
            phase,
            [one for one in stretches if one["phase"] == phase],
            [_restart(one, run) for where, one in restarts if where == phase],
        )
        for phase in entered
    ]


def _phase(phase: str, stretches: list[dict[str, Any]], restarts: list[dict[str, Any]]) -> dict[str, Any]:
    actions = [action for one in stretches for action in one["actions"]]
    return {
        "phase": phase,
        "seconds": round(sum(one["seconds"] for one in stretches), 1),
        "writes": _writes(actions),
        "restarts": restarts,
        "waits": [
            {"object": action["object"], "what": action["what"], "seconds": action["seconds"]}
            for action in actions
            if action["verb"] == "wait"
        ],
        "work": [
            {
                "kind": _kind(one["actions"]),
                "begins": round(one["begins"], 1),
                "seconds": round(one["seconds"], 1),
                "restarts": sum(action["verb"] == "restart" for action in one["actions"]),
                "writes": sum(action["verb"] in CHANGES for action in one["actions"]),
            }
            for one in stretches
        ],
    }


def _restart(restart: Restart, run: Run) -> dict[str, Any]:
    """A restart as the report has it; without seconds where no call has waited for it."""
    seconds = restart.action["seconds"] if restart.action else None
    return {"pod": restart.pod, "component": component(restart.pod, run), "seconds": seconds}


def _phase_of_restart(restart: Restart, stretches: list[dict[str, Any]]) -> str:
    """The phase of a restart. Where no call asked for it, the phase of the call that saw it first; empty where there is
    none.
    """
    if restart.action:
        return str(restart.action["phase"])
    seen = [one for one in stretches if one["call"] >= restart.call] or stretches[-1:]
    return str(seen[0]["phase"]) if seen else ""


def _writes(actions: Iterable[Action]) -> list[dict[str, Any]]:
    """An entry for each object, with everything that was done to it."""
    found: dict[str, list[str]] = {}
    for action in actions:
        if action["verb"] in CHANGES:
            found.setdefault(action["object"], []).append(action["what"])
    return [
        {"object": written, "times": len(what), "what": list(dict.fromkeys(what))} for written, what in found.items()
    ]


def _kind(actions: Iterable[Action]) -> str:
    verbs = {action["verb"] for action in actions}
    return "roll" if "restart" in verbs else "wait" if "wait" in verbs else "write"


def _stretches(run: Run) -> list[dict[str, Any]]:
    """The actions of each call by phase. The time of a call in two phases is divided by the number of actions."""
    found: list[dict[str, Any]] = []
    clock, previous = 0.0, ""
    for call, step in enumerate(run.steps):
        phases: list[tuple[str, Action]] = []
        for action in step["actions"]:
            previous = _phase_of(action, previous, run)
            phases.append((previous, action))
        begins = clock
        for phase in dict.fromkeys(name for name, _action in phases):
            own = [action for name, action in phases if name == phase]
            seconds = step["seconds"] * len(own) / len(phases)
            found.append({
                "phase": phase, "call": call, "actions": own, "begins": begins, "seconds": seconds,
            })  # fmt: skip
            begins += seconds
        clock += step["seconds"]
    return found


def _phase_of(action: Action, previous: str, run: Run) -> str:
    """The phase of an action. A write of the ledger records earlier actions, so it belongs to their phase."""
    cluster = run.last["cluster"]
    # In each layout the names of its Secrets begin like this, and no others do.
    ledger = f"Secret {cluster['namespace']}/{cluster['name']}-cluster-ca-trust"
    return previous if previous and action["object"].startswith(ledger) else str(action["phase"])
