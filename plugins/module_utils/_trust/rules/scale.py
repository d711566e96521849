# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Scaling a node pool: where the operator cannot issue, new nodes get their certificates first. The operator deletes node Secrets of nodes
that no node pool has, so it is paused until the pool asks for them (docs/operator.md, "Leaves", "Pause").
"""

from __future__ import annotations

from ..model.goals import Phase
from ..model.steps.base import Steps
from ..model.steps.pools import SetReplicas
from .issuing import issue
from .pause import pause_first
from .situation import Situation


def scale(at: Situation) -> Steps:
    """Nothing while a certificate is still to come."""
    scaling, current = at.intent.scaling, at.snapshot.ca.current
    before = at.snapshot.pools.replicas.get(scaling.pool) if scaling else None
    if scaling is None or before is None or before == scaling.replicas:
        return ()
    step = SetReplicas(pool=scaling.pool, before=before, replicas=scaling.replicas, phase=Phase.USE)
    if not at.snapshot.ca.in_use_elsewhere or scaling.replicas < before:
        return (step,)
    missing = tuple(sorted(at.snapshot.leaves.missing))
    issued = issue(at, missing, current, Phase.USE)
    return pause_first(at, *issued, step) if issued or not missing else ()
