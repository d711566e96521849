# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The years after an adoption: each module tells what renews the CA, and the call of a schedule renews it in its time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...tools.operator import certs
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .fast_clock import FastClock
from .running import call
from .stages import DAY
from .test_ee_cert import generated

KEPT = {"state": "retired", "ca_renewal": "specified"}


@pytest.fixture
def adopted() -> MemoryCluster:
    return generated(renewalDays=30)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Lets days go by, for the modules and the operator."""

    def go_on(days: int) -> None:
        begin = certs.now() + days * DAY
        monkeypatch.setattr(certs, "now", lambda: begin)
        monkeypatch.setattr(FastClock, "passed", FastClock.passed + days * DAY)

    return go_on


def test_from_the_adoption_to_the_renewal(
    adopted: MemoryCluster, later: Callable[[int], None], golden: GoldenFiles
) -> None:
    told = stages.done(adopted, "strimzi_ca", state="adopted")
    golden.compare_said("calls", "\n".join(told.warnings))
    first = stages.done(adopted, "strimzi_trusted_certs", **KEPT)
    assert (first.result["changed"], first.result["upkeep"]["policy"]) == (True, "renew-certificate")
    assert first.result["upkeep"]["days"] == 37
    assert not stages.done(adopted, "strimzi_trusted_certs", **KEPT).result["changed"]
    assert not stages.done(adopted, "strimzi_ca", state="adopted").warnings
    later(330)
    looked = stages.done(adopted, "strimzi_ca_info", goal="reconcile", ca_renewal="specified")
    (ending,) = looked.result["expiring"]
    assert (ending["is_ca"], ending["renewed_by"], looked.warnings) == (True, "the reconcile playbook", [])
    assert looked.result["plan"][0]["phase"] == "prepare"
    before = looked.result["cas"][0]["not_after"]
    ended = stages.done(adopted, "strimzi_trusted_certs", **KEPT)
    assert [ca["not_after"] > before for ca in ended.result["cas"]] == [True]
    assert (ended.result["expiring"], ended.result["journal"]["is_upkeep"]) == ([], True)


def test_a_ca_that_nothing_renews_is_a_warning_of_every_module(
    adopted: MemoryCluster, later: Callable[[int], None], golden: GoldenFiles
) -> None:
    later(330)
    for module, options in (("strimzi_ca_info", {}), ("strimzi_roll", {}), ("strimzi_trusted_certs", {})):
        ended = stages.done(adopted, module, **options)
        golden.compare_said("calls", "\n".join(ended.warnings))
        assert ended.result["expiring"][0]["remedy"]


def test_a_schedule_for_the_cluster_ca_warns_of_a_clients_ca_that_has_none(
    adopted: MemoryCluster, later: Callable[[int], None], golden: GoldenFiles
) -> None:
    """Both were adopted, and each needs a schedule of its own."""
    stages.done(adopted, "strimzi_trusted_certs", **KEPT)
    stages.done(adopted, "strimzi_ca", ca="clients", state="adopted")
    later(332)
    ended = stages.done(adopted, "strimzi_trusted_certs", **KEPT)
    assert [one["renewed_by"] for one in ended.result["expiring"]] == [""]
    golden.compare_said("calls", "\n".join(ended.warnings))
    assert len(stages.done(adopted, "strimzi_trusted_certs", ca="clients", **KEPT).result["expiring"]) == 0
    assert stages.done(adopted, "strimzi_ca_info").result["expiring"] == []


def test_expiring_within_days_selects_the_certificates_that_are_shown(adopted: MemoryCluster) -> None:
    assert stages.done(adopted, "strimzi_ca_info").result["expiring"] == []
    assert len(stages.done(adopted, "strimzi_ca_info", expiring_within_days=400).result["expiring"]) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"state": "trusted", "ca_renewal": "specified"},
        {"state": "retired", "ca_renewal_days": 20},
        {"state": "retired", "ca_renewal": "none", "ca_renewal_days": 20},
        {"state": "retired", "ca_renewal": "specified", "ca_renewal_days": 0},
    ],
)
def test_options_that_would_be_ignored_are_refused(adopted: MemoryCluster, options: dict[str, object]) -> None:
    ended = call("strimzi_trusted_certs", adopted, **options)
    assert (ended.failed, ended.writes) == (True, [])
    assert "ca_renewal" in ended.result["msg"]
