# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CAs to trust come from an object that the options name: calls say what they wait for, and what is wrong with it."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ...support.authorities import Authority, root
from ...support.memory_cluster import MemoryCluster
from . import stages
from .running import Ended, call

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
    # A flow in flight asks nobody anything.
    assert reconcile(memory).result["ca_source"]["to_be_confirmed"] == []


def test_the_plan_says_what_it_would_take_once_it_is_confirmed() -> None:
    memory = holding(THEIRS.pem)
    shown = call("strimzi_ca_info", memory, ca_source={"name": "corporate-ca"}).result
    assert (shown["plan"], SHA_256 in shown["waiting"][0]) == ([], True)
    shown = call("strimzi_ca_info", memory, ca_source={"name": "corporate-ca"}, confirm_roots=[SHA_256]).result
    assert (shown["planned_phases"][0], shown["planned_phases"][-1]) == ("prepare", "retire")


def test_of_two_the_certificate_that_comes_back_tells() -> None:
    memory, both = holding(THEIRS.pem + OTHER.pem), [THEIRS.chain[0].sha256, OTHER.chain[0].sha256]
    asked = reconcile(memory, confirm_roots=both)
    assert (asked.failed, asked.result["changed"]) == (False, True), asked.result["msg"]
    assert [one["secret"] for one in asked.result["leaf_requests"]] == ["demo-cluster-operator-certs"]
    assert "none of them is in use" in " ".join(asked.result["waiting"])


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
def test_what_is_wrong_is_told_and_nothing_is_changed(
    content: bytes, options: dict[str, Any], texts: tuple[str, ...]
) -> None:
    ended = reconcile(holding(content), **options)
    assert (ended.failed, ended.result["changed"]) == (True, False)
    assert [text for text in texts if text not in ended.result["msg"]] == []


@pytest.mark.parametrize("authority", [THEIRS, OTHER])
def test_a_key_in_it_is_refused_and_shown_nowhere(authority: Authority) -> None:
    key = authority.keys[0].reveal()
    ended = reconcile(holding(authority.pem + key))
    assert "holds a private key" in ended.result["msg"]
    assert not any(line in ended.output for line in key.decode().splitlines()[1:-1])


def test_not_both_ways_at_once() -> None:
    ended = call(
        "strimzi_ca", holding(THEIRS.pem), state="replaced", ca_source={"name": "corporate-ca"}, certificate=THEIRS.pem.decode()
    )  # fmt: skip
    assert "mutually exclusive" in ended.result["msg"]
