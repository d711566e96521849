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
from ....tools.support.golden import GoldenFiles
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
    ("case", "status", "errors", "tries"),
    [
        ("404", 404, (), 1),
        ("405", 405, ("unsupported operation",), 1),
        ("412", 412, ("required index state not present",), 4),
        ("429", 429, ('request path "pki": rate limit quota exceeded',), 4),
        ("472", 472, (), 1),
        ("473", 473, (), 4),
        ("500", 500, ("internal error",), 4),
        ("501", 501, (), 1),
        ("502", 502, (), 4),
        ("503", 503, ("Vault is sealed",), 4),
        ("504", 504, (), 4),
        ("599", 599, (), 4),
        ("418", 418, (), 1),
        ("400", 400, ("unknown role: kafka",), 1),
        ("500 without the issuer", 500, ("could not fetch the CA certificate (was one set?): unable to find PKI issuer for reference: x",), 1),
        ("500 without its key", 500, ("unable to fetch corresponding key for issuer 1; unable to use this issuer for signing",), 1),
        ("500 for another usage", 500, ("requested usage issuing-certificates for issuer [id:1] but only had usage crl-signing",), 1),
    ],
)  # fmt: skip
def test_each_state_has_a_cause_and_a_remedy(
    bench: Bench, case: str, status: int, errors: tuple[str, ...], tries: int, golden: GoldenFiles
) -> None:
    vault, ready = bench
    vault.faults = [Fault(status, errors, times=9)]
    found = unavailable(ready)
    golden.compare_said("issuers", found, case)
    assert vault.signed() == tries


@pytest.mark.parametrize(
    ("case", "others"),
    [
        ("an issuer", {"issuer_ref": "gone"}),
        ("a role", {"role": "gone"}),
        ("a mount", {"mount": "gone"}),
        ("a shorter mount", {"mount": "pki"}),
    ],
)
def test_a_request_that_names_a_missing_object_is_not_repeated(
    case: str, bench: Bench, others: dict[str, str], golden: GoldenFiles
) -> None:
    vault, ready = bench
    golden.compare_said("issuers", unavailable(ready, **others), case)
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


def test_a_server_may_have_nothing_to_say(golden: GoldenFiles) -> None:
    golden.compare_said("issuers", VAULT.failure("Vault x", CALL, Reply(503, {})))
