# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Rolls and restarts: Kafka nodes counted by the UIDs that were seen under each name."""

from __future__ import annotations

from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.restarts import restarts_of
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import Run


def describe_rolls(run: Run) -> dict[str, Any]:
    """How often the nodes were replaced, how many there are, and how many were down at once."""
    replaced = run.node_rolls
    away = [action["away"] for action in run.actions if action.get("away") is not None]
    return {
        "nodes": len(replaced),
        "rolls": max(replaced.values(), default=0),
        "restarts": restarts_of(run).total(),
        "nodes_away_together": max(away, default=None),
    }
