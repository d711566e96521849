# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a leaf has to be issued again: the reasons of "Improved and extensible Certificate controller", "trigger", in their order, and
those of a whole path ("CA abstraction").
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.trigger import (
    GAIN,
    RULES,
    Due,
    ExistingLeaf,
    IssueReason,
    Question,
    Specification,
    due,
    ends_with,
    is_ending,
    is_signed_by,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Purpose

from ...tools.support.certificates import NOW, YEAR, Entity, key, leaf, make

DAY = timedelta(days=1)
SOON = timedelta(days=45)
ROOT = make("root", key(90), end=NOW + 9 * YEAR)
CA = make("issuing", key(91), ROOT, end=NOW + 5 * YEAR)
AUTHORITY = (CA.certificate, ROOT.certificate)
#: The same key under another certificate.
RENEWED = make("issuing", key(91), ROOT, end=NOW + 7 * YEAR)
OTHER = make("other", key(92), end=NOW + 5 * YEAR)
ENDED = make("root", key(90), begin=NOW - 9 * YEAR, end=NOW - DAY)
BRIEF = make("brief", key(93), ROOT, end=NOW + 10 * DAY)
NAMES = frozenset({"a.example", "b.example"})
SANS = x509.SubjectAlternativeName([x509.DNSName(name) for name in sorted(NAMES)])
FOR_CLIENTS = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.CLIENT_AUTH])


def good(issuer: Entity = CA, end: datetime = NOW + YEAR, begin: datetime = NOW - YEAR) -> Certificate:
    return leaf(issuer, begin=begin, end=end, extra=[(SANS, False)])


LEAF = good()
EXISTING = ExistingLeaf((LEAF, CA.certificate), key=LEAF.public_key_sha256, above=AUTHORITY)
WANTED = Specification(AUTHORITY, NAMES, frozenset({Purpose.SERVER}))


def containing(certificate: Certificate, **changes: object) -> ExistingLeaf:
    return replace(EXISTING, chain=(certificate,), key=certificate.public_key_sha256, **changes)  # type: ignore[arg-type]


ROWS = [
    pytest.param(EXISTING, WANTED, None, "", id="as it should be"),
    pytest.param(None, WANTED, IssueReason.MISSING, "there is none", id="no Secret, or no entry"),
    pytest.param(replace(EXISTING, chain=None), WANTED, IssueReason.UNREADABLE, "it cannot be read", id="not decodable"),
    pytest.param(
        replace(EXISTING, chain=None, problem="the PEM is cut off"), WANTED, IssueReason.UNREADABLE, "the PEM is cut off", id="not decodable, and why"
    ),
    pytest.param(
        replace(EXISTING, problem="its key cannot be read"), WANTED, IssueReason.UNREADABLE, "its key cannot be read", id="a key that is not decodable"
    ),
    pytest.param(
        replace(EXISTING, key=key(2).public_key_sha256), WANTED, IssueReason.KEY, "the private key beside it is not its own", id="another key"
    ),
    pytest.param(replace(EXISTING, key=""), WANTED, None, "", id="the key is not known"),
    pytest.param(
        containing(good(OTHER)), WANTED, IssueReason.AUTHORITY,
        f"it is of {OTHER.certificate.subject}, and {CA.certificate.subject} ({CA.certificate.sha256[:12]}) is to sign", id="another CA",
    ),
    pytest.param(
        EXISTING, replace(WANTED, authority=(RENEWED.certificate, ROOT.certificate)), None, "", id="the same key of a renewed CA"
    ),
    pytest.param(
        EXISTING, replace(WANTED, names=frozenset({"a.example", "c.example", "d.example"})), IssueReason.SPECIFICATION,
        "its alternative names are not the names that it should have: it lacks c.example, d.example and should not have b.example", id="other names",
    ),
    pytest.param(
        EXISTING, replace(WANTED, names=NAMES | {"c.example"}), IssueReason.SPECIFICATION,
        "its alternative names are not the names that it should have: it lacks c.example", id="one name more",
    ),
    pytest.param(EXISTING, replace(WANTED, names=None), None, "", id="the names that it has"),
    pytest.param(
        containing(leaf(CA, extra=[(SANS, False), (FOR_CLIENTS, False)])), WANTED, IssueReason.SPECIFICATION,
        "it has an extended key usage without serverAuth", id="other usages",
    ),
    pytest.param(containing(good(end=NOW + SOON)), WANTED, None, "", id="the last moment before its time"),
    pytest.param(
        containing(good(end=NOW + SOON - timedelta(seconds=1))), WANTED, IssueReason.EXPIRING, "it ends on 2026-07-16", id="in its time"
    ),
    pytest.param(containing(good(end=NOW - DAY)), WANTED, IssueReason.EXPIRING, "it ends on 2026-05-31", id="expired"),
    pytest.param(
        containing(good(BRIEF, end=NOW + 10 * DAY), above=(BRIEF.certificate,)), replace(WANTED, authority=(BRIEF.certificate,)), None, "",
        id="ends with its CA: another one would too",
    ),
    pytest.param(
        replace(EXISTING, above=(CA.certificate, BRIEF.certificate)), WANTED, IssueReason.PATH,
        f"{BRIEF.certificate.subject}, which it rests on, ends on 2026-06-11", id="an intermediate or a root ends first",
    ),
    pytest.param(
        replace(EXISTING, above=(CA.certificate, BRIEF.certificate)), replace(WANTED, authority=(CA.certificate, BRIEF.certificate)), None, "",
        id="a root ends first, and there is no other",
    ),
    pytest.param(
        containing(good(end=NOW + SOON - DAY), above=(CA.certificate, ENDED.certificate)), replace(WANTED, authority=(CA.certificate, ENDED.certificate)),
        IssueReason.EXPIRING, "it ends on 2026-07-15", id="it has outlived its root",
    ),
    pytest.param(
        containing(good(end=NOW + 11 * DAY), above=(CA.certificate, BRIEF.certificate)), replace(WANTED, authority=(CA.certificate, BRIEF.certificate)),
        IssueReason.EXPIRING, "it ends on 2026-06-12", id="it is going to outlive its root",
    ),
    pytest.param(
        containing(good(end=NOW + 10 * DAY), above=(CA.certificate, BRIEF.certificate)), replace(WANTED, authority=(CA.certificate, BRIEF.certificate)),
        None, "", id="its issuer has cut it to the end of its root",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("existing", "wanted", "reason", "why"), ROWS)
def test_reasons(existing: ExistingLeaf | None, wanted: Specification, reason: IssueReason | None, why: str) -> None:
    assert due(Question(existing, wanted, NOW, SOON)) == (Due(reason, why) if reason else None)


def test_where_dates_do_not_matter_now() -> None:
    assert due(Question(containing(good(end=NOW - DAY)), WANTED, NOW)) is None


def test_a_short_lived_one_is_renewed_in_the_second_half_of_its_life() -> None:
    brief = good(begin=NOW - 10 * DAY, end=NOW + 10 * DAY)
    assert due(Question(containing(brief), WANTED, NOW, SOON)) is None
    assert due(Question(containing(brief), WANTED, NOW + timedelta(seconds=1), SOON)) is not None


def test_every_reason_in_their_order() -> None:
    """But two, which the rules say that know the issuer's later leaf and the caller's wish."""
    assert list(RULES) == [one for one in IssueReason if one not in (IssueReason.RENEWED, IssueReason.ASKED)]


def test_the_first_reason_is_told() -> None:
    """Everything is wrong at once; one after the other is put right."""
    wrong = replace(WANTED, names=frozenset())
    ending = containing(good(end=NOW + DAY))
    of_another = replace(containing(good(OTHER, end=NOW + DAY)), key="another")
    stages = [
        (None, wrong),
        (replace(of_another, problem="cut off"), wrong),
        (of_another, wrong),
        (replace(of_another, key=""), wrong),
        (ending, wrong),
        (ending, WANTED),
        (replace(EXISTING, above=(BRIEF.certificate,)), WANTED),
    ]
    found = [due(Question(existing, wanted, NOW, SOON)) for existing, wanted in stages]
    assert [one.reason for one in found if one] == list(RULES)


LEAVES = [
    good(issuer, end, begin)
    for issuer in (CA, OTHER, BRIEF)
    for begin in (NOW - YEAR, NOW - DAY)
    for end in (NOW - timedelta(hours=1), NOW + DAY, NOW + 10 * DAY, NOW + YEAR)
]
PATHS = [
    AUTHORITY,
    (OTHER.certificate,),
    (BRIEF.certificate, ROOT.certificate),
    (RENEWED.certificate, BRIEF.certificate),
]
EXISTING_LEAVES = st.none() | st.builds(
    ExistingLeaf,
    st.none() | st.sampled_from([(one,) for one in LEAVES]),
    st.sampled_from(["", "cut off"]),
    st.sampled_from(["", "another", LEAF.public_key_sha256]),
    st.sampled_from([(), *PATHS]),
)
SIGNERS = {AUTHORITY: CA, PATHS[1]: OTHER, PATHS[2]: BRIEF, PATHS[3]: RENEWED}
WISHES = st.builds(
    Specification,
    st.sampled_from(PATHS),
    st.sampled_from([None, NAMES]),
    st.sampled_from([frozenset[Purpose](), frozenset({Purpose.SERVER})]),
)
BEFORE = st.none() | st.integers(0, 90).map(timedelta)


def made_for(wanted: Specification, now: datetime) -> ExistingLeaf:
    """The leaf that an issuer makes: it lasts for thirty days, or as long as its path."""
    end = min(now + 30 * DAY, *(one.not_after for one in wanted.authority))
    certificate = good(SIGNERS[wanted.authority], end, now)
    return ExistingLeaf((certificate,), "", certificate.public_key_sha256, wanted.authority)


@given(EXISTING_LEAVES, WISHES, BEFORE)
def test_a_new_leaf_is_not_due(existing: ExistingLeaf | None, wanted: Specification, before: timedelta | None) -> None:
    first = due(Question(existing, wanted, NOW, before))
    assert due(Question(made_for(wanted, NOW), wanted, NOW, before)) is None
    if existing is None:
        assert first is not None


@given(EXISTING_LEAVES, WISHES, BEFORE, st.integers(0, 400).map(timedelta))
def test_a_reason_stays_until_it_is_cured(
    existing: ExistingLeaf | None, wanted: Specification, before: timedelta | None, later: timedelta
) -> None:
    """Time alone takes no reason away, unless the next leaf could not outlive this one by then."""
    early, late = (due(Question(existing, wanted, at, before)) for at in (NOW, NOW + later))
    assert early is None or early == late


def test_the_end_of_a_path() -> None:
    assert not is_ending(LEAF, AUTHORITY, NOW, SOON)
    assert is_ending(LEAF, (BRIEF.certificate,), NOW, SOON)
    assert ends_with(good(BRIEF, end=BRIEF.certificate.not_after), (BRIEF.certificate, ROOT.certificate))
    assert ends_with(good(end=CA.certificate.not_after - GAIN + timedelta(seconds=1)), AUTHORITY)
    assert not ends_with(good(end=CA.certificate.not_after - GAIN), AUTHORITY)


def test_the_signature_tells_who_has_signed() -> None:
    assert is_signed_by((LEAF,), RENEWED.certificate)
    assert not is_signed_by((LEAF,), OTHER.certificate)
    assert not is_signed_by(None, CA.certificate)
