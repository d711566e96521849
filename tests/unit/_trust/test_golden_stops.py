# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections of the golden file that the tests of rules compare, each for a cause that a condition has beside others."""

from __future__ import annotations

from ...tools.support.golden import GoldenFiles

SECTIONS = (
    "authority_is_valid_now, in a chain",
    "authority_is_valid_now, not in use yet",
    "keys_are_told_apart, a CA below one of two roots",
    "not_stopped, of a replacement",
    "not_stopped, of an abort",
    "evidence, a node refuses the CA that it was started with",
    "evidence, no pod verifies by the clients CA",
    "removal, a node accepts a removed CA",
    "verdict, what is the matter with the certificates",
    "a failure of the operator that holds nothing",
    "a new CA waits for its confirmation",
)


def test_the_golden_file_has_no_other_section(golden: GoldenFiles) -> None:
    golden.compare_names("stops_in_rules", SECTIONS)
