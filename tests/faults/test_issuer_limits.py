# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A schedule with an issuer that never gives a certificate which is accepted: it waits for a while, and then each run fails with the issuer's words, until
one is accepted. Processes keep their certificates meanwhile, and other leaves go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import LONGEST_WAIT, MOST_FAILURES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Decision,
    Violation,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.asked_issuers import ByCertManager
from ..tools.support.certificates import key
from ..tools.support.watched_cluster import assert_only
from .issuer_happenings import (
    VICTIM,
    Course,
    Happening,
    approved,
    begun,
    deleted,
    garbage,
    idle,
    lenient,
    no_verdict,
    right_again,
    strict,
    unapproved,
    verdict,
    work_again,
)

NIGHT = timedelta(days=1)
#: A little more than the longest time between two requests.
LATER = timedelta(hours=36)


@dataclass(frozen=True)
class Way:
    """A way in which no certificate is accepted."""

    kind: str
    begins: Happening
    #: A part of the issuer's words, or of the reason for which the certificate is refused.
    words: str
    cured: Happening = right_again
    #: Whether requests fail; else no request is answered.
    is_refused: bool = True


def wrong_key(course: Course) -> None:
    course.issuer.signing.mistake = lambda template: replace(template, key=key(881).public_key)


_KEY = "it does not carry the requested public key"
WAYS = {
    "external: another key": Way("external", wrong_key, _KEY),
    "external: no certificate": Way("external", garbage, "is unusable: no readable certificate"),
    "external: no answer": Way("external", idle, "Secrets kafka/demo-issuing-<component>", work_again, is_refused=False),
    "cert-manager: another key": Way("cert-manager", wrong_key, _KEY),
    "cert-manager: denied": Way(
        "cert-manager", verdict("Denied", "True", "policy", "no such names here"), "was denied: no such names here", no_verdict
    ),
    "cert-manager: not approved": Way("cert-manager", unapproved, "is not approved", approved, is_refused=False),
    "vault: another key": Way("vault", wrong_key, _KEY),
    "vault: refused": Way("vault", strict, "not allowed by this role", lenient),
}  # fmt: skip


@pytest.fixture
def course(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Course]:
    with begun(request.param, monkeypatch) as made:
        yield made


def nights_until_failure(run: Callable[[], Decision], most: int = 12) -> tuple[int, tuple[Violation, ...]]:
    """How many nightly runs end without an error, and the violations of the next run."""
    for night in range(most):
        decision = run()
        if decision.violations:
            return night, decision.violations
        assert not decision.done
        assert decision.waiting
    raise AssertionError(f"{most} nights, and no run has failed")


def check(violations: tuple[Violation, ...], words: str) -> None:
    """Some issuers refuse every leaf, and not only the victim's."""
    assert {(one.condition, one.holds) for one in violations} == {(Condition.LEAVES_ARE_ISSUED, False)}
    (found,) = (one for one in violations if one.subject == f"Secret kafka/{VICTIM}")
    assert words in found.message
    assert "next request" in found.remedy or "request is answered" in found.remedy


@pytest.mark.parametrize(("course", "way"), [(way.kind, way) for way in WAYS.values()], ids=WAYS, indirect=["course"])
def test_a_schedule_fails_when_no_certificate_has_been_accepted_for_long(course: Course, way: Way) -> None:
    cluster, issuer = course.cluster, course.issuer
    before, old = cluster.secret(VICTIM), cluster.current
    way.begins(course)

    def run() -> Decision:
        cluster.memory.seconds += NIGHT.total_seconds()
        decision = course.run().outcome.decision
        issuer.work()
        return decision

    nights, violations = nights_until_failure(run)
    # A request that a person answers takes a night until a run sees the answer.
    least, most = (MOST_FAILURES, 2 * MOST_FAILURES) if way.is_refused else (LONGEST_WAIT / NIGHT, LONGEST_WAIT / NIGHT)
    assert least - 1 <= nights <= most
    check(violations, way.words)
    assert (cluster.secret(VICTIM), cluster.current, cluster.paused) == (before, old, False)
    # The run after it fails as well, whether its request is open or not.
    check(run().violations, "")
    way.cured(course)
    for _run in range(2):
        issuer.work()
        cluster.memory.seconds += LATER.total_seconds()
        decision = course.run().outcome.decision
    issuer.work()
    course.finish()
    assert decision.violations == () or way.kind == "external"
    assert_only(cluster, course.supplied.fingerprint)
    assert issuer.left() == []


@pytest.mark.parametrize("course", ["cert-manager"], indirect=True)
def test_requests_that_another_program_deletes_each_time_fail_the_schedule(course: Course) -> None:
    def run() -> Decision:
        course.cluster.memory.seconds += 2 * NIGHT.total_seconds()
        deleted(course)
        return course.run().outcome.decision

    _nights, violations = nights_until_failure(run)
    assert all("was deleted" in found.message for found in violations)


@pytest.mark.parametrize("course", ["cert-manager"], indirect=True)
def test_another_issuer_ends_the_failures_of_the_issuer_before(course: Course) -> None:
    """The remedy: what failed at one issuer says nothing about the other."""
    wrong_key(course)

    def run() -> Decision:
        course.cluster.memory.seconds += NIGHT.total_seconds()
        return course.run().outcome.decision

    nights_until_failure(run)
    course.cluster.issuer = replace(course.of(ByCertManager).settings, name="partner")
    result = course.cluster.run(
        Goal.REPLACE_KEY, course.supplied, external_issuer="cert-manager Issuer partner"
    ).outcome.decision
    assert (result.violations, result.done) == ((), False)
