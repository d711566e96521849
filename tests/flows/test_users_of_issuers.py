# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of users by every issuer: there and back, and no program is refused (docs/users.md, "A CA whose key is elsewhere")."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.looking import observe_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.certificates import (
    find_left_over,
    remove,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_source import CaSourceReference
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
    ExternalIssuer,
    IssuerSettings,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.asked_issuers import AskedIssuer, asked_issuer
from ..tools.support.authorities import Authority, root
from ..tools.support.cert_manager import NAMESPACE
from ..tools.support.cert_manager_certificates import MemoryCertificates
from ..tools.support.certificates import YEAR, Entity
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.flows import START
from ..tools.support.golden import GoldenFiles
from ..tools.support.misissuing import Signing
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.signing_office import SigningOffice
from .test_clients_ca import assert_only
from .test_users_issued_elsewhere import ASKED, FIVE, assert_served, elsewhere, requests_left

#: Certificates begin so much before they are made, as those of most issuers do.
_CLOCKS = timedelta(minutes=1)


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    return clients_cluster


@dataclass
class ByCertificates:
    """cert-manager with a Certificate for each user."""

    manager: MemoryCertificates
    reference: str = "cert-manager Issuer corporate by Certificates"
    settings: IssuerSettings = field(default_factory=lambda: CertManagerCertificates(CertManagerIssuer("corporate")))

    def work(self) -> None:
        """This issuer answers by itself."""


@dataclass
class Issued:
    """A cluster with an issuer of the next clients CA."""

    cluster: ClientsCluster
    authority: Authority
    issuer: AskedIssuer | ByCertificates

    def run(self, goal: Goal, supplied: Authority | None = None, **intent: Any) -> Any:
        return self.cluster.run(goal, supplied, external_issuer=self.issuer.reference, **intent)

    def finish(self, goal: Goal, supplied: Authority | None = None, **intent: Any) -> None:
        self.run(goal, supplied, **intent)
        self.issuer.work()
        self.cluster.finish(goal, supplied, external_issuer=self.issuer.reference, **intent)

    @property
    def certificates(self) -> dict[str, dict[str, Any]]:
        """Certificates of cert-manager."""
        return {one["metadata"]["name"]: one for one in self.cluster.memory.api.all("certificates", NAMESPACE)}


KINDS = ("external", "cert-manager", "cert-manager by Certificates", "vault")


def issued(cluster: ClientsCluster, kind: str, until: ExitStack) -> Issued:
    """until: ends the issuer."""
    authority = elsewhere(root("Corporate Root", end=START + 10 * YEAR))
    if kind == KINDS[2]:

        def clock() -> datetime:
            return START + timedelta(seconds=cluster.memory.seconds) - _CLOCKS

        entity = Entity(authority.chain[0], authority.keys[0])
        by = ByCertificates(MemoryCertificates(cluster.memory.api, entity, clock=clock))
        return Issued(cluster, authority, by)
    found = until.enter_context(asked_issuer(kind, Signing(authority, cluster.memory, "")))
    return Issued(cluster, authority, found)


@pytest.fixture
def by(request: pytest.FixtureRequest, cluster: ClientsCluster, nodes: ReloadingNodes) -> Iterator[Issued]:
    """The users of the cluster have certificates of the User Operator."""
    with ExitStack() as until:
        one = issued(cluster, request.param, until)
        cluster.begin(*FIVE)
        cluster.issuer = one.issuer.settings
        yield one


every_issuer = pytest.mark.parametrize("by", KINDS, indirect=True)
by_certificates = pytest.mark.parametrize("by", KINDS[2:3], indirect=True)


@every_issuer
def test_users_move_to_every_issuer_and_back(by: Issued) -> None:
    by.finish(Goal.REPLACE_KEY, by.authority)
    assert_only(by.cluster, by.authority.fingerprint)
    assert_served(by.cluster, by.authority)
    by.cluster.finish(Goal.REPLACE_KEY, replaces=by.cluster.current, external_issuer=by.issuer.reference)
    assert_only(by.cluster, by.cluster.current)
    assert by.cluster.issuers() == {"CN=clients-ca v2,O=io.strimzi"}
    assert (requests_left(by.cluster), by.cluster.rolls) == ([], {0})
    assert by.cluster.memory.api.all("certificaterequests", NAMESPACE) == [] or by.certificates


def sign_wrongly(by: Issued, user: str) -> None:
    """From now on another CA signs the certificates of this user."""
    stranger = root("Stranger", end=START + 10 * YEAR)
    if isinstance(by.issuer, ByCertificates):
        manager = by.issuer.manager
        right, sign = manager.authority, manager._sign

        def signed(spec: dict[str, Any]) -> bytes:
            is_theirs = user in str(x509.load_pem_x509_csr(base64.b64decode(spec["request"])).subject)
            manager.authority = Entity(stranger.chain[0], stranger.keys[0]) if is_theirs else right
            return sign(spec)

        manager._sign = signed  # type: ignore[method-assign]
    else:
        by.issuer.signing.mistake = lambda template: (
            replace(template, issuer=stranger) if user in str(template.subject) else template
        )


@every_issuer
def test_a_user_whose_certificate_is_refused_each_time_fails_the_schedule_and_the_others_are_served(by: Issued) -> None:
    by.finish(Goal.REPLACE_KEY, by.authority)
    sign_wrongly(by, "alerts")
    by.cluster.add("alerts", "billing")
    nights = 0
    while not (decision := by.run(Goal.RECONCILE).outcome.decision).violations:
        by.issuer.work()
        assert (decision.done, nights < 11) == (False, True)
        by.cluster.memory.seconds += timedelta(days=1).total_seconds()
        nights += 1
    assert nights >= 4
    (found,) = decision.violations
    assert (found.condition, found.subject) == (Condition.LEAVES_ARE_ISSUED, "Secret kafka/alerts")
    assert "CN=Stranger" in found.message
    assert by.cluster.secret("alerts") == {}
    by.cluster.memory.settle(2)
    assert parse_certificates(by.cluster.secret("billing")["user.crt"])[0].issuer == by.authority.chain[0].subject


@by_certificates
def test_a_renewal_of_cert_manager_that_is_refused_each_time_fails_the_schedule_in_time(by: Issued) -> None:
    """The administrator has exchanged the CA behind the issuer: nothing is wrong for the run before the certificate is in its time for renewal."""
    by.finish(Goal.REPLACE_KEY, by.authority)
    user = FIVE[0]
    sign_wrongly(by, user)
    stored = by.cluster.secret(user)["user.crt"]
    end = parse_certificates(stored)[0].not_after
    by.cluster.memory.seconds += (end - by.cluster.work().clock.now() - timedelta(days=46)).total_seconds()
    while not (decision := by.run(Goal.RECONCILE).outcome.decision).violations:
        by.cluster.memory.seconds += timedelta(days=1).total_seconds()
        assert by.cluster.work().clock.now() < end
    assert {(found.condition, found.subject) for found in decision.violations} == {
        (Condition.LEAVES_ARE_ISSUED, f"Secret kafka/{user}")
    }
    assert end - by.cluster.work().clock.now() > timedelta(days=30)
    assert by.cluster.secret(user)["user.crt"] == stored


@by_certificates
def test_a_certificate_is_kept_where_no_operator_looks(by: Issued) -> None:
    by.finish(Goal.REPLACE_KEY, by.authority)
    assert set(by.certificates) == set(FIVE)
    for user, one in by.certificates.items():
        assert (one["spec"]["secretName"], one["spec"]["commonName"]) == (f"{user}-cm", user)
        assert "subject" not in one["spec"]
        assert one["spec"]["usages"] == ["digital signature", "key encipherment", "client auth"]
        kept = by.cluster.memory.api.find("secrets", NAMESPACE, f"{user}-cm") or {}
        assert not any(label.startswith("strimzi.io/") for label in kept["metadata"]["labels"])
        assert by.cluster.secret(f"{user}-cm")["tls.crt"].startswith(by.cluster.secret(user)["user.crt"].strip())


@by_certificates
def test_a_user_certificate_that_cert_manager_renews_is_copied_by_the_next_run(by: Issued) -> None:
    by.finish(Goal.REPLACE_KEY, by.authority)
    assert isinstance(by.issuer, ByCertificates)
    by.cluster.memory.seconds += 7200
    before = by.cluster.secret(FIVE[0])["user.crt"]
    by.issuer.manager.renew(FIVE[0])
    assert by.cluster.secret(FIVE[0])["user.crt"] == before
    by.cluster.finish(Goal.RECONCILE, external_issuer=by.issuer.reference)
    assert by.cluster.secret(FIVE[0])["user.crt"] != before
    assert_served(by.cluster, by.authority)


@by_certificates
def test_a_user_certificate_that_no_listener_trusts_is_not_copied(by: Issued, golden: GoldenFiles) -> None:
    """The administrator has exchanged the CA behind the issuer, and cert-manager renews by it."""
    by.finish(Goal.REPLACE_KEY, by.authority)
    assert isinstance(by.issuer, ByCertificates)
    stranger = root("Stranger", end=START + 10 * YEAR)
    by.issuer.manager.authority = Entity(stranger.chain[0], stranger.keys[0])
    by.cluster.memory.seconds += 7200
    by.issuer.manager.renew(FIVE[0])
    before = by.cluster.secret(FIVE[0])["user.crt"]
    result = by.run(Goal.RECONCILE)
    golden.compare_said("flows", result.outcome.observation.snapshot.leaves.standing[FIVE[0]].sentences)
    assert by.cluster.secret(FIVE[0])["user.crt"] == before
    assert_served(by.cluster, by.authority)


@by_certificates
def test_left_over_certificates_of_users_are_removed_last(by: Issued, golden: GoldenFiles) -> None:
    """And by no run that tidies up after the cluster CA."""
    by.finish(Goal.REPLACE_KEY, by.authority)
    work = by.cluster.work()
    assert find_left_over(observe_cluster(work), work) == ()
    by.cluster.finish(Goal.REPLACE_KEY, replaces=by.cluster.current, external_issuer=by.issuer.reference)
    assert set(by.certificates) == set(FIVE), "a user who goes back may change their mind"
    other = by.cluster.work()
    other.scope = other.scope.of(CaKind.CLUSTER)
    assert find_left_over(observe_cluster(other), other) == ()
    left = find_left_over(observe_cluster(work), work)
    golden.compare_said("flows", "\n".join(sorted(f"{one.name}: {one.reason}" for one in left)))
    remove(left, work)
    assert by.certificates == {}
    assert by.cluster.secret(f"{FIVE[0]}-cm") == {}
    assert parse_certificates(by.cluster.secret(FIVE[0])["user.crt"])[0].issuer == "CN=clients-ca v2,O=io.strimzi"


@by_certificates
def test_a_user_with_the_name_under_which_another_ones_certificate_is_kept(by: Issued, golden: GoldenFiles) -> None:
    by.cluster.add(f"{FIVE[0]}-cm")
    before = by.cluster.current
    told = by.run(Goal.REPLACE_KEY, by.authority).outcome.decision
    golden.compare_said("flows", told.waiting[1])
    assert (by.cluster.current, FIVE[0] in by.certificates) == (before, False)


@pytest.mark.parametrize("by", KINDS[1:2], indirect=True)
def test_no_renewals_are_ordered_into_the_secret_of_another_user(by: Issued, golden: GoldenFiles) -> None:
    """Both have their certificates when the user who runs the flows moves on to Certificates."""
    other = f"{FIVE[0]}-cm"
    by.cluster.add(other)
    by.finish(Goal.REPLACE_KEY, by.authority)
    before = set(by.cluster.secret(other))
    entity = Entity(by.authority.chain[0], by.authority.keys[0])
    by.issuer = ByCertificates(MemoryCertificates(by.cluster.memory.api, entity))
    by.cluster.issuer = by.issuer.settings
    by.finish(Goal.RECONCILE)
    assert set(by.certificates) == {*FIVE[1:], other}
    standing = by.run(Goal.RECONCILE).outcome.observation.snapshot.leaves.standing
    golden.compare_said("flows", standing[FIVE[0]].sentences)
    assert set(by.cluster.secret(other)) == before


@by_certificates
def test_a_later_user_with_the_name_of_the_secret_of_another_user_is_refused(by: Issued, golden: GoldenFiles) -> None:
    """No certificate goes into the Secret, and no remedy makes it the Secret of both."""
    by.finish(Goal.REPLACE_KEY, by.authority)
    later = f"{FIVE[0]}-cm"
    before = by.cluster.secret(later)
    by.cluster.add(later)
    decision = by.run(Goal.RECONCILE).outcome.decision
    (violation,) = decision.violations
    assert (violation.condition, violation.subject) == (
        Condition.PRESENTERS_CAN_BE_ISSUED_TO, f"KafkaUser kafka/{later}",
    )  # fmt: skip
    assert "label" not in violation.remedy
    golden.compare_stop("presenters_can_be_issued_to, the Secret of another user", violation)
    assert by.cluster.secret(later) == before
    labels = {"strimzi.io/kind": "KafkaUser", "app.kubernetes.io/managed-by": "strimzi-user-operator"}
    by.cluster.change("secrets", later, {"metadata": {"labels": labels}})
    standing = by.run(Goal.RECONCILE).outcome.observation.snapshot.leaves.standing
    golden.compare_said("flows", standing[FIVE[0]].sentences)


@every_issuer
def test_a_new_user_is_served(by: Issued) -> None:
    by.finish(Goal.REPLACE_KEY, by.authority)
    by.cluster.change("kafkausers", FIVE[0], {"metadata": {"annotations": {"team": "looked"}}})
    by.cluster.add("billing")
    assert by.cluster.secret("billing") == {}
    by.cluster.users.keystores = False
    by.finish(Goal.RECONCILE)
    assert parse_certificates(by.cluster.secret("billing")["user.crt"])[0].subject == "CN=billing"


def test_an_issuer_that_is_named_for_nothing_is_not_asked(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The User Operator issues as long as the key is here."""
    cluster.begin()
    cluster.issuer = ExternalIssuer()
    cluster.finish(Goal.REPLACE_KEY, replace(root("Brought"), elsewhere=False), external_issuer="the external issuer")
    assert cluster.users.issued[-2:] == ["orders", "payments"]
    assert requests_left(cluster) == []


def test_the_source_says_which_ca_is_to_be_trusted(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """As trust-manager writes it: a new one is asked about first, then users get certificates of it."""
    cluster.begin()
    cluster.run(Goal.RECONCILE)
    before, supplied = cluster.current, root("Corporate Root")
    cluster.source = CaSourceReference("Secret", NAMESPACE, "corporate-ca", "ca.crt")
    cluster.memory.apply({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "corporate-ca"},
        "data": {"ca.crt": base64.b64encode(supplied.pem).decode()},
    })  # fmt: skip
    told = cluster.run(Goal.RECONCILE, external_issuer=ASKED).outcome.decision
    assert (told.violations, told.done, cluster.writes, cluster.current) == ((), False, 0, before)
    assert supplied.chain[0].sha256 in told.waiting[0]
    confirmed = frozenset({supplied.chain[0].sha256})
    cluster.run(Goal.RECONCILE, external_issuer=ASKED, confirmed_roots=confirmed)
    SigningOffice(cluster.memory, supplied, START).work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED, confirmed_roots=confirmed)
    assert_only(cluster, supplied.fingerprint)
    assert_served(cluster, supplied)
