# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The golden files of rules and steps have sections of tests of this folder alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...tools.support.golden import GoldenFiles


@pytest.mark.parametrize("surface", ["stops_in_rules", "steps"])
def test_the_golden_file_has_no_other_section(surface: str, golden: GoldenFiles) -> None:
    golden.compare_tests(surface, Path(__file__).parent)
