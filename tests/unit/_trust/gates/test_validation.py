# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Path validation as the gates ask for it: for each kind of verifier by its own rules, and at the time of the snapshot."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.validation import (
    has_only_ended,
    is_valid,
    validate,
)

from ....support.certificates import NOW, YEAR, Entity, key, make
from ..builders import EXPIRED, NEW, OLD, RENEWED, chain_of, linked_form

SHORT = make("cluster-ca v0", key(0), path_length=0)


@pytest.mark.parametrize("kind", Verifier)
@pytest.mark.parametrize(
    ("form", "anchors", "refusing"),
    [
        pytest.param(chain_of(OLD), (OLD,), (), id="a root"),
        pytest.param(chain_of(OLD), (), Verifier, id="nothing is trusted"),
        pytest.param(chain_of(OLD), (NEW,), Verifier, id="another root is trusted"),
        pytest.param(chain_of(RENEWED), (OLD,), (), id="the same name and key"),
        pytest.param(linked_form(NEW, OLD), (OLD,), (), id="linked"),
        pytest.param(linked_form(NEW, OLD), (OLD, NEW), (), id="linked, and both are trusted"),
        pytest.param(linked_form(NEW, OLD), (NEW,), (), id="linked, and the new CA itself is trusted"),
        pytest.param(
            linked_form(NEW, SHORT), (SHORT,), (Verifier.OPENSSL, Verifier.GO),
            id="linked, and the trusted CA allows none below it",
        ),
        pytest.param(linked_form(NEW, SHORT), (SHORT, NEW), (), id="the same, and the new CA itself is trusted as well"),
        # A leaf alone: what leads from its CA to the trusted one is not sent.
        pytest.param(linked_form(NEW, OLD)[:1], (OLD,), Verifier, id="the link was not sent"),
    ],
)  # fmt: skip
def test_who_refuses(form: Chain, anchors: tuple[Entity, ...], refusing: Iterable[Verifier], kind: Verifier) -> None:
    """Tests in tests/verifiers compare our verdicts on such chains with those of real verifiers."""
    found = validate(form, tuple(one.certificate for one in anchors), NOW, kind)
    assert found.valid is (kind not in refusing)
    assert bool(found.reason) is not found.valid
    assert is_valid(form, tuple(one.certificate for one in anchors), NOW, kind) is found.valid


@pytest.mark.parametrize(
    ("at", "valid"),
    [(NOW, True), (NOW + 2 * YEAR, False), (NOW - 2 * YEAR, False)],
    ids=["now", "too late", "too early"],
)
def test_what_is_accepted_at_one_time_may_not_be_at_another(at: datetime, valid: bool) -> None:
    assert is_valid(chain_of(OLD), (OLD.certificate,), at, Verifier.GO) is valid
    assert is_valid(chain_of(OLD), (OLD.certificate,), at, Verifier.JVM)


@pytest.mark.parametrize(
    ("anchors", "kind", "expected"),
    [
        ((EXPIRED,), Verifier.GO, True),
        ((EXPIRED,), Verifier.OPENSSL, True),
        ((EXPIRED,), Verifier.JVM, False),
        ((EXPIRED, OLD), Verifier.GO, False),
        ((), Verifier.GO, False),
    ],
)
def test_a_verifier_whose_cas_have_ended_refuses_everything(
    anchors: tuple[Entity, ...], kind: Verifier, expected: bool
) -> None:
    assert has_only_ended(tuple(one.certificate for one in anchors), NOW, kind) is expected
