# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``ca.p12`` beside the PEM entries: clients that read it must learn of a new CA as well."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import (
    password_problem,
    truststore_entries,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Project, Withdraw

from ...support.certificates import Entity, key, make
from .bench import SCOPE, Bench, pem

OLD, NEW = make("cluster-ca v0", key(0)), make("cluster-ca v1", key(1))
ROOT = make("root", key(2))
BELOW = make("below", key(3), ROOT)
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
    ("present", "why"),
    [
        ({}, ""),
        ({"ca.p12": b"x"}, ""),
        ({"ca.password": b""}, ""),
        ({"ca.p12": b"x", "ca.password": "p\u00e4ss".encode()}, ""),
        ({"ca.p12": b"x", "ca.password": b""}, "it is empty"),
        ({"ca.p12": b"x", "ca.password": b"\xff"}, "it is not UTF-8 text"),
    ],
)
def test_a_password_that_the_store_cannot_have_is_told(present: dict[str, bytes], why: str) -> None:
    problem = password_problem(present)
    assert problem.endswith(f"cannot be used: {why}." if why else "")
    assert bool(problem) is bool(why)
    if not why and "ca.p12" in present:
        assert set(truststore_entries(present, {"ca.crt": pem(OLD)})) <= {"ca.p12"}
