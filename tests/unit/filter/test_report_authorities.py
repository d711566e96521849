# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAs before and after, the days they have left, and who still trusts one that is gone."""

from __future__ import annotations

import pytest

from .runs import NEW, NOW, OLD, ca, facts, nodes, rotation, seen


def test_a_replaced_ca_is_gone_and_its_successor_is_new() -> None:
    found = facts()
    assert [(one["sha256"], one["state_before"]) for one in found["cas"]] == [(NEW, None)]
    assert [(one["sha256"], one["state_before"], one["state"]) for one in found["removed"]] == [
        (OLD, "TRUSTED_IN_USE_ALL", None)
    ]
    assert found["removed_ca_trusted_by"] == 0


def test_a_ca_that_stays_tells_both_states() -> None:
    noted = rotation(last=seen([ca(state="PHASE_OUT"), ca(NEW)], nodes("d")))
    assert [one["state_before"] for one in facts(noted)["cas"]] == ["TRUSTED_IN_USE_ALL", None]
    assert facts(noted)["removed"] == []


def test_pods_that_trust_a_removed_ca_are_counted_once() -> None:
    removed = [{**ca(OLD), "pods": ["demo-kafka-1", "demo-kafka-0"]}, {**ca("c" * 64), "pods": ["demo-kafka-1"]}]
    found = facts(rotation(last=seen([ca(NEW)], nodes("d"), removed=removed)))
    assert found["removed_ca_trusted_by"] == 2
    assert [one["pods"] for one in found["removed"]] == [["demo-kafka-0", "demo-kafka-1"], ["demo-kafka-1"]]


@pytest.mark.parametrize(
    ("not_after", "left"),
    [
        ("2026-06-02T12:01:05Z", 1),
        ("2026-06-02T12:01:04Z", 0),
        (NOW, 0),
        ("2026-06-01T12:01:04Z", -1),
        ("2027-06-01T12:01:05Z", 365),
        (None, None),
    ],
)
def test_full_days_are_left(not_after: str | None, left: int | None) -> None:
    (found,) = facts(rotation(last=seen([ca(NEW, not_after=not_after)], [])))["cas"]
    assert found["days_left"] == left


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ("CN=cluster-ca v1,O=io.strimzi", "cluster-ca v1"),
        ("O=io.strimzi,CN=cluster-ca v1", "cluster-ca v1"),
        ("O=io.strimzi", "O=io.strimzi"),
        (r"CN=a\, b,O=c", "a, b"),
        (r"CN=a\\,O=c", "a\\"),
        (r"O=x\,CN=no,CN=yes", "yes"),
        ("", ""),
    ],
)
def test_a_ca_is_called_by_its_common_name(subject: str, name: str) -> None:
    (found,) = facts(rotation(last=seen([ca(NEW, subject=subject)], [])))["cas"]
    assert found["name"] == name
