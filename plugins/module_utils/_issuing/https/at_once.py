# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""An issuer whose server signs a request at once, and the certificates in its answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..._errors import AnswerUnusable, CertificateError
from ..._pki.certificates import (
    MOST_IN_A_CHAIN,
    Certificate,
    Chain,
    encode_certificates,
    length_problem,
    parse_certificates,
    parse_chain,
)
from ..issuer import Answer, IssuedCertificate, LeafOrder, Refused, Token
from .api import quotable


class IssuerAtOnce(ABC):
    """An issuer that signs at once. The key of the CA stays in the server, and the leaf's key here. The token is the
    certificate itself, so no later call asks the server for it.

    This object knows its signed certificates as long as it lives. If a run continues a killed run, it has a request
    signed once more; the first certificate is never used.
    """

    remembers = False

    def __init__(self) -> None:
        self._signed: dict[LeafOrder, Token] = {}

    @property
    @abstractmethod
    def reference(self) -> str:
        """The name of this issuer, as people say it."""

    @abstractmethod
    def sign(self, order: LeafOrder) -> Token | Refused:
        """Have the server sign the request. Raises ServerFailure."""

    def request(self, order: LeafOrder) -> Token | Refused:
        if order not in self._signed:
            answer = self.sign(order)
            if isinstance(answer, Refused):
                return answer
            self._signed[order] = answer
        return self._signed[order]

    def poll(self, tokens: Sequence[Token]) -> tuple[Answer, ...]:
        return tuple(map(self._read, tokens))

    def forget(self, tokens: Sequence[Token]) -> None:  # noqa: B027 - there is nothing to do for any of them
        """The server keeps nothing for them. The certificates are not revoked: served certificates are in use."""

    def _read(self, token: Token) -> Answer:
        try:
            return decode_token(token)
        except CertificateError as error:
            return Refused(
                f"The record of a certificate of {self.reference} cannot be read: {quotable(str(error))}.",
                "Nothing is lost: the run requests the certificate again.",
            )


def decode_token(token: Token) -> IssuedCertificate:
    """The certificates in a token. Raises CertificateError if the record is none of ours."""
    leaf, *chain = parse_chain(token.value)
    return IssuedCertificate(leaf, tuple(chain))


def encode_token(leaf: Certificate, given: Sequence[Certificate], issuer: str) -> Token:
    """The leaf and its chain, as PEM: both are public. Messages name the field with the ``issuer`` of the leaf. Raises
    AnswerUnusable.
    """
    chain = tuple(_sort_upwards(leaf, given))
    if not chain:
        raise AnswerUnusable(f"{issuer} has not signed its certificate")
    if len(chain) >= MOST_IN_A_CHAIN:
        raise AnswerUnusable(length_problem(len(chain) + 1))
    return Token(encode_certificates((leaf, *chain)))


def certificates_in(data: Mapping[str, Any], name: str) -> Chain:
    """The certificates in a field with a single PEM text or several. Raises AnswerUnusable."""
    value = data.get(name)
    values = value if isinstance(value, list) else [value]
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) != len(values):
        raise AnswerUnusable(f"it has no {name}")
    try:
        return parse_certificates("\n".join(texts).encode("utf-8", "replace"))
    except CertificateError as error:
        raise AnswerUnusable(f"its {name} cannot be read ({error})") from None


def _sort_upwards(leaf: Certificate, given: Sequence[Certificate]) -> Iterator[Certificate]:
    """The CAs from the issuer of the leaf towards the root: servers may give them in another order, and others beside
    them.
    """
    below, rest = leaf, list(dict.fromkeys(given))
    while above := next((certificate for certificate in rest if below.signed_by(certificate)), None):
        yield above
        if above.signed_by(above):
            return
        rest.remove(above)
        below = above
