# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Intents by the names of fields, whichever part of ``Intent`` each field belongs to."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

#: The part of each field.
_PARTS = {
    field.name: part.name for part in fields(Intent) if is_dataclass(part.default) for field in fields(part.default)
}


def an_intent(goal: Goal, **values: Any) -> Intent:
    return changed_intent(Intent(goal), **values)


def changed_intent(intent: Intent, **values: Any) -> Intent:
    """The intent with these values, of its own fields and of its parts'."""
    for name, value in values.items():
        part = _PARTS.get(name)
        within = replace(getattr(intent, part), **{name: value}) if part else value
        intent = replace(intent, **{part or name: within})
    return intent
