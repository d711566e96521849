# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA in other forms than the operator reads: each is one finding that names the form, and nothing is written. How one is brought in from elsewhere."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pytest

from ...tools.support.certificates import Entity, key, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.pem_forms import NO_TEXTS, TEXTS, Form
from . import stages
from .mistakes import CERTIFICATES, KEYS, LEDGER, entries_of, put, told
from .running import call

DAY = stages.DAY
ROOT = make("Corporate Root", key(2), begin=stages.NOW - DAY, end=stages.NOW + 400 * DAY)
OWN = make("Kafka CA", key(1), ROOT, begin=stages.NOW - DAY, end=stages.NOW + 365 * DAY)
LABELS = {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": "demo"}
JVM = "cannot be read by the Cluster Operator, Kafka and other Java programs"
EXPOSED = (
    "entry ca.crt contains a private key, and clients read this Secret.",
    "Take the private key out, and run the flow again. Every client that could read the Secret may have the key. If it is the key of a CA, replace it "
    "(replace_key).",
)


def secret(name: str, data: Mapping[str, bytes], **more: object) -> dict[str, object]:
    encoded = {entry: base64.b64encode(content).decode() for entry, content in data.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "labels": LABELS}, "data": encoded, **more}


def unadopted() -> MemoryCluster:
    memory = stages.managed()
    memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{LEDGER}")
    return memory


@pytest.mark.parametrize("form", [form for form in TEXTS if form.why and "key" not in form.why], ids=str)
def test_an_adoption_refuses_pem_that_a_jvm_cannot_read(form: Form) -> None:
    memory = unadopted()
    put(memory, "secrets", CERTIFICATES, {"ca.crt": form.content})
    ended = call("strimzi_ca", memory, state="adopted")
    assert (ended.failed, ended.writes) == (True, [])
    told(memory, f"entry ca.crt {JVM}: {form.why}.", "Correct the entry, then run the flow again.")


@pytest.mark.parametrize("form", NO_TEXTS, ids=str)
def test_a_form_that_is_no_pem_is_one_finding(form: Form) -> None:
    memory = unadopted()
    put(memory, "secrets", CERTIFICATES, {"ca.crt": form.content})
    cause = f"entry ca.crt cannot be read: no readable certificate in PEM form: {form.why}."
    told(memory, cause, "Correct the entry, then run the flow again.")


def test_a_private_key_where_clients_read_is_a_finding_of_its_own() -> None:
    memory = stages.managed()
    put(memory, "secrets", CERTIFICATES, {"more.txt": OWN.key.reveal()})
    told(memory, EXPOSED[0].replace("ca.crt", "more.txt"), EXPOSED[1])


def test_a_private_key_before_the_certificate(golden: GoldenFiles) -> None:
    memory = unadopted()
    put(memory, "secrets", CERTIFICATES, {"ca.crt": ROOT.key.reveal() + ROOT.certificate.pem})
    ended = call("strimzi_ca", memory, state="adopted")
    assert (ended.failed, ended.writes) == (True, [])
    found = [(one["message"], one["remedy"]) for one in ended.result["violations"]]
    assert found[1] == EXPOSED
    golden.compare_said("calls", " ".join(found[0]))


@pytest.mark.parametrize("generated", [False, True])
def test_a_ca_named_for_tls_is_not_overlooked(generated: bool, golden: GoldenFiles) -> None:
    """Another one would be made beside it."""
    memory = MemoryCluster()
    both = {"tls.crt": OWN.certificate.pem + ROOT.certificate.pem, "tls.key": OWN.key.reveal()}
    for name in (CERTIFICATES, KEYS)[: 1 if generated else 2]:
        memory.apply(secret(name, both, type="kubernetes.io/tls"))
    ended = call("strimzi_ca", memory, before_kafka=True)
    assert (ended.failed, ended.writes) == (True, [])
    by_subject = {one["subject"]: one for one in ended.result["violations"] if "tls.crt and tls.key" in one["message"]}
    assert sorted(by_subject) == [
        f"Secret kafka/{name}" for name in sorted((CERTIFICATES, KEYS)[: 1 if generated else 2])
    ]
    golden.compare_said("calls", by_subject[f"Secret kafka/{CERTIFICATES}"]["remedy"])


def test_a_running_cluster_whose_ca_was_renamed_for_tls() -> None:
    memory = unadopted()
    for name, own, theirs in ((CERTIFICATES, "ca.crt", "tls.crt"), (KEYS, "ca.key", "tls.key")):
        put(memory, "secrets", name, {own: None, theirs: entries_of(memory, name)[own]})
    ended = call("strimzi_ca", memory)
    assert (ended.failed, ended.writes) == (True, [])
    remedy = "This cluster runs with a CA already: put that under ca.crt and ca.key, in Secrets of the type Opaque, then run the flow again."
    assert [one["remedy"] for one in ended.result["violations"]] == [remedy] * 2


@pytest.mark.parametrize(
    "data",
    [
        {"tls.crt": OWN.certificate.pem + ROOT.certificate.pem},
        {"tls.crt": OWN.certificate.pem, "ca.crt": ROOT.certificate.pem},
        {"tls.crt": OWN.certificate.pem + ROOT.certificate.pem, "ca.crt": ROOT.certificate.pem},
    ],
    ids=["the chain", "the root beside it", "both"],
)
@pytest.mark.parametrize("check", [False, True])
def test_a_supplied_ca_is_read_from_a_secret(data: Mapping[str, bytes], check: bool) -> None:
    memory = MemoryCluster()
    memory.api.request(
        "POST", "/api/v1/namespaces/pki/secrets",
        body=secret("corporate-ca", {**data, "tls.key": OWN.key.reveal()}, type="kubernetes.io/tls"),
    )  # fmt: skip
    given = {"secret": "corporate-ca", "namespace": "pki"}
    ended = stages.done(memory, "strimzi_ca", before_kafka=True, certificate_from=given, check=check)
    if check:
        assert (ended.writes, ended.result["changed"]) == ([], True)
        return
    assert entries_of(memory, CERTIFICATES)["ca.crt"] == OWN.certificate.pem + ROOT.certificate.pem
    assert entries_of(memory, KEYS)["ca.key"] == OWN.key.reveal()
    assert "PRIVATE KEY" not in ended.output
    assert not stages.done(memory, "strimzi_ca", before_kafka=True, certificate_from=given).result["changed"]


def test_another_ca_in_the_secret_has_no_effect_until_a_renewal_or_replacement(golden: GoldenFiles) -> None:
    memory, given = stages.managed(), {"certificate_from": {"secret": "given"}}
    memory.apply(secret("given", _of(ROOT)))
    ended = stages.done(memory, "strimzi_ca", **given)
    assert (ended.writes, ended.result["changed"]) == ([], False)
    (drift,) = ended.result["drift"]
    golden.compare_said("calls", drift)
    assert stages.done(memory, "strimzi_trusted_certs", state="retired").writes == []


def test_a_self_signed_one_of_cert_manager() -> None:
    """The issuer's CA beside it is the same certificate."""
    memory = stages.managed()
    data = {"tls.crt": ROOT.certificate.pem, "ca.crt": ROOT.certificate.pem, "tls.key": ROOT.key.reveal()}
    memory.apply(secret("given", data))
    stages.done(memory, "strimzi_ca", **stages.PREPARED, certificate_from={"secret": "given"})
    assert ROOT.certificate.pem in entries_of(memory, CERTIFICATES).values()


def test_without_a_key_an_issuer_is_asked() -> None:
    memory = stages.managed()
    memory.apply(secret("given", {"tls.crt": stages.ELSEWHERE.certificate.pem}))
    ended = stages.done(memory, "strimzi_ca", **stages.PREPARED, certificate_from={"secret": "given"})
    assert "is kept elsewhere" in entries_of(memory, KEYS)[f"{stages.ELSEWHERE.certificate.fingerprint}.key"].decode()
    assert ended.result["changed"]


GIVEN = "Secret kafka/given"


def _of(entity: Entity) -> dict[str, bytes]:
    return {"tls.crt": entity.certificate.pem, "tls.key": entity.key.reveal()}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, f"{GIVEN} does not exist. Correct secret and namespace of certificate_from; it is to be a Secret of the type kubernetes.io/tls."),
        (
            {"ca.crt": b"x"},
            f"{GIVEN} has no entry tls.crt. Correct secret and namespace of certificate_from; it is to be a Secret of the type kubernetes.io/tls.",
        ),
        (
            {"tls.crt": ROOT.certificate.der},
            f"{GIVEN}, entry tls.crt: no readable certificate in PEM form: it is DER. Put the CA certificate there in PEM form, its chain after it.",
        ),
        (
            {**_of(ROOT), "tls.key": b"no key"},
            f"{GIVEN}, entry tls.key: not a readable unencrypted private key in PEM form. Put the key of the CA there, unencrypted.",
        ),
        (
            {**_of(ROOT), "tls.key": OWN.key.reveal()},
            "Kafka cluster kafka/demo: the supplied CA: the private key is not the key of CN=Corporate Root,O=io.strimzi. Supply the key that belongs to "
            "the first certificate.",
        ),
    ],
    ids=["no Secret", "no entry", "DER", "no key", "key of another"],
)  # fmt: skip
def test_certificate_from_refuses_an_unusable_secret(data: Mapping[str, bytes] | None, message: str) -> None:
    memory = stages.managed()
    if data is not None:
        memory.apply(secret("given", data))
    ended = call("strimzi_ca", memory, **stages.PREPARED, certificate_from={"secret": "given"})
    assert (ended.failed, ended.writes, ended.result["msg"]) == (True, [], message)


@pytest.mark.parametrize("other", ["certificate", "ca_source"])
def test_a_ca_is_given_in_one_form(other: str) -> None:
    given = (
        {"certificate": ROOT.certificate.pem.decode()} if other == "certificate" else {"ca_source": {"name": "roots"}}
    )
    ended = call("strimzi_ca", stages.managed(), **stages.PREPARED, certificate_from={"secret": "given"}, **given)
    assert "mutually exclusive" in ended.result["msg"]
