# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings of one handshake, with real servers of either version of TLS."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.handshake import Handshake, Outcome
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import make_probe
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import Alert

from .listeners import NOW, TLS12, TLS13, authority, end_entity, openssl_listener, server_context, shake, tls_listener

ROOT = authority("root", 1)
# Servers complete a chain with certificates that they trust; so they present leaves of a CA that no client is checked against.
ISSUER = authority("issuer", 4)
MIDDLE = authority("middle", 2, ISSUER)
LEAF = end_entity(ISSUER)
DEEP = end_entity(MIDDLE)
OTHER = authority("other", 3)
PROBE = make_probe(ROOT.certificate, ROOT.key, now=NOW)
OTHER_PROBE = make_probe(OTHER.certificate, OTHER.key, now=NOW)
TRUSTED = [ROOT.certificate]
VERSIONS = pytest.mark.parametrize("version", [TLS12, TLS13], ids=["1.2", "1.3"])


@VERSIONS
def test_a_certificate_of_a_trusted_ca_is_accepted(version: ssl.TLSVersion, tmp_path: Path) -> None:
    with tls_listener(server_context(tmp_path, [LEAF.certificate], TRUSTED, version=version)) as port:
        seen = shake(port, PROBE, version)
    assert (seen.outcome, seen.offered, seen.alert) == (Outcome.ACCEPTED, True, None)
    assert seen.version == ("TLSv1.2" if version is TLS12 else "TLSv1.3")


@VERSIONS
def test_a_certificate_of_another_ca_is_refused_by_name(version: ssl.TLSVersion, tmp_path: Path) -> None:
    with tls_listener(server_context(tmp_path, [LEAF.certificate], TRUSTED, version=version)) as port:
        seen = shake(port, OTHER_PROBE, version)
    assert (seen.outcome, seen.offered) == (Outcome.REFUSED, True)
    assert str(seen.alert) == "unknown_ca (48)"
    assert seen.presented == (LEAF.certificate,)


@VERSIONS
@pytest.mark.parametrize(
    "chain", [[LEAF.certificate], [DEEP.certificate, MIDDLE.certificate, ISSUER.certificate]], ids=["leaf", "chain"]
)
def test_the_chain_is_seen_as_it_is_sent(version: ssl.TLSVersion, chain: list[object], tmp_path: Path) -> None:
    with tls_listener(server_context(tmp_path, chain, TRUSTED, version=version)) as port:  # type: ignore[arg-type]
        seen = shake(port, PROBE, version)
    assert seen.presented == tuple(chain)


@VERSIONS
def test_without_being_asked_nothing_is_offered(version: ssl.TLSVersion, tmp_path: Path) -> None:
    context = server_context(tmp_path, [LEAF.certificate], verify=ssl.CERT_NONE, version=version)
    with tls_listener(context) as port:
        seen = shake(port, PROBE, version)
    assert (seen.outcome, seen.offered, seen.acceptable) == (Outcome.ACCEPTED, False, None)


@VERSIONS
def test_the_names_of_accepted_cas_of_openssl(version: ssl.TLSVersion, tmp_path: Path) -> None:
    trusted = [ROOT.certificate, OTHER.certificate]
    flag = "-tls1_2" if version is TLS12 else "-tls1_3"
    with openssl_listener(tmp_path, [DEEP.certificate, MIDDLE.certificate], trusted, flag) as port:
        seen = shake(port, PROBE, version)
    assert seen.outcome is Outcome.ACCEPTED
    assert seen.presented == (DEEP.certificate, MIDDLE.certificate)
    names = {ROOT.certificate.subject_der, OTHER.certificate.subject_der}
    assert (None if seen.acceptable is None else set(seen.acceptable)) == (names if version is TLS12 else None)


def test_a_server_that_names_no_ca_has_an_empty_list(tmp_path: Path) -> None:
    with tls_listener(server_context(tmp_path, [LEAF.certificate], TRUSTED)) as port:
        assert shake(port, PROBE).acceptable == ()


def test_the_refusal_of_openssl_after_tls13_seemed_complete(tmp_path: Path) -> None:
    with openssl_listener(tmp_path, [LEAF.certificate], TRUSTED, "-tls1_3") as port:
        seen = shake(port, OTHER_PROBE, TLS13)
    assert (seen.outcome, seen.offered) == (Outcome.REFUSED, True)
    assert seen.alert is not None
    assert seen.alert.name == "unknown_ca"


@pytest.mark.parametrize(("greeting", "prompt", "answer"), [(b"hello", b"", b""), (b"", b"hello?", b"hello")])
def test_tls13_without_tickets_is_accepted_by_data_only(
    greeting: bytes, prompt: bytes, answer: bytes, tmp_path: Path
) -> None:
    context = server_context(tmp_path, [LEAF.certificate], TRUSTED, version=TLS13, tickets=0)
    with tls_listener(context, greeting, answer) as port:
        assert shake(port, PROBE, TLS13, prompt=prompt).outcome is Outcome.ACCEPTED


def test_silence_after_a_handshake_of_tls13_is_no_acceptance(tmp_path: Path) -> None:
    context = server_context(tmp_path, [LEAF.certificate], TRUSTED, version=TLS13, tickets=0)
    with tls_listener(context) as port:
        seen = shake(port, PROBE, TLS13, seconds=0.3)
    assert (seen.outcome, seen.presented) == (Outcome.TIMED_OUT, (LEAF.certificate,))


@pytest.mark.parametrize(("server", "client"), [(TLS13, TLS12), (TLS12, TLS13)], ids=["old", "new"])
def test_a_version_that_the_server_does_not_speak(
    server: ssl.TLSVersion, client: ssl.TLSVersion, tmp_path: Path
) -> None:
    with tls_listener(server_context(tmp_path, [LEAF.certificate], TRUSTED, version=server)) as port:
        seen = shake(port, PROBE, client)
    assert str(seen.alert) == "protocol_version (70)"
    assert (seen.presented, seen.offered) == (None, False)


def test_a_hello_retry_is_not_taken_for_an_offer(tmp_path: Path) -> None:
    """The second ClientHello of TLS 1.3 is longer than a certificate."""
    context = server_context(tmp_path, [LEAF.certificate], verify=ssl.CERT_NONE, version=TLS13)
    context.set_ecdh_curve("secp521r1")
    with tls_listener(context) as port:
        seen = shake(port, PROBE, TLS13)
    assert (seen.outcome, seen.offered) == (Outcome.ACCEPTED, False)


def test_a_handshake_says_how_it_ended() -> None:
    assert str(Handshake(Outcome.TIMED_OUT, detail="no answer in time")) == "timed out: no answer in time"
    assert str(Handshake(Outcome.REFUSED, Alert(48, "unknown_ca"))) == "refused with the alert unknown_ca (48)"
