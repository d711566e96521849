# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""An issuer in a PKI mount of Vault or OpenBao: the bodies of its requests, and how its answers become tokens and
certificates (CA abstraction, "type: vault"; docs/issuers/vault.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from ..._errors import AnswerUnusable
from ..._pki.certificates import Certificate
from ..._pki.names import hosts_and_addresses
from ..._strimzi.apply.work import Clock
from ..._trust.model.intent import LinkIssuer
from ..https.api import Reply, quotable, quoted
from ..https.at_once import IssuerAtOnce, certificates_in, encode_token
from ..https.connection import HttpsConnection
from ..https.patience import PatientCalls
from ..issuer import LeafOrder, LinkOrder, Refused, Token
from .api import VAULT, server_of
from .login import (
    ReadToken,
    VaultSession,
    cross_sign_path,
    issuer_path,
    sign_intermediate_path,
    sign_path,
    sign_self_issued_path,
    tokens_of,
)
from .settings import VaultIssuer


def token_of(body: Mapping[str, Any]) -> Token:
    """The token of the answer to a request for a leaf. Raises AnswerUnusable."""
    data = _data(body)
    (leaf, *_along), issuing = certificates_in(data, "certificate"), certificates_in(data, "issuing_ca")
    above = certificates_in(data, "ca_chain") if data.get("ca_chain") else ()
    return encode_token(leaf, (*issuing, *above), f"its issuing_ca, {issuing[0].subject},")


def certificate_of(body: Mapping[str, Any]) -> Certificate:
    """The signed certificate, without its chain. Raises AnswerUnusable."""
    return certificates_in(_data(body), "certificate")[0]


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


#: A link certificate is dated back by the clock of Vault. This clock may be ahead of the clock of the run.
_AHEAD = timedelta(minutes=5)
#: Parts of names (RFC 5280 Appendix A) with a field in the API.
_TEXTS: Mapping[str, str] = {"2.5.4.3": "common_name", "2.5.4.5": "serial_number"}
_LISTS: Mapping[str, str] = {
    "2.5.4.6": "country", "2.5.4.7": "locality", "2.5.4.8": "province", "2.5.4.9": "street_address",
    "2.5.4.10": "organization", "2.5.4.11": "ou", "2.5.4.17": "postal_code",
}  # fmt: skip


def leaf_body(order: LeafOrder) -> Mapping[str, Any]:
    """The body of the request for a leaf. Names are sent beside the CSR too, because a role may not take them from it.
    If a common name is no host name, it must not become an alternative name.
    """
    subject = order.subject
    hosts, addresses = hosts_and_addresses(subject.names)
    return {
        "csr": order.csr.decode("ascii"),
        "common_name": subject.distinguished_name.common_name,
        "alt_names": ",".join(hosts),
        "ip_sans": ",".join(addresses),
        "exclude_cn_from_sans": True,
        "ttl": f"{int(order.validity.total_seconds())}s",
        "format": "pem",
    }


def request_body(authority: Certificate, key: str) -> Mapping[str, Any]:
    """The body by which a key of the mount signs the request for a link certificate. If the API has no field for parts
    of a name, it becomes another name, and the signed certificate is refused.
    """
    lists = {
        field: [value for kind, value in authority.subject_attributes if kind == wanted]
        for wanted, field in _LISTS.items()
    }
    texts = {_TEXTS[kind]: value for kind, value in authority.subject_attributes if kind in _TEXTS}
    return {**lists, **texts, "key_ref": key, "exclude_cn_from_sans": True, "format": "pem"}


def link_body(order: LinkOrder, csr: bytes, now: datetime) -> Mapping[str, Any]:
    """The body of the order for a link certificate. The certificate takes its name from the request. The body has the
    key identifier, because Vault would compute its own. It has the end as a date, because Vault would cut a life to the
    mount's limit.
    """
    back = now - order.not_before + _AHEAD
    return {
        "csr": csr.decode("ascii"),
        "use_csr_values": True,
        "exclude_cn_from_sans": True,
        "skid": order.authority.identifier_in_leaves.hex(),
        "max_path_length": 0,
        "not_before_duration": f"{int(back.total_seconds())}s",
        "not_after": f"{order.not_after:%Y-%m-%dT%H:%M:%SZ}",
        "format": "pem",
    }


def self_issued_body(certificate: Certificate) -> Mapping[str, Any]:
    """The body for a self-signed certificate. Its key may be of another kind than the issuer's key."""
    return {"certificate": certificate.pem.decode("ascii"), "require_matching_certificate_algorithms": False}


_USER = re.compile(r"//[^/]*@")


class VaultPki(IssuerAtOnce):
    """An issuer in a PKI mount."""

    def __init__(
        self, settings: VaultIssuer, clock: Clock, read: ReadToken, alive: Callable[[], None] = lambda: None
    ) -> None:
        """The function ``read`` reads a token in a Secret. The function ``alive`` is called before each request to
        Vault; the request may have to be repeated.
        """
        super().__init__()
        self._settings = settings
        self._clock = clock
        self._read_token = read
        self._alive = alive
        self._session: VaultSession | None = None

    @property
    def reference(self) -> str:
        return self._named(self._settings.issuer_ref)

    def _named(self, issuer_ref: str) -> str:
        settings = self._settings
        inside = f" in namespace {settings.namespace.strip('/')}" if settings.namespace.strip("/") else ""
        # The connection refuses a URL with a password; this reference leaves the password out.
        url = _USER.sub("//", settings.url.rstrip("/"))
        return quotable(
            f"Vault issuer {issuer_ref} of {url}, mount {settings.mount.strip('/')}{inside}, role {settings.role}"
        )

    @property
    def linker(self) -> LinkIssuer:
        return LinkIssuer(self._named(self._of_ca_in_use), keeps_both_keys=bool(self._settings.linked_by))

    @property
    def _of_ca_in_use(self) -> str:
        """The issuer of the CA in use: it certifies the next CA."""
        return self._settings.linked_by or self._settings.issuer_ref

    def link(self, order: LinkOrder) -> Certificate | Refused:
        settings, subject = self._settings, order.authority.subject
        signing, requesting = self._of_ca_in_use, settings.issuer_ref
        if order.back:
            signing, requesting = requesting, signing
        doing = quotable(f"certify {subject} with issuer {signing} of mount {settings.mount.strip('/')}")
        if order.self_issued is not None:
            path, body = sign_self_issued_path(settings.mount, signing), self_issued_body(order.self_issued)
        else:
            csr = order.csr or self._request_of(order.authority, requesting, signing, doing)
            if isinstance(csr, Refused):
                return csr
            path, body = sign_intermediate_path(settings.mount, signing), link_body(order, csr, self._clock.now())
        reply = self._connected().post(path, body, doing)
        if reply.status == 400:
            return self._not_certified(subject, signing, reply)
        try:
            return certificate_of(reply.body)
        except AnswerUnusable as error:
            return self._unusable(f"to certify {subject}", error)

    def _request_of(self, authority: Certificate, requesting: str, signing: str, doing: str) -> bytes | Refused:
        """The request for a link certificate, signed by the key of ``authority`` in the mount. This CA is the issuer
        ``requesting``, and the issuer ``signing`` certifies it.
        """
        settings = self._settings
        issuer = self._connected().read(issuer_path(settings.mount, requesting), doing)
        try:
            body = request_body(authority, text_of(issuer.body, "key_id"))
            reply = self._connected().post(cross_sign_path(settings.mount), body, doing)
            return (
                self._not_certified(authority.subject, signing, reply)
                if reply.status == 400
                else text_of(reply.body, "csr").encode()
            )
        except AnswerUnusable as error:
            return self._unusable(f"to certify {authority.subject}", error)

    def _not_certified(self, subject: str, signing: str, reply: Reply) -> Refused:
        return Refused(
            f"{self._named(signing)} refuses to certify {subject}{quoted(reply.errors)}.",
            'Correct the issuer in Vault (docs/issuers/vault.md, "The link certificate").',
        )

    def sign(self, order: LeafOrder) -> Token | Refused:
        settings = self._settings
        path = sign_path(settings.mount, settings.issuer_ref, settings.role)
        doing = quotable(
            f"sign with issuer {settings.issuer_ref} of mount {settings.mount.strip('/')} by role {settings.role}"
        )
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
        request = f"{order.name} for CN={order.subject.distinguished_name.common_name}"
        return Refused(
            f"{self.reference} refuses the request {request}{quoted(reply.errors)}.",
            f'Correct the role {self._settings.role} in Vault (docs/issuers/vault.md, "Set up Vault"), or ask for what '
            "it permits.",
        )

    def _connected(self) -> VaultSession:
        """The connection, made when Vault is needed, and not before: signed certificates can be read without it."""
        if self._session is None:
            connection = HttpsConnection(VAULT, server_of(self._settings))
            calls = PatientCalls(connection, self._clock, self._alive)
            tokens = tokens_of(self._settings.login, calls, self._clock, self._read_token)
            self._session = VaultSession(calls, tokens)
        return self._session
