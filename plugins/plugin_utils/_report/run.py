# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A run as the modules of a flow returned it, call by call; points in time and the differences between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component

SECONDS_OF_A_DAY = 86400


def moment(text: str) -> datetime:
    """An RFC 3339 time as the modules write it."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)


def seconds_between(begin: str, end: datetime) -> float:
    return round((end - moment(begin)).total_seconds(), 1)


def days_left(not_after: str | None, now: datetime) -> int | None:
    """Full days until then; negative if it is over."""
    if not not_after:
        return None
    return int((moment(not_after) - now).total_seconds() // SECONDS_OF_A_DAY)


KAFKA: str = Component.KAFKA.value
OPERATOR: str = Component.CLUSTER_OPERATOR.value
CHANGES = ("create", "update", "delete")
#: The keys of a result about the state of the cluster.
_LISTS = ("cas", "removed", "former_leaves", "pods", "outside", "waivers", "unmanaged", "leaves")


@dataclass(frozen=True)
class Forecast:
    """The plan of a run in check mode; empty if the run changes the cluster."""

    #: The steps that the run would take.
    steps: list[dict[str, Any]]
    #: How often each node would restart.
    rolls: int
    #: How long the steps would take, ``least`` and ``most``; None if there is no estimate.
    seconds: Mapping[str, int | None] | None
    #: The remaining lives of CAs and certificates beside the duration of the steps.
    lives: list[dict[str, Any]]
    #: Why the plan takes this way, as sentences.
    choices: list[str]
    #: The nodes that have yet to answer, each as ``pod``, ``worker`` and ``reason``: the plan may miss restarts that
    #: follow from their answers.
    unheard: list[dict[str, Any]]
    #: The hash by which a person approves the plan; empty if no plan was made.
    plan_hash: str

    @classmethod
    def of(cls, calls: Sequence[Mapping[str, Any]]) -> Forecast:
        """The forecast by the results of a run in check mode; without results, an empty forecast."""
        last = calls[-1] if calls else {}
        return cls(
            steps=list(last.get("plan") or []),
            rolls=int(last.get("planned_rolls") or 0),
            seconds=last.get("planned_seconds"),
            lives=list(last.get("planned_lives") or []),
            choices=list(last.get("choices") or []),
            unheard=list((last.get("planned_from") or {}).get("unheard") or []),
            plan_hash=next((str(call["plan_hash"]) for call in calls if call.get("plan_hash")), ""),
        )


@dataclass(frozen=True)
class Run:
    """A run of a playbook, from the results of its modules."""

    #: The flow, as ``replace_key``.
    goal: str
    #: The CA of the cluster in this run: ``cluster`` or ``clients``.
    ca: str
    #: Whether the flow has come to its end.
    done: bool
    #: Whether the run only planned.
    check_mode: bool
    #: The cluster at the start of the run.
    first: dict[str, Any]
    #: The cluster at the end of the run.
    last: dict[str, Any]
    #: The last answers of the listeners, with the time and the reason of that look.
    look: dict[str, Any]
    #: The results of the calls that did something, in order, also of failed calls.
    steps: list[dict[str, Any]]
    #: The plan of a run in check mode.
    forecast: Forecast
    #: In how many rounds the plan restarts Kafka nodes, in all rolls: the plan of the forecast, or the plan at the
    #: start of a run that changes the cluster; 0 if there is none.
    planned_rounds: int
    #: The given variables of the caller.
    given: Mapping[str, Any]
    #: The warnings of its calls about clients that are going to refuse nodes, each once.
    client_warnings: list[str]
    #: The violations that hold the flow, or would hold it after the steps of the plan.
    violations: list[dict[str, Any]]
    #: The message of the failed call; None if no call has failed.
    failure: str | None
    #: The time at which the run began, in ISO 8601.
    began_at: str | None
    #: The result of ``strimzi_user_info``; empty if it was not called.
    users: dict[str, Any]
    #: The last entry of the audit trail after the run; None if the run added none.
    audit: Mapping[str, Any] | None
    #: The component of each pod that a result shows or that a call has restarted, by the name of the pod.
    components: Mapping[str, str]

    @classmethod
    def of(
        cls,
        calls: Iterable[Mapping[str, Any]],
        goal: str,
        ca: str,
        check_mode: bool,
        where: Mapping[str, Any],
        given: Mapping[str, Any],
    ) -> Run:
        """The run whose modules gave these results, in order. If a task was skipped, its result is left out.

        Name and namespace of the cluster lie in ``where``, in case no result has them; the given variables of the
        caller, in ``given``.
        """
        calls = list(calls)
        own_calls = _of_this_run([call for call in calls if "cluster" in call or call.get("failed")])
        seen = [call for call in own_calls if "cluster" in call]
        failed = next((call for call in own_calls if call.get("failed")), None)
        last = _complete(seen[-1] if seen else {}, where)
        return cls(
            goal=goal,
            ca=ca,
            done=bool(last.get("done")) and failed is None,
            check_mode=check_mode,
            first=_complete(seen[0], where) if seen else last,
            last=last,
            look=_last_look(*seen),
            steps=[_step(call) for call in own_calls if call.get("actions") and not check_mode],
            forecast=Forecast.of(seen if check_mode else ()),
            planned_rounds=_planned_rounds(reversed(seen) if check_mode else seen),
            given=given,
            violations=list(last.get("violations") or []) if failed or check_mode else [],
            failure=str(failed.get("msg") or "the call failed without a message") if failed else None,
            began_at=next((str(call["began_at"]) for call in own_calls if call.get("began_at")), None),
            users=next((dict(call) for call in reversed(calls) if "users_by_ca" in call), {}),
            client_warnings=list(
                dict.fromkeys(warning for call in own_calls for warning in call.get("client_warnings") or ())
            ),
            audit=next((call["audit"] for call in reversed(own_calls) if call.get("audit")), None),
            components={name: component for call in own_calls for name, component in _components(call)},
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
        """How often each Kafka node was replaced. In check mode no node was; the plan has the restarts."""
        nodes = [pod["name"] for pod in self.last["pods"] if pod["component"] == KAFKA]
        return {node: len({pods[node] for pods in self.pods_seen if pods.get(node)}) - 1 for node in nodes}

    @property
    def result(self) -> str:
        """The result in one word: ``held`` if a gate is not met, ``failed`` if anything else went wrong, ``stopped``
        after the requested phase.
        """
        if self.failure:
            return "held" if self.violations else "failed"
        if self.done and self.last.get("pending"):
            return "stopped"
        if self.done and not self.actions:
            return "nothing_to_do"
        if self.check_mode:
            return "held" if self.violations and not self.forecast.steps else "planned"
        return "done" if self.done else "unfinished"


def _planned_rounds(calls: Iterable[Mapping[str, Any]]) -> int:
    """The number of rounds in the first plan of these results."""
    return next((int(call.get("planned_rounds") or 0) for call in calls if call.get("plan")), 0)


def _of_this_run(calls: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The calls of this run. In a play with several runs, a task that this run did not reach still has its result of an
    earlier run.
    """
    begun = str(calls[0].get("began_at") or "") if calls else ""
    return [call for call in calls if str(call.get("began_at") or begun) >= begun]


def _complete(result: Mapping[str, Any], where: Mapping[str, Any]) -> dict[str, Any]:
    none = {"count": 0, "others": []}
    return {**{name: [] for name in _LISTS}, "presenters": none, "cluster": dict(where), **result}


def _last_look(*results: Mapping[str, Any]) -> dict[str, Any]:
    """The last look that asked listeners; else the last look. The results are in the order in which they came."""
    looks = [
        {"evidence": result["evidence"], "listeners": result["listeners"]}
        for result in results
        if "listeners" in result
    ]
    taken = [look for look in looks if look["evidence"].get("seen_at")]
    return (taken or looks or [{"evidence": {}, "listeners": []}])[-1]


def _components(call: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The names of the pods in this result, and of the pods that the call has restarted, each with its component."""
    for pod in call.get("pods") or ():
        yield pod["name"], pod["component"]
    for action in call.get("actions") or ():
        if action["verb"] == "restart":
            yield action["name"], action["component"]


def _step(call: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "seconds": call.get("seconds") or 0.0,
        "actions": list(call["actions"]),
        "transitions": list(call.get("transitions") or []),
        "pods": {pod["name"]: pod["uid"] for pod in call.get("pods") or []},
    }
