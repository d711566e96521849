# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CA Secrets that cannot be worked with."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key, placeholder
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named

from ...tools.support.certificates import Entity, key, make
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.sha_1 import sha_1_below
from . import stages
from .mistakes import CERTIFICATES, IF_LOST, KEYS, entries_of, entry, put, refused, swap_authority, told, use_authority
from .running import call

NOW = datetime.now(timezone.utc).replace(microsecond=0)
DAY = timedelta(days=1)
HERE = f"Kafka cluster kafka/demo: Secret kafka/{CERTIFICATES}"
ORDER = "Put the issuing CA first and the root last, and unrelated CAs under keys of their own."


def authority(name: str, number: int, issuer: Entity | None = None, *, begin: datetime = NOW - DAY,
              end: datetime = NOW + 365 * DAY, **options: Any) -> Entity:  # fmt: skip
    return make(name, key(number), issuer, begin=begin, end=end, **options)


def test_key_of_another_ca() -> None:
    memory = stages.managed()
    put(memory, "secrets", KEYS, {"ca.key": key(1).reveal()})
    text = (
        f"holds a ca.key that is not the key of ca.crt (CN=cluster-ca v0,O=io.strimzi) in Secret kafka/{CERTIFICATES}."
    )
    remedy = "Put the matching key or certificate there; the operator cannot issue anything as it is."
    refused(memory, f"Kafka cluster kafka/demo: Secret kafka/{KEYS}: {text} {remedy}")
    told(memory, text, remedy)


@pytest.mark.parametrize("content", [None, b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
def test_no_usable_key(content: bytes | None) -> None:
    memory = stages.managed()
    put(memory, "secrets", KEYS, {"ca.key": content})
    (own,) = parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))
    refused(
        memory,
        f"Kafka cluster kafka/demo: Secret kafka/{KEYS}: holds no usable private key under ca.key. "
        "Put the private key of ca.crt there as PKCS#8 PEM; or, where it is kept elsewhere, this text: "
        f"{placeholder(own.public_key_sha256)} {IF_LOST}",
    )


def test_chain_out_of_order() -> None:
    memory = stages.managed()
    root = authority("root", 1)
    issuing = authority("issuing", 2, root)
    use_authority(memory, root, issuing)
    text = "the chain is out of order: CN=root,O=io.strimzi was not issued by CN=issuing,O=io.strimzi."
    refused(memory, f"{HERE}, ca.crt: {text} {ORDER}")
    told(memory, text, ORDER)


def test_a_chain_that_strimzi_accepts_is_in_order(tmp_path: Path) -> None:
    """Other verifiers do not matter here: people who have such a CA have to get away from it."""
    root = authority("root", 1)
    sha_1, spelling = sha_1_below(root, key(2), tmp_path, "issuing"), authority("issuing", 2, root, issuer_name="ROOT")
    for issuing in (sha_1, spelling):
        memory = stages.managed()
        use_authority(memory, issuing, root)
        ended = call("strimzi_ca_info", memory)
        assert [found["message"] for found in ended.result["violations"]] == []
        put(memory, "secrets", CERTIFICATES, {"ca.crt": issuing.certificate.pem + authority("root", 3).certificate.pem})
        text = "the chain is out of order: CN=issuing,O=io.strimzi was not issued by CN=root,O=io.strimzi."
        assert text in [found["message"] for found in call("strimzi_ca_info", memory).result["violations"]]


def test_unrelated_cas_under_one_key() -> None:
    memory = stages.managed()
    use_authority(memory, authority("mine", 1), authority("another", 2))
    text = "the chain is out of order: CN=mine,O=io.strimzi was not issued by CN=another,O=io.strimzi."
    refused(memory, f"{HERE}, ca.crt: {text} {ORDER}")


def test_expired_ca() -> None:
    memory = stages.managed()
    end = NOW - DAY
    use_authority(memory, authority("cluster-ca v0", 1, begin=NOW - 9 * DAY, end=end))
    text = f"CN=cluster-ca v0,O=io.strimzi expired on {end:%Y-%m-%d %H:%M} UTC."
    remedy = "Renew it first, with the renew playbook: it keeps the key, and programs on a JVM, as nodes are, accept its certificates meanwhile."
    refused(memory, f"{HERE}: {text} {remedy}", state="handed_back", by=("strimzi_ca",))
    shown = call("strimzi_ca_info", memory)
    assert not shown.failed
    assert [one["days_left"] for one in shown.result["expiring"] if one["name"].startswith("The CA")] == [-2]
    assert "OpenSSL (librdkafka) and Go programs (Kafka Exporter) refuse its certificates" in " ".join(shown.warnings)


def test_ca_that_is_not_valid_yet() -> None:
    memory = stages.managed()
    begin = NOW + DAY
    use_authority(memory, authority("mine", 1, begin=begin))
    text = f"CN=mine,O=io.strimzi is not valid before {begin:%Y-%m-%d %H:%M} UTC."
    remedy = "Wait until then, or check the clock of the machine that made it and of this machine."
    refused(memory, f"{HERE}: {text} {remedy}")
    told(memory, text, remedy)


def test_same_name_as_another_ca() -> None:
    memory = stages.managed()
    current = parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))[0]
    other = authority("cluster-ca v0", 1, subject_identifier=None).certificate
    put(memory, "secrets", CERTIFICATES, {"other.crt": other.pem})
    text = (
        f"{other.subject} ({other.sha256[:12]}) has no subject key identifier, and {current.subject} ({current.sha256[:12]}) has its name and "
        "another key."
    )
    remedy = (
        "Give each CA a subject key identifier of its own, or a subject of its own: OpenSSL looks issuers up by name, and tells issuers of one name "
        "apart by these identifiers."
    )
    refused(memory, f"{HERE}: {text} {remedy}")
    told(memory, text, remedy)


def test_replaced_without_a_new_generation() -> None:
    """It is told beside the hold that every other CA gets."""
    memory = stages.managed()
    mine = authority("mine", 1)
    again, remedy = swapped(memory, mine)
    put(memory, "secrets", CERTIFICATES, annotations={"strimzi.io/ca-cert-generation": "0"})
    refused(
        memory,
        f"Kafka cluster kafka/demo: 2 things are in the way. 1. Secret kafka/{CERTIFICATES}: {again} {remedy} "
        f"2. Secret kafka/{CERTIFICATES}: has another ca.crt (CN=mine,O=io.strimzi) under generation 0, which meant "
        "CN=cluster-ca v0,O=io.strimzi. "
        "Raise strimzi.io/ca-cert-generation with each change of ca.crt; do so now, or restore ca.crt.",
    )


def swapped(memory: MemoryCluster, mine: Entity) -> tuple[str, str]:
    """Puts this CA into the place of the CA in use; returns what the run says of it, and the remedy."""
    old = parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))[0]
    swap_authority(memory, mine)
    text = (
        f"holds the CA CN=mine,O=io.strimzi, SHA-256 {mine.certificate.sha256}, as ca.crt. No flow has put it there: by the "
        f"ledger the CA {old.subject}, SHA-256 {old.sha256}, is in use. {named(old)} has signed 8 certificates "
        "(demo-cluster-operator-certs, demo-cruise-control-certs, demo-entity-topic-operator-certs, ...). "
        f"{named(mine.certificate)} has signed no certificate."
    )
    return text, (
        f"Put {named(old)} and its key back; the ledger has the certificate. Or have the new CA adopted through every gate: "
        "run the upgrade playbook with its SHA-256 as strimzi_adopts."
    )


def test_ca_swapped_by_hand() -> None:
    memory = stages.managed()
    text, remedy = swapped(memory, authority("mine", 1))
    refused(memory, f"{HERE}: {text} {remedy}")
    for state in ("present", "adopted", "renewed"):
        refused(memory, f"{HERE}: {text} {remedy}", state, by=["strimzi_ca"])
    told(memory, text, remedy)


def test_ca_swapped_by_hand_is_adopted_by_its_fingerprint_and_by_no_other() -> None:
    memory = stages.managed()
    mine = authority("mine", 1)
    text, remedy = swapped(memory, mine)
    other = authority("other", 2).certificate.sha256
    refused(memory, f"{HERE}: {text} {remedy}", "adopted", by=["strimzi_ca"], adopts=other)
    plan = stages.done(memory, "strimzi_ca_info", goal="upgrade", adopts=mine.certificate.sha256).result
    assert (plan["violations"], plan["planned_rolls"]) == ([], 3)
    for _twice in range(2):
        ended = stages.done(memory, "strimzi_ca", state="adopted", adopts=mine.certificate.sha256, client_grace=0)
    assert (ended.result["changed"], ended.result["done"]) == (False, True)
    assert [(one["subject"], one["current"]) for one in ended.result["cas"]] == [("CN=mine,O=io.strimzi", True)]


@pytest.mark.parametrize("value", [None, "soon", "-3"])
@pytest.mark.parametrize(("secret", "name"), [(CERTIFICATES, "ca-cert-generation"), (KEYS, "ca-key-generation")])
def test_generation_that_is_missing_or_garbage(secret: str, name: str, value: str | None) -> None:
    memory = stages.managed()
    put(memory, "secrets", secret, annotations={f"strimzi.io/{name}": value})
    text = "is missing or no number that counts from 0."
    remedy = (
        "Set it to the number that the pods carry in strimzi.io/cluster-ca-cert-generation or, for the key, in "
        "strimzi.io/cluster-ca-key-generation; to 0 where there are no pods."
    )
    refused(memory, f"Kafka cluster kafka/demo: Secret {secret}, annotation strimzi.io/{name}: {text} {remedy}")
    told(memory, text, remedy)


def test_lost_certificate() -> None:
    """The key is of another CA, so no certificate of the ledger belongs to it."""
    memory = stages.managed()
    put(memory, "secrets", CERTIFICATES, {"ca.crt": None})
    put(memory, "secrets", KEYS, {"ca.key": key(1).reveal()})
    text = "holds no ca.crt although this cluster works with a CA."
    remedy = "Restore the Secret from a backup; no node and no client would trust a new CA in its place."
    refused(memory, f"{HERE}: {text} {remedy}")
    refused(memory, f"{HERE}: {text} {remedy}", "present")


def test_a_lost_certificate_is_put_back_from_the_ledger() -> None:
    """The remedy names the entry, and with what it holds the next run goes on."""
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", state="adopted")
    put(memory, "secrets", CERTIFICATES, {"ca.crt": None})
    (violation,) = call("strimzi_ca", memory, state="renewed").result["violations"]
    book, begin, generation = re.findall(
        r"Secret kafka/([\w.-]+), has .* begins with (\w+), .*generation=(\d+)", violation["remedy"]
    )[0]
    ((name, pem),) = (
        item
        for item in entries_of(memory, book).items()
        if item[0].startswith(begin) and b"BEGIN CERTIFICATE" in item[1]
    )
    put(memory, "secrets", CERTIFICATES, {"ca.crt": pem}, annotations={"strimzi.io/ca-cert-generation": generation})
    assert not call("strimzi_ca_info", memory).result["violations"], name


def test_a_lost_key_is_replaced() -> None:
    """The remedy leads out: with the text in the place of the key, the key is replaced, and no connection fails."""
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", state="adopted")
    put(memory, "secrets", KEYS, {"ca.key": None})
    (own,) = parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))
    put(memory, "secrets", KEYS, {"ca.key": placeholder(own.public_key_sha256).encode()})
    stages.done(memory, "strimzi_ca", state="replaced", **stages.FAST)
    (new,) = parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))
    assert new.public_key_sha256 != own.public_key_sha256
    assert load_key(entry(memory, KEYS, "ca.key")).public_key_sha256 == new.public_key_sha256


def test_entry_that_cannot_be_read() -> None:
    memory = stages.managed()
    put(memory, "secrets", CERTIFICATES, {"mine.crt": b"nothing"})
    refused(
        memory,
        f"{HERE}: entry mine.crt cannot be read: no readable certificate in PEM form. "
        "Correct the entry, then run the flow again.",
    )


def fill(memory: MemoryCluster, secret: str, room: int) -> int:
    """Fill a Secret up until this many bytes are left; how many it holds then."""
    held = sum(len(name) + len(content) for name, content in entries_of(memory, secret).items())
    put(memory, "secrets", secret, {"note": b"x" * (1024 * 1024 - room - held - len("note"))})
    return 1024 * 1024 - room


#: The bytes that a flow may add: two chains, and lines for each of the three nodes and three other pods.
GROWTH = 2 * 16 * 1024 + 6 * 256


@pytest.mark.parametrize("secret", [CERTIFICATES, KEYS, "demo-cluster-ca-trusted-certs"])
def test_secret_near_its_limit(secret: str) -> None:
    memory = stages.managed()
    size = fill(memory, secret, GROWTH - 1)
    text = f"holds {size} bytes; a flow may add {GROWTH}, and Kubernetes allows 1048576."
    remedy = "Move entries that do not belong to the cluster CA elsewhere."
    refused(memory, f"Kafka cluster kafka/demo: Secret kafka/{secret}: {text} {remedy}")
    told(memory, text, remedy)


def test_secret_with_just_enough_room() -> None:
    memory = stages.managed()
    fill(memory, CERTIFICATES, GROWTH)
    stages.done(memory, "strimzi_ca", **stages.PREPARED)
