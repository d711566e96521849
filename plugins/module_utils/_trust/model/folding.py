# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Long lists for people: things that say the same of different objects are one row. A hundred nodes stay readable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from .names import listed

T = TypeVar("T")
#: Up to this number, equal rows stand separately.
APART = 3


def fold(things: Iterable[T], likeness: Callable[[T], Hashable]) -> Iterator[tuple[T, Sequence[T]]]:
    """Each row of a table by its first thing, with the other things of the row: more than a few things of the same
    likeness are one row, in the place of the first.
    """
    alike: dict[Hashable, list[T]] = {}
    for thing in things:
        alike.setdefault(likeness(thing), []).append(thing)
    for first, *others in alike.values():
        if len(others) < APART:
            yield from ((thing, ()) for thing in (first, *others))
        else:
            yield first, others


def fold_names(states: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The rows of objects, each object given by its name and its state: the names of a row, in a line, and the state
    that they share.
    """
    for first, others in fold(states, lambda state: state[1]):
        yield listed([name for name, _state in (first, *others)]), first[1]


def fold_violations(
    violations: Iterable[Mapping[str, str]],
) -> Iterator[tuple[Mapping[str, str], Sequence[Mapping[str, str]]]]:
    """The rows of violations, as results have them: violations are alike if they differ in nothing but their subject
    and the command that names it.
    """
    return fold(violations, lambda violation: (violation["gate"], violation["message"], violation["remedy"]))


def describe_violations_in_rows(violations: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """A line for each row of violations: subjects, cause, remedy."""
    for first, others in fold_violations(violations):
        yield f"{subjects_of(first, others)}: {first['message']} {describe_way_out(first, others)}"


def subjects_of(first: Mapping[str, str], others: Iterable[Mapping[str, str]]) -> str:
    """The subjects of a row, in a line."""
    return listed([violation["subject"] for violation in (first, *others)])


def describe_way_out(first: Mapping[str, str], others: Collection[Mapping[str, str]] = ()) -> str:
    """The remedy of a row with its command, as sentences. The command is about the first object of the row."""
    if not first["command"]:
        return first["remedy"]
    of_first = ", for the first of them" if others else ""
    return f"{first['remedy']} The command{of_first}: {first['command']}"
