# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The maintenance windows of a Kafka resource (docs/operator.md, "Maintenance windows").

``spec.maintenanceTimeWindows`` has cron expressions of Quartz. A window is open in each second of UTC that satisfies
any of them, as the operator reads them.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from typing import Any, TypeAlias

from ..._errors import CronError, fit_in_line
from ..._trust.model.snapshot import MaintenanceWindows

_Day: TypeAlias = Callable[[date], bool]

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_UNSAID = "?"
#: How many days are searched for the next opening. February 29 comes back after eight years at most.
_AHEAD = 366 * 8 + 2
_FIRST_YEAR, _LAST_YEAR = 1970, 2099
#: ``L`` is this day in every month for Quartz 2.5.0, the operator's release of it. It opens no window in shorter
#: months.
_LONGEST_MONTH = 31


@dataclass(frozen=True)
class CronExpression:
    """An expression, as the seconds that satisfy it (Quartz, class CronExpression)."""

    #: The seconds of a minute, from 0 to 59.
    seconds: frozenset[int]
    #: The minutes of an hour, from 0 to 59.
    minutes: frozenset[int]
    #: The hours of a day in UTC, from 0 to 23.
    hours: frozenset[int]
    #: Whether a day satisfies the fields for days, months and years.
    is_day: _Day

    def is_satisfied(self, at: datetime) -> bool:
        """Whether the expression is satisfied at this time in UTC."""
        return (
            self.is_day(at.date()) and at.hour in self.hours and at.minute in self.minutes and at.second in self.seconds
        )

    def next_after(self, at: datetime) -> datetime | None:
        """The first second after this time that satisfies it; None if none does within eight years."""
        first = at.replace(microsecond=0) + timedelta(seconds=1)
        for ahead in range(_AHEAD):
            day = first.date() + timedelta(days=ahead)
            if self.is_day(day) and (moment := self._first_in(first.time() if ahead == 0 else time())):
                return datetime.combine(day, moment, timezone.utc)
        return None

    def _first_in(self, since: time) -> time | None:
        """The first matching time of a day, from this time on."""
        hours, minutes, seconds = (sorted(field) for field in (self.hours, self.minutes, self.seconds))
        for hour in (each for each in hours if each >= since.hour):
            for minute in minutes:
                for second in seconds:
                    if (moment := time(hour, minute, second)) >= since:
                        return moment
        return None


def maintenance_windows(kafka: Mapping[str, Any] | None, now: datetime) -> MaintenanceWindows | None:
    """The windows of this resource; None if it has none, and everything may be done at any time. An unreadable
    expression opens none.
    """
    given = ((kafka or {}).get("spec") or {}).get("maintenanceTimeWindows")
    if not given:
        return None
    expressions, problem = [], ""
    for text in given if isinstance(given, list) else [given]:
        try:
            expressions.append(parse_cron(str(text)))
        except CronError as error:
            problem = problem or f"{fit_in_line(str(text))!r} cannot be read: {error}"
    openings = [opening for expression in expressions if (opening := expression.next_after(now))]
    is_open = any(expression.is_satisfied(now) for expression in expressions)
    return MaintenanceWindows(is_open, min(openings, default=None), problem)


def parse_cron(text: str) -> CronExpression:
    """Seconds, minutes, hours, day of month, month, day of week and, if it is given, year. Raises CronError."""
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


def _parts(field: str) -> list[str]:
    """The parts of a list. Quartz passes over empty parts."""
    parts = [part for part in field.split(",") if part]
    if not parts:
        raise CronError(f"{field!r} names no value")
    return parts


def _numbers(field: str, lowest: int, highest: int, names: tuple[str, ...] = (), first: int = 0) -> frozenset[int]:
    """The numbers of a field. Names stand for the numbers from ``first`` on."""
    numbers: set[int] = set()
    for part in _parts(field):
        low, high, every = _named_span(part, names, first) if part[:3] in names else _span(part, lowest, highest)
        if high < low:
            # As in 22-2: over the end of the day.
            high += highest - lowest + 1
        numbers.update((number - lowest) % (highest - lowest + 1) + lowest for number in range(low, high + 1, every))
    return frozenset(numbers)


def _span(part: str, lowest: int, highest: int) -> tuple[int, int, int]:
    """The first number of a part, its last number, and its step."""
    span, has_step, step = part.partition("/")
    every = _number(step, 1, highest) if has_step else 1
    begin, is_range, end = span.partition("-")
    if span in ("*", "") and (span or has_step):
        return lowest, highest, every
    low = _number(begin, lowest, highest)
    return low, _number(end, lowest, highest) if is_range else highest if has_step else low, every


def _named_span(part: str, names: tuple[str, ...], first: int) -> tuple[int, int, int]:
    """The same of a part with a name at its beginning. A name has three letters. Quartz passes over the rest, except
    for a range of names.
    """
    low = names.index(part[:3]) + first
    if part[3:4] != "-":
        return low, low, 1
    if part[4:7] not in names:
        raise CronError(f"{part!r} is no range of names")
    return low, names.index(part[4:7]) + first, 1


def _number(text: str, lowest: int, highest: int) -> int:
    if not (text.isascii() and text.isdigit()) or not lowest <= int(text) <= highest:
        raise CronError(f"{text!r} is not between {lowest} and {highest}")
    return int(text)


def _any_of(days: Iterable[_Day]) -> _Day:
    predicates = tuple(days)
    return lambda day: any(matches(day) for matches in predicates)


def _days_of_months(field: str) -> _Day:
    return _any_of(_days_of_month(part) for part in _parts(field))


def _days_of_month(part: str) -> _Day:
    if part.startswith("L"):
        last, is_before, number = part.removesuffix("W").partition("-")
        before = _number(number, 0, 30) if is_before else 0
        if last != "L":
            raise CronError(f"{part!r} is no day of a month")
        counted = _LONGEST_MONTH - before
        if part.endswith("W"):
            return lambda day: _is_nearest_weekday(day, counted, latest=_last_of_month(day) - before)
        return lambda day: day.day == counted <= _last_of_month(day) - before
    if part.endswith("W"):
        wanted = _number(part[:-1], 1, 31)
        return lambda day: wanted <= _last_of_month(day) and _is_nearest_weekday(day, wanted, latest=wanted)
    numbers = _numbers(part, 1, 31)
    return lambda day: day.day in numbers


def _last_of_month(day: date) -> int:
    """The number of the last day of its month."""
    return calendar.monthrange(day.year, day.month)[1]


def _is_nearest_weekday(day: date, number: int, latest: int) -> bool:
    """Whether the day satisfies ``W`` behind this number of a day of the month. If the day of this number is a weekday,
    only this day does; else only the Friday before it may. No day after the ``latest`` day of the month does.

    The nearest weekday of a Sunday, and of a Saturday on the 1st, is the Monday after it. Quartz starts schedules on
    that Monday, but its ``isSatisfiedBy`` refuses each second of it. By this function the operator finds whether a
    window is open.
    """
    wanted = day.replace(day=1) + timedelta(days=number - 1)
    if wanted.weekday() == calendar.SATURDAY and number > 1:
        wanted -= timedelta(days=1)
    elif wanted.weekday() == calendar.SUNDAY and number == _last_of_month(day):
        wanted -= timedelta(days=2)
    return day == wanted and day.day <= latest and day.weekday() < calendar.SATURDAY


def _days_of_weeks(field: str) -> _Day:
    if "L" in field and "," in field:
        raise CronError("'L' stands with other days of the week")
    if field.count("#") > 1:
        raise CronError("'#' stands with two days of the week")
    if "#" in field:
        place = field.partition("#")[2]
        nth = _number(place.partition(",")[0], 1, 5)
        named = [_one_weekday(part.partition("#")[0]) for part in _parts(field)]
        # Of several days, Quartz takes the first of the week.
        return lambda day: _weekday_of(day) == min(named) and (day.day - 1) // 7 + 1 == nth
    if field.endswith("L") and field != "L":
        weekday = _one_weekday(field[:-1])
        return lambda day: _weekday_of(day) == weekday and day.day > _last_of_month(day) - 7
    allowed = _numbers("7" if field == "L" else field, 1, 7, _WEEKDAYS, 1)
    return lambda day: _weekday_of(day) in allowed


def _one_weekday(text: str) -> int:
    if text in _WEEKDAYS:
        return _WEEKDAYS.index(text) + 1
    return _number(text, 1, 7)


def _weekday_of(day: date) -> int:
    """1 is Sunday."""
    return day.isoweekday() % 7 + 1
