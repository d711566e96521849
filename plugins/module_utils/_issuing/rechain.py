# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Putting the chain of the CA in use behind leaves that stay as they are."""

from __future__ import annotations

from .._kube.resources import SECRETS
from .._pki.certificates import parse_certificates
from .._strimzi import names
from .._strimzi.leaves import LeafSecret
from .._strimzi.observe import Observation
from .._strimzi.secret_data import entries
from .._strimzi.work import Work
from .._strimzi.writes import Write, WriteVerb, secret_patch, version, write_all
from .._trust.model.snapshot import Component
from .._trust.model.steps.leaves import RechainLeaves
from .entities import every_leaf
from .issue import presented
from .user_writes import keep_user


def _chain(leaf: LeafSecret, observation: Observation) -> dict[str, bytes]:
    """The entry to write into the Secret: for a node, the chain, which has to end with ``ca.crt`` and has the link certificates before it.

    Components keep the chain that they have. The operator does not compare it, and Cruise Control goes on presenting a link
    certificate to a Topic Operator that was started while the old CA was ``ca.crt``.
    """
    if leaf.component is not Component.KAFKA:
        return {}
    entry = f"{leaf.entry}.crt"
    kept = parse_certificates(entries(observation.secrets[leaf.secret])[entry])[0]
    return {entry: presented(leaf, kept, observation.snapshot.ca.current, None, observation)}


def rechain_leaves(step: RechainLeaves, observation: Observation, work: Work) -> None:
    """Write the chains; beside certificates of users the CA in use. The operator keeps a leaf that ends with the bytes of ``ca.crt`` and has its generation
    (docs/operator.md, "Tried by hand", 5).
    """
    writes = []
    for leaf in every_leaf(observation):
        if leaf.secret not in step.secrets:
            continue
        if leaf.secret in observation.served:
            writes.append(keep_user(leaf, observation))
            continue
        existing = observation.secrets[leaf.secret]
        patch = secret_patch(_chain(leaf, observation), {names.CLUSTER_CA_CERT_GENERATION: str(step.generation)})
        what = f"keep leaf {leaf.entry}.crt behind the chain of generation {step.generation}"
        writes.append(Write(WriteVerb.UPDATE, SECRETS, leaf.secret, what, patch, version(existing)))
    write_all(tuple(writes), work, step.phase.value)
