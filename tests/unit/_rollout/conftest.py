# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fast keys for the operator double, put back after each test."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ...tools.operator import certs


@pytest.fixture(autouse=True)
def _fast_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("new_ca_key", "new_leaf_key"):
        monkeypatch.setattr(certs, name, lambda: ec.generate_private_key(ec.SECP256R1()))
