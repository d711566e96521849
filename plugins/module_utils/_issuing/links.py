# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preparing the next CA with its link certificates: the ordered certificates, the issuer that signs, and the checks of
a link certificate of another issuer (docs/design.md, "Link certificates"). No other code sees such a certificate before
these checks.

The internal issuer signs at once, with the key of the cluster CA (docs/storage.md, "Issuers"). Forecasts make
certificates in memory with the keys at hand, show them to the gates, and forget them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial
from typing import TypeAlias

from .._errors import IssuerUnavailable, LinkUnavailable, StepError
from .._pki.building import BACKDATED, cross_certify, make_double
from .._pki.certificates import CONFINING, Certificate, Chain
from .._pki.keys import KeyType, PrivateKey, generate_key
from .._pki.requests import AssumedCertificate, CertificateToCome, build_request, parse_request, request_of, sign_leaf
from .._pki.usability import defects
from .._pki.verifiers import named_verifiers
from .._strimzi.apply import authority
from .._strimzi.apply.authority import NextAuthority, next_authority, signing_key
from .._strimzi.apply.work import Work, write_all
from .._strimzi.cluster.ca_secrets import KEY, private_key
from .._strimzi.cluster.observe import Observation
from .._strimzi.cluster.subjects import subject_of
from .._strimzi.secret_data import encode, entries
from .._trust.ledger.target import later_authorities
from .._trust.model.authority_order import AuthorityOrder, LinkPlan
from .._trust.model.components import Component
from .._trust.model.intent import LinkIssuer
from .._trust.model.names import counted
from .._trust.model.snapshot import LinkCertificates, PreparedAuthority
from .._trust.model.steps.authority import PrepareAuthority
from .issuer import Answer, IssuedCertificate, Issuer, LeafOrder, LinkingIssuer, LinkOrder, Refused, Token
from .kinds import issuer_of


class InternalIssuer:
    """The issuer that signs with the key of ``authority[0]``. The token is the request itself; nothing is remembered.
    It signs at ``now``. From then on a leaf is valid for as long as ``validity`` says, if its CA is.
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
        """Forget nothing: this issuer keeps nothing."""

    @property
    def linker(self) -> LinkIssuer:
        return LinkIssuer(self.reference)

    def link(self, order: LinkOrder) -> Certificate:
        """The link certificate. Raises CertificateError if its key is not the key of the CA that is to certify."""
        validity = order.not_after - order.not_before
        return cross_certify(order.authority, order.issuer, self._key, not_before=order.not_before, validity=validity)

    def sign(self, csr: bytes) -> IssuedCertificate:
        """The answer to a request in PEM."""
        authority = self._authority[0]
        begin = max(self._now - BACKDATED, authority.not_before)
        # If a leaf outlived its CA, the path would break without notice (docs/storage.md, "Issuers").
        end = min(self._now + self._validity, authority.not_after)
        return IssuedCertificate(_sign_request(csr, authority, self._key, begin, end), self._authority)


def _sign_request(csr: bytes, authority: Certificate, key: PrivateKey, begin: datetime, end: datetime) -> Certificate:
    """The leaf for a request in PEM. Raises CertificateError if the certificate would end before it begins."""
    request = parse_request(csr)
    return sign_leaf(
        request.public_key,
        request.subject,
        request.subject_alternative_names,
        authority,
        key,
        not_before=begin,
        validity=end - begin,
    )


#: Gives the certificate that an issuer signs for an order.
Signed: TypeAlias = Callable[[LinkOrder], Certificate]
#: Extensions of a link certificate: basicConstraints, keyUsage and both key identifiers. Also certificatePolicies, and
#: the places with more about its issuer (authorityInfoAccess, cRLDistributionPoints): these restrict nothing if a
#: client requires no policy.
_EXTENSIONS = frozenset(
    {"2.5.29.19", "2.5.29.15", "2.5.29.14", "2.5.29.35", "2.5.29.32", "1.3.6.1.5.5.7.1.1", "2.5.29.31"}
)


def link_certificates(
    order: AuthorityOrder, plan: LinkPlan, made: NextAuthority, observation: Observation, work: Work, signed: Signed
) -> LinkCertificates:
    """The link certificates of this plan; ``signed`` gives the certificates of an issuer. Raises StepError if the key
    of the CA in use is not kept here, and LinkUnavailable if the issuer with this key does not certify the next CA. If
    the issuer of the next CA does not certify the CA in use, the flow goes on without that certificate, and warns.
    """
    link = signed(link_order(made, order.replaces[0])) if plan.issuer else _own_link(order, made, observation, work)
    if not plan.back_issuer:
        return _own_links(order.replaces[0], plan, made, link, observation)
    back_order = order_back_link(
        order.replaces[0], made, None if plan.issuer else signing_key(order.replaces, observation), plan.back_until
    )
    try:
        return LinkCertificates(link, signed(back_order) if back_order is not None else None)
    except LinkUnavailable as error:
        work.warnings.append(f"{error} {plan.refusing_clients} For the next time: {error.remedy}")
        return LinkCertificates(link)


def _own_link(order: AuthorityOrder, made: NextAuthority, observation: Observation, work: Work) -> Certificate:
    """The link certificate that the key of the CA in use signs. Raises StepError if that key is not in the cluster."""
    key = signing_key(order.replaces, observation)
    issuer = InternalIssuer(order.replaces, key, observation.snapshot.now, work.validity(observation))
    return issuer.link(link_order(made, order.replaces[0]))


def _own_links(
    replaced: Certificate, plan: LinkPlan, made: NextAuthority, link: Certificate, observation: Observation
) -> LinkCertificates:
    """Both link certificates. The second certifies the replaced CA by the next CA: it needs the key of the next CA and
    only the public key of the replaced CA.
    """
    order = order_back_link(replaced, made, until=plan.back_until)
    if made.key is None or order is None:
        return LinkCertificates(link)
    issuer = InternalIssuer(made.chain, made.key, observation.snapshot.now, order.not_after - order.not_before)
    return LinkCertificates(link, issuer.link(order))


def sign_by_issuer(work: Work) -> Signed:
    """Gives the link certificates of the configured issuer. The returned function raises LinkUnavailable."""
    issuer = cache(partial(issuer_of, work))
    return lambda order: _request_link(issuer(), order)


def _request_link(issuer: Issuer, order: LinkOrder) -> Certificate:
    """The link certificate signed by this issuer. Raises LinkUnavailable."""
    if not isinstance(issuer, LinkingIssuer):
        raise LinkUnavailable(issuer.reference, "certifies no CAs", "Name another issuer.")
    try:
        answer = issuer.link(order)
    except IssuerUnavailable as error:
        raise LinkUnavailable(error.object, error.cause, error.remedy) from None
    if isinstance(answer, Refused):
        raise LinkUnavailable(f"The link certificate for {order.authority.subject}:", answer.reason, answer.remedy)
    if problems := "; ".join(refusals(answer, order)):
        raise LinkUnavailable(
            f"The link certificate for {order.authority.subject} that {issuer.reference} has signed",
            f"is refused: {problems}",
            f"Correct the issuer, or name that of {order.issuer.subject}.",
        )
    return answer


def link_order(made: NextAuthority, issuer: Certificate) -> LinkOrder:
    """The order of a link certificate. It begins on the issuer's first day, so a verifier with a slow clock does not
    find it in the future. It outlives neither CA.
    """
    authority = made.chain[0]
    csr = request_of(authority, made.key) if made.key is not None else b""
    return LinkOrder(authority, issuer, csr, issuer.not_before, min(issuer.not_after, authority.not_after))


def order_back_link(
    replaced: Certificate, made: NextAuthority, key: PrivateKey | None = None, until: datetime | None = None
) -> LinkOrder | None:
    """The order of the link certificate of the replaced CA. It is valid while both CAs are, and no longer than
    requested; None if there is no such time. The key is the key of the CA in use, if an issuer signs and this key is
    here.
    """
    authority = made.chain[0]
    begin, end = max(replaced.not_before, authority.not_before), min(replaced.not_after, authority.not_after)
    # A certificate ends with a whole second.
    end = min(end, until or end).replace(microsecond=0)
    if end <= begin:
        return None
    own = cross_certify(replaced, replaced, key, not_before=begin, validity=end - begin) if key is not None else None
    return LinkOrder(replaced, authority, b"", begin, end, back=True, self_issued=own)


def refusals(link: Certificate, order: LinkOrder) -> Iterator[str]:
    """The reasons why it is not the ordered link certificate; none if it is."""
    authority, issuer = order.authority, order.issuer
    if link.subject_der != authority.subject_der:
        # Go and GnuTLS compare names byte by byte (docs/operator.md, "Names of CAs").
        spelling = " in other types of strings" if link.subject == authority.subject else ""
        yield f"its subject is {link.subject}{spelling}"
    if link.public_key_sha256 != authority.public_key_sha256:
        yield f"it does not carry the key of {authority.subject}"
    if link.subject_key_identifier != authority.identifier_in_leaves:
        yield f"its key identifier is not that of {authority.subject}"
    if not (link.is_ca and link.key_usage_allows_signing):
        yield "it is no CA certificate"
    elif link.path_length != 0:
        allowed = "any number of CAs" if link.path_length is None else counted(link.path_length, "CA")
        yield f"it permits {allowed} below it"
    if not link.signed_by(issuer):
        yield f"{issuer.subject} has not signed it"
    elif link.self_issued and link.authority_key_identifier is None:
        yield f"it has no authority key identifier, and its issuer {issuer.subject} has the same name"
    elif not link.names_as_issuer(issuer):
        yield f"it names another key identifier or serial number than {issuer.subject} has"
    yield from _about_dates(link, order)
    if link.name_constraints != authority.name_constraints:
        yield f"its name constraints differ from the name constraints of {authority.subject}"
    if link.extended_key_usages != authority.extended_key_usages:
        yield f"its extended key usages differ from the extended key usages of {authority.subject}"
    if others := sorted(link.extensions - _EXTENSIONS - CONFINING):
        yield f"it has extensions that it should not have ({', '.join(others)})"
    yield from (f"it {defect.cause}, and {named_verifiers(defect.verifiers)} refuse it" for defect in defects(link))


def _about_dates(link: Certificate, order: LinkOrder) -> Iterator[str]:
    """Why the dates are wrong. An issuer dates back by its own clock, and somewhat more does no harm; the end has to
    match exactly.
    """
    if link.not_before > order.not_before:
        yield f"it begins on {link.not_before:%Y-%m-%d %H:%M:%S} UTC, after {order.not_before:%Y-%m-%d %H:%M:%S} UTC"
    if link.not_after != order.not_after:
        yield f"it ends on {link.not_after:%Y-%m-%d %H:%M:%S} UTC and not on {order.not_after:%Y-%m-%d %H:%M:%S} UTC"


def prepare(step: PrepareAuthority, observation: Observation, work: Work) -> None:
    """Prepare the next CA. A prediction generates no key, and asks no issuer. Raises StepError, LinkUnavailable,
    KubeError.
    """
    made = None if work.dry_run else next_authority(step, observation, work)
    if made is not None and step.links is not None:
        # Before anything is written: if an issuer refuses or a call is killed, this leaves no trace here.
        made = replace(made, links=link_certificates(step, step.links, made, observation, work, sign_by_issuer(work)))
    write_all(authority.prepare(step, made, observation), work, step.phase.value)


#: The fastest kind of key to make: these keys are not used.
_QUICK = KeyType.ECDSA_P256


def _as_to_come(made: Certificate, order: AuthorityOrder) -> CertificateToCome:
    return CertificateToCome(made.der, renews=any(map(made.is_twin_of, order.replaces)))


class StandIns:
    """Implements ``StandIn`` of the steps for one observation."""

    def __init__(self, observation: Observation, work: Work) -> None:
        self._observation = observation
        self._work = replace(work, wishes=work.wishes.changed(key_type=_QUICK))
        self._made: list[PrivateKey] = []
        of_source = (chain[0].public_key_sha256 for chain in later_authorities(observation.snapshot))
        self._elsewhere = {*observation.snapshot.ca.keys_elsewhere, *of_source}

    def authority(self, order: AuthorityOrder) -> PreparedAuthority:
        """The prepared CA. Raises StepError if a step with this order would."""
        seen = self._when_in_use(order.replaces)
        made = next_authority(order, seen, self._work)
        if not order.supplied:
            made = replace(made, chain=(_as_to_come(made.chain[0], order), *made.chain[1:]))
        if made.key is None:
            self._elsewhere.add(made.chain[0].public_key_sha256)
        else:
            self._made.append(made.key)
        links = None
        if order.links is not None:
            links = link_certificates(order, order.links, made, seen, self._work, self._signed)
        return PreparedAuthority(made.chain, made.chain[0].public_key_sha256, links, made.key is None)

    def _when_in_use(self, authority: Chain) -> Observation:
        """The observation as it is when this CA is in use: the flow to it has put its key into the place of the key in
        use.
        """
        name = self._observation.scope.ca_key_secret
        stored, key = self._observation.secret(name), self._find_key(authority) if authority else None
        if stored is None or key is None:
            return self._observation
        secret = {**stored, "data": {**stored["data"], KEY: encode(key.reveal())}}
        return replace(self._observation, secrets={**self._observation.secrets, name: secret})

    def _signed(self, order: LinkOrder) -> Certificate:
        """The certificate of an order: the plan assumes that an issuer signs the run's order."""
        key = generate_key(_QUICK.spec)
        now, validity = self._observation.snapshot.now, self._work.validity(self._observation)
        double = make_double(order.issuer, key)
        made = InternalIssuer((double,), key, now, validity).link(replace(order, issuer=double))
        return AssumedCertificate(made.der, order.issuer)

    def leaf(self, issuer: Chain) -> Certificate:
        """A leaf of this CA. Raises StepError if the key of this CA is lost. If it is kept elsewhere, the leaf is
        assumed to be signed. A leaf outlives its CA if the CA has ended: the operator goes on issuing leaves
        (docs/operator.md, "Certificates"), and another issuer signs once it has renewed the CA.
        """
        now, validity = self._observation.snapshot.now, self._work.validity(self._observation)
        subject = subject_of(Component.ENTITY_OPERATOR, "stand-in", frozenset())
        request = build_request(subject.distinguished_name, subject.names, generate_key(_QUICK.spec))
        is_here = issuer[0].public_key_sha256 not in self._elsewhere
        key = self._key(issuer) if is_here else generate_key(_QUICK.spec)
        signing = issuer if is_here else (make_double(issuer[0], key),)
        if issuer[0].has_ended(now):
            made = _sign_request(request, signing[0], key, now, now + validity)
        else:
            made = InternalIssuer(signing, key, now, validity).sign(request).leaf
        return made if is_here else AssumedCertificate(made.der, issuer[0])

    def _find_key(self, issuer: Chain) -> PrivateKey | None:
        stored = self._observation.secret(self._observation.scope.ca_key_secret)
        keys = (private_key(stored, name) for name in entries(stored) if name.endswith(".key"))
        return next((key for key in (*self._made, *keys) if key is not None and issuer[0].is_for(key)), None)

    def _key(self, issuer: Chain) -> PrivateKey:
        scope, key = self._observation.scope, self._find_key(issuer)
        if key is not None:
            return key
        raise StepError(
            f"The key of {issuer[0].subject}",
            f"is not in Secret {scope.namespace}/{scope.ca_key_secret}",
            "Without it nothing can be said about certificates that it would issue.",
        )
