# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Writes to node pools."""

from __future__ import annotations

from .._trust.model.steps.pools import SetReplicas
from .observe import Observation
from .resources import KAFKA_NODE_POOLS
from .writes import Write, WriteVerb, version


def set_replicas(step: SetReplicas, observation: Observation) -> tuple[Write, ...]:
    pool = observation.pools[step.pool]
    patch = {"spec": {"replicas": step.replicas}}
    return (
        Write(
            WriteVerb.UPDATE, KAFKA_NODE_POOLS, step.pool, step.sentence(), patch, version(pool),
            {"replicas": step.before}, {"replicas": step.replicas},
        ),
    )  # fmt: skip
