# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Annotations of pods in both places: ``spec.pods`` of the StrimziPodSets, and the live pods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._kube.resources import PODS
from .resources import STRIMZI_POD_SETS
from .secret_data import annotation
from .writes import Write, WriteVerb, version

Object = Mapping[str, Any]
#: The annotations that a pod is to have; none for a pod that is not changed.
Wanted = Callable[[Object], Mapping[str, str]]


def with_annotations(pod: Object, annotations: Mapping[str, str]) -> dict[str, Any]:
    """The pod with these annotations besides its own."""
    if not annotations:
        return dict(pod)
    metadata = pod["metadata"]
    return {**pod, "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), **annotations}}}


def annotate(pod_sets: Sequence[Object], pods: Mapping[str, Object], wanted: Wanted, what: str) -> tuple[Write, ...]:
    """Writes for the StrimziPodSets first, so that a pod which is recreated meanwhile has the annotations, then for
    live pods; none where nothing differs.
    """
    return (*_in_pod_sets(pod_sets, wanted, what), *_on_pods(pods, wanted, what))


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
