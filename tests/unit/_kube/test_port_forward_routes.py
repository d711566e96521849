# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A byte stream to a pod takes the way of all other requests: the same address, TLS, credentials and proxy."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Unreachable
from ansible_collections.trustops.strimzi.plugins.module_utils._kube import http_transport

from .forwarding import PORT, Upgrade, echo, exchange, forwarding, opened, options, refuse, tunnel
from .identities import Identities, make_identities
from .server import free_port


@pytest.fixture(scope="module")
def identities(tmp_path_factory: pytest.TempPathFactory) -> Identities:
    return make_identities(tmp_path_factory.mktemp("identities"))


def test_token_and_impersonation_are_sent() -> None:
    with forwarding(echo) as kubelet:
        exchange(options(kubelet, impersonate_user="jane", impersonate_groups=["a", "b"]))
    sent = kubelet.upgrades[0]
    assert sent.header("Authorization") == ["Bearer t0ken"]
    assert sent.header("Impersonate-User") == ["jane"]
    assert sent.header("Impersonate-Group") == ["a", "b"]


def test_tls_with_the_ca_and_client_certificate_of_the_options(identities: Identities) -> None:
    def who(upgrade: Upgrade) -> None:
        upgrade.switch()
        upgrade.announce(PORT)
        subject = upgrade.connection.getpeercert()["subject"]  # type: ignore[attr-defined]
        upgrade.frame(b"\0" + dict(pair[0] for pair in subject)["commonName"].encode())
        upgrade.data()

    with forwarding(who, identities.server_context()) as kubelet:
        certificate = {"client_cert": str(identities.client), "client_key": str(identities.client_key)}
        assert exchange({"host": kubelet.url, "ca_cert": str(identities.ca), **certificate}) == b"client-user"


def test_token_and_server_name_of_a_kubeconfig(identities: Identities) -> None:
    """The certificate is for the address, not for localhost."""
    with forwarding(echo, identities.server_context()) as kubelet:
        cluster = {"server": kubelet.url.replace("127.0.0.1", "localhost"), "tls-server-name": "127.0.0.1"}
        content = {
            "current-context": "c",
            "clusters": [{"name": "k", "cluster": {**cluster, "certificate-authority": str(identities.ca)}}],
            "users": [{"name": "u", "user": {"token": "of-the-kubeconfig"}}],
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        }
        assert exchange({"kubeconfig": content}) == b"hello"
    assert kubelet.upgrades[0].header("Authorization") == ["Bearer of-the-kubeconfig"]


def test_an_api_server_of_another_ca_gets_no_credentials(identities: Identities, tmp_path: Path) -> None:
    stranger = make_identities(tmp_path)
    with forwarding(echo, identities.server_context()) as kubelet:
        with pytest.raises(Unreachable) as caught:
            exchange(options(kubelet, ca_cert=str(stranger.ca)))
        assert kubelet.upgrades == []
        assert exchange(options(kubelet, ca_cert=str(stranger.ca), validate_certs=False)) == b"hello"
    assert "certificate" in str(caught.value)
    assert "ca_cert" in caught.value.remedy


def test_the_proxy_of_the_options_is_used_and_gets_no_token(identities: Identities) -> None:
    with forwarding(echo, identities.server_context()) as kubelet, forwarding(tunnel) as proxy:
        given = options(kubelet, ca_cert=str(identities.ca), proxy=proxy.url)
        assert exchange({**given, "proxy_headers": {"proxy_basic_auth": "u:p"}}) == b"hello"
        assert exchange({**given, "no_proxy": "127.0.0.1"}) == b"hello"
    assert [upgrade.line.split()[:2] for upgrade in proxy.upgrades] == [["CONNECT", f"127.0.0.1:{kubelet.port}"]]
    assert proxy.upgrades[0].header("Proxy-Authorization") == ["Basic dTpw"]
    assert proxy.upgrades[0].header("Authorization") == []


def test_a_proxy_that_refuses_and_one_of_another_kind() -> None:
    with forwarding(echo) as kubelet, forwarding(refuse(407, b"")) as proxy:
        with pytest.raises(Unreachable, match=r"proxy .*407") as caught:
            exchange(options(kubelet, proxy=proxy.url))
        assert "proxy" in caught.value.remedy
        with pytest.raises(Unreachable, match="http://host:port"):
            exchange(options(kubelet, proxy="https://127.0.0.1:1"))
    assert kubelet.upgrades == []


def test_a_socks_proxy_is_not_passed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = SimpleNamespace(proxy_url="socks5://127.0.0.1:1080")
    monkeypatch.setattr(http_transport, "RESTClientObject", lambda configuration: SimpleNamespace(pool_manager=pool))
    with forwarding(echo) as kubelet:
        with pytest.raises(Unreachable, match="http://host:port only, not socks5"):
            exchange(options(kubelet))
        assert kubelet.upgrades == []


def test_nothing_at_the_address() -> None:
    with (
        pytest.raises(Unreachable, match="cannot be reached") as caught,
        opened({"host": f"https://127.0.0.1:{free_port()}", "api_key": "k"}),
    ):
        pass
    assert "K8S_AUTH_HOST" in caught.value.remedy
