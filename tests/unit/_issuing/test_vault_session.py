# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens that Vault does not accept, or that may not do what they are for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    VaultToken,
)

from ...support.fake_vault.server import Fault
from ...support.vault_mount import (
    QuickClock,
)
from .vault_logins import (
    APPROLE,
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


def test_one_that_somebody_revoked_is_got_anew_once(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    issuer = issuer_of(ready, APPROLE, clock)
    sign(issuer)
    revoke_all(vault)
    sign(issuer)
    assert paths(vault) == ["login", "sign", "sign", "login", "sign"]


def test_one_for_so_many_uses_is_got_anew(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    vault.tokens.methods["approle"].uses = 2
    issuer = issuer_of(ready, APPROLE, clock)
    for _time in range(3):
        sign(issuer)
    assert paths(vault).count("login") == 2


def test_a_token_that_ends_in_the_middle_and_cannot_be_got_anew_is_told_of(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    issuer = issuer_of(ready, APPROLE, clock)
    sign(issuer)
    revoke_all(vault)
    vault.tokens.methods["approle"].accepts = lambda body, _: False
    found = unavailable(issuer)
    assert "refuses the login by AppRole at auth/approle (HTTP 400: invalid role or secret ID)" in str(found)
    assert "Give another secret_id" in found.remedy


def test_a_policy_that_is_missing_is_told_from_a_token_that_has_ended(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    rule = f'path "pki/kafka/issuer/{ready.issuer_ref}/sign/kafka" {{ capabilities = ["update"] }}'
    found = unavailable(issuer_of(ready, VaultToken(vault.tokens.make("default", "other")), clock))
    assert "none of the policies of its token (default, other) permits it" in str(found)
    assert rule in found.remedy
    ended = vault.tokens.make("default", "kafka", seconds=10)
    clock.sleep(11)
    found = unavailable(issuer_of(ready, VaultToken(ended), clock))
    assert "does not accept the token" in str(found)


def test_a_policy_that_is_missing_after_a_login_is_told_of(bench: Bench, clock: QuickClock) -> None:
    vault, ready = bench
    for policies, named in ((("default", "other"), " (default, other)"), (("other",), "")):
        vault.tokens.methods["approle"].policies = policies
        assert f"policies of its token{named} permits it" in str(unavailable(issuer_of(ready, APPROLE, clock)))


def test_a_server_that_fails_while_it_is_asked_about_the_token_does_not_hide_the_cause(
    bench: Bench, clock: QuickClock
) -> None:
    vault, ready = bench
    vault.faults = [Fault(500, path="lookup-self", times=9)]
    found = unavailable(issuer_of(ready, VaultToken(vault.tokens.make("default")), clock))
    assert "does not accept the token" in str(found)


def test_what_is_refused_is_not_asked_with_another_token(bench: Bench, clock: QuickClock) -> None:
    """A role that does not fit is no matter of the login."""
    vault, ready = bench
    vault.faults = [Fault(400, ("not allowed by this role",))]
    with contextlib.suppress(AssertionError):
        sign(issuer_of(ready, APPROLE, clock))
    assert paths(vault) == ["login", "sign"]
