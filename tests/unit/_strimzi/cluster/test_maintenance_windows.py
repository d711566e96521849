# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Maintenance windows are read as the operator reads them, by the cron expressions of Quartz (docs/operator.md, "Maintenance windows")."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import CronError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.maintenance_windows import (
    maintenance_windows,
    parse_cron,
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


#: Monday, in the middle of the day.
NOON = at("2026-06-01T12:00:00")


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        # The example of Strimzi's documentation: from Sunday to Thursday, between midnight and two.
        ("* * 0-1 ? * SUN,MON,TUE,WED,THU *", "2026-06-02T00:00:00"),
        ("* * 0-1 ? * SUN,MON,TUE,WED,THU", "2026-06-02T00:00:00"),
        ("* * 2-4 * * ?", "2026-06-02T02:00:00"),
        ("* * * ? * *", "2026-06-01T12:00:01"),
        ("0 30 22 ? * FRI", "2026-06-05T22:30:00"),
        ("* * 22-2 ? * 7", "2026-06-06T00:00:00"),
        ("* 0/15 * * * ?", "2026-06-01T12:00:01"),
        ("0 5/20 12 * * ?", "2026-06-01T12:05:00"),
        ("0 0 0 1 JAN ?", "2027-01-01T00:00:00"),
        ("0 0 3 L * ?", "2026-07-31T03:00:00"),
        ("0 0 3 L-2 * ?", "2026-07-29T03:00:00"),
        ("0 0 3 LW 8 ?", "2026-08-31T03:00:00"),
        ("0 0 3 L-2W 8 ?", "2026-08-28T03:00:00"),
        ("0 0 3 L-0W 8 ?", "2026-08-31T03:00:00"),
        ("0 0 3 L-30W 2-3 ?", "2027-03-01T03:00:00"),
        ("0 0 3 15W 8 ?", "2026-08-14T03:00:00"),
        ("0 0 3 1W 8 ?", "2028-08-01T03:00:00"),
        ("0 0 3 31W 5 ?", "2027-05-31T03:00:00"),
        ("0 0 3 31W 1 ?", "2027-01-29T03:00:00"),
        ("0 0 3 ? * 2#2", "2026-06-08T03:00:00"),
        ("0 0 3 ? * WED,MON#1", "2026-07-06T03:00:00"),
        ("0 0 3 ? * ,MON", "2026-06-08T03:00:00"),
        ("0 0 3 ? * TUE,,WED", "2026-06-02T03:00:00"),
        ("0 0 3 ? * WED/2", "2026-06-03T03:00:00"),
        ("0 0 3 ? AUGUST-SEPTEMBER WEDNESDAY", "2026-08-05T03:00:00"),
        ("0 0 3 ? * FRI#5", "2026-07-31T03:00:00"),
        ("0 0 3 ? * 6L", "2026-06-26T03:00:00"),
        ("0 0 3 ? * L", "2026-06-06T03:00:00"),
        ("0 0 3 29 2 ?", "2028-02-29T03:00:00"),
        ("0 0 3 ? * mon-wed", "2026-06-02T03:00:00"),
        ("0 0 3 1,15 * ? 2027", "2027-01-01T03:00:00"),
        ("0 0 3 ? * * 2025", None),
        ("0 0 3 31 2 ?", None),
    ],
)
def test_the_next_opening(text: str, opens: str | None) -> None:
    assert parse_cron(text).next_after(NOON) == (at(opens) if opens else None)


@pytest.mark.parametrize(
    "text",
    [
        "", "* * * * *", "* * 0-1 * * MON", "* * 0-1 ? * ?", "60 * * ? * *", "* * 24 ? * *", "* * * ? 13 *", "* * * ? * 8", "* * * ? * XYZ",
        "* * * 0 * ?", "* * * ? * 2#6", "* * * ? * * 1969", "* * -1 ? * *", "* * 1- ? * *", "* */0 * ? * *", "* * , ? * *", "* * ² ? * *", "* * * ? * * * *",
        "* * * L-31 * ?", "* * * L- * ?", "* * * L-W * ?", "* * * L2 * ?", "* * * LWW * ?", "* * * L-2WW * ?",
        "* * * ? * L,MON", "* * * ? * FRIL,MON", "* * * ? * 2#1,3#1", "* * * ? * 2-FRI", "* * * ? * MON-6",
    ],
)  # fmt: skip
def test_expressions_that_quartz_refuses_are_refused(text: str) -> None:
    with pytest.raises(CronError):
        parse_cron(text)


fields = st.text("0123456789*?/-,#LWFRIMON", max_size=5)


@given(st.lists(fields, min_size=6, max_size=7).map(" ".join))
def test_any_text_is_an_expression_or_is_refused(text: str) -> None:
    try:
        expression = parse_cron(text)
    except CronError:
        return
    expression.is_satisfied(NOON)


numbers = st.integers(0, 59).map(str) | st.sampled_from(["*", "0/7", "10-20", "50-5", "3,9"])
hours = st.integers(0, 23).map(str) | st.sampled_from(["*", "0-1", "22-2", "*/6"])
days = st.sampled_from(["? * *", "? * MON", "? * FRI-SUN", "1 * ?", "L * ?", "15W * ?", "? 3 2#1", "29 2 ?"])


@given(st.tuples(numbers, numbers, hours, days), st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1)))
def test_the_next_opening_satisfies_it_and_nothing_before_does(
    fields: tuple[str, str, str, str], moment: datetime
) -> None:
    expression = parse_cron(" ".join(fields))
    begin = moment.replace(tzinfo=timezone.utc, microsecond=0)
    found = expression.next_after(begin)
    assume(found is not None)
    assert found is not None
    assert expression.is_satisfied(found)
    for before in (1, 59, 3600, 86400, max(1.0, (found - begin).total_seconds() // 2)):
        earlier = found - timedelta(seconds=before)
        assert earlier <= begin or not expression.is_satisfied(earlier)


@pytest.mark.parametrize(
    ("given", "is_open", "opens", "has_problem"),
    [
        (["* * 12 ? * *"], True, "2026-06-01T12:00:01", False),
        (["* * 0-1 ? * *", "* * 11-13 ? * MON"], True, "2026-06-01T12:00:01", False),
        (["* * 0-1 ? * *", "* * 20 ? * *"], False, "2026-06-01T20:00:00", False),
        (["every night"], False, None, True),
        (["every night", "* * 12 ? * *"], True, "2026-06-01T12:00:01", True),
        ("* * 12 ? * *", True, "2026-06-01T12:00:01", False),
        ([7], False, None, True),
    ],
)
def test_windows_of_a_resource(given: object, is_open: bool, opens: str | None, has_problem: bool) -> None:
    found = maintenance_windows({"spec": {"maintenanceTimeWindows": given}}, NOON)
    assert found is not None
    assert (found.is_open, found.opens_at, bool(found.problem)) == (is_open, at(opens) if opens else None, has_problem)


@pytest.mark.parametrize("kafka", [None, {}, {"spec": {}}, {"spec": {"maintenanceTimeWindows": []}}])
def test_without_any_everything_may_be_done_at_any_time(kafka: dict[str, object] | None) -> None:
    assert maintenance_windows(kafka, NOON) is None
