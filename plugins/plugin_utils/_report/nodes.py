# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Pods and nodes in a report: restarts, rolls, the parties with their presented and trusted CAs (pods one by one, and
equal parties in groups), and the log of a run by phases: writes, restarts, waits, and how long each took.

Restarts count by the actions of calls or by the seen UIDs, whichever shows more: the operator restarts pods between two
calls as well, and within a call a pod may start twice.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import (
    CHANGES,
    KAFKA,
    OPERATOR,
    Run,
)

Action = Mapping[str, Any]


@dataclass(frozen=True)
class Restart:
    """A restart in a report."""

    #: The name of the pod.
    pod: str
    #: Position of the step that caused it or saw it first; the number of steps if only the last picture shows the
    #: restart.
    call: int
    #: The action of the call; None if another program restarted the pod.
    action: Action | None = None


def restarts_of(run: Run) -> Counter[str]:
    """The number of restarts by the name of a node, and by the component of other pods, which come back under another
    name.
    """
    return Counter(_who(restart.pod, run) for restart in restarts_in_order(run))


def restarts_in_order(run: Run) -> list[Restart]:
    """The restarts in order. If a call has made a restart, it is not counted again by its new UID, not even in a later
    call.
    """
    acted: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    restarts: list[Restart] = []
    calls = zip_longest((step["actions"] for step in run.steps), _came(run), fillvalue=())
    for call, (actions, came) in enumerate(calls):
        own = _by_who(
            (Restart(str(action["name"]), call, action) for action in actions if action["verb"] == "restart"), run
        )
        new = _by_who((Restart(pod, call) for pod in came), run)
        for who in {**own, **new}:
            acted[who] += len(own[who])
            seen[who] += len(new[who])
            number = max(acted[who], seen[who]) - counted[who]
            counted[who] += number
            restarts += [*own[who], *new[who][len(own[who]) :]][:number]
    return restarts


def _by_who(restarts: Iterator[Restart], run: Run) -> defaultdict[str, list[Restart]]:
    by_party: defaultdict[str, list[Restart]] = defaultdict(list)
    for restart in restarts:
        by_party[_who(restart.pod, run)].append(restart)
    return by_party


def _came(run: Run) -> Iterator[list[str]]:
    """The pods with a new UID after each step, and at the end. If a pod was not there before, it has not restarted."""
    first, *later = run.pods_seen
    uids: dict[str, set[str]] = {}
    _take_in(first, uids, run)
    for pods in later:
        yield _take_in(pods, uids, run)


def _take_in(pods: Mapping[str, str], uids: dict[str, set[str]], run: Run) -> list[str]:
    there = set(uids)
    new = [(_who(pod, run), pod, uid) for pod, uid in pods.items() if uid and uid not in uids.get(_who(pod, run), ())]
    for who, _pod, uid in new:
        uids.setdefault(who, set()).add(uid)
    return [pod for who, pod, _uid in new if who in there]


def _who(pod: str, run: Run) -> str:
    return pod if pod in run.node_rolls else run.components.get(pod, KAFKA)


def describe_pods(run: Run) -> dict[str, Any]:
    """The pods. ``restarts`` says how often the pod, or the pods of its component before it, were restarted; null if
    unclear.
    """
    restarted, alone = restarts_of(run), Counter(pod["component"] for pod in run.last["pods"])
    pods = []
    for pod in sorted(run.last["pods"], key=lambda pod: order_of(pod["component"], pod["name"])):
        component = pod["component"]
        times = restarted[pod["name"] if component == KAFKA else component]
        pods.append({**pod, "restarts": times if component == KAFKA or alone[component] == 1 else None})
    return {
        "pods": pods,
        "pods_before": list(run.first["pods"]),
        "parties": group_parties(run.last),
        "parties_before": group_parties(run.first),
    }


def group_parties(seen: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parties: pods of a component are a single party if they present and trust the same; the Cluster Operator is a
    party too.

    CAs are named by the first 12 digits of their SHA-256.
    """
    groups: dict[tuple[Any, ...], dict[str, Any]] = {}
    parties = [*map(_pod, seen["pods"]), *operator_party(seen)]
    for component, name, presents, trusts in sorted(parties, key=lambda party: order_of(*party[:2])):
        key = (component, tuple(presents), tuple(trusts))
        group = groups.setdefault(
            key, {"component": component, "names": [], "presents": presents, "trusts": trusts}
        )  # fmt: skip
        group["names"].append(name)
    return [{**group, "count": len(group["names"])} for group in groups.values()]


_ORDER = [str(component.value) for component in Component]


def order_of(component: str, name: str) -> tuple[int, list[tuple[int, str]]]:
    """The key to sort by component, then by name with numbers as numbers: node 10 comes after node 9."""
    position = _ORDER.index(component) if component in _ORDER else len(_ORDER)
    return position, [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", name)]


def _pod(pod: Mapping[str, Any]) -> tuple[str, str, list[str], list[str]]:
    return pod["component"], pod["name"], short_names(pod["presents_sha256"]), short_names(pod["trusts_sha256"])


def short_names(digests: Iterable[str | None]) -> list[str]:
    """CAs by the first 12 digits of their SHA-256."""
    return sorted(sha256[:12] for sha256 in digests if sha256)


def operator_party(seen: Mapping[str, Any]) -> list[tuple[str, str, list[str], list[str]]]:
    """The Cluster Operator as a party: it presents the certificate in its Secret, and reads the CA certificate Secret
    again in every reconcile.
    """
    leaves = [leaf for leaf in seen["leaves"] if leaf["component"] == OPERATOR]
    if not leaves:
        return []
    trusted = {ca["sha256"][:12] for ca in seen["cas"]}
    presents = sorted(trusted & {*short_names(leaf["ca_sha256"] for leaf in leaves)})
    return [(OPERATOR, "Cluster Operator", presents, sorted(trusted))]


def describe_rolls(run: Run) -> dict[str, Any]:
    """How often the nodes were replaced, in which rounds, how many there are, and how many were down at once."""
    replaced = run.node_rolls
    away = [action["away"] for action in run.actions if action.get("away") is not None]
    return {
        "nodes": len(replaced),
        "rolls": max(replaced.values(), default=0),
        "restarts": restarts_of(run).total(),
        "nodes_away_together": max(away, default=None),
        "rounds": _describe_rounds(run),
    }


def _describe_rounds(run: Run) -> list[dict[str, Any]]:
    """The rounds in which calls have restarted Kafka nodes, in order; none if each node restarted alone. Beside rounds
    of several nodes, a node that restarted alone is a round of its own, as in a plan.
    """
    nodes = [
        (call, number, action)
        for call, step in enumerate(run.steps)
        for number, action in enumerate(step["actions"])
        if action["verb"] == "restart" and action["component"] == KAFKA
    ]
    if all(action["round"] is None for _call, _number, action in nodes):
        return []
    rounds = defaultdict[tuple[int, str, int], list[Action]](list)
    for call, number, action in nodes:
        key = (call, "alone", number) if action["round"] is None else (call, "together", action["round"])
        rounds[key].append(action)
    return [
        {"phase": together[0]["phase"], "nodes": [action["name"] for action in together]}
        for together in rounds.values()
    ]


PHASES = ("prepare", "trust", "use", "retire")


def describe_phases(run: Run) -> list[dict[str, Any]]:
    """The phases in which something was done, in the order of the flow."""
    stretches = _stretches(run)
    restarts = [(_phase_of_restart(restart, stretches), restart) for restart in restarts_in_order(run)]
    entered = [phase for phase in PHASES if any(stretch["phase"] == phase for stretch in stretches)]
    return [
        _phase(
            phase,
            [stretch for stretch in stretches if stretch["phase"] == phase],
            [_restart(restart, run) for where, restart in restarts if where == phase],
        )
        for phase in entered
    ]


def _phase(phase: str, stretches: list[dict[str, Any]], restarts: list[dict[str, Any]]) -> dict[str, Any]:
    actions = [action for stretch in stretches for action in stretch["actions"]]
    return {
        "phase": phase,
        "seconds": round(sum(stretch["seconds"] for stretch in stretches), 1),
        "writes": _writes(actions),
        "restarts": restarts,
        "waits": [
            {"object": action["object"], "what": action["what"], "seconds": action["seconds"]}
            for action in actions
            if action["verb"] == "wait"
        ],
        "work": [
            {
                "kind": _kind(stretch["actions"]),
                "begins": round(stretch["begins"], 1),
                "seconds": round(stretch["seconds"], 1),
                "restarts": sum(action["verb"] == "restart" for action in stretch["actions"]),
                "writes": sum(action["verb"] in CHANGES for action in stretch["actions"]),
            }
            for stretch in stretches
        ],
    }


def _restart(restart: Restart, run: Run) -> dict[str, Any]:
    """A restart as the report has it; without seconds if no call has waited for it."""
    seconds = restart.action["seconds"] if restart.action else None
    return {"pod": restart.pod, "component": run.components.get(restart.pod, KAFKA), "seconds": seconds}


def _phase_of_restart(restart: Restart, stretches: list[dict[str, Any]]) -> str:
    """The phase of a restart. If no call caused it, the phase of the call that saw it first; empty if there is none."""
    if restart.action:
        return str(restart.action["phase"])
    seen = [stretch for stretch in stretches if stretch["call"] >= restart.call] or stretches[-1:]
    return str(seen[0]["phase"]) if seen else ""


def _writes(actions: Iterable[Action]) -> list[dict[str, Any]]:
    """An entry for each object, with all its writes."""
    by_object: dict[tuple[str, str | None, str | None], list[str]] = {}
    for action in actions:
        if action["verb"] in CHANGES:
            by_object.setdefault((action["object"], action["kind"], action["name"]), []).append(action["what"])
    return [
        {"object": written, "kind": kind, "name": name, "times": len(what), "what": list(dict.fromkeys(what))}
        for (written, kind, name), what in by_object.items()
    ]


def _kind(actions: Iterable[Action]) -> str:
    verbs = {action["verb"] for action in actions}
    return "roll" if "restart" in verbs else "wait" if "wait" in verbs else "write"


def _stretches(run: Run) -> list[dict[str, Any]]:
    """The actions of each call by phase. Phases share the time of a call in proportion to their numbers of actions."""
    stretches: list[dict[str, Any]] = []
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
            stretches.append({
                "phase": phase, "call": call, "actions": own, "begins": begins, "seconds": seconds,
            })  # fmt: skip
            begins += seconds
        clock += step["seconds"]
    return stretches


def _phase_of(action: Action, previous: str, run: Run) -> str:
    """The phase of an action. A write of the ledger records earlier actions, so it belongs to their phase."""
    return previous if previous and action["of_ledger"] else str(action["phase"])
