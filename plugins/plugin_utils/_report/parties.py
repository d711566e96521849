# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The parties with the CAs that they present and trust: pods one by one, and equal parties in groups."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.restarts import restarts_of
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import COMPONENTS, KAFKA, OPERATOR, Run

#: Lists name a CA by its common name and the start of its SHA-256: "cluster-ca v1 (6c1f0e9a2b3c)".
_LABEL = re.compile(r"\(([0-9a-f]{12})\)$")


def describe_pods(run: Run) -> dict[str, Any]:
    """``restarts``: how often the pod, or the pods of its component before it, were restarted; null when unclear."""
    restarted, alone = restarts_of(run), Counter(pod["component"] for pod in run.last["pods"])
    pods = []
    for pod in sorted(run.last["pods"], key=lambda one: order_of(one["component"], one["name"])):
        component = pod["component"]
        known = restarted[pod["name"] if component == KAFKA else component]
        pods.append({**pod, "restarts": known if component == KAFKA or alone[component] == 1 else None})
    return {
        "pods": pods,
        "pods_before": list(run.first["pods"]),
        "parties": group_parties(run.last),
        "parties_before": group_parties(run.first),
    }


def group_parties(seen: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Pods of one component that present and trust the same are one party, and so is the Cluster Operator.

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


def order_of(component: str, name: str) -> tuple[int, list[tuple[int, str]]]:
    """The key to sort by component, then by name with numbers as numbers: node 10 comes after node 9."""
    position = COMPONENTS.index(component) if component in COMPONENTS else len(COMPONENTS)
    return position, [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", name)]


def _pod(pod: Mapping[str, Any]) -> tuple[str, str, list[str], list[str]]:
    return pod["component"], pod["name"], short_names(pod["presents"]), short_names(pod["trusts"])


def short_names(labels: Iterable[str]) -> list[str]:
    return sorted(match.group(1) for match in map(_LABEL.search, labels) if match)


def operator_party(seen: Mapping[str, Any]) -> list[tuple[str, str, list[str], list[str]]]:
    """The Cluster Operator as a party: it presents the certificate in its Secret, and reads the CA certificate Secret
    anew in every reconcile.
    """
    leaves = [leaf for leaf in seen["leaves"] if leaf["component"] == OPERATOR]
    if not leaves:
        return []
    known = {ca["sha256"][:12] for ca in seen["cas"]}
    presents = sorted(known & {*short_names(leaf["ca"] for leaf in leaves)})
    return [(OPERATOR, "Cluster Operator", presents, sorted(known))]
