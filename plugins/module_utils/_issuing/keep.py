# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Keeping leaves in use over a change of the issuing CA (operator-facts, "The bridge", 1, and "The reload", 3)."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issue import presented
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.leaves import leaf_secrets
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import entries
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.writes import (
    Write,
    WriteVerb,
    secret_patch,
    version,
    write_all,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import KeepLeaves, RechainLeaves


def carry_out_keep(step: KeepLeaves, observation: Observation, work: Work) -> list[Action]:
    """Only the annotation changes: the operator takes these leaves for ones of this generation and leaves them alone."""
    patch = secret_patch({}, {names.CLUSTER_CA_CERT_GENERATION: str(step.generation)})
    what = f"stays in use for generation {step.generation}"
    writes = tuple(
        Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(observation.secrets[name])) for name in step.secrets
    )
    return write_all(writes, work, step.phase.value)


def carry_out_rechain(step: RechainLeaves, observation: Observation, work: Work) -> list[Action]:
    """Leaf and key stay; what is sent after the leaf becomes the chain of the present CA."""
    writes = []
    for leaf in leaf_secrets(observation.scope, observation.secrets):
        if leaf.secret not in step.secrets:
            continue
        existing = observation.secrets[leaf.secret]
        kept = parse_certificates(entries(existing)[f"{leaf.entry}.crt"])[0]
        patch = secret_patch(
            {f"{leaf.entry}.crt": presented(leaf, kept, observation)},
            {names.CLUSTER_CA_CERT_GENERATION: str(step.generation)},
        )
        what = f"keep leaf {leaf.entry}.crt behind the chain of generation {step.generation}"
        writes.append(Write(WriteVerb.UPDATE, SECRETS, leaf.secret, what, patch, version(existing)))
    return write_all(tuple(writes), work, step.phase.value)
