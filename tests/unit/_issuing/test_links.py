# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Link certificates: what another party signs, the internal issuer, and stand-ins for forecasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    IssuerUnavailable,
    LinkUnavailable,
    StepError,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing import links
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import LinkingIssuer, LinkOrder, Refused
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import (
    InternalIssuer,
    StandIns,
    link_order,
    order_back_link,
    refusals,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import BACKDATED, cross_certify
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import validate_path
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request, parse_request
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.authority import NextAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import SuppliedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.subjects import subject_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.authority_order import LinkPlan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import LinkIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    LinkCertificates,
    PreparedAuthority,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAuthority,
)

from ...tools.support.certificates import NOW, YEAR, Entity, key, make
from ...tools.support.constrained import POLICY, names, policies
from ...tools.support.golden import GoldenFiles
from ...tools.support.issuer_contract import WEEK, Counterpart, IssuerContract
from ...tools.support.link_contract import LinkContract
from ...tools.support.sha_1 import sha_1_below
from .._strimzi.bench import SCOPE, Bench
from .elsewhere import Noting, elsewhere
from .office import CA, OLD, office
from .test_issue import PREPARE

NEW = make("next", key(71), end=CA.certificate.not_after - timedelta(days=1))
ORDER = link_order(NextAuthority((NEW.certificate,), NEW.key), CA.certificate)


#: Others of the same name.
NAMESAKE, ISSUERS_NAMESAKE = make("next", key(72)), make(CA.certificate.subject.partition(",")[0][3:], key(73))


def certified(name: str = "next", own: Entity = NEW, by: Entity = CA, **options: Any) -> Certificate:
    """As it is to be, where nothing else is said."""
    dates = {"begin": ORDER.not_before, "end": ORDER.not_after}
    return make(name, own.key, by, **{"path_length": 0, **dates, **options}).certificate


def extended(extension: x509.ExtensionType) -> Certificate:
    return certified(extra=[(extension, False)])


def test_the_order_of_a_link_has_the_name_and_key_of_the_next_ca_and_outlives_neither_ca() -> None:
    request = parse_request(ORDER.csr)
    assert (request.subject.public_bytes(), request.public_key_sha256) == (
        NEW.certificate.subject_der, NEW.certificate.public_key_sha256,
    )  # fmt: skip
    assert (ORDER.not_before, ORDER.not_after) == (CA.certificate.not_before, NEW.certificate.not_after)
    later = make("next", key(71), end=CA.certificate.not_after + YEAR)
    assert link_order(NextAuthority((later.certificate,), None), CA.certificate).not_after == CA.certificate.not_after


def test_the_way_back_ends_with_a_whole_second_as_each_certificate_does() -> None:
    """A time such as ansible_date_time.iso8601_micro has more: no certificate of an issuer would end then."""
    made, until = NextAuthority((NEW.certificate,), None), NOW + timedelta(days=9, microseconds=500_000)
    order = order_back_link(CA.certificate, made, CA.key, until)
    assert order is not None
    assert order.not_after == NOW + timedelta(days=9)
    assert order.self_issued is not None
    assert order.self_issued.not_after == order.not_after


@pytest.mark.parametrize(
    "link",
    [
        pytest.param(certified(), id="as ordered"),
        pytest.param(certified(begin=ORDER.not_before - timedelta(hours=1)), id="dated back further"),
        pytest.param(
            extended(x509.CRLDistributionPoints([x509.DistributionPoint(
                [x509.UniformResourceIdentifier("http://pki.example/crl")], None, None, None,
            )])), id="with more about its issuer",
        ),
        pytest.param(extended(policies(POLICY)[0]), id="with policies"),
    ],
)  # fmt: skip
def test_a_fitting_link_certificate_is_accepted(link: Certificate) -> None:
    assert list(refusals(link, ORDER)) == []


@pytest.mark.parametrize(
    ("case", "link"),
    [
        ("another name", certified("another")),
        ("another key", certified(own=NAMESAKE, subject_identifier=NEW.certificate.subject_key_identifier)),
        ("another identifier", certified(subject_identifier=b"another")),
        ("no identifier", certified(subject_identifier=None)),
        ("a leaf", certified(ca=False, signing=None)),
        ("says nothing of being a CA", certified(ca=None, signing=None)),
        ("a CA that may not sign", certified(signing=False)),
        ("no path length", certified(path_length=None)),
        ("another path length", certified(path_length=1)),
        ("the next CA itself", NEW.certificate),
        ("of another CA of that name", certified(by=ISSUERS_NAMESAKE)),
        ("under another name", certified(issuer_name="another")),
        ("names another key", certified(authority_identifier=b"another")),
        ("begins too late", certified(begin=ORDER.not_before + timedelta(seconds=1))),
        ("ends too early", certified(end=ORDER.not_after - timedelta(seconds=1))),
        ("outlives a CA", certified(end=ORDER.not_after + timedelta(seconds=1))),
        ("purposes", extended(x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH]))),
        ("names", extended(x509.SubjectAlternativeName([x509.DNSName("a")]))),
        ("constraints", extended(x509.NameConstraints([x509.DNSName("a")], None))),
    ],
)
def test_a_link_certificate_that_differs_from_its_order_is_refused(
    case: str, link: Certificate, golden: GoldenFiles
) -> None:
    golden.compare_said("issuers", "\n".join(refusals(link, ORDER)), case)


CONFINED = (names(["svc"]), (x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH]), False))


@pytest.mark.parametrize(("lost", "why"), [(0, ["name constraints"]), (1, ["extended key usages"]), (None, [])])
def test_a_link_certificate_is_confined_as_its_ca_is(lost: int | None, why: list[str]) -> None:
    """Clients that trust the CA in use would take leaves of the next CA for any name, and for any use."""
    own = make("next", key(71), end=NEW.certificate.not_after, extra=CONFINED)
    order = link_order(NextAuthority((own.certificate,), own.key), CA.certificate)
    kept = [extension for number, extension in enumerate(CONFINED) if number != lost]
    assert list(refusals(certified(own=own, extra=kept), order)) == [
        f"its {what} differ from the {what} of {own.certificate.subject}" for what in why
    ]


def test_between_two_cas_of_one_name_it_names_the_key_of_its_issuer(golden: GoldenFiles) -> None:
    """Else OpenSSL takes it for a root."""
    new = make(CA.certificate.subject.partition(",")[0][3:], key(71), end=NEW.certificate.not_after)
    order = link_order(NextAuthority((new.certificate,), new.key), CA.certificate)
    name = new.certificate.subject.partition(",")[0][3:]
    assert list(refusals(certified(name, new), order)) == []
    (said,) = refusals(certified(name, new, authority_identifier=None), order)
    golden.compare_said("issuers", said)


def test_a_weak_signature_is_refused(tmp_path: Path, golden: GoldenFiles) -> None:
    signed = sha_1_below(CA, NEW.key, tmp_path, "next").certificate
    golden.compare_said("issuers", "\n".join(refusals(signed, ORDER)))


def sign(order: LinkOrder, **changes: Any) -> Certificate:
    wanted = replace(order, **changes)
    life = wanted.not_after - wanted.not_before
    return cross_certify(wanted.authority, CA.certificate, CA.key, not_before=wanted.not_before, validity=life)


@dataclass
class Certifying(Noting):
    """An issuer that certifies CAs, in this way."""

    answer: Callable[[LinkOrder], Certificate | Refused] = sign
    reference: str = "the corporate issuer"

    @property
    def linker(self) -> LinkIssuer:
        return LinkIssuer(self.reference)

    def link(self, order: LinkOrder) -> Certificate | Refused:
        return self.answer(order)


def away(order: LinkOrder) -> Refused:
    raise IssuerUnavailable("It", "is sealed", "Unseal it.")


STEP = PrepareAuthority(
    goal=Goal.REPLACE_KEY, replaces=(CA.certificate,), generation=1, links=LinkPlan(Certifying.reference)
)


def prepared(monkeypatch: pytest.MonkeyPatch, issuer: object, **settings: Any) -> Bench:
    bench = elsewhere(CA)
    monkeypatch.setattr(links, "issuer_of", lambda work: issuer)
    carry_out(STEP, bench.observe(), bench.work(**settings))
    return bench


def test_a_signed_link_certificate_is_stored_with_the_next_ca(monkeypatch: pytest.MonkeyPatch) -> None:
    (made,) = prepared(monkeypatch, Certifying()).observe().snapshot.ca.prepared
    assert made.links is not None
    assert made.links.new_with_old.signed_by(CA.certificate)
    # Issuers write names again, and the name stays the same.
    assert made.chain[0].outlives_rewriting
    assert made.chain[0].subject == "CN=cluster-ca v1,O=io.strimzi"


WITHOUT = pytest.mark.parametrize(
    ("case", "answer"),
    [
        ("a refusal", lambda order: Refused("It certifies no CA.", "Ask another issuer.")),
        ("an absence", away),
        ("another certificate", lambda order: sign(order, not_after=order.not_after + YEAR)),
    ],
)


@WITHOUT
def test_without_it_nothing_is_written(
    case: str,
    answer: Callable[[LinkOrder], Certificate | Refused],
    monkeypatch: pytest.MonkeyPatch,
    golden: GoldenFiles,
) -> None:
    with pytest.raises(LinkUnavailable) as raised:
        prepared(monkeypatch, Certifying(answer))
    golden.compare_said("issuers", raised.value, case)


def test_an_issuer_that_certifies_no_cas_is_told_of(monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles) -> None:
    assert not isinstance(Noting(), LinkingIssuer)
    with pytest.raises(LinkUnavailable) as caught:
        prepared(monkeypatch, Noting())
    golden.compare_said("issuers", caught.value)


def test_a_prediction_asks_no_issuer(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = prepared(monkeypatch, Certifying(away), dry_run=True)
    assert bench.observe().snapshot.ca.prepared == ()
    assert set(bench.data(SCOPE.ca_key_secret)) == {"ca.key"}


def test_a_forecast_assumes_that_it_is_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = elsewhere(CA)
    monkeypatch.setattr(links, "issuer_of", lambda work: Certifying(away))
    made: PreparedAuthority = StandIns(bench.observe(), bench.work()).authority(STEP)
    assert made.links is not None
    assert made.links.new_with_old.signed_by(CA.certificate)
    assert made.links.new_with_old.is_twin_of(made.chain[0])
    assert made.links.new_with_old.path_length == 0


# The way back: the CA in use is here, and the next CA is kept by the issuer.

HERE = make("cluster-ca v0", key(74), path_length=1)
BACK = PrepareAuthority(
    goal=Goal.REPLACE_KEY, replaces=(HERE.certificate,), generation=1, supplied=(CA.certificate,),
    links=LinkPlan(back_issuer=Certifying.reference, refusing_clients="Clients are refused."),
)  # fmt: skip


def led_back(monkeypatch: pytest.MonkeyPatch, issuer: object) -> tuple[LinkCertificates, list[str]]:
    """The link certificates that are stored, and the warnings."""
    bench = office(HERE)
    work = bench.work()
    monkeypatch.setattr(links, "issuer_of", lambda work: issuer)
    carry_out(BACK, bench.observe(), work)
    (made,) = bench.observe().snapshot.ca.prepared
    assert made.links is not None
    assert made.links.new_with_old.signed_by(HERE.certificate)
    return made.links, work.warnings


def test_the_issuer_of_the_next_ca_certifies_the_one_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    orders: list[LinkOrder] = []

    def answer(order: LinkOrder) -> Certificate:
        orders.append(order)
        return sign(order)

    stored, warnings = led_back(monkeypatch, Certifying(answer))
    assert (len(stored.both), warnings) == (2, [])
    (order,) = orders
    assert (order.authority, order.issuer, order.back) == (HERE.certificate, CA.certificate, True)
    # It proves that the key is ours, and says all that the issuer signs again.
    own = order.self_issued
    assert own is not None
    assert own.is_twin_of(HERE.certificate)
    assert own.signed_by(HERE.certificate)
    assert (own.not_before, own.not_after, own.path_length) == (order.not_before, order.not_after, 0)


@WITHOUT
def test_without_the_way_back_the_way_forth_is_stored_and_a_warning_says_who_is_refused(
    case: str,
    answer: Callable[[LinkOrder], Certificate | Refused],
    monkeypatch: pytest.MonkeyPatch,
    golden: GoldenFiles,
) -> None:
    stored, (warning,) = led_back(monkeypatch, Certifying(answer))
    assert stored.both == ()
    golden.compare_said("issuers", warning, case)


def test_a_forecast_assumes_that_the_way_back_is_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = office(HERE)
    monkeypatch.setattr(links, "issuer_of", lambda work: Certifying(away))
    made: PreparedAuthority = StandIns(bench.observe(), bench.work()).authority(BACK)
    assert made.links is not None
    _forth, back = made.links.both
    assert back.signed_by(CA.certificate)
    assert back.is_twin_of(HERE.certificate)


# Certificates for forecasts are what the steps would make, and nothing of them is kept.

THEIRS = make("theirs", key(60), make("their root", key(61)))


#: An outside issuer keeps its key.
SUPPLIED = SuppliedAuthority((THEIRS.certificate,), None)


def test_stand_ins_are_what_the_steps_would_make() -> None:
    bench = office(OLD)
    before = len(bench.api.writes)
    stand_ins = StandIns(bench.observe(), bench.work())
    made = stand_ins.authority(PREPARE)
    assert made.links is not None
    assert made.links.new_with_old.signed_by(OLD.certificate)
    assert made.links.new_with_old.is_twin_of(made.chain[0])
    assert made.key == made.chain[0].public_key_sha256
    leaf = stand_ins.leaf(made.chain)
    assert leaf.signed_by(made.chain[0])
    assert not leaf.is_ca
    assert len(bench.api.writes) == before


def test_half_way_the_key_of_the_next_ca_lies_beside_that_of_the_ca_in_use() -> None:
    bench = office(OLD)
    bench.carry_out(PREPARE)
    (made,) = bench.observe().snapshot.ca.prepared
    stand_ins = StandIns(bench.observe(), bench.work())
    assert stand_ins.leaf(made.chain).signed_by(made.chain[0])
    assert stand_ins.leaf((OLD.certificate,)).signed_by(OLD.certificate)


def test_without_the_key_there_is_nothing_to_say(golden: GoldenFiles) -> None:
    bench = office(OLD)
    with pytest.raises(StepError) as caught:
        StandIns(bench.observe(), bench.work()).leaf((CA.certificate,))
    golden.compare_said("issuers", caught.value)


def test_stand_ins_begin_before_the_moment_of_the_forecast() -> None:
    """However long the nodes were asked in between: the forecast's gates go by that moment."""
    bench = office(OLD)
    seen = bench.observe()
    bench.clock.seconds += 60
    stand_ins = StandIns(seen, bench.work())
    made = stand_ins.authority(PREPARE)
    assert made.links is not None
    certificates = (*made.chain, made.links.new_with_old, stand_ins.leaf(made.chain))
    assert max(certificate.not_before for certificate in certificates) <= seen.snapshot.now


def test_a_ca_whose_key_an_outside_issuer_keeps_is_forecast_without_it() -> None:
    """Before it is prepared it is known from what the caller brings, afterwards from its place in the Secret."""
    bench = office(OLD)
    stand_ins = StandIns(bench.observe(), bench.work(supplied=SUPPLIED))
    made = stand_ins.authority(replace(PREPARE, links=None, supplied=SUPPLIED.chain))
    assert (made.chain, made.key_is_elsewhere, made.links) == (SUPPLIED.chain, True, None)
    assert stand_ins.leaf(made.chain).signed_by(THEIRS.certificate)
    assert not stand_ins.leaf((OLD.certificate,)).signed_by(THEIRS.certificate)


def test_leaves_of_a_stand_in_are_accepted_where_its_ca_is_trusted_alone() -> None:
    bench = elsewhere(CA)
    before = len(bench.api.writes)
    leaf = StandIns(bench.observe(), bench.work()).leaf((CA.certificate,))
    assert leaf.signed_by(CA.certificate)
    assert not leaf.signed_by(OLD.certificate)
    assert not validate_path((leaf,), (CA.certificate,), at=leaf.not_before).reason
    assert validate_path((leaf,), (OLD.certificate,), at=leaf.not_before).reason
    assert leaf.not_after <= CA.certificate.not_after
    assert len(bench.api.writes) == before


def test_half_way_the_next_ca_is_known_although_the_caller_does_not_bring_it_again() -> None:
    bench = office(OLD)
    carry_out(replace(PREPARE, links=None, supplied=SUPPLIED.chain), bench.observe(), bench.work(supplied=SUPPLIED))
    (made,) = bench.observe().snapshot.ca.prepared
    assert (made.chain, made.key_is_elsewhere) == (SUPPLIED.chain, True)
    stand_ins = StandIns(bench.observe(), bench.work())
    assert stand_ins.leaf(made.chain).signed_by(THEIRS.certificate)
    assert stand_ins.leaf((OLD.certificate,)).signed_by(OLD.certificate)


# The internal issuer keeps to what every issuer keeps to.

ROOT = make("root", key(1))
BELOW_ROOT = make("cluster-ca v0", key(2), ROOT, path_length=0)


class Internal:
    """Signs at once, by a fixed clock."""

    authority: Chain = (BELOW_ROOT.certificate, ROOT.certificate)
    issuer = InternalIssuer(authority, BELOW_ROOT.key, NOW, WEEK)

    def now(self) -> datetime:
        return NOW


def signed(authority: Entity) -> Certificate:
    subject = subject_of(Component.ENTITY_OPERATOR, "one", frozenset())
    request = build_request(subject.distinguished_name, subject.names, key(3))
    return InternalIssuer((authority.certificate,), authority.key, NOW, WEEK).sign(request).leaf


@pytest.mark.parametrize("age", [WEEK, BACKDATED])
def test_a_leaf_is_dated_back_and_lives_as_long_from_now_on(age: timedelta) -> None:
    leaf = signed(make("cluster-ca v0", key(2), begin=NOW - age))
    assert (leaf.not_before, leaf.not_after) == (NOW - BACKDATED, NOW + WEEK)


def test_a_leaf_begins_and_ends_with_its_ca() -> None:
    authority = make("cluster-ca v0", key(2), begin=NOW - BACKDATED / 2, end=NOW + WEEK / 2)
    leaf = signed(authority)
    assert (leaf.not_before, leaf.not_after) == (authority.certificate.not_before, authority.certificate.not_after)


class TestInternalIssuer(IssuerContract, LinkContract):
    @pytest.fixture
    def counterpart(self) -> Counterpart:
        return Internal()
