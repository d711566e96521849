# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""``spec.maintenanceTimeWindows`` of the Kafka resource: cron expressions of Quartz. A window is open in each second of UTC that satisfies one of
them, as the operator reads them (docs/operator.md, "Maintenance windows").
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from typing import Any, TypeAlias

from .._errors import CronError
from .._pki.printable import fit_in_line
from .._trust.model.windows import MaintenanceWindows

_Day: TypeAlias = Callable[[date], bool]

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_UNSAID = "?"
#: Days that are looked through for the next opening. February 29 comes back after eight years at most.
_AHEAD = 366 * 8 + 2
_FIRST_YEAR, _LAST_YEAR = 1970, 2099


@dataclass(frozen=True)
class CronExpression:
    """The seconds that satisfy an expression (Quartz, class CronExpression)."""

    seconds: frozenset[int]
    minutes: frozenset[int]
    hours: frozenset[int]
    # Whether a day satisfies the fields for days, months and years.
    is_day: _Day

    def is_satisfied(self, at: datetime) -> bool:
        """at: in UTC."""
        return (
            self.is_day(at.date()) and at.hour in self.hours and at.minute in self.minutes and at.second in self.seconds
        )

    def next_after(self, at: datetime) -> datetime | None:
        """The first second after this one that satisfies it; None where none does within eight years."""
        first = at.replace(microsecond=0) + timedelta(seconds=1)
        for ahead in range(_AHEAD):
            day = first.date() + timedelta(days=ahead)
            if self.is_day(day) and (found := self._first_in(first.time() if ahead == 0 else time())):
                return datetime.combine(day, found, timezone.utc)
        return None

    def _first_in(self, since: time) -> time | None:
        """The first time of a day from this one on."""
        hours, minutes, seconds = (sorted(one) for one in (self.hours, self.minutes, self.seconds))
        for hour in (one for one in hours if one >= since.hour):
            for minute in minutes:
                for second in seconds:
                    if (found := time(hour, minute, second)) >= since:
                        return found
        return None


def maintenance_windows(kafka: Mapping[str, Any] | None, now: datetime) -> MaintenanceWindows | None:
    """The windows of this resource; None where it has none, and everything may be done at any time. An expression that cannot be read opens none."""
    given = ((kafka or {}).get("spec") or {}).get("maintenanceTimeWindows")
    if not given:
        return None
    expressions, problem = [], ""
    for text in given if isinstance(given, list) else [given]:
        try:
            expressions.append(parse_cron(str(text)))
        except CronError as error:
            problem = problem or f"{fit_in_line(str(text))!r} cannot be read: {error}"
    openings = [found for one in expressions if (found := one.next_after(now))]
    is_open = any(one.is_satisfied(now) for one in expressions)
    return MaintenanceWindows(is_open, min(openings, default=None), problem)


def parse_cron(text: str) -> CronExpression:
    """Seconds, minutes, hours, day of month, month, day of week and, where it is given, year. Raises CronError."""
    fields = text.upper().split()
    if len(fields) not in (6, 7):
        raise CronError("it has not six or seven fields")
    seconds, minutes, hours, days, months, weekdays, years = (*fields, "*")[:7]
    if (days == _UNSAID) is (weekdays == _UNSAID):
        raise CronError("exactly one of its fields for the day of the month and the day of the week has to be '?'")
    in_month, in_year = _numbers(months, 1, 12, _MONTHS, 1), _numbers(years, _FIRST_YEAR, _LAST_YEAR)
    is_one = _days_of_weeks(weekdays) if days == _UNSAID else _days_of_months(days)
    return CronExpression(
        _numbers(seconds, 0, 59),
        _numbers(minutes, 0, 59),
        _numbers(hours, 0, 23),
        lambda day: day.month in in_month and day.year in in_year and is_one(day),
    )


def _numbers(field: str, lowest: int, highest: int, names: tuple[str, ...] = (), first: int = 0) -> frozenset[int]:
    """The numbers that a field allows. names: of the numbers from ``first`` on."""
    found: set[int] = set()
    for part in field.split(","):
        span, has_step, step = part.partition("/")
        every = _number(step, 1, highest) if has_step else 1
        begin, is_range, end = span.partition("-")
        if span in ("*", "") and (span or has_step):
            low, high = lowest, highest
        else:
            low = _number(begin, lowest, highest, names, first)
            high = _number(end, lowest, highest, names, first) if is_range else highest if has_step else low
        if high < low:
            # As in 22-2: over the end of the day.
            high += highest - lowest + 1
        found.update((one - lowest) % (highest - lowest + 1) + lowest for one in range(low, high + 1, every))
    return frozenset(found)


def _number(text: str, lowest: int, highest: int, names: tuple[str, ...] = (), first: int = 0) -> int:
    if text in names:
        return names.index(text) + first
    if not (text.isascii() and text.isdigit()) or not lowest <= int(text) <= highest:
        raise CronError(f"{text!r} is not between {lowest} and {highest}")
    return int(text)


def _any_of(days: Iterable[_Day]) -> _Day:
    known = tuple(days)
    return lambda day: any(one(day) for one in known)


def _days_of_months(field: str) -> _Day:
    return _any_of(_days_of_month(part) for part in field.split(","))


def _days_of_month(part: str) -> _Day:
    if part == "LW":
        return lambda day: day == _nearest_weekday(day, _last(day))
    if part.startswith("L"):
        before = _number(part[2:], 0, 30) if part.startswith("L-") else 0 if part == "L" else _number(part, 1, 31)
        return lambda day: day.day == _last(day) - before
    if part.endswith("W"):
        wanted = _number(part[:-1], 1, 31)
        return lambda day: wanted <= _last(day) and day == _nearest_weekday(day, wanted)
    numbers = _numbers(part, 1, 31)
    return lambda day: day.day in numbers


def _last(day: date) -> int:
    """The number of the last day of its month."""
    return calendar.monthrange(day.year, day.month)[1]


def _nearest_weekday(month: date, number: int) -> date:
    """The weekday nearest to this day of the month, in the same month."""
    day = month.replace(day=number)
    if day.weekday() == calendar.SATURDAY:
        return day + timedelta(days=-1 if number > 1 else 2)
    if day.weekday() == calendar.SUNDAY:
        return day + timedelta(days=1 if number < _last(month) else -2)
    return day


def _days_of_weeks(field: str) -> _Day:
    return _any_of(_days_of_week(part) for part in field.split(","))


def _days_of_week(part: str) -> _Day:
    name, is_nth, place = part.partition("#")
    if is_nth:
        weekday, nth = _weekday(name), _number(place, 1, 5)
        return lambda day: _weekday_of(day) == weekday and (day.day - 1) // 7 + 1 == nth
    if part.endswith("L") and part != "L":
        weekday = _weekday(part[:-1])
        return lambda day: _weekday_of(day) == weekday and day.day > _last(day) - 7
    numbers = _numbers("7" if part == "L" else part, 1, 7, _WEEKDAYS, 1)
    return lambda day: _weekday_of(day) in numbers


def _weekday(text: str) -> int:
    return _number(text, 1, 7, _WEEKDAYS, 1)


def _weekday_of(day: date) -> int:
    """1 is Sunday."""
    return day.isoweekday() % 7 + 1
