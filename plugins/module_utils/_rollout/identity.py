# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The identity that this collection uses towards Kafka: the certificate of the Cluster Operator, a superuser
(docs/operator.md, "KafkaRoller"), and the CAs that it trusts.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping

from .._errors import NoMemoryFiles, StepError, UnusablePair
from .._kube.memory_files import present
from .._pki.certificates import Certificate
from .._strimzi.ca_secrets import CURRENT, read_ca_secrets
from .._strimzi.names import CaKind
from .._strimzi.observe import Observation
from .._strimzi.secret_data import entries

_REMEDY = "The Cluster Operator writes it: let it reconcile the cluster, or use strategy=operator with spread=restart."


def operator_context(observation: Observation) -> ssl.SSLContext:
    """A context for mTLS as the Cluster Operator, which trusts the CAs of the CA certificate Secret. Raises
    StepError.
    """
    name, trusted = (
        observation.scope.cluster_operator_secret,
        observation.scope.of(CaKind.CLUSTER).ca_certificate_secret,
    )
    ca, where = read_ca_secrets(observation.secret(trusted), None), f"Secret {observation.scope.namespace}/{trusted}"
    anchors = {
        f"{where}, entry {entry}": chain[0] for entry, chain in {CURRENT: ca.current, **ca.others}.items() if chain
    }
    return context_for(entries(observation.secret(name)), anchors, f"Secret {observation.scope.namespace}/{name}")


def context_for(identity: Mapping[str, bytes], anchors: Mapping[str, Certificate], where: str) -> ssl.SSLContext:
    """identity: the entries of the operator's Secret; where: its name, for messages. anchors: by where they lie.

    Raises StepError.
    """
    try:
        pem = identity["cluster-operator.key"] + b"\n" + identity["cluster-operator.crt"]
    except KeyError as missing:
        raise StepError(where, f"does not exist or has no entry {missing}", _REMEDY) from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # An anchor may be an intermediate CA, as for the JVMs of Strimzi.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    for place, anchor in anchors.items():
        _trust(context, anchor, place)
    _load(context, pem, where)
    return context


def _trust(context: ssl.SSLContext, anchor: Certificate, place: str) -> None:
    """OpenSSL refuses certificates that other libraries read, such as names in odd types of strings."""
    try:
        context.load_verify_locations(cadata=anchor.pem.decode("ascii"))
    except ssl.SSLError:
        raise StepError(
            f"{place},",
            f"holds a CA that OpenSSL cannot read ({anchor.subject})",
            "Clients of OpenSSL cannot trust it either: replace it, or use strategy=operator with spread=restart.",
        ) from None


def _load(context: ssl.SSLContext, pem: bytes, where: str) -> None:
    try:
        present(context, pem, "identity")
    except NoMemoryFiles:
        raise StepError(
            "This system",
            "has no memory files (memfd_create), so the key of the cluster operator cannot be used without "
            "writing it to a disk",
            "Run this task on Linux, or use strategy=operator with spread=restart.",
        ) from None
    except UnusablePair:
        raise StepError(f"The certificate and the key in {where}", "are no usable pair", _REMEDY) from None
