# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Asking the listeners of many pods which chains they present and which CAs they trust, a bounded number at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .._handshake.collect import collect
from .._handshake.listener import (
    KAFKA_PROMPT,
    Inquiry,
    ListenerObservation,
    observe_listener,
)
from .._handshake.probes import Probe, make_probe
from .._handshake.stream import ByteStream, Deadline
from .._pki.certificates import Certificate
from .._trust.evidence.live import listener_name
from .._trust.model.listeners import ObservedListener
from .ca_secrets import key_of
from .work import PortOpener

#: Connections through the API server at the same time: each one is a stream on the API server and on the node.
AT_MOST = 16


@dataclass(frozen=True)
class Endpoint:
    """A listener of a pod that exists now."""

    pod: str
    uid: str
    port: int
    #: A request that the listener answers; with TLS 1.3 only an answer shows whether it has accepted a certificate.
    prompt: bytes = KAFKA_PROMPT
    #: Whether the listener verifies clients by the CAs of the cluster, so that handshakes can show which of them it trusts.
    verifies: bool = True
    #: Whether the pod is Ready and stays. Only then does a refusal of the API server to connect to it mean a barred listener.
    running: bool = True


def probe_of(authority: Certificate, key_secret: Mapping[str, Any] | None, now: datetime) -> Probe | None:
    """A probe of this CA; None where its key is not at hand, so that only the list of accepted CAs is evidence."""
    key = key_of(authority, key_secret)
    return None if key is None else make_probe(authority, key, now=now)


def observe_listeners(
    open_port: PortOpener, endpoints: Sequence[Endpoint], inquiry: Inquiry, *, seconds: float, at_most: int = AT_MOST
) -> tuple[ObservedListener, ...]:
    """An observation for each endpoint, in their order. List the pods again afterwards (``answers_of_running``)."""
    deadline = Deadline.after(seconds)
    jobs = {endpoint: _job(open_port, endpoint, inquiry) for endpoint in endpoints}
    found = collect(jobs, at_most=at_most, deadline=deadline)
    return tuple(_observed(endpoint, seen, seconds) for endpoint, seen in found.items())


def _job(open_port: PortOpener, endpoint: Endpoint, inquiry: Inquiry) -> Callable[[Deadline], ListenerObservation]:
    def opening(timeout: float) -> AbstractContextManager[ByteStream]:
        return open_port(endpoint.pod, endpoint.port, timeout=timeout)

    asked = inquiry if endpoint.verifies else inquiry.of_no_authority()
    return lambda deadline: observe_listener(opening, asked, deadline=deadline, prompt=endpoint.prompt)


def _observed(endpoint: Endpoint, seen: ListenerObservation | None, seconds: float) -> ObservedListener:
    party = listener_name(endpoint.pod, endpoint.port)
    if seen is None:
        why = f"{party} was not asked to the end within the {seconds:g} s for all listeners"
        return ObservedListener(endpoint.pod, endpoint.uid, endpoint.port, why=why, verifies=endpoint.verifies)
    return ObservedListener(
        endpoint.pod,
        endpoint.uid,
        endpoint.port,
        seen.presented,
        seen.trusts,
        seen.distrusts,
        {name: f"{party}: {verdict.why}" for name, verdict in seen.verdicts.items() if not verdict.trust.is_known},
        f"handshake with {seen.version}" if seen.version else "",
        f"{party}: {seen.why}" if seen.why else "",
        endpoint.verifies,
        seen.shares,
        seen.barred and endpoint.running,
    )
