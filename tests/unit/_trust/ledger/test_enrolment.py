# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CAs that enter the ledger, their state and their generations, also of one that came past this collection."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.enrolment import (
    adopt_swapped,
    as_seen,
    enrol_authorities,
    find_adoption,
    find_swap,
    is_in_doubt,
    last_current,
    learn_generation,
    pods_yet_to_restart,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    RemovedEntry,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaDefects, Snapshot

from ....tools.support.certificates import NOW
from ....tools.support.intents import an_intent
from ..authorities import IDENTIFIED, INTERMEDIATE, NEW, OLD, RENEWED, ROOT, THIRD, chain_of, name_of
from ..builders import cluster, others, prepared, secrets
from ..ledgers import ALL, PHASE_OUT, UNTRUSTED, UNUSED, a_journal, entry, ledger
from ..nodes import pods
from ..rules.asking import FLOWS

#: A CA as it lies in its Secret.
FORMS = (pytest.param(chain_of(NEW), id="alone"), pytest.param(chain_of(INTERMEDIATE, ROOT), id="with its root"))


def states(found: Ledger) -> dict[str, TrustState]:
    return {one.fingerprint: one.state for one in found.entries}


def test_every_certificate_of_the_secrets_enters_untrusted() -> None:
    snapshot = cluster(ca=secrets(other_entries=others(NEW), prepared=(prepared(THIRD),)))
    assert states(enrol_authorities(snapshot, ledger())) == {
        name_of(OLD): TrustState.TRUSTED_IN_USE_ALL,
        name_of(NEW): TrustState.UNTRUSTED,
        name_of(THIRD): TrustState.UNTRUSTED,
    }


def test_an_enrolled_ca_was_not_read_back_and_has_no_generation() -> None:
    found = enrol_authorities(cluster(ca=secrets(other_entries=others(NEW))), ledger()).find(name_of(NEW))
    assert found == entry(NEW, TrustState.UNTRUSTED, awaited_pods=None)


@pytest.mark.parametrize("current", FORMS)
def test_enrolment_leaves_known_cas_as_they_are(current: Chain) -> None:
    known = ledger(entry(OLD, TrustState.PHASE_OUT, {0}), entry(current, TrustState.TRUSTED_IN_USE_ANY, {1}))
    assert enrol_authorities(cluster(ca=secrets(current, other_entries=others(OLD)), ledger=known), known) == known


def test_adoption_trusts_the_ca_in_use_and_enrols_other_cas_as_untrusted() -> None:
    """docs/design.md, "States"; another CA in the Secret proves nothing about which processes trust it."""
    snapshot = cluster(ledger=None, ca=secrets(other_entries=others(NEW)))
    assert states(enrol_authorities(snapshot, Ledger())) == {
        name_of(OLD): TrustState.TRUSTED_UNUSED,
        name_of(NEW): TrustState.UNTRUSTED,
    }


def test_adopting_records_that_every_process_trusts_the_ca() -> None:
    found = enrol_authorities(cluster(ledger=None), Ledger()).find(name_of(OLD))
    assert found is not None
    assert found.awaited_pods == frozenset()


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
        ({"awaited_pods": frozenset({"someone"})}, False),
        # Long afterwards a user has put it there on purpose.
        ({"awaited_pods": frozenset(), "lingering_pods": frozenset({"someone"})}, True),
    ],
    ids=["just removed", "only channels that read nothing know it"],
)
def test_whether_a_ca_that_was_removed_comes_back(
    chain: Chain, holders: dict[str, frozenset[str]], comes_back: bool
) -> None:
    books = ledger(entry(NEW), removed_cas=(RemovedEntry(chain[0], **holders),))
    found = enrol_authorities(cluster(ca=secrets(NEW, other_entries={"put-there.crt": chain})), books)
    assert found == (ledger(entry(NEW), entry(chain, TrustState.UNTRUSTED, awaited_pods=None)) if comes_back else books)


def test_a_chain_enters_as_one_entry_of_its_issuing_ca_with_the_cas_above() -> None:
    chain = chain_of(INTERMEDIATE, ROOT)
    found = enrol_authorities(cluster(ca=secrets(other_entries={"corporate.crt": chain})), ledger())
    assert found.entries[1:] == (entry(chain, TrustState.UNTRUSTED, awaited_pods=None),)


@pytest.mark.parametrize("current", FORMS)
def test_the_generation_of_the_secret_means_the_issuing_ca(current: Chain) -> None:
    snapshot = cluster(ca=secrets(current, other_entries=others(OLD), certificate_generation=1))
    found = learn_generation(snapshot, ledger(entry(OLD, generations={0}), entry(current)))
    assert [one.generations for one in found.entries] == [{0}, {1}]


def test_a_ca_keeps_its_former_generations() -> None:
    """A user may raise the generation without a change: pods of both present this CA."""
    found = learn_generation(cluster(ca=secrets(certificate_generation=7)), ledger())
    assert found.entries[0].generations == {0, 7}


def test_a_generation_that_means_another_ca_is_not_learned_again() -> None:
    snapshot = cluster(ca=secrets(NEW, other_entries=others(OLD), certificate_generation=0))
    known = ledger(entry(OLD, generations={0}), entry(NEW))
    assert learn_generation(snapshot, known) == known


def test_without_an_issuing_ca_no_generation_is_learned() -> None:
    assert learn_generation(cluster(ca=secrets(None)), ledger()) == ledger()


def test_a_cluster_without_a_ledger_shows_the_ledger_that_its_adoption_would_begin_with() -> None:
    snapshot = cluster(ledger=None, ca=secrets(certificate_generation=4, other_entries=others(NEW)))
    assert as_seen(snapshot) == ledger(
        entry(OLD, TrustState.TRUSTED_UNUSED, {4}), entry(NEW, TrustState.UNTRUSTED, awaited_pods=None)
    )


@pytest.mark.parametrize("books", [Ledger(), ledger(), ledger(entry(NEW))])
def test_a_cluster_with_a_ledger_shows_that_ledger(books: Ledger) -> None:
    assert as_seen(cluster(ledger=books, ca=secrets(other_entries=others(THIRD)))) is books


# A CA that came into the place of the one in use past this collection, and its entry in the ledger when it is adopted.

IN_USE = entry(OLD, generations={0})
ADOPT = an_intent(Goal.UPGRADE, adopts=NEW.certificate.sha256)


def swapped(*others: Any, **fields: Any) -> Snapshot:
    """NEW lies in the place of OLD. others: what the ledger knows beside OLD."""
    ca = secrets(NEW, certificate_generation=1, prepared=fields.pop("prepared", ()))
    return cluster(**{"ca": ca, "ledger": ledger(IN_USE, *others, **fields.pop("books", {})), **fields})


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(swapped(), id="the ledger does not know it"),
        pytest.param(swapped(entry(NEW, UNTRUSTED, awaited_pods=None)), id="it lay there as another one, and is not trusted yet"),
        pytest.param(swapped(prepared=(prepared(NEW),)), id="it was put among the prepared ones, and no flow is about it"),
        *(pytest.param(swapped(books={"journal": a_journal(successor=other * 40)}), id=f"another one is to be switched to: {other}") for other in "0f"),
        pytest.param(swapped(books={"journal": a_journal(finished_at=NOW)}), id="the flow about it has ended"),
        pytest.param(replace(swapped(), ca=secrets(IDENTIFIED)), id="a renewal that JVMs refuse"),
        pytest.param(replace(swapped(), ca=secrets(chain_of(NEW, OLD))), id="with the one in use behind it"),
        pytest.param(
            replace(swapped(books={"journal": a_journal(new=OLD)}), ca=secrets(chain_of(NEW, OLD))),
            id="with the one behind it that is to be switched to",
        ),
    ],
)  # fmt: skip
def test_an_unknown_ca_in_ca_crt_is_a_swap_for_the_ca_in_use(snapshot: Snapshot) -> None:
    found = find_swap(snapshot)
    assert found is not None
    assert (found.certificate, found.replaced) == (snapshot.ca.current[0], IN_USE)


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(cluster(), id="the CA in use"),
        pytest.param(swapped(books={"journal": a_journal()}), id="a flow has switched to it, and the books are behind"),
        pytest.param(swapped(entry(NEW, UNUSED)), id="it was brought to trust, as every gate knows"),
        pytest.param(swapped(entry(NEW, PHASE_OUT, {7})), id="from a backup, and not gone yet"),
        pytest.param(
            swapped(entry(NEW, UNTRUSTED, {1}, awaited_pods=None)), id="it has been in use, and no process runs"
        ),
        pytest.param(replace(swapped(), ca=secrets(RENEWED)), id="a renewal with its key"),
        pytest.param(replace(swapped(), ca=secrets(chain_of(RENEWED, ROOT))), id="a renewal with its key, and a root"),
        pytest.param(
            replace(swapped(books={"journal": a_journal()}), ca=secrets(chain_of(NEW, ROOT))),
            id="a flow has switched to it and to its root",
        ),
        pytest.param(cluster(ledger=None, ca=secrets(NEW)), id="nothing was adopted yet"),
        pytest.param(cluster(ledger=Ledger(), ca=secrets(NEW)), id="no CA was in use before"),
        pytest.param(cluster(ca=secrets(None)), id="no CA lies there"),
    ],
)
def test_a_ca_of_a_flow_is_no_swap(snapshot: Snapshot) -> None:
    assert find_swap(snapshot) is None


@pytest.mark.parametrize(
    ("snapshot", "doubt"),
    [
        (cluster(), False),
        (cluster(ca=secrets(None)), True),
        (
            cluster(
                ca=secrets(
                    defects=CaDefects(unnumbered_generations=("Secret kafka/demo-cluster-ca-cert, annotation a",))
                )
            ),
            True,
        ),
        (swapped(), True),
    ],
    ids=["all is told", "no CA lies there", "its generation is lost", "a swap"],
)
def test_the_certificate_secret_may_not_tell_the_ca_in_use(snapshot: Snapshot, doubt: bool) -> None:
    assert is_in_doubt(snapshot) is doubt


@pytest.mark.parametrize("stage", FLOWS)
def test_no_stage_of_a_flow_is_a_swap(stage: str) -> None:
    assert find_swap(FLOWS[stage][0]) is None


def test_the_entry_with_the_highest_generation_is_the_ca_that_was_in_use_last() -> None:
    older, newer = entry(OLD, PHASE_OUT, {0, 3}), entry(NEW, ALL, {4})
    assert last_current(ledger(older, newer, entry(THIRD, UNTRUSTED))) == newer
    assert last_current(Ledger((entry(THIRD, UNTRUSTED),))) is None


@pytest.mark.parametrize(
    "adopts", [NEW.certificate.sha256, NEW.certificate.fingerprint, NEW.certificate.sha256.upper()]
)
def test_a_swapped_in_ca_is_adopted_by_its_fingerprint(adopts: str) -> None:
    assert find_adoption(swapped(), an_intent(Goal.UPGRADE, adopts=adopts)) == find_swap(swapped())


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(swapped(), Intent(Goal.UPGRADE), id="the intent does not adopt it"),
        pytest.param(swapped(), an_intent(Goal.UPGRADE, adopts=OLD.certificate.sha256), id="another CA is meant"),
        pytest.param(swapped(), replace(ADOPT, goal=Goal.RECONCILE), id="another flow"),
        pytest.param(swapped(entry(NEW, UNUSED)), ADOPT, id="it is adopted already"),
    ],
)
def test_a_swapped_in_ca_is_not_adopted_otherwise(snapshot: Snapshot, intent: Intent) -> None:
    assert find_adoption(snapshot, intent) is None
    assert adopt_swapped(snapshot, intent, snapshot.ledger_or_empty) == snapshot.ledger_or_empty


def test_pods_of_another_generation_have_yet_to_restart_with_the_swapped_in_ca() -> None:
    some = (*pods(1)[:1], *pods(0)[1:2], *pods(None)[2:])
    assert pods_yet_to_restart(swapped(pods=some)) == some[1:]


def test_a_swapped_ca_that_every_process_started_with_awaits_no_pod() -> None:
    """By the gates it becomes trusted then, and no process restarts for it."""
    started = swapped(pods=pods(1))
    (_old, found) = adopt_swapped(started, ADOPT, started.ledger_or_empty).entries
    assert found == entry(NEW, TrustState.UNTRUSTED, awaited_pods=())


def test_a_swapped_in_ca_enters_the_ledger_only_when_every_pod_has_started_with_it() -> None:
    """Before that it leaves ca.crt, and is enrolled as the next CA."""
    half = swapped(pods=(*pods(1)[:1], *pods(0)[1:]))
    assert adopt_swapped(half, ADOPT, half.ledger_or_empty) == half.ledger_or_empty
