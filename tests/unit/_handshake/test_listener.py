# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes, and the list of a real listener, tell which CAs it trusts: many listeners at a time, each with proof of its key."""

from __future__ import annotations

import pickle
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    CertificateError,
    Forbidden,
    Invalid,
    KubeError,
    NotFound,
    Unavailable,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake import handshake as handshake_module
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake import listener
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.handshake import HandshakeOutcome, shake_hands
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import (
    KAFKA_PROMPT,
    Inquiry,
    ListenerObservation,
    Trust,
    collect,
    make_probe,
    make_untrusted_probe,
    observe_listener,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import ByteStream, Deadline, Opener
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import PODS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.response_time import PROMPT, ResponseTime
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import BACKDATED
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import encode_certificates

from ...tools.support.certificates import make, rsa_key
from ...tools.support.golden import GoldenFiles
from ...tools.support.impostor import Impostor
from .listeners import (
    DAY,
    NOW,
    TLS12,
    TLS13,
    authority,
    end_entity,
    opener,
    openssl_listener,
    server_context,
    serving,
    shake,
    tls_listener,
)

OLD, NEW = authority("cluster-ca v0", 1), authority("cluster-ca v1", 2)
NAMESAKE = authority("cluster-ca v0", 5)
ISSUER = authority("issuer", 4)
LEAF = end_entity(ISSUER).certificate
UNTRUSTED = make_untrusted_probe(now=NOW)
PROBES = {
    entity.certificate.fingerprint: make_probe(entity.certificate, entity.key, now=NOW)
    for entity in (OLD, NEW, NAMESAKE)
}
BOTH = [OLD.certificate, NEW.certificate]
_OLD, _NEW, _NAMESAKE = (entity.certificate.fingerprint for entity in (OLD, NEW, NAMESAKE))


def inquiry(*, probing: Sequence[str] = (_OLD, _NEW, _NAMESAKE), known: Sequence[object] = ()) -> Inquiry:
    probes = {name: probe for name, probe in PROBES.items() if name in probing}
    return Inquiry(BOTH, probes, [*BOTH, *known], UNTRUSTED)  # type: ignore[list-item]


def observe(port: int, what: Inquiry | None = None, *, seconds: float = 60, prompt: bytes = b"") -> ListenerObservation:
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
        by_probe = observe(port, Inquiry([NAMESAKE.certificate], PROBES, [*BOTH, NAMESAKE.certificate], UNTRUSTED))
    assert (by_list.verdicts[_OLD].trust, by_list.shares) == (Trust.SHARED, {_OLD})
    assert (by_list.trusts, by_list.distrusts) == (frozenset(), {_NEW})
    assert (by_probe.trusts, by_probe.shares) == ({_NAMESAKE}, frozenset())


def test_a_probe_of_a_namesake_is_never_taken_for_trust(tmp_path: Path) -> None:
    """The listener trusts another key of the same name: refused, or not told, but never accepted."""
    with openssl_listener(tmp_path, [LEAF], [NAMESAKE.certificate]) as port:
        seen = observe(port, Inquiry([OLD.certificate], PROBES, [*BOTH, NAMESAKE.certificate], UNTRUSTED))
    assert seen.trusts == frozenset()


def test_tls13_without_a_list_and_without_a_probe_tells_nothing(tmp_path: Path) -> None:
    with openssl_listener(tmp_path, [LEAF], [OLD.certificate], "-tls1_3") as port:
        seen = observe(port, inquiry(probing=()))
    assert {verdict.trust for verdict in seen.verdicts.values()} == {Trust.UNKNOWN}
    assert seen.presented == (LEAF,)


@pytest.mark.parametrize("version", [TLS12, TLS13], ids=["1.2", "1.3"])
def test_a_listener_that_asks_for_no_certificate_shows_no_trust(
    version: ssl.TLSVersion, tmp_path: Path, golden: GoldenFiles
) -> None:
    context = server_context(tmp_path, [LEAF], [OLD.certificate], verify=ssl.CERT_NONE, version=version)
    with tls_listener(context) as port:
        seen = observe(port)
    assert (seen.trusts, seen.distrusts) == (frozenset(), frozenset())
    golden.compare_said("handshakes", seen.verdicts[_OLD].evidence)


def test_a_listener_that_accepts_every_certificate_shows_no_trust(tmp_path: Path) -> None:
    """It goes on after a certificate that it cannot verify."""
    with openssl_listener(tmp_path, [LEAF], [OLD.certificate], strict=False) as port:
        seen = observe(port)
    assert (seen.trusts, seen.distrusts) == (frozenset(), frozenset())
    assert "does not verify" in seen.verdicts[_OLD].evidence


def test_an_expired_ca_is_unknown_and_not_distrusted(tmp_path: Path) -> None:
    """The listener trusts it; that it refuses the probe has another reason."""
    expired = make_probe(OLD.certificate, OLD.key, now=NOW.replace(year=NOW.year - 1))
    with tls_listener(server_context(tmp_path, [LEAF], [OLD.certificate], version=TLS12)) as port:
        seen = observe(port, Inquiry([OLD.certificate], {_OLD: expired}, BOTH, UNTRUSTED))
    assert seen.verdicts[_OLD].trust is Trust.UNKNOWN
    assert "certificate_expired" in seen.verdicts[_OLD].evidence


@pytest.mark.parametrize("version", [TLS12, TLS13], ids=["1.2", "1.3"])
def test_a_listener_that_accepts_no_probe_may_have_another_reason(
    version: ssl.TLSVersion, tmp_path: Path, golden: GoldenFiles
) -> None:
    """Neither a list nor another CA that was accepted: as if its clock were wrong."""
    with tls_listener(server_context(tmp_path, [LEAF], [ISSUER.certificate], version=version)) as port:
        seen = observe(port)
    assert seen.distrusts == frozenset()
    golden.compare_said("handshakes", seen.verdicts[_OLD].evidence)


def test_a_kafka_listener_is_asked_what_needs_no_rights(tmp_path: Path) -> None:
    """An ApiVersions request: its length, key 18, version 0, correlation 0, no client id."""
    heard: list[bytes] = []
    context = server_context(tmp_path, [LEAF], [OLD.certificate], version=TLS13, tickets=0)

    def handle(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            heard.append(tls.recv(100))
            tls.sendall(b"answer")

    with serving(handle) as port:
        seen = observe(port, Inquiry([OLD.certificate], PROBES, BOTH, UNTRUSTED), prompt=KAFKA_PROMPT)
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
    assert "another process" in seen.failure
    assert {verdict.trust for verdict in seen.verdicts.values()} == {Trust.UNKNOWN}


ASKED = Attempt("get", PODS, "kafka", "my-0")


def _forbidden(timeout: float) -> AbstractContextManager[ByteStream]:
    raise Forbidden(ASKED, "forbidden", "Add this rule: pods/portforward.")


def _gone(timeout: float) -> AbstractContextManager[ByteStream]:
    raise ConnectionRefusedError(111, "Connection refused")


@pytest.mark.parametrize(
    ("opening", "said", "barred"), [(_forbidden, "pods/portforward", True), (_gone, "Connection refused", False)]
)
def test_a_listener_that_is_not_reached_is_unknown_with_the_reason(opening: Opener, said: str, barred: bool) -> None:
    seen = observe_listener(opening, inquiry(), deadline=Deadline.after(60))
    assert seen.presented is None
    assert said in seen.failure
    assert {verdict.trust for verdict in seen.verdicts.values()} == {Trust.UNKNOWN}
    assert all(said in verdict.evidence for verdict in seen.verdicts.values())
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

    assert observe_listener(refuse, inquiry(), deadline=Deadline.after(60)).barred is barred


def test_a_listener_that_is_not_reached_is_not_tried_again_for_every_ca() -> None:
    tries: list[float] = []

    def opening(timeout: float) -> AbstractContextManager[ByteStream]:
        tries.append(timeout)
        return _gone(timeout)

    observe_listener(opening, inquiry(), deadline=Deadline.after(60))
    assert len(tries) == 1


def test_a_listener_that_takes_no_certificate_of_our_kind_is_told_by_its_list_only(tmp_path: Path) -> None:
    """It refuses for want of a certificate, after it has shown what it presents: no matter of the version."""
    options = ["-tls1_2", "-client_sigalgs", "RSA+SHA256"]
    with openssl_listener(tmp_path, [LEAF], [OLD.certificate], *options) as port:
        by_probe, by_list = observe(port), observe(port, inquiry(probing=()))
    assert by_probe.version == "TLSv1.2"
    assert by_probe.verdicts[_OLD].trust is Trust.UNKNOWN
    assert (by_list.trusts, by_list.distrusts) == ({_OLD}, {_NEW})


def test_after_the_deadline_nothing_is_opened(golden: GoldenFiles) -> None:
    opened: list[float] = []
    never: Any = opened.append
    seen = observe_listener(never, inquiry(), deadline=Deadline.after(-1))
    assert opened == []
    golden.compare_said("handshakes", seen.failure)


def silent(connection: socket.socket) -> None:
    while connection.recv(1000):
        pass


def test_a_silent_listener_is_unknown_in_time(golden: GoldenFiles) -> None:
    with serving(silent) as port:
        seen = observe(port, seconds=3)
    assert {verdict.trust for verdict in seen.verdicts.values()} == {Trust.UNKNOWN}
    golden.compare_said("handshakes", seen.failure)


def test_a_listener_that_falls_silent_between_questions_has_not_answered(tmp_path: Path, golden: GoldenFiles) -> None:
    """Half an answer is none: a probe without an answer shows nothing, and what the listener presented may be another process's."""
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
    golden.compare_said("handshakes", seen.failure)
    assert {verdict.evidence for verdict in seen.verdicts.values()} == {seen.failure}


class Hanging:
    """A process that takes what is sent and never answers; each wait for an answer is over at once."""

    def send(self, data: bytes, timeout: float) -> None:
        assert data

    def recv(self, timeout: float) -> bytes:
        raise TimeoutError("timed out")


def test_a_listener_that_does_not_answer_at_all_is_asked_once(golden: GoldenFiles) -> None:
    """Each further question would take its time."""
    asked = []

    @contextmanager
    def hangs(timeout: float) -> Iterator[ByteStream]:
        asked.append(timeout)
        yield Hanging()

    seen = observe_listener(hangs, inquiry(), deadline=Deadline.after(60))
    assert (seen.presented, len(asked)) == (None, 1)
    golden.compare_said("handshakes", seen.failure)


class Late:
    """A way through an API server that passes each message of the listener on so many seconds late."""

    def __init__(self, stream: ByteStream, seconds: float) -> None:
        self._stream, self._seconds = stream, seconds

    def send(self, data: bytes, timeout: float) -> None:
        self._stream.send(data, timeout)

    def recv(self, timeout: float) -> bytes:
        time.sleep(min(self._seconds, timeout))
        if timeout <= self._seconds:
            raise TimeoutError("timed out")
        return self._stream.recv(timeout - self._seconds)


@pytest.mark.parametrize("version", [TLS12, TLS13], ids=["1.2", "1.3"])
def test_a_listener_behind_a_slow_api_server_gets_the_time_of_its_answers(
    version: ssl.TLSVersion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without that time it counts as silent, and with TLS 1.3 a question that comes too early can hide its refusal."""
    monkeypatch.setattr(listener, "_ONE_HANDSHAKE", 0.2)
    monkeypatch.setattr(handshake_module, "_PATIENCE", 0.01)
    slow = ResponseTime()
    slow.note(0.3)

    def observe_late(response_time: ResponseTime) -> ListenerObservation:
        @contextmanager
        def late(timeout: float) -> Iterator[ByteStream]:
            with opener(port)(timeout) as stream:
                yield Late(stream, 0.2)

        return observe_listener(late, inquiry(), deadline=Deadline.after(60), response_time=response_time)

    with tls_listener(server_context(tmp_path, [LEAF], [OLD.certificate], version=version)) as port:
        assert observe_late(PROMPT).presented is None
        seen = observe_late(slow)
    assert (seen.trusts, seen.distrusts) == ({_OLD}, {_NEW})


# A probe that is shown to listeners gives no rights, is over soon, and leaves no usable key behind.

CA, OTHER = authority("cluster-ca v0", 1), authority("cluster-ca v0", 2)


def test_a_probe_is_a_leaf_of_the_ca_that_gives_no_rights() -> None:
    probe = make_probe(CA.certificate, CA.key, now=NOW)
    leaf = probe.certificate
    assert leaf.signed_by(CA.certificate)
    assert (leaf.is_ca, leaf.key_usage_allows_signing, leaf.subject_alternative_names) == (False, False, frozenset())
    parsed = x509.load_der_x509_certificate(leaf.der)
    assert parsed.extensions.get_extension_for_class(x509.BasicConstraints).critical


def test_the_probe_has_the_name_of_no_user_and_no_component() -> None:
    """Components are O=io.strimzi, and a KafkaUser is a bare CN."""
    subject = make_probe(CA.certificate, CA.key, now=NOW).certificate.subject
    assert subject == "CN=CA trust probe (no user),O=trustops.strimzi"


def test_a_probe_ends_soon_and_begins_early_enough_for_slow_clocks() -> None:
    leaf = make_probe(CA.certificate, CA.key, now=NOW).certificate
    assert leaf.not_before == NOW.replace(microsecond=0) - BACKDATED, "it begins as a leaf that is made now does"
    assert NOW + timedelta(minutes=30) < leaf.not_after <= NOW + timedelta(hours=2)


def test_every_probe_has_a_key_of_its_own() -> None:
    made = [make_probe(CA.certificate, CA.key, now=NOW) for _number in range(2)]
    probes = [make_untrusted_probe(now=NOW) for _number in range(2)]
    keys = {probe.certificate.public_key_sha256 for probe in (*made, *probes)}
    assert len(keys) == 4
    assert len({probe.certificate.authority_key_identifier for probe in probes}) == 2


def test_a_key_of_another_ca_makes_no_probe() -> None:
    with pytest.raises(CertificateError):
        make_probe(CA.certificate, OTHER.key, now=NOW)


def test_no_usable_key_reaches_a_file_and_the_file_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    written: dict[Path, bytes] = {}

    class Watched(type(Path())):  # type: ignore[misc]
        def write_bytes(self, data: Any) -> int:
            written[Path(self)] = bytes(data)
            return super().write_bytes(data)  # type: ignore[no-any-return]

    monkeypatch.setattr(listener, "Path", Watched)
    make_probe(CA.certificate, CA.key, now=NOW)
    assert len(written) == 1
    path, content = next(iter(written.items()))
    assert not path.exists()
    assert not path.parent.exists()
    assert b"BEGIN ENCRYPTED PRIVATE KEY" in content
    with pytest.raises(TypeError):
        serialization.load_pem_private_key(content[content.index(b"-----BEGIN ENC") :], None)


def test_a_probe_shows_nothing_of_itself() -> None:
    probe = make_probe(CA.certificate, CA.key, now=NOW)
    assert "PRIVATE" not in repr(probe)
    with pytest.raises(TypeError):
        pickle.dumps(probe)


# A listener counts as the owner of the certificate that it sends only when it has proven that it has the key.

PROVEN = end_entity(NEW).certificate
CHAIN = (PROVEN, NEW.certificate)
UNPROVEN = "did not prove that it has the key of the certificate that it sent"


@pytest.mark.parametrize("signed", [True, False])
def test_a_copied_chain_is_not_presented(signed: bool) -> None:
    """The names that come with it are no evidence either."""
    impostor = Impostor(CHAIN, [NEW.certificate], signed=signed)
    seen = shake_hands(impostor, UNTRUSTED.tls12, UNTRUSTED.certificate, deadline=Deadline.after(60))
    assert (seen.outcome, seen.presented, seen.acceptable) == (HandshakeOutcome.NOT_UNDERSTOOD, None, None)
    assert seen.offered is False
    assert UNPROVEN in seen.detail


def test_a_listener_without_a_key_presents_nothing_and_refuses_no_ca() -> None:
    @contextmanager
    def opening(timeout: float) -> Iterator[Impostor]:
        yield Impostor(CHAIN, [NEW.certificate])

    probes = {one.certificate.fingerprint: make_probe(one.certificate, one.key, now=NOW) for one in (OLD, NEW)}
    for inquiry in (Inquiry(BOTH, {}, BOTH, UNTRUSTED), Inquiry(BOTH, probes, BOTH, UNTRUSTED)):
        seen = observe_listener(opening, inquiry, deadline=Deadline.after(10))
        assert seen.presented is None
        assert UNPROVEN in seen.failure
        assert {verdict.trust for verdict in seen.verdicts.values()} == {Trust.UNKNOWN}


@pytest.mark.parametrize(("trusted", "presented"), [(NEW, True), (OLD, False)], ids=["accepted", "refused"])
def test_without_a_signature_only_a_complete_handshake_proves_the_key(
    trusted: object, presented: bool, tmp_path: Path
) -> None:
    """Where the premaster secret is encrypted with the server's key, the server may not even have read it when it refuses."""
    own = rsa_key(2048)
    server = make("my-kafka", own, NEW, ca=False, begin=NOW - DAY, end=NOW + DAY).certificate
    (tmp_path / "server.pem").write_bytes(encode_certificates([server]) + own.reveal())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem")
    context.load_verify_locations(cadata=trusted.certificate.pem.decode())  # type: ignore[attr-defined]
    context.verify_mode = ssl.CERT_REQUIRED
    context.set_ciphers("kRSA")
    probe = make_probe(NEW.certificate, NEW.key, now=NOW)
    probe.tls12.set_ciphers("kRSA")
    with tls_listener(context) as port:
        seen = shake(port, probe)
    assert (seen.outcome is HandshakeOutcome.ACCEPTED) is presented
    assert ((seen.presented or (None,))[0] == server) is presented
    assert (UNPROVEN in seen.detail) is not presented


# Many listeners at a time: never more than asked for, never longer than the deadline, never one less in the answer.


@pytest.mark.parametrize("at_most", [1, 7, 32])
def test_never_more_than_so_many_at_a_time_and_every_job_has_its_answer(at_most: int) -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def job(number: int) -> Callable[[Deadline], int]:
        def work(deadline: Deadline) -> int:
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            time.sleep(0.001)
            with lock:
                running[0] -= 1
            return number * 2

        return work

    found = collect({number: job(number) for number in range(500)}, at_most=at_most, deadline=Deadline.after(30))
    assert list(found.items()) == [(number, number * 2) for number in range(500)]
    assert 1 <= most[0] <= at_most


def test_jobs_run_at_the_same_time() -> None:
    meeting = threading.Barrier(8, timeout=60)
    jobs: dict[int, Callable[[Deadline], bool]] = {
        number: lambda deadline: meeting.wait() is not None for number in range(8)
    }
    assert set(collect(jobs, at_most=8, deadline=Deadline.after(60)).values()) == {True}


def test_a_question_that_had_no_turn_in_time_is_reported() -> None:
    begun: list[int] = []
    collector = threading.current_thread()

    class Ending(Deadline):
        """For the questions the time is over when one has been answered; the collector has its time to take the answers."""

        def remaining(self) -> float:
            if begun and threading.current_thread() is not collector:
                raise TimeoutError("the time is over")
            return super().remaining()

    def answer(number: int) -> Callable[[Deadline], str]:
        def work(_given: Deadline) -> str:
            begun.append(number)
            return "done"

        return work

    found = collect({number: answer(number) for number in range(50)}, at_most=2, deadline=Ending.after(60))
    assert 1 <= len(begun) <= 2
    assert found == {number: "done" if number in begun else None for number in range(50)}


def test_a_job_that_does_not_keep_to_the_deadline_is_left_behind() -> None:
    stop = threading.Event()

    def stuck(deadline: Deadline) -> bool:
        return stop.wait(120)

    begin = time.monotonic()
    try:
        found = collect({"stuck": stuck, "quick": lambda deadline: True}, at_most=2, deadline=Deadline.after(5))
        assert time.monotonic() - begin < 60
    finally:
        stop.set()
    assert found == {"stuck": None, "quick": True}


def test_a_deadline_that_has_passed_starts_nothing() -> None:
    begun: list[int] = []
    found = collect(dict.fromkeys("abc", lambda deadline: begun.append(1)), at_most=2, deadline=Deadline.after(-1))
    assert begun == []
    assert found == dict.fromkeys("abc", None)


def test_a_mistake_in_a_job_is_not_swallowed() -> None:
    def wrong(deadline: Deadline) -> int:
        return 1 // 0

    with pytest.raises(ZeroDivisionError):
        collect({"a": wrong}, at_most=1, deadline=Deadline.after(60))


def test_collecting_no_question_gives_no_answer() -> None:
    assert collect({}, at_most=4, deadline=Deadline.after(1)) == {}


def test_the_earlier_of_two_ends_counts() -> None:
    assert Deadline.after(30).within(500).remaining() <= 30
    assert Deadline.after(500).within(30).remaining() <= 30
    with pytest.raises(TimeoutError):
        Deadline.after(0).remaining()
