# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics that an expression of PromQL uses."""

from __future__ import annotations

import re


def metrics_in(expression: str) -> set[str]:
    """Its names of metrics: at least one."""
    found = set(re.findall(r"\bstrimzi_\w+", expression))
    assert found, expression
    return found
