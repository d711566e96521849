# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CAs to trust come from an object that the options name: calls say what they wait for, also of certificates that a person carries."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest

from ...tools.support.authorities import Authority, root
from ...tools.support.certificates import Entity, key, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.signed_by_hand import Signature
from . import stages
from .running import Ended, call
from .stages import DAY, ELSEWHERE, FAST, NOW

THEIRS, OTHER = root("Corporate Root"), root("Other Root")
SHA_256 = THEIRS.chain[0].sha256


def holding(content: bytes) -> MemoryCluster:
    memory = stages.managed()
    memory.apply({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "corporate-ca"},
        "data": {"ca.crt": base64.b64encode(content).decode()},
    })  # fmt: skip
    return memory


def reconcile(memory: MemoryCluster, **options: Any) -> Ended:
    source = {"ca_source": {"name": "corporate-ca"}}
    return call("strimzi_trusted_certs", memory, state="retired", client_grace=0, **{**source, **options})


def test_a_new_ca_ends_the_call_without_an_error() -> None:
    memory = holding(THEIRS.pem)
    changed_at = memory.time()
    ended = reconcile(memory)
    assert (ended.failed, ended.result["changed"], ended.result["done"]) == (False, False, False)
    (told,) = ended.result["waiting"]
    assert SHA_256 in told
    assert ended.result["ca_source"] == {
        "object": "Secret kafka/corporate-ca, entry ca.crt",
        "problem": "",
        "cas": ended.result["ca_source"]["cas"],
        "changed_at": changed_at,
        "signing": SHA_256,
        "begins": "replace_key",
        "to_be_confirmed": [SHA_256],
    }
    (shown,) = ended.result["ca_source"]["cas"]
    assert (shown["sha256"], shown["current"], shown["known"]) == (SHA_256, False, False)


def test_confirmed_it_is_prepared_and_its_issuer_asked() -> None:
    memory = holding(THEIRS.pem)
    colons = ":".join(SHA_256.upper()[at : at + 2] for at in range(0, 64, 2))
    ended = reconcile(memory, confirm_roots=[colons])
    assert (ended.failed, ended.result["changed"]) == (False, True)
    assert ended.result["journal"]["goal"] == "replace_key"
    assert {one["state"] for one in ended.result["leaf_requests"]} == {"REQUESTED"}
    # A flow in flight asks for no confirmation.
    assert reconcile(memory).result["ca_source"]["to_be_confirmed"] == []


def test_the_plan_says_what_it_would_take_once_it_is_confirmed() -> None:
    memory = holding(THEIRS.pem)
    shown = call("strimzi_ca_info", memory, ca_source={"name": "corporate-ca"}).result
    assert (shown["plan"], SHA_256 in shown["waiting"][0]) == ([], True)
    shown = call("strimzi_ca_info", memory, ca_source={"name": "corporate-ca"}, confirm_roots=[SHA_256]).result
    assert (shown["planned_phases"][0], shown["planned_phases"][-1]) == ("prepare", "retire")


def test_of_two_the_certificate_that_comes_back_tells(golden: GoldenFiles) -> None:
    memory, both = holding(THEIRS.pem + OTHER.pem), [THEIRS.chain[0].sha256, OTHER.chain[0].sha256]
    asked = reconcile(memory, confirm_roots=both)
    assert (asked.failed, asked.result["changed"]) == (False, True), asked.result["msg"]
    assert [one["secret"] for one in asked.result["leaf_requests"]] == ["demo-cluster-operator-certs"]
    # They stand in the order of their fingerprints.
    golden.compare_said("calls", re.sub("CN=(Corporate|Other) Root", "CN=<name>", "\n".join(asked.result["waiting"])))


def test_without_a_source_nothing_is_said_of_one() -> None:
    assert reconcile(stages.managed(), ca_source=None).result["ca_source"] is None


@pytest.mark.parametrize(
    ("content", "options", "texts"),
    [
        pytest.param(THEIRS.pem, {"trust_new_roots": "never"}, (SHA_256, "confirm_roots"), id="never"),
        pytest.param(THEIRS.pem, {"confirm_roots": ["yes"]}, ("'yes' is not a SHA-256", "openssl"), id="no fingerprint"),
        pytest.param(b"roots", {}, ("no readable certificate", "PEM"), id="garbage"),
        pytest.param(THEIRS.pem, {"ca_source": {"name": "lost"}}, ("Secret kafka/lost", "does not exist"), id="lost"),
        pytest.param(
            THEIRS.pem, {"ca_source": {"name": "corporate-ca", "key": "tls.crt"}}, ("has: ca.crt", "Correct key"), id="entry"
        ),
    ],
)  # fmt: skip
def test_an_unusable_source_fails_the_call_without_a_change(
    content: bytes, options: dict[str, Any], texts: tuple[str, ...]
) -> None:
    ended = reconcile(holding(content), **options)
    assert (ended.failed, ended.result["changed"]) == (True, False)
    assert [text for text in texts if text not in ended.result["msg"]] == []


@pytest.mark.parametrize("authority", [THEIRS, OTHER])
def test_a_key_in_it_is_refused_and_shown_nowhere(authority: Authority, golden: GoldenFiles) -> None:
    key = authority.keys[0].reveal()
    ended = reconcile(holding(authority.pem + key))
    golden.compare_said("calls", ended.result["msg"])
    assert not any(line in ended.output for line in key.decode().splitlines()[1:-1])


def test_a_source_and_a_certificate_exclude_each_other() -> None:
    ended = call(
        "strimzi_ca", holding(THEIRS.pem), state="replaced", ca_source={"name": "corporate-ca"}, certificate=THEIRS.pem.decode()
    )  # fmt: skip
    assert "mutually exclusive" in ended.result["msg"]


# People who carry requests by hand bring certificates of a CA that lies in the source and is not in use yet.

NEXT = make("Next Corporate CA", key(4), begin=NOW - DAY, end=NOW + 400 * DAY)
UNKNOWN = make("Unknown CA", key(5), begin=NOW - DAY, end=NOW + 400 * DAY)
SOURCE = {"ca_source": {"name": "corporate-ca"}}


#: The next node, for which a certificate is to wait.
SPARE = "demo-kafka-3"


def replaced(memory: MemoryCluster) -> None:
    """Replaces the CA as far as it can go."""
    certificate = ELSEWHERE.certificate.pem.decode()
    options = {"state": "replaced", "fresh_for_hours": 0, "client_grace": 0, "spare_leaves": 1, **FAST}
    stages.done(memory, "strimzi_ca", certificate=certificate, **options)


def open_requests(memory: MemoryCluster, **options: Any) -> dict[str, dict[str, Any]]:
    return {one["secret"]: one for one in stages.done(memory, "strimzi_csr", **options).result["requests"]}


def signed(memory: MemoryCluster, name: str, by: Entity) -> str:
    return Signature(by, NOW - DAY / 24).sign(open_requests(memory)[name]["csr"].encode()).decode()


def bring(memory: MemoryCluster, *certificates: str, **options: Any) -> Ended:
    return call("strimzi_csr", memory, state="imported", certificates=list(certificates), **options)


def in_use(*source: Entity) -> MemoryCluster:
    """Every leaf is of a CA whose key an outside issuer keeps; the request for the next node is open. source: the CAs to trust."""
    memory = stages.asked()
    replaced(memory)
    assert not bring(memory, *(signed(memory, name, ELSEWHERE) for name in open_requests(memory))).failed
    replaced(memory)
    content = b"".join(one.certificate.pem for one in source)
    memory.apply({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "corporate-ca"},
        "data": {"ca.crt": base64.b64encode(content).decode()},
    })  # fmt: skip
    if SPARE not in open_requests(memory):
        stages.done(memory, "strimzi_trusted_certs", state="retired", client_grace=0, spare_leaves=1)
    return memory


def test_a_certificate_of_a_ca_of_the_source_waits_until_that_ca_is_trusted(golden: GoldenFiles) -> None:
    memory = in_use(ELSEWHERE, NEXT)
    certificate = signed(memory, SPARE, NEXT)
    ended = bring(memory, certificate, **SOURCE)
    assert not ended.failed, ended.result["msg"]
    assert [(one["secret"], one["changed"]) for one in ended.result["imported"]] == [(SPARE, True)]
    found = open_requests(memory, **SOURCE)[SPARE]
    assert (found["answered"], found["problem"], found["refused"]) == (True, "", "")
    golden.compare_said("calls", found["waiting"])
    again = bring(memory, certificate, **SOURCE)
    assert (again.failed, again.result["changed"], again.writes) == (False, False, [])


def test_a_certificate_of_the_ca_in_use_does_not_wait() -> None:
    memory = in_use(ELSEWHERE, NEXT)
    assert not bring(memory, signed(memory, SPARE, ELSEWHERE), **SOURCE).failed
    found = open_requests(memory, **SOURCE)[SPARE]
    assert (found["answered"], found["waiting"]) == (True, "")


@pytest.mark.parametrize(
    ("by", "options"),
    [
        pytest.param(NEXT, {}, id="without the source"),
        pytest.param(UNKNOWN, SOURCE, id="of a CA that is not there"),
    ],
)
def test_a_certificate_of_another_ca_is_refused(by: Entity, options: dict[str, Any], golden: GoldenFiles) -> None:
    memory = in_use(ELSEWHERE, NEXT)
    certificate, before = signed(memory, SPARE, by), memory.api.snapshot()
    ended = bring(memory, certificate, **options)
    assert ended.failed
    golden.compare_said("calls", ended.result["msg"], by.certificate.subject)
    assert memory.api.snapshot() == before


@pytest.mark.parametrize("state", ["listed", "imported"])
def test_a_source_that_cannot_be_used_is_told(state: str) -> None:
    memory = in_use()
    certificates = [signed(memory, SPARE, ELSEWHERE)] if state == "imported" else None
    before = memory.api.snapshot()
    for options, said in (
        (SOURCE, "Secret kafka/corporate-ca, entry ca.crt cannot be read: no readable certificate in PEM form."),
        ({"ca_source": {"name": "lost", "kind": "ConfigMap"}}, "ConfigMap kafka/lost, entry ca.crt does not exist."),
    ):
        ended = call("strimzi_csr", memory, state=state, certificates=certificates, **options)
        assert ended.failed
        assert said in ended.result["msg"]
        assert memory.api.snapshot() == before
