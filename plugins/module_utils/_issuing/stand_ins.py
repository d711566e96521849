# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Certificates for forecasts: made in memory with the keys at hand, shown to the gates, and forgotten."""

from __future__ import annotations

from dataclasses import replace

from .._errors import StepError
from .._pki.assumed import AssumedCertificate
from .._pki.authorities import make_double
from .._pki.certificates import Certificate, Chain
from .._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    PrivateKey,
    generate_key,
)
from .._pki.requests import build_request
from .._strimzi.ca_secrets import private_key
from .._strimzi.next_authority import next_authority
from .._strimzi.observe import Observation
from .._strimzi.secret_data import entries
from .._strimzi.work import Work
from .._trust.ledger.wish import later_authorities
from .._trust.model.snapshot import Component, PreparedAuthority
from .._trust.model.steps.authority import PrepareAuthority
from .internal import InternalIssuer
from .issuer import LinkOrder
from .links import link_certificates
from .subjects import subject_of

#: The kind of key that is made fastest: these keys are not used.
_QUICK = KeySpec(KeyAlgorithm.ECDSA, 256)


class StandIns:
    """Implements ``StandIn`` of the steps for one observation."""

    def __init__(self, observation: Observation, work: Work) -> None:
        self._observation = observation
        self._work = replace(work, settings=replace(work.settings, ca_key=_QUICK))
        self._made: list[PrivateKey] = []
        of_source = (chain[0].public_key_sha256 for chain in later_authorities(observation.snapshot))
        self._elsewhere = {*observation.snapshot.ca.elsewhere, *of_source}

    def authority(self, step: PrepareAuthority) -> PreparedAuthority:
        """Raises StepError when the step itself would."""
        made = next_authority(step, self._observation, self._work)
        if made.key is None:
            self._elsewhere.add(made.chain[0].public_key_sha256)
        else:
            self._made.append(made.key)
        links = None
        if step.linked:
            links = link_certificates(step, made, self._observation, self._work, self._signed)
        return PreparedAuthority(made.chain, made.chain[0].public_key_sha256, links, made.key is None)

    def _signed(self, order: LinkOrder) -> Certificate:
        """The plan assumes that an issuer signs what the run will order."""
        key = generate_key(_QUICK)
        now, validity = self._observation.snapshot.now, self._work.validity(self._observation)
        double = make_double(order.issuer, key)
        made = InternalIssuer((double,), key, now, validity).link(replace(order, issuer=double))
        return AssumedCertificate(made.der, order.issuer)

    def leaf(self, issuer: Chain) -> Certificate:
        """Raises StepError when the key of this CA is lost. Where it is kept elsewhere, the leaf is assumed to be signed."""
        now, validity = self._observation.snapshot.now, self._work.validity(self._observation)
        subject = subject_of(Component.ENTITY_OPERATOR, "stand-in", frozenset())
        request = build_request(subject.distinguished_name, subject.names, generate_key(_QUICK))
        if issuer[0].public_key_sha256 not in self._elsewhere:
            return InternalIssuer(issuer, self._key(issuer), now, validity).sign(request).leaf
        key = generate_key(_QUICK)
        made = InternalIssuer((make_double(issuer[0], key),), key, now, validity).sign(request).leaf
        return AssumedCertificate(made.der, issuer[0])

    def _key(self, issuer: Chain) -> PrivateKey:
        scope = self._observation.scope
        stored = self._observation.secret(scope.ca_key_secret)
        held = (private_key(stored, name) for name in entries(stored) if name.endswith(".key"))
        for key in (*self._made, *held):
            if key is not None and key.matches(issuer[0]):
                return key
        raise StepError(
            f"The key of {issuer[0].subject}",
            f"is not in Secret {scope.namespace}/{scope.ca_key_secret}",
            "Without it nothing can be said about certificates that it would issue.",
        )
