# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The next step about a leaf that somebody else issues: a row for each case, and the laws that no case may break."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import (
    Failure,
    LeafRequest,
    LeafState,
    Next,
    Wanted,
    next_action,
    next_try,
    request_name,
    state_of,
)

from ...support.certificates import key, leaf, make

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
CA = make("cluster-ca v1", key(1))
ANSWER = (leaf(CA), CA.certificate)
WANTED = Wanted("someone", "the CA")
INSISTING = replace(WANTED, insists=NOW + timedelta(seconds=1))
LATER = replace(WANTED, later=frozenset({"next CA"}))
OPEN = LeafRequest("demo-kafka-0", "someone", "the CA", NOW - HOUR)
ANSWERED = replace(OPEN, is_open=False, answer=ANSWER, is_recorded=False)
AT_HAND = replace(ANSWERED, is_recorded=True)
REFUSED = Failure(1, NOW, "It is refused.")
FAILED = replace(OPEN, is_open=False, failure=REFUSED)
AGAIN = replace(OPEN, failure=REFUSED)


@pytest.mark.parametrize(
    ("request_", "wanted", "expected"),
    [
        pytest.param(None, WANTED, Next.ASK, id="nobody was asked"),
        pytest.param(OPEN, WANTED, Next.WAIT, id="the issuer has it"),
        pytest.param(OPEN, INSISTING, Next.WAIT, id="to insist does not help while it has it"),
        pytest.param(AGAIN, WANTED, Next.WAIT, id="it has it once more"),
        pytest.param(AGAIN, INSISTING, Next.WAIT, id="it has it once more, whoever insists"),
        pytest.param(ANSWERED, WANTED, Next.COLLECT, id="it has answered"),
        pytest.param(replace(FAILED, is_recorded=False), WANTED, Next.COLLECT, id="it has refused"),
        pytest.param(replace(FAILED, is_recorded=False), INSISTING, Next.COLLECT, id="a refusal is recorded first"),
        pytest.param(AT_HAND, WANTED, Next.USE, id="it is at hand"),
        pytest.param(AT_HAND, INSISTING, Next.USE, id="it is at hand: nothing to insist on"),
        pytest.param(FAILED, WANTED, Next.WAIT, id="refused just now"),
        pytest.param(FAILED, INSISTING, Next.ASK, id="refused just now, and the caller insists"),
        pytest.param(FAILED, replace(WANTED, insists=NOW), Next.WAIT, id="refused again, since the caller insists"),
        pytest.param(
            replace(FAILED, failure=replace(REFUSED, at=NOW + timedelta(minutes=5))), replace(WANTED, insists=NOW), Next.ASK,
            id="refused before by a clock that is ahead, and the caller insists",
        ),
        pytest.param(replace(FAILED, failure=None), WANTED, Next.ASK, id="closed for no reason that is known"),
        pytest.param(replace(OPEN, outdated="other names"), WANTED, Next.ASK, id="outdated"),
        pytest.param(replace(AT_HAND, outdated="other names"), WANTED, Next.ASK, id="at hand, and outdated"),
        pytest.param(replace(ANSWERED, outdated="other names"), WANTED, Next.ASK, id="answered, and outdated"),
        pytest.param(replace(FAILED, outdated="other names"), WANTED, Next.ASK, id="what has failed is not wanted any more"),
        pytest.param(replace(OPEN, authority="another CA"), WANTED, Next.ASK, id="of another CA"),
        pytest.param(replace(AT_HAND, authority="another CA"), WANTED, Next.ASK, id="at hand, of another CA"),
        pytest.param(replace(FAILED, authority="another CA"), WANTED, Next.ASK, id="what has failed was for another CA"),
        pytest.param(replace(AT_HAND, authority="next CA"), LATER, Next.WAIT, id="at hand, of a CA that is to be trusted first"),
        pytest.param(replace(ANSWERED, authority="next CA"), LATER, Next.COLLECT, id="answered by a CA that is to be trusted first"),
        pytest.param(replace(OPEN, authority="next CA"), LATER, Next.ASK, id="asked of such a CA"),
        pytest.param(replace(FAILED, authority="next CA"), LATER, Next.ASK, id="refused by such a CA"),
        pytest.param(
            replace(AT_HAND, authority="next CA", outdated="other names"), LATER, Next.ASK, id="of such a CA, and outdated"
        ),
        pytest.param(replace(OPEN, issuer="another"), WANTED, Next.ASK, id="asked of another issuer"),
        pytest.param(replace(ANSWERED, issuer="another"), WANTED, Next.ASK, id="the answer of another issuer is not recorded"),
        pytest.param(replace(AT_HAND, issuer="another"), WANTED, Next.USE, id="once recorded, the issuer does not matter"),
        pytest.param(replace(FAILED, issuer="another"), WANTED, Next.ASK, id="another has refused: this one may not"),
    ],
)  # fmt: skip
def test_what_is_done(request_: LeafRequest | None, wanted: Wanted, expected: Next) -> None:
    assert next_action(request_, wanted, NOW) is expected


@pytest.mark.parametrize("count", [1, 2, 6, 9])
def test_a_refused_one_is_made_again_at_its_time_and_not_before(count: int) -> None:
    failed = replace(FAILED, failure=replace(REFUSED, count=count))
    assert failed.failure is not None
    due = next_try(failed.failure, failed.secret)
    assert next_action(failed, WANTED, due - timedelta(microseconds=1)) is Next.WAIT
    assert next_action(failed, WANTED, due) is Next.ASK


TIMES = st.datetimes(min_value=datetime(2026, 1, 1), max_value=datetime(2027, 1, 1), timezones=st.just(timezone.utc))
REQUESTS = st.builds(
    LeafRequest,
    secret=st.sampled_from(["demo-kafka-0", "demo-kafka-1"]),
    issuer=st.sampled_from(["someone", "another"]),
    authority=st.sampled_from(["the CA", "another CA"]),
    asked_at=TIMES,
    outdated=st.sampled_from(["", "other names"]),
    failure=st.none() | st.builds(Failure, st.integers(1, 99), TIMES, st.just("It is refused.")),
    is_open=st.booleans(),
    answer=st.sampled_from([None, ANSWER]),
    is_recorded=st.booleans(),
)
WISHES = st.builds(Wanted, st.just("someone"), st.just("the CA"), st.none() | TIMES)


@given(REQUESTS, WISHES, TIMES)
def test_whatever_is_stored(request_: LeafRequest, wanted: Wanted, now: datetime) -> None:
    following = next_action(request_, wanted, now)
    if following is Next.USE:
        assert request_.answer is not None
        assert request_.authority == wanted.authority
    if following is not Next.ASK:
        assert not request_.outdated
    if following is Next.COLLECT:
        assert request_.issuer == wanted.issuer
    # A recorded answer that is wanted is never given up, and an issuer that has a request is not asked again.
    if not request_.outdated and request_.authority == wanted.authority and request_.is_recorded:
        assert (following is Next.USE) is (request_.answer is not None)
        if request_.is_open and request_.issuer == wanted.issuer:
            assert following is not Next.ASK


@given(REQUESTS, WISHES, TIMES, TIMES)
def test_patience_ends_and_nothing_else_changes_with_time(
    request_: LeafRequest, wanted: Wanted, now: datetime, then: datetime
) -> None:
    early, late = (next_action(request_, wanted, one) for one in sorted((now, then)))
    assert early is late or (early, late) == (Next.WAIT, Next.ASK)


@given(REQUESTS, WISHES, TIMES)
def test_there_is_never_a_second_live_request(request_: LeafRequest, wanted: Wanted, now: datetime) -> None:
    """Where the wanted issuer has a request that fits, nobody asks; a new request takes the place of the one before."""
    if next_action(request_, wanted, now) is not Next.ASK:
        return
    live = request_.is_open and not request_.outdated and request_.answer is None
    assert not (live and (request_.issuer, request_.authority) == (wanted.issuer, wanted.authority))
    made = replace(
        request_,
        issuer=wanted.issuer,
        authority=wanted.authority,
        outdated="",
        is_open=True,
        answer=None,
        is_recorded=True,
    )
    assert next_action(made, wanted, now) is Next.WAIT


REVISIONS = st.tuples(
    st.sampled_from(["a", "b"]), st.sampled_from(["names", "others"]), st.sampled_from(["the CA", "another CA"]),
    st.none() | st.builds(Failure, st.integers(1, 3), TIMES, st.just("It is refused.")),
)  # fmt: skip


@given(REVISIONS, REVISIONS)
def test_one_name_for_each_revision(
    one: tuple[str, str, str, Failure | None], other: tuple[str, str, str, Failure | None]
) -> None:
    """Also for a request that is made again after a refusal: it must not be taken for the one that was refused."""
    revisions = [(*each[:3], each[3].count if each[3] else 0) for each in (one, other)]
    names = [request_name("demo-kafka-0", *each) for each in (one, other)]
    assert (names[0] == names[1]) is (revisions[0] == revisions[1])
    assert names[0].startswith("demo-kafka-0-")


@pytest.mark.parametrize(
    ("request_", "state"),
    [
        pytest.param(None, LeafState.REQUIRED, id="nobody was asked"),
        pytest.param(OPEN, LeafState.REQUESTED, id="the issuer has it"),
        pytest.param(AGAIN, LeafState.REQUESTED, id="it has it once more"),
        pytest.param(replace(OPEN, outdated="other names"), LeafState.REQUIRED, id="outdated"),
        pytest.param(FAILED, LeafState.REQUIRED, id="refused"),
        pytest.param(replace(AT_HAND, outdated="other names"), LeafState.REQUIRED, id="at hand, and outdated"),
        pytest.param(ANSWERED, LeafState.TRUST_PENDING, id="answered"),
        pytest.param(AT_HAND, LeafState.TRUST_PENDING, id="at hand"),
    ],
)
def test_the_state_that_is_told(request_: LeafRequest | None, state: LeafState) -> None:
    assert state_of(request_, needed=True, served=False) is state
    assert state_of(request_, needed=True, served=True) is LeafState.IN_USE
    assert state_of(request_, needed=False, served=False) is LeafState.NOT_NEEDED
    assert state_of(request_, needed=False, served=True) is LeafState.NOT_NEEDED
