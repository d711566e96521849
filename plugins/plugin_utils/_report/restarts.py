# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The pods that were restarted, and when: by the actions of calls or by the UIDs that were seen, whichever shows more.

The operator restarts between two calls as well, and within one call a pod may start twice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import COMPONENTS, KAFKA, Run

Action = Mapping[str, Any]


@dataclass(frozen=True)
class Restart:
    """call: position of the step that asked for it or saw it first; the number of steps for a restart that only the
    last picture shows. action: the action of the call; None where another program restarted the pod.
    """

    pod: str
    call: int
    action: Action | None = None


def restarts_of(run: Run) -> Counter[str]:
    """The number of restarts by the name of a node, and by the component of other pods, which come back under another
    name.
    """
    return Counter(_who(restart.pod, run) for restart in restarts_in_order(run))


def restarts_in_order(run: Run) -> list[Restart]:
    """The restarts in order. A restart that a call has made is not counted again where its new UID is seen, also by a
    later call.
    """
    acted: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    told: Counter[str] = Counter()
    found: list[Restart] = []
    calls = zip_longest((step["actions"] for step in run.steps), _came(run), fillvalue=())
    for call, (actions, came) in enumerate(calls):
        own = _by_who(
            (Restart(name_of(action), call, action) for action in actions if action["verb"] == "restart"), run
        )
        new = _by_who((Restart(pod, call) for pod in came), run)
        for who in {**own, **new}:
            acted[who] += len(own[who])
            seen[who] += len(new[who])
            number = max(acted[who], seen[who]) - told[who]
            told[who] += number
            found += [*own[who], *new[who][len(own[who]) :]][:number]
    return found


def _by_who(restarts: Iterator[Restart], run: Run) -> defaultdict[str, list[Restart]]:
    found: defaultdict[str, list[Restart]] = defaultdict(list)
    for restart in restarts:
        found[_who(restart.pod, run)].append(restart)
    return found


def _came(run: Run) -> Iterator[list[str]]:
    """The pods whose UID is new after each step, and at the end. A pod that was not there before has not restarted."""
    first, *later = run.pods_seen
    known: dict[str, set[str]] = {}
    _take_in(first, known, run)
    for pods in later:
        yield _take_in(pods, known, run)


def _take_in(pods: Mapping[str, str], known: dict[str, set[str]], run: Run) -> list[str]:
    there = set(known)
    new = [(_who(pod, run), pod, uid) for pod, uid in pods.items() if uid and uid not in known.get(_who(pod, run), ())]
    for who, _pod, uid in new:
        known.setdefault(who, set()).add(uid)
    return [pod for who, pod, _uid in new if who in there]


def _who(pod: str, run: Run) -> str:
    return pod if pod in run.node_rolls else component(pod, run)


def name_of(action: Action) -> str:
    """The name in "Pod kafka/demo-kafka-0"."""
    return str(action["object"]).rsplit("/", 1)[-1]


def component(pod: str, run: Run) -> str:
    """The component of the pod with this name."""
    if pod in run.node_rolls:
        return KAFKA
    prefix = f"{run.last['cluster']['name']}-"
    return next((part for part in COMPONENTS if part != KAFKA and pod.startswith(f"{prefix}{part}-")), KAFKA)
