# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Secret or ConfigMap says which CAs are to be trusted, and the cluster follows: every new one is confirmed by a person first."""

from __future__ import annotations

import base64
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_source import CaSourceReference
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import NewRoots

from ..tools.support.asked_issuers import ByVault
from ..tools.support.authorities import Authority, below, renewed, root
from ..tools.support.fake_vault.server import FakeVault, serving
from ..tools.support.golden import GoldenFiles
from ..tools.support.misissuing import Signing
from ..tools.support.watched_cluster import CERTIFICATES, IN_USE, LEDGER, UNUSED, WatchedCluster, assert_only
from .test_kept_elsewhere import ASKED, elsewhere, issuing_secrets, office

pytestmark = pytest.mark.usefixtures("uptake")
#: For tests to which it does not matter how certificates are taken up, or for which there is only this way.
ONCE = pytest.mark.parametrize("uptake", [True], ids=["reload"], indirect=True)
SOURCE = CaSourceReference("Secret", "kafka", "corporate-ca", "bundle.pem")


def two_roots() -> tuple[Authority, Authority]:
    """Sentences list CAs by their fingerprints: One comes first."""
    one, other = root("One"), root("Other")
    return (one, other) if one.chain[0].sha256 < other.chain[0].sha256 else two_roots()


def wants(cluster: WatchedCluster, *authorities: Authority) -> None:
    """A user writes these CAs, each with the CAs above it, into the source."""
    cluster.source = SOURCE
    body = {
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": SOURCE.name},
        "data": {SOURCE.key: base64.b64encode(b"".join(one.pem for one in authorities)).decode()},
    }  # fmt: skip
    root_path = f"/api/v1/namespaces/{SOURCE.namespace}/secrets"
    if cluster.memory.api.find("secrets", SOURCE.namespace, SOURCE.name) is None:
        cluster.memory.apply(body)
        return
    kind = "application/merge-patch+json"
    assert cluster.memory.api.request("PATCH", f"{root_path}/{SOURCE.name}", body=body, content_type=kind).status == 200


def confirmed(*authorities: Authority) -> frozenset[str]:
    return frozenset(one.chain[0].sha256 for one in authorities)


def reconcile(cluster: WatchedCluster, *authorities: Authority, goal: Goal = Goal.RECONCILE) -> Decision:
    """authorities: those that the user confirms."""
    return cluster.run(goal, external_issuer=ASKED, confirmed_roots=confirmed(*authorities)).outcome.decision


def follow(cluster: WatchedCluster, authority: Authority, goal: Goal = Goal.RECONCILE) -> None:
    """Follows the source to the end, with the issuer's answers."""
    reconcile(cluster, authority, goal=goal)
    office(cluster, authority).work()
    cluster.finish(goal, external_issuer=ASKED, confirmed_roots=confirmed(authority))


def journal_of(cluster: WatchedCluster) -> str:
    found = cluster.memory.api.find("secrets", "kafka", LEDGER) or {}
    return str(found["metadata"]["annotations"]["trustops.strimzi/journal"])


def test_a_new_ca_is_asked_about_then_replaces_the_one_in_use(cluster: WatchedCluster) -> None:
    cluster.create()
    before, corporate = cluster.current, root("Corporate Root", path_length=0)
    wants(cluster, corporate)
    told = reconcile(cluster)
    assert (told.violations, told.done, cluster.writes, cluster.current) == ((), False, 0, before)
    sentence, *_details = told.waiting
    for text in (
        "corporate-ca, entry bundle.pem",
        "CN=Corporate Root",
        corporate.chain[0].sha256,
        "confirm_roots",
        "valid from",
    ):
        assert text in sentence
    follow(cluster, corporate)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert '"goal": "replace_key"' in journal_of(cluster)
    assert_only(cluster, corporate.fingerprint)
    # From here on the ledger knows it.
    assert reconcile(cluster).done
    assert (cluster.writes, issuing_secrets(cluster)) == (0, [])


def test_a_renewal_of_it_needs_no_confirmation_and_no_restart(cluster: WatchedCluster, uptake: bool) -> None:
    cluster.create()
    corporate = root("Corporate Root", path_length=0)
    wants(cluster, corporate)
    follow(cluster, corporate)
    cluster.look_away()
    again = renewed(corporate)
    wants(cluster, corporate, again)
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert cluster.current == again.fingerprint
    assert '"goal": "renew"' in journal_of(cluster)
    assert cluster.rolls == {0 if uptake else cluster.cost(Goal.RENEW).restarts}


def test_from_one_to_another_and_the_old_one_may_stay_in_the_source(cluster: WatchedCluster) -> None:
    """An intermediate below the corporate root, then another intermediate below it; the old CA stays in the source."""
    cluster.create()
    top = root()
    first, second = below(top, "Kafka CA 1"), below(top, "Kafka CA 2")
    wants(cluster, first)
    follow(cluster, first)
    wants(cluster, second)
    follow(cluster, second)
    assert_only(cluster, second.fingerprint)
    wants(cluster, first, second)
    assert reconcile(cluster).done
    assert (cluster.writes, cluster.current) == (0, second.fingerprint)


@ONCE
def test_the_ca_before_the_former_ca_stays_out_as_well(cluster: WatchedCluster) -> None:
    """The journal has room for one flow; the ledger remembers the others."""
    cluster.create()
    top = root()
    all_three = [below(top, f"Kafka CA {number}") for number in (1, 2, 3)]
    for one in all_three:
        wants(cluster, one)
        follow(cluster, one)
    wants(cluster, *all_three)
    assert reconcile(cluster).done
    assert (cluster.writes, cluster.current) == (0, all_three[-1].fingerprint)


def deployed(cluster: WatchedCluster, signer: Authority) -> None:
    """The Kafka resource comes, and this CA signs the leaves of its nodes."""
    cluster.deploy()
    reconcile(cluster, goal=Goal.CREATE)
    office(cluster, signer).work()
    reconcile(cluster, goal=Goal.CREATE)
    cluster.memory.settle(2)
    cluster.finish(Goal.CREATE, external_issuer=ASKED)


def test_a_cluster_is_created_with_the_only_ca_of_the_source(cluster: WatchedCluster) -> None:
    corporate = root()
    wants(cluster, corporate)
    told = reconcile(cluster, goal=Goal.CREATE)
    assert (told.done, cluster.writes) == (False, 0)
    assert corporate.chain[0].sha256 in told.waiting[0]
    reconcile(cluster, corporate, goal=Goal.CREATE)
    deployed(cluster, corporate)
    assert_only(cluster, corporate.fingerprint)


@ONCE
def test_another_root_is_trusted_beside_the_one_in_use(cluster: WatchedCluster) -> None:
    cluster.create()
    corporate, next_one = root(), root("Next Root")
    wants(cluster, corporate)
    follow(cluster, corporate)
    wants(cluster, corporate, next_one)
    assert next_one.chain[0].sha256 in reconcile(cluster).waiting[0]
    assert cluster.writes == 0
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED, confirmed_roots=confirmed(next_one))
    assert cluster.current == corporate.fingerprint
    assert cluster.states[next_one.fingerprint] == UNUSED
    assert cluster.trusted == {corporate.fingerprint, next_one.fingerprint}


@ONCE
def test_a_ca_that_has_left_the_source_stays_trusted(cluster: WatchedCluster) -> None:
    cluster.create()
    corporate, next_one = root(), root("Next Root")
    wants(cluster, corporate)
    follow(cluster, corporate)
    wants(cluster, corporate, next_one)
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED, confirmed_roots=confirmed(next_one))
    wants(cluster, corporate)
    assert (reconcile(cluster).done, cluster.writes) == (True, 0)
    assert cluster.trusted == {corporate.fingerprint, next_one.fingerprint}


@ONCE
def test_the_issuer_alone_has_changed(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    """It signs a renewed leaf with a CA that the source contains beside the one in use: the leaf waits, and reconcile moves the cluster."""
    cluster.create()
    corporate, moved_to = root(), root("Next Root")
    wants(cluster, corporate)
    follow(cluster, corporate)
    cluster.memory.seconds += 50 * 86400.0
    wants(cluster, corporate, moved_to)
    due = {"renew_before": timedelta(days=50), "external_issuer": ASKED}
    cluster.run(Goal.RENEW_LEAVES, **due)
    signing = office(cluster, moved_to)
    signing.work()
    waiting = cluster.run(Goal.RENEW_LEAVES, **due).outcome.decision
    golden.compare_said("flows", waiting.waiting[1])
    assert not waiting.done
    # The leaf is kept, and the issuer is not asked again.
    assert cluster.run(Goal.RENEW_LEAVES, **due).changes == []
    assert signing.requests() == []
    told = reconcile(cluster)
    assert (moved_to.chain[0].sha256 in told.waiting[0], told.done, cluster.writes) == (True, False, 0)
    reconcile(cluster, moved_to)
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED, confirmed_roots=confirmed(moved_to))
    assert_only(cluster, moved_to.fingerprint)
    # Leaves that had come already were not asked for again.
    assert len(signing.signed) == len(set(signing.signed))


@ONCE
def test_without_the_source_such_a_leaf_is_refused_and_its_ca_named(cluster: WatchedCluster) -> None:
    cluster.create()
    supplied = elsewhere(root())
    cluster.run(Goal.REPLACE_KEY, supplied, external_issuer=ASKED)
    moved_to = root("Next Root")
    office(cluster, moved_to).work()
    told = " ".join(cluster.run(Goal.REPLACE_KEY, supplied, external_issuer=ASKED).outcome.decision.waiting)
    assert f"CN=Next Root,O=io.strimzi, SHA-256 {moved_to.chain[0].sha256}" in told
    assert "ca_source" in told


@ONCE
@pytest.mark.parametrize("goal", [Goal.RECONCILE, Goal.REPLACE_KEY])
def test_never_means_that_nothing_begins(cluster: WatchedCluster, goal: Goal) -> None:
    cluster.create()
    corporate = root()
    wants(cluster, corporate)
    (violation,) = cluster.run(goal, external_issuer=ASKED, new_roots=NewRoots.NEVER).outcome.decision.violations
    assert corporate.chain[0].sha256 in violation.message
    assert cluster.writes == 0


@ONCE
@pytest.mark.parametrize(
    ("signing", "kept"),
    [(0, False), (1, False), pytest.param(1, True, marks=pytest.mark.long)],
    ids=["the first", "the second", "the second, and the key of the CA in use is elsewhere"],
)
def test_of_several_roots_the_certificate_that_comes_back_tells_which_one_signs(
    cluster: WatchedCluster, signing: int, kept: bool, golden: GoldenFiles
) -> None:
    """None of them is in use. All are trusted, and one certificate is asked for; then the CA of that takes the place of the one in use."""
    cluster.create()
    if kept:
        former = root("Former Root")
        wants(cluster, former)
        follow(cluster, former)
    before, roots = cluster.current, two_roots()
    wants(cluster, *roots)
    told = reconcile(cluster)
    assert (told.violations, cluster.writes, len(told.waiting)) == ((), 0, 2)
    told = reconcile(cluster, *roots)
    assert (told.violations, told.done, cluster.current) == ((), False, before)
    assert {cluster.states[one.fingerprint] for one in roots} == {UNUSED}
    golden.compare_said("flows", told.waiting[0])
    reconcile(cluster)
    assert cluster.writes == 0
    signer = roots[signing]
    signed = office(cluster, signer)
    signed.work()
    reconcile(cluster)
    signed.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert len(signed.signed) == len(set(signed.signed))
    assert cluster.current == signer.fingerprint
    assert set(cluster.states) == {one.fingerprint for one in roots}
    assert issuing_secrets(cluster) == []


@ONCE
@pytest.mark.parametrize("signing", [0, 1], ids=["the first", "the second"])
def test_of_several_roots_before_the_first_ca_the_certificate_of_the_operator_tells(
    cluster: WatchedCluster, signing: int, golden: GoldenFiles
) -> None:
    """Nothing runs yet, so all of them are trusted when the first node starts, and none restarts for it."""
    roots = two_roots()
    wants(cluster, *roots)
    told = reconcile(cluster, goal=Goal.CREATE)
    assert (told.violations, cluster.writes, len(told.waiting)) == ((), 0, 2)
    told = reconcile(cluster, *roots, goal=Goal.CREATE)
    assert (told.violations, told.done, cluster.memory.api.find("secrets", "kafka", CERTIFICATES)) == ((), False, None)
    golden.compare_said("flows", told.waiting[0])
    signer = roots[signing]
    office(cluster, signer).work()
    reconcile(cluster, *roots, goal=Goal.CREATE)
    assert cluster.current == signer.fingerprint
    first = cluster.secret("demo-cluster-operator-certs")
    deployed(cluster, signer)
    # It is asked for once.
    assert first == cluster.secret("demo-cluster-operator-certs") != {}
    assert cluster.states == {signer.fingerprint: IN_USE, roots[1 - signing].fingerprint: UNUSED}
    assert reconcile(cluster).done
    assert (cluster.rolls, issuing_secrets(cluster)) == ({0}, [])


@ONCE
@pytest.mark.parametrize("signing", [0, 1], ids=["the first", "the second"])
def test_of_several_roots_before_the_first_ca_vault_signs_by_one(cluster: WatchedCluster, signing: int) -> None:
    """It answers at once, so the first call that is confirmed makes that CA the one in use."""
    roots = two_roots()
    wants(cluster, *roots)
    with serving(FakeVault()) as vault:
        issuer = ByVault(Signing(roots[signing], cluster.memory, ""), vault)
        cluster.issuer = issuer.settings
        told = cluster.run(Goal.CREATE, external_issuer=issuer.reference).outcome.decision
        assert (told.violations, cluster.writes, len(told.waiting)) == ((), 0, 2)
        asking = {"external_issuer": issuer.reference, "confirmed_roots": confirmed(*roots)}
        told = cluster.run(Goal.CREATE, **asking).outcome.decision
        assert (told.violations, cluster.current) == ((), roots[signing].fingerprint)
        cluster.deploy()
        cluster.run(Goal.CREATE, **asking)
        cluster.memory.settle(2)
        cluster.finish(Goal.CREATE, **asking)
        assert cluster.run(Goal.RECONCILE, external_issuer=issuer.reference).outcome.decision.done
    assert cluster.states == {roots[signing].fingerprint: IN_USE, roots[1 - signing].fingerprint: UNUSED}
    assert (cluster.rolls, cluster.ready, issuing_secrets(cluster)) == ({0}, True, [])


@ONCE
def test_a_lost_source_holds_no_flow_in_flight(cluster: WatchedCluster) -> None:
    cluster.create()
    corporate = root()
    wants(cluster, corporate)
    reconcile(cluster, corporate)
    cluster.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{SOURCE.name}")
    office(cluster, corporate).work()
    decision = reconcile(cluster)
    assert cluster.current == corporate.fingerprint
    assert ["does not exist" in violation.message for violation in decision.violations] == [True]


@ONCE
def test_other_work_goes_on_while_a_ca_waits_to_be_confirmed(cluster: WatchedCluster) -> None:
    cluster.create()
    corporate, added = root(), root("Added by hand")
    wants(cluster, corporate)
    cluster.put(CERTIFICATES, added_crt=added.pem)
    told = reconcile(cluster)
    assert corporate.chain[0].sha256 in told.waiting[0]
    assert cluster.states[added.fingerprint] == UNUSED
