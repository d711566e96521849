# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests to Vault for a link certificate, and the outcome of each answer that it can give."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import IssuerUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import LinkOrder, Refused
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import link_order, refusals
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.issuer import VaultPki, link_body
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.settings import VaultToken
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.authority import NextAuthority

from ....tools.support.fake_vault.server import Fault
from ....tools.support.golden import GoldenFiles
from ....tools.support.issuer_contract import is_told, said_by
from ....tools.support.link_contract import next_ca, ordered, ordered_back
from ....tools.support.vault_mount import (
    Bench,
    SetUp,
    documented_back_policy,
    documented_cross_sign_policy,
    documented_link_policy,
    documented_policy,
)
from .test_contract import Vault


def order_of(ready: SetUp) -> LinkOrder:
    counterpart = Vault(ready, ready.issuer())
    return ordered(counterpart, next_ca(counterpart))


def refused(bench: Bench) -> Refused:
    answer = bench[1].issuer().link(order_of(bench[1]))
    assert isinstance(answer, Refused)
    is_told(answer)
    return answer


def test_the_request_goes_to_the_pinned_issuer(bench: Bench) -> None:
    vault, ready = bench
    order = order_of(ready)
    ready.issuer().link(order)
    (seen,) = vault.seen
    assert seen.path == f"pki/kafka/issuer/{ready.issuer_ref}/sign-intermediate"
    assert "PRIVATE" not in str(seen.body)


@pytest.mark.parametrize("seconds", [0, 86400])
def test_the_request_says_all_that_vault_would_choose_otherwise(bench: Bench, seconds: int) -> None:
    order = order_of(bench[1])
    now = order.not_before + timedelta(seconds=seconds)
    assert link_body(order, order.csr, now) == {
        "csr": order.csr.decode(), "use_csr_values": True, "exclude_cn_from_sans": True, "format": "pem",
        "skid": (order.authority.subject_key_identifier or b"").hex(), "max_path_length": 0,
        # By a clock that may be somewhat ahead.
        "not_before_duration": f"{seconds + 300}s",
        "not_after": f"{order.not_after.isoformat().removesuffix('+00:00')}Z",
    }  # fmt: skip


def test_a_clock_that_is_somewhat_ahead_does_no_harm(bench: Bench) -> None:
    vault, ready = bench
    order = order_of(ready)
    mount, ahead = vault.mounts["pki/kafka"], timedelta(minutes=4)

    def late() -> datetime:
        return type(mount)().now() + ahead

    mount.now = late
    answer = ready.issuer().link(order)
    assert isinstance(answer, Certificate)
    assert list(refusals(answer, order)) == []


def test_the_documented_policy_suffices_and_that_for_leaves_does_not(bench: Bench, golden: GoldenFiles) -> None:
    vault, ready = bench
    vault.tokens.policies["leaves"] = documented_policy(ready.mount, ready.issuer_ref)
    vault.tokens.policies["link"] = documented_link_policy(ready.mount, ready.issuer_ref)
    both, leaves = (VaultToken(vault.tokens.make("default", *more)) for more in (("leaves", "link"), ("leaves",)))
    assert isinstance(ready.issuer(login=both).link(order_of(ready)), Certificate)
    with pytest.raises(IssuerUnavailable) as raised:
        ready.issuer(login=leaves).link(order_of(ready))
    golden.compare_said("issuers", raised.value)


@pytest.mark.parametrize("linked_by", ["", "another"], ids=["alone", "beside one that it keeps"])
def test_a_ca_whose_key_is_here_is_certified_with_its_name_byte_by_byte(bench: Bench, linked_by: str) -> None:
    vault, ready = bench
    vault.tokens.policies["back"] = documented_back_policy(ready.mount, ready.issuer_ref)
    back, leaves = (VaultToken(vault.tokens.make("default", *more)) for more in (("back",), ()))
    counterpart = Vault(ready, ready.issuer())
    old = next_ca(counterpart, outlives_rewriting=False)
    order = ordered_back(NextAuthority(ready.authority, None), old.certificate, old.key)
    answer = ready.issuer(login=back, linked_by=linked_by).link(order)
    assert isinstance(answer, Certificate)
    assert list(refusals(answer, order)) == []
    with pytest.raises(IssuerUnavailable) as raised:
        ready.issuer(login=leaves).link(order)
    assert f'path "pki/kafka/issuer/{ready.issuer_ref}/sign-self-issued"' in raised.value.remedy
    assert not any("PRIVATE" in str(one.body) for one in vault.seen)


def test_a_refused_link_certificate_quotes_the_error_of_vault(bench: Bench, golden: GoldenFiles) -> None:
    bench[0].faults = [Fault(400, ("signing certificate has a max path length of zero",), path="/sign-intermediate")]
    answer = refused(bench)
    golden.compare_said("issuers", said_by(answer))


@pytest.mark.parametrize(
    ("case", "raw"),
    [
        ("no data", b"{}"),
        ("no certificate", b'{"data": {}}'),
        ("no PEM", b'{"data": {"certificate": "none"}}'),
        ("a list", b'{"data": {"certificate": [null]}}'),
    ],
)
def test_an_answer_that_lacks_what_the_api_promises_is_refused(
    case: str, bench: Bench, raw: bytes, golden: GoldenFiles
) -> None:
    bench[0].faults = [Fault(200, path="/sign-intermediate", raw=raw)]
    golden.compare_said("issuers", said_by(refused(bench)), f"of a link, {case}")


# The next CA is in the same mount.


def crossing(bench: Bench, login: VaultToken | None = None) -> tuple[VaultPki, LinkOrder]:
    ready = bench[1]
    made = ready.administrator.write(
        f"{ready.mount}/issuers/generate/root/internal",
        {"common_name": "the next", "issuer_name": "next", "ttl": "4000h"},
    )
    bench[0].seen.clear()
    (authority,) = parse_certificates(made["certificate"].encode())
    order = link_order(NextAuthority((authority,), None), ready.authority[0])
    return ready.issuer(login=login, issuer_ref="next", linked_by=ready.issuer_ref), order


def test_the_next_key_signs_the_request_and_the_ca_in_use_certifies_it(bench: Bench) -> None:
    vault, ready = bench
    issuer, order = crossing(bench)
    assert isinstance(issuer.link(order), Certificate)
    assert [(one.method, one.path.removeprefix("pki/kafka/")) for one in vault.seen] == [
        ("GET", "issuer/next"), ("POST", "intermediate/cross-sign"), ("POST", f"issuer/{ready.issuer_ref}/sign-intermediate"),
    ]  # fmt: skip
    assert f"Vault issuer {ready.issuer_ref} of" in issuer.linker.reference
    assert issuer.linker.keeps_both_keys


def test_the_ca_in_use_is_certified_by_its_issuer_the_other_way_round(bench: Bench) -> None:
    vault, ready = bench
    issuer, forth = crossing(bench)
    back = ordered_back(NextAuthority((forth.authority,), None), forth.issuer)
    answer = issuer.link(back)
    assert isinstance(answer, Certificate)
    assert list(refusals(answer, back)) == []
    assert [(one.method, one.path.removeprefix("pki/kafka/")) for one in vault.seen] == [
        ("GET", f"issuer/{ready.issuer_ref}"), ("POST", "intermediate/cross-sign"), ("POST", "issuer/next/sign-intermediate"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("back", "path"),
    [(False, "issuer/next"), (False, "intermediate/cross-sign"), (True, "issuer/{old}"), (True, "issuer/next/sign-intermediate")],
)  # fmt: skip
def test_each_rule_of_the_page_is_needed(bench: Bench, back: bool, path: str) -> None:
    vault, ready = bench
    page, rule = (
        documented_cross_sign_policy(ready.mount, "next", ready.issuer_ref),
        f'path "pki/kafka/{path.format(old=ready.issuer_ref)}"',
    )
    assert rule in page
    vault.tokens.policies["link"] = documented_link_policy(ready.mount, ready.issuer_ref)
    vault.tokens.policies["cross"], vault.tokens.policies["less"] = page, page.replace(rule, 'path "another"')
    issuer, order = crossing(bench, VaultToken(vault.tokens.make("default", "link", "cross")))
    if back:
        order = ordered_back(NextAuthority((order.authority,), None), order.issuer)
    assert isinstance(issuer.link(order), Certificate)
    with pytest.raises(IssuerUnavailable) as raised:
        ready.issuer(
            login=VaultToken(vault.tokens.make("default", "link", "less")),
            issuer_ref="next",
            linked_by=ready.issuer_ref,
        ).link(order)
    (block,) = re.findall(r'path ".*\}', raised.value.remedy)
    assert block.startswith(f"{rule} {{ capabilities = [")
    assert block in " ".join(page.split())


@pytest.mark.parametrize(
    ("path", "lacking"), [("/issuer/next", "key_id"), ("/cross-sign", "csr")], ids=["the issuer", "the request"]
)
@pytest.mark.parametrize(
    "raw", [b'{"data": {}}', '{"data": {"key_id": "ä", "csr": "ä"}}'.encode()], ids=["nothing", "no ASCII"]
)
def test_an_answer_that_lacks_what_a_request_takes_is_refused(
    bench: Bench, path: str, lacking: str, raw: bytes, golden: GoldenFiles
) -> None:
    issuer, order = crossing(bench)
    bench[0].faults = [Fault(200, path=path, raw=raw)]
    answer = issuer.link(order)
    golden.compare_said("issuers", said_by(answer), lacking)


def test_a_request_that_is_not_made_is_told_in_its_own_words(bench: Bench, golden: GoldenFiles) -> None:
    issuer, order = crossing(bench)
    bench[0].faults = [Fault(400, ("the key is gone",), path="/cross-sign")]
    answer = issuer.link(order)
    golden.compare_said("issuers", said_by(answer))
