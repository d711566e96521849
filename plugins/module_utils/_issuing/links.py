# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Link certificates: what is ordered, who signs, and the checks of one that another issuer has signed (docs/design.md,
"Link certificates"). One of an issuer passes these checks before any other code uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TypeAlias

from .._errors import IssuerUnavailable, LinkUnavailable
from .._pki.authorities import cross_certify
from .._pki.certificates import Certificate
from .._pki.defects import named_verifiers
from .._pki.keys import PrivateKey
from .._pki.requests import request_of
from .._pki.usability import defects
from .._strimzi.next_authority import NextAuthority, signing_key
from .._strimzi.observe import Observation
from .._strimzi.work import Work
from .._trust.model.snapshot import LinkCertificates
from .._trust.model.steps.authority import PrepareAuthority
from .configured import issuer_of
from .internal import InternalIssuer
from .issuer import Issuer, LinkingIssuer, LinkOrder, Refused

#: The certificate that an issuer signs for an order.
Signed: TypeAlias = Callable[[LinkOrder], Certificate]
#: Extensions of a link certificate: basicConstraints, keyUsage and both key identifiers; and where its issuer says
#: more about itself (authorityInfoAccess, cRLDistributionPoints), which restricts nothing.
_EXTENSIONS = frozenset({"2.5.29.19", "2.5.29.15", "2.5.29.14", "2.5.29.35", "1.3.6.1.5.5.7.1.1", "2.5.29.31"})


def link_certificates(
    step: PrepareAuthority, made: NextAuthority, observation: Observation, work: Work, signed: Signed
) -> LinkCertificates:
    """The link certificates of this step; those that an issuer has to sign come from ``signed``. Raises StepError where the key of the CA in
    use is not at hand, and LinkUnavailable where the issuer that keeps it does not certify the next CA. Where the issuer of the next CA does not certify
    the CA in use, the flow goes on without that certificate, and warns.
    """
    link = signed(link_order(made, step.replaces[0])) if step.asked else _own_link(step, made, observation, work)
    if not step.asked_back:
        return _own_links(step, made, link, observation)
    order = order_back_link(step, made, None if step.asked else signing_key(step.replaces, observation))
    try:
        return LinkCertificates(link, signed(order) if order is not None else None)
    except LinkUnavailable as error:
        work.warnings.append(f"{error} {step.without_it} For the next time: {error.remedy}")
        return LinkCertificates(link)


def _own_link(step: PrepareAuthority, made: NextAuthority, observation: Observation, work: Work) -> Certificate:
    """Signed by the key of the CA in use. Raises StepError where that is not at hand."""
    key = signing_key(step.replaces, observation)
    issuer = InternalIssuer(step.replaces, key, observation.snapshot.now, work.validity(observation))
    return issuer.link(link_order(made, step.replaces[0]))


def _own_links(
    step: PrepareAuthority, made: NextAuthority, link: Certificate, observation: Observation
) -> LinkCertificates:
    """Both link certificates: the other one, of the CA that is replaced by the next one, takes the key of the next one and only the public key of
    the replaced one.
    """
    order = order_back_link(step, made)
    if made.key is None or order is None:
        return LinkCertificates(link)
    issuer = InternalIssuer(made.chain, made.key, observation.snapshot.now, order.not_after - order.not_before)
    return LinkCertificates(link, issuer.link(order))


def sign_by_issuer(work: Work) -> Signed:
    """The link certificates that the configured issuer signs. What it returns raises LinkUnavailable."""
    issuer = cache(partial(issuer_of, work))
    return lambda order: _asked(issuer(), order)


def _asked(issuer: Issuer, order: LinkOrder) -> Certificate:
    """Signed by this issuer. Raises LinkUnavailable."""
    if not isinstance(issuer, LinkingIssuer):
        raise LinkUnavailable(issuer.reference, "certifies no CAs", "Name another issuer.")
    try:
        answer = issuer.link(order)
    except IssuerUnavailable as error:
        raise LinkUnavailable(error.object, error.cause, error.remedy) from None
    if isinstance(answer, Refused):
        raise LinkUnavailable(f"The link certificate for {order.authority.subject}:", answer.why, answer.remedy)
    if problems := "; ".join(refusals(answer, order)):
        raise LinkUnavailable(
            f"The link certificate for {order.authority.subject} that {issuer.reference} has signed",
            f"is refused: {problems}",
            f"Correct the issuer, or name that of {order.issuer.subject}.",
        )
    return answer


def link_order(made: NextAuthority, issuer: Certificate) -> LinkOrder:
    """It begins on the issuer's first day, so that no verifier whose clock is behind finds it in the future, and outlives
    neither CA.
    """
    authority = made.chain[0]
    csr = request_of(authority, made.key) if made.key is not None else b""
    return LinkOrder(authority, issuer, csr, issuer.not_before, min(issuer.not_after, authority.not_after))


def order_back_link(step: PrepareAuthority, made: NextAuthority, key: PrivateKey | None = None) -> LinkOrder | None:
    """It is valid while both CAs are, and no longer than was asked for; None of a CA that has ended. key: of the CA in use, where an issuer is asked and
    it is here.
    """
    replaced, authority = step.replaces[0], made.chain[0]
    begin, end = max(replaced.not_before, authority.not_before), min(replaced.not_after, authority.not_after)
    end = min(end, step.linked_until or end)
    if end <= begin:
        return None
    own = cross_certify(replaced, replaced, key, not_before=begin, validity=end - begin) if key is not None else None
    return LinkOrder(replaced, authority, b"", begin, end, back=True, self_issued=own)


def refusals(link: Certificate, order: LinkOrder) -> Iterator[str]:
    """The reasons why it is not the link certificate that was ordered; none where it is."""
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
        yield f"it permits {'any number of' if link.path_length is None else link.path_length} CAs below it"
    if not link.signed_by(issuer):
        yield f"{issuer.subject} has not signed it"
    elif link.self_issued and link.authority_key_identifier is None:
        yield f"it has no authority key identifier, and its issuer {issuer.subject} has the same name"
    elif not link.names_as_issuer(issuer):
        yield f"it names another key identifier or serial number than {issuer.subject} has"
    yield from _about_dates(link, order)
    if others := sorted(link.extensions - _EXTENSIONS):
        yield f"it has extensions that it should not have ({', '.join(others)})"
    yield from (f"it {one.cause}, and {named_verifiers(one.verifiers)} refuse it" for one in defects(link))


def _about_dates(link: Certificate, order: LinkOrder) -> Iterator[str]:
    """An issuer dates back by its own clock, and somewhat more does no harm; the end can be told exactly."""
    if link.not_before > order.not_before:
        yield f"it begins on {link.not_before:%Y-%m-%d %H:%M:%S} UTC, after {order.not_before:%Y-%m-%d %H:%M:%S} UTC"
    if link.not_after != order.not_after:
        yield f"it ends on {link.not_after:%Y-%m-%d %H:%M:%S} UTC and not on {order.not_after:%Y-%m-%d %H:%M:%S} UTC"
