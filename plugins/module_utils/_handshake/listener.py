# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Observing one listener: the chain that it presents, and which of some CAs it trusts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .._errors import KubeError, NotFound, Unreachable
from .._pki.certificates import Certificate
from .alerts import VERSION
from .handshake import (
    Handshake,
    Outcome,
    shake_hands,
)
from .probes import Probe
from .stream import Deadline, Opener
from .trust import (
    Trust,
    Verdict,
    judge_list,
    judge_probe,
    settle,
)

#: Seconds for one handshake; Kafka delays the answer to a failed one by connection.failed.authentication.delay.ms.
_ONE_HANDSHAKE = 10.0
#: Outcomes of a handshake with a process that hangs, or that has just ended.
_SILENT = (Outcome.NOT_REACHED, Outcome.TIMED_OUT)
#: A request that a Kafka listener answers before a client is authorized: ApiVersions v0, correlation 0, no client id.
KAFKA_PROMPT = bytes.fromhex("0000000a 0012 0000 00000000 ffff")


@dataclass(frozen=True, repr=False)
class Inquiry:
    """The questions to every listener. authorities: the CAs in question. probes: of those CAs whose key is at hand.

    The CA in use has to be among them: a refusal is evidence only beside a certificate that is accepted (``settle``).
    known: every CA whose name may appear, also those that are not in question. stranger: a probe of a CA that no listener
    trusts.
    """

    authorities: Sequence[Certificate]
    probes: Mapping[str, Probe]
    known: Sequence[Certificate]
    stranger: Probe

    def of_no_authority(self) -> Inquiry:
        """The inquiry about the presented chain only."""
        return Inquiry((), {}, (), self.stranger)


@dataclass(frozen=True)
class ListenerObservation:
    """presented: the chain as sent, None when it was not seen; then ``why`` is a sentence without subject.

    verdicts: by fingerprint of the CA. version: of TLS. barred: the API server has refused to connect to it, for good.
    """

    presented: tuple[Certificate, ...] | None
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    version: str | None = None
    why: str = ""
    barred: bool = False

    @property
    def trusts(self) -> frozenset[str]:
        return self._with(Trust.TRUSTED)

    @property
    def distrusts(self) -> frozenset[str]:
        return self._with(Trust.NOT_TRUSTED)

    @property
    def shares(self) -> frozenset[str]:
        """The CAs of which the listener has told a name alone that others have too."""
        return self._with(Trust.SHARED)

    def _with(self, trust: Trust) -> frozenset[str]:
        return frozenset(name for name, verdict in self.verdicts.items() if verdict.trust is trust)


def observe_listener(
    opening: Opener, inquiry: Inquiry, *, deadline: Deadline, prompt: bytes = KAFKA_PROMPT
) -> ListenerObservation:
    """Shake hands with the certificate of a stranger, and once more with each probe. Failures become part of the
    observation.

    TLS 1.2 first, which shows the accepted CAs; 1.3 where a listener speaks nothing else.
    """
    conversation = _Listener(opening, deadline, prompt)
    stranger = conversation.ask(inquiry.stranger)
    if _wants_newer(stranger):
        conversation.newer = True
        stranger = conversation.ask(inquiry.stranger)
    listed = {one.fingerprint: judge_list(one, inquiry.known, stranger) for one in inquiry.authorities}
    if stranger.outcome in _SILENT and stranger.presented is None:
        return conversation.conclude(stranger, listed)
    shown = {name: conversation.ask(inquiry.probes[name]) for name in listed if name in inquiry.probes}
    if silent := next((probe for probe in shown.values() if probe.outcome in _SILENT), None):
        return _broken_off(silent, listed, stranger.version)
    probed = {name: judge_probe(probe, stranger) for name, probe in shown.items()}
    accepted = any(verdict.trust is Trust.TRUSTED for verdict in probed.values())
    verdicts = {name: settle(verdict, listed[name], another_accepted=accepted) for name, verdict in probed.items()}
    return conversation.conclude(stranger, {**listed, **verdicts})


def _broken_off(silent: Handshake, authorities: Iterable[str], version: str | None) -> ListenerObservation:
    """The observation of a listener that fell silent while it was asked: half an answer is none."""
    why = f"fell silent while it was asked ({silent})"
    return ListenerObservation(None, {name: Verdict(Trust.UNKNOWN, why) for name in authorities}, version, why)


def _wants_newer(stranger: Handshake) -> bool:
    refused = stranger.alert is not None and stranger.alert.name in VERSION
    return refused and stranger.presented is None


class _Listener:
    """A listener that is asked several times, each time over a new connection."""

    def __init__(self, opening: Opener, deadline: Deadline, prompt: bytes) -> None:
        self._opening = opening
        self._deadline = deadline
        self._prompt = prompt
        self._presented: set[tuple[Certificate, ...]] = set()
        self._barred = False
        self.newer = False

    def ask(self, probe: Probe) -> Handshake:
        context = probe.tls13 if self.newer else probe.tls12
        deadline = self._deadline.within(_ONE_HANDSHAKE)
        try:
            with self._opening(deadline.remaining()) as stream:
                seen = shake_hands(stream, context, probe.certificate, deadline=deadline, prompt=self._prompt)
        except KubeError as error:
            # The rest may pass: the pod starts, its worker is slow, or a connection has broken off.
            self._barred = not error.is_transient and not isinstance(error, (NotFound, Unreachable))
            return Handshake(Outcome.NOT_REACHED, detail=f"{error} {error.remedy}".rstrip("."))
        except OSError as error:
            return Handshake(Outcome.NOT_REACHED, detail=error.strerror or str(error) or type(error).__name__)
        if seen.presented is not None:
            self._presented.add(seen.presented)
        return seen

    def conclude(self, stranger: Handshake, verdicts: Mapping[str, Verdict]) -> ListenerObservation:
        if len(self._presented) > 1:
            why = "presented another certificate while it was asked: it may be another process by now"
            return ListenerObservation(
                None, {name: Verdict(Trust.UNKNOWN, why) for name in verdicts}, stranger.version, why
            )
        presented = next(iter(self._presented), None)
        why = "" if presented else f"presented no certificate that can be read ({stranger})"
        return ListenerObservation(presented, verdicts, stranger.version, why, self._barred)
