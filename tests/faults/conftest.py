# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The points at which a test interrupts a flow: every thirty-second in `make test`, each one with ``--each`` (`make test-long`)."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import pytest


@dataclass(frozen=True)
class Points:
    """Numbers of writes, requests or looks."""

    # The first of them; tests that share the beginning of a flow begin at different ones.
    first: int
    # The distance from one to the next.
    step: int

    def all(self) -> frozenset[int]:
        """For a flow of up to 1,000 writes that is killed at each of its points, and at its first write."""
        return frozenset((1, *range(self.first, 1000, self.step)))

    def at_least_each(self, step: int) -> Points:
        """For a test whose endings only a few points lead to."""
        return Points(self.first, min(self.step, step))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--each", action="store_true", help="interrupt flows at each point, not at every thirty-second")


@pytest.fixture
def points(request: pytest.FixtureRequest) -> Points:
    if request.config.getoption("each"):
        return Points(1, 1)
    return Points(1 + crc32(request.node.nodeid.encode()) % 32, 32)
