# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Raising the key generation on the key Secret and, in a pause, on every pod, so that no trust roll follows."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import PODS, SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.resources import STRIMZI_POD_SETS
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import annotation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.writes import (
    Write,
    WriteVerb,
    secret_patch,
    version,
    write_all,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import TrueKeyGeneration


def raise_key_generation(step: TrueKeyGeneration, observation: Observation, work: Work) -> list[Action]:
    """StrimziPodSets first (a pod recreated meanwhile has it), then live pods, the Secret last.

    The operator trusts "every pod has the generation of the Secret" as proof that no trust roll is needed
    (strimzi.md 4.1, step 3); here that is true, since the key has long been trusted by every pod.
    """
    value = str(step.generation)
    writes = (*_pod_sets(work, value), *_pods(observation, value), _secret(observation, value))
    return write_all(writes, work, step.phase.value)


def _pod_sets(work: Work, value: str) -> tuple[Write, ...]:
    writes = []
    for pod_set in work.client.list(STRIMZI_POD_SETS, work.scope.namespace, label_selector=work.scope.selector).items:
        pods = [_annotated(pod, value) for pod in pod_set["spec"]["pods"]]
        if pods != pod_set["spec"]["pods"]:
            name = pod_set["metadata"]["name"]
            what = f"pods are created with key generation {value}"
            writes.append(
                Write(WriteVerb.UPDATE, STRIMZI_POD_SETS, name, what, {"spec": {"pods": pods}}, version(pod_set))
            )
    return tuple(writes)


def _annotated(pod: dict[str, object], value: str) -> dict[str, object]:
    metadata = dict(pod["metadata"]) if isinstance(pod["metadata"], dict) else {}
    annotations = {**(metadata.get("annotations") or {}), names.CLUSTER_CA_KEY_GENERATION: value}
    return {**pod, "metadata": {**metadata, "annotations": annotations}}


def _pods(observation: Observation, value: str) -> tuple[Write, ...]:
    patch = {"metadata": {"annotations": {names.CLUSTER_CA_KEY_GENERATION: value}}}
    return tuple(
        Write(WriteVerb.UPDATE, PODS, name, f"key generation {value}", patch, version(pod))
        for name, pod in sorted(observation.pods.items())
        if annotation(pod, names.CLUSTER_CA_KEY_GENERATION) != value
    )


def _secret(observation: Observation, value: str) -> Write:
    name = observation.scope.ca_key_secret
    patch = secret_patch({}, {names.CA_KEY_GENERATION: value})
    what = f"key generation {value}, as the CA's name says"
    return Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(observation.secrets[name]))
