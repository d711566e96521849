# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The answers of Vault: from an answer to a token, and from a token to a certificate (docs/issuers/vault.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._errors import AnswerUnusable, CertificateError
from .._pki.certificates import (
    MOST_IN_A_CHAIN,
    Certificate,
    Chain,
    encode_certificates,
    length_problem,
    parse_certificates,
    parse_chain,
)
from .issuer import IssuedCertificate, Token


def token_of(body: Mapping[str, Any]) -> Token:
    """The leaf and its chain, as PEM: both are public. Raises AnswerUnusable."""
    data = _data(body)
    (leaf, *_along), issuing = _certificates(data, "certificate"), _certificates(data, "issuing_ca")
    above = _certificates(data, "ca_chain") if data.get("ca_chain") else ()
    chain = tuple(_upwards(leaf, (*issuing, *above)))
    if not chain:
        raise AnswerUnusable(f"its issuing_ca, {issuing[0].subject}, has not signed its certificate")
    if len(chain) >= MOST_IN_A_CHAIN:
        raise AnswerUnusable(length_problem(len(chain) + 1))
    return Token(encode_certificates((leaf, *chain)))


def certificate_of(body: Mapping[str, Any]) -> Certificate:
    """The certificate that was signed, without its chain. Raises AnswerUnusable."""
    return _certificates(_data(body), "certificate")[0]


def text_of(body: Mapping[str, Any], name: str) -> str:
    """A field with a text in ASCII. Raises AnswerUnusable."""
    value = _data(body).get(name)
    if not isinstance(value, str) or not value or not value.isascii():
        raise AnswerUnusable(f"it has no {name}")
    return value


def _data(body: Mapping[str, Any]) -> Mapping[str, Any]:
    data = body.get("data")
    if not isinstance(data, dict):
        raise AnswerUnusable("it has no data")
    return data


def decode_token(token: Token) -> IssuedCertificate:
    """Raises CertificateError for a record that is none of ours."""
    leaf, *chain = parse_chain(token.value)
    return IssuedCertificate(leaf, tuple(chain))


def _certificates(data: Mapping[str, Any], name: str) -> Chain:
    """A field with one PEM text or several."""
    value = data.get(name)
    values = value if isinstance(value, list) else [value]
    texts = [one for one in values if isinstance(one, str)]
    if len(texts) != len(values):
        raise AnswerUnusable(f"it has no {name}")
    try:
        return parse_certificates("\n".join(texts).encode("utf-8", "replace"))
    except CertificateError as error:
        raise AnswerUnusable(f"its {name} cannot be read ({error})") from None


def _upwards(leaf: Certificate, given: Sequence[Certificate]) -> Iterator[Certificate]:
    """The CAs from the issuer of the leaf towards the root: servers may tell them in another order, and others beside them."""
    below, rest = leaf, list(dict.fromkeys(given))
    while above := next((one for one in rest if below.signed_by(one)), None):
        yield above
        if above.signed_by(above):
            return
        rest.remove(above)
        below = above
