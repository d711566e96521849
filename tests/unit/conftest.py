# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of test cases: keys and certificates are made anew by every worker, so their bytes cannot name a test."""

from __future__ import annotations

import re

import pytest

_RANDOM = re.compile(r"[0-9a-f]{8}|[0-9A-F]{8}|[0-9A-F]{2}:[0-9A-F]{2}:")


@pytest.hookimpl(tryfirst=True)
def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """The parameter's name instead of its value where the value is another one in the next process."""
    if isinstance(val, bytes) or (isinstance(val, str) and _RANDOM.search(val)):
        return argname
    return None
