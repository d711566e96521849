# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether the names of objects that a call may create are free, before its first write. An observation has the Secrets
with the labels of the cluster. An object of another owner has none of these labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ..._errors import Forbidden
from ..._kube.resources import CONFIG_MAPS, LEASES
from ..._trust.model.components import Component
from ..._trust.model.intent import Intent
from ..._trust.model.ledger import Ledger
from ..._trust.model.snapshot import TakenName
from ..cluster.ca_secrets import named_secrets
from ..cluster.leaves import LeafSecret, node_leaf
from ..cluster.observe import Observation
from ..cluster.taken_names import read_taken
from ..ledger.layouts import lay_out
from ..names import CaKind
from .work import Work


def find_taken_names(observation: Observation, intent: Intent, work: Work) -> tuple[TakenName, ...]:
    """The names of this call's possible objects that objects of other owners have. Raises KubeError."""
    scope = observation.scope
    wanted = {name for name in _names_to_create(observation, intent, work) if name not in observation.secrets}
    secrets = named_secrets(
        work.client,
        scope.namespace,
        wanted,
        lambda secret: read_taken(scope, secret, leaf=entry_of(secret["metadata"]["name"], observation)),
    )
    return (*secrets, *_others_taken(observation, work))


def _others_taken(observation: Observation, work: Work) -> Iterator[TakenName]:
    """The name of the audit trail if it is taken. In a dry run, also the name of the Lease: any other run takes the
    Lease.
    """
    scope = observation.scope
    wanted = [(CONFIG_MAPS, scope.audit_trail)] if work.wishes.records.audits else []
    if work.dry_run:
        wanted.append((LEASES, scope.lease))
    for resource, name in wanted:
        # If a run only looks, it may lack the permission.
        with suppress(Forbidden):
            stored = work.client.get_or_none(resource, scope.namespace, name)
            if stored is not None and (taken := read_taken(scope, stored, resource.kind)) is not None:
                yield taken


def _names_to_create(observation: Observation, intent: Intent, work: Work) -> Iterator[str]:
    """The names of the call's possible new Secrets, without the CA Secrets and the leaves of the cluster as it is: an
    observation reads these leaves and Secrets by their names.
    """
    scope, snapshot, supplied = observation.scope, observation.snapshot, intent.new_ca.supplied
    layout = intent.parameters.layout or snapshot.ledger_or_empty.layout
    yield from (part.name for part in lay_out(Ledger(layout=layout), scope))
    if intent.trust.publishes_bundle:
        yield scope.client_bundle_secret
    if work.wishes.records.backs_up:
        yield from [name for name in scope.backup_secrets if name not in observation.secrets][:1]
    if snapshot.ca.keys_elsewhere or (supplied is not None and supplied.key_is_elsewhere):
        of_cluster = {leaf.component for leaf in observation.expected_leaves}
        for component in sorted({Component.USER} if scope.ca is CaKind.CLIENTS else of_cluster):
            yield from (scope.issuing_secret(component.value), scope.next_keys_secret(component.value))
    yield from observation.spare_nodes


def entry_of(name: str, observation: Observation) -> str:
    """The entry of the leaf in a Secret of this name; empty if the Secret is to contain no leaf."""
    spare = (node_leaf(observation.scope.cluster, pod) for pod in observation.spare_nodes)
    leaves: tuple[LeafSecret, ...] = (*observation.expected_leaves, *spare)
    return next((leaf.entry for leaf in leaves if leaf.secret == name), "")
