# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ledgers that were edited, and content at which a library throws errors of its own: each is told by the object and the entry."""

from __future__ import annotations

import base64
import json
import subprocess
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import placeholder
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin

from ...tools.support.certificates import key, make
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import CERTIFICATES, IF_LOST, KEYS, LEDGER, entry, put, refused, told
from .running import call

HERE = "Kafka cluster kafka/demo: Secret kafka/"
CORRECT = "Correct the entry, then run the flow again."
LEDGER_REMEDY = "The ledger has been edited; restore the entry, or delete Secret kafka/demo-cluster-ca-trusted-certs to adopt the cluster again."
JOURNAL = "trustops.strimzi/journal"
NOW = datetime.now(timezone.utc).replace(microsecond=0)
LATE = datetime(2060, 1, 1, tzinfo=timezone.utc)


def pem(der: bytes) -> bytes:
    return b"-----BEGIN CERTIFICATE-----\n" + base64.b64encode(der) + b"\n-----END CERTIFICATE-----\n"


def altered(old: bytes, new: bytes) -> bytes:
    """A certificate with other bytes in the place of these."""
    der = make("odd", key(1), begin=NOW - timedelta(days=1), end=LATE).certificate.der
    assert der.count(old) == 1
    return pem(der.replace(old, new))


UNREADABLE = {
    "a version that there is not": altered(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x07"),
    "the year 0000": altered(b"20600101000000Z", b"00000101000000Z"),
}


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_certificate_that_the_library_does_not_read(content: bytes) -> None:
    memory = stages.managed()
    put(memory, "secrets", CERTIFICATES, {"other.crt": content})
    text = "entry other.crt cannot be read: not a readable X.509 certificate."
    refused(memory, f"{HERE}{CERTIFICATES}: {text} {CORRECT}")
    told(memory, text, CORRECT)


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_supplied_ca_that_cannot_be_read_is_refused(content: bytes) -> None:
    supplied = {"certificate": content.decode(), "private_key": key(1).reveal().decode()}
    refused(
        stages.managed(),
        "certificate: not a readable X.509 certificate. Give the CA certificate in PEM form, its chain after it.",
        by=["strimzi_ca"], **supplied,
    )  # fmt: skip


@pytest.mark.parametrize("number", [b"9" * 4300, b"9" * 4301, b"99999999999"])
def test_a_generation_in_the_ledger_that_is_no_generation(number: bytes) -> None:
    memory = stages.managed()
    own = parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))[0].fingerprint
    put(memory, "secrets", LEDGER, {f"{own}.generations": number})
    text = f"{own}.generations is not a list of numbers."
    refused(memory, f"{HERE}{LEDGER}: {text} {LEDGER_REMEDY}")
    told(memory, text, LEDGER_REMEDY)


@pytest.mark.parametrize("secret", [CERTIFICATES, KEYS, "demo-kafka-0"])
@pytest.mark.parametrize("number", ["9" * 4300, "9" * 4301])
def test_a_generation_of_thousands_of_digits_is_none(secret: str, number: str) -> None:
    """It is read as one that is missing, as the operator could not read it either."""
    annotation = {
        CERTIFICATES: "strimzi.io/ca-cert-generation",
        KEYS: "strimzi.io/ca-key-generation",
    }.get(secret, "strimzi.io/cluster-ca-cert-generation")
    with_it, without = stages.managed(), stages.managed()
    put(with_it, "secrets", secret, annotations={annotation: number})
    put(without, "secrets", secret, annotations={annotation: None})
    for module, options in (("strimzi_ca_info", {}), ("strimzi_ca", {"state": "replaced", **stages.FAST})):
        got, expected = (call(module, memory, check=True, **options).result for memory in (with_it, without))
        # Planned CAs have other fingerprints in every call.
        assert (got.get("msg"), got.get("planned_phases")) == (expected.get("msg"), expected.get("planned_phases"))


@pytest.mark.parametrize(("password", "why"), [(b"", "it is empty"), (b"\xff\xfe", "it is not UTF-8 text")])
def test_a_truststore_password_that_cannot_be_used(password: bytes, why: str) -> None:
    memory = stages.managed()
    put(memory, "secrets", CERTIFICATES, {"ca.p12": b"\x30\x82\x04\x11", "ca.password": password})
    text = f"entry ca.password, the password of the truststore ca.p12, cannot be used: {why}."
    refused(memory, f"{HERE}{CERTIFICATES}: {text} {CORRECT}")
    told(memory, text, CORRECT)


def test_a_password_without_a_truststore_is_no_violation() -> None:
    memory = stages.managed()
    put(memory, "secrets", CERTIFICATES, {"ca.password": b"\xff"})
    assert call("strimzi_ca_info", memory).result["violations"] == []


def test_a_common_name_that_is_too_long() -> None:
    options = {"secret": "tools-tls", "common_name": "n" * 65, "subject_alternative_names": ["tools.kafka.svc"]}
    refused(
        stages.managed(),
        "common_name: it takes 65 bytes, and a certificate holds at most 64. Give another common name; alternative names may be longer.",
        by=["strimzi_ee_cert"], **options,
    )  # fmt: skip


NESTED: list[Any] = ["[" * 100_000, "9" * 5000, {"replaces": {"a": []}}, {"successor": 7}, {"replacesSha256": ["x"]}]


@pytest.mark.parametrize("odd", NESTED, ids=["deep", "long", "replaces", "successor", "sha256"])
def test_a_journal_that_is_none(odd: Any) -> None:
    memory = stages.managed()
    journal = json.loads((memory.api.find("secrets", "kafka", LEDGER) or {})["metadata"]["annotations"][JOURNAL])
    text = odd if isinstance(odd, str) else json.dumps({**journal, **odd})
    put(memory, "secrets", LEDGER, annotations={JOURNAL: text})
    message = f"the annotation {JOURNAL} is not a journal."
    refused(memory, f"{HERE}{LEDGER}: {message} {LEDGER_REMEDY}")
    told(memory, message, LEDGER_REMEDY)


def short_key() -> str:
    """The library itself makes none."""
    return subprocess.run(["openssl", "genrsa", "512"], check=True, capture_output=True, text=True).stdout


def test_a_key_that_is_too_short_to_sign_with() -> None:
    made = short_key()
    certificate = make("short", key(1), begin=NOW - timedelta(days=1), end=LATE).certificate.pem.decode()
    refused(
        stages.managed(),
        "private_key: an RSA key of 512 bits, too short to sign with. Give the key of the first certificate, unencrypted.",
        by=["strimzi_ca"], certificate=certificate, private_key=made,
    )  # fmt: skip


def test_a_stored_key_that_is_too_short_is_refused() -> None:
    memory = stages.managed()
    put(memory, "secrets", KEYS, {"ca.key": short_key().encode()})
    (own,) = parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))
    text = "holds no usable private key under ca.key."
    remedy = (
        "Put the private key of ca.crt there as PKCS#8 PEM; or, where it is kept elsewhere, this text: "
        f"{placeholder(own.public_key_sha256)} {IF_LOST}"
    )
    refused(memory, f"{HERE}{KEYS}: {text} {remedy}")
    told(memory, text, remedy)


def test_a_ca_that_openssl_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka is asked with all CAs of the Secret; its name is a string of a type for times."""
    monkeypatch.setattr(admin.metadata, "version", lambda name: "3.0.0")
    memory = stages.managed()
    name = b"\x55\x04\x03\x0c\x03odd"
    der = make("odd", key(1), begin=NOW - timedelta(days=1), end=LATE).certificate.der
    put(memory, "secrets", CERTIFICATES, {"other.crt": pem(der.replace(name, name.replace(b"\x0c", b"\x17")))})
    ended = call("strimzi_roll", memory, reason="a new kernel", strategy="direct")
    assert ended.result["msg"].startswith(
        f"Secret kafka/{CERTIFICATES}, entry other.crt, holds a CA that OpenSSL cannot read ("
    )
    assert (ended.failed, ended.result["changed"], ended.writes_but_lease) == (True, False, [])


@pytest.mark.parametrize(
    "name", ["b\u00fccher.example", "", "not a name", "https://tools.kafka.svc", "tools:9092", "tools/one", "a..b", "*"]
)
def test_a_name_that_no_certificate_can_have(name: str) -> None:
    options = {"secret": "tools-tls", "common_name": "tools", "subject_alternative_names": ["tools.kafka.svc", name]}
    for check in (True, False):
        ended = call("strimzi_ee_cert", stages.managed(), check=check, **options)
        assert ended.result["msg"] == (
            f"subject_alternative_names: {name!r} is neither a DNS name in ASCII form nor an IP address. Give names as clients look them "
            "up, without a scheme and a port."
        )
        assert (ended.failed, ended.result["changed"], ended.writes) == (True, False, [])


@pytest.mark.parametrize("name", ["*.kafka.svc", "Tools", "_tcp.tools", "10.0.0.1", "fd00::1", "1tools"])
def test_a_name_that_a_certificate_can_have(name: str) -> None:
    stages.done(
        stages.managed(), "strimzi_ee_cert", secret="tools-tls", common_name="tools", subject_alternative_names=[name]
    )


@pytest.mark.parametrize("name", ["tools/../other", "the tools", "CN=tools"])
def test_a_common_name_that_no_entry_of_a_secret_can_have(name: str) -> None:
    for check in (True, False):
        ended = call("strimzi_ee_cert", stages.managed(), check=check, secret="tools-tls", common_name=name)
        assert ended.result["msg"] == (
            f"common_name: {name!r} cannot name the entry <common_name>.crt of a Secret. Give letters, digits, '-', '_' and '.' alone; "
            "alternative names may have others."
        )
        assert (ended.failed, ended.result["changed"], ended.writes) == (True, False, [])


# A ledger that a user edited: no run believes what it says.

OTHER = make("another", key(1)).certificate
REMEDY = "The ledger has been edited; restore the entry, or delete Secret kafka/demo-cluster-ca-trusted-certs to adopt the cluster again."


def fingerprint(memory: MemoryCluster) -> str:
    return parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))[0].fingerprint


@pytest.mark.parametrize(
    ("suffix", "content", "text"),
    [
        ("state", b"HALF_TRUSTED", "{own}.state is 'HALF_TRUSTED', which is no state of the trust state machine."),
        ("state", None, "{own}.state is '', which is no state of the trust state machine."),
        ("crt", OTHER.pem, "{own}.crt holds the certificate {other} (CN=another,O=io.strimzi)."),
        ("crt", b"nothing", "{own}.crt cannot be read: no readable certificate in PEM form."),
        ("generations", b"first", "{own}.generations is not a list of numbers."),
    ],
)
def test_edited_entry(suffix: str, content: bytes | None, text: str) -> None:
    memory = stages.managed()
    own = fingerprint(memory)
    put(memory, "secrets", LEDGER, {f"{own}.{suffix}": content})
    message = text.format(own=own, other=OTHER.fingerprint)
    refused(memory, f"Kafka cluster kafka/demo: Secret kafka/{LEDGER}: {message} {REMEDY}")
    told(memory, message, REMEDY)


def test_certificate_under_a_wrong_key_name() -> None:
    memory = stages.managed()
    put(memory, "secrets", LEDGER, {"mine.crt": OTHER.pem, "mine.state": b"TRUSTED_UNUSED"})
    message = f"mine.crt holds the certificate {OTHER.fingerprint} (CN=another,O=io.strimzi)."
    refused(memory, f"Kafka cluster kafka/demo: Secret kafka/{LEDGER}: {message} {REMEDY}")
    told(memory, message, REMEDY)


def test_edited_journal() -> None:
    memory = stages.managed()
    put(memory, "secrets", LEDGER, annotations={JOURNAL: "{}"})
    message = "the annotation trustops.strimzi/journal is not a journal."
    refused(memory, f"Kafka cluster kafka/demo: Secret kafka/{LEDGER}: {message} {REMEDY}")


def test_a_flow_that_ended_in_the_future() -> None:
    """The clock of an earlier run was wrong: until then a new flow would be taken for done."""
    memory = stages.managed()
    secret = memory.api.find("secrets", memory.namespace, LEDGER) or {}
    journal = json.loads(secret["metadata"]["annotations"][JOURNAL])
    put(
        memory,
        "secrets",
        LEDGER,
        annotations={JOURNAL: json.dumps({**journal, "finishedAt": "2051-01-01T00:00:00.000000Z"})},
    )
    ended = call("strimzi_ca", memory, **stages.PREPARED)
    assert ended.failed
    assert f"Secret kafka/{LEDGER}: says that a flow (create) ended at 2051-01-01T00:00:00Z" in ended.result["msg"]
    assert ended.writes == []
