# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Key policies: the breaches of a certificate, of a CA that would be made, and of the policies that come with the collection."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyType
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import KeyPolicy

from ...tools.support.certificates import NOW, YEAR, key, leaf, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.unusable import USABLE

DAY = timedelta(days=1)
#: A CA with an EC key on P-256, signed with SHA-256, that lives for a year; and a leaf of it.
CA = make("cluster-ca v0", key(0), begin=NOW, end=NOW + YEAR)
LEAF = leaf(CA, begin=NOW, end=NOW + YEAR)
GIVEN = yaml.safe_load(
    (Path(__file__).parents[3] / "roles" / "flow" / "vars" / "main" / "key_policies.yml").read_text()
)


def test_without_rules_nothing_is_a_breach() -> None:
    assert list(KeyPolicy().breaches(CA.certificate)) == []
    assert list(KeyPolicy().breaches_of_authority(KeyType.RSA_2048.spec, 100 * YEAR)) == []


@pytest.mark.parametrize(
    ("policy", "of_ca", "of_leaf"),
    [
        (
            KeyPolicy(curves=frozenset({"secp384r1"})),
            ["a key ecdsa-p256 on the curve secp256r1, and keys are on secp384r1 (curves)"],
            1,
        ),
        (KeyPolicy(curves=frozenset({"secp256r1"})), [], 0),
        (
            KeyPolicy(hashes=frozenset({"sha512"})),
            ["a signature with sha256, and signatures are made with sha512 (hashes)"],
            1,
        ),
        (KeyPolicy(hashes=frozenset({"sha256"})), [], 0),
        (KeyPolicy(ca_life=YEAR - 2 * DAY), ["a life of 365 days, and 363 days are the longest"], 0),
        (KeyPolicy(ca_life=YEAR - DAY), [], 0),
        (KeyPolicy(leaf_life=YEAR - 2 * DAY), [], 1),
        (KeyPolicy(rsa_bits=16384), [], 0),
    ],
)
def test_each_rule_names_the_value_and_itself(policy: KeyPolicy, of_ca: list[str], of_leaf: int) -> None:
    assert list(policy.breaches(CA.certificate)) == of_ca
    assert list(policy.breaches_of_key(CA.certificate)) == [told for told in of_ca if told.startswith("a key")]
    assert len(list(policy.breaches(LEAF))) == of_leaf


def test_a_key_without_a_curve_and_a_hash_of_its_own_is_none_of_those_that_a_policy_names(
    golden: GoldenFiles,
) -> None:
    (plain,) = (case.authority for case in USABLE if case.name == "ed25519")
    policy = KeyPolicy(
        rsa_bits=4096, curves=frozenset({"secp384r1", "secp256r1"}), hashes=frozenset({"sha512", "sha256"})
    )
    golden.compare_said("certificates", "\n".join(policy.breaches(plain)))


@pytest.mark.parametrize(
    ("kind", "breaches"),
    [
        (KeyType.RSA_2048, ["a key rsa-2048, and RSA keys have at least 3072 bits (rsa_bits)"]),
        (KeyType.RSA_3072, []),
        (KeyType.RSA_4096, []),
        (KeyType.ECDSA_P256, []),
        (KeyType.ECDSA_P384, ["a key ecdsa-p384 on the curve secp384r1, and keys are on secp256r1 (curves)", "sha384"]),
    ],
)
def test_a_ca_is_judged_before_it_is_made(kind: KeyType, breaches: list[str]) -> None:
    policy = KeyPolicy(rsa_bits=3072, curves=frozenset({"secp256r1"}), hashes=frozenset({"sha256", "sha512"}))
    found = list(policy.breaches_of_authority(kind.spec, YEAR))
    assert len(found) == len(breaches)
    assert all(told in one for told, one in zip(breaches, found, strict=True))


def test_leaves_are_judged_by_the_size_of_their_keys_and_their_life() -> None:
    policy = KeyPolicy(rsa_bits=3072, leaf_life=YEAR)
    assert list(policy.breaches_of_leaves(3072, YEAR)) == []
    assert len(list(policy.breaches_of_leaves(2048, 2 * YEAR))) == 2
    assert list(replace(policy, rsa_bits=None).breaches_of_leaves(2048, YEAR)) == []


@pytest.mark.parametrize("name", GIVEN["flow_key_policies"])
def test_policies_of_the_collection_are_what_the_option_takes(name: str) -> None:
    given: dict[str, Any] = GIVEN["flow_key_policies"][name]
    assert given["name"] == name
    assert set(given) <= set(FLOW.options["key_policy"]["options"])
    known = {
        one.name
        for one in vars(ec).values()
        if isinstance(one, type) and issubclass(one, ec.EllipticCurve) and one is not ec.EllipticCurve
    }
    assert set(given["curves"]) <= known
    assert all(hasattr(hashes, digest.upper()) for digest in given["hashes"])
    assert given["rsa_bits"] <= 4096
