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
from datetime import datetime, timedelta
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
from .._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
    ExternalIssuer,
    IssuerSettings,
    VaultAppRole,
    VaultIssuer,
    VaultKubernetes,
    VaultLogin,
    VaultTlsCertificate,
    VaultToken,
    VaultTokenSecret,
)
from .._strimzi.secret_data import entries
from .._trust.model.clients import NamedSecret, UserNamespace, Waiver
from .._trust.model.listeners import ObservedListener
from .._trust.model.snapshot import NodeAnswers
from .arguments import FLOW, MOST_DAYS, time_of

_OPTIONS: Mapping[str, Any] = FLOW.options["issuer"]["options"]
#: The options that each type of issuer reads.
_READ = {
    "external": frozenset[str](),
    "cert_manager": frozenset({"name", "kind", "group", "resource"}),
    "vault": frozenset({"name", "url", "mount", "role", "vault_namespace", "linked_by", "ca_certificate", "login"}),
}
_READ_BY_CERTIFICATES = frozenset({"validity_days", "renew_before_days"})
_READ_BY_LOGIN = {
    "token": frozenset({"token", "token_from"}),
    "approle": frozenset({"role_id", "secret_id"}),
    "kubernetes": frozenset({"role", "jwt"}),
    "cert": frozenset({"role", "certificate", "private_key"}),
}
#: An AppRole may need no secret_id.
_NEEDED_BY_LOGIN = {"approle": ("role_id",), "kubernetes": ("role", "jwt"), "cert": ("certificate", "private_key")}
_NEEDED = {"cert_manager": ("name",), "vault": ("name", "url", "role")}


def issuer_settings(options: Mapping[str, Any] | None) -> IssuerSettings:
    """The issuer that the value of the option ``issuer`` names. Where none is named, requests wait for a person or a tool. Raises OptionsError."""
    if options is None:
        return ExternalIssuer()
    _require_of_one_type(options)
    if options["type"] == "external":
        return ExternalIssuer()
    if options["type"] == "cert_manager":
        named = CertManagerIssuer(options["name"], _value(options, "kind"), _value(options, "group"))
        return named if options["resource"] == "CertificateRequest" else _certificates(named, options)
    if "default" in (options["name"], options["linked_by"]):
        raise OptionsError(
            "issuer:",
            "'default' may be another issuer of the mount tomorrow",
            "Give the name or the id of the issuer, as vault list -detailed <mount>/issuers shows it.",
        )
    trusted = options["ca_certificate"]
    return VaultIssuer(
        options["url"], _value(options, "mount"), options["role"], options["name"], _login(options["login"]),
        options["vault_namespace"] or "", trusted.encode("utf-8") if trusted else None, options["linked_by"] or "",
    )  # fmt: skip


def _require_of_one_type(options: Mapping[str, Any]) -> None:
    """Raises OptionsError where an option is given that this type does not read, or where an option that it
    needs is empty.
    """
    kind = options["type"]
    read = _READ[kind] | (_READ_BY_CERTIFICATES if _is_by_certificates(options) else frozenset())
    for name in _OPTIONS:
        if name != "type" and name not in read and _is_given(options, name, _OPTIONS):
            cause, remedy = _explain_other_type(name, options)
            raise OptionsError("issuer:", cause, f"{remedy}, or leave {name} out.")
    for name in _NEEDED.get(kind, ()):
        if not options[name]:
            raise OptionsError("issuer:", f"{name} is empty", f"Name the issuer, as {kind} needs it.")


def _is_by_certificates(options: Mapping[str, Any]) -> bool:
    return bool(options["type"] == "cert_manager" and options["resource"] == "Certificate")


def _value(options: Mapping[str, Any], name: str) -> str:
    """The value of an option that has a default. An empty value counts as left out."""
    return str(options[name] or _OPTIONS[name]["default"])


def _is_given(options: Mapping[str, Any], name: str, known: Mapping[str, Any]) -> bool:
    """Whether the task gives the option. An empty value counts as left out."""
    return bool(options[name]) and options[name] != known[name].get("default")


def _explain_other_type(name: str, options: Mapping[str, Any]) -> tuple[str, str]:
    """The cause, with the given type and the types with which this option would count; and the beginning of the remedy."""
    if name in _READ_BY_CERTIFICATES:
        return f"{name} counts with resource=Certificate of cert_manager only", "Give this type and resource"
    types = " or ".join(kind for kind, read in _READ.items() if name in read)
    return f"{name} counts with type={types} only, and type is {options['type']}", "Give the type that is meant"


def _certificates(named: CertManagerIssuer, options: Mapping[str, Any]) -> CertManagerCertificates:
    validity, renew_before = options["validity_days"], options["renew_before_days"]
    if not 0 < renew_before < validity:
        raise OptionsError(
            "issuer:",
            f"renew_before_days is {renew_before} and validity_days is {validity}",
            "Give it between 1 and less than both.",
        )
    if validity > MOST_DAYS:
        raise OptionsError("issuer:", f"validity_days is {validity}", f"Give {MOST_DAYS} or less.")
    return CertManagerCertificates(named, timedelta(days=validity), timedelta(days=renew_before))


def _require_of_one_login(options: Mapping[str, Any]) -> None:
    """Raises OptionsError. No value is quoted: most are credentials."""
    kind, known = options["type"], _OPTIONS["login"]["options"]
    for name in known:
        if name in ("type", "mount", *_READ_BY_LOGIN[kind]) or not _is_given(options, name, known):
            continue
        types = " or ".join(other for other, read in _READ_BY_LOGIN.items() if name in read)
        raise OptionsError(
            "issuer.login:",
            f"{name} counts with type={types} only, and type is {kind}",
            f"Give the type that is meant, or leave {name} out.",
        )
    for name in _NEEDED_BY_LOGIN.get(kind, () if options["token_from"] else ("token",)):
        if not (options[name] or "").strip():
            raise OptionsError(
                "issuer.login:", f"{name} is empty", "Look where it comes from, such as a variable of the environment that is not set."
            )  # fmt: skip


def _login(options: Mapping[str, Any]) -> VaultLogin:
    _require_of_one_login(options)
    mount = {"mount": options["mount"]} if options["mount"] else {}
    if options["type"] == "token":
        named = options["token_from"]
        return (
            VaultTokenSecret(named["secret"], named["key"], named["namespace"] or "")
            if named
            else VaultToken(options["token"])
        )
    if options["type"] == "approle":
        return VaultAppRole(options["role_id"], options["secret_id"], **mount)
    if options["type"] == "kubernetes":
        return VaultKubernetes(options["role"], options["jwt"], **mount)
    try:
        chain = parse_chain(options["certificate"].encode("utf-8"))
        key = load_key(options["private_key"].encode("utf-8"))
    except (CertificateError, PrivateKeyError) as error:
        raise OptionsError(
            "issuer.login:", str(error), "Give certificate and private_key in PEM form, unencrypted."
        ) from None
    return VaultTlsCertificate(chain, key, options["role"] or "", **mount)


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
