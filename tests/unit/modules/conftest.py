# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tested here is what modules say and write, not how long primes take."""

from __future__ import annotations

from functools import cache

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing import issue
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import generate_keys

from ...operator import certs

for helper in ("mistakes", "running", "stages"):
    pytest.register_assert_rewrite(f"{__package__}.{helper}")


cache_of_keys = cache(generate_keys)


@pytest.fixture(autouse=True)
def fast_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """EC keys for the operator double; the RSA keys of leaves, which no option changes, are made once."""
    monkeypatch.setattr(issue, "generate_keys", cache_of_keys)
    for name in ("new_ca_key", "new_leaf_key"):
        monkeypatch.setattr(certs, name, lambda: ec.generate_private_key(ec.SECP256R1()))
