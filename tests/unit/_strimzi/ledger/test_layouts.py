# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger in its Secrets: the next run reads exactly what was written, and every edit that is not this collection's is told."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import FIELD_MANAGER
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.carry_out import write_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Write, write_all
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ledger.layouts import Part, lay_out, read_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    NO_NAMED_PLACES,
    NamedPlaces,
    NamedSecret,
    UserNamespace,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FlowOptions,
    FormerLeaf,
    Journal,
    Layout,
    Ledger,
    LedgerEntry,
    Outgoing,
    RemovedEntry,
    Stop,
    TrustState,
    Upkeep,
    WhenDue,
)

from ....tools.support.certificates import NOW, key, leaf, make
from ....tools.support.golden import GoldenFiles
from ..bench import SCOPE, Bench, Object, pem, secret
from ..steps import record

ROOTS = [make(f"cluster-ca v{number}", key(number)) for number in range(5)]
CHAINS = [(one.certificate,) for one in ROOTS] + [
    (make(f"below {number}", key(10 + number), root).certificate, root.certificate)
    for number, root in enumerate(ROOTS[:2])
]
LEAVES = [leaf(root) for root in ROOTS[:3]]
uids = st.frozensets(st.uuids().map(str), max_size=4)
times = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(timezone.utc))
fingerprints = st.sampled_from([chain[0].fingerprint for chain in CHAINS])
words = st.text("abc-", min_size=1, max_size=5)
named_secrets = st.lists(st.builds(NamedSecret, words, words, st.none() | words), max_size=2).map(tuple)
namespaces = st.lists(st.builds(UserNamespace, words, words | st.just("")), max_size=2).map(tuple)
journals = st.builds(
    Journal,
    goal=st.sampled_from(Goal),
    replaces=st.none() | fingerprints,
    successor=st.none() | fingerprints,
    started_at=times,
    finished_at=st.none() | times,
    replaces_sha256=st.none() | st.sampled_from([chain[0].sha256 for chain in CHAINS]),
    retire=st.sampled_from(Retire) | times,
    is_abort=st.booleans(),
    unsure_pods=st.none() | uids,
    options=st.builds(
        FlowOptions,
        st.builds(
            NamedPlaces,
            named_secrets,
            named_secrets,
            namespaces,
        ),
        st.none() | st.builds(Stop, st.sampled_from(Phase), times),
        st.booleans(),
    ),
    outgoing_certificates=st.none() | st.builds(Outgoing, st.frozensets(words, max_size=3), times, st.booleans()),
    earlier_fingerprints=st.frozensets(fingerprints, max_size=3),
    is_upkeep=st.booleans(),
    read_since=st.none() | times,
)
upkeeps = st.builds(
    Upkeep,
    st.sampled_from([WhenDue.RENEW, WhenDue.REPLACE_KEY]),
    st.integers(1, 36500).map(lambda days: timedelta(days=days)),
    times,
)


replaced = st.lists(fingerprints, max_size=3, unique=True).map(tuple)


@st.composite
def ledgers(draw: st.DrawFn) -> Ledger:
    """Each CA is either trusted or removed; both are listed in the order of their fingerprints."""
    chosen = draw(st.lists(st.sampled_from(CHAINS), unique=True))
    chosen.sort(key=lambda chain: chain[0].fingerprint)
    gone = [draw(st.booleans()) for _chain in chosen]
    known = tuple(
        LedgerEntry(
            chain, draw(st.sampled_from(TrustState)), draw(st.frozensets(st.integers(0, 99), max_size=3)),
            draw(st.none() | uids), draw(st.none() | times), draw(uids), draw(st.none() | times),
            draw(st.none() | uids),
        )
        for chain, removed in zip(chosen, gone, strict=True) if not removed
    )  # fmt: skip
    left = tuple(
        RemovedEntry(c[0], draw(uids), draw(uids), draw(st.booleans()))
        for c, removed in zip(chosen, gone, strict=True) if removed
    )  # fmt: skip
    leaves = sorted(draw(st.lists(st.sampled_from(LEAVES), unique=True)), key=lambda leaf: leaf.fingerprint)
    former = tuple(FormerLeaf(leaf, draw(uids), draw(uids)) for leaf in leaves)
    return Ledger(
        known,
        left,
        draw(st.none() | journals),
        former_leaves=former,
        upkeep=draw(st.none() | upkeeps),
        replaced_cas=draw(replaced),
        user_namespaces=draw(namespaces),
    )


layouts = st.sampled_from(Layout)


def stored(parts: tuple[Part, ...]) -> dict[str, Object]:
    """The Secrets, by their names."""
    return {
        part.name: secret(part.name, part.entries, {k: v for k, v in part.annotations.items() if v}) for part in parts
    }


def laid_out(ledger: Ledger, layout: Layout = Layout.SINGLE) -> dict[str, dict[str, bytes]]:
    """The entries of each Secret."""
    return {part.name: dict(part.entries) for part in lay_out(replace(ledger, layout=layout), SCOPE)}


@given(ledgers(), layouts)
def test_any_ledger_reads_back_as_it_was_written(ledger: Ledger, layout: Layout) -> None:
    wanted = replace(ledger, layout=layout)
    assert read_ledger(stored(lay_out(wanted, SCOPE)), SCOPE) == wanted


@given(ledgers(), ledgers(), layouts, layouts)
def test_any_ledger_can_follow_any_other_in_any_layout(before: Ledger, after: Ledger, old: Layout, new: Layout) -> None:
    """A call that is killed between two of the writes leaves one ledger or the other, whole; and nothing stays behind at last."""
    first, second = replace(before, layout=old), replace(after, layout=new)
    bench = with_ledger(first)
    for write in steps_to(second, first, bench):
        write_all((write,), bench.work(), "")
        seen = bench.observe().snapshot.ledger
        assert seen is not None
        assert replace(seen, has_leftovers=False) in (first, second)
    assert bench.observe().snapshot.ledger == second


@given(ledgers(), ledgers(), layouts, layouts, st.integers(0, 5))
def test_the_run_after_a_kill_removes_what_it_left(
    before: Ledger, after: Ledger, old: Layout, new: Layout, sent: int
) -> None:
    first, second = replace(before, layout=old), replace(after, layout=new)
    bench = with_ledger(first)
    for write in steps_to(second, first, bench)[:sent]:
        write_all((write,), bench.work(), "")
    seen = bench.observe().snapshot.ledger
    assert seen is not None
    kept = replace(seen, has_leftovers=False)
    bench.carry_out(record(kept, seen))
    assert bench.observe().snapshot.ledger == kept
    assert set(bench.observe().secrets) == {part.name for part in lay_out(kept, SCOPE)}


def with_ledger(ledger: Ledger) -> Bench:
    bench = Bench()
    for one in stored(lay_out(ledger, SCOPE)).values():
        bench.create("secrets", one)
        bench.api.give("secrets", "kafka", one["metadata"]["name"], FIELD_MANAGER)
    return bench


def steps_to(ledger: Ledger, before: Ledger, bench: Bench) -> tuple[Write, ...]:
    """As they would be sent if each were the first of a call: the versions are read again."""
    writes = write_ledger(record(ledger, before), bench.observe())
    return tuple(replace(write, resource_version=None) for write in writes)


@given(ledgers(), ledgers(), layouts, layouts)
def test_entries_of_others_stay_in_a_conversion(before: Ledger, after: Ledger, old: Layout, new: Layout) -> None:
    first, second = replace(before, layout=old), replace(after, layout=new)
    bench, kept = with_ledger(first), {part.name for part in lay_out(second, SCOPE)}
    for part in lay_out(first, SCOPE):
        bench.change("secrets", part.name, {"data": {"notes.txt": "aGk="}})
    bench.carry_out(record(second, first))
    for part in lay_out(first, SCOPE):
        assert part.name not in kept or bench.data(part.name)["notes.txt"] == b"hi"


def test_secret_has_the_form_of_the_specification() -> None:
    """``<sha1>.crt`` and ``<sha1>.state`` (docs/storage.md, "Ledger"); what is unknown is left out, what is empty is there."""
    entry = LedgerEntry(CHAINS[0], TrustState.TRUSTED_UNUSED, frozenset({2, 1}))
    fingerprint = entry.fingerprint
    assert laid_out(Ledger((entry,))) == {
        "demo-cluster-ca-trusted-certs": {
            f"{fingerprint}.crt": CHAINS[0][0].pem,
            f"{fingerprint}.state": b"TRUSTED_UNUSED",
            f"{fingerprint}.generations": b"1,2",
        }
    }
    known = replace(
        entry, awaited_pods=frozenset(), published_at=NOW, cleared_at=NOW, leaf_hashes=frozenset({"b", "a"}),
        knowing_pods=frozenset({"uid-2", "uid-1"}),
    )  # fmt: skip
    (data,) = laid_out(Ledger((known,))).values()
    assert data[f"{fingerprint}.pods"] == b""
    assert data[f"{fingerprint}.published"] == data[f"{fingerprint}.cleared"] == b"2026-06-01T12:00:00.000000+0000"
    assert data[f"{fingerprint}.leaves"] == b"a\nb"
    assert data[f"{fingerprint}.knowing"] == b"uid-1\nuid-2"


IN_USE, GONE = LedgerEntry(CHAINS[0], TrustState.TRUSTED_IN_USE_ALL), RemovedEntry(CHAINS[1][0], frozenset({"uid"}))
BOTH = Ledger((IN_USE,), (GONE,))


def test_split_has_the_form_of_its_draft() -> None:
    """Two Secrets, ``<sha1>`` and ``<sha1>.crt``; a CA that left is not in the one that processes would read."""
    assert laid_out(BOTH, Layout.SPLIT) == {
        "demo-cluster-ca-trust-state": {
            IN_USE.fingerprint: b"TRUSTED_IN_USE", f"{IN_USE.fingerprint}.usage": b"ALL",
            GONE.fingerprint: b"ZOMBIE", f"{GONE.fingerprint}.removed": GONE.certificate.pem, f"{GONE.fingerprint}.pods": b"uid",
        },
        "demo-cluster-ca-trusted-certs": {f"{IN_USE.fingerprint}.crt": CHAINS[0][0].pem},
    }  # fmt: skip


def test_keyed_has_the_form_of_its_draft() -> None:
    """A single Secret of a type of its own, ``<sha1>.<state>``."""
    assert laid_out(BOTH, Layout.KEYED) == {
        "demo-cluster-ca-trust": {
            f"{IN_USE.fingerprint}.TRUSTED_USED": CHAINS[0][0].pem, f"{IN_USE.fingerprint}.usage": b"ALL",
            f"{GONE.fingerprint}.ZOMBIE": GONE.certificate.pem, f"{GONE.fingerprint}.pods": b"uid",
        },
    }  # fmt: skip
    bench = Bench()
    bench.carry_out(record(replace(BOTH, layout=Layout.KEYED)))
    assert bench.find("secrets", SCOPE.trust_secret)["type"] == "strimzi.io/trust"


@pytest.mark.parametrize("state", TrustState)
@pytest.mark.parametrize(("layout", "in_use"), [(Layout.SPLIT, "TRUSTED_IN_USE"), (Layout.KEYED, "TRUSTED_USED")])
def test_states_have_the_words_of_their_drafts(layout: Layout, in_use: str, state: TrustState) -> None:
    found = laid_out(Ledger((LedgerEntry(CHAINS[0], state),)), layout)
    said = [key.partition(".")[2] for key in found.get("demo-cluster-ca-trust", {}) if key.endswith(key[-3:].upper())]
    said += [value.decode() for key, value in found.get("demo-cluster-ca-trust-state", {}).items() if "." not in key]
    assert said == [in_use if state.value.startswith("TRUSTED_IN_USE") else state.value]


def test_no_secret_is_no_ledger_and_an_empty_secret_is_an_empty_one() -> None:
    assert read_ledger({}, SCOPE) is None
    empty = {SCOPE.trusted_certificates_secret: secret(SCOPE.trusted_certificates_secret, {})}
    assert read_ledger(empty, SCOPE) == Ledger()


@pytest.mark.parametrize("name", [SCOPE.trust_secret, SCOPE.trust_state_secret])
def test_a_secret_of_another_owner_under_the_name_of_a_draft_is_not_ours(name: str) -> None:
    theirs = secret(name, {f"{IN_USE.fingerprint}.UNTRUSTED": IN_USE.certificate.pem})
    assert read_ledger({name: theirs}, SCOPE) is None
    bench = with_ledger(BOTH)
    bench.create("secrets", theirs)
    assert bench.observe().snapshot.ledger == BOTH
    bench.carry_out(record(Ledger((IN_USE,)), BOTH))
    assert bench.data(name) == {f"{IN_USE.fingerprint}.UNTRUSTED": IN_USE.certificate.pem}
    assert names.LAYOUT not in bench.find("secrets", name)["metadata"]["annotations"]


# A ledger that a user edited: the run reports each thing that this collection would not have written.

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


def test_a_ledger_of_this_collection_has_no_problem() -> None:
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
        ({f"{THREE.fingerprint}.knowing": b"uid-1"}, f"{THREE.fingerprint}.knowing"),
        ({"ca.crt": pem(THREE)}, "ca.crt"),
        ({f"{TWO.fingerprint}.removed": b"broken"}, f"{TWO.fingerprint}.removed"),
        ({f"{TWO.fingerprint}.removed": pem(THREE)}, THREE.fingerprint),
        ({f"{TWO.fingerprint}.leaf": b"broken"}, f"{TWO.fingerprint}.leaf"),
        ({f"{TWO.fingerprint}.removed": None}, f"{TWO.fingerprint}.pods"),
        ({f"{TWO.fingerprint}.pods": None}, f"{TWO.fingerprint}.pods"),
        ({f"{THREE.fingerprint}.lingering": b"uid-3"}, f"{THREE.fingerprint}.lingering"),
        ({f"{THREE.fingerprint}.returned": b"true"}, f"{THREE.fingerprint}.returned"),
    ],
    ids=lambda value: " ".join(f"{key.rpartition('.')[2]}={str(content)[:9]}" for key, content in value.items())
    if isinstance(value, dict) else None,
)  # fmt: skip
def test_foreign_content_is_a_problem_that_names_it(changes: dict[str, bytes | None], named: str) -> None:
    problems = decode(changes).problems
    assert problems
    assert any(named in problem for problem in problems), problems


def test_certificate_under_a_wrong_key_is_not_taken_for_either_ca() -> None:
    """Else a CA would be trusted whose state no run has decided on."""
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
    assert found.removed_cas == GOOD.removed_cas
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


@pytest.mark.parametrize("record", ["", "{}", '"7b5f"', "[7]", "[" * 100_000])
def test_a_list_of_replaced_cas_that_is_none_is_a_problem(record: str) -> None:
    """Taken for empty, it would let a replaced CA come back."""
    (part,) = lay_out(GOOD, SCOPE)
    found = read_ledger({part.name: secret(part.name, part.entries, {names.REPLACED: record})}, SCOPE)
    assert found is not None
    assert (found.replaced_cas, found.entries) == ((), GOOD.entries)
    assert [problem for problem in found.problems if names.REPLACED in problem]


@pytest.mark.parametrize("record", ["", "{}", '"team"', "[7]", '["team"]', '[{"name": "team"}]', "[" * 100_000])
def test_a_list_of_namespaces_that_is_none_is_a_problem(record: str) -> None:
    """Taken for empty, it would let the users there vanish."""
    (part,) = lay_out(GOOD, SCOPE)
    found = read_ledger({part.name: secret(part.name, part.entries, {names.USER_NAMESPACES: record})}, SCOPE)
    assert found is not None
    assert (found.user_namespaces, found.entries) == ((), GOOD.entries)
    assert [problem for problem in found.problems if names.USER_NAMESPACES in problem]


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
    assert journal.options.named_places == NO_NAMED_PLACES


CERTIFICATES, STATES, KEYED = SCOPE.trusted_certificates_secret, SCOPE.trust_state_secret, SCOPE.trust_secret
FP = ONE.fingerprint


def changed_ledger(layout: Layout, changes: dict[str, dict[str, bytes | None] | None]) -> Ledger | None:
    """GOOD in this layout. changes: by Secret, what a user did; None: deleted."""
    secrets = {}
    for part in lay_out(replace(GOOD, layout=layout), SCOPE):
        edits = changes.get(part.name, {})
        if edits is not None:
            data = {key: value for key, value in {**part.entries, **edits}.items() if value is not None}
            secrets[part.name] = secret(part.name, data, {k: v for k, v in part.annotations.items() if v})
    return read_ledger(secrets, SCOPE)


@pytest.mark.parametrize(
    ("case", "layout", "changes"),
    [
        ("no certificates", Layout.SPLIT, {CERTIFICATES: None}),
        ("no states", Layout.SPLIT, {STATES: None}),
        ("a CA without certificate", Layout.SPLIT, {CERTIFICATES: {f"{FP}.crt": None}}),
        ("an unknown state", Layout.SPLIT, {STATES: {FP: b"TRUSTED"}}),
        ("a state of another draft", Layout.SPLIT, {STATES: {FP: b"TRUSTED_IN_USE_ALL"}}),
        ("an unknown usage", Layout.SPLIT, {STATES: {f"{FP}.usage": b"MOST"}}),
        ("a removed CA without certificate", Layout.SPLIT, {STATES: {f"{TWO.fingerprint}.removed": None}}),
        ("an unreadable certificate", Layout.KEYED, {KEYED: {f"{FP}.TRUSTED_USED": b"broken"}}),
        ("two states", Layout.KEYED, {KEYED: {f"{FP}.PHASE_OUT": pem(ONE)}}),
        ("another state", Layout.KEYED, {KEYED: {f"{THREE.fingerprint}.TRUSTED": pem(THREE)}}),
        ("another certificate", Layout.KEYED, {KEYED: {f"{TWO.fingerprint}.ZOMBIE": pem(ONE)}}),
    ],
)
def test_foreign_content_of_other_layouts_is_named_as_it_is_there(
    case: str, layout: Layout, changes: dict[str, dict[str, bytes | None] | None], golden: GoldenFiles
) -> None:
    found = changed_ledger(layout, changes)
    assert found is not None
    said = "\n".join(found.problems)
    for name, one in (("<first>", ONE), ("<second>", TWO), ("<third>", THREE)):
        said = said.replace(one.fingerprint, name)
    golden.compare_said("cluster", said, case)
    assert found.layout is layout


@pytest.mark.parametrize(("layout", "name"), [(Layout.SPLIT, STATES), (Layout.KEYED, KEYED)])
def test_a_ca_in_use_without_our_note_is_used_by_some(layout: Layout, name: str) -> None:
    """As a program would leave it that knows the draft alone; evidence says whether all use it."""
    found = changed_ledger(layout, {name: {f"{FP}.usage": None}})
    assert found is not None
    assert found.problems == ()
    assert [entry.state for entry in found.entries] == [TrustState.TRUSTED_IN_USE_ANY]


def test_a_certificate_without_a_state_counts_for_nothing_and_is_to_be_removed() -> None:
    found = changed_ledger(Layout.SPLIT, {CERTIFICATES: {f"{THREE.fingerprint}.crt": pem(THREE), "ca.crt": pem(THREE)}})
    assert found is not None
    assert (found.problems, found.find(THREE.fingerprint), found.has_leftovers) == ((), None, True)


def test_an_unknown_layout_is_a_problem(golden: GoldenFiles) -> None:
    part = secret(CERTIFICATES, {}, {names.LAYOUT: "folded"})
    found = read_ledger({CERTIFICATES: part}, SCOPE)
    assert found is not None
    (problem,) = found.problems
    golden.compare_said("cluster", problem)
