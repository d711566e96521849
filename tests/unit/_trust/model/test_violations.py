# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A violation as people and as playbooks read it."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.violations import Condition, Violation


def test_a_violation_says_on_what_what_and_what_helps() -> None:
    violation = Violation(Condition.KEY_MATCHES, "Secret kafka/demo-cluster-ca", "holds another key.", "Put it back.")
    assert str(violation) == "Secret kafka/demo-cluster-ca: holds another key. Put it back."


def test_every_condition_has_a_value_of_its_own_that_says_its_name() -> None:
    """Playbooks compare it as ``gate``."""
    assert {one.name: one.value for one in Condition} == {name: name.lower() for name in Condition.__members__}
