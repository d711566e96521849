# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Annotations, stored leaves and the names of CAs tell what each pod presents; where they are missing or contradictory, that is UNKNOWN (I5)."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.parties import present_all
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import (
    Presentation,
    add_former_leaves,
    authority_of,
    chains_to,
    describe_unmanaged_listeners,
    issuers_of,
    present_pod,
    restarted_by_operator,
    restarted_with_next_leaf,
    trusted_since_start,
    usage_of,
    why_not_ours,
    why_trust_is_unknown,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FormerLeaf,
    Ledger,
    RemovedEntry,
    TrustState,
    Usage,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaSecrets,
    MaintenanceWindows,
    Pod,
    Reconciliation,
    Snapshot,
    StoredLeaf,
)

from ....tools.support.certificates import NOW, YEAR, Entity, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from ..authorities import (
    IDENTIFIED,
    IMPOSTOR,
    INTERMEDIATE,
    NEW,
    OLD,
    RENEWED,
    ROOT,
    THIRD,
    chain_of,
    linked_chain,
    name_of,
    names_of,
    stored_chain,
)
from ..builders import changed, cluster, others, prepared, secrets
from ..ledgers import entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uid_of, uids_of
from ..of_users import STAGES, users
from ..requested import elsewhere

BELOW = make("Corporate Branch CA", key(20), INTERMEDIATE)
_NODE = make("my-kafka", key(21), OLD, ca=False)
SIGNED_BY_A_LEAF = (issue_leaf(_NODE), _NODE.certificate)
BOTH = ledger(entry(OLD, generations={0}), entry(NEW, generations={1}))
TWINS = ledger(entry(OLD, generations={0}), entry(RENEWED, generations={1}))
POD = PODS[0]
CERTIFICATE = "the stored certificate"


@pytest.mark.parametrize(
    ("sent", "authority", "expected"),
    [
        ((issue_leaf(OLD),), OLD, True),
        ((issue_leaf(OLD),), NEW, False),
        # A name alone proves nothing.
        ((issue_leaf(OLD),), IMPOSTOR, False),
        # A renewal has the same name and key.
        ((issue_leaf(OLD),), RENEWED, True),
        ((issue_leaf(INTERMEDIATE),), ROOT, False),
        ((issue_leaf(INTERMEDIATE), INTERMEDIATE.certificate), ROOT, True),
        ((issue_leaf(BELOW), BELOW.certificate, INTERMEDIATE.certificate), ROOT, True),
        ((issue_leaf(BELOW), INTERMEDIATE.certificate, BELOW.certificate), ROOT, True),
        # A certificate that was sent along but signed nothing of this path does not count.
        ((issue_leaf(OLD), INTERMEDIATE.certificate), ROOT, False),
        (linked_chain(NEW, OLD), OLD, True),
        # A leaf is no CA, whatever its key has signed.
        (SIGNED_BY_A_LEAF, OLD, False),
    ],
)
def test_chains_to(sent: Chain, authority: Entity, expected: bool) -> None:
    assert chains_to(sent, authority.certificate) is expected


def test_circular_chains_are_followed_once() -> None:
    """Each of these CAs has signed all others."""
    twins = [make("same", key(30), end=NOW + YEAR + timedelta(days=day)) for day in range(60)]
    sent = (issue_leaf(twins[0]), *(one.certificate for one in twins))
    begin = time.process_time()
    assert not chains_to(sent, OLD.certificate)
    assert time.process_time() - begin < 2


LINKED = (*linked_chain(NEW, OLD), OLD.certificate)


@pytest.mark.parametrize(
    ("sent", "books", "issuers"),
    [
        pytest.param(stored_chain(OLD), BOTH, names_of(OLD), id="one CA"),
        pytest.param(stored_chain(OLD), TWINS, names_of(OLD, RENEWED), id="two with one key"),
        pytest.param(
            stored_chain(IDENTIFIED), ledger(entry(OLD), entry(IDENTIFIED)), names_of(IDENTIFIED),
            id="two with one key: the one whose identifier it names",
        ),
        pytest.param(
            (issue_leaf(OLD, authority_identifier=x509.AuthorityKeyIdentifier(
                OLD.certificate.subject_key_identifier, [x509.DirectoryName(x509.load_der_x509_certificate(OLD.certificate.der).issuer)],
                OLD.certificate.serial_number,
            )),),
            TWINS, names_of(OLD), id="two with one key: the one whose serial number it names",
        ),
        pytest.param(stored_chain(OLD), ledger(entry(IDENTIFIED)), names_of(IDENTIFIED), id="the only one with its key"),
        pytest.param(stored_chain(THIRD), BOTH, frozenset(), id="a stranger"),
        pytest.param(LINKED, BOTH, names_of(NEW), id="behind a link certificate: of the CA that signed it"),
        pytest.param(LINKED, ledger(entry(OLD)), names_of(OLD), id="the same, and that CA is not in the ledger"),
        pytest.param(
            (issue_leaf(INTERMEDIATE), INTERMEDIATE.certificate), ledger(entry(ROOT)), names_of(ROOT), id="by its chain"
        ),
    ],
)  # fmt: skip
def test_cas_that_may_have_issued_a_stored_leaf(sent: Chain, books: Ledger, issuers: frozenset[str]) -> None:
    assert issuers_of(sent, books) == issuers


@pytest.mark.parametrize(
    ("stored", "generation", "books", "expected"),
    [
        pytest.param(a_leaf(), 0, BOTH, (name_of(OLD), ""), id="one CA"),
        pytest.param(a_leaf(issuer=NEW), None, BOTH, (name_of(NEW), ""), id="no generation, and the signature is enough"),
        pytest.param(a_leaf(chain=LINKED), 0, BOTH, (name_of(NEW), ""), id="linked, with the generation of the other"),
        pytest.param(a_leaf(), 0, TWINS, (name_of(OLD), ""), id="two with one key: the generation of the first"),
        pytest.param(a_leaf(), 1, TWINS, (name_of(RENEWED), ""), id="two with one key: the generation of the second"),
        pytest.param(
            a_leaf(), None, TWINS, (None, "no CA of generation None could have issued the stored certificate"),
            id="two with one key and no generation",
        ),
        pytest.param(
            a_leaf(), 1, TWINS.with_entry(entry(RENEWED)).with_entry(entry(NEW, generations={1})),
            (None, "no CA of generation 1 could have issued the stored certificate"),
            id="two with one key and the generation of a third",
        ),
        pytest.param(a_leaf(chain=None), 0, BOTH, (None, f"{CERTIFICATE} cannot be read"), id="unreadable"),
        pytest.param(
            a_leaf(issuer=THIRD), 0, BOTH, (None, f"{CERTIFICATE} chains to no CA of the ledger"), id="a stranger's"
        ),
    ],
)  # fmt: skip
def test_the_ca_of_a_stored_leaf(
    stored: StoredLeaf, generation: int | None, books: Ledger, expected: tuple[str | None, str]
) -> None:
    assert authority_of(stored, generation, books) == expected


BELOW_A_ROOT = (issue_leaf(INTERMEDIATE), INTERMEDIATE.certificate)


@pytest.mark.parametrize(
    ("stored", "books", "why"),
    [
        pytest.param(a_leaf(), BOTH, "", id="of a known CA"),
        pytest.param(a_leaf(chain=BELOW_A_ROOT), ledger(entry(ROOT)), "", id="its chain leads to a known CA"),
        pytest.param(a_leaf(chain=BELOW_A_ROOT), BOTH, f"it is of {INTERMEDIATE.certificate.subject}", id="of a stranger"),
        pytest.param(a_leaf(key_beside="ab"), BOTH, "the private key beside it is not its own", id="with the key of another leaf"),
        pytest.param(a_leaf(chain=None, problem="it is torn"), BOTH, "it is torn", id="unreadable"),
    ],
)  # fmt: skip
def test_why_no_process_of_the_cluster_could_use_a_stored_leaf(stored: StoredLeaf, books: Ledger, why: str) -> None:
    assert why_not_ours(stored, books) == why


def presented(pod: Pod, *stored: StoredLeaf, books: Ledger = BOTH, **fields: Any) -> Presentation:
    return present_pod(pod, {one.secret: one for one in stored}, cluster(**fields), books)


def test_a_pod_that_started_with_the_stored_leaf_presents_it() -> None:
    assert presented(a_pod(), a_leaf()) == Presentation(POD, names_of(OLD), (stored_chain(OLD),), "stored leaf")


@pytest.mark.parametrize("presents_stored", [False, None])
def test_the_generation_of_a_pod_counts_where_it_did_not_start_with_the_stored_leaf(
    presents_stored: bool | None,
) -> None:
    """The leaf was issued again while the pod runs with the earlier leaf."""
    found = presented(a_pod(generation=0, presents_stored=presents_stored), a_leaf(issuer=NEW, generation=1))
    assert found == Presentation(POD, names_of(OLD), (), "generation")


def test_a_remembered_leaf_tells_more_than_the_generation() -> None:
    """Its Secret got another leaf under the same generation, and what it was started with is in the ledger's memory."""
    pod = a_pod(generation=0, presents_stored=False, leaf_hash="abc")
    books = BOTH.with_entry(replace(entry(NEW, generations={1}), leaf_hashes=frozenset({"abc", "def"})))
    assert presented(pod, a_leaf(), books=books) == Presentation(POD, names_of(NEW), (), "remembered leaf")
    forgotten = replace(pod, leaf_hash="ghi")
    assert presented(forgotten, a_leaf(), books=books) == Presentation(POD, names_of(OLD), (), "generation")


@pytest.mark.parametrize(
    ("ca", "state", "early"),
    [
        pytest.param(secrets(), TrustState.TRUSTED_UNUSED, frozenset(), id="nothing is prepared"),
        pytest.param(
            secrets(prepared=(prepared(THIRD),)), TrustState.TRUSTED_UNUSED, frozenset(), id="not in the ledger yet"
        ),
        pytest.param(secrets(prepared=(prepared(NEW),)), TrustState.UNTRUSTED, frozenset(), id="not to be used yet"),
        pytest.param(secrets(prepared=(prepared(NEW),)), TrustState.TRUSTED_UNUSED, names_of(NEW), id="may be in use"),
        pytest.param(secrets(prepared=(prepared(NEW),)), TrustState.TRUSTED_IN_USE_ANY, names_of(NEW), id="in use"),
        pytest.param(
            secrets(NEW, prepared=(prepared(NEW),)), TrustState.TRUSTED_IN_USE_ALL, frozenset(), id="has a generation"
        ),
        pytest.param(
            secrets(chain_of(NEW, ROOT), prepared=(prepared(NEW),)),
            TrustState.TRUSTED_IN_USE_ALL,
            frozenset(),
            id="has a generation, and lies there with its root",
        ),
        pytest.param(
            secrets(NEW, prepared=(replace(prepared(NEW), chain=chain_of(NEW, ROOT)),)),
            TrustState.TRUSTED_IN_USE_ALL,
            frozenset(),
            id="has a generation, and is prepared with its root",
        ),
    ],
)
def test_a_pod_known_by_generation_alone_may_present_the_next_ca_behind_its_link(
    ca: CaSecrets, state: TrustState, early: frozenset[str]
) -> None:
    """Leaves of the next CA have the generation of the replaced CA until the switch."""
    books = ledger(entry(OLD, generations={0}), entry(NEW, state, {1}))
    found = presented(a_pod(presents_stored=False), a_leaf(), books=books, ca=ca)
    assert found == Presentation(POD, names_of(OLD) | early, (), "generation")


@pytest.mark.parametrize(
    ("pod", "stored", "why"),
    [
        *(
            pytest.param(
                a_pod(generation=None, presents_stored=known), (a_leaf(),),
                "it has no CA certificate generation annotation", id=f"no generation, stored: {known}",
            )
            for known in (True, False, None)
        ),
        pytest.param(
            a_pod(generation=5, presents_stored=None), (a_leaf(),), "it has generation 5 of no known CA",
            id="a generation of no known CA",
        ),
        pytest.param(a_pod(), (a_leaf(chain=None),), f"{CERTIFICATE} cannot be read", id="unreadable"),
        pytest.param(
            a_pod(), (replace(a_leaf(chain=None), problem="it has 12 certificates"),),
            f"{CERTIFICATE} cannot be read: it has 12 certificates", id="unreadable with a reason",
        ),
        pytest.param(a_pod(), (a_leaf(issuer=THIRD),), f"{CERTIFICATE} chains to no CA of the ledger", id="a stranger's"),
        # It presents some certificate; that the Secret is gone does not mean that no CA issued it.
        pytest.param(a_pod(), (), "a Secret with a certificate of it is missing", id="its Secret is gone"),
        pytest.param(
            a_pod(leaves=()), (a_leaf(),), "a Secret with a certificate of it is missing", id="no Secret is its own"
        ),
        pytest.param(
            a_pod(leaves=(POD, "gone")), (a_leaf(),), "a Secret with a certificate of it is missing",
            id="one of two Secrets is gone",
        ),
        pytest.param(
            a_pod(leaves=(POD, "user")), (a_leaf(), a_leaf("user", chain=None)),
            f"{CERTIFICATE} cannot be read", id="one of two is unreadable",
        ),
    ],
)  # fmt: skip
def test_unknown(pod: Pod, stored: tuple[StoredLeaf, ...], why: str) -> None:
    """Neither a CA nor a chain is told, only the reason."""
    assert presented(pod, *stored) == Presentation(POD, None, (), why)


def test_a_pod_with_leaves_of_two_cas_presents_both_cas() -> None:
    """The CAs have other generations than the pod, so only the signatures show them."""
    pod = a_pod(generation=9, leaves=("topic", "user"))
    assert presented(pod, a_leaf("topic"), a_leaf("user", NEW)).authorities == names_of(OLD, NEW)


def test_each_pod_presents_the_ca_of_its_own_leaf() -> None:
    snapshot = cluster(
        pods=(*pods(1, names=[POD]), *pods(0, names=[PODS[1]])),
        leaves=(*leaves(NEW, 1, names=[POD]), *leaves(OLD, 0, names=[PODS[1]])),
    )
    assert [seen.authorities for seen in present_all(snapshot, BOTH)] == [names_of(NEW), names_of(OLD)]


FORMER = issue_leaf(OLD, "former")
STORED = Presentation(POD, names_of(NEW), (stored_chain(NEW),), "stored leaf")
BY_GENERATION = Presentation(POD, names_of(NEW), (), "generation")
OWN, OTHERS = uids_of(POD), uids_of(PODS[1])


@pytest.mark.parametrize(
    ("seen", "former", "expected"),
    [
        pytest.param(
            STORED, FormerLeaf(FORMER, OWN), replace(STORED, authorities=names_of(OLD, NEW), chains=(stored_chain(NEW), (FORMER,))),
            id="its listeners present it",
        ),
        pytest.param(
            STORED, FormerLeaf(FORMER, frozenset(), OWN),
            replace(STORED, authorities=names_of(OLD, NEW), chains=(stored_chain(NEW), (FORMER,))),
            id="the rest of the process presents it",
        ),
        pytest.param(
            BY_GENERATION, FormerLeaf(FORMER, OWN), replace(BY_GENERATION, authorities=names_of(OLD, NEW)),
            id="chains that are not known in full stay unknown",
        ),
        pytest.param(STORED, FormerLeaf(FORMER, OTHERS), STORED, id="another pod presents it"),
        pytest.param(
            Presentation(POD, None, (), "why"), FormerLeaf(FORMER, OWN), Presentation(POD, None, (), "why"), id="unknown stays"
        ),
        pytest.param(
            STORED, FormerLeaf(issue_leaf(THIRD, "former"), OWN),
            Presentation(POD, None, (), "it was started with a certificate that chains to no CA of the ledger"),
            id="of a CA that is not in the ledger",
        ),
    ],
)  # fmt: skip
def test_a_leaf_that_only_the_process_holds_is_presented_as_well(
    seen: Presentation, former: FormerLeaf, expected: Presentation
) -> None:
    assert add_former_leaves(seen, a_pod(), replace(BOTH, former_leaves=(former,))) == expected


def test_a_former_leaf_adds_no_second_ca_with_the_key_of_the_ca_in_use() -> None:
    seen = Presentation(POD, names_of(RENEWED), (), "generation")
    assert add_former_leaves(seen, a_pod(), replace(TWINS, former_leaves=(FormerLeaf(FORMER, OWN),))) == seen


USED = {
    "old": names_of(OLD),
    "new": names_of(NEW),
    "both": names_of(OLD, NEW),
    "nothing": names_of(),
    "unknown": None,
}


@pytest.mark.parametrize(
    ("seen", "usage"),
    [
        ((), Usage.NO_PODS),
        (("old",), Usage.ALL),
        (("old", "old"), Usage.ALL),
        (("old", "new"), Usage.SOME),
        (("both", "old"), Usage.SOME),
        (("both",), Usage.SOME),
        (("old", "nothing"), Usage.SOME),
        (("nothing",), Usage.NONE),
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
def test_an_unknown_pod_anywhere_makes_every_usage_unknown(kinds: list[str], position: int) -> None:
    kinds.insert(position, "unknown")
    seen = [Presentation(str(number), USED[kind], (), "") for number, kind in enumerate(kinds)]
    assert {usage_of(name_of(authority), seen) for authority in (OLD, NEW, THIRD)} == {Usage.UNKNOWN}


@given(st.lists(st.sampled_from(["old", "new", "both"]), min_size=1))
def test_at_most_one_ca_has_the_usage_all(kinds: list[str]) -> None:
    seen = [Presentation(str(number), USED[kind], (), "") for number, kind in enumerate(kinds)]
    usages = [usage_of(name_of(authority), seen) for authority in (OLD, NEW)]
    assert (Usage.ALL in usages) == (Usage.NONE in usages)
    assert usages.count(Usage.ALL) < 2


def test_a_pod_trusts_the_cas_that_were_read_back_before_it_started() -> None:
    """The pods that existed at the read-back are recorded: only a pod that is not among them started later, and a pod of
    the same name is another process."""
    books = ledger(entry(OLD), entry(NEW, awaited_pods={uid_of(POD)}), entry(THIRD, awaited_pods=None))
    assert trusted_since_start(uid_of(POD), books) == (OLD.certificate,)
    assert trusted_since_start(uid_of(POD, start=1), books) == (OLD.certificate, NEW.certificate)


# CAs of one name: a listener tells the name alone, and a probe tells them apart where the key of the CA is here.

ELSEWHERE = frozenset(one.certificate.public_key_sha256 for one in (OLD, IMPOSTOR))
BESIDE = cluster(ca=secrets(other_entries=others(IMPOSTOR)))
WHY = (
    f"listeners tell the names of the CAs that they trust, {named(OLD.certificate)} has the name of {named(IMPOSTOR.certificate)}, and the key of "
    "the latter is not here for a probe."
)


@pytest.mark.parametrize(
    ("snapshot", "why"),
    [
        pytest.param(BESIDE, WHY, id="its key is not here"),
        pytest.param(BESIDE.with_ca(keys_elsewhere=ELSEWHERE), WHY, id="its key is elsewhere"),
        pytest.param(BESIDE.with_ca(keys_elsewhere=ELSEWHERE, kept_keys=names_of(IMPOSTOR)), WHY, id="a text stands for its key"),
        pytest.param(BESIDE.with_ca(kept_keys=names_of(IMPOSTOR)), "", id="its key is kept beside"),
        pytest.param(BESIDE.with_ca(key=IMPOSTOR.certificate.public_key_sha256), "", id="its key is ca.key"),
        pytest.param(
            cluster(ca=secrets(NEW, prepared=(replace(prepared(OLD), chain=chain_of(OLD, ROOT)),)), ledger=ledger(entry(NEW))), WHY,
            id="the other is prepared",
        ),
        pytest.param(cluster(ca=secrets(NEW), ledger=ledger(entry(OLD))), WHY, id="the other is in the ledger"),
        pytest.param(
            replace(cluster(ca=secrets(NEW)), ledger=replace(cluster().ledger_or_empty, entries=(), removed_cas=(RemovedEntry(OLD.certificate, frozenset()),))),
            WHY, id="the other has been removed",
        ),
        pytest.param(cluster(ca=secrets(NEW), ledger=ledger(entry(IMPOSTOR))), "", id="no other has its name"),
    ],
)  # fmt: skip
def test_trust_in_a_ca_is_unknown_where_a_second_ca_has_its_name_and_no_key_for_a_probe(
    snapshot: Snapshot, why: str
) -> None:
    assert why_trust_is_unknown(IMPOSTOR.certificate, snapshot) == why


def test_a_renewal_has_the_same_key() -> None:
    assert why_trust_is_unknown(RENEWED.certificate, cluster().with_ca(key=None)) == ""


# Listeners that trust whom their owner says: the owner is told what is up to them, and they hold nothing.

BESIDE_CUSTOM = ("listener own (9094)", "listener other (9095)")


def test_a_sentence_for_each(golden: GoldenFiles) -> None:
    own, other = describe_unmanaged_listeners(users(unmanaged_listeners=BESIDE_CUSTOM))
    golden.compare_said("stops_in_rules", own)
    assert other == own.replace(BESIDE_CUSTOM[0], BESIDE_CUSTOM[1])
    assert describe_unmanaged_listeners(users()) == ()


@pytest.mark.parametrize("stage", STAGES)
def test_unmanaged_listeners_hold_no_flow(stage: str) -> None:
    intent = Intent(Goal.REPLACE_KEY)
    assert decide(changed(STAGES[stage], unmanaged_listeners=BESIDE_CUSTOM), intent) == decide(STAGES[stage], intent)


@pytest.mark.parametrize(
    ("changes", "restarted"),
    [
        pytest.param({}, False, id="as it was started"),
        pytest.param({"presents_stored": False}, True, id="its leaf has changed"),
        pytest.param({"presents_stored": None}, False, id="who knows"),
        pytest.param({"generation": 7}, True, id="another generation"),
        pytest.param({"generation": None}, False, id="no generation"),
        pytest.param({"key_generation": 7}, True, id="another key generation"),
        pytest.param({"key_generation": 0}, False, id="the same key generation"),
    ],
)
def test_pods_that_the_operator_restarts(changes: dict[str, Any], restarted: bool) -> None:
    seen = cluster(pods=(a_pod(**changes), *pods(names=PODS[1:])))
    assert restarted_by_operator(seen) == (uids_of(PODS[0]) if restarted else frozenset())


@pytest.mark.parametrize(
    ("component", "days", "changes", "restarted"),
    [
        pytest.param(Component.KAFKA_EXPORTER, -1, {}, True, id="ended"),
        pytest.param(Component.KAFKA_EXPORTER, 1, {}, False, id="not ended"),
        pytest.param(Component.KAFKA, -1, {}, False, id="of a node"),
        pytest.param(Component.KAFKA_EXPORTER, -1, {"windows": (True, None)}, True, id="in a window"),
        pytest.param(Component.KAFKA_EXPORTER, -1, {"windows": (False, NOW)}, False, id="outside the windows"),
        pytest.param(Component.KAFKA_EXPORTER, -1, {"elsewhere": True}, False, id="the key is elsewhere"),
    ],
)
def test_pods_that_the_operator_restarts_with_the_leaf_after_an_ended_one(
    component: Component, days: int, changes: dict[str, Any], restarted: bool
) -> None:
    chain = (issue_leaf(OLD, begin=NOW - YEAR, end=NOW + timedelta(days=days)), OLD.certificate)
    stored = a_leaf("one", chain=chain, component=component)
    windows = MaintenanceWindows(*changes["windows"]) if "windows" in changes else None
    seen = cluster(
        pods=(a_pod("one", component=component), a_pod("other", component=component)),
        leaves=(stored, a_leaf("other", component=component)),
        reconciliation=Reconciliation(windows=windows),
    )
    seen = elsewhere(seen, OLD) if "elsewhere" in changes else seen
    assert restarted_with_next_leaf(seen) == (uids_of("one") if restarted else frozenset())
