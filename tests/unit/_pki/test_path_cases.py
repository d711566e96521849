# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Uncommon certificate paths: what a verifier refuses we refuse, and little else."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import validate_path
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Verifier, defects

from ...support.certificates import NOW
from ...support.path_cases import PATHS, PathCase


@pytest.mark.parametrize("verifier", Verifier)
@pytest.mark.parametrize("case", PATHS, ids=lambda case: case.name)
def test_verdict(case: PathCase, verifier: Verifier) -> None:
    """The defects of a CA itself are told when somebody supplies it, and no gate asks again."""
    result = validate_path((case.leaf, *case.sent), case.anchors, at=NOW, verifier=verifier)
    unfit = any(verifier in defect.verifiers for one in result.path[1:] for defect in defects(one))
    assert (result.valid and not unfit) == (verifier not in case.refused_by | case.stricter), result.reason


def test_names_are_distinct() -> None:
    assert len({case.name for case in PATHS}) == len(PATHS)


@pytest.mark.parametrize("case", PATHS, ids=lambda case: case.name)
def test_we_are_stricter_only_where_a_verifier_is_not(case: PathCase) -> None:
    assert not case.stricter & case.refused_by
