# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The internal issuer: our own CA key signs at once (spec/4, "type: internal")."""

from __future__ import annotations

from datetime import datetime, timedelta

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import IssuedCertificate, Token
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.subjects import LeafSubject
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.leaves import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import parse_request
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain


class InternalIssuer:
    """Signs with the key of ``authority[0]``. The token is the request itself; nothing is remembered."""

    def __init__(self, authority: Chain, key: PrivateKey, not_before: datetime, validity: timedelta) -> None:
        self._authority = authority
        self._key = key
        self._not_before = not_before
        self._validity = validity

    def request(self, subject: LeafSubject, csr: bytes, validity: timedelta) -> Token:
        return Token(csr)

    def poll(self, token: Token) -> IssuedCertificate | None:
        request = parse_request(token.value)
        # A leaf that outlives its CA would break the path without notice (spec/4, "EE cert expiry").
        validity = min(self._validity, self._authority[0].not_after - self._not_before)
        leaf = sign_leaf(
            request.public_key,
            request.subject,
            request.subject_alternative_names,
            self._authority[0],
            self._key,
            not_before=self._not_before,
            validity=validity,
        )
        return IssuedCertificate(leaf, self._authority)
