# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Engines with a gate left open, or without a rule: what breaks then shows what it is there for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE, Engine
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import Precondition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import Rule


def leaving_open(*gates: str) -> Engine:
    """These gates let everything through. Raises TypeError when there is none of this name."""
    always: dict[str, Any] = {gate: lambda *_arguments: () for gate in gates}
    return replace(ENGINE, gates=replace(ENGINE.gates, **always))


def without(*rules: Rule | Precondition) -> Engine:
    """These rules and preconditions are not asked. Raises AssertionError when one of them is neither."""
    assert set(rules) <= {*ENGINE.rules, *ENGINE.preconditions}
    return replace(
        ENGINE,
        preconditions=tuple(precondition for precondition in ENGINE.preconditions if precondition not in rules),
        rules=tuple(rule for rule in ENGINE.rules if rule not in rules),
    )
