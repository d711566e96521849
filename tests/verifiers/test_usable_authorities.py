# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAs that are refused as supplied CAs, and what Go, a JVM and OpenSSL really make of their leaves."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ..tools.support.unusable import UNUSABLE, USABLE, Case
from ..unit._pki.test_path_properties import Hierarchy
from .conftest import Asked


@pytest.mark.parametrize("case", [*UNUSABLE, *USABLE], ids=lambda case: case.name)
def test_verifiers_refuse_the_cas_that_the_table_says(case: Case, verifiers: Mapping[Verifier, Asked]) -> None:
    above = () if case.root == case.authority else (case.authority,)
    asked = Hierarchy(case.leaf, above, (case.root,))
    assert {one for one, verifier in verifiers.items() if not verifier.accepts(asked)} == case.refused_by
