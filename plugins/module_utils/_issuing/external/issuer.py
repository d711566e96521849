# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The external issuer: a person or a tool reads the requests in the Secret, and puts the certificates back beside them
(CA abstraction, "Rejected alternatives", ``type: external``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..._errors import CertificateError
from ..._pki.certificates import parse_chain
from ..._strimzi.issuer_settings import ExternalIssuer
from ..issuer import Answer, IssuedCertificate, LeafOrder, Refused, Token, Waiting


class External:
    """The external issuer. The token is the request itself. The answers are the returned certificates, in PEM, by
    request.
    """

    reference = ExternalIssuer.reference
    remembers = False

    def __init__(self, answers: Mapping[bytes, bytes], where: str) -> None:
        """Messages name the Secrets for people by ``where``."""
        self._answers = answers
        self._where = where

    def request(self, order: LeafOrder) -> Token:
        return Token(order.csr)

    def poll(self, tokens: Sequence[Token]) -> tuple[Answer, ...]:
        return tuple(self._answer(self._answers.get(token.value)) for token in tokens)

    def _answer(self, content: bytes | None) -> Answer:
        if content is None:
            return Waiting(
                f"The requests lie in {self._where}: export them with strimzi_csr, have them signed, and import the "
                "answers."
            )
        if b"PRIVATE KEY" in content:
            return Refused("The file that was put back has a private key in it.", "Put back certificates alone.")
        try:
            leaf, *chain = parse_chain(content)
        except CertificateError as error:
            return Refused(
                f"The file that was put back is unusable: {error}.",
                "Put back the certificate with its chain in PEM form.",
            )
        return IssuedCertificate(leaf, tuple(chain))

    def forget(self, tokens: Sequence[Token]) -> None:
        """The requests leave the Secret with their records."""
