# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves that are refused when an issuer returns them, and what Go, a JVM and OpenSSL really make of them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Purpose
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ..tools.support.unusable_leaves import CASES, ISSUER, LeafCase
from ..unit._pki.test_path_properties import Hierarchy
from .conftest import Asked


@pytest.mark.parametrize("purpose", Purpose)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verifiers_refuse_the_leaves_that_the_table_says(
    case: LeafCase, purpose: Purpose, verifiers: Mapping[Verifier, Asked]
) -> None:
    asked = Hierarchy(case.leaf, (), (ISSUER.certificate,))
    refusing = {one for one in purpose.verifiers if not verifiers[one].accepts(asked, purpose)}
    assert refusing == case.refused_by(purpose)
