# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The option ``bridge``, as each module takes it."""

from __future__ import annotations

import pytest

from ...faults.checker import entries
from .running import call
from .stages import managed, options_for

MODULES = ["strimzi_ca", "strimzi_ee_cert", "strimzi_reconciliation", "strimzi_roll", "strimzi_trusted_certs"]


@pytest.mark.parametrize(("bridge", "made"), [(None, True), ("auto", True), ("always", True), ("never", False)])
def test_it_is_made_unless_it_is_forbidden(bridge: str | None, made: bool) -> None:
    world = managed()
    options = {"state": "replaced", "key_algorithm": "ecdsa", "fresh_for_hours": 0}
    ended = call("strimzi_ca", world, **options, **({"bridge": bridge} if bridge else {}))
    assert not ended.failed
    held = entries(world.api.find("secrets", "kafka", "demo-cluster-ca"))
    assert any(name.endswith(".bridge.crt") for name in held) is made


@pytest.mark.parametrize("module", MODULES)
def test_every_module_takes_the_same_three(module: str) -> None:
    world = managed()
    ended = call(module, world, **options_for(module, "replace_key", bridge="sometimes"))
    assert ended.failed
    assert "bridge must be one of: auto, always, never" in ended.result["msg"]
    for bridge in ("auto", "always", "never"):
        assert not call(module, world, **options_for(module, "reconcile", bridge=bridge)).failed
