# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Private keys for new leaves."""

from __future__ import annotations

from collections.abc import Iterator

from .._pki.keys import PrivateKey, generate_keys
from .._strimzi.work import Work

_AT_A_TIME = 8


def new_keys(count: int, work: Work) -> Iterator[PrivateKey]:
    """So few at a time that the Lease does not run out meanwhile: primes for a hundred nodes take a minute or more."""
    for begun in range(0, count, _AT_A_TIME):
        yield from generate_keys(work.settings.leaf_key, min(_AT_A_TIME, count - begun))
        work.alive()
