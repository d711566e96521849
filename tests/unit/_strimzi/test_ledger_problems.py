# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A ledger that somebody else edited: each thing that this collection would not have written is told."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ledger.layouts import lay_out, read_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import NOTHING_NAMED
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Layout,
    Ledger,
    LedgerEntry,
    RemovedEntry,
    TrustState,
)

from ...support.certificates import key, make
from .bench import SCOPE, pem, secret

ONE, TWO, THREE = (make(f"cluster-ca v{number}", key(number)).certificate for number in range(3))
STARTED = "2026-06-01T12:00:00.000000+0000"
GOOD = Ledger(
    (LedgerEntry((ONE,), TrustState.TRUSTED_IN_USE_ALL, frozenset({0}), frozenset({"uid-1"})),),
    (RemovedEntry(TWO, frozenset({"uid-2"})),),
)


def decode(changes: dict[str, bytes | None], journal: str | None = None) -> Ledger:
    (part,) = lay_out(GOOD, SCOPE)
    data = {key: value for key, value in {**part.entries, **changes}.items() if value is not None}
    found = read_ledger(
        {part.name: secret(part.name, data, {} if journal is None else {names.JOURNAL: journal})}, SCOPE
    )
    assert found is not None
    return found


def test_what_we_wrote_has_no_problem() -> None:
    assert decode({}).problems == ()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({f"{ONE.fingerprint}.state": b"TRUSTED"}, f"{ONE.fingerprint}.state"),
        ({f"{ONE.fingerprint}.state": b"trusted_unused"}, f"{ONE.fingerprint}.state"),
        ({f"{ONE.fingerprint}.state": b"\xff\xfe"}, f"{ONE.fingerprint}.state"),
        ({f"{ONE.fingerprint}.state": None}, f"{ONE.fingerprint}.state"),
        ({f"{ONE.fingerprint}.crt": None}, f"{ONE.fingerprint}.state"),
        ({f"{ONE.fingerprint}.crt": None, f"{ONE.fingerprint}.state": None}, f"{ONE.fingerprint}.pods"),
        ({f"{ONE.fingerprint}.crt": pem(THREE)}, THREE.fingerprint),
        ({f"{ONE.fingerprint}.crt": b"broken"}, f"{ONE.fingerprint}.crt"),
        ({f"{ONE.fingerprint}.generations": b"1,two"}, f"{ONE.fingerprint}.generations"),
        ({f"{THREE.fingerprint}.generations": b"1"}, f"{THREE.fingerprint}.generations"),
        ({f"{ONE.fingerprint}.published": b"yesterday"}, f"{ONE.fingerprint}.published"),
        ({f"{ONE.fingerprint}.published": b""}, f"{ONE.fingerprint}.published"),
        ({f"{ONE.fingerprint}.cleared": b"yesterday"}, f"{ONE.fingerprint}.cleared"),
        ({f"{THREE.fingerprint}.published": STARTED.encode()}, f"{THREE.fingerprint}.published"),
        ({f"{THREE.fingerprint}.leaves": b"abc"}, f"{THREE.fingerprint}.leaves"),
        ({"ca.crt": pem(THREE)}, "ca.crt"),
        ({f"{TWO.fingerprint}.removed": b"broken"}, f"{TWO.fingerprint}.removed"),
        ({f"{TWO.fingerprint}.removed": pem(THREE)}, THREE.fingerprint),
        ({f"{TWO.fingerprint}.leaf": b"broken"}, f"{TWO.fingerprint}.leaf"),
        ({f"{TWO.fingerprint}.removed": None}, f"{TWO.fingerprint}.pods"),
        ({f"{TWO.fingerprint}.pods": None}, f"{TWO.fingerprint}.pods"),
        ({f"{THREE.fingerprint}.lingering": b"uid-3"}, f"{THREE.fingerprint}.lingering"),
    ],
    ids=lambda value: " ".join(f"{key.rpartition('.')[2]}={str(content)[:9]}" for key, content in value.items())
    if isinstance(value, dict) else None,
)  # fmt: skip
def test_foreign_content_is_a_problem_that_names_it(changes: dict[str, bytes | None], named: str) -> None:
    problems = decode(changes).problems
    assert problems
    assert any(named in problem for problem in problems), problems


def test_certificate_under_a_wrong_key_is_not_taken_for_either_ca() -> None:
    """Else a CA would be trusted whose state nobody has decided on."""
    found = decode({f"{ONE.fingerprint}.crt": pem(THREE)})
    assert found.find(ONE.fingerprint) is None
    assert found.find(THREE.fingerprint) is None


def test_a_chain_counts_by_its_first_certificate() -> None:
    below = make("below", key(5), make("root", key(6))).certificate
    wrong = decode({f"{ONE.fingerprint}.crt": pem(below, ONE)})
    assert wrong.problems
    assert wrong.entries == ()


def test_good_entries_survive_beside_bad_ones() -> None:
    found = decode({f"{THREE.fingerprint}.crt": b"broken", f"{THREE.fingerprint}.state": b"UNTRUSTED"})
    assert found.entries == GOOD.entries
    assert found.removed == GOOD.removed
    assert len(found.problems) == 1


def test_notes_of_others_are_no_problem() -> None:
    assert decode({"README": b"hands off"}).problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "", "null", "[]", "7", "{", "{}",
        json.dumps({"goal": "renew"}),
        json.dumps({"goal": "conquer", "startedAt": STARTED}),
        json.dumps({"goal": "renew", "startedAt": "yesterday"}),
        json.dumps({"goal": "renew", "startedAt": 5}),
        json.dumps({"goal": "renew", "startedAt": STARTED, "finishedAt": "never"}),
        json.dumps({"goal": "renew", "startedAt": STARTED, "retire": "never"}),
        json.dumps({"goal": "renew", "startedAt": STARTED, "retireBy": "soon"}),
        *(
            json.dumps({"goal": "renew", "startedAt": STARTED, "named": named})
            for named in (
                "app", ["app"], {"secrets": []}, {"trustingSecrets": "app"}, {"trustingSecrets": ["app"]},
                {"presentingSecrets": [{"namespace": "kafka"}]}, {"presentingSecrets": [{"namespace": "kafka", "name": 1}]},
                {"presentingSecrets": [{"namespace": "kafka", "name": "app", "key": "tls.crt"}]},
                {"userNamespaces": [{"name": "team"}]}, {"userNamespaces": ["team"]},
            )
        ),
    ],
)  # fmt: skip
def test_a_journal_that_is_none_is_a_problem(text: str) -> None:
    found = decode({}, text)
    assert found.journal is None
    assert [problem for problem in found.problems if names.JOURNAL in problem]
    assert found.entries == GOOD.entries


@pytest.mark.parametrize(
    "record",
    ["", "{}", '{"policy": "none"}', '{"days": "37", "policy": "replace-key", "since": "now"}', '{"days": 1e9}'],
)
def test_a_record_of_upkeep_that_is_none_is_a_problem(record: str) -> None:
    (part,) = lay_out(GOOD, SCOPE)
    found = read_ledger({part.name: secret(part.name, part.entries, {names.UPKEEP: record})}, SCOPE)
    assert found is not None
    assert (found.upkeep, found.entries) == (None, GOOD.entries)
    assert [problem for problem in found.problems if names.UPKEEP in problem]


def test_problems_never_quote_certificates_or_keys() -> None:
    found = decode({f"{ONE.fingerprint}.crt": b"MARKER", f"{TWO.fingerprint}.removed": b"MARKER"}, "MARKER")
    assert len(found.problems) == 4 - 1
    assert "MARKER" not in repr(found.problems)


def test_a_journal_that_does_not_say_when_the_old_ca_leaves_means_at_once() -> None:
    """As it was written before there was a choice."""
    journal = decode({}, json.dumps({"goal": "renew", "startedAt": STARTED})).journal
    assert journal is not None
    assert journal.retire is Retire.NOW


def test_a_journal_that_says_of_no_place_to_look_remembers_none() -> None:
    """As it was written before it remembered any."""
    journal = decode({}, json.dumps({"goal": "renew", "startedAt": STARTED})).journal
    assert journal is not None
    assert journal.named == NOTHING_NAMED


CERTIFICATES, STATES, KEYED = SCOPE.trusted_certificates_secret, SCOPE.trust_state_secret, SCOPE.trust_secret
FP = ONE.fingerprint


def laid_out(layout: Layout, changes: dict[str, dict[str, bytes | None] | None]) -> Ledger | None:
    """GOOD in this layout. changes: by Secret, what somebody else did; None: deleted."""
    secrets = {}
    for part in lay_out(replace(GOOD, layout=layout), SCOPE):
        edits = changes.get(part.name, {})
        if edits is not None:
            data = {key: value for key, value in {**part.entries, **edits}.items() if value is not None}
            secrets[part.name] = secret(part.name, data, {k: v for k, v in part.annotations.items() if v})
    return read_ledger(secrets, SCOPE)


@pytest.mark.parametrize(
    ("layout", "changes", "problem"),
    [
        (Layout.SPLIT, {CERTIFICATES: None}, f"Secret {CERTIFICATES}, which is the other half of the ledger, is missing."),
        (Layout.SPLIT, {STATES: None}, f"Secret {STATES}, which is the other half of the ledger, is missing."),
        (Layout.SPLIT, {CERTIFICATES: {f"{FP}.crt": None}}, f"{FP} has no certificate beside it."),
        (Layout.SPLIT, {STATES: {FP: b"TRUSTED"}}, f"{FP} is 'TRUSTED', which is no state of the trust state machine."),
        (
            Layout.SPLIT, {STATES: {FP: b"TRUSTED_IN_USE_ALL"}},
            f'{FP} is "another draft\'s TRUSTED_IN_USE_ALL", which is no state of the trust state machine.',
        ),
        (
            Layout.SPLIT, {STATES: {f"{FP}.usage": b"MOST"}},
            f"{FP} is 'TRUSTED_IN_USE_MOST', which is no state of the trust state machine.",
        ),
        (
            Layout.SPLIT, {STATES: {f"{TWO.fingerprint}.removed": None}},
            f"{TWO.fingerprint} is ZOMBIE, and its certificate, {TWO.fingerprint}.removed, is missing.",
        ),
        (Layout.KEYED, {KEYED: {f"{FP}.TRUSTED_USED": b"broken"}}, f"{FP}.TRUSTED_USED cannot be read: "),
        (
            Layout.KEYED, {KEYED: {f"{FP}.PHASE_OUT": pem(ONE)}},
            f"{FP}.PHASE_OUT and {FP}.TRUSTED_USED give one CA two states.",
        ),
        (
            Layout.KEYED, {KEYED: {f"{THREE.fingerprint}.TRUSTED": pem(THREE)}},
            f"{THREE.fingerprint}.TRUSTED is 'TRUSTED', which is no state of the trust state machine.",
        ),
        (
            Layout.KEYED, {KEYED: {f"{TWO.fingerprint}.ZOMBIE": pem(ONE)}},
            f"{TWO.fingerprint}.ZOMBIE holds the certificate {FP} ({ONE.subject}).",
        ),
    ],
)  # fmt: skip
def test_foreign_content_of_other_layouts_is_named_as_it_is_there(
    layout: Layout, changes: dict[str, dict[str, bytes | None] | None], problem: str
) -> None:
    found = laid_out(layout, changes)
    assert found is not None
    assert [one for one in found.problems if one.startswith(problem)], found.problems
    assert found.layout is layout


@pytest.mark.parametrize(("layout", "name"), [(Layout.SPLIT, STATES), (Layout.KEYED, KEYED)])
def test_a_ca_in_use_without_our_note_is_used_by_some(layout: Layout, name: str) -> None:
    """As a program would leave it that knows the draft alone; evidence says whether all use it."""
    found = laid_out(layout, {name: {f"{FP}.usage": None}})
    assert found is not None
    assert found.problems == ()
    assert [entry.state for entry in found.entries] == [TrustState.TRUSTED_IN_USE_ANY]


def test_a_certificate_without_a_state_counts_for_nothing_and_is_to_be_removed() -> None:
    found = laid_out(Layout.SPLIT, {CERTIFICATES: {f"{THREE.fingerprint}.crt": pem(THREE), "ca.crt": pem(THREE)}})
    assert found is not None
    assert (found.problems, found.find(THREE.fingerprint), found.untidy) == ((), None, True)


def test_a_layout_that_nobody_knows_is_a_problem() -> None:
    part = secret(CERTIFICATES, {}, {names.LAYOUT: "folded"})
    found = read_ledger({CERTIFICATES: part}, SCOPE)
    assert found is not None
    assert found.problems == (f"its annotation {names.LAYOUT} is 'folded', which is no layout of this Secret.",)
