# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every step finds what carries it out, in one place only."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing import issue as _issuing
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import roll as _rollout
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply import carry_out as _strimzi
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Step


def _concrete(kind: type[Step]) -> Iterator[type[Step]]:
    for one in kind.__subclasses__():
        yield from _concrete(one)
        if not inspect.isabstract(one):
            yield one


def test_every_step_is_carried_out_by_one_layer() -> None:
    served = [step for table in (_strimzi.CARRY_OUT, _issuing.CARRY_OUT, _rollout.CARRY_OUT) for step in table]
    assert sorted(step.__name__ for step in served) == sorted(step.__name__ for step in set(_concrete(Step)))
