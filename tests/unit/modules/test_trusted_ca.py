# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_trusted_certs with a CA of somebody else: it is looked at before anything is published, and then trusted by all."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from ...support.certificates import Entity, key, make
from . import stages
from .running import call
from .stages import DAY, NOW
from .uses import OTHER_CA


def a_ca(name: str = "theirs", number: int = 1, issuer: Entity | None = None, **options: Any) -> Entity:
    return make(name, key(number), issuer, **{"begin": NOW - DAY, "end": NOW + DAY, **options})


def pem(*chain: Entity) -> str:
    return "".join(one.certificate.pem.decode() for one in chain)


def test_every_process_trusts_it_and_it_is_among_what_clients_are_given() -> None:
    memory = stages.managed()
    before = stages.done(memory, "strimzi_trusted_certs").result["trusted_certificates"]
    ended = stages.done(memory, "strimzi_trusted_certs", certificate=OTHER_CA.pem.decode())
    (seen,) = [ca for ca in ended.result["cas"] if ca["sha256"] == OTHER_CA.sha256]
    assert (seen["state"], seen["trusted_by_count"], seen["pods_awaiting"]) == ("TRUSTED_UNUSED", 6, [])
    assert sorted(ended.result["trusted_certificates"]) == sorted([*before, OTHER_CA.pem.decode()])
    kept = stages.done(memory, "strimzi_trusted_certs", state="retired")
    assert (kept.result["changed"], len(kept.result["trusted_certificates"])) == (False, 2)


ROOT = a_ca("root", 2)
ORDER = "Put the issuing CA first and the root last, and unrelated CAs under keys of their own."
HERE = "Kafka cluster kafka/demo: the CA that is to be trusted"


@pytest.mark.parametrize(
    ("certificate", "message"),
    [
        ("nothing", "certificate: no readable certificate in PEM form. Give the CA certificate in PEM form, its chain after it."),
        (pem(a_ca(ca=False)), f"{HERE}: CN=theirs,O=io.strimzi is not a CA certificate. Give a CA certificate."),
        (
            pem(a_ca(begin=NOW - 3 * DAY, end=NOW - DAY)),
            f"{HERE}: CN=theirs,O=io.strimzi expired on {NOW - DAY:%Y-%m-%d %H:%M} UTC. Give a CA that is valid now.",
        ),
        (
            pem(a_ca(extra=[(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), False)])),
            f"{HERE}: CN=theirs,O=io.strimzi has an extended key usage that does not name TLS servers, which OpenSSL (librdkafka) and "
            "Go programs (Kafka Exporter) refuse. Give a CA without extended key usage, or with serverAuth in it.",
        ),
        (
            pem(ROOT, a_ca(issuer=ROOT)),
            f"{HERE}: the chain is out of order: CN=root,O=io.strimzi was not issued by CN=theirs,O=io.strimzi. {ORDER}",
        ),
    ],
)  # fmt: skip
def test_what_nobody_should_trust_is_refused_before_it_is_published(certificate: str, message: str) -> None:
    for check in (True, False):
        ended = call("strimzi_trusted_certs", stages.managed(), check=check, certificate=certificate)
        assert (ended.failed, ended.result["msg"], ended.writes) == (True, message, [])


def test_neither_is_one_with_the_name_of_another() -> None:
    ended = call(
        "strimzi_trusted_certs", stages.managed(), certificate=pem(a_ca("cluster-ca v0", subject_identifier=None))
    )
    assert (ended.failed, ended.writes) == (True, [])
    assert "has its name and another key" in ended.result["msg"]
