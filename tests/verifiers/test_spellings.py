# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that differ in case, spaces or types of strings: the verifiers do not agree, so no path rests on them here."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ..tools.support.spellings import LIKE, OTHER, SAME, Spelling
from ..unit._pki.test_path_properties import Hierarchy, valid
from .conftest import Asked


@pytest.mark.parametrize("case", [SAME, *LIKE, *OTHER], ids=lambda case: case.name)
def test_nothing_is_accepted_that_a_verifier_refuses(case: Spelling, verifiers: Mapping[Verifier, Asked]) -> None:
    for asked in (
        Hierarchy(case.leaf_of_authority, (), (case.authority,)),
        Hierarchy(case.leaf_of_authority, (case.authority,), (case.authority,)),
        Hierarchy(case.leaf, (case.below,), (case.authority,)),
        Hierarchy(case.leaf, (case.below, case.authority), (case.authority,)),
    ):
        said = {one: verifier.accepts(asked) for one, verifier in verifiers.items()}
        assert {one for one, accepted in said.items() if accepted} == case.accepted_by
        all_accept = all(said.values())
        assert {valid(asked, one) for one in Verifier} == {all_accept}
