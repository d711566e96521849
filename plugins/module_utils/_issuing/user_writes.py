# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The Secret of a KafkaUser as the User Operator keeps it, whichever CA has issued the certificate in it (docs/operator.md, "Users")."""

from __future__ import annotations

import secrets as randomness
import string
from collections.abc import Mapping
from typing import Any

from .._kube.resources import SECRETS
from .._pki.certificates import Chain, encode_certificates
from .._pki.keys import PrivateKey
from .._pki.keystores import pkcs12_keystore
from .._strimzi.actions import public_fact
from .._strimzi.ca_secrets import CURRENT
from .._strimzi.leaves import LeafSecret
from .._strimzi.names import CLUSTER_LABEL, KIND_LABEL, USER_KEYSTORE, USER_PASSWORD
from .._strimzi.observe import Observation
from .._strimzi.resources import KAFKA_USERS
from .._strimzi.secret_data import entries
from .._strimzi.work import Work
from .._strimzi.writes import Write, WriteVerb, new_secret, secret_patch
from .issuer import IssuedCertificate

#: Characters of the password of the PKCS#12 file.
_LENGTH = 32


def write_user(
    leaf: LeafSecret,
    issuer: Chain,
    key: PrivateKey,
    issued: IssuedCertificate,
    what: str,
    observation: Observation,
    work: Work,
) -> Write:
    """The pair, with the exact bytes of ``ca.crt``: with others the User Operator would issue it anew. A PKCS#12 file that is there gets the
    same pair and another password; where there is none, the User Operator makes one of the pair, if it makes any.
    """
    # A listener with another truststore may know only the root that the CA in use is below.
    chain = (issued.leaf, *(one for one in issuer if not one.is_root))
    data = {
        **_beside(observation),
        f"{leaf.entry}.crt": encode_certificates(chain),
        f"{leaf.entry}.key": key.reveal(),
    }
    user = observation.served[leaf.secret]
    if user.keystore:
        password = _new_password()
        data |= {USER_KEYSTORE: pkcs12_keystore(leaf.common_name, key, chain, password), USER_PASSWORD: password}
    facts: Mapping[str, Any] = {"leaf": public_fact(issued.leaf)}
    if user.version is None:
        body = new_secret(_labels(observation), leaf.secret, data, {})
        body["metadata"]["ownerReferences"] = [_owner(leaf, work)]
        return Write(
            WriteVerb.CREATE, SECRETS, leaf.secret, what, body, before={}, after=facts, namespace=leaf.namespace
        )
    return Write(
        WriteVerb.UPDATE, SECRETS, leaf.secret, what, secret_patch(data), user.version, {}, facts, leaf.namespace
    )


def keep_user(leaf: LeafSecret, observation: Observation) -> Write:
    """The certificate stays, and the CA beside it becomes the CA in use, which has the same key."""
    what, patch = "put the CA in use beside the certificate", secret_patch(_beside(observation))
    known = observation.served[leaf.secret].version
    return Write(WriteVerb.UPDATE, SECRETS, leaf.secret, what, patch, known, namespace=leaf.namespace)


def _beside(observation: Observation) -> dict[str, bytes]:
    return {CURRENT: entries(observation.secrets[observation.scope.ca_certificate_secret])[CURRENT]}


def _new_password() -> bytes:
    """Letters and digits, a letter first, as the User Operator's."""
    others = (randomness.choice(string.ascii_letters + string.digits) for _place in range(1, _LENGTH))
    return "".join((randomness.choice(string.ascii_letters), *others)).encode("ascii")


def _labels(observation: Observation) -> dict[str, str]:
    """The labels without which the User Operator does not find the Secret; it adds the others."""
    return {KIND_LABEL: KAFKA_USERS.kind, CLUSTER_LABEL: observation.scope.cluster}


def _owner(leaf: LeafSecret, work: Work) -> dict[str, Any]:
    """The reference to the KafkaUser, with which the Secret goes. Raises KubeError."""
    user = work.client.get(KAFKA_USERS, leaf.namespace, leaf.common_name)
    return {
        "apiVersion": KAFKA_USERS.api_version, "kind": KAFKA_USERS.kind, "name": leaf.common_name,
        "uid": user["metadata"]["uid"], "controller": False, "blockOwnerDeletion": False,
    }  # fmt: skip
