# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves of the next CA while the operator stays on the old one, and what becomes of them at the switch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import Path
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import secret_patch
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    LinkCertificates,
    PreparedAuthority,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAuthority,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    IssueLeaves,
    RechainLeaves,
)

from ...support.certificates import Entity, key, make
from .._strimzi.bench import SCOPE, Bench, pem, recorded
from .._strimzi.steps import switch_to
from . import openssl
from .office import BY_SECRET, CA, NODES, OLD, office, presented

PREPARE = PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=(OLD.certificate,), generation=1, linked=True)
ROOT = make("root", key(20))
BELOW = make("below", key(21), ROOT)


def prepared(bench: Bench) -> PreparedAuthority:
    (made,) = bench.observe().snapshot.ca.prepared
    return made


@pytest.fixture
def bench() -> Bench:
    """OLD issues, and the next CA is prepared with its link certificate."""
    made = office(OLD)
    made.carry_out(PREPARE)
    return made


def linked(bench: Bench, *secrets: str) -> IssueLeaves:
    made = prepared(bench)
    return IssueLeaves(secrets=secrets, issuer=made.chain, generation=0, link=made.links.new_with_old, phase=Phase.USE)


@pytest.mark.parametrize("secret", sorted(BY_SECRET))
def test_everybody_presents_link_and_the_ca_in_use_behind_the_leaf(secret: str, bench: Bench) -> None:
    """Ending with the bytes of ca.crt and with its generation, so that the operator keeps it (docs/operator.md, "Re-issue")."""
    bench.carry_out(linked(bench, secret))
    made, (leaf, link, last) = prepared(bench), presented(bench, secret)
    assert leaf.signed_by(made.chain[0])
    assert (link, last) == (made.links.new_with_old, OLD.certificate)
    assert bench.data(secret)[f"{BY_SECRET[secret].entry}.crt"].endswith(
        bench.data(SCOPE.ca_certificate_secret)["ca.crt"]
    )
    assert bench.annotation("secrets", secret, "cluster-ca-cert-generation") == "0"


@pytest.mark.parametrize("trusted", [OLD, None], ids=["only the old CA", "only the new CA"])
def test_another_program_finds_its_way_to_either_ca(trusted: Entity | None, bench: Bench, tmp_path: Path) -> None:
    bench.carry_out(linked(bench, NODES[0]))
    anchor = trusted.certificate if trusted else prepared(bench).chain[0]
    leaf, *above = (one.pem for one in presented(bench, NODES[0]))
    at = int(bench.clock.now().timestamp())
    assert openssl.verify(leaf, anchor.pem, at, tmp_path, "lb.example", untrusted=b"".join(above))
    assert not openssl.verify(leaf, CA.certificate.pem, at, tmp_path, untrusted=b"".join(above))


@pytest.mark.parametrize("secret", sorted(BY_SECRET))
def test_issued_without_a_link_nothing_is_behind_the_leaf_but_the_ca_in_use_on_nodes(secret: str, bench: Bench) -> None:
    """This is the form of the operator's own leaf of the next CA, which it presents alone."""
    bench.carry_out(replace(linked(bench, secret), link=None))
    leaf, *above = presented(bench, secret)
    assert leaf.signed_by(prepared(bench).chain[0])
    assert above == ([OLD.certificate] if secret in NODES else [])


@pytest.mark.parametrize("secret", sorted(BY_SECRET))
def test_the_chain_of_an_intermediate_ca_is_sent_by_all(secret: str) -> None:
    """A verifier that knows the root alone would find no way otherwise."""
    bench = office(BELOW)
    chain = (BELOW.certificate, ROOT.certificate)
    bench.change("secrets", SCOPE.ca_certificate_secret, secret_patch({"ca.crt": pem(BELOW, ROOT)}))
    bench.carry_out(IssueLeaves(secrets=(secret,), issuer=chain, generation=0, phase=Phase.USE))
    assert presented(bench, secret)[1:] == chain


@pytest.mark.parametrize("secret", sorted(BY_SECRET))
def test_switched_leaves_stay_and_nodes_present_them_before_the_new_ca(secret: str, bench: Bench) -> None:
    """Clients that know only the old CA go on by the first of the two link certificates; components keep what they have."""
    bench.carry_out(linked(bench, secret))
    made, before, key_before = prepared(bench), presented(bench, secret), _key(bench, secret)
    bench.carry_out(switch_to(made, leaving=OLD))
    (change,) = bench.carry_out(RechainLeaves(secrets=(secret,), generation=1, phase=Phase.RETIRE))
    assert change.name == secret
    assert made.links is not None
    new_with_old, old_with_new = made.links.new_with_old, made.links.old_with_new
    assert presented(bench, secret) == (
        (before[0], new_with_old, old_with_new, *made.chain) if secret in NODES else before
    )
    end = bench.data(SCOPE.ca_certificate_secret)["ca.crt"]
    assert bench.data(secret)[f"{BY_SECRET[secret].entry}.crt"].endswith(end) is (secret in NODES)
    assert _key(bench, secret) == key_before
    assert bench.annotation("secrets", secret, "cluster-ca-cert-generation") == "1"


@pytest.mark.parametrize("secret", sorted(BY_SECRET))
def test_leaves_that_are_issued_later_are_presented_alike(secret: str, bench: Bench) -> None:
    """Nothing of the flow is left but the key Secret. Nodes send the link certificates, all others the leaf alone."""
    made = prepared(bench)
    bench.carry_out(switch_to(made, leaving=OLD))
    gone = frozenset({made.fingerprint, OLD.certificate.fingerprint})
    bench.carry_out(TidyKeys(prepared=frozenset({made.fingerprint}), kept_keys=gone, phase=Phase.USE))
    bench.carry_out(IssueLeaves(secrets=(secret,), issuer=made.chain, generation=1, phase=Phase.USE))
    leaf, *above = presented(bench, secret)
    links = made.links or LinkCertificates(leaf)
    assert leaf.signed_by(made.chain[0])
    assert above == ([links.new_with_old, links.old_with_new, *made.chain] if secret in NODES else [])


def _key(bench: Bench, secret: str) -> bytes:
    return bench.data(secret)[f"{BY_SECRET[secret].entry}.key"]


def test_rechaining_touches_what_is_named_and_nothing_in_a_dry_run(bench: Bench) -> None:
    step = RechainLeaves(secrets=(NODES[1],), generation=1, phase=Phase.RETIRE)
    before = len(bench.api.writes)
    (action,) = recorded(carry_out, step, bench.observe(), bench.work(dry_run=True))
    assert (action.verb, action.object) == ("update", f"Secret kafka/{NODES[1]}")
    assert len(bench.api.writes) == before
    assert [change.name for change in bench.carry_out(step)] == [NODES[1]]
