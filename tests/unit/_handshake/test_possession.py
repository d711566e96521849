# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A listener counts as the owner of the certificate that it sends only when it has proven that it has the key."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.handshake import Outcome, shake_hands
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import (
    Inquiry,
    Trust,
    make_probe,
    make_stranger,
    observe_listener,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import Deadline
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import encode_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec, generate_key

from ...support.certificates import make
from ...support.impostor import Impostor
from .listeners import DAY, NOW, authority, end_entity, shake, tls_listener

OLD, NEW = authority("cluster-ca v0", 1), authority("cluster-ca v1", 2)
LEAF = end_entity(NEW).certificate
CHAIN = (LEAF, NEW.certificate)
STRANGER = make_stranger(now=NOW)
BOTH = [OLD.certificate, NEW.certificate]
UNPROVEN = "did not prove that it has the key of the certificate that it sent"


@pytest.mark.parametrize("signed", [True, False])
def test_a_copied_chain_is_not_presented(signed: bool) -> None:
    """The names that come with it are no evidence either."""
    impostor = Impostor(CHAIN, [NEW.certificate], signed=signed)
    seen = shake_hands(impostor, STRANGER.tls12, STRANGER.certificate, deadline=Deadline.after(5))
    assert (seen.outcome, seen.presented, seen.acceptable) == (Outcome.NOT_UNDERSTOOD, None, None)
    assert seen.offered is False
    assert UNPROVEN in seen.detail


def test_a_listener_without_a_key_presents_nothing_and_refuses_nobody() -> None:
    @contextmanager
    def opening(timeout: float) -> Iterator[Impostor]:
        yield Impostor(CHAIN, [NEW.certificate])

    probes = {one.certificate.fingerprint: make_probe(one.certificate, one.key, now=NOW) for one in (OLD, NEW)}
    for inquiry in (Inquiry(BOTH, {}, BOTH, STRANGER), Inquiry(BOTH, probes, BOTH, STRANGER)):
        seen = observe_listener(opening, inquiry, deadline=Deadline.after(10))
        assert seen.presented is None
        assert UNPROVEN in seen.why
        assert {verdict.trust for verdict in seen.verdicts.values()} == {Trust.UNKNOWN}


@pytest.mark.parametrize(("trusted", "presented"), [(NEW, True), (OLD, False)], ids=["accepted", "refused"])
def test_without_a_signature_only_a_complete_handshake_proves_the_key(
    trusted: object, presented: bool, tmp_path: Path
) -> None:
    """Where the premaster secret is encrypted with the server's key, the server may not even have read it when it refuses."""
    own = generate_key(KeySpec(KeyAlgorithm.RSA, 2048))
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
    assert (seen.outcome is Outcome.ACCEPTED) is presented
    assert ((seen.presented or (None,))[0] == server) is presented
    assert (UNPROVEN in seen.detail) is not presented
