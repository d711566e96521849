# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Telling the operator what nodes have reloaded, so that it finds nothing to roll (operator-facts, "The reload", 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import RollNeeded
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.leaves import server_cert_hash
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.pod_annotations import (
    annotate,
    annotated,
    pod_sets_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.pods import component_of
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.revision import not_reproduced, revision
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import annotation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.writes import write_all
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component

Object = Mapping[str, Any]
#: Per pod, why it cannot be stamped.
Obstacles = Mapping[str, str]

_STAMPS = (names.CLUSTER_CA_CERT_GENERATION, names.SERVER_CERT_HASH)


def stamp_pods(generation: int, phase: str, observation: Observation, work: Work) -> list[Action]:
    """Say of every Kafka pod, in both places, that it has this generation and the leaf in its Secret (paused only).

    Whether its process really presents that leaf has to be known before: the operator will not look. Raises
    RollNeeded, before anything is written, when a pod has to be rolled instead.
    """
    pod_sets, hashes = pod_sets_of(work), _hashes(observation)
    if found := obstacles(pod_sets, observation):
        raise _roll_needed(work, found)
    entries = _by_name(pod for pod_set in pod_sets for pod in pod_set["spec"]["pods"])
    stamps = {name: _stamps(entry, generation, hashes[name]) for name, entry in entries.items()}
    writes = annotate(
        pod_sets, observation.pods, lambda pod: stamps.get(pod["metadata"]["name"], {}), f"generation {generation}"
    )
    return write_all(writes, work, phase)


def unstampable(observation: Observation, work: Work) -> tuple[str, ...]:
    """Names of the pods that have to be rolled whatever the operator is told."""
    return tuple(obstacles(pod_sets_of(work), observation))


def obstacles(pod_sets: Sequence[Object], observation: Observation) -> Obstacles:
    """Why pods have to be rolled; empty when what was reloaded can be told to the operator."""
    entries = _by_name(pod for pod_set in pod_sets for pod in pod_set["spec"]["pods"])
    live = {name: pod for name, pod in observation.pods.items() if _is_node(pod, observation)}
    unknown = {name for pod_set in pod_sets for name in not_reproduced(pod_set)}
    hashes = _hashes(observation)
    rules: tuple[tuple[str, Callable[[str], bool]], ...] = (
        ("is in no StrimziPodSet", lambda name: name not in entries),
        ("does not exist at present", lambda name: name not in live),
        ("has a revision that cannot be reproduced", lambda name: name in unknown),
        ("waits for a restart for another reason", lambda name: not _differs_by_stamps(entries[name], live[name])),
        ("has no readable leaf in its Secret", lambda name: not hashes.get(name)),
    )
    first = {name: next((why for why, holds in rules if holds(name)), None) for name in sorted({*entries, *live})}
    return {name: why for name, why in first.items() if why}


def _differs_by_stamps(entry: Object, live: Object) -> bool:
    """The live pod's revision is of this very pod with the stamps that the live pod has.

    So a restart that the operator has not got round to (or that was forbidden) stays visible to it, and a run that
    ended between the two places is continued.
    """
    own = {key: found for key in _STAMPS if (found := annotation(live, key)) is not None}
    return len(own) == len(_STAMPS) and annotation(live, names.REVISION) == revision(annotated(entry, own))


def _stamps(entry: Object, generation: int, leaf_hash: str) -> dict[str, str]:
    own = {names.CLUSTER_CA_CERT_GENERATION: str(generation), names.SERVER_CERT_HASH: leaf_hash}
    # Last: the other two are part of what is hashed.
    return {**own, names.REVISION: revision(annotated(entry, own))}


def _hashes(observation: Observation) -> dict[str, str]:
    """By pod, which has the name of its Secret."""
    nodes = [leaf for leaf in observation.snapshot.leaves if leaf.component is Component.KAFKA]
    return {leaf.secret: server_cert_hash(Component.KAFKA, [leaf], observation.scope) for leaf in nodes}


def _is_node(pod: Object, observation: Observation) -> bool:
    return component_of(pod, observation.scope) is Component.KAFKA


def _by_name(pods: Iterable[Object]) -> dict[str, Object]:
    return {pod["metadata"]["name"]: pod for pod in pods}


def _roll_needed(work: Work, found: Obstacles) -> RollNeeded:
    which = "; ".join(f"{name} {why}" for name, why in found.items())
    return RollNeeded(
        f"The Cluster Operator cannot be told what nodes of Kafka {work.scope.namespace}/{work.scope.cluster} have "
        f"reloaded, it would roll them or miss a restart: {which}.",
        "Run the flow again when every pod of the StrimziPodSets runs and none of them waits for a restart; where that "
        "does not help, let the operator restart the nodes instead of reloading them.",
    )
