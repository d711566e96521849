# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The option ``spread``, as each module takes it."""

from __future__ import annotations

import pytest

from .running import call
from .stages import forgetting, managed, options_for

MODULES = ["strimzi_ca", "strimzi_ee_cert", "strimzi_reconciliation", "strimzi_roll", "strimzi_trusted_certs"]


@pytest.mark.parametrize("module", MODULES)
def test_every_module_takes_the_same_three(module: str) -> None:
    world = managed()
    ended = call(module, world, **options_for(module, "replace_key", spread="sometimes"))
    assert ended.failed
    assert "spread must be one of: auto, reload, restart" in ended.result["msg"]
    for spread in ("auto", "reload", "restart"):
        assert not call(module, world, **options_for(module, "reconcile", spread=spread)).failed


@pytest.mark.parametrize("module", [*MODULES, "strimzi_ca_info"])
@pytest.mark.parametrize("spread", ["auto", "reload", "restart"])
def test_what_holds_for_the_rest_of_the_flow(module: str, spread: str) -> None:
    options = {"spread": spread} if module == "strimzi_ca_info" else options_for(module, "reconcile", spread=spread)
    assert call(module, managed(), **options).result["spread"] == spread


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("spread", ["auto", "restart"])
def test_the_rest_of_a_flow_that_restarts_nodes_restarts_them(spread: str, check: bool) -> None:
    options = options_for("strimzi_roll", "replace_key", spread=spread)
    ended = call("strimzi_roll", forgetting(), check=check, **options)
    assert (ended.failed, ended.result["spread"]) == (False, "restart")


def test_nodes_that_cannot_be_asked_are_restarted_with_a_warning() -> None:
    ended = call("strimzi_roll", forgetting(), **options_for("strimzi_roll", "replace_key"))
    (told,) = ended.warnings
    assert "Nodes are restarted to forget CN=cluster-ca v0" in told
    assert "the running nodes cannot be asked what they trust." in told


def test_who_asks_for_a_reload_is_told_why_there_is_none() -> None:
    ended = call("strimzi_roll", forgetting(), **options_for("strimzi_roll", "replace_key", spread="reload"))
    assert (ended.failed, ended.writes) == (True, [])
    assert "spread=reload forbids this. Nodes are restarted to forget" in ended.result["msg"]
    assert ended.result["spread"] == "reload"
