# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA brought by the caller that cannot be used, and numbers that no certificate or key can have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey

from ...tools.support.certificates import Entity, key, make
from ...tools.support.constrained import names
from ...tools.support.golden import GoldenFiles
from ...tools.support.large_keys import rsa_pem_of
from ...tools.support.sha_1 import sha_1_below
from . import stages
from .mistakes import CERTIFICATES as CERTIFICATE_SECRET
from .mistakes import Finding, found, signing_key
from .running import Ended, call
from .stages import DAY, NOW
from .uses import CERTIFICATES, KAFKA, KEYS, LEDGER


def entity(name: str, number: int, issuer: Entity | None = None, **options: Any) -> Entity:
    return make(name, key(number), issuer, **{"begin": NOW - DAY, "end": NOW + 365 * DAY, **options})


def supply(*chain: Entity, number: int = 1) -> Ended:
    certificate = "".join(one.certificate.pem.decode() for one in chain)
    return call(
        "strimzi_ca", stages.managed(), state="replaced", until_phase="prepare", certificate=certificate,
        private_key=key(number).reveal().decode(),
    )  # fmt: skip


def says(ended: Ended, message: str) -> None:
    assert ended.result["msg"] == message
    assert (ended.code, ended.failed, ended.result["changed"], ended.writes) == (1, True, False, [])


def held(ended: Ended, *findings: Finding, why: str) -> None:
    """why: a part of the sentence, which is tested with the preconditions; one gate has several reasons."""
    assert (ended.failed, ended.result["changed"], ended.writes) == (True, False, [])
    assert found(ended) == list(findings)
    assert why in ended.result["msg"]


def test_a_usable_one_is_taken(golden: GoldenFiles) -> None:
    root = entity("their root", 2)
    ended = supply(entity("theirs", 1, root), root)
    assert not ended.failed
    assert ended.writes_but_lease == [KEYS, LEDGER, CERTIFICATES, KAFKA, LEDGER]
    golden.compare_said("calls", ended.result["actions"][0]["what"])


#: The names in certificates of the cluster; certificates of clients have a common name alone, which JVMs read below an anchor.
SERVERS = ["svc", "kafka", "cluster.local", "demo-kafka-bootstrap", "demo-kafka-brokers", "demo-kafka-external-bootstrap",
           "demo-cruise-control", "localhost"]  # fmt: skip
CLIENTS = ["cluster-operator", "demo-entity-topic-operator", "demo-entity-user-operator", "demo-kafka-exporter"]


@pytest.mark.parametrize(
    ("above", "issuing"), [([names(SERVERS)], []), ([], [names(SERVERS + CLIENTS)])], ids=["root", "issuing"]
)
def test_name_constraints_that_hold(above: list[Any], issuing: list[Any]) -> None:
    root = entity("their root", 2, extra=above)
    ended = supply(entity("their-issuing-CA", 1, root, extra=issuing), root)
    assert not ended.failed, ended.result["msg"]
    assert ended.writes_but_lease == [KEYS, LEDGER, CERTIFICATES, KAFKA, LEDGER]


BRAINPOOL = PrivateKey(ec.generate_private_key(ec.BrainpoolP256R1()))
ROOT = entity("their root", 2)


def supply_brainpool(_folder: Path) -> Ended:
    theirs = make("theirs", BRAINPOOL, begin=NOW - DAY, end=NOW + 365 * DAY)
    given = {"certificate": theirs.certificate.pem.decode(), "private_key": BRAINPOOL.reveal().decode()}
    return call("strimzi_ca", stages.managed(), state="replaced", until_phase="prepare", **given)


def supplied(*chain: Entity, number: int = 1) -> Callable[[Path], Ended]:
    return lambda _folder: supply(*chain, number=number)


@pytest.mark.parametrize(
    ("supplying", "why"),
    [
        (supplied(entity("theirs", 1), number=3), "the private key is not the key of CN=theirs,"),
        (supplied(entity("theirs", 1, ca=False)), "is not a CA certificate"),
        (supplied(entity("theirs", 1, begin=NOW - 9 * DAY, end=NOW - DAY)), f"expired on {NOW - DAY:%Y-%m-%d %H:%M} UTC"),
        (supplied(entity("theirs", 1, begin=NOW + DAY)), f"is not valid before {NOW + DAY:%Y-%m-%d %H:%M} UTC"),
        (supply_brainpool, "has a key on the curve brainpoolP256r1, which JVMs (Kafka and Strimzi) and Go programs (Kafka Exporter) refuse"),
        (supplied(ROOT, entity("theirs", 1, ROOT), number=2), "the chain is out of order"),
        (
            supplied(entity("theirs", 1, ROOT, extra=[names(SERVERS + CLIENTS[1:])]), ROOT),
            "do not admit the name cluster-operator of CN=cluster-operator,O=io.strimzi, as Secret demo-cluster-operator-certs needs it",
        ),
        (supplied(entity("theirs", 1, extra=[names(["svc", "<io.strimzi>"])])), "extensions that cannot be judged here (2.5.29.30)"),
        # Its chain is in order.
        (lambda folder: supply(sha_1_below(ROOT, key(1), folder), ROOT), "is signed with SHA-1, which OpenSSL (librdkafka) and Go programs"),
        (
            supplied(entity("theirs", 1, ROOT, issuer_name="Their Root"), ROOT),
            "names its issuer CN=their root,O=io.strimzi in another spelling",
        ),
    ],
    ids=[
        "key of another", "no CA", "expired", "not valid yet", "curve", "out of order", "names that are not admitted",
        "names that cannot be judged", "SHA-1", "another spelling",
    ],
)  # fmt: skip
def test_an_unusable_supplied_ca_holds_the_flow_before_the_first_write(
    supplying: Callable[[Path], Ended], why: str, tmp_path: Path
) -> None:
    held(supplying(tmp_path), ("supplied_is_usable", "the supplied CA"), why=why)


@pytest.mark.parametrize("name", ["cluster-ca v0", "Cluster-CA v0"])
def test_name_of_the_ca_in_use(name: str) -> None:
    """Also in another spelling. Where key identifiers tell the two apart, it is taken."""
    theirs = entity(name, 1, subject_identifier=None)
    held(
        supply(theirs),
        ("keys_are_told_apart", f"Secret kafka/{CERTIFICATE_SECRET}"),
        why=f"{theirs.certificate.subject} ({theirs.certificate.sha256[:12]}) has no subject key identifier",
    )
    ended = supply(entity(name, 1))
    assert not ended.failed, ended.result["msg"]


def test_longer_than_any_verifier_accepts() -> None:
    says(
        supply(*(entity(f"number {number}", 1) for number in range(11))),
        "certificate: it has 11 certificates, and a JVM accepts no chain of more than 10. "
        "Give the CA certificate in PEM form, its chain after it.",
    )


def test_renewal_with_another_key_identifier() -> None:
    memory = stages.managed()
    own = signing_key(memory)
    theirs = make("cluster-ca v0", own, begin=NOW - DAY, end=NOW + 365 * DAY, subject_identifier=b"its own")
    given = {"certificate": theirs.certificate.pem.decode(), "private_key": own.reveal().decode()}
    held(
        call("strimzi_ca", memory, state="renewed", **given),
        ("supplied_fits_the_goal", "the supplied CA"),
        why=f"the subject key identifier {theirs.certificate.usual_key_identifier.hex(':').upper()}",
    )


GOOD = {"certificate": entity("theirs", 1).certificate.pem.decode(), "private_key": key(1).reveal().decode()}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {**GOOD, "certificate": "nothing"},
            "certificate: no readable certificate in PEM form. Give the CA certificate in PEM form, its chain after it.",
        ),
        (
            {**GOOD, "private_key": "nothing"},
            "private_key: not a readable unencrypted private key in PEM form. "
            "Give the key of the first certificate, unencrypted.",
        ),
        (
            {**GOOD, "private_key": ""},
            "private_key: it is empty. Give the key of the first certificate, or leave the option out if the key is kept elsewhere.",
        ),
        (
            {**GOOD, "private_key": rsa_pem_of(32768).decode()},
            "private_key: an RSA key of 32768 bits, and at most 8192 are taken here. "
            "Give the key of the first certificate, unencrypted.",
        ),
        *(
            (
                {name: minimum - 1},
                f"{name}: {minimum - 1} is too small. Give {minimum} or more, or leave the option out if it has a default.",
            )
            for name, minimum in {
                "validity_days": 1, "path_length": 0, "fresh_for_hours": 0, "operator_timeout": 1, "pod_timeout": 1,
                "client_grace": 0, "issue_timeout": 0, "renew_before_days": 0,
            }.items()
        ),
        *(
            (
                {name: 10**12},
                f"{name}: {10**12} is too large. Give {maximum} or less, or leave the option out if it has a default.",
            )
            for name, maximum in {
                "validity_days": 36500, "path_length": 100, "fresh_for_hours": 876000, "operator_timeout": 31536000,
                "pod_timeout": 31536000, "client_grace": 31536000, "issue_timeout": 31536000, "renew_before_days": 36500,
            }.items()
        ),
    ],
)  # fmt: skip
def test_options(options: dict[str, Any], message: str) -> None:
    state = "present" if "renew_before_days" in options else "replaced"
    for check in (False, True):
        says(call("strimzi_ca", stages.managed(), state=state, check=check, **options), message)


def test_fingerprint_of_no_ca() -> None:
    memory = stages.managed()
    current = call("strimzi_ca_info", memory).result["cas"][0]["sha256"]
    held(
        call("strimzi_ca", memory, state="replaced", replaces="AB:CD"),
        ("target_is_known", "Kafka kafka/demo"),
        why=f"SHA-256 fingerprint {current}",
    )
