# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Intents by the names of fields, whichever part of ``Intent`` each field belongs to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent


def an_intent(goal: Goal, **values: Any) -> Intent:
    return changed_intent(Intent(goal), **values)


def changed_intent(intent: Intent, **values: Any) -> Intent:
    """The intent with these values, of its own fields and of its parts'."""
    met = {name: values.pop(name) for name in [*values] if hasattr(intent.obstacles, name)}
    own = {name: values.pop(name) for name in [*values] if hasattr(intent, name)}
    return replace(intent.changed(**values), **{"obstacles": replace(intent.obstacles, **met), **own})
