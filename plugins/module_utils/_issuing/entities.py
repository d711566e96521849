# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The end entities of a cluster: every leaf that it has, should have, or is to have at hand, and its subject."""

from __future__ import annotations

from .._strimzi.leaves import LeafSecret, node_leaf
from .._strimzi.observe import Observation
from .subjects import LeafSubject, subject_of, subject_of_user
from .wanted import wanted_names


def every_leaf(observation: Observation) -> tuple[LeafSecret, ...]:
    missing = (leaf for leaf in observation.expected if leaf.secret not in observation.secrets)
    spare = (node_leaf(observation.scope.cluster, pod) for pod in observation.spare)
    return tuple(dict.fromkeys((*observation.stored, *missing, *spare)))


def subject_for(leaf: LeafSecret, observation: Observation) -> LeafSubject:
    if user := observation.served.get(leaf.secret):
        return subject_of_user(leaf.common_name, user.renewal_window)
    names, window = wanted_names(leaf, observation), observation.snapshot.leaves.renewal_window
    return subject_of(leaf.component, leaf.common_name, names, window)
