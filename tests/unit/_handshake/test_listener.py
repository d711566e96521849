# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes, and the list of a real listener, tell which CAs it trusts."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    Forbidden,
    Invalid,
    KubeError,
    NotFound,
    Unavailable,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import (
    KAFKA_PROMPT,
    Inquiry,
    ListenerObservation,
    Trust,
    make_probe,
    make_stranger,
    observe_listener,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import ByteStream, Deadline, Opener
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import PODS, Attempt

from .listeners import (
    NOW,
    TLS12,
    TLS13,
    authority,
    end_entity,
    opener,
    openssl_listener,
    server_context,
    serving,
    tls_listener,
)

OLD, NEW = authority("cluster-ca v0", 1), authority("cluster-ca v1", 2)
NAMESAKE = authority("cluster-ca v0", 5)
ISSUER = authority("issuer", 4)
LEAF = end_entity(ISSUER).certificate
STRANGER = make_stranger(now=NOW)
PROBES = {
    entity.certificate.fingerprint: make_probe(entity.certificate, entity.key, now=NOW)
    for entity in (OLD, NEW, NAMESAKE)
}
BOTH = [OLD.certificate, NEW.certificate]
_OLD, _NEW, _NAMESAKE = (entity.certificate.fingerprint for entity in (OLD, NEW, NAMESAKE))


def inquiry(*, probing: Sequence[str] = (_OLD, _NEW, _NAMESAKE), known: Sequence[object] = ()) -> Inquiry:
    probes = {name: probe for name, probe in PROBES.items() if name in probing}
    return Inquiry(BOTH, probes, [*BOTH, *known], STRANGER)  # type: ignore[list-item]


def observe(port: int, what: Inquiry | None = None, *, seconds: float = 10, prompt: bytes = b"") -> ListenerObservation:
    return observe_listener(opener(port), what or inquiry(), deadline=Deadline.after(seconds), prompt=prompt)


@pytest.mark.parametrize("version", [TLS12, TLS13, None], ids=["1.2", "1.3", "both"])
@pytest.mark.parametrize("trusted", [[OLD], [NEW], [OLD, NEW]], ids=["old", "new", "both"])
def test_each_ca_is_told_apart_by_probes(version: ssl.TLSVersion | None, trusted: list[object], tmp_path: Path) -> None:
    anchors = [entity.certificate for entity in trusted]  # type: ignore[attr-defined]
    with tls_listener(server_context(tmp_path, [LEAF], anchors, version=version)) as port:
        seen = observe(port)
    names = {anchor.fingerprint for anchor in anchors}
    assert seen.trusts == names
    assert seen.distrusts == {_OLD, _NEW} - names
    assert seen.presented == (LEAF,)
    assert seen.version == ("TLSv1.3" if version is TLS13 else "TLSv1.2")


@pytest.mark.parametrize("probing", [(), (_OLD,), (_OLD, _NEW)], ids=["list", "mixed", "probes"])
def test_a_ca_that_cannot_sign_is_told_by_the_list(probing: tuple[str, ...], tmp_path: Path) -> None:
    with openssl_listener(tmp_path, [LEAF], [OLD.certificate]) as port:
        seen = observe(port, inquiry(probing=probing))
    assert (seen.trusts, seen.distrusts) == ({_OLD}, {_NEW})


def test_a_list_with_a_name_of_two_keys_tells_nothing_but_a_probe_does(tmp_path: Path) -> None:
    with openssl_listener(tmp_path, [LEAF], [NAMESAKE.certificate]) as port:
        by_list = observe(port, inquiry(probing=(), known=[NAMESAKE.certificate]))
        by_probe = observe(port, Inquiry([NAMESAKE.certificate], PROBES, [*BOTH, NAMESAKE.certificate], STRANGER))
    assert (by_list.verdicts[_OLD].trust, by_list.shares) == (Trust.SHARED, {_OLD})
    assert (by_list.trusts, by_list.distrusts) == (frozenset(), {_NEW})
    assert (by_probe.trusts, by_probe.shares) == ({_NAMESAKE}, frozenset())


def test_a_probe_of_a_namesake_is_never_taken_for_trust(tmp_path: Path) -> None:
    """The listener trusts another key of the same name: refused, or not told, but never accepted."""
    with openssl_listener(tmp_path, [LEAF], [NAMESAKE.certificate]) as port:
        seen = observe(port, Inquiry([OLD.certificate], PROBES, [*BOTH, NAMESAKE.certificate], STRANGER))
    assert seen.trusts == frozenset()


def test_tls13_without_a_list_and_without_a_probe_tells_nothing(tmp_path: Path) -> None:
    with openssl_listener(tmp_path, [LEAF], [OLD.certificate], "-tls1_3") as port:
        seen = observe(port, inquiry(probing=()))
    assert {verdict.trust for verdict in seen.verdicts.values()} == {Trust.UNKNOWN}
    assert seen.presented == (LEAF,)


@pytest.mark.parametrize("version", [TLS12, TLS13], ids=["1.2", "1.3"])
def test_who_asks_for_no_certificate_shows_no_trust(version: ssl.TLSVersion, tmp_path: Path) -> None:
    context = server_context(tmp_path, [LEAF], [OLD.certificate], verify=ssl.CERT_NONE, version=version)
    with tls_listener(context) as port:
        seen = observe(port)
    assert (seen.trusts, seen.distrusts) == (frozenset(), frozenset())
    assert "asks for no client certificate" in seen.verdicts[_OLD].why


def test_who_accepts_everybody_shows_no_trust(tmp_path: Path) -> None:
    """It goes on after a certificate that it cannot verify."""
    with openssl_listener(tmp_path, [LEAF], [OLD.certificate], strict=False) as port:
        seen = observe(port)
    assert (seen.trusts, seen.distrusts) == (frozenset(), frozenset())
    assert "does not verify" in seen.verdicts[_OLD].why


def test_an_expired_ca_is_unknown_and_not_distrusted(tmp_path: Path) -> None:
    """The listener trusts it; that it refuses the probe has another reason."""
    expired = make_probe(OLD.certificate, OLD.key, now=NOW.replace(year=NOW.year - 1))
    with tls_listener(server_context(tmp_path, [LEAF], [OLD.certificate], version=TLS12)) as port:
        seen = observe(port, Inquiry([OLD.certificate], {_OLD: expired}, BOTH, STRANGER))
    assert seen.verdicts[_OLD].trust is Trust.UNKNOWN
    assert "certificate_expired" in seen.verdicts[_OLD].why


@pytest.mark.parametrize("version", [TLS12, TLS13], ids=["1.2", "1.3"])
def test_who_accepts_nothing_that_it_is_shown_may_have_another_reason(version: ssl.TLSVersion, tmp_path: Path) -> None:
    """Neither a list nor another CA that was accepted: as if its clock were wrong."""
    with tls_listener(server_context(tmp_path, [LEAF], [ISSUER.certificate], version=version)) as port:
        seen = observe(port)
    assert seen.distrusts == frozenset()
    assert "its clock may be behind by more" in seen.verdicts[_OLD].why


def test_a_kafka_listener_is_asked_what_needs_no_rights(tmp_path: Path) -> None:
    """An ApiVersions request: its length, key 18, version 0, correlation 0, no client id."""
    heard: list[bytes] = []
    context = server_context(tmp_path, [LEAF], [OLD.certificate], version=TLS13, tickets=0)

    def handle(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            heard.append(tls.recv(100))
            tls.sendall(b"answer")

    with serving(handle) as port:
        seen = observe(port, Inquiry([OLD.certificate], PROBES, BOTH, STRANGER), prompt=KAFKA_PROMPT)
    assert seen.trusts == {_OLD}
    assert b"".join(heard) == bytes([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 0, 255, 255])


def test_another_process_behind_the_same_port_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    contexts = [
        server_context(folder, [leaf], [OLD.certificate], version=TLS12)
        for folder, leaf in ((tmp_path, LEAF), (tmp_path / "other", end_entity(NEW).certificate))
    ]
    turns = iter([contexts[0], *[contexts[1]] * 9])
    lock = threading.Lock()

    def handle(connection: socket.socket) -> None:
        with lock:
            context = next(turns)
        with context.wrap_socket(connection, server_side=True) as tls:
            tls.recv(1)

    with serving(handle) as port:
        seen = observe(port)
    assert seen.presented is None
    assert "another process" in seen.why
    assert {verdict.trust for verdict in seen.verdicts.values()} == {Trust.UNKNOWN}


ASKED = Attempt("get", PODS, "kafka", "my-0")


def _forbidden(timeout: float) -> AbstractContextManager[ByteStream]:
    raise Forbidden(ASKED, "forbidden", "Add this rule: pods/portforward.")


def _gone(timeout: float) -> AbstractContextManager[ByteStream]:
    raise ConnectionRefusedError(111, "Connection refused")


@pytest.mark.parametrize(
    ("opening", "said", "barred"), [(_forbidden, "pods/portforward", True), (_gone, "Connection refused", False)]
)
def test_who_is_not_reached_is_unknown_with_the_reason(opening: Opener, said: str, barred: bool) -> None:
    seen = observe_listener(opening, inquiry(), deadline=Deadline.after(5))
    assert seen.presented is None
    assert said in seen.why
    assert {verdict.trust for verdict in seen.verdicts.values()} == {Trust.UNKNOWN}
    assert all(said in verdict.why for verdict in seen.verdicts.values())
    assert seen.barred is barred


@pytest.mark.parametrize(
    ("refusal", "barred"),
    [
        (Unavailable(ASKED, "does not forward ports", "Check the proxy."), True),
        (Invalid(ASKED, "pod my-0 does not have a host assigned", "Correct the Pod."), True),
        (Unavailable(ASKED, "the node says: connection refused", "Check the pod.", is_transient=True), False),
        (NotFound(ASKED, "no pod my-0", "Check the name."), False),
        (Unreachable(ASKED, "the connection broke off", "Run again."), False),
    ],
    ids=str,
)
def test_a_refusal_of_the_api_server_is_told_from_one_that_may_pass(refusal: KubeError, barred: bool) -> None:
    def refuse(timeout: float) -> AbstractContextManager[ByteStream]:
        raise refusal

    assert observe_listener(refuse, inquiry(), deadline=Deadline.after(5)).barred is barred


def test_who_is_not_reached_is_not_tried_again_for_every_ca() -> None:
    tries: list[float] = []

    def opening(timeout: float) -> AbstractContextManager[ByteStream]:
        tries.append(timeout)
        return _gone(timeout)

    observe_listener(opening, inquiry(), deadline=Deadline.after(5))
    assert len(tries) == 1


def test_a_listener_that_takes_no_certificate_of_our_kind_is_told_by_its_list_only(tmp_path: Path) -> None:
    """It refuses for want of a certificate, after it has shown what it presents: no matter of the version."""
    options = ["-tls1_2", "-client_sigalgs", "RSA+SHA256"]
    with openssl_listener(tmp_path, [LEAF], [OLD.certificate], *options) as port:
        by_probe, by_list = observe(port), observe(port, inquiry(probing=()))
    assert by_probe.version == "TLSv1.2"
    assert by_probe.verdicts[_OLD].trust is Trust.UNKNOWN
    assert (by_list.trusts, by_list.distrusts) == ({_OLD}, {_NEW})


def test_after_the_deadline_nothing_is_opened() -> None:
    opened: list[float] = []
    never: Any = opened.append
    seen = observe_listener(never, inquiry(), deadline=Deadline.after(-1))
    assert opened == []
    assert "the time is over" in seen.why


def silent(connection: socket.socket) -> None:
    while connection.recv(1000):
        pass


def test_a_silent_listener_is_unknown_in_time() -> None:
    with serving(silent) as port:
        seen = observe(port, seconds=0.3)
    assert {verdict.trust for verdict in seen.verdicts.values()} == {Trust.UNKNOWN}
    assert "no answer in time" in seen.why


def test_who_falls_silent_while_it_is_asked_has_not_answered(tmp_path: Path) -> None:
    """Half an answer is none: a probe that met nobody says nothing, and what the listener presented may be another process's."""
    left = [1]

    @contextmanager
    def hangs(timeout: float) -> Iterator[ByteStream]:
        if not left:
            raise TimeoutError("timed out")
        left.pop()
        with answering(timeout) as stream:
            yield stream

    with tls_listener(server_context(tmp_path, [LEAF], BOTH, version=TLS12)) as port:
        answering = opener(port)
        seen = observe_listener(hangs, inquiry(), deadline=Deadline.after(10))
    assert (seen.presented, seen.trusts, seen.distrusts) == (None, frozenset(), frozenset())
    assert seen.why.startswith("fell silent while it was asked")
    assert {verdict.why for verdict in seen.verdicts.values()} == {seen.why}


def test_who_does_not_answer_at_all_is_asked_once() -> None:
    """A process that hangs takes the connection and says nothing; each further question would take its time."""
    asked = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        @contextmanager
        def hangs(timeout: float) -> Iterator[ByteStream]:
            asked.append(timeout)
            with opener(server.getsockname()[1])(timeout) as stream:
                yield stream

        seen = observe_listener(hangs, inquiry(), deadline=Deadline.after(0.5))
    assert (seen.presented, len(asked)) == (None, 1)
    assert seen.why
