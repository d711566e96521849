# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The issuer that asks Vault, before a real server: what Vault alone keeps to, and the words and numbers of its errors, which the
double and the table of faults (``tests/faults/issuer_faults.py``) have from its API description.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import IssuerUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Refused
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import refusals
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.settings import (
    VaultAppRole,
    VaultLogin,
    VaultToken,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates

from ..tools.cluster.vault import VaultServer
from ..tools.support.issuer_contract import asked, is_told, issued, wish
from ..tools.support.link_contract import next_ca, ordered
from ..tools.support.vault_mount import STRICT, SetUp, documented_link_policy, documented_policy
from ..unit._issuing.vault import test_contract as contract


class TestVault(contract.VaultContract):
    """If ``VAULT_ADDR`` names another server, the tests of ``tests/unit/_issuing`` run before that server."""

    @pytest.fixture
    def counterpart(self, ready: SetUp) -> contract.Vault:
        return contract.Vault(ready, ready.issuer())


@pytest.fixture(scope="module")
def limited(ready: SetUp) -> SetUp:
    """There is a policy like that of the documentation, and nothing more, and a way to log in that gives it."""
    who = ready.administrator
    who.write("sys/policies/acl/leaves", {"policy": documented_policy(ready.mount, ready.issuer_ref)})
    who.write("sys/auth/approle", {"type": "approle"})
    who.write("auth/approle/role/kafka", {"token_policies": "leaves"})
    return ready


def logged_in(ready: SetUp, **secret: str) -> VaultAppRole:
    who = ready.administrator
    made = who.write("auth/approle/role/kafka/secret-id", {**secret})
    role = who.write("auth/approle/role/kafka/role-id", method="GET")
    return VaultAppRole(role["role_id"], made["secret_id"])


def unavailable(ready: SetUp, login: VaultLogin | None = None, **others: str) -> str:
    with pytest.raises(IssuerUnavailable) as raised:
        ready.issuer(login=login, **others).request(wish().order)
    return f"{raised.value} {raised.value.remedy}"


def test_with_the_documented_policy_and_approle(limited: SetUp) -> None:
    one = limited.issuer(login=logged_in(limited))
    issued(one, asked(one, wish().order))


def test_a_login_that_is_used_up(limited: SetUp) -> None:
    login = logged_in(limited, num_uses="1")
    asked(limited.issuer(login=login), wish().order)
    said = unavailable(limited, login)
    assert "refuses the login by AppRole at auth/approle (HTTP 400: invalid " in said
    assert "Give another secret_id" in said


def test_a_token_that_the_server_does_not_know(limited: SetUp) -> None:
    said = unavailable(limited, VaultToken("hvs.gone"))
    assert "it does not accept the token, which has ended or was revoked" in said


def test_a_policy_that_does_not_permit_it(limited: SetUp) -> None:
    who = limited.administrator
    who.write("sys/policies/acl/leaves", {"policy": 'path "nothing" { capabilities = ["read"] }'})
    try:
        said = unavailable(limited, logged_in(limited))
    finally:
        who.write("sys/policies/acl/leaves", {"policy": documented_policy(limited.mount, limited.issuer_ref)})
    assert "none of the policies of its token (default, leaves) permits it" in said
    assert f'path "{limited.mount}/issuer/{limited.issuer_ref}/sign/kafka"' in said


def test_a_link_with_the_documented_policy_and_without_it(limited: SetUp) -> None:
    counterpart = contract.Vault(limited, limited.issuer(login=logged_in(limited)))
    order, who = ordered(counterpart, next_ca(counterpart)), limited.administrator
    with pytest.raises(IssuerUnavailable) as raised:
        counterpart.issuer.link(order)
    missing = f'path "{limited.mount}/issuer/{limited.issuer_ref}/sign-intermediate"'
    assert missing in raised.value.remedy
    leaves, link = (policy(limited.mount, limited.issuer_ref) for policy in (documented_policy, documented_link_policy))
    who.write("sys/policies/acl/leaves", {"policy": f"{leaves}\n{link}"})
    try:
        answer = counterpart.issuer.link(order)
    finally:
        who.write("sys/policies/acl/leaves", {"policy": leaves})
    assert isinstance(answer, Certificate)
    assert list(refusals(answer, order)) == []


def test_a_ca_below_which_there_may_be_none_certifies_none(ready: SetUp) -> None:
    """So Vault is not asked then (``why_not_asked``)."""
    who, body = (
        ready.administrator,
        {"common_name": "short", "issuer_name": "short", "ttl": "48h", "max_path_length": 0},
    )
    made = who.write(f"{ready.mount}/issuers/generate/root/internal", {**body, "key_type": "ec", "key_bits": 256})
    short = replace(ready, issuer_ref="short", authority=parse_certificates(made["certificate"].encode()))
    counterpart = contract.Vault(short, short.issuer())
    answer = counterpart.issuer.link(ordered(counterpart, next_ca(counterpart)))
    assert isinstance(answer, Refused)
    is_told(answer)
    assert "signing certificate has a max path length of zero" in answer.reason


@pytest.mark.parametrize(
    ("changed", "cause", "remedy"),
    [
        ({"role": "absent"}, "it is not set up for that (HTTP 400: unknown role: absent)", "Create this role"),
        ({"issuer_ref": "absent"}, "it is not set up for that (HTTP 500: ", "Correct issuer.name"),
        ({"mount": "nowhere"}, "it has no such path, or the token may not see it (HTTP 404: ", "Check url, mount"),
    ],
    ids=["role", "issuer", "mount"],
)
def test_a_missing_object_of_vault_is_named_with_a_remedy(
    ready: SetUp, changed: dict[str, str], cause: str, remedy: str
) -> None:
    said = unavailable(ready, **changed)
    assert cause in said
    assert remedy in said


def test_names_that_the_role_does_not_permit(ready: SetUp) -> None:
    answer = ready.issuer(STRICT).request(wish().order)
    assert isinstance(answer, Refused)
    is_told(answer)
    assert "not allowed by this role" in answer.reason


def test_a_rate_limit(ready: SetUp) -> None:
    who = ready.administrator
    who.write("sys/quotas/rate-limit/leaves", {"path": ready.mount, "rate": 1, "interval": "1h"})
    try:
        asked(ready.issuer(), wish().order)
        said = unavailable(ready)
    finally:
        who.write("sys/quotas/rate-limit/leaves", method="DELETE")
    assert "it has had too many requests, or this node is a standby (HTTP 429: " in said
    assert "Raise the rate limit quota of the mount" in said


def test_sealed_and_unsealed(server: VaultServer, ready: SetUp) -> None:
    who = ready.administrator
    who.write("sys/seal", {})
    try:
        said = unavailable(ready)
    finally:
        who.write("sys/unseal", {"key": server.key})
    assert "it is sealed, or under maintenance (HTTP 503: Vault is sealed)" in said
    assert "vault operator unseal" in said
    issued(ready.issuer(), asked(ready.issuer(), wish().order))
