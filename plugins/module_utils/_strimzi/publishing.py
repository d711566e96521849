# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Writing the bundle of trusted CAs for clients."""

from __future__ import annotations

import secrets
from datetime import datetime

from .._kube.resources import SECRETS
from .._pki.certificates import (
    Certificate,
    encode_certificates,
)
from .._pki.keystores import jks_truststore, pkcs12_truststore
from .._trust.model.steps.trust import Publish
from .actions import public_fact
from .client_bundle import JKS, PASSWORD, PEM, PKCS12
from .observe import Observation
from .secret_data import entries
from .writes import (
    Write,
    WriteVerb,
    new_secret,
    secret_patch,
    version,
)


def publish(step: Publish, observation: Observation, now: datetime) -> tuple[Write, ...]:
    """The bundle in all forms in one write, so that no client reads two states of it."""
    name = observation.scope.client_bundle_secret
    existing = observation.secret(name)
    certificates = _distinct(step)
    password = entries(existing).get(PASSWORD) or secrets.token_urlsafe(24).encode("ascii")
    aliases = {certificate.fingerprint: certificate for certificate in certificates}
    data = {
        PEM: encode_certificates(certificates),
        PKCS12: pkcs12_truststore(aliases, password),
        JKS: jks_truststore(aliases, password, now),
        PASSWORD: password,
    }
    what = f"publish {len(certificates)} trusted certificates to clients"
    facts = {"published": [public_fact(certificate) for certificate in certificates]}
    if existing is None:
        body = new_secret(observation.scope.labels, name, data, {})
        return (Write(WriteVerb.CREATE, SECRETS, name, what, body, before={}, after=facts),)
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, secret_patch(dict(data)), version(existing), {}, facts),)


def _distinct(step: Publish) -> tuple[Certificate, ...]:
    found = {certificate.fingerprint: certificate for chain in step.chains for certificate in chain}
    return tuple(found.values())
