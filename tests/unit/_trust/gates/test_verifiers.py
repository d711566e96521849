# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The processes that verify certificates, by whose rules they do, and what each of them trusts."""

from __future__ import annotations

from datetime import datetime

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.validation import verifying_parties
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.nodes import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component

from ....support.certificates import NOW, YEAR
from ..builders import (
    NEW,
    OLD,
    PODS,
    ROOT,
    THIRD,
    a_pod,
    chain_of,
    changed,
    cluster,
    entry,
    ledger,
    names_of,
    others,
    pods,
    secrets,
    uids_of,
)

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
