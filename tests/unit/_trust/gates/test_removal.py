# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a CA leaves (I2): every leaf validates without it for every process and client; what cannot be told counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import removal_gate, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    Follows,
    OutsideClient,
    Presenter,
    Waiver,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import listed
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    Snapshot,
    StoredLeaf,
)

from ....tools.support.certificates import DAY, NOW, YEAR, Entity, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from .. import linked
from ..authorities import (
    EXPIRED,
    INTERMEDIATE,
    NEW,
    OLD,
    RENEWED,
    ROOT,
    THIRD,
    chain_of,
    linked_chain,
    linked_form,
    name_of,
)
from ..builders import changed, cluster, others, prepared, secrets
from ..ledgers import ALL, ANY, PHASE_OUT, UNUSED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uid_of, uids_of
from ..of_users import ORDERS, STAGES, presenter, presenting

CORPORATE = chain_of(INTERMEDIATE, ROOT)
VERIFIERS = (*(f"pod {name}" for name in PODS), "the Cluster Operator")


#: After the use roll: every node presents NEW and trusts both.
USED: dict[str, Any] = {"pods": pods(1, start=2), "leaves": leaves(NEW, 1)}
BOOKS = ledger(entry(OLD, PHASE_OUT, {0}), entry(NEW, generations={1}))
MIXED_PODS = (a_pod(generation=0, presents_stored=False), *pods(1, names=PODS[1:]))
FORMER = FormerLeaf(issue_leaf(OLD, "former"), frozenset(), uids_of(PODS[0], start=2))
HAS_ONE = "has a certificate of this CA."
REMEDY = "The CA stays trusted until this is no longer so; run the flow again to continue."


def against(books: Ledger = BOOKS, leaving: Entity = OLD, **fields: Any) -> list[tuple[str, str]]:
    """The subjects that are in the way, each with its message."""
    chains = {f"{one.fingerprint}.crt": one.chain for one in books.entries}
    snapshot = cluster(ca=secrets(OLD, other_entries=chains), ledger=books, **{**USED, **fields})
    found = removal_gate(snapshot, books, name_of(leaving))
    assert {(violation.condition, violation.remedy) for violation in found} <= {(Condition.REMOVAL, REMEDY)}
    return [(violation.subject, violation.message) for violation in found]


def left_without(*who: str) -> list[tuple[str, str]]:
    """The violations where these verifiers know no other CA."""
    holders = [f"{kind} {name}" for kind in ("pod", "Secret") for name in PODS]
    return [(one, f"could no longer validate the certificates of {listed(holders)}.") for one in who]


def needing(*who: str) -> list[tuple[str, str]]:
    return [(one, HAS_ONE) for one in who]


UNREAD = BOOKS.with_entry(entry(NEW, generations={1}, awaited_pods={uid_of(PODS[2], start=2)}))
TWINS = ledger(entry(OLD, PHASE_OUT, {0}), entry(RENEWED, generations={1}))
BELOW = ledger(entry(OLD, PHASE_OUT, {0}), entry(CORPORATE, generations={1}, awaited_pods=None), entry(ROOT))
#: Two nodes, and a Go program in the place of the third.
WITH_EXPORTER = (
    *pods(1, start=2, names=PODS[:2]),
    a_pod(PODS[2], 1, start=2, component=Component.KAFKA_EXPORTER),
)
#: A CA below a root, which has ended, and its renewal.
ENDED, LIVING = (make("Kafka nodes", key(22), ROOT, end=end) for end in (NOW - DAY, NOW + YEAR))
ENDED_IN_USE = entry(chain_of(ENDED, ROOT), generations={1})
UNREAD_TWINS = TWINS.with_entry(entry(RENEWED, generations={1}, awaited_pods=None))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({}, [], id="no party needs it"),
        pytest.param({"pods": (), "leaves": ()}, [], id="there are no pods"),
        pytest.param({"pods": MIXED_PODS}, needing(f"pod {PODS[0]}"), id="a pod presents it"),
        pytest.param(
            {"leaves": (*leaves(NEW, 1), a_leaf("own", OLD, 0, component=Component.CLUSTER_OPERATOR))},
            needing("Secret own"), id="a stored leaf that no pod presents: the operator's own, or that of a node to come",
        ),
        pytest.param(
            {"leaves": (*leaves(NEW, 1), a_leaf("linked", chain=(*linked_chain(NEW, OLD), OLD.certificate)))}, [],
            id="a leaf that is linked to it is of the next CA",
        ),
        *(
            pytest.param({"books": replace(BOOKS, former_leaves=(former,))}, needing(f"pod {PODS[0]}"), id=f"a process presents one: {where}")
            for where, former in (
                ("its Raft client", FORMER),
                ("its listeners", replace(FORMER, awaited_pods=FORMER.lingering_pods, lingering_pods=frozenset())),
            )
        ),
        pytest.param(
            {"books": replace(BOOKS, former_leaves=(replace(FORMER, lingering_pods=frozenset({"gone"})),))}, [],
            id="a process that presented one is gone",
        ),
        pytest.param(
            # Independent roots: it started before NEW was read back and would be left with nothing.
            {"books": UNREAD}, left_without(f"pod {PODS[2]}"), id="a verifier knows no other CA",
        ),
        pytest.param(
            {
                "books": UNREAD, "pods": pods(0, start=2),
                "leaves": (*leaves(OLD, 0), a_leaf("own", NEW, 1, component=Component.CLUSTER_OPERATOR)),
            },
            [
                *needing(*VERIFIERS[:-1], *(f"Secret {name}" for name in PODS)),
                (VERIFIERS[2], "could no longer validate the certificate of Secret own."),
            ],
            id="a verifier knows no other CA, and one certificate is of another",
        ),
        pytest.param(
            {"books": UNREAD, "pods": WITH_EXPORTER}, left_without(f"pod {PODS[2]}"), id="a Go program knows no other CA",
        ),
        pytest.param(
            {"books": ledger(entry(OLD, PHASE_OUT, {0}), ENDED_IN_USE), "leaves": leaves(ENDED, 1), "pods": WITH_EXPORTER}, [],
            id="a Go program refuses the next CA already, which has ended",
        ),
        pytest.param(
            {
                "books": ledger(entry(LIVING, PHASE_OUT, {0}), ENDED_IN_USE), "leaving": LIVING, "leaves": leaves(ENDED, 1),
                "pods": WITH_EXPORTER,
            },
            left_without(f"pod {PODS[2]}"), id="a Go program accepts the next CA, which has ended, by its renewal",
        ),
        pytest.param(
            # The same key would do, but the anchor of that key that the pods have is the one that would leave.
            {"books": UNREAD_TWINS, "leaves": leaves(RENEWED, 1)},
            left_without(*VERIFIERS[:-1]),
            id="its renewal was not read back",
        ),
        pytest.param({"books": TWINS, "leaves": leaves(RENEWED, 1)}, [], id="its renewal is trusted by every verifier"),
        pytest.param(
            # Nodes send its chain, but the operator's own leaf is sent alone.
            {"books": BELOW, "leaves": leaves(INTERMEDIATE, 1)}, left_without(*VERIFIERS[:-1]),
            id="the next CA is known by its root only",
        ),
        pytest.param(
            {"books": ledger(entry(OLD, generations={0}), entry(THIRD)), "pods": pods(), "leaves": leaves()},
            needing(*VERIFIERS[:-1], *(f"Secret {name}" for name in PODS)), id="in use, although another is trusted",
        ),
    ],
)  # fmt: skip
def test_parties_that_keep_a_ca_from_leaving(fields: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert sorted(against(**fields)) == sorted(expected)


@given(st.lists(st.sampled_from([(OLD, True), (OLD, False), (NEW, True), (NEW, False)]), min_size=1, max_size=8))
def test_each_verifier_is_named_once_however_many_certificates_it_would_refuse(
    nodes: list[tuple[Entity, bool]],
) -> None:
    """nodes: the CA of the certificate of each, and whether it has read NEW."""
    issuers = {f"demo-nodes-{number}": issuer for number, (issuer, _has_read) in enumerate(nodes)}
    unread = [name for name, (_issuer, has_read) in zip(issuers, nodes, strict=True) if not has_read]
    generation = {name: int(issuer is NEW) for name, issuer in issuers.items()}
    found = against(
        BOOKS.with_entry(entry(NEW, generations={1}, awaited_pods=frozenset(uid_of(name, start=2) for name in unread))),
        pods=tuple(a_pod(name, generation[name], start=2) for name in issuers),
        leaves=tuple(a_leaf(name, issuer, generation[name]) for name, issuer in issuers.items()),
    )
    holding, refused = (
        [f"{kind} {name}" for kind in ("pod", "Secret") for name, issuer in issuers.items() if issuer is wanted]
        for wanted in (OLD, NEW)
    )
    why = f"could no longer validate the certificates of {listed(refused)}."
    left = [(f"pod {name}", why) for name in unread if refused]
    assert sorted(found) == sorted([*needing(*holding), *left])


MAY_HOLD = "may have been started with a certificate of this CA."


@pytest.mark.parametrize("undone", [OLD, NEW, THIRD], ids=["first", "second", "third"])
def test_a_pod_that_may_have_been_started_with_a_leaf_of_the_ca_that_an_abort_gives_up_keeps_that_ca_alone(
    undone: Entity,
) -> None:
    books = ledger(*map(entry, (OLD, NEW, THIRD)), journal=a_journal(old=undone, is_abort=True))
    for leaving in (OLD, NEW, THIRD):
        found = against(books, leaving, in_place_obstacles=InPlaceObstacles())
        holders = [who for who, why in found if why == MAY_HOLD]
        assert holders == ([f"pod {name}" for name in PODS] if leaving is undone else [])


def test_the_root_above_a_trusted_intermediate_can_leave_and_the_intermediate_cannot() -> None:
    used: dict[str, Any] = {
        "books": ledger(entry(CORPORATE, generations={1}), entry(ROOT, PHASE_OUT)),
        "pods": pods(1),
        "leaves": leaves(INTERMEDIATE, 1),
    }
    assert against(leaving=ROOT, **used) == []
    assert against(leaving=INTERMEDIATE, **used) == needing(*VERIFIERS[:-1], *(f"Secret {name}" for name in PODS))


@pytest.mark.parametrize("used", [OLD, NEW, THIRD], ids=["first", "second", "third"])
def test_clients_are_asked_about_the_ca_that_leaves_and_about_no_other(used: Entity) -> None:
    """The order of their fingerprints means nothing: each of the three is the one in use once."""
    client = OutsideClient("Secret kafka/app", chain_of(used), follows=Follows.TRUSTED, remedy=REMEDY)
    books = ledger(*(entry(one, generations={number}) for number, one in enumerate((OLD, NEW, THIRD))))
    for leaving in {OLD, NEW, THIRD} - {used}:
        assert against(books, leaving, leaves=leaves(used, 1), outside_clients=(client,)) == []


@pytest.mark.parametrize(
    ("fields", "subject"),
    [
        pytest.param(
            {"pods": (a_pod(generation=None), *pods(1, names=PODS[1:]))}, f"pod {PODS[0]}", id="missing annotation"
        ),
        pytest.param({"leaves": (*leaves(NEW, 1), a_leaf("other", chain=None))}, "Secret other", id="unreadable leaf"),
        pytest.param({"leaves": (*leaves(NEW, 1), a_leaf("other", THIRD))}, "Secret other", id="leaf of a stranger"),
        pytest.param(
            {"books": TWINS, "leaves": (*leaves(RENEWED, 1), a_leaf("other", OLD, 7))},
            "Secret other",
            id="two CAs with one key and the generation of neither",
        ),
        pytest.param(
            {"books": replace(BOOKS, former_leaves=(replace(FORMER, certificate=issue_leaf(THIRD, "former")),))},
            f"pod {PODS[0]}",
            id="former, of a stranger",
        ),
    ],
)
def test_an_unknown_issuer_keeps_every_ca(fields: dict[str, Any], subject: str, golden: GoldenFiles) -> None:
    ((who, why),) = against(**fields)
    assert who == subject
    for leaving in (OLD, NEW, RENEWED):
        assert (who, why) in against(leaving=leaving, **fields)
    golden.compare_said("stops_in_rules", why, golden.row)


def test_a_node_that_has_not_answered_is_not_said_to_refuse(golden: GoldenFiles) -> None:
    """It is waited for; the others have answered, and accept the next CA."""
    known = frozenset({name_of(OLD), name_of(NEW)})
    answers = [
        ObservedListener(name, uid_of(name, start=2), 9091, chain_of(NEW), known, source="handshake") for name in PODS
    ]
    silent = replace(answers[0], presents=None, accepts=frozenset(), failure="no answer")
    found = against(listeners=(silent, *answers[1:]))
    assert f"pod {PODS[0]}" in {subject for subject, _message in found}
    golden.compare_said("stops_in_rules", "\n".join(f"{subject}: {message}" for subject, message in found))


_ENTRIES = st.builds(
    entry,
    st.sampled_from([OLD, NEW, RENEWED, THIRD]),
    generations=st.sets(st.integers(0, 2), max_size=1),
    awaited_pods=st.none() | st.sets(st.sampled_from(sorted(uids_of(start=2)))),
)
_BOOKS = st.lists(_ENTRIES, min_size=1, max_size=4, unique_by=lambda one: one.fingerprint).map(
    lambda found: Ledger(tuple(found))
)
_LEAF = st.builds(
    a_leaf, st.just("other"), st.sampled_from([OLD, NEW, THIRD]), st.sampled_from([None, 0, 1, 2])
) | st.just(a_leaf("other", chain=None))


@given(_BOOKS, _LEAF)
def test_another_stored_leaf_never_lets_a_ca_go(books: Ledger, leaf: StoredLeaf) -> None:
    for one in (OLD, NEW, RENEWED):
        before, after = against(books, one), against(books, one, leaves=(*leaves(NEW, 1), leaf))
        event("open" if not after else "closed by this leaf" if not before else "closed")
        assert {who for who, _why in before} <= {who for who, _why in after}


@given(_BOOKS, st.sampled_from(PODS))
def test_a_pod_that_may_present_anything_keeps_every_ca(books: Ledger, unknown: str) -> None:
    running = tuple(replace(pod, generation=None) if pod.name == unknown else pod for pod in pods(1, start=2))
    for one in books.entries:
        assert any(
            subject == f"pod {unknown}"
            for subject, _why in against(books, Entity(one.certificate, OLD.key), pods=running)
        )


NEW_USER = presenter(ORDERS, authorities=frozenset(), is_outdated=True)
SOON = [(ORDERS, "is about to be issued a certificate, which may be of this CA.")]


@pytest.mark.parametrize(
    ("new", "changes", "expected"),
    [
        pytest.param(NEW_USER, {}, SOON, id="on its way"),
        pytest.param(replace(NEW_USER, is_outdated=False), {}, [], id="with none that counts"),
        pytest.param(replace(NEW_USER, hindrance="it is paused"), {}, [], id="no operator is about to issue it"),
        pytest.param(NEW_USER, {"waivers": (Waiver(ORDERS, NOW + DAY, "a test"),)}, [], id="waived"),
        pytest.param(NEW_USER, {"ca": secrets(NEW)}, [], id="the CA was taken out already"),
        pytest.param(NEW_USER, {"pods": ()}, [], id="no pod verifies"),
    ],
)
def test_a_certificate_that_is_about_to_be_issued(
    new: Presenter, changes: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    """Its issuer may have read the CA a while ago."""
    seen = changed(STAGES["issued"], presenters=presenting(new, current=NEW), **changes)
    found = removal_gate(seen, seen.ledger_or_empty, OLD.certificate.fingerprint)
    assert [(one.subject, one.message) for one in found] == expected


def test_a_certificate_to_come_cannot_be_of_a_ca_that_was_never_in_use() -> None:
    seen = changed(STAGES["issued"], presenters=presenting(NEW_USER, current=NEW))
    books = ledger(entry(OLD, PHASE_OUT), entry(NEW, generations={1}))
    assert removal_gate(seen, books, OLD.certificate.fingerprint) == ()


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [(OLD, NEW, HAS_ONE), (NEW, OLD, HAS_ONE), (None, NEW, "Secret kafka/x."), (NEW, None, "Secret kafka/x.")],
)
def test_a_program_that_reads_two_secrets_counts_with_the_certificates_of_both_secrets(
    first: Entity | None, second: Entity | None, message: str
) -> None:
    both = tuple(presenter("Pod kafka/both", issuer) for issuer in (first, second))
    assert against(presenters=both) == [("Pod kafka/both", message)]


def test_a_pod_that_has_only_the_labels_may_present_anything() -> None:
    why = "has the labels or the name of a process of the cluster and another owner, so the certificate that it presents is unknown."
    assert against() == []
    assert against(foreign_pods={"db-0": Component.KAFKA}) == [("pod db-0", why)]


# Clients outside the cluster at both gates: what their copies contain counts, and what is not known of them holds.

NAME, REMEDY_OUTSIDE = "KafkaConnect kafka/connect", "Change its resource."
DOUBT = "connect-0 started earlier"
WAIVERS = (Waiver(NAME, NOW + DAY, "moves in week 51"),)


#: OLD is in use, NEW trusted by every process; then NEW is in use, and OLD is to leave; then it is taken out.
BEFORE = cluster(ca=secrets(other_entries=others(NEW)), ledger=ledger(entry(OLD, generations={0}), entry(NEW, UNUSED)))
AFTER = cluster(
    ca=secrets(NEW, other_entries=others(OLD), certificate_generation=1),
    ledger=ledger(entry(OLD, PHASE_OUT, {0}), entry(NEW, ALL, {1})),
    pods=pods(1),
    leaves=leaves(NEW, 1),
)
WITHDRAWN = AFTER.with_ca(other_entries={})
ITSELF = chain_of(NEW)
RENEWED_NEW = make("cluster-ca v1", NEW.key, path_length=1, end=NOW + 2 * YEAR)


def a_client(*trusts: Entity, **fields: Any) -> OutsideClient:
    trusted = tuple(one.certificate for one in trusts)
    return replace(OutsideClient(NAME, trusted, remedy=REMEDY_OUTSIDE), **fields)


def refused(client: OutsideClient, form: Chain = ITSELF, snapshot: Snapshot = BEFORE, **fields: Any) -> list[str]:
    asked = changed(snapshot, outside_clients=(client,), **fields)
    found = trust_gate(asked, asked.ledger_or_empty, form)
    assert {violation.condition for violation in found} <= {Condition.TRUST}
    return [str(violation) for violation in found]


def needed(client: OutsideClient, snapshot: Snapshot = AFTER, **fields: Any) -> list[str]:
    asked = changed(snapshot, outside_clients=(client,), **fields)
    found = removal_gate(asked, asked.ledger_or_empty, name_of(OLD))
    assert {violation.condition for violation in found} <= {Condition.REMOVAL}
    return [str(violation) for violation in found]


def told(why: str | None) -> list[str]:
    return [] if why is None else [f"{NAME}: {why}. {REMEDY_OUTSIDE}"]


UNREADABLE = a_client(trusts=None, doubt="its copy does not exist")
NO_LONGER = (
    f"could no longer validate certificates of nodes without the CA {OLD.certificate.subject} "
    f"({OLD.certificate.sha256[:12]})"
)
CANNOT = f"cannot validate certificates of the CA {NEW.certificate.subject} ({NEW.certificate.sha256[:12]})"


@pytest.mark.parametrize(
    ("client", "why"),
    [
        pytest.param(a_client(OLD, NEW), None, id="has both"),
        pytest.param(a_client(OLD), CANNOT, id="has the old CA only"),
        pytest.param(a_client(OLD, NEW, doubt=DOUBT), DOUBT, id="has both, processes are older"),
        pytest.param(UNREADABLE, "its copy does not exist", id="unreadable"),
        pytest.param(a_client(THIRD), None, id="has no CA of this cluster"),
        pytest.param(a_client(THIRD, declared=True), CANNOT, id="has none, and is said to trust it"),
    ],
)
def test_a_client_holds_the_first_use_of_a_ca(client: OutsideClient, why: str | None) -> None:
    assert refused(client) == told(why)
    assert refused(client, waivers=WAIVERS) == []
    assert refused(client, pods=()) == []


#: The CAs that the client trusts, and what a verifier makes of them that looks at their dates.
OUTDATED = a_client(EXPIRED, declared=True, verifier=Verifier.OPENSSL)
PARTLY_OUTDATED = replace(OUTDATED, trusts=chain_of(EXPIRED, OLD))


@pytest.mark.parametrize(
    ("client", "first_use", "removal"),
    [
        pytest.param(OUTDATED, None, None, id="all have ended: it refuses every certificate already"),
        pytest.param(PARTLY_OUTDATED, CANNOT, NO_LONGER, id="one has not ended"),
        pytest.param(replace(OUTDATED, verifier=Verifier.JVM), CANNOT, NO_LONGER, id="a JVM does not look"),
        pytest.param(replace(OUTDATED, trusts=(), doubt=DOUBT), CANNOT, NO_LONGER, id="it trusts none"),
    ],
)
def test_no_gate_waits_for_a_client_whose_cas_have_all_ended(
    client: OutsideClient, first_use: str | None, removal: str | None
) -> None:
    """Where the client cannot be reached, the flow would never end."""
    assert refused(client) == told(first_use)
    assert needed(client) == told(removal)


#: The CA in use with a path length that only some kinds of verifiers apply to an anchor.
SHORT = make("cluster-ca v0", key(0), path_length=0)


@pytest.mark.parametrize(
    ("old", "kind", "why"),
    [
        (OLD, Verifier.JVM, None), (OLD, Verifier.OPENSSL, None), (OLD, Verifier.GO, None),
        (SHORT, Verifier.JVM, None), (SHORT, Verifier.OPENSSL, CANNOT), (SHORT, Verifier.GO, CANNOT),
    ],
)  # fmt: skip
def test_a_client_of_the_old_ca_accepts_a_link_certificate_by_the_rules_of_its_library(
    old: Entity, kind: Verifier, why: str | None
) -> None:
    """The message names the CA that the client would have to know, because no client knows the link certificate."""
    books = ledger(entry(old, generations={0}), entry(NEW, UNUSED))
    assert refused(a_client(old, verifier=kind), linked_form(NEW, old), ledger=books) == told(why)


@pytest.mark.parametrize(
    ("client", "why"),
    [
        pytest.param(a_client(OLD, NEW), None, id="has both"),
        pytest.param(a_client(NEW), None, id="has the new CA only"),
        pytest.param(a_client(OLD), NO_LONGER, id="has the old CA only"),
        pytest.param(a_client(OLD, follows=Follows.ISSUING), NO_LONGER, id="its copy still is the old CA"),
        pytest.param(a_client(OLD, NEW, doubt=DOUBT), DOUBT, id="processes are older"),
        pytest.param(UNREADABLE, "its copy does not exist", id="unreadable"),
        pytest.param(a_client(THIRD), None, id="has no CA of this cluster"),
    ],
)
def test_a_client_holds_the_removal_of_a_ca(client: OutsideClient, why: str | None) -> None:
    assert needed(client) == told(why)
    assert needed(client, waivers=WAIVERS) == []


def test_a_client_has_to_validate_everything_that_is_presented() -> None:
    books = AFTER.ledger_or_empty.with_entry(entry(THIRD, ANY, {2}))
    two = (*leaves(NEW, 1, names=PODS[1:]), a_leaf(issuer=THIRD, generation=2))
    mixed = changed(AFTER.with_ca(other_entries=others(OLD, THIRD)), ledger=books, leaves=two)
    assert needed(a_client(NEW), mixed) == told(NO_LONGER)
    assert needed(a_client(NEW, THIRD), mixed) == []


def test_an_unknown_copy_does_not_put_back_a_ca_that_was_taken_out() -> None:
    """Copies and processes are being replaced at that moment; a CA must not go to and fro."""
    assert needed(a_client(OLD, NEW, doubt=DOUBT), WITHDRAWN) == needed(UNREADABLE, WITHDRAWN) == []
    assert needed(a_client(OLD), WITHDRAWN) == told(NO_LONGER)


@pytest.mark.parametrize(("follows", "why"), [(Follows.NOTHING, None), (Follows.TRUSTED, NO_LONGER)])
def test_a_renewed_ca_needs_no_copy_made_by_hand_to_change(follows: Follows, why: str | None) -> None:
    """Same name and key: what stays in a truststore of one's own validates the new leaves as well."""
    renewing = changed(
        AFTER.with_ca(current=chain_of(RENEWED)),
        ledger=ledger(entry(OLD, PHASE_OUT, {0}), entry(RENEWED, ALL, {1})),
        leaves=leaves(RENEWED, 1),
    )
    assert needed(a_client(OLD, follows=follows), renewing) == told(why)


_CLIENTS = st.builds(
    a_client,
    declared=st.booleans(),
    doubt=st.sampled_from(["", DOUBT]),
    verifier=st.sampled_from(Verifier),
    follows=st.sampled_from(Follows),
    trusts=st.none()
    | st.lists(st.sampled_from([one.certificate for one in (OLD, NEW, THIRD)]), unique=True).map(tuple),
).filter(lambda client: client.doubt or client.trusts is not None)


@given(_CLIENTS)
def test_unknown_trust_of_a_client_keeps_the_gate_closed(client: OutsideClient) -> None:
    """Unless it is known to trust no CA of the cluster, and the user does not declare that it should."""
    unknown = client.trusts is None or bool(client.doubt)
    holds = client.trusts is None or {OLD.certificate, NEW.certificate} & set(client.trusts)
    if unknown and (client.declared or holds):
        assert refused(client)
        assert needed(client)
    assert refused(client, waivers=WAIVERS) == needed(client, waivers=WAIVERS) == []


@pytest.mark.parametrize("form", [chain_of(NEW), chain_of(RENEWED_NEW)], ids=["in use", "renewed"])
def test_nodes_lead_on_to_the_ca_in_use(form: Chain) -> None:
    """A client that knows the CA before it; and no further, to the next one."""
    snapshot = changed(linked.FINISHED, outside_clients=(a_client(OLD),), waivers=())
    assert trust_gate(snapshot, snapshot.ledger_or_empty, form) == ()
    (refused,) = trust_gate(snapshot, snapshot.ledger_or_empty, linked_form(THIRD, NEW))
    assert refused.subject == NAME


@pytest.mark.parametrize(
    ("client", "is_held"),
    [
        pytest.param(a_client(OLD, follows=Follows.ISSUING), False, id="the next CA comes to it as ca.crt"),
        pytest.param(a_client(OLD, follows=Follows.TRUSTED), True, id="the operator takes the old one from it"),
        pytest.param(a_client(OLD), True, id="no program brings it the next one"),
    ],
)
def test_the_old_ca_may_leave_with_both_links_where_the_client_gets_the_next_ca(
    client: OutsideClient, is_held: bool
) -> None:
    """Before the switch; the CA in use is OLD."""
    snapshot = changed(linked.ALONE, outside_clients=(client,), waivers=())
    assert bool(removal_gate(snapshot, snapshot.ledger_or_empty, name_of(OLD))) is is_held
    alone = snapshot.with_ca(prepared=(prepared(NEW, linked.LINK),))
    assert removal_gate(alone, alone.ledger_or_empty, name_of(OLD)) != ()
