# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection on which others could read the keys of CAs is warned of, and used as it was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect

from .._kube.identities import Identities, make_identities
from .._kube.server import Reply, Server, serving
from . import stages
from .running import call


@pytest.fixture(scope="module")
def identities(tmp_path_factory: pytest.TempPathFactory) -> Identities:
    return make_identities(tmp_path_factory.mktemp("identities"))


@pytest.fixture(scope="module")
def encrypted(identities: Identities) -> Iterator[Server]:
    with serving(lambda request: Reply(403), identities.server_context()) as server:
        yield server


@pytest.fixture(scope="module")
def plain() -> Iterator[Server]:
    with serving(lambda request: Reply(403)) as server:
        yield server


def warnings_of(**options: Any) -> list[str]:
    ended = call("strimzi_ca_info", stages.managed(), client_for=connect.client_for, **options)
    assert "Unexpected" not in ended.result["msg"]
    return ended.warnings


def unverified(url: str) -> list[str]:
    return [
        f"The certificate of {url} is not verified (validate_certs, or insecure-skip-tls-verify of the kubeconfig): any host on "
        "the way can pretend to be it, and read the credentials and the keys of CAs. Give its CA as ca_cert."
    ]


def test_verified(encrypted: Server, identities: Identities) -> None:
    assert warnings_of(host=encrypted.url, api_key="k", ca_cert=str(identities.ca)) == []


def test_not_verified(encrypted: Server) -> None:
    assert warnings_of(host=encrypted.url, api_key="k", validate_certs=False) == unverified(encrypted.url)


def test_not_verified_by_the_kubeconfig(encrypted: Server) -> None:
    cluster = {"server": encrypted.url, "insecure-skip-tls-verify": True}
    kubeconfig = {
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    assert warnings_of(kubeconfig=kubeconfig) == unverified(encrypted.url)


@pytest.mark.parametrize("credentials", [{"api_key": "k"}, {"username": "u", "password": "p"}])
def test_credentials_over_plain_http(plain: Server, credentials: dict[str, str]) -> None:
    assert warnings_of(host=plain.url, **credentials) == [
        f"{plain.url} is plain HTTP: the credentials are sent unencrypted. Give a URL that begins with https://."
    ]


def test_proxy_on_this_machine(plain: Server) -> None:
    assert warnings_of(host=plain.url) == []


def test_plain_http_in_capital_letters() -> None:
    """The library takes the URL of a kubeconfig so."""
    cluster = {"server": "HTTP://k8s.example:8080", "proxy-url": "http://127.0.0.1:1"}
    kubeconfig = {
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    assert warnings_of(kubeconfig=kubeconfig) == [
        "HTTP://k8s.example:8080 is plain HTTP: the keys of CAs are sent unencrypted. Give a URL that begins with https://."
    ]


def test_plain_http_over_the_network() -> None:
    # A proxy that nobody runs, so that no name is looked up.
    elsewhere = {"host": "http://k8s.example:8080", "proxy": "http://127.0.0.1:1"}
    assert warnings_of(**elsewhere) == [
        "http://k8s.example:8080 is plain HTTP: the keys of CAs are sent unencrypted. Give a URL that begins with https://."
    ]
    assert warnings_of(**elsewhere, api_key="k") == [
        "http://k8s.example:8080 is plain HTTP: the credentials and the keys of CAs are sent unencrypted. Give a URL that "
        "begins with https://."
    ]
