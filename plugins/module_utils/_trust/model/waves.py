# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How many nodes get the request to reload at the same time. Pure.

The first node gets it alone. Then a share of all nodes follows at a time. If the slowest node of such a wave takes
long, the next wave has half as many nodes, and comes after a rest; after a quick wave the number doubles, up to the
share.
"""

from __future__ import annotations

from collections.abc import Iterator

#: The least share: a reload takes a fraction of a second, and the nodes stay up meanwhile.
AT_ONCE = 8
#: The share of a large cluster: one node in so many, so that a reload of any size takes some twenty waves.
_ONE_IN = 20
#: The answer of a node takes tenths of a second with a free CPU. If it takes longer than so many seconds, the CPU of
#: the node, the worker or the API server is busy.
SLOW = 5.0


class Waves:
    """The sizes of the waves, one after the other."""

    def __init__(self, count: int, slow: float = SLOW) -> None:
        """The waves of so many nodes; a wave that takes longer than ``slow`` seconds is slow."""
        self._most, self._slow = max(AT_ONCE, count // _ONE_IN), slow
        self._is_first = True
        #: How many nodes the next wave has.
        self.size = 1

    def rest_after(self, seconds: float) -> float:
        """Choose the size of the next wave after a wave that took so long, and return how many seconds to rest before
        it.
        """
        if self._is_first:
            self._is_first, self.size = False, self._most
            return 0.0
        if seconds <= self._slow:
            self.size = min(2 * self.size, self._most)
            return 0.0
        self.size = max(self.size // 2, 1)
        return seconds


def sizes_if_quick(count: int) -> Iterator[int]:
    """The sizes of the waves in which so many nodes reload, if no wave is slow."""
    waves, left = Waves(count), count
    while left > 0:
        yield min(waves.size, left)
        left -= waves.size
        waves.rest_after(0.0)
