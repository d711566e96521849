# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The external issuer: the request is its own token, and answers lie where people have put them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    External,
    IssuedCertificate,
    LeafOrder,
    Refused,
    Token,
    Waiting,
)

from ...support.certificates import key, leaf, make
from ...support.issuer_contract import NODE

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


@pytest.mark.parametrize("content", [b"", b"no certificate", key(1).reveal(), LEAF.pem * 11])
def test_what_is_unusable_is_refused_without_a_word_of_it(content: bytes) -> None:
    (answer,) = issuer(a_request=content).poll([ASKED])
    assert isinstance(answer, Refused)
    assert answer.why.startswith("What was put back is unusable: ")
    assert answer.why.endswith(".")
    assert not answer.why.endswith("..")
    assert "PRIVATE" not in answer.why
    assert answer.remedy == "Put back the certificate with its chain in PEM form."


def test_it_keeps_nothing_that_it_could_forget() -> None:
    it = issuer(a_request=LEAF.pem)
    it.forget([ASKED, OTHER])
    assert it.poll([ASKED]) == (IssuedCertificate(LEAF, ()),)
