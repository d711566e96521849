# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verifiers that cannot use a leaf, at either end of a connection."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Purpose, leaf_defects

from ...support.unusable_leaves import CASES, LeafCase

BOTH = frozenset(Purpose)


@pytest.mark.parametrize("purpose", Purpose)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_who_cannot_use_it(case: LeafCase, purpose: Purpose) -> None:
    found = list(leaf_defects(case.leaf, frozenset({purpose})))
    assert {verifier for defect in found for verifier in defect.verifiers} == case.refused_by(purpose)
    assert len(found) == bool(case.refused_by(purpose))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_leaf_for_both_ends_has_the_defects_of_either(case: LeafCase) -> None:
    found = {verifier for defect in leaf_defects(case.leaf, BOTH) for verifier in defect.verifiers}
    assert found == case.as_server | case.as_client


def test_what_is_missing_is_said_for_each_end() -> None:
    (signing,) = (case.leaf for case in CASES if case.name == "code signing")
    said = [(defect.cause, defect.wanted) for defect in leaf_defects(signing, BOTH)]
    assert said == [
        ("has an extended key usage without serverAuth", "with serverAuth in its extended key usage"),
        ("has an extended key usage without clientAuth", "with clientAuth in its extended key usage"),
    ]
