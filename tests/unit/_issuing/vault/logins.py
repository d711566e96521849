# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A mount that people log in to, and time that passes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import IssuerUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Token
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.issuer import VaultPki
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.settings import (
    VaultAppRole,
    VaultKubernetes,
    VaultLogin,
)

from ....tools.support.fake_vault.auth import Method
from ....tools.support.fake_vault.errors import ApiError
from ....tools.support.fake_vault.server import FakeVault
from ....tools.support.issuer_contract import wish
from ....tools.support.vault_mount import Bench, QuickClock, SetUp, documented_policy, fake_set_up

APPROLE = VaultAppRole("the-role-id", "the-secret-id")
KUBERNETES = VaultKubernetes("kafka", "the.service.token", "clusters/west")


@contextmanager
def login_set_up(clock: QuickClock) -> Iterator[Bench]:
    with fake_set_up() as (vault, ready):
        vault.clock = clock.monotonic
        vault.tokens.policies["kafka"] = documented_policy(ready.mount, ready.issuer_ref)
        right = ("default", "kafka")
        vault.tokens.methods["approle"] = Method(
            lambda body, _: body == {"role_id": "the-role-id", "secret_id": "the-secret-id"},
            ApiError(400, "invalid role or secret ID"), right,
        )  # fmt: skip
        vault.tokens.methods["clusters/west"] = Method(
            lambda body, _: body == {"role": "kafka", "jwt": "the.service.token"},
            ApiError(403, "permission denied"),
            right,
        )
        yield vault, ready


def sign(issuer: VaultPki) -> Token:
    answer = issuer.request(wish().order)
    assert isinstance(answer, Token)
    return answer


def issuer_of(ready: SetUp, login: VaultLogin, clock: QuickClock) -> VaultPki:
    return VaultPki(ready.settings(login=login), clock, str)


def unavailable(issuer: VaultPki) -> IssuerUnavailable:
    with pytest.raises(IssuerUnavailable) as raised:
        sign(issuer)
    for text in (str(raised.value), raised.value.remedy):
        assert text.endswith(".")
        assert text.isprintable()
        for secret in ("the-secret-id", "the.service.token", "hvs."):
            assert secret not in text
    return raised.value


def revoke_all(vault: FakeVault) -> None:
    """But that of the administrator."""
    vault.tokens.issued = {vault.root: vault.tokens.issued[vault.root]}


def paths(vault: FakeVault) -> list[str]:
    """By their last parts, with a sign for a leaf."""
    return ["sign" if "/sign/" in one.path else one.path.rpartition("/")[2] for one in vault.seen]
