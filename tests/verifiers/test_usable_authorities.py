# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAs that are refused as supplied CAs, and what Go, a JVM and OpenSSL really make of their leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ..support.unusable import UNUSABLE, USABLE, Case
from ..unit._pki.test_path_properties import Hierarchy
from .conftest import Asked
from .openssl import openssl_accepts


@pytest.mark.parametrize("case", [*UNUSABLE, *USABLE], ids=lambda case: case.name)
def test_they_refuse_what_they_are_said_to_refuse(case: Case, go: Asked, jvm: Asked, tmp_path: Path) -> None:
    above = () if case.root == case.authority else (case.authority,)
    asked = Hierarchy(case.leaf, above, (case.root,))
    said = {
        Verifier.GO: go.accepts(asked),
        Verifier.JVM: jvm.accepts(asked),
        Verifier.OPENSSL: openssl_accepts(asked, tmp_path),
    }
    assert {verifier for verifier, accepted in said.items() if not accepted} == case.refused_by
