# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The next step about a leaf that an issuer elsewhere signs: key, answer, back-off, and the laws that no case may break."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import (
    CLOCKS_DIFFER,
    LONGEST_WAIT,
    MOST_FAILURES,
    Choice,
    Failure,
    Judgement,
    Keys,
    KnownKey,
    LeafRequest,
    LeafState,
    Next,
    RotationPolicy,
    Take,
    Wanted,
    choose,
    explain_other_key,
    judge,
    next_action,
    next_try,
    record_answer,
    record_failure,
    request_name,
    state_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec

from ...tools.support.certificates import NOW, key, leaf, make

HOUR = timedelta(hours=1)
CA = make("cluster-ca v1", key(1))
ANSWER = (leaf(CA), CA.certificate)
WANTED = Wanted("someone", "the CA")
INSISTING = replace(WANTED, retry_requested_at=NOW + timedelta(seconds=1))
LATER = replace(WANTED, later_cas=frozenset({"next CA"}))
OPEN = LeafRequest("demo-kafka-0", "someone", "the CA", NOW - HOUR)
ANSWERED = replace(OPEN, is_open=False, answer=ANSWER, is_recorded=False)
AT_HAND = replace(ANSWERED, is_recorded=True)
REFUSED = Failure(1, NOW, "It is refused.")
FAILED = replace(OPEN, is_open=False, failure=REFUSED)
AGAIN = replace(OPEN, failure=REFUSED)


@pytest.mark.parametrize(
    ("request_", "wanted", "expected"),
    [
        pytest.param(None, WANTED, Next.ASK, id="no request was made"),
        pytest.param(OPEN, WANTED, Next.WAIT, id="the issuer has it"),
        pytest.param(OPEN, INSISTING, Next.WAIT, id="to insist does not help while it has it"),
        pytest.param(AGAIN, WANTED, Next.WAIT, id="it has it once more"),
        pytest.param(AGAIN, INSISTING, Next.WAIT, id="it has it once more, although the caller insists"),
        pytest.param(ANSWERED, WANTED, Next.COLLECT, id="it has answered"),
        pytest.param(replace(FAILED, is_recorded=False), WANTED, Next.COLLECT, id="it has refused"),
        pytest.param(replace(FAILED, is_recorded=False), INSISTING, Next.COLLECT, id="a refusal is recorded first"),
        pytest.param(AT_HAND, WANTED, Next.USE, id="it is at hand"),
        pytest.param(AT_HAND, INSISTING, Next.USE, id="it is at hand: nothing to insist on"),
        pytest.param(FAILED, WANTED, Next.WAIT, id="refused just now"),
        pytest.param(FAILED, INSISTING, Next.ASK, id="refused just now, and the caller insists"),
        pytest.param(FAILED, replace(WANTED, retry_requested_at=NOW), Next.WAIT, id="refused again, since the caller insists"),
        pytest.param(
            replace(FAILED, failure=replace(REFUSED, at=NOW + timedelta(minutes=5))), replace(WANTED, retry_requested_at=NOW), Next.ASK,
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
def test_the_next_action_follows_from_the_request(request_: LeafRequest | None, wanted: Wanted, expected: Next) -> None:
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
def test_the_next_action_is_consistent_for_any_request(request_: LeafRequest, wanted: Wanted, now: datetime) -> None:
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
    """Where the wanted issuer has a request that fits, the run asks no issuer; a new request takes the place of the one before."""
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
    st.sampled_from(["a", "b"]), st.sampled_from(["names", "others"]),
    st.builds(Wanted, st.sampled_from(["an issuer", "another issuer"]), st.sampled_from(["the CA", "another CA"])),
    st.none() | st.builds(Failure, st.integers(1, 3), TIMES, st.just("It is refused.")),
)  # fmt: skip


@given(REVISIONS, REVISIONS)
def test_each_revision_has_a_name_of_its_own(
    one: tuple[str, str, Wanted, Failure | None], other: tuple[str, str, Wanted, Failure | None]
) -> None:
    """Also for a request that is made again after a refusal, or to another issuer: it must not be taken for the one before."""
    revisions = [(*each[:3], each[3].count if each[3] else 0) for each in (one, other)]
    names = [request_name("demo-kafka-0", *each) for each in (one, other)]
    assert (names[0] == names[1]) is (revisions[0] == revisions[1])
    assert names[0].startswith("demo-kafka-0-")


@pytest.mark.parametrize(
    ("request_", "state"),
    [
        pytest.param(None, LeafState.REQUIRED, id="no request was made"),
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


# The answer decides about its request: the rows of "Improved and extensible Certificate controller", "issuing".

SECOND = timedelta(seconds=1)
GOOD, EARLY, TOO_EARLY = (leaf(CA, begin=NOW + ahead) for ahead in (-SECOND, CLOCKS_DIFFER, CLOCKS_DIFFER + SECOND))
BEFORE = Failure(2, NOW - timedelta(hours=9), "It was refused.")
ASKED_AGAIN = LeafRequest("demo-kafka-0", "someone", "the CA", NOW - timedelta(hours=1), failure=BEFORE)


@pytest.mark.parametrize(
    ("answer", "refusals", "verdict"),
    [
        pytest.param(GOOD, (), Judgement.VALIDATED, id="valid"),
        pytest.param(GOOD, ("it is a CA certificate",), Judgement.REFUSED, id="not what was asked for"),
        pytest.param(EARLY, ("it is not valid before 12:05",), Judgement.NOT_YET, id="good in a moment"),
        pytest.param(EARLY, (), Judgement.NOT_YET, id="good in a moment, and nothing else"),
        pytest.param(TOO_EARLY, ("it is not valid before 12:06",), Judgement.REFUSED, id="not yet valid by more than clocks differ"),
    ],
)  # fmt: skip
def test_which_answers_are_copied(answer: Certificate, refusals: tuple[str, ...], verdict: Judgement) -> None:
    assert judge((answer, CA.certificate), refusals, NOW) is verdict


def test_a_valid_answer_ends_the_row_of_failures() -> None:
    chain = (GOOD, CA.certificate)
    found = record_answer(ASKED_AGAIN, chain, (), NOW)
    assert found == replace(ASKED_AGAIN, answer=chain, failure=None, is_open=False, is_recorded=False)
    assert next_action(found, WANTED, NOW) is Next.COLLECT
    assert next_action(replace(found, is_recorded=True), WANTED, NOW) is Next.USE


def test_a_refused_answer_is_one_more_failure() -> None:
    found = record_answer(ASKED_AGAIN, (GOOD,), ("it expired", "it is a CA certificate"), NOW)
    told = (
        "The certificate that came back is refused: it expired; it is a CA certificate. "
        "Correct what the issuer makes of the request."
    )
    assert found == replace(ASKED_AGAIN, failure=Failure(3, NOW, told), is_open=False, is_recorded=False)


@pytest.mark.parametrize(
    ("end", "is_late"),
    [(-HOUR, False), (-HOUR / 2, True), (0 * HOUR, True)],
    ids=["before the request", "since", "now"],
)
def test_a_certificate_that_ended_before_a_run_took_it_is_requested_again_at_once(
    end: timedelta, is_late: bool
) -> None:
    """No correction helps its issuer. An issuer whose certificates have ended when it makes them is one that fails."""
    ended = leaf(CA, begin=NOW - 2 * HOUR, end=NOW + end)
    found = record_answer(OPEN, (ended, CA.certificate), ("it expired",), NOW)
    assert (bool(found.outdated), found.failure is None) == (is_late, is_late)
    assert next_action(found, WANTED, NOW) is (Next.ASK if is_late else Next.COLLECT)


@pytest.mark.parametrize(("later", "left"), [(0.0, 300), (0.5, 300), (299.5, 1)])
def test_an_answer_that_is_not_valid_yet_stays_with_its_issuer(later: float, left: int) -> None:
    now = NOW + timedelta(seconds=later)
    found = record_answer(ASKED_AGAIN, (EARLY,), (), now)
    assert replace(found, waiting="") == ASKED_AGAIN
    assert found.waiting.startswith(f"{ASKED_AGAIN.secret}: ")
    assert f" {left} s;" in found.waiting
    assert next_action(found, WANTED, now) is Next.WAIT


REFUSALS = st.lists(st.sampled_from(["it expired", "it is a CA certificate"]), unique=True).map(tuple)


@given(st.lists(st.sampled_from([GOOD, EARLY, TOO_EARLY]), min_size=1), REFUSALS)
def test_a_request_that_was_refused_is_not_made_again_at_once(
    answers: list[Certificate], refusals: tuple[str, ...]
) -> None:
    request = ASKED_AGAIN
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
    row = record_failure(replace(ASKED_AGAIN, failure=None), "It is refused.", NOW)
    waits = []
    for _number in range(count):
        assert row.failure is not None
        waits.append(next_try(row.failure, row.secret) - row.failure.at)
        row = record_failure(row, "It is refused.", NOW)
    # Tries are spread by a tenth; the longest wait alone has no longer one after it.
    assert all(later >= earlier * 10 / 11 for earlier, later in pairwise(waits))


# The key that the next certificate is for: the rows of "Improved and extensible Certificate controller", "keymanager".

KEY = KeySpec(KeyAlgorithm.RSA, 2048)
OTHER = KeySpec(KeyAlgorithm.ECDSA, 256)
ALWAYS, NEVER = RotationPolicy.ALWAYS, RotationPolicy.NEVER
NEXT = KnownKey("next", KEY)
NOTHING = Keys(None, None)
IN_USE = Keys(None, "present", used=frozenset({"present"}))
BOTH = replace(IN_USE, following=NEXT)
BROKEN = Keys(None, None, "it cannot be read")


@pytest.mark.parametrize(
    ("keys", "policy", "expected"),
    [
        pytest.param(NOTHING, ALWAYS, Choice(Take.NEW), id="none yet"),
        pytest.param(IN_USE, ALWAYS, Choice(Take.NEW), id="every certificate gets a key of its own"),
        pytest.param(BOTH, ALWAYS, Choice(Take.FOLLOWING), id="the next key is stored and matches"),
        pytest.param(replace(BOTH, following=KnownKey("next", OTHER)), ALWAYS, Choice(Take.NEW), id="of another kind"),
        pytest.param(
            replace(BOTH, following=KnownKey("next", KeySpec(KeyAlgorithm.RSA, 4096))), ALWAYS, Choice(Take.NEW), id="of another size"
        ),
        pytest.param(replace(BOTH, used=frozenset({"next"})), ALWAYS, Choice(Take.NEW), id="a certificate in use has it"),
        pytest.param(replace(BROKEN, following=NEXT), ALWAYS, Choice(Take.FOLLOWING), id="the present key does not matter"),
        pytest.param(NOTHING, NEVER, Choice(Take.NEW), id="never: none to be kept"),
        pytest.param(replace(NOTHING, following=NEXT), NEVER, Choice(Take.FOLLOWING), id="never: none to be kept, and one is stored"),
        pytest.param(IN_USE, NEVER, Choice(Take.PRESENT), id="never: the present key"),
        pytest.param(BOTH, NEVER, Choice(Take.PRESENT), id="never: the present key, whatever is stored"),
        pytest.param(BROKEN, NEVER, Choice(Take.NONE, "it cannot be read"), id="never: an unusable one is not replaced"),
        pytest.param(replace(BROKEN, following=NEXT), NEVER, Choice(Take.NONE, "it cannot be read"), id="never: not even by the next"),
    ],
)  # fmt: skip
def test_which_key(keys: Keys, policy: RotationPolicy, expected: Choice) -> None:
    assert choose(keys, KEY, policy) == expected


KEPT_KEY = "the key of the stored certificate is to stay, and "


@pytest.mark.parametrize(
    ("keys", "policy", "why"),
    [
        pytest.param(BOTH, ALWAYS, "", id="as a request that is made now"),
        pytest.param(
            replace(BOTH, following=KnownKey("next", OTHER)), ALWAYS, "its key is of the kind ecdsa-p256, and the call wants rsa-2048", id="of another kind"
        ),
        pytest.param(
            replace(BOTH, following=KnownKey("next", KeySpec(KeyAlgorithm.RSA, 3072))), ALWAYS, "its key is of the kind rsa-3072, and the call wants rsa-2048",
            id="of another size",
        ),
        pytest.param(
            replace(BOTH, used=frozenset({"next"})), ALWAYS, "a certificate in use has its key, and the call wants a new key", id="a key in use"
        ),
        pytest.param(replace(BOTH, present="next"), NEVER, "", id="never: the present key"),
        pytest.param(replace(BOTH, following=KnownKey("present", OTHER)), NEVER, "", id="never: of any kind"),
        pytest.param(BOTH, NEVER, f"{KEPT_KEY}its key is another", id="never: another key"),
        pytest.param(replace(NOTHING, following=KnownKey("next", OTHER)), NEVER, "", id="never: no key to be kept"),
        pytest.param(replace(BROKEN, following=NEXT), NEVER, f"{KEPT_KEY}it cannot be read", id="never: an unusable key"),
    ],
)  # fmt: skip
def test_which_key_makes_a_request_outdated(keys: Keys, policy: RotationPolicy, why: str) -> None:
    assert explain_other_key(keys, KEY, policy) == why


SPECS = st.sampled_from([KEY, OTHER])
KNOWN = st.none() | st.builds(KnownKey, st.sampled_from(["a", "b"]), SPECS)
KEYS = st.builds(
    Keys,
    KNOWN,
    st.none() | st.sampled_from(["a", "b"]),
    st.sampled_from(["", "it cannot be read"]),
    st.frozensets(st.sampled_from(["a", "b"])),
)


@given(KEYS, SPECS, st.sampled_from(RotationPolicy))
def test_the_chosen_key_is_chosen_again(keys: Keys, wanted: KeySpec, policy: RotationPolicy) -> None:
    """Until it is used, so that a run that goes on asks for the same."""
    first = choose(keys, wanted, policy)
    stored = {
        Take.NEW: KnownKey("new", wanted),
        Take.PRESENT: KnownKey(keys.present or "", wanted),
        Take.FOLLOWING: keys.following,
        Take.NONE: keys.following,
    }[first.take]
    second = choose(replace(keys, following=stored), wanted, policy)
    assert second == (Choice(Take.FOLLOWING) if first.take is Take.NEW else first)


@given(KEYS, SPECS, st.sampled_from(RotationPolicy))
def test_a_request_that_was_just_made_is_not_outdated(keys: Keys, wanted: KeySpec, policy: RotationPolicy) -> None:
    """Else a call would make it again without end."""
    first = choose(keys, wanted, policy)
    made = {
        Take.NEW: KnownKey("new", wanted),
        Take.PRESENT: KnownKey(keys.present or "", OTHER),
        Take.FOLLOWING: keys.following,
    }
    if first.take is not Take.NONE:
        assert explain_other_key(replace(keys, following=made[first.take]), wanted, policy) == ""


@given(KEYS, SPECS)
def test_a_key_of_a_certificate_in_use_is_never_used_again(keys: Keys, wanted: KeySpec) -> None:
    if choose(keys, wanted, ALWAYS).take is Take.FOLLOWING:
        assert keys.following is not None
        assert keys.following.public not in keys.used


@given(KEYS, SPECS)
def test_never_makes_none_again(keys: Keys, wanted: KeySpec) -> None:
    if keys.present is not None or keys.problem:
        assert choose(keys, wanted, NEVER).take in (Take.PRESENT, Take.NONE)


# When a failed request is tried again: later and later, and always at the same time for the same failure.

WHO = st.text(min_size=1)
COUNTS = st.integers(min_value=1, max_value=10_000)


def after(count: int, who: str = "demo-kafka-0") -> timedelta:
    return next_try(Failure(count, NOW, "why."), who) - NOW


@pytest.mark.parametrize(("count", "hours"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 32), (2000, 32)])
def test_twice_as_long_each_time_up_to_32_hours(count: int, hours: int) -> None:
    assert hours * HOUR <= after(count) < 1.1 * hours * HOUR


@given(COUNTS, WHO)
def test_never_early_and_hardly_late(count: int, who: str) -> None:
    least = HOUR * min(2 ** min(count - 1, 16), 32)
    assert least <= after(count, who) < 1.1 * least
    assert after(count, who) == after(count, who)


def test_the_leaves_of_a_cluster_do_not_all_come_at_once() -> None:
    times = sorted(after(1, f"demo-kafka-{number}") for number in range(100))
    assert len(set(times)) == 100
    # Spread over most of the six minutes that there are.
    assert times[-1] - times[0] > timedelta(minutes=5)


def test_no_leaf_is_always_the_last() -> None:
    """A leaf that comes late after one failure need not come late after the next."""
    names = [f"demo-kafka-{number}" for number in range(20)]
    first, second = (sorted(names, key=lambda name: after(count, name)) for count in (1, 2))
    assert first != second


def test_the_next_try_counts_from_the_failure() -> None:
    early, late = (next_try(Failure(3, at, "why."), "one") for at in (NOW, NOW + HOUR))
    assert late - early == HOUR


# The record of the next certificate of an end entity.

LEAF = leaf(CA)


def test_the_certificate_is_the_first_of_the_answer() -> None:
    answered = LeafRequest("demo-kafka-0", "someone", "ca", NOW, answer=(LEAF, CA.certificate))
    assert answered.certificate == LEAF
    assert LeafRequest("demo-kafka-0", "someone", "ca", NOW).certificate is None


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        pytest.param(OPEN, False, id="open"),
        pytest.param(replace(FAILED, failure=replace(REFUSED, count=MOST_FAILURES - 1)), False, id="one failure less"),
        pytest.param(replace(FAILED, failure=replace(REFUSED, count=MOST_FAILURES)), True, id="so many failures"),
        pytest.param(replace(AGAIN, failure=replace(REFUSED, count=MOST_FAILURES)), True, id="and another request"),
        pytest.param(replace(OPEN, asked_at=NOW - LONGEST_WAIT + HOUR), False, id="an hour is left"),
        pytest.param(replace(OPEN, asked_at=NOW - LONGEST_WAIT), True, id="never answered"),
        pytest.param(replace(FAILED, since=NOW - LONGEST_WAIT), True, id="few failures in a long time"),
        pytest.param(replace(AGAIN, since=NOW - LONGEST_WAIT), True, id="few failures, and another request"),
        pytest.param(replace(ANSWERED, since=NOW - LONGEST_WAIT), False, id="answered at last"),
        pytest.param(replace(AT_HAND, since=NOW - LONGEST_WAIT), False, id="at hand"),
    ],
)
def test_when_runs_fail_because_of_a_leaf(request_: LeafRequest, expected: bool) -> None:
    assert request_.is_overdue(NOW) is expected


def test_an_hourly_schedule_fails_within_a_day_and_a_nightly_schedule_within_a_week() -> None:
    """The row of requests that are refused at once, each in the first run after its time."""
    for every, least, most in ((HOUR, 15 * HOUR, 24 * HOUR), (24 * HOUR, 4 * 24 * HOUR, 7 * 24 * HOUR)):
        now, request_ = NOW, replace(OPEN, asked_at=NOW)
        while not request_.is_overdue(now):
            if request_.failure is None or next_try(request_.failure, request_.secret) <= now:
                request_ = record_failure(replace(request_, asked_at=now, since=NOW), "It is refused.", now)
            else:
                now += every
        assert least <= now - NOW <= most
