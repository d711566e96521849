# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A task that finishes a flow of before instead of its own says so: its result alone would look like what was asked for."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ...support.memory_cluster import MemoryCluster
from . import stages
from .running import call


def unfinished(was: str, asked: str) -> str:
    return (
        f"Kafka kafka/demo: a flow of DATE ({was}) has not finished, so this task goes on with that one and begins none of its own ({asked}). "
        "Run it again for its own when that has finished."
    )


def warnings(module: str, memory: MemoryCluster, **options: Any) -> list[str]:
    return [re.sub(r"\d{4}-\d\d-\d\d", "DATE", one) for one in call(module, memory, **options, **stages.FAST).warnings]


@pytest.mark.parametrize("check", [True, False])
def test_a_renewal_that_finishes_a_replacement_says_so(check: bool) -> None:
    memory = stages.prepared()
    told = unfinished("replacement of the key", "renewal")
    assert told in warnings("strimzi_ca", memory, check=check, state="renewed")
    assert (told in warnings("strimzi_ca_info", memory, goal="renew")) is check


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("strimzi_ca", {"state": "replaced", "until_phase": "prepare"}),
        ("strimzi_ca", {"state": "promoted"}),
        ("strimzi_ca_info", {"goal": "replace_key"}),
        ("strimzi_ca_info", {"goal": "abort"}),
    ],
)
def test_the_same_flow_and_what_goes_on_with_any_say_nothing(module: str, options: dict[str, Any]) -> None:
    assert [one for one in warnings(module, stages.prepared(), **options) if "has not finished" in one] == []


def test_a_replacement_that_finishes_an_abort_says_so() -> None:
    memory = stages.prepared()
    stages.done(memory, "strimzi_ca", state="aborted", until_phase="prepare", **stages.FAST)
    assert warnings("strimzi_ca_info", memory, goal="replace_key") == [unfinished("abort", "replacement of the key")]
