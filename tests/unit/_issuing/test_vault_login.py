# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a token is got, kept, and got anew."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing import configured
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.issuer import VaultPki
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import secret_patch
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    VaultAppRole,
    VaultKubernetes,
    VaultLogin,
    VaultToken,
    VaultTokenSecret,
)

from ...support.fake_vault.server import Fault
from ...support.vault_mount import (
    QuickClock,
)
from .._strimzi.bench import Bench as Cluster
from .._strimzi.bench import secret
from .vault_logins import (
    APPROLE,
    KUBERNETES,
    Bench,
    issuer_of,
    login_set_up,
    paths,
    revoke_all,
    sign,
    unavailable,
)


@pytest.fixture
def clock() -> QuickClock:
    return QuickClock()


@pytest.fixture
def bench(clock: QuickClock) -> Iterator[Bench]:
    with login_set_up(clock) as made:
        yield made


@pytest.mark.parametrize("login", [APPROLE, KUBERNETES, VaultAppRole("the-role-id\n", " the-secret-id\n")])
def test_a_login_serves_many_requests(bench: Bench, clock: QuickClock, login: VaultLogin) -> None:
    vault, ready = bench
    issuer = issuer_of(ready, login, clock)
    for _time in range(3):
        sign(issuer)
    assert paths(vault) == ["login", "sign", "sign", "sign"]


def test_a_token_is_taken_as_it_is(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    token = vault.tokens.make("default", "kafka")
    sign(issuer_of(ready, VaultToken(f"{token}\n"), clock))
    assert paths(vault) == ["sign"]
    assert vault.seen[0].headers["x-vault-token"] == token


def test_a_token_is_renewed_while_it_lives(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    issuer = issuer_of(ready, APPROLE, clock)
    sign(issuer)
    clock.sleep(900)
    sign(issuer)
    clock.sleep(700)
    sign(issuer)
    assert paths(vault) == ["login", "sign", "renew-self", "sign", "sign"]


def test_where_it_cannot_live_longer_it_is_got_anew(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    vault.tokens.methods["approle"].longest = 1200
    issuer = issuer_of(ready, APPROLE, clock)
    sign(issuer)
    clock.sleep(1000)
    sign(issuer)
    assert paths(vault) == ["login", "sign", "renew-self", "login", "sign"]


@pytest.mark.parametrize("gone", [1300, 1_000_000])
def test_one_that_has_ended_is_got_anew_without_asking(bench: Bench, clock: QuickClock, gone: float) -> None:
    vault, ready = bench
    issuer = issuer_of(ready, APPROLE, clock)
    sign(issuer)
    clock.sleep(gone)
    sign(issuer)
    assert paths(vault) == ["login", "sign", "login", "sign"]


def test_one_that_was_revoked_is_not_renewed_but_got_anew(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    issuer = issuer_of(ready, APPROLE, clock)
    sign(issuer)
    revoke_all(vault)
    clock.sleep(900)
    sign(issuer)
    assert paths(vault) == ["login", "sign", "renew-self", "login", "sign"]


@pytest.mark.parametrize(
    ("login", "said", "remedy"),
    [
        (VaultAppRole("the-role-id", "wrong"), "by AppRole at auth/approle (HTTP 400: invalid role", "secret_id"),
        (
            VaultKubernetes("kafka", "wrong", "clusters/west"),
            "by Kubernetes at auth/clusters/west (HTTP 403: permission denied", "bound to the service account",
        ),
        (VaultAppRole("the-role-id", "x", "gone"), "at auth/gone (HTTP 403", "mount"),
    ],
)  # fmt: skip
def test_a_login_that_is_refused_is_not_tried_again(
    bench: Bench, clock: QuickClock, login: VaultLogin, said: str, remedy: str
) -> None:
    vault, ready = bench
    found = unavailable(issuer_of(ready, login, clock))
    assert said in str(found)
    assert remedy in found.remedy
    assert paths(vault) == ["login"]


def test_a_login_that_the_server_is_too_busy_for_is_tried_again(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    vault.faults = [Fault(429, path="/login", times=2)]
    sign(issuer_of(ready, APPROLE, clock))
    assert paths(vault) == ["login"] * 3 + ["sign"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"auth": null}', "its answer has no token"),
        (b'{"auth": {"client_token": "", "lease_duration": 1}}', "its answer has no token"),
        (b'{"auth": {"client_token": "hvs.x"}}', "its answer has no token"),
        (b'{"auth": {"client_token": "", "mfa_requirement": {"mfa_request_id": "1"}}}', "it wants a second factor"),
    ],
)
def test_a_login_without_a_token_is_told_of(bench: Bench, clock: QuickClock, body: bytes, said: str) -> None:
    vault, ready = bench
    vault.faults = [Fault(200, raw=body, path="/login")]
    assert said in str(unavailable(issuer_of(ready, APPROLE, clock)))


def test_a_token_that_does_not_end_is_not_renewed(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    vault.tokens.methods["approle"].seconds = 0
    issuer = issuer_of(ready, APPROLE, clock)
    sign(issuer)
    clock.sleep(1e6)
    sign(issuer)
    assert paths(vault) == ["login", "sign", "sign"]


@pytest.mark.parametrize("token", ["hvs.a\nX-Evil: 1", "hvs.\u00e9", "\x00"])
def test_a_token_that_is_none_is_neither_sent_nor_shown(bench: Bench, clock: QuickClock, token: str) -> None:
    vault, ready = bench
    assert "characters that no token has" in str(unavailable(issuer_of(ready, VaultToken(token), clock)))
    assert vault.seen == []


def test_a_token_in_a_secret_is_read_when_it_is_needed_and_again_where_it_is_refused(bench: Bench) -> None:
    vault, ready = bench
    cluster, login = Cluster(), VaultTokenSecret("vault-token")
    issuer = configured.issuer_of(cluster.work(issuer=ready.settings(login=login)))
    assert isinstance(issuer, VaultPki)
    assert str(unavailable(issuer)).endswith("Secret kafka/vault-token does not exist.")
    cluster.create("secrets", secret("vault-token", {"token": b" "}))
    assert str(unavailable(issuer)).endswith("Secret kafka/vault-token has no token in its entry token.")
    for _time in range(2):
        token = vault.tokens.make("default", "kafka")
        cluster.change("secrets", "vault-token", secret_patch({"token": f"{token}\n".encode()}))
        sign(issuer)
        revoke_all(vault)
    assert "does not accept the token" in str(unavailable(issuer))
