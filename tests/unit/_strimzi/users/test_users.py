# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of a cluster as they are found: their Secrets, and the CA that each certificate is of."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.user_certificate import (
    ClientsCa,
    SecretKind,
    UserCertificate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users import secrets
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.reading import (
    FormerPlaces,
    KnownUsers,
    read_users,
    users_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.secrets import (
    is_to_be_opened,
    read_user_secret,
    why_stale,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import User, Users
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    NO_NAMED_PLACES,
    NamedPlaces,
    ReissuePause,
    UserNamespace,
)

from ....tools.operator import certs
from ....tools.support.certificates import NOW, Entity, key, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.memory_api import MemoryApi, Response
from ....tools.support.permissions import forbidden
from ....tools.support.users import kafka_user
from ..bench import SCOPE, Bench, Object, conditions, kafka, pem, secret
from .stage import NEW, OLD, STRANGER, USER_LABELS, Stage, keystore, mounting, of, one_user
from .test_readers import CONTENT


@pytest.mark.parametrize("authority", [OLD, NEW])
def test_each_certificate_is_of_a_ca_that_brokers_trust(authority: Entity) -> None:
    leaf = of(authority)
    found = one_user(leaf).seen()
    assert (found.name, found.authentication, found.secret) == ("orders", "tls", "orders")
    assert (found.ready, found.pause) == (True, ReissuePause.NONE)
    assert found.certificate is not None
    assert found.certificate.authority == authority.certificate
    assert (found.certificate.subject, found.certificate.sha256) == (leaf.certificate.subject, leaf.certificate.sha256)
    assert (found.certificate.not_after, found.certificate.has_keystore) == (leaf.certificate.not_after, True)
    assert found.certificate.problem == ""


def test_the_end_of_its_ca_is_not_that_of_a_certificate() -> None:
    """Brokers do not look at the dates of what they trust."""
    ended = make("clients-ca v1", NEW.key, end=NOW - timedelta(days=1))
    leaf = of(ended)
    stored = secret("orders", {"ca.crt": pem(ended), "user.crt": pem(leaf), "user.key": leaf.key.reveal()})
    found = read_user_secret(stored).judged_by(ClientsCa((ended.certificate,), pem(ended)), NOW)
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


WRONG: Sequence[tuple[str, Entity, dict[str, bytes | None]]] = [
    ("of a stranger", of(STRANGER), {}),
    ("expired", of(NEW, end=NOW - timedelta(days=1)), {}),
    ("another key", of(NEW), {"user_key": of(NEW, number=6).key.reveal()}),
    ("an unreadable key", of(NEW), {"user_key": b"nothing"}),
    ("no key", of(NEW), {"user_key": None}),
    ("unreadable", of(NEW), {"user_crt": b"nothing"}),
    ("none", of(NEW), {"user_crt": None}),
    ("another ca.crt", of(OLD), {"ca_crt": pem(OLD)}),
    ("another end of ca.crt", of(NEW), {"ca_crt": pem(NEW) + b"\n"}),
]


@pytest.mark.parametrize(("case", "leaf", "entries"), WRONG)
def test_an_unusable_certificate_has_a_problem(
    case: str, leaf: Entity, entries: dict[str, bytes | None], golden: GoldenFiles
) -> None:
    found = one_user(leaf, **entries).seen().certificate
    assert found is not None
    golden.compare_said("cluster", found.problem, case)


def test_a_chain_behind_the_leaf_counts() -> None:
    """As with an intermediate of the CA of a company."""
    below = make("Users CA", key(8), NEW)
    leaf = make("orders", key(5), below, ca=False)
    found = one_user(leaf, user_crt=pem(leaf, below)).seen().certificate
    assert found is not None
    assert (found.authority, found.problem) == (NEW.certificate, "")


def test_a_secret_that_is_missing_is_said(golden: GoldenFiles) -> None:
    stage = Stage()
    stage.user()
    certificate = stage.seen().certificate
    assert certificate is not None
    golden.compare_said("cluster", certificate.problem)


@pytest.mark.parametrize("lost", ["strimzi.io/kind=KafkaUser", "strimzi.io/cluster=demo"])
def test_a_secret_that_has_lost_its_labels_is_read_all_the_same(lost: str) -> None:
    """A program that reads it presents what is in it."""
    stage = one_user()
    stage.change("secrets", "orders", {"metadata": {"labels": {lost.partition("=")[0]: None}}})
    certificate = stage.seen().certificate
    assert certificate is not None
    assert (certificate.authority, certificate.problem, certificate.lost_labels) == (NEW.certificate, "", (lost,))


class TestKeystores:
    """Programs may read the PKCS#12 file instead of the certificate, and the User Operator never looks into it."""

    LEAF, OTHER = of(NEW), of(OLD, number=6)

    def see(self, stored: bytes, password: bytes | None = b"secret") -> UserCertificate:
        found = one_user(self.LEAF, user_p12=stored, user_password=password).seen().certificate
        assert found is not None
        assert (found.has_keystore, found.problem, found.authority) == (True, "", NEW.certificate)
        return found

    def test_a_keystore_with_the_certificate_and_its_key(self) -> None:
        assert self.see(keystore(self.LEAF)).keystore_doubt == ""

    @pytest.mark.parametrize(
        ("case", "stored", "password"),
        [
            ("it does not open", None, b"another"),
            ("it does not open", None, None),
            ("it does not open", b"", b"secret"),
            ("another certificate", "other", b"secret"),
        ],
    )
    def test_a_keystore_that_no_program_could_use(
        self, case: str, stored: bytes | str | None, password: bytes | None, golden: GoldenFiles
    ) -> None:
        content = stored if isinstance(stored, bytes) else keystore(self.OTHER if stored else self.LEAF)
        golden.compare_said("cluster", self.see(content, password).keystore_doubt, case)

    def test_a_keystore_without_a_key(self, golden: GoldenFiles) -> None:
        only = pkcs12.serialize_key_and_certificates(
            b"orders", None, certs.load(pem(self.LEAF))[0], None, BestAvailableEncryption(b"secret")
        )
        golden.compare_said("cluster", self.see(only).keystore_doubt)

    def test_a_keystore_beside_a_certificate_that_cannot_be_read_is_seen_and_not_opened(self) -> None:
        found = one_user(self.LEAF, user_crt=b"nothing", user_p12=b"nothing").seen().certificate
        assert found is not None
        assert (found.has_keystore, found.keystore_doubt, found.is_spoilt) == (True, "", True)

    @pytest.mark.parametrize(
        ("certificate", "file", "opened"),
        [
            ("strimzi-user-operator", "strimzi-user-operator", False),
            ("trustops.strimzi", "trustops.strimzi", False),
            # The User Operator makes a file of a certificate that has none beside it, whichever issuer it has.
            ("trustops.strimzi", "strimzi-user-operator", False),
            ("strimzi-user-operator", "trustops.strimzi", True),
            ("kubectl-edit", "strimzi-user-operator", True),
            ("strimzi-user-operator", "kubectl-edit", True),
            ("kubectl-edit", "kubectl-edit", True),
            ("", "", True),
        ],
    )
    def test_a_keystore_that_was_written_with_the_certificate_is_not_opened(
        self, certificate: str, file: str, opened: bool
    ) -> None:
        """It takes too long for ten thousand."""
        stored = secret("orders", {"user.crt": pem(self.LEAF), "user.p12": b"nothing"})
        stored["metadata"]["managedFields"] = [
            _owner(certificate, "user.crt", "user.key"), _owner(file, "user.p12", "user.password")
        ]  # fmt: skip
        assert is_to_be_opened(stored) is opened

    @pytest.mark.parametrize("entry", ["user.crt", "user.key", "user.p12", "user.password"])
    def test_a_keystore_is_opened_where_another_program_has_written_an_entry(self, entry: str) -> None:
        others = {"user.crt", "user.key", "user.p12", "user.password"} - {entry}
        stored = secret("orders", {"user.crt": pem(self.LEAF), "user.p12": b"nothing"})
        stored["metadata"]["managedFields"] = [_owner("strimzi-user-operator", *others), _owner("velero", entry)]
        assert is_to_be_opened(stored)

    def test_a_keystore_is_opened_when_a_program_needs_it_and_again_when_it_has_changed(
        self, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
    ) -> None:
        stage, opened = one_user(self.LEAF), []

        def count(*what: Any) -> str:
            opened.append(what)
            return why_stale(*what)

        monkeypatch.setattr(secrets, "why_stale", count)
        known = KnownUsers()

        def look(opening: bool) -> tuple[str | None, int]:
            found = replace(known, opens_keystores=opening).each(stage.client(), "kafka", SCOPE.user_selector)
            return found["orders"].opening_problem, len(opened)

        assert [look(opening) for opening in (False, False, True, True, False, True)] == [
            (None, 0), (None, 0), ("", 1), ("", 1), (None, 1), ("", 1)
        ]  # fmt: skip
        patch = {"data": {"user.p12": base64.b64encode(keystore(self.OTHER)).decode()}}
        path = "/api/v1/namespaces/kafka/secrets/orders"
        stage.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json")
        problem, times = look(True)
        assert times == 2
        golden.compare_said("cluster", problem)


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
        assert (found.namespace, found.other_namespaces) == ("users", ())
        assert (user.label, user.secret, user.watched) == ("KafkaUser kafka/orders", "kafka-orders", False)
        assert user.certificate is not None
        assert user.certificate.problem == ""
        assert readers_of(found, user) == ["Pod kafka/app"]

    def test_a_secret_is_seen_without_its_user(self) -> None:
        (left,) = self.stage().see().named_certificates
        assert (left.label, left.authority, left.kind) == (
            "Secret kafka/kafka-gone entry user.crt", OLD.certificate, SecretKind.LEFT,
        )  # fmt: skip

    def test_where_another_user_operator_is_said_to_look_they_are_its_users(self) -> None:
        found = self.stage().see(user_namespaces=(UserNamespace("kafka", "kafka-"),))
        assert [user.watched for user in found.users] == [True]


def readers_of(found: Users, holder: User | UserCertificate) -> list[str]:
    secret = holder.secret_key if isinstance(holder, User) else holder.secret.key
    return [reader.name for reader in found.readers_of(secret)]


def where(found: Users) -> list[tuple[str, str, bool]]:
    """Namespace, name, and whether a User Operator watches it, of each user."""
    return [(user.namespace, user.name, user.watched) for user in found.users]


def left(found: Users) -> list[str]:
    """The Secrets that count without a user."""
    return [f"{given.secret.namespace}/{given.secret.name}" for given in found.named_certificates]


@dataclass(frozen=True)
class _Refusing:
    """Does not permit what ends so."""

    api: MemoryApi
    end: str

    def request(self, method: str, path: str, **arguments: Any) -> Response:
        refused = path.endswith(self.end)
        return forbidden(path.rpartition("/")[2]) if refused else self.api.request(method, path, **arguments)

    def stream(self, path: str, **arguments: Any) -> Iterator[Any]:
        return self.api.stream(path, **arguments)


class TestLeft:
    """Certificates of users that no User Operator looks for any more: brokers accept them, and programs may present them."""

    TEAM = UserNamespace("team", "kafka-")

    def stage(self, *, by: Entity = NEW) -> Stage:
        """A user in a namespace that the Kafka resource no longer names."""
        stage = Stage()
        stage.in_another("team", "kafkausers", kafka_user("orders", "team"))
        stage.in_another("team", "secrets", self.stored(of(by), "kafka-orders"))
        stage.in_another("team", "pods", mounting("app", "kafka-orders"))
        return stage

    def stored(self, leaf: Entity, name: str) -> Object:
        content = {"ca.crt": pem(NEW), "user.crt": pem(leaf), "user.key": leaf.key.reveal()}
        return secret(name, content, labels=USER_LABELS)

    def see(self, stage: Stage, *remembered: UserNamespace, refused: str = "", everywhere: bool = True) -> Users:
        """refused: the end of the paths that may not be read."""
        client = KubeClient(_Refusing(stage.api, refused)) if refused else stage.client()
        ca = ClientsCa((NEW.certificate, OLD.certificate), pem(NEW))
        former = FormerPlaces(remembered, everywhere)
        resource = stage.find("kafkas", "demo")
        return users_of(client, SCOPE, resource, ca, NOW, NO_NAMED_PLACES, KnownUsers(), former)

    def test_a_remembered_namespace_counts(self) -> None:
        found = self.see(self.stage(), self.TEAM, everywhere=False)
        assert where(found) == [("team", "orders", False)]
        assert found.users[0].certificate is not None
        assert found.users[0].certificate.authority == NEW.certificate
        assert readers_of(found, found.users[0]) == ["Pod team/app"]
        assert (found.namespaces, found.other_namespaces) == ((self.TEAM,), ())

    def test_what_nothing_remembers_is_found_by_its_certificates(self) -> None:
        """The prefix of their Secrets is unknown: it is taken to be that of the User Operator, and each certificate counts whatever its Secret is called."""
        found = self.see(self.stage())
        assert (where(found), left(found)) == ([], ["team/kafka-orders"])
        assert found.namespaces == (UserNamespace("team"),)
        assert readers_of(found, found.named_certificates[0]) == ["Pod team/app"]

    def test_a_cluster_of_the_same_name_elsewhere_has_users_of_its_own(self) -> None:
        found = self.see(self.stage(by=STRANGER))
        assert (found.users, found.named_certificates, found.namespaces, found.unread) == ((), (), (), ())

    def test_the_secrets_of_a_cluster_of_the_same_name_are_not_read(self) -> None:
        stage = self.stage()
        stage.in_another("team", "kafkas", {"metadata": {"name": "demo"}})
        stage.api.requests.clear()
        found = self.see(stage)
        assert (found.users, found.named_certificates, found.namespaces) == ((), (), ())
        assert not [path for _method, path in stage.api.requests if path.endswith("/team/secrets")]
        assert self.see(stage, refused="/team/kafkas/demo").namespaces == (UserNamespace("team"),)

    def test_a_flow_in_flight_does_not_look_everywhere(self) -> None:
        stage = self.stage()
        stage.api.requests.clear()
        found = self.see(stage, everywhere=False)
        assert (found.users, found.namespaces, found.unsearched) == ((), (), "")
        assert [path for _method, path in stage.api.requests if "/namespaces/" not in path] == []

    def test_a_namespace_is_forgotten_when_nothing_is_left_there(self) -> None:
        stage = Stage()
        stage.in_another("team", "pods", mounting("app", "kafka-orders"))
        assert self.see(stage, self.TEAM).namespaces == ()
        stage.in_another("team", "kafkausers", kafka_user("orders", "team", "scram-sha-512"))
        assert self.see(stage, self.TEAM).namespaces == ()
        stage.in_another("team", "kafkausers", kafka_user("payments", "team"))
        assert self.see(stage, self.TEAM).namespaces == (self.TEAM,)

    def test_a_namespace_that_is_watched_counts_before_it_has_a_user(self) -> None:
        stage = Stage({"watchedNamespace": "users", "secretPrefix": "k-"})
        assert self.see(stage).namespaces == (UserNamespace("users", "k-"),)
        assert stage.see(user_namespaces=(self.TEAM,)).namespaces == (self.TEAM, UserNamespace("users", "k-"))

    @pytest.mark.parametrize("refused", ["/team/kafkausers", "/team/secrets", "/team/pods", "/team/kafkaconnects"])
    def test_a_remembered_namespace_that_may_not_be_read_stays_and_is_unknown(self, refused: str) -> None:
        found = self.see(self.stage(), self.TEAM, refused=refused)
        assert [space.name for space in found.unread] == ["team"]
        assert found.unread[0].problem
        assert found.unread[0].remedy
        assert found.namespaces == (self.TEAM,)

    @pytest.mark.parametrize("refused", ["/team/secrets", "/team/pods"])
    def test_a_namespace_that_was_found_and_may_not_be_read_is_unknown(self, refused: str) -> None:
        assert [space.name for space in self.see(self.stage(), refused=refused).unread] == ["team"]

    def test_without_the_permission_to_look_everywhere_the_call_says_so(self) -> None:
        found = self.see(self.stage(), refused="/v1/kafkausers")
        assert (found.users, found.unread) == ((), ())
        assert "trustops-strimzi-users-anywhere" in found.unsearched
        assert self.see(self.stage()).unsearched == ""

    def test_a_namespace_that_the_user_operator_watches_has_to_be_readable(self) -> None:
        for refused in ("/kafka/kafkausers", "/kafka/secrets", "/kafka/pods"):
            with pytest.raises(Forbidden):
                self.see(self.stage(), refused=refused)

    def test_a_secret_whose_user_is_gone(self) -> None:
        """A person deleted the KafkaUser without what it owns, or took the label of the cluster away from it."""
        stage = one_user()
        stage.create("secrets", self.stored(of(OLD, "gone", 6), "gone"))
        stage.user("elsewhere", cluster="other")
        stage.create("secrets", self.stored(of(NEW, "elsewhere", 7), "elsewhere"))
        assert left(self.see(stage)) == ["kafka/elsewhere", "kafka/gone"]

    def test_a_secret_under_another_prefix(self) -> None:
        """The User Operator has another secretPrefix since, and leaves the Secrets of before as they are."""
        stage = Stage({"secretPrefix": "new-"})
        stage.user()
        stage.create("secrets", self.stored(of(OLD), "orders"))
        stage.create("secrets", self.stored(of(NEW), "new-orders"))
        found = self.see(stage)
        assert ([user.secret for user in found.users], left(found)) == (["new-orders"], ["kafka/orders"])

    @pytest.mark.parametrize("kind", ["tls-external", "scram-sha-512", ""])
    @pytest.mark.parametrize("namespace", ["kafka", "team"])
    def test_a_secret_of_a_user_that_gets_no_certificate_any_more(self, kind: str, namespace: str) -> None:
        stage = Stage()
        stage.in_another(namespace, "kafkausers", kafka_user("orders", namespace, kind))
        stage.in_another(namespace, "secrets", self.stored(of(OLD), "orders"))
        assert left(self.see(stage, UserNamespace("team"))) == [f"{namespace}/orders"]

    def test_a_secret_with_a_password_is_no_certificate(self) -> None:
        stage = Stage()
        stage.user(kind="scram-sha-512")
        for name in ("orders", "gone"):
            stage.create("secrets", secret(name, {"password": b"secret"}, labels=USER_LABELS))
        assert left(self.see(stage)) == []


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
        assert (readers_of(found, own), readers_of(found, theirs)) == ([], ["Pod team/app-0"])
        assert (found.namespace, found.other_namespaces) == ("kafka", ("team",))
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
        found = stage.see(user_namespaces=(UserNamespace("team"),))
        assert readers_of(found, found.users[0]) == ["KafkaAccess team/bound", "Pod team/app"]

    @pytest.mark.parametrize(
        ("operator", "secret_of_user"), [(None, "kafka-orders"), ({}, "orders"), ({"secretPrefix": "k-"}, "k-orders")]
    )
    def test_only_a_user_operator_of_the_kafka_resource_says_its_prefix_there(
        self, operator: Object | None, secret_of_user: str
    ) -> None:
        stage = Stage(operator)
        stage.change("kafkas", "demo", {"spec": {"entityOperator": {"userOperator": operator}}})
        stage.user()
        (found,) = stage.see(user_namespaces=(UserNamespace("kafka", "kafka-"),)).users
        assert found.secret == secret_of_user

    @pytest.mark.parametrize(
        ("asked", "watched"),
        [((), True), (("team",), False), (("team", "kafka"), True)],
        ids=["none is said", "another namespace is", "this namespace is too"],
    )
    def test_without_a_user_operator_in_the_kafka_resource_the_caller_says_where_one_looks(
        self, asked: tuple[str, ...], watched: bool
    ) -> None:
        stage = Stage()
        stage.change("kafkas", "demo", {"spec": {"entityOperator": {"userOperator": None}}})
        stage.user()
        (found,) = stage.see(user_namespaces=tuple(map(UserNamespace, asked))).users
        assert found.watched is watched

    def test_a_user_operator_there_is_one(self) -> None:
        bench = Bench()
        bench.create("kafkas", kafka())
        assert read_users(
            bench.client(), SCOPE, NOW, NamedPlaces(user_namespaces=(UserNamespace("team"),))
        ).has_operator


class TestKept:
    """The Secret of a user that moved to another issuer: programs may still read it, until a person deletes it."""

    @pytest.mark.parametrize("namespace", ["kafka", "team"])
    def test_it_is_seen_without_its_user(self, namespace: str) -> None:
        stage = Stage()
        stage.in_another(namespace, "secrets", self.kept(of(OLD)))
        stage.in_another(namespace, "pods", mounting("app", "orders"))
        found = stage.see(user_namespaces=(UserNamespace("team"),))
        (kept,) = found.named_certificates
        assert (kept.label, kept.authority, kept.kind) == (
            f"Secret {namespace}/orders entry user.crt", OLD.certificate, SecretKind.LEFT,
        )  # fmt: skip
        assert readers_of(found, kept) == [f"Pod {namespace}/app"]

    def test_many_cost_no_request_each(self) -> None:
        """A look comes before each pass of a flow, and such Secrets stay until a person deletes them."""
        stage, known, ca = Stage(), KnownUsers(), ClientsCa((NEW.certificate,), pem(NEW))
        gone = [f"gone-{number:02}" for number in range(30)]
        for name in gone:
            stage.create("secrets", self.kept(of(OLD), name))
        for _look in range(2):
            stage.api.requests.clear()
            seen = users_of(stage.client(), SCOPE, kafka(), ca, NOW, NO_NAMED_PLACES, known, FormerPlaces())
            assert [given.secret.name for given in seen.named_certificates] == gone
            assert not [path for _method, path in stage.api.requests if "/secrets/" in path]

    @pytest.mark.parametrize("is_stale", [False, True])
    def test_its_keystore_is_opened_where_another_hand_has_written_it(
        self, is_stale: bool, golden: GoldenFiles
    ) -> None:
        stage, leaf = Stage(), of(OLD)
        inside, body = keystore(of(NEW) if is_stale else leaf), self.kept(leaf)
        body["data"] |= secret("orders", {"user.p12": inside, "user.password": b"secret"})["data"]
        stage.create("secrets", body)
        (kept,) = stage.see().named_certificates
        assert (kept.has_keystore, bool(kept.keystore_doubt)) == (True, is_stale)
        if is_stale:
            golden.compare_said("cluster", kept.keystore_doubt)

    def test_it_counts_once_while_its_user_moves_back(self) -> None:
        stage = Stage()
        stage.user()
        stage.create("secrets", self.kept(of(NEW)))
        found = stage.see()
        (user,) = found.users
        assert (user.certificate is not None, found.named_certificates) == (True, ())

    def kept(self, leaf: Entity, name: str = "orders") -> Object:
        stored = {"ca.crt": pem(NEW), "user.crt": pem(leaf), "user.key": leaf.key.reveal()}
        found = secret(name, stored)
        found["metadata"]["labels"] = {"trustops.strimzi/kept-of": "demo"}
        return found


def test_without_a_user_operator_that_is_said() -> None:
    bench = Bench()
    bench.create("kafkas", kafka())
    found = read_users(bench.client(), SCOPE, NOW)
    assert (found.has_operator, found.users, found.clients_ca.anchors, found.clients_ca.current) == (
        False,
        (),
        (),
        None,
    )


def test_a_cluster_that_is_not_there_is_named_with_those_that_are(golden: GoldenFiles) -> None:
    bench = Bench()
    with pytest.raises(StepError) as refused:
        read_users(bench.client(), SCOPE, NOW)
    golden.compare_said("cluster", refused.value)


def test_users_of_several_pages_are_all_found() -> None:
    stage, leaf = Stage(), of(NEW)
    for number in range(600):
        stage.user(f"user-{number:04}")
        stage.issue(leaf, f"user-{number:04}", user_p12=None, user_password=None)
    found = stage.see().users
    assert [user.name for user in found] == [f"user-{number:04}" for number in range(600)]
    assert {user.certificate.problem for user in found if user.certificate} == {""}
    lists = [path for method, path in stage.api.requests if path.endswith("/secrets") and method == "GET"]
    # The certificate Secret of the CA is read by its name; the last list is of Secrets that are kept.
    assert len(lists) == 3
