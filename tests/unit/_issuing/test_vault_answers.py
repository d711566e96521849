# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From answers to tokens, with chains of every shape."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import AnswerUnusable, CertificateError
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Token
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.issuer import (
    decode_token,
    token_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate

from ...support.certificates import Entity, key, leaf, make

ROOT = make("root", key(1))
CA = make("issuer", key(2), ROOT)
OLD = make("old root", key(3))
#: The same CA below another root, and for the same key.
CROSS = make("issuer", key(2), OLD)
LEAF = leaf(CA)


def chain_of(issuing: Certificate, *above: Certificate) -> tuple[Certificate, ...]:
    data = {
        "certificate": LEAF.pem.decode(),
        "issuing_ca": issuing.pem.decode(),
        "ca_chain": [one.pem.decode() for one in above],
    }
    found = decode_token(token_of({"data": data}))
    assert found.leaf == LEAF
    return found.chain


def test_of_two_ways_up_the_one_of_the_issuing_ca_is_taken() -> None:
    ca, cross, root, old = CA.certificate, CROSS.certificate, ROOT.certificate, OLD.certificate
    assert chain_of(ca, ca, cross, old, root) == (ca, root)
    assert chain_of(cross, ca, cross, old, root) == (cross, old)


def test_above_a_root_is_nothing() -> None:
    """Another root may have certified it."""
    ca, root, crossed, old = CA.certificate, ROOT.certificate, make("root", key(1), OLD).certificate, OLD.certificate
    assert chain_of(ca, ca, root, crossed, old) == (ca, root)


def test_what_leads_nowhere_is_left_out() -> None:
    assert chain_of(CA.certificate, OLD.certificate) == (CA.certificate,)


def test_a_chain_that_no_verifier_accepts_is_no_answer() -> None:
    above: list[Entity] = [ROOT]
    for number in range(9):
        above.append(make(f"ca {number}", key(10 + number), above[-1]))
    below = leaf(above[-1])
    names = [one.certificate.pem.decode() for one in reversed(above)]
    with pytest.raises(AnswerUnusable, match="it has 11 certificates"):
        token_of({"data": {"certificate": below.pem.decode(), "issuing_ca": names[0], "ca_chain": names}})
    found = token_of({"data": {"certificate": below.pem.decode(), "issuing_ca": names[0], "ca_chain": names[:9]}})
    assert len(decode_token(found).chain) == 9


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": []}])
def test_an_answer_without_data_is_none(body: dict[str, object]) -> None:
    with pytest.raises(AnswerUnusable, match="it has no data"):
        token_of(body)


def test_a_record_of_something_else_is_none() -> None:
    with pytest.raises(CertificateError):
        decode_token(Token(b"{}"))
