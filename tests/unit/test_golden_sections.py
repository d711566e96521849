# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each golden file has sections of tests of its rooms alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..tools.support.golden import GoldenFiles

UNIT = Path(__file__).parent
#: The folders with the tests of each surface.
ROOMS = {
    "calls": ("modules", "_ansible"),
    "certificates": ("_pki",),
    "cluster": ("_strimzi",),
    "engine": ("_engine",),
    "handshakes": ("_handshake",),
    "issuers": ("_issuing",),
    "kubernetes": ("_kube",),
    "report_parts": ("filter", "report"),
    "rolls": ("_rollout",),
    "steps": ("_trust",),
    "stops_in_rules": ("_trust",),
}


@pytest.mark.parametrize("surface", ROOMS)
def test_the_golden_file_has_no_other_section(surface: str, golden: GoldenFiles) -> None:
    golden.compare_tests(surface, *(UNIT / room for room in ROOMS[surface]))
