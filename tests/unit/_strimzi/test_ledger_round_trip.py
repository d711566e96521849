# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever the ledger says is what the next run reads, after a crash as well."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ledger_secret import (
    decode_ledger,
    encode_journal,
    encode_ledger,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    HeldLeaf,
    Journal,
    Ledger,
    LedgerEntry,
    RemovedEntry,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.states import TrustState
from ansible_collections.trustops.strimzi.tests.support.certificates import NOW, key, leaf, make

from .bench import SCOPE, Bench, secret
from .steps import record

ROOTS = [make(f"cluster-ca v{number}", key(number)) for number in range(5)]
CHAINS = [(one.certificate,) for one in ROOTS] + [
    (make(f"below {number}", key(10 + number), root).certificate, root.certificate)
    for number, root in enumerate(ROOTS[:2])
]
LEAVES = [leaf(root) for root in ROOTS[:3]]
uids = st.frozensets(st.uuids().map(str), max_size=4)
times = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(timezone.utc))
fingerprints = st.sampled_from([chain[0].fingerprint for chain in CHAINS])
journals = st.builds(
    Journal,
    goal=st.sampled_from(Goal),
    replaces=st.none() | fingerprints,
    successor=st.none() | fingerprints,
    started_at=times,
    finished_at=st.none() | times,
    replaces_sha256=st.none() | st.sampled_from([chain[0].sha256 for chain in CHAINS]),
    retire=st.sampled_from(Retire),
    retire_by=st.none() | times,
)


@st.composite
def ledgers(draw: st.DrawFn) -> Ledger:
    """Each CA is either trusted or removed; both are listed in the order of their fingerprints."""
    chosen = draw(st.lists(st.sampled_from(CHAINS), unique=True))
    chosen.sort(key=lambda chain: chain[0].fingerprint)
    gone = [draw(st.booleans()) for _chain in chosen]
    known = tuple(
        LedgerEntry(
            chain, draw(st.sampled_from(TrustState)), draw(st.frozensets(st.integers(0, 99), max_size=3)),
            draw(st.none() | uids), draw(st.none() | times), draw(uids),
        )
        for chain, removed in zip(chosen, gone, strict=True) if not removed
    )  # fmt: skip
    left = tuple(RemovedEntry(c[0], draw(uids), draw(uids)) for c, removed in zip(chosen, gone, strict=True) if removed)
    leaves = sorted(draw(st.lists(st.sampled_from(LEAVES), unique=True)), key=lambda leaf: leaf.fingerprint)
    held = tuple(HeldLeaf(leaf, draw(uids), draw(uids)) for leaf in leaves)
    return Ledger(known, left, draw(st.none() | journals), held=held)


@given(ledgers())
def test_any_ledger_reads_back_as_it_was_written(ledger: Ledger) -> None:
    journal = encode_journal(ledger.journal)
    stored = secret("ledger", encode_ledger(ledger), {names.JOURNAL: journal} if journal else None)
    assert decode_ledger(stored) == ledger


@given(ledgers(), ledgers())
def test_any_ledger_can_follow_any_other(before: Ledger, after: Ledger) -> None:
    """Also through a patch: nothing of the old ledger stays behind, and what is not ours stays."""
    bench = Bench()
    bench.carry_out(record(before))
    bench.change("secrets", SCOPE.ledger_secret, {"data": {"notes.txt": "aGk="}})
    bench.carry_out(record(after, before))
    assert bench.observe().snapshot.ledger == after
    assert bench.data(SCOPE.ledger_secret)["notes.txt"] == b"hi"


def test_secret_has_the_form_of_the_specification() -> None:
    """``<sha1>.crt`` and ``<sha1>.state`` (docs/design.md, "Ledger"); what is unknown is left out, what is empty is there."""
    entry = LedgerEntry(CHAINS[0], TrustState.TRUSTED_UNUSED, frozenset({2, 1}))
    fingerprint = entry.fingerprint
    assert encode_ledger(Ledger((entry,))) == {
        f"{fingerprint}.crt": CHAINS[0][0].pem,
        f"{fingerprint}.state": b"TRUSTED_UNUSED",
        f"{fingerprint}.generations": b"1,2",
    }
    known = replace(entry, awaiting=frozenset(), published_at=NOW, leaves=frozenset({"b", "a"}))
    data = encode_ledger(Ledger((known,)))
    assert data[f"{fingerprint}.pods"] == b""
    assert data[f"{fingerprint}.published"] == b"2026-06-01T12:00:00.000000+0000"
    assert data[f"{fingerprint}.leaves"] == b"a\nb"


def test_no_secret_is_no_ledger_and_an_empty_secret_is_an_empty_one() -> None:
    assert decode_ledger(None) is None
    assert decode_ledger(secret("ledger", {})) == Ledger()
