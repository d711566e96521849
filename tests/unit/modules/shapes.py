# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of a result: which keys there are at every depth, whatever their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

#: Names of CAs and of Secret entries are keys here, so they differ from run to run.
FREE_FORM = frozenset({".diff[].before", ".diff[].after"})


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """Where two results do not have the same keys. None fits anything, and an empty list fits any list."""
    return sorted(set(_differences([one], [other], path)))


def _differences(ones: list[Any], others: list[Any], path: str) -> Iterator[str]:
    """Every value of each side has to have the shape of every value of both sides."""
    values = [value for value in (*ones, *others) if value is not None]
    kinds = {_kind(value) for value in values}
    if len(kinds) > 1:
        yield f"{path}: {', '.join(sorted(kinds))}"
    elif kinds == {"dict"} and path not in FREE_FORM:
        yield from _keys(values, path)
        for key in sorted(set().union(*values)):
            yield from _differences(_under(key, ones), _under(key, others), f"{path}.{key}")
    elif kinds == {"list"}:
        yield from _differences(_elements(ones), _elements(others), f"{path}[]")


def _kind(value: Any) -> str:
    # A whole number is a number of seconds as good as any.
    return "number" if type(value) in (int, float) else type(value).__name__


def _keys(values: list[dict[str, Any]], path: str) -> Iterator[str]:
    for key in set().union(*values):
        if not all(key in value for value in values):
            yield f"{path}.{key}"


def _under(key: str, values: Iterable[Any]) -> list[Any]:
    return [value[key] for value in values if value is not None and key in value]


def _elements(values: Iterable[Any]) -> list[Any]:
    return [element for value in values if value is not None for element in value]
