# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests carried by hand: shown, written to files, signed by a person, and put back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request

from ...tools.support.certificates import Entity, key, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_api import Response
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.signed_by_hand import Signature
from . import stages
from .fast_clock import FastClock
from .mistakes import entry, put
from .running import Ended, call
from .stages import DAY, ELSEWHERE, NOW

NODES = [f"demo-kafka-{number}" for number in range(3)]
SECRETS = sorted([
    *NODES, "demo-cluster-operator-certs", "demo-cruise-control-certs", "demo-entity-topic-operator-certs",
    "demo-entity-user-operator-certs", "demo-kafka-exporter-certs",
])  # fmt: skip
COMPONENTS = ("cluster-operator", "cruise-control", "entity-operator", "kafka", "kafka-exporter")
GOOD = Signature(ELSEWHERE, NOW - timedelta(hours=1))
AGAIN = "Import all of them again when that is corrected."


def look(memory: MemoryCluster) -> dict[str, dict[str, Any]]:
    """Every open request, by the Secret of the leaf."""
    ended = stages.done(memory, "strimzi_csr")
    assert (ended.writes, ended.result["changed"], ended.result["actions"]) == ([], False, [])
    return {one["secret"]: one for one in ended.result["requests"]}


def signed(memory: MemoryCluster, name: str, how: Signature = GOOD) -> str:
    return how.sign(look(memory)[name]["csr"].encode()).decode()


def all_signed(memory: MemoryCluster) -> list[str]:
    return [signed(memory, name) for name in SECRETS]


def bring(memory: MemoryCluster, *certificates: str, **more: Any) -> Ended:
    return call("strimzi_csr", memory, state="imported", certificates=list(certificates), **more)


def refused(memory: MemoryCluster, message: str, *certificates: str) -> None:
    """The call fails with this whole message, and writes nothing, whatever else is right."""
    before = memory.api.snapshot()
    ended = bring(memory, *certificates)
    assert ended.result["msg"] == message
    assert (ended.failed, ended.result["changed"], ended.writes) == (True, False, [])
    assert memory.api.snapshot() == before


def record_of(memory: MemoryCluster, name: str, component: str = "kafka") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(entry(memory, f"demo-issuing-{component}", f"{name}.requested"))
    return found


def edit(memory: MemoryCluster, name: str, component: str = "kafka", **changed: Any) -> None:
    record = {**record_of(memory, name, component), **changed}
    put(memory, "secrets", f"demo-issuing-{component}", {f"{name}.requested": json.dumps(record).encode()})


# Shown


def test_every_request_is_shown_with_what_is_to_be_signed() -> None:
    memory = stages.asked()
    found = look(memory)
    assert sorted(found) == SECRETS
    node = found["demo-kafka-0"]
    csr = x509.load_pem_x509_csr(node["csr"].encode())
    names = csr.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert node["subject"] == csr.subject.rfc4514_string() == "CN=demo-kafka,O=io.strimzi"
    assert node["subject_alternative_names"] == sorted(names.get_values_for_type(x509.DNSName))
    assert node["component"] == "kafka"
    authority = ELSEWHERE.certificate
    assert node["authority"] == {"subject": authority.subject, "sha256": authority.sha256}
    assert node["public_key_sha256"] == record_of(memory, "demo-kafka-0")["publicKey"]
    assert (node["answered"], node["problem"], node["refused"], node["failed"]) == (False, "", "", None)
    assert found["demo-cluster-operator-certs"]["subject_alternative_names"] == []


def test_where_nothing_is_asked_for_nothing_is_shown() -> None:
    assert look(stages.managed()) == {}


def test_a_request_shows_its_earlier_failures() -> None:
    memory = stages.asked()
    failed = {"count": 2, "at": NOW.isoformat(), "why": "It is a CA certificate."}
    edit(memory, "demo-kafka-0", failed=failed)
    assert look(memory)["demo-kafka-0"]["failed"] == {**failed, "at": f"{NOW:%Y-%m-%dT%H:%M:%SZ}"}


def test_requests_of_another_issuer_are_only_named(tmp_path: Path) -> None:
    memory = stages.asked()
    edit(memory, "demo-kafka-0", issuer="cert-manager ClusterIssuer corporate")
    ended = call("strimzi_csr", memory, state="exported", directory=str(tmp_path))
    (elsewhere,) = ended.result["requests_elsewhere"]
    assert (elsewhere["secret"], elsewhere["issuer"]) == ("demo-kafka-0", "cert-manager ClusterIssuer corporate")
    assert "demo-kafka-0" not in {one["secret"] for one in ended.result["requests"]}
    assert not (tmp_path / "demo-kafka-0.csr").exists()


Change = Callable[[MemoryCluster], None]


def _other_request(number: int = 7) -> Change:
    def change(memory: MemoryCluster) -> None:
        names = look(memory)["demo-kafka-0"]["subject_alternative_names"]
        csr = build_request(DistinguishedName("demo-kafka"), names, key(number)).decode()
        own = make("x", key(number)).certificate.public_key_sha256
        # A person who may write to this Secret can make both agree; the key itself lies elsewhere.
        edit(memory, "demo-kafka-0", request=csr, **({"publicKey": own} if number == 8 else {}))

    return change


def _resigned(name: str = "demo-kafka", *more: str) -> Change:
    """A person who has the key has signed the request again, or has had the run sign something else."""

    def change(memory: MemoryCluster) -> None:
        names = look(memory)["demo-kafka-0"]["subject_alternative_names"]
        own = load_key(entry(memory, "demo-issuing-kafka-keys", "demo-kafka-0.key"))
        edit(memory, "demo-kafka-0", request=build_request(DistinguishedName(name), [*names, *more], own).decode())

    return change


#: Changes of a request, and of what its certificate depends on.
CHANGES: dict[str, Change] = {
    "another key": _other_request(),
    "a name more": _resigned("demo-kafka", "evil.example"),
    "another subject": _resigned("cluster-operator"),
    "unreadable": lambda memory: edit(memory, "demo-kafka-0", request="-----BEGIN CERTIFICATE REQUEST-----\nno\n"),
    "another CA": lambda memory: edit(memory, "demo-kafka-0", authority="0" * 40),
    "the key is lost": lambda memory: put(memory, "secrets", "demo-issuing-kafka-keys", {"demo-kafka-0.key": None}),
    "other names are needed": lambda memory: edit(memory, "demo-kafka-0", names="0" * 64),
    "another key with its request": _other_request(number=8),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_request_is_neither_exported_nor_imported(change: str, tmp_path: Path, golden: GoldenFiles) -> None:
    """The certificate was signed before the change."""
    memory = stages.asked()
    before = signed(memory, "demo-kafka-0")
    CHANGES[change](memory)
    problem = look(memory)["demo-kafka-0"]["problem"]
    ended = stages.done(memory, "strimzi_csr", state="exported", directory=str(tmp_path))
    assert sorted(one["secret"] for one in ended.result["exported"]) == [
        name for name in SECRETS if name != "demo-kafka-0"
    ]
    assert not (tmp_path / "demo-kafka-0.csr").exists()
    imported = bring(memory, before)
    assert imported.failed
    golden.compare_said("calls", f"{problem}\n{imported.result['msg']}", change)


# Written to files


def export(memory: MemoryCluster, folder: Path, **more: Any) -> Ended:
    return stages.done(memory, "strimzi_csr", state="exported", directory=str(folder), **more)


def test_each_request_is_exported_to_a_file_that_openssl_reads(tmp_path: Path) -> None:
    memory, folder = stages.asked(), tmp_path / "new" / "folder"
    ended = export(memory, folder)
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}.csr" for name in SECRETS]
    for name, request in look(memory).items():
        path = folder / f"{name}.csr"
        assert path.read_text() == request["csr"]
        assert path.stat().st_mode & 0o777 == 0o644
    assert ended.result["exported"] == [
        {"secret": one["secret"], "path": str(folder / f"{one['secret']}.csr"), "changed": True}
        for one in ended.result["requests"]
    ]
    assert (ended.result["changed"], ended.writes) == (True, [])


def test_files_that_are_right_are_not_written_again(tmp_path: Path) -> None:
    memory = stages.asked()
    export(memory, tmp_path)
    (tmp_path / "demo-kafka-1.csr").write_text("something else")
    (tmp_path / "demo-kafka-2.csr").unlink()
    (tmp_path / "mine.txt").write_text("mine")
    before = {path.name: path.stat().st_ino for path in tmp_path.iterdir()}
    ended = export(memory, tmp_path)
    written = {one["secret"] for one in ended.result["exported"] if one["changed"]}
    assert written == {"demo-kafka-1", "demo-kafka-2"}
    after = {path.name: path.stat().st_ino for path in tmp_path.iterdir()}
    assert {name for name, number in after.items() if before.get(name) != number} == {f"{name}.csr" for name in written}
    assert [action["verb"] for action in ended.result["actions"]] == ["update", "create"]
    assert not export(memory, tmp_path).result["changed"]


def test_a_folder_is_made_where_nothing_is_to_be_signed(tmp_path: Path) -> None:
    memory, folder = stages.managed(), tmp_path / "new"
    assert [action["object"] for action in export(memory, folder).result["actions"]] == [f"directory {folder}"]
    assert folder.is_dir()
    assert not export(memory, folder).result["changed"]


def test_check_mode_writes_no_file_and_no_folder(tmp_path: Path) -> None:
    memory, folder = stages.asked(), tmp_path / "new"
    ended = export(memory, folder, check=True)
    assert (ended.result["changed"], folder.exists()) == (True, False)
    assert all(one["changed"] for one in ended.result["exported"])
    shown = {one["after_header"]: one for one in ended.result["diff"]}[f"file {folder}/demo-kafka-0.csr"]
    assert (shown["before"], shown["after"]["subject"]) == ({}, "CN=demo-kafka,O=io.strimzi")


def test_a_folder_that_cannot_be_used(tmp_path: Path, golden: GoldenFiles) -> None:
    (tmp_path / "file").write_text("")
    for state in ("exported", "imported"):
        ended = call("strimzi_csr", stages.asked(), state=state, directory=str(tmp_path / "file"))
        assert ended.failed
        golden.compare_said("calls", ended.result["msg"].replace(str(tmp_path), "<folder>"), state)


def test_an_answered_request_is_not_exported_again(tmp_path: Path) -> None:
    memory = stages.asked()
    assert not bring(memory, signed(memory, "demo-kafka-0")).failed
    assert "demo-kafka-0" not in {one["secret"] for one in export(memory, tmp_path).result["exported"]}


# Put back


def test_an_import_stores_certificates_beside_the_requests() -> None:
    memory = stages.asked()
    ended = bring(memory, *all_signed(memory))
    assert not ended.failed, ended.result["msg"]
    assert ended.writes == [f"PATCH secrets/demo-issuing-{component}" for component in COMPONENTS]
    assert [one["secret"] for one in ended.result["imported"]] == SECRETS
    assert all(one["changed"] for one in ended.result["imported"])
    assert all(one["answered"] for one in ended.result["requests"])
    stages.done(memory, "strimzi_trusted_certs", client_grace=0)
    taken = stages.done(memory, "strimzi_ee_cert", client_grace=0)
    assert {leaf["issuer"] for leaf in taken.result["leaves"] if leaf["component"] == "kafka"} == {
        ELSEWHERE.certificate.subject
    }
    assert look(memory).keys().isdisjoint(NODES)


def test_the_same_again_is_nothing_new_before_and_after_it_is_taken() -> None:
    memory = stages.asked()
    certificates = all_signed(memory)
    bring(memory, *certificates)
    for _run in range(2):
        again = bring(memory, *certificates)
        assert (again.failed, again.result["changed"], again.writes) == (False, False, [])
        assert [one["secret"] for one in again.result["imported"]] == SECRETS
        assert not any(one["changed"] for one in again.result["imported"])
        # First they are stored as checked, then they are in use.
        stages.done(memory, "strimzi_ee_cert", client_grace=0)


def test_an_import_of_some_certificates_leaves_the_other_requests_open() -> None:
    memory = stages.asked()
    ended = bring(memory, signed(memory, "demo-kafka-1"), signed(memory, "demo-kafka-2"))
    assert ended.writes == ["PATCH secrets/demo-issuing-kafka"]
    assert {one["secret"] for one in ended.result["requests"] if one["answered"]} == {"demo-kafka-1", "demo-kafka-2"}


def test_each_goes_to_the_request_with_its_key(tmp_path: Path) -> None:
    """A person has mixed the files up."""
    memory = stages.asked()
    for name, other in zip(NODES, reversed(NODES), strict=True):
        (tmp_path / f"{name}.{'pem' if name == NODES[0] else 'crt'}").write_text(signed(memory, other))
    ended = stages.done(memory, "strimzi_csr", state="imported", directory=str(tmp_path))
    answered = {one["secret"]: one for one in ended.result["requests"] if one["answered"]}
    assert sorted(answered) == NODES


def test_files_of_others_are_let_be(tmp_path: Path) -> None:
    memory = stages.asked()
    (tmp_path / "corporate.crt").write_bytes(ELSEWHERE.certificate.pem)
    (tmp_path / "other-kafka-0.pem").write_text("of another cluster")
    (tmp_path / "demo-kafka-0.csr").write_text("a request")
    ended = stages.done(memory, "strimzi_csr", state="imported", directory=str(tmp_path))
    assert ended.result["other_files"] == [str(tmp_path / name) for name in ("corporate.crt", "other-kafka-0.pem")]
    assert (ended.result["imported"], ended.writes) == ([], [])


def test_a_file_of_a_ca_on_windows_is_taken(tmp_path: Path) -> None:
    """Such a CA writes the certificate alone, in DER form, under the ending cer."""
    memory = stages.asked()
    (given,) = parse_certificates(signed(memory, "demo-kafka-0").encode())
    (tmp_path / "demo-kafka-0.CER").write_bytes(given.der)
    ended = stages.done(memory, "strimzi_csr", state="imported", directory=str(tmp_path))
    assert [(one["secret"], one["sha256"]) for one in ended.result["imported"]] == [("demo-kafka-0", given.sha256)]
    assert parse_certificates(entry(memory, "demo-issuing-kafka", "demo-kafka-0.issued")) == (given,)


def test_a_key_in_der_form_is_refused_and_not_shown(tmp_path: Path, golden: GoldenFiles) -> None:
    memory = stages.asked()
    (tmp_path / "demo-kafka-0.cer").write_bytes(b"\x30\x82 a key")
    ended = call("strimzi_csr", memory, state="imported", directory=str(tmp_path))
    assert ended.failed
    golden.compare_said("calls", ended.result["msg"].replace(str(tmp_path), "<folder>"))
    assert "a key" not in ended.result["msg"]


def test_a_certificate_that_breaks_a_rule_of_the_flow_is_refused(tmp_path: Path) -> None:
    """Put back, it would be refused by the next run, and the request would be made again."""
    memory, rules = stages.asked(), {"name": "house rules", "leaf_days": 1}
    given = signed(memory, "demo-kafka-0")
    refused_ = bring(memory, given, key_policy=rules)
    assert refused_.failed
    assert rules["name"] in refused_.result["msg"]
    assert not bring(memory, given, key_policy={**rules, "leaf_days": 4000}).failed
    listed = stages.done(memory, "strimzi_csr", key_policy=rules)
    (request,) = (one for one in listed.result["requests"] if one["secret"] == "demo-kafka-0")
    assert (request["answered"], rules["name"] in request["refused"]) == (False, True)


def test_a_chain_may_be_behind_it_and_text_around_it() -> None:
    memory = stages.asked()
    text = f"Certificate:\n    Data:\n{signed(memory, 'demo-kafka-0')}\n{ELSEWHERE.certificate.pem.decode()}"
    assert not bring(memory, text).failed
    stored = parse_certificates(entry(memory, "demo-issuing-kafka", "demo-kafka-0.issued"))
    assert stored[1:] == (ELSEWHERE.certificate,)


def test_a_good_certificate_takes_the_place_of_a_refused_one(golden: GoldenFiles) -> None:
    memory = stages.asked()
    wrong = signed(memory, "demo-kafka-0", replace(GOOD, copies=False))
    put(memory, "secrets", "demo-issuing-kafka", {"demo-kafka-0.issued": wrong.encode()})
    shown = look(memory)["demo-kafka-0"]
    assert (shown["answered"], shown["problem"]) == (False, "")
    golden.compare_said("calls", shown["refused"])
    ended = bring(memory, signed(memory, "demo-kafka-0"))
    assert (ended.failed, ended.result["changed"]) == (False, True)
    assert look(memory)["demo-kafka-0"]["answered"]


def test_a_private_key_in_a_secret_that_a_person_has_written_is_refused_and_not_shown(golden: GoldenFiles) -> None:
    """In every test here call() checks that no armour of a key is in anything that is printed."""
    memory = stages.asked()
    secret = key(6).reveal()
    both = signed(memory, "demo-kafka-0").encode() + secret
    put(memory, "secrets", "demo-issuing-kafka", {"demo-kafka-0.issued": both})
    shown = look(memory)["demo-kafka-0"]
    assert not shown["answered"]
    golden.compare_said("calls", shown["refused"])
    ended = call("strimzi_ca", memory, state="replaced")
    assert secret.decode().splitlines()[1] not in ended.output


def test_a_certificate_that_begins_in_a_moment_is_put_back() -> None:
    """The clock of the person who signs may be ahead of ours."""
    memory = stages.asked()
    ahead = FastClock().now() + timedelta(minutes=4)
    ended = bring(memory, signed(memory, "demo-kafka-0", replace(GOOD, begin=ahead)))
    assert (ended.failed, ended.result["changed"]) == (False, True)
    (shown,) = (one for one in ended.result["requests"] if one["secret"] == "demo-kafka-0")
    assert (shown["answered"], shown["refused"]) == (True, "")


def test_check_mode_says_what_would_be_put_back() -> None:
    memory = stages.asked()
    before = memory.api.snapshot()
    ended = bring(memory, signed(memory, "demo-kafka-0"), check=True)
    assert (ended.result["changed"], ended.writes) == (True, [])
    assert ended.result["imported"][0]["changed"]
    assert memory.api.snapshot() == before


def test_a_run_that_has_changed_the_requests_meanwhile(golden: GoldenFiles) -> None:
    memory = stages.asked()

    def meanwhile(method: str, path: str) -> Response | None:
        if method == "PATCH":
            put(memory, "secrets", "demo-issuing-kafka", {"demo-kafka-0.requested": b"{}"})
        return None

    ended = bring(memory, signed(memory, "demo-kafka-0"), answer=meanwhile)
    assert ended.failed
    golden.compare_said("calls", ended.result["msg"])
    assert "demo-kafka-0.issued" not in json.dumps(memory.api.find("secrets", "kafka", "demo-issuing-kafka"))


# Refused


def _told(why: str, number: int = 1) -> str:
    return (
        f"certificate {number}: it is for {NODES[number - 1]}. The certificate that came back is refused: {why}. "
        "Correct what the issuer makes of the request."
    )


BELOW = make("Issuing CA", key(4), ELSEWHERE, begin=NOW - DAY, end=NOW + 300 * DAY)
STRANGER = make("Corporate CA", key(5), begin=NOW - DAY, end=NOW + 400 * DAY)


@pytest.mark.parametrize(
    ("how", "behind", "case"),
    [
        (replace(GOOD, copies=False), None, "names left out"),
        (replace(GOOD, begin=NOW - 30 * DAY, lasts=DAY), None, "expired"),
        (replace(GOOD, issuer=STRANGER), None, "another issuer"),
        (replace(GOOD, issuer=BELOW), BELOW, "a CA below"),
    ],
)
def test_a_wrong_certificate_is_refused_with_the_reason(
    how: Signature, behind: Entity | None, case: str, golden: GoldenFiles
) -> None:
    """For any reason for which the answer of an issuer is refused."""
    memory = stages.asked()
    text = signed(memory, "demo-kafka-0", how) + (behind.certificate.pem.decode() if behind else "")
    before = memory.api.snapshot()
    ended = bring(memory, text, signed(memory, "demo-kafka-1"))
    golden.compare_said("calls", ended.result["msg"], case)
    assert (ended.writes, memory.api.snapshot()) == ([], before)


def test_a_serial_number_that_is_used_twice_is_refused() -> None:
    """As ``openssl x509 -set_serial`` in a loop gives it."""
    memory = stages.asked()
    same = replace(GOOD, serial=1)
    one, other = (signed(memory, name, same) for name in NODES[:2])
    refused(memory, f"Nothing was put back: 1 of 2 is refused. {_told(SERIAL, 2)} {AGAIN}", one, other)
    assert not bring(memory, one).failed
    late = bring(memory, other)
    assert (late.failed, "serial number" in late.result["msg"]) == (True, True)


SERIAL = "its issuer has given its serial number to CN=demo-kafka,O=io.strimzi before"


def test_every_one_that_is_wrong_is_named() -> None:
    memory = stages.asked()
    wrong = replace(GOOD, copies=False)
    message = (
        "Nothing was put back: 2 of 3 are refused. "
        "1. certificate 2: no readable certificate in PEM form. Give the certificate alone, or in PEM form with its chain after it. "
        f"2. certificate 1: {_told('its alternative names are not the requested names').partition(': ')[2]} {AGAIN}"
    )
    refused(memory, message, signed(memory, "demo-kafka-0", wrong), "nothing", signed(memory, "demo-kafka-1"))


def _for_key(number: int) -> Certificate:
    return make("demo-kafka", key(number), ELSEWHERE, ca=False, begin=NOW - DAY, end=NOW + DAY).certificate


def test_a_certificate_for_no_open_request_is_refused() -> None:
    strange = _for_key(9)
    message = (
        f"Nothing was put back: 1 of 1 is refused. certificate 1: no open request has its public key (SHA-256 {strange.public_key_sha256}). "
        f"Take it away, or export the requests again and have these signed: each certificate is for a key of its own. {AGAIN}"
    )
    for memory in (stages.asked(), stages.managed()):
        refused(memory, message, strange.pem.decode())


def _of_another_issuer(memory: MemoryCluster) -> list[str]:
    text = signed(memory, "demo-kafka-0")
    edit(memory, "demo-kafka-0", issuer="cert-manager Issuer kafka")
    return [text]


def _of_a_failed_request(memory: MemoryCluster) -> list[str]:
    text = signed(memory, "demo-kafka-0")
    edit(memory, "demo-kafka-0", open=False, failed={"count": 1, "at": NOW.isoformat(), "why": "It had other names."})
    return [text]


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (
            _of_another_issuer,
            "certificate 1: it is for demo-kafka-0, which was requested from cert-manager Issuer kafka. Only requests to the external issuer are answered "
            "by hand.",
        ),
        (
            _of_a_failed_request,
            "certificate 1: its request for demo-kafka-0 is not open any more. It had other names. Run the flow with retry_failed, which opens it again, "
            "and import the corrected certificate.",
        ),
        (
            lambda memory: [signed(memory, "demo-kafka-0") for _time in range(2)],
            "certificate 2: it is for demo-kafka-0, and so is another certificate, certificate 1. Give one of them.",
        ),
        (
            lambda memory: [ELSEWHERE.certificate.pem.decode() + signed(memory, "demo-kafka-0")],
            "certificate 1: the certificate for demo-kafka-0 is not the first in it. Put it there, and its chain after it.",
        ),
        (
            lambda memory: ["".join(signed(memory, name) for name in NODES)],
            f"certificate 1: it is for {NODES[0]}, and the certificate for {NODES[1]} stands behind it. Give each by itself, with its chain after it.",
        ),
    ],
    ids=["of another issuer", "of a failed request", "two for one request", "behind its chain", "all in one text"],
)  # fmt: skip
def test_an_import_refuses_a_certificate_without_an_open_request(
    texts: Callable[[MemoryCluster], list[str]], why: str
) -> None:
    memory = stages.asked()
    given = texts(memory)
    refused(memory, f"Nothing was put back: 1 of {len(given)} is refused. {why} {AGAIN}", *given)


def test_the_same_certificate_may_be_given_twice() -> None:
    memory = stages.asked()
    text = signed(memory, "demo-kafka-0")
    assert not bring(memory, text, text).failed


def test_a_private_key_among_certificates_is_refused_and_shown_nowhere(tmp_path: Path, golden: GoldenFiles) -> None:
    """In every test here call() checks that no key is in anything that is printed."""
    memory = stages.asked()
    text = signed(memory, "demo-kafka-0") + key(6).reveal().decode()
    why = "a private key is in it. Give certificates alone."
    refused(memory, f"Nothing was put back: 1 of 1 is refused. certificate 1: {why} {AGAIN}", text)
    file = tmp_path / "demo-kafka-0.crt"
    file.write_text(text)
    ended = call("strimzi_csr", memory, state="imported", directory=str(tmp_path))
    golden.compare_said("calls", ended.result["msg"].replace(str(tmp_path), "<folder>"))
