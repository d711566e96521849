# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The end entities of a cluster: every leaf that it has or should have, and its subject."""

from __future__ import annotations

from .._strimzi.leaves import LeafSecret, leaf_secrets
from .._strimzi.observe import Observation
from .subjects import LeafSubject, subject_of
from .wanted import wanted_names


def every_leaf(observation: Observation) -> tuple[LeafSecret, ...]:
    present = leaf_secrets(observation.scope, observation.secrets)
    return (*present, *(leaf for leaf in observation.expected if leaf.secret not in observation.secrets))


def subject_for(leaf: LeafSecret, observation: Observation) -> LeafSubject:
    return subject_of(leaf.component, leaf.common_name, wanted_names(leaf, observation))
