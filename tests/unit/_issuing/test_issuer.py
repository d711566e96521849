# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The external issuer, and the issuer that the caller names."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.requests import (
    CertManager,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.external.issuer import External
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    IssuedCertificate,
    LeafOrder,
    RenewingIssuer,
    Token,
    Waiting,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import issuer_of
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.requests import (
    RequestRecord,
    StoredRequest,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
    ExternalIssuer,
    IssuerSettings,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component

from ...tools.support.certificates import NOW, key, leaf, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.issuer_contract import NODE, said_by
from .._strimzi.bench import Bench

CA = make("issuing", key(1), make("root", key(2)))
LEAF = leaf(CA)
ASKED, OTHER = Token(b"a request"), Token(b"another request")
WAITING = Waiting(
    "The requests lie in Secrets kafka/demo-issuing-<component>: export them with strimzi_csr, have them signed, and import "
    "the answers."
)


def issuer(**answers: bytes) -> External:
    return External(
        {name.replace("_", " ").encode(): one for name, one in answers.items()},
        "Secrets kafka/demo-issuing-<component>",
    )


def test_the_token_is_the_request() -> None:
    assert issuer().request(LeafOrder("demo-kafka-0", NODE, b"a request", timedelta(days=1))) == ASKED


def test_without_an_answer_it_says_where_the_requests_lie() -> None:
    assert issuer(another_request=LEAF.pem).poll([ASKED]) == (WAITING,)


def test_answers_come_in_the_order_of_the_tokens() -> None:
    with_chain, alone = LEAF.pem + CA.certificate.pem, LEAF.pem
    assert issuer(a_request=with_chain, another_request=alone).poll([OTHER, ASKED, Token(b"third")]) == (
        IssuedCertificate(LEAF, ()), IssuedCertificate(LEAF, (CA.certificate,)), WAITING,
    )  # fmt: skip
    assert issuer().poll([]) == ()


@pytest.mark.parametrize("content", [LEAF.pem + key(3).reveal(), key(3).reveal() + LEAF.pem, key(3).reveal()])
def test_a_private_key_beside_a_certificate_is_refused_and_not_shown(content: bytes, golden: GoldenFiles) -> None:
    (answer,) = issuer(a_request=content).poll([ASKED])
    golden.compare_said("issuers", said_by(answer))


@pytest.mark.parametrize(
    ("case", "content"), [("nothing", b""), ("no certificate", b"no certificate"), ("too many", LEAF.pem * 11)]
)
def test_an_unusable_answer_is_refused_and_not_quoted(case: str, content: bytes, golden: GoldenFiles) -> None:
    (answer,) = issuer(a_request=content).poll([ASKED])
    golden.compare_said("issuers", said_by(answer), case)


def test_the_external_issuer_forgets_nothing() -> None:
    it = issuer(a_request=LEAF.pem)
    it.forget([ASKED, OTHER])
    assert it.poll([ASKED]) == (IssuedCertificate(LEAF, ()),)


# A call asks the issuer that the caller names.

ANSWER = leaf(make("issuing", key(1)))
RECORD = RequestRecord("the external issuer", "", "", "", NOW, "a request")
STORED = StoredRequest("demo-kafka-0", Component.KAFKA, RECORD)


def test_without_a_named_issuer_the_external_issuer_is_asked() -> None:
    work = Bench().work()
    assert isinstance(issuer_of(work), External)
    assert work.settings.issuer == ExternalIssuer()
    assert issuer_of(work).reference == "the external issuer"


def test_cert_manager() -> None:
    work = Bench().work(issuer=CertManagerIssuer("corporate", "ClusterIssuer"))
    assert isinstance(issuer_of(work, (STORED,)), CertManager)
    assert issuer_of(work).reference == "cert-manager ClusterIssuer corporate"


def test_cert_manager_by_certificates() -> None:
    work = Bench().work(issuer=CertManagerCertificates(CertManagerIssuer("corporate", "ClusterIssuer")))
    assert isinstance(issuer_of(work), RenewingIssuer)
    assert issuer_of(work).reference == "cert-manager ClusterIssuer corporate by Certificates"


@pytest.mark.parametrize("settings", [ExternalIssuer(), CertManagerIssuer("corporate")])
def test_other_issuers_do_not_renew_by_themselves(settings: IssuerSettings) -> None:
    assert not isinstance(issuer_of(Bench().work(issuer=settings)), RenewingIssuer)


def test_people_put_their_answers_beside_the_requests() -> None:
    answered = replace(STORED, secret="demo-kafka-1", record=replace(RECORD, token="another"), issued=ANSWER.pem)
    unasked = StoredRequest("demo-kafka-2", Component.KAFKA, issued=ANSWER.pem)
    waiting, issued = issuer_of(Bench().work(), (STORED, answered, unasked)).poll(
        [Token(b"a request"), Token(b"another")]
    )
    assert issued == IssuedCertificate(ANSWER, ())
    assert isinstance(waiting, Waiting)
    assert "Secrets kafka/demo-issuing-<component>" in waiting.reason
