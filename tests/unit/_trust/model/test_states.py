# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of docs/design.md, "States", copied out line by line."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.states import (
    TRUSTED_STATES,
    TrustState,
    Usage,
    after_usage,
    is_edge,
)

from ..builders import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED

STATES = (None, *TrustState)

BY_USAGE = [
    (UNUSED, Usage.NO_PODS, UNUSED),
    (UNUSED, Usage.NONE, UNUSED),
    (UNUSED, Usage.SOME, ANY),
    (UNUSED, Usage.ALL, ALL),
    (ANY, Usage.NO_PODS, ANY),
    (ANY, Usage.SOME, ANY),
    (ANY, Usage.ALL, ALL),
    (ANY, Usage.NONE, PHASE_OUT),
    (ALL, Usage.NO_PODS, ALL),
    (ALL, Usage.ALL, ALL),
    (ALL, Usage.SOME, ANY),
    (ALL, Usage.NONE, PHASE_OUT),
    (PHASE_OUT, Usage.NO_PODS, PHASE_OUT),
    (PHASE_OUT, Usage.ALL, ALL),
    (PHASE_OUT, Usage.SOME, ANY),
    # The entry is removed then, which is the business of the removal gate.
    (PHASE_OUT, Usage.NONE, PHASE_OUT),
    # Nobody uses what nobody trusts: only the trust gate leads on.
    (UNTRUSTED, Usage.NO_PODS, UNTRUSTED),
    (UNTRUSTED, Usage.NONE, UNTRUSTED),
    (UNTRUSTED, Usage.SOME, UNTRUSTED),
    (UNTRUSTED, Usage.ALL, UNTRUSTED),
]

EDGES = {
    (None, UNTRUSTED),  # it is new
    (None, UNUSED),  # a cluster is adopted
    (UNTRUSTED, UNUSED),  # the trust gate is open
    (UNTRUSTED, PHASE_OUT),  # somebody asks for it
    (UNUSED, PHASE_OUT),  # the same
    (PHASE_OUT, None),  # nobody relies on it any more
    *((before, after) for before, _usage, after in BY_USAGE if before is not after),
}


@pytest.mark.parametrize(("before", "usage", "after"), BY_USAGE)
def test_usage_leads_where_the_table_says(before: TrustState, usage: Usage, after: TrustState) -> None:
    assert after_usage(before, usage) is after


def test_the_table_is_complete() -> None:
    told = {(before, usage) for before, usage, _after in BY_USAGE}
    assert told == {*product(TrustState, set(Usage) - {Usage.UNKNOWN})}


@pytest.mark.parametrize("state", TrustState)
@pytest.mark.parametrize("usage", [Usage.NO_PODS, Usage.UNKNOWN])
def test_without_pods_or_without_evidence_the_state_is_kept(state: TrustState, usage: Usage) -> None:
    assert after_usage(state, usage) is state


@pytest.mark.parametrize(("before", "after"), sorted(EDGES, key=str))
def test_edges_of_the_table_are_allowed(before: TrustState | None, after: TrustState | None) -> None:
    assert is_edge(before, after)


@pytest.mark.parametrize(("before", "after"), sorted(set(product(STATES, STATES)) - EDGES, key=str))
def test_everything_else_is_refused(before: TrustState | None, after: TrustState | None) -> None:
    """Also standing still, leaving the ledger other than through PHASE_OUT, and going back to UNTRUSTED."""
    assert not is_edge(before, after)


@given(st.sampled_from(TrustState), st.lists(st.sampled_from(Usage)))
def test_any_history_of_usages_moves_along_edges(state: TrustState, usages: list[Usage]) -> None:
    for usage in usages:
        before, state = state, after_usage(state, usage)
        assert state is before or is_edge(before, state)


def test_all_but_untrusted_are_trusted() -> None:
    assert {UNUSED, ANY, ALL, PHASE_OUT} == TRUSTED_STATES
