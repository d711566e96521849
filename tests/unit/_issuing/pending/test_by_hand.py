# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that a person carries, and what they bring back, on records as they are stored. (What each refusal says:
tests of the module strimzi_csr.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Conflict, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.external.issuer import External
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.by_hand import (
    BroughtCertificate,
    ImportedCertificate,
    RequestByHand,
    requests_by_hand,
    requests_elsewhere,
    store_brought_certificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.pending import (
    names_digest,
    with_requests,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.requests import (
    RequestRecord,
    write_keys,
    write_records,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import Failure
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import write_all
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.subjects import subject_for

from ....tools.support.certificates import NOW, key
from ....tools.support.golden import GoldenFiles
from ....tools.support.signed_by_hand import Signature
from ..._strimzi.bench import SCOPE, Bench
from ..office import BY_SECRET, CA, NODES, office

ONE, OTHER = NODES
OPERATOR = "demo-cluster-operator-certs"
KEYS = {ONE: key(61), OTHER: key(62), OPERATOR: key(63)}
ASKED_AT = NOW - timedelta(days=1)
GOOD = Signature(CA, NOW - timedelta(hours=1))


def record(bench: Bench, name: str) -> RequestRecord:
    subject = subject_for(BY_SECRET[name], bench.observe())
    csr = build_request(subject.distinguished_name, subject.names, KEYS[name]).decode()
    return RequestRecord(
        External.reference,
        CA.certificate.fingerprint,
        KEYS[name].public_key_sha256,
        names_digest(subject),
        ASKED_AT,
        csr,
    )


def store(bench: Bench, name: str, what: RequestRecord) -> None:
    write_all(
        (write_records(SCOPE, bench.observe().secrets, BY_SECRET[name].component, {name: what}),), bench.work(), ""
    )


@pytest.fixture
def bench() -> Bench:
    """The leaves of two nodes and of the operator are asked for."""
    made = office()
    for name, own in KEYS.items():
        component = BY_SECRET[name].component
        write_all((write_keys(SCOPE, made.observe().secrets, component, {name: own.reveal()}),), made.work(), "")
        store(made, name, record(made, name))
    return made


def seen(bench: Bench) -> Observation:
    return with_requests(bench.observe(), bench.work())


def requests(bench: Bench) -> dict[str, RequestByHand]:
    return {one.secret: one for one in requests_by_hand(seen(bench))}


def signed(bench: Bench, name: str, how: Signature = GOOD) -> BroughtCertificate:
    return BroughtCertificate(f"for {name}", how.sign(requests(bench)[name].csr))


def bring(bench: Bench, brought: Iterable[BroughtCertificate]) -> list[ImportedCertificate]:
    return list(store_brought_certificates(tuple(brought), seen(bench), bench.work()))


def test_subject_and_names_are_read_from_the_signing_request(bench: Bench) -> None:
    found = requests(bench)
    assert sorted(found) == sorted(KEYS)
    node = found[ONE]
    subject = subject_for(BY_SECRET[ONE], bench.observe())
    assert (node.subject, frozenset(node.names)) == ("CN=demo-kafka,O=io.strimzi", subject.names)
    assert (node.asked_at, node.authority, node.is_wanted) == (ASKED_AT, CA.certificate, True)


def test_requests_that_are_closed_or_of_another_issuer_are_not_carried(bench: Bench) -> None:
    store(bench, ONE, replace(record(bench, ONE), is_open=False, failure=Failure(1, NOW, "It had no names.")))
    store(bench, OTHER, replace(record(bench, OTHER), issuer="cert-manager Issuer kafka"))
    assert list(requests(bench)) == [OPERATOR]
    (elsewhere,) = requests_elsewhere(seen(bench))
    assert (elsewhere.secret, elsewhere.issuer, elsewhere.asked_at) == (OTHER, "cert-manager Issuer kafka", ASKED_AT)


def test_a_request_that_came_from_elsewhere_is_not_wanted(bench: Bench, golden: GoldenFiles) -> None:
    store(bench, ONE, replace(record(bench, ONE), token=record(bench, OTHER).token))
    assert not requests(bench)[ONE].is_wanted
    golden.compare_said("issuers", requests(bench)[ONE].problem)
    assert requests(bench)[OTHER].is_wanted


def test_the_next_look_finds_certificates_that_were_put_back(bench: Bench) -> None:
    done = bring(bench, [signed(bench, name) for name in (OTHER, OPERATOR, ONE)])
    assert [(one.secret, one.is_new) for one in done] == [(name, True) for name in sorted(KEYS)]
    answers = {one.secret: one.answer and one.answer[0] for one in requests(bench).values()}
    assert answers == {one.secret: one.certificate for one in done}
    assert not any(one.is_wanted for one in requests(bench).values())


def test_nothing_is_put_back_where_one_is_wrong(bench: Bench, golden: GoldenFiles) -> None:
    wrong = signed(bench, OTHER, replace(GOOD, copies=False))
    before = bench.api.snapshot()
    with pytest.raises(StepError) as caught:
        bring(bench, [signed(bench, ONE), wrong])
    golden.compare_said("issuers", caught.value)
    assert bench.api.snapshot() == before


def test_a_certificate_is_judged_beside_those_that_were_put_back_before(bench: Bench) -> None:
    bring(bench, [signed(bench, ONE, replace(GOOD, serial=7))])
    with pytest.raises(StepError, match="serial number"):
        bring(bench, [signed(bench, OTHER, replace(GOOD, serial=7))])
    assert bring(bench, [signed(bench, OTHER, replace(GOOD, serial=8))])[0].is_new


def test_a_request_that_changes_meanwhile_gets_no_answer(bench: Bench) -> None:
    brought, before = signed(bench, ONE), seen(bench)
    store(bench, ONE, replace(record(bench, ONE), asked_at=NOW))
    with pytest.raises(Conflict):
        store_brought_certificates((brought,), before, bench.work())
    assert f"{ONE}.issued" not in bench.data("demo-issuing-kafka")
