# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Secret has room for so many certificates, and that is known before an issuer is asked for one."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.external.issuer import External
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Issuer
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import InternalIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending import request_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.request_leaves import (
    _answer_bytes,
    _key_bytes,
    foresee_room,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.requests import (
    PendingLeaf,
    RequestRecord,
    write_issued,
    write_keys,
    write_records,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    PrivateKey,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import WriteVerb
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.subjects import every_leaf, subject_for
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import size
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component

from ....tools.support.certificates import NOW, Entity, key, make, rsa_key
from ....tools.support.golden import GoldenFiles
from ..._strimzi.bench import SCOPE
from ..elsewhere import KEYS, NODE, OTHER_NODE, REQUESTS, Noting, ask, elsewhere, put, see

LIMIT = 1024 * 1024
EC, RSA = KeySpec(KeyAlgorithm.ECDSA, 256), KeySpec(KeyAlgorithm.RSA, 2048)


def own_key(spec: KeySpec) -> PrivateKey:
    return rsa_key(spec.size) if spec.algorithm is KeyAlgorithm.RSA else key(0)


@pytest.fixture(scope="module")
def rsa_4096() -> PrivateKey:
    return rsa_key(4096)


def stored_bytes(authority: Entity, above: Chain, spec: KeySpec, issuer: Issuer) -> int:
    """Measures on the Secret that would be written how many bytes a node takes: for its record and its answer, or for one after the other."""
    bench = elsewhere()
    observation = see(bench)
    (leaf,) = (one for one in every_leaf(observation) if one.secret == NODE)
    subject, own = subject_for(leaf, observation), own_key(spec)
    csr = build_request(subject.distinguished_name, subject.names, own)
    chain = (authority.certificate, *above)
    made = InternalIssuer(chain, authority.key, NOW, timedelta(days=365)).sign(csr)
    token = (
        csr.decode()
        if isinstance(issuer, External)
        else '{"certificateRequest": "demo-kafka-0-7db4f6c2", "csrSha256": "' + "0" * 64
    )
    record = RequestRecord(issuer.reference, "0" * 40, "0" * 64, "0" * 64, NOW, token)
    if isinstance(issuer, External):
        return max(written(record), written(PendingLeaf((made.leaf, *chain))))
    return written(PendingLeaf((made.leaf, *chain), record))


def written(value: RequestRecord | PendingLeaf) -> int:
    made = write_records(SCOPE, {}, Component.KAFKA, {NODE: value})
    assert made.verb is WriteVerb.CREATE
    assert made.body
    return size(made.body)


@pytest.mark.parametrize("spec", [RSA, EC], ids=["RSA", "ECDSA"])
@pytest.mark.parametrize("issuer", [External({}, ""), Noting()], ids=["by hand", "by itself"])
@pytest.mark.parametrize("above", [0, 2])
@pytest.mark.parametrize("large", [False, True], ids=["ECDSA CA", "RSA CA"])
def test_the_expected_size_is_about_the_stored_size(
    spec: KeySpec, issuer: Issuer, above: int, large: bool, rsa_4096: PrivateKey
) -> None:
    authority = make("corporate", rsa_4096 if large else key(1))
    roots = tuple(make(f"root {number}", rsa_4096 if large else key(2)).certificate for number in range(above))
    observation = see(elsewhere())
    (leaf,) = (one for one in every_leaf(observation) if one.secret == NODE)
    expected = _answer_bytes(subject_for(leaf, observation), (authority.certificate, *roots), issuer, spec)
    assert expected == pytest.approx(stored_bytes(authority, roots, spec, issuer), rel=0.07)


@pytest.mark.parametrize("spec", [RSA, KeySpec(KeyAlgorithm.RSA, 4096), EC], ids=str)
def test_keys_are_about_so_large(spec: KeySpec) -> None:
    assert _key_bytes(spec) == pytest.approx(len(own_key(spec).reveal()), rel=0.07)


def many(count: int, authority: Chain, spec: KeySpec, issuer: Issuer | None = None) -> None:
    observation = see(elsewhere())
    (one,) = (leaf for leaf in every_leaf(observation) if leaf.secret == NODE)
    leaves = [replace(one, secret=f"demo-kafka-{number}") for number in range(count)]
    foresee_room(leaves, authority, issuer or Noting(), spec, observation)


def without_sizes(error: StepError) -> str:
    """The error without what depends on the size of certificates, which differs by some bytes, and with two of many names."""
    text = re.sub(r"(?:(?<=about )|(?<=contain ))\d+", "<number>", f"{error}\n{error.remedy}")
    return re.sub(r"(demo-kafka-0, demo-kafka-1, )[^;]+", r"\1...", text)


def test_hundreds_of_a_small_ca_find_room_and_of_a_large_one_do_not(rsa_4096: PrivateKey, golden: GoldenFiles) -> None:
    small, large = make("corporate", key(1)), make("corporate", rsa_4096)
    many(350, (small.certificate,), RSA)
    with pytest.raises(StepError) as refused:
        many(500, (large.certificate, make("root", rsa_4096).certificate), RSA)
    golden.compare_said("issuers", without_sizes(refused.value))


def test_keys_need_room_too(golden: GoldenFiles) -> None:
    with pytest.raises(StepError) as refused:
        many(325, (make("corporate", key(1)).certificate,), KeySpec(KeyAlgorithm.RSA, 4096))
    golden.compare_said("issuers", refused.value)


def test_requests_for_no_leaf_need_no_room() -> None:
    many(0, (make("corporate", key(1)).certificate,), RSA)


@pytest.mark.parametrize("secret", [REQUESTS, KEYS])
@pytest.mark.parametrize("dry_run", [False, True])
def test_no_issuer_is_asked_where_there_is_no_room(monkeypatch: pytest.MonkeyPatch, secret: str, dry_run: bool) -> None:
    """Content that is there already counts, and check mode says it as well."""
    bench, issuer = elsewhere(), Noting()
    ask(bench, OTHER_NODE)
    monkeypatch.setattr(request_leaves, "issuer_of", lambda *_: issuer)
    put(bench, secret, "note", b"x" * (LIMIT - 300))
    begun = len(bench.api.writes)
    with pytest.raises(StepError, match=f"Secret kafka/{secret} has room"):
        ask(bench, NODE, dry_run=dry_run)
    assert (issuer.orders, len(bench.api.writes)) == ([], begun)


def test_a_repeated_request_needs_no_more_room() -> None:
    bench = elsewhere()
    ask(bench, NODE)
    stored = size(bench.api.find("secrets", "kafka", REQUESTS) or {})
    room = _answer_bytes_of_node(bench)
    put(bench, REQUESTS, "note", b"x" * (LIMIT - max(stored, room) - 64))
    ask(bench, NODE)


def _answer_bytes_of_node(bench: object) -> int:
    observation = see(bench)  # type: ignore[arg-type]
    (leaf,) = (one for one in every_leaf(observation) if one.secret == NODE)
    authority = (make("corporate", key(1)).certificate,)
    return _answer_bytes(subject_for(leaf, observation), authority, External({}, ""), EC) + 400


def test_no_secret_is_written_that_the_api_server_refuses(golden: GoldenFiles) -> None:
    """The size is checked again, whatever was expected: chains can be longer than those that the cluster knows."""
    chain = (make("leaf", key(3)).certificate,)
    whole = {"metadata": {"name": REQUESTS, "resourceVersion": "1"}, "data": {}}
    many_answers = {f"demo-kafka-{number}": PendingLeaf(chain * 40) for number in range(60)}
    for stored in ({}, {REQUESTS: whole}):
        with pytest.raises(StepError) as refused:
            write_records(SCOPE, stored, Component.KAFKA, many_answers)
        golden.compare_said("issuers", without_sizes(refused.value), "certificates")
    with pytest.raises(StepError) as refused:
        write_keys(SCOPE, {}, Component.KAFKA, {NODE: b"k" * (LIMIT + 1)})
    golden.compare_said("issuers", refused.value, "keys")
    write_keys(SCOPE, {}, Component.KAFKA, {NODE: b"k" * LIMIT})


def test_too_many_certificates_at_once_are_refused_with_the_remedy(golden: GoldenFiles) -> None:
    chain = (make("leaf", key(3)).certificate,) * 40
    with pytest.raises(StepError) as refused:
        write_issued(SCOPE, {}, Component.KAFKA, {f"demo-kafka-{number}": chain for number in range(60)})
    golden.compare_said("issuers", without_sizes(refused.value))
