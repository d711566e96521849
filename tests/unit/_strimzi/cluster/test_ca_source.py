# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading the CAs to trust: what people put there, and what cannot be read."""

from __future__ import annotations

import base64
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_source import (
    CaSourceReference,
    read_ca_source,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import CaSource

from ....tools.support.certificates import key, leaf, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.memory_api import MemoryApi
from ....tools.support.permissions import Restricted
from ..bench import pem

ONE, OTHER = make("One", key(1)), make("Other", key(2))
LEAF = leaf(ONE)
SECRET = CaSourceReference("Secret", "certs", "roots", "ca.crt")
CONFIG_MAP = CaSourceReference("ConfigMap", "certs", "roots", "ca.crt")
BOTH = pem(ONE, OTHER)


def stored(kind: str, content: dict[str, Any], **metadata: Any) -> MemoryApi:
    api, plural = MemoryApi(), "secrets" if kind == "Secret" else "configmaps"
    body = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "roots", **metadata}, **content}
    assert api.request("POST", f"/api/v1/namespaces/certs/{plural}", body=body).status == 201
    return api


def encoded(content: bytes, name: str = "ca.crt") -> dict[str, str]:
    return {name: base64.b64encode(content).decode()}


def read(api: Any, reference: CaSourceReference = SECRET) -> CaSource:
    return read_ca_source(KubeClient(api), reference)


@pytest.mark.parametrize(
    ("reference", "content"),
    [
        pytest.param(SECRET, {"data": encoded(BOTH)}, id="Secret"),
        pytest.param(
            SECRET, {"data": encoded(b"# roots of 2026\n" + BOTH + pem(ONE))}, id="with comments, and one of them twice"
        ),
        pytest.param(CONFIG_MAP, {"data": {"ca.crt": BOTH.decode()}}, id="ConfigMap"),
        pytest.param(CONFIG_MAP, {"binaryData": encoded(BOTH)}, id="ConfigMap with binary data"),
    ],
)
def test_a_source_holds_these_cas(reference: CaSourceReference, content: dict[str, Any]) -> None:
    found = read(stored(reference.kind, content), reference)
    assert found is not None
    assert replace(found, changed_at=None) == CaSource(
        f"{reference.kind} certs/roots, entry ca.crt", (ONE.certificate, OTHER.certificate)
    )


@pytest.mark.parametrize(
    ("case", "content"),
    [
        ("empty", {}),
        ("another entry", {"data": encoded(BOTH, "tls.crt")}),
        ("garbage", {"data": encoded(b"roots")}),
        ("nothing", {"data": encoded(b"")}),
        ("a leaf", {"data": encoded(BOTH + pem(LEAF))}),
        ("too much", {"data": encoded(BOTH + b" " * (1 << 18))}),
    ],
)
def test_an_unusable_source_has_a_problem(case: str, content: dict[str, Any], golden: GoldenFiles) -> None:
    found = read(stored("Secret", content))
    assert found.certificates == ()
    said = f"{found.problem}\n{found.remedy}"
    golden.compare_said("cluster", said.replace(str(len(BOTH) + (1 << 18)), "<size>"), case)


@pytest.mark.parametrize("beside", [BOTH, b""])
def test_a_private_key_is_refused_and_not_quoted(beside: bytes) -> None:
    secret = ONE.key.reveal()
    found = read(stored("Secret", {"data": encoded(beside + secret)}))
    assert "private key" in found.problem
    assert found.certificates == ()
    assert not any(line in repr(found) for line in secret.decode().splitlines()[1:-1])


def test_a_source_that_does_not_exist() -> None:
    assert read(MemoryApi()).problem == "does not exist."


@pytest.mark.parametrize("reference", [SECRET, CONFIG_MAP])
def test_a_source_that_may_not_be_read(reference: CaSourceReference, golden: GoldenFiles) -> None:
    """A flow in flight goes on without it, so this is told and not raised."""
    plural = f"{reference.kind.lower()}s"
    found = read(Restricted(MemoryApi(), frozenset({f"get {plural}"})), reference)
    golden.compare_said("cluster", f"{found.problem}\n{found.remedy}", reference.kind)


def test_when_it_was_written_last_is_told_by_who_owns_the_entry() -> None:
    def owner(entry: str, time: str | None) -> dict[str, Any]:
        return {"manager": "someone", "time": time, "fieldsV1": {"f:data": {".": {}, f"f:{entry}": {}}}}

    labels = {"manager": "other", "time": "2026-09-01T00:00:00Z", "fieldsV1": {"f:metadata": {"f:labels": {}}}}
    owners = [
        owner("ca.crt", "2026-03-01T10:00:00Z"),
        owner("ca.crt", None),
        owner("other", "2026-08-01T00:00:00Z"),
        labels,
    ]
    # The API server keeps these itself; a fake that answers with them will do.
    api = stored("Secret", {"data": encoded(BOTH)})
    found = api.find("secrets", "certs", "roots") or {}
    answer = {**found, "metadata": {**found["metadata"], "managedFields": owners}}

    class Answering:
        def request(self, method: str, path: str, **arguments: Any) -> Any:
            response = api.request(method, path, **arguments)
            return type(response)(response.status, answer)

    assert read(Answering()).changed_at == datetime(2026, 3, 1, 10, tzinfo=timezone.utc)
