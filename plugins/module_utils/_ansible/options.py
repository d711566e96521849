# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Options as values: the evidence that the gates rest on; the issuer; clients outside the cluster; the source of the
CAs that a cluster is to trust, and new CAs among them; and a CA that the caller supplies in a Secret of the type
kubernetes.io/tls, as cert-manager and many other programs keep it. A mistake in the options is reported before a call
reads or writes anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from .._errors import CertificateError, KubeError, OptionsError, PrivateKeyError, StepError
from .._kube.client import KubeClient
from .._kube.resources import SECRETS
from .._pki.building import common_name_problem
from .._pki.certificates import Chain, parse_certificates, parse_chain
from .._pki.keys import load_key
from .._pki.names import address_of
from .._pki.usability import KeyPolicy
from .._strimzi.cluster.ca_secrets import CURRENT, TLS_CERTIFICATE, TLS_KEY, SuppliedAuthority
from .._strimzi.cluster.ca_source import CaSourceReference
from .._strimzi.cluster.dns_domain import is_domain
from .._strimzi.secret_data import entries
from .._trust.model.clients import NamedSecret, UserNamespace, Waiver
from .._trust.model.goals import Retire, Retirement
from .._trust.model.intent import BatchLimit
from .._trust.model.listeners import ObservedListener
from .._trust.model.snapshot import NodeAnswers
from .arguments import (
    DAYS,
    NUMBER,
    SET_OF_TEXTS,
    TEXT,
    TEXTS,
    Call,
    Field,
    Kind,
    Option,
    Table,
    is_given,
    options_inside,
    read_part,
    time_of,
    word_of,
)

#: A hundred years: dates have an end, and a number with a digit too many is not meant.
MOST_DAYS = 36500

#: ``[namespace/]name[:entry]``, each as Kubernetes allows it.
_SECRET = re.compile(r"^(?:([a-z0-9-]+)/)?([a-z0-9][a-z0-9.-]*)(?::([A-Za-z0-9._-]+))?$")


def _parse_secret(text: str, call: Call) -> NamedSecret:
    parts = _SECRET.match(text.strip())
    if parts is None:
        raise OptionsError(
            f"{call.option}:",
            f"{text!r} is not the name of a Secret",
            "Give name, namespace/name or namespace/name:entry.",
        )
    return NamedSecret(parts.group(1) or call.options["namespace"], parts.group(2), parts.group(3))


#: Secrets by their names.
NAMED_SECRETS = Kind(
    {"type": "list", "elements": "str"},
    lambda texts, call: tuple(_parse_secret(text, call) for text in texts),
    lambda named: None,
)

_USER_NAMESPACE: Table = {
    "namespace": Option(TEXT, Field(UserNamespace, "name"), required=True),
    "secret_prefix": Option(TEXT, Field(UserNamespace, "secret_prefix"), no_log=False),
}
#: Namespaces with users.
USER_NAMESPACES = options_inside(
    _USER_NAMESPACE,
    lambda namespaces, call: tuple(
        read_part(UserNamespace, _USER_NAMESPACE, options, call.now) for options in namespaces
    ),
    is_list=True,
)


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


#: Waivers of clients.
WAIVERS = options_inside(
    {
        "client": Option(TEXT, required=True),
        "until": Option(TEXT, required=True),
        "reason": Option(TEXT, required=True),
    },
    lambda waivers, call: tuple(map(_waiver, waivers)),
    is_list=True,
)

#: The object that contains the CAs to trust. Without a namespace it is in the cluster's.
CA_SOURCE = options_inside(
    {
        "kind": Option(word_of("Secret", "ConfigMap"), default="Secret"),
        "name": Option(TEXT, required=True),
        "namespace": Option(TEXT),
        "key": Option(TEXT, default="ca.crt", no_log=False),
    },
    lambda given, call: CaSourceReference(
        given["kind"], given["namespace"] or call.options["namespace"], given["name"], given["key"]
    ),
)


_SHA_256 = re.compile(r"[0-9a-f]{64}")


def _confirmed(texts: Sequence[str], call: Call) -> frozenset[str]:
    """SHA-256 fingerprints, in lower case without colons. Raises OptionsError."""
    fingerprints = frozenset(text.replace(":", "").strip().lower() for text in texts)
    for fingerprint in fingerprints:
        if not _SHA_256.fullmatch(fingerprint):
            raise OptionsError(
                f"{call.option}:",
                f"{fingerprint!r} is not a SHA-256 fingerprint",
                "Give the 64 hexadecimal digits, as openssl x509 -noout -fingerprint -sha256 prints them.",
            )
    return fingerprints


#: SHA-256 fingerprints of CAs.
SHA_256_FINGERPRINTS = Kind(TEXTS.facts, _confirmed, TEXTS.spell)

_RULES: Table = {
    "name": Option(TEXT, Field(KeyPolicy, "name")),
    "rsa_bits": Option(NUMBER, Field(KeyPolicy, "rsa_bits")),
    "curves": Option(SET_OF_TEXTS, Field(KeyPolicy, "curves")),
    "hashes": Option(SET_OF_TEXTS, Field(KeyPolicy, "hashes")),
    "ca_days": Option(DAYS, Field(KeyPolicy, "ca_life"), least=1, most=MOST_DAYS),
    "leaf_days": Option(DAYS, Field(KeyPolicy, "leaf_life"), least=1, most=MOST_DAYS),
}


def _key_policy(given: Mapping[str, Any], call: Call) -> KeyPolicy:
    for name, option in _RULES.items():
        try:
            if is_given(given.get(name)):
                option.check_limits(name, given[name])
        except OptionsError:
            raise OptionsError(
                f"{call.option}:",
                f"{name} is {given[name]}",
                f"Give a number from {option.least} to {option.most}, or leave it out, which sets no such rule.",
            ) from None
    return read_part(KeyPolicy, _RULES, given, call.now)


#: The rules that certificates have to meet.
KEY_POLICY = options_inside(_RULES, _key_policy)


def retire_of(text: str) -> Retirement:
    """The option ``retire``. Raises ValueError."""
    return Retire(text) if text in [choice.value for choice in Retire] else time_of(text)


def _retirement(text: str, call: Call) -> Retirement:
    try:
        return retire_of(text)
    except ValueError:
        raise OptionsError(
            f"{call.option}:",
            f"{text!r} is neither now nor when_restarted nor when_needed nor a time",
            "Give one of the three words, or the time at which nodes that still trust the old CA are restarted at the "
            "latest, such as 2026-12-24T18:00:00Z.",
        ) from None


def _batch_limit(text: str, call: Call) -> BatchLimit:
    limit = BatchLimit.read(text)
    if limit is None:
        raise OptionsError(
            f"{call.option}:",
            f"{text!r} is neither a number of nodes nor a share of them nor rack",
            "Give a number such as 10, a share from 1% to 100%, or rack for the nodes of one rack; without it one node "
            "after the other restarts.",
        )
    return limit


#: How many nodes restart at a time. The default has no text: an option that is not given never counts as given.
BATCH_LIMIT = Kind({"type": "str"}, _batch_limit, lambda limit: None)


#: When nodes give up a CA.
RETIREMENT = Kind({"type": "str"}, _retirement)

_HOST_AND_PORT = re.compile(r"[^\s/]+:[0-9]{1,5}")


def _bootstrap(addresses: Sequence[str], call: Call) -> tuple[str, ...]:
    """Refuse an address without a port: the Kafka library would take 9092, where no listener accepts the operator's
    certificate. Raises OptionsError.
    """
    for address in addresses:
        if not _HOST_AND_PORT.fullmatch(address):
            raise OptionsError(
                f"{call.option}:",
                f"{address!r} is not a host and a port",
                "Give each as host:port, such as demo-kafka-bootstrap.kafka.svc:9091.",
            )
    return tuple(addresses)


#: Brokers by host and port.
BOOTSTRAP = Kind(TEXTS.facts, _bootstrap, TEXTS.spell)


def _dns_domain(text: str, call: Call) -> str:
    domain = text.rstrip(".")
    if domain and not is_domain(domain):
        raise OptionsError(
            f"{call.option}:",
            f"{domain!r} is no DNS domain",
            "Give the domain of Services in this Kubernetes cluster, such as cluster.local.",
        )
    return domain


#: A DNS domain.
DNS_DOMAIN = Kind({"type": "str"}, _dns_domain, lambda domain: domain or None)

_FINGERPRINT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def _fingerprint(text: str, call: Call) -> str:
    """Refuse a malformed fingerprint, which no CA has: the CA would count as absent already. Raises OptionsError."""
    if not _FINGERPRINT.fullmatch(text.replace(":", "").lower()):
        raise OptionsError(
            f"{call.option}:",
            f"{text!r} is neither a SHA-1 nor a SHA-256 fingerprint",
            "Give the 40 or 64 hexadecimal digits, with or without colons, as strimzi_ca_info returns them in cas.",
        )
    return text


#: A fingerprint of a CA.
FINGERPRINT = Kind({"type": "str"}, _fingerprint)

_ENTRY = re.compile(r"[-._a-zA-Z0-9]+")


def _common_name(text: str, call: Call) -> str:
    """Refuse a name that no certificate or no entry of a Secret can have, also in check mode, in which no server would
    refuse it. Raises OptionsError.
    """
    if problem := common_name_problem(text):
        raise OptionsError(f"{call.option}:", problem, "Give another common name; alternative names may be longer.")
    if not _ENTRY.fullmatch(text):
        raise OptionsError(
            f"{call.option}:",
            f"{text!r} cannot name the entry <common_name>.crt of a Secret",
            "Give letters, digits, '-', '_' and '.' alone; alternative names may have others.",
        )
    return text


#: The common name of a certificate whose Secret has an entry of that name.
COMMON_NAME = Kind({"type": "str"}, _common_name)

_DNS = re.compile(r"(?:\*\.)?[-_a-zA-Z0-9]+(?:\.[-_a-zA-Z0-9]+)*")


def _alternative_names(names: Sequence[str], call: Call) -> frozenset[str]:
    for name in names:
        if not _DNS.fullmatch(name) and address_of(name) is None:
            raise OptionsError(
                f"{call.option}:",
                f"{name!r} is neither a DNS name in ASCII form nor an IP address",
                "Give names as clients look them up, without a scheme and a port.",
            )
    return frozenset(names)


#: Subject alternative names.
ALTERNATIVE_NAMES = Kind(TEXTS.facts, _alternative_names, TEXTS.spell)


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
    """The CA in the Secret; without a key if there is none. Raises StepError, KubeError."""
    secret = client.get_or_none(SECRETS, reference.namespace, reference.name)
    data = entries(secret)
    if secret is None or TLS_CERTIFICATE not in data:
        problem = "does not exist" if secret is None else f"has no entry {TLS_CERTIFICATE}"
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
    """The chain with the CA above it, if that lies in an entry of its own, as cert-manager has it. What else lies
    there says nothing about the CA.
    """
    try:
        above = parse_certificates(beside)
    except CertificateError:
        return chain
    ca_above = next(
        (certificate for certificate in above if certificate not in chain and chain[-1].signed_by(certificate)), None
    )
    return chain if ca_above is None or chain[-1].is_root else (*chain, ca_above)


#: Seconds for all listeners together, if the API server answers at once: 500 nodes, some of them slow to answer.
LOOK_SECONDS = 120.0


class Evidence(str, Enum):
    """The evidence that the gates rest on. A node that has not answered yet is within reach: it restarts just now, or
    hangs.
    """

    #: HANDSHAKE if nodes are within reach; else ANNOTATIONS.
    AUTO = "auto"
    #: Stored annotations and leaves, and the nodes' own answers.
    HANDSHAKE = "handshake"
    #: Stored annotations and leaves alone.
    ANNOTATIONS = "annotations"


class LiveLook:
    """The looks of one call. ``source`` is the evidence of the last look. ``reason`` says why it is not handshakes."""

    def __init__(self, evidence: Evidence) -> None:
        self._wanted = evidence
        self.source = Evidence.ANNOTATIONS
        self.reason = "" if evidence is not Evidence.ANNOTATIONS else "evidence=annotations"

    def take(self, ask: Callable[[], tuple[ObservedListener, ...]]) -> tuple[ObservedListener, ...] | None:
        """The answers of the listeners by ``ask``, which asks all nodes; None if no node is within reach and only
        stored evidence counts.

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
                next(
                    (f"{listener.pod}: {listener.failure}" for listener in seen),
                    "no node has a listener that answers which CAs it trusts",
                )
            )
            return None
        if any(listener.presents for listener in seen):
            # The nodes are within reach, whatever a later look meets.
            self._wanted = Evidence.HANDSHAKE
        self.source, self.reason = Evidence.HANDSHAKE, ""
        return seen

    def take_over(self, answers: NodeAnswers | None) -> NodeAnswers | None:
        """The answers that an earlier call has handed over, which show that nodes are within reach; None if there
        are none, or only stored evidence counts.
        """
        if answers is None or self._wanted is Evidence.ANNOTATIONS:
            return None
        self._wanted, self.source, self.reason = Evidence.HANDSHAKE, Evidence.HANDSHAKE, ""
        return answers

    def _give_up(self, why: str) -> None:
        """Do not ask again in this call: the answer would be the same, and slow."""
        self._wanted, self.source, self.reason = Evidence.ANNOTATIONS, Evidence.ANNOTATIONS, why
