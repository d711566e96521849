# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock of the machine that runs a module, beside the API server's."""

from __future__ import annotations

import platform
from datetime import timedelta
from typing import Any

import pytest

from . import stages
from .running import call

FAR, NEAR = timedelta(minutes=10), timedelta(seconds=90)
OWN = {"secret": "mirror", "common_name": "mirror", "subject_alternative_names": ["mirror.example"]}


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("strimzi_ca", stages.PREPARED),
        ("strimzi_ee_cert", {"state": "renewed"}),
        ("strimzi_ee_cert", OWN),
        ("strimzi_trusted_certs", {}),
    ],
)
@pytest.mark.parametrize("ahead", [FAR, -FAR])
def test_nothing_is_written_with_a_clock_that_is_far_off(
    module: str, options: dict[str, Any], ahead: timedelta
) -> None:
    ended = call(module, stages.managed(), ahead=ahead, **options)
    assert (ended.failed, ended.writes) == (True, [])
    side = "ahead of" if ahead > timedelta(0) else "behind"
    assert f"the clock of {platform.node()}: is " in ended.result["msg"]
    assert f" s {side} the API server's" in ended.result["msg"]
    assert "time service (NTP)" in ended.result["msg"]


def test_a_smaller_difference_is_warned_of() -> None:
    ended = call("strimzi_ca", stages.managed(), ahead=NEAR, **stages.PREPARED)
    assert not ended.failed
    (told,) = (one for one in ended.warnings if "clock" in one)
    assert f"The clock of {platform.node()} is " in told


def test_clocks_that_agree_are_no_matter() -> None:
    ended = call("strimzi_ca", stages.managed(), **stages.PREPARED)
    assert [one for one in ended.warnings if "clock" in one] == []
