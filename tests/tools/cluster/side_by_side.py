"""Preparations that do not need each other, at the same time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def both(function: Callable[[], A], other: Callable[[], B]) -> tuple[A, B]:
    """The results of both. When one fails the other is finished, because what it makes is kept; then the failure is raised."""
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(function), pool.submit(other)
    return first.result(), second.result()
