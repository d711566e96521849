# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A certificate of which it is assumed who has signed it: the assumption is all that differs."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import make_double
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import validate_path
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import AssumedCertificate

from ...support.certificates import NOW, YEAR, Entity, key, leaf, make

CA = make("cluster-ca v1", key(1))
#: The same name and key; the same name with another key; another name with the same key.
RENEWED, IMPOSTOR, RENAMED = (
    make("cluster-ca v1", key(1), end=NOW + 2 * YEAR),
    make("cluster-ca v1", key(2)),
    make("cluster-ca v2", key(1)),
)
#: The leaf that a forecast makes: signed by a key that stands in for the CA's, which is not at hand.
DOUBLE = Entity(make_double(CA.certificate, key(3)), key(3))
MADE = leaf(DOUBLE)
ASSUMED = AssumedCertificate(MADE.der, CA.certificate)


@pytest.mark.parametrize(
    ("by", "expected"), [(CA, True), (RENEWED, True), (IMPOSTOR, False), (RENAMED, False), (DOUBLE, False)]
)
def test_who_has_signed_it(by: Entity, expected: bool) -> None:
    assert ASSUMED.signed_by(by.certificate) is expected


def test_all_else_is_the_certificates_own() -> None:
    assert (ASSUMED.der, ASSUMED.sha256, ASSUMED.not_after) == (MADE.der, MADE.sha256, MADE.not_after)
    assert not MADE.signed_by(CA.certificate)


@pytest.mark.parametrize(("anchor", "accepted"), [(CA, True), (RENEWED, True), (IMPOSTOR, False)])
def test_a_path_to_it_is_judged_by_the_assumption(anchor: Entity, accepted: bool) -> None:
    """Names, key identifiers and dates are those of the CA; the one signature is not looked at."""
    found: Certificate = anchor.certificate
    assert (validate_path((ASSUMED,), (found,), at=NOW).reason == "") is accepted
    assert validate_path((MADE,), (found,), at=NOW).reason != ""
