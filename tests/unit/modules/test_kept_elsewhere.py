# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that is brought without its key: calls wait without an error, go on with good answers, and refuse all others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request

from ...tools.operator import clusters
from ...tools.support.authorities import Authority, root
from ...tools.support.certificates import key
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.signing_office import SigningOffice, secrets_of
from . import stages
from .fast_clock import FastClock
from .running import Ended, call

DAY = timedelta(days=1)
THEIRS, OTHER = root("Corporate Root", path_length=0), root("Other Root", path_length=0)


def office(memory: MemoryCluster, authority: Authority = THEIRS, later: timedelta = timedelta(0)) -> SigningOffice:
    began = FastClock().now() - timedelta(seconds=memory.seconds)
    return SigningOffice(memory, authority, began + later)


def replace_key(memory: MemoryCluster, **options: Any) -> Ended:
    ended = call(
        "strimzi_ca", memory, state="replaced", certificate=THEIRS.pem.decode(), fresh_for_hours=0, client_grace=0, spare_leaves=0,
        **options,
    )  # fmt: skip
    assert "PRIVATE" not in ended.output
    return ended


def asked() -> MemoryCluster:
    memory = stages.managed()
    assert not replace_key(memory).failed
    return memory


def waiting(ended: Ended) -> list[str]:
    """The sentences in which a call says what it waits for; it has not failed."""
    assert (ended.failed, ended.code) == (False, 0), ended.result.get("msg")
    told: list[str] = ended.result["waiting"]
    return told


def issuing(memory: MemoryCluster) -> list[str]:
    return sorted(
        one["metadata"]["name"] for one in secrets_of(memory) if "-issuing-" in one["metadata"]["name"]
    )  # fmt: skip


def test_a_replacement_waits_for_the_issuer_and_goes_on(golden: GoldenFiles) -> None:
    memory = stages.managed()
    first = replace_key(memory)
    assert first.result["changed"]
    told = waiting(first)
    golden.compare_said("calls", "\n".join(told))
    again = replace_key(memory)
    assert (again.result["changed"], again.writes, waiting(again)) == (False, [], told)
    office(memory).work()
    last = replace_key(memory)
    assert waiting(last) == []
    assert last.result["changed"]
    current = call("strimzi_ca_info", memory).result["cas"]
    assert [one["subject"] for one in current] == ["CN=Corporate Root,O=io.strimzi"]
    assert issuing(memory) == []
    assert not replace_key(memory).result["changed"]


def predicted(memory: MemoryCluster) -> list[str]:
    """The writes that would come next. Nothing is written."""
    before = [one["metadata"]["resourceVersion"] for one in secrets_of(memory)]
    ended = replace_key(memory, check=True)
    assert (ended.failed, ended.writes) == (False, [])
    assert [one["metadata"]["resourceVersion"] for one in secrets_of(memory)] == before
    assert ended.result["changed"] is bool(ended.result["actions"])
    return [f"{action['verb']} {action['object']}" for action in ended.result["actions"]]


def test_check_mode_says_what_comes_next_and_asks_no_issuer() -> None:
    memory = stages.managed()
    assert predicted(memory) == ["update Secret kafka/demo-cluster-ca"]
    replace_key(memory)
    assert predicted(memory) == []
    memory.api.request("DELETE", "/api/v1/namespaces/kafka/secrets/demo-issuing-kafka")
    assert predicted(memory) == ["create Secret kafka/demo-issuing-kafka"]
    replace_key(memory)
    office(memory).work()
    components = ("cluster-operator", "cruise-control", "entity-operator", "kafka", "kafka-exporter")
    assert predicted(memory) == [f"update Secret kafka/demo-issuing-{component}" for component in components]


def test_to_wait_for_the_issuer_ends_in_time() -> None:
    memory = asked()
    before = FastClock().now()
    assert len(waiting(replace_key(memory, issue_timeout=100))) == 2
    assert timedelta(seconds=100) <= FastClock().now() - before < timedelta(seconds=110)


def test_another_run_goes_on_while_one_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other run is not told that the cluster is taken, it ends, and the run that waited finds nothing left to do."""
    memory, others, sleep = asked(), list[Ended](), FastClock.sleep

    def meanwhile(clock: FastClock, seconds: float) -> None:
        sleep(clock, seconds)
        if not others:
            office(memory).work()
            monkeypatch.setattr(FastClock, "sleep", sleep)
            others.append(replace_key(memory))

    monkeypatch.setattr(FastClock, "sleep", meanwhile)
    first = replace_key(memory, issue_timeout=100)
    (other,) = others
    assert (waiting(other), other.result["changed"], other.result["done"]) == ([], True, True)
    assert (waiting(first), first.result["done"], first.writes_but_lease) == ([], True, [])


def signed_for_another_key(memory: MemoryCluster, _csr: bytes) -> bytes:
    return office(memory).sign(build_request(DistinguishedName("demo-kafka"), frozenset({"demo.example"}), key(71)))


WRONG: dict[str, Callable[[MemoryCluster, bytes], bytes]] = {
    "another key": signed_for_another_key,
    "another CA": lambda memory, csr: office(memory, OTHER).sign(csr),
    "expired": lambda memory, csr: replace(office(memory, later=-DAY / 2), validity=DAY / 4).sign(csr),
    "not valid yet": lambda memory, csr: office(memory, later=2 * DAY).sign(csr),
}


def answer(memory: MemoryCluster, content: Callable[[MemoryCluster, bytes], bytes]) -> None:
    """The first node's; the others get good ones."""
    signing = office(memory)
    (secret,) = (one for one, name in signing.requests() if name == "demo-kafka-0")
    signing.put_back(secret, "demo-kafka-0", content(memory, signing.csr(secret, "demo-kafka-0")))
    signing.work()


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_answer_is_refused_with_the_reason_and_asked_for_again(wrong: str, golden: GoldenFiles) -> None:
    memory = asked()
    answer(memory, WRONG[wrong])
    told = waiting(replace_key(memory))
    golden.compare_said("calls", "\n".join(told), wrong)
    # It is recorded, and nothing is asked before its time.
    quiet = replace_key(memory)
    assert (waiting(quiet), quiet.writes, office(memory).requests()) == (told, [], [])
    assert len(waiting(replace_key(memory, retry_failed=True))) == 2
    assert [name for _secret, name in office(memory).requests()] == ["demo-kafka-0"]
    office(memory).work()
    assert waiting(replace_key(memory)) == []


def test_garbage_is_refused_and_asked_for_again_after_an_hour(
    monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    memory = asked()
    answer(memory, lambda _memory, _csr: b"<html>")
    told = waiting(replace_key(memory))
    golden.compare_said("calls", told[1])
    monkeypatch.setattr(FastClock, "passed", FastClock.passed + timedelta(hours=1.2))
    replace_key(memory)
    assert [name for _secret, name in office(memory).requests()] == ["demo-kafka-0"]


def asked_domains(memory: MemoryCluster) -> set[str]:
    """The domains in the names that requests carry."""
    requests = stages.done(memory, "strimzi_csr", dns_domain="corp.internal").result["requests"]
    return {
        name.split(".svc.", 1)[1] for one in requests for name in one["subject_alternative_names"] if ".svc." in name
    }


def test_the_domain_that_the_caller_gives_is_in_the_requests_of_a_new_cluster() -> None:
    memory, options = MemoryCluster(), {"certificate": THEIRS.pem.decode(), "dns_domain": "corp.internal."}
    stages.done(memory, "strimzi_ca", before_kafka=True, **options)
    memory.apply(*clusters.dual_role(memory.cluster, memory.namespace))
    memory.settle()
    stages.done(memory, "strimzi_ca", **options)
    assert asked_domains(memory) == {"corp.internal"}
