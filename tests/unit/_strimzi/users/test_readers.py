# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that read the certificate of a user, and the Secrets that a caller names."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import entries
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.user_certificate import UserCertificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.readers import read_named
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import Users
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    NamedSecret,
)

from ....tools.support.certificates import Entity
from ....tools.support.golden import GoldenFiles
from ....tools.support.permissions import Restricted
from ..bench import Object, pem, secret
from .stage import NEW, OLD, STRANGER, Stage, keystore, mounting, of, one_user

LEAF = of(NEW, "partner")
CONTENT = {"ca.crt": pem(NEW), "user.crt": pem(LEAF), "user.key": LEAF.key.reveal()}
ISSUED = {"ca.crt": pem(NEW), "tls.crt": pem(LEAF), "tls.key": LEAF.key.reveal()}
NAMED = NamedSecret("team", "partner-tls")


class TestNamedSecrets:
    def see(self, content: dict[str, bytes], entry: str | None = None) -> tuple[UserCertificate, ...]:
        return self.look(content, entry).named_certificates

    def look(self, content: dict[str, bytes], entry: str | None = None) -> Users:
        stage = Stage()
        stage.in_another("team", "secrets", secret("partner-tls", content))
        stage.in_another("team", "pods", mounting("app", "partner-tls"))
        return stage.see(presenting_secrets=(replace(NAMED, entry=entry),))

    @pytest.mark.parametrize("entry", [None, "tls.crt"])
    def test_the_certificate_and_the_readers_of_a_named_secret(self, entry: str | None) -> None:
        users = self.look(ISSUED, entry)
        (found,) = users.named_certificates
        assert found.label == "Secret team/partner-tls entry tls.crt"
        assert (found.subject, found.problem) == (LEAF.certificate.subject, "")
        assert (found.authority, found.has_key) == (NEW.certificate, True)
        assert [reader.name for reader in users.readers_of(found.secret.key)] == ["Pod team/app"]

    def test_without_an_entry_all_certificates_of_clients_count(self) -> None:
        found = self.see({**ISSUED, "user.crt": pem(of(OLD, "partner")), "notes": b"of last year"})
        assert [(one.secret.entry, one.authority) for one in found] == [
            ("tls.crt", NEW.certificate), ("user.crt", OLD.certificate),
        ]  # fmt: skip

    def test_a_private_key_that_is_kept_elsewhere_is_no_problem(self) -> None:
        (found,) = self.see({"tls.crt": pem(LEAF)})
        assert (found.has_key, found.problem) == (True, "")

    @pytest.mark.parametrize(
        ("case", "content", "entry"),
        [
            ("no certificate", {"ca.crt": pem(NEW)}, None),
            ("no certificate", {"user.p12": b"store"}, None),
            ("no such entry", ISSUED, "user.crt"),
            ("no content", {"tls.crt": b"-----BEGIN CERTIFICATE-----"}, None),
            ("another key", {**ISSUED, "tls.key": of(NEW, number=6).key.reveal()}, None),
            ("of a stranger", {"tls.crt": pem(of(STRANGER, "partner"))}, None),
        ],
    )
    def test_an_unreadable_certificate_has_a_problem(
        self, case: str, content: dict[str, bytes], entry: str | None, golden: GoldenFiles
    ) -> None:
        (found,) = self.see(content, entry)
        golden.compare_said("cluster", found.problem, case)
        assert found.authority is None or not found.has_key

    @pytest.mark.parametrize(("leaf", "is_doubted"), [(LEAF, False), (of(OLD, "partner"), True)])
    def test_the_keystore_in_a_copy_of_a_users_secret_is_opened(
        self, leaf: Entity, is_doubted: bool, golden: GoldenFiles
    ) -> None:
        """A program that copies may have left the earlier file."""
        (found,) = self.see({**CONTENT, "user.p12": keystore(leaf), "user.password": b"secret"})
        assert (found.has_keystore, bool(found.keystore_doubt), found.problem) == (True, is_doubted, "")
        if is_doubted:
            golden.compare_said("cluster", found.keystore_doubt)

    def test_a_certificate_with_the_older_header_is_found(self) -> None:
        (found,) = self.see({"tls.crt": pem(of(NEW, "partner")).replace(b" CERTIFICATE", b" X509 CERTIFICATE")}, None)
        assert (found.secret.entry, found.subject) == ("tls.crt", "CN=partner,O=io.strimzi")

    def test_a_named_secret_that_does_not_exist(self, golden: GoldenFiles) -> None:
        (found,) = Stage().see(presenting_secrets=(NAMED,)).named_certificates
        assert found.label == "Secret team/partner-tls"
        golden.compare_said("cluster", found.problem)

    def test_a_named_secret_that_may_not_be_read(self, golden: GoldenFiles) -> None:
        client = KubeClient(Restricted(Stage().api, denied=frozenset({"get secrets"})))
        (found,) = read_named(client, (NAMED,))
        golden.compare_said("cluster", f"{found.problem}\n{found.remedy}")

    def test_a_connect_that_logs_in_with_it_is_restarted_by_the_operator(self) -> None:
        stage = Stage()
        stage.create("secrets", secret("partner-tls", ISSUED))
        login = {"authentication": {"type": "tls", "certificateAndKey": {"secretName": "partner-tls"}}}
        stage.create("kafkaconnects", {"metadata": {"name": "one"}, "spec": login})
        users = stage.see(presenting_secrets=(NamedSecret("kafka", "partner-tls"),))
        readers = users.readers_of(("kafka", "partner-tls"))
        assert [(one.name, one.followed) for one in readers] == [("KafkaConnect kafka/one", True)]


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
    (found,) = stage.readers_of_user()
    assert (found.name, found.followed, found.is_up_to_date(stage.seen().certificate)) == (name, True, True)


def test_a_mirror_maker_that_was_written_for_v1beta2_logs_in_with_it_too() -> None:
    stage = one_user()
    stage.api.only_older = {"kafkamirrormaker2s": (("spec", "clusters"),)}
    stage.create("kafkamirrormaker2s", {"metadata": {"name": "one"}, "spec": {"clusters": [{"alias": "a"}, LOGIN]}})
    assert stage.readers() == ["KafkaMirrorMaker2 kafka/one"]


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
    stage.api.clock = lambda: "2026-01-01T00:00:00Z"
    labels = {
        "strimzi.io/kind": "KafkaConnect", "strimzi.io/cluster": "one", "strimzi.io/component-type": "kafka-connect-build",
    }  # fmt: skip
    stage.create("pods", {"metadata": {"name": "one-connect-build", "labels": labels}, "spec": {"containers": [{}]}})
    (found,) = stage.readers_of_user()
    certificate = stage.seen().certificate
    assert certificate is not None
    changed = replace(certificate, changed_at=datetime(2026, 1, 1, 0, 0, 10, tzinfo=timezone.utc))
    assert (found.name, found.is_up_to_date(changed)) == ("KafkaConnect kafka/one", fresh)


def up_to_date(stage: Stage) -> dict[str, bool | None]:
    """Whether each reader of the user's Secret has read the certificate."""
    certificate = stage.seen().certificate
    return {reader.name: reader.is_up_to_date(certificate) for reader in stage.readers_of_user()}


def restarted(stage: Stage, secret: str, spec: Object) -> None:
    """A KafkaConnect that logs in with this Secret, and its pod."""
    login = {"authentication": {"type": "tls", "certificateAndKey": {"secretName": secret}}}
    stage.create("kafkaconnects", {"metadata": {"name": "one"}, "spec": login})
    labels = {"strimzi.io/kind": "KafkaConnect", "strimzi.io/cluster": "one"}
    stage.create("pods", {"metadata": {"name": "one-connect-0", "labels": labels}, "spec": spec})


@pytest.mark.parametrize("spec", READING)
def test_a_pod_that_an_operator_restarts_presents_what_else_it_has(spec: Object) -> None:
    """No operator restarts it for that."""
    stage = one_user()
    stage.user("login")
    stage.issue(of(NEW, "login"), "login")
    restarted(stage, "login", {**spec, "volumes": [{"secret": {"secretName": "login"}}, *spec.get("volumes", ())]})
    users = stage.see()
    login, orders = (users.readers_of(("kafka", secret)) for secret in ("login", "orders"))
    assert [(one.name, one.followed) for one in login] == [("KafkaConnect kafka/one", True)]
    assert [(one.name, one.followed) for one in orders] == [("Pod kafka/one-connect-0", False)]


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
    assert up_to_date(stage) == {"KafkaAccess kafka/bound": True, "KafkaConnect kafka/one": False}
    assert {reader.followed for reader in stage.readers_of_user()} == {True}


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
    assert up_to_date(stage) == {"KafkaAccess kafka/bound": copied, "Pod kafka/app": copied}


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
    assert up_to_date(stage) == {"Pod kafka/before": False, "Pod kafka/after": True}
    assert [reader.is_up_to_date(None) for reader in stage.readers_of_user()] == [None, None]
