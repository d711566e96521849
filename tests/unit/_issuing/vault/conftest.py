# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Vault double with a mount of its own for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from ....tools.support.vault_mount import Bench, fake_set_up


@pytest.fixture(autouse=True)
def _no_cas_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading them for each connection takes longer than the test."""
    monkeypatch.setenv("SSL_CERT_FILE", os.devnull)


@pytest.fixture
def bench() -> Iterator[Bench]:
    with fake_set_up() as made:
        yield made
