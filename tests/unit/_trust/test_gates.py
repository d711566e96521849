# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a CA is used (I3) and before it leaves (I2): path validation for every process, with what it trusts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import (
    alone_gate,
    removal_gate,
    trust_gate,
    verifying_parties,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain, Component, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.violations import Violation

from .._pki.hierarchy import key, make
from .builders import (
    EARLY,
    EXPIRED,
    IMPOSTOR,
    INTERMEDIATE,
    NEW,
    OLD,
    PODS,
    RENEWED,
    ROOT,
    THIRD,
    a_leaf,
    a_pod,
    bridged,
    chain_of,
    cluster,
    entry,
    leaves,
    ledger,
    name_of,
    pods,
    secrets,
    uid_of,
    uids_of,
)

UNTRUSTED, PHASE_OUT = TrustState.UNTRUSTED, TrustState.PHASE_OUT
CORPORATE = chain_of(INTERMEDIATE, ROOT)


def subjects(violations: Iterable[Violation]) -> set[str]:
    return {violation.subject for violation in violations}


def projecting(books: Ledger, **fields: Any) -> Snapshot:
    """The certificate Secret holds what the ledger says."""
    chains = {f"{entry.fingerprint}.crt": entry.chain for entry in books.entries}
    return cluster(ca=replace(secrets(), current=chain_of(OLD), others=chains), **fields)


def who_cannot(chain: Chain, books: Ledger, **fields: Any) -> set[str]:
    return subjects(trust_gate(projecting(books, **fields), books, chain))


EVERY_POD = {f"pod {name}" for name in PODS}
OPERATOR = "the Cluster Operator"
EVERYBODY = EVERY_POD | {OPERATOR}


@pytest.mark.parametrize(
    ("chain", "books", "expected"),
    [
        pytest.param(chain_of(NEW), ledger(), EVERYBODY, id="independent root, nobody trusts it"),
        pytest.param(chain_of(NEW), ledger(entry(OLD), entry(NEW)), set(), id="independent root, all trust it"),
        pytest.param(
            chain_of(NEW), ledger(entry(OLD), entry(NEW, awaiting=None)), EVERY_POD, id="in the ledger, not read back"
        ),
        pytest.param(
            chain_of(NEW),
            ledger(entry(OLD), entry(NEW, awaiting=uids_of(PODS[1]))),
            {f"pod {PODS[1]}"},
            id="one pod started before the read-back",
        ),
        pytest.param(
            chain_of(NEW), ledger(entry(NEW, awaiting={"long gone"})), set(), id="those that were awaited are gone"
        ),
        pytest.param(
            chain_of(RENEWED),
            ledger(entry(OLD), entry(RENEWED, awaiting=None)),
            set(),
            id="renewed with the same key: no trust roll",
        ),
        pytest.param(chain_of(IMPOSTOR), ledger(entry(OLD)), EVERYBODY, id="the same name with another key"),
        pytest.param(CORPORATE, ledger(entry(OLD), entry(CORPORATE)), set(), id="intermediate that is an anchor"),
        pytest.param(CORPORATE, ledger(entry(OLD), entry(ROOT)), set(), id="intermediate below a trusted root"),
        pytest.param(bridged(NEW, OLD), ledger(entry(OLD)), set(), id="bridge from a CA that all trust"),
        pytest.param(bridged(NEW, OLD), ledger(entry(THIRD)), EVERYBODY, id="bridge from a CA that nobody trusts"),
        pytest.param(bridged(NEW, IMPOSTOR), ledger(entry(OLD)), EVERYBODY, id="bridge from one of the same name"),
        pytest.param(chain_of(EXPIRED), ledger(entry(EXPIRED)), EVERYBODY, id="trusted but expired"),
        pytest.param(chain_of(EARLY), ledger(entry(EARLY)), EVERYBODY, id="trusted but not yet valid"),
    ],
)
def test_trust_gate(chain: Chain, books: Ledger, expected: set[str]) -> None:
    assert who_cannot(chain, books) == expected


@pytest.mark.parametrize(
    ("chain", "books", "expected"),
    [
        pytest.param(chain_of(NEW), ledger(entry(OLD), entry(NEW)), set(), id="a root that all trust"),
        pytest.param(chain_of(NEW), ledger(entry(OLD)), EVERYBODY, id="a root that nobody trusts"),
        # The leaf is sent without what stands between it and the anchor: that the anchor is trusted does not help.
        pytest.param(CORPORATE, ledger(entry(ROOT)), EVERYBODY, id="intermediate below a trusted root"),
        pytest.param(CORPORATE, ledger(entry(CORPORATE)), set(), id="intermediate that is an anchor"),
        pytest.param(bridged(NEW, OLD), ledger(entry(OLD)), EVERYBODY, id="bridge, and only its issuer is trusted"),
        pytest.param(bridged(NEW, OLD), ledger(entry(NEW)), set(), id="bridge, and its root is trusted"),
        pytest.param(
            bridged(NEW, OLD),
            ledger(entry(OLD), entry(NEW, awaiting=uids_of(PODS[1]))),
            {f"pod {PODS[1]}"},
            id="bridge, and one pod started before its root came",
        ),
    ],
)
def test_the_gate_for_leaves_that_are_presented_alone(chain: Chain, books: Ledger, expected: set[str]) -> None:
    assert subjects(alone_gate(projecting(books), books, chain)) == expected


EXPORTER = (a_pod(component=Component.KAFKA_EXPORTER),)


@pytest.mark.parametrize(
    ("path_length", "expected"), [(0, {f"pod {PODS[0]}"}), (1, set()), (None, set())], ids=["0", "1", "none"]
)
def test_a_go_program_applies_the_path_length_of_the_ca_that_it_trusts(
    path_length: int | None, expected: set[str]
) -> None:
    """Nobody else among the processes does; the bridge is one CA below."""
    old = make("cluster-ca v0", key(0), path_length=path_length)
    books = ledger(entry(old))
    seen = cluster(ca=secrets(old), pods=EXPORTER)
    assert subjects(trust_gate(seen, books, bridged(NEW, old))) == expected


def test_the_trust_gate_names_the_ca_and_the_remedy() -> None:
    pod, operator = trust_gate(cluster(pods=(a_pod(),)), ledger(), chain_of(NEW))
    assert str(pod) == (
        f"pod {PODS[0]}: cannot validate certificates of the CA {NEW.certificate.subject} "
        f"({NEW.certificate.sha256[:16]}). It has to restart with the trust bundle that holds this CA; "
        "run the flow again to continue."
    )
    assert (operator.subject, operator.remedy) == (
        OPERATOR, "It trusts what is in Secret kafka/demo-cluster-ca-cert; run the flow again."
    )  # fmt: skip


def test_a_pod_that_was_replaced_after_the_read_back_opens_the_trust_gate() -> None:
    books = ledger(entry(OLD), entry(NEW, UNTRUSTED, awaiting=uids_of()))
    assert who_cannot(chain_of(NEW), books) == EVERY_POD
    assert who_cannot(chain_of(NEW), books, pods=(a_pod(start=1), *pods(names=PODS[1:]))) == EVERY_POD - {
        f"pod {PODS[0]}"
    }
    assert who_cannot(chain_of(NEW), books, pods=pods(start=1)) == set()


def test_pods_that_are_not_ready_or_about_to_end_verify_all_the_same() -> None:
    waiting = (a_pod(ready=False), a_pod(PODS[1], terminating=True))
    assert who_cannot(chain_of(NEW), ledger(entry(OLD)), pods=waiting) == EVERYBODY - {f"pod {PODS[2]}"}


@pytest.mark.parametrize("component", [one for one in Component if one is not Component.KAFKA_EXPORTER])
def test_everything_but_the_exporter_verifies_like_a_jvm(component: Component) -> None:
    parties = verifying_parties(cluster(pods=(a_pod(component=component),)), ledger())
    assert [party.kind for party in parties] == [Verifier.JVM, Verifier.JVM]


def test_the_exporter_verifies_like_go() -> None:
    """It applies the path length of an anchor, which no JVM does."""
    parties = verifying_parties(cluster(pods=(a_pod(component=Component.KAFKA_EXPORTER),)), ledger())
    assert [party.kind for party in parties] == [Verifier.GO, Verifier.JVM]


# After the use roll: everybody presents NEW and trusts both.
USED = {"pods": pods(1, start=2), "leaves": leaves(NEW, 1)}
AFTER_USE = ledger(entry(OLD, PHASE_OUT, {0}), entry(NEW, generations={1}))


def against_removal(books: Ledger = AFTER_USE, **fields: Any) -> tuple[Violation, ...]:
    return removal_gate(projecting(books, **{**USED, **fields}), books, name_of(OLD))


def test_a_ca_that_nobody_needs_can_leave() -> None:
    assert against_removal() == ()


def test_a_pod_that_presents_the_ca_keeps_it() -> None:
    found = against_removal(pods=(a_pod(presents_stored=False), *pods(1, names=PODS[1:])))
    assert [(one.subject, one.message) for one in found] == [
        (f"pod {PODS[0]}", "holds a certificate of this CA."),
    ]


def test_a_stored_leaf_that_no_pod_presents_keeps_the_ca() -> None:
    """The Cluster Operator's own, or that of a node that is about to start."""
    stored = a_leaf("demo-cluster-operator-certs", OLD, 0, component=Component.CLUSTER_OPERATOR)
    found = against_removal(leaves=(*leaves(NEW, 1), stored))
    assert [(one.subject, one.message) for one in found] == [
        ("Secret demo-cluster-operator-certs", "holds a certificate of this CA."),
    ]


def test_a_verifier_that_knows_no_other_ca_keeps_it() -> None:
    """Independent roots: the pod started before NEW was read back and would be left with nothing."""
    books = AFTER_USE.with_entry(entry(NEW, generations={1}, awaiting={uid_of(PODS[2], start=2)}))
    found = against_removal(books)
    assert subjects(found) == {f"pod {PODS[2]}"}
    assert {one.message for one in found} == {
        f"could no longer validate the certificate of {kind} {name}." for kind in ("pod", "Secret") for name in PODS
    }


def test_a_renewal_that_was_not_read_back_keeps_its_predecessor() -> None:
    """The same key would do, but the anchor of that key that the pod has is the one that would leave."""
    books = ledger(entry(OLD, PHASE_OUT, {0}), entry(RENEWED, generations={1}, awaiting=None))
    assert subjects(against_removal(books, leaves=leaves(RENEWED, 1))) == EVERY_POD


def test_a_renewal_that_everybody_trusts_lets_its_predecessor_go() -> None:
    books = ledger(entry(OLD, PHASE_OUT, {0}), entry(RENEWED, generations={1}))
    assert against_removal(books, leaves=leaves(RENEWED, 1)) == ()


def test_the_root_above_a_trusted_intermediate_can_leave_and_the_intermediate_cannot() -> None:
    books = ledger(entry(CORPORATE, generations={1}), entry(ROOT, PHASE_OUT))
    used = projecting(books, pods=pods(1), leaves=leaves(INTERMEDIATE, 1))
    assert removal_gate(used, books, name_of(ROOT)) == ()
    assert subjects(removal_gate(used, books, name_of(INTERMEDIATE))) == EVERY_POD | {f"Secret {n}" for n in PODS}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param(
            {"pods": (a_pod(generation=None), *pods(1, names=PODS[1:]))},
            f"pod {PODS[0]} has no CA certificate generation annotation.",
            id="missing annotation",
        ),
        pytest.param(
            {"leaves": (*leaves(NEW, 1), a_leaf("other", chain=None))},
            "the certificate other.crt in Secret other cannot be read.",
            id="unreadable leaf",
        ),
        pytest.param(
            {"leaves": (*leaves(NEW, 1), a_leaf("other", THIRD))},
            "the certificate other.crt in Secret other chains to no CA of the ledger.",
            id="leaf of a stranger",
        ),
        pytest.param(
            {"leaves": (*leaves(NEW, 1), a_leaf("other", NEW, 0))},
            "the certificate other.crt in Secret other does not chain to the CA of generation 0.",
            id="contradictory generation",
        ),
    ],
)
def test_what_cannot_be_told_keeps_the_ca(fields: dict[str, Any], why: str) -> None:
    assert [one.message for one in against_removal(**fields)] == [why]


def test_the_remedy_of_the_removal_gate() -> None:
    assert {one.remedy for one in against_removal(pods=pods(None, names=PODS[:1]))} == {
        "The CA stays trusted until this is no longer so; run the flow again to continue."
    }


def test_no_ca_in_use_can_leave_although_another_is_trusted() -> None:
    books = ledger(entry(OLD, generations={0}), entry(THIRD))
    assert subjects(removal_gate(projecting(books), books, name_of(OLD))) == EVERY_POD | {f"Secret {n}" for n in PODS}
