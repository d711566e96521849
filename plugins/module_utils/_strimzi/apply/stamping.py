# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Annotations of pods that tell the operator what nodes have reloaded, so it finds nothing to roll (docs/operator.md,
"Reload", 3). They are written in both places: ``spec.pods`` of the StrimziPodSets, and the live pods. Nodes that this
collection restarts next get them from the StrimziPodSets, with the pods that take their place.

By ``strimzi.io/revision`` the operator knows whether it has to roll a pod. Its computation of the value is private to
the operator (docs/operator.md, "Pod sets", "Reload", 3), so the annotation is used only if the result equals the
operator's own value: ``find_not_reproduced``.

A reload takes more permissions than a restart: reading the settings of nodes, and telling the operator what they have
read. A SelfSubjectAccessReview (authorization.k8s.io/v1) checks them before a reload begins, so the reload can be
finished. The look at the running nodes shows whether ports of pods can be opened.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ..._errors import Forbidden, Invalid, ReloadImpossible, ResourceTypeMissing, StampsRefused
from ..._kube.client import KubeClient
from ..._kube.resources import CONFIG_MAPS, PODS, SELF_SUBJECT_ACCESS_REVIEWS, Attempt, Resource
from ..._kube.shipped_roles import describe_roles_with, rule_for
from ..._trust.model.components import Component
from ..._trust.model.folding import fold_names
from ..._trust.model.steps.nodes import StampPods
from .. import names
from ..cluster.leaves import server_cert_hash
from ..cluster.observe import Observation
from ..names import STRIMZI_POD_SETS
from ..secret_data import annotation
from .work import Work, Write, WriteVerb, version, write_all

_REVISIONS = frozenset({names.REVISION, names.RESOURCE_REVISION})
_LENGTH = 8


def revision(pod: Mapping[str, Any]) -> str:
    """The revision of a pod as it stands in a StrimziPodSet. A live pod has further fields, so its hash differs.

    The first 8 hex digits of SHA-1 over compact JSON with sorted keys, without the two revisions themselves. If the
    resources of containers and init containers have a revision of their own, as these can change in place, the hash
    leaves them out. Operators before 1.0 give a pod a single revision, with the resources.
    """
    metadata, spec = dict(pod["metadata"]), dict(pod["spec"])
    marks = metadata.get("annotations") or {}
    metadata["annotations"] = {key: value for key, value in marks.items() if key not in _REVISIONS}
    for group in ("initContainers", "containers"):
        if group in spec and names.RESOURCE_REVISION in marks:
            spec[group] = [{k: v for k, v in container.items() if k != "resources"} for container in spec[group]]
    # As Jackson writes it: characters beyond ASCII stand for themselves.
    text = json.dumps(
        {**pod, "metadata": metadata, "spec": spec}, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:_LENGTH]


def find_not_reproduced(pod_set: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the pods of a StrimziPodSet with another present revision than this rule gives."""
    return tuple(
        pod["metadata"]["name"] for pod in pod_set["spec"]["pods"] if annotation(pod, names.REVISION) != revision(pod)
    )


Object = Mapping[str, Any]
#: Gives the wanted annotations of a pod; none for an unchanged pod.
Wanted = Callable[[Object], Mapping[str, str]]


def with_annotations(pod: Object, annotations: Mapping[str, str]) -> dict[str, Any]:
    """The pod with these annotations besides its own."""
    if not annotations:
        return dict(pod)
    metadata = pod["metadata"]
    return {**pod, "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), **annotations}}}


def _in_pod_sets(pod_sets: Sequence[Object], wanted: Wanted, what: str) -> tuple[Write, ...]:
    writes = []
    for pod_set in pod_sets:
        pods = [with_annotations(pod, wanted(pod)) for pod in pod_set["spec"]["pods"]]
        if pods != pod_set["spec"]["pods"]:
            name, patch = pod_set["metadata"]["name"], {"spec": {"pods": pods}}
            made = f"pods are created with {what}"
            writes.append(Write(WriteVerb.UPDATE, STRIMZI_POD_SETS, name, made, patch, version(pod_set)))
    return tuple(writes)


def _on_pods(pods: Mapping[str, Object], wanted: Wanted, what: str) -> tuple[Write, ...]:
    writes = []
    for name, pod in sorted(pods.items()):
        annotations = {key: value for key, value in wanted(pod).items() if annotation(pod, key) != value}
        if annotations:
            patch = {"metadata": {"annotations": annotations}}
            writes.append(Write(WriteVerb.UPDATE, PODS, name, what, patch, version(pod)))
    return tuple(writes)


#: By pod, why it cannot be stamped.
Obstacles = Mapping[str, str]

_STAMPS = (names.CLUSTER_CA_CERT_GENERATION, names.CLUSTER_CA_KEY_GENERATION, names.SERVER_CERT_HASH)


def stamp_pods(step: StampPods, observation: Observation, work: Work) -> None:
    """Annotate pods in both places (paused only): all of them with the key generation. If the step says so, also nodes
    with its generation and the leaf in their Secret, so the operator finds nothing to restart; in the StrimziPodSets
    alone, if the nodes restart next.

    The caller has to know that a node's process really presents that leaf, because the operator will not look. Raises
    ReloadImpossible, before anything is written, if a node has to restart instead, and StampsRefused.
    """
    pod_sets, hashes = observation.owners.read_pod_sets(work.client), _hashes(observation)
    for pod_set in pod_sets:
        work.written.compare((STRIMZI_POD_SETS.kind, work.scope.namespace, pod_set["metadata"]["name"]), pod_set)
    if step.generation is not None and (
        hindered := obstacles(pod_sets, observation, before_restart=step.before_restart)
    ):
        raise _restarted_again(work, hindered) if step.before_restart else _roll_needed(work, hindered)
    keys = {names.CLUSTER_CA_KEY_GENERATION: str(step.key_generation)}
    entries = _by_name(pod for pod_set in pod_sets for pod in pod_set["spec"]["pods"])
    stamps_by_pod = {
        name: {names.CLUSTER_CA_CERT_GENERATION: str(step.generation), names.SERVER_CERT_HASH: hashes[name], **keys}
        for name in (entries if step.generation is not None else ())
    }
    # The revision comes last, because it is a hash over the other annotations too.
    stamps = {
        name: {**own, names.REVISION: revision(with_annotations(entries[name], own))}
        for name, own in stamps_by_pod.items()
    }
    what = f"key generation {step.key_generation}"
    if step.generation is not None:
        what = f"generation {step.generation}, {what}"
    running = {} if step.before_restart else stamps
    # The StrimziPodSets come first: if a pod is recreated meanwhile, it has the annotations.
    writes = (
        *_in_pod_sets(pod_sets, lambda pod: stamps.get(pod["metadata"]["name"], keys), what),
        *_on_pods(observation.pods, lambda pod: running.get(pod["metadata"]["name"], keys), what),
    )
    try:
        write_all(writes, work, step.phase.value)
    except (Forbidden, Invalid) as error:
        raise StampsRefused(
            "The Cluster Operator",
            f"does not learn what nodes of Kafka {work.scope.namespace}/{work.scope.cluster} have taken up: {error}",
            f"{error.remedy} Or have the nodes restarted: spread=auto goes on without this, and ends the pause with a "
            "restart of each node.",
        ) from None


def obstacles(pod_sets: Sequence[Object], observation: Observation, *, before_restart: bool = False) -> Obstacles:
    """Why the operator rolls pods despite new annotations; empty if annotations can tell it about the reload. Before a
    restart, what stands against the running pod does not count: another pod takes its place.
    """
    entries = _by_name(pod for pod_set in pod_sets for pod in pod_set["spec"]["pods"])
    live = {name: pod for name, pod in observation.pods.items() if _is_node(pod, observation)}
    unknown = {name for pod_set in pod_sets for name in find_not_reproduced(pod_set)}
    hashes = _hashes(observation)
    lasts, ends_with_restart = True, not before_restart
    rules: tuple[tuple[str, bool, Callable[[str], bool]], ...] = (
        ("is in no StrimziPodSet", lasts, lambda name: name not in entries),
        ("does not exist at present", ends_with_restart, lambda name: name not in live),
        ("has a revision that cannot be reproduced", lasts, lambda name: name in unknown),
        (
            "waits for a restart for another reason",
            ends_with_restart,
            lambda name: not _differs_by_stamps(entries[name], live[name]),
        ),
        ("has no readable leaf in its Secret", lasts, lambda name: not hashes.get(name)),
    )
    first = {
        name: next((why for why, counts, applies in rules if counts and applies(name)), None)
        for name in sorted({*entries, *live})
    }
    return {name: why for name, why in first.items() if why}


def _differs_by_stamps(entry: Object, live: Object) -> bool:
    """Whether the entry of the StrimziPodSet, with the stamps of the live pod, has the live pod's revision.

    So a restart that the operator still has to do stays visible to it, and a run that ended between the two places is
    continued.
    """
    own = {key: stamp for key in _STAMPS if (stamp := annotation(live, key)) is not None}
    return len(own) == len(_STAMPS) and annotation(live, names.REVISION) == revision(with_annotations(entry, own))


def _hashes(observation: Observation) -> dict[str, str]:
    """The hash of each stored leaf, by pod: the Secret has the name of its pod."""
    nodes = [leaf for leaf in observation.snapshot.leaves.stored if leaf.component is Component.KAFKA]
    return {leaf.secret: server_cert_hash(Component.KAFKA, [leaf], observation.scope) for leaf in nodes}


def _is_node(pod: Object, observation: Observation) -> bool:
    return observation.owners.component_of(pod) is Component.KAFKA


def _by_name(pods: Iterable[Object]) -> dict[str, Object]:
    return {pod["metadata"]["name"]: pod for pod in pods}


def _roll_needed(work: Work, hindered: Obstacles) -> ReloadImpossible:
    return ReloadImpossible(
        "The Cluster Operator",
        f"does not learn what nodes of Kafka {work.scope.namespace}/{work.scope.cluster} have "
        f"reloaded, and would roll them or miss a restart: {_describe(hindered)}",
        "Run the flow again when every pod of the StrimziPodSets runs and none of them waits for a restart; where that "
        "does not help, let the operator restart the nodes instead of reloading them.",
    )


def _restarted_again(work: Work, hindered: Obstacles) -> StampsRefused:
    return StampsRefused(
        "The Cluster Operator",
        f"would restart nodes of Kafka {work.scope.namespace}/{work.scope.cluster} again that are restarted in its "
        f"pause: {_describe(hindered)}",
        "Run the flow again when every pod of the StrimziPodSets has a readable certificate; where that does not help, "
        "let the operator restart the nodes (strategy=operator).",
    )


def _describe(hindered: Obstacles) -> str:
    """The pods with the reasons, as a part of a sentence; many pods with the same reason are named once."""
    # A reason continues the sentence about one pod; behind several pods a colon comes first.
    return "; ".join(
        f"{pods} {why}" if pods in hindered else f"{pods}: {why}" for pods, why in fold_names(hindered.items())
    )


def is_allowed(client: KubeClient, attempt: Attempt) -> bool:
    """Whether RBAC would permit this; an admission policy may refuse it all the same.

    Every answer other than a plain yes counts as no. Raises KubeError if the API server does not answer.
    """
    review = {
        "apiVersion": SELF_SUBJECT_ACCESS_REVIEWS.api_version,
        "kind": SELF_SUBJECT_ACCESS_REVIEWS.kind,
        "spec": {"resourceAttributes": _attributes(attempt)},
    }
    answer = client.create(SELF_SUBJECT_ACCESS_REVIEWS, None, review)
    return (answer.get("status") or {}).get("allowed") is True


def _attributes(attempt: Attempt) -> dict[str, str]:
    """The attributes of an attempt. The name is left out if all objects are meant; a rule for some of them is not
    enough then.
    """
    given = {
        "verb": attempt.verb,
        "group": attempt.resource.group,
        "resource": attempt.resource.plural,
        "subresource": attempt.subresource,
        "namespace": attempt.namespace,
        "name": attempt.name,
    }
    return {key: value for key, value in given.items() if value}


Needed: TypeAlias = tuple[tuple[str, Resource], ...]
#: Verb and kind, for the stamps on pods and StrimziPodSets.
TO_ANNOTATE: Needed = (("patch", STRIMZI_POD_SETS), ("patch", PODS))
#: For a reload: it takes the settings of a node as well.
NEEDED: Needed = (*TO_ANNOTATE, ("get", CONFIG_MAPS))


def why_not_permitted(client: KubeClient, namespace: str, needed: Needed = NEEDED) -> str:
    """The needed permissions that the identity of this run lacks, as a sentence; empty if it has all of them.

    If the API server does not say, the permissions count as lacking. Raises KubeError if it cannot be reached.
    """
    attempts = [Attempt(verb, resource, namespace) for verb, resource in needed]
    try:
        missing = [attempt for attempt in attempts if not is_allowed(client, attempt)]
    except (Forbidden, ResourceTypeMissing, Invalid) as error:
        return f"it is not known whether the identity of this run may do what a reload takes: {error}"
    if not missing:
        return ""
    what = ", ".join(f"{attempt.verb} {attempt.resource.plural}" for attempt in missing)
    rules = "; ".join(rule_for(attempt) for attempt in missing)
    shipped = describe_roles_with(missing)
    return f"the identity of this run may not {what} in namespace {namespace}. Its Role lacks {rules}.{shipped}"
