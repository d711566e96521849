# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking a rule, or what rules rest on, out of the engine: what breaks then shows what it is there for."""

from __future__ import annotations

from types import ModuleType

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import (
    decide,
    leaf_issuance,
    promotable,
    promotion,
    rules,
    spreading,
)

#: Where the rules are, and what they are made of.
RULE_MODULES = (leaf_issuance, promotable, promotion, spreading, rules)


def replace_in_rules(patch: pytest.MonkeyPatch, name: str, value: object, *others: ModuleType) -> None:
    """Everywhere among the rules where this name is used, and in these other modules. Raises AttributeError if nowhere."""
    using = [module for module in RULE_MODULES if hasattr(module, name)]
    if not using:
        raise AttributeError(name)
    for module in (*using, *others):
        patch.setattr(module, name, value)


def without_rule(patch: pytest.MonkeyPatch, name: str) -> None:
    """This rule is not asked. Raises AttributeError when there is none of this name."""
    rule = getattr(rules, name)
    patch.setattr(decide, "RULES", tuple(one for one in rules.RULES if one is not rule))
