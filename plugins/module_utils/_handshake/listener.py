# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The observation of one listener: its presented chain, and which of some CAs it trusts. The answer is yes, no, or
unknown with a sentence that says why.

A probe is a certificate that a listener is shown: its answer shows whether it trusts the CA of the probe. Many
listeners answer at the same time: a bounded number of them, until a deadline.
"""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from .._errors import KubeError, NotFound, Unreachable
from .._kube.response_time import CONVERSATION, PROMPT, ResponseTime
from .._pki._cryptography import serialization, x509
from .._pki.building import BACKDATED, DistinguishedName, issue_root
from .._pki.certificates import Certificate
from .._pki.keys import KeyAlgorithm, KeySpec, PrivateKey, generate_key
from .._pki.requests import sign_leaf
from .._tls.alerts import DISTRUST, VERSION
from .._tls.contexts import to_look_at
from .handshake import (
    Handshake,
    HandshakeOutcome,
    shake_hands,
)
from .tls import Deadline, Opener

#: The subject of probes, as it appears in the log of a broker. Components have O=io.strimzi and users a CN alone, so it
#: is neither.
SUBJECT = DistinguishedName("CA trust probe (no user)", "trustops.strimzi")
_UNTRUSTED = DistinguishedName("Untrusted CA", "trustops.strimzi")
#: How long a probe is valid: long enough for a slow run. It begins as a leaf made now begins. If the clock of a node is
#: further behind, the node refuses the probe as it would refuse that leaf. Probes are not stored.
_AFTER = timedelta(hours=1)
_KEY = KeySpec(KeyAlgorithm.ECDSA, 256)


@dataclass(frozen=True)
class Probe:
    """A certificate without rights, loaded for either version of TLS. For use by many threads."""

    #: The leaf that listeners see, signed by the CA in question.
    certificate: Certificate
    #: Settings for a handshake by TLS 1.2 with this leaf and its key; they do not verify the listener.
    tls12: ssl.SSLContext
    #: The same for TLS 1.3.
    tls13: ssl.SSLContext


def make_probe(authority: Certificate, key: PrivateKey, *, now: datetime) -> Probe:
    """A probe of this CA. Raises CertificateError if ``key`` is not its key."""
    own = generate_key(_KEY)
    leaf = sign_leaf(
        own.public_key, SUBJECT, (), authority, key, not_before=now - BACKDATED, validity=BACKDATED + _AFTER
    )  # fmt: skip
    contexts = [to_look_at(version) for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)]
    _load(contexts, leaf, own)
    return Probe(leaf, *contexts)


def make_untrusted_probe(*, now: datetime) -> Probe:
    """A probe of a CA made here, which no process can trust. If a process accepts it, the process does not verify
    certificates.
    """
    key = generate_key(_KEY)
    root = issue_root(_UNTRUSTED, key, not_before=now - BACKDATED, validity=BACKDATED + _AFTER)
    return make_probe(root, key, now=now)


def _load(contexts: Sequence[ssl.SSLContext], own: Certificate, key: PrivateKey) -> None:
    """Load the key. The ssl module reads keys from files only, so the file is encrypted with a password. The password
    is not stored.
    """
    password = secrets.token_hex(32)
    sealed = serialization.load_pem_private_key(key.reveal(), None).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(password.encode()),
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "probe.pem"
        path.write_bytes(own.pem + sealed)
        for context in contexts:
            context.load_cert_chain(path, password=password)


class Trust(str, Enum):
    """Whether a process trusts a CA."""

    #: The process has accepted a certificate of the CA, or it names the CA, and no other CA has this name.
    TRUSTED = "trusted"
    #: The process has refused a certificate of the CA for want of trust, or it does not name the CA.
    NOT_TRUSTED = "not trusted"
    #: No handshake has shown whether it does.
    UNKNOWN = "unknown"
    #: Its name does not decide it, because CAs with other keys have the same name.
    SHARED = "shared"

    @property
    def is_known(self) -> bool:
        return self in (Trust.TRUSTED, Trust.NOT_TRUSTED)


@dataclass(frozen=True)
class Verdict:
    """Whether a listener trusts a CA, with the evidence."""

    #: Whether the listener trusts the CA, as far as the handshakes show it.
    trust: Trust
    #: The evidence, or why there is none; a sentence without subject and full stop.
    evidence: str


def _unknown(why: str) -> Verdict:
    return Verdict(Trust.UNKNOWN, why)


def judge_probe(probe: Handshake, untrusted: Handshake) -> Verdict:
    """The verdict by two handshakes: ``probe`` with a certificate of the CA in question, and ``untrusted`` with a
    certificate of a CA that no listener can trust.

    Only the difference between the two is evidence. If a listener accepts the untrusted certificate, it does not verify
    clients. If it refuses the probe in another way than the untrusted certificate, it has another reason than trust,
    such as its clock.
    """
    if (unfit := _unfit(untrusted)) is not None:
        return unfit
    if not probe.offered:
        return _unknown(f"the listener did not get to see our certificate of this CA ({probe})")
    if probe.outcome is HandshakeOutcome.ACCEPTED:
        return Verdict(Trust.TRUSTED, f"accepted a certificate of this CA with {probe.version}")
    if probe.alert is None:
        return _unknown(f"neither accepted a certificate of this CA nor refused it for want of trust ({probe})")
    if probe.alert != untrusted.alert:
        return _unknown(
            f"refuses a certificate of this CA with the alert {probe.alert}, but a certificate of an untrusted CA with "
            f"{untrusted.alert}; so trust may not be the reason"
        )
    return Verdict(Trust.NOT_TRUSTED, f"refused a certificate of this CA with the alert {probe.alert}")


def judge_list(authority: Certificate, known: Iterable[Certificate], untrusted: Handshake) -> Verdict:
    """The verdict by the names of the CAs in the listener's request for a certificate. The listener might mean the
    ``known`` CAs by a name.

    A name on the list is no evidence if two keys share it. A missing name is evidence in any case.
    """
    if untrusted.outcome is HandshakeOutcome.ACCEPTED:
        return _accepts_untrusted(untrusted)
    if untrusted.acceptable is None:
        return _unknown(f"did not show which CAs it accepts ({untrusted})")
    if not untrusted.acceptable:
        return _unknown("accepts certificates of CAs that it does not name")
    if authority.subject_der not in untrusted.acceptable:
        if any(_reads_alike(authority, name) for name in untrusted.acceptable):
            return _unknown(f"names {authority.subject} in another encoding, which may be this CA or another")
        return Verdict(Trust.NOT_TRUSTED, "does not name this CA among the CAs that it accepts")
    keys = {certificate.public_key_sha256 for certificate in known if certificate.subject_der == authority.subject_der}
    if keys - {authority.public_key_sha256}:
        why = f"names {authority.subject}, and several CAs with different keys have this name"
        return Verdict(Trust.SHARED, why)
    return Verdict(Trust.TRUSTED, "names this CA among the CAs that it accepts")


def combine_verdicts(probed: Verdict, listed: Verdict, *, another_accepted: bool) -> Verdict:
    """The verdict of the probe, if the list does not contradict it and its refusal can have no other reason.

    With ``another_accepted``, the listener accepted a certificate of another CA, made in the same way. A JVM says the
    same (certificate_unknown) to an untrusted certificate and to a certificate outside its validity by the JVM's clock.
    So a refusal is about trust only if another certificate passed, or if the list of accepted CAs lacks this CA.
    """
    if probed.trust.is_known and listed.trust.is_known and probed.trust is not listed.trust:
        return _unknown(f"contradicts itself: it {probed.evidence}, and {listed.evidence}")
    if probed.trust is Trust.NOT_TRUSTED and not (listed.trust.is_known or another_accepted):
        return _unknown(
            f"accepted none of the certificates that it was shown, which begin {BACKDATED // timedelta(minutes=1)} "
            "minutes ago: its clock may be behind by more, and be the reason, not trust"
        )
    return probed


def _unfit(untrusted: Handshake) -> Verdict | None:
    """Why this listener's behaviour towards certificates says nothing about trust; None if it does."""
    if untrusted.outcome is HandshakeOutcome.ACCEPTED:
        return _accepts_untrusted(untrusted)
    if untrusted.alert is None or untrusted.alert.name not in DISTRUST or not untrusted.offered:
        return _unknown(f"it is not known how it refuses a certificate of an untrusted CA ({untrusted})")
    return None


def _accepts_untrusted(untrusted: Handshake) -> Verdict:
    if untrusted.offered:
        return _unknown("accepts certificates of an untrusted CA: it does not verify clients")
    if untrusted.acceptable is not None:
        return _unknown(
            "goes on although it did not get to see our certificate: it does not insist on a client certificate"
        )
    return _unknown("asks for no client certificate: it does not show which CAs it trusts")


def _reads_alike(authority: Certificate, name: bytes) -> bool:
    """Whether a DER name contains all texts of the name of the CA, whatever the types of its strings."""
    values = [str(attribute.value) for attribute in x509.load_der_x509_certificate(authority.der).subject]
    return all(
        any(bytes([len(text) & 127]) + text in name for text in (value.encode(), value.encode("utf-16-be")))
        for value in values
    )


#: Seconds for one handshake if the API server passes it on at once. Kafka delays the answer to a failed handshake by
#: connection.failed.authentication.delay.ms.
_ONE_HANDSHAKE = 10.0
#: Outcomes of a handshake with a hanging process, or with a process after its end.
_SILENT = (HandshakeOutcome.NOT_REACHED, HandshakeOutcome.TIMED_OUT)
#: A request that a Kafka listener answers before a client is authorized: ApiVersions v0, correlation 0, no client id.
KAFKA_PROMPT = bytes.fromhex("0000000a 0012 0000 00000000 ffff")


def limit_of_handshake(response_time: ResponseTime) -> float:
    """Seconds for a handshake through an API server with this response time, and for its connection."""
    return response_time.within(_ONE_HANDSHAKE, CONVERSATION)


@dataclass(frozen=True, repr=False)
class Inquiry:
    """The questions to every listener.

    The CA in use has to be among them: a refusal is evidence only beside an accepted certificate
    (``combine_verdicts``).
    """

    #: The CAs in question.
    authorities: Sequence[Certificate]
    #: The probes, by the fingerprint of the CA that has signed them. This collection makes a probe if it has the key of
    #: the CA.
    probes: Mapping[str, Probe]
    #: Every CA whose name may appear, also CAs that are not in question.
    known: Sequence[Certificate]
    #: A probe of an untrusted CA: no listener trusts it.
    untrusted: Probe

    @property
    def questions(self) -> int:
        """The most handshakes with a listener; one of them takes place only if it speaks TLS 1.3 alone."""
        return 2 + len(self.probes)

    def of_no_authority(self) -> Inquiry:
        """The inquiry about the presented chain only."""
        return Inquiry((), {}, (), self.untrusted)


@dataclass(frozen=True)
class ListenerObservation:
    """The results of the handshakes with one listener."""

    #: The chain as sent; None if it was not seen.
    presented: tuple[Certificate, ...] | None
    #: Whether it trusts a CA, by the fingerprint of that CA.
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    #: The version of TLS, as "TLSv1.3"; None if no handshake came so far.
    version: str | None = None
    #: Why the chain was not seen, as a sentence without subject; empty if it was seen.
    failure: str = ""
    #: Whether the API server has refused to connect to it, for good.
    barred: bool = False

    @property
    def trusts(self) -> frozenset[str]:
        return self._authorities_of(Trust.TRUSTED)

    @property
    def distrusts(self) -> frozenset[str]:
        return self._authorities_of(Trust.NOT_TRUSTED)

    @property
    def shares(self) -> frozenset[str]:
        """The CAs that the listener has shown by a name alone, which other CAs share."""
        return self._authorities_of(Trust.SHARED)

    def _authorities_of(self, trust: Trust) -> frozenset[str]:
        return frozenset(name for name, verdict in self.verdicts.items() if verdict.trust is trust)


def observe_listener(
    opening: Opener,
    inquiry: Inquiry,
    *,
    deadline: Deadline,
    prompt: bytes = KAFKA_PROMPT,
    response_time: ResponseTime = PROMPT,
) -> ListenerObservation:
    """Shake hands with a certificate of an untrusted CA, and once more with each probe, through an API server with this
    response time. Failures become part of the observation.

    TLS 1.2 comes first, because it shows the accepted CAs; 1.3 if a listener speaks nothing else.
    """
    conversation = _Listener(opening, deadline, prompt, response_time)
    untrusted = conversation.ask(inquiry.untrusted)
    if _wants_newer(untrusted):
        conversation.newer = True
        untrusted = conversation.ask(inquiry.untrusted)
    listed = {
        authority.fingerprint: judge_list(authority, inquiry.known, untrusted) for authority in inquiry.authorities
    }
    if untrusted.outcome in _SILENT and untrusted.presented is None:
        return conversation.conclude(untrusted, listed)
    shown = {name: conversation.ask(inquiry.probes[name]) for name in listed if name in inquiry.probes}
    if silent := next((probe for probe in shown.values() if probe.outcome in _SILENT), None):
        return _observe_unfinished(silent, listed, untrusted.version)
    probed = {name: judge_probe(probe, untrusted) for name, probe in shown.items()}
    accepted = any(verdict.trust is Trust.TRUSTED for verdict in probed.values())
    verdicts = {
        name: combine_verdicts(verdict, listed[name], another_accepted=accepted) for name, verdict in probed.items()
    }
    return conversation.conclude(untrusted, {**listed, **verdicts})


def _observe_unfinished(silent: Handshake, authorities: Iterable[str], version: str | None) -> ListenerObservation:
    """The observation of a listener after it fell silent during the questions: half an answer counts as none."""
    why = f"fell silent between two questions ({silent})"
    return ListenerObservation(None, {name: Verdict(Trust.UNKNOWN, why) for name in authorities}, version, why)


def _wants_newer(untrusted: Handshake) -> bool:
    refused = untrusted.alert is not None and untrusted.alert.name in VERSION
    return refused and untrusted.presented is None


class _Listener:
    """A listener that gets several questions, each over a new connection."""

    def __init__(self, opening: Opener, deadline: Deadline, prompt: bytes, response_time: ResponseTime) -> None:
        self._opening = opening
        self._response_time = response_time
        self._deadline = deadline
        self._prompt = prompt
        self._presented: set[tuple[Certificate, ...]] = set()
        self._barred = False
        self.newer = False

    def ask(self, probe: Probe) -> Handshake:
        context = probe.tls13 if self.newer else probe.tls12
        deadline = self._deadline.within(limit_of_handshake(self._response_time))
        try:
            with self._opening(deadline.remaining()) as stream:
                seen = shake_hands(
                    stream,
                    context,
                    probe.certificate,
                    deadline=deadline,
                    prompt=self._prompt,
                    response_time=self._response_time,
                )
        except KubeError as error:
            # The rest may pass: the pod starts, its worker is slow, or a connection has broken off.
            self._barred = not error.is_transient and not isinstance(error, (NotFound, Unreachable))
            return Handshake(HandshakeOutcome.NOT_REACHED, detail=f"{error.cause}. {error.remedy}".rstrip("."))
        except OSError as error:
            return Handshake(HandshakeOutcome.NOT_REACHED, detail=error.strerror or str(error) or type(error).__name__)
        if seen.presented is not None:
            self._presented.add(seen.presented)
        return seen

    def conclude(self, untrusted: Handshake, verdicts: Mapping[str, Verdict]) -> ListenerObservation:
        if len(self._presented) > 1:
            why = "presented another certificate between two questions: it may be another process by now"
            return ListenerObservation(
                None, {name: Verdict(Trust.UNKNOWN, why) for name in verdicts}, untrusted.version, why
            )
        presented = next(iter(self._presented), None)
        why = "" if presented else f"presented no certificate that can be read ({untrusted})"
        return ListenerObservation(presented, verdicts, untrusted.version, why, self._barred)


Key = TypeVar("Key")
Found = TypeVar("Found")

#: Seconds for jobs to return their results after the deadline.
_GRACE = 1.0


def collect(
    jobs: Mapping[Key, Callable[[Deadline], Found]], *, at_most: int, deadline: Deadline
) -> dict[Key, Found | None]:
    """The result of each job, in the order of ``jobs``; None if a job had no turn or did not end in time.

    A job has to keep to its deadline. If a job does not, it is left behind. An exception of a job is raised.
    """
    pool = ThreadPoolExecutor(max_workers=max(1, at_most), thread_name_prefix="live-evidence")
    try:
        running = {key: pool.submit(_run_before, job, deadline) for key, job in jobs.items()}
        with suppress(TimeoutError):
            wait(running.values(), timeout=deadline.remaining() + _GRACE)
        return {key: future.result() if future.done() else None for key, future in running.items()}
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _run_before(job: Callable[[Deadline], Found], deadline: Deadline) -> Found | None:
    try:
        deadline.remaining()
    except TimeoutError:
        return None
    return job(deadline)
