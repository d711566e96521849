# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The option ``spread``, as each module takes it."""

from __future__ import annotations

import pytest

from .running import call
from .stages import managed, options_for

MODULES = ["strimzi_ca", "strimzi_ee_cert", "strimzi_reconciliation", "strimzi_roll", "strimzi_trusted_certs"]


@pytest.mark.parametrize("module", MODULES)
def test_every_module_takes_the_same_three(module: str) -> None:
    world = managed()
    ended = call(module, world, **options_for(module, "replace_key", spread="sometimes"))
    assert ended.failed
    assert "spread must be one of: auto, reload, restart" in ended.result["msg"]
    for spread in ("auto", "reload", "restart"):
        assert not call(module, world, **options_for(module, "reconcile", spread=spread)).failed
