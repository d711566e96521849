# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections that trust no CA of this machine."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def _no_cas_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading them for each connection takes longer than the test."""
    monkeypatch.setenv("SSL_CERT_FILE", os.devnull)
