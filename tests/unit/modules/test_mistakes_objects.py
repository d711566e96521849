# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ledgers that were edited, and content at which a library throws errors of its own: each is told by the object and the entry."""

from __future__ import annotations

import base64
import json
import subprocess
from datetime import datetime, timezone
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin

from ...tools.support.certificates import key, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import CERTIFICATES, KEYS, LEDGER, entry, held, held_and_shown, put, refused, told
from .running import call
from .stages import DAY, NOW

LEDGER_REMEDY = "The ledger has been edited; restore the entry, or delete Secret kafka/demo-cluster-ca-trusted-certs to adopt the cluster again."
JOURNAL = "trustops.strimzi/journal"
LATE = datetime(2060, 1, 1, tzinfo=timezone.utc)


def pem(der: bytes) -> bytes:
    return b"-----BEGIN CERTIFICATE-----\n" + base64.b64encode(der) + b"\n-----END CERTIFICATE-----\n"


def altered(old: bytes, new: bytes) -> bytes:
    """A certificate with other bytes in the place of these."""
    der = make("odd", key(1), begin=NOW - DAY, end=LATE).certificate.der
    assert der.count(old) == 1
    return pem(der.replace(old, new))


#: The library itself makes none.
SHORT_KEY = subprocess.run(["openssl", "genrsa", "512"], check=True, capture_output=True).stdout
UNREADABLE = {
    "a version that there is not": altered(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x07"),
    "the year 0000": altered(b"20600101000000Z", b"00000101000000Z"),
}


@pytest.mark.parametrize(
    ("entries", "gate", "where"),
    [
        *(({"other.crt": one}, "authority_secrets_are_usable", CERTIFICATES) for one in UNREADABLE.values()),
        *(
            ({"ca.p12": b"\x30\x82\x04\x11", "ca.password": password}, "authority_secrets_are_usable", CERTIFICATES)
            for password in (b"", b"\xff\xfe")
        ),
        ({"ca.key": SHORT_KEY}, "key_matches", KEYS),
    ],
    ids=[*UNREADABLE, "an empty password", "a password that is no text", "a key too short to sign with"],
)
def test_unparsable_content_is_reported_with_its_secret(entries: dict[str, bytes], gate: str, where: str) -> None:
    memory = stages.managed()
    put(memory, "secrets", where, entries)
    held_and_shown(memory, (gate, f"Secret kafka/{where}"))


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_supplied_ca_that_cannot_be_read_is_refused(content: bytes) -> None:
    supplied = {"certificate": content.decode(), "private_key": key(1).reveal().decode()}
    refused(
        stages.managed(),
        "certificate: not a readable X.509 certificate. Give the CA certificate in PEM form, its chain after it.",
        by=["strimzi_ca"], **supplied,
    )  # fmt: skip


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


def test_a_password_without_a_truststore_is_no_violation() -> None:
    memory = stages.managed()
    put(memory, "secrets", CERTIFICATES, {"ca.password": b"\xff"})
    assert call("strimzi_ca_info", memory).result["violations"] == []


def test_a_key_that_is_too_short_to_sign_with() -> None:
    certificate = make("short", key(1), begin=NOW - DAY, end=LATE).certificate.pem.decode()
    refused(
        stages.managed(),
        "private_key: an RSA key of 512 bits, too short to sign with. Give the key of the first certificate, unencrypted.",
        by=["strimzi_ca"], certificate=certificate, private_key=SHORT_KEY.decode(),
    )  # fmt: skip


def test_a_ca_that_openssl_does_not_read(monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles) -> None:
    """Kafka is asked with all CAs of the Secret; its name is a string of a type for times."""
    monkeypatch.setattr(admin.metadata, "version", lambda name: "3.0.0")
    memory = stages.managed()
    name = b"\x55\x04\x03\x0c\x03odd"
    der = make("odd", key(1), begin=NOW - DAY, end=LATE).certificate.der
    put(memory, "secrets", CERTIFICATES, {"other.crt": pem(der.replace(name, name.replace(b"\x0c", b"\x17")))})
    ended = call("strimzi_roll", memory, reason="a new kernel", strategy="direct")
    golden.compare_said("calls", ended.result["msg"].partition(" (")[0])
    assert (ended.failed, ended.result["changed"], ended.writes_but_lease) == (True, False, [])


@pytest.mark.parametrize("name", ["*.kafka.svc", "Tools", "_tcp.tools", "10.0.0.1", "fd00::1", "1tools"])
def test_a_name_that_a_certificate_can_have(name: str) -> None:
    stages.done(
        stages.managed(), "strimzi_ee_cert", secret="tools-tls", common_name="tools", subject_alternative_names=[name]
    )


# A ledger that a user edited: no run believes what it says.

OTHER = make("another", key(1)).certificate


JOURNALS: list[Any] = [
    "[" * 100_000,
    "9" * 5000,
    "{}",
    {"replaces": {"a": []}},
    {"successor": 7},
    {"replacesSha256": ["x"]},
]


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        (
            {"{own}.state": b"HALF_TRUSTED"},
            "{own}.state is 'HALF_TRUSTED', which is no state of the trust state machine.",
        ),
        ({"{own}.state": None}, "{own}.state is '', which is no state of the trust state machine."),
        (
            {"{own}.crt": OTHER.pem},
            f"{{own}}.crt contains the certificate {OTHER.fingerprint} (CN=another,O=io.strimzi).",
        ),
        ({"{own}.crt": b"nothing"}, "{own}.crt cannot be read: no readable certificate in PEM form."),
        *(
            ({"{own}.generations": number}, "{own}.generations is not a list of numbers.")
            for number in (b"first", b"9" * 4300, b"9" * 4301, b"99999999999")
        ),
        (
            {"mine.crt": OTHER.pem, "mine.state": b"TRUSTED_UNUSED"},
            f"mine.crt contains the certificate {OTHER.fingerprint} (CN=another,O=io.strimzi).",
        ),
    ],
)
def test_edited_entry(entries: dict[str, bytes | None], text: str) -> None:
    memory = stages.managed()
    own = parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))[0].fingerprint
    put(memory, "secrets", LEDGER, {name.format(own=own): content for name, content in entries.items()})
    held(memory, ("ledger_is_ours", f"Secret kafka/{LEDGER}"))
    told(memory, text.format(own=own), LEDGER_REMEDY)


@pytest.mark.parametrize("odd", JOURNALS, ids=["deep", "long", "empty", "replaces", "successor", "sha256"])
def test_a_journal_that_is_none(odd: Any) -> None:
    memory = stages.managed()
    put(memory, "secrets", LEDGER, annotations={JOURNAL: odd if isinstance(odd, str) else journal(memory, **odd)})
    held(memory, ("ledger_is_ours", f"Secret kafka/{LEDGER}"))
    told(memory, f"the annotation {JOURNAL} is not a journal.", LEDGER_REMEDY)


def journal(memory: MemoryCluster, **changed: Any) -> str:
    """The journal of this cluster with other values."""
    found = memory.api.find("secrets", memory.namespace, LEDGER) or {}
    return json.dumps({**json.loads(found["metadata"]["annotations"][JOURNAL]), **changed})


def test_a_flow_that_ended_in_the_future(golden: GoldenFiles) -> None:
    """The clock of an earlier run was wrong: until then a new flow would be taken for done."""
    memory = stages.managed()
    put(memory, "secrets", LEDGER, annotations={JOURNAL: journal(memory, finishedAt="2051-01-01T00:00:00.000000Z")})
    ended = call("strimzi_ca", memory, **stages.PREPARED)
    assert ended.failed
    golden.compare_said("calls", ended.result["msg"])
    assert ended.writes == []
