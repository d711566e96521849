# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An issuer that renews by itself, and makes the keys: cert-manager with a Certificate for each leaf."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.looking import observe_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.certificates import (
    find_left_over,
    remove,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import FIELD_MANAGER
from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import Standing
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey, load_stored_key
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
    ExternalIssuer,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.authorities import Authority, root
from ..tools.support.cert_manager import NAMESPACE
from ..tools.support.cert_manager_certificates import MemoryCertificates, path_of_certificate
from ..tools.support.certificates import YEAR, Entity
from ..tools.support.completing import POLICY_ENGINE, Completing, When
from ..tools.support.flows import START, FlowResult, run_flow
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.memory_api import Change, merge
from ..tools.support.permissions import Restricted
from ..tools.support.watched_cluster import WatchedCluster, assert_only, fingerprints
from .test_kept_elsewhere import advertise, names_in

ASKED = "cert-manager Issuer corporate by Certificates"
NODE = "demo-kafka-0"
OWN = {"app.kubernetes.io/managed-by": "trustops.strimzi", "strimzi.io/cluster": "demo"}
#: Certificates begin so much before they are made, as those of most issuers do.
CLOCKS = timedelta(minutes=1)


@dataclass
class Managed:
    """A cluster whose leaves are renewed by cert-manager."""

    cluster: WatchedCluster
    manager: MemoryCertificates

    def run(self, goal: Goal = Goal.RECONCILE, supplied: Authority | None = None) -> FlowResult:
        return self.cluster.run(goal, supplied, external_issuer=ASKED)

    def finish(self, goal: Goal = Goal.RECONCILE, supplied: Authority | None = None) -> None:
        self.cluster.finish(goal, supplied, external_issuer=ASKED)

    def pass_time(self, time: timedelta = timedelta(minutes=2)) -> None:
        self.cluster.memory.seconds += time.total_seconds()

    def replace_authority(self, authority: Authority) -> None:
        """The administrator exchanges the CA behind the issuer."""
        self.manager.authority = Entity(authority.chain[0], authority.keys[0])

    def kept(self, name: str = NODE) -> dict[str, bytes]:
        return self.cluster.secret(f"{name}-cm")

    def certificate(self, name: str = NODE) -> dict[str, Any] | None:
        return self.cluster.memory.api.find("certificates", NAMESPACE, name)

    def change(self, patch: dict[str, Any], name: str = NODE) -> None:
        path, kind = path_of_certificate(NAMESPACE, name), "application/merge-patch+json"
        assert self.cluster.memory.api.request("PATCH", path, body=patch, content_type=kind).status == 200

    def in_use(self, name: str = NODE) -> str:
        return fingerprints(self.cluster.secret(name)[f"{name}.crt"])[0]

    def is_in_use(self, name: str = NODE) -> bool:
        stored, kept = self.cluster.secret(name), self.kept(name)
        same_key = load_stored_key(stored[f"{name}.key"]) == load_stored_key(kept["tls.key"])
        return self.in_use(name) == fingerprints(kept["tls.crt"])[0] and same_key

    def standing(self, result: FlowResult, name: str = NODE) -> Standing:
        return result.outcome.observation.snapshot.leaves.standing[name]


def elsewhere(name: str = "Corporate Root") -> Authority:
    return replace(root(name, end=START + 10 * YEAR), elsewhere=True)


@pytest.fixture
def managed(cluster: WatchedCluster) -> Managed:
    """A cluster that has moved to an issuer of cert-manager."""
    cluster.create()
    supplied = elsewhere()

    def clock() -> datetime:
        return START + timedelta(seconds=cluster.memory.seconds) - CLOCKS

    entity = Entity(supplied.chain[0], supplied.keys[0])
    manager = MemoryCertificates(cluster.memory.api, entity, clock=clock)
    cluster.issuer = CertManagerCertificates(CertManagerIssuer("corporate"))
    one = Managed(cluster, manager)
    one.finish(Goal.REPLACE_KEY, supplied)
    assert_only(cluster, supplied.fingerprint)
    cluster.look_away()
    one.pass_time()
    return one


def test_every_leaf_is_that_of_a_certificate_of_its_name(managed: Managed) -> None:
    names = {one["metadata"]["name"] for one in managed.cluster.memory.api.all("certificates", NAMESPACE)}
    assert NODE in names
    assert len(names) > 2
    for name in names - {"demo-cluster-operator-certs"}:
        entry = next(key for key in managed.cluster.secret(name) if key.endswith(".crt"))
        assert fingerprints(managed.cluster.secret(name)[entry])[0] == fingerprints(managed.kept(name)["tls.crt"])[0]
    assert [
        one for one in managed.cluster.memory.api.all("secrets", NAMESPACE) if "-issuing-" in one["metadata"]["name"]
    ] == []


@pytest.mark.usefixtures("uptake")
def test_a_renewal_is_taken_up(managed: Managed) -> None:
    managed.manager.renew(NODE)
    assert not managed.is_in_use()
    managed.finish()
    managed.cluster.memory.settle(2)
    assert managed.is_in_use()
    assert managed.cluster.ready
    assert set(managed.cluster.issued_by_operator) <= {"demo-clients-ca"}


@pytest.mark.long
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_every_write_while_a_renewal_is_taken_up(managed: Managed, after: bool) -> None:
    """The key of a leaf at hand is never lost, and the next run takes up each renewal."""
    cluster, killed = managed.cluster, 0
    for at in count(1):
        managed.pass_time()
        managed.manager.renew(NODE)
        transport = KillingTransport(cluster.permitted, at, after)
        try:
            run_flow(cluster.work(transport=transport), cluster.intent(Goal.RECONCILE, external_issuer=ASKED))
        except Killed:
            killed += 1
        managed.finish()
        assert managed.is_in_use()
        cluster.memory.settle(2)
        assert cluster.ready
        if not transport.killed:
            break
    assert killed > 5


def test_a_key_in_pkcs_1_form_is_stored_in_pkcs_8_form(managed: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strimzi reads no other (docs/operator.md, "Leaves")."""
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pkcs_1 = made.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    assert pkcs_1.startswith(b"-----BEGIN RSA PRIVATE KEY-----")
    monkeypatch.setattr(managed.manager, "new_key", lambda: PrivateKey(made))
    monkeypatch.setattr(managed.manager, "form", lambda key: pkcs_1)
    managed.manager.renew(NODE)
    assert managed.kept()["tls.key"] == pkcs_1
    managed.finish()
    assert managed.is_in_use()
    assert managed.cluster.secret(NODE)[f"{NODE}.key"].startswith(b"-----BEGIN PRIVATE KEY-----")


def test_a_leaf_that_no_node_can_validate_waits(managed: Managed, golden: GoldenFiles) -> None:
    before, other = managed.in_use(), elsewhere("Next Root")
    managed.replace_authority(other)
    managed.manager.renew(NODE)
    result = managed.run()
    assert (managed.cluster.writes, managed.in_use()) == (0, before)
    standing = managed.standing(result)
    golden.compare_said("flows", standing.sentences)
    assert standing.authority == ""
    managed.finish(Goal.REPLACE_KEY, other)
    assert_only(managed.cluster, other.fingerprint)
    assert managed.is_in_use()


def test_a_key_is_stored_before_its_certificate_counts(managed: Managed) -> None:
    """A run that is killed in between loses no key."""
    seen: list[bool] = []

    def look(change: Change) -> None:
        if change.name == "demo-issuing-kafka" and f"{NODE}.pending" in ((change.new or {}).get("data") or {}):
            seen.append(f"{NODE}.key" in managed.cluster.secret("demo-issuing-kafka-keys"))

    managed.cluster.memory.api.listeners.append(look)
    managed.manager.renew(NODE)
    managed.finish()
    assert set(seen) == {True}


def test_a_renewal_by_the_ca_that_is_replaced_is_no_answer(managed: Managed) -> None:
    """The run has not taken it up when the user replaces the CA: its leaf is issued again at once, and not refused first."""
    managed.manager.renew(NODE)
    other = elsewhere("Next Root")
    managed.replace_authority(other)
    managed.finish(Goal.REPLACE_KEY, other)
    assert_only(managed.cluster, other.fingerprint)
    assert managed.is_in_use()


def test_other_names_are_wanted_while_the_ca_is_replaced(managed: Managed) -> None:
    """In the pause nothing shows which names the operator wants: its orders and their answers are as right as before."""
    advertise(managed.cluster, "kafka.corp.example")
    other = elsewhere("Next Root")
    managed.replace_authority(other)
    managed.finish(Goal.REPLACE_KEY, other)
    assert_only(managed.cluster, other.fingerprint)
    assert "kafka.corp.example" in names_in(managed.cluster, NODE)
    assert managed.is_in_use()
    assert managed.cluster.ready


def test_a_pause_says_nothing_against_names_that_were_ordered(managed: Managed) -> None:
    advertise(managed.cluster, "kafka.corp.example")
    managed.manager.is_asleep = True
    managed.run()
    managed.cluster.change("kafkas", "demo", {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}})
    managed.cluster.memory.settle(1)
    seen = observe_cluster(managed.cluster.work()).snapshot.leaves
    assert (seen.requests[NODE].outdated, seen.standing[NODE].differs) == ("", "")


def test_a_leaf_that_is_due_is_issued_again(managed: Managed) -> None:
    before = managed.in_use()
    managed.pass_time(timedelta(days=330))
    managed.finish(Goal.RENEW_LEAVES)
    assert managed.in_use() != before
    assert managed.is_in_use()


CHANGES: tuple[dict[str, Any], ...] = (
    {"additionalOutputFormats": [{"type": "DER"}]},
    {"renewBefore": None, "renewBeforePercentage": 5},
    {"secretTemplate": {"labels": {"strimzi.io/kind": "Kafka"}}},
)


def test_a_certificate_that_was_changed_by_hand_is_corrected(managed: Managed) -> None:
    wanted, before = (managed.certificate() or {})["spec"], managed.in_use()
    for spec in CHANGES:
        managed.change({"spec": spec})
        assert (managed.certificate() or {})["spec"] != wanted
        managed.finish()
        assert (managed.certificate() or {})["spec"] == wanted
    assert managed.cluster.rolls == {0}
    assert managed.in_use() == before


def certificates_written(managed: Managed, begun: int) -> int:
    """How often the collection has written Certificates since this write."""
    return sum(
        one.manager == FIELD_MANAGER and one.plural == "certificates"
        for one in managed.cluster.memory.api.writes[begun:]
    )


def requests_made(managed: Managed, begun: int) -> int:
    """How many requests cert-manager has made since this write."""
    return sum(
        (one.verb, one.plural) == ("create", "certificaterequests") for one in managed.cluster.memory.api.writes[begun:]
    )


@dataclass(frozen=True)
class Forced:
    """A policy that forces fields of each Certificate."""

    spec: dict[str, Any]

    def __call__(self, plural: str, new: dict[str, Any], *, created: bool) -> None:
        if plural == "certificates":
            merge(new["spec"], self.spec)


FORCED = [
    ({"duration": "4000h"}, "duration is 4000h and is to be "),
    ({"issuerRef": {"kind": "ClusterIssuer"}}, "issuerRef.kind is ClusterIssuer and is to be Issuer"),
    (
        {"additionalOutputFormats": [{"type": "DER"}]},
        'additionalOutputFormats is [{"type": "DER"}] and is to be absent',
    ),
    ({"secretTemplate": {"labels": {"strimzi.io/cluster": "other"}}}, "strimzi.io/cluster is other and is to be demo"),
]


@pytest.mark.parametrize("when", When, ids=lambda one: one.value)
@pytest.mark.parametrize(("spec", "told"), FORCED, ids=[next(iter(spec)) for spec, _told in FORCED])
def test_a_correction_that_is_written_back_keeps_no_leaf_from_its_use(
    managed: Managed, spec: dict[str, Any], told: str, when: When
) -> None:
    """A renewed leaf is taken up; each Certificate is corrected once a day, and people are told of field, values and
    writer.
    """
    api = managed.cluster.memory.api
    Completing(api, when, Forced(spec)).begin()
    names = [one["metadata"]["name"] for one in api.all("certificates", NAMESPACE)]
    managed.pass_time()
    managed.manager.renew(NODE)
    begun = len(api.writes)
    result = managed.run()
    assert result.outcome.decision.done
    if "secretTemplate" not in spec:
        assert managed.is_in_use()
    assert certificates_written(managed, begun) == len(names)
    # A request after the correction, and a request after the write that undoes it.
    assert requests_made(managed, begun) <= 2 * len(names)
    sentences = managed.standing(result).written_back
    for part in (f"Certificate kafka/{NODE}", told, POLICY_ENGINE, "docs/other-writers.md"):
        assert part in sentences
    begun = len(api.writes)
    managed.finish()
    assert (managed.cluster.writes, requests_made(managed, begun)) == (0, 0)
    managed.pass_time(timedelta(days=1))
    managed.finish()
    assert certificates_written(managed, begun) == len(names)


def test_a_leaf_that_a_correction_has_issued_again_is_taken_up_by_the_same_call(
    managed: Managed, golden: GoldenFiles
) -> None:
    """As the playbook ``reconcile`` calls. No plan has foreseen the restarts, so the call says what they come from."""
    managed.change({"spec": {"usages": ["client auth", "server auth"]}})
    managed.pass_time()
    result = managed.cluster.run(Goal.RECONCILE, external_issuer=ASKED, in_one_call=True)
    assert result.outcome.decision.done, [str(one) for one in result.outcome.decision.violations]
    assert managed.is_in_use()
    assert max(managed.cluster.counts().values()) == 1
    (told,) = [one for one in result.warnings if "More is restarted than planned" in one]
    golden.compare_said("flows", told)


def test_a_correction_that_is_refused_keeps_no_leaf_from_its_use(managed: Managed) -> None:
    """A policy of the Kubernetes cluster admits no such Certificate."""
    managed.change({"spec": {"duration": "4000h"}})
    managed.pass_time()
    managed.manager.renew(NODE)
    managed.cluster.permitted = Restricted(managed.cluster.memory.api, denied=frozenset({"patch certificates"}))
    with pytest.raises(Forbidden, match=f"Certificate kafka/{NODE}"):
        managed.run()
    assert managed.is_in_use()


def test_other_names_are_corrected_before_they_are_used(managed: Managed) -> None:
    before = managed.in_use()
    managed.change({"spec": {"dnsNames": ["elsewhere.example"], "duration": "24h"}})
    managed.pass_time()
    managed.run()
    managed.finish()
    assert managed.in_use() != before
    assert "elsewhere.example" not in str(managed.certificate())
    assert managed.is_in_use()


def test_a_deleted_certificate_is_made_again(managed: Managed) -> None:
    before = managed.in_use()
    managed.cluster.memory.api.request("DELETE", path_of_certificate(NAMESPACE, NODE))
    managed.finish()
    assert managed.certificate() is not None
    assert managed.in_use() == before


def test_a_certificate_of_another_owner_is_never_overwritten(managed: Managed, golden: GoldenFiles) -> None:
    managed.change({"metadata": {"labels": {"app.kubernetes.io/managed-by": "Helm"}}, "spec": {"duration": "48h"}})
    theirs = managed.certificate()
    result = managed.run()
    assert managed.certificate() == theirs
    golden.compare_said("flows", managed.standing(result).sentences)


def test_a_failed_renewal_is_told(managed: Managed, golden: GoldenFiles) -> None:
    before = managed.in_use()
    managed.manager.approving = frozenset()
    managed.manager.renew(NODE)
    managed.manager.fail(NODE, "no more certificates today")
    result = managed.run()
    assert (managed.cluster.writes, managed.in_use()) == (0, before)
    golden.compare_said("flows", managed.standing(result).sentences)


def test_a_lost_secret_is_told_and_nothing_else_happens(managed: Managed, golden: GoldenFiles) -> None:
    before = managed.in_use()
    managed.manager.is_asleep = True
    managed.cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{NODE}-cm")
    result = managed.run()
    assert (managed.cluster.writes, managed.in_use()) == (0, before)
    golden.compare_said("flows", managed.standing(result).sentences)


def test_secrets_of_certificates_are_none_of_the_operator(managed: Managed) -> None:
    """It deletes those with its four labels that it does not know (docs/operator.md, "Leaves")."""
    managed.cluster.memory.settle(3)
    assert managed.kept()
    labels = (managed.cluster.memory.api.find("secrets", NAMESPACE, f"{NODE}-cm") or {})["metadata"]["labels"]
    assert {one for one in labels if one.startswith("strimzi.io/")} == {"strimzi.io/cluster"}


def delete(managed: Managed, path: str) -> None:
    assert managed.cluster.memory.api.request("DELETE", path).status == 200


def tidied(managed: Managed, *, dry_run: bool = False, transport: Any = None) -> list[tuple[str, str]]:
    """Verb and object of what is removed."""
    work = replace(managed.cluster.work(transport=transport), actions=[], dry_run=dry_run)
    remove(find_left_over(observe_cluster(work), work), work)
    return [(action.verb, action.object) for action in work.actions]


def test_certificates_in_use_are_not_left_over(managed: Managed) -> None:
    """A Certificate in use is left over neither for its own issuer nor for another one that is named too early."""
    assert tidied(managed) == []
    managed.cluster.issuer = ExternalIssuer()
    in_use = {f"Certificate kafka/{name}" for name in ("demo-kafka-0", "demo-kafka-1")}
    assert not in_use & {what for _verb, what in tidied(managed)}
    assert managed.certificate() is not None


def test_what_is_left_of_a_certificate_in_use_is_not_left_over(managed: Managed) -> None:
    """``reconcile`` makes the Certificate again, and cert-manager goes on with the Secret; with another issuer it stays until the leaf is replaced."""
    managed.manager.is_asleep = True
    delete(managed, path_of_certificate(NAMESPACE, NODE))
    assert tidied(managed) == []
    managed.cluster.issuer = ExternalIssuer()
    assert ("delete", f"Secret kafka/{NODE}-cm") not in tidied(managed)


@pytest.fixture
def moved(managed: Managed) -> Managed:
    """The cluster has moved to another issuer, and its Certificates are left over."""
    managed.cluster.issuer = ExternalIssuer()
    managed.cluster.finish(Goal.REPLACE_KEY, replaces=managed.cluster.current)
    managed.manager.is_asleep = True
    return managed


def test_a_certificate_that_another_issuer_replaced_is_removed_with_its_secret(moved: Managed) -> None:
    planned = tidied(moved, dry_run=True)
    assert ("delete", f"Certificate kafka/{NODE}") in planned
    assert moved.certificate() is not None
    theirs = "/apis/cert-manager.io/v1/namespaces/kafka/certificates"
    moved.cluster.memory.api.request("POST", theirs, body={"metadata": {"name": "theirs"}, "spec": {"secretName": "a"}})
    assert tidied(moved) == planned
    left = moved.cluster.memory.api.all("certificates", NAMESPACE)
    assert [one["metadata"]["name"] for one in left] == ["theirs"]
    assert moved.kept() == {}
    assert tidied(moved) == []
    assert moved.cluster.ready


def test_a_certificate_of_a_node_that_is_gone_is_removed(managed: Managed) -> None:
    body = {**(managed.certificate() or {}), "metadata": {"name": "demo-kafka-9", "labels": OWN}}
    path = "/apis/cert-manager.io/v1/namespaces/kafka/certificates"
    managed.manager.is_asleep = True
    managed.cluster.memory.api.request("POST", path, body=body)
    assert tidied(managed) == [("delete", "Certificate kafka/demo-kafka-9")]


def test_a_killed_removal_leaves_no_key_behind(moved: Managed) -> None:
    """Each call is killed after its first write."""
    killed = True
    while killed:
        transport = KillingTransport(moved.cluster.permitted, 1, after=True)
        with suppress(Killed):
            tidied(moved, transport=transport)
        killed = transport.killed
    assert moved.cluster.memory.api.all("certificates", NAMESPACE) == []
    secrets = {str(one["metadata"]["name"]) for one in moved.cluster.memory.api.all("secrets", NAMESPACE)}
    assert not {name for name in secrets if name.endswith("-cm")}


#: Annotations that differ from those of the Secret of a Certificate that is gone, and Certificates that are there, with their Secrets.
THEIRS: Mapping[str, tuple[dict[str, str | None], dict[str, str]]] = {
    "without the mark of this collection": ({"trustops.strimzi/kept-for": None}, {}),
    "of the other CA": ({"trustops.strimzi/kept-for": "demo-clients-ca"}, {}),
    "of another Kafka cluster": ({"trustops.strimzi/kept-for": "other-cluster-ca"}, {}),
    "of a Certificate of another name": ({"cert-manager.io/certificate-name": "demo-kafka-9"}, {}),
    "of a Certificate that another writer has made": ({}, {"demo-kafka-8": "theirs"}),
    "named by a Certificate that another writer has made": ({}, {"theirs": "demo-kafka-8-cm"}),
}


def test_a_secret_that_another_program_may_own_stays(cluster: WatchedCluster) -> None:
    cluster.create()
    api, entity = cluster.memory.api, elsewhere()
    managed = Managed(cluster, MemoryCertificates(api, Entity(entity.chain[0], entity.keys[0]), is_asleep=True))
    certificates, secrets = path_of_certificate(NAMESPACE, ""), f"/api/v1/namespaces/{NAMESPACE}/secrets/"
    own = {"trustops.strimzi/kept-for": "demo-cluster-ca", "cert-manager.io/certificate-name": "demo-kafka-8"}
    metadata = {"name": "demo-kafka-8-cm", "labels": ClusterNames(NAMESPACE, "demo").beside_labels}
    for case, (changed, theirs) in THEIRS.items():
        marks = {name: value for name, value in {**own, **changed}.items() if value is not None}
        api.request("POST", secrets[:-1], body={"metadata": {**metadata, "annotations": marks}})
        for name, secret in theirs.items():
            api.request("POST", certificates[:-1], body={"metadata": {"name": name}, "spec": {"secretName": secret}})
        assert tidied(managed) == [], case
        for path in (secrets + "demo-kafka-8-cm", *(certificates + name for name in theirs)):
            delete(managed, path)
    api.request("POST", secrets[:-1], body={"metadata": {**metadata, "annotations": own}})
    assert tidied(managed) == [("delete", "Secret kafka/demo-kafka-8-cm")]
