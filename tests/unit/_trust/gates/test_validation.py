# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Path validation as the gates ask for it: the processes that verify certificates, by whose rules, and what each of them trusts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.validation import (
    has_only_ended,
    is_valid,
    validate,
    verifying_parties,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.nodes import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component

from ....tools.support.certificates import NOW, YEAR, Entity, key, make
from ..builders import (
    EXPIRED,
    NEW,
    OLD,
    PODS,
    RENEWED,
    ROOT,
    THIRD,
    a_pod,
    chain_of,
    changed,
    cluster,
    entry,
    ledger,
    linked_form,
    names_of,
    others,
    pods,
    secrets,
    uids_of,
)

SHORT = make("cluster-ca v0", key(0), path_length=0)


@pytest.mark.parametrize("kind", Verifier)
@pytest.mark.parametrize(
    ("form", "anchors", "refusing"),
    [
        pytest.param(chain_of(OLD), (OLD,), (), id="a root"),
        pytest.param(chain_of(OLD), (), Verifier, id="nothing is trusted"),
        pytest.param(chain_of(OLD), (NEW,), Verifier, id="another root is trusted"),
        pytest.param(chain_of(RENEWED), (OLD,), (), id="the same name and key"),
        pytest.param(linked_form(NEW, OLD), (OLD,), (), id="linked"),
        pytest.param(linked_form(NEW, OLD), (OLD, NEW), (), id="linked, and both are trusted"),
        pytest.param(linked_form(NEW, OLD), (NEW,), (), id="linked, and the new CA itself is trusted"),
        pytest.param(
            linked_form(NEW, SHORT), (SHORT,), (Verifier.OPENSSL, Verifier.GO),
            id="linked, and the trusted CA allows none below it",
        ),
        pytest.param(linked_form(NEW, SHORT), (SHORT, NEW), (), id="the same, and the new CA itself is trusted as well"),
        # A leaf alone: what leads from its CA to the trusted one is not sent.
        pytest.param(linked_form(NEW, OLD)[:1], (OLD,), Verifier, id="the link was not sent"),
    ],
)  # fmt: skip
def test_who_refuses(form: Chain, anchors: tuple[Entity, ...], refusing: Iterable[Verifier], kind: Verifier) -> None:
    """Tests in tests/verifiers compare our verdicts on such chains with those of real verifiers."""
    found = validate(form, tuple(one.certificate for one in anchors), NOW, kind)
    assert found.valid is (kind not in refusing)
    assert bool(found.reason) is not found.valid
    assert is_valid(form, tuple(one.certificate for one in anchors), NOW, kind) is found.valid


@pytest.mark.parametrize(
    ("at", "valid"),
    [(NOW, True), (NOW + 2 * YEAR, False), (NOW - 2 * YEAR, False)],
    ids=["now", "too late", "too early"],
)
def test_what_is_accepted_at_one_time_may_not_be_at_another(at: datetime, valid: bool) -> None:
    assert is_valid(chain_of(OLD), (OLD.certificate,), at, Verifier.GO) is valid
    assert is_valid(chain_of(OLD), (OLD.certificate,), at, Verifier.JVM)


@pytest.mark.parametrize(
    ("anchors", "kind", "expected"),
    [
        ((EXPIRED,), Verifier.GO, True),
        ((EXPIRED,), Verifier.OPENSSL, True),
        ((EXPIRED,), Verifier.JVM, False),
        ((EXPIRED, OLD), Verifier.GO, False),
        ((), Verifier.GO, False),
    ],
)
def test_a_verifier_whose_cas_have_ended_refuses_everything(
    anchors: tuple[Entity, ...], kind: Verifier, expected: bool
) -> None:
    assert has_only_ended(tuple(one.certificate for one in anchors), NOW, kind) is expected


# The processes that verify certificates, by whose rules they do, and what each of them trusts.

BOOKS = ledger(entry(OLD), entry(NEW, awaiting=uids_of(PODS[0])), entry(THIRD, awaiting=None))


@pytest.mark.parametrize("component", Component)
def test_by_whose_rules_a_process_verifies(component: Component) -> None:
    """The exporter is a Go program; it applies the path length of what it trusts, which no JVM does."""
    node, operator = verifying_parties(cluster(pods=(a_pod(component=component),)), BOOKS)
    assert node.kind is (Verifier.GO if component is Component.KAFKA_EXPORTER else Verifier.JVM)
    assert operator.kind is Verifier.JVM


def test_what_each_of_them_trusts() -> None:
    """A pod: what was read back before it started. The operator: what is in the Secret now, known to the ledger or not."""
    snapshot = cluster(ca=secrets(others=others(THIRD, ROOT)), pods=pods(names=PODS[:2]))
    assert [(party.name, party.anchors, party.pod) for party in verifying_parties(snapshot, BOOKS)] == [
        (f"pod {PODS[0]}", (OLD.certificate,), snapshot.nodes.pods[0]),
        (f"pod {PODS[1]}", (OLD.certificate, NEW.certificate), snapshot.nodes.pods[1]),
        ("the Cluster Operator", (OLD.certificate, THIRD.certificate), None),
    ]


def test_a_pod_that_was_seen_to_refuse_a_ca_does_not_trust_it() -> None:
    snapshot = cluster(pods=(a_pod(),))
    seen = ObservedListener(PODS[0], snapshot.nodes.pods[0].uid, 9091, refuses=names_of(OLD))
    node, _operator = verifying_parties(changed(snapshot, listeners=(seen,)), ledger())
    assert (node.anchors, node.possible) == ((), ())


def test_a_pod_that_has_said_nothing_may_trust_what_it_was_started_with() -> None:
    node, _operator = verifying_parties(cluster(pods=(a_pod(),), listeners=()), ledger())
    assert (node.anchors, node.possible) == ((), (OLD.certificate,))
    assert (node.accepts(chain_of(OLD), cluster()), node.why_refused(chain_of(OLD), cluster())) == (False, "")
    assert node.why_refused(chain_of(NEW), cluster())


def test_without_pods_nobody_verifies() -> None:
    assert verifying_parties(cluster(pods=()), BOOKS) == ()


@pytest.mark.parametrize(
    ("form", "at", "why"),
    [
        pytest.param(chain_of(OLD), NOW, "", id="accepted"),
        pytest.param(
            chain_of(NEW), NOW, f"no trusted certificate for {NEW.certificate.subject}, the issuer of the leaf", id="unknown"
        ),
        pytest.param(
            chain_of(OLD), NOW + 2 * YEAR, "", id="a CA in use that has ended, which a JVM accepts"
        ),
    ],
)  # fmt: skip
def test_why_it_would_refuse_what_is_presented_now(form: Chain, at: datetime, why: str) -> None:
    snapshot = cluster(now=at, pods=pods(names=PODS[:1]))
    for party in verifying_parties(snapshot, ledger()):
        assert party.why_refused(form, snapshot) == why
        assert party.accepts(form, snapshot) is not bool(why)
