# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trust face: what the ledger and the certificate Secret hold after each step."""

from __future__ import annotations

import base64

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ledger.writes import ledger_facts
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Journal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    DeleteLedger,
    Project,
    Withdraw,
    WriteBundle,
)

from ...support.certificates import NOW, key, make
from .bench import LABELS, SCOPE, Bench, pem
from .steps import AFTER, ENTRIES, GONE, NEXT, OLD, cluster, fingerprint, record

ROOT = make("root", key(20))
BELOW = make("below", key(21), ROOT)
STEM = f"{fingerprint(NEXT)}.crt"


def test_first_ledger_is_a_secret_that_the_operator_leaves_alone() -> None:
    bench = Bench()
    (change,) = bench.carry_out(record(AFTER))
    created = bench.find("secrets", SCOPE.trusted_certificates_secret)
    assert (change.verb, created["type"], created["metadata"]["labels"]) == ("create", "Opaque", LABELS)
    assert bench.observe().snapshot.ledger is not None


def test_journal_comes_goes_and_stays_in_one_write_with_the_states() -> None:
    bench = cluster()
    journal = Journal(Goal.RENEW, fingerprint(OLD), fingerprint(NEXT), NOW, retire=NOW)
    assert len(bench.carry_out(record(Ledger(AFTER.entries, journal=journal)))) == 1
    assert bench.observe().snapshot.ledger == Ledger(_sorted(AFTER), journal=journal)
    bench.carry_out(record(AFTER))
    assert bench.observe().snapshot.ledger == Ledger(_sorted(AFTER))


def _sorted(ledger: Ledger) -> tuple[object, ...]:
    return tuple(sorted(ledger.entries, key=lambda entry: entry.fingerprint))  # type: ignore[return-value]


def test_a_ca_that_is_struck_off_leaves_nothing_behind() -> None:
    bench = cluster()
    bench.carry_out(record(AFTER))
    bench.carry_out(record(ENTRIES))
    assert [name for name in bench.data(SCOPE.trusted_certificates_secret) if fingerprint(NEXT) in name] == []


def test_facts_for_people_name_cas_by_subject_and_state() -> None:
    assert ledger_facts(ENTRIES) == {
        f"CN=cluster-ca v0,O=io.strimzi {OLD.certificate.sha256[:16]}": "TRUSTED_IN_USE_ALL"
    }
    assert ledger_facts(None) == {}


def test_each_projected_ca_has_a_key_of_its_own() -> None:
    """Unrelated CAs in one key are rejected by the operator (docs/operator.md, "User-managed CA")."""
    bench = cluster()
    bench.carry_out(Project(chains=((NEXT.certificate,), (BELOW.certificate, ROOT.certificate))))
    data = bench.data(SCOPE.ca_certificate_secret)
    assert data[STEM] == pem(NEXT)
    assert data[f"{fingerprint(BELOW)}.crt"] == pem(BELOW, ROOT)
    assert (data["ca.crt"], data["gone.crt"]) == (pem(OLD), pem(GONE))


def test_projecting_leaves_the_bytes_of_the_current_ca_and_the_generation_alone() -> None:
    """Other bytes in ca.crt would re-issue every node certificate at once (docs/operator.md, "Re-issue")."""
    bench = cluster()
    untidy = b"# our CA\n" + pem(OLD) + b"\n\n"
    body = {"data": {"ca.crt": base64.b64encode(untidy).decode()}}
    bench.change("secrets", SCOPE.ca_certificate_secret, body)
    bench.carry_out(Project(chains=((NEXT.certificate,),)))
    bench.carry_out(Withdraw(certificate=GONE.certificate))
    assert bench.data(SCOPE.ca_certificate_secret)["ca.crt"] == untidy
    assert bench.annotation("secrets", SCOPE.ca_certificate_secret, "ca-cert-generation") == "0"


def test_withdrawing_takes_every_entry_of_this_ca_and_no_other() -> None:
    bench = cluster()
    bench.carry_out(Project(chains=((GONE.certificate,), (NEXT.certificate,))))
    bench.carry_out(Withdraw(certificate=GONE.certificate))
    assert set(bench.data(SCOPE.ca_certificate_secret)) == {"ca.crt", STEM}


def test_the_issuing_ca_is_never_withdrawn() -> None:
    bench = cluster()
    assert bench.carry_out(Withdraw(certificate=OLD.certificate)) == []
    assert bench.data(SCOPE.ca_certificate_secret)["ca.crt"] == pem(OLD)


def test_the_trust_bundle_gets_the_anchor_of_every_entry_as_from_the_operator() -> None:
    """Only the first certificate of an entry is one (docs/operator.md, "Trust bundle"); what somebody keeps beside it stays."""
    bench = cluster()
    bench.carry_out(Project(chains=((BELOW.certificate, ROOT.certificate),)))
    bench.change("secrets", SCOPE.trust_bundle_secret, {"data": {"clients-ca.crt": "YQ=="}})
    (change,) = bench.carry_out(WriteBundle(phase=Phase.RETIRE))
    assert change.name == SCOPE.trust_bundle_secret
    found = parse_certificates(bench.data(SCOPE.trust_bundle_secret)["cluster-ca.crt"])
    assert found[0] == OLD.certificate
    assert set(found) == {one.certificate for one in (OLD, GONE, BELOW)}
    assert bench.observe().snapshot.bundle == bench.observe().snapshot.ca.projected
    assert bench.data(SCOPE.trust_bundle_secret)["clients-ca.crt"] == b"a"


def test_deleting_the_ledger_deletes_this_ledger_only() -> None:
    bench = cluster()
    observation = bench.observe()
    bench.remove("secrets", SCOPE.trusted_certificates_secret)
    bench.carry_out(record(AFTER))
    with pytest.raises(Exception, match="delete Secret kafka/demo-cluster-ca-trusted-certs"):
        carry_out(DeleteLedger(), observation, bench.work())
    assert bench.observe().snapshot.ledger is not None
