# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of leaves for modules under test: each is made once for all tests, and serves once in each test, as no call makes a key twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeySpec, PrivateKey, generate_keys


class KeySupply:
    #: The keys that were made, in their order.
    _made: ClassVar[dict[KeySpec, list[PrivateKey]]] = {}
    #: How many of them this test has had.
    _used: ClassVar[Counter[KeySpec]] = Counter()
    #: How many of them the clusters have that are kept for all tests.
    _kept: ClassVar[Counter[KeySpec]] = Counter()

    @classmethod
    def begin_test(cls) -> None:
        cls._used = Counter(cls._kept)

    @classmethod
    @contextmanager
    def making_kept_cluster(cls) -> Iterator[None]:
        """No later test gets a key of this cluster."""
        yield
        cls._kept |= cls._used

    @classmethod
    def generate(cls, spec: KeySpec, count: int) -> list[PrivateKey]:
        first, last = cls._used[spec], cls._used[spec] + count
        made = cls._made.setdefault(spec, [])
        made += generate_keys(spec, max(0, last - len(made)))
        cls._used[spec] = last
        return made[first:last]
