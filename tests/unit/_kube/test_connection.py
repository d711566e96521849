# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client chooses a login in the order of kubernetes.core; a real server sees what it sends."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
import yaml
from kubernetes.config import incluster_config

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OptionsError, Unauthorized, Unreachable
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.failures import ROWS, Reason

from ...tools.support.golden import GoldenFiles
from .._issuing.vault.connections import PROXIES
from .._tls.kinds import ACCEPTED
from .identities import Identities, make_identities
from .server import Reply, Request, Server, serving


@pytest.fixture(scope="module")
def identities(tmp_path_factory: pytest.TempPathFactory) -> Identities:
    return make_identities(tmp_path_factory.mktemp("identities"))


@pytest.fixture(scope="module")
def server(identities: Identities) -> Iterator[Server]:
    def who(request: Request) -> Reply:
        return Reply(body={"token": (request.header("Authorization") or [""])[0], "subject": request.client_subject})

    with serving(who, identities.server_context()) as running:
        yield running


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    proxies = (*PROXIES, *map(str.lower, PROXIES))
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", *proxies):
        monkeypatch.delenv(name, raising=False)


def kubeconfig(server: Server, identities: Identities, **users: dict[str, Any]) -> dict[str, Any]:
    """A kubeconfig with a context for each user, named as the user; the first one is the current context."""
    cluster = {"server": server.url, "certificate-authority": str(identities.ca)}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": next(iter(users)),
        "clusters": [{"name": "k", "cluster": cluster}],
        "users": [{"name": name, "user": user} for name, user in users.items()],
        "contexts": [{"name": name, "context": {"cluster": "k", "user": name}} for name in users],
    }


def whoami(options: dict[str, Any], environment: dict[str, str] | None = None) -> dict[str, Any]:
    return connect(options, environment or {}).request("GET", "/x").body


def write(path: Path, content: dict[str, Any]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content))
    return str(path)


def test_kubeconfig_as_content_and_as_file(server: Server, identities: Identities, tmp_path: Path) -> None:
    content = kubeconfig(server, identities, one={"token": "t1"}, two={"token": "t2"})
    path = write(tmp_path / "config.yaml", content)
    assert whoami({"kubeconfig": content})["token"] == "Bearer t1"
    assert whoami({"kubeconfig": content, "context": "two"})["token"] == "Bearer t2"
    assert whoami({"kubeconfig": path, "context": "two"})["token"] == "Bearer t2"
    assert whoami({}, {"K8S_AUTH_KUBECONFIG": path})["token"] == "Bearer t1"
    assert whoami({"context": "two"}, {"KUBECONFIG": path})["token"] == "Bearer t2"
    assert whoami({}, {"KUBECONFIG": path})["token"] == "Bearer t1"


def test_default_kubeconfig(server: Server, identities: Identities, tmp_path: Path) -> None:
    write(tmp_path / ".kube" / "config", kubeconfig(server, identities, one={"token": "default"}))
    assert whoami({})["token"] == "Bearer default"


def test_client_certificate_in_a_kubeconfig(server: Server, identities: Identities) -> None:
    user = {
        "client-certificate-data": base64.b64encode(identities.client.read_bytes()).decode(),
        "client-key-data": base64.b64encode(identities.client_key.read_bytes()).decode(),
    }
    assert whoami({"kubeconfig": kubeconfig(server, identities, one=user)}) == {"token": "", "subject": "client-user"}


def test_single_options_win_over_the_kubeconfig(server: Server, identities: Identities, tmp_path: Path) -> None:
    content = kubeconfig(server, identities, one={"token": "t1"})
    content["clusters"][0]["cluster"] = {"server": "https://192.0.2.1"}
    options = {"kubeconfig": content, "host": f"{server.url}/", "ca_cert": str(identities.ca)}
    assert whoami(options)["token"] == "Bearer t1"
    assert whoami({**options, "api_key": "mine"})["token"] == "Bearer mine"
    loaded = {"kubeconfig": kubeconfig(server, identities, one={"token": "t1"})}
    assert whoami({**loaded, "api_key": "mine"})["token"] == "Bearer mine"
    certificate = {"client_cert": str(identities.client), "client_key": str(identities.client_key)}
    assert whoami({**loaded, **certificate}) == {"token": "Bearer t1", "subject": "client-user"}


def test_host_and_credentials_need_no_kubeconfig(server: Server, identities: Identities, tmp_path: Path) -> None:
    write(tmp_path / ".kube" / "config", kubeconfig(server, identities, one={"token": "wrong"}))
    base = {"host": server.url, "ca_cert": str(identities.ca)}
    assert whoami({**base, "api_key": "k"})["token"] == "Bearer k"
    assert whoami({**base, "username": "u", "password": "p"})["token"] == "Basic dTpw"
    certificate = {"client_cert": str(identities.client), "client_key": str(identities.client_key)}
    assert whoami({**base, **certificate}) == {"token": "", "subject": "client-user"}


def test_credential_of_a_controller(server: Server, identities: Identities) -> None:
    """The variables that AWX injects."""
    variables = {
        "K8S_AUTH_HOST": server.url,
        "K8S_AUTH_API_KEY": "awx",
        "K8S_AUTH_VERIFY_SSL": "True",
        "K8S_AUTH_SSL_CA_CERT": str(identities.ca),
    }
    assert whoami({"host": "", "api_key": ""}, variables)["token"] == "Bearer awx"
    del variables["K8S_AUTH_SSL_CA_CERT"]
    assert whoami({}, {**variables, "K8S_AUTH_VERIFY_SSL": "False"})["token"] == "Bearer awx"


@pytest.fixture
def _in_pod(server: Server, identities: Identities, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("pod")
    monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(token))
    monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(identities.ca))
    host, port = server.address.split(":")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)


@pytest.mark.usefixtures("_in_pod")
def test_in_a_pod_its_service_account_is_used_when_nothing_is_given(
    server: Server, identities: Identities, tmp_path: Path
) -> None:
    default = kubeconfig(server, identities, one={"token": "default"})
    write(tmp_path / ".kube" / "config", default)
    assert whoami({})["token"].lower() == "bearer pod"
    assert whoami({"kubeconfig": default})["token"] == "Bearer default"
    assert whoami({"context": "one"})["token"] == "Bearer default"
    assert whoami({"api_key": "mine"})["token"] == "Bearer mine"


@pytest.mark.usefixtures("_in_pod")
def test_no_token_goes_to_a_plain_http_host() -> None:
    """kubectl proxy adds its own credentials; the service account's must not travel in the clear."""
    with serving(lambda request: Reply(body={"token": request.header("Authorization")})) as plain:
        assert whoami({"host": plain.url}) == {"token": []}


def exec_user(program: str) -> dict[str, Any]:
    return {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": sys.executable,
            "args": ["-c", program],
            "interactiveMode": "Never",
        }
    }


def test_exec_plugin(
    server: Server, identities: Identities, tmp_path: Path, capfd: pytest.CaptureFixture[str], golden: GoldenFiles
) -> None:
    credential = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"plugin"}}'
    content = kubeconfig(
        server,
        identities,
        good=exec_user(f"print({credential!r})"),
        bad=exec_user("import sys; sys.exit('log in first')"),
    )
    path = write(tmp_path / "config", content)
    assert whoami({"kubeconfig": path})["token"] == "Bearer plugin"
    with pytest.raises(OptionsError) as caught:
        whoami({"kubeconfig": path, "context": "bad"})
    golden.compare_said("kubernetes", f"{caught.value}\n{caught.value.remedy}".replace(path, "<path>"))
    assert capfd.readouterr().err == ""


def oidc_user(issuer: str) -> dict[str, Any]:
    """With a token that has ended."""
    parts = ({"alg": "none"}, {"exp": 1}, {})
    token = ".".join(base64.urlsafe_b64encode(f"{json.dumps(one):<12}".encode()).decode().rstrip("=") for one in parts)
    config = {
        "client-id": "kubernetes", "client-secret": "s3cret", "id-token": token, "refresh-token": "r3fresh", "idp-issuer-url": issuer,
    }  # fmt: skip
    return {"auth-provider": {"name": "oidc", "config": config}}


def nothing_there() -> str:
    with serving(lambda request: Reply()) as gone:
        return gone.url


ANSWERS: dict[str, tuple[Any, Any]] = {
    "no JSON": (Reply(body="not found"), None),
    "no endpoint": (Reply(body={"issuer": "x"}), None),
    "failing": (Reply(500, body={}), None),
    "unsafe": (Reply(body={"token_endpoint": "http://idp.example/token"}), None),
    "no token": (None, Reply(body={"access_token": "x"})),
    "refused": (None, Reply(400, {"error": "invalid_grant", "error_description": "r3fresh is over"})),
}


@pytest.mark.parametrize("answer", ["no JSON", "no endpoint", "refused", "no token", "failing", "unsafe", None])
@pytest.mark.parametrize("as_file", [True, False])
def test_a_login_by_oidc_that_fails_names_the_identity_provider(
    server: Server,
    identities: Identities,
    tmp_path: Path,
    answer: str | None,
    as_file: bool,
    golden: GoldenFiles,
) -> None:
    """And nothing of the tokens."""
    found, granted = ANSWERS.get(answer or "", (None, None))

    def provider(request: Request) -> Reply:
        if request.method == "GET":
            return found or Reply(body={"token_endpoint": f"http://{request.header('Host')[0]}/token"})
        return granted

    with serving(provider) as running:
        url = running.url if answer else nothing_there()
        content: Any = kubeconfig(server, identities, one=oidc_user(url))
        with pytest.raises(OptionsError) as caught:
            whoami({"kubeconfig": write(tmp_path / "config", content) if as_file else content})
    told = f"{caught.value} {caught.value.remedy}"
    golden.compare_said("kubernetes", caught.value, answer or "nothing there")
    assert not any(secret in told for secret in ("s3cret", "r3fresh", "eyJ"))


@pytest.mark.parametrize("persists", [True, False])
def test_a_new_token_goes_into_the_kubeconfig_only_where_that_is_wanted(
    server: Server, identities: Identities, tmp_path: Path, persists: bool
) -> None:
    def provider(request: Request) -> Reply:
        if request.method == "GET":
            return Reply(body={"token_endpoint": f"http://{request.header('Host')[0]}/token"})
        return Reply(body={"id_token": "new.id.token", "refresh_token": "another"})

    with serving(provider) as running:
        path = write(tmp_path / "config", kubeconfig(server, identities, one=oidc_user(running.url)))
        assert whoami({"kubeconfig": path, "persist_config": persists})["token"] == "Bearer new.id.token"
    assert ("new.id.token" in (tmp_path / "config").read_text(), "r3fresh" in (tmp_path / "config").read_text()) == (
        persists,
        not persists,
    )


@pytest.mark.parametrize("trusted", ["as data", "as a file", "by the system", "not"])
@pytest.mark.parametrize("secret", [True, False])
def test_a_login_by_oidc_is_over_verified_tls(
    server: Server, identities: Identities, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusted: str, secret: bool
) -> None:
    """The CA of the identity provider has no key identifiers. The provider gets the refresh token only where this CA is
    trusted.
    """
    kind, folder = ACCEPTED["Amazon EKS: a CA with basicConstraints only"](tmp_path), tmp_path / "idp"
    folder.mkdir()
    monkeypatch.setenv("SSL_CERT_FILE", os.devnull)

    def provider(request: Request) -> Reply:
        if request.method == "GET":
            return Reply(body={"token_endpoint": f"https://{request.header('Host')[0]}/token"})
        return Reply(body={"id_token": "new.id.token", "refresh_token": "another"})

    with serving(provider, kind.server_context(folder)) as running:
        content: Any = kubeconfig(server, identities, one=oidc_user(running.url))
        (user,) = [one["user"] for one in content["users"] if one["name"] == "one"]
        config = user["auth-provider"]["config"]
        if not secret:
            del config["client-secret"]
        (folder / "ca.crt").write_bytes(kind.trusted)
        if trusted == "as data":
            config["idp-certificate-authority-data"] = base64.b64encode(kind.trusted).decode()
        elif trusted == "as a file":
            config["idp-certificate-authority"] = str(folder / "ca.crt")
        elif trusted == "by the system":
            monkeypatch.setenv("SSL_CERT_FILE", str(folder / "ca.crt"))
        if trusted == "not":
            with pytest.raises(OptionsError) as caught:
                whoami({"kubeconfig": content})
            assert ROWS[Reason.UNKNOWN_ISSUER].cause in str(caught.value)
            assert "idp-certificate-authority" in caught.value.remedy
            assert running.requests == []
            return
        assert whoami({"kubeconfig": content})["token"] == "Bearer new.id.token"
    login = running.requests[-1]
    sent = parse_qs(login.body.decode())
    assert (sent["grant_type"], sent["refresh_token"]) == (["refresh_token"], ["r3fresh"])
    named = [f"Basic {base64.b64encode(b'kubernetes:s3cret').decode()}"] if secret else []
    assert (login.header("Authorization"), sent.get("client_id")) == (named, None if secret else ["kubernetes"])


#: An exec plugin whose first token has run out by the time of the request that follows; it counts its calls in a file.
COUNTING = """
import json, pathlib
calls = pathlib.Path({path!r})
with calls.open("a") as file:
    file.write("x")
token = f"token-{{len(calls.read_text())}}"
print(json.dumps({{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {{"token": token}}}}))
"""


@pytest.fixture
def expiring(identities: Identities, tmp_path: Path) -> Iterator[tuple[Server, dict[str, Any]]]:
    """An API server to which one token is good at a time, that which is named in ``/accepted``; and a kubeconfig for it."""
    accepted = tmp_path / "accepted"
    accepted.write_text("token-1")

    def answer(request: Request) -> Reply:
        good = request.header("Authorization") == [f"Bearer {accepted.read_text()}"]
        body = {"items": [], "metadata": {"resourceVersion": "7"}} if good else {"reason": "Unauthorized", "code": 401}
        return Reply(200 if good else 401, body, chunks=[] if good and "watch=" in request.path else None)

    with serving(answer) as server:
        program = COUNTING.format(path=str(tmp_path / "calls"))
        content = kubeconfig(server, identities, one=exec_user(program))
        yield server, content


def test_a_token_that_has_run_out_is_replaced_by_the_plugin(
    expiring: tuple[Server, dict[str, Any]], tmp_path: Path
) -> None:
    """EKS gives tokens for a quarter of an hour; the plugin need not say so. Reads, writes and watches go on."""
    server, content = expiring
    client = KubeClient(connect({"kubeconfig": content}, {}), sleep=lambda seconds: None)
    client.list(SECRETS, "kafka")
    (tmp_path / "accepted").write_text("token-2")
    client.list(SECRETS, "kafka")
    (tmp_path / "accepted").write_text("token-3")
    client.patch(SECRETS, "kafka", "a", {}, resource_version="7")
    (tmp_path / "accepted").write_text("token-4")
    assert list(client.watch(SECRETS, "kafka", resource_version="7", timeout=1)) == []
    client.list(SECRETS, "kafka")
    assert (tmp_path / "calls").read_text() == "xxxx"
    assert [request.method for request in server.requests] == [
        "GET",
        "GET",
        "GET",
        "PATCH",
        "PATCH",
        "GET",
        "GET",
        "GET",
    ]


def test_a_plugin_without_a_good_token_is_asked_once_for_a_request(
    expiring: tuple[Server, dict[str, Any]], tmp_path: Path
) -> None:
    _server, content = expiring
    client = KubeClient(connect({"kubeconfig": content}, {}), sleep=lambda seconds: None)
    (tmp_path / "accepted").write_text("none")
    with pytest.raises(Unauthorized):
        client.list(SECRETS, "kafka")
    assert (tmp_path / "calls").read_text() == "xx"


def test_a_plugin_that_fails_meanwhile_leaves_the_refusal_of_the_server(
    identities: Identities, tmp_path: Path, golden: GoldenFiles
) -> None:
    with serving(lambda request: Reply(401, {"reason": "Unauthorized", "code": 401})) as server:
        program = (
            COUNTING.format(path=str(tmp_path / "calls")) + "if token != 'token-1': raise SystemExit('log in first')"
        )
        client = KubeClient(connect({"kubeconfig": kubeconfig(server, identities, one=exec_user(program))}, {}))
        with pytest.raises(Unauthorized) as caught:
            client.list(SECRETS, "kafka")
    golden.compare_said("kubernetes", caught.value)


@pytest.mark.parametrize("fails", [1, 99], ids=["once", "always"])
def test_a_plugin_that_fails_after_the_server_has_accepted_its_token_is_asked_again(
    fails: int, identities: Identities, tmp_path: Path, golden: GoldenFiles
) -> None:
    """An identity provider may be away for a moment, and the operator be paused."""
    good = ["Bearer token-1"]

    def answer(request: Request) -> Reply:
        if request.header("Authorization") == good:
            return Reply(body={"items": [], "metadata": {"resourceVersion": "7"}})
        return Reply(401, {"reason": "Unauthorized", "code": 401})

    slept: list[float] = []
    failing = f"if 1 < int(token[6:]) < {2 + fails}: raise SystemExit('it is away')"
    program = COUNTING.format(path=str(tmp_path / "calls")) + failing
    with serving(answer) as server:
        transport = connect({"kubeconfig": kubeconfig(server, identities, one=exec_user(program))}, {})
        client = KubeClient(transport, sleep=slept.append)
        client.list(SECRETS, "kafka")
        good[:] = ["Bearer token-3"]
        if fails == 1:
            client.list(SECRETS, "kafka")
        else:
            with pytest.raises(Unreachable) as caught:
                client.list(SECRETS, "kafka")
            assert (caught.value.is_transient, caught.value.outcome_unknown) == (True, False)
            golden.compare_said("kubernetes", caught.value)
    assert len((tmp_path / "calls").read_text()) == (3 if fails == 1 else 6)
    assert len(slept) == (1 if fails == 1 else 4)


@pytest.mark.parametrize("given", [True, False], ids=["given", "of a kubeconfig"])
@pytest.mark.parametrize("refused", [2, 99], ids=["for a moment", "for good"])
def test_credentials_that_the_server_has_accepted_are_tried_again(
    refused: int, given: bool, identities: Identities, golden: GoldenFiles
) -> None:
    """An API server that has just started refuses good tokens until it has reached the identity provider."""
    statuses = iter([200, *[401] * refused * (1 if given else 2)])

    def answer(_request: Request) -> Reply:
        status = next(statuses, 200)
        return Reply(status, {"items": [], "metadata": {"resourceVersion": "7"}} if status == 200 else {"code": 401})

    slept: list[float] = []
    with serving(answer) as server:
        one = {"host": server.url, "api_key": "mine"}
        options = one if given else {"kubeconfig": kubeconfig(server, identities, one={"token": "mine"})}
        client = KubeClient(connect(options, {}), sleep=slept.append)
        client.list(SECRETS, "kafka")
        if refused == 2:
            client.patch(SECRETS, "kafka", "a", {}, resource_version="7")
        else:
            with pytest.raises(Unreachable) as caught:
                client.patch(SECRETS, "kafka", "a", {}, resource_version="7")
            assert (caught.value.is_transient, caught.value.outcome_unknown) == (True, False)
            golden.compare_said("kubernetes", caught.value)
    assert len(slept) == min(refused, 4)


def test_credentials_that_were_given_are_not_looked_for_again() -> None:
    with serving(lambda request: Reply(401, {"reason": "Unauthorized", "code": 401})) as server:
        client = KubeClient(connect({"host": server.url, "api_key": "mine"}, {}))
        with pytest.raises(Unauthorized):
            client.list(SECRETS, "kafka")
        assert len(server.requests) == 1


NOTHING = (
    "It is not known how to log in to Kubernetes: there is no file ~/.kube/config, and this is not a pod with a service "
    "account. Set kubeconfig (K8S_AUTH_KUBECONFIG), or host and api_key (K8S_AUTH_HOST and K8S_AUTH_API_KEY), or host, "
    "client_cert and client_key."
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, NOTHING),
        ({"host": "https://k8s:6443"}, NOTHING),
        ({"api_key": "k"}, NOTHING),
        (
            {"kubeconfig": "/no/such"},
            "kubeconfig (K8S_AUTH_KUBECONFIG): there is no file /no/such. Give the path of a kubeconfig.",
        ),
        (
            {"kubeconfig": {"a": "secret"}},
            "The content given as kubeconfig cannot be used: Invalid kube-config file. Expected key current-context in "
            "kube-config. Correct kubeconfig or context.",
        ),
    ],
)
def test_no_way_to_log_in(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError) as caught:
        connect(options, {})
    assert f"{caught.value} {caught.value.remedy}" == message


def test_a_context_that_does_not_exist(server: Server, identities: Identities, golden: GoldenFiles) -> None:
    with pytest.raises(OptionsError) as caught:
        connect({"kubeconfig": kubeconfig(server, identities, one={"token": "t"}), "context": "x"}, {})
    golden.compare_said("kubernetes", caught.value)


@pytest.mark.parametrize("content", ["token: [hunter2", "[hunter2]", "hunter2", "token: *hunter2", "token: !hunter2 x"])
def test_a_file_that_is_no_kubeconfig_is_not_quoted(content: str, tmp_path: Path, golden: GoldenFiles) -> None:
    path = tmp_path / "config"
    path.write_text(content)
    with pytest.raises(OptionsError) as caught:
        connect({"kubeconfig": str(path)}, {})
    said = f"{caught.value}\n{caught.value.remedy}"
    golden.compare_said("kubernetes", said.replace(str(path), "<path>"))
    assert "hunter2" not in said
    assert caught.value.__suppress_context__


def test_options_are_left_as_they_are(server: Server, identities: Identities) -> None:
    content = kubeconfig(server, identities, one={"token": "t1"})
    before = repr(content)
    options = {"kubeconfig": content, "impersonate_groups": ["a"], "impersonate_user": "u"}
    connect(options, {})
    assert repr(content) == before
    assert options == {"kubeconfig": content, "impersonate_groups": ["a"], "impersonate_user": "u"}
