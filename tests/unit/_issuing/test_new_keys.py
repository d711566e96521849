# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys for new leaves: so many at a time that nobody takes the Lease meanwhile."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending import requests as module
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.requests import new_keys
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec

from .._strimzi.bench import Bench

EC384 = KeySpec(KeyAlgorithm.ECDSA, 384)


@pytest.mark.parametrize(("count", "alive"), [(0, 0), (1, 1), (3, 1), (4, 2), (7, 3)])
def test_as_many_as_asked_for_and_a_sign_of_life_for_each_batch(
    count: int, alive: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AT_A_TIME", 3)
    work, told = Bench().work(leaf_key=EC384), []
    work.alive = lambda: told.append(None)
    made = list(new_keys(count, work))
    assert len({one.public_key_sha256 for one in made}) == len(made) == count
    assert {one.public_key.key_size for one in made} <= {384}
    assert len(told) == alive
