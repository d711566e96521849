# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes: each conditional on what it was decided on (I6), under the Lease, and what ledger and certificate Secret contain afterwards."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    AlreadyExists,
    Conflict,
    LeaseTaken,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.lease import TrustLease
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.carry_out import ledger_facts
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import (
    Work,
    Write,
    WriteVerb,
    as_stored,
    version,
    write_all,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import KAFKAS
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Journal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import TidyKeys
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    DeleteLedger,
    Project,
    Withdraw,
    WriteBundle,
)

from ....tools.support.certificates import NOW, key, make
from ....tools.support.faults import Fault, FaultyApi, always
from ....tools.support.memory_api import MemoryApi, Object, Response
from ..bench import LABELS, SCOPE, Bench, pem, recorded
from ..steps import AFTER, BROUGHT, CASES, ENTRIES, GONE, NEXT, OLD, Case, cluster, fingerprint, record

TOUCHED = [pytest.param(case, one, id=f"{case}-{one[1]}") for case in CASES for one in case.touches]


#: Other code decides that nothing is prepared twice, and the operator not switched twice; a resume needs a pause before it.
REPEATABLE = [case for case in CASES if case.name not in ("prepare", "switch", "put back", "resume")]


class Recorder:
    """A transport that keeps the writes."""

    def __init__(self, api: MemoryApi) -> None:
        self.api = api
        self.written: list[tuple[str, str, Any]] = []

    def request(self, method: str, path: str, **arguments: Any) -> Response:
        if method != "GET":
            self.written.append((method, path, arguments["body"]))
        return self.api.request(method, path, **arguments)

    def stream(self, path: str, **arguments: Any) -> Iterator[Object]:
        return self.api.stream(path, **arguments)


def condition_of(method: str, body: Mapping[str, Any]) -> str | None:
    wanted = body.get("preconditions") if method == "DELETE" else body.get("metadata")
    return (wanted or {}).get("resourceVersion")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_write_carries_the_version_it_was_decided_on(case: Case) -> None:
    bench = cluster()
    recorder = Recorder(bench.api)
    observation = bench.observe()
    versions = {name: bench.find(plural, name)["metadata"]["resourceVersion"] for plural, name in case.touches}
    carry_out(case.step, observation, bench.work(transport=recorder))
    assert {path.rsplit("/", 1)[-1] for _method, path, _body in recorder.written} >= set(versions)
    for method, path, body in recorder.written:
        assert method in ("PATCH", "DELETE")
        version = condition_of(method, body)
        assert version
        assert version == versions.get(path.rsplit("/", 1)[-1], version)


@pytest.mark.parametrize(("case", "touched"), TOUCHED)
def test_a_change_by_another_program_is_never_overwritten(case: Case, touched: tuple[str, str]) -> None:
    bench = cluster()
    observation = bench.observe()
    theirs = bench.change(*touched, {"metadata": {"annotations": {"them": "were here"}}, "data": {"their.crt": "YQ=="}})
    with pytest.raises(Conflict):
        carry_out(case.step, observation, bench.work())
    assert bench.find(*touched) == theirs


@pytest.mark.parametrize("case", CASES, ids=str)
def test_content_of_others_stays(case: Case) -> None:
    bench = cluster()
    everything = {(plural, name) for plural, name in case.touches if case.name != "delete ledger"}
    for one in everything:
        bench.change(
            *one, {"metadata": {"labels": {"them": "yes"}, "annotations": {"a/b": "c"}}, "data": {"x": "YQ=="}}
        )
    bench.carry_out(case.step)
    for one in everything:
        found = bench.find(*one)
        assert (found["metadata"]["labels"]["them"], found["metadata"]["annotations"]["a/b"]) == ("yes", "c")
        assert found["data"]["x"] == "YQ=="


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_dry_run_writes_nothing_and_says_what_it_would(case: Case) -> None:
    bench = cluster()
    observation = bench.observe()
    before = len(bench.api.writes)
    actions = recorded(carry_out, case.step, observation, bench.work(dry_run=True))
    assert len(bench.api.writes) == before
    real = recorded(carry_out, case.step, observation, bench.work())
    assert [(one.verb, one.object, one.what) for one in actions] == [(o.verb, o.object, o.what) for o in real]
    assert all(name in " ".join(one.object for one in actions) for _plural, name in case.touches)


@pytest.mark.parametrize("case", REPEATABLE, ids=str)
def test_the_same_step_again_changes_nothing(case: Case) -> None:
    bench = cluster()
    assert bench.carry_out(case.step)
    assert bench.carry_out(case.step) == []


@pytest.mark.parametrize(
    "step",
    [
        DeleteLedger(),
        Withdraw(certificate=BROUGHT.certificate),
        TidyKeys(prepared=frozenset(), kept_keys=frozenset({fingerprint(BROUGHT)}), phase=Phase.USE),
    ],
)
def test_nothing_to_do_is_no_request(step: Step) -> None:
    bench = cluster()
    bench.remove("secrets", SCOPE.trusted_certificates_secret)
    recorder = Recorder(bench.api)
    assert recorded(carry_out, step, bench.observe(), bench.work(transport=recorder)) == []
    assert recorder.written == []


OF_V1, OF_V1BETA2 = ({"manager": "x", "apiVersion": f"kafka.strimzi.io/{version}"} for version in ("v1", "v1beta2"))


@pytest.mark.parametrize(
    ("writers", "through"),
    [([OF_V1], "v1"), ([OF_V1BETA2], "v1beta2"), ([OF_V1, OF_V1BETA2], "v1beta2"), ([], "v1beta2"), (None, "v1beta2")],
)
def test_a_resource_is_written_through_the_version_in_which_nothing_of_it_is_lost(
    writers: list[Object] | None, through: str
) -> None:
    """Where no writer is noted, one of v1beta2 may have been."""
    assert as_stored(KAFKAS, {"metadata": {"managedFields": writers}}) == replace(KAFKAS, version=through)


@pytest.mark.parametrize("served", [True, False])
def test_a_patch_through_v1beta2_goes_through_v1_where_that_is_served_alone(served: bool) -> None:
    bench = cluster()
    recorder = Recorder(bench.api)
    bench.api.only_older = {} if served else None
    write = Write(WriteVerb.UPDATE, replace(KAFKAS, version="v1beta2"), "demo", "", {"spec": {"added": True}}, "1")
    with pytest.raises(Conflict):
        write_all((write,), bench.work(transport=recorder), "")
    known = version(bench.find("kafkas", "demo"))
    write_all((replace(write, resource_version=known),), bench.work(transport=recorder), "")
    assert bench.find("kafkas", "demo")["spec"]["added"]
    tried = ["v1beta2"] if served else ["v1beta2", "v1"]
    assert [path.split("/")[3] for _method, path, _body in recorder.written] == 2 * tried


def test_a_ledger_that_appeared_meanwhile_is_not_overwritten() -> None:
    bench = Bench()
    observation = bench.observe()
    bench.carry_out(record(AFTER))
    theirs = bench.find("secrets", SCOPE.trusted_certificates_secret)
    with pytest.raises(AlreadyExists):
        carry_out(record(AFTER), observation, bench.work())
    assert bench.find("secrets", SCOPE.trusted_certificates_secret) == theirs


def test_an_object_that_was_created_although_the_answer_was_lost_is_recorded() -> None:
    bench = Bench()
    work = bench.work(transport=FaultyApi(bench.api, always(Fault.LOST_ANSWER, "POST")))
    with pytest.raises(Unreachable):
        carry_out(record(AFTER), bench.observe(), work)
    ledger = "Secret", SCOPE.namespace, SCOPE.trusted_certificates_secret
    assert [(action.verb, action.object) for action in work.actions] == [("create", f"Secret kafka/{ledger[2]}")]
    assert work.written.objects == {ledger}, "another program that writes it from now on is noticed"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_actions_and_writes_show_no_content(case: Case) -> None:
    bench = cluster()
    actions = recorded(carry_out, case.step, bench.observe(), bench.work())
    assert actions
    assert "BEGIN" not in repr(actions)
    assert "BEGIN" not in repr([one.as_result() for one in actions])


# A run writes only while it owns the Lease, however slow its writes are.

BEGIN = datetime(2026, 6, 1, 12, tzinfo=timezone.utc)


class Slow:
    """An API server that takes half a second for each write, and lets time pass for the watching run."""

    def __init__(self, api: MemoryApi) -> None:
        self.api, self.seconds, self.written = api, 0.0, 0
        self.after: Callable[[int], None] = lambda written: None

    def request(self, method: str, path: str, **arguments: Any) -> Response:
        answer = self.api.request(method, path, **arguments)
        if method == "PATCH" and "/secrets/" in path:
            self.seconds += 0.5
            self.written += 1
            self.after(self.written)
        return answer

    def stream(self, path: str, **arguments: Any) -> Iterator[Object]:
        self.seconds += 31
        return iter(())

    def lease(self, holder: str) -> TrustLease:
        return TrustLease(
            KubeClient(self, sleep=lambda seconds: None), SCOPE.namespace, SCOPE.lease, holder,
            now=lambda: BEGIN + timedelta(seconds=self.seconds), monotonic=lambda: self.seconds,
        )  # fmt: skip


@pytest.fixture
def bench() -> Bench:
    return Bench()


def write_many(bench: Bench, slow: Slow, count: int) -> None:
    """A step with so many writes, of a run that owns the Lease."""
    lease = slow.lease("one")
    lease.acquire()
    client = KubeClient(slow, sleep=lambda seconds: None)
    empty = {"apiVersion": "v1", "kind": "Secret", "data": {}}
    made = [client.create(SECRETS, SCOPE.namespace, {**empty, "metadata": {"name": f"s{n}"}}) for n in range(count)]
    writes = tuple(
        Write(WriteVerb.UPDATE, SECRETS, f"s{number}", "x", {"data": {"a": "YQ=="}}, version(one))
        for number, one in enumerate(made)
    )
    work: Work = bench.work(transport=slow)
    work.renew_lease = lease.renew_if_due
    write_all(writes, work, "use")


def test_lease_lasts_as_long_as_the_writes(bench: Bench) -> None:
    slow, refused = Slow(bench.api), []

    def another(written: int) -> None:
        if written % 10 == 0:
            with pytest.raises(LeaseTaken):
                slow.lease("two").acquire_at_once()
            held = bench.api.find("leases", SCOPE.namespace, SCOPE.lease)
            assert held is not None
            renewed = datetime.fromisoformat(held["spec"]["renewTime"].replace("Z", "+00:00"))
            refused.append(slow.seconds - (renewed - BEGIN).total_seconds())

    slow.after = another
    write_many(bench, slow, 200)
    assert slow.written == 200
    assert max(refused) < 15


def test_nothing_is_written_after_another_run_has_taken_over(bench: Bench) -> None:
    """As when this process was stopped for a while, and goes on."""
    slow = Slow(bench.api)

    def stopped(written: int) -> None:
        if written == 3:
            slow.after = lambda _written: None
            slow.seconds += 40
            slow.lease("two").acquire()

    slow.after = stopped
    with pytest.raises(LeaseTaken):
        write_many(bench, slow, 9)
    assert slow.written == 3


# The trust face: what the ledger and the certificate Secret contain after each step.

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
    """Only the first certificate of an entry is one (docs/operator.md, "Trust bundle"); what a user keeps beside it stays."""
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
