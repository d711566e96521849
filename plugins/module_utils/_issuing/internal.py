# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The internal issuer signs at once, with the key of the cluster CA (docs/design.md, "Issuers", "Link certificates")."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from .._pki.authorities import cross_certify
from .._pki.building import BACKDATED
from .._pki.certificates import Certificate, Chain
from .._pki.keys import PrivateKey
from .._pki.leaves import sign_leaf
from .._pki.requests import parse_request
from .._trust.model.intent import Linker
from .issuer import Answer, IssuedCertificate, LeafOrder, LinkOrder, Token


class InternalIssuer:
    """Signs with the key of ``authority[0]``. The token is the request itself; nothing is remembered.

    now: when it signs. validity: how long a leaf is valid from then on, where its CA is.
    """

    reference = "the cluster CA"
    remembers = False

    def __init__(self, authority: Chain, key: PrivateKey, now: datetime, validity: timedelta) -> None:
        self._authority = authority
        self._key = key
        self._now = now
        self._validity = validity

    def request(self, order: LeafOrder) -> Token:
        return Token(order.csr)

    def poll(self, tokens: Sequence[Token]) -> tuple[Answer, ...]:
        return tuple(self.sign(token.value) for token in tokens)

    def forget(self, tokens: Sequence[Token]) -> None:
        """There is nothing to forget."""

    @property
    def linker(self) -> Linker:
        return Linker(self.reference)

    def link(self, order: LinkOrder) -> Certificate:
        """Raises CertificateError where its key is not that of the CA that is to certify."""
        validity = order.not_after - order.not_before
        return cross_certify(order.authority, order.issuer, self._key, not_before=order.not_before, validity=validity)

    def sign(self, csr: bytes) -> IssuedCertificate:
        """csr: PEM."""
        request = parse_request(csr)
        authority = self._authority[0]
        begin = max(self._now - BACKDATED, authority.not_before)
        # A leaf that outlives its CA would break the path without notice (docs/design.md, "Issuers").
        end = min(self._now + self._validity, authority.not_after)
        leaf = sign_leaf(
            request.public_key,
            request.subject,
            request.subject_alternative_names,
            authority,
            self._key,
            not_before=begin,
            validity=end - begin,
        )
        return IssuedCertificate(leaf, self._authority)
