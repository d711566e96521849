# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Who was restarted and how often: by what calls did, or by the UIDs that were seen, whichever shows more.

The operator restarts between two calls as well, and within one call a pod may start twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import COMPONENTS, KAFKA, Run


def restarts_of(run: Run) -> Counter[str]:
    """By the name of a node, and by the component of other pods: those come back under another name."""
    acted = Counter(_who(action, run) for action in run.actions if action["verb"] == "restart")
    return acted | Counter(run.node_rolls) | _other_pods_seen(run)


def _other_pods_seen(run: Run) -> Counter[str]:
    """How many of each component came after those that were there at first."""
    uids: dict[str, set[str]] = {}
    for pods in run.pods_seen:
        for name, uid in pods.items():
            uids.setdefault(component(name, run), set()).add(uid)
    first = Counter(pod["component"] for pod in run.first["pods"])
    return Counter({one: len(seen) - first[one] for one, seen in uids.items() if one != KAFKA and first[one]})


def _who(action: Mapping[str, Any], run: Run) -> str:
    name = name_of(action)
    return name if name in run.node_rolls else component(name, run)


def name_of(action: Mapping[str, Any]) -> str:
    """The name in "Pod kafka/demo-kafka-0"."""
    return str(action["object"]).rsplit("/", 1)[-1]


def component(pod: str, run: Run) -> str:
    """What a pod of this name is."""
    if pod in run.node_rolls:
        return KAFKA
    prefix = f"{run.last['cluster']['name']}-"
    return next((part for part in COMPONENTS if part != KAFKA and pod.startswith(f"{prefix}{part}-")), KAFKA)
