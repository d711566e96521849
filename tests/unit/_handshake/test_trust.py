# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The judgements: only the difference between a CA in question and a CA that no listener trusts is evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.handshake import Handshake, HandshakeOutcome
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import (
    Trust,
    Verdict,
    combine_verdicts,
    judge_list,
    judge_probe,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.alerts import DISTRUST, Alert

from ...tools.support.certificates import key, make
from ...tools.support.golden import GoldenFiles
from .names import in_another_encoding

UNKNOWN_CA, CERTIFICATE_UNKNOWN = Alert(48, "unknown_ca"), Alert(46, "certificate_unknown")
BAD, EXPIRED, NEEDED = Alert(42, "bad_certificate"), Alert(45, "certificate_expired"), Alert(40, "handshake_failure")

ACCEPTED = Handshake(HandshakeOutcome.ACCEPTED, offered=True, version="TLSv1.2")
REFUSED = Handshake(HandshakeOutcome.REFUSED, CERTIFICATE_UNKNOWN, "TLSv1.2", None, True)

CA = make("cluster-ca v0", key(1)).certificate
RENEWED = make("cluster-ca v0", key(1)).certificate
NAMESAKE = make("cluster-ca v0", key(2)).certificate
OTHER = make("cluster-ca v10", key(3)).certificate


def refused(alert: Alert) -> Handshake:
    return replace(REFUSED, alert=alert)


def lists(*names: bytes) -> Handshake:
    return replace(REFUSED, acceptable=names)


def test_accepted_where_a_stranger_is_refused() -> None:
    assert judge_probe(ACCEPTED, REFUSED).trust is Trust.TRUSTED


@pytest.mark.parametrize("alert", [UNKNOWN_CA, CERTIFICATE_UNKNOWN, BAD], ids=str)
def test_refused_like_a_stranger(alert: Alert) -> None:
    assert judge_probe(refused(alert), refused(alert)).trust is Trust.NOT_TRUSTED


@pytest.mark.parametrize(
    ("probe", "untrusted", "said"),
    [
        (ACCEPTED, ACCEPTED, "does not verify"),
        (REFUSED, ACCEPTED, "does not verify"),
        (ACCEPTED, replace(ACCEPTED, offered=False), "asks for no client certificate"),
        (ACCEPTED, replace(ACCEPTED, offered=False, acceptable=()), "does not insist"),
        (ACCEPTED, refused(NEEDED), "how it refuses"),
        (ACCEPTED, Handshake(HandshakeOutcome.CLOSED, offered=True), "how it refuses"),
        (REFUSED, Handshake(HandshakeOutcome.TIMED_OUT, offered=True), "how it refuses"),
        (REFUSED, replace(REFUSED, offered=False), "how it refuses"),
        (replace(ACCEPTED, offered=False), REFUSED, "did not get to see"),
        (replace(REFUSED, offered=False), REFUSED, "did not get to see"),
        (refused(EXPIRED), REFUSED, "certificate_expired"),
        (refused(NEEDED), REFUSED, "handshake_failure"),
        (refused(BAD), REFUSED, "may not be the reason"),
        (refused(UNKNOWN_CA), REFUSED, "may not be the reason"),
        (Handshake(HandshakeOutcome.CLOSED, offered=True, detail="it closed"), REFUSED, "it closed"),
        (Handshake(HandshakeOutcome.TIMED_OUT, offered=True, detail="no answer"), REFUSED, "no answer"),
    ],
)
def test_everything_else_is_unknown_and_says_why(probe: Handshake, untrusted: Handshake, said: str) -> None:
    verdict = judge_probe(probe, untrusted)
    assert verdict.trust is Trust.UNKNOWN
    assert said in verdict.evidence


_ANY = st.builds(
    Handshake,
    st.sampled_from(HandshakeOutcome),
    st.sampled_from([None, UNKNOWN_CA, CERTIFICATE_UNKNOWN, BAD, EXPIRED, NEEDED]),
    offered=st.booleans(),
)


@given(_ANY, _ANY)
def test_a_known_verdict_needs_a_shown_certificate_and_a_refused_stranger(
    probe: Handshake, untrusted: Handshake
) -> None:
    verdict = judge_probe(probe, untrusted)
    if verdict.trust is not Trust.UNKNOWN:
        assert probe.offered
        assert untrusted.offered
        assert untrusted.alert is not None
        assert untrusted.alert.name in DISTRUST
        assert untrusted.outcome is not HandshakeOutcome.ACCEPTED
        assert (probe.outcome is HandshakeOutcome.ACCEPTED) == (verdict.trust is Trust.TRUSTED)


def test_a_name_on_the_list_is_trust() -> None:
    assert judge_list(CA, [CA, OTHER], lists(OTHER.subject_der, CA.subject_der)).trust is Trust.TRUSTED


def test_a_name_that_is_missing_is_distrust() -> None:
    assert judge_list(CA, [CA, OTHER], lists(OTHER.subject_der)).trust is Trust.NOT_TRUSTED
    assert judge_list(CA, [CA, NAMESAKE], lists(OTHER.subject_der)).trust is Trust.NOT_TRUSTED


def test_a_name_that_begins_like_it_is_another_name() -> None:
    first, tenth = make("cluster-ca v1", key(4)).certificate, OTHER
    assert judge_list(first, [first, tenth], lists(tenth.subject_der)).trust is Trust.NOT_TRUSTED


def test_a_name_that_two_keys_share_tells_nothing() -> None:
    verdict = judge_list(CA, [CA, NAMESAKE], lists(CA.subject_der))
    assert (verdict.trust, verdict.trust.is_known) == (Trust.SHARED, False)
    assert "cluster-ca v0" in verdict.evidence
    assert judge_list(CA, [NAMESAKE], lists(CA.subject_der)).trust is Trust.SHARED


def test_a_renewal_with_the_same_key_is_the_same_ca() -> None:
    assert judge_list(CA, [CA, RENEWED], lists(CA.subject_der)).trust is Trust.TRUSTED


def test_the_same_name_in_another_encoding_tells_nothing() -> None:
    for name in in_another_encoding(CA):
        assert name != CA.subject_der
        verdict = judge_list(CA, [CA], lists(name))
        assert verdict.trust is Trust.UNKNOWN
        assert "encoding" in verdict.evidence


@pytest.mark.parametrize(
    ("untrusted", "said"),
    [
        (lists(), "does not name"),
        (REFUSED, "did not show"),
        (Handshake(HandshakeOutcome.NOT_REACHED, detail="no route"), "no route"),
        (replace(ACCEPTED, acceptable=(CA.subject_der,)), "does not verify"),
        (replace(ACCEPTED, offered=False), "asks for no client certificate"),
    ],
)
def test_a_list_that_is_not_there_or_not_kept_tells_nothing(untrusted: Handshake, said: str) -> None:
    verdict = judge_list(CA, [CA], untrusted)
    assert verdict.trust is Trust.UNKNOWN
    assert said in verdict.evidence


@pytest.mark.parametrize("another_accepted", [False, True])
def test_handshake_and_list_must_not_contradict_each_other(another_accepted: bool, golden: GoldenFiles) -> None:
    for probed, listed in ((Trust.TRUSTED, Trust.NOT_TRUSTED), (Trust.NOT_TRUSTED, Trust.TRUSTED)):
        found = combine_verdicts(
            Verdict(probed, "said this"), Verdict(listed, "said that"), another_accepted=another_accepted
        )
        assert found.trust is Trust.UNKNOWN
        golden.compare_said("handshakes", found.evidence)


@pytest.mark.parametrize(
    ("listed", "another_accepted", "expected"),
    [
        (Trust.UNKNOWN, False, Trust.UNKNOWN),
        (Trust.SHARED, False, Trust.UNKNOWN),
        (Trust.UNKNOWN, True, Trust.NOT_TRUSTED),
        (Trust.SHARED, True, Trust.NOT_TRUSTED),
        (Trust.NOT_TRUSTED, False, Trust.NOT_TRUSTED),
        (Trust.NOT_TRUSTED, True, Trust.NOT_TRUSTED),
    ],
)
def test_a_refusal_is_about_trust_only_beside_an_acceptance_or_a_list(
    listed: Trust, another_accepted: bool, expected: Trust
) -> None:
    """A JVM refuses what is not valid by its clock with the same alert."""
    refusal = Verdict(Trust.NOT_TRUSTED, "refused it")
    assert combine_verdicts(refusal, Verdict(listed, "a list"), another_accepted=another_accepted).trust is expected


@pytest.mark.parametrize("another_accepted", [False, True])
@pytest.mark.parametrize("listed", Trust)
def test_an_unknown_probe_stays_unknown_whatever_the_list_says(listed: Trust, another_accepted: bool) -> None:
    probed = Verdict(Trust.UNKNOWN, "because")
    assert combine_verdicts(probed, Verdict(listed, "a list"), another_accepted=another_accepted) == probed


@pytest.mark.parametrize("listed", [Trust.TRUSTED, Trust.UNKNOWN])
def test_an_acceptance_needs_nothing_else(listed: Trust) -> None:
    probed = Verdict(Trust.TRUSTED, "accepted")
    assert combine_verdicts(probed, Verdict(listed, "a list"), another_accepted=False) == probed
