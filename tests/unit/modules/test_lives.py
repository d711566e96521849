# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates that would be in the operator's time for renewal are not made, and the message says which field to set."""

from __future__ import annotations

from typing import Any

import pytest

from ...operator import clusters
from ...support.certificates import key, make
from ...support.memory_cluster import MemoryCluster
from . import stages
from .running import call
from .stages import DAY, NOW

BROUGHT = make("Company CA", key(1), begin=NOW - DAY, end=NOW + 170 * DAY)
SUPPLIED = {"certificate": BROUGHT.certificate.pem.decode(), "private_key": key(1).reveal().decode()}


def generated(**specification: int) -> MemoryCluster:
    """A cluster that was adopted. specification: of its cluster CA."""
    memory = MemoryCluster()
    *others, kafka = clusters.dual_role(memory.cluster, memory.namespace, generated=True)
    kafka["spec"]["clusterCa"] = specification
    memory.apply(*others, kafka)
    memory.settle()
    stages.done(memory, "strimzi_ca", state="adopted")
    return memory


@pytest.mark.parametrize(
    ("renewal", "options", "told"),
    [
        (30, {"validity_days": 30}, "validity_days: would make certificates valid for 30 days"),
        (90, {"validity_days": 90}, "Give 97 days or more, or none, or a lower renewalDays, 83 or less."),
        (180, SUPPLIED, "Or give a lower renewalDays, 162 or less."),
        (180, {"certificate": SUPPLIED["certificate"]}, "the supplied CA: CN=Company CA"),
    ],
    ids=["usual", "longer", "supplied", "elsewhere"],
)
@pytest.mark.parametrize("check", [True, False], ids=["check", "run"])
def test_a_replacement_is_held_before_its_first_write(
    renewal: int, options: dict[str, Any], told: str, check: bool
) -> None:
    memory = generated(validityDays=365, renewalDays=renewal)
    ended = call("strimzi_ca", memory, check=check, **{**stages.PREPARED, **options})
    assert (ended.failed, ended.writes) == (True, [])
    assert [one["gate"] for one in ended.result["violations"]] == ["leaves_outlast_the_window"]
    assert told in ended.result["msg"]


def test_without_the_option_the_resource_says_how_long_they_live() -> None:
    """The defaults of Strimzi's own certificates, with a renewal a year ahead."""
    memory = generated(validityDays=3650, renewalDays=365)
    planned = call("strimzi_ca", memory, check=True, **{**stages.PREPARED, "until_phase": "retire"})
    assert not planned.failed, planned.result["msg"]
    assert any(
        one.startswith("New certificates are valid for 3650 days, as spec.clusterCa.")
        for one in planned.result["choices"]
    )
    before = {ca["sha256"] for ca in stages.done(memory, "strimzi_ca_info").result["cas"]}
    ended = stages.done(memory, "strimzi_ca", **stages.PREPARED)
    made = [ca for ca in ended.result["cas"] if ca["sha256"] not in before]
    assert made
    assert {int(ca["not_after"][:4]) - int(ca["not_before"][:4]) for ca in made} <= {9, 10}
