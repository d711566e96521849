# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Audit trails as tests read them."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

SCRIPT = Path(__file__).parents[3] / "docs" / "audit" / "verify.py"


@cache
def verifier() -> ModuleType:
    """The script that the documentation gives people."""
    spec = importlib.util.spec_from_file_location("verify", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines_of(config_map: Mapping[str, Any] | None) -> list[str]:
    data = (config_map or {}).get("data") or {}
    return [data[number] for number in sorted(data)]


def digest(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()


def problems(lines: Sequence[str]) -> list[str]:
    """The problems that the script finds in these lines, with the last line as the proof."""
    return list(verifier().problems(lines, digest(lines[-1])))
