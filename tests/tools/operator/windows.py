"""Maintenance windows (docs/operator.md, "Maintenance windows"). The double reads the numbers, ranges and lists of
Quartz, and nothing else: a test that needs more fails.
"""

from __future__ import annotations

from . import certs
from .api import Object


def is_window_open(kafka: Object) -> bool:
    """Whether the operator may do now what waits for a window; always without any."""
    windows = kafka["spec"].get("maintenanceTimeWindows")
    return not windows or any(map(_is_satisfied, windows))


def _is_satisfied(expression: str) -> bool:
    """Whether this second of UTC satisfies the expression, which does not limit the day of the week. No second satisfies
    an expression that cannot be read.
    """
    *fields, weekday = expression.split()
    if len(fields) != 5:
        return False
    now = certs.now()
    assert weekday in ("?", "*"), f"the double does not read {expression}"
    values = (now.second, now.minute, now.hour, now.day, now.month)
    return all(_has(field, value) for field, value in zip(fields, values, strict=True))


def _has(field: str, value: int) -> bool:
    return field in ("*", "?") or any(_spans(part, value) for part in field.split(","))


def _spans(part: str, value: int) -> bool:
    low, _dash, high = part.partition("-")
    return int(low) <= value <= int(high or low)
