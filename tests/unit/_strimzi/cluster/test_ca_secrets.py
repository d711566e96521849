# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pair of CA Secrets, the trust bundle and its truststore as they are found: what cannot be read is a problem, never an assumption."""

from __future__ import annotations

import json
import subprocess
from datetime import datetime, timezone
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import placeholder
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import (
    password_problem,
    private_key,
    read_bundle,
    read_ca_secrets,
    truststore_entries,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ledger.entries import record_marks
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    NO_NAMED_PLACES,
    NamedPlaces,
    NamedSecret,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import NO_FLOW_OPTIONS, Beginning
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaSecrets
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Project, Withdraw

from ....tools.support.certificates import Entity, key, make
from ....tools.support.golden import GoldenFiles
from ..bench import SCOPE, Bench, pem, secret

OLD, NEW = make("cluster-ca v0", key(0)), make("cluster-ca v1", key(1))
ROOT = make("root", key(2))
BELOW = make("below", key(3), ROOT)


def read(
    certificates: dict[str, bytes],
    keys: dict[str, bytes] | None = None,
    certificate_annotations: dict[str, str] | None = None,
    key_annotations: dict[str, str] | None = None,
) -> CaSecrets:
    return read_ca_secrets(
        secret("demo-cluster-ca-cert", certificates, certificate_annotations),
        secret("demo-cluster-ca", keys or {}, key_annotations),
    )


def fingerprint(entity: Entity) -> str:
    return entity.certificate.fingerprint


def test_missing_ca_secrets_read_as_empty() -> None:
    assert read_ca_secrets(None, None) == CaSecrets()


def test_current_and_others() -> None:
    found = read({"ca.crt": pem(NEW), "ca-2027-01-01T00-00-00Z.crt": pem(OLD), "corporate.crt": pem(ROOT)})
    assert found.current == (NEW.certificate,)
    assert found.other_entries == {
        "ca-2027-01-01T00-00-00Z.crt": (OLD.certificate,),
        "corporate.crt": (ROOT.certificate,),
    }
    assert found.projected == {fingerprint(NEW), fingerprint(OLD), fingerprint(ROOT)}
    assert found.defects.problems == ()


def test_chain_in_one_entry_is_one_ca() -> None:
    """Only the first certificate of an entry is an anchor (docs/operator.md, "User-managed CA")."""
    found = read({"ca.crt": pem(BELOW, ROOT)})
    assert found.current == (BELOW.certificate, ROOT.certificate)
    assert found.projected == {fingerprint(BELOW)}


def test_where_the_flow_is_to_look_that_has_prepared_a_ca() -> None:
    named = {names.NAMED: json.dumps({"presentingSecrets": [{"namespace": "apps", "name": "copy"}]})}
    found = read({}, {f"{fingerprint(NEW)}.crt": pem(NEW)}, key_annotations=named)
    assert (found.flow_options.named_places, found.defects.problems) == (
        NamedPlaces(presenting_secrets=(NamedSecret("apps", "copy"),)),
        (),
    )
    assert read({}, {}, key_annotations=named).flow_options.named_places == NO_NAMED_PLACES


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"presentingSecrets": ["copy"]}'])
def test_a_malformed_annotation_of_named_places_is_a_problem(text: str) -> None:
    found = read({}, {f"{fingerprint(NEW)}.crt": pem(NEW)}, key_annotations={names.NAMED: text})
    assert (found.flow_options.named_places, len(found.defects.problems)) == (NO_NAMED_PLACES, 1)
    assert names.NAMED in found.defects.problems[0]


@pytest.mark.parametrize(
    "beginning",
    [
        Beginning(Retire.WHEN_NEEDED, is_upkeep=True),
        Beginning(Retire.NOW, is_upkeep=False),
        Beginning(datetime(2026, 7, 1, tzinfo=timezone.utc), is_upkeep=False),
    ],
)
def test_the_beginning_of_the_flow_that_has_prepared_a_ca(beginning: Beginning) -> None:
    marks = record_marks(NO_FLOW_OPTIONS, beginning, None)
    told = {name: text for name, text in marks.items() if text is not None}
    assert list(told) == [names.BEGINNING]
    waiting = {f"{fingerprint(NEW)}.crt": pem(NEW)}
    assert read({}, waiting, key_annotations=told).beginning == beginning
    assert read({}, waiting).beginning is None, "an earlier layout, which keeps to the call that opens the journal"
    assert read({}, {}, key_annotations=told).beginning is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"retire": 7}', '{"retire": "soon"}'])
def test_a_malformed_beginning_is_a_problem(text: str) -> None:
    found = read({}, {f"{fingerprint(NEW)}.crt": pem(NEW)}, key_annotations={names.BEGINNING: text})
    assert (found.beginning, len(found.defects.problems)) == (None, 1)
    assert names.BEGINNING in found.defects.problems[0]


def test_missing_current_is_empty_and_others_stay() -> None:
    found = read({"other.crt": pem(OLD)})
    assert found.current == ()
    assert found.projected == {fingerprint(OLD)}


@pytest.mark.parametrize(
    "content",
    [
        b"not a certificate",
        b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        pem(OLD) + b"-----BEGIN CERTIFICATE-----\nAAAA\n",
        OLD.certificate.der,
    ],
)
@pytest.mark.parametrize("entry", ["ca.crt", "other.crt"])
def test_unreadable_entry_is_a_problem_that_names_it(entry: str, content: bytes) -> None:
    found = read({"good.crt": pem(NEW), entry: content})
    assert [problem for problem in found.defects.problems if entry in problem] == list(found.defects.problems) != []
    assert found.projected == {fingerprint(NEW)}


def test_an_entry_is_one_chain_and_no_longer_than_verifiers_accept(golden: GoldenFiles) -> None:
    found = read({"ca.crt": pem(NEW), "long.crt": pem(*([OLD] * 11))})
    (problem,) = found.defects.problems
    golden.compare_said("cluster", problem)


def test_entries_that_the_operator_retired_are_known_by_their_names() -> None:
    """docs/operator.md, "CA Secrets": entries with another name are never removed as old."""
    retired = "ca-2027-01-26T17-32-00Z.crt"
    alike = ("mine.crt", "ca-2.crt", "my-ca-2027-01-26T17-32-00Z.crt", "ca-2027-01-26T17-32-00Z.crt.crt")
    assert read({"ca.crt": pem(NEW), **dict.fromkeys((retired, *alike), pem(OLD))}).retired == (retired,)


@pytest.mark.parametrize(("more", "problems"), [(99, 0), (100, 1)])
def test_a_secret_with_too_many_entries_is_not_read(more: int, problems: int, golden: GoldenFiles) -> None:
    found = read({"ca.crt": pem(NEW), **{f"{number}.crt": pem(OLD) for number in range(more)}})
    assert (found.current, len(found.defects.problems)) == ((NEW.certificate,), problems)
    assert len(found.other_entries) == (0 if problems else 99)
    for problem in found.defects.problems:
        golden.compare_said("cluster", problem)


@pytest.mark.parametrize("content", [b"", b" \n"])
def test_blank_entry_is_passed_over_as_the_operator_does(content: bytes) -> None:
    found = read({"ca.crt": pem(NEW), "blank.crt": content})
    assert (found.defects.problems, found.other_entries) == ((), {})


def test_other_entries_are_not_certificates() -> None:
    assert read({"ca.crt": pem(NEW), "ca.p12": b"0", "ca.password": b"secret"}).defects.problems == ()


def test_problems_and_facts_never_quote_content() -> None:
    found = read({"bad.crt": b"MARKER"}, {"ca.key": b"MARKER"})
    assert "MARKER" not in repr(found)


@pytest.mark.parametrize(("text", "number"), [("3", 3), (None, 0), ("soon", 0)])
def test_generations(text: str | None, number: int) -> None:
    """A missing one reads as 0, as in the operator (docs/operator.md, "CA Secrets")."""
    certificate = {} if text is None else {"strimzi.io/ca-cert-generation": text}
    key_annotations = {} if text is None else {"strimzi.io/ca-key-generation": text}
    found = read({}, {}, certificate, key_annotations)
    assert (found.certificate_generation, found.key_generation) == (number, number)


@pytest.mark.parametrize(("text", "number"), [("0", True), ("12", True), ("-3", False), ("soon", False), (None, False)])
def test_a_generation_that_is_not_told_is_named(text: str | None, number: bool) -> None:
    certificate = {} if text is None else {"strimzi.io/ca-cert-generation": text}
    key_annotations = {} if text is None else {"strimzi.io/ca-key-generation": text}
    found = read({"ca.crt": pem(NEW)}, {"ca.key": NEW.key.reveal()}, certificate, key_annotations)
    named = (
        "Secret demo-cluster-ca-cert, annotation strimzi.io/ca-cert-generation",
        "Secret demo-cluster-ca, annotation strimzi.io/ca-key-generation",
    )
    assert found.defects.unnumbered_generations == (() if number else named)
    assert read({}, {}).defects.unnumbered_generations == ()


def test_key_is_known_by_its_public_half_only() -> None:
    found = read({"ca.crt": pem(NEW)}, {"ca.key": NEW.key.reveal()})
    assert found.key == NEW.certificate.public_key_sha256
    assert "PRIVATE" not in repr(found)


@pytest.mark.parametrize("content", [b"", b"placeholder", pem(OLD)])
def test_unusable_key_is_none(content: bytes) -> None:
    assert read({}, {"ca.key": content}).key is None
    assert private_key(secret("demo-cluster-ca", {"ca.key": content}), "ca.key") is None


# An outside issuer keeps a key.


def text(entity: Entity) -> bytes:
    return placeholder(entity.certificate.public_key_sha256).encode()


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_text_in_the_place_of_the_key_names_it(end: bytes) -> None:
    found = read({"ca.crt": pem(OLD)}, {"ca.key": text(OLD) + end})
    assert found.key == OLD.certificate.public_key_sha256
    assert found.is_kept_elsewhere(OLD.certificate)
    assert not found.is_kept_elsewhere(NEW.certificate)
    assert private_key(secret("demo-cluster-ca", {"ca.key": text(OLD)}), "ca.key") is None


def test_a_key_that_is_here_is_kept_nowhere_else() -> None:
    found = read({"ca.crt": pem(OLD)}, {"ca.key": OLD.key.reveal(), "note": text(OLD)})
    assert (found.keys_elsewhere, found.key) == (frozenset(), OLD.certificate.public_key_sha256)


def test_prepared_authority_whose_key_an_outside_issuer_keeps() -> None:
    stored = {f"{fingerprint(NEW)}.crt": pem(NEW), f"{fingerprint(NEW)}.key": text(NEW)}
    found = read({"ca.crt": pem(OLD)}, {"ca.key": OLD.key.reveal(), **stored})
    (prepared,) = found.prepared
    assert (prepared.key, prepared.key_is_elsewhere) == (NEW.certificate.public_key_sha256, True)
    assert found.is_kept_elsewhere(NEW.certificate)
    assert not found.is_kept_elsewhere(OLD.certificate)
    (here,) = read({}, {**stored, f"{fingerprint(NEW)}.key": NEW.key.reveal()}).prepared
    assert not here.key_is_elsewhere


def test_private_key_of_an_entry() -> None:
    stored = secret("demo-cluster-ca", {"ca.key": OLD.key.reveal()})
    assert private_key(stored, "ca.key") == OLD.key
    assert private_key(stored, "other.key") is None
    assert private_key(None, "ca.key") is None


def test_prepared_authority_with_and_without_its_key() -> None:
    with_key = {f"{fingerprint(NEW)}.crt": pem(NEW), f"{fingerprint(NEW)}.key": NEW.key.reveal()}
    found = read({}, {**with_key, f"{fingerprint(BELOW)}.crt": pem(BELOW, ROOT)})
    assert {(one.chain, one.key) for one in found.prepared} == {
        ((NEW.certificate,), NEW.certificate.public_key_sha256),
        ((BELOW.certificate, ROOT.certificate), None),
    }


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (f"{fingerprint(OLD)}.crt", pem(NEW)),
        (f"{fingerprint(NEW)}.crt", b"broken"),
        ("new.crt", pem(NEW)),
        (f"{fingerprint(NEW).upper()}.crt", pem(NEW)),
    ],
)
def test_an_entry_under_another_fingerprint_is_not_prepared(name: str, content: bytes) -> None:
    """It would otherwise be promoted by a name that says something else."""
    assert read({}, {name: content, f"{fingerprint(NEW)}.key": NEW.key.reveal()}).prepared == ()


def test_kept_keys_are_those_under_a_fingerprint() -> None:
    keys = {"ca.key": NEW.key.reveal(), f"{fingerprint(OLD)}.key": OLD.key.reveal(), "backup.key": b""}
    assert read({}, keys).kept_keys == {fingerprint(OLD)}


def test_left_over_triggers_are_named_with_their_secret() -> None:
    found = read({}, {}, {"strimzi.io/force-renew": "true"}, {"strimzi.io/force-replace": "true"})
    renew, replace = found.defects.triggers
    assert "demo-cluster-ca-cert" in renew
    assert "strimzi.io/force-renew" in renew
    assert replace.startswith("Secret demo-cluster-ca,")
    assert "strimzi.io/force-replace" in replace


def test_a_trigger_on_the_other_secret_means_nothing_to_the_operator() -> None:
    assert read({}, {}, {"strimzi.io/force-replace": "true"}, {"strimzi.io/force-renew": "true"}).defects.triggers == ()


# The trust of processes is read from the entry of the CA that is asked about; no process trusts an entry that cannot be read.

CLUSTER, CLIENTS = make("cluster-ca v0", key(0)).certificate, make("clients-ca v0", key(1)).certificate
BUNDLE = secret("demo-trustbundle", {"cluster-ca.crt": CLUSTER.pem, "clients-ca.crt": CLIENTS.pem})


@pytest.mark.parametrize(("ca", "trusted"), [(CaKind.CLUSTER, CLUSTER), (CaKind.CLIENTS, CLIENTS)])
def test_each_ca_has_an_entry_of_its_own(ca: CaKind, trusted: object) -> None:
    assert read_bundle(BUNDLE, SCOPE.of(ca)) == {getattr(trusted, "fingerprint", None)}


def test_without_a_secret_nothing_is_known() -> None:
    assert read_bundle(None, SCOPE) is None


@pytest.mark.parametrize(
    "data", [{}, {"cluster-ca.crt": b""}, {"cluster-ca.crt": b"no certificate"}, {"other.crt": CLUSTER.pem}]
)
def test_an_entry_that_cannot_be_read_is_not_trusted(data: dict[str, bytes]) -> None:
    assert read_bundle(secret("demo-trustbundle", data), SCOPE) == frozenset()


# ``ca.p12`` beside the PEM entries: clients that read it must learn of a new CA as well.

STORE = {"ca.p12": b"old store", "ca.password": b"changeit"}


def held(store: bytes, password: bytes = b"changeit") -> dict[str, bytes]:
    """DER by alias, read by a library that did not write it with the same call."""
    content = pkcs12.load_pkcs12(store, password)
    return {
        (one.friendly_name or b"").decode(): one.certificate.public_bytes(Encoding.DER)
        for one in content.additional_certs
    }


def store_of(wanted: dict[str, bytes]) -> bytes:
    content = truststore_entries(STORE, wanted)["ca.p12"]
    assert content is not None
    return content


def test_holds_exactly_the_cas_under_the_names_of_their_entries() -> None:
    store = store_of({"ca.crt": pem(NEW), "ca-2027-01-01T00-00-00Z.crt": pem(OLD), "ca.password": b"changeit"})
    assert held(store) == {"ca.crt": NEW.certificate.der, "ca-2027-01-01T00-00-00Z.crt": OLD.certificate.der}


def test_only_the_first_certificate_of_an_entry_is_an_anchor() -> None:
    assert held(store_of({"ca.crt": pem(BELOW, ROOT)})) == {"ca.crt": BELOW.certificate.der}


def test_an_unreadable_entry_does_not_keep_the_others_out() -> None:
    assert set(held(store_of({"ca.crt": pem(NEW), "bad.crt": b"broken"}))) == {"ca.crt"}


@pytest.mark.parametrize("present", [{}, {"ca.p12": b"x"}, {"ca.password": b"x"}])
def test_no_store_is_made_where_there_was_none(present: dict[str, bytes]) -> None:
    assert truststore_entries(present, {"ca.crt": pem(NEW)}) == {}


def test_openssl_reads_it_with_the_stored_password(tmp_path: Path) -> None:
    file = tmp_path / "ca.p12"
    file.write_bytes(store_of({"ca.crt": pem(NEW), "old.crt": pem(OLD)}))
    command = ["openssl", "pkcs12", "-in", str(file), "-nokeys", "-passin"]
    shown = subprocess.run([*command, "pass:changeit"], capture_output=True, text=True, check=True).stdout
    assert shown.count("BEGIN CERTIFICATE") == 2
    assert all(one.certificate.pem.decode().strip() in shown for one in (NEW, OLD))
    assert subprocess.run([*command, "pass:other"], capture_output=True, check=False).returncode != 0


def bench_with_store(**others: Entity) -> Bench:
    bench = Bench()
    bench.authority(OLD, **others)
    encoded = {"ca.p12": "b2xk", "ca.password": "Y2hhbmdlaXQ="}
    bench.change("secrets", SCOPE.ca_certificate_secret, {"data": encoded})
    return bench


def test_store_follows_in_the_same_write_when_a_ca_comes() -> None:
    bench = bench_with_store()
    assert len(bench.carry_out(Project(chains=((NEW.certificate,),)))) == 1
    data = bench.data(SCOPE.ca_certificate_secret)
    assert set(held(data["ca.p12"]).values()) == {OLD.certificate.der, NEW.certificate.der}
    assert data["ca.password"] == b"changeit"


def test_store_follows_in_the_same_write_when_a_ca_leaves() -> None:
    bench = bench_with_store(leaving=NEW)
    assert len(bench.carry_out(Withdraw(certificate=NEW.certificate))) == 1
    assert set(held(bench.data(SCOPE.ca_certificate_secret)["ca.p12"]).values()) == {OLD.certificate.der}


@pytest.mark.parametrize(
    ("present", "unusable"),
    [
        ({}, ""),
        ({"ca.p12": b"x"}, ""),
        ({"ca.password": b""}, ""),
        ({"ca.p12": b"x", "ca.password": "p\u00e4ss".encode()}, ""),
        ({"ca.p12": b"x", "ca.password": b""}, "empty"),
        ({"ca.p12": b"x", "ca.password": b"\xff"}, "no text"),
    ],
)
def test_a_password_that_the_store_cannot_have_is_told(
    present: dict[str, bytes], unusable: str, golden: GoldenFiles
) -> None:
    problem = password_problem(present)
    assert bool(problem) is bool(unusable)
    if unusable:
        golden.compare_said("cluster", problem, unusable)
    elif "ca.p12" in present:
        assert set(truststore_entries(present, {"ca.crt": pem(OLD)})) <= {"ca.p12"}
