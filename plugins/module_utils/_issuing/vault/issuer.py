# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""An issuer in a PKI mount of Vault or OpenBao: the bodies of its requests, and how its answers become tokens and
certificates (CA abstraction, "type: vault"; docs/issuers/vault.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
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
from ..._pki.names import hosts_and_addresses
from ..._strimzi.apply.work import Clock
from ..._strimzi.issuer_settings import VaultIssuer
from ..._trust.model.intent import LinkIssuer
from ..issuer import Answer, IssuedCertificate, LeafOrder, LinkOrder, Refused, Token
from .http import Reply, VaultConnection, quotable, quoted
from .login import (
    PatientCalls,
    ReadToken,
    VaultSession,
    cross_sign_path,
    issuer_path,
    sign_intermediate_path,
    sign_path,
    sign_self_issued_path,
    tokens_of,
)


def token_of(body: Mapping[str, Any]) -> Token:
    """The leaf and its chain, as PEM: both are public. Raises AnswerUnusable."""
    data = _data(body)
    (leaf, *_along), issuing = _certificates(data, "certificate"), _certificates(data, "issuing_ca")
    above = _certificates(data, "ca_chain") if data.get("ca_chain") else ()
    chain = tuple(_sort_upwards(leaf, (*issuing, *above)))
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
    """A field with a single PEM text or several."""
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
    """The CAs from the issuer of the leaf towards the root: servers may tell them in another order, and others beside them."""
    below, rest = leaf, list(dict.fromkeys(given))
    while above := next((certificate for certificate in rest if below.signed_by(certificate)), None):
        yield above
        if above.signed_by(above):
            return
        rest.remove(above)
        below = above


#: A link certificate is dated back by the clock of Vault, which may be ahead of that of the run.
_AHEAD = timedelta(minutes=5)
#: Parts of names (RFC 5280 Appendix A) for which the API has fields.
_TEXTS: Mapping[str, str] = {"2.5.4.3": "common_name", "2.5.4.5": "serial_number"}
_LISTS: Mapping[str, str] = {
    "2.5.4.6": "country", "2.5.4.7": "locality", "2.5.4.8": "province", "2.5.4.9": "street_address",
    "2.5.4.10": "organization", "2.5.4.11": "ou", "2.5.4.17": "postal_code",
}  # fmt: skip


def leaf_body(order: LeafOrder) -> Mapping[str, Any]:
    """Names are sent beside the CSR too, for roles that do not take them from it. A common name that is not a host name must
    not become an alternative name.
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
    """The body that has a key of the mount sign the request for a link certificate. A name with parts that the API has no field for becomes
    another name, and the certificate that is signed for it is refused.
    """
    lists = {
        field: [value for kind, value in authority.subject_attributes if kind == wanted]
        for wanted, field in _LISTS.items()
    }
    texts = {_TEXTS[kind]: value for kind, value in authority.subject_attributes if kind in _TEXTS}
    return {**lists, **texts, "key_ref": key, "exclude_cn_from_sans": True, "format": "pem"}


def link_body(order: LinkOrder, csr: bytes, now: datetime) -> Mapping[str, Any]:
    """The certificate takes its name from the request. It has the key identifier, because Vault would compute its own; and its end as a
    date, because Vault would cut a life to what the mount permits.
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
    """Its key may be of another kind than that of the issuer."""
    return {"certificate": certificate.pem.decode("ascii"), "require_matching_certificate_algorithms": False}


_USER = re.compile(r"//[^/]*@")


class VaultPki:
    """Signs at once; the key of the CA stays in Vault, and the leaf's key here. The token is the certificate itself, so
    that no later call asks Vault for it.

    This object knows what was signed as long as it lives. A run that continues a killed run has a request signed once
    more; the first certificate is never used.
    """

    remembers = False

    def __init__(
        self, settings: VaultIssuer, clock: Clock, read: ReadToken, alive: Callable[[], None] = lambda: None
    ) -> None:
        """The function ``read`` reads a token in a Secret. The function ``alive`` is called before each request to Vault, which may have to be repeated."""
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
        settings = self._settings
        inside = f" in namespace {settings.namespace.strip('/')}" if settings.namespace.strip("/") else ""
        # The connection refuses a URL with a password; this reference leaves the password out.
        url = _USER.sub("//", settings.url.rstrip("/"))
        return quotable(
            f"Vault issuer {issuer_ref} of {url}, mount {settings.mount.strip('/')}{inside}, role {settings.role}"
        )

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
        """Vault keeps nothing for them. The certificates are not revoked: served certificates are in use."""

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
        """The request for a link certificate, signed by the key of that CA, which the mount keeps. That CA is the issuer ``requesting``, and the issuer
        ``signing`` certifies it.
        """
        settings = self._settings
        known = self._connected().read(issuer_path(settings.mount, requesting), doing)
        try:
            body = request_body(authority, text_of(known.body, "key_id"))
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

    def _sign(self, order: LeafOrder) -> Token | Refused:
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
        whom = f"{order.name} for CN={order.subject.distinguished_name.common_name}"
        return Refused(
            f"{self.reference} refuses the request {whom}{quoted(reply.errors)}.",
            f'Correct the role {self._settings.role} in Vault (docs/issuers/vault.md, "Set up Vault"), or ask for what it permits.',
        )

    def _read(self, token: Token) -> Answer:
        try:
            return decode_token(token)
        except CertificateError as error:
            return Refused(
                f"The record of a certificate of {self.reference} cannot be read: {quotable(str(error))}.",
                "Nothing is lost: the run requests the certificate again.",
            )

    def _connected(self) -> VaultSession:
        """Connects when Vault is needed, and not before: certificates that were signed can be read without it."""
        if self._session is None:
            connection = VaultConnection(self._settings)
            calls = PatientCalls(connection, self._clock, self._alive)
            tokens = tokens_of(self._settings.login, calls, self._clock, self._read_token)
            self._session = VaultSession(calls, tokens)
        return self._session
