# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""An issuer in a PKI mount of Vault or OpenBao (CA abstraction, "type: vault"; docs/issuers/vault.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .._errors import AnswerUnusable, CertificateError
from .._pki.certificates import Certificate
from .._strimzi.issuer_settings import VaultIssuer
from .._strimzi.work import Clock
from .._trust.model.intent import Linker
from .issuer import Answer, LeafOrder, LinkOrder, Refused, Token
from .vault_answers import certificate_of, decode_token, text_of, token_of
from .vault_bodies import leaf_body, link_body, request_body, self_issued_body
from .vault_calls import PatientCalls
from .vault_errors import Reply, quotable, quoted
from .vault_http import VaultConnection
from .vault_login import ReadToken, tokens_of
from .vault_paths import cross_sign_path, issuer_path, sign_intermediate_path, sign_path, sign_self_issued_path
from .vault_session import VaultSession

_USER = re.compile(r"//[^/]*@")


class VaultPki:
    """Signs at once; the key of the CA stays in Vault, and that of the leaf here. The token is the certificate itself, so
    that nothing is asked of Vault afterwards.

    This object knows what was signed as long as it lives. A run that continues a killed one has a request signed once
    more; the first certificate is never used.
    """

    remembers = False

    def __init__(
        self, settings: VaultIssuer, clock: Clock, read: ReadToken, alive: Callable[[], None] = lambda: None
    ) -> None:
        """read: of a token in a Secret. alive: called before each request to Vault, which may have to be repeated."""
        self._settings = settings
        self._clock = clock
        self._read_token = read
        self._alive = alive
        self._session: VaultSession | None = None
        self._signed: dict[LeafOrder, Token] = {}

    @property
    def reference(self) -> str:
        return self._named(self._settings.issuer_ref)

    def _named(self, issuer_ref: str) -> str:
        one = self._settings
        inside = f" in namespace {one.namespace.strip('/')}" if one.namespace.strip("/") else ""
        # A person who put a password into the URL is told so when it is used; here it is left out.
        url = _USER.sub("//", one.url.rstrip("/"))
        return quotable(f"Vault issuer {issuer_ref} of {url}, mount {one.mount.strip('/')}{inside}, role {one.role}")

    def request(self, order: LeafOrder) -> Token | Refused:
        if order not in self._signed:
            answer = self._sign(order)
            if isinstance(answer, Refused):
                return answer
            self._signed[order] = answer
        return self._signed[order]

    def poll(self, tokens: Sequence[Token]) -> tuple[Answer, ...]:
        return tuple(map(self._read, tokens))

    def forget(self, tokens: Sequence[Token]) -> None:
        """Vault keeps nothing for them. The certificates are not revoked: served ones are in use."""

    @property
    def linker(self) -> Linker:
        return Linker(self._named(self._of_ca_in_use), keeps_both=bool(self._settings.linked_by))

    @property
    def _of_ca_in_use(self) -> str:
        """The issuer of the CA in use: it certifies the next one."""
        return self._settings.linked_by or self._settings.issuer_ref

    def link(self, order: LinkOrder) -> Certificate | Refused:
        one, subject = self._settings, order.authority.subject
        signing, requesting = self._of_ca_in_use, one.issuer_ref
        if order.back:
            signing, requesting = requesting, signing
        doing = quotable(f"certify {subject} with issuer {signing} of mount {one.mount.strip('/')}")
        if order.self_issued is not None:
            path, body = sign_self_issued_path(one.mount, signing), self_issued_body(order.self_issued)
        else:
            csr = order.csr or self._request_of(order.authority, requesting, signing, doing)
            if isinstance(csr, Refused):
                return csr
            path, body = sign_intermediate_path(one.mount, signing), link_body(order, csr, self._clock.now())
        reply = self._connected().post(path, body, doing)
        if reply.status == 400:
            return self._not_certified(subject, signing, reply)
        try:
            return certificate_of(reply.body)
        except AnswerUnusable as error:
            return self._unusable(f"to certify {subject}", error)

    def _request_of(self, authority: Certificate, requesting: str, signing: str, doing: str) -> bytes | Refused:
        """The request for a link certificate, signed by the key of that CA, which the mount keeps. requesting, signing: the issuers of that CA and
        of the one that certifies it.
        """
        one = self._settings
        known = self._connected().read(issuer_path(one.mount, requesting), doing)
        try:
            body = request_body(authority, text_of(known.body, "key_id"))
            reply = self._connected().post(cross_sign_path(one.mount), body, doing)
            return (
                self._not_certified(authority.subject, signing, reply)
                if reply.status == 400
                else text_of(reply.body, "csr").encode()
            )
        except AnswerUnusable as error:
            return self._unusable(f"to certify {authority.subject}", error)

    def _not_certified(self, subject: str, signing: str, reply: Reply) -> Refused:
        return Refused(
            f"{self._named(signing)} refuses to certify {subject}{quoted(reply.said)}.",
            'Correct the issuer in Vault (docs/issuers/vault.md, "The link certificate").',
        )

    def _sign(self, order: LeafOrder) -> Token | Refused:
        one = self._settings
        path = sign_path(one.mount, one.issuer_ref, one.role)
        doing = quotable(f"sign with issuer {one.issuer_ref} of mount {one.mount.strip('/')} by role {one.role}")
        reply = self._connected().post(path, leaf_body(order), doing)
        if reply.status == 400:
            return self._refused(order, reply)
        try:
            return token_of(reply.body)
        except AnswerUnusable as error:
            return self._unusable(order.name, error)

    def _unusable(self, request: str, error: AnswerUnusable) -> Refused:
        return Refused(
            f"The answer of {self.reference} to the request {request} is not usable: {quotable(str(error))}.",
            "Check what lies before Vault, and the issuer in it.",
        )

    def _refused(self, order: LeafOrder, reply: Reply) -> Refused:
        whom = f"{order.name} for CN={order.subject.distinguished_name.common_name}"
        return Refused(
            f"{self.reference} refuses the request {whom}{quoted(reply.said)}.",
            f'Correct the role {self._settings.role} in Vault (docs/issuers/vault.md, "Set up Vault"), or ask for what it permits.',
        )

    def _read(self, token: Token) -> Answer:
        try:
            return decode_token(token)
        except CertificateError as error:
            return Refused(
                f"The record of a certificate of {self.reference} cannot be read: {quotable(str(error))}.",
                "Nothing is lost: the certificate is asked for anew.",
            )

    def _connected(self) -> VaultSession:
        """Connects when Vault is needed, and not before: certificates that were signed can be read without it."""
        if self._session is None:
            connection = VaultConnection(self._settings, self._clock.now)
            calls = PatientCalls(connection, self._clock, self._alive)
            tokens = tokens_of(self._settings.login, calls, self._clock, self._read_token)
            self._session = VaultSession(calls, tokens)
        return self._session
