# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA brought by the caller that cannot be used, and numbers that no certificate or key can have."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey

from ...tools.support.certificates import Entity, key, make
from ...tools.support.constrained import names
from ...tools.support.large_keys import rsa_pem_of
from ...tools.support.sha_1 import sha_1_below
from . import stages
from .mistakes import signing_key
from .running import Ended, call
from .uses import CERTIFICATES, KAFKA, KEYS, LEDGER

NOW = datetime.now(timezone.utc).replace(microsecond=0)
DAY = timedelta(days=1)
HERE = "Kafka cluster kafka/demo: the supplied CA"


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


def test_a_usable_one_is_taken() -> None:
    root = entity("their root", 2)
    ended = supply(entity("theirs", 1, root), root)
    assert not ended.failed
    assert ended.writes_but_lease == [KEYS, LEDGER, CERTIFICATES, KAFKA, LEDGER]
    assert ended.result["actions"][0]["what"] == "prepare the supplied CA CN=theirs,O=io.strimzi"


def test_key_of_another() -> None:
    says(
        supply(entity("theirs", 1), number=3),
        f"{HERE}: the private key is not the key of CN=theirs,O=io.strimzi. "
        "Supply the key that belongs to the first certificate.",
    )


def test_no_ca() -> None:
    says(
        supply(entity("theirs", 1, ca=False)),
        f"{HERE}: CN=theirs,O=io.strimzi is not a CA certificate. Supply a CA certificate.",
    )


def test_expired() -> None:
    end = NOW - DAY
    says(
        supply(entity("theirs", 1, begin=NOW - 9 * DAY, end=end)),
        f"{HERE}: CN=theirs,O=io.strimzi expired on {end:%Y-%m-%d %H:%M} UTC. Supply a CA that is valid now.",
    )


def test_a_supplied_ca_of_no_use_for_some_verifiers() -> None:
    own = PrivateKey(ec.generate_private_key(ec.BrainpoolP256R1()))
    theirs = make("theirs", own, begin=NOW - DAY, end=NOW + 365 * DAY)
    certificate, private_key = theirs.certificate.pem.decode(), own.reveal().decode()
    options = {"certificate": certificate, "private_key": private_key, "until_phase": "prepare"}
    says(
        call("strimzi_ca", stages.managed(), state="replaced", **options),
        f"{HERE}: CN=theirs,O=io.strimzi has a key on the curve brainpoolP256r1, which JVMs (Kafka and Strimzi) and Go programs "
        "(Kafka Exporter) refuse. Supply a CA with a key on secp256r1, secp384r1 or secp521r1.",
    )


def test_a_supplied_ca_that_is_not_valid_yet() -> None:
    begin = NOW + DAY
    says(
        supply(entity("theirs", 1, begin=begin)),
        f"{HERE}: CN=theirs,O=io.strimzi is not valid before {begin:%Y-%m-%d %H:%M} UTC. "
        "Wait until then, or check the clock of the machine that made it and of this machine.",
    )


def test_out_of_order() -> None:
    root = entity("their root", 1)
    says(
        supply(root, entity("theirs", 2, root)),
        f"{HERE}: the chain is out of order: CN=their root,O=io.strimzi was not issued by CN=theirs,O=io.strimzi. "
        "Put the issuing CA first and the root last, and unrelated CAs under keys of their own.",
    )


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


def test_name_constraints_that_do_not_hold() -> None:
    root = entity("their root", 2)
    says(
        supply(entity("theirs", 1, root, extra=[names(SERVERS + CLIENTS[1:])]), root),
        f"{HERE}: the name constraints of CN=theirs,O=io.strimzi do not admit the name cluster-operator of "
        "CN=cluster-operator,O=io.strimzi, as Secret demo-cluster-operator-certs needs it. "
        "Supply a CA that may issue the certificates of this cluster.",
    )


def test_name_constraints_that_cannot_be_judged() -> None:
    says(
        supply(entity("theirs", 1, extra=[names(["svc", "<io.strimzi>"])])),
        f"{HERE}: CN=theirs,O=io.strimzi has extensions that cannot be judged here (2.5.29.30). "
        "Supply a CA without them; name constraints may hold DNS names and IP addresses only.",
    )


def test_signed_with_sha_1(tmp_path: Path) -> None:
    """Its chain is in order: it is refused for what it is, and for nothing else."""
    root = entity("their root", 2)
    says(
        supply(sha_1_below(root, key(1), tmp_path), root),
        f"{HERE}: CN=theirs,O=io.strimzi is signed with SHA-1, which OpenSSL (librdkafka) and Go programs (Kafka Exporter) refuse. "
        "Supply a CA that is signed with SHA-256, SHA-384 or SHA-512.",
    )


def test_issuer_in_another_spelling() -> None:
    root = entity("their root", 2)
    says(
        supply(entity("theirs", 1, root, issuer_name="Their Root"), root),
        f"{HERE}: CN=theirs,O=io.strimzi names its issuer CN=their root,O=io.strimzi in another spelling (case, spaces or type of "
        "string), which Go programs (Kafka Exporter) refuse. Supply a CA that spells the name of its issuer as the issuer itself does.",
    )


@pytest.mark.parametrize("name", ["cluster-ca v0", "Cluster-CA v0"])
def test_name_of_the_ca_in_use(name: str) -> None:
    """Also in another spelling. Where key identifiers tell the two apart, it is taken."""
    memory = stages.managed()
    current = call("strimzi_ca_info", memory).result["cas"][0]
    theirs = entity(name, 1, subject_identifier=None)
    says(
        supply(theirs),
        f"Kafka cluster kafka/demo: Secret kafka/demo-cluster-ca-cert: {theirs.certificate.subject} ({theirs.certificate.sha256[:12]}) has no "
        f"subject key identifier, and {current['subject']} ({current['sha256'][:12]}) has its name and another key. Give each CA a subject key "
        "identifier of its own, or a subject of its own: OpenSSL looks issuers up by name, and tells issuers of one name apart by these identifiers.",
    )
    ended = supply(entity(name, 1))
    assert not ended.failed, ended.result["msg"]


def test_longer_than_any_verifier_accepts() -> None:
    says(
        supply(*(entity(f"number {number}", 1) for number in range(11))),
        "certificate: it has 11 certificates, and a JVM accepts no chain of more than 10. "
        "Give the CA certificate in PEM form, its chain after it.",
    )


def test_key_that_takes_minutes_to_validate() -> None:
    certificate = entity("theirs", 1).certificate.pem.decode()
    ended = call(
        "strimzi_ca",
        stages.managed(),
        state="replaced",
        certificate=certificate,
        private_key=rsa_pem_of(32768).decode(),
    )
    says(
        ended,
        "private_key: an RSA key of 32768 bits, and at most 8192 are taken here. "
        "Give the key of the first certificate, unencrypted.",
    )


def test_renewal_with_another_key_identifier() -> None:
    memory = stages.managed()
    own = signing_key(memory)
    theirs = make("cluster-ca v0", own, begin=NOW - DAY, end=NOW + 365 * DAY, subject_identifier=b"its own")
    usual = theirs.certificate.usual_key_identifier.hex(":").upper()
    certificate, private_key = theirs.certificate.pem.decode(), own.reveal().decode()
    says(
        call("strimzi_ca", memory, state="renewed", certificate=certificate, private_key=private_key),
        f"{HERE}: CN=cluster-ca v0,O=io.strimzi has another subject key identifier than the CA in use, so JVMs and OpenSSL that "
        f"know only one of the two would refuse leaves of the other. Supply a certificate with the subject key identifier {usual}, "
        "or run the replace_key playbook with a key of its own.",
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
        *(
            (
                {name: minimum - 1},
                f"{name}: {minimum - 1} is too small. Give {minimum} or more, or leave the option out where it has a default.",
            )
            for name, minimum in {
                "validity_days": 1, "path_length": 0, "fresh_for_hours": 0, "operator_timeout": 1, "pod_timeout": 1,
                "client_grace": 0, "issue_timeout": 0, "renew_before_days": 0,
            }.items()
        ),
        *(
            (
                {name: 10**12},
                f"{name}: {10**12} is too large. Give {maximum} or less, or leave the option out where it has a default.",
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
    says(
        call("strimzi_ca", memory, state="replaced", replaces="AB:CD"),
        "Kafka kafka/demo: has no CA with the fingerprint AB:CD, and never had. "
        f"The CA in use has the SHA-256 fingerprint {current}.",
    )
