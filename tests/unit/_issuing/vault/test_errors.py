# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each state in which Vault can be is a sentence with its cause and a remedy, and no secret is quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import IssuerUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.https.api import Call, Reply, quotable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Token
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.api import VAULT

from ....tools.support.fake_vault.server import Fault
from ....tools.support.issuer_contract import wish
from ....tools.support.vault_mount import PAGE, Bench, SetUp, fake_set_up

CALL = Call("pki/issuer/a/sign/b", {}, "sign with issuer a")


@pytest.fixture(scope="module")
def shared() -> Iterator[Bench]:
    with fake_set_up() as made:
        yield made


@pytest.fixture
def bench(shared: Bench) -> Iterator[Bench]:
    yield shared
    shared[0].faults, shared[0].sealed = [], False
    shared[0].seen.clear()


def unavailable(ready: SetUp, **others: str) -> IssuerUnavailable:
    with pytest.raises(IssuerUnavailable) as raised:
        ready.issuer(**others).request(wish().order)
    for text in (str(raised.value), raised.value.remedy):
        assert text.endswith(".")
        assert text.isprintable()
    return raised.value


@pytest.mark.parametrize(
    ("status", "errors", "tries", "cause", "remedy"),
    [
        (404, (), 1, "it has no such path, or the token may not see it (HTTP 404)", "Check url, mount and vault_namespace"),
        (405, ("unsupported operation",), 1, "(HTTP 405: unsupported operation)", "type pki"),
        (412, ("required index state not present",), 4, "not caught up with its primary", "primary"),
        (429, ('request path "pki": rate limit quota exceeded',), 4, "too many requests", "quota"),
        (472, (), 1, "secondary for disaster recovery", "primary cluster"),
        (473, (), 4, "performance standby", "active node"),
        (500, ("internal error",), 4, "it has failed inside (HTTP 500: internal error)", "log of the server"),
        (501, (), 1, "not initialized", "Initialize"),
        (502, (), 4, "something that it needs", "vault status"),
        (503, ("Vault is sealed",), 4, "it is sealed, or under maintenance (HTTP 503: Vault is sealed)", "unseal"),
        (504, (), 4, "a proxy before it", "vault status"),
        (599, (), 4, "gives no such answer (HTTP 599)", "proxy"),
        (418, (), 1, "gives no such answer (HTTP 418)", "proxy"),
        (400, ("unknown role: kafka",), 1, "(HTTP 400: unknown role: kafka)", "Create this role"),
        (500, ("could not fetch the CA certificate (was one set?): unable to find PKI issuer for reference: x",), 1, "not set up for that", "issuer.name"),
        (500, ("unable to fetch corresponding key for issuer 1; unable to use this issuer for signing",), 1, "not set up", "whose key"),
        (500, ("requested usage issuing-certificates for issuer [id:1] but only had usage crl-signing",), 1, "not set up", "issuing-certificates"),
    ],
)  # fmt: skip
def test_each_state_has_a_cause_and_a_remedy(
    bench: Bench, status: int, errors: tuple[str, ...], tries: int, cause: str, remedy: str
) -> None:
    vault, ready = bench
    vault.faults = [Fault(status, errors, times=9)]
    found = unavailable(ready)
    assert cause in str(found)
    assert str(found).startswith(
        f"Vault {vault.url} cannot sign with issuer {ready.issuer_ref} of mount pki/kafka by role kafka"
    )
    assert remedy in found.remedy
    assert vault.signed() == tries


@pytest.mark.parametrize(
    ("others", "cause"),
    [
        ({"issuer_ref": "gone"}, "unable to find PKI issuer for reference: gone"),
        ({"role": "gone"}, "unknown role: gone"),
        ({"mount": "gone"}, "no handler for route"),
        ({"mount": "pki"}, "no handler for route"),
    ],
)
def test_a_request_that_names_a_missing_object_is_not_repeated(
    bench: Bench, others: dict[str, str], cause: str
) -> None:
    vault, ready = bench
    assert cause in str(unavailable(ready, **others))
    assert vault.signed() == 1


def test_a_server_that_is_sealed_signs_when_it_is_unsealed(bench: Bench) -> None:
    vault, ready = bench
    vault.sealed = True
    assert "sealed" in str(unavailable(ready))
    vault.sealed = False
    assert isinstance(ready.issuer().request(wish().order), Token)


def test_a_failure_that_passes_is_not_noticed(bench: Bench) -> None:
    vault, ready = bench
    vault.faults = [Fault(500), Fault(502), Fault(503)]
    assert isinstance(ready.issuer().request(wish().order), Token)
    assert vault.signed() == 4


def test_the_page_for_people_has_each_state() -> None:
    told = set(re.findall(r"^\| (\d{3})", PAGE.read_text(), re.MULTILINE))
    for status in (400, 403, 404, 405, 412, 429, 472, 473, 500, 501, 502, 503, 504):
        assert str(status) in told


def test_secrets_of_the_request_are_not_quoted() -> None:
    said = quotable(
        "bad token hvs.abcdef and secret s3cr3t -----BEGIN EC PRIVATE KEY-----\nabc", ("hvs.abcdef", "s3cr3t", "")
    )
    assert said == "bad token (hidden) and secret (hidden) (hidden)"


def test_a_secret_that_begins_with_another_is_hidden_to_its_end() -> None:
    """Administrators choose both themselves, as kafka for the role_id and kafka-2026-s3cr3t for the secret_id."""
    assert (
        quotable("invalid secret id kafka-2026-s3cr3t", ("kafka", "kafka-2026-s3cr3t")) == "invalid secret id (hidden)"
    )


def test_a_server_may_have_nothing_to_say() -> None:
    assert str(VAULT.failure("Vault x", CALL, Reply(503, {}))) == (
        "Vault x cannot sign with issuer a: it is sealed, or under maintenance (HTTP 503)."
    )
