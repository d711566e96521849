# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Leaves with other names than the operator wants, where it cannot issue them: the key of the CA is kept elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .._leaves.trigger import naming_difference
from .._strimzi.leaves import node_leaf
from .._strimzi.observe import Observation
from .._trust.model.pools import Unaddressed
from .entities import every_leaf, subject_for
from .wanted import is_named, unaddressed


def with_misnamed(observation: Observation) -> Observation:
    """The observation with the leaves that have wrong names, and the leaves whose listeners have no address yet."""
    if not observation.wanted:
        return observation
    found, lacking = dict(_misnamed(observation)), dict(_unaddressed(observation))
    snapshot = observation.snapshot
    leaves, pools = replace(snapshot.leaves, misnamed=found), replace(snapshot.pools, unaddressed=lacking)
    return replace(observation, snapshot=replace(snapshot, leaves=leaves, pools=pools))


def _unaddressed(observation: Observation) -> Iterator[tuple[str, Unaddressed]]:
    """Of nodes that do not run yet; the operator gives their listeners addresses before it starts them."""
    for name, node in observation.wanted.items():
        listeners = unaddressed(node_leaf(observation.scope.cluster, name), observation)
        if listeners and name not in observation.pods:
            yield name, Unaddressed(node.pool, listeners)


def _misnamed(observation: Observation) -> Iterator[tuple[str, str]]:
    ca = observation.snapshot.ca
    ours = (*ca.in_use, *(one.chain[0] for one in ca.prepared))
    stored = {leaf.secret: leaf.chain[0] for leaf in observation.snapshot.leaves.stored if leaf.chain}
    for leaf in every_leaf(observation):
        known = stored.get(leaf.secret)
        if known is None or not is_named(leaf, observation) or not any(map(known.signed_by, ours)):
            continue
        wanted = subject_for(leaf, observation).names
        if known.subject_alternative_names != wanted:
            yield leaf.secret, naming_difference(known.subject_alternative_names, wanted)
