# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CAs that enter the ledger, their state, and the generations that mean each of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.enrolment import (
    as_seen,
    enrol_authorities,
    learn_generation,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    RemovedEntry,
    TrustState,
)

from ..builders import (
    INTERMEDIATE,
    NEW,
    OLD,
    ROOT,
    THIRD,
    chain_of,
    cluster,
    entry,
    ledger,
    name_of,
    others,
    prepared,
    secrets,
)

#: A CA as it lies in its Secret.
FORMS = (pytest.param(chain_of(NEW), id="alone"), pytest.param(chain_of(INTERMEDIATE, ROOT), id="with its root"))


def states(found: Ledger) -> dict[str, TrustState]:
    return {one.fingerprint: one.state for one in found.entries}


def test_every_certificate_of_the_secrets_enters_untrusted() -> None:
    snapshot = cluster(ca=secrets(others=others(NEW), prepared=(prepared(THIRD),)))
    assert states(enrol_authorities(snapshot, ledger())) == {
        name_of(OLD): TrustState.TRUSTED_IN_USE_ALL,
        name_of(NEW): TrustState.UNTRUSTED,
        name_of(THIRD): TrustState.UNTRUSTED,
    }


def test_what_enters_was_not_read_back_and_has_no_generation() -> None:
    found = enrol_authorities(cluster(ca=secrets(others=others(NEW))), ledger()).find(name_of(NEW))
    assert found == entry(NEW, TrustState.UNTRUSTED, awaiting=None)


@pytest.mark.parametrize("current", FORMS)
def test_known_certificates_stay_as_they_are(current: Chain) -> None:
    known = ledger(entry(OLD, TrustState.PHASE_OUT, {0}), entry(current, TrustState.TRUSTED_IN_USE_ANY, {1}))
    assert enrol_authorities(cluster(ca=secrets(current, others=others(OLD)), ledger=known), known) == known


def test_a_cluster_without_ledger_is_adopted_with_the_ca_it_works_with() -> None:
    """docs/design.md, "States"; others that lie there prove nothing about who trusts them."""
    snapshot = cluster(ledger=None, ca=secrets(others=others(NEW)))
    assert states(enrol_authorities(snapshot, Ledger())) == {
        name_of(OLD): TrustState.TRUSTED_UNUSED,
        name_of(NEW): TrustState.UNTRUSTED,
    }


def test_adopting_records_that_every_process_trusts_the_ca() -> None:
    found = enrol_authorities(cluster(ledger=None), Ledger()).find(name_of(OLD))
    assert found is not None
    assert found.awaiting == frozenset()


@pytest.mark.parametrize("current", FORMS)
def test_a_prepared_ca_is_never_adopted_as_trusted(current: Chain) -> None:
    """The ledger was lost in the middle of a switch: nothing says who trusts it."""
    waits = replace(prepared(NEW), chain=current)
    snapshot = cluster(ledger=None, ca=secrets(current, prepared=(waits,)))
    assert states(enrol_authorities(snapshot, Ledger())) == {current[0].fingerprint: TrustState.UNTRUSTED}


def test_an_existing_ledger_that_is_empty_adopts_nothing() -> None:
    assert states(enrol_authorities(cluster(ledger=Ledger()), Ledger())) == {name_of(OLD): TrustState.UNTRUSTED}


@pytest.mark.parametrize("chain", [chain_of(OLD), chain_of(INTERMEDIATE, ROOT)], ids=["alone", "with its root"])
@pytest.mark.parametrize(
    ("holders", "comes_back"),
    [
        # An operator that writes its cached copy of a Secret must not undo the removal.
        ({"awaiting": frozenset({"someone"})}, False),
        # Long afterwards somebody has put it there on purpose.
        ({"awaiting": frozenset(), "lingering": frozenset({"someone"})}, True),
    ],
    ids=["just removed", "only channels that read nothing know it"],
)
def test_whether_a_ca_that_was_removed_comes_back(
    chain: Chain, holders: dict[str, frozenset[str]], comes_back: bool
) -> None:
    books = ledger(entry(NEW), removed=(RemovedEntry(chain[0], **holders),))
    found = enrol_authorities(cluster(ca=secrets(NEW, others={"put-there.crt": chain})), books)
    assert found == (ledger(entry(NEW), entry(chain, TrustState.UNTRUSTED, awaiting=None)) if comes_back else books)


def test_a_chain_enters_as_its_issuing_ca_with_what_leads_to_its_root() -> None:
    chain = chain_of(INTERMEDIATE, ROOT)
    found = enrol_authorities(cluster(ca=secrets(others={"corporate.crt": chain})), ledger())
    assert found.entries[1:] == (entry(chain, TrustState.UNTRUSTED, awaiting=None),)


@pytest.mark.parametrize("current", FORMS)
def test_the_generation_of_the_secret_means_the_issuing_ca(current: Chain) -> None:
    snapshot = cluster(ca=secrets(current, others=others(OLD), certificate_generation=1))
    found = learn_generation(snapshot, ledger(entry(OLD, generations={0}), entry(current)))
    assert [one.generations for one in found.entries] == [{0}, {1}]


def test_a_ca_keeps_its_former_generations() -> None:
    """Somebody may raise the generation without a change: pods of both present this CA."""
    found = learn_generation(cluster(ca=secrets(certificate_generation=7)), ledger())
    assert found.entries[0].generations == {0, 7}


def test_a_generation_that_means_another_ca_is_not_learned_again() -> None:
    snapshot = cluster(ca=secrets(NEW, others=others(OLD), certificate_generation=0))
    known = ledger(entry(OLD, generations={0}), entry(NEW))
    assert learn_generation(snapshot, known) == known


def test_without_an_issuing_ca_no_generation_is_learned() -> None:
    assert learn_generation(cluster(ca=secrets(None)), ledger()) == ledger()


def test_a_cluster_that_was_never_adopted_is_shown_as_it_would_begin() -> None:
    snapshot = cluster(ledger=None, ca=secrets(certificate_generation=4, others=others(NEW)))
    assert as_seen(snapshot) == ledger(
        entry(OLD, TrustState.TRUSTED_UNUSED, {4}), entry(NEW, TrustState.UNTRUSTED, awaiting=None)
    )


@pytest.mark.parametrize("books", [Ledger(), ledger(), ledger(entry(NEW))])
def test_a_cluster_with_a_ledger_is_shown_by_it(books: Ledger) -> None:
    assert as_seen(cluster(ledger=books, ca=secrets(others=others(THIRD)))) is books
