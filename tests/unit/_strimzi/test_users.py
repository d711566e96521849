# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of a cluster as they are found: their Secrets, the CA that each certificate is of, and who presents it."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import entries
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users import secrets
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.readers import (
    NamedCertificate,
    read_named,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.secrets import (
    UNOPENED,
    ClientsCa,
    UserCertificate,
    is_to_be_opened,
    read_user_secret,
    why_stale,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import (
    KnownUsers,
    User,
    Users,
    read_users,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    Named,
    NamedSecret,
    ReissuePause,
    UserNamespace,
)

from ...operator import certs
from ...support.certificates import NOW, Entity, key, make
from ...support.permissions import Restricted
from .bench import SCOPE, Bench, Object, conditions, kafka, pem, secret

OLD, NEW = make("clients-ca v0", key(0)), make("clients-ca v1", key(1))
STRANGER = make("clients-ca v0", key(2))
USER_LABELS = {"strimzi.io/kind": "KafkaUser"}


def of(issuer: Entity, name: str = "orders", number: int = 5, **options: object) -> Entity:
    return make(name, key(number), issuer, ca=False, **options)


@cache
def keystore(leaf: Entity) -> bytes:
    return certs.keystore("user", pem(leaf), leaf.key.reveal(), b"secret")


class Stage(Bench):
    """A cluster whose clients CA was replaced by hand: NEW issues, OLD is trusted beside it."""

    def __init__(self, operator: Object | None = None) -> None:
        super().__init__()
        self.create("kafkas", kafka(entityOperator={"userOperator": {} if operator is None else operator}))
        stored = {"ca.crt": pem(NEW), "ca-2027-01-01T00-00-00Z.crt": pem(OLD)}
        self.create("secrets", secret(SCOPE.of(CaKind.CLIENTS).ca_certificate_secret, stored))

    def user(self, name: str = "orders", kind: str = "tls", cluster: str = "demo", **annotations: str) -> None:
        metadata = {"name": name, "labels": {"strimzi.io/cluster": cluster}, "annotations": annotations}
        body = {
            "metadata": metadata,
            "spec": {"authentication": {"type": kind}},
            "status": {"conditions": conditions("Ready")},
        }
        self.create("kafkausers", body)

    def issue(self, leaf: Entity, name: str = "orders", **entries: bytes | None) -> None:
        """entries: other than usual, with _ for a full stop; None takes one away."""
        changed = {entry.replace("_", "."): content for entry, content in entries.items()}
        usual = {
            "ca.crt": pem(NEW),
            "user.crt": pem(leaf),
            "user.key": leaf.key.reveal(),
            "user.p12": keystore(leaf),
            "user.password": b"secret",
            **changed,
        }
        data = {entry: content for entry, content in usual.items() if content is not None}
        self.create("secrets", secret(name, data, labels=USER_LABELS))

    def see(self, **asked: Any) -> Users:
        return read_users(self.client(), SCOPE, NOW, Named(**asked))

    def in_another(self, namespace: str, plural: str, body: Object) -> None:
        root = {"kafkausers": "/apis/kafka.strimzi.io/v1", "kafkaaccesses": "/apis/access.strimzi.io/v1alpha1"}
        path = f"{root.get(plural, '/api/v1')}/namespaces/{namespace}/{plural}"
        assert self.api.request("POST", path, body=body).status == 201

    def seen(self) -> User:
        (user,) = self.see().users
        return user

    def pod(self, name: str, spec: Object, phase: str = "Running") -> None:
        self.create("pods", {"metadata": {"name": name}, "spec": spec, "status": {"phase": phase}})

    def readers(self) -> list[str]:
        return [one.name for one in self.seen().readers]


def one_user(leaf: Entity | None = None, **entries: bytes | None) -> Stage:
    stage = Stage()
    stage.user()
    stage.issue(leaf or of(NEW), **entries)
    return stage


@pytest.mark.parametrize("authority", [OLD, NEW])
def test_each_certificate_is_of_a_ca_that_brokers_trust(authority: Entity) -> None:
    leaf = of(authority)
    found = one_user(leaf).seen()
    assert (found.name, found.authentication, found.secret) == ("orders", "tls", "orders")
    assert (found.ready, found.pause) == (True, ReissuePause.NONE)
    assert found.certificate is not None
    assert found.certificate.authority == authority.certificate
    assert (found.certificate.subject, found.certificate.sha256) == (leaf.certificate.subject, leaf.certificate.sha256)
    assert (found.certificate.not_after, found.certificate.keystore) == (leaf.certificate.not_after, True)
    assert found.certificate.problem == ""


def test_the_end_of_its_ca_is_not_that_of_a_certificate() -> None:
    """Brokers do not look at the dates of what they trust."""
    ended = make("clients-ca v1", NEW.key, end=NOW - timedelta(days=1))
    leaf = of(ended)
    stored = secret("orders", {"ca.crt": pem(ended), "user.crt": pem(leaf), "user.key": leaf.key.reveal()})
    found = read_user_secret(stored, ClientsCa((ended.certificate,), pem(ended)), NOW)
    assert (found.authority, found.problem) == (ended.certificate, "")


@pytest.mark.parametrize(
    ("said", "ready"),
    [([], True), (["Ready"], True), (["ReconciliationPaused"], True), (["NotReady"], False)],
    ids=["nothing yet", "ready", "paused", "not ready"],
)
def test_whether_a_user_is_ready_is_said_by_the_user_operator(said: list[str], ready: bool) -> None:
    stage = one_user()
    stage.change("kafkausers", "orders", {"status": {"conditions": conditions(*said)}}, "status")
    assert stage.seen().ready is ready


@pytest.mark.parametrize(
    ("own", "longest"),
    [([], 40), ([None], 40), ([7], 7), ([7, None], 40), ([7, 400], 400)],
    ids=["no user", "as usual", "shorter", "one as usual", "longer"],
)
def test_how_long_certificates_are_valid_at_most(own: Sequence[int | None], longest: int) -> None:
    stage = Stage()
    for number, days in enumerate(own):
        stage.user(f"user-{number}")
        stage.pod(f"program-{number}", {"volumes": [{"secret": {"secretName": f"user-{number}"}}]})
        if days:
            stage.change("kafkausers", f"user-{number}", {"spec": {"authentication": {"validityDays": days}}})
    stage.user("no-program")
    stage.change("kafkausers", "no-program", {"spec": {"authentication": {"validityDays": 3_000_000}}})
    assert stage.see().longest_life(timedelta(days=40)) == timedelta(days=longest)


WRONG: Sequence[tuple[Entity, dict[str, bytes | None], str]] = [
    (of(STRANGER), {}, "brokers refuse its certificate: "),
    (of(NEW, end=NOW - timedelta(days=1)), {}, "brokers refuse its certificate: "),
    (of(NEW), {"user_key": of(NEW, number=6).key.reveal()}, "its private key does not belong to its certificate"),
    (of(NEW), {"user_key": b"nothing"}, "its private key cannot be used: "),
    (of(NEW), {"user_key": None}, "its private key cannot be used: "),
    (of(NEW), {"user_crt": b"nothing"}, "its user.crt cannot be read: "),
    (of(NEW), {"user_crt": None}, "its user.crt cannot be read: "),
    (
        of(OLD),
        {"ca_crt": pem(OLD)},
        "its ca.crt is not that of the clients CA, so the User Operator issues it anew as soon as it looks",
    ),
    (
        of(NEW),
        {"ca_crt": pem(NEW) + b"\n"},
        "its ca.crt is not that of the clients CA, so the User Operator issues it anew as soon as it looks",
    ),
]


@pytest.mark.parametrize(("leaf", "entries", "problem"), WRONG)
def test_what_is_wrong_is_said(leaf: Entity, entries: dict[str, bytes | None], problem: str) -> None:
    found = one_user(leaf, **entries).seen().certificate
    assert found is not None
    assert found.problem.startswith(problem)


def test_a_chain_behind_the_leaf_counts() -> None:
    """As with an intermediate of the CA of a company."""
    below = make("Users CA", key(8), NEW)
    leaf = make("orders", key(5), below, ca=False)
    found = one_user(leaf, user_crt=pem(leaf, below)).seen().certificate
    assert found is not None
    assert (found.authority, found.problem) == (NEW.certificate, "")


def test_a_secret_that_is_missing_is_said() -> None:
    stage = Stage()
    stage.user()
    certificate = stage.seen().certificate
    assert certificate is not None
    assert certificate.problem == "Secret kafka/orders does not exist"


@pytest.mark.parametrize("lost", ["strimzi.io/kind=KafkaUser", "strimzi.io/cluster=demo"])
def test_a_secret_that_has_lost_its_labels_is_read_all_the_same(lost: str) -> None:
    """A program that reads it presents what is in it."""
    stage = one_user()
    stage.change("secrets", "orders", {"metadata": {"labels": {lost.partition("=")[0]: None}}})
    certificate = stage.seen().certificate
    assert certificate is not None
    assert (certificate.authority, certificate.problem, certificate.unlabelled) == (NEW.certificate, "", (lost,))


class TestKeystores:
    """Programs may read the PKCS#12 file instead of the certificate, and the User Operator never looks into it."""

    LEAF, OTHER = of(NEW), of(OLD, number=6)

    def see(self, stored: bytes, password: bytes | None = b"secret") -> UserCertificate:
        found = one_user(self.LEAF, user_p12=stored, user_password=password).seen().certificate
        assert found is not None
        assert (found.keystore, found.problem, found.authority) == (True, "", NEW.certificate)
        return found

    def test_one_with_the_certificate_and_its_key(self) -> None:
        assert self.see(keystore(self.LEAF)).stale == ""

    @pytest.mark.parametrize(
        ("stored", "password", "why"),
        [
            (None, b"another", "its user.p12 does not open with its password"),
            (None, None, "its user.p12 does not open with its password"),
            (b"", b"secret", "its user.p12 does not open with its password"),
            ("other", b"secret", "its user.p12 holds another certificate than its user.crt"),
        ],
    )
    def test_one_that_no_program_could_use(self, stored: bytes | str | None, password: bytes | None, why: str) -> None:
        content = stored if isinstance(stored, bytes) else keystore(self.OTHER if stored else self.LEAF)
        assert self.see(content, password).stale == why

    def test_one_without_a_key(self) -> None:
        only = pkcs12.serialize_key_and_certificates(
            b"orders", None, certs.load(pem(self.LEAF))[0], None, BestAvailableEncryption(b"secret")
        )
        assert self.see(only).stale == "its user.p12 holds no private key with its certificate"

    @pytest.mark.parametrize(
        ("certificate", "file", "opened"),
        [
            ("strimzi-user-operator", "strimzi-user-operator", False),
            ("trustops.strimzi", "trustops.strimzi", False),
            # The User Operator makes a file of a certificate that has none beside it, whoever has issued that.
            ("trustops.strimzi", "strimzi-user-operator", False),
            ("strimzi-user-operator", "trustops.strimzi", True),
            ("kubectl-edit", "strimzi-user-operator", True),
            ("strimzi-user-operator", "kubectl-edit", True),
            ("kubectl-edit", "kubectl-edit", True),
            ("", "", True),
        ],
    )
    def test_one_that_was_written_with_the_certificate_is_not_opened(
        self, certificate: str, file: str, opened: bool
    ) -> None:
        """It takes too long for ten thousand."""
        stored = secret("orders", {"user.crt": pem(self.LEAF), "user.p12": b"nothing"})
        stored["metadata"]["managedFields"] = [
            _owner(certificate, "user.crt", "user.key"), _owner(file, "user.p12", "user.password")
        ]  # fmt: skip
        assert is_to_be_opened(stored) is opened

    @pytest.mark.parametrize("entry", ["user.crt", "user.key", "user.p12", "user.password"])
    def test_one_of_which_another_program_has_written_an_entry_is_opened(self, entry: str) -> None:
        others = {"user.crt", "user.key", "user.p12", "user.password"} - {entry}
        stored = secret("orders", {"user.crt": pem(self.LEAF), "user.p12": b"nothing"})
        stored["metadata"]["managedFields"] = [_owner("strimzi-user-operator", *others), _owner("velero", entry)]
        assert is_to_be_opened(stored)

    def test_one_is_opened_when_something_hangs_on_it_and_again_when_it_has_changed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stage, opened = one_user(self.LEAF), []

        def count(*what: Any) -> str:
            opened.append(what)
            return why_stale(*what)

        monkeypatch.setattr(secrets, "why_stale", count)
        known = KnownUsers()

        def look(opening: bool) -> tuple[str, int]:
            found = replace(known, opening=opening).each(stage.client(), "kafka", SCOPE.user_selector)
            return found["orders"].stale, len(opened)

        assert [look(opening) for opening in (False, False, True, True, False, True)] == [
            (UNOPENED, 0), (UNOPENED, 0), ("", 1), ("", 1), (UNOPENED, 1), ("", 1)
        ]  # fmt: skip
        patch = {"data": {"user.p12": base64.b64encode(keystore(self.OTHER)).decode()}}
        path = "/api/v1/namespaces/kafka/secrets/orders"
        stage.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json")
        assert look(True) == ("its user.p12 holds another certificate than its user.crt", 2)


def _owner(manager: str, *entries: str) -> Object:
    """As the API server notes what a program has written."""
    return {"manager": manager, "fieldsV1": {"f:data": {f"f:{entry}": {} for entry in entries}}}


@pytest.mark.parametrize("kind", ["tls-external", "scram-sha-512"])
def test_users_without_a_certificate_of_the_operator_have_none(kind: str) -> None:
    stage = Stage()
    stage.user(kind=kind)
    stage.issue(of(NEW))
    assert stage.seen().certificate is None


def test_users_of_other_clusters_are_not_ours() -> None:
    stage = Stage()
    stage.user("theirs", cluster="other")
    assert stage.see().users == ()


def test_prefix_and_namespace_are_those_of_the_user_operator() -> None:
    stage = Stage({"secretPrefix": "kafka-"})
    stage.user(**{"strimzi.io/pause-reconciliation": "true"})
    stage.issue(of(NEW), "kafka-orders")
    found = stage.seen()
    assert (found.secret, found.pause) == ("kafka-orders", ReissuePause.FOREIGN)
    assert found.certificate is not None
    assert found.certificate.problem == ""
    elsewhere = Stage({"watchedNamespace": "users"})
    assert (elsewhere.see().namespace, elsewhere.see().users) == ("users", ())


class TestNotWatched:
    """The User Operator looks in another namespace, and users are left in that of the cluster, or were made there."""

    def stage(self) -> Stage:
        stage = Stage({"watchedNamespace": "users", "secretPrefix": "kafka-"})
        stage.user()
        stage.issue(of(NEW), "kafka-orders")
        stage.issue(of(OLD, "gone", 6), "kafka-gone")
        stage.in_another("kafka", "pods", mounting("app", "kafka-orders"))
        return stage

    def test_users_there_are_seen_with_their_programs(self) -> None:
        found = self.stage().see()
        (user,) = found.users
        assert (found.namespace, found.elsewhere) == ("users", ())
        assert (user.label, user.secret, user.watched) == ("KafkaUser kafka/orders", "kafka-orders", False)
        assert user.certificate is not None
        assert user.certificate.problem == ""
        assert [one.name for one in user.readers] == ["Pod kafka/app"]

    def test_a_secret_is_seen_without_its_user(self) -> None:
        (left,) = self.stage().see().named
        assert (left.secret.label, left.certificate.authority, left.is_kept) == (
            "Secret kafka/kafka-gone entry user.crt", OLD.certificate, True,
        )  # fmt: skip

    def test_where_another_user_operator_is_said_to_look_they_are_its_users(self) -> None:
        found = self.stage().see(user_namespaces=(UserNamespace("kafka", "kafka-"),))
        assert ([user.watched for user in found.users], found.named) == ([True], ())


def mounting(name: str, secret: str) -> Object:
    volumes = [{"name": "tls", "secret": {"secretName": secret}}]
    return {"metadata": {"name": name}, "spec": {"volumes": volumes, "containers": [{}]}}


class TestOtherNamespaces:
    """Where a User Operator of its own serves users of the same cluster, or programs log in as users of this one."""

    def test_users_there(self) -> None:
        stage = one_user()
        body = {
            "metadata": {"name": "orders", "labels": {"strimzi.io/cluster": "demo"}},
            "spec": {"authentication": {"type": "tls"}},
        }
        stage.in_another("team", "kafkausers", body)
        stage.in_another("team", "secrets", secret("kafka-orders", CONTENT, labels=USER_LABELS))
        stage.in_another("team", "pods", mounting("app-0", "kafka-orders"))
        stage.in_another("team", "pods", mounting("app-1", "orders"))
        found = stage.see(user_namespaces=(UserNamespace("team", "kafka-"),))
        own, theirs = found.users
        assert (own.label, theirs.label, theirs.secret) == (
            "KafkaUser kafka/orders",
            "KafkaUser team/orders",
            "kafka-orders",
        )
        assert theirs.certificate is not None
        assert theirs.certificate.problem == ""
        assert ([one.name for one in own.readers], [one.name for one in theirs.readers]) == ([], ["Pod team/app-0"])
        assert (found.namespace, found.elsewhere) == ("kafka", ("team",))
        assert len(stage.see().users) == 1

    def test_the_namespace_of_the_clusters_own_user_operator_is_not_read_twice(self) -> None:
        assert len(one_user().see(user_namespaces=(UserNamespace("kafka"),)).users) == 1

    def test_a_binding_there_of_a_user_here(self) -> None:
        stage = one_user()
        spec = {"kafka": {"name": "demo"}, "user": {"name": "orders", "namespace": "kafka"}}
        access = {"metadata": {"name": "bound"}, "spec": spec, "status": {"binding": {"name": "b"}}}
        stage.in_another("team", "kafkaaccesses", access)
        stage.in_another("team", "secrets", secret("b", {"ssl.keystore.crt": b""}))
        stage.in_another("team", "pods", mounting("app", "b"))
        (found,) = stage.see(user_namespaces=(UserNamespace("team"),)).users
        assert [one.name for one in found.readers] == ["KafkaAccess team/bound", "Pod team/app"]

    def test_a_user_operator_there_is_one(self) -> None:
        bench = Bench()
        bench.create("kafkas", kafka())
        assert read_users(bench.client(), SCOPE, NOW, Named(user_namespaces=(UserNamespace("team"),))).operated


LEAF = of(NEW, "partner")
CONTENT = {"ca.crt": pem(NEW), "user.crt": pem(LEAF), "user.key": LEAF.key.reveal()}
ISSUED = {"ca.crt": pem(NEW), "tls.crt": pem(LEAF), "tls.key": LEAF.key.reveal()}
NAMED = NamedSecret("team", "partner-tls")


class TestNamedSecrets:
    def see(self, content: dict[str, bytes], entry: str | None = None) -> tuple[NamedCertificate, ...]:
        stage = Stage()
        stage.in_another("team", "secrets", secret("partner-tls", content))
        stage.in_another("team", "pods", mounting("app", "partner-tls"))
        return stage.see(presenting=(replace(NAMED, entry=entry),)).named

    @pytest.mark.parametrize("entry", [None, "tls.crt"])
    def test_its_certificate_and_its_readers(self, entry: str | None) -> None:
        (found,) = self.see(ISSUED, entry)
        assert found.secret.label == "Secret team/partner-tls entry tls.crt"
        assert (found.certificate.subject, found.certificate.problem) == (LEAF.certificate.subject, "")
        assert (found.certificate.authority, found.certificate.has_key) == (NEW.certificate, True)
        assert [one.name for one in found.readers] == ["Pod team/app"]

    def test_without_an_entry_all_certificates_of_clients_count(self) -> None:
        found = self.see({**ISSUED, "user.crt": pem(of(OLD, "partner")), "notes": b"of last year"})
        assert [(one.secret.entry, one.certificate.authority) for one in found] == [
            ("tls.crt", NEW.certificate), ("user.crt", OLD.certificate),
        ]  # fmt: skip

    def test_a_private_key_elsewhere_is_nobodys_business(self) -> None:
        (found,) = self.see({"tls.crt": pem(LEAF)})
        assert (found.certificate.has_key, found.certificate.problem) == (True, "")

    @pytest.mark.parametrize(
        ("content", "entry", "problem"),
        [
            ({"ca.crt": pem(NEW)}, None, "it holds no certificate of a client in PEM form"),
            ({"user.p12": b"store"}, None, "it holds no certificate of a client in PEM form"),
            (ISSUED, "user.crt", "its user.crt cannot be read: "),
            ({"tls.crt": b"-----BEGIN CERTIFICATE-----"}, None, "its tls.crt cannot be read: "),
            ({**ISSUED, "tls.key": of(NEW, number=6).key.reveal()}, None, "its private key does not belong to its certificate"),
            ({"tls.crt": pem(of(STRANGER, "partner"))}, None, "brokers refuse its certificate: "),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_said(self, content: dict[str, bytes], entry: str | None, problem: str) -> None:
        (found,) = self.see(content, entry)
        assert found.certificate.problem.startswith(problem)
        assert found.certificate.authority is None or not found.certificate.has_key

    def test_one_with_the_older_header_is_found(self) -> None:
        (found,) = self.see({"tls.crt": pem(of(NEW, "partner")).replace(b" CERTIFICATE", b" X509 CERTIFICATE")}, None)
        assert (found.secret.entry, found.certificate.subject) == ("tls.crt", "CN=partner,O=io.strimzi")

    def test_one_that_does_not_exist(self) -> None:
        (found,) = Stage().see(presenting=(NAMED,)).named
        assert (found.secret.label, found.certificate.problem) == ("Secret team/partner-tls", "it does not exist")

    def test_one_that_may_not_be_read(self) -> None:
        client = KubeClient(Restricted(Stage().api, denied=frozenset({"get secrets"})))
        (found,) = read_named(client, (NAMED,), ClientsCa((), b""), NOW)
        assert found.certificate.problem.startswith("Failed to read Secret team/partner-tls: ")
        assert found.remedy

    def test_a_connect_that_logs_in_with_it_is_restarted_by_the_operator(self) -> None:
        stage = Stage()
        stage.create("secrets", secret("partner-tls", ISSUED))
        login = {"authentication": {"type": "tls", "certificateAndKey": {"secretName": "partner-tls"}}}
        stage.create("kafkaconnects", {"metadata": {"name": "one"}, "spec": login})
        (found,) = stage.see(presenting=(NamedSecret("kafka", "partner-tls"),)).named
        assert [(one.name, one.followed) for one in found.readers] == [("KafkaConnect kafka/one", True)]


def test_without_a_user_operator_that_is_said() -> None:
    bench = Bench()
    bench.create("kafkas", kafka())
    found = read_users(bench.client(), SCOPE, NOW)
    assert (found.operated, found.users, found.clients_ca.anchors, found.clients_ca.current) == (False, (), (), None)


def test_a_cluster_that_is_not_there_is_named_with_those_that_are() -> None:
    bench = Bench()
    with pytest.raises(StepError, match="Kafka kafka/demo does not exist") as refused:
        read_users(bench.client(), SCOPE, NOW)
    assert "no other Kafka cluster is seen in this namespace" in str(refused.value)


READING: list[Object] = [
    {"volumes": [{"name": "tls", "secret": {"secretName": "orders"}}]},
    {
        "volumes": [
            {
                "name": "tls",
                "projected": {"sources": [{"configMap": {"name": "orders"}}, {"secret": {"name": "orders"}}]},
            }
        ]
    },
    {
        "containers": [
            {"env": [{"name": "A", "value": "b"}, {"name": "P", "valueFrom": {"secretKeyRef": {"name": "orders"}}}]}
        ]
    },
    {"containers": [{"envFrom": [{"configMapRef": {"name": "x"}}, {"secretRef": {"name": "orders"}}]}]},
    {"initContainers": [{"envFrom": [{"secretRef": {"name": "orders"}}]}], "containers": []},
]


@pytest.mark.parametrize("spec", READING)
def test_pods_that_have_the_secret_present_it(spec: Object) -> None:
    stage = one_user()
    stage.pod("app-0", spec)
    stage.pod("other-0", {"volumes": [{"name": "tls", "secret": {"secretName": "others"}}], "containers": [{}]})
    stage.pod("done-0", spec, "Succeeded")
    assert stage.readers() == ["Pod kafka/app-0"]


LOGIN = {"authentication": {"type": "tls", "certificateAndKey": {"secretName": "orders"}}}


@pytest.mark.parametrize(
    ("plural", "spec", "name"),
    [
        ("kafkaconnects", LOGIN, "KafkaConnect kafka/one"),
        ("kafkabridges", LOGIN, "KafkaBridge kafka/one"),
        ("kafkamirrormaker2s", {"target": LOGIN, "mirrors": []}, "KafkaMirrorMaker2 kafka/one"),
        ("kafkamirrormaker2s", {"mirrors": [{"source": {}}, {"source": LOGIN}]}, "KafkaMirrorMaker2 kafka/one"),
    ],
)
def test_resources_that_log_in_with_it_present_it(plural: str, spec: Object, name: str) -> None:
    stage = one_user()
    stage.create(plural, {"metadata": {"name": "one"}, "spec": spec})
    stage.create(plural, {"metadata": {"name": "two"}, "spec": {}})
    (found,) = stage.seen().readers
    assert (found.name, found.followed, found.is_up_to_date(NOW)) == (name, True, True)


@pytest.mark.parametrize(("earlier", "later", "fresh"), [(1, 0, False), (0, 2, True), (1, 1, False)])
def test_a_resource_has_read_it_when_all_of_its_pods_have(earlier: int, later: int, fresh: bool) -> None:
    """They have labels of their own, and may mount it or not."""
    stage = one_user()
    stage.create("kafkaconnects", {"metadata": {"name": "one"}, "spec": LOGIN})
    for number in range(earlier + later):
        moment = "2026-01-01T00:00:00Z" if number < earlier else "2026-01-01T00:00:20Z"
        stage.api.clock = lambda created=moment: created
        labels = {"strimzi.io/kind": "KafkaConnect", "strimzi.io/cluster": "one"}
        volumes = [{"name": "user", "secret": {"secretName": "orders"}}] if number else []
        metadata = {"name": f"one-connect-{number}", "labels": labels}
        stage.create("pods", {"metadata": metadata, "spec": {"volumes": volumes, "containers": [{}]}})
    (found,) = stage.seen().readers
    changed = datetime(2026, 1, 1, 0, 0, 10, tzinfo=timezone.utc)
    assert (found.name, found.is_up_to_date(changed)) == ("KafkaConnect kafka/one", fresh)


def restarted(stage: Stage, secret: str, spec: Object) -> None:
    """A KafkaConnect that logs in with this Secret, and its pod."""
    login = {"authentication": {"type": "tls", "certificateAndKey": {"secretName": secret}}}
    stage.create("kafkaconnects", {"metadata": {"name": "one"}, "spec": login})
    labels = {"strimzi.io/kind": "KafkaConnect", "strimzi.io/cluster": "one"}
    stage.create("pods", {"metadata": {"name": "one-connect-0", "labels": labels}, "spec": spec})


@pytest.mark.parametrize("spec", READING)
def test_a_pod_that_an_operator_restarts_presents_what_else_it_has(spec: Object) -> None:
    """Nobody restarts it for that."""
    stage = one_user()
    stage.user("login")
    stage.issue(of(NEW, "login"), "login")
    restarted(stage, "login", {**spec, "volumes": [{"secret": {"secretName": "login"}}, *spec.get("volumes", ())]})
    login, orders = stage.see().users
    assert [(one.name, one.followed) for one in login.readers] == [("KafkaConnect kafka/one", True)]
    assert [(one.name, one.followed) for one in orders.readers] == [("Pod kafka/one-connect-0", False)]


@pytest.mark.parametrize("mounted", [[], [{"secret": {"secretName": "b"}}]])
def test_a_resource_that_logs_in_with_a_binding_is_a_reader_of_it(mounted: list[Object]) -> None:
    stage, leaf = Stage(), of(NEW)
    stage.user()
    stage.api.clock = lambda: "2026-01-01T00:00:10Z"
    stage.issue(leaf)
    access = {"metadata": {"name": "bound"}, "spec": {"user": {"name": "orders"}}, "status": {"binding": {"name": "b"}}}
    stage.create("kafkaaccesses", access)
    restarted(stage, "b", {"volumes": mounted, "containers": [{}]})
    stage.api.clock = lambda: "2026-01-01T00:00:20Z"
    stage.create("secrets", secret("b", {"ssl.keystore.crt": pem(leaf)}))
    found = stage.seen()
    assert found.certificate is not None
    told = {one.name: one.is_up_to_date(found.certificate.changed_at, leaf.certificate.sha256) for one in found.readers}
    assert told == {"KafkaAccess kafka/bound": True, "KafkaConnect kafka/one": False}
    assert {one.followed for one in found.readers} == {True}


def test_a_binding_is_followed_to_its_readers() -> None:
    stage = one_user()
    for name, user in (
        ("bound", {"name": "orders"}),
        ("elsewhere", {"name": "orders", "namespace": "x"}),
        ("none", None),
        ("unbound", {"name": "orders"}),
    ):
        spec = {"kafka": {"name": "demo"}, **({"user": user} if user else {})}
        status = {} if name == "unbound" else {"binding": {"name": f"{name}-binding"}}
        stage.create("kafkaaccesses", {"metadata": {"name": name}, "spec": spec, "status": status})
        stage.pod(f"{name}-app", {"volumes": [{"name": "tls", "secret": {"secretName": f"{name}-binding"}}]})
    assert stage.readers() == ["KafkaAccess kafka/bound", "Pod kafka/bound-app"]


@pytest.mark.parametrize("copied", [True, False])
def test_a_binding_has_read_it_when_it_holds_the_same_certificate(copied: bool) -> None:
    stage = one_user()
    body = {"metadata": {"name": "bound"}, "spec": {"user": {"name": "orders"}}, "status": {"binding": {"name": "b"}}}
    stage.create("kafkaaccesses", body)
    user = stage.client().get(SECRETS, "kafka", "orders")
    content = entries(user)["user.crt"] if copied else b""
    stage.create("secrets", secret("b", {"ssl.keystore.crt": content}))
    stage.pod("app", {"volumes": [{"name": "tls", "secret": {"secretName": "b"}}]})
    found = stage.seen()
    assert found.certificate is not None
    told = [one.is_up_to_date(found.certificate.changed_at, found.certificate.sha256) for one in found.readers]
    assert told == [copied, copied]


def test_a_pod_from_before_the_secret_changed_presents_what_was_there() -> None:
    stage = Stage()
    stage.user()
    times = iter(["2026-01-01T00:00:10Z", "2026-01-01T00:00:20Z", "2026-01-01T00:00:20Z", "2026-01-01T00:00:30Z"])
    last = ["2026-01-01T00:00:00Z"]
    spec = READING[0]
    for step in (lambda: stage.pod("before", spec), lambda: stage.issue(of(NEW)), lambda: stage.pod("after", spec)):
        last[0] = next(times)
        stage.api.clock = lambda: last[0]
        step()
    found = stage.seen()
    assert found.certificate is not None
    told = {one.name: one.is_up_to_date(found.certificate.changed_at) for one in found.readers}
    assert told == {"Pod kafka/before": False, "Pod kafka/after": True}
    assert [one.is_up_to_date(None) for one in found.readers] == [None, None]


def test_more_users_than_a_page_holds_are_all_seen() -> None:
    stage, leaf = Stage(), of(NEW)
    for number in range(600):
        stage.user(f"user-{number:04}")
        stage.issue(leaf, f"user-{number:04}")
    found = stage.see().users
    assert [user.name for user in found] == [f"user-{number:04}" for number in range(600)]
    assert {user.certificate.problem for user in found if user.certificate} == {""}
    lists = [path for method, path in stage.api.requests if path.endswith("/secrets") and method == "GET"]
    # The certificate Secret of the CA is read by its name.
    assert len(lists) == 2
