# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Options as values: the evidence that the gates rest on; the issuer; clients outside the cluster; the source of the CAs that a cluster is to trust, and new
CAs among them; and a CA that the caller supplies in a Secret of the type kubernetes.io/tls, as cert-manager and many
other programs keep it. A mistake in the options is reported before a call reads or writes anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from .._errors import CertificateError, KubeError, OptionsError, PrivateKeyError, StepError
from .._kube.client import KubeClient
from .._kube.resources import SECRETS
from .._pki.certificates import Chain, parse_certificates, parse_chain
from .._pki.keys import load_key
from .._strimzi.clients import OutsideOptions
from .._strimzi.cluster.ca_secrets import CURRENT, TLS_CERTIFICATE, TLS_KEY, SuppliedAuthority
from .._strimzi.cluster.ca_source import CaSourceReference
from .._strimzi.secret_data import entries
from .._trust.model.clients import NamedSecret, UserNamespace, Waiver
from .._trust.model.listeners import ObservedListener
from .._trust.model.snapshot import NodeAnswers
from .arguments import time_of

#: ``[namespace/]name[:entry]``, each as Kubernetes allows it.
_SECRET = re.compile(r"^(?:([a-z0-9-]+)/)?([a-z0-9][a-z0-9.-]*)(?::([A-Za-z0-9._-]+))?$")


def outside_of(options: Mapping[str, Any]) -> OutsideOptions:
    """Raises OptionsError."""
    return OutsideOptions(
        _parse_secrets("trusting_secrets", options),
        tuple(map(_waiver, options.get("waivers") or ())),
        _parse_secrets("presenting_secrets", options),
        _user_namespaces(options),
    )


def _parse_secrets(option: str, options: Mapping[str, Any]) -> tuple[NamedSecret, ...] | None:
    given = options.get(option)
    return None if given is None else tuple(_parse_secret(option, text, options["namespace"]) for text in given)


def _user_namespaces(options: Mapping[str, Any]) -> tuple[UserNamespace, ...] | None:
    given = options.get("user_namespaces")
    return (
        None
        if given is None
        else tuple(
            UserNamespace(user_namespace["namespace"], user_namespace["secret_prefix"]) for user_namespace in given
        )
    )


def _parse_secret(option: str, text: str, namespace: str) -> NamedSecret:
    found = _SECRET.match(text.strip())
    if found is None:
        raise OptionsError(
            f"{option}:", f"{text!r} is not the name of a Secret", "Give name, namespace/name or namespace/name:entry."
        )
    return NamedSecret(found.group(1) or namespace, found.group(2), found.group(3))


def _waiver(given: Mapping[str, str]) -> Waiver:
    return Waiver(" ".join(given["client"].split()), _parse_time(given["until"], given["client"]), given["reason"])


def _parse_time(text: str, client: str) -> datetime:
    try:
        return time_of(text)
    except ValueError:
        raise OptionsError(
            "waivers:",
            f"{text!r} is not a time until when {client} can be waived",
            "Give one such as 2026-12-24T18:00:00Z.",
        ) from None


_SHA_256 = re.compile(r"[0-9a-f]{64}")


def source_of(options: Mapping[str, Any]) -> CaSourceReference | None:
    """None where no source is named. Without a namespace it is in the cluster's."""
    given = options.get("ca_source")
    if not given:
        return None
    return CaSourceReference(given["kind"], given["namespace"] or options["namespace"], given["name"], given["key"])


def confirmed_of(options: Mapping[str, Any]) -> frozenset[str]:
    """SHA-256 fingerprints, in lower case without colons. Raises OptionsError."""
    found = frozenset(text.replace(":", "").strip().lower() for text in options.get("confirm_roots") or ())
    for fingerprint in found:
        if not _SHA_256.fullmatch(fingerprint):
            raise OptionsError(
                "confirm_roots:",
                f"{fingerprint!r} is not a SHA-256 fingerprint",
                "Give the 64 hexadecimal digits, as openssl x509 -noout -fingerprint -sha256 prints them.",
            )
    return found


@dataclass(frozen=True)
class AuthorityReference:
    """The Secret with the CA."""

    #: The namespace of the Secret.
    namespace: str
    #: The name of the Secret.
    name: str

    @property
    def label(self) -> str:
        return f"Secret {self.namespace}/{self.name}"


def read_authority(client: KubeClient, reference: AuthorityReference) -> SuppliedAuthority:
    """The CA in the Secret; without a key where there is none. Raises StepError, KubeError."""
    found = client.get_or_none(SECRETS, reference.namespace, reference.name)
    data = entries(found)
    if found is None or TLS_CERTIFICATE not in data:
        problem = "does not exist" if found is None else f"has no entry {TLS_CERTIFICATE}"
        raise StepError(
            reference.label,
            problem,
            "Correct secret and namespace of certificate_from; it is to be a Secret of the type kubernetes.io/tls.",
        )
    try:
        chain = _add_ca_above(parse_chain(data[TLS_CERTIFICATE]), data.get(CURRENT, b""))
    except CertificateError as error:
        raise StepError(
            f"{reference.label}, entry {TLS_CERTIFICATE}:",
            str(error),
            "Put the CA certificate there in PEM form, its chain after it.",
        ) from None
    try:
        key = load_key(data[TLS_KEY]) if data.get(TLS_KEY) else None
    except PrivateKeyError as error:
        raise StepError(
            f"{reference.label}, entry {TLS_KEY}:", str(error), "Put the key of the CA there, unencrypted."
        ) from None
    return SuppliedAuthority(chain, key)


def _add_ca_above(chain: Chain, beside: bytes) -> Chain:
    """The chain with the CA above it, where that lies in an entry of its own, as cert-manager has it. What else lies there says nothing about the CA."""
    try:
        above = parse_certificates(beside)
    except CertificateError:
        return chain
    found = next(
        (certificate for certificate in above if certificate not in chain and chain[-1].signed_by(certificate)), None
    )
    return chain if found is None or chain[-1].is_root else (*chain, found)


#: Seconds for all listeners together, where the API server answers at once: 500 nodes, some of them slow to answer.
LOOK_SECONDS = 120.0


class Evidence(str, Enum):
    """The evidence that the gates rest on. A node that has not answered yet is within reach: it restarts just now, or hangs."""

    #: HANDSHAKE where nodes are within reach; else ANNOTATIONS.
    AUTO = "auto"
    #: Stored annotations and leaves, and the nodes' own answers.
    HANDSHAKE = "handshake"
    #: Stored annotations and leaves alone.
    ANNOTATIONS = "annotations"


class LiveLook:
    """The looks of one call: the evidence of the last look is ``source``, and ``reason`` says why it is not handshakes."""

    def __init__(self, evidence: Evidence) -> None:
        self._wanted = evidence
        self.source = Evidence.ANNOTATIONS
        self.reason = "" if evidence is not Evidence.ANNOTATIONS else "evidence=annotations"

    def take(self, ask: Callable[[], tuple[ObservedListener, ...]]) -> tuple[ObservedListener, ...] | None:
        """The answers of the listeners by ``ask``, which asks all nodes; None where no node is within reach and only stored evidence counts.

        A missing answer is no evidence, and no reason to go by what is stored (I5).
        """
        if self._wanted is Evidence.ANNOTATIONS:
            return None
        try:
            seen = ask()
        except (KubeError, OptionsError) as error:
            # A failure that may pass is no reason to rest on stored evidence for the whole call.
            if self._wanted is Evidence.HANDSHAKE or (isinstance(error, KubeError) and error.is_transient):
                raise
            self._give_up(f"{error} {error.remedy}")
            return None
        if self._wanted is Evidence.AUTO and all(listener.barred for listener in seen):
            self._give_up(
                next((listener.failure for listener in seen), "no node has a listener that answers which CAs it trusts")
            )
            return None
        if any(listener.presents for listener in seen):
            # The nodes are within reach, whatever a later look meets.
            self._wanted = Evidence.HANDSHAKE
        self.source, self.reason = Evidence.HANDSHAKE, ""
        return seen

    def take_over(self, answers: NodeAnswers | None) -> NodeAnswers | None:
        """The answers that an earlier call has handed over, which show that nodes are within reach; None where there
        are none, or only stored evidence counts.
        """
        if answers is None or self._wanted is Evidence.ANNOTATIONS:
            return None
        self._wanted, self.source, self.reason = Evidence.HANDSHAKE, Evidence.HANDSHAKE, ""
        return answers

    def _give_up(self, why: str) -> None:
        """Do not ask again in this call: the answer would be the same, and slow."""
        self._wanted, self.source, self.reason = Evidence.ANNOTATIONS, Evidence.ANNOTATIONS, why
