# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_trusted_certs: a CA from outside is looked at before anything is published; state=converted moves the ledger to other Secrets, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from ...tools.support.certificates import Entity, key, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.ledgers import KEYED, SINGLE, STATES
from ...tools.support.memory_cluster import MemoryCluster
from .._strimzi.bench import secret
from . import stages
from .mistakes import found
from .running import Ended, call
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
ORDER = "Put the issuing CA first and the root last, each once, and unrelated CAs under keys of their own."
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
def test_a_certificate_that_no_client_should_trust_is_refused_before_it_is_published(
    certificate: str, message: str
) -> None:
    for check in (True, False):
        ended = call("strimzi_trusted_certs", stages.managed(), check=check, certificate=certificate)
        assert (ended.failed, ended.result["msg"], ended.writes) == (True, message, [])


def test_a_certificate_with_the_name_of_another_ca_is_refused() -> None:
    ended = call(
        "strimzi_trusted_certs", stages.managed(), certificate=pem(a_ca("cluster-ca v0", subject_identifier=None))
    )
    assert (ended.failed, ended.writes) == (True, [])
    assert [gate for gate, _subject in found(ended)] == ["keys_are_told_apart"]


# strimzi_trusted_certs with state=converted: the ledger in other Secrets, and nothing else.

SECRETS = {"single": [SINGLE], "split": [STATES, SINGLE], "keyed": [KEYED]}


def convert(memory: MemoryCluster, layout: str, **options: Any) -> Ended:
    return call("strimzi_trusted_certs", memory, state="converted", layout=layout, **options)


def told(layout: str) -> dict[str, Any]:
    objects = " and ".join(
        f"Secret kafka/{name}" for name in sorted(SECRETS[layout], key=[SINGLE, STATES, KEYED].index)
    )
    return {"layout": layout, "object": objects, "complete": True}


@pytest.mark.parametrize("begin", [stages.managed, stages.prepared, stages.issued])
def test_layouts_are_converted_there_and_back_with_the_same_states(begin: Any) -> None:
    memory = begin()
    states = {ca["sha256"]: ca["state"] for ca in stages.done(memory, "strimzi_ca_info").result["cas"]}
    for layout in ("split", "keyed", "single", "keyed", "split", "single"):
        ended = convert(memory, layout)
        assert not ended.failed, ended.result["msg"]
        result = ended.result
        assert (result["changed"], result["done"], result["pending"], result["ledger"]) == (
            True,
            True,
            [],
            told(layout),
        )
        assert {ca["sha256"]: ca["state"] for ca in result["cas"]} == states
        assert {action["object"] for action in result["actions"]} <= {
            f"Secret kafka/{name}" for name in (SINGLE, STATES, KEYED)
        }
        again = convert(memory, layout)
        assert (again.result["changed"], again.writes) == (False, [])


def test_check_mode_says_it_and_writes_nothing(golden: GoldenFiles) -> None:
    memory = stages.managed()
    ended = convert(memory, "split", check=True)
    assert (ended.failed, ended.writes, ended.result["ledger"]) == (False, [], told("single"))
    assert [action["object"] for action in ended.result["actions"]] == [
        f"Secret kafka/{name}" for name in SECRETS["split"]
    ]
    golden.compare_said("calls", ended.result["plan"][0]["what"])


def test_every_module_finds_it_there() -> None:
    memory = stages.managed()
    convert(memory, "keyed")
    for module in ("strimzi_ca", "strimzi_roll", "strimzi_ee_cert", "strimzi_trusted_certs", "strimzi_ca_info"):
        ended = stages.done(memory, module)
        assert (ended.result["changed"], ended.result["ledger"]) == (False, told("keyed"))


def test_an_outside_client_does_not_hold_a_conversion_of_the_ledger() -> None:
    """A client outside the cluster that would refuse the next CA, for example."""
    memory = stages.prepared()
    held = call("strimzi_trusted_certs", memory, trusting_secrets=["app"])
    assert held.failed
    ended = convert(memory, "split", trusting_secrets=["app"])
    assert (ended.failed, ended.result["ledger"], ended.result["violations"]) == (False, told("split"), [])


def test_of_a_generated_ca_there_is_no_ledger() -> None:
    ended = convert(stages.generated(), "split")
    assert (ended.failed, ended.writes, ended.result["ledger"]) == (True, [], None)
    assert found(ended) == [("authority_is_user_managed", "Kafka kafka/demo")]


@pytest.mark.parametrize("gone", [SINGLE, STATES])
def test_half_a_ledger_holds_everything_and_says_what_helps(gone: str, golden: GoldenFiles) -> None:
    memory = stages.managed()
    convert(memory, "split")
    memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{gone}")
    ended = call("strimzi_trusted_certs", memory)
    assert (ended.failed, ended.writes) == (True, [])
    golden.compare_said("calls", ended.result["msg"], gone)


@pytest.mark.parametrize("labelled", [True, False])
def test_a_secret_of_another_owner_under_that_name_is_not_touched(labelled: bool) -> None:
    """Strimzi may come to have one of this name, or a tool that follows the same draft."""
    memory = stages.managed()
    theirs = secret(KEYED, {"notes": b"theirs"}, labels={} if labelled else {"strimzi.io/cluster": "other"})
    memory.apply(theirs)
    ended = convert(memory, "keyed")
    assert (ended.failed, ended.result["changed"]) == (True, False)
    assert f"Secret kafka/{KEYED}" in ended.result["msg"]
    assert (memory.api.find("secrets", "kafka", KEYED) or {})["data"] == theirs["data"]
    assert stages.done(memory, "strimzi_ca_info").result["ledger"] == told("single")
