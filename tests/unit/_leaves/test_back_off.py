# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a failed request is tried again: later and later, and always at the same time for the same failure."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import Failure, next_try

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
WHO = st.text(min_size=1)
COUNTS = st.integers(min_value=1, max_value=10_000)


def after(count: int, who: str = "demo-kafka-0") -> timedelta:
    return next_try(Failure(count, NOW, "why."), who) - NOW


@pytest.mark.parametrize(("count", "hours"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 32), (2000, 32)])
def test_twice_as_long_each_time_up_to_32_hours(count: int, hours: int) -> None:
    assert hours * HOUR <= after(count) < 1.1 * hours * HOUR


@given(COUNTS, WHO)
def test_never_early_and_hardly_late(count: int, who: str) -> None:
    least = HOUR * min(2 ** min(count - 1, 16), 32)
    assert least <= after(count, who) < 1.1 * least
    assert after(count, who) == after(count, who)


def test_the_leaves_of_a_cluster_do_not_all_come_at_once() -> None:
    times = sorted(after(1, f"demo-kafka-{number}") for number in range(100))
    assert len(set(times)) == 100
    # Spread over most of the six minutes that there are.
    assert times[-1] - times[0] > timedelta(minutes=5)


def test_nobody_is_always_the_last() -> None:
    """A leaf that comes late after one failure need not come late after the next."""
    names = [f"demo-kafka-{number}" for number in range(20)]
    first, second = (sorted(names, key=lambda name: after(count, name)) for count in (1, 2))
    assert first != second


def test_it_counts_from_the_failure() -> None:
    early, late = (next_try(Failure(3, at, "why."), "one") for at in (NOW, NOW + HOUR))
    assert late - early == HOUR
