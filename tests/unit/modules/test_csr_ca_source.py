# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""People who carry requests by hand bring certificates of a CA that lies in the source and is not in use yet."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ...support.certificates import Entity, key, make
from ...support.memory_cluster import MemoryCluster
from ...support.signed_by_hand import Signature
from . import stages
from .running import Ended, call
from .stages import DAY, ELSEWHERE, FAST, NOW

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
    """Everything is of a CA that somebody else keeps; the request for the next node is open. source: the CAs to trust."""
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


def test_one_of_a_ca_of_the_source_is_put_back_and_waits_until_that_is_trusted() -> None:
    memory = in_use(ELSEWHERE, NEXT)
    certificate = signed(memory, SPARE, NEXT)
    ended = bring(memory, certificate, **SOURCE)
    assert not ended.failed, ended.result["msg"]
    assert [(one["secret"], one["changed"]) for one in ended.result["imported"]] == [(SPARE, True)]
    found = open_requests(memory, **SOURCE)[SPARE]
    assert (found["answered"], found["problem"], found["refused"]) == (True, "", "")
    assert found["waiting"].startswith(
        f"{SPARE}: its certificate has come from another CA of the source, CN=Next Corporate CA"
    )
    assert "it is used when that CA is trusted by every node and component and in use" in found["waiting"]
    again = bring(memory, certificate, **SOURCE)
    assert (again.failed, again.result["changed"], again.writes) == (False, False, [])


def test_one_of_the_ca_in_use_waits_for_nothing() -> None:
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
def test_one_of_another_ca_is_refused(by: Entity, options: dict[str, Any]) -> None:
    memory = in_use(ELSEWHERE, NEXT)
    certificate, before = signed(memory, SPARE, by), memory.api.snapshot()
    ended = bring(memory, certificate, **options)
    assert ended.failed
    assert "Nothing was put back: 1 of 1 is refused." in ended.result["msg"]
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
