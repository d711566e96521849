# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The answer decides about its request: the rows of "Improved and extensible Certificate controller", "issuing"."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import (
    CLOCKS_DIFFER,
    Failure,
    LeafRequest,
    Next,
    Verdict,
    Wanted,
    judge,
    next_action,
    next_try,
    record_answer,
    record_failure,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate

from ...support.certificates import NOW, key, leaf, make

SECOND = timedelta(seconds=1)
CA = make("cluster-ca v1", key(1))
GOOD, EARLY, TOO_EARLY = (leaf(CA, begin=NOW + ahead) for ahead in (-SECOND, CLOCKS_DIFFER, CLOCKS_DIFFER + SECOND))
BEFORE = Failure(2, NOW - timedelta(hours=9), "It was refused.")
OPEN = LeafRequest("demo-kafka-0", "someone", "the CA", NOW - timedelta(hours=1), failure=BEFORE)
WANTED = Wanted("someone", "the CA")


@pytest.mark.parametrize(
    ("answer", "refusals", "verdict"),
    [
        pytest.param(GOOD, (), Verdict.VALIDATED, id="valid"),
        pytest.param(GOOD, ("it is a CA certificate",), Verdict.REFUSED, id="not what was asked for"),
        pytest.param(EARLY, ("it is not valid before 12:05",), Verdict.NOT_YET, id="good in a moment"),
        pytest.param(EARLY, (), Verdict.NOT_YET, id="good in a moment, and nothing else"),
        pytest.param(TOO_EARLY, ("it is not valid before 12:06",), Verdict.REFUSED, id="not yet valid by more than clocks differ"),
    ],
)  # fmt: skip
def test_which_answers_are_copied(answer: Certificate, refusals: tuple[str, ...], verdict: Verdict) -> None:
    assert judge((answer, CA.certificate), refusals, NOW) is verdict


def test_what_is_valid_ends_the_row_of_failures() -> None:
    chain = (GOOD, CA.certificate)
    found = record_answer(OPEN, chain, (), NOW)
    assert found == replace(OPEN, answer=chain, failure=None, is_open=False, is_recorded=False)
    assert next_action(found, WANTED, NOW) is Next.COLLECT
    assert next_action(replace(found, is_recorded=True), WANTED, NOW) is Next.USE


def test_what_is_refused_is_one_more_failure() -> None:
    found = record_answer(OPEN, (GOOD,), ("it expired", "it is a CA certificate"), NOW)
    told = (
        "The certificate that came back is refused: it expired; it is a CA certificate. "
        "Correct what the issuer makes of the request."
    )
    assert found == replace(OPEN, failure=Failure(3, NOW, told), is_open=False, is_recorded=False)


@pytest.mark.parametrize(("later", "left"), [(0.0, 300), (0.5, 300), (299.5, 1)])
def test_what_is_good_in_a_moment_stays_with_its_issuer(later: float, left: int) -> None:
    now = NOW + timedelta(seconds=later)
    found = record_answer(OPEN, (EARLY,), (), now)
    assert found == replace(OPEN, waiting=f"demo-kafka-0: its certificate is valid in {left} s; clocks differ.")
    assert next_action(found, WANTED, now) is Next.WAIT


REFUSALS = st.lists(st.sampled_from(["it expired", "it is a CA certificate"]), unique=True).map(tuple)


@given(st.lists(st.sampled_from([GOOD, EARLY, TOO_EARLY]), min_size=1), REFUSALS)
def test_who_was_refused_is_not_asked_again_at_once(answers: list[Certificate], refusals: tuple[str, ...]) -> None:
    request = OPEN
    for one in answers:
        request = record_answer(request, (one,), refusals, NOW)
        if request.answer is not None:
            return
        assert request.failure is not None
        if not request.is_open:
            due = next_try(request.failure, request.secret)
            assert due >= NOW + timedelta(hours=1)
            # Then one request takes the place of this one.
            closed = replace(request, is_recorded=True)
            assert next_action(closed, WANTED, due - timedelta(microseconds=1)) is Next.WAIT
            assert next_action(closed, WANTED, due) is Next.ASK


@given(st.integers(1, 40))
def test_the_back_off_never_shrinks_with_failures(count: int) -> None:
    row = record_failure(replace(OPEN, failure=None), "It is refused.", NOW)
    waits = []
    for _number in range(count):
        assert row.failure is not None
        waits.append(next_try(row.failure, row.secret) - row.failure.at)
        row = record_failure(row, "It is refused.", NOW)
    # Tries are spread by a tenth; the longest wait alone has no longer one after it.
    assert all(later >= earlier * 10 / 11 for earlier, later in pairwise(waits))
