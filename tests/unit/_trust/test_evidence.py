# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who presents what and who trusts what; what is missing or contradictory is UNKNOWN (I5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence import (
    Presentation,
    authority_of,
    chains_to,
    present_all,
    present_pod,
    trusted_by,
    usage_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Pod, StoredLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import Usage

from .._pki.hierarchy import Entity, key, leaf, make
from .builders import (
    IMPOSTOR,
    INTERMEDIATE,
    NEW,
    OLD,
    RENEWED,
    ROOT,
    THIRD,
    a_leaf,
    a_pod,
    bridged,
    cluster,
    entry,
    leaves,
    ledger,
    name_of,
    names_of,
    pods,
    stored_chain,
    uid_of,
)

BELOW = make("Corporate Branch CA", key(20), INTERMEDIATE)
BOTH = ledger(entry(OLD, generations={0}), entry(NEW, generations={1}))
TWINS = ledger(entry(OLD, generations={0}), entry(RENEWED, generations={1}))
POD = "demo-nodes-0"


@pytest.mark.parametrize(
    ("chain", "authority", "expected"),
    [
        ((leaf(OLD),), OLD, True),
        ((leaf(OLD),), NEW, False),
        # A name alone proves nothing.
        ((leaf(OLD),), IMPOSTOR, False),
        # A renewal has the same name and key.
        ((leaf(OLD),), RENEWED, True),
        ((leaf(INTERMEDIATE),), ROOT, False),
        ((leaf(INTERMEDIATE), INTERMEDIATE.certificate), ROOT, True),
        ((leaf(BELOW), BELOW.certificate, INTERMEDIATE.certificate), ROOT, True),
        ((leaf(BELOW), INTERMEDIATE.certificate, BELOW.certificate), ROOT, True),
        # What was sent along but signed nothing of this path does not count.
        ((leaf(OLD), INTERMEDIATE.certificate), ROOT, False),
        ((leaf(NEW), *bridged(NEW, OLD)), OLD, True),
    ],
)
def test_chains_to(chain: tuple[Certificate, ...], authority: Entity, expected: bool) -> None:
    assert chains_to(chain, authority.certificate) is expected


def presented(pod: Pod, *stored: StoredLeaf, books: Ledger = BOTH) -> Presentation:
    return present_pod(pod, {one.secret: one for one in stored}, books)


def unknown(found: Presentation, why: str) -> bool:
    """Neither a CA nor a chain is told, only the reason."""
    return found == Presentation(POD, None, (), why)


def test_a_pod_that_started_with_the_stored_leaf_presents_it() -> None:
    assert presented(a_pod(), a_leaf()) == Presentation(POD, names_of(OLD), (stored_chain(OLD),), "stored leaf")


@pytest.mark.parametrize("presents_stored", [False, None])
def test_otherwise_its_generation_tells_and_never_the_leaf(presents_stored: bool | None) -> None:
    """The leaf was issued anew while the pod runs with the former one."""
    found = presented(a_pod(generation=0, presents_stored=presents_stored), a_leaf(issuer=NEW, generation=1))
    assert found == Presentation(POD, names_of(OLD), (), "generation")


@pytest.mark.parametrize("presents_stored", [True, False, None])
def test_a_missing_generation_is_unknown(presents_stored: bool | None) -> None:
    found = presented(a_pod(generation=None, presents_stored=presents_stored), a_leaf())
    assert unknown(found, f"pod {POD} has no CA certificate generation annotation")


def test_a_generation_that_nobody_knows_is_unknown() -> None:
    found = presented(a_pod(generation=5, presents_stored=None), a_leaf())
    assert unknown(found, f"pod {POD} has generation 5 of no known CA")


def test_an_unreadable_leaf_is_unknown() -> None:
    found = presented(a_pod(), a_leaf(chain=None))
    assert unknown(found, f"the certificate {POD}.crt in Secret {POD} cannot be read")


def test_a_leaf_of_a_stranger_is_unknown() -> None:
    found = presented(a_pod(), a_leaf(issuer=THIRD))
    assert unknown(found, f"the certificate {POD}.crt in Secret {POD} chains to no CA of the ledger")


def test_a_generation_that_contradicts_the_signature_is_unknown() -> None:
    found = presented(a_pod(generation=1), a_leaf(issuer=OLD))
    assert unknown(found, f"the certificate {POD}.crt in Secret {POD} does not chain to the CA of generation 1")


def test_a_pod_whose_secrets_are_gone_is_unknown() -> None:
    """It presents something; that it cannot be seen does not mean that it is nobody's."""
    assert presented(a_pod()).authorities is None
    assert presented(a_pod(leaves=())).authorities is None


def test_one_of_two_secrets_that_is_gone_is_unknown() -> None:
    assert presented(a_pod(leaves=(POD, "gone")), a_leaf()).authorities is None


def test_one_unreadable_leaf_of_two_is_unknown() -> None:
    pod = a_pod(leaves=("topic", "user"))
    assert presented(pod, a_leaf("topic"), a_leaf("user", chain=None)).authorities is None


def test_a_pod_with_leaves_of_two_cas_presents_both() -> None:
    """The CAs have other generations than the pod, so the signatures alone tell."""
    pod = a_pod(generation=9, leaves=("topic", "user"))
    assert presented(pod, a_leaf("topic"), a_leaf("user", NEW)).authorities == names_of(OLD, NEW)


@pytest.mark.parametrize(("generation", "meant"), [(0, OLD), (1, RENEWED)])
def test_which_of_two_cas_with_one_key_is_told_by_the_generation(generation: int, meant: Entity) -> None:
    assert authority_of(a_leaf(), generation, TWINS) == (name_of(meant), "")


@pytest.mark.parametrize("generation", [None, 7])
def test_two_cas_with_one_key_and_no_known_generation_are_unknown(generation: int | None) -> None:
    found = authority_of(a_leaf(), generation, TWINS)
    assert found == (None, f"generation {generation} of Secret {POD} is of no known CA")


def test_a_signature_that_fits_one_ca_only_is_enough() -> None:
    assert authority_of(a_leaf(issuer=NEW), None, BOTH) == (name_of(NEW), "")


USED = {"old": names_of(OLD), "new": names_of(NEW), "both": names_of(OLD, NEW), "unknown": None}


@pytest.mark.parametrize(
    ("seen", "usage"),
    [
        ((), Usage.NO_PODS),
        (("old",), Usage.ALL),
        (("old", "old"), Usage.ALL),
        (("old", "new"), Usage.SOME),
        (("both", "old"), Usage.SOME),
        (("both",), Usage.SOME),
        (("new", "new"), Usage.NONE),
        (("old", "unknown"), Usage.UNKNOWN),
        (("new", "unknown"), Usage.UNKNOWN),
        (("unknown",), Usage.UNKNOWN),
    ],
)
def test_usage_over_all_pods(seen: tuple[str, ...], usage: Usage) -> None:
    presentations = [Presentation(str(number), USED[kind], (), "") for number, kind in enumerate(seen)]
    assert usage_of(name_of(OLD), presentations) is usage


@given(st.lists(st.sampled_from(["old", "new", "both"])), st.integers(0, 5))
def test_one_unknown_pod_anywhere_makes_every_usage_unknown(kinds: list[str], position: int) -> None:
    kinds.insert(position, "unknown")
    seen = [Presentation(str(number), USED[kind], (), "") for number, kind in enumerate(kinds)]
    assert {usage_of(name_of(authority), seen) for authority in (OLD, NEW, THIRD)} == {Usage.UNKNOWN}


@given(st.lists(st.sampled_from(["old", "new", "both"]), min_size=1))
def test_at_most_one_ca_is_used_by_all(kinds: list[str]) -> None:
    seen = [Presentation(str(number), USED[kind], (), "") for number, kind in enumerate(kinds)]
    usages = [usage_of(name_of(authority), seen) for authority in (OLD, NEW)]
    assert (Usage.ALL in usages) == (Usage.NONE in usages)
    assert usages.count(Usage.ALL) < 2


def test_each_pod_is_seen_with_its_own_leaf() -> None:
    snapshot = cluster(
        pods=(*pods(1, names=[POD]), *pods(0, names=["demo-nodes-1"])),
        leaves=(*leaves(NEW, 1, names=[POD]), *leaves(OLD, 0, names=["demo-nodes-1"])),
    )
    assert [seen.authorities for seen in present_all(snapshot, BOTH)] == [names_of(NEW), names_of(OLD)]


def test_a_pod_trusts_what_was_read_back_before_it_started() -> None:
    """The pods that existed at the read-back are recorded: only a pod that is not among them started later."""
    books = ledger(entry(OLD), entry(NEW, awaiting={uid_of(POD)}), entry(THIRD, awaiting=None))
    assert trusted_by(uid_of(POD), books) == (OLD.certificate,)
    assert trusted_by(uid_of(POD, start=1), books) == (OLD.certificate, NEW.certificate)


def test_a_pod_of_the_same_name_is_another_process() -> None:
    books = ledger(entry(OLD, awaiting={uid_of(POD)}))
    assert trusted_by(a_pod(start=0).uid, books) == ()
    assert trusted_by(a_pod(start=1).uid, books) == (OLD.certificate,)
