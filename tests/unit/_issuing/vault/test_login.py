# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls to Vault: how a token is got, kept and got again, when a call is made again, and the paths of the API."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import issuer_of as chosen_issuer
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.issuer import VaultPki
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.login import (
    mount_path,
    sign_path,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.settings import (
    VaultAppRole,
    VaultKubernetes,
    VaultLogin,
    VaultToken,
    VaultTokenSecret,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import secret_patch

from ....tools.support.fake_vault.server import FakeVault, Fault
from ....tools.support.golden import GoldenFiles
from ....tools.support.vault_mount import Bench, QuickClock
from ..._strimzi.bench import Bench as Cluster
from ..._strimzi.bench import secret
from .logins import APPROLE, KUBERNETES, issuer_of, login_set_up, paths, revoke_all, sign, unavailable


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


def renewal_fails(vault: FakeVault) -> None:
    """As with other policies in the role of the login: a failure inside, each time."""
    vault.faults = [Fault(500, ("policies have changed, not renewing",), path="renew-self", times=-1)]


def limited(**fields: float) -> Callable[[FakeVault], None]:
    """Tokens of a login are like that."""
    return lambda vault: vars(vault.tokens.methods["approle"]).update(fields)


def nothing(_vault: FakeVault) -> None:
    """Nothing happens."""


@pytest.mark.parametrize(
    ("before", "pauses", "meanwhile", "asked"),
    [
        pytest.param(nothing, [900, 700], nothing, ["renew-self", "sign", "sign"], id="it is renewed while it lives"),
        pytest.param(limited(longest=1200), [1000], nothing, ["renew-self", "login", "sign"], id="it cannot live longer"),
        pytest.param(nothing, [1300], nothing, ["login", "sign"], id="it has ended"),
        pytest.param(nothing, [1_000_000], nothing, ["login", "sign"], id="it ended long ago"),
        pytest.param(nothing, [900], revoke_all, ["renew-self", "login", "sign"], id="its renewal fails"),
        pytest.param(nothing, [900], renewal_fails, [*["renew-self"] * 4, "login", "sign"], id="its renewal fails inside"),
        pytest.param(limited(seconds=0), [1_000_000], nothing, ["sign"], id="it does not end"),
        pytest.param(nothing, [0], revoke_all, ["sign", "login", "sign"], id="it was revoked"),
    ],
)  # fmt: skip
def test_a_token_is_kept_renewed_or_got_again(
    bench: Bench,
    clock: QuickClock,
    before: Callable[[FakeVault], None],
    pauses: Sequence[float],
    meanwhile: Callable[[FakeVault], None],
    asked: list[str],
) -> None:
    """meanwhile: after the first signature. asked: after the login and that."""
    vault, ready = bench
    before(vault)
    issuer = issuer_of(ready, APPROLE, clock)
    sign(issuer)
    meanwhile(vault)
    for seconds in pauses:
        clock.sleep(seconds)
        sign(issuer)
    assert paths(vault) == ["login", "sign", *asked]


@pytest.mark.parametrize(
    ("case", "login"),
    [
        ("AppRole", VaultAppRole("the-role-id", "wrong")),
        ("Kubernetes", VaultKubernetes("kafka", "wrong", "clusters/west")),
        ("no such mount", VaultAppRole("the-role-id", "x", "gone")),
    ],
)
def test_a_login_that_is_refused_is_not_tried_again(
    bench: Bench, clock: QuickClock, case: str, login: VaultLogin, golden: GoldenFiles
) -> None:
    vault, ready = bench
    golden.compare_said("issuers", unavailable(issuer_of(ready, login, clock)), case)
    assert paths(vault) == ["login"]


def test_a_login_that_the_server_is_too_busy_for_is_tried_again(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    vault.faults = [Fault(429, path="/login", times=2)]
    sign(issuer_of(ready, APPROLE, clock))
    assert paths(vault) == ["login"] * 3 + ["sign"]


@pytest.mark.parametrize(
    ("case", "body"),
    [
        ("no token", b'{"auth": null}'),
        ("no token", b'{"auth": {"client_token": "", "lease_duration": 1}}'),
        ("no token", b'{"auth": {"client_token": "hvs.x"}}'),
        ("a second factor", b'{"auth": {"client_token": "", "mfa_requirement": {"mfa_request_id": "1"}}}'),
    ],
)
def test_a_login_without_a_token_is_told_of(
    bench: Bench, clock: QuickClock, case: str, body: bytes, golden: GoldenFiles
) -> None:
    vault, ready = bench
    vault.faults = [Fault(200, raw=body, path="/login")]
    golden.compare_said("issuers", unavailable(issuer_of(ready, APPROLE, clock)), case)


def test_the_role_of_a_login_is_quoted_and_its_secret_is_not(
    bench: Bench, clock: QuickClock, golden: GoldenFiles
) -> None:
    """Without the name of the role the words of Vault say nothing."""
    vault, ready = bench
    vault.faults = [Fault(400, ('invalid role name "kafka" for the.service.token',), path="/login")]
    found = unavailable(issuer_of(ready, KUBERNETES, clock))
    golden.compare_said("issuers", found)


@pytest.mark.parametrize("token", ["hvs.a\nX-Evil: 1", "hvs.\u00e9", "\x00"])
def test_a_token_that_is_none_is_neither_sent_nor_shown(
    bench: Bench, clock: QuickClock, token: str, golden: GoldenFiles
) -> None:
    vault, ready = bench
    golden.compare_said("issuers", unavailable(issuer_of(ready, VaultToken(token), clock)))
    assert vault.seen == []


def test_a_token_in_a_secret_is_read_when_it_is_needed_and_again_where_it_is_refused(
    bench: Bench, golden: GoldenFiles
) -> None:
    vault, ready = bench
    cluster, login = Cluster(), VaultTokenSecret("vault-token")
    issuer = chosen_issuer(cluster.work(issuer=ready.settings(login=login)))
    assert isinstance(issuer, VaultPki)
    golden.compare_said("issuers", unavailable(issuer), "no Secret")
    cluster.create("secrets", secret("vault-token", {"token": b" "}))
    golden.compare_said("issuers", unavailable(issuer), "no token")
    for _time in range(2):
        token = vault.tokens.make("default", "kafka")
        cluster.change("secrets", "vault-token", secret_patch({"token": f"{token}\n".encode()}))
        sign(issuer)
        revoke_all(vault)
    golden.compare_said("issuers", unavailable(issuer), "a revoked token")


# Tokens that Vault does not accept, or that may not do what they are for.


def test_a_token_with_a_number_of_uses_is_got_again(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    vault.tokens.methods["approle"].uses = 2
    issuer = issuer_of(ready, APPROLE, clock)
    for _time in range(3):
        sign(issuer)
    assert paths(vault).count("login") == 2


def test_a_token_that_ends_in_the_middle_and_cannot_be_got_again_is_told_of(
    bench: Bench, clock: QuickClock, golden: GoldenFiles
) -> None:
    vault, ready = bench
    issuer = issuer_of(ready, APPROLE, clock)
    sign(issuer)
    revoke_all(vault)
    vault.tokens.methods["approle"].accepts = lambda body, _: False
    found = unavailable(issuer)
    golden.compare_said("issuers", found)


def test_a_policy_that_is_missing_is_told_from_a_token_that_has_ended(
    bench: Bench, clock: QuickClock, golden: GoldenFiles
) -> None:
    vault, ready = bench
    rule = f'path "pki/kafka/issuer/{ready.issuer_ref}/sign/kafka" {{ capabilities = ["update"] }}'
    found = unavailable(issuer_of(ready, VaultToken(vault.tokens.make("default", "other")), clock))
    golden.compare_said("issuers", found, "a policy")
    assert rule in found.remedy
    ended = vault.tokens.make("default", "kafka", seconds=10)
    clock.sleep(11)
    found = unavailable(issuer_of(ready, VaultToken(ended), clock))
    golden.compare_said("issuers", found, "a token")


def test_a_policy_that_is_missing_after_a_login_is_told_of(
    bench: Bench, clock: QuickClock, golden: GoldenFiles
) -> None:
    vault, ready = bench
    for policies in (("default", "other"), ("other",)):
        vault.tokens.methods["approle"].policies = policies
        golden.compare_said(
            "issuers", unavailable(issuer_of(ready, APPROLE, clock)), f"it has {' and '.join(policies)}"
        )


def test_a_server_that_fails_while_it_is_asked_about_the_token_does_not_hide_the_cause(
    bench: Bench, clock: QuickClock, golden: GoldenFiles
) -> None:
    vault, ready = bench
    vault.faults = [Fault(500, path="lookup-self", times=9)]
    golden.compare_said("issuers", unavailable(issuer_of(ready, VaultToken(vault.tokens.make("default")), clock)))


def test_a_refused_request_is_not_repeated_with_another_token(bench: Bench, clock: QuickClock) -> None:
    """A role that does not fit is no matter of the login."""
    vault, ready = bench
    vault.faults = [Fault(400, ("not allowed by this role",))]
    with contextlib.suppress(AssertionError):
        sign(issuer_of(ready, APPROLE, clock))
    assert paths(vault) == ["login", "sign"]


# Paths of the API from the names that people give.


@pytest.mark.parametrize(
    ("mount", "expected"),
    [
        ("pki", "pki"),
        ("/pki/", "pki"),
        ("pki/kafka", "pki/kafka"),
        ("pki//kafka", "pki/kafka"),
        ("a b/ü?", "a%20b/%C3%BC%3F"),
    ],
)
def test_a_mount_may_lie_below_others(mount: str, expected: str) -> None:
    assert mount_path(mount) == expected


def test_a_name_is_one_part_of_a_path() -> None:
    assert sign_path("pki", "../root", "a/b") == "pki/issuer/..%2Froot/sign/a%2Fb"
