# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of kubernetes.core, their environment, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OptionsError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import resolve_options
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.secret_texts import may_be_shown

from ...tools.support.golden import GoldenFiles

HOST = {"host": "https://k8s:6443"}
UNFIT = (
    "contains a line break or another character that cannot be sent in a header. Give it without; the filter trim takes a line "
    "break off its end."
)


def resolve(options: dict[str, Any], **environment: str) -> dict[str, Any]:
    resolved = resolve_options(options, environment)
    return {name: value for name, value in resolved.items() if value not in ([], {})}


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "file.pem"
    path.write_text("x")
    return str(path)


@pytest.mark.parametrize(
    ("variable", "option"),
    [
        ("K8S_AUTH_KUBECONFIG", "kubeconfig"),
        ("K8S_AUTH_CONTEXT", "context"),
        ("K8S_AUTH_API_KEY", "api_key"),
        ("K8S_AUTH_NO_PROXY", "no_proxy"),
        ("K8S_AUTH_IMPERSONATE_USER", "impersonate_user"),
    ],
)
def test_texts_from_the_environment(variable: str, option: str) -> None:
    assert resolve({}, **{variable: "env"}) == {option: "env"}
    assert resolve({option: "given"}, **{variable: "env"}) == {option: "given"}
    assert resolve({option: ""}, **{variable: "env"}) == {option: "env"}
    assert resolve({option: None}, **{variable: ""}) == {}


@pytest.mark.parametrize(("variable", "option"), [("K8S_AUTH_HOST", "host"), ("K8S_AUTH_PROXY", "proxy")])
def test_urls_from_the_environment(variable: str, option: str) -> None:
    assert resolve({}, **{variable: "http://env:1"}) == {option: "http://env:1"}
    assert resolve({option: "http://given:1"}, **{variable: "http://env:1"}) == {option: "http://given:1"}


@pytest.mark.parametrize(
    ("variable", "option", "alias"),
    [
        ("K8S_AUTH_SSL_CA_CERT", "ca_cert", "ssl_ca_cert"),
        ("K8S_AUTH_CA_CERT", "ca_cert", "ssl_ca_cert"),
        ("K8S_AUTH_CERT_FILE", "client_cert", "cert_file"),
        ("K8S_AUTH_CLIENT_CERT", "client_cert", "cert_file"),
    ],
)
def test_files(variable: str, option: str, alias: str, file: str) -> None:
    assert resolve({}, **{variable: file}) == {option: file}
    assert resolve({alias: file}, **{variable: "/no/such/file"}) == {option: file}


def test_client_key(file: str) -> None:
    expected = {"client_cert": file, "client_key": file}
    assert resolve({}, K8S_AUTH_CERT_FILE=file, K8S_AUTH_KEY_FILE=file) == expected
    assert resolve({"cert_file": file, "key_file": file}) == expected


@pytest.mark.parametrize("variable", ["K8S_AUTH_VERIFY_SSL", "K8S_AUTH_VALIDATE_CERTS"])
@pytest.mark.parametrize(
    ("text", "value"), [("false", False), ("No", False), ("0", False), ("true", True), ("yes", True)]
)
def test_switches(variable: str, text: str, value: bool) -> None:
    assert resolve({}, **{variable: text}) == {"validate_certs": value}
    assert resolve({}, K8S_AUTH_PERSIST_CONFIG=text) == {"persist_config": value}
    assert resolve({"verify_ssl": False}, **{variable: "true"}) == {"validate_certs": False}


def test_groups() -> None:
    assert resolve({}, K8S_AUTH_IMPERSONATE_USER="u", K8S_AUTH_IMPERSONATE_GROUPS="a, b,,") == {
        "impersonate_user": "u",
        "impersonate_groups": ["a", "b"],
    }
    assert resolve({"impersonate_user": "u", "impersonate_groups": ["a,b", ""]})["impersonate_groups"] == ["a,b"]


def test_proxy_headers() -> None:
    environment = {
        "K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH": "u:p",
        "K8S_AUTH_PROXY_HEADERS_BASIC_AUTH": "",
        "K8S_AUTH_PROXY_HEADERS_USER_AGENT": "agent",
    }
    assert resolve({}, **environment) == {"proxy_headers": {"proxy_basic_auth": "u:p", "user_agent": "agent"}}
    given = {"proxy_headers": {"basic_auth": "a:b", "user_agent": None}}
    assert resolve(given, **environment) == {"proxy_headers": {"basic_auth": "a:b"}}


def test_a_survey_that_was_left_empty() -> None:
    assert resolve({"kubeconfig": "", "context": "", "host": "", "impersonate_groups": [], "proxy_headers": {}}) == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {**HOST, "username": "u"},
            "username (K8S_AUTH_USERNAME) and password (K8S_AUTH_PASSWORD) belong together. Give both.",
        ),
        (
            {**HOST, "password": "p"},
            "username (K8S_AUTH_USERNAME) and password (K8S_AUTH_PASSWORD) belong together. Give both.",
        ),
        (
            {**HOST, "username": "u", "password": "p", "api_key": "k"},
            "api_key (K8S_AUTH_API_KEY) and username (K8S_AUTH_USERNAME) are two ways to log in. Give one of them.",
        ),
        (
            {**HOST, "client_key": "/k"},
            "client_key (K8S_AUTH_KEY_FILE) is of no use without client_cert (K8S_AUTH_CERT_FILE). Give both.",
        ),
        (
            {"impersonate_groups": ["g"]},
            "impersonate_groups (K8S_AUTH_IMPERSONATE_GROUPS) needs impersonate_user (K8S_AUTH_IMPERSONATE_USER). Give both.",
        ),
        ({"host": "k8s:6443"}, "host (K8S_AUTH_HOST) is no URL. Give one such as https://k8s:6443, not k8s:6443."),
        (
            {"host": "HTTP://k8s:6443"},
            "host (K8S_AUTH_HOST) is no URL. Give one such as https://kubernetes:6443, not HTTP://k8s:6443.",
        ),
        (
            {"host": "https://k8s:6443\n"},
            "host (K8S_AUTH_HOST) contains a line break, a space or another character that no URL has. Give it without; the filter trim takes a line "
            "break off its end.",
        ),
        (
            {**HOST, "proxy": "http://proxy:3128\n"},
            "proxy (K8S_AUTH_PROXY) contains a line break, a space or another character that no URL has. Give it without; the filter trim takes a line "
            "break off its end.",
        ),
        (
            {**HOST, "proxy": "http://pro xy:3128"},
            "proxy (K8S_AUTH_PROXY) contains a line break, a space or another character that no URL has. Give it without; the filter trim takes a line "
            "break off its end.",
        ),
        (
            {"host": "https://k8s:port"},
            "host (K8S_AUTH_HOST) is no URL. Give one such as https://kubernetes:6443, not https://k8s:port.",
        ),
        (
            {"host": "https://[fd00::1:6443"},
            "host (K8S_AUTH_HOST) is no URL. Give one such as https://kubernetes:6443, not https://[fd00::1:6443.",
        ),
        (
            {**HOST, "proxy": "proxy.corp:3128"},
            "proxy (K8S_AUTH_PROXY) is no URL. Give one such as http://proxy.corp:3128, not proxy.corp:3128.",
        ),
        (
            {**HOST, "proxy": "http://proxy:x"},
            "proxy (K8S_AUTH_PROXY) is no URL. Give one such as http://proxy:3128, not http://proxy:x.",
        ),
        ({**HOST, "api_key": "tok\n"}, f"api_key (K8S_AUTH_API_KEY) {UNFIT}"),
        ({**HOST, "impersonate_user": "a\nb"}, f"impersonate_user (K8S_AUTH_IMPERSONATE_USER) {UNFIT}"),
        (
            {**HOST, "impersonate_user": "a", "impersonate_groups": ["a", "ł"]},
            f"impersonate_groups (K8S_AUTH_IMPERSONATE_GROUPS) {UNFIT}",
        ),
        (
            {"ca_cert": "/no/such/ca.crt"},
            "ca_cert (K8S_AUTH_SSL_CA_CERT): there is no file /no/such/ca.crt. Correct the path.",
        ),
        (
            {"proxy_headers": {"agent": "x"}},
            "proxy_headers has no agent. It has proxy_basic_auth, basic_auth, user_agent.",
        ),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError) as caught:
        resolve(options)
    assert f"{caught.value} {caught.value.remedy}" == message


PEM = "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize("name", ["kubeconfig", "ca_cert", "client_cert", "client_key"])
@pytest.mark.parametrize(
    "value",
    [PEM, PEM.replace("\n", " "), "users:\n- user: {token: secret}", '{"token": "secret"}', "LS0tLS1CRUdJTiBQUklWQVRF"],
)
def test_content_for_a_path_is_not_quoted(name: str, value: str) -> None:
    with pytest.raises(OptionsError) as caught:
        resolve({**HOST, "client_cert": __file__, name: value})
    assert f"{name} (" in str(caught.value)
    assert "is content" in str(caught.value)
    assert not any(word in f"{caught.value} {caught.value.remedy}" for word in ("secret", "BEGIN", "LS0t"))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("/etc/ssl/ca.crt", True),
        ("~/.kube/a rather long name of a folder with spaces/client.key", True),
        ("MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1234567890abcdef", False),
        ("x." * 101, False),
        ("a\x1b[2J", False),
        ("http://me:word@proxy:3128", False),
    ],
)
def test_a_message_quotes_paths_and_no_content(value: str, shown: bool) -> None:
    assert may_be_shown(value) is shown


@pytest.mark.parametrize("name", ["host", "proxy"])
@pytest.mark.parametrize("login", ["me:secret", "secret"])
def test_login_in_a_url(name: str, login: str, golden: GoldenFiles) -> None:
    with pytest.raises(OptionsError) as caught:
        resolve({name: f"http://{login}@h:1/x"})
    golden.compare_said("kubernetes", caught.value, name)
    assert "secret" not in f"{caught.value} {caught.value.remedy}"


def test_url_with_an_at_sign_behind_the_host() -> None:
    assert resolve({"host": "https://h:1/a@b"}) == {"host": "https://h:1/a@b"}


def test_token_for_a_host_is_not_quoted(golden: GoldenFiles) -> None:
    with pytest.raises(OptionsError) as caught:
        resolve({"host": "eyJ" + "a" * 300})
    golden.compare_said("kubernetes", caught.value)
