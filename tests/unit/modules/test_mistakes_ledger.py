# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A ledger that somebody edited: what it says is not believed."""

from __future__ import annotations

import json

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates

from ...support.certificates import key, make
from ...support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import CERTIFICATES, LEDGER, entry, put, refused, told
from .running import call

OTHER = make("another", key(1)).certificate
JOURNAL = "trustops.strimzi/journal"
REMEDY = "The ledger has been edited; restore the entry, or delete Secret kafka/demo-cluster-ca-trusted-certs to adopt the cluster anew."


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
