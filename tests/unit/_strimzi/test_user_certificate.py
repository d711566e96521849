# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a user's certificate: what follows from what is stored, and what the clients CA makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.user_certificate import (
    ClientsCa,
    SecretKind,
    UserCertificate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import NamedSecret

from ...tools.support.certificates import NOW
from .bench import pem
from .users.stage import NEW, OLD, STRANGER, of

LEAF = of(NEW)
PLACE = NamedSecret("kafka", "orders", "user.crt")
STORED = UserCertificate(PLACE, SecretKind.OF_USER, (LEAF.certificate,), key_beside=LEAF.certificate.public_key_sha256)
BOTH = ClientsCa((NEW.certificate, OLD.certificate), pem(NEW))
OTHERS = [kind for kind in SecretKind if kind is not SecretKind.OF_USER]


def test_no_ca_validates_a_certificate_before_it_is_judged() -> None:
    assert (STORED.authority, STORED.is_current) == (None, False)
    assert STORED.problem


def test_a_record_is_judged_by_the_clients_ca_of_each_look() -> None:
    """The same record, as a call keeps it between its looks."""
    stored = replace(STORED, stored_ca=pem(NEW))
    by_both, by_old = stored.judged_by(BOTH, NOW), stored.judged_by(ClientsCa((OLD.certificate,), pem(OLD)), NOW)
    assert (by_both.authority, by_both.is_current, by_both.problem) == (NEW.certificate, True, "")
    assert (by_old.authority, by_old.is_current) == (None, False)
    assert by_old.refusal
    assert by_old.judged_by(BOTH, NOW) == by_both


@pytest.mark.parametrize("kind", OTHERS)
def test_the_user_operator_issues_again_in_the_secret_of_a_user_alone(kind: SecretKind) -> None:
    """Brokers accept the certificate, and another ca.crt beside it is a problem in that Secret alone."""
    judged = replace(STORED, stored_ca=pem(OLD)).judged_by(BOTH, NOW)
    other = replace(STORED, kind=kind, stored_ca=pem(OLD)).judged_by(BOTH, NOW)
    assert (judged.authority, other.authority) == (NEW.certificate, NEW.certificate)
    assert (bool(judged.problem), bool(other.problem)) == (True, False)
    assert (judged.ca_beside, other.ca_beside) == (OLD.certificate, NEW.certificate)


@pytest.mark.parametrize(
    ("kind", "label"),
    [(SecretKind.OF_USER, "Secret kafka/orders"), *((kind, "Secret kafka/orders entry user.crt") for kind in OTHERS)],
)
def test_its_place_in_messages(kind: SecretKind, label: str) -> None:
    assert replace(STORED, kind=kind).label == label


@pytest.mark.parametrize(
    ("changes", "has_key"),
    [
        ({}, True),
        ({"key_beside": ""}, True),
        ({"key_beside": STRANGER.certificate.public_key_sha256}, False),
        ({"key_beside": "", "key_problem": "it is encrypted"}, False),
        ({"chain": ()}, False),
    ],
    ids=["its own", "kept elsewhere", "of another certificate", "unusable", "no certificate"],
)
def test_whether_its_private_key_is_there(changes: dict[str, object], has_key: bool) -> None:
    assert replace(STORED, **changes).has_key is has_key


@pytest.mark.parametrize(
    ("changes", "spoilt"),
    [
        ({}, False),
        ({"is_current": False, "authority": None}, False),
        ({"authority": None}, True),
        ({"key_problem": "it is encrypted"}, True),
        ({"chain": (), "unreadable": "it is no PEM text", "is_current": False, "authority": None}, True),
        ({"chain": (), "absence": "it does not exist", "is_current": False, "authority": None}, False),
    ],
    ids=["good", "issued again soon", "of a stranger", "no key", "unreadable", "absent"],
)
def test_whether_it_stays_unusable_until_a_person_or_this_collection_acts(
    changes: dict[str, object], spoilt: bool
) -> None:
    good = replace(STORED, authority=NEW.certificate, is_current=True)
    assert replace(good, **changes).is_spoilt is spoilt


@pytest.mark.parametrize(
    ("needs_opening", "opening_problem", "in_doubt"),
    [(False, None, False), (True, None, True), (True, "", False), (True, "it contains another certificate", True)],
    ids=["written together", "not opened", "opened", "opened, another certificate"],
)
def test_whether_its_keystore_may_hold_another_certificate(
    needs_opening: bool, opening_problem: str | None, in_doubt: bool
) -> None:
    found = replace(STORED, has_keystore=True, needs_opening=needs_opening, opening_problem=opening_problem)
    assert bool(found.keystore_doubt) is in_doubt
    assert found.keystore_remedy != replace(found, kind=SecretKind.NAMED).keystore_remedy
