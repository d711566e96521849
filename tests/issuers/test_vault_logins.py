# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logins by a service account of Kubernetes, by a TLS certificate and by a token in a Secret, before a real Vault, which speaks TLS and asks a real
API server.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import IssuerUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import issuer_of
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.settings import (
    VaultKubernetes,
    VaultLogin,
    VaultTlsCertificate,
    VaultTokenSecret,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from ..tools.cluster.bed import Bed
from ..tools.cluster.kube import Kube
from ..tools.cluster.vault import vault_server
from ..tools.support.cert_manager import NAMESPACE, UNAPPROVED
from ..tools.support.certificates import Entity, key, make
from ..tools.support.flows import SETTINGS
from ..tools.support.issuer_contract import asked, issued, wish
from ..tools.support.vault_mount import Administrator, QuickClock, SetUp, documented_policy, set_up_on

NOW, DAY = datetime.now(timezone.utc).replace(microsecond=0), timedelta(days=1)
CLIENT_AUTH, SERVER_AUTH = x509.ExtendedKeyUsageOID.CLIENT_AUTH, x509.ExtendedKeyUsageOID.SERVER_AUTH
#: As the page has them (docs/issuers/vault.md, "Logging in").
ROTATION, LEAVES = "kafka-rotation", {"token_policies": "kafka-leaves", "token_ttl": "20m"}
#: Issues certificates of clients, and is not that of the server.
CLIENTS = make("clients", key(2), begin=NOW - DAY, end=NOW + DAY)


def end_entity(
    name: str,
    number: int,
    by: Entity,
    usage: x509.ObjectIdentifier,
    *names: x509.GeneralName,
    end: datetime = NOW + DAY,
) -> Entity:
    extra = [(x509.ExtendedKeyUsage([usage]), False)]
    if names:
        extra.append((x509.SubjectAlternativeName(names), False))
    return make(name, key(number), by, begin=NOW - DAY, end=end, ca=False, extra=extra)


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SetUp]:
    """A Vault with TLS, and in it the documented policy."""
    folder = tmp_path_factory.mktemp("vault")
    authority = make("servers", key(1), begin=NOW - DAY, end=NOW + DAY)
    server = end_entity("vault", 3, authority, SERVER_AUTH, x509.IPAddress(ip_address("127.0.0.1")))
    pair = folder / "server.crt", folder / "server.key"
    for path, content in zip(pair, (server.certificate.pem, server.key.reveal()), strict=True):
        path.touch(mode=0o600)
        path.write_bytes(content)
    with vault_server(*pair) as running:
        assert running.url.startswith("https://")
        who = Administrator(running.url, running.token, ca_certificate=authority.certificate.pem)
        with set_up_on(who) as made:
            who.write("sys/policies/acl/kafka-leaves", {"policy": documented_policy(made.mount, made.issuer_ref)})
            yield made


def issues(ready: SetUp, login: VaultLogin) -> None:
    one = ready.issuer(login=login)
    issued(one, asked(one, wish().order))


def unavailable(ready: SetUp, login: VaultLogin) -> str:
    with pytest.raises(IssuerUnavailable) as raised:
        ready.issuer(login=login).request(wish().order)
    return f"{raised.value} {raised.value.remedy}"


# By a TLS certificate


@pytest.fixture(scope="module", params=["cert", "clients/west"])
def by_certificate(ready: SetUp, request: pytest.FixtureRequest) -> str:
    """Where it is mounted."""
    who, mount = ready.administrator, str(request.param)
    who.write(f"sys/auth/{mount}", {"type": "cert"})
    who.write(f"auth/{mount}/certs/kafka", {"certificate": CLIENTS.certificate.pem.decode(), **LEAVES})
    return mount


def presenting(one: Entity, mount: str, role: str = "kafka") -> VaultTlsCertificate:
    return VaultTlsCertificate((one.certificate,), one.key, role, mount)


@pytest.mark.parametrize("role", ["kafka", ""], ids=["of a role", "of whichever role fits"])
def test_by_a_certificate(ready: SetUp, by_certificate: str, role: str) -> None:
    issues(ready, presenting(end_entity("rotation", 4, CLIENTS, CLIENT_AUTH), by_certificate, role))


def test_by_a_certificate_of_an_unknown_ca(ready: SetUp, by_certificate: str) -> None:
    other = make("others", key(5), begin=NOW - DAY, end=NOW + DAY)
    said = unavailable(ready, presenting(end_entity("rotation", 4, other, CLIENT_AUTH), by_certificate))
    assert f"refuses the login by TLS certificate at auth/{by_certificate} (HTTP 400: " in said
    assert "Check that the auth method knows the CA of the client certificate" in said


@pytest.mark.parametrize(
    ("usage", "end", "why"),
    [
        (SERVER_AUTH, NOW + DAY, "incompatible key usage"),
        (CLIENT_AUTH, NOW - DAY / 2, "certificate has expired"),
    ],
    ids=["not for clients", "expired"],
)
def test_by_a_certificate_that_is_not_valid(
    ready: SetUp, by_certificate: str, usage: x509.ObjectIdentifier, end: datetime, why: str
) -> None:
    """Vault says so with a status that otherwise means that it has failed itself."""
    said = unavailable(ready, presenting(end_entity("rotation", 4, CLIENTS, usage, end=end), by_certificate))
    assert f"refuses the login by TLS certificate at auth/{by_certificate} (HTTP 500: " in said
    assert why in said
    assert "that the certificate has not expired and is for clients (clientAuth)" in said


# By a service account


@dataclass(frozen=True)
class Accounts:
    """Service accounts of an API server."""

    kube: Kube

    def add(self, name: str, namespace: str = NAMESPACE) -> None:
        metadata = {"name": name, "namespace": namespace}
        self.kube.apply([{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}])

    def may_review_tokens(self, name: str) -> None:
        group = "rbac.authorization.k8s.io"
        self.kube.apply([{
            "apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": NAMESPACE}],
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "system:auth-delegator"},
        }])  # fmt: skip

    def token(self, name: str, namespace: str = NAMESPACE, *audiences: str) -> str:
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": audiences}}
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        return str(self.kube.request("POST", path, body=body).body["status"]["token"])


@pytest.fixture(scope="module")
def accounts(bed: Bed, ready: SetUp) -> Accounts:
    """With a Vault that asks their API server about tokens."""
    made, who = Accounts(Kube(bed.kubeconfig)), ready.administrator
    for name in ("vault", ROTATION, "others"):
        made.add(name)
    made.add(ROTATION, UNAPPROVED)
    made.may_review_tokens("vault")
    who.write("sys/auth/kubernetes", {"type": "kubernetes"})
    config = {
        "kubernetes_host": made.kube.server, "token_reviewer_jwt": made.token("vault"),
        "kubernetes_ca_cert": (Path(bed.folder) / "ca.crt").read_text(), "disable_local_ca_jwt": True,
    }  # fmt: skip
    who.write("auth/kubernetes/config", config)
    bound = {"bound_service_account_names": ROTATION, "bound_service_account_namespaces": NAMESPACE}
    who.write("auth/kubernetes/role/kafka", {**bound, **LEAVES})
    who.write("auth/kubernetes/role/strict", {**bound, **LEAVES, "audience": "vault"})
    return made


def test_by_a_service_account(ready: SetUp, accounts: Accounts) -> None:
    issues(ready, VaultKubernetes("kafka", accounts.token(ROTATION)))


def test_by_a_token_that_was_made_for_vault(ready: SetUp, accounts: Accounts) -> None:
    issues(ready, VaultKubernetes("strict", accounts.token(ROTATION, NAMESPACE, "vault")))


@pytest.mark.parametrize(
    ("role", "account", "namespace"),
    [("kafka", "others", NAMESPACE), ("kafka", ROTATION, UNAPPROVED), ("strict", ROTATION, NAMESPACE), ("absent", ROTATION, NAMESPACE)],
    ids=["another account", "another namespace", "another audience", "another role"],
)  # fmt: skip
def test_by_a_service_account_that_the_role_is_not_bound_to(
    ready: SetUp, accounts: Accounts, role: str, account: str, namespace: str
) -> None:
    token = accounts.token(account, namespace)
    said = unavailable(ready, VaultKubernetes(role, token))
    assert "refuses the login by Kubernetes at auth/kubernetes (HTTP 40" in said
    assert f"Check that the role {role} of this auth method is bound to the service account, its namespace" in said
    assert token not in said


def test_by_no_token_of_the_api_server(ready: SetUp, accounts: Accounts) -> None:
    head, _body, signature = accounts.token(ROTATION).split(".")
    _head, body, _signature = accounts.token("others").split(".")
    said = unavailable(ready, VaultKubernetes("kafka", f"{head}.{body}.{signature}"))
    assert "refuses the login by Kubernetes at auth/kubernetes (HTTP 403" in said


# By a token in a Secret


def test_by_a_token_that_another_program_renews_in_a_secret(ready: SetUp, bed: Bed) -> None:
    """The next token is read where Vault refuses the one before it; without one the Secret is named, and no token is shown."""
    who, kube = ready.administrator, Kube(bed.kubeconfig)

    def store(token: str) -> None:
        metadata = {"name": "vault-token", "namespace": NAMESPACE}
        kube.apply([{"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"token": token}}])

    def give(token: str) -> None:
        who.write("auth/token/create", {"id": token, "policies": ["kafka-leaves"], "ttl": "20m"})
        store(token)

    settings = replace(SETTINGS, issuer=ready.settings(login=VaultTokenSecret("vault-token")))
    one = issuer_of(Work(KubeClient(kube), ClusterNames(NAMESPACE, "demo"), QuickClock(), settings))
    with pytest.raises(IssuerUnavailable, match=f"Secret {NAMESPACE}/vault-token does not exist"):
        one.request(wish().order)
    give("first-token")
    issued(one, asked(one, wish().order))
    who.write("auth/token/revoke", {"token": "first-token"})
    give("second-token")
    issued(one, asked(one, wish().order))
    who.write("auth/token/revoke", {"token": "second-token"})
    with pytest.raises(IssuerUnavailable) as raised:
        one.request(wish().order)
    assert "second-token" not in f"{raised.value} {raised.value.remedy}"
