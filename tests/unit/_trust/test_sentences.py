# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a bridge in words: the plan tells the two ways apart."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.sentences import sentence
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    KeepLeaves,
    PrepareAuthority,
    Promote,
    Step,
)

from .builders import NEW, OLD, chain_of, name_of
from .crossing import OWN, READY

OLD_NAME = f"{OLD.certificate.subject} ({OLD.certificate.sha256[:12]})"
NEW_NAME = f"{NEW.certificate.subject} ({NEW.certificate.sha256[:12]})"


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            PrepareAuthority(Goal.REPLACE_KEY, chain_of(OLD), 1),
            f"prepare a CA with a new key to replace {OLD_NAME}",
        ),
        (
            PrepareAuthority(Goal.REPLACE_KEY, chain_of(OLD), 1, bridged=True),
            f"prepare a CA with a new key to replace {OLD_NAME}, and a certificate of its key by that one",
        ),
        (Promote(name_of(NEW), 2), f"make {NEW_NAME} the issuing CA, generation 2"),
        (
            Promote(name_of(NEW), 1, bridged=True),
            f"make {NEW_NAME} the issuing CA, certified by its predecessor, generation 1",
        ),
        (KeepLeaves((OWN,), 1), f"keep {OWN} for generation 1"),
    ],
)
def test_a_step_in_words(step: Step, expected: str) -> None:
    assert sentence(step, READY) == expected
