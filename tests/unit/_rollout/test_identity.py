# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster operator's identity towards Kafka: mTLS with a key that lies in no file and shows up nowhere."""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    parse_certificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import context_for, operator_context

from ...broker.certificates import Issued, authority, leaf
from ...support.certificates import key, make
from .._strimzi.bench import SCOPE, Bench, kafka, secret

WHERE = "Secret kafka/demo-cluster-operator-certs"


@cache
def ca(number: int = 0) -> Issued:
    return authority(f"cluster-ca v{number}")


@cache
def operator() -> Issued:
    return leaf("cluster-operator", ca())


@cache
def server() -> Issued:
    return leaf("demo-kafka", ca())


def anchors(*issued: Issued) -> dict[str, Certificate]:
    return {f"entry {number}": parse_certificates(one.certificate_pem)[0] for number, one in enumerate(issued)}


def entries(certificate: bytes | None = None, key: bytes | None = None) -> Mapping[str, bytes]:
    return {
        "cluster-operator.crt": operator().certificate_pem if certificate is None else certificate,
        "cluster-operator.key": operator().key_pem if key is None else key,
    }


def shake_hands(client: ssl.SSLContext, host: str = "localhost") -> Mapping[str, Any]:
    """With a node that asks for a certificate of the CA; what it learns about the client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=ca().certificate_pem.decode())
    with tempfile.NamedTemporaryFile() as file:
        file.write(server().key_pem + server().certificate_pem)
        file.flush()
        context.load_cert_chain(file.name)
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(down, up, server_hostname=host), context.wrap_bio(up, down, server_side=True)]
    waiting = list(ends)
    while waiting:
        for end in list(waiting):
            try:
                end.do_handshake()
                waiting.remove(end)
            except ssl.SSLWantReadError:
                continue
    return ends[1].getpeercert() or {}


def test_we_are_the_cluster_operator_to_the_nodes() -> None:
    learned = shake_hands(context_for(entries(), anchors(ca()), WHERE))
    assert (("commonName", "cluster-operator"),) in learned["subject"]


def test_nodes_of_another_ca_are_not_believed() -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(context_for(entries(), anchors(ca(1)), WHERE))


def test_nodes_of_another_name_are_not_believed() -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(context_for(entries(), anchors(ca()), WHERE), host="elsewhere")


def test_while_a_ca_is_replaced_nodes_of_both_are_believed() -> None:
    assert shake_hands(context_for(entries(), anchors(ca(1), ca()), WHERE))


def test_a_subordinate_ca_is_an_anchor_by_itself() -> None:
    """Strimzi's JVMs take it for one; OpenSSL would want its issuer."""
    assert shake_hands(context_for(entries(), anchors(server()), WHERE))


def test_both_come_from_the_secrets_of_the_cluster() -> None:
    bench = Bench()
    bench.create("kafkas", kafka({}))
    bench.create("secrets", secret("demo-cluster-operator-certs", entries()))
    trusted = {"ca.crt": ca(1).certificate_pem, "ca-2026.crt": ca().certificate_pem}
    bench.create("secrets", secret(SCOPE.ca_certificate_secret, trusted))
    assert shake_hands(operator_context(bench.observe()))


def test_a_cluster_without_the_secret_is_told_which_one_is_missing() -> None:
    bench = Bench()
    bench.create("kafkas", kafka({}))
    with pytest.raises(StepError, match=f"{WHERE} does not exist or has no entry") as caught:
        operator_context(bench.observe())
    assert "strategy=operator" in caught.value.remedy


def encrypted() -> bytes:
    return operator().key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"secret")
    )


@pytest.mark.parametrize(
    "stored",
    [
        pytest.param(lambda: entries(key=server().key_pem), id="another key"),
        pytest.param(lambda: entries(key=operator().key_pem[:-400]), id="half a key"),
        pytest.param(lambda: entries(key=b""), id="an empty key"),
        pytest.param(lambda: entries(certificate=b"nonsense"), id="no certificate"),
        pytest.param(lambda: entries(key=encrypted()), id="an encrypted key, without asking for its password"),
    ],
)
def test_an_unusable_pair_is_refused_and_nothing_of_it_is_told(stored: Any) -> None:
    with pytest.raises(StepError) as caught:
        context_for(stored(), anchors(ca()), WHERE)
    assert str(caught.value) == f"The certificate and the key in {WHERE} are no usable pair."
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("usable", [True, False])
def test_the_key_lies_in_a_memory_file_of_ours_and_only_while_it_is_read(
    usable: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[tuple[str, int]] = []
    load = ssl.SSLContext.load_cert_chain

    def watched(self: ssl.SSLContext, path: str, *arguments: Any, **named: Any) -> None:
        assert b"PRIVATE KEY" in Path(path).read_bytes()
        assert named["password"] is not None, "OpenSSL would ask on the terminal"
        seen.append((os.readlink(path), os.stat(path).st_mode & 0o777))
        load(self, path, *arguments, **named)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", watched)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = sorted(os.listdir("/proc/self/fd"))
    try:
        context_for(entries() if usable else entries(key=server().key_pem), anchors(ca()), WHERE)
    except StepError:
        assert not usable
    ((where, mode),) = seen
    assert where.startswith("/memfd:")
    assert mode == 0o600
    assert sorted(os.listdir("/proc/self/fd")) == before
    assert list(tmp_path.iterdir()) == []


def test_a_ca_that_openssl_does_not_read_is_told_by_its_entry() -> None:
    """Its name is a string of a type for times, which the library that parses certificates does not mind."""
    der = make("odd", key(1)).certificate.der
    odd = Certificate(der.replace(b"\x55\x04\x03\x0c\x03odd", b"\x55\x04\x03\x17\x03odd"))
    assert odd.der != der
    with pytest.raises(StepError, match=r"entry odd\.crt, holds a CA that OpenSSL cannot read") as caught:
        context_for(entries(), {**anchors(ca()), "Secret kafka/demo-cluster-ca-cert, entry odd.crt": odd}, WHERE)
    assert "replace it" in caught.value.remedy


def test_where_there_are_no_memory_files_the_key_is_not_written_to_a_disk_instead(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delattr(os, "memfd_create")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(StepError, match="without writing it to a disk") as caught:
        context_for(entries(), anchors(ca()), WHERE)
    assert "Linux" in caught.value.remedy
    assert list(tmp_path.iterdir()) == []
