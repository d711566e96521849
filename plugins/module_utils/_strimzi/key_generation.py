# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Raising the key generation on the key Secret and, in a pause, on every pod, so that no trust roll follows."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.pod_annotations import annotate, pod_sets_of
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
    """Every pod in both places, the Secret last.

    The operator trusts "every pod has the generation of the Secret" as proof that no trust roll is needed
    (strimzi.md 4.1, step 3); here that is true, since the key has long been trusted by every pod.
    """
    value = str(step.generation)
    annotations = {names.CLUSTER_CA_KEY_GENERATION: value}
    pods = annotate(pod_sets_of(work), observation.pods, lambda pod: annotations, f"key generation {value}")
    return write_all((*pods, _secret(observation, value)), work, step.phase.value)


def _secret(observation: Observation, value: str) -> Write:
    name = observation.scope.ca_key_secret
    patch = secret_patch({}, {names.CA_KEY_GENERATION: value})
    what = f"key generation {value}, as the CA's name says"
    return Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(observation.secrets[name]))
