# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The next CA, made from the keys at hand or taken from the caller."""

from __future__ import annotations

from dataclasses import dataclass

from .._errors import StepError
from .._pki.authorities import DistinguishedName, issue_root, renew_root
from .._pki.building import BACKDATED
from .._pki.certificates import Chain
from .._pki.keys import PrivateKey, generate_key
from .._trust.model.goals import Goal
from .._trust.model.snapshot import LinkCertificates
from .._trust.model.steps.authority import PrepareAuthority
from .ca_secrets import KEY, private_key
from .observe import Observation
from .work import Work


@dataclass(frozen=True, repr=False)
class NextAuthority:
    """A CA that does not issue yet. key: None where it is kept elsewhere. links: with which it and the CA that it replaces certify each
    other; None where there are none.
    """

    chain: Chain
    key: PrivateKey | None
    links: LinkCertificates | None = None


def next_authority(step: PrepareAuthority, observation: Observation, work: Work) -> NextAuthority:
    """Make the next CA, without its link certificates. Raises StepError when a key that this takes is not at hand."""
    chain, key = _authority(step, observation, work)
    return NextAuthority(chain, key)


def _authority(step: PrepareAuthority, observation: Observation, work: Work) -> tuple[Chain, PrivateKey | None]:
    # The time of the decision, so that the later steps of a forecast do not find the CA in the future.
    settings, begin = work.settings, observation.snapshot.now - BACKDATED
    validity = work.validity(observation) + BACKDATED
    if step.supplied:
        # A renewal has the key of the CA in use, which may be here although the caller does not give it.
        given = settings.supplied.key if settings.supplied is not None else None
        return step.supplied, given or _held_key(step.supplied, observation)
    if step.goal is not Goal.RENEW:
        key = generate_key(settings.ca_key)
        # An issuer that certifies it writes its name anew.
        subject = DistinguishedName(
            f"{observation.scope.ca_common_name} v{step.generation}", outlives_rewriting=bool(step.asked)
        )
        root = issue_root(subject, key, not_before=begin, validity=validity, path_length=settings.path_length)
        return (root,), key
    current, held = step.replaces[0], signing_key(step.replaces, observation)
    if not current.is_root:
        raise StepError(
            current.subject,
            f"is an intermediate CA; only its issuer {current.issuer} can renew it",
            "Have it renewed there and supply certificate and private_key.",
        )
    # A certificate begins with a whole second.
    validity = max(validity, (step.at_least_until or begin) - begin.replace(microsecond=0))
    return (renew_root(current, held, not_before=begin, validity=validity, path_length=step.path_length),), held


def _held_key(chain: Chain, observation: Observation) -> PrivateKey | None:
    held = private_key(observation.secret(observation.scope.ca_key_secret), KEY)
    return held if held is not None and held.matches(chain[0]) else None


def signing_key(chain: Chain, observation: Observation) -> PrivateKey:
    """The key of a CA in use. Raises StepError."""
    held = _held_key(chain, observation)
    if held is None:
        raise StepError(
            f"The key of {chain[0].subject}",
            f"is not in Secret {observation.scope.namespace}/{observation.scope.ca_key_secret}",
            "Put it there as ca.key, or supply the next certificate, with its key, or without where the key is kept elsewhere.",
        )
    return held
