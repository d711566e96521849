# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of CAs: what is accepted here all three verifiers accept, and what is refused at least one of them refuses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ..tools.support.constrained import CASES, Case, Constrained, names
from ..unit._pki.test_path_properties import Hierarchy, valid
from ..unit._pki.test_path_properties import openssl_accepts as library_accepts
from .conftest import Asked

ENOUGH = 100
SETTINGS = settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))


def asked_of(made: Constrained) -> Hierarchy:
    leaf, *sent, root = made.chain
    return Hierarchy(leaf, tuple(sent), (root,))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verifiers_agree_where_a_path_is_accepted(case: Case, verifiers: Mapping[Verifier, Asked]) -> None:
    asked = asked_of(case.made)
    said = {one: verifier.accepts(asked) for one, verifier in verifiers.items()}
    assert all(said.values()) == case.holds, said
    assert {valid(asked, one) for one in Verifier} == {case.holds}


_DNS = st.sampled_from(["svc", "a.svc", "b.svc", "a.b.svc", "local", "SVC", ".svc", ".b.svc"])
_NETWORKS = st.sampled_from(["10.0.0.0/8", "10.1.0.0/16", "0.0.0.0/0", "fd00::/8", "::/0"])
_TREES = st.lists(_DNS | _NETWORKS, max_size=3, unique=True)
_SAN = st.sampled_from(
    ["svc", "a.svc", "A.b.svc", "*.svc", "*.b.svc", "c.local", "10.1.2.3", "10.2.0.1", "11.0.0.1", "fd00::1", "fe80::1"]
)
_CALLED = st.sampled_from(["the leaf", "leaf", "a.svc"])


@st.composite
def constrained(draw: st.DrawFn) -> Constrained:
    def extension() -> list[tuple[object, bool]]:
        permitted, excluded = draw(_TREES), draw(st.just([]) | _TREES)
        return [names(permitted, excluded, critical=draw(st.booleans()))] if permitted or excluded else []

    san = draw(st.lists(_SAN, max_size=3, unique=True))
    return Constrained(
        root=extension(), upper=extension(), lower=extension(), san=san, called=draw(_CALLED),  # type: ignore[arg-type]
        lower_called=draw(st.sampled_from(["the lower CA", "b.svc"])),
    )  # fmt: skip


def test_random_constraints(go: Asked, jvm: Asked) -> None:
    said: Counter[bool] = Counter()
    told: Counter[bool] = Counter()

    @SETTINGS
    @given(constrained())
    def never_accepts_what_one_refuses(made: Constrained) -> None:
        asked = asked_of(made)
        foreseen = {valid(asked, one) for one in Verifier}
        found = go.accepts(asked) and jvm.accepts(asked) and library_accepts(asked.leaf, asked.sent, asked.anchors)
        said[found] += 1
        assert found or foreseen == {False}
        told[foreseen == {found}] += 1

    never_accepts_what_one_refuses()
    assert min(said[True], said[False]) > ENOUGH, said
    # Where names or networks could be taken in two ways, the stricter one counts here.
    assert told[False] < told[True] / 5, told
