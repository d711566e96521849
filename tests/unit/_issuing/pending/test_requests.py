# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests for leaves in their Secrets, and keys for new leaves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import AlreadyExists, Conflict
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending import requests as module
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.requests import (
    NextKeys,
    PendingLeaf,
    RequestRecord,
    StoredRequest,
    new_keys,
    read_requests,
    write_keys,
    write_records,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import Failure
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Write, WriteVerb, write_all
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component

from ....tools.support.certificates import NOW, key, leaf, make
from ....tools.support.golden import GoldenFiles
from ..._strimzi.bench import SCOPE, Bench, kafka, pem, secret

Object = Mapping[str, Any]
KAFKA, CRUISE_CONTROL = Component.KAFKA, Component.CRUISE_CONTROL
NODE, OTHER = "demo-kafka-0", "demo-kafka-1"
REQUESTS, KEYS = "demo-issuing-kafka", "demo-issuing-kafka-keys"
CA = make("cluster-ca v1", key(1))
CHAIN = (leaf(CA), CA.certificate)
PENDING = PendingLeaf(CHAIN)
RECORD = RequestRecord("someone", "the CA", "a key", "names", NOW, "-----BEGIN CERTIFICATE REQUEST-----")
FAILED = replace(RECORD, is_open=False, failure=Failure(3, NOW, "It is refused."))


def stage() -> Bench:
    bench = Bench()
    bench.create("kafkas", kafka())
    return bench


def secrets_of(bench: Bench) -> Mapping[str, Object]:
    return bench.observe().secrets


def store(bench: Bench, *writes: Write) -> None:
    write_all(writes, bench.work(), "prepare")


def record(bench: Bench, value: Any, name: str = NODE, component: Component = KAFKA) -> Write:
    return write_records(SCOPE, secrets_of(bench), component, {name: value})


def read(bench: Bench) -> dict[str, StoredRequest]:
    return read_requests(SCOPE, secrets_of(bench))


TIMES = st.datetimes(max_value=datetime(9998, 12, 31), timezones=st.just(timezone.utc))
REASONS = st.text().filter(str.isprintable)
RECORDS = st.builds(
    RequestRecord, *[st.text()] * 4, TIMES, st.text(), st.booleans(),
    st.none() | st.builds(Failure, st.integers(1), TIMES, REASONS),
)  # fmt: skip
VALUES = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9-]{0,20}(\.[a-z0-9-]{1,9})?", fullmatch=True),
    RECORDS | st.builds(PendingLeaf, st.just(CHAIN), st.none() | RECORDS),
    min_size=1,
)


@given(VALUES, st.sampled_from(Component))
def test_written_records_are_read_back(values: dict[str, RequestRecord | PendingLeaf], component: Component) -> None:
    write = write_records(SCOPE, {}, component, values)
    assert write.body is not None
    read_again = read_requests(SCOPE, {write.name: write.body})
    assert set(read_again) == set(values)
    for name, value in values.items():
        found = read_again[name]
        assert (found.secret, found.component, found.problem, found.issued) == (name, component, "", None)
        assert (found.record if found.pending is None else PendingLeaf(found.pending, found.record)) == value


def test_the_requests_of_each_component_have_a_secret_of_their_own() -> None:
    bench = stage()
    store(bench, record(bench, RECORD))
    store(bench, record(bench, PENDING, "demo-cruise-control-certs", CRUISE_CONTROL))
    assert read(bench) == {
        NODE: StoredRequest(NODE, KAFKA, RECORD),
        "demo-cruise-control-certs": StoredRequest("demo-cruise-control-certs", CRUISE_CONTROL, pending=CHAIN),
    }
    made = bench.find("secrets", REQUESTS)
    assert (made["type"], made["metadata"]["labels"]) == ("strimzi.io/issuing", SCOPE.labels)


def test_a_person_reads_the_record_and_puts_an_answer_back() -> None:
    bench = stage()
    store(bench, record(bench, FAILED))
    told = json.loads(bench.data(REQUESTS)[f"{NODE}.requested"])
    assert told == {
        "issuer": "someone", "authority": "the CA", "publicKey": "a key", "names": "names",
        "askedAt": "2026-06-01T12:00:00+00:00", "since": None, "open": False, "request": RECORD.token,
        "failed": {"count": 3, "at": "2026-06-01T12:00:00+00:00", "why": "It is refused."},
    }  # fmt: skip
    store(bench, record(bench, RECORD))
    bench.change("secrets", REQUESTS, {"data": {f"{NODE}.issued": "YW5zd2Vy"}})
    assert read(bench)[NODE] == StoredRequest(NODE, KAFKA, RECORD, b"answer")


@pytest.mark.parametrize("value", [RECORD, PENDING])
def test_the_next_record_removes_an_answer_that_was_put_back(value: Any) -> None:
    """It was looked at: it must not be taken for the answer to another request."""
    bench = stage()
    store(bench, record(bench, RECORD))
    bench.change("secrets", REQUESTS, {"data": {f"{NODE}.issued": "YW5zd2Vy"}})
    store(bench, record(bench, value))
    assert f"{NODE}.issued" not in bench.data(REQUESTS)
    assert len(bench.data(REQUESTS)) == 1


def test_only_what_is_named_is_changed() -> None:
    bench = stage()
    store(bench, record(bench, RECORD), record(bench, PENDING, "demo-cruise-control-certs", CRUISE_CONTROL))
    store(bench, record(bench, FAILED, OTHER))
    before = read(bench)
    store(bench, record(bench, PENDING))
    assert read(bench) == {**before, NODE: StoredRequest(NODE, KAFKA, pending=CHAIN)}


# Private keys.


def test_keys_lie_apart_from_what_people_carry_about() -> None:
    bench = stage()
    store(bench, record(bench, RECORD), write_keys(SCOPE, secrets_of(bench), KAFKA, {NODE: key(7).reveal()}))
    [found] = list(read(bench).values())
    assert NextKeys(SCOPE, secrets_of(bench)).of(found.component, found.secret) == key(7)
    assert set(bench.data(KEYS)) == {f"{NODE}.key"}
    assert set(bench.data(REQUESTS)) == {f"{NODE}.requested"}
    assert b"PRIVATE" not in b"".join(bench.data(REQUESTS).values())
    assert "PRIVATE" not in repr(found)


def test_a_write_of_a_key_shows_nothing_of_it() -> None:
    bench = stage()
    work = bench.work()
    write_all((write_keys(SCOPE, {}, KAFKA, {NODE: key(7).reveal()}),), work, "prepare")
    (action,) = work.actions
    assert (action.verb, action.object, action.what) == ("create", f"Secret kafka/{KEYS}", f"next keys of {NODE}")
    assert (action.before, action.after) == (None, None)


def test_a_key_alone_is_a_request_that_was_not_made() -> None:
    bench = stage()
    store(bench, write_keys(SCOPE, {}, KAFKA, {NODE: key(7).reveal()}))
    [found] = list(read(bench).values())
    assert (found, found.is_unasked) == (StoredRequest(NODE, KAFKA), True)


@pytest.mark.parametrize(
    "found",
    [
        StoredRequest(NODE, KAFKA, RECORD),
        StoredRequest(NODE, KAFKA, pending=CHAIN),
        StoredRequest(NODE, KAFKA, problem="it cannot be read"),
    ],
)
def test_with_a_record_or_an_answer_an_issuer_may_have_been_asked(found: StoredRequest) -> None:
    assert not found.is_unasked


@pytest.mark.parametrize("content", [None, b"", b"broken", CA.certificate.pem])
def test_a_key_that_is_lost(content: bytes | None) -> None:
    stored = {KEYS: secret(KEYS, {} if content is None else {f"{NODE}.key": content})}
    assert NextKeys(SCOPE, stored).of(KAFKA, NODE) is None
    assert NextKeys(SCOPE, {}).of(KAFKA, NODE) is None


# The Secret with requests was edited by hand.


def edited(**data: bytes) -> dict[str, StoredRequest]:
    return read_requests(SCOPE, {REQUESTS: secret(REQUESTS, {f"{NODE}.{name}": value for name, value in data.items()})})


def changed(**fields: Any) -> bytes:
    write = write_records(SCOPE, {}, KAFKA, {NODE: FAILED})
    assert write.body is not None
    stored = read_requests(SCOPE, {REQUESTS: write.body})[NODE]
    assert stored.record == FAILED
    whole = {
        "issuer": "someone", "authority": "the CA", "publicKey": "a key", "names": "names",
        "askedAt": NOW.isoformat(), "open": False, "request": "csr", "failed": None, **fields,
    }  # fmt: skip
    return json.dumps({name: value for name, value in whole.items() if value != "removed"}).encode()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xff", id="no text"),
        pytest.param(b"{", id="no JSON"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"null", id="null"),
        pytest.param(b'"text"', id="a text"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(changed(issuer="removed"), id="no issuer"),
        pytest.param(changed(request="removed"), id="no request"),
        pytest.param(changed(askedAt="yesterday"), id="no time"),
        pytest.param(changed(askedAt=7), id="a number for a time"),
        pytest.param(changed(askedAt="2026-06-01T12:00:00"), id="a time of no zone"),
        pytest.param(changed(askedAt="9999-12-31T23:00:00+00:00"), id="the end of time"),
        pytest.param(changed(request="\ud800"), id="half a character"),
        pytest.param(changed(failed={"count": float("inf"), "at": NOW.isoformat(), "why": ""}), id="an endless count"),
        pytest.param(changed(failed={"count": "many", "at": NOW.isoformat(), "why": ""}), id="no count"),
        pytest.param(changed(failed={"count": 1, "at": NOW.isoformat()}), id="no reason"),
        pytest.param(changed(failed="yes"), id="a failure without facts"),
    ],
)
def test_an_unreadable_record_is_a_problem(content: bytes, golden: GoldenFiles) -> None:
    (found,) = tuple(edited(requested=content).values())
    golden.compare_said("issuers", found.problem)
    assert found == StoredRequest(NODE, KAFKA, problem=found.problem)


@pytest.mark.parametrize("content", [b"", b"broken", key(1).reveal(), pem(*[CA] * 11)])
def test_a_certificate_that_cannot_be_read_is_a_problem(content: bytes, golden: GoldenFiles) -> None:
    """The record of the request still leads to the certificate that its issuer keeps."""
    [found] = list(edited(pending=content, requested=changed()).values())
    golden.compare_said("issuers", found.problem)
    assert found.pending is None
    assert found.record is not None


def test_a_checked_answer_needs_no_readable_record() -> None:
    assert edited(pending=pem(*CHAIN), requested=b"{") == {NODE: StoredRequest(NODE, KAFKA, pending=CHAIN)}


@given(st.binary())
def test_any_content_of_an_entry_is_read(content: bytes) -> None:
    for name in ("requested", "issued", "pending"):
        assert set(edited(**{name: content})) == {NODE}


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda of: st.lists(of) | st.dictionaries(
    st.sampled_from(["issuer", "failed", "askedAt", "count", "at", "request"]), of)))  # fmt: skip
def test_any_json_record_is_read(value: Any) -> None:
    [found] = list(edited(requested=json.dumps(value).encode()).values())
    assert found.problem


def test_a_reason_that_was_written_by_hand_is_shown_as_text() -> None:
    failed = {"count": 1, "at": NOW.isoformat(), "why": "\x1b[2J gone \ud800"}
    [found] = list(edited(requested=changed(failed=failed)).values())
    assert found.record is not None
    assert found.record.failure == Failure(1, NOW, r"\1B[2J gone \ED\A0\80")


@pytest.mark.parametrize(
    "name", ["requested", "issued", "key", "note", "demo-kafka-0.crt", "demo-kafka-0requested", "demo-kafka-0.key.bak"]
)
def test_entries_with_other_names_are_no_requests(name: str) -> None:
    stored = {one: secret(one, {name: b"something"}) for one in (REQUESTS, KEYS)}
    assert read_requests(SCOPE, stored) == {}


@pytest.mark.parametrize("component", Component)
def test_an_answer_in_the_secret_of_another_component_hides_no_request(component: Component) -> None:
    """It would be asked for again and again."""
    write = write_records(SCOPE, {}, Component.CRUISE_CONTROL, {NODE: RECORD})
    assert write.body is not None
    wrong = SCOPE.issuing_secret(component.value)
    stored = {wrong: secret(wrong, {f"{NODE}.issued": b"answer"}), write.name: write.body}
    assert read_requests(SCOPE, stored)[NODE].record == RECORD


def test_entries_in_the_wrong_secret_are_no_requests() -> None:
    """It could not be removed from where it is looked for."""
    stored = {
        REQUESTS: secret(REQUESTS, {f"{NODE}.key": key(7).reveal()}),
        KEYS: secret(KEYS, {f"{NODE}.requested": changed(), f"{NODE}.pending": pem(*CHAIN)}),
    }
    assert read_requests(SCOPE, stored) == {}


# Writes.


def test_a_secret_is_made_changed_and_removed() -> None:
    bench = stage()
    made = record(bench, RECORD)
    store(bench, made)
    more = record(bench, PENDING, OTHER)
    store(bench, more)
    less = record(bench, None)
    store(bench, less)
    assert set(bench.data(REQUESTS)) == {f"{OTHER}.pending"}
    gone = record(bench, None, OTHER)
    store(bench, gone)
    assert [one.verb for one in (made, more, less, gone)] == [
        WriteVerb.CREATE, WriteVerb.UPDATE, WriteVerb.UPDATE, WriteVerb.DELETE,
    ]  # fmt: skip
    assert bench.api.find("secrets", "kafka", REQUESTS) is None


def test_entries_of_others_keep_the_secret() -> None:
    bench = stage()
    bench.create("secrets", secret(REQUESTS, {f"{NODE}.requested": changed(), "note": b"Ask Alice."}))
    store(bench, record(bench, None))
    assert bench.data(REQUESTS) == {"note": b"Ask Alice."}


def test_the_secret_of_keys_goes_with_the_last_one() -> None:
    bench = stage()
    store(bench, write_keys(SCOPE, {}, KAFKA, {NODE: key(7).reveal(), OTHER: key(8).reveal()}))
    store(bench, write_keys(SCOPE, secrets_of(bench), KAFKA, {NODE: None}))
    assert set(bench.data(KEYS)) == {f"{OTHER}.key"}
    store(bench, write_keys(SCOPE, secrets_of(bench), KAFKA, {OTHER: None}))
    assert bench.api.find("secrets", "kafka", KEYS) is None


@pytest.mark.parametrize("value", [RECORD, None])
def test_a_secret_that_was_changed_meanwhile_is_left_as_it_is(value: RequestRecord | None) -> None:
    bench = stage()
    store(bench, record(bench, RECORD))
    write = record(bench, value)
    theirs = bench.change("secrets", REQUESTS, {"data": {f"{NODE}.issued": "YW5zd2Vy"}})
    with pytest.raises(Conflict):
        store(bench, write)
    assert bench.find("secrets", REQUESTS) == theirs


def test_a_secret_that_was_made_meanwhile_is_left_as_it_is() -> None:
    bench = stage()
    write = record(bench, RECORD)
    theirs = bench.create("secrets", secret(REQUESTS, {}))
    with pytest.raises(AlreadyExists):
        store(bench, write)
    assert bench.find("secrets", REQUESTS) == theirs


# Keys for new leaves: so many at a time that no other run takes the Lease meanwhile.

EC384 = KeySpec(KeyAlgorithm.ECDSA, 384)


@pytest.mark.parametrize(("count", "alive"), [(0, 0), (1, 1), (3, 1), (4, 2), (7, 3)])
def test_new_keys_renew_the_lease_for_each_batch(count: int, alive: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_A_TIME", 3)
    work, told = Bench().work(leaf_key=EC384), []
    work.renew_lease = lambda: told.append(None)
    made = list(new_keys(count, work))
    assert len({one.public_key_sha256 for one in made}) == len(made) == count
    assert {one.public_key.key_size for one in made} <= {384}
    assert len(told) == alive
