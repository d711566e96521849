# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The golden file of calls has sections of tests of this folder alone."""

from __future__ import annotations

from pathlib import Path

from ...tools.support.golden import GoldenFiles


def test_the_golden_file_has_no_other_section(golden: GoldenFiles) -> None:
    golden.compare_tests("engine", Path(__file__).parent)
