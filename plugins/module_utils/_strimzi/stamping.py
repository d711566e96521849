# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Telling the operator what nodes have reloaded, so that it finds nothing to roll (docs/operator.md, "Reload", 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .._errors import Forbidden, Invalid, ReloadImpossible, StampsRefused
from .._trust.model.snapshot import Component
from .._trust.model.steps.nodes import StampPods
from . import names
from .leaves import server_cert_hash
from .observe import Observation
from .pod_annotations import annotate, with_annotations
from .revision import not_reproduced, revision
from .secret_data import annotation
from .work import Work
from .writes import write_all

Object = Mapping[str, Any]
#: By pod, why it cannot be stamped.
Obstacles = Mapping[str, str]

_STAMPS = (names.CLUSTER_CA_CERT_GENERATION, names.CLUSTER_CA_KEY_GENERATION, names.SERVER_CERT_HASH)


def stamp_pods(step: StampPods, observation: Observation, work: Work) -> None:
    """Annotate pods in both places (paused only): all of them with the key generation, and where the step says so, nodes
    with its generation and the leaf in their Secret, so that the operator finds nothing to restart.

    The caller has to know that a node's process really presents that leaf, because the operator will not look. Raises
    ReloadImpossible, before anything is written, when a node has to restart instead, and StampsRefused.
    """
    pod_sets, hashes = observation.owners.read_pod_sets(work.client), _hashes(observation)
    if step.generation is not None and (found := obstacles(pod_sets, observation)):
        raise _roll_needed(work, found)
    keys = {names.CLUSTER_CA_KEY_GENERATION: str(step.key_generation)}
    entries = _by_name(pod for pod_set in pod_sets for pod in pod_set["spec"]["pods"])
    told = {name: {names.CLUSTER_CA_CERT_GENERATION: str(step.generation), names.SERVER_CERT_HASH: hashes[name], **keys}
            for name in (entries if step.generation is not None else ())}  # fmt: skip
    # The revision comes last, because it is a hash over the other annotations too.
    stamps = {
        name: {**own, names.REVISION: revision(with_annotations(entries[name], own))} for name, own in told.items()
    }
    writes = annotate(pod_sets, observation.pods, lambda pod: stamps.get(pod["metadata"]["name"], keys), _said(step))
    try:
        write_all(writes, work, step.phase.value)
    except (Forbidden, Invalid) as error:
        raise StampsRefused(
            "The Cluster Operator",
            f"cannot be told what nodes of Kafka {work.scope.namespace}/{work.scope.cluster} have taken up: {error}",
            f"{error.remedy} Or have the nodes restarted: spread=auto goes on without this, and ends the pause with a restart of each node.",
        ) from None


def _said(step: StampPods) -> str:
    keys = f"key generation {step.key_generation}"
    return keys if step.generation is None else f"generation {step.generation}, {keys}"


def unstampable(observation: Observation, work: Work) -> tuple[str, ...]:
    """Names of the pods that have to be rolled whatever the operator is told."""
    return tuple(obstacles(observation.owners.read_pod_sets(work.client), observation))


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
    """Whether the entry of the StrimziPodSet, with the stamps of the live pod, has the live pod's revision.

    So a restart that the operator has still to make stays visible to it, and a run that ended between the two places is
    continued.
    """
    own = {key: found for key in _STAMPS if (found := annotation(live, key)) is not None}
    return len(own) == len(_STAMPS) and annotation(live, names.REVISION) == revision(with_annotations(entry, own))


def _hashes(observation: Observation) -> dict[str, str]:
    """The hash of each stored leaf, by pod: the Secret has the name of its pod."""
    nodes = [leaf for leaf in observation.snapshot.leaves.stored if leaf.component is Component.KAFKA]
    return {leaf.secret: server_cert_hash(Component.KAFKA, [leaf], observation.scope) for leaf in nodes}


def _is_node(pod: Object, observation: Observation) -> bool:
    return observation.owners.component_of(pod) is Component.KAFKA


def _by_name(pods: Iterable[Object]) -> dict[str, Object]:
    return {pod["metadata"]["name"]: pod for pod in pods}


def _roll_needed(work: Work, found: Obstacles) -> ReloadImpossible:
    which = "; ".join(f"{name} {why}" for name, why in found.items())
    return ReloadImpossible(
        "The Cluster Operator",
        f"cannot be told what nodes of Kafka {work.scope.namespace}/{work.scope.cluster} have "
        f"reloaded, it would roll them or miss a restart: {which}",
        "Run the flow again when every pod of the StrimziPodSets runs and none of them waits for a restart; where that "
        "does not help, let the operator restart the nodes instead of reloading them.",
    )
